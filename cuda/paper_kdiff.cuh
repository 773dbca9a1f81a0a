/* SPDX-License-Identifier: MIT */
/*
 * paper_kdiff.cuh - ends with at most k differences, a row of the matrix at a
 * time
 * Source: Ho, Oh and Kim, PLoS ONE 12(10), e0186251, 2017; rows of D are in
 * shared memory.
 *
 * A block has a tile of text, a thread a letter of it, column J of the matrix.
 * D[i][J] needs only row i - 1: where P[i] does not match T[J], it is the least
 * of D[i-1][J-1] + 1, D[i-1][J] + 1 and D[i-1][x-1] + J - x, for x <= J the
 * last letter that P[i] matches (D[i][0] + J where there is none).  The first
 * of these comes from the lane before by a shuffle, the second is the thread's
 * own, and only the third is read from memory.  Tiles overlap by m + k.
 *
 * x of each column and letter is the matrix X.  It is found for each tile by
 * ballots, or, in the variant with X in global memory, once for the piece.
 */
#ifndef SEQF_CUDA_PAPER_KDIFF_CUH
#define SEQF_CUDA_PAPER_KDIFF_CUH

#include "cuda/kdiff_kernel.cuh"

enum { TILE = 256 };

struct tile {
	short row[2][TILE + 1];		/* D[i - 1], D[i] from column 0 on */
	int last[4][TILE / 32];		/* the warp's last column with it */
};

/* Of the x-th 32 letters, which match letter q. */
static __device__ __forceinline__ uint32_t
letters_with(const struct letters &t, uint32_t x, int q)
{
	const uint32_t *two = t.planes + x / 2 * 4 + x % 2;
	uint32_t lo, hi;

	if (t.sets)
		return __ldg(t.sets + x / 2 * 8 + x % 2 + 2 * q);
	lo = __ldg(two);
	hi = __ldg(two + 2);
	return (q & 1 ? lo : ~lo) & (q & 2 ? hi : ~hi) &
	       ~(t.exc ? __ldg(t.exc + x) : 0);
}

/* The letter as a set, a bit each: none where the stretch is over. */
static __device__ int
set_at(const struct letters &t, uint32_t at, uint32_t end)
{
	int set = 0;

	if (at >= end)
		return 0;
	for (int q = 0; q < 4; q++)
		set |= (int)(letters_with(t, at / 32, q) >> at % 32 & 1) << q;
	return set;
}

/* x of each letter: the last column up to this one that holds it, or 0. */
static __device__ void
last_columns(struct tile &s, int set, int x[4])
{
	int lane = threadIdx.x & 31, warp = threadIdx.x / 32;

	for (int q = 0; q < 4; q++) {
		unsigned has = __ballot_sync(~0u, set >> q & 1);
		unsigned upto = has & ~0u >> (31 - lane);

		if (lane == 31)
			s.last[q][warp] = has ? warp * 32 + 32 -
						__clz((int)has) : 0;
		x[q] = upto ? warp * 32 + 32 - __clz((int)upto) : 0;
	}
	__syncthreads();
	for (int q = 0; q < 4; q++)
		for (int w = warp - 1; w >= 0 && !x[q]; w--)
			x[q] = s.last[q][w];
}

/* X of the piece: for each letter the last place up to this one that holds it,
 * from 1, or 0: none within a tile. */
static __global__ void __launch_bounds__(TILE)
keep_columns(struct letters t, uint32_t n, uint32_t *columns)
{
	uint32_t at = blockIdx.x * TILE + threadIdx.x;
	uint32_t x[4] = { 0, 0, 0, 0 }, upto = ~0u >> (31 - at % 32);

	if (at >= n)
		return;
	for (uint32_t w = at / 32, i = 0; i <= TILE / 32; i++, w--) {
		for (int q = 0; q < 4; q++) {
			uint32_t has = upto & letters_with(t, w, q);

			if (has && !x[q])
				x[q] = w * 32 + 32 - (uint32_t)__clz((int)has);
		}
		if (w == 0)
			break;
		upto = ~0u;
	}
	for (uint32_t q = 0; q < 4; q++)
		columns[(size_t)q * n + at] = x[q];
}

