/* SPDX-License-Identifier: MIT */
/* kdiff_trace_kern.c - paths of hits, one a lane: see kdiff_trace.c */

#include "base/base.h"
#include "base/vec.h"
#include "kdiff/kdiff_kern.h"
#include "letters/letters.h"

enum { FEW_WORDS = 4 };

/* 64 bits from bit sh of two neighbouring words of eq, for each lane's class */
INLINE v64
equal(const uint64_t *eq, const unsigned classes, unsigned sh,
      const uint16_t *letter)
{
	v64 low = vset(0), high = low;

#if defined(ISA_avx512)
	if (classes == 8) {
		__m512i at = _mm512_set1_epi64((long long)sh);
		__m512i c = _mm512_cvtepu16_epi64(
		    _mm_loadu_si128((const void *)letter));

		return (v64)_mm512_permutexvar_epi64(c,
		    _mm512_shrdv_epi64(_mm512_loadu_si512(eq),
				       _mm512_loadu_si512(eq + 8), at));
	}
#endif
#pragma GCC unroll 8
	for (int l = 0; l < LANES; l++) {	/* in registers */
		low[l] = eq[letter[l]];
		high[l] = eq[classes + letter[l]];
	}
	return low >> sh | high << 1 << (63 - sh);
}

/*
 * Figure 8 of Myers, in a frame that moves down a row each column, so that d0
 * is shifted, and not hp and hm.  Of the row above the frame nothing comes
 * in; below it, values rise.
 */
INLINE void
columns(const struct kdiff_band *b, uint64_t beg, uint64_t end, v64 *state,
	v64 *cell, const unsigned classes, const unsigned words)
{
	const uint16_t *letter = b->letter + beg * LANES;
	v64 *pv = state, *mv = state + words;

	for (uint64_t at = b->at + beg; at < b->at + end; at++) {
		const uint64_t *eq = b->eq + at / 64 * classes;
		v64 carry = vset(0), hp = carry, hm = carry, before = carry, x;

#pragma GCC unroll 4
		for (unsigned w = 0; w < words; w++, cell += 2) {
			v64 e = equal(eq + w * classes, classes, at % 64,
				      letter);
			v64 p = pv[w], m = mv[w], a = e & p, s = a + p;
			v64 s2 = w ? s + carry : s;
			v64 d0 = xor_or(s2, p, e | m);

			cell[0] = or_nor(e, d0, d0);
			cell[1] = e | (d0 & m);
			if (w) {
				x = before >> 1 | d0 << 63;
				pv[w - 1] = or_nor(hm, x, hp);
				mv[w - 1] = x & hp;
			}
			if (words > 1)
				carry = ((v64)(s < a) | (v64)(s2 < s)) & 1;
			hp = or_nor(m, d0, p);
			hm = d0 & p;
			before = d0;
		}
		x = before >> 1;
		pv[words - 1] = or_nor(hm, x, hp);
		mv[words - 1] = x & hp;
		letter += LANES;
	}
}

/* The state of a few words stays in registers. */
INLINE void
few(const struct kdiff_band *b, uint64_t beg, uint64_t end, v64 *state,
    v64 *cell, const unsigned classes, const unsigned words)
{
	v64 st[2 * FEW_WORDS];

	for (unsigned i = 0; i < 2 * words; i++)
		st[i] = state[i];
	columns(b, beg, end, st, cell, classes, words);
	for (unsigned i = 0; i < 2 * words; i++)
		state[i] = st[i];
}

INLINE void
by_words(const struct kdiff_band *b, uint64_t beg, uint64_t end, v64 *state,
	 v64 *cell, const unsigned classes)
{
	switch (b->words) {
	case 1: few(b, beg, end, state, cell, classes, 1); break;
	case 2: few(b, beg, end, state, cell, classes, 2); break;
	default: columns(b, beg, end, state, cell, classes, b->words);
	}
}

void
KERN(kdiff_columns)(const struct kdiff_band *b, uint64_t beg, uint64_t end,
		    uint64_t *state, uint64_t *cells)
{
	v64 *st = (v64 *)state, *cell = (v64 *)cells;

	if (b->classes == 8)
		by_words(b, beg, end, st, cell, 8);
	else
		by_words(b, beg, end, st, cell, b->classes);
}

