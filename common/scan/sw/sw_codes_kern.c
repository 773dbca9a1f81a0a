/* SPDX-License-Identifier: MIT */
/* sw_codes_kern.c - letters of a text to codes of a scoring, 64 at a time */

#include <string.h>

#include "base/port.h"
#include "base/simd.h"
#include "scan/sw/sw_scan_priv.h"

#if defined(ISA_avx512)

static inline void
block(uint8_t *d, uint64_t lo, uint64_t hi, uint64_t exc)
{
	__m512i x = _mm512_or_si512(_mm512_maskz_set1_epi8(lo, 1),
				    _mm512_maskz_set1_epi8(hi, 2));

	_mm512_storeu_si512(d, _mm512_mask_blend_epi8(
		exc, x, _mm512_set1_epi8(SW_CODE_OTHER)));
}

static bool
bytes(uint8_t *d, const uint8_t *s, size_t n, const uint8_t code[256])
{
	const __m512i low = _mm512_loadu_si512(code);
	const __m512i high = _mm512_loadu_si512(code + 64);
	__mmask64 bad = 0;

	for (size_t i = 0; i < n; i += 64) {
		__mmask64 in = n - i < 64 ? ((__mmask64)1 << (n - i)) - 1 :
					    ~(__mmask64)0;
		__m512i x = _mm512_maskz_loadu_epi8(in, s + i);
		__m512i c = _mm512_permutex2var_epi8(low, x, high);

		/* the index is of 7 bits: bit 7 is looked at by itself */
		bad |= in & _mm512_movepi8_mask(_mm512_or_si512(c, x));
		_mm512_storeu_si512(d + i, c);
	}
	return bad != 0;
}

#elif defined(ISA_avx2)

/* Bytes that are `one` where the bit is set. */
static inline __m256i
spread(uint32_t bits, char one)
{
	const __m256i at = _mm256_setr_epi8(
	    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	    2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
	const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
	__m256i x = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), at);

	x = _mm256_cmpeq_epi8(_mm256_and_si256(x, bit), bit);
	return _mm256_and_si256(x, _mm256_set1_epi8(one));
}

/* What is an exception has no bits in the planes. */
static inline void
block(uint8_t *d, uint64_t lo, uint64_t hi, uint64_t exc)
{
	lo &= ~exc;
	hi &= ~exc;
	for (unsigned i = 0; i < 64; i += 32) {
		__m256i x = _mm256_or_si256(spread((uint32_t)(lo >> i), 1),
					    spread((uint32_t)(hi >> i), 2));

		if (exc)
			x = _mm256_or_si256(x, spread((uint32_t)(exc >> i),
						      SW_CODE_OTHER));
		_mm256_storeu_si256((__m256i *)(void *)(d + i), x);
	}
}

/* A sixteenth of the table at a time; from 128 on the byte itself is bad. */
static inline __m256i
codes(__m256i x, const uint8_t *code)
{
	const __m256i low = _mm256_set1_epi8(15);
	__m256i part = _mm256_and_si256(_mm256_srli_epi16(x, 4), low);
	__m256i at = _mm256_and_si256(x, low);
	__m256i r = _mm256_and_si256(x, _mm256_set1_epi8((char)0x80));

	for (int i = 0; i < 8; i++) {
		__m256i t = _mm256_broadcastsi128_si256(_mm_loadu_si128(
			(const __m128i *)(const void *)(code + 16 * i)));
		__m256i mine = _mm256_cmpeq_epi8(part,
						 _mm256_set1_epi8((char)i));

		r = _mm256_or_si256(r, _mm256_and_si256(
			mine, _mm256_shuffle_epi8(t, at)));
	}
	return r;
}

static bool
bytes(uint8_t *d, const uint8_t *s, size_t n, const uint8_t code[256])
{
	__m256i bad = _mm256_setzero_si256();
	uint8_t last[32], rest = 0;
	size_t i;

	for (i = 0; i + 32 <= n; i += 32) {
		__m256i x = codes(_mm256_loadu_si256(
			(const __m256i *)(const void *)(s + i)), code);

		bad = _mm256_or_si256(bad, x);
		_mm256_storeu_si256((__m256i *)(void *)(d + i), x);
	}
	memset(last, 0, sizeof last);
	memcpy(last, s + i, n - i);
	_mm256_storeu_si256((__m256i *)(void *)(d + i), codes(
		_mm256_loadu_si256((const __m256i *)(const void *)last),
		code));
	for (; i < n; i++)
		rest |= d[i];
	return _mm256_movemask_epi8(bad) != 0 || rest >= 0x80;
}

