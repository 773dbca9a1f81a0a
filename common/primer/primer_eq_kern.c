/* SPDX-License-Identifier: MIT */
/* primer_eq_kern.c - kernel of equality masks: pattern letters by symbol */

#include "base/vec.h"
#include "primer/primer_blocks.h"

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

/* Of 64 letters. */
static void
matches(const uint8_t *code, const struct primer *p, uint64_t *eq,
	unsigned n_symbols)
{
	uint64_t of_class[4];

	if (p->par.alphabet == PRIMER_DNA) {
		for (unsigned c = 0; c < 4; c++)
			of_class[c] = equal(code, (uint8_t)(c + 1));
		sets(of_class, eq, p, n_symbols);
	} else {
		for (unsigned s = 1; s < n_symbols; s++)
			eq[s] = equal(code, (uint8_t)s);
	}
}

void
KERN(primer_eq)(const uint8_t *code, struct primer_pattern *pat,
		const struct primer *p, unsigned n_symbols)
{
	uint64_t eq[256], stride = pat->as.stride, *whole = pat->eq;
	uint32_t *half = pat->eq;

	for (uint64_t at = 0; at < pat->rows; at += 64) {
		eq[0] = 0;
		matches(code + at, p, eq, n_symbols);
		for (unsigned s = 0; at == 0 && s < n_symbols; s++)
			eq[s] |= (1ull << pat->wild) - 1;
		if (pat->as.bits == 64) {
			memcpy(whole, eq, n_symbols * sizeof *eq);
			whole += stride;
			continue;
		}
		for (unsigned s = 0; s < n_symbols; s++) {
			half[s] = (uint32_t)eq[s];
			half[stride + s] = (uint32_t)(eq[s] >> 32);
		}
		half += 2 * stride;
	}
}
