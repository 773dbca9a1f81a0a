/* SPDX-License-Identifier: MIT */
/* vec.h - the few vector operations that C cannot say well */
#ifndef SEQF_BASE_VEC_H
#define SEQF_BASE_VEC_H

#include <stdbool.h>
#include <string.h>

#include "base/simd.h"

enum { LANES = VBYTES / 8 };
typedef int64_t s64 __attribute__((vector_size(VBYTES)));
typedef int8_t s8 __attribute__((vector_size(VBYTES)));

static inline v64
vset(uint64_t x)
{
	return (v64){ 0 } + x;
}

/* v8 arithmetic on v64 registers */
static inline v64
add8(v64 a, v64 b)
{
	return (v64)((v8)a + (v8)b);
}

static inline v64
sub8(v64 a, v64 b)
{
	return (v64)((v8)a - (v8)b);
}

/* a where mask is all ones, b where it is 0 */
static inline v64
pick(v64 mask, v64 a, v64 b)
{
#if defined(ISA_neon)
	return vbslq_u64(mask, a, b);
#else
	return (a & mask) | (b & ~mask);
#endif
}

#if defined(ISA_avx512)
/* x << 1 with the top bit of prev coming in */
static inline v64
shl1(v64 x, v64 prev)
{
	return (v64)_mm512_shldi_epi64((__m512i)x, (__m512i)prev, 1);
}

static inline v64
xor_or(v64 a, v64 b, v64 c)	/* (a ^ b) | c */
{
	return (v64)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b,
					      (__m512i)c, 0xbe);
}

static inline v64
andn_or(v64 a, v64 b, v64 c)	/* ~a & (b | c) */
{
	return (v64)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b,
					      (__m512i)c, 0x0e);
}

static inline v64
or_andn(v64 a, v64 b, v64 c)	/* a | (~b & c) */
{
	return (v64)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b,
					      (__m512i)c, 0xf2);
}

static inline v64
or_nor(v64 a, v64 b, v64 c)	/* a | ~(b | c) */
{
	return (v64)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b,
					      (__m512i)c, 0xf1);
}

static inline v64
pop8(v64 x)
{
	return (v64)_mm512_popcnt_epi8((__m512i)x);
}

/* pop8() of x, and of the upper half of each byte. */
static inline v64
pops8(v64 x, v64 *upper)
{
	*upper = pop8(x & vset(0xf0f0f0f0f0f0f0f0));
	return pop8(x);
}

static inline v64
top8(v64 x)	/* the top byte of every lane, signed */
{
	return (v64)_mm512_srai_epi64((__m512i)x, 56);
}

/* Byte 0 of every lane in all its bytes. */
static inline v64
spread8(v64 x)
{
	return (v64)_mm512_shuffle_epi8((__m512i)x,
	    _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0));
}

static inline v64
max8(v64 a, v64 b)
{
	return (v64)_mm512_max_epi8((__m512i)a, (__m512i)b);
}

/* Signed a <= b, one bit a byte; lane l has bits 8l to 8l + 7. */
static inline uint64_t
le8(v64 a, v64 b)
{
	return _mm512_cmple_epi8_mask((__m512i)a, (__m512i)b);
}

static inline uint64_t
zero8(v64 a)	/* bytes that are 0, as le8 */
{
	return _mm512_testn_epi8_mask((__m512i)a, (__m512i)a);
}

static inline v64
clamp(v64 x)	/* signed, to -128..127 */
{
	return (v64)_mm512_max_epi64(_mm512_set1_epi64(-128),
	    _mm512_min_epi64(_mm512_set1_epi64(127), (__m512i)x));
}

static inline bool
any_le(v64 a, v64 b)	/* signed a <= b in some lane */
{
	return _mm512_cmple_epi64_mask((__m512i)a, (__m512i)b);
}

#else /* not avx512 */
static inline v64
shl1(v64 x, v64 prev)
{
#if defined(ISA_neon)
	return vsriq_n_u64(x + x, prev, 63);
#else
	return (x + x) | (prev >> 63);
#endif
}

