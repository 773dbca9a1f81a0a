/* SPDX-License-Identifier: MIT */
/*
 * sw_stretch.c - how many columns before a region are tried first
 *
 * Of no effect on results: what is too short is tried again, twice as long.
 * Cells of score top need at least top / best columns; most of what is similar
 * by chance, or well related, needs less than twice as many.  Where gaps are
 * cheap it is far more: regions tell how much, and the next one of such a score
 * begins with it.
 *
 * Where the query has a relative, scores rise from where that begins: they are
 * low before it, so the stretch ends there.  What comes from further left is
 * bounded by that low score, and has to be gone before the alignment begins:
 * that takes some columns more, and if it was not gone, the next time there are
 * twice as many of them.
 */
#include "algo/sw_priv.h"
#include "base/minmax.h"

#define MOST ((uint64_t)1 << 40)	/* columns */
#define UNIT 16

enum {
	LOW = 8,		/* times lower than the region's scores */
	MARGIN = 4, MOST_MARGIN = 1024,
	FARTHER = 4,		/* than what is tried where scores are high */
	SPARE = 8,		/* an eighth more than what was needed */
};

static unsigned
bits(int64_t top)
{
	return top > 0 ? 63 - (unsigned)__builtin_clzll((uint64_t)top) : 0;
}

void
sw_stretch_reset(const struct sw_query *q, struct sw_work *w)
{
	w->stretch = 0;
	w->crowded = false;
	w->margin = MARGIN;
	for (unsigned i = 0; i < 64; i++)
		w->slope[i] = q->best > 0 ? 2.0 / q->best : 0;
}

uint64_t
sw_stretch(const struct sw_query *q, const struct sw_work *w, int64_t top)
{
	uint64_t most = q->context < MOST ? q->context : MOST;
	double n = w->slope[bits(top)] * (double)top;

	if (n < 1)
		return UNIT;
	if (n < (double)most)
		most = (uint64_t)n;
	return (most + UNIT - 1) / UNIT * UNIT;
}

/* The least bound of n blocks before block `at`, or `most`. */
static int64_t
lowest(const struct sw_peak *peak, uint64_t at, uint64_t n, int64_t most)
{
	for (uint64_t k = 1; k <= n; k++)
		if (peak[at - k].bound < most)
			most = peak[at - k].bound;
	return most > 0 ? most : 0;
}

uint64_t
sw_stretch_of(const struct sw_query *q, const struct sw_work *w,
	      const struct sw_seg *seg, uint64_t from,
	      const struct sw_peak *peak)
{
	uint64_t at = from / SW_BLOCK, before = at - seg->beg / SW_BLOCK, k = 1;
	uint64_t most = sw_stretch(q, w, peak[at].bound);
	uint64_t n = FARTHER * most / SW_BLOCK;
	const int64_t enough = peak[at].bound / LOW;
	int64_t low = lowest(peak, at, min_u64(n, before), enough);

	if (low >= enough || q->best <= 0)
		return most;
	low = 2 * low + LOW * q->best;
	while (peak[at - k].bound > low)
		k++;
	/* scores of 2^40 and more are of no use here, and would overflow */
	n = k * SW_BLOCK + w->margin * min_u64((uint64_t)low, MOST);
	n = min_u64(n, q->context);
	return (n + UNIT - 1) / UNIT * UNIT;
}

void
sw_stretch_learn(const struct sw_query *q, struct sw_work *w, uint64_t first,
		 int64_t top)
{
	double *slope = &w->slope[bits(top)];
	uint64_t least = w->stretch;

	if (first != sw_stretch(q, w, top)) {
		if (w->stretch > first && w->margin < MOST_MARGIN)
			w->margin *= 2;
		return;
	}
	if (w->needed)
		least = w->needed + w->needed / SPARE;
	if (top > 0 && least > first) {
		*slope = (double)least / (double)top;
	} else {
		*slope *= 0.97;	/* a little less may do the next time */
	}
}
