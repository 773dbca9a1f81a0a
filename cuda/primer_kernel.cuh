/* SPDX-License-Identifier: MIT */
/*
 * primer_kernel.cuh - places of cores with fewer than k differences
 * Source: Myers, J. ACM 46(3), 1999; here each thread has cores of its own, one
 * register each, and the threads of a block read the same stretch of text.
 *
 * The matches of a letter are a row of a table in shared memory, a word for
 * each core.  A step is 32 letters; only where a lane of the warp has a hit
 * among them, hits are written.
 *
 * Predicted from machine code for sm_90, not measured: a letter takes a core
 * 10.9 operations of the integer pipe, and a load from shared memory: 1.5 T
 * letters x cores a second by 132 multiprocessors at 1.98 GHz.
 */
#ifndef SEQF_CUDA_PRIMER_KERNEL_CUH
#define SEQF_CUDA_PRIMER_KERNEL_CUH

#include "cuda/warp.cuh"

extern "C" {
#include "cuda/primer_dev.h"
}

/* Cores of a thread, CORES_BLOCK apart. */
enum { CORES_EACH = 2, CORES_BLOCK = PRIMER_DEV_GROUP / CORES_EACH };

struct cores_scan {
	const uint32_t *text;	/* 4 letters each, 0 up to a multiple of 32 */
	const uint32_t *eq, *rows;
	unsigned long long *hit, *n_hits;
	uint32_t letters, cores, own, stretch, hits;
	int32_t k;
};

/* D's column as rises and falls; the rows below a core match all letters, so
 * that D is 0 above its first row.  `over` is D - k: negative at a hit. */
struct core {
	uint32_t pv, mv, number;
	int32_t over;
	uint32_t upto;		/* a hit stands for those up to there */

	__device__ __forceinline__ void
	step(uint32_t eq)
	{
		uint32_t em = eq | mv;	/* mv & pv is 0: em & pv = eq & pv */
		uint32_t d0 = (((em & pv) + pv) ^ pv) | em;
		uint32_t ph = mv | ~(d0 | pv);
		uint32_t mh = pv & d0;

		over += (int32_t)(ph >> 31);
		over -= (int32_t)(mh >> 31);
		ph += ph;
		mh += mh;
		pv = mh | ~(d0 | ph);
		mv = ph & d0;
	}
};

/* 32 letters from `at` on: hits, the first letter's in bit 0. */
static __device__ __forceinline__ void
cores_word(const struct cores_scan &a, const uint32_t *eq, struct core *c,
	   uint32_t at, uint32_t *hit)
{
#pragma unroll 2
	for (unsigned i = 0; i < 8; i++) {
		uint32_t four = __ldg(a.text + at / 4 + i);

		for (unsigned b = 0; b < 4; b++) {
			const uint32_t *row = eq + (four >> 8 * b & 255) *
						   PRIMER_DEV_GROUP;

			for (unsigned q = 0; q < CORES_EACH; q++) {
				c[q].step(row[q * CORES_BLOCK]);
				hit[q] = __funnelshift_l((uint32_t)c[q].over,
							 hit[q], 1);
			}
		}
	}
	for (unsigned q = 0; q < CORES_EACH; q++)
		hit[q] = __brev(hit[q]);
}

/*
 * The first of hits within PRIMER_DEV_NEAR letters; bit b is `at` + b + 1 read.
 */
static __device__ __forceinline__ uint32_t
cores_first(uint32_t hit, struct core &c, uint32_t at)
{
	uint32_t kept = 0;

	while (hit) {
		uint32_t bit = hit & (0 - hit), read = at + (uint32_t)__ffs(
			(int)hit);

		hit ^= bit;
		if (read <= c.upto)
			continue;
		kept |= bit;
		c.upto = read + PRIMER_DEV_NEAR;
	}
	return kept;
}

/* What the lanes have. */
static __device__ void
cores_report(const struct cores_scan &a, uint32_t number, uint32_t hit,
	     uint32_t at)
{
	unsigned long long to = warp_room(a.n_hits, __popc(hit));

	for (; hit; hit &= hit - 1, to++)
		if (to < a.hits)
			a.hit[to] = (unsigned long long)number << 32 |
				    (at + (uint32_t)__ffs((int)hit));
}

/* Letters (own, end] read, by a thread's cores. */
static __device__ __forceinline__ void
cores_stretch(const struct cores_scan &a, const uint32_t *eq, struct core *c,
	      uint32_t own, uint32_t end)
{
	uint32_t beg = own > PRIMER_DEV_LEAD ? own - PRIMER_DEV_LEAD : 0;

	for (uint32_t at = beg; at < end; at += 32) {
		uint32_t hit[CORES_EACH] = {}, wanted = at < own ? 0 : ~0u;

		cores_word(a, eq, c, at, hit);
		if (end - at < 32)
			wanted &= ~(~0u << (end - at));
		for (unsigned q = 0; q < CORES_EACH; q++) {
			uint32_t kept = cores_first(hit[q] & wanted, c[q], at);

			if (__any_sync(~0u, kept != 0))
				cores_report(a, c[q].number, kept, at);
		}
	}
}

static __device__ __forceinline__ void
core_begin(const struct cores_scan &a, struct core &c, uint32_t number)
{
	uint32_t rows = number < a.cores ? a.rows[number] : 0;

	c.pv = rows ? ~0u << (32 - rows) : 0;
	c.mv = 0;
	c.over = rows ? (int32_t)rows - a.k : INT32_MAX / 2;
	c.upto = 0;
	c.number = number;
}

static __global__ void __launch_bounds__(CORES_BLOCK)
scan_cores(struct cores_scan a)
{
	SHARED_ARRAY(uint32_t, eq, PRIMER_DEV_SYMBOLS * PRIMER_DEV_GROUP);
	uint32_t own = a.own + blockIdx.x * a.stretch;
	uint32_t end = min(own + a.stretch, a.letters);

	for (uint32_t g = blockIdx.y * PRIMER_DEV_GROUP; g < a.cores;
	     g += gridDim.y * PRIMER_DEV_GROUP) {
		struct core c[CORES_EACH];

		/* words of its own cores only: nobody waits */
		for (unsigned i = threadIdx.x;
		     i < PRIMER_DEV_SYMBOLS * PRIMER_DEV_GROUP;
		     i += CORES_BLOCK)
			eq[i] = a.eq[g * PRIMER_DEV_SYMBOLS + i];
		for (unsigned q = 0; q < CORES_EACH; q++)
			core_begin(a, c[q], g + threadIdx.x + q * CORES_BLOCK);
		cores_stretch(a, eq + threadIdx.x, c, own, end);
	}
}

#endif