static inline v64
xor_or(v64 a, v64 b, v64 c)
{
	return (a ^ b) | c;
}

static inline v64
andn_or(v64 a, v64 b, v64 c)
{
	return ~a & (b | c);
}

static inline v64
or_andn(v64 a, v64 b, v64 c)
{
	return a | (~b & c);
}

static inline v64
or_nor(v64 a, v64 b, v64 c)
{
	return a | ~(b | c);
}

static inline v64
clamp(v64 x)
{
	v64 hi = (v64)((s64)x > (s64)vset(127));
	v64 lo = (v64)((s64)x < (s64)vset((uint64_t)-128));

	return pick(lo, vset((uint64_t)-128), pick(hi, vset(127), x));
}

static inline v64
top8(v64 x)
{
	return ((x >> 56) ^ 0x80) - 0x80;
}

#if defined(ISA_avx2)
static inline v64
pops8(v64 x, v64 *upper)
{
	const __m256i f = _mm256_set1_epi8(15), t = _mm256_setr_epi8(
	    0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
	    0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	__m256i lo = (__m256i)x & f, hi = (__m256i)(x >> 4) & f;

	*upper = (v64)_mm256_shuffle_epi8(t, hi);
	return add8((v64)_mm256_shuffle_epi8(t, lo), *upper);
}

static inline v64
pop8(v64 x)
{
	v64 upper;

	return pops8(x, &upper);
}

static inline v64
spread8(v64 x)
{
	return (v64)_mm256_shuffle_epi8((__m256i)x, _mm256_setr_epi8(
	    0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8,
	    0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8));
}

static inline v64
max8(v64 a, v64 b)
{
	return (v64)_mm256_max_epi8((__m256i)a, (__m256i)b);
}

static inline uint64_t
le8(v64 a, v64 b)
{
	__m256i gt = _mm256_cmpgt_epi8((__m256i)a, (__m256i)b);

	return (uint32_t)~_mm256_movemask_epi8(gt);
}

static inline uint64_t
zero8(v64 a)
{
	__m256i eq = _mm256_cmpeq_epi8((__m256i)a, _mm256_setzero_si256());

	return (uint32_t)_mm256_movemask_epi8(eq);
}

static inline bool
any_le(v64 a, v64 b)
{
	__m256i gt = _mm256_cmpgt_epi64((__m256i)a, (__m256i)b);

	return _mm256_movemask_epi8(gt) != -1;
}

#elif defined(ISA_neon)
static inline v64
pop8(v64 x)
{
	return (v64)vcntq_u8((neon)x);
}

static inline v64
pops8(v64 x, v64 *upper)
{
	*upper = pop8(x & vset(0xf0f0f0f0f0f0f0f0));
	return pop8(x);
}

static inline v64
spread8(v64 x)
{
	const v64 at = { 0, 0x0808080808080808 };

	return (v64)vqtbl1q_u8((neon)x, (neon)at);
}

static inline v64
max8(v64 a, v64 b)
{
	return (v64)vmaxq_s8((int8x16_t)a, (int8x16_t)b);
}

static inline uint64_t
le8(v64 a, v64 b)
{
	return neon_mask8(vcleq_s8((int8x16_t)a, (int8x16_t)b));
}

static inline uint64_t
zero8(v64 a)
{
	return neon_mask8(vceqzq_u8((neon)a));
}

static inline bool
any_le(v64 a, v64 b)
{
	return neon_any((neon)vcleq_s64((int64x2_t)a, (int64x2_t)b));
}

#else /* any width by C alone */
static inline v64
pops8(v64 x, v64 *upper)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	*upper = x >> 4 & 0x0f0f0f0f0f0f0f0f;
	return (x & 0x0f0f0f0f0f0f0f0f) + *upper;
}

static inline v64
pop8(v64 x)
{
	v64 upper;

	return pops8(x, &upper);
}

static inline v64
spread8(v64 x)
{
	return (x & 0xff) * 0x0101010101010101;
}

static inline v64
max8(v64 a, v64 b)
{
	return pick((v64)((s8)a > (s8)b), a, b);
}

