/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes_prof_kern.c - letters of all lanes to scores of each query letter
 *
 * SW_PAD in the text scores 0.  That is low enough: before a segment's letters
 * H stays 0.  Behind them, in the last block, the largest H of a column is
 * never above that of the column before, so the block's largest H is right;
 * what comes next is another segment.
 */
#include "algo/sw_lanes_priv.h"
#include "algo/sw_lanes_vec.h"

#if VBYTES >= 32
enum { COLS = 16 };

INLINE vec
load16(const uint8_t *const *at, unsigned from)	/* of lanes 0, 16, ... */
{
#if defined(ISA_avx512)
	__m512i x = _mm512_castsi128_si512(
	    _mm_loadu_si128((const void *)(at[0] + from)));

	x = _mm512_inserti32x4(
	    x, _mm_loadu_si128((const void *)(at[16] + from)), 1);
	x = _mm512_inserti32x4(
	    x, _mm_loadu_si128((const void *)(at[32] + from)), 2);
	return _mm512_inserti32x4(
	    x, _mm_loadu_si128((const void *)(at[48] + from)), 3);
#else
	return _mm256_inserti128_si256(
	    _mm256_castsi128_si256(
		_mm_loadu_si128((const void *)(at[0] + from))),
	    _mm_loadu_si128((const void *)(at[16] + from)), 1);
#endif
}

/*
 * 16 letters of each lane to 16 vectors, one a column.  In each 128 bits a
 * round rotates the 8 bits (vector, byte) of a letter's place by 1.
 */
INLINE void
transpose(const uint8_t *const *at, unsigned from, vec x[COLS])
{
	vec y[COLS];

#pragma GCC unroll 16
	for (unsigned i = 0; i < COLS; i++)
		x[i] = load16(at + i, from);
#pragma GCC unroll 2
	for (int round = 0; round < 2; round++) {
#pragma GCC unroll 8
		for (int i = 0; i < COLS / 2; i++) {
			y[2 * i] = V(unpacklo_epi8)(x[i], x[i + COLS / 2]);
			y[2 * i + 1] = V(unpackhi_epi8)(x[i], x[i + COLS / 2]);
		}
#pragma GCC unroll 8
		for (int i = 0; i < COLS / 2; i++) {
			x[2 * i] = V(unpacklo_epi8)(y[i], y[i + COLS / 2]);
			x[2 * i + 1] = V(unpackhi_epi8)(y[i], y[i + COLS / 2]);
		}
	}
}

#if defined(ISA_avx512)
struct table {
	__m512i v;
};

INLINE struct table
table_of(const int8_t *t)
{
	return (struct table) { _mm512_loadu_si512((const void *)t) };
}

INLINE vec
look_up(const struct table *t, vec letters, unsigned groups)
{
	(void)groups;
	return _mm512_maskz_permutexvar_epi8(
	    ~_mm512_movepi8_mask(letters), letters, t->v);
}
#else
struct table {
	__m256i v[4];
};

INLINE struct table
table_of(const int8_t *t)
{
	struct table x;

	for (unsigned g = 0; g < 4; g++)
		x.v[g] = _mm256_broadcastsi128_si256(
		    _mm_loadu_si128((const void *)(t + 16 * g)));
	return x;
}

/* A shuffle gives 0 for a byte >= 0x80: letters of other groups, SW_PAD. */
INLINE vec
look_up(const struct table *t, vec letters, unsigned groups)
{
	vec x = _mm256_setzero_si256();

	for (unsigned g = 0; g < groups; g++) {
		vec in = _mm256_xor_si256(letters, set8(16 * (int)g));

		in = _mm256_adds_epu8(in, set8(0x70));
		x = _mm256_or_si256(x, _mm256_shuffle_epi8(t->v[g], in));
	}
	return x;
}
#endif

void
KERN(sw_lane_profile8)(struct sw_lanes *s, unsigned from)
{
	vec x[COLS], *profile = (vec *)(void *)s->profile;

	for (unsigned j = 0; j < s->cols; j += COLS) {
		transpose(s->at, from + j, x);
		for (unsigned a = 0; a < s->letters; a++) {
			struct table t = table_of(s->look[a].low);
			vec *to = profile + (size_t)a * s->cols + j;

			for (unsigned i = 0; i < COLS; i++)
				to[i] = look_up(&t, x[i], s->groups);
		}
	}
}

void
KERN(sw_lane_profile16)(struct sw_lanes *s, unsigned from)
{
	size_t half = (size_t)s->letters * s->cols;
	vec x[COLS], *profile = (vec *)(void *)s->profile;

	for (unsigned j = 0; j < s->cols; j += COLS) {
		transpose(s->at, from + j, x);
		for (unsigned a = 0; a < s->letters; a++) {
			struct table low, high;
			vec *to = profile + (size_t)a * s->cols + j;

			low = table_of(s->look[a].low);
			high = table_of(s->look[a].high);
			for (unsigned i = 0; i < COLS; i++) {
				vec lo = look_up(&low, x[i], s->groups);
				vec hi = look_up(&high, x[i], s->groups);

				to[i] = V(unpacklo_epi8)(lo, hi);
				if (s->halves == 2)
					to[half + i] = V(unpackhi_epi8)(lo, hi);
			}
		}
	}
}
#endif
