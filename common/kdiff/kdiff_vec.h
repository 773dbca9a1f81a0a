/* SPDX-License-Identifier: MIT */
/* kdiff_vec.h - lanes of 32 bits for kernels of kdiff */
#ifndef SEQF_KDIFF_KDIFF_VEC_H
#define SEQF_KDIFF_KDIFF_VEC_H

#include <string.h>

#include "base/simd.h"

#if defined(ISA_scalar)	/* two lanes in a word are taken apart all the time */
#define W_BYTES 4
#else
#define W_BYTES VBYTES
#endif
enum { WIDTH = W_BYTES / 4 };
typedef uint32_t w32 __attribute__((vector_size(W_BYTES)));
typedef int32_t i32 __attribute__((vector_size(W_BYTES)));

static inline w32
w_set(uint32_t x)
{
	return (w32){ 0 } + x;
}

static inline w32
w_load(const uint32_t *p)
{
	w32 x;

	memcpy(&x, p, sizeof x);
	return x;
}

static inline void
w_store(uint32_t *p, w32 x)
{
	memcpy(p, &x, sizeof x);
}

/* The numbers of the bits of m, below 256, a byte each. */
#define BIT(m, b) ((m) >> (b) & 1)
#define ADD(x, m, b) ((x) << 8 * BIT(m, b) | BIT(m, b) * (b))
#define ROW(m) ADD(ADD(ADD(ADD(ADD(ADD(ADD(ADD(0ull, m, 7ull), m, 6ull), \
	m, 5ull), m, 4ull), m, 3ull), m, 2ull), m, 1ull), m, 0ull)
#define ROWS4(m) ROW(m), ROW((m) + 1), ROW((m) + 2), ROW((m) + 3)
#define ROWS16(m) ROWS4(m), ROWS4((m) + 4), ROWS4((m) + 8), ROWS4((m) + 12)
#define ROWS64(m) ROWS16(m), ROWS16((m) + 16), ROWS16((m) + 32), \
	ROWS16((m) + 48)

static inline uint64_t
bits_of(uint32_t m)
{
	static const uint64_t row[256] = {
		ROWS64(0), ROWS64(64), ROWS64(128), ROWS64(192)
	};

	return row[m];
}

#if defined(ISA_avx512)
/* Shifts by 32 or more give 0. */
static inline w32
w_shl(w32 x, w32 by)
{
	return (w32)_mm512_sllv_epi32((__m512i)x, (__m512i)by);
}

static inline w32
w_shr(w32 x, w32 by)
{
	return (w32)_mm512_srlv_epi32((__m512i)x, (__m512i)by);
}

static inline w32
w_min(w32 a, w32 b)
{
	return (w32)_mm512_min_epi32((__m512i)a, (__m512i)b);
}

static inline w32
w_zeros(w32 x)	/* leading zeros; 32 of 0 */
{
	return (w32)_mm512_lzcnt_epi32((__m512i)x);
}

static inline w32
w_max(w32 a, w32 b)
{
	return (w32)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

/* a | (b ^ c) */
static inline w32
w_or_xor(w32 a, w32 b, w32 c)
{
	return (w32)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b,
					      (__m512i)c, 0xf6);
}

static inline w32
w_gather(const uint32_t *base, w32 i)
{
	return (w32)_mm512_i32gather_epi32((__m512i)i, base, 4);
}

/* Lanes with a < b, signed. */
static inline uint32_t
w_less(w32 a, w32 b)
{
	return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
}

/* x + 1 where a < b, signed */
static inline w32
w_count_less(w32 x, w32 a, w32 b)
{
	return (w32)_mm512_mask_add_epi32((__m512i)x,
	    _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b), (__m512i)x,
	    _mm512_set1_epi32(1));
}

static inline w32
w_widen(const uint16_t *p)
{
	return (w32)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)p));
}

/* The lanes in mask, one behind the other; up to WIDTH are written. */
static inline void
w_compress(uint32_t *to, uint32_t mask, w32 x)
{
	w_store(to, (w32)_mm512_maskz_compress_epi32((__mmask16)mask,
						     (__m512i)x));
}

#elif defined(ISA_avx2)
static inline w32
w_shl(w32 x, w32 by)
{
	return (w32)_mm256_sllv_epi32((__m256i)x, (__m256i)by);
}

static inline w32
w_shr(w32 x, w32 by)
{
	return (w32)_mm256_srlv_epi32((__m256i)x, (__m256i)by);
}

static inline w32
w_min(w32 a, w32 b)
{
	return (w32)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

/*
 * By the exponent of x as a float.  Clearing each bit below another one keeps
 * the rounding from carrying into it.  A negative x has its sign in the
 * exponent's next bit, which makes the difference negative: 0 then.
 */
static inline w32
w_zeros(w32 x)
{
	__m256i y = _mm256_andnot_si256((__m256i)(x >> 1), (__m256i)x);
	__m256i e = _mm256_srli_epi32(
	    _mm256_castps_si256(_mm256_cvtepi32_ps(y)), 23);

	e = _mm256_sub_epi32(_mm256_set1_epi32(158), e);
	e = _mm256_max_epi32(e, _mm256_setzero_si256());
	return (w32)_mm256_min_epi32(e, _mm256_set1_epi32(32));
}

static inline w32
w_max(w32 a, w32 b)
{
	return (w32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static inline w32
w_or_xor(w32 a, w32 b, w32 c)
{
	return a | (b ^ c);
}

static inline w32
w_gather(const uint32_t *base, w32 i)
{
	return (w32)_mm256_i32gather_epi32((const int *)base, (__m256i)i, 4);
}

static inline uint32_t
w_less(w32 a, w32 b)
{
	__m256i less = _mm256_cmpgt_epi32((__m256i)b, (__m256i)a);

	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(less));
}

static inline w32
w_count_less(w32 x, w32 a, w32 b)
{
	return (w32)_mm256_sub_epi32((__m256i)x,
	    _mm256_cmpgt_epi32((__m256i)b, (__m256i)a));
}

static inline w32
w_widen(const uint16_t *p)
{
	return (w32)_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)p));
}

