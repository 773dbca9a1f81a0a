/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_vec.h - rows side by side in 16 bits, for kernels with vectors
 *
 * As in sw_front_vec.h, lane k of a vector is its row LANES - 1 - k.
 */
#ifndef SEQF_SW_SW_GRID_VEC_H
#define SEQF_SW_SW_GRID_VEC_H

#include <string.h>

#include "base/simd.h"
#include "sw/sw_grid.h"

#if VBYTES >= 16

enum { LANES = VBYTES / 2, ROWS = 2 * LANES, STEPS = SW_GRID_STEPS };
typedef int16_t v16 __attribute__((vector_size(VBYTES)));
typedef int32_t v32 __attribute__((vector_size(VBYTES)));

INLINE v16
vset(int64_t x)
{
	x = x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x;
	return (v16){ 0 } + (int16_t)x;
}

INLINE v16
load(const void *p)
{
	v16 x;

	memcpy(&x, p, sizeof x);
	return x;
}

INLINE void
store(void *p, v16 x)
{
	memcpy(p, &x, sizeof x);
}

/* The row of each lane in its vector: so many columns it is behind. */
INLINE v16
behind(void)
{
	v16 x;

	for (int k = 0; k < LANES; k++)
		x[k] = (int16_t)(LANES - 1 - k);
	return x;
}

#if defined(ISA_avx512)
typedef __mmask32 mask;

INLINE v16
vmax(v16 a, v16 b)
{
	return (v16)_mm512_max_epi16((__m512i)a, (__m512i)b);
}

INLINE mask
equal(v16 a, v16 b)
{
	return _mm512_cmpeq_epi16_mask((__m512i)a, (__m512i)b);
}

INLINE mask
not_less(v16 a, v16 b)
{
	return _mm512_cmpge_epi16_mask((__m512i)a, (__m512i)b);
}

INLINE v16
pick(mask m, v16 x, v16 y)
{
	return (v16)_mm512_mask_mov_epi16((__m512i)y, m, (__m512i)x);
}

INLINE bool
any(mask m)
{
	return m != 0;
}

/* Saturating. */
INLINE v16
minus(v16 a, v16 b)
{
	return (v16)_mm512_subs_epi16((__m512i)a, (__m512i)b);
}

/* Each lane has what the next one had; the last one that of the first. */
INLINE v16
turn(v16 x)
{
	static const uint8_t next[] __attribute__((aligned(64))) = {
		2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
		18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
		34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
		50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0, 1,
	};

	return (v16)_mm512_permutexvar_epi8(_mm512_load_si512(next),
					    (__m512i)x);
}

/* What each row had, for the row below it; above: that of the top one. */
INLINE v16
below_of(v16 x, v16 above)
{
	return (v16)_mm512_mask_mov_epi16((__m512i)turn(x), 1u << 31,
					  (__m512i)turn(above));
}

/* The same; `in` has it in both its halves. */
INLINE v16
below(v16 x, int32_t in)
{
	return (v16)_mm512_mask_mov_epi16((__m512i)turn(x), 1u << 31,
					  _mm512_set1_epi32(in));
}

INLINE int32_t
first_two(v16 x)
{
	return _mm_cvtsi128_si32(_mm512_castsi512_si128((__m512i)x));
}

INLINE void
put_masks(uint8_t *to, mask diag, mask e, mask open_e, mask open_f)
{
	_store_mask32((void *)to, diag);
	_store_mask32((void *)(to + 4), e);
	_store_mask32((void *)(to + 8), open_e);
	_store_mask32((void *)(to + 12), open_f);
}

#else /* AVX2, NEON */
typedef v16 mask;

INLINE v16
vmax(v16 a, v16 b)
{
	return (v16)V(max_epi16)((vec)a, (vec)b);
}

INLINE mask
equal(v16 a, v16 b)
{
	return (mask)(a == b);
}
#endif

#if defined(ISA_avx2)
INLINE mask
not_less(v16 a, v16 b)
{
	return (mask)_mm256_cmpeq_epi16(_mm256_max_epi16((__m256i)a,
							 (__m256i)b),
					(__m256i)a);
}

INLINE v16
pick(mask m, v16 x, v16 y)
{
	return (v16)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)m);
}

INLINE bool
any(mask m)
{
	return _mm256_movemask_epi8((__m256i)m) != 0;
}

INLINE v16
minus(v16 a, v16 b)
{
	return (v16)_mm256_subs_epi16((__m256i)a, (__m256i)b);
}

