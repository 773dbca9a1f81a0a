/* SPDX-License-Identifier: MIT */
/*
 * paper_sw.cuh - the best K cells, by chunks that overlap, a block each
 * Source: Jain and Kumar, Fine-grained GPU parallelization of pairwise local
 * sequence alignment, HiPC 2014.
 *
 * A chunk's matrix is computed by anti-diagonals: a thread has a row, and in
 * each step it is a column behind the thread of the row above, whose H and F
 * stand in shared memory.  A block has up to 1024 rows; a longer query takes
 * more sweeps, and H and F of a sweep's last row, by column, are the horizontal
 * buffer in global memory with which the next one begins.
 *
 * Cells that count go to the block's queue, whose K-th best keeps most of them
 * out; where it is full it is put in order, and K stay.  In the end queues of
 * a text's chunks are merged in pairs.
 *
 * The overlap is an alignment's greatest length; or, modified, it is less, and
 * a chunk that began with other scores than those where the one before ends is
 * computed again: see hand_over() of the fast kernel.
 *
 * Beside the source, the largest H of each block of columns is kept: that is
 * where the starts are looked for.
 */
#ifndef SEQF_CUDA_PAPER_SW_CUH
#define SEQF_CUDA_PAPER_SW_CUH

#include "cuda/sw_kernel.cuh"

struct paper {
	struct pass p;
	const uint32_t *counts, *first;	/* of each chunk */
	struct sw_dev_cell *queue;	/* of each chunk `room` */
	uint32_t cells;			/* K */
	uint32_t room;	/* a power of two; for K, and K or a block's threads */
};

struct chunk {
	/* H, and F of the row below, of each row's last two cells */
	int2 edge[2][SW_DEV_SWEEP];
	unsigned taken;
	struct sw_dev_cell last;		/* the K-th best, if any */
};

static __device__ bool
is_before(const struct sw_dev_cell &x, const struct sw_dev_cell &y)
{
	if (x.score != y.score)
		return x.score > y.score;
	return x.column != y.column ? x.column < y.column : x.row < y.row;
}

/* By the whole block: the n cells of a queue in order, by Batcher's bitonic
 * network; K of them stay. */
static __device__ void
put_in_order(struct chunk &s, const struct paper &a, struct sw_dev_cell *queue,
	     unsigned n)
{
	const struct sw_dev_cell none = { 0, ~0u, ~0u };

	for (unsigned i = n + threadIdx.x; i < a.room; i += blockDim.x)
		queue[i] = none;
	__syncthreads();
	for (unsigned run = 2; run <= a.room; run *= 2)
		for (unsigned apart = run / 2; apart; apart /= 2) {
			for (unsigned i = threadIdx.x; i < a.room / 2;
			     i += blockDim.x) {
				unsigned x = 2 * i - (i & (apart - 1));
				struct sw_dev_cell l = queue[x];
				struct sw_dev_cell r = queue[x + apart];

				if (is_before(r, l) != ((x & run) == 0))
					continue;
				queue[x] = r;
				queue[x + apart] = l;
			}
			__syncthreads();
		}
	if (threadIdx.x == 0) {
		s.taken = min(n, a.cells);
		s.last = queue[a.cells - 1];
	}
	__syncthreads();
}

/* True: after this step there may be no room for each thread's next cell. */
static __device__ bool
offer(struct chunk &s, const struct paper &a, struct sw_dev_cell *queue,
      const struct sw_dev_cell &cell)
{
	unsigned at;

	if (!is_before(cell, s.last))
		return false;
	at = atomicAdd(&s.taken, 1u);
	queue[at] = cell;
	return at >= a.room - blockDim.x;
}

/* All columns of a sweep, in which the block's first row is `first`. */
static __device__ void
diagonals(struct chunk &s, const struct paper &a, const struct sw_dev_piece &p,
	  uint32_t counts, struct sw_dev_cell *queue, struct border *start,
	  struct border *end, uint32_t first, uint2 *buffer)
{
	const uint32_t i = threadIdx.x, row = first + i;
	const uint32_t beg = a.p.list ? p.own : p.beg, columns = p.end - beg;
	const unsigned score = __ldg(a.p.row + row);
	int h = 0, e = 0, diag = 0, top = 0;

