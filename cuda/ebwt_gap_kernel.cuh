/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap_kernel.cuh - words walked through the gaps between the rotations of
 * another, a thread each, and the runs that they make counted
 * Source: Pandey, Niyogi and Mittal compare weighted sequences on a GPU by
 * writing out the rotations of each two words and sorting them: its 4096 words
 * of 260 letters with one of 6 took it 35.2 ms.  Here nothing is sorted or
 * written (common/ebwt/ebwt_gap.h): a letter is one look-up.
 *
 * A block has v's gaps in shared memory, 8 bytes each, and behind them, for
 * each thread, a bit for each gap, or two counts of 16 bits for each, the
 * threads' side by side: of bits no two lanes want the same bank.  Lanes read
 * the same depth of words at a time, so that what all words have there is one
 * load for all, and what varies is next to each other.  Some 20 operations a
 * letter would let 132 SMs of 1.8 GHz do 1.5 T letters a second (not measured);
 * the CPU adds up 150 M words a second and thread, so that more would not be
 * seen.
 */
#ifndef SEQF_CUDA_EBWT_GAP_KERNEL_CUH
#define SEQF_CUDA_EBWT_GAP_KERNEL_CUH

#include "cuda/simt.h"

#include <stdint.h>

#include "ebwt/ebwt_gap.h"

enum { GAPS_BLOCK = 256 };

/* ebwt_gap.h's, where things are in the device's memory. */
struct gaps_job {
	uint64_t letter, varied, next, out;
	uint32_t n, len, m;
};
struct gaps {
	const struct gaps_job *job;
	const uint16_t *letter, *next;
	const uint32_t *varied;
	const uint64_t *term;
	uint16_t *runs;
	double *de;
};

/* What a thread has in shared memory: number i is at [i * blockDim.x]. */
template <bool DE> struct gaps_seen;

template <> struct gaps_seen<false> {
	uint32_t *bits;

	__device__ __forceinline__
	gaps_seen(void *room, const struct gaps_job &j)
	{
		bits = (uint32_t *)room + threadIdx.x;
		for (uint32_t i = 0; i <= j.m / 32; i++)
			bits[i * blockDim.x] = 0;
	}
	__device__ __forceinline__ void
	put(uint32_t gap)
	{
		bits[gap / 32 * blockDim.x] |= 1u << gap % 32;
	}
	/* Runs (common/ebwt/ebwt_gap.c); all is as it was at first. */
	__device__ __forceinline__ uint32_t
	finish(const struct gaps_job &j)
	{
		uint32_t taken = 0, ends;

		ends = (bits[0] & 1) +
		       (bits[j.m / 32 * blockDim.x] >> j.m % 32 & 1);
		for (uint32_t i = 0; i <= j.m / 32; i++) {
			taken += __popc(bits[i * blockDim.x]);
			bits[i * blockDim.x] = 0;
		}
		return taken + (taken - ends) + 1;
	}
};

template <> struct gaps_seen<true> {
	uint16_t *count, *of_length;	/* of 0: of no use */

	__device__ __forceinline__
	gaps_seen(void *room, const struct gaps_job &j)
	{
		count = (uint16_t *)room + threadIdx.x;
		of_length = count + (j.m + 1) * blockDim.x;
		for (uint32_t i = 0; i <= j.m; i++)
			count[i * blockDim.x] = 0;
		for (uint32_t i = 0; i <= max(j.m, j.len); i++)
			of_length[i * blockDim.x] = 0;
	}
	__device__ __forceinline__ void
	put(uint32_t gap)
	{
		count[gap * blockDim.x]++;
	}
	/* As ebwt_gap_runs(): how many runs there are. */
	__device__ __forceinline__ uint32_t
	lengths(const struct gaps_job &j)
	{
		uint32_t v_run = 0, runs = 0;

		for (uint32_t i = 0; i <= j.m; i++, v_run++) {
			uint32_t c = count[i * blockDim.x];

			if (!c)
				continue;
			count[i * blockDim.x] = 0;
			of_length[c * blockDim.x]++;
			of_length[v_run * blockDim.x]++;
			runs += 1 + (v_run > 0);
			v_run = 0;
		}
		/* the last gap has no rotation of v behind it */
		of_length[(v_run - 1) * blockDim.x]++;
		return runs + (v_run > 1);
	}
	__device__ __forceinline__ double
	finish(const struct gaps_job &j, const uint64_t *term)
	{
		uint32_t runs = lengths(j);
		uint64_t sum = 0;

		term += (uint64_t)runs * (runs + 1) / 2;
		for (uint32_t i = 1; i <= max(j.m, j.len); i++) {
			uint32_t c = of_length[i * blockDim.x];

			if (!c)
				continue;
			of_length[i * blockDim.x] = 0;
			sum += __ldg(term + c);
		}
		return (double)sum * EBWT_BITS_UNIT;
	}
};

/* Code of word i at a depth. */
static __device__ __forceinline__ uint32_t
gaps_letter(const struct gaps &a, const struct gaps_job &j, uint32_t i,
	    uint32_t depth)
{
	uint32_t k = __ldg(a.letter + j.letter + depth);

	if (k < 4)
		return k;
	k -= 4;
	return __ldg(a.varied + j.varied + (uint64_t)(k / 16) * j.n + i) >>
	       k % 16 * 2 & 3;
}

/*
 * Word i: from its end backwards until only one gap is left where its rotation
 * can lie, then once round.  False: its root is conjugate to v's; else
 * fewer than n + m letters decide, n the word's, as any two differ within them.
 */
template <class SEEN>
static __device__ __forceinline__ bool
gaps_walk(const struct gaps &a, const struct gaps_job &j, uint32_t i,
	  const uint16_t *next, SEEN *seen)
{
	uint32_t gap = 0, other = j.m, left = j.len, read = 0, depth = 0;
	bool met = false;

	while (left) {
		uint32_t c = gaps_letter(a, j, i, depth);

		gap = next[gap * 4 + c];
		if (met) {
			seen->put(gap);
			left--;
		} else {
			other = next[other * 4 + c];
			met = gap == other;
			if (!met && ++read > j.len + j.m)
				return false;
		}
		depth = depth + 1 == j.len ? 0 : depth + 1;
	}
	return true;
}

/* A job's words by the blocks of a column. */
template <bool DE>
static __global__ void __launch_bounds__(GAPS_BLOCK)
gaps_count(struct gaps a)
{
	SHARED_DYN(uint16_t, next);
	const struct gaps_job j = a.job[blockIdx.x];
	struct gaps_seen<DE> seen(next + 4 * (j.m + 1), j);

	for (uint32_t i = threadIdx.x; i < 4 * (j.m + 1); i += blockDim.x)
		next[i] = a.next[j.next + i];
	__syncthreads();
	for (uint32_t i = blockIdx.y * blockDim.x + threadIdx.x; i < j.n;
	     i += gridDim.y * blockDim.x) {
		bool untied = gaps_walk(a, j, i, next, &seen);

		if constexpr (DE)
			a.de[j.out + i] = untied ? seen.finish(j, a.term) : -1;
		else
			a.runs[j.out + i] =
				(uint16_t)(untied ? seen.finish(j) : 0);
	}
}

#endif
