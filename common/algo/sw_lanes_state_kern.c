/* SPDX-License-Identifier: MIT */
/* sw_lanes_state_kern.c - columns: begun anew, widened, narrowed, compared */
#include "algo/sw_lanes_priv.h"
#include "algo/sw_lanes_vec.h"

#if VBYTES >= 32
INLINE vec
mask_of(const struct sw_lanes *s)
{
	return VSI(loadu)((const void *)s->reset);
}

INLINE vec
without(vec x, vec mask)
{
	return VSI(andnot)(mask, x);
}

void
KERN(sw_lane_reset8)(struct sw_lanes *s)
{
	vec mask = mask_of(s), zero = VSI(and)(mask, set8(s->zero8));
	vec *h = (vec *)(void *)s->now8.h, *e = (vec *)(void *)s->now8.e;

	for (size_t i = 0; i < s->rows; i++) {
		h[i] = VSI(or)(without(h[i], mask), zero);
		e[i] = VSI(or)(without(e[i], mask), zero);
	}
}

void
KERN(sw_lane_reset16)(struct sw_lanes *s)
{
	vec x = mask_of(s), mask[2];
	vec *h = (vec *)(void *)s->now.h, *e = (vec *)(void *)s->now.e;
	vec *base = (vec *)(void *)s->now.base;

	mask[0] = V(unpacklo_epi8)(x, x);
	mask[1] = V(unpackhi_epi8)(x, x);
	for (size_t i = 0; i < s->rows * s->halves; i++) {
		h[i] = without(h[i], mask[i % s->halves]);
		e[i] = without(e[i], mask[i % s->halves]);
	}
	for (size_t i = 0; i < s->strips * s->halves; i++)
		base[i] = without(base[i], mask[i % s->halves]);
}

INLINE void
widen(vec x, vec zero8, vec to[2])
{
	to[0] = vsub(16, V(unpacklo_epi8)(x, set8(0)), zero8);
	to[1] = vsub(16, V(unpackhi_epi8)(x, set8(0)), zero8);
}

void
KERN(sw_lane_widen)(struct sw_lanes *s)
{
	const vec *h8 = (const vec *)(const void *)s->now8.h;
	const vec *e8 = (const vec *)(const void *)s->now8.e;
	vec *h = (vec *)(void *)s->now.h, *e = (vec *)(void *)s->now.e;
	vec *base = (vec *)(void *)s->now.base, zero8 = set16(s->zero8);

	for (size_t i = 0; i < s->rows; i++) {
		widen(h8[i], zero8, h + 2 * i);
		widen(e8[i], zero8, e + 2 * i);
	}
	for (size_t i = 0; i < s->strips * 2; i++)
		base[i] = set16(0);
}

/* No H is high, and E <= H: it comes from max(diagonal, E) of its row. */
void
KERN(sw_lane_narrow)(struct sw_lanes *s)
{
	vec *h8 = (vec *)(void *)s->now8.h, *e8 = (vec *)(void *)s->now8.e;
	const vec *h = (const vec *)(const void *)s->now.h;
	const vec *e = (const vec *)(const void *)s->now.e;
	const vec zero8 = set16(s->zero8), zero = set16(0);

	for (size_t i = 0; i < s->rows; i++) {
		h8[i] = V(packus_epi16)(vadd(16, h[2 * i], zero8),
					vadd(16, h[2 * i + 1], zero8));
		e8[i] = V(packus_epi16)(
		    vadd(16, vmax(16, e[2 * i], zero), zero8),
		    vadd(16, vmax(16, e[2 * i + 1], zero), zero8));
	}
}

INLINE vec
differ(vec a, vec b)
{
	return VSI(xor)(a, b);
}

/*
 * E as far as it matters: a higher one, up to H - open - extend or to 0, makes
 * no H other than it is, for the textbook's E is at least as high.
 */
INLINE vec
effective(vec e, vec h, vec first)
{
	return vmax(16, e, V(subs_epu16)(h, first));
}

/*
 * Bases may differ though scores do not, but by less than 2^15 / SW_UNIT, since
 * both values are in [0, 32768).  With a base above 0 H >= open + extend.
 */
bool
KERN(sw_lane_same)(const struct sw_lanes *s, const struct sw_column *a,
		   const struct sw_column *b)
{
	const vec *ha = (const vec *)(const void *)a->h;
	const vec *hb = (const vec *)(const void *)b->h;
	const vec *ea = (const vec *)(const void *)a->e;
	const vec *eb = (const vec *)(const void *)b->e;
	const vec *base_a = (const vec *)(const void *)a->base;
	const vec *base_b = (const vec *)(const void *)b->base;
	const vec first = set16(s->open + s->extend);

	for (size_t i = 0; i < s->rows * s->halves; i++) {
		size_t row = i / s->halves;
		size_t at = row / SW_LANE_ROWS * s->halves + i % s->halves;
		vec by = vsub(16, base_a[at], base_b[at]), x, y;

		if (any(above16(V(abs_epi16)(by), set16(INT16_MAX / SW_UNIT))))
			return false;
		by = V(slli_epi16)(by, SW_UNIT_BITS);
		x = vadd(16, effective(ea[i], ha[i], first), by);
		y = effective(eb[i], hb[i], first);
		if (any(VSI(or)(differ(x, y),
				differ(vadd(16, ha[i], by), hb[i]))))
			return false;
	}
	return true;
}
#endif
