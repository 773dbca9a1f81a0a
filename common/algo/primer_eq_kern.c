/* SPDX-License-Identifier: MIT */
/* primer_eq_kern.c - which letters of a pattern each symbol matches */
#include "algo/kdiff_vec.h"
#include "algo/primer_blocks.h"

/* Bit i: code[i] is c; of 64. */
#if defined(ISA_avx512)
static inline uint64_t
equal(const uint8_t *code, uint8_t c)
{
	return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(code),
				      _mm512_set1_epi8((char)c));
}
#elif defined(ISA_avx2)
static inline uint64_t
equal(const uint8_t *code, uint8_t c)
{
	__m256i x = _mm256_set1_epi8((char)c);
	__m256i a = _mm256_cmpeq_epi8(x, _mm256_loadu_si256((void *)code));
	__m256i b = _mm256_cmpeq_epi8(x,
				      _mm256_loadu_si256((void *)(code + 32)));

	return (uint32_t)_mm256_movemask_epi8(a) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}
#else
static inline uint64_t
equal(const uint8_t *code, uint8_t c)
{
	uint64_t mask = 0;

	for (int i = 0; i < 64; i++)
		mask |= (uint64_t)(code[i] == c) << i;
	return mask;
}
#endif

/* Sets of classes (DNA). */
static void
sets(const uint64_t *of_class, uint64_t *eq, const struct primer *p,
     unsigned n_symbols)
{
	for (unsigned s = 1; s < n_symbols; s++) {
		eq[s] = 0;
		for (unsigned c = 0; c < p->n_classes; c++)
			if (p->holds[s] >> c & 1)
				eq[s] |= of_class[c];
	}
}

/* code: 64 for each word. */
void
KERN(primer_eq)(const uint8_t *code, struct primer_pattern *pat,
		const struct primer *p, unsigned n_symbols)
{
	uint64_t *eq = pat->eq, of_class[4];

	for (uint64_t w = 0; w < pat->words; w++) {
		eq[0] = 0;
		if (p->par.alphabet == PRIMER_DNA) {
			for (unsigned c = 0; c < 4; c++)
				of_class[c] = equal(code, (uint8_t)(c + 1));
			sets(of_class, eq, p, n_symbols);
		} else {
			for (unsigned s = 1; s < n_symbols; s++)
				eq[s] = equal(code, (uint8_t)s);
		}
		eq += pat->stride;
		code += 64;
	}
}
