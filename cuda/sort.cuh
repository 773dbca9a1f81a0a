/* SPDX-License-Identifier: MIT */
/*
 * sort.cuh - a radix sort of pairs, and prefix sums
 * Source: Merrill and Grimshaw, High performance and scalable radix sorting,
 * 2011, as counts, their sums, and a scatter; ranks within a warp by matches.
 *
 * CUB would do it faster, but cannot be linked without C++'s library.
 */
#ifndef SEQF_CUDA_SORT_CUH
#define SEQF_CUDA_SORT_CUH

#include "cuda/simt.h"

#include <stdint.h>

enum {
	SORT_BLOCK = 256, SORT_WARPS = SORT_BLOCK / 32,
	SORT_DIGITS = 256,	/* as many as threads */
	SORT_ROUNDS = 16,	/* pairs of a thread, at most */
	SCAN_TILE = 16 * SORT_BLOCK,
};

/* One digit of keys of type K.  Pairs of a warp are side by side, so that their
 * order stays. */
template <class K> struct sort_pass {
	const K *key;
	const uint32_t *value;
	K *to_key;
	uint32_t *to_value;
	uint32_t *count;	/* by digit and block; then where they go */
	uint32_t n, blocks, rounds;
	unsigned shift;
};

template <class K>
static __device__ __forceinline__ uint32_t
sort_place(const struct sort_pass<K> &a, uint32_t round)
{
	return ((blockIdx.x * SORT_WARPS + threadIdx.x / 32) * a.rounds +
		round) * 32 + (threadIdx.x & 31);
}

template <class K>
static __device__ __forceinline__ uint32_t
sort_digit(const struct sort_pass<K> &a, uint32_t place)
{
	return (uint32_t)(a.key[place] >> a.shift) & (SORT_DIGITS - 1);
}

template <class K>
static __global__ void __launch_bounds__(SORT_BLOCK)
sort_count(struct sort_pass<K> a)
{
	SHARED_ARRAY(uint32_t, seen, SORT_DIGITS);

	seen[threadIdx.x] = 0;
	__syncthreads();
	for (uint32_t r = 0; r < a.rounds; r++) {
		uint32_t i = sort_place(a, r);

		if (i < a.n)
			atomicAdd(&seen[sort_digit(a, i)], 1u);
	}
	__syncthreads();
	a.count[threadIdx.x * a.blocks + blockIdx.x] = seen[threadIdx.x];
}

template <class K>
static __global__ void __launch_bounds__(SORT_BLOCK)
sort_scatter(struct sort_pass<K> a)
{
	SHARED_ARRAY(uint32_t, at, SORT_WARPS * SORT_DIGITS);
	SHARED_ARRAY(unsigned short, rank, SORT_ROUNDS * SORT_BLOCK);
	uint32_t warp = threadIdx.x / 32, lane = threadIdx.x & 31, sum;

	for (uint32_t i = threadIdx.x; i < SORT_WARPS * SORT_DIGITS;
	     i += SORT_BLOCK)
		at[i] = 0;
	__syncthreads();
	for (uint32_t r = 0; r < a.rounds; r++) {
		uint32_t i = sort_place(a, r), before, first = 0;
		uint32_t d = i < a.n ? sort_digit(a, i) : ~0u;
		uint32_t same = __match_any_sync(~0u, d);

		before = __popc(same & ~(~0u << lane));
		if (i < a.n)
			first = at[warp * SORT_DIGITS + d];
		__syncwarp(~0u);
		if (i < a.n && before == 0)
			at[warp * SORT_DIGITS + d] = first + __popc(same);
		__syncwarp(~0u);
		rank[r * SORT_BLOCK + threadIdx.x] =
			(unsigned short)(first + before);
	}
	__syncthreads();
	sum = a.count[threadIdx.x * a.blocks + blockIdx.x];
	for (uint32_t w = 0; w < SORT_WARPS; w++) {
		uint32_t n = at[w * SORT_DIGITS + threadIdx.x];

		at[w * SORT_DIGITS + threadIdx.x] = sum;
		sum += n;
	}
	__syncthreads();
	for (uint32_t r = 0; r < a.rounds; r++) {
		uint32_t i = sort_place(a, r), to;

		if (i >= a.n)
			continue;
		to = at[warp * SORT_DIGITS + sort_digit(a, i)] +
		     rank[r * SORT_BLOCK + threadIdx.x];
		a.to_key[to] = a.key[i];
		a.to_value[to] = a.value[i];
	}
}

/* Sums of all before, or, if MAX, the largest up to here. */
template <bool MAX>
static __device__ __forceinline__ uint32_t
scan_op(uint32_t a, uint32_t b)
{
	return MAX ? (a > b ? a : b) : a + b;
}

/* Of the block's threads, each with x, up to this one; *all: of all. */
template <bool MAX>
static __device__ uint32_t
scan_block(uint32_t x, uint32_t *warps, uint32_t *all)
{
	uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32, sum = 0;

	for (unsigned d = 1; d < 32; d *= 2) {
		uint32_t left = __shfl_up_sync(~0u, x, d);

		x = lane >= d ? scan_op<MAX>(x, left) : x;
	}
	if (lane == 31)
		warps[warp] = x;
	__syncthreads();
	*all = 0;
	for (uint32_t w = 0; w < SORT_WARPS; w++) {
		if (w == warp)
			sum = *all;
		*all = scan_op<MAX>(*all, warps[w]);
	}
	__syncthreads();
	return scan_op<MAX>(x, sum);
}