static inline void
w_compress(uint32_t *to, uint32_t mask, w32 x)
{
	__m256i i = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(
	    (long long)bits_of(mask)));

	w_store(to, (w32)_mm256_permutevar8x32_epi32((__m256i)x, i));
}

#elif defined(ISA_neon)
static inline w32
w_shl(w32 x, w32 by)
{
	return vshlq_u32(x, (int32x4_t)by);
}

static inline w32
w_shr(w32 x, w32 by)
{
	return vshlq_u32(x, -(int32x4_t)by);
}

static inline w32
w_min(w32 a, w32 b)
{
	return (w32)vminq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline w32
w_zeros(w32 x)
{
	return vclzq_u32(x);
}

static inline w32
w_max(w32 a, w32 b)
{
	return (w32)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline w32
w_or_xor(w32 a, w32 b, w32 c)
{
	return a | (b ^ c);
}

static inline w32
w_gather(const uint32_t *base, w32 i)
{
	return neon_gather32(base, i);
}

static inline uint32_t
w_less(w32 a, w32 b)
{
	return neon_mask32(vcltq_s32((int32x4_t)a, (int32x4_t)b));
}

static inline w32
w_count_less(w32 x, w32 a, w32 b)
{
	return x - vcltq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline w32
w_widen(const uint16_t *p)
{
	return vmovl_u16(vld1_u16(p));
}

/* Bytes of the lanes in a mask, those in it first. */
#define LANE_OF(l) 0x03020100u + (l) * 0x04040404u
#define LANES_OF(a, b, c, d) { LANE_OF(a), LANE_OF(b), LANE_OF(c), LANE_OF(d) }

static const w32 w_lanes[16] = {
	LANES_OF(0u, 0u, 0u, 0u), LANES_OF(0u, 0u, 0u, 0u),
	LANES_OF(1u, 0u, 0u, 0u), LANES_OF(0u, 1u, 0u, 0u),
	LANES_OF(2u, 0u, 0u, 0u), LANES_OF(0u, 2u, 0u, 0u),
	LANES_OF(1u, 2u, 0u, 0u), LANES_OF(0u, 1u, 2u, 0u),
	LANES_OF(3u, 0u, 0u, 0u), LANES_OF(0u, 3u, 0u, 0u),
	LANES_OF(1u, 3u, 0u, 0u), LANES_OF(0u, 1u, 3u, 0u),
	LANES_OF(2u, 3u, 0u, 0u), LANES_OF(0u, 2u, 3u, 0u),
	LANES_OF(1u, 2u, 3u, 0u), LANES_OF(0u, 1u, 2u, 3u),
};

static inline void
w_compress(uint32_t *to, uint32_t mask, w32 x)
{
	w_store(to, (w32)vqtbl1q_u8((neon)x, (neon)w_lanes[mask]));
}

#else	/* by C alone */
static inline w32
w_shl(w32 x, w32 by)
{
	for (int l = 0; l < WIDTH; l++)
		x[l] = by[l] < 32 ? x[l] << by[l] : 0;
	return x;
}

static inline w32
w_shr(w32 x, w32 by)
{
	for (int l = 0; l < WIDTH; l++)
		x[l] = by[l] < 32 ? x[l] >> by[l] : 0;
	return x;
}

static inline w32
w_min(w32 a, w32 b)
{
	for (int l = 0; l < WIDTH; l++)
		a[l] = (int32_t)a[l] < (int32_t)b[l] ? a[l] : b[l];
	return a;
}

static inline w32
w_zeros(w32 x)
{
	for (int l = 0; l < WIDTH; l++)
		x[l] = x[l] ? (uint32_t)__builtin_clz(x[l]) : 32;
	return x;
}

static inline w32
w_max(w32 a, w32 b)
{
	for (int l = 0; l < WIDTH; l++)
		a[l] = (int32_t)a[l] > (int32_t)b[l] ? a[l] : b[l];
	return a;
}

static inline w32
w_or_xor(w32 a, w32 b, w32 c)
{
	return a | (b ^ c);
}

static inline w32
w_gather(const uint32_t *base, w32 i)
{
	for (int l = 0; l < WIDTH; l++)
		i[l] = base[i[l]];
	return i;
}

static inline uint32_t
w_less(w32 a, w32 b)
{
	uint32_t mask = 0;

	for (int l = 0; l < WIDTH; l++)
		mask |= (uint32_t)((int32_t)a[l] < (int32_t)b[l]) << l;
	return mask;
}

static inline w32
w_count_less(w32 x, w32 a, w32 b)
{
	for (int l = 0; l < WIDTH; l++)
		x[l] += (int32_t)a[l] < (int32_t)b[l];
	return x;
}

static inline w32
w_widen(const uint16_t *p)
{
	w32 x;

	for (int l = 0; l < WIDTH; l++)
		x[l] = p[l];
	return x;
}

static inline void
w_compress(uint32_t *to, uint32_t mask, w32 x)
{
	for (; mask; mask &= mask - 1)
		*to++ = x[__builtin_ctz(mask)];
}
#endif

/* Lanes in a mask. */
static inline unsigned
w_count(uint32_t mask)
{
#if defined(ISA_neon)	/* which counts bits in vectors only */
	return (unsigned)(0x4332322132212110 >> 4 * mask & 7);
#else
	return (unsigned)__builtin_popcount(mask);
#endif
}

#endif
