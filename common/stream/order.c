/* SPDX-License-Identifier: MIT */
/* order.c - one hit by itself: its bytes, its faults, and its place */
#include "base/cigar.h"
#include "base/minmax.h"
#include "stream/codec.h"

enum { HIT_FLAGS = HIT_MINUS | HIT_EDITS | HIT_CIGAR | HIT_LETTERS |
		   HIT_NO_SBEG };

/*
 * No sum can overflow: there are at most 2^30 operations in a frame, below
 * 2^28 letters each.
 */
static const char *
cigar_fault(const struct hit *h)
{
	struct cigar_span s = cigar_span(h->cigar, h->n_cigar);

	if (!s.good)
		return "bad CIGAR operation";
	if (s.query - s.clip != h->qend - h->qbeg ||
	    s.subject != h->send - h->sbeg)
		return "CIGAR does not fit the coordinates";
	if (s.clip > h->query.len - (h->qend - h->qbeg))
		return "CIGAR clips more than the query holds";
	return NULL;
}

const char *
hit_fault(const struct hit *h)
{
	if (h->flags & ~(unsigned)HIT_FLAGS)
		return "unknown flag of a hit";
	if (h->qbeg > h->qend || h->qend > h->query.len)
		return "hit outside of its query";
	if (h->send > h->subject.len)	/* LEN_UNKNOWN is the largest */
		return "hit outside of its subject";
	if (h->flags & HIT_NO_SBEG)
		return h->flags & (HIT_CIGAR | HIT_LETTERS) ?
		    "CIGAR or letters of a hit without a beginning" : NULL;
	if (h->sbeg > h->send)
		return "hit ends before it begins";
	if (h->flags & HIT_LETTERS && h->letters.n != h->send - h->sbeg)
		return "letters do not fit the coordinates";
	return h->flags & HIT_CIGAR ? cigar_fault(h) : NULL;
}

/* buf_var() each: mostly 1 byte, or 2. */
static void
ops_put(struct buf *b, const uint32_t *ops, size_t n)
{
	uint8_t *p;

	if (n > SIZE_MAX / 5 || !buf_reserve(b, 5 * n)) {
		b->bad = true;
		return;
	}
	p = b->p + b->n;
	for (size_t i = 0; i < n; i++) {
		uint32_t v = ops[i];

		for (; v > 127; v >>= 7)
			*p++ = (uint8_t)(v | 128);
		*p++ = (uint8_t)v;
	}
	b->n = n ? (size_t)(p - b->p) : b->n;
}

void
hit_row_put(struct buf *b, const struct hit *h)
{
	buf_u8(b, (uint8_t)h->flags);
	buf_var(b, h->send);
	if (!(h->flags & HIT_NO_SBEG))
		buf_var(b, h->send - h->sbeg);
	buf_var(b, h->qbeg);
	buf_var(b, h->qend - h->qbeg);
	put_zigzag(b, h->score);
	if (h->flags & HIT_EDITS)
		buf_var(b, h->edits);
	if (h->flags & HIT_CIGAR) {
		buf_var(b, h->n_cigar);
		ops_put(b, h->cigar, h->n_cigar);
	}
	if (h->flags & HIT_LETTERS)
		buf_str(b, h->letters.p, h->letters.n);
}

/* cur_var(), quick where it is 1 byte or 2. */
static inline uint64_t
op_get(struct cur *c)
{
	const uint8_t *p = c->p;

	if (cur_left(c) < 2 || c->bad)
		return cur_var(c);
	if (p[0] < 128) {
		c->p++;
		return p[0];
	}
	if (p[1] > 127 || p[1] == 0)
		return cur_var(c);
	c->p += 2;
	return (p[0] & 127u) | (unsigned)p[1] << 7;
}

static void
ops_get(struct cur *c, struct hit *h, struct buf *ops)
{
	size_t n = codec_count(c, 1);

	ops->n = 0;
	if (n > SIZE_MAX / 4 || !buf_reserve(ops, 4 * n)) {
		c->bad = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t op = op_get(c);
		uint32_t op32 = (uint32_t)op;

		if (op > UINT32_MAX)
			c->bad = true;
		memcpy(ops->p + 4 * i, &op32, 4);
	}
	ops->n = 4 * n;
	h->cigar = (const uint32_t *)(const void *)ops->p;
	h->n_cigar = n;
}

void
hit_row_get(struct cur *c, struct hit *h, struct buf *ops)
{
	uint64_t span = 0, qlen;

	h->flags = (unsigned)cur_le(c, 1);
	h->send = cur_var(c);
	if (!(h->flags & HIT_NO_SBEG))
		span = cur_var(c);
	h->qbeg = cur_var(c);
	qlen = cur_var(c);
	h->score = get_zigzag(c);
	h->edits = h->flags & HIT_EDITS ? cur_var(c) : 0;
	h->cigar = NULL;
	h->n_cigar = 0;
	if (h->flags & HIT_CIGAR)
		ops_get(c, h, ops);
	h->letters = (struct str) { NULL, 0 };
	if (h->flags & HIT_LETTERS)
		h->letters = cur_str(c);
	/* Where one of these wraps, it ends before it begins: hit_fault(). */
	h->sbeg = h->send - span;
	h->qend = h->qbeg + qlen;
	if (!c->bad && hit_fault(h))
		c->bad = true;
}

void
hit_put(struct buf *b, const struct hit *h)
{
	query_put(b, &h->query);
	subject_put(b, &h->subject);
	hit_row_put(b, h);
}

void
hit_get(struct cur *c, struct hit *h, struct buf *ops)
{
	query_get(c, &h->query);
	subject_get(c, &h->subject);
	hit_row_get(c, h, ops);
}

static int
cmp_str(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : cmp_u64(a.n, b.n);
}

/* Operation by operation; where one ends first, it stands first. */
static int
cmp_cigar(const struct hit *a, const struct hit *b)
{
	for (size_t i = 0; i < a->n_cigar && i < b->n_cigar; i++)
		if (a->cigar[i] != b->cigar[i])
			return a->cigar[i] < b->cigar[i] ? -1 : 1;
	return cmp_u64(a->n_cigar, b->n_cigar);
}

/* What is left after the order's own keys: no two unlike hits are equal. */
static int
cmp_rest(const struct hit *a, const struct hit *b)
{
	int c;

	if ((c = cmp_u64(a->qbeg, b->qbeg)) || (c = cmp_u64(a->qend, b->qend)))
		return c;
	if (a->score != b->score)	/* the best first */
		return a->score > b->score ? -1 : 1;
	if ((c = cmp_u64(a->flags, b->flags)))
		return c;
	if (a->flags & HIT_EDITS && (c = cmp_u64(a->edits, b->edits)))
		return c;
	if (a->flags & HIT_CIGAR && (c = cmp_cigar(a, b)))
		return c;
	return a->flags & HIT_LETTERS ? cmp_str(a->letters, b->letters) : 0;
}

static uint64_t
sbeg_of(const struct hit *h)
{
	return h->flags & HIT_NO_SBEG ? 0 : h->sbeg;
}

int
hit_cmp_scan(const struct hit *a, const struct hit *b)
{
	int c;

	if ((c = cmp_u64(a->subject.ordinal, b->subject.ordinal)) ||
	    (c = cmp_u64(a->send, b->send)) ||
	    (c = cmp_u64(a->query.ordinal, b->query.ordinal)) ||
	    (c = cmp_u64(a->flags & HIT_MINUS, b->flags & HIT_MINUS)) ||
	    (c = cmp_u64(sbeg_of(a), sbeg_of(b))))
		return c;
	return cmp_rest(a, b);
}
