/* SPDX-License-Identifier: MIT */
/* primer_rows_vec.h - a column of Myers' matrix, 64 or 32 rows in each lane */
#ifndef SEQF_PRIMER_PRIMER_ROWS_VEC_H
#define SEQF_PRIMER_PRIMER_ROWS_VEC_H

#include "primer/primer_blocks.h"
#include "primer/primer_vec.h"

/* Rows of a word of scans, which have no use for more at once: twice the
 * lanes, and words to the nearest 32 rows. */
#if VBYTES >= 16
enum { ROWS = 32 };
#else
enum { ROWS = 64 };
#endif

/* Bytes of what a word of a scan matches, where it is not read from memory. */
enum { TABLE = VBYTES < 32 ? 32 : VBYTES };

/* A letter of text in each lane, as what a word's matches are found by. */
struct primer_letter {
	v64 at, some;
};

/* What the words of a column hand down: horizontal differences. */
struct primer_carry {
	v64 up, down;	/* in each lane's top bit */
};

#if defined(ISA_avx512)
static inline struct primer_letter
primer_letter(int bits, const uint8_t *s, enum primer_eq how)
{
	(void)how;
	return (struct primer_letter){
		.at = bits == 32 ?
		    (v64)_mm512_cvtepu8_epi32(_mm_loadu_si128((void *)s)) :
		    (v64)_mm512_cvtepu8_epi64(_mm_loadl_epi64((void *)s)),
	};
}

static inline v64
primer_matches_of(int bits, const void *eq, struct primer_letter c,
		  enum primer_eq how)
{
	__m512i at = (__m512i)c.at;

	if (bits == 32)
		return how == PRIMER_EQ_LOAD ?
		    (v64)_mm512_i32gather_epi32(at, eq, 4) :
		    (v64)_mm512_permutexvar_epi32(at, _mm512_loadu_si512(eq));
	if (how == PRIMER_EQ_8)
		return (v64)_mm512_permutexvar_epi64(at,
		    _mm512_loadu_si512(eq));
	if (how == PRIMER_EQ_16)
		return (v64)_mm512_permutex2var_epi64(_mm512_loadu_si512(eq),
		    at, _mm512_loadu_si512((const uint64_t *)eq + 8));
	return (v64)_mm512_i64gather_epi64(at, eq, 8);
}

/* Bit l: lane l is negative. */
static inline uint32_t
primer_negative(int bits, v64 x)
{
	return bits == 32 ? (uint32_t)_mm512_movepi32_mask((__m512i)x) :
			    (uint32_t)_mm512_movepi64_mask((__m512i)x);
}

/* x << 1 with the top bit of prev coming in */
static inline v64
primer_shl1(int bits, v64 x, v64 prev)
{
	return bits == 32 ? (v64)_mm512_shldi_epi32((__m512i)x, (__m512i)prev,
						    1) : shl1(x, prev);
}

/* D of the row that is marked in each lane, in the column after. */
static inline v64
primer_score(v64 d, const struct primer_carry *h, v64 mark)
{
	__m512i x = (__m512i)d, one = _mm512_set1_epi32(1);
	__mmask16 up = _mm512_test_epi32_mask((__m512i)h->up, (__m512i)mark);
	__mmask16 down = _mm512_test_epi32_mask((__m512i)h->down,
						(__m512i)mark);

	x = _mm512_mask_add_epi32(x, up, x, one);
	return (v64)_mm512_mask_sub_epi32(x, down, x, one);
}

#elif defined(ISA_avx2)
/* Of 64 bits, symbols 1 to 4 are halves 2 s - 2 and 2 s - 1 of a word's
 * matches; 0 has none. */
