/* SPDX-License-Identifier: MIT */
/*
 * paper_ebwt.cuh - rotations sorted as a source does it: all their letters,
 * by a library's sort or by a bitonic one
 * Source: Pandey, Niyogi and Mittal, whose conjugates are written out; Batcher,
 * Sorting networks and their applications, 1968.
 */
#ifndef SEQF_CUDA_PAPER_EBWT_CUH
#define SEQF_CUDA_PAPER_EBWT_CUH

#include "cuda/ebwt_kernel.cuh"

/* Keys of rotations in the order they are in: a word of letters, counted from
 * the rotation's first word. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_word(struct turns a, uint32_t word)
{
	uint32_t i = blockIdx.x * TURNS_BLOCK + threadIdx.x, place, c, beg, p;
	uint64_t key = 0, on = (uint64_t)word * a.letters;

	if (i >= a.n)
		return;
	place = a.value[i];
	c = turns_class(a.base, a.n_classes, place);
	beg = a.base[c];
	p = beg + (uint32_t)((place - beg + on) % (a.base[c + 1] - beg));
	for (unsigned k = 0; k < a.letters; k++) {
		key = key << a.bits | a.code[p];
		p = p + 1 == a.base[c + 1] ? beg : p + 1;
	}
	a.key[i] = key;
}

static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_places(uint32_t *place, uint32_t n, uint32_t n_all)
{
	uint32_t i = blockIdx.x * TURNS_BLOCK + threadIdx.x;

	if (i < n_all)
		place[i] = i < n ? i : ~0u;
}

/* Is rotation x behind y?  No two are the same; none at all (~0) is behind
 * all. */
static __device__ bool
turns_behind(const struct turns &a, uint32_t x, uint32_t y)
{
	uint32_t c, d;

	if (x == ~0u || y == ~0u || x == y)
		return x > y;
	c = turns_class(a.base, a.n_classes, x);
	d = turns_class(a.base, a.n_classes, y);
	while (a.code[x] == a.code[y]) {
		x = x + 1 == a.base[c + 1] ? a.base[c] : x + 1;
		y = y + 1 == a.base[d + 1] ? a.base[d] : y + 1;
	}
	return a.code[x] > a.code[y];
}

/* A step of the network: pairs `apart`, in runs of `run` that go up and down
 * in turn. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_bitonic(struct turns a, uint32_t *place, uint32_t n_all, uint32_t run,
	      uint32_t apart)
{
	uint32_t i = blockIdx.x * TURNS_BLOCK + threadIdx.x, o = i ^ apart;
	uint32_t x, y;

	if (i >= n_all || o < i)
		return;
	x = place[i];
	y = place[o];
	if (turns_behind(a, x, y) == ((i & run) == 0)) {
		place[i] = y;
		place[o] = x;
	}
}

#endif
