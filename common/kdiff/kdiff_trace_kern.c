/* SPDX-License-Identifier: MIT */
/* kdiff_trace_kern.c - paths of hits, one a lane: as kdiff_band.c says */

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
		n = kdiff_join_runs(op, n, put_runs(hi, lo, last &
					~0ull >> (64 - len), op + n));
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

/*
 * Paths of few differences, a hit a lane: what kdiff_trace.c says, for hits of
 * one distance side by side
 *
 * Which rows differ and how far each number of differences leads are found in
 * lanes.  The way back looks up what each lane needs: with few lanes it is gone
 * one hit after the other.  In AVX-512 lanes each step waits for look-ups, so
 * two vectors of hits take them by turns.
 */

enum { GROUPS = 2 };	/* vectors of hits */

/* Rows of a diagonal that differ; from row m on all do. */
struct differ {
	v64 w[SNAKE_WORDS];
};

/* A vector of hits, of x's the ones from `first` on. */
struct walk {
	struct kdiff_snakes *x;
	size_t first;
	struct differ differ[2 * SNAKE_MOST + 1];
	v64 far[SNAKE_MOST][2 * SNAKE_MOST + 1];
};

/*
 * max_row(): of rows, maybe below 0, one of which is not; at most 2^31.
 * zeros_below(): bits below the lowest one that is set, 64 if there is none.
 * bits_from(): x without its bits below bit n; 0 from n = 64 on, 0 <= n <= 129.
 */
#if defined(ISA_avx512)
INLINE v64
max_row(v64 a, v64 b)
{
	return (v64)_mm512_max_epi64((__m512i)a, (__m512i)b);
}

INLINE v64
zeros_below(v64 x)
{
	return (v64)_mm512_popcnt_epi64((__m512i)(~x & (x - 1)));
}

