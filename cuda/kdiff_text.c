/* SPDX-License-Identifier: MIT */
/*
 * kdiff_text.c - a text through a stream of a GPU: cut into pieces and
 * stretches, and the hits in order
 *
 * Every end is owned by one stretch of one piece.  A piece that is not the
 * first begins KDIFF_DEV_LEAD letters before the ends that it owns.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cuda/kdiff.h"
#include "cuda/order.h"

/* Letters owned by a stretch: multiples of 64.  Its lead is gone through,
 * too: at most half of the work. */
enum { MIN_STRETCH = 256, MAX_STRETCH = 4096, TOO_MANY = 4 << 20 };
/* A piece is at least a 16th of what the stream holds, and four leads. */
enum { FEWER = 16, MIN_PIECE = 4 * KDIFF_DEV_LEAD };

struct cut {
	struct kdiff_dev_stream *s;
	const struct kdiff_text *t;
	uint64_t base;		/* the text's letter that is the piece's 0 */
	uint64_t from, to;	/* letters whose ends the piece owns */
	size_t seg;		/* the first one that it may own ends of */
	struct kdiff_dev_piece p;
};

/* Letters and exceptions to pinned memory. */
static void
put_letters(struct cut *c)
{
	const struct kdiff_text *t = c->t;
	size_t words = (c->to - c->base + 63) / 64;
	uint64_t any = 0;

	c->p.letters = (uint32_t)(c->to - c->base);
	c->p.exc = false;
	c->p.sets = t->sets != NULL;
	if (t->sets) {
		memcpy(c->s->sets, t->sets + c->base / 16, words * 32);
		return;
	}
	memcpy(c->s->planes, t->planes + c->base / 32, words * 16);
	for (size_t i = 0; t->exc && i < words; i++)
		any |= c->s->exc[i] = t->exc[c->base / 64 + i];
	c->p.exc = any != 0;
}

/* So long that all of the device's threads have one. */
static uint64_t
stretch_length(const struct cut *c)
{
	uint64_t n = (c->to - c->from) / (c->s->threads / c->s->groups + 1);

	return min_u64(MAX_STRETCH, max_u64(MIN_STRETCH, n / 64 * 64));
}

/* Those of a segment, [beg, end) of it owned by the piece. */
static void
put_stretches(struct cut *c, uint64_t seg_beg, uint64_t beg, uint64_t end,
	      uint64_t length)
{
	struct kdiff_dev_stretch *to = c->s->stretch + c->p.stretches;

	for (uint64_t own = beg, next; own < end; own = next, to++) {
		uint64_t from = own - min_u64(own, KDIFF_DEV_LEAD);

		next = min_u64(own + length, end);
		to->beg = (uint32_t)(max_u64(from, seg_beg) - c->base);
		to->own = (uint32_t)(own - c->base);
		to->end = (uint32_t)(next - c->base);
		c->p.longest = max_u64(c->p.longest, next - own);
	}
	c->p.stretches = (uint32_t)(to - c->s->stretch);
}

static void
put_piece(struct cut *c)
{
	const struct kdiff_text *t = c->t;
	uint64_t length = stretch_length(c);

	put_letters(c);
	c->p.stretches = c->p.longest = 0;
	while (c->seg < t->n_seg && t->seg[c->seg].end <= c->from)
		c->seg++;
	for (size_t i = c->seg; i < t->n_seg && t->seg[i].beg < c->to; i++) {
		const struct kdiff_seg *g = &t->seg[i];

		put_stretches(c, g->beg, max_u64(g->beg, c->from),
			      min_u64(g->end, c->to), length);
	}
}

static int
take_hits(const struct cut *c, size_t n, struct kdiff_hits *out, struct err *e)
{
	uint64_t *tmp, *v;
	int rc;

	if (n == 0)
		return 0;
	rc = array_room(&out->v, &out->cap, out->n + n, sizeof *out->v, e);
	if (rc)
		return rc;
	tmp = malloc(n * sizeof *tmp);
	if (!tmp)
		return err_nomem(e, n * sizeof *tmp);
	v = cuda_order(c->s->hit, tmp, n, 8);	/* D has no say */
	for (size_t i = 0; i < n; i++)
		out->v[out->n++] = (struct kdiff_hit){
			.end = c->base + (v[i] >> 32),
			.dist = v[i] & 255,
			.pattern = v[i] >> 8 & KDIFF_DEV_MAX_NUMBER,
		};
	free(tmp);
	return 0;
}

/* Too many hits of so many letters: a piece of half of them has fewer. */
static bool
shorten_piece(struct kdiff_dev_stream *s, uint64_t letters)
{
	uint32_t n = (uint32_t)(letters / 128 * 64);

	if (n < s->letters / FEWER || n < MIN_PIECE)
		return false;
	s->at_once = n;
	return true;
}

/* So few that one twice as long has room for them, too. */
static void
lengthen_piece(struct kdiff_dev_stream *s, uint64_t n_hits)
{
	if (n_hits < s->hits / 4)
		s->at_once = (uint32_t)min_u64(s->letters,
					       2 * (uint64_t)s->at_once);
}

int
cuda_kdiff_text(struct kdiff_dev_stream *s, const struct kdiff_text *t,
		struct kdiff_hits *out, bool *all, struct err *e)
{
	struct cut c = { .s = s, .t = t };
	size_t before = out->n;
	uint64_t n;
	int rc = 0;

	for (*all = true; c.from < t->n && *all && !rc; c.from = c.to) {
		c.base = c.from - min_u64(c.from, KDIFF_DEV_LEAD);
		c.to = min_u64(t->n, c.base + s->at_once);
		put_piece(&c);
		rc = kdiff_dev.run(s, &c.p, &n, e);
		*all = out->n - before + n <= TOO_MANY &&
		       (n <= s->hits || shorten_piece(s, c.to - c.base));
		if (rc || !*all)
			break;
		lengthen_piece(s, n);
		if (n > s->hits)
			c.to = c.from;	/* again */
		else
			rc = take_hits(&c, n, out, e);
	}
	if (rc || !*all)
		out->n = before;
	return rc;
}
