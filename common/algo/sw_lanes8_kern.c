/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes8_kern.c - columns of all rows in 8 bits
 *
 * While every H is at most most8 = 255 - best, nothing overflows.  In the first
 * column of a strip where one is larger, the cells are still computed from
 * values of the column before: H is at most 255, and so are F below the strip
 * and the largest H, which show it, whatever comes after.  Downwards, with
 *	zero8 >= open + 2 * extend, zero8 >= -worst:	E >= zero8,
 *	diagonal + s >= 0, t >= zero8 - open - extend, F >= t, F - extend >= 0.
 */
#include "algo/sw_lanes_strip.h"

#if VBYTES >= 32
INLINE void
load(struct strip *x, const struct sw_column8 *c, size_t strip)
{
	const vec *h = (const vec *)(const void *)c->h + SW_LANE_ROWS * strip;
	const vec *e = (const vec *)(const void *)c->e + SW_LANE_ROWS * strip;

#pragma GCC unroll 4
	for (int r = 0; r < SW_LANE_ROWS; r++) {
		x->h[r] = h[r];
		x->e[r] = e[r];
	}
}

INLINE void
store(const struct strip *x, const struct sw_column8 *c, size_t strip)
{
	vec *h = (vec *)(void *)c->h + SW_LANE_ROWS * strip;
	vec *e = (vec *)(void *)c->e + SW_LANE_ROWS * strip;

#pragma GCC unroll 4
	for (int r = 0; r < SW_LANE_ROWS; r++) {
		h[r] = x->h[r];
		e[r] = x->e[r];
	}
}

/* A strip once more; its largest H. */
static __attribute__((noinline)) vec
again(const struct sw_lanes *s, const struct sw_column8 *from, size_t i,
      vec corner, const struct edge *in, const struct edge *out)
{
	const struct costs c = costs_of(s, 8);
	struct strip x;

	load(&x, from, i);
	x.corner = corner;
	strip(&x, &c, s, (const vec *)(const void *)s->profile,
	      s->row + SW_LANE_ROWS * i, in, out, 8, true);
	return x.most;
}

/* Values of the lanes, where there is one (it is not 0). */
static void
keep(int64_t *to, vec v, int add)
{
	uint8_t x[VBYTES];

	VSI(storeu)((void *)x, v);
	for (int l = 0; l < VBYTES; l++)
		if (x[l] && x[l] + add > to[l])
			to[l] = x[l] + add;
}

/* The least F below a strip that asks for more: never above most8's. */
static int
limit(const struct sw_lanes *s)
{
	int safe = s->most8 + 1 - s->reach;
	int64_t wanted = s->threshold - s->reach;

	if (wanted >= safe - s->zero8)
		return safe;
	return wanted < -s->zero8 ? 0 : (int)wanted + s->zero8;
}

INLINE bool
block(struct sw_lanes *s, const struct sw_column8 *from,
      const struct sw_column8 *to, bool record)
{
	const struct costs c = costs_of(s, 8);
	const vec *profile = (const vec *)(const void *)s->profile;
	const vec over = set8(s->most8 + 1 - (record ? 0 : s->reach));
	const vec stop = record ? over : set8(limit(s));
	vec top = set8(0), bound = set8(0), corner = c.zero;
	struct edge edge[2];
	struct strip x;

	first_edge(s, edge, c.zero);
	for (size_t i = 0; i < s->strips; i++) {
		const struct edge *in = &edge[i % 2], *out = &edge[1 - i % 2];

		load(&x, from, i);
		x.corner = corner;
		corner = x.h[SW_LANE_ROWS - 1];
		vec above = x.corner;
		strip(&x, &c, s, profile, s->row + SW_LANE_ROWS * i, in, out,
		      8, record);
		if (__builtin_expect(reaches(8, x.most, stop), 0)) {
			if (reaches(8, x.most, over))
				return false;
			x.most = again(s, from, i, above, in, out);
			top = vmax(8, top, x.most);
			s->reruns++;
		} else if (record) {
			top = vmax(8, top, x.most);
		} else {
			bound = vmax(8, bound, x.most);
		}
		store(&x, to, i);
	}
	keep(s->top, top, -s->zero8);
	keep(s->bound, bound, s->reach - s->zero8);
	return true;
}

bool
KERN(sw_lane_block8)(struct sw_lanes *s, const struct sw_column8 *from,
		     const struct sw_column8 *to)
{
	return s->record ? block(s, from, to, true) :
			   block(s, from, to, false);
}
#endif
