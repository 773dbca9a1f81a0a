/* SPDX-License-Identifier: MIT */
/*
 * ends_kernel.cuh - ends with at most k differences, bit vectors in registers
 * Source: Myers, J. ACM 46(3), 1999; here the bits run along the pattern, in
 * one register or two, and each thread has a stretch of text for itself.
 *
 * Threads of a warp have different stretches and the same pair of patterns.
 * A step is a word of 32 letters.  What it finds is a mask of hits; only where
 * a lane of the warp has one, the word is gone through again for distances.
 */
#ifndef SEQF_CUDA_ENDS_KERNEL_CUH
#define SEQF_CUDA_ENDS_KERNEL_CUH

#include "cuda/warp.cuh"

extern "C" {
#include "cuda/ends_dev.h"
}

/*
 * A pattern in the top bits of V; of edit distances the bits below, the pad,
 * match any letter.
 */
template <class V> struct pattern {
	V eq[4], pad;
	int32_t over;		/* m - k - 1 */
	uint32_t m, k, number;
};

enum { TEXT_WORD = 32, PAIR = 2, BLOCK = 128 };

/* ENDS_LEAD for patterns of V's bits. */
template <class V>
static __host__ __device__ constexpr uint32_t
lead()
{
	return 2 * 8 * sizeof(V);
}

template <class V> struct scan {
	const uint32_t *planes;	/* 64 letters: 2 words low, 2 words high bits */
	const uint32_t *exc;	/* NULL: none */
	const struct ends_stretch *stretch;
	const struct pattern<V> *pattern;	/* pairs */
	unsigned long long *hit, *n_hits;
	uint32_t stretches, pairs, hits, steps;
	const uint32_t *columns;	/* of the paper's global variant */
	uint32_t letters;		/* columns[letter * letters + place] */
};

/* A letter: its code's bits, and whether it matches nothing, as 0 or ~0. */
template <class V> struct letter {
	V lo, hi, none;
};

template <class V>
static __device__ __forceinline__ V
all_of(uint32_t bits, unsigned b)
{
	return (V)0 - (V)(bits >> b & 1);
}

template <class V>
static __device__ __forceinline__ V
matches(const struct pattern<V> &p, const struct letter<V> &x)
{
	V ac = (p.eq[0] & ~x.lo) | (p.eq[1] & x.lo);
	V gt = (p.eq[2] & ~x.lo) | (p.eq[3] & x.lo);

	return (ac & ~x.hi) | (gt & x.hi);
}

/*
 * D's column as its rises and falls (figure 3 of the source).  The rows below
 * the pattern match whatever comes: there D stays 0, as it must above its first
 * row.  `over` is D(m) - k - 1: negative at a hit.
 */
template <class V> struct edits {
	V pv, mv;
	int32_t over;

	__device__ __forceinline__ void
	begin(const struct pattern<V> &p)
	{
		pv = ~p.pad;
		mv = 0;
		over = p.over;
	}
	__device__ __forceinline__ void
	step(const struct pattern<V> &p, const struct letter<V> &x)
	{
		const unsigned top = sizeof(V) * 8 - 1;
		V eq = (matches(p, x) & ~x.none) | p.pad;
		V xv = eq | mv;
		V xh = (((eq & pv) + pv) ^ pv) | eq;
		V ph = mv | ~(xh | pv);
		V mh = pv & xh;

		over += (int32_t)(ph >> top) - (int32_t)(mh >> top);
		ph <<= 1;
		mh <<= 1;
		pv = mh | ~(xv | ph);
		mv = ph & xv;
	}
	/* Ends before letter `beg` + this one have no value. */
	static __device__ __forceinline__ uint32_t
	first(const struct pattern<V> &)
	{
		return 1;
	}
};