	if (a.p.list) {
		h = start[row].h;
		e = start[row].e;
		diag = row ? start[row - 1].h : 0;
	}
	for (uint32_t step = 0; step < columns + blockDim.x - 1; step++) {
		const uint32_t j = step - i, column = beg + j;
		bool full = false;

		if (j < columns) {
			unsigned c = min((unsigned)__ldg(a.p.codes + column),
					 (unsigned)PAD_CODE);
			int x = (int)simt_prmt(score, a.p.other,
					       one::selector(c, 0));
			int d = diag + x, up = 0, f = 0;

			if (column == p.own && !a.p.list)
				start[row] = { h, max(e, 0) };
			if (i) {
				up = s.edge[~step & 1][i - 1].x;
				f = s.edge[~step & 1][i - 1].y;
			} else if (first) {
				up = (int)buffer[j].x;
				f = (int)buffer[j].y;
			}
			diag = up;
			h = max(max(d, 0), max(e, f));
			if (x > 0 && h == d && column >= counts)
				full = offer(s, a, queue, { h, column, row });
			e = max(e + (int)a.p.minus_extend,
				h + (int)a.p.less_open);
			f = max(f + (int)a.p.minus_extend,
				h + (int)a.p.less_open);
			s.edge[step & 1][i] = make_int2(h, f);
			if (i == blockDim.x - 1)
				buffer[j] = make_uint2((unsigned)h,
						       (unsigned)f);
			top = max(top, h);
			if (column % SW_DEV_BLOCK == SW_DEV_BLOCK - 1) {
				if (column >= p.own)
					atomicMax(a.p.top + column /
						  SW_DEV_BLOCK, top);
				top = 0;
			}
		}
		if (__syncthreads_or(full))
			put_in_order(s, a, queue, s.taken);
	}
	end[row] = { h, max(e, 0) };
}

/* Blocks of the most rows that a multiprocessor holds: two in 32 registers, of
 * which nvcc has enough for Hopper; others hold one, or would spill. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ == 900
enum { FULL = 2 };
#else
enum { FULL = 1 };
#endif

static __global__ void __launch_bounds__(SW_DEV_SWEEP, FULL)
find_cells(struct paper a)
{
	SHARED(struct chunk, s);
	const uint32_t n = a.p.list ? a.p.list[blockIdx.x] : blockIdx.x;
	const struct sw_dev_piece p = a.p.piece[n];
	struct sw_dev_cell *queue = a.queue + (size_t)n * a.room;
	const size_t at = (size_t)n * a.p.rows;

	for (uint32_t b = p.own / SW_DEV_BLOCK + threadIdx.x;
	     b < p.end / SW_DEV_BLOCK; b += blockDim.x)
		a.p.top[b] = 0;
	if (threadIdx.x == 0) {
		s.taken = 0;
		s.last = { 0, 0, 0 };
		a.p.most[n] = 0;	/* 32 bits are enough */
	}
	__syncthreads();
	for (uint32_t first = 0; first < a.p.rows; first += blockDim.x)
		diagonals(s, a, p, a.counts[n], queue, a.p.start + at,
			  a.p.end + at + a.p.rows, first,
			  a.p.above + (size_t)blockIdx.x * a.p.columns);
	put_in_order(s, a, queue, s.taken);
}

/* The queue of every second chunk of a text, of those `apart`, and the next of
 * them. */
static __global__ void __launch_bounds__(SW_DEV_SWEEP)
merge_cells(struct paper a, uint32_t apart)
{
	SHARED(struct chunk, s);
	const size_t to = blockIdx.x, from = to + apart;
	const uint32_t first = a.first[to];
	struct sw_dev_cell *queue = a.queue + to * a.room;

	if ((to - first) % (2 * apart) || from >= a.p.n ||
	    a.first[from] != first)
		return;
	for (uint32_t i = threadIdx.x; i < a.cells; i += blockDim.x)
		queue[a.cells + i] = a.queue[from * a.room + i];
	__syncthreads();
	put_in_order(s, a, queue, 2 * a.cells);
}

#endif
