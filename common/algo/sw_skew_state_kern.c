/* SPDX-License-Identifier: MIT */
/*
 * sw_skew_state_kern.c - what stands between two steps, from 8 bits to 16 and
 * back
 *
 * F by a base above 0 is never below it, see sw_skew_kern.c; by 0, what is
 * below counts as 0, which the floor of 16 bits takes for granted; likewise E,
 * for that of 8 bits.
 */
#include "algo/sw_skew_vec.h"

#if VBYTES >= 32
INLINE void
wider(uint8_t *x, size_t i, vec floor, vec zero)
{
	vec v = at(x, i), w[2];

#if defined(ISA_avx512)
	w[0] = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(v));
	w[1] = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(v, 1));
#else
	w[0] = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(v));
	w[1] = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(v, 1));
#endif
	to(x, 2 * i, vmax(16, vsub(16, w[0], zero), floor));
	to(x, 2 * i + 1, vmax(16, vsub(16, w[1], zero), floor));
}

/* From the last column on, as each takes twice the room. */
bool
KERN(sw_skew_widen)(struct sw_skew *s)
{
	const vec zero = set16(s->zero8), low = set16(-32768), none = set16(0);
	struct sw_skew_edge *edge = &s->edge[s->at];
	struct sw_skew_side *side = &s->side[s->at];

	for (size_t j = SW_BLOCK; j-- > 0;) {
		wider(edge->h, j, low, zero);
		wider(edge->f, j, none, zero);
	}
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		wider(side->h[r], 0, low, zero);
		wider(side->e[r], 0, low, zero);
	}
	return true;
}

INLINE void
narrower(uint8_t *x, size_t i, vec w0, vec w1)
{
	vec v = V(packus_epi16)(w0, w1);

#if defined(ISA_avx512)
	v = _mm512_permutexvar_epi64(
	    _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
#else
	v = _mm256_permute4x64_epi64(v, 0xd8);
#endif
	to(x, i, v);
}

/* By the new bases. */
bool
KERN(sw_skew_narrow)(struct sw_skew *s)
{
	const vec zero = set16(s->zero8), first = set16(s->open + s->extend);
	struct sw_skew_edge *edge = &s->edge[s->at];
	struct sw_skew_side *side = &s->side[s->at];
	vec by[2], left[2];

	if (!set_bases(s, 16))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		by[i] = vadd(16, at(s->by, i), zero);
		left[i] = vadd(16, at(s->left_by, i), zero);
	}
	for (size_t j = 0; j < SW_BLOCK; j++) {
		narrower(edge->h, j, vadd(16, at(edge->h, 2 * j), by[0]),
			 vadd(16, at(edge->h, 2 * j + 1), by[1]));
		narrower(edge->f, j, vadd(16, at(edge->f, 2 * j), by[0]),
			 vadd(16, at(edge->f, 2 * j + 1), by[1]));
	}
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		vec h0 = at(side->h[r], 0), h1 = at(side->h[r], 1);
		vec e0 = vmax(16, at(side->e[r], 0), vsub(16, h0, first));
		vec e1 = vmax(16, at(side->e[r], 1), vsub(16, h1, first));

		narrower(side->h[r], 0, vadd(16, h0, left[0]),
			 vadd(16, h1, left[1]));
		narrower(side->e[r], 0, vmax(16, vadd(16, e0, left[0]), zero),
			 vmax(16, vadd(16, e1, left[1]), zero));
	}
	memcpy(s->base, s->new_base, sizeof s->base);
	memcpy(side->base, s->new_base, sizeof s->new_base);
	return true;
}

/* Lanes' numbers from a quarter's first on. */
INLINE v32
numbers(unsigned g)
{
	v32 x;

	for (int k = 0; k < QUARTER; k++)
		x[k] = k;
	return x + (int32_t)(g * QUARTER);
}

/* sw_skew_prune.c says why. */
enum sw_skew_verdict
KERN(sw_skew_judge)(const struct sw_skew *s, int32_t need)
{
	const struct sw_skew_side *left = &s->side[s->at];
	const int32_t strip = s->match * SW_SKEW_ROWS;
	const int32_t here = s->all_gain - (int32_t)s->strip * strip;
	const int32_t zero = s->strip < LANES ? 0 : INT32_MAX;
	v32 live = { 0 }, uneven = { 0 };

#pragma GCC unroll 1
	for (unsigned g = 0; g < 4; g++) {
		v32 corner = load32(s->corner, g);
		v32 low = min32(load32(s->low, g), corner);
		v32 most = max32(load32(s->most, g), load32(left->most, g));
		v32 gain = min32(load32(s->gain, g),
				 here + numbers(g) * strip);

		most = max32(most, corner);
		live |= (most >= need - gain) | (most > zero);
		uneven |= most - low > s->span + s->reach;
	}
	return !any((vec)live) ? SW_SKEW_DEAD :
	       any((vec)uneven) ? SW_SKEW_UNEVEN : SW_SKEW_LIVE;
}
#endif