#elif defined(ISA_neon)

/* What is an exception has no bits in the planes. */
static inline void
block(uint8_t *d, uint64_t lo, uint64_t hi, uint64_t exc)
{
	lo &= ~exc;
	hi &= ~exc;
	for (unsigned i = 0; i < 4; i++) {
		vec x = (neon_spread(lo, i) & 1) | (neon_spread(hi, i) & 2);

		if (exc)
			x |= neon_spread(exc, i) & SW_CODE_OTHER;
		vst1q_u8(d + 16 * i, x);
	}
}

/* Half of the table at a time; from 128 on the byte itself is bad. */
static inline vec
codes(vec x, const uint8x16x4_t t[2])
{
	vec r = vqtbl4q_u8(t[0], x);

	return vqtbx4q_u8(r, t[1], x ^ 64) | (x & 0x80);
}

static bool
bytes(uint8_t *d, const uint8_t *s, size_t n, const uint8_t code[256])
{
	const uint8x16x4_t t[2] = { vld1q_u8_x4(code), vld1q_u8_x4(code + 64) };
	vec bad = vdupq_n_u8(0);
	uint8_t last[16] = { 0 }, rest = 0;
	size_t i;

	for (i = 0; i + 16 <= n; i += 16) {
		vec x = codes(vld1q_u8(s + i), t);

		bad |= x;
		vst1q_u8(d + i, x);
	}
	memcpy(last, s + i, n - i);
	vst1q_u8(d + i, codes(vld1q_u8(last), t));
	for (; i < n; i++)
		rest |= d[i];
	return neon_any(bad & 0x80) || rest >= 0x80;
}

#else

/*
 * Bit i of 8 becomes byte i, 0 or 1: byte i keeps bit i only, and adding
 * 0x80 - 2^i carries into bit 7 if it is there, never into the next byte.
 */
static inline uint64_t
spread(uint8_t bits)
{
	uint64_t x = (uint64_t)bits * 0x0101010101010101 & 0x8040201008040201;

	return (x + 0x00406070787c7e7f) >> 7 & 0x0101010101010101;
}

static inline void
block(uint8_t *d, uint64_t lo, uint64_t hi, uint64_t exc)
{
	lo &= ~exc;
	hi &= ~exc;
	for (unsigned i = 0; i < 64; i += 8) {
		uint64_t x = spread((uint8_t)(lo >> i)) |
			     spread((uint8_t)(hi >> i)) << 1;

		if (exc)
			x |= spread((uint8_t)(exc >> i)) * SW_CODE_OTHER;
		x = le64(x);
		memcpy(d + i, &x, 8);
	}
}

static bool
bytes(uint8_t *d, const uint8_t *s, size_t n, const uint8_t code[256])
{
	uint8_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		d[i] = code[s[i]];
		bad |= d[i] | s[i];
	}
	return bad >= 0x80;
}

#endif

/* 64 bits, or fewer if there are but n, from bit `shift` of a plane's word;
 * stride: to its next one, which is read only if it is needed. */
static inline uint64_t
bits_at(const uint64_t *p, size_t stride, unsigned shift, size_t n)
{
	uint64_t x = p[0] >> shift;

	return shift + n > 64 && shift ? x | p[stride] << (64 - shift) : x;
}

static void
planes(uint8_t *d, const uint64_t *two, const uint64_t *exc, size_t beg,
       size_t n)
{
	const uint64_t *p = two + beg / 64 * 2;
	const uint64_t *x = exc ? exc + beg / 64 : NULL;
	unsigned shift = beg % 64;

	for (size_t i = 0; i < n; i += 64, p += 2, d += 64) {
		size_t left = n - i < 64 ? n - i : 64;

		block(d, bits_at(p, 2, shift, left),
		      bits_at(p + 1, 2, shift, left),
		      x ? bits_at(x, 1, shift, left) : 0);
		if (x)
			x++;
	}
}

const struct sw_codes_ops KERN(sw_codes_ops) = { planes, bytes };
