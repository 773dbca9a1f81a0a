/* SPDX-License-Identifier: MIT */
/* primer_rows_vec.h - a column of 64 rows of Myers' matrix in each lane */
#ifndef SEQF_PRIMER_ROWS_VEC_H
#define SEQF_PRIMER_ROWS_VEC_H

#include "algo/kdiff_vec.h"
#include "algo/primer_blocks.h"

/* A letter of text in each lane, as what a word's matches are found by. */
struct primer_letter {
	v64 at, some;
};

/* What the words of a column hand down: horizontal differences. */
struct primer_hand {
	v64 up, down;	/* in bit 63 */
};

#if defined(ISA_avx512)
static inline struct primer_letter
primer_letter(const uint8_t *s, enum primer_eq how)
{
	(void)how;
	return (struct primer_letter){
		.at = (v64)_mm512_cvtepu8_epi64(_mm_loadl_epi64((void *)s)),
	};
}

static inline v64
primer_matches_of(const uint64_t *eq, struct primer_letter c,
		  enum primer_eq how)
{
	__m512i at = (__m512i)c.at;

	if (how == PRIMER_EQ_8)
		return (v64)_mm512_permutexvar_epi64(at,
		    _mm512_loadu_si512(eq));
	if (how == PRIMER_EQ_16)
		return (v64)_mm512_permutex2var_epi64(_mm512_loadu_si512(eq),
		    at, _mm512_loadu_si512(eq + 8));
	return (v64)_mm512_i64gather_epi64(at, eq, 8);
}

/* Bit l: lane l is negative. */
static inline uint32_t
primer_negative(v64 x)
{
	return _mm512_movepi64_mask((__m512i)x);
}

#elif defined(ISA_avx2)
/* Symbols 1 to 4 are halves 2 s - 2 and 2 s - 1 of a word's matches; 0 has
 * none. */
static inline struct primer_letter
primer_letter(const uint8_t *s, enum primer_eq how)
{
	int32_t four;
	v64 at;

	memcpy(&four, s, sizeof four);
	at = (v64)_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
	if (how == PRIMER_EQ_8)
		return (struct primer_letter){
			.at = (at * 2 - 2) * 0x100000001 + 0x100000000,
			.some = (v64)(at != 0),
		};
	return (struct primer_letter){ .at = at };
}

static inline v64
primer_matches_of(const uint64_t *eq, struct primer_letter c,
		  enum primer_eq how)
{
	if (how == PRIMER_EQ_8)
		return (v64)_mm256_permutevar8x32_epi32(
		    _mm256_loadu_si256((void *)(eq + 1)), (__m256i)c.at) &
		    c.some;
	return (v64)_mm256_i64gather_epi64((void *)eq, (__m256i)c.at, 8);
}

static inline uint32_t
primer_negative(v64 x)
{
	return (uint32_t)_mm256_movemask_pd((__m256d)x);
}

#else
static inline struct primer_letter
primer_letter(const uint8_t *s, enum primer_eq how)
{
	struct primer_letter c = { .at = { 0 } };

	(void)how;
	for (int l = 0; l < LANES; l++)
		c.at[l] = s[l];
	return c;
}

static inline v64
primer_matches_of(const uint64_t *eq, struct primer_letter c,
		  enum primer_eq how)
{
	v64 x = { 0 };

	(void)how;
	for (int l = 0; l < LANES; l++)
		x[l] = eq[c.at[l]];
	return x;
}

static inline uint32_t
primer_negative(v64 x)
{
	uint32_t mask = 0;

	for (int l = 0; l < LANES; l++)
		mask |= (uint32_t)(x[l] >> 63) << l;
	return mask;
}
#endif

/* 64 rows of a column (Myers, figure 8); h is left unshifted, for scores. */
static inline void
primer_word(v64 eq, v64 *p, v64 *m, struct primer_hand *h)
{
	v64 pv = *p, mv = *m, xv = eq | mv, x, up, down, us, ds;

	eq |= h->down >> 63;
	x = xor_or((eq & pv) + pv, pv, eq);
	up = or_nor(mv, x, pv);
	down = pv & x;
	us = shl1(up, h->up);
	ds = shl1(down, h->down);
	*p = or_nor(ds, xv, us);
	*m = us & xv;
	h->up = up;
	h->down = down;
}

/* D of the row that is marked in each lane, in the column after. */
static inline v64
primer_score(v64 d, const struct primer_hand *h, v64 mark)
{
#if defined(ISA_avx512)
	__m512i x = (__m512i)d, one = _mm512_set1_epi64(1);
	__mmask8 up = _mm512_test_epi64_mask((__m512i)h->up, (__m512i)mark);
	__mmask8 down = _mm512_test_epi64_mask((__m512i)h->down,
					       (__m512i)mark);

	x = _mm512_mask_add_epi64(x, up, x, one);
	return (v64)_mm512_mask_sub_epi64(x, down, x, one);
#else
	return d - (v64)((h->up & mark) != 0) + (v64)((h->down & mark) != 0);
#endif
}

#endif
