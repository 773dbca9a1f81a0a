/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes_strip.h - some columns of a strip of rows, in registers
 *
 * With t = max(diagonal, E) - open - extend, which opens E and F both, a cell
 * takes 8 operations, and the strip's largest F one more a column:
 * 	H <= F below the strip + open + SW_LANE_ROWS * extend
 * for F falls by extend a row below the cell, and each H is at least as high
 * as t + open + extend or as the F that it came from.
 *
 * The floor of 0.  16 bits: F falls by a saturating subtraction of unsigned
 * numbers.  8 bits: E is kept from falling below zero8; it is one operation
 * more, but sums that saturate have half the ports of those that do not on some
 * machines, and all values below are above 0 if zero8 is large enough.
 */
#ifndef SEQF_SW_SW_LANES_STRIP_H
#define SEQF_SW_SW_LANES_STRIP_H

#include "sw/sw_lanes.h"
#include "sw/sw_lanes_vec.h"

#if VBYTES >= 16
struct costs {
	vec first, extend, zero;	/* first: open + extend */
};

/* The row above, and F of the row below it. */
struct edge {
	vec *h, *f;
};

struct strip {
	vec h[SW_LANE_ROWS], e[SW_LANE_ROWS];	/* left, then right column */
	vec corner;		/* H above the left column */
	vec most;		/* largest H if recorded, else F below */
};

INLINE struct costs
costs_of(const struct sw_lanes *s, int bits)
{
	return (struct costs) {
		.first = vset(bits, s->open + s->extend),
		.extend = vset(bits, s->extend),
		.zero = vset(bits, bits == 8 ? s->zero8 : 0),
	};
}

INLINE vec *
edge_at(const struct sw_lanes *s, unsigned i)
{
	return (vec *)(void *)s->edges + (size_t)i * SW_BLOCK;
}

/* The row above the first one: H = 0, F no more than that. */
INLINE void
first_edge(const struct sw_lanes *s, struct edge edge[2], vec zero)
{
	for (unsigned i = 0; i < 2; i++) {
		edge[i].h = edge_at(s, 2 * i);
		edge[i].f = edge_at(s, 2 * i + 1);
	}
	for (unsigned j = 0; j < s->cols; j++)
		edge[0].h[j] = edge[0].f[j] = zero;
}

/*
 * A column, down the rows from the diagonal value d and F; returns F below.  h
 * becomes this column's H, e the next one's E, most the largest H if wanted.
 */
INLINE vec
column(const struct costs *c, const vec score[SW_LANE_ROWS], vec d, vec f,
       vec *h, vec *e, vec *most, int bits, bool record)
{
#pragma GCC unroll 4
	for (int r = 0; r < SW_LANE_ROWS; r++) {
		vec hd = vmax(bits, vadd(bits, d, score[r]), e[r]);
		vec t = vsub(bits, hd, c->first);

		d = h[r];
		h[r] = vmax(bits, hd, f);
		e[r] = vmax(bits, vsub(bits, e[r], c->extend), t);
		if (bits == 8)
			e[r] = vmax(bits, e[r], c->zero);
		f = bits == 8 ? vsub(bits, f, c->extend) :
				V(subs_epu16)(f, c->extend);
		f = vmax(bits, f, t);
		if (record)
			*most = vmax(bits, *most, h[r]);
	}
	return f;
}

INLINE void
strip(struct strip *x, const struct costs *c, const struct sw_lanes *s,
      const vec *profile, const uint8_t *row, const struct edge *in,
      const struct edge *out, int bits, bool record)
{
	const unsigned n = s->cols;
	const vec *p0 = profile + (size_t)row[0] * n;
	const vec *p1 = profile + (size_t)row[1] * n;
	const vec *p2 = profile + (size_t)row[2] * n;
	const vec *p3 = profile + (size_t)row[3] * n;
	struct strip y = *x;

	y.most = c->zero;
#pragma GCC unroll 1
	for (unsigned j = 0; j < n; j++) {
		const vec score[SW_LANE_ROWS] = { p0[j], p1[j], p2[j], p3[j] };
		vec f = column(c, score, y.corner, in->f[j], y.h, y.e, &y.most,
			       bits, record);

		y.corner = in->h[j];
		out->h[j] = y.h[SW_LANE_ROWS - 1];
		out->f[j] = f;
		if (!record)
			y.most = vmax(bits, y.most, f);
	}
	*x = y;
}
#endif

#endif
