/* SPDX-License-Identifier: MIT */
/* kdiff_gather_kern.c - text of all lanes to one plane a symbol */
#include "algo/kdiff_kern.h"
#include "algo/kdiff_vec.h"
#include "base/dna.h"

#define INLINE static inline __attribute__((always_inline))

struct planes {
	v64 w[KDIFF_WORDS];
};

/* n words from index at of a[0..have); those beyond are 0. */
static inline const uint64_t *
words_at(const uint64_t *a, uint64_t have, uint64_t at, unsigned n,
	 uint64_t *tmp)
{
	if (at <= have && n <= have - at)
		return a + at;
	for (unsigned i = 0; i < n; i++)
		tmp[i] = at + i < have ? a[at + i] : 0;
	return tmp;
}

/* to[i] of lane l = p[l][i], i < n; n is 4, 8 or 16. */
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
#else
static inline void
transpose4(const uint64_t *const *p, v64 *to)
{
#pragma GCC unroll 8
	for (int i = 0; i < 4; i++)
#pragma GCC unroll 8
		for (int l = 0; l < LANES; l++)
			to[i][l] = p[l][i];
}
#endif

INLINE void
load(const uint64_t *a, uint64_t have, const uint64_t at[LANES], unsigned n,
     v64 *to)
{
	uint64_t tmp[LANES][16];
	const uint64_t *p[LANES];

#pragma GCC unroll 8
	for (int l = 0; l < LANES; l++)
		p[l] = words_at(a, have, at[l], n, tmp[l]);
#pragma GCC unroll 4
	for (unsigned i = 0; i < n; i += 4) {
		transpose4(p, to + i);
#pragma GCC unroll 8
		for (int l = 0; l < LANES; l++)
			p[l] += 4;
	}
}

/* one[b] = letters that are (or may be) A C G T, none where bad is set. */
INLINE void
four_planes(const struct kdiff_source *src, const uint64_t word[LANES],
	    const v64 *gap, struct planes one[4])
{
	uint64_t have = src->n / 64 + (src->n % 64 != 0), at[LANES];
	v64 t[8], bad[4] = { { 0 } };

#pragma GCC unroll 8
	for (int l = 0; l < LANES; l++)
		at[l] = word[l] * 2;
	load(src->planes, have * 2, at, 8, t);
	if (src->exc)
		load(src->exc, have, word, 4, bad);
#pragma GCC unroll 8
	for (int w = 0; w < KDIFF_WORDS; w++) {
		v64 lo = t[2 * w], hi = t[2 * w + 1], good;

		if (gap)
			bad[w] |= gap[w];
		good = ~bad[w];
		one[0].w[w] = ~(lo | hi) & good;
		one[1].w[w] = lo & ~hi & good;
		one[2].w[w] = hi & ~lo & good;
		one[3].w[w] = lo & hi & good;
	}
}

INLINE void
four_sets(const struct kdiff_source *src, const uint64_t word[LANES],
	  const v64 *gap, struct planes one[4])
{
	uint64_t have = (src->n / 64 + (src->n % 64 != 0)) * 4, at[LANES];
	v64 t[16];

#pragma GCC unroll 8
	for (int l = 0; l < LANES; l++)
		at[l] = word[l] * 4;
	load(src->sets, have, at, 16, t);
#pragma GCC unroll 8
	for (int w = 0; w < KDIFF_WORDS; w++)
		for (int b = 0; b < 4; b++)
			one[b].w[w] = gap ? t[4 * w + b] & ~gap[w] :
					    t[4 * w + b];
}

INLINE void
dna(const struct kdiff_source *src, const uint64_t word[LANES],
    const v64 *gap, struct planes *eq)
{
	struct planes one[4];

	if (src->sets)
		four_sets(src, word, gap, one);
	else
		four_planes(src, word, gap, one);
	for (unsigned s = 0; s < src->n_sym; s++) {
		unsigned set = src->sym[s];

		eq[s] = one[__builtin_ctz(set)];
		for (set &= set - 1; set; set &= set - 1)
#pragma GCC unroll 8
			for (int w = 0; w < KDIFF_WORDS; w++)
				eq[s].w[w] |= one[__builtin_ctz(set)].w[w];
	}
}

/* Which of 64 bytes are a or b. */
static inline uint64_t
equal64(const uint8_t *p, uint8_t a, uint8_t b)
{
#if defined(ISA_avx512)
	__m512i x = _mm512_loadu_si512(p);

	return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)a)) |
	       _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)b));
#else
	uint64_t mask = 0;

	for (int i = 0; i < 64; i += VBYTES) {
		v8 x, y;

		memcpy(&x, p + i, VBYTES);
		y = (v8)(x == a) | (v8)(x == b);
		mask |= zero8(~(v64)y) << i % 64;
	}
	return mask;
#endif
}

static inline void
bytes(const struct kdiff_source *src, const uint64_t word[LANES],
      const v64 *gap, uint64_t *eq)
{
	for (int l = 0; l < LANES; l++)
		for (int w = 0; w < KDIFF_WORDS; w++) {
			uint64_t at = (word[l] + w) * 64, n, keep = ~0ull;
			const uint8_t *p;
			uint8_t tmp[64];

			n = at < src->n ? src->n - at : 0;
			p = n ? src->bytes + at : tmp;
			if (n < 64) {
				memset(tmp, 0, 64);
				memcpy(tmp, p, n);
				p = tmp;
				keep = (1ull << n) - 1;
			}
			if (gap)
				keep &= ~gap[w][l];
			for (unsigned s = 0; s < src->n_sym; s++) {
				uint8_t a = src->sym[s];
				uint8_t b = src->fold ? a ^ 0x20 : a;

				eq[(s * KDIFF_WORDS + w) * LANES + l] =
				    equal64(p, a, b) & keep;
			}
		}
}

void
KERN(kdiff_gather)(const struct kdiff_source *src, struct kdiff_piece *pc)
{
	uint64_t word[LANES], *eq = pc->eq;
	const v64 *gap = (const v64 *)pc->gap;

	for (int l = 0; l < LANES; l++)
		word[l] = pc->at[l] / 64;
	for (unsigned i = 0; i < pc->n_sb; i++) {
		const v64 *g = pc->special[i] ? gap + KDIFF_WORDS * i : NULL;

		if (src->bytes)
			bytes(src, word, g, eq);
		else
			dna(src, word, g, (struct planes *)eq);
		eq += src->n_sym * KDIFF_WORDS * LANES;
		for (int l = 0; l < LANES; l++)
			word[l] += KDIFF_WORDS;
	}
}
