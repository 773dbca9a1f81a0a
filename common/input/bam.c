/* SPDX-License-Identifier: MIT */
/*
 * bam.c - the reads of BAM as FASTQ text
 * Source: SAM specification 4.2 (hts-specs, SAMv1).
 */

#include <stdlib.h>

#include "base/base.h"
#include "input/bam.h"

/* Of a record, behind its size. */
enum {
	AT_NAME_SIZE = 8, AT_N_CIGAR = 12, AT_FLAG = 14, AT_N_LETTERS = 16,
	AT_NAME = 32,
	PAIRED = 0x1, REVERSE = 0x10, FIRST = 0x40, LAST = 0x80,
	NOT_PRIMARY = 0x900,
	MAX_QUALITY = '~' - '!', QUALITY_NONE = 0xff,
};

struct bam {
	const char *name;
	enum bam_part {
		MAGIC, TEXT, N_REFS, REF_SIZE, REF, SIZE, RECORD,
	} part;			/* what comes next */
	uint64_t want;		/* bytes of it that are still to come */
	uint64_t n_refs, n_records;	/* to come; so far */
	struct buf kept;	/* the begin of it, but for TEXT and REF */
	/* two letters of a byte: as they are; turned, the second first */
	uint8_t plain[256][2], turned[256][2];
};

bool
bam_is(const uint8_t *p, size_t n)
{
	return n >= 4 && memcmp(p, "BAM\1", 4) == 0;
}

struct bam *
bam_new(const char *name)
{
	static const char letter[] = "=ACMGRSVTWYHKDBN";
	static const char other[] = "=TGKCYSBAWRDMHVN";
	struct bam *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	b->name = name;
	b->want = 8;
	for (int i = 0; i < 256; i++) {
		b->plain[i][0] = (uint8_t)letter[i >> 4];
		b->plain[i][1] = (uint8_t)letter[i & 15];
		b->turned[i][0] = (uint8_t)other[i & 15];
		b->turned[i][1] = (uint8_t)other[i >> 4];
	}
	return b;
}

void
bam_free(struct bam *b)
{
	if (!b)
		return;
	buf_free(&b->kept);
	free(b);
}

static int
bad(const struct bam *b, const char *what, struct err *e)
{
	if (b->part < SIZE)
		return err_set(e, ERR_FORMAT, "%s: damaged BAM header: %s",
			       b->name, what);
	return err_set(e, ERR_FORMAT, "%s: damaged BAM record %llu: %s",
		       b->name, (unsigned long long)b->n_records + 1, what);
}

static void
put_letters(const struct bam *b, const uint8_t *p, size_t n, uint8_t *to)
{
	for (size_t i = 0; i < n / 2; i++)
		memcpy(to + 2 * i, b->plain[p[i]], 2);
	if (n % 2)
		to[n - 1] = b->plain[p[n / 2]][0];
}

static void
put_turned(const struct bam *b, const uint8_t *p, size_t n, uint8_t *to)
{
	for (size_t i = 0; i < n / 2; i++)
		memcpy(to + n - 2 - 2 * i, b->turned[p[i]], 2);
	if (n % 2)
		to[0] = b->turned[p[n / 2]][1];
}

/*
 * false: one is larger than text can say.  Eight at a time: where none is, sums
 * stay in their bytes.
 */
static bool
put_qualities(const uint8_t *p, size_t n, bool turned, uint8_t *to)
{
	const uint64_t each = 0x0101010101010101;
	uint64_t over = 0, x;
	size_t i = 0;

	if (n && p[0] == QUALITY_NONE) {
		memset(to, 'B', n);
		return true;
	}
	for (; n - i >= 8; i += 8) {
		memcpy(&x, p + i, 8);
		over |= x | (x + each * (127 - MAX_QUALITY));
		x += each * '!';
		if (turned)
			x = __builtin_bswap64(x);
		memcpy(to + (turned ? n - 8 - i : i), &x, 8);
	}
	for (; i < n; i++) {
		over |= p[i] > MAX_QUALITY ? 0x80 : 0;
		to[turned ? n - 1 - i : i] = (uint8_t)('!' + p[i]);
	}
	return !(over & each * 0x80);
}

/* Its name is a line's begin: no control characters. */
static bool
is_name(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < ' ' || p[i] == 0x7f)
			return false;
	return true;
}

static int
put_read(const struct bam *b, const uint8_t *name, size_t name_n,
	 const uint8_t *letters, size_t n, unsigned flag, struct buf *text,
	 struct err *e)
{
	unsigned of_pair = flag & (PAIRED | FIRST | LAST);
	const char *mate = of_pair == (PAIRED | FIRST) ? "/1" :
			   of_pair == (PAIRED | LAST) ? "/2" : "";
	bool turned = flag & REVERSE;

