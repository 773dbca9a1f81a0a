/* SPDX-License-Identifier: MIT */
/*
 * sw_front_vec.h - rows of the query side by side, for kernels with vectors
 *
 * LANES rows make a strip.  Lane k is row LANES - 1 - k of it and runs as many
 * columns behind the top row, which is in the last lane: at step t it is in
 * column t - (LANES - 1 - k).  What a row needs of the one above is then what
 * the next higher lane had one step (F, H) and two steps (H) ago.  The bottom
 * row is lane 0, from where a store is cheapest.
 */
#ifndef SEQF_SW_SW_FRONT_VEC_H
#define SEQF_SW_SW_FRONT_VEC_H

#include <string.h>

#include "base/simd.h"
#include "sw/sw_front.h"

#if VBYTES >= 16

enum { LANES = VBYTES / 4 };
typedef int32_t v32 __attribute__((vector_size(VBYTES)));

INLINE v32
vset(int32_t x)
{
	return (v32){ 0 } + x;
}

/* The row of each lane, from the top: so many columns it is behind. */
INLINE v32
behind(void)
{
	static const int32_t row[] = { 15, 14, 13, 12, 11, 10, 9, 8,
				       7, 6, 5, 4, 3, 2, 1, 0 };
	v32 x;

	memcpy(&x, row + 16 - LANES, sizeof x);
	return x;
}

#if defined(ISA_avx512)
INLINE v32
vmax(v32 a, v32 b)
{
	return (v32)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

/* What each row had, for the row below it; `in` is for the top row. */
INLINE v32
below(v32 x, int32_t in)
{
	return (v32)_mm512_alignr_epi32(_mm512_set1_epi32(in), (__m512i)x, 1);
}

/* The same where `above` has the row above the top one, in its lane 0. */
INLINE v32
below_of(v32 x, v32 above)
{
	return (v32)_mm512_alignr_epi32((__m512i)above, (__m512i)x, 1);
}

/* Bit k: lane k. */
INLINE unsigned
equal(v32 a, v32 b)
{
	return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}

INLINE unsigned
not_less(v32 a, v32 b)
{
	return _mm512_cmpge_epi32_mask((__m512i)a, (__m512i)b);
}

/* a >= b ? x : y */
INLINE v32
pick(v32 a, v32 b, v32 x, v32 y)
{
	return (v32)_mm512_mask_mov_epi32((__m512i)y,
	    _mm512_cmpge_epi32_mask((__m512i)a, (__m512i)b), (__m512i)x);
}

/* Lanes of the bits of m, packed. */
INLINE void
put_lanes(void *to, unsigned m, v32 x)
{
	_mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)m,
							    (__m512i)x));
}

INLINE v32
widen(const int8_t *x)
{
	return (v32)_mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)x));
}

/* b where the 64 bits of m, a byte each, are set, else a. */
INLINE v8
blend(uint64_t m, v8 a, v8 b)
{
	return (v8)_mm512_mask_blend_epi8(m, (__m512i)a, (__m512i)b);
}

#elif defined(ISA_avx2)
INLINE v32
vmax(v32 a, v32 b)
{
	return (v32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

INLINE v32
below(v32 x, int32_t in)
{
	const __m256i next = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);

	return (v32)_mm256_blend_epi32(
	    _mm256_permutevar8x32_epi32((__m256i)x, next),
	    _mm256_set1_epi32(in), 0x80);
}

INLINE v32
below_of(v32 x, v32 above)
{
	return below(x, above[0]);
}

INLINE unsigned
lane_bits(__m256i x)
{
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(x));
}

INLINE unsigned
equal(v32 a, v32 b)
{
	return lane_bits((__m256i)(a == b));
}

INLINE unsigned
not_less(v32 a, v32 b)
{
	return lane_bits(_mm256_cmpgt_epi32((__m256i)b, (__m256i)a)) ^ 0xff;
}

INLINE v32
pick(v32 a, v32 b, v32 x, v32 y)
{
	return (v32)_mm256_blendv_epi8((__m256i)x, (__m256i)y,
	    _mm256_cmpgt_epi32((__m256i)b, (__m256i)a));
}

INLINE void
put_lanes(void *to, unsigned m, v32 x)
{
	for (int32_t *p = to; m; m &= m - 1)
		*p++ = x[__builtin_ctz(m)];
}

INLINE v32
widen(const int8_t *x)
{
	return (v32)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)x));
}