/* The letters of the window that ends here, as planes; the last one on top. */
template <class V> struct mismatches {
	V lo, hi, none;
	int32_t over;

	__device__ __forceinline__ void
	begin(const struct pattern<V> &)
	{
		lo = hi = none = 0;
	}
	__device__ __forceinline__ void
	step(const struct pattern<V> &p, const struct letter<V> &x)
	{
		const V top = (V)1 << (sizeof(V) * 8 - 1);
		struct letter<V> w;

		lo = lo >> 1 | (x.lo & top);
		hi = hi >> 1 | (x.hi & top);
		none = none >> 1 | (x.none & top);
		w.lo = lo;
		w.hi = hi;
		over = p.over - count(matches(p, w) & ~none);
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
	/* No window begins before its segment does. */
	static __device__ __forceinline__ uint32_t
	first(const struct pattern<V> &p)
	{
		return p.m;
	}
};

/* 32 letters of the text. */
struct word {
	uint32_t lo, hi, none;

	template <class V>
	__device__ __forceinline__ struct letter<V>
	at(unsigned b) const
	{
		struct letter<V> x;

		x.lo = all_of<V>(lo, b);
		x.hi = all_of<V>(hi, b);
		x.none = all_of<V>(none, b);
		return x;
	}
};

/* Hits of a word, the first letter's in bit 0, of a pair of patterns. */
template <class V, class S, bool EXC>
static __device__ __forceinline__ void
pass(const struct pattern<V> *p, S *s, const struct word &w, uint32_t *hit)
{
	for (int q = 0; q < PAIR; q++)
		hit[q] = 0;
#pragma unroll 8
	for (unsigned b = 0; b < TEXT_WORD; b++) {
		struct letter<V> x = w.at<V>(b);

		if (!EXC)
			x.none = 0;
		for (int q = 0; q < PAIR; q++) {
			s[q].step(p[q], x);
			hit[q] = __funnelshift_l((uint32_t)s[q].over, hit[q],
						 1);
		}
	}
	for (int q = 0; q < PAIR; q++)
		hit[q] = __brev(hit[q]);
}

/* Bits [from, to) of a word, for any from and to. */
static __device__ __forceinline__ uint32_t
bits_between(int64_t from, int64_t to)
{
	uint32_t below_from = from <= 0 ? 0 :
			      from >= 32 ? ~0u : ~(~0u << from);
	uint32_t below_to = to <= 0 ? 0 : to >= 32 ? ~0u : ~(~0u << to);

	return below_to & ~below_from;
}

/*
 * What the lanes have found in a word, s being their state before it.
 */
template <class V, class S>
static __device__ void
report(const struct scan<V> &a, const struct pattern<V> &p, S s,
       const struct word &w, uint32_t hit, uint32_t at)
{
	unsigned long long to = warp_room(a.n_hits, __popc(hit));

	for (unsigned b = 0; hit; b++, hit >>= 1) {
		s.step(p, w.at<V>(b));
		if (!(hit & 1))
			continue;
		if (to < a.hits)
			a.hit[to] = (unsigned long long)(at + b + 1) << 32 |
				    (unsigned long long)p.number << 8 |
				    (uint32_t)(s.over + (int32_t)p.k + 1);
		to++;
	}
}

/* One stretch, by one thread, for a pair of patterns. */
template <class V, class S>
static __device__ void
go(const struct scan<V> &a, const struct pattern<V> *p,
   const struct ends_stretch &t)
{
	uint32_t beg = t.own - t.beg > lead<V>() ? t.own - lead<V>() : t.beg;
	uint32_t hit[PAIR];
	S s[PAIR];

	for (int q = 0; q < PAIR; q++)
		s[q].begin(p[q]);
	for (uint32_t i = 0; i < a.steps; i++) {
		uint32_t at = beg + i * TEXT_WORD, x = at / TEXT_WORD;
		struct word w = { 0, 0, 0 };
		S before[PAIR];

		if (at < t.end) {
			const uint32_t *two = a.planes + x / 2 * 4 + x % 2;

			w.lo = __ldg(two);
			w.hi = __ldg(two + 2);
			if (a.exc)
				w.none = __ldg(a.exc + x);
		}
		for (int q = 0; q < PAIR; q++)
			before[q] = s[q];
		if (a.exc)
			pass<V, S, true>(p, s, w, hit);
		else
			pass<V, S, false>(p, s, w, hit);
		for (int q = 0; q < PAIR; q++) {
			uint32_t from = beg + S::first(p[q]) - 1;

			from = from > t.own ? from : t.own;
			hit[q] &= bits_between((int64_t)from - at,
					       (int64_t)t.end - at);
			if (__any_sync(~0u, hit[q] != 0))
				report(a, p[q], before[q], w, hit[q], at);
		}
	}
}

template <class V, class S>
static __global__ void __launch_bounds__(BLOCK)
scan_ends(struct scan<V> a)
{
	uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
	struct ends_stretch t = { 0, 0, 0 };

	if (i < a.stretches)
		t = a.stretch[i];
	for (uint32_t g = blockIdx.y; g < a.pairs; g += gridDim.y) {
		struct pattern<V> p[PAIR];

		for (int q = 0; q < PAIR; q++)
			p[q] = a.pattern[g * PAIR + q];
		go<V, S>(a, p, t);
	}
}

#endif