INLINE v64
bits_from(v64 x, v64 n)
{
	return x & (v64)_mm512_sllv_epi64(_mm512_set1_epi64(-1), (__m512i)n);
}
#elif defined(ISA_avx2)
INLINE v64
max_row(v64 a, v64 b)
{
	return (v64)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

INLINE v64
zeros_below(v64 x)
{
	return (v64)_mm256_sad_epu8((__m256i)pop8(~x & (x - 1)),
				    _mm256_setzero_si256());
}

INLINE v64
bits_from(v64 x, v64 n)
{
	return x & (v64)_mm256_sllv_epi64(_mm256_set1_epi64x(-1), (__m256i)n);
}
#elif defined(ISA_neon)
INLINE v64
max_row(v64 a, v64 b)
{
	return (v64)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

INLINE v64
zeros_below(v64 x)
{
	return vpaddlq_u32(vpaddlq_u16(vpaddlq_u8((neon)pop8(~x & (x - 1)))));
}

INLINE v64
bits_from(v64 x, v64 n)
{
	return x & vshlq_u64(vset(~0ull), (int64x2_t)n);
}
#else
INLINE v64
max_row(v64 a, v64 b)
{
	return pick((v64)((s64)a > (s64)b), a, b);
}

INLINE v64
zeros_below(v64 x)
{
	return vset(x[0] ? (uint64_t)__builtin_ctzll(x[0]) : 64);
}

INLINE v64
bits_from(v64 x, v64 n)
{
	return n[0] < 64 ? x & vset(~0ull << n[0]) : vset(0);
}
#endif

/* The first row from row i on that differs. */
INLINE v64
slide_to(const struct differ *d, v64 i, const unsigned words)
{
	v64 r = zeros_below(bits_from(d->w[0], i)), more;

	if (words == 1)
		return r;
	more = zeros_below(bits_from(d->w[1], max_row(i - 64, vset(0))));
	return r + (more & (v64)(r == 64));
}

/* The window's letters, and which rows differ from them. */
INLINE void
compare_rows(struct walk *a, const unsigned words)
{
	const struct kdiff_snakes *x = a->x;
	const uint64_t *p[LANES], *q[LANES], *first = x->at + a->first;
	v64 w[8], lo[SNAKE_WORDS + 1], hi[SNAKE_WORDS + 1], at;
	uint64_t end = ~0ull << x->m % 64;

	memcpy(&at, first, VBYTES);
	for (int l = 0; l < LANES; l++) {
		p[l] = x->planes + first[l] / 64 * 2;
		q[l] = p[l] + 4;
	}
	transpose4(p, w);
	transpose4(q, w + 4);
	at &= 63;
	for (unsigned i = 0; i < words; i++) {
		lo[i] = w[2 * i] >> at | w[2 * i + 2] << 1 << (63 - at);
		hi[i] = w[2 * i + 1] >> at | w[2 * i + 3] << 1 << (63 - at);
	}
	lo[words] = hi[words] = vset(0);	/* behind the window */
	for (unsigned t = 0; t <= 2 * x->d; t++)
		for (unsigned i = 0; i < words; i++) {
			v64 l = lo[i] >> t | lo[i + 1] << 1 << (63 - t);
			v64 h = hi[i] >> t | hi[i + 1] << 1 << (63 - t);

			l = (l ^ x->pat[0][i]) | (h ^ x->pat[1][i]);
			a->differ[t].w[i] = i == x->m / 64 ? l | end : l;
		}
}

/* How far each number of differences leads. */
INLINE void
go_far(struct walk *a, const unsigned words)
{
	const unsigned d = a->x->d;

	for (unsigned t = 0; t <= 2 * d; t++)
		a->far[0][t] = slide_to(&a->differ[t], vset(0), words);
	for (unsigned n = 1; n < d; n++) {
		const v64 *old = a->far[n - 1];

		for (unsigned t = n; t <= 2 * d - n; t++) {
			v64 x = max_row(old[t], old[t + 1]) + 1;

			x = max_row(x, old[t - 1]);
			a->far[n][t] = slide_to(&a->differ[t], x, words);
		}
	}
}

/* A path from its end on: its first run so far is the one at op. */
struct runs {
	uint32_t *op;
	uint32_t code, run;
};

/*
 * One difference more before it, and before that n equal letters, if n; there
 * are none at op already.
 */
INLINE void
add_before(struct runs *r, uint32_t code, uint32_t n)
{
	bool more = (n != 0) | (r->code != code);

	r->op[-1] = n << 4 | CIGAR_EQ;
	r->op -= n != 0;
	r->run = (r->run & ((uint32_t)more - 1)) + 16;
	r->op -= more;
	*r->op = r->run | code;
	r->code = code;
}

/* Before all of it n equal letters, if n: where it begins. */
INLINE uint32_t *
add_first(struct runs *r, uint32_t n)
{
	r->op[-1] = n << 4 | CIGAR_EQ;
	return r->op - (n != 0);
}

#if defined(ISA_avx512)
/* x without bit n and those above, n <= 0: 0; n >= 64: x. */
INLINE v64
bits_to(v64 x, v64 n)
{
	n = max_row(n, vset(0));
	return x & ~(v64)_mm512_sllv_epi64(_mm512_set1_epi64(-1), (__m512i)n);
}

/* to[lane] = v[t of the lane][lane], of vectors `step` apart. */
INLINE v64
of_diagonal(const v64 *v, v64 t, const unsigned step)
{
	const v64 lane = { 0, 1, 2, 3, 4, 5, 6, 7 };
	v64 at = lane + t * (step * LANES);

	return (v64)_mm512_i64gather_epi64((__m512i)at, v, 8);
}

/* The last row before row i that differs, plus 1; 0: none. */
INLINE v64
slide_back(const struct walk *a, v64 t, v64 i, const unsigned words)
{
	const v64 *differ = a->differ[0].w;
	v64 y = bits_to(of_diagonal(differ, t, SNAKE_WORDS), i);
	v64 to = 64 - (v64)_mm512_lzcnt_epi64((__m512i)y);

	if (words == 1)
		return to;
	y = bits_to(of_diagonal(differ + 1, t, SNAKE_WORDS), i - 64);
	return pick((v64)(y != 0),
		    128 - (v64)_mm512_lzcnt_epi64((__m512i)y), to);
}

/* Differences, the letters that are equal behind each, and where they begin. */
struct steps {
	uint64_t code[SNAKE_MOST + 1][LANES], equal[SNAKE_MOST + 1][LANES];
	v64 i, t;
};

/* Back over the n-th difference, from row i of diagonal t. */
INLINE void
step_back(const struct walk *a, unsigned n, struct steps *s,
	  const unsigned words)
{
	const v64 *far = a->far[n - 1];
	v64 to = slide_back(a, s->t, s->i, words), equal = s->i - to;
	v64 same = (v64)((s64)of_diagonal(far, s->t, 1) + 1 >= (s64)to);
	v64 skip = (v64)((s64)of_diagonal(far, s->t - 1, 1) >= (s64)to);
	v64 code = pick(same, vset(CIGAR_X),
			pick(skip, vset(CIGAR_D), vset(CIGAR_I)));

	memcpy(s->equal[n], &equal, VBYTES);
	memcpy(s->code[n], &code, VBYTES);
	s->i = to - ((same | ~skip) & 1);
	s->t += ~same & (skip | 1);
}

/* A lane's path. */
INLINE void
put_path(const struct walk *a, const struct steps *s, size_t l)
{
	struct kdiff_snakes *x = a->x;
	struct runs r = { .op = x->op[a->first + l] };

	for (unsigned n = x->d; n; n--)
		add_before(&r, (uint32_t)s->code[n][l],
			   (uint32_t)s->equal[n][l]);
	x->op[a->first + l] = add_first(&r, (uint32_t)s->i[l]);
	x->at[a->first + l] += s->t[l];
}

/* Back from row m of diagonal d. */
INLINE void
walk_groups(const struct walk *a, const unsigned words, const int groups)
{
	const struct kdiff_snakes *x = a->x;
	struct steps s[GROUPS];

	for (int g = 0; g < groups; g++) {
		s[g].i = vset(x->m);
		s[g].t = vset(x->d);
	}
	for (unsigned n = x->d; n; n--)
		for (int g = 0; g < groups; g++)
			step_back(a + g, n, &s[g], words);
	for (int g = 0; g < groups; g++)
		for (size_t l = 0; l < LANES && a[g].first + l < x->n; l++)
			put_path(a + g, &s[g], l);
}

INLINE void
walk_back(const struct walk *a, const unsigned words)
{
	if (a[1].first < a->x->n)
		walk_groups(a, words, GROUPS);
	else
		walk_groups(a, words, 1);
}
#else
/* y where x, else z: branches on what a path does would be foretold badly. */
INLINE uint64_t
either(bool x, uint64_t y, uint64_t z)
{
	uint64_t mask = (uint64_t)x - 1;

	return (y & ~mask) | (z & mask);
}

/* The last bit below bit i, i < 128, that is set, plus 1; 0: none. */
INLINE uint64_t
last_below(uint64_t x, uint64_t i)
{
#if defined(ISA_avx2)
	return 64 - _lzcnt_u64(_bzhi_u64(x, (unsigned)i));
#else
	x &= i < 64 ? (1ull << i) - 1 : ~0ull;
	return x ? 64 - (uint64_t)__builtin_clzll(x) : 0;
#endif
}

/* The last row before row i that differs, plus 1; 0: none. */
INLINE uint64_t
slide_back(const uint64_t *differ, uint64_t i, const unsigned words)
{
	uint64_t y = last_below(differ[0], i), z;

	if (words == 1)
		return y;
	z = last_below(differ[LANES], either((int64_t)i > 64, i - 64, 0));
	return either(z, 64 + z, y);
}

/* Lane l's path back from row m of diagonal d. */
INLINE void
walk_lane(const struct walk *a, size_t l, const unsigned words)
{
	struct kdiff_snakes *x = a->x;
	const uint64_t *far = (const uint64_t *)a->far[x->d - 1] + l;
	const uint64_t *differ = (const uint64_t *)a->differ + l;
	uint64_t i = x->m, t = x->d, to;
	struct runs r = { .op = x->op[a->first + l] };

	for (unsigned n = x->d; n; n--) {
		bool same, skip;

		to = slide_back(differ + t * SNAKE_WORDS * LANES, i, words);
		same = far[t * LANES] + 1 >= to;
		skip = !same & (far[t * LANES - LANES] >= to);
		add_before(&r, CIGAR_I + (CIGAR_D - CIGAR_I) * skip +
			   (CIGAR_X - CIGAR_I) * same, (uint32_t)(i - to));
		i = to - !skip;
		t += !same - 2 * (uint64_t)skip;
		far -= LANES * (2 * SNAKE_MOST + 1);
	}
	x->op[a->first + l] = add_first(&r, (uint32_t)i);
	x->at[a->first + l] += t;
}

INLINE void
walk_back(const struct walk *a, const unsigned words)
{
	for (int g = 0; g < GROUPS; g++)
		for (size_t l = 0; l < LANES && a[g].first + l < a->x->n; l++)
			walk_lane(a + g, l, words);
}
#endif

INLINE void
paths(struct walk *a, const unsigned words)
{
	for (size_t first = 0; first < a->x->n; first += GROUPS * LANES) {
		for (int g = 0; g < GROUPS; g++) {
			a[g].first = first + (size_t)g * LANES;
			if (a[g].first < a->x->n) {
				compare_rows(a + g, words);
				go_far(a + g, words);
			}
		}
		walk_back(a, words);
	}
}

void
KERN(kdiff_snakes)(struct kdiff_snakes *x)
{
	struct walk a[GROUPS];

	for (int g = 0; g < GROUPS; g++)
		a[g].x = x;
	if (x->m + x->d < 64)
		paths(a, 1);
	else
		paths(a, SNAKE_WORDS);
}