/*
 * Bits of x before its first 1, from the top; x is not 0.  In all lanes of
 * AVX2 it is 0 more often than not.
 */
INLINE v64
zeros(v64 x)
{
#if defined(ISA_avx512)
	return (v64)_mm512_lzcnt_epi64((__m512i)x);
#else
	v64 r = vset(0);

#if defined(ISA_avx2)
	if (_mm256_movemask_pd((__m256d)x) == 15)
		return r;
#elif defined(ISA_neon)
	if ((x[0] & x[1]) >> 63)
		return r;
#endif
	for (int l = 0; l < LANES; l++)
		r[l] = (uint64_t)__builtin_clzll(x[l] | 1);
	return r;
#endif
}

void
KERN(kdiff_back)(const uint64_t *cells, uint64_t cols, unsigned group,
		 uint64_t *row, uint64_t *groups)
{
	const v64 *cell = (const v64 *)cells + 2 * cols;
	v64 *out = (v64 *)groups, up = *(v64 *)row;

	for (unsigned n; cols; cols -= n) {
		v64 hi = vset(0), lo = hi, len;

		n = cols < group ? (unsigned)cols : group;
		len = vset(n);
		for (unsigned i = 0; i < n; i++) {
			v64 t, diag, sel;

			cell -= 2;
			t = zeros((cell[0] | cell[1]) << up);
			up += t;
			len += t;
			diag = cell[0] << up;
			sel = cell[1] << up;
			hi = shl1(hi << t, diag);
			lo = shl1(lo << t, sel);
			up += (diag >> 63) - 1;
		}
		*out++ = hi;
		*out++ = lo;
		*out++ = len;
	}
	*(v64 *)row = up;
}

#if defined(ISA_avx512)
/* 16 operations of the codes (h, l), bits of cells: diag, sel */
INLINE __m512i
codes(__mmask16 h, __mmask16 l)
{
	__m512i no = _mm512_mask_mov_epi32(_mm512_set1_epi32(CIGAR_I), l,
					   _mm512_set1_epi32(CIGAR_D));
	__m512i yes = _mm512_mask_mov_epi32(_mm512_set1_epi32(CIGAR_X), l,
					    _mm512_set1_epi32(CIGAR_EQ));

	return _mm512_mask_mov_epi32(no, h, yes);
}

/* Runs whose last operations are the bits of `last`. */
INLINE size_t
put_runs(uint64_t hi, uint64_t lo, uint64_t last, uint32_t *op)
{
	static const uint8_t count[64] = {
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
		17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
		32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46,
		47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61,
		62, 63, 64,
	};
	__m512i up = _mm512_loadu_si512(count);
	__m512i end = _mm512_maskz_compress_epi8(last, up);
	__m512i beg = _mm512_maskz_permutexvar_epi8(~1ull,
	    _mm512_sub_epi8(up, _mm512_set1_epi8(2)), end);
	__m512i run = _mm512_sub_epi8(end, beg);
	size_t n = (size_t)_mm_popcnt_u64(last);

	hi = _pext_u64(hi, last);
	lo = _pext_u64(lo, last);
	for (size_t i = 0; i < n; i += 16, hi >>= 16, lo >>= 16) {
		__m512i len = _mm512_cvtepu8_epi32(
		    _mm512_castsi512_si128(run));

		_mm512_storeu_si512(op + i, _mm512_or_si512(
		    _mm512_slli_epi32(len, 4),
		    codes((__mmask16)hi, (__mmask16)lo)));
		run = _mm512_alignr_epi64(run, run, 2);
	}
	return n;
}
#else
INLINE size_t
put_runs(uint64_t hi, uint64_t lo, uint64_t last, uint32_t *op)
{
	static const uint8_t code[] = { CIGAR_I, CIGAR_D, CIGAR_X, CIGAR_EQ };
	unsigned at = 0;
	size_t n = 0;

	for (; last; last &= last - 1) {
		unsigned end = (unsigned)__builtin_ctzll(last) + 1;

		op[n++] = (end - at) << 4 |
			  code[(hi >> at & 1) << 1 | (lo >> at & 1)];
		at = end;
	}
	return n;
}
#endif