	if (!buf_reserve(text, name_n + 2 * n + 8))
		return err_nomem(e, text->n + 2 * n);
	buf_u8(text, '@');
	buf_put(text, name, name_n);
	buf_put(text, mate, strlen(mate));
	buf_u8(text, '\n');
	(turned ? put_turned : put_letters)(b, letters, n, text->p + text->n);
	text->n += n;
	buf_put(text, "\n+\n", 3);
	if (!put_qualities(letters + (n + 1) / 2, n, turned,
			   text->p + text->n))
		return bad(b, "a quality above 93", e);
	text->n += n;
	buf_u8(text, '\n');
	return 0;
}

/* A whole record of n bytes. */
static int
record(struct bam *b, const uint8_t *p, size_t n, struct buf *text,
       struct err *e)
{
	size_t name_n = p[AT_NAME_SIZE];
	uint64_t cigar = 4 * get_le(p + AT_N_CIGAR, 2);
	uint64_t letters = get_le(p + AT_N_LETTERS, 4);
	unsigned flag = (unsigned)get_le(p + AT_FLAG, 2);
	const uint8_t *end;
	int rc = 0;

	if (AT_NAME + name_n + cigar + (letters + 1) / 2 + letters > n)
		return bad(b, "it is too small for what is in it", e);
	end = memchr(p + AT_NAME, 0, name_n);
	if (!end || !is_name(p + AT_NAME, (size_t)(end - p) - AT_NAME))
		return bad(b, "its name holds a control character, or has no "
			   "end", e);
	if (!(flag & NOT_PRIMARY))
		rc = put_read(b, p + AT_NAME, (size_t)(end - p) - AT_NAME,
			      p + AT_NAME + name_n + cigar, (size_t)letters,
			      flag, text, e);
	b->n_records++;
	return rc;
}

/* The part before this one is over. */
static void
expect(struct bam *b, enum bam_part part, uint64_t want)
{
	b->part = part;
	b->want = want;
	b->kept.n = 0;
}

static void
expect_ref(struct bam *b)
{
	if (b->n_refs) {
		b->n_refs--;
		expect(b, REF_SIZE, 4);
	} else {
		expect(b, SIZE, 4);
	}
}

/* A part is whole: p of n bytes, or passed over. */
static int
whole(struct bam *b, const uint8_t *p, size_t n, struct buf *text,
      struct err *e)
{
	int32_t v = 0;
	int rc = 0;

	if (b->part == RECORD) {
		rc = record(b, p, n, text, e);
		expect(b, SIZE, 4);
		return rc;
	}
	if (b->part != TEXT && b->part != REF)
		v = (int32_t)get_le(p + n - 4, 4);
	if (b->part == SIZE && bam_is(p, n))
		return bad(b, "another BAM file begins there (samtools cat "
			   "joins them)", e);
	if (v < (b->part == SIZE ? AT_NAME : b->part == REF_SIZE))
		return bad(b, "a size that cannot be", e);
	switch (b->part) {
	case MAGIC: expect(b, TEXT, (uint64_t)v); break;
	case TEXT: expect(b, N_REFS, 4); break;
	case N_REFS: b->n_refs = (uint64_t)v; expect_ref(b); break;
	case REF_SIZE: expect(b, REF, (uint64_t)v + 4); break;
	case REF: expect_ref(b); break;
	default: expect(b, RECORD, (uint64_t)v); break;
	}
	return 0;
}

int
bam_feed(struct bam *b, const uint8_t *p, size_t n, struct buf *text,
	 struct err *e)
{
	int rc = 0;

	while (rc == 0 && (n || !b->want)) {
		size_t k = n < b->want ? n : (size_t)b->want;
		bool passed = b->part == TEXT || b->part == REF;

		b->want -= k;
		if (!passed && (b->want || b->kept.n))
			buf_put(&b->kept, p, k);
		if (b->kept.bad)
			return err_nomem(e, b->kept.n + k);
		if (!b->want && b->kept.n)
			rc = whole(b, b->kept.p, b->kept.n, text, e);
		else if (!b->want)
			rc = whole(b, p, k, text, e);
		p += k;
		n -= k;
	}
	return rc;
}

int
bam_end(const struct bam *b, struct err *e)
{
	if (b->part == SIZE && b->want == 4)
		return 0;
	return err_set(e, ERR_FORMAT, "%s: truncated BAM: it ends within %s "
		       "%llu", b->name, b->part < SIZE ? "its header, before "
		       "record" : "record",
		       (unsigned long long)b->n_records + 1);
}
