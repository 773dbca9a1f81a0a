/* SPDX-License-Identifier: MIT */
/* sw_skew_part.c - rows that one part of the query leaves to the next */
#include "algo/sw_skew_priv.h"

static int16_t *
words(uint8_t *x)
{
	return (int16_t *)(void *)x;
}

/* The base of a lane, as a step would choose it. */
static int32_t
base_of(const struct sw_skew *s, int32_t low)
{
	return low > s->low_at ? low - s->low_at : 0;
}

static void
put_row(struct sw_skew *s, unsigned lane, const struct sw_skew_row *row)
{
	struct sw_skew_edge *x = &s->edge[s->at];
	int32_t base = s->base[lane];

	for (unsigned j = 0; j < SW_BLOCK; j++) {
		unsigned i = j * s->ops->lanes + lane;
		int32_t h = row->h[j] - base, f = row->f[j] - base;

		if (s->narrow) {
			x->h[i] = (uint8_t)(h + s->zero8);
			x->f[i] = (uint8_t)(f + s->zero8);
		} else {
			words(x->h)[i] = (int16_t)h;
			words(x->f)[i] = (int16_t)(f > 0 ? f : 0);
		}
	}
}

/* H = 0 and F = 0. */
static void
put_zeros(struct sw_skew *s, unsigned lane)
{
	struct sw_skew_edge *x = &s->edge[s->at];
	unsigned lanes = s->ops->lanes;

	for (unsigned j = 0, i = lane; j < SW_BLOCK; j++, i += lanes)
		if (s->narrow)
			x->h[i] = x->f[i] = (uint8_t)s->zero8;
		else
			words(x->h)[i] = words(x->f)[i] = 0;
	s->low[lane] = s->most[lane] = s->base[lane] = 0;
	s->top[lane] = s->bound[lane] = s->want[lane] = -1;
}

/* With a new base.  A row of too large a spread for 8 bits ends them for all
 * lanes. */
void
sw_skew_put_row(struct sw_skew *s, unsigned lane,
		const struct sw_skew_row *row)
{
	int32_t low, most;

	low = most = row->h[0];
	for (unsigned j = 1; j < SW_BLOCK; j++) {
		low = row->h[j] < low ? row->h[j] : low;
		most = row->h[j] > most ? row->h[j] : most;
	}
	s->low[lane] = low;
	s->most[lane] = most;
	s->base[lane] = base_of(s, low);
	if (s->narrow && most - s->base[lane] > s->limit8)
		sw_skew_widen(s);
	put_row(s, lane, row);
}

/*
 * The corner is the H left of the row, of the block before: 0 where a segment
 * begins.
 */
void
sw_skew_take(struct sw_skew *s, unsigned lane, uint64_t block)
{
	const struct sw_skew_row *row;

	if (!s->part.above || block == SW_SKEW_NO_BLOCK) {
		put_zeros(s, lane);
		return;
	}
	row = &s->part.above[block % SW_SKEW_RING];
	s->corner[lane] = s->fresh[lane] ? 0 : s->row_corner;
	s->row_corner = row->h[SW_BLOCK - 1];
	sw_skew_put_row(s, lane, row);
	s->top[lane] = s->want[lane] = row->top;
	s->bound[lane] = row->bound;
}

void
sw_skew_give(struct sw_skew *s, unsigned lane, uint64_t block)
{
	struct sw_skew_row *row = &s->part.below[block % SW_SKEW_RING];
	struct sw_skew_edge *x = &s->edge[s->at];
	int32_t base = s->base[lane];

	row->top = s->top[lane];
	row->bound = s->bound[lane];
	for (unsigned j = 0; j < SW_BLOCK; j++) {
		unsigned i = j * s->ops->lanes + lane;

		if (s->narrow) {
			row->h[j] = x->h[i] + base - s->zero8;
			row->f[j] = x->f[i] + base - s->zero8;
		} else {
			row->h[j] = words(x->h)[i] + base;
			row->f[j] = words(x->f)[i] + base;
		}
	}
}