INLINE v8
blend(uint64_t m, v8 a, v8 b)
{
	const v64 bit = { 0x8040201008040201, 0x8040201008040201,
			  0x8040201008040201, 0x8040201008040201 };
	const __m256i byte = _mm256_setr_epi8(
	    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	    2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
	__m256i at = _mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)m), byte);

	return (v8)_mm256_blendv_epi8((__m256i)a, (__m256i)b,
	    (__m256i)(((v8)at & (v8)bit) == (v8)bit));
}

#else /* NEON */
INLINE v32
vmax(v32 a, v32 b)
{
	return vmaxq_s32(a, b);
}

INLINE v32
below(v32 x, int32_t in)
{
	return vextq_s32(x, vdupq_n_s32(in), 1);
}

INLINE v32
below_of(v32 x, v32 above)
{
	return vextq_s32(x, above, 1);
}

INLINE unsigned
equal(v32 a, v32 b)
{
	return neon_mask32(vceqq_s32(a, b));
}

INLINE unsigned
not_less(v32 a, v32 b)
{
	return neon_mask32(vcgeq_s32(a, b));
}

INLINE v32
pick(v32 a, v32 b, v32 x, v32 y)
{
	return vbslq_s32(vcgeq_s32(a, b), x, y);
}

INLINE void
put_lanes(void *to, unsigned m, v32 x)
{
	for (int32_t *p = to; m; m &= m - 1)
		*p++ = x[__builtin_ctz(m)];
}

INLINE v32
widen(const int8_t *x)
{
	int32_t four;

	memcpy(&four, x, sizeof four);
	return vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8((uint32_t)four))));
}

INLINE v8
blend(uint64_t m, v8 a, v8 b)
{
	return vbslq_u8(neon_spread(m, 0), b, a);
}
#endif

/*
 * Scores of a strip against every text letter, lanes in order; what is no
 * letter scores -factor, or less (SW_PAD, at 64): below 0, so that no path
 * starts or passes there at a gain, which is enough: see the kernels.
 */
enum { PROFILE = SW_LETTERS + 1 };
struct profile {
	union {
		int8_t s8[PROFILE][LANES];
		int32_t s32[PROFILE][LANES];
	} at;
	bool wide;	/* s32 */
};

/* Codes q of the strip's rows; scores are multiplied by the factor. */
static inline void
profile_of(struct profile *p, const struct sw_scoring *s, const uint8_t *q,
	   int32_t factor, bool wide)
{
	memset(&p->at, -factor, wide ? sizeof p->at.s32 : sizeof p->at.s8);
	p->wide = wide;
	for (unsigned k = 0; k < LANES; k++) {
		uint8_t c = q[LANES - 1 - k];

		if (c >= s->letters)
			continue;
		for (unsigned a = 0; !wide && a < s->letters; a++)
			p->at.s8[a][k] = (int8_t)(factor * s->score[c][a]);
		for (unsigned a = 0; wide && a < s->letters; a++)
			p->at.s32[a][k] = factor * s->score[c][a];
	}
}

/* Do the scores fit 8 bits? */
static inline bool
is_wide(const struct sw_query *q, int32_t factor)
{
	return factor * q->best > INT8_MAX || factor * q->worst < INT8_MIN;
}

/*
 * A block's scores: entry WARM + i is what the lanes need at step i of it.  The
 * columns' scores are put side by side, then each lane is set back by as many
 * columns as its row is behind, a bit of that number at a time.
 */
enum { STEPS = 256, WARM = 2 * LANES };
struct scores {
	union {
		int8_t s8[WARM + STEPS][LANES];
		int32_t s32[WARM + STEPS][LANES];
		uint8_t bytes[(WARM + STEPS) * VBYTES];
	} at;
} __attribute__((aligned(64)));

/* Bytes of the lanes whose row has bit b in its number from the top. */
INLINE uint64_t
late(unsigned b, const unsigned size)
{
	static const uint64_t m1[] = { 0x5555555555555555, 0x3333333333333333,
				       0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff };
	static const uint64_t m4[] = { 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff,
				       0x0000ffff0000ffff, 0x00000000ffffffff };

	return size == 1 ? m1[b] : m4[b];
}

