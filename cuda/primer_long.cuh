/* SPDX-License-Identifier: MIT */
/*
 * primer_long.cuh - places of cores of several words with fewer than k
 * differences
 * Source: Myers, J. ACM 46(3), 1999, words on top of each other.
 *
 * All threads have the same core, with its column of D in registers, and a
 * stretch of the text each, which they read from its last letter to its first,
 * as the core is: so a hit is where its first letter lies.  It also reads the
 * rows + k - 1 columns before the stretch, which its values depend on.
 *
 * A word of 32 rows takes 10 operations and a load from shared memory, where
 * symbols are an odd number of words apart, so that no two share a bank: 32 /
 * 10 cells in each of 64 lanes and a clock, which is 54 T cells/s with 132
 * multiprocessors at 2 GHz; with what a column takes beside, 40 of 8 words and
 * 50 of 32: predicted from machine code for sm_90, not measured.  Only sums
 * wait for the word below, all else of a column does not; its matches are
 * loaded during the column before, as a core in a short text has but one or
 * two warps a scheduler.  Slices, a bit a stretch, would take 5 operations,
 * but 32 times as many stretches, which a text of 200,000 letters has not: they
 * overlap by some 300 columns.
 */
#ifndef SEQF_CUDA_PRIMER_LONG_CUH
#define SEQF_CUDA_PRIMER_LONG_CUH

#include "cuda/warp.cuh"

extern "C" {
#include "primer/primer.h"
#include "cuda/primer_dev.h"
}

struct cores_long_scan {
	const uint32_t *text;	/* 4 letters each */
	const uint32_t *eq, *rows;
	unsigned long long *hit, *n_hits;
	uint32_t hits;
	int32_t letters, columns;	/* a multiple of 32 */
	int32_t own, upto, stretch, over, k;
};

/*
 * D's column as rises and falls; 0 above the first row.  `above` is D - k of
 * the core's last row, which `rest` rows follow: negative at a hit.
 *
 * A path of fewer than k differences that goes on from the core's last row with
 * x letters of the text passed over gets to the last row within x + rest
 * columns, and x columns on the core is a hit, too.  So more rows are watched
 * for in `rest` columns behind each hit: `more` occurred; `most`, of the tile.
 */
template <int WORDS> struct long_core {
	uint32_t pv[WORDS], mv[WORDS];
	uint32_t eq[WORDS];	/* of the column to come */
	int32_t above, rest, watch, more, most;

	__device__ __forceinline__ void
	begin(uint32_t rows, int32_t k, const uint32_t *first)
	{
		int32_t wild = 32 * WORDS - (int32_t)(rows & 65535);

		rest = (int32_t)(rows >> 16);
		watch = more = 0;
		above = 32 * WORDS - wild - rest - k;
#pragma unroll
		for (int w = 0; w < WORDS; w++) {
			pv[w] = wild <= 0 ? ~0u : wild >= 32 ? 0 : ~0u << wild;
			mv[w] = 0;
			eq[w] = first[w];
			wild -= 32;
		}
	}

	/* A column; `next` is of the one behind it, whose words come from
	 * shared memory while this one's are computed. */
	__device__ __forceinline__ void
	step(const uint32_t *next)
	{
		uint32_t sum[WORDS];
		uint32_t ph = 0, mh = 0;	/* the word's before */

#pragma unroll
		for (int w = 0; w < WORDS; w++)
			sum[w] = eq[w] & pv[w];
		simt_add<WORDS>(sum, sum, pv);
#pragma unroll
		for (int w = 0; w < WORDS; w++) {
			uint32_t xh = (sum[w] ^ pv[w]) | eq[w];
			uint32_t xv = eq[w] | mv[w];
			uint32_t p = mv[w] | ~(xh | pv[w]), m = pv[w] & xh;

			ph = __funnelshift_l(ph, p, 1);
			mh = __funnelshift_l(mh, m, 1);
			pv[w] = mh | ~(xv | ph);
			mv[w] = ph & xv;
			eq[w] = next[w];
			ph = p;
			mh = m;
		}
		above += (int32_t)(ph << rest >> 31);
		above -= (int32_t)(mh << rest >> 31);
	}

	/* D - k of so many rows behind the core's. */
	__device__ __forceinline__ int32_t
	behind(int32_t n) const
	{
		uint32_t rows = ((1u << n) - 1) << (32 - rest);

		return above + __popc(pv[WORDS - 1] & rows) -
		       __popc(mv[WORDS - 1] & rows);
	}

	__device__ __forceinline__ void
	look()
	{
		if (above < 0) {
			more = watch ? more : 0;
			watch = rest + 1;
		}
		if (watch) {
			while (more < rest && behind(more + 1) < 0)
				more++;
			most = max(most, more);
			watch--;
		}
	}
};

