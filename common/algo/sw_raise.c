/* SPDX-License-Identifier: MIT */
/*
 * sw_raise.c - a lower bound of the K-th best score while scores are computed
 *
 * Let W >= sw_context() be a bin's width.  An alignment has at most
 * sw_context() columns, so of two cells of different segments, or with a whole
 * bin between them, the alignment of one ends before that of the other begins.
 * Hence tops of bins that are all even, or all odd, belong to different
 * alignments, and a top H gives a cell to be told, with a score >= H, on its
 * path: the last one from which H did not rise.  Its columns are within that
 * alignment: the cells differ, too, as their starts do.
 *
 * That cell must count.  A path to column j that enters the columns that count
 * from the one before, own - 1, needs j - own + 2 <= sw_context() columns.  So
 * if own > beg, blocks before own + sw_context() are not heard.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_keep.h"

enum { UNHEARD = UINT32_MAX };

void
sw_raise_free(struct sw_raise *r)
{
	free(r->bin);
	free(r->place);
	free(r->mem);
	memset(r, 0, sizeof *r);
}

/* Bins of a segment from number n on, which is even; returns the next even. */
static uint32_t
number(struct sw_raise *r, const struct sw_seg *g, uint64_t context,
       uint32_t n)
{
	uint64_t beg = g->beg / SW_BLOCK, end = g->end / SW_BLOCK;
	uint64_t own = g->own / SW_BLOCK, from = own;
	uint64_t wide = context / SW_BLOCK + 1, bins;

	if (own > beg)
		from = wide < end - own ? own + wide : end;
	for (uint64_t b = beg; b < from; b++)
		r->bin[b] = UNHEARD;
	for (uint64_t b = from; b < end; b++)
		r->bin[b] = n + (uint32_t)((b - from) / wide);
	bins = (end - from + wide - 1) / wide;
	return n + (uint32_t)((bins + 1) / 2 * 2);
}

/* A bin for each block and one more for a segment at most. */
int
sw_raise_reset(struct sw_raise *r, const struct sw_query *q,
	       const struct sw_text *t, size_t k, int64_t least,
	       struct err *e)
{
	uint64_t blocks = t->n / SW_BLOCK, context = sw_context(q);
	uint32_t n = 0;
	size_t most;
	int rc;

	if (blocks > UINT32_MAX / 4)
		return err_set(e, ERR_LIMIT, "a text of %llu letters",
			       (unsigned long long)t->n);
	r->k = k;
	r->threshold = least;
	rc = array_room(&r->bin, &r->n_bin, blocks, sizeof *r->bin, e);
	if (rc)
		return rc;
	for (size_t s = 0; s < t->n_seg; s++)
		n = number(r, &t->seg[s], context, n);
	most = k < n / 2 ? k : n / 2 + 1;
	rc = array_room(&r->place, &r->n_place, n, sizeof *r->place, e);
	if (!rc)
		rc = array_room(&r->mem, &r->n_mem, 2 * most,
			     sizeof *r->mem, e);
	if (rc)
		return rc;
	if (n)
		memset(r->place, 0, n * sizeof *r->place);
	r->tops[0] = (struct sw_tops) { r->mem, 0 };
	r->tops[1] = (struct sw_tops) { r->mem + most, 0 };
	return 0;
}

static void
place(struct sw_raise *r, struct sw_tops *t, size_t at, struct sw_top x)
{
	t->v[at] = x;
	r->place[x.bin] = (uint32_t)at + 1;
}

static void
sift_up(struct sw_raise *r, struct sw_tops *t, size_t at, struct sw_top x)
{
	for (; at && t->v[(at - 1) / 2].top > x.top; at = (at - 1) / 2)
		place(r, t, at, t->v[(at - 1) / 2]);
	place(r, t, at, x);
}

static void
sift_down(struct sw_raise *r, struct sw_tops *t, size_t at, struct sw_top x)
{
	for (size_t c = 2 * at + 1; c < t->n; c = 2 * at + 1) {
		if (c + 1 < t->n && t->v[c + 1].top < t->v[c].top)
			c++;
		if (t->v[c].top >= x.top)
			break;
		place(r, t, at, t->v[c]);
		at = c;
	}
	place(r, t, at, x);
}

/* Is the bin's top among the K largest of its kind, and higher than it was? */
static bool
rises(struct sw_raise *r, struct sw_tops *t, struct sw_top x)
{
	uint32_t at = r->place[x.bin];

	if (at) {
		if (x.top <= t->v[at - 1].top)
			return false;
		sift_down(r, t, at - 1, x);
	} else if (t->n < r->k) {
		sift_up(r, t, t->n++, x);
	} else if (x.top > t->v[0].top) {
		r->place[t->v[0].bin] = 0;
		sift_down(r, t, 0, x);
	} else {
		return false;
	}
	return true;
}

int64_t
sw_raise_hear(void *ctx, uint64_t block, int64_t top)
{
	struct sw_raise *r = ctx;
	struct sw_top x = { top, r->bin[block] };
	struct sw_tops *t;

	if (x.bin == UNHEARD)
		return r->threshold;
	t = &r->tops[x.bin % 2];
	if (rises(r, t, x) && t->n == r->k && t->v[0].top > r->threshold)
		r->threshold = t->v[0].top;
	return r->threshold;
}
