/* SPDX-License-Identifier: MIT */
/* primer_turn_kern.c - texts side by side, from texts one behind the other */
#include <string.h>

#include "algo/primer_blocks.h"
#include "base/simd.h"

/* Bytes i of 8 words j become bytes j of words i, `step` bytes apart. */
#if defined(ISA_avx512) || defined(ISA_avx2)
static inline void
turn(const uint8_t *const x[8], int64_t at, uint8_t *to, int64_t step)
{
	__m128i pair[4], low[2], high[2], all[4];

	for (int i = 0; i < 4; i++)
		pair[i] = _mm_unpacklo_epi8(
		    _mm_loadl_epi64((const void *)(x[2 * i] + at)),
		    _mm_loadl_epi64((const void *)(x[2 * i + 1] + at)));
	for (int i = 0; i < 2; i++) {
		low[i] = _mm_unpacklo_epi16(pair[2 * i], pair[2 * i + 1]);
		high[i] = _mm_unpackhi_epi16(pair[2 * i], pair[2 * i + 1]);
	}
	all[0] = _mm_unpacklo_epi32(low[0], low[1]);
	all[1] = _mm_unpackhi_epi32(low[0], low[1]);
	all[2] = _mm_unpacklo_epi32(high[0], high[1]);
	all[3] = _mm_unpackhi_epi32(high[0], high[1]);
	for (int i = 0; i < 4; i++) {
		_mm_storel_epi64((void *)(to + 2 * i * step), all[i]);
		_mm_storel_epi64((void *)(to + (2 * i + 1) * step),
				 _mm_unpackhi_epi64(all[i], all[i]));
	}
}
#else
static inline void
turn(const uint8_t *const x[8], int64_t at, uint8_t *to, int64_t step)
{
	for (int i = 0; i < 8; i++, to += step)
		for (int l = 0; l < 8; l++)
			to[l] = x[l][at + i];
}
#endif

void
KERN(primer_turn)(uint8_t *to, unsigned lanes, const uint8_t *const from[8],
		  uint64_t columns, bool back)
{
	int64_t step = back ? -(int64_t)lanes : (int64_t)lanes;

	for (uint64_t t = 0; t < columns; t += 8) {
		uint8_t *at = to + (t + (back ? 7 : 0)) * lanes;

		turn(from, back ? -(int64_t)t - 7 : (int64_t)t, at, step);
	}
}