static inline uint64_t
le8(v64 a, v64 b)
{
	int8_t x[VBYTES], y[VBYTES];
	uint64_t mask = 0;

	memcpy(x, &a, VBYTES);
	memcpy(y, &b, VBYTES);
	for (int i = 0; i < VBYTES; i++)
		mask |= (uint64_t)(x[i] <= y[i]) << i;
	return mask;
}

static inline uint64_t
zero8(v64 a)
{
	uint8_t x[VBYTES];
	uint64_t mask = 0;

	memcpy(x, &a, VBYTES);
	for (int i = 0; i < VBYTES; i++)
		mask |= (uint64_t)!x[i] << i;
	return mask;
}

static inline bool
any_le(v64 a, v64 b)
{
	for (int l = 0; l < LANES; l++)
		if ((int64_t)a[l] <= (int64_t)b[l])
			return true;
	return false;
}
#endif
#endif

/* Bit 8 l: any of the eight from 8 l on. */
static inline uint64_t
any_byte(uint64_t x)
{
	x |= x >> 4;
	x |= x >> 2;
	return (x | x >> 1) & 0x0101010101010101;
}

/*
 * Bit 8 l: lane l is not 0; and to[l] = { a, b, c, d } of lane l.
 */
#if defined(ISA_avx512)
static inline uint64_t
not_zero(v64 x)
{
	return any_byte(_mm512_test_epi8_mask((__m512i)x, (__m512i)x));
}

static inline void
put_lanes(v64 a, v64 b, v64 c, v64 d, uint64_t *const to[LANES])
{
	const __m512i lo = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
	const __m512i hi = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
	/* 128-bit parts: lanes 0 2 4 6, and 1 3 5 7 */
	__m512i ab[2] = {
		_mm512_unpacklo_epi64((__m512i)a, (__m512i)b),
		_mm512_unpackhi_epi64((__m512i)a, (__m512i)b),
	}, cd[2] = {
		_mm512_unpacklo_epi64((__m512i)c, (__m512i)d),
		_mm512_unpackhi_epi64((__m512i)c, (__m512i)d),
	};

#pragma GCC unroll 2
	for (int i = 0; i < 2; i++) {
		__m512i x = _mm512_permutex2var_epi64(ab[i], lo, cd[i]);
		__m512i y = _mm512_permutex2var_epi64(ab[i], hi, cd[i]);

		_mm256_storeu_si256((void *)to[i], _mm512_castsi512_si256(x));
		_mm256_storeu_si256((void *)to[i + 2],
				    _mm512_extracti64x4_epi64(x, 1));
		_mm256_storeu_si256((void *)to[i + 4],
				    _mm512_castsi512_si256(y));
		_mm256_storeu_si256((void *)to[i + 6],
				    _mm512_extracti64x4_epi64(y, 1));
	}
}
#elif defined(ISA_avx2)
static inline uint64_t
not_zero(v64 x)
{
	return any_byte(zero8(x) ^ 0xffffffff);
}

static inline void
put_lanes(v64 a, v64 b, v64 c, v64 d, uint64_t *const to[LANES])
{
	/* 128-bit parts: lanes 0 2, and 1 3 */
	__m256i ab[2] = {
		_mm256_unpacklo_epi64((__m256i)a, (__m256i)b),
		_mm256_unpackhi_epi64((__m256i)a, (__m256i)b),
	}, cd[2] = {
		_mm256_unpacklo_epi64((__m256i)c, (__m256i)d),
		_mm256_unpackhi_epi64((__m256i)c, (__m256i)d),
	};

#pragma GCC unroll 2
	for (int i = 0; i < 2; i++) {
		_mm256_storeu_si256((void *)to[i],
		    _mm256_permute2x128_si256(ab[i], cd[i], 0x20));
		_mm256_storeu_si256((void *)to[i + 2],
		    _mm256_permute2x128_si256(ab[i], cd[i], 0x31));
	}
}
#elif defined(ISA_neon)
static inline uint64_t
not_zero(v64 x)
{
	return (x[0] != 0) | (uint64_t)(x[1] != 0) << 8;
}