/* The same of a tile that begins at `beg`, counted from there. */
template <class V>
static __device__ void
kept_columns(const struct scan<V> &a, uint32_t beg, uint32_t at, int x[4])
{
	for (uint32_t q = 0; q < 4; q++) {
		uint32_t last = at < a.letters ?
			__ldg(a.columns + (size_t)q * a.letters + at) : 0;

		x[q] = last > beg ? (int)(last - beg) : 0;
	}
}

/* D[m] of the thread's column. */
template <class V>
static __device__ int
rows(struct tile &s, const struct pattern<V> &p, int set, const int x[4])
{
	int j = (int)threadIdx.x, lane = j & 31, d = 0;

	s.row[0][j + 1] = 0;
	if (j == 0)
		s.row[0][0] = 0;
	__syncthreads();
	for (uint32_t i = 1; i <= p.m; i++) {
		const short *above = s.row[(i - 1) & 1];
		short *row = s.row[i & 1];
		unsigned bit = sizeof(V) * 8 - p.m + i - 1;
		int left = __shfl_up_sync(~0u, d, 1), last = 0, fits = 0;

		if (lane == 0)
			left = above[j];
		for (int q = 0; q < 4; q++)
			if (p.eq[q] >> bit & 1) {
				last = max(last, x[q]);
				fits |= set >> q & 1;
			}
		if (fits) {
			d = left;
		} else {
			int gap = last ? above[last - 1] + j + 1 - last :
				  (int)i + j + 1;

			d = min(min(left, d) + 1, gap);
		}
		row[j + 1] = (short)d;
		if (j == 0)
			row[0] = (short)i;
		__syncthreads();
	}
	return d;
}

/* One hit a lane at most. */
template <class V>
static __device__ void
report_lanes(const struct scan<V> &a, const struct pattern<V> &p, bool hit,
	     uint32_t end, int d)
{
	unsigned lane = threadIdx.x & 31, all = __ballot_sync(~0u, hit);
	unsigned long long to = 0;

	if (!all)
		return;
	if (lane == 0)
		to = atomicAdd(a.n_hits, (unsigned long long)__popc(all));
	to = __shfl_sync(~0u, to, 0) + __popc(all & ~(~0u << lane));
	if (hit && to < a.hits)
		a.hit[to] = (unsigned long long)end << 32 |
			    (unsigned long long)p.number << 8 | (unsigned)d;
}

/* One stretch of one pattern, tile by tile, by the whole block. */
template <class V, bool GLOBAL>
static __device__ void
tiles(struct tile &s, const struct scan<V> &a, const struct pattern<V> &p,
      const struct kdiff_dev_stretch &t)
{
	uint32_t overlap = p.m + p.k, beg;

	for (uint32_t own = t.own; own < t.end; own = beg + TILE) {
		uint32_t at;
		int x[4], set, d;

		beg = own - t.beg > overlap ? own - overlap : t.beg;
		at = beg + threadIdx.x;
		set = set_at(a.text, at, t.end);
		if (GLOBAL)
			kept_columns(a, beg, at, x);
		else
			last_columns(s, set, x);
		d = rows(s, p, set, x);
		report_lanes(a, p, at >= own && at < t.end && d <= (int)p.k,
			     at + 1, d);
	}
}

template <class V, bool GLOBAL>
static __global__ void __launch_bounds__(TILE)
scan_rows(struct scan<V> a)
{
	SHARED(struct tile, s);
	struct kdiff_dev_stretch t = a.stretch[blockIdx.x];

	for (uint32_t i = blockIdx.y; i < a.groups * group<V>();
	     i += gridDim.y) {
		struct pattern<V> p = a.pattern[i];

		if (p.m)	/* not one that fills a group */
			tiles<V, GLOBAL>(s, a, p, t);
	}
}

#endif