/* Of a block's tile of x, the sum alone. */
template <bool MAX>
static __global__ void __launch_bounds__(SORT_BLOCK)
scan_tiles(const uint32_t *x, uint32_t n, uint32_t *sum)
{
	SHARED_ARRAY(uint32_t, warps, SORT_WARPS);
	uint32_t mine = 0, all;

	for (uint32_t i = 0; i < SCAN_TILE; i += SORT_BLOCK) {
		uint32_t p = blockIdx.x * SCAN_TILE + i + threadIdx.x;

		if (p < n)
			mine = scan_op<MAX>(mine, x[p]);
	}
	scan_block<MAX>(mine, warps, &all);
	if (threadIdx.x == 0)
		sum[blockIdx.x] = all;
}

/*
 * In place; sum: what is before each block's tile of `tile`, or NULL: nothing.
 * Of sums, what is before; of the largest, up to here, unless `before`.
 */
template <bool MAX>
static __global__ void __launch_bounds__(SORT_BLOCK)
scan_all(uint32_t *x, uint32_t n, uint32_t tile, const uint32_t *sum,
	 bool before)
{
	SHARED_ARRAY(uint32_t, warps, SORT_WARPS);
	SHARED_ARRAY(uint32_t, last, SORT_BLOCK);
	uint32_t carry = sum ? sum[blockIdx.x] : 0, all;
	uint32_t beg = blockIdx.x * tile;
	uint32_t end = n - beg < tile ? n : beg + tile;

	for (uint32_t i = beg; i < end; i += SORT_BLOCK) {
		uint32_t p = i + threadIdx.x, v = p < n ? x[p] : 0;
		uint32_t upto = scan_op<MAX>(carry, scan_block<MAX>(v, warps,
								    &all));

		last[threadIdx.x] = upto;
		__syncthreads();
		if (before)
			upto = threadIdx.x ? last[threadIdx.x - 1] : carry;
		if (p < end)
			x[p] = upto;
		carry = scan_op<MAX>(carry, all);
		__syncthreads();
	}
}

/*
 * sums: room for n / SCAN_TILE + 1.  A kernel that was not launched must not be
 * followed by those that rely on it.
 */
template <bool MAX>
static cudaError_t
scan_device(uint32_t *x, uint32_t n, uint32_t *sums, bool before,
	    cudaStream_t queue)
{
	uint32_t tiles = n / SCAN_TILE + (n % SCAN_TILE != 0);
	const uint32_t *none = NULL;
	cudaError_t rc;

	LAUNCH(scan_tiles<MAX>, tiles, SORT_BLOCK, 0, queue, x, n, sums);
	LAUNCH(scan_all<MAX>, 1, SORT_BLOCK, 0, queue, sums, tiles, tiles,
	       none, true);
	rc = cudaGetLastError();
	if (rc != cudaSuccess)
		return rc;
	LAUNCH(scan_all<MAX>, tiles, SORT_BLOCK, 0, queue, x, n,
	       (uint32_t)SCAN_TILE, sums, before);
	return cudaGetLastError();
}

/* Two buffers of pairs; the first holds them, before and after.  Keys are of 32
 * or 64 bits. */
struct sort_pairs {
	void *key[2];
	uint32_t *value[2];
	uint32_t *count;	/* SORT_DIGITS * sort_most_blocks(n) */
	uint32_t *sums;		/* what scan_device() wants for that */
};

static inline uint32_t
sort_rounds(uint32_t n)
{
	const uint32_t rounds = n / (64 * SORT_BLOCK) + 1, most = SORT_ROUNDS;

	return rounds < most ? rounds : most;
}

static inline uint32_t
sort_blocks(uint32_t n)
{
	uint32_t tile = sort_rounds(n) * SORT_BLOCK;

	return n / tile + (n % tile != 0);
}

/* Of n pairs or of fewer: with fewer there may be up to 64. */
static inline uint32_t
sort_most_blocks(uint32_t n)
{
	return sort_blocks(n) > 64 ? sort_blocks(n) : 64;
}

/* By the low `bits` of keys of type K; stable.  n > 0. */
template <class K>
static inline cudaError_t
sort_device(struct sort_pairs *s, uint32_t n, unsigned bits,
	    cudaStream_t queue)
{
	struct sort_pass<K> a;
	cudaError_t rc = cudaSuccess;

	a.n = n;
	a.rounds = sort_rounds(n);
	a.blocks = sort_blocks(n);
	a.count = s->count;
	for (a.shift = 0; a.shift < bits && rc == cudaSuccess; a.shift += 8) {
		void *key = s->key[0];
		uint32_t *value = s->value[0];

		a.key = (const K *)key;
		a.value = value;
		a.to_key = (K *)s->key[1];
		a.to_value = s->value[1];
		LAUNCH(sort_count<K>, a.blocks, SORT_BLOCK, 0, queue, a);
		rc = cudaGetLastError();
		if (rc == cudaSuccess)
			rc = scan_device<false>(a.count, SORT_DIGITS * a.blocks,
						s->sums, true, queue);
		if (rc != cudaSuccess)
			break;
		LAUNCH(sort_scatter<K>, a.blocks, SORT_BLOCK, 0, queue, a);
		rc = cudaGetLastError();
		s->key[0] = s->key[1];
		s->value[0] = s->value[1];
		s->key[1] = key;
		s->value[1] = value;
	}
	return rc;
}

#endif