INLINE v16
below_of(v16 x, v16 above)
{
	__m256i high = _mm256_permute2x128_si256((__m256i)x, (__m256i)above,
						 0x21);

	return (v16)_mm256_alignr_epi8(high, (__m256i)x, 2);
}

INLINE v16
below(v16 x, int32_t in)
{
	return below_of(x, (v16)_mm256_set1_epi32(in));
}

INLINE int32_t
first_two(v16 x)
{
	return _mm_cvtsi128_si32(_mm256_castsi256_si128((__m256i)x));
}

/* Two masks a word: of each the lower lanes, then of each the higher ones. */
INLINE void
put_two(uint8_t *to, mask a, mask b)
{
	int32_t x = _mm256_movemask_epi8(_mm256_packs_epi16((__m256i)a,
							    (__m256i)b));

	memcpy(to, &x, sizeof x);
}

INLINE void
put_masks(uint8_t *to, mask diag, mask e, mask open_e, mask open_f)
{
	put_two(to, diag, e);
	put_two(to + 4, open_e, open_f);
}
#elif defined(ISA_neon)
INLINE mask
not_less(v16 a, v16 b)
{
	return (mask)(a >= b);
}

INLINE v16
pick(mask m, v16 x, v16 y)
{
	return vbslq_s16((uint16x8_t)m, x, y);
}

INLINE bool
any(mask m)
{
	return neon_any((vec)m);
}

INLINE v16
minus(v16 a, v16 b)
{
	return vqsubq_s16(a, b);
}

INLINE v16
below_of(v16 x, v16 above)
{
	return vextq_s16(x, above, 1);
}

INLINE v16
below(v16 x, int32_t in)
{
	return below_of(x, vdupq_n_s16((int16_t)in));
}

INLINE int32_t
first_two(v16 x)
{
	return ((v32)x)[0];
}

INLINE void
put_masks(uint8_t *to, mask diag, mask e, mask open_e, mask open_f)
{
	vec a = neon_own_bits(vuzp1q_u8((vec)diag, (vec)e));
	vec b = neon_own_bits(vuzp1q_u8((vec)open_e, (vec)open_f));

	a = vpaddq_u8(a, b);
	a = vpaddq_u8(a, a);
	vst1q_lane_u32((void *)to, vreinterpretq_u32_u8(vpaddq_u8(a, a)), 0);
}
#endif

/*
 * Above a block, by its base, twice in each word, and no lower than `low`.
 * Nothing behind the block's values is touched: the strip above may be writing
 * there.
 */
enum { WORDS = VBYTES / 4 };

INLINE v32
vmax32(v32 a, v32 b)
{
	return (v32)V(max_epi32)((vec)a, (vec)b);
}

INLINE int32_t
twice(int32_t x)
{
	return (int32_t)((uint32_t)x << 16 | (x & 0xffff));
}

INLINE void
take_row(int32_t *to, const int32_t *from, size_t n, int32_t base, int32_t low)
{
	const v32 least = (v32){ 0 } + low;
	size_t i = 0;

	for (; i + WORDS <= n; i += WORDS) {
		v32 x;

		memcpy(&x, from + i, sizeof x);
		x = vmax32(x - base, least);
		x = (x & 0xffff) | x << 16;
		memcpy(to + i, &x, sizeof x);
	}
	for (; i < n; i++) {
		int32_t x = from[i] - base;

		to[i] = twice(x > low ? x : low);
	}
}

INLINE int32_t
largest(const int32_t *x, size_t n, int32_t most)
{
	v32 m = (v32){ 0 } + most;
	size_t i = 0;

	for (; i + WORDS <= n; i += WORDS) {
		v32 y;

		memcpy(&y, x + i, sizeof y);
		m = vmax32(m, y);
	}
	for (int k = 0; k < WORDS; k++)
		most = m[k] > most ? m[k] : most;
	for (; i < n; i++)
		most = x[i] > most ? x[i] : most;
	return most;
}

INLINE void
give_row(int32_t *to, const int32_t *from, size_t n, int32_t base)
{
	size_t i = 0;

	for (; i + WORDS <= n; i += WORDS) {
		v32 x;

		memcpy(&x, from + i, sizeof x);
		x = ((x & 0xffff) ^ 0x8000) - 0x8000 + base;
		memcpy(to + i, &x, sizeof x);
	}
	for (; i < n; i++)
		to[i] = (int16_t)from[i] + base;
}

#endif

#endif