static inline struct primer_letter
primer_letter(int bits, const uint8_t *s, enum primer_eq how)
{
	int32_t four;
	v64 at;

	if (bits == 32)
		return (struct primer_letter){
			.at = (v64)_mm256_cvtepu8_epi32(
			    _mm_loadl_epi64((void *)s)),
		};
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
primer_matches_of(int bits, const void *eq, struct primer_letter c,
		  enum primer_eq how)
{
	__m256i at = (__m256i)c.at;

	if (bits == 32)
		return how == PRIMER_EQ_LOAD ?
		    (v64)_mm256_i32gather_epi32(eq, at, 4) :
		    (v64)_mm256_permutevar8x32_epi32(
			_mm256_loadu_si256(eq), at);
	if (how == PRIMER_EQ_8)
		return (v64)_mm256_permutevar8x32_epi32(
		    _mm256_loadu_si256((void *)((const uint64_t *)eq + 1)),
		    at) & c.some;
	return (v64)_mm256_i64gather_epi64(eq, at, 8);
}

static inline uint32_t
primer_negative(int bits, v64 x)
{
	return bits == 32 ? (uint32_t)_mm256_movemask_ps((__m256)x) :
			    (uint32_t)_mm256_movemask_pd((__m256d)x);
}

#elif defined(ISA_neon)
/* Tables of 8 words of matches are looked up by bytes. */
static inline struct primer_letter
primer_letter(int bits, const uint8_t *s, enum primer_eq how)
{
	const vec twice = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
	const v64 bytes = vset(0x0706050403020100);
	uint16_t two;

	if (bits == 32) {
		v32 at = neon_widen4(s);

		if (how != PRIMER_EQ_LOAD)
			at = at * 0x04040404 + 0x03020100;
		return (struct primer_letter){ .at = (v64)at };
	}
	memcpy(&two, s, sizeof two);
	if (how != PRIMER_EQ_8)
		return (struct primer_letter){ .at = { s[0], s[1] } };
	return (struct primer_letter){
		.at = (v64)vshlq_n_u8(vqtbl1q_u8((vec)vset(two), twice), 3) |
		      bytes,
	};
}

static inline v64
primer_matches_of(int bits, const void *eq, struct primer_letter c,
		  enum primer_eq how)
{
	const uint32_t *word = eq;
	v32 at = (v32)c.at;

	if (bits == 64 && how == PRIMER_EQ_8)
		return (v64)vqtbl4q_u8(vld1q_u8_x4(eq), (vec)c.at);
	if (bits == 64)
		return (v64){ ((const uint64_t *)eq)[c.at[0]],
			      ((const uint64_t *)eq)[c.at[1]] };
	if (how == PRIMER_EQ_8)
		return (v64)vqtbl2q_u8(vld1q_u8_x2(eq), (vec)c.at);
	return (v64)(v32){ word[at[0]], word[at[1]], word[at[2]],
			   word[at[3]] };
}

static inline uint32_t
primer_negative(int bits, v64 x)
{
	return bits == 32 ? neon_mask32((v32)((int32x4_t)x < 0)) :
			    (uint32_t)(x[0] >> 63 | x[1] >> 63 << 1);
}

#else
static inline struct primer_letter
primer_letter(int bits, const uint8_t *s, enum primer_eq how)
{
	struct primer_letter c = { .at = { 0 } };

	(void)bits;
	(void)how;
	for (int l = 0; l < LANES; l++)
		c.at[l] = s[l];
	return c;
}

static inline v64
primer_matches_of(int bits, const uint64_t *eq, struct primer_letter c,
		  enum primer_eq how)
{
	v64 x = { 0 };

	(void)bits;
	(void)how;
	for (int l = 0; l < LANES; l++)
		x[l] = eq[c.at[l]];
	return x;
}

static inline uint32_t
primer_negative(int bits, v64 x)
{
	uint32_t mask = 0;

	(void)bits;
	for (int l = 0; l < LANES; l++)
		mask |= (uint32_t)(x[l] >> 63) << l;
	return mask;
}
#endif

#if !defined(ISA_avx512)
static inline v64
primer_shl1(int bits, v64 x, v64 prev)
{
	return bits == 32 ? (v64)((v32)x + (v32)x) | (v64)((v32)prev >> 31) :
			    shl1(x, prev);
}

/* Without a mark both are equal, which is no change. */
static inline v64
primer_score(v64 d, const struct primer_carry *h, v64 mark)
{
#if VBYTES >= 16
	v32 up = (v32)((v32)(h->up & mark) == (v32)mark);
	v32 down = (v32)((v32)(h->down & mark) == (v32)mark);

	return (v64)((v32)d - up + down);
#else
	return d - (v64)((h->up & mark) != 0) + (v64)((h->down & mark) != 0);
#endif
}
#endif

/*
 * A word of rows, by one column: of its vertical differences, level has the
 * rows that are not one more than the one above, m those that are one less.
 * So Hyyro's formulas need no complement: with p = ~level,
 *	d = (((e & p) + p) ^ p) | e = ((level - (e & p)) ^ level) | e
 * as ~(x + p) = level - x.  h is left unshifted, for scores.
 */
static inline void
primer_word(int bits, v64 eq, v64 *level, v64 *m, struct primer_carry *h)
{
	v64 lv = *level, mv = *m, e, d, up, down, us, ds;

	e = or3(eq, mv, bits == 32 ? (v64)((v32)h->down >> 31) :
				     h->down >> 63);
	d = xor_or(vsub(bits, lv, ~lv & e), lv, e);
	up = or_andn(mv, d, lv);
	down = ~lv & d;
	us = primer_shl1(bits, up, h->up);
	ds = primer_shl1(bits, down, h->down);
	*level = andn_or(ds, d, us);
	*m = us & d;
	h->up = up;
	h->down = down;
}

#endif
