/* SPDX-License-Identifier: MIT */
/* bam.c - reads of BAM as text; cut, damaged and forged ones are errors */
#include "input/input.h"
#include "tests/lib/bam_case.h"
#include "tests/lib/gzip_case.h"
#include "tests/lib/source_case.h"

/* b, unpacked, as blocks of `each` bytes; FASTQ text to out. */
static int
read_blocks(const struct buf *b, size_t each, struct buf *out)
{
	struct buf z = { 0 };
	int rc;

	for (size_t i = 0; i < b->n; i += each)
		bgzf_member(&z, b->p + i, min_u64(each, b->n - i), 1);
	bgzf_member(&z, "", 0, 6);
	rc = decode(&z, 1000, out);
	buf_free(&z);
	return rc;
}

/* The same in steps of `each` bytes, without any packing. */
static int
feed(const struct buf *b, size_t each, struct buf *out)
{
	struct bam *bam = bam_new("x");
	int rc = bam ? 0 : 1;

	out->n = 0;
	for (size_t i = 0; i < b->n && !rc; i += each) {
		size_t k = min_u64(each, b->n - i);
		uint8_t *copy = malloc(k);	/* for a sanitizer */

		memcpy(copy, b->p + i, k);
		rc = bam_feed(bam, copy, k, out, &e);
		free(copy);
	}
	if (!rc)
		rc = bam_end(bam, &e);
	bam_free(bam);
	return rc;
}

static void
is(const struct buf *b, const char *want)
{
	const struct buf text = { (uint8_t *)want, strlen(want), 0, false };
	struct buf out = { 0 };

	for (size_t each = 1; each < 2 * b->n; each += 1 + each / 3) {
		ok(feed(b, each, &out) == 0 && same(&text, &out),
		   "steps of %zu: %zu bytes", each, out.n);
		if (each > 4)
			ok(read_blocks(b, each, &out) == 0 &&
			   same(&text, &out), "blocks of %zu", each);
	}
	buf_free(&out);
}

static void
reads(void)
{
	static const struct bam_case r[] = {
		{ "single", 4, "ACGTN", "!5I~#", 0, 0 },
		{ "turned", 16, "ACGTN", "!5I~#", 3, 10 },
		{ "even", 16, "AACG", "1234", 1, 7 },
		{ "pair", 0x4d, "ACMGRSVTWYHKDBN", "ABCDEFGHIJKLMNO", 0, 0 },
		{ "pair", 0x9d, "ACMGRSVTWYHKDBN", "ABCDEFGHIJKLMNO", 2, 0 },
		{ "middle", 0xc1, "AC", "II", 0, 0 },
		{ "alone", 0x40, "AC", "II", 0, 0 },
		{ "second", 0x100, "ACGT", "IIII", 0, 0 },
		{ "part", 0x800, "ACGT", "IIII", 0, 0 },
		{ "none", 0, "ACG", NULL, 0, 0 },
		{ "empty", 4, "", "", 0, 4 },
		{ "failed", 0x600, "A", "I", 0, 0 },
	};
	static const char want[] =
		"@single\nACGTN\n+\n!5I~#\n"
		"@turned\nNACGT\n+\n#~I5!\n"
		"@even\nCGTT\n+\n4321\n"
		"@pair/1\nACMGRSVTWYHKDBN\n+\nABCDEFGHIJKLMNO\n"
		"@pair/2\nNVHMDRWABSYCKGT\n+\nONMLKJIHGFEDCBA\n"
		"@middle\nAC\n+\nII\n"
		"@alone\nAC\n+\nII\n"
		"@none\nACG\n+\nBBB\n"
		"@empty\n\n+\n\n"
		"@failed\nA\n+\nI\n";
	struct buf b = { 0 };

	bam_header(&b, "@HD\tVN:1.6\n", 2);
	for (size_t i = 0; i < sizeof r / sizeof *r; i++)
		bam_record(&b, &r[i]);
	is(&b, want);
	b.n = 0;
	bam_header(&b, "", 0);
	is(&b, "");
	buf_free(&b);
}

/* Reads that are larger than a slot, and many small ones. */
static void
sizes(void)
{
	struct buf b = { 0 }, text = { 0 }, out = { 0 };
	static char letters_of[800001], qualities[800001];

	bam_header(&b, "", 1);
	for (size_t n = 0; n < 800000; n = n * 7 + 1) {
		struct bam_case r = { "r", 0, letters_of, qualities, 0, n % 9 };

		for (size_t i = 0; i < n; i++) {
			letters_of[i] = "ACGT"[below(&seed, 4)];
			qualities[i] = (char)('!' + below(&seed, 94));
		}
		bam_record(&b, &r);
		buf_printf(&text, "@r\n%s\n+\n%s\n", letters_of, qualities);
	}
	ok(feed(&b, b.n, &out) == 0 && same(&text, &out), "at once");
	ok(feed(&b, 65536, &out) == 0 && same(&text, &out), "in steps");
	ok(read_blocks(&b, 65280, &out) == 0 && same(&text, &out), "packed");
	buf_free(&b);
	buf_free(&text);
	buf_free(&out);
}