static inline void
put_lanes(v64 a, v64 b, v64 c, v64 d, uint64_t *const to[LANES])
{
	vst1q_u64(to[0], vzip1q_u64(a, b));
	vst1q_u64(to[0] + 2, vzip1q_u64(c, d));
	vst1q_u64(to[1], vzip2q_u64(a, b));
	vst1q_u64(to[1] + 2, vzip2q_u64(c, d));
}
#else
static inline uint64_t
not_zero(v64 x)
{
	uint64_t some = 0;

	for (int l = 0; l < LANES; l++)
		some |= (uint64_t)(x[l] != 0) << 8 * l;
	return some;
}

static inline void
put_lanes(v64 a, v64 b, v64 c, v64 d, uint64_t *const to[LANES])
{
	for (int l = 0; l < LANES; l++) {
		to[l][0] = a[l];
		to[l][1] = b[l];
		to[l][2] = c[l];
		to[l][3] = d[l];
	}
}
#endif

/* to[i] of lane l = p[l][i], i < 4 */
#if defined(ISA_avx512)
static inline void
transpose4(const uint64_t *const *p, v64 *to)
{
	__m512i a[4], b[4];

#pragma GCC unroll 8
	for (int i = 0; i < 4; i++)	/* lanes i and i + 4 */
		a[i] = _mm512_inserti64x4(_mm512_castsi256_si512(
		    _mm256_loadu_si256((const void *)p[i])),
		    _mm256_loadu_si256((const void *)p[i + 4]), 1);
	b[0] = _mm512_unpacklo_epi64(a[0], a[1]);
	b[1] = _mm512_unpackhi_epi64(a[0], a[1]);
	b[2] = _mm512_unpacklo_epi64(a[2], a[3]);
	b[3] = _mm512_unpackhi_epi64(a[2], a[3]);
#pragma GCC unroll 8
	for (int i = 0; i < 2; i++) {
		/* 128-bit parts of b: words i, i+2 of lanes 0-3, of 4-7 */
		const __m512i lo = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
		const __m512i hi = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14,
						     15);

		to[i] = (v64)_mm512_permutex2var_epi64(b[i], lo, b[i + 2]);
		to[i + 2] = (v64)_mm512_permutex2var_epi64(b[i], hi, b[i + 2]);
	}
}
#elif defined(ISA_avx2)
static inline void
transpose4(const uint64_t *const *p, v64 *to)
{
	__m256i a[4], b[4];

#pragma GCC unroll 8
	for (int i = 0; i < 4; i++)
		a[i] = _mm256_loadu_si256((const void *)p[i]);
	b[0] = _mm256_unpacklo_epi64(a[0], a[1]);
	b[1] = _mm256_unpackhi_epi64(a[0], a[1]);
	b[2] = _mm256_unpacklo_epi64(a[2], a[3]);
	b[3] = _mm256_unpackhi_epi64(a[2], a[3]);
#pragma GCC unroll 8
	for (int i = 0; i < 2; i++) {
		to[i] = (v64)_mm256_permute2x128_si256(b[i], b[i + 2], 0x20);
		to[i + 2] = (v64)_mm256_permute2x128_si256(b[i], b[i + 2],
							   0x31);
	}
}
#elif defined(ISA_neon)
static inline void
transpose4(const uint64_t *const *p, v64 *to)
{
#pragma GCC unroll 2
	for (int i = 0; i < 4; i += 2) {
		v64 a = vld1q_u64(p[0] + i), b = vld1q_u64(p[1] + i);

		to[i] = vzip1q_u64(a, b);
		to[i + 1] = vzip2q_u64(a, b);
	}
}
#else
static inline void
transpose4(const uint64_t *const *p, v64 *to)
{
	for (int i = 0; i < 4; i++) {
		uint64_t x[LANES];

		for (int l = 0; l < LANES; l++)
			x[l] = p[l][i];
		memcpy(&to[i], x, VBYTES);
	}
}
#endif

static inline bool
any8(v64 a)	/* a is not 0 */
{
#if defined(ISA_neon)
	return neon_any((neon)a);
#else
	return zero8(a) != ~0ull >> (64 - VBYTES);
#endif
}

#endif