/* From the end on, so that what stands before is still as it was. */
INLINE void
set_back(struct scores *s, size_t n, const unsigned b, const unsigned size)
{
	const uint64_t m = late(b, size);
	const size_t by = (size_t)(LANES * size) << b;

	for (size_t i = n; i >= by + VBYTES; i -= VBYTES) {
		uint8_t *p = s->at.bytes + i - VBYTES;
		v8 now, old;

		memcpy(&now, p, VBYTES);
		memcpy(&old, p - by, VBYTES);
		now = blend(m, now, old);
		memcpy(p, &now, VBYTES);
	}
}

/*
 * Entry WARM + i needs none before WARM + i - (LANES - 1), and no vector left
 * out has those: VBYTES and what it is set back by are LANES entries at most.
 */
INLINE void
set_all_back(struct scores *s, size_t steps, const unsigned size)
{
	size_t n = (WARM + steps) * LANES * size;

	n = (n + VBYTES - 1) / VBYTES * VBYTES;
	set_back(s, n, 0, size);
	set_back(s, n, 1, size);
	if (LANES > 4)
		set_back(s, n, 2, size);
	if (LANES > 8)
		set_back(s, n, 3, size);
}

/*
 * Scores of `steps` columns from t on, STEPS at most, of which `before` stand
 * before t; what is before those is no letter.  If `before` is negative, so
 * many of the steps are.
 */
INLINE void
scores_of(struct scores *s, const struct profile *p, const uint8_t *t,
	  ptrdiff_t before, size_t steps, const unsigned size)
{
	const size_t column = LANES * size;
	const uint8_t *from = (const uint8_t *)&p->at;
	uint8_t *to = s->at.bytes + WARM * column;
	size_t none = before < 0 ? (size_t)-before : 0;

	none = none < steps ? none : steps;
	for (ptrdiff_t i = 1 - LANES; i < (ptrdiff_t)none; i++) {
		unsigned a = -i > before ? SW_LETTERS : t[i];

		a = a < SW_LETTERS ? a : SW_LETTERS;
		memcpy(to + i * (ptrdiff_t)column, from + a * column, column);
	}
	for (size_t i = none; i < steps; i++) {
		unsigned a = t[i] < SW_LETTERS ? t[i] : SW_LETTERS;

		memcpy(to + i * column, from + a * column, column);
	}
	set_all_back(s, steps, size);
}

INLINE v32
score_at(const struct scores *s, size_t i, const unsigned size)
{
	v32 x;

	if (size == 1)
		return widen(s->at.s8[WARM + i]);
	memcpy(&x, s->at.s32[WARM + i], sizeof x);
	return x;
}

/*
 * Few letters: scores of all pairs in two vectors, of the row's letter * SW_FEW
 * + that of the text, which is below SW_FEW.  Rows behind the query's last have
 * the scores of the first letter.
 */
struct few {
	v32 low, high;
};

INLINE bool
is_few(const struct sw_scoring *s)
{
	return LANES > 8 && s->letters < SW_FEW;
}

INLINE struct few
few_of(const int32_t pair[SW_PAIRS])
{
	struct few f;

	memcpy(&f.low, pair, sizeof f.low);
	memcpy(&f.high, pair + LANES, sizeof f.high);
	return f;
}

INLINE v32
few_rows(const struct sw_scoring *s, const uint8_t *row)
{
	v32 x = { 0 };

	for (unsigned k = 0; k < LANES; k++) {
		uint8_t c = row[LANES - 1 - k];

		x[k] = c < s->letters ? c * SW_FEW : 0;
	}
	return x;
}

/* The top row is in column col; the others are as many columns behind. */
INLINE v32
few_at(const struct few *f, v32 row, const uint8_t *col)
{
#if defined(ISA_avx512)
	__m128i x = _mm_loadu_si128((const void *)(col + 1 - LANES));
	v32 at = (v32)_mm512_cvtepu8_epi32(x) + row;

	return (v32)_mm512_permutex2var_epi32((__m512i)f->low, (__m512i)at,
					      (__m512i)f->high);
#else
	return f->low + row + *col;	/* never called: is_few() */
#endif
}

/* The larger of each lane and of those of n values: the largest one of all is
 * in some lane. */
INLINE v32
largest(v32 most, const int32_t *h, size_t n)
{
	for (; n % LANES; n--)
		most = vmax(most, vset(h[n - 1]));
	for (size_t i = 0; i < n; i += LANES) {
		v32 y;

		memcpy(&y, h + i, sizeof y);
		most = vmax(most, y);
	}
	return most;
}

#endif

#endif
