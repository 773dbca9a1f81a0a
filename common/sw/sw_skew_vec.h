/* SPDX-License-Identifier: MIT */
/*
 * sw_skew_vec.h - lanes widened to 32 bits, a quarter at a time, and new bases
 */
#ifndef SEQF_SW_SW_SKEW_VEC_H
#define SEQF_SW_SW_SKEW_VEC_H

#include <string.h>

#include "sw/sw_lanes_vec.h"
#include "sw/sw_skew.h"

#if VBYTES >= 16
enum {
	LANES = VBYTES, HALF = LANES / 2, QUARTER = LANES / 4,
};
typedef int32_t v32 __attribute__((vector_size(VBYTES)));
typedef int16_t h16 __attribute__((vector_size(VBYTES / 2)));
typedef int8_t q8 __attribute__((vector_size(VBYTES / 4)));
typedef uint8_t uq8 __attribute__((vector_size(VBYTES / 4)));

INLINE v32
set32(int32_t x)
{
	return (v32){ 0 } + x;
}

INLINE v32
load32(const int32_t *x, unsigned g)
{
	v32 v;

	memcpy(&v, x + (size_t)g * QUARTER, sizeof v);
	return v;
}

INLINE void
store32(int32_t *x, unsigned g, v32 v)
{
	memcpy(x + (size_t)g * QUARTER, &v, sizeof v);
}

INLINE v32
max32(v32 a, v32 b)
{
	return (v32)V(max_epi32)((vec)a, (vec)b);
}

INLINE v32
min32(v32 a, v32 b)
{
	return (v32)V(min_epi32)((vec)a, (vec)b);
}

/* Values of a quarter of the lanes. */
INLINE v32
get(const uint8_t *x, unsigned g, int bits)
{
	uq8 b;
	h16 w;

	if (bits == 8) {
		memcpy(&b, x + (size_t)g * QUARTER, sizeof b);
		return __builtin_convertvector(b, v32);
	}
	memcpy(&w, x + (size_t)g * QUARTER * 2, sizeof w);
	return __builtin_convertvector(w, v32);
}

/* The low bits of each. */
INLINE void
put(uint8_t *x, unsigned g, v32 v, int bits)
{
	if (bits == 8) {
		q8 b = __builtin_convertvector(v, q8);

		memcpy(x + (size_t)g * QUARTER, &b, sizeof b);
	} else {
		h16 w = __builtin_convertvector(v, h16);

		memcpy(x + (size_t)g * QUARTER * 2, &w, sizeof w);
	}
}

INLINE vec
vmin(int bits, vec a, vec b)
{
	return bits == 8 ? V(min_epu8)(a, b) : V(min_epi16)(a, b);
}

/* Vector i of bytes x. */
INLINE vec
at(const uint8_t *x, size_t i)
{
	return VSI(loadu)((const void *)(x + i * VBYTES));
}

INLINE void
to(uint8_t *x, size_t i, vec v)
{
	VSI(storeu)((void *)(x + i * VBYTES), v);
}

INLINE int
zero_of(const struct sw_skew *s, int bits)
{
	return bits == 8 ? s->zero8 : 0;
}

/* New bases, and what leads to them; false: they do not do for 8 bits. */
INLINE bool
set_bases(struct sw_skew *s, int bits)
{
	const struct sw_skew_side *left = &s->side[s->at];
	v32 over = { 0 }, floor = { 0 };

#pragma GCC unroll 1
	for (unsigned g = 0; g < 4; g++) {
		v32 corner = load32(s->corner, g);
		v32 low = min32(load32(s->low, g), corner);
		v32 base = max32(low - s->low_at, set32(0));

		floor |= base == 0;
		over |= load32(s->most, g) - base > s->limit8;
		over |= load32(left->most, g) - base > s->limit8;
		store32(s->new_base, g, base);
		put(s->by, g, load32(s->base, g) - base, bits);
		put(s->left_by, g, load32(left->base, g) - base, bits);
		put(s->by_corner, g, corner - base + zero_of(s, bits), bits);
	}
	s->floor = any((vec)floor);
	return !any((vec)over);
}
#endif

#endif
