/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes16_kern.c - columns of all rows in 16 bits, scores of any size
 *
 * H of two cells of a row, l columns apart, differ by at most
 * l * (best + extend) + open, and so do those of a column, as sw_grid_kern.c
 * says.  So within a strip of `cols` columns, with the row above and the column
 * before, all H are within
 *	reach = (SW_LANE_ROWS + cols) * (best + extend) + 2 * open
 * of the corner, the H above the column before.  A base is moved where the
 * corner is below low16 = reach + slack (and the base above 0) or above
 * high16 = 32767 - reach - slack; then the corner is in
 * [SW_CORNER, SW_CORNER + SW_UNIT), the middle, which is between them since
 * reach + slack <= SW_CORNER.  So with a base above 0 all H are >= slack,
 * slack = best + open + extend - worst + 1, and
 * - F's floor is idle: it is 0 <= H - open - extend, which F could have anyhow;
 *   likewise F that a moved base lifts to 0, and E need not be told apart below
 *   H - open - extend;
 * - diagonal + s and t are above -32768, and E, never below the H of the
 *   column before + worst - open - extend, is so with either base.
 * Where no H can be above 32767 at all, no base is: low16 = 0, high16 = 32767.
 * Then open + 2 * extend - worst <= 32768 keeps diagonal + s, t and E from
 * overflowing.
 * Sums are modulo 2^16 while bases change: right where the result is in range.
 */
#include "algo/sw_lanes_strip.h"

#if VBYTES >= 32
enum { HALF = VBYTES / 2, NONE = INT16_MIN };

/* A half on its way down the strips. */
struct down {
	vec base, corner, stop, top, bound;
	unsigned half;
};

INLINE size_t
place(unsigned half, int lane)
{
	return (size_t)lane / 8 * 16 + half * 8 + (size_t)lane % 8;
}

/* Values of the lanes, where there is one. */
static void
keep(int64_t *to, vec v, const struct down *d, int add)
{
	int16_t x[HALF], base[HALF];

	VSI(storeu)((void *)x, v);
	VSI(storeu)((void *)base, d->base);
	for (int l = 0; l < HALF; l++) {
		int64_t y = (int64_t)base[l] * SW_UNIT + x[l] + add;
		int64_t *t = &to[place(d->half, l)];

		if (x[l] != NONE && y > *t)
			*t = y;
	}
}

/* The least F below a strip that asks for more, by the lanes' bases. */
static vec
stop_at(const struct sw_lanes *s, const struct down *d)
{
	int16_t x[HALF], base[HALF];

	VSI(storeu)((void *)base, d->base);
	for (int l = 0; l < HALF; l++) {
		int64_t y = s->threshold - s->reach -
			    (int64_t)base[l] * SW_UNIT;

		x[l] = (int16_t)(y > INT16_MAX ? INT16_MAX :
				 y < INT16_MIN ? INT16_MIN : y);
	}
	return VSI(loadu)((const void *)x);
}

static void
keep_all(struct sw_lanes *s, struct down *d)
{
	keep(s->top, d->top, d, 0);
	keep(s->bound, d->bound, d, s->reach);
	d->top = d->bound = set16(NONE);
}

/* Lanes whose base does not fit. */
INLINE vec
unfit(const struct sw_lanes *s, const struct down *d)
{
	vec low = above16(set16(s->low16), d->corner);

	low = VSI(and)(low, above16(d->base, set16(0)));
	return VSI(or)(low, above16(d->corner, set16(s->high16)));
}

static __attribute__((noinline)) void
move_base(struct sw_lanes *s, struct down *d, const struct edge *in)
{
	const vec zero = set16(0);
	vec by = V(srai_epi16)(vsub(16, d->corner, set16(SW_CORNER)),
			       SW_UNIT_BITS);

	s->did.moved++;
	keep_all(s, d);
	by = VSI(and)(vmax(16, by, vsub(16, zero, d->base)), unfit(s, d));
	d->base = vadd(16, d->base, by);
	by = V(slli_epi16)(by, SW_UNIT_BITS);
	d->corner = vsub(16, d->corner, by);
	for (unsigned j = 0; j < s->cols; j++) {
		in->h[j] = vsub(16, in->h[j], by);
		in->f[j] = vmax(16, vsub(16, in->f[j], by), zero);
	}
	d->stop = stop_at(s, d);
}

