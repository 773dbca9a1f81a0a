/* SPDX-License-Identifier: MIT */
/*
 * kdiff_state.cuh - a group of patterns, and their state in a text
 * Source: Myers, J. ACM 46(3), 1999, in the form of Hyyro, 2003; here the bits
 * run along the pattern, in one register or two.
 */
#ifndef SEQF_CUDA_KDIFF_STATE_CUH
#define SEQF_CUDA_KDIFF_STATE_CUH

#include "cuda/simt.h"

#include <stdint.h>

/*
 * A pattern in the top bits of V; of edit distances the bits below, the pad,
 * match any letter.
 */
template <class V> struct pattern {
	V eq[4], pad;
	int32_t over;		/* m - k - 1 */
	uint32_t m, k, number;
};

enum { TEXT_WORD = 32, ROW = 16, NO_ROW = 4, SETS = 16 };

/* Patterns of a thread. */
template <class V>
static __host__ __device__ constexpr uint32_t
group()
{
	return ROW / sizeof(V);
}

template <class V> struct __align__(ROW) row {
	V v[group<V>()];
};

/*
 * In shared memory: what each letter matches.  Those of planes are A, C, G, T
 * and, from NO_ROW on, any other: these rows fill all banks once, so that no
 * two lanes' loads meet in one.
 */
template <class V> struct patterns {
	struct row<V> row[SETS];
	struct pattern<V> p[group<V>()];
};

/* A piece's letters, by 64: 2 words of low and 2 of high bits, a bit each for
 * what matches nothing (or NULL); or 2 words each of what may be A, C, G, T. */
struct letters {
	const uint32_t *planes, *exc, *sets;	/* sets, or the others */
};

/* The same of a word as rows: of every second letter two bits side by side. */
struct rows_of {
	uint32_t even, odd, none;

	template <bool EXC>
	__device__ __forceinline__ unsigned
	at(unsigned b) const
	{
		unsigned x = b % 2 ? odd >> (b - 1) & 3 : even >> b & 3;

		return EXC ? x | (none >> b & 1) * NO_ROW : x;
	}
};

/* 32 letters of the text: codes' bits, and whether they match nothing. */
struct word {
	enum { ROWS = 8, EXC = 1 };
	uint32_t lo, hi, none;

	__device__ __forceinline__ void
	read(const struct letters &t, uint32_t x)
	{
		const uint32_t *two = t.planes + x / 2 * 4 + x % 2;

		lo = __ldg(two);
		hi = __ldg(two + 2);
		if (t.exc)
			none = __ldg(t.exc + x);
	}
	__device__ __forceinline__ struct rows_of
	rows() const
	{
		const uint32_t first = 0x55555555;

		return { (lo & first) | (hi << 1 & ~first),
			 (lo >> 1 & first) | (hi & ~first), none };
	}
	/* The b-th letter's, whatever b. */
	__device__ __forceinline__ unsigned
	row(unsigned b) const
	{
		return rows().at<true>(b);
	}
	template <class V>
	static __device__ __forceinline__ V
	matches(const struct pattern<V> &p, uint32_t x)
	{
		return x < NO_ROW ? p.eq[x] : p.pad;
	}
};

/* Of every fourth letter the set, four bits. */
struct set_rows_of {
	uint32_t of[4];

	template <bool>
	__device__ __forceinline__ unsigned
	at(unsigned b) const
	{
		return of[b % 4] >> (b & ~3u) & (SETS - 1);
	}
};

/* 32 letters of the text that are sets: which may be A, C, G, T. */
struct set_word {
	enum { ROWS = SETS, EXC = 0 };
	uint32_t has[4];

	__device__ __forceinline__ void
	read(const struct letters &t, uint32_t x)
	{
		const uint32_t *two = t.sets + x / 2 * 8 + x % 2;

		for (unsigned q = 0; q < 4; q++)
			has[q] = __ldg(two + 2 * q);
	}
	__device__ __forceinline__ struct set_rows_of
	rows() const
	{
		struct set_rows_of x = {};

		for (unsigned i = 0; i < 4; i++)
			for (unsigned q = 0; q < 4; q++)
				x.of[i] |= (has[q] >> i & 0x11111111) << q;
		return x;
	}
	__device__ __forceinline__ unsigned
	row(unsigned b) const
	{
		unsigned x = 0;

		for (unsigned q = 0; q < 4; q++)
			x |= (has[q] >> b & 1) << q;
		return x;
	}
	template <class V>
	static __device__ __forceinline__ V
	matches(const struct pattern<V> &p, uint32_t x)
	{
		V v = p.pad;

		for (unsigned q = 0; q < 4; q++)
			v |= x >> q & 1 ? p.eq[q] : 0;
		return v;
	}
};

/*
 * D's column as its rises and falls (figure 3 of the source).  The rows below
 * the pattern match whatever comes: there D stays 0, as it must above its first
 * row.  `over` is D(m) - k - 1: negative at a hit.
 */