/* A small file, its bytes cut, forged or flipped. */
static void
small(struct buf *b)
{
	static const struct bam_case r[] = {
		{ "a", 0, "ACGTA", "IIIII", 1, 3 },
		{ "b", 16, "ACGTAC", "IIIIII", 0, 0 },
	};

	bam_header(b, "@CO\tx\n", 1);
	for (size_t i = 0; i < 2; i++)
		bam_record(b, &r[i]);
}

static void
cuts(void)
{
	struct buf b = { 0 }, out = { 0 };
	size_t n, head, silent = 0;

	bam_header(&b, "@CO\tx\n", 1);
	head = b.n;
	b.n = 0;
	small(&b);
	n = b.n;
	for (b.n = 4; b.n < n; b.n++)
		if (read_blocks(&b, 20, &out) == 0 && b.n != head &&
		    b.n != n - 32 - 4 - 2 - 3 - 6)
			silent++;
	ok(silent == 0, "%zu silent cuts", silent);
	b.n = head - 1;
	ok(read_blocks(&b, 20, &out) == ERR_FORMAT &&
	   strstr(e.text, "x: truncated BAM: it ends within its header"),
	   "%s", e.text);
	b.n = n - 1;
	ok(read_blocks(&b, 20, &out) == ERR_FORMAT &&
	   strstr(e.text, "x: truncated BAM: it ends within record 2"), "%s",
	   e.text);
	buf_free(&b);
	buf_free(&out);
}

/* The number of 4 bytes at `at` becomes v. */
static void
forged(size_t at, uint32_t v, const char *part)
{
	struct buf b = { 0 }, out = { 0 };
	int rc;

	small(&b);
	put_le(b.p + at, v, 4);
	rc = feed(&b, 10, &out);
	ok(rc == ERR_FORMAT && strstr(e.text, part), "%zu = %u: %d %s", at, v,
	   rc, e.text);
	rc = read_blocks(&b, 1000, &out);
	ok(rc == ERR_FORMAT && strstr(e.text, part), "packed: %d %s", rc,
	   e.text);
	buf_free(&b);
	buf_free(&out);
}

static void
forgeries(void)
{
	enum { TEXT = 4, N_REFS = 14, REF = 18, SIZE = 31, REC = 35 };

	forged(TEXT, UINT32_MAX, "damaged BAM header: a size that cannot be");
	forged(TEXT, INT32_MAX, "truncated");
	forged(N_REFS, 1u << 31, "damaged BAM header");
	forged(N_REFS, INT32_MAX, "header");
	forged(REF, 0, "damaged BAM header");
	forged(REF, UINT32_MAX, "damaged BAM header");
	forged(REF, INT32_MAX, "truncated");
	forged(SIZE, 31, "damaged BAM record 1: a size that cannot be");
	forged(SIZE, 0, "damaged BAM record 1");
	forged(SIZE, UINT32_MAX, "damaged BAM record 1");
	forged(SIZE, INT32_MAX, "truncated");
	forged(SIZE, 40, "record 1: it is too small");
	forged(REC + 8, 255, "record 1: it is too small");
	forged(REC + 8, 0, "record 1: its name");
	forged(REC + 12, 65535, "record 1: it is too small");
	forged(REC + 16, UINT32_MAX, "record 1: it is too small");
	forged(REC + 16, 1u << 31, "record 1: it is too small");
	forged(REC + 32, 0x0a0a0a0a, "record 1: its name");
	forged(REC + 32 + 2 + 4 + 3, 0x5e5e5e5e, "record 1: a quality above");
}

/* Whatever a bit says, nothing breaks, and steps do not matter. */
static void
flips(void)
{
	struct buf b = { 0 }, one = { 0 }, two = { 0 };
	size_t differ = 0;

	small(&b);
	for (size_t i = 4; i < b.n; i++)
		for (int bit = 0; bit < 8; bit++) {
			int rc;

			b.p[i] ^= (uint8_t)(1 << bit);
			rc = feed(&b, b.n, &one);
			if (feed(&b, 5, &two) != rc || !same(&one, &two))
				differ++;
			b.p[i] ^= (uint8_t)(1 << bit);
		}
	ok(differ == 0, "%zu flipped bits differ by steps", differ);
	buf_free(&b);
	buf_free(&one);
	buf_free(&two);
}

