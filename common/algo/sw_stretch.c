/* SPDX-License-Identifier: MIT */
/*
 * sw_stretch.c - how many columns before a region are tried first
 *
 * Of no effect on results: what is too short is tried again, twice as long.
 * Cells of score top need at least top / best columns; most of what is similar
 * by chance, or well related, needs less than twice as many.  Where gaps are
 * cheap it is far more: regions tell how much, and the next one of such a score
 * begins with it.
 */
#include "algo/sw_priv.h"

#define MOST ((uint64_t)1 << 40)	/* columns */
#define UNIT 16

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

void
sw_stretch_learn(struct sw_work *w, uint64_t first, int64_t top)
{
	double *slope = &w->slope[bits(top)];

	if (top > 0 && w->stretch > first)
		*slope = (double)w->stretch / (double)top;
	else
		*slope *= 0.97;	/* a little less may do the next time */
}
