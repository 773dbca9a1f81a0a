/* SPDX-License-Identifier: MIT */
/*
 * bam.c - the reads of BAM as FASTQ text
 * Source: SAM specification 4.2 (hts-specs, SAMv1).
 */

#include <stdlib.h>

#include "base/base.h"
#include "input/input.h"
#include "input/source_in.h"
#include "letters/letters.h"

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
	const struct dna_ops *ops;
};

bool
bam_is(const uint8_t *p, size_t n)
{
	return n >= 4 && memcmp(p, "BAM\1", 4) == 0;
}

struct bam *
bam_new(const char *name)
{
	struct bam *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	b->name = name;
	b->want = 8;
	b->ops = dna_ops();
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

/* Eight at a time from both ends. */
static void
reverse(uint8_t *p, size_t n)
{
	uint8_t *end = p + n;
	uint64_t a, b;

	for (; end - p >= 16; p += 8, end -= 8) {
		memcpy(&a, p, 8);
		memcpy(&b, end - 8, 8);
		a = __builtin_bswap64(a);
		b = __builtin_bswap64(b);
		memcpy(p, &b, 8);
		memcpy(end - 8, &a, 8);
	}
	for (; end - p >= 2; p++) {
		uint8_t t = *p;

		*p = *--end;
		*end = t;
	}
}

bool
bam_letters(const struct bam_read *r, size_t beg, size_t n, uint8_t *to)
{
	static const uint8_t letter[] = "=ACMGRSVTWYHKDBN";
	static const uint8_t other[] = "=TGKCYSBAWRDMHVN";
	bool turned = r->flag & REVERSE;
	const uint8_t *table = turned ? other : letter;
	size_t at = turned ? r->n - beg - n : beg, odd = at % 2 && n;
	bool same;

	/* the second one of a byte */
	if (odd)
		*to = table[r->letters[at / 2] & 15];
	same = r->ops->nibbles(r->letters + (at + odd) / 2, n - odd, table,
			       to + odd);
	same |= odd && *to == '=';
	if (turned)
		reverse(to, n);
	return same;
}

/* Sixteen at a time: none is larger than text can say. */
static bool
good_qualities(const uint8_t *p, size_t n)
{
	bytes_v16 over = { 0 }, x;
	uint64_t w[2];
	size_t i = 0;

	for (; n - i >= 16; i += 16) {
		memcpy(&x, p + i, 16);
		over |= (bytes_v16)(x > MAX_QUALITY);
	}
	memcpy(w, &over, 16);
	for (; i < n; i++)
		w[0] |= p[i] > MAX_QUALITY;
	return !(w[0] | w[1]) || p[0] == QUALITY_NONE;
}

static void
put_qualities(const struct bam_read *r, uint8_t *to)
{
	const uint8_t *p = r->letters + (r->n + 1) / 2;
	uint64_t x;
	size_t i = 0;

	if (r->n && p[0] == QUALITY_NONE) {
		memset(to, 'B', r->n);
		return;
	}
	for (; r->n - i >= 8; i += 8) {
		memcpy(&x, p + i, 8);
		x += 0x0101010101010101 * '!';
		memcpy(to + i, &x, 8);
	}
	for (; i < r->n; i++)
		to[i] = (uint8_t)('!' + p[i]);
	if (r->flag & REVERSE)
		reverse(to, r->n);
}

static struct str
mate(unsigned flag)
{
	unsigned of_pair = flag & (PAIRED | FIRST | LAST);

	return of_pair == (PAIRED | FIRST) ? (struct str){ "/1", 2 } :
	       of_pair == (PAIRED | LAST) ? (struct str){ "/2", 2 } :
					    (struct str){ "", 0 };
}

static int
put_read(const struct bam_read *r, struct buf *text, struct err *e)
{
	if (!buf_reserve(text, r->name.n + 2 * r->n + 8 + 64))
		return err_nomem(e, text->n + 2 * r->n);
	buf_u8(text, '@');
	buf_put(text, r->name.p, r->name.n);
	buf_put(text, r->mate.p, r->mate.n);
	buf_u8(text, '\n');
	bam_letters(r, 0, r->n, text->p + text->n);
	text->n += r->n;
	buf_put(text, "\n+\n", 3);
	put_qualities(r, text->p + text->n);
	text->n += r->n;
	buf_u8(text, '\n');
	return 0;
}

/* A whole record of n bytes.  1; 0: it is no read; or ERR_FORMAT. */
static int
record(struct bam *b, const uint8_t *p, size_t n, struct bam_read *r,
       struct err *e)
{
	size_t name_n = p[AT_NAME_SIZE];
	uint64_t cigar = 4 * get_le(p + AT_N_CIGAR, 2);
	uint64_t letters = get_le(p + AT_N_LETTERS, 4);
	const char *name = (const char *)p + AT_NAME;

	if (AT_NAME + name_n + cigar + (letters + 1) / 2 + letters > n)
		return bad(b, "it is too small for what is in it", e);
	/* it is a line's begin: no control characters */
	r->name = (struct str){ name, count_from(p + AT_NAME, name_n, ' ') };
	if (r->name.n == name_n || name[r->name.n])
		return bad(b, "its name holds a control character, or has no "
			   "end", e);
	r->flag = (unsigned)get_le(p + AT_FLAG, 2);
	r->mate = mate(r->flag);
	r->letters = p + AT_NAME + name_n + cigar;
	r->n = (size_t)letters;
	r->ops = b->ops;
	if (r->flag & NOT_PRIMARY) {
		b->n_records++;
		return 0;
	}
	if (!good_qualities(r->letters + (letters + 1) / 2, (size_t)letters))
		return bad(b, "a quality above 93", e);
	b->n_records++;
	return 1;
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

/* A part is whole: p of n bytes, or passed over.  1: it was a read. */
static int
whole(struct bam *b, const uint8_t *p, size_t n, struct bam_read *r,
      struct err *e)
{
	int32_t v = 0;
	int rc = 0;

	if (b->part == RECORD) {
		rc = record(b, p, n, r, e);
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
bam_next(struct bam *b, const uint8_t **p, size_t *n, struct bam_read *r,
	 struct err *e)
{
	int rc = 0;

	while (rc == 0 && (*n || !b->want)) {
		size_t k = *n < b->want ? *n : (size_t)b->want;
		bool passed = b->part == TEXT || b->part == REF;

		b->want -= k;
		if (!passed && (b->want || b->kept.n))
			buf_put(&b->kept, *p, k);
		if (b->kept.bad)
			return err_nomem(e, b->kept.n + k);
		if (!b->want && b->kept.n)
			rc = whole(b, b->kept.p, b->kept.n, r, e);
		else if (!b->want)
			rc = whole(b, *p, k, r, e);
		*p += k;
		*n -= k;
	}
	return rc;
}

int
bam_feed(struct bam *b, const uint8_t *p, size_t n, struct buf *text,
	 struct err *e)
{
	struct bam_read r;
	int rc;

	while ((rc = bam_next(b, &p, &n, &r, e)) == 1 &&
	       (rc = put_read(&r, text, e)) == 0)
		;
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