/* k more runs at op + n; the first may go on with the last one before. */
static inline size_t
append(uint32_t *op, size_t n, size_t k)
{
	if (n && (op[n] & 15) == (op[n - 1] & 15)) {
		op[n - 1] += op[n] & ~15u;
		memmove(op + n, op + n + 1, --k * sizeof *op);
	}
	return n + k;
}

size_t
KERN(kdiff_runs)(const struct kdiff_choices *c, uint32_t *op)
{
	uint64_t beyond = c->beyond, before = c->before;
	size_t n = 0;

	for (size_t i = c->n; i-- > 0; ) {
		const uint64_t *g = c->group + 3 * i * c->lanes;
		uint64_t hi = g[0], lo = g[c->lanes], len = g[2 * c->lanes];
		uint64_t x = min_u64(len, beyond), last;

		beyond -= x;
		len -= x;
		if (!len)
			continue;
		hi >>= x;
		lo >>= x;
		if (before) {
			x = min_u64(len, before);
			before -= x;
			hi = x < 64 ? hi >> x << x : 0;
			lo = x < 64 ? lo >> x << x : 0;
		}
		last = (hi ^ hi >> 1) | (lo ^ lo >> 1) | 1ull << (len - 1);
		n = append(op, n, put_runs(hi, lo, last & ~0ull >> (64 - len),
					   op + n));
	}
	return n;
}

#if defined(ISA_avx512)
/* Byte c of qword g, c = 0..7: bit 8 g + c of all lanes, lane 0 the lowest. */
INLINE void
transpose(const uint64_t *lane, uint64_t *col)
{
	static const uint8_t from[64] = {
		56, 48, 40, 32, 24, 16, 8, 0, 57, 49, 41, 33, 25, 17, 9, 1,
		58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3,
		60, 52, 44, 36, 28, 20, 12, 4, 61, 53, 45, 37, 29, 21, 13, 5,
		62, 54, 46, 38, 30, 22, 14, 6, 63, 55, 47, 39, 31, 23, 15, 7,
	};
	__m512i x = _mm512_permutexvar_epi8(_mm512_loadu_si512(from),
					    _mm512_loadu_si512(lane));

	_mm512_storeu_si512(col, _mm512_gf2p8affine_epi64_epi8(
	    _mm512_set1_epi64((long long)0x8040201008040201), x, 0));
}

INLINE void
spread(const uint64_t *plane, unsigned planes, unsigned cols, uint16_t *to)
{
	uint64_t bits[4][8];

	for (unsigned p = 0; p < planes; p++)
		transpose(plane + p * LANES, bits[p]);
	for (unsigned i = 0; i < cols; i += 4) {
		__m512i x = _mm512_setzero_si512();

		for (unsigned p = 0; p < planes; p++) {
			uint32_t m = (uint32_t)(bits[p][i / 8] >> i % 8 * 8);

			x = _mm512_or_si512(x,
			    _mm512_maskz_set1_epi16(m, (short)(1 << p)));
		}
		_mm512_storeu_si512(to + i * LANES, x);
	}
}
#else
/* Bit i of b as byte i, i < 8. */
INLINE uint64_t
to_bytes(uint64_t b)
{
	b = (b & 0xff) * 0x0101010101010101 & 0x8040201008040201;
	return (b + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
}

INLINE void
spread(const uint64_t *plane, unsigned planes, unsigned cols, uint16_t *to)
{
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned i = 0; i < cols; i += 8) {
			uint16_t *o = to + i * LANES + l;
			uint64_t c = 0;

			for (unsigned p = 0; p < planes; p++)
				c |= to_bytes(plane[p * LANES + l] >> i) << p;
			for (unsigned j = 0; j < 8; j++, c >>= 8)
				o[j * LANES] = c & 0xff;
		}
}
#endif

void
KERN(kdiff_spread)(const uint64_t *plane, unsigned planes, uint64_t cols,
		   uint16_t *to)
{
	for (uint64_t at = 0; at < cols; at += 64) {
		unsigned n = cols - at < 64 ? (unsigned)(cols - at) : 64;

		if (planes == 3)
			spread(plane, 3, n, to);
		else
			spread(plane, 4, n, to);
		plane += 4 * LANES;
		to += 64 * LANES;
	}
}
