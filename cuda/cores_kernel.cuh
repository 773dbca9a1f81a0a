/* SPDX-License-Identifier: MIT */
/*
 * cores_kernel.cuh - where cores occur with fewer than k differences
 * Source: Myers, J. ACM 46(3), 1999; here each thread has a core of its own in
 * one register, and the threads of a block read the same stretch of text.
 *
 * What a letter matches is a row of a table in shared memory, a word for each
 * thread.  A step is 32 letters; only where a lane of the warp has a hit among
 * them, hits are written.
 */
#ifndef SEQF_CUDA_CORES_KERNEL_CUH
#define SEQF_CUDA_CORES_KERNEL_CUH

#include "cuda/warp.cuh"

extern "C" {
#include "cuda/cores_dev.h"
}

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
		uint32_t xv = eq | mv;
		uint32_t xh = (((eq & pv) + pv) ^ pv) | eq;
		uint32_t ph = mv | ~(xh | pv);
		uint32_t mh = pv & xh;

		over += (int32_t)(ph >> 31) - (int32_t)(mh >> 31);
		ph <<= 1;
		mh <<= 1;
		pv = mh | ~(xv | ph);
		mv = ph & xv;
	}
};

/* 32 letters from `at` on: hits, the first letter's in bit 0. */
static __device__ __forceinline__ uint32_t
cores_word(const struct cores_scan &a, const uint32_t *eq, struct core &c,
	   uint32_t at)
{
	uint32_t hit = 0;

#pragma unroll 2
	for (unsigned i = 0; i < 8; i++) {
		uint32_t four = __ldg(a.text + at / 4 + i);

		for (unsigned b = 0; b < 4; b++) {
			c.step(eq[(four >> 8 * b & 255) * CORES_GROUP]);
			hit = __funnelshift_l((uint32_t)c.over, hit, 1);
		}
	}
	return __brev(hit);
}

/* Of hits within CORES_NEAR letters the first; bit b is `at` + b + 1 read. */
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
		c.upto = read + CORES_NEAR;
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

/* Letters (own, end] read, by one core. */
static __device__ void
cores_stretch(const struct cores_scan &a, const uint32_t *eq, struct core &c,
	      uint32_t own, uint32_t end)
{
	uint32_t beg = own > CORES_LEAD ? own - CORES_LEAD : 0;

	for (uint32_t at = beg; at < end; at += 32) {
		uint32_t hit = cores_word(a, eq, c, at);

		if (at < own)
			hit = 0;
		if (end - at < 32)
			hit &= ~(~0u << (end - at));
		hit = cores_first(hit, c, at);
		if (__any_sync(~0u, hit != 0))
			cores_report(a, c.number, hit, at);
	}
}

static __global__ void __launch_bounds__(CORES_GROUP)
scan_cores(struct cores_scan a)
{
	SHARED_ARRAY(uint32_t, eq, CORES_SYMBOLS * CORES_GROUP);
	uint32_t own = a.own + blockIdx.x * a.stretch;
	uint32_t end = min(own + a.stretch, a.letters);

	for (uint32_t g = blockIdx.y * CORES_GROUP; g < a.cores;
	     g += gridDim.y * CORES_GROUP) {
		uint32_t number = g + threadIdx.x, rows = 0;
		struct core c;

		for (unsigned s = 0; s < CORES_SYMBOLS; s++)
			eq[s * CORES_GROUP + threadIdx.x] =
				a.eq[g * CORES_SYMBOLS + s * CORES_GROUP +
				     threadIdx.x];
		if (number < a.cores)
			rows = a.rows[number];
		c.pv = rows ? ~0u << (32 - rows) : 0;
		c.mv = 0;
		c.over = rows ? (int32_t)rows - a.k : INT32_MAX / 2;
		c.upto = 0;
		c.number = number;
		cores_stretch(a, eq + threadIdx.x, c, own, end);
	}
}

#endif