/* Letters of four columns from `at` on, a multiple of 4: the first one's in the
 * highest byte. */
static __device__ __forceinline__ uint32_t
long_letters(const struct cores_long_scan &a, int32_t at)
{
	uint32_t i = (uint32_t)(a.columns - at) / 4 - 1;

	return at >= 0 && at < a.columns ? __ldg(a.text + i) : 0;
}

/* 32 columns from `at` on, a multiple of 32: hits, the first one's in bit 0.
 * four: letters of the first ones; then of those behind. */
template <int WORDS>
static __device__ __forceinline__ uint32_t
long_word(const struct cores_long_scan &a, const uint32_t *eq,
	  struct long_core<WORDS> &c, int32_t at, uint32_t &four)
{
	uint32_t hit = 0;

#pragma unroll 1
	for (int32_t n = 1; n <= 8; n++) {
		uint32_t more = long_letters(a, at + 4 * n);

#pragma unroll 1
		for (int b = 0; b < 4; b++) {
			four = __funnelshift_l(more, four, 8);
			more <<= 8;
			c.step(eq + (four >> 24) * (WORDS | 1));
			c.look();
			hit = __funnelshift_l((uint32_t)c.above, hit, 1);
		}
	}
	return __brev(hit);
}

/* Its hits, one primer_stretch_put(); the last letter's column is number 0. */
struct long_tile {
	uint32_t hit;
	int32_t at, more;
};

static __device__ void
long_report(const struct cores_long_scan &a, const struct long_tile &t)
{
	unsigned long long to = warp_room(a.n_hits, t.hit != 0);
	int32_t first = __ffs((int)t.hit) - 1, last = 31 - __clz((int)t.hit);

	if (t.hit && to < a.hits)
		a.hit[to] = (unsigned long long)(a.letters - 1 - t.at - last) <<
			    10 | (unsigned)((last - first) << 5 | t.more);
}

/* A stretch, and the columns behind it in which its last hits are watched. */
template <int WORDS>
static __device__ void
long_stretch(const struct cores_long_scan &a, const uint32_t *eq)
{
	int32_t own = a.own + (int32_t)(blockIdx.x * blockDim.x + threadIdx.x) *
			      a.stretch;
	struct long_tile t = { 0, 0, 0 };
	struct long_core<WORDS> c;
	uint32_t four;

	if (own - (int32_t)(threadIdx.x & 31) * a.stretch >= a.upto)
		return;		/* all of the warp */
	four = long_letters(a, own - a.over);
	c.begin(*a.rows, a.k, eq + (four >> 24) * (WORDS | 1));
	for (int32_t at = own - a.over; at <= own + a.stretch; at += 32) {
		uint32_t hit;

		c.most = 0;
		hit = long_word(a, eq, c, at, four);
		t.more = max(t.more, c.most);
		if (__any_sync(~0u, t.hit != 0))
			long_report(a, t);
		if (at < own || at >= min(own + a.stretch, a.upto))
			hit = 0;
		else if (a.upto - at < 32)
			hit &= ~(~0u << (a.upto - at));
		t = { hit, at, c.most };
	}
}

template <int WORDS>
static __global__ void __launch_bounds__(PRIMER_DEV_GROUP)
scan_long_core(struct cores_long_scan a)
{
	SHARED_ARRAY(uint32_t, eq, PRIMER_DEV_SYMBOLS * (WORDS | 1));

	for (uint32_t w = threadIdx.x; w < PRIMER_DEV_SYMBOLS * WORDS;
	     w += PRIMER_DEV_GROUP)
		eq[w / WORDS * (WORDS | 1) + w % WORDS] = a.eq[w];
	__syncthreads();
	long_stretch<WORDS>(a, eq);
}

#endif