template <class V> struct column {
	V pv, mv;
	int32_t over;

	__device__ __forceinline__ void
	step(V eq)
	{
		const unsigned top = sizeof(V) * 8 - 1;
		V em = eq | mv;		/* mv & pv is 0: em & pv = eq & pv */
		V d0 = (((em & pv) + pv) ^ pv) | em;
		V ph = mv | ~(d0 | pv);
		V mh = pv & d0;

		over += (int32_t)(ph >> top);
		over -= (int32_t)(mh >> top);
		ph += ph;
		mh += mh;
		pv = mh | ~(d0 | ph);
		mv = ph & d0;
	}
	/* The word's b-th letter; where it is at the end of pattern q. */
	template <class W>
	__device__ __forceinline__ int32_t
	next(const struct patterns<V> &g, unsigned q, const W &w, unsigned b)
	{
		step(g.row[w.row(b)].v[q]);
		return over;
	}
};

template <class V> struct edits {
	struct column<V> c[group<V>()];

	__device__ __forceinline__ void
	begin(const struct patterns<V> &g)
	{
		for (unsigned q = 0; q < group<V>(); q++) {
			c[q].pv = ~g.p[q].pad;
			c[q].mv = 0;
			c[q].over = g.p[q].over;
		}
	}
	/* On by a word; pattern q has hits where low[q] is negative. */
	template <bool EXC, class W>
	__device__ __forceinline__ void
	pass(const struct patterns<V> &g, const W &w, int32_t *low)
	{
		const auto x = w.rows();

#pragma unroll 8
		for (unsigned b = 0; b < TEXT_WORD; b++) {
			struct row<V> eq = g.row[x.template at<EXC>(b)];

			for (unsigned q = 0; q < group<V>(); q++) {
				c[q].step(eq.v[q]);
				low[q] |= c[q].over;
			}
		}
	}
	/* The first one alone; the next in its place, as registers have no
	 * numbers to be chosen by. */
	__device__ __forceinline__ struct column<V>
	one() const
	{
		return c[0];
	}
	__device__ __forceinline__ void
	drop()
	{
		for (unsigned q = 0; q + 1 < group<V>(); q++)
			c[q] = c[q + 1];
	}
	/* Ends before letter `beg` + this one have no value. */
	static __device__ __forceinline__ uint32_t
	first(const struct pattern<V> &)
	{
		return 1;
	}
};

/* A window of letters, the last one on top. */
static __device__ __forceinline__ uint32_t
window(uint32_t was, uint32_t now, unsigned b)
{
	return __funnelshift_l(was, now, 31 - b);
}

static __device__ __forceinline__ uint64_t
window(uint64_t was, uint32_t now, unsigned b)
{
	uint32_t mid = (uint32_t)(was >> 32);

	return (uint64_t)window(mid, now, b) << 32 |
	       window((uint32_t)was, mid, b);
}

static __device__ __forceinline__ int
count(uint32_t x)
{
	return __popc(x);
}

static __device__ __forceinline__ int
count(uint64_t x)
{
	return __popcll(x);
}

/* The windows that end in each letter of a word, from V's bits before it. */
template <class V, class W> struct windows;

template <class V> struct windows<V, struct word> {
	V lo, hi, none;

	__device__ __forceinline__ windows
	at(const struct word &w, unsigned b) const
	{
		return { window(lo, w.lo, b), window(hi, w.hi, b),
			 window(none, w.none, b) };
	}
	/* Letters that match: eq is of A, C, G, T. */
	template <bool EXC>
	__device__ __forceinline__ int
	same(const V eq[4]) const
	{
		V ac = (eq[0] & ~lo) | (eq[1] & lo);
		V gt = (eq[2] & ~lo) | (eq[3] & lo);

		return count(((ac & ~hi) | (gt & hi)) & ~(EXC ? none : 0));
	}
};

template <class V> struct windows<V, struct set_word> {
	V has[4];

	__device__ __forceinline__ windows
	at(const struct set_word &w, unsigned b) const
	{
		return { { window(has[0], w.has[0], b),
			   window(has[1], w.has[1], b),
			   window(has[2], w.has[2], b),
			   window(has[3], w.has[3], b) } };
	}
	template <bool>
	__device__ __forceinline__ int
	same(const V eq[4]) const
	{
		return count((eq[0] & has[0]) | (eq[1] & has[1]) |
			     (eq[2] & has[2]) | (eq[3] & has[3]));
	}
};

template <class V, class W> struct mismatches {
	struct windows<V, W> x;

	__device__ __forceinline__ void
	begin(const struct patterns<V> &)
	{
		x = {};
	}
	template <bool EXC>
	__device__ __forceinline__ void
	pass(const struct patterns<V> &g, const W &w, int32_t *low)
	{
#pragma unroll 8
		for (unsigned b = 0; b < TEXT_WORD; b++) {
			const struct windows<V, W> y = x.at(w, b);

			for (unsigned q = 0; q < group<V>(); q++)
				low[q] |= g.p[q].over -
					  y.template same<EXC>(g.p[q].eq);
		}
		x = x.at(w, TEXT_WORD - 1);
	}
	__device__ __forceinline__ struct mismatches
	one() const
	{
		return *this;
	}
	__device__ __forceinline__ void
	drop()
	{
	}
	__device__ __forceinline__ int32_t
	next(const struct patterns<V> &g, unsigned q, const W &w, unsigned b)
	{
		return g.p[q].over -
		       x.at(w, b).template same<true>(g.p[q].eq);
	}
	/* No window begins before its segment does. */
	static __device__ __forceinline__ uint32_t
	first(const struct pattern<V> &p)
	{
		return p.m;
	}
};

#endif
