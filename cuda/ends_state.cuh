/* SPDX-License-Identifier: MIT */
/*
 * ends_state.cuh - a group of patterns, and what they have of a text so far
 * Source: Myers, J. ACM 46(3), 1999, in the form of Hyyro, 2003; here the bits
 * run along the pattern, in one register or two.
 */
#ifndef SEQF_CUDA_ENDS_STATE_CUH
#define SEQF_CUDA_ENDS_STATE_CUH

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

enum { TEXT_WORD = 32, ROW = 16, NO_ROW = 4, ALL_ROWS = 8 };

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
 * In shared memory: what A, C, G, T match, and, from NO_ROW on, what any other
 * letter does.  The rows fill all banks: no two lanes' loads meet in one.
 */
template <class V> struct patterns {
	struct row<V> row[ALL_ROWS];
	struct pattern<V> p[group<V>()];
};

/* 32 letters of the text: codes' bits, and whether they match nothing. */
struct word {
	uint32_t lo, hi, none;
};

/* The same as rows: of every second letter two bits side by side. */
struct rows_of {
	uint32_t even, odd, none;

	__device__ __forceinline__
	rows_of(const struct word &w)
	{
		const uint32_t first = 0x55555555;

		even = (w.lo & first) | (w.hi << 1 & ~first);
		odd = (w.lo >> 1 & first) | (w.hi & ~first);
		none = w.none;
	}
	template <bool EXC>
	__device__ __forceinline__ unsigned
	at(unsigned b) const
	{
		unsigned x = b % 2 ? odd >> (b - 1) & 3 : even >> b & 3;

		return EXC ? x | (none >> b & 1) * NO_ROW : x;
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
	__device__ __forceinline__ int32_t
	next(const struct patterns<V> &g, unsigned q, const struct word &w,
	     unsigned b)
	{
		step(g.row[rows_of(w).at<true>(b)].v[q]);
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
	template <bool EXC>
	__device__ __forceinline__ void
	pass(const struct patterns<V> &g, const struct word &w, int32_t *low)
	{
		struct rows_of x(w);

#pragma unroll 8
		for (unsigned b = 0; b < TEXT_WORD; b++) {
			struct row<V> eq = g.row[x.at<EXC>(b)];

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

/* The window of letters that ends in each, the last one on top: of the word
 * and V's bits before it. */
template <class V> struct mismatches {
	V lo, hi, none;

	__device__ __forceinline__ void
	begin(const struct patterns<V> &)
	{
		lo = hi = none = 0;
	}
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
	__device__ __forceinline__ mismatches
	at(const struct word &w, unsigned b) const
	{
		return { window(lo, w.lo, b), window(hi, w.hi, b),
			 window(none, w.none, b) };
	}
	/* Letters of the window that match: eq is of A, C, G, T. */
	__device__ __forceinline__ int
	same(const V eq[4]) const
	{
		V ac = (eq[0] & ~lo) | (eq[1] & lo);
		V gt = (eq[2] & ~lo) | (eq[3] & lo);

		return count(((ac & ~hi) | (gt & hi)) & ~none);
	}
	template <bool EXC>
	__device__ __forceinline__ void
	pass(const struct patterns<V> &g, const struct word &w, int32_t *low)
	{
#pragma unroll 8
		for (unsigned b = 0; b < TEXT_WORD; b++) {
			struct mismatches x = at(w, b);

			if (!EXC)
				x.none = 0;
			for (unsigned q = 0; q < group<V>(); q++)
				low[q] |= g.p[q].over - x.same(g.p[q].eq);
		}
		*this = at(w, TEXT_WORD - 1);
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
	next(const struct patterns<V> &g, unsigned q, const struct word &w,
	     unsigned b)
	{
		return g.p[q].over - at(w, b).same(g.p[q].eq);
	}
	/* No window begins before its segment does. */
	static __device__ __forceinline__ uint32_t
	first(const struct pattern<V> &p)
	{
		return p.m;
	}
};

#endif