/* Without the block that ends bgzf; in plain gzip; as it is. */
static void
packing(void)
{
	static const char want[] = "@a\nACGTA\n+\nIIIII\n"
				   "@b\nGTACGT\n+\nIIIIII\n";
	struct buf text = { (uint8_t *)want, sizeof want - 1, 0, false };
	struct buf b = { 0 }, z = { 0 }, out = { 0 };

	small(&b);
	bgzf_member(&z, b.p, b.n, 6);
	says(&z, ERR_FORMAT, "empty block");
	z.n = 0;
	gz_member(&z, b.p, b.n, 6, NULL);
	ok(decode(&z, 10, &out) == 0 && same(&text, &out), "gzip");
	ok(decode(&b, 10, &out) == 0 && same(&b, &out), "not packed");
	buf_free(&b);
	buf_free(&z);
	buf_free(&out);
}

static void
tap(void *ctx, const uint8_t *p, size_t n)
{
	(void)ctx;
	(void)p;
	(void)n;
}

/* What a reader of sequences makes of it, as text, if text, or of its reads,
 * `room` letters at a time. */
static int
events(const struct buf *b, bool text, size_t room, struct buf *out)
{
	struct source *s = NULL;
	struct fasta *f = NULL;
	struct fasta_piece p;
	uint8_t *to = malloc(room + 64);
	int rc = source_memory(&s, "x", b->p, b->n, &e);

	out->n = 0;
	if (text && !rc)
		source_tap(s, tap, NULL);
	if (!rc)
		rc = fasta_new(&f, s, &e);
	while (!rc && (rc = fasta_next_to(f, to, room, &p, &e)) > 0) {
		if (rc == FASTA_RECORD) {
			buf_printf(out, "\n%u ", (unsigned)fasta_line(f));
			fasta_header(out, p.name, p.desc);
			buf_u8(out, '|');
		} else {
			buf_put(out, p.letters, p.n);
		}
		rc = 0;
	}
	if (rc)
		out->n = 0;
	buf_printf(out, rc ? "%s" : "%.0s %u", e.text,
		   (unsigned)source_offset(s));
	fasta_free(f);
	source_close(s);
	free(to);
	return rc;
}

/* Blocks of `each` bytes: reads are what their text is, or fail alike. */
static bool
alike(const struct buf *b, size_t each, size_t room)
{
	struct buf z = { 0 }, text = { 0 }, reads = { 0 };
	bool good;

	for (size_t i = 0; i < b->n; i += each)
		bgzf_member(&z, b->p + i, min_u64(each, b->n - i), 1);
	bgzf_member(&z, "", 0, 6);
	good = events(&z, true, room, &text) ==
	       events(&z, false, room, &reads) && same(&text, &reads);
	if (!good)
		printf("# each %zu room %zu: %.*s, not %.*s\n", each, room,
		       (int)reads.n, reads.p, (int)text.n, text.p);
	buf_free(&z);
	buf_free(&text);
	buf_free(&reads);
	return good;
}

/* Random ones: lengths, flags, blanks in names, letters that are =. */
static void
some(struct buf *b, size_t n, bool equals)
{
	char name[40], text[400];

	bam_header(b, "@HD\tVN:1.6\n", 1);
	for (size_t i = 0; i < n; i++) {
		struct bam_case r = {
			name, (unsigned)below(&seed, 4096), text,
			below(&seed, 4) ? text : NULL,
			(unsigned)below(&seed, 3), below(&seed, 9),
		};
		size_t k = below(&seed, 2) ? below(&seed, 30) :
					     below(&seed, sizeof text);

		snprintf(name, sizeof name, "%s%.*s", below(&seed, 5) ? "" :
			 " ", (int)below(&seed, 36), "r.\xc3\xa9 x  long "
			 "0123456789abcdefghijklmnop");
		for (size_t j = 0; j < k; j++)
			text[j] = "ACMGRSVTWYHKDBN="[below(&seed, 15 +
			    (equals && !below(&seed, 100)))];
		text[k] = 0;
		bam_record(b, &r);
	}
}

static void
without_text(void)
{
	struct buf b = { 0 };
	size_t bad = 0;

	for (size_t i = 0; i < 200; i++) {
		b.n = 0;
		some(&b, below(&seed, 20), i % 4 == 0);
		bad += !alike(&b, 5 + below(&seed, 300),
			      1 + below(&seed, i + 1));
	}
	ok(bad == 0, "%zu files are read otherwise without text", bad);
	b.n = 0;
	small(&b);
	for (size_t i = 4; i < 8 * b.n; i++) {
		b.p[i / 8] ^= (uint8_t)(1 << i % 8);
		bad += i >= 32 && !alike(&b, 10, 7);
		b.p[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	ok(bad == 0, "%zu flipped bits are", bad);
	for (size_t n = b.n; b.n > 4; b.n--)
		bad += !alike(&b, 10, n);
	ok(bad == 0, "%zu cuts are", bad);
	buf_free(&b);
}

int
main(void)
{
	reads();
	sizes();
	cuts();
	forgeries();
	flips();
	packing();
	without_text();
	return done();
}