/* The left column, by the base at hand. */
INLINE void
load(struct strip *x, const struct sw_lanes *s, size_t strip,
     const struct down *d)
{
	const vec *h = (const vec *)(const void *)s->now.h;
	const vec *e = (const vec *)(const void *)s->now.e;
	const vec *base = (const vec *)(const void *)s->now.base;
	vec by = vsub(16, base[strip * s->halves + d->half], d->base);

	by = V(slli_epi16)(by, SW_UNIT_BITS);
#pragma GCC unroll 4
	for (unsigned r = 0; r < SW_LANE_ROWS; r++) {
		size_t i = (strip * SW_LANE_ROWS + r) * s->halves + d->half;

		x->h[r] = vadd(16, h[i], by);
		x->e[r] = vadd(16, e[i], by);
	}
	x->corner = d->corner;
}

INLINE vec
store(const struct strip *x, const struct sw_lanes *s, size_t strip,
      const struct down *d, vec high)
{
	vec *h = (vec *)(void *)s->now.h, *e = (vec *)(void *)s->now.e;
	vec *base = (vec *)(void *)s->now.base;

	base[strip * s->halves + d->half] = d->base;
#pragma GCC unroll 4
	for (unsigned r = 0; r < SW_LANE_ROWS; r++) {
		size_t i = (strip * SW_LANE_ROWS + r) * s->halves + d->half;

		h[i] = x->h[r];
		e[i] = x->e[r];
		high = vmax(16, high, x->h[r]);
	}
	return vmax(16, high, VSI(and)(above16(d->base, set16(0)),
				       set16(INT16_MAX)));
}

/* A strip once more; its largest H. */
static __attribute__((noinline)) vec
again(const struct sw_lanes *s, const vec *profile, size_t i,
      const struct down *d, const struct edge *in, const struct edge *out)
{
	const struct costs c = costs_of(s, 16);
	struct strip x;

	load(&x, s, i, d);
	strip(&x, &c, s, profile, s->row + SW_LANE_ROWS * i, in, out, 16,
	      true);
	return x.most;
}

INLINE void
block(struct sw_lanes *s, unsigned half, bool record)
{
	const struct costs c = costs_of(s, 16);
	const vec *profile = (const vec *)(const void *)s->profile +
			     (size_t)half * s->letters * s->cols;
	struct down d = { .base = c.zero, .corner = c.zero, .half = half,
			  .top = set16(NONE), .bound = set16(NONE) };
	vec high = c.zero;
	struct edge edge[2];
	struct strip x;

	first_edge(s, edge, c.zero);
	d.stop = stop_at(s, &d);
	for (size_t i = 0; i < s->strips; i++) {
		const struct edge *in = &edge[i % 2], *out = &edge[1 - i % 2];
		vec below;

		if (__builtin_expect(any(unfit(s, &d)), 0))
			move_base(s, &d, in);
		load(&x, s, i, &d);
		below = x.h[SW_LANE_ROWS - 1];
		strip(&x, &c, s, profile, s->row + SW_LANE_ROWS * i, in, out,
		      16, record);
		if (record) {
			d.top = vmax(16, d.top, x.most);
		} else if (reaches(16, x.most, d.stop)) {
			x.most = again(s, profile, i, &d, in, out);
			d.top = vmax(16, d.top, x.most);
			s->reruns++;
		} else {
			d.bound = vmax(16, d.bound, x.most);
		}
		d.corner = below;
		high = store(&x, s, i, &d, high);
	}
	keep_all(s, &d);
	s->high |= any(above16(high, set16(sw_lanes_low(s))));
}

void
KERN(sw_lane_block16)(struct sw_lanes *s, unsigned half)
{
	if (s->record)
		block(s, half, true);
	else
		block(s, half, false);
}
#endif
