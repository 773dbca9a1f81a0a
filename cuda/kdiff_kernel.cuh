/* SPDX-License-Identifier: MIT */
/*
 * kdiff_kernel.cuh - ends with at most k differences, bit vectors in registers
 *
 * Threads of a block have a stretch of text each, and the same group of
 * patterns: the matches of a letter in all of them are one load from shared
 * memory.  A step is a word of 32 letters.  It only finds whether there is a
 * hit at all; if a lane of the warp has one, the word is processed again.
 *
 * Predicted from machine code for sm_90, not measured: a letter takes a pattern
 * of up to 32 letters 10.0 operations of the integer pipe, 64 lanes a clock,
 * and 3.3 of the pipe for products; of 64 letters 21.6 and 3.5; mismatches 4.0
 * and 9.6, with one or two counts, each as long as four operations, on a third
 * pipe.  So 132 multiprocessors at 1.98 GHz do 1.67 and 0.78 T letters x
 * patterns a second, or 4.1 and 1.7.  Text is read once a group.
 */
#ifndef SEQF_CUDA_KDIFF_KERNEL_CUH
#define SEQF_CUDA_KDIFF_KERNEL_CUH

#include "cuda/kdiff_state.cuh"
#include "cuda/warp.cuh"

extern "C" {
#include "cuda/kdiff_dev.h"
}

enum { BLOCK = 128 };

/* KDIFF_DEV_LEAD for patterns of V's bits. */
template <class V>
static __host__ __device__ constexpr uint32_t
lead()
{
	return 2 * 8 * sizeof(V);
}

template <class V> struct scan {
	struct letters text;
	const struct kdiff_dev_stretch *stretch;
	const struct pattern<V> *pattern;	/* groups */
	unsigned long long *hit, *n_hits;
	uint32_t stretches, groups, hits, steps;
	const uint32_t *columns;	/* of the paper's global variant */
	uint32_t letters;		/* columns[letter * letters + place] */
};

/* Bits [from, to) of a word, for any from and to. */
static __device__ __forceinline__ uint32_t
bits_between(int64_t from, int64_t to)
{
	uint32_t below_from = from <= 0 ? 0 :
			      from >= 32 ? ~0u : ~(~0u << from);
	uint32_t below_to = to <= 0 ? 0 : to >= 32 ? ~0u : ~(~0u << to);

	return below_to & ~below_from;
}

/* What the lanes have of pattern q in a word, x being its state before it. */
template <class V, class X, class W>
static __device__ __forceinline__ void
report(const struct scan<V> &a, const struct patterns<V> &g, unsigned q, X x,
       const W &w, uint32_t hit, uint32_t at)
{
	unsigned long long to = warp_room(a.n_hits, __popc(hit));

	for (unsigned b = 0; hit; b++, hit >>= 1) {
		int32_t over = x.next(g, q, w, b);

		if (!(hit & 1))
			continue;
		if (to < a.hits)
			a.hit[to] = (unsigned long long)(at + b + 1) << 32 |
				    (unsigned long long)g.p[q].number << 8 |
				    (uint32_t)(over + (int32_t)g.p[q].k + 1);
		to++;
	}
}

/* A word that some lane has a hit in: which ones, and what they are. */
template <class V, class S, class W>
static __device__ __forceinline__ void
look(const struct scan<V> &a, const struct patterns<V> &g, S before,
     const W &w, unsigned low, const struct kdiff_dev_stretch &t,
     uint32_t at)
{
#pragma unroll 1
	for (unsigned q = 0; q < group<V>(); q++, before.drop()) {
		uint32_t from = max(t.beg + S::first(g.p[q]) - 1, t.own);
		uint32_t hit = 0;
		auto x = before.one();

		if (!__any_sync(~0u, low >> q & 1))
			continue;
#pragma unroll 1
		for (unsigned b = 0; b < TEXT_WORD; b++)
			hit |= (uint32_t)(x.next(g, q, w, b) < 0) << b;
		hit &= bits_between((int64_t)from - at, (int64_t)t.end - at);
		if (__any_sync(~0u, hit != 0))
			report(a, g, q, before.one(), w, hit, at);
	}
}

/* One stretch, by one thread, for a group of patterns. */
template <class V, class S, class W>
static __device__ __forceinline__ void
go(const struct scan<V> &a, const struct patterns<V> &g,
   struct kdiff_dev_stretch t)
{
	S s;

	if (t.own - t.beg > lead<V>())
		t.beg = t.own - lead<V>();
	s.begin(g);
	for (uint32_t i = 0; i < a.steps; i++) {
		uint32_t at = t.beg + i * TEXT_WORD;
		int32_t low[group<V>()] = {};
		W w = {};
		unsigned some = 0;
		S before = s;

		if (at < t.end)
			w.read(a.text, at / TEXT_WORD);
		if (W::EXC && a.text.exc)
			s.template pass<true>(g, w, low);
		else
			s.template pass<false>(g, w, low);
		if (at >= t.own && at < t.end)
			for (unsigned q = 0; q < group<V>(); q++)
				some |= ((uint32_t)low[q] >> 31) << q;
		if (__any_sync(~0u, some))
			look(a, g, before, w, some, t, at);
	}
}

template <class V, class W>
static __device__ __forceinline__ void
take_patterns(struct patterns<V> &g, const struct pattern<V> *from)
{
	__syncthreads();	/* those before have done */
	for (uint32_t i = threadIdx.x; i < W::ROWS * group<V>();
	     i += BLOCK) {
		uint32_t q = i % group<V>(), x = i / group<V>();

		g.row[x].v[q] = W::matches(from[q], x);
	}
	if (threadIdx.x < group<V>())
		g.p[threadIdx.x] = from[threadIdx.x];
	__syncthreads();
}

template <class V, class S, class W>
static __global__ void __launch_bounds__(BLOCK)
scan_ends(struct scan<V> a)
{
	SHARED(struct patterns<V>, g);
	uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
	struct kdiff_dev_stretch t = { 0, 0, 0 };

	if (i < a.stretches)
		t = a.stretch[i];
	for (uint32_t y = blockIdx.y; y < a.groups; y += gridDim.y) {
		take_patterns<V, W>(g, a.pattern + y * group<V>());
		go<V, S, W>(a, g, t);
	}
}

#endif
