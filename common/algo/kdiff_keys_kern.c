/* SPDX-License-Identifier: MIT */
/* kdiff_keys_kern.c - which q letters of a text are in an index */
#include "algo/kdiff_kern.h"
#include "base/simd.h"

#if defined(ISA_avx512)
uint32_t
KERN(kdiff_keys)(const uint32_t *present, unsigned q, uint64_t lo, uint64_t hi,
		 uint32_t key[KDIFF_KEYS])
{
	const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
					       10, 11, 12, 13, 14, 15);
	const __m512i mask = _mm512_set1_epi32((1 << q) - 1);
	const __m128i up = _mm_cvtsi32_si128((int)q);
	uint32_t found = 0;

	for (int i = 0; i < KDIFF_KEYS; i += 16) {
		/* 16 + q - 1 letters are enough */
		__m512i l = _mm512_set1_epi32((int)(lo >> i));
		__m512i h = _mm512_set1_epi32((int)(hi >> i)), word;

		l = _mm512_and_si512(_mm512_srlv_epi32(l, iota), mask);
		h = _mm512_and_si512(_mm512_srlv_epi32(h, iota), mask);
		l = _mm512_or_si512(l, _mm512_sll_epi32(h, up));
		_mm512_storeu_si512(key + i, l);
		word = _mm512_i32gather_epi32(_mm512_srli_epi32(l, 5),
					      present, 4);
		word = _mm512_rorv_epi32(word, l);	/* modulo 32 */
		found |= (uint32_t)_mm512_test_epi32_mask(word,
		    _mm512_set1_epi32(1)) << i;
	}
	return found;
}
#elif defined(ISA_avx2)
uint32_t
KERN(kdiff_keys)(const uint32_t *present, unsigned q, uint64_t lo, uint64_t hi,
		 uint32_t key[KDIFF_KEYS])
{
	const __m256i iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const __m256i mask = _mm256_set1_epi32((1 << q) - 1);
	const __m256i top = _mm256_set1_epi32(31);
	const __m128i up = _mm_cvtsi32_si128((int)q);
	uint32_t found = 0;

	for (int i = 0; i < KDIFF_KEYS; i += 8) {
		__m256i l = _mm256_set1_epi32((int)(lo >> i));
		__m256i h = _mm256_set1_epi32((int)(hi >> i)), word;

		l = _mm256_and_si256(_mm256_srlv_epi32(l, iota), mask);
		h = _mm256_and_si256(_mm256_srlv_epi32(h, iota), mask);
		l = _mm256_or_si256(l, _mm256_sll_epi32(h, up));
		_mm256_storeu_si256((__m256i *)(key + i), l);
		word = _mm256_i32gather_epi32((const int *)present,
					      _mm256_srli_epi32(l, 5), 4);
		/* the key's bit of the word to the top */
		word = _mm256_sllv_epi32(word, _mm256_andnot_si256(l, top));
		found |= (uint32_t)_mm256_movemask_ps(
		    _mm256_castsi256_ps(word)) << i;
	}
	return found;
}
#else
uint32_t
KERN(kdiff_keys)(const uint32_t *present, unsigned q, uint64_t lo, uint64_t hi,
		 uint32_t key[KDIFF_KEYS])
{
	const uint32_t mask = (1u << q) - 1;
	uint32_t found = 0;

	for (unsigned i = 0; i < KDIFF_KEYS; i++) {
		uint32_t y = ((uint32_t)(lo >> i) & mask) |
			     ((uint32_t)(hi >> i) & mask) << q;

		key[i] = y;
		found |= (present[y / 32] >> y % 32 & 1) << i;
	}
	return found;
}
#endif
