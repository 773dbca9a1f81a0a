/* SPDX-License-Identifier: MIT */
/* kdiff_emit.h - hits of one word of one lane; for kernels */
#ifndef SEQF_KDIFF_EMIT_H
#define SEQF_KDIFF_EMIT_H

#include "algo/kdiff_kern.h"
#include "base/simd.h"

struct hit_word {
	uint64_t end;		/* of column 0 */
	int64_t dist;		/* at the left edge, as reported */
	uint32_t pattern;
};

/*
 * Columns where at least m flats end, out of those (bits of flat) of a word
 * that `before` more flats precede, moved to the next column.
 */
static inline uint64_t
long_runs(uint64_t flat, uint64_t m, uint64_t before)
{
	uint64_t run = 0, first;
	unsigned low = ~flat ? (unsigned)__builtin_ctzll(~flat) : 64;

	if (m <= 64) {
		run = flat;
		for (unsigned have = 1, more; have < m; have += more) {
			more = have < m - have ? have : (unsigned)m - have;
			run &= run << more;
		}
	}
	/* bits first .. low - 1 */
	first = before >= m ? 0 : m - before - 1;
	if (first < low)
		run |= (low == 64 ? ~0ull : (1ull << low) - 1) &
		       (~0ull << first);
	return run << 1 | (before >= m);
}

/* Bit i of b as byte i. */
static inline uint64_t
bits_to_bytes(uint64_t b)
{
	b = (b & 0xff) * 0x0101010101010101 & 0x8040201008040201;
	return (b + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
}

/*
 * d[i] = D of column i less the left edge; the result has the bits of columns
 * with d[i] <= lim, -64 <= lim <= 64.
 */
#if defined(ISA_avx512)
static inline uint64_t
columns(uint64_t vp, uint64_t vm, int lim, int8_t d[64])
{
	const __m512i one = _mm512_set1_epi8(1), z = _mm512_setzero_si512();
	__m512i x, t, u;

	x = _mm512_sub_epi8(_mm512_maskz_mov_epi8(vp, one),
			    _mm512_maskz_mov_epi8(vm, one));
	x = _mm512_add_epi8(x, _mm512_slli_epi64(x, 8));
	x = _mm512_add_epi8(x, _mm512_slli_epi64(x, 16));
	x = _mm512_add_epi8(x, _mm512_slli_epi64(x, 32));
	/* the sums of the 8-byte parts before: byte 7, spread, summed */
	t = _mm512_shuffle_epi8(x, _mm512_set4_epi32(0x0f0f0f0f, 0x0f0f0f0f,
						     0x07070707, 0x07070707));
	u = _mm512_alignr_epi64(t, z, 7);
	u = _mm512_add_epi8(u, _mm512_alignr_epi64(u, z, 7));
	u = _mm512_add_epi8(u, _mm512_alignr_epi64(u, z, 6));
	u = _mm512_add_epi8(u, _mm512_alignr_epi64(u, z, 4));
	x = _mm512_add_epi8(x, u);
	_mm512_storeu_si512(d, x);
	return _mm512_cmple_epi8_mask(x, _mm512_set1_epi8((char)lim));
}
#else
static inline uint64_t
columns(uint64_t vp, uint64_t vm, int lim, int8_t d[64])
{
	const uint64_t ones = 0x0101010101010101, high = ones << 7;
	uint64_t mask = 0;
	int base = 0;

	for (int i = 0; i < 64; i += 8) {
		/* rises - falls + 64 up to and with each column: 56..72 */
		uint64_t x = ones * 64 + bits_to_bytes(vp >> i) * ones -
			     bits_to_bytes(vm >> i) * ones;
		int t = lim - base + 64;	/* <= t is a hit */
		uint64_t over;

		t = t < 0 ? 0 : t > 127 ? 127 : t;
		/* top bit: x > t; no byte carries, x + 127 - t < 256 */
		over = (x + ones * (unsigned)(127 - t)) & high;
		mask |= ((over ^ high) >> 7) * 0x0102040810204080 >> 56 << i;
		for (int j = 0; j < 8; j++)
			d[i + j] = (int8_t)((int)(x >> 8 * j & 0xff) - 64 +
					    base);
		base += (int)(x >> 56) - 64;
	}
	return mask;
}
#endif

#if defined(ISA_avx512)
/*
 * Hits of the columns of mask, eight at a time; up to 7 more slots may be
 * written (the list has room for 16).
 */
static inline void
emit(struct kdiff_hits *o, const struct hit_word *w, uint64_t mask,
     const int8_t d[64])
{
	const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
	const __m512i second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
	const __m512i low = _mm512_set1_epi64(0xffffffff);
	const __m512i dist = _mm512_set1_epi64(w->dist);
	const __m512i number = _mm512_set1_epi64(
	    (int64_t)((uint64_t)w->pattern << 32));
	struct kdiff_hit *h = o->v + o->n;
	int n = __builtin_popcountll(mask);
	uint8_t col[64], rel[64];
	static const uint8_t iota[64] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
		32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
		48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	};

	_mm512_storeu_si512(col, _mm512_maskz_compress_epi8(mask,
	    _mm512_loadu_si512(iota)));
	_mm512_storeu_si512(rel, _mm512_maskz_compress_epi8(mask,
	    _mm512_loadu_si512(d)));
	o->n += (unsigned)n;
	for (int i = 0; i < n; i += 8, h += 8) {
		__m512i e = _mm512_add_epi64(_mm512_set1_epi64(
		    (int64_t)w->end), _mm512_cvtepu8_epi64(
		    _mm_loadl_epi64((const void *)(col + i))));
		__m512i x = _mm512_add_epi64(dist, _mm512_cvtepi8_epi64(
		    _mm_loadl_epi64((const void *)(rel + i))));

		x = _mm512_or_si512(_mm512_and_si512(x, low), number);
		_mm512_storeu_si512(h, _mm512_permutex2var_epi64(e, first, x));
		_mm512_storeu_si512(h + 4, _mm512_permutex2var_epi64(e, second,
								     x));
	}
}
#else
static inline void
emit(struct kdiff_hits *o, const struct hit_word *w, uint64_t mask,
     const int8_t d[64])
{
	struct kdiff_hit *h = o->v + o->n;

	o->n += (unsigned)__builtin_popcountll(mask);
	for (; mask; mask &= mask - 1, h++) {
		unsigned i = (unsigned)__builtin_ctzll(mask);

		h->end = w->end + i;
		h->dist = (uint32_t)(w->dist + d[i]);
		h->pattern = w->pattern;
	}
}
#endif

/* Append the columns of in with D <= left edge + lim. */
static inline void
emit_le(struct kdiff_hits *o, const struct hit_word *w, uint64_t vp,
	uint64_t vm, int lim, uint64_t in)
{
	int8_t d[64];
	uint64_t mask;

	if (lim < -64)
		return;
	mask = in & columns(vp, vm, lim, d);
	if (mask)
		emit(o, w, mask, d);
}

#endif
