/* SPDX-License-Identifier: MIT */
/* ebwt_word_kern.c - the letters of a word: which, their codes, and a sum */
#include <string.h>

#include "algo/ebwt_kern.h"
#include "base/simd.h"

enum { PRINT = 8 };	/* letters in a 64-bit word */
typedef uint64_t v64_at __attribute__((vector_size(VBYTES), aligned(1),
				       may_alias));

void
KERN(ebwt_encode)(uint8_t *to, const uint8_t *from, uint64_t n,
		  const uint8_t code[256])
{
	uint64_t i = 0;

#if defined(ISA_avx512)
	__m512i low = _mm512_loadu_si512(code);
	__m512i high = _mm512_loadu_si512(code + 64);

	for (; i + 64 <= n; i += 64) {
		__m512i x = _mm512_loadu_si512(from + i);

		if (_mm512_movepi8_mask(x))
			break;		/* the scalar way from here on */
		_mm512_storeu_si512(to + i,
			_mm512_permutex2var_epi8(low, x, high));
	}
#endif
	for (; i < n; i++)
		to[i] = code[from[i]];
}

void
KERN(ebwt_letters)(uint8_t seen[256], const uint8_t *s, uint64_t n)
{
	uint64_t i = 0;

#if defined(ISA_avx512)
	__m512i low = _mm512_loadu_si512(seen);
	__m512i high = _mm512_loadu_si512(seen + 64);

	for (; i + 64 <= n; i += 64) {
		__m512i x = _mm512_loadu_si512(s + i);
		__m512i known = _mm512_permutex2var_epi8(low, x, high);

		if (!_mm512_movepi8_mask(x) &&
		    !_mm512_testn_epi8_mask(known, known))
			continue;
		for (unsigned k = 0; k < 64; k++)
			seen[s[i + k]] = 1;
		low = _mm512_loadu_si512(seen);
		high = _mm512_loadu_si512(seen + 64);
	}
#endif
	for (; i < n; i++)
		seen[s[i]] = 1;
}

/* Of the low halves. */
static inline v64
product(v64 a, v64 b)
{
#if defined(ISA_avx512)
	return (v64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(ISA_avx2)
	return (v64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
	return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

/* 0 of 0, and far from linear. */
static inline v64
mix(v64 x)
{
	const v64 zero = { 0 };

	x = product(x, zero + 0x9e3779b1) + product(x >> 32, zero + 0xd6e8feb9);
	x ^= x >> 31;
	return x + product(x, x >> 32);
}

uint64_t
KERN(ebwt_print)(const uint8_t *s, uint32_t n)
{
	v64 sum = { 0 };
	uint64_t i = 0, all = 0;

	for (; i + VBYTES + PRINT <= n; i += VBYTES)
		for (unsigned k = 0; k < PRINT; k++)
			sum += mix(*(const v64_at *)(s + i + k));
	for (; i < n; i++) {
		uint8_t c[PRINT];
		uint64_t word;

		for (unsigned k = 0; i + PRINT > n && k < PRINT; k++)
			c[k] = s[(i + k) % n];
		memcpy(&word, i + PRINT > n ? c : s + i, PRINT);
		sum += mix((v64){ word });
	}
	for (unsigned k = 0; k < VBYTES / 8; k++)
		all += sum[k];
	return all;
}
