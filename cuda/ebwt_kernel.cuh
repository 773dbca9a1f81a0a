/* SPDX-License-Identifier: MIT */
/*
 * ebwt_kernel.cuh - rotations ranked by prefix doubling, and runs of pairs
 * Source: Karp, Miller and Rosenberg, 1972; Manber and Myers, SIAM J. Comput.
 * 22(5), 1993; here on circles: what follows a rotation's first h letters is
 * the rotation h letters on, so nothing ends and nothing is compared.
 *
 * First keys are letters in 32 bits: 4 passes of 24 bytes a rotation, 96, which
 * memory of 4.8 TB/s does 50 G times a second at best (not measured).  Rows in
 * order of h letters, each rotated back by h, are in order of letters [h, 2 h):
 * a stable sort by the rank of the first h, a 32-bit number, puts them in order
 * of 2 h: 96 bytes again.  Once few rows tie, only they are sorted, by ranks of
 * both halves: 240 to 320 bytes each, and nothing of the others.
 */
#ifndef SEQF_CUDA_EBWT_KERNEL_CUH
#define SEQF_CUDA_EBWT_KERNEL_CUH

#include "cuda/simt.h"

#include <stdint.h>

enum { TURNS_BLOCK = 256, TURNS_ROWS = 4096, TURNS_LANES = 32,
       TURNS_FEW = 32 };	/* rows of cells counted in shared memory */

/* The class of a place: the last one that begins there or before. */
static __device__ __forceinline__ uint32_t
turns_class(const uint32_t *base, uint32_t n_classes, uint32_t place)
{
	uint32_t lo = 0, hi = n_classes;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (base[mid] <= place)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

struct turns {
	const uint8_t *code;
	const uint32_t *base;
	uint64_t *key;
	uint32_t *key32;	/* of 32 bits, in the same memory */
	uint32_t *value;	/* places, as they come to be sorted */
	uint32_t *rank;		/* by place: of its group, the first row */
	uint32_t *head;		/* by row */
	uint32_t *n_ties;
	uint32_t n, n_classes;
	unsigned bits, letters;	/* of a letter; of a first key */
};

/* First keys: letters from each place on, as numbers of 32 bits. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_first(struct turns a)
{
	uint32_t i = blockIdx.x * TURNS_BLOCK + threadIdx.x, c, p;
	uint32_t key = 0;

	if (i >= a.n)
		return;
	c = turns_class(a.base, a.n_classes, i);
	p = i;
	for (unsigned k = 0; k < a.letters; k++) {
		key = key << a.bits | a.code[p];
		p = p + 1 == a.base[c + 1] ? a.base[c] : p + 1;
	}
	a.key32[i] = key;
	a.value[i] = i;
}

/* The place h letters on, or, if BACK, before. */
template <bool BACK>
static __device__ __forceinline__ uint32_t
turns_turned(const struct turns &a, uint32_t place, uint64_t h)
{
	uint32_t c = turns_class(a.base, a.n_classes, place);
	uint32_t beg = a.base[c], len = a.base[c + 1] - beg, left;
	uint32_t by = (uint32_t)(h < len ? h : h % len);

	if (BACK)
		by = len - by;	/* 1 to len */
	left = len - (place - beg);
	return by < left ? place + by : beg + (by - left);
}

/* Is row j the same as the one before, in 2 h letters or in those of a first
 * key (h is 0)? */
static __device__ __forceinline__ bool
turns_same(const struct turns &a, uint32_t j, uint64_t h)
{
	return a.key32[j] == a.key32[j - 1] &&
	       (h == 0 || a.rank[turns_turned<false>(a, a.value[j], h)] ==
	       a.rank[turns_turned<false>(a, a.value[j - 1], h)]);
}

/* A row that begins a group has its number, any other 0. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_heads(struct turns a, uint64_t h)
{
	uint32_t j = blockIdx.x * TURNS_BLOCK + threadIdx.x;
	bool ties = j && j < a.n && turns_same(a, j, h);
	unsigned all = __ballot_sync(~0u, ties);

	if (j < a.n)
		a.head[j] = ties ? 0 : j;
	if (all && (threadIdx.x & 31) == 0)
		atomicAdd(a.n_ties, (uint32_t)__popc(all));
}

static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_ranks(struct turns a)
{
	uint32_t j = blockIdx.x * TURNS_BLOCK + threadIdx.x;

	if (j < a.n)
		a.rank[a.value[j]] = a.head[j];
}

/* Next keys, in the order of what is behind their h letters. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_double(struct turns a, const uint32_t *order, uint64_t h)
{
	uint32_t j = blockIdx.x * TURNS_BLOCK + threadIdx.x, place;

	if (j >= a.n)
		return;
	place = turns_turned<true>(a, order[j], h);
	a.key32[j] = a.rank[place];
	a.value[j] = place;
}

/*
 * Rows that tie with others, in order: their numbers, places, and the first
 * ones' numbers of their groups.  `row` may be NULL: all rows.
 */
struct turns_tied {
	const uint32_t *row, *place;
	uint32_t *head;
	uint32_t n;
};

static __device__ __forceinline__ uint32_t
turns_row(const struct turns_tied &t, uint32_t i)
{
	return t.row ? t.row[i] : i;
}

static __device__ __forceinline__ bool
turns_ties(const struct turns_tied &t, uint32_t i)
{
	return t.head[i] != turns_row(t, i) ||
	       (i + 1 < t.n && t.head[i + 1] != turns_row(t, i + 1));
}

/* Which still tie, and how many. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_tied_count(struct turns_tied t, uint32_t *slot, uint32_t *n_tied)
{
	uint32_t i = blockIdx.x * TURNS_BLOCK + threadIdx.x;
	bool ties = i < t.n && turns_ties(t, i);
	unsigned all = __ballot_sync(~0u, ties);

	if (i < t.n)
		slot[i] = ties;
	if (all && (threadIdx.x & 31) == 0)
		atomicAdd(n_tied, (uint32_t)__popc(all));
}

/* To their slots. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_tied_take(struct turns_tied t, const uint32_t *slot, uint32_t *row,
		uint32_t *place)
{
	uint32_t i = blockIdx.x * TURNS_BLOCK + threadIdx.x;

	if (i >= t.n || !turns_ties(t, i))
		return;
	row[slot[i]] = turns_row(t, i);
	place[slot[i]] = t.place[i];
}

/* Ranks, of so many bits, of h letters, and of the h behind. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_tied_keys(struct turns a, struct turns_tied t, uint64_t h, unsigned bits)
{
	uint32_t i = blockIdx.x * TURNS_BLOCK + threadIdx.x;

	if (i < t.n)
		a.key[i] = (uint64_t)a.rank[t.place[i]] << bits |
			   a.rank[turns_turned<false>(a, t.place[i], h)];
}

/* Sorted by them: a row that begins a group has its number, any other 0. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_tied_heads(const uint64_t *key, struct turns_tied t)
{
	uint32_t i = blockIdx.x * TURNS_BLOCK + threadIdx.x;

	if (i < t.n)
		t.head[i] = i && key[i] == key[i - 1] ? 0 : t.row[i];
}

/* A group's rows are side by side, now in order of 2 h letters. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_tied_ranks(struct turns a, struct turns_tied t)
{
	uint32_t i = blockIdx.x * TURNS_BLOCK + threadIdx.x;

	if (i >= t.n)
		return;
	a.rank[t.place[i]] = t.head[i];
	a.value[t.row[i]] = t.place[i];
}

/* Rows by class: sorted by it, rows stay in order. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_colour(struct turns a, const uint32_t *order, uint32_t *colour)
{
	uint32_t j = blockIdx.x * TURNS_BLOCK + threadIdx.x;

	if (j >= a.n)
		return;
	colour[j] = turns_class(a.base, a.n_classes, order[j]);
	a.key32[j] = colour[j];
	a.value[j] = j;
}

/* The class's row before, from 1, or 0: the class's rows lie where its root
 * does among the roots, one for each letter. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_before(struct turns a, const uint32_t *rows, const uint32_t *colour,
	     uint32_t *before)
{
	uint32_t k = blockIdx.x * TURNS_BLOCK + threadIdx.x;

	if (k < a.n)
		before[rows[k]] = k == a.base[colour[rows[k]]] ?
					  0 : rows[k - 1] + 1;
}

/* First and last rows, from 1, of all classes: the ends of a class's rows. */
static __global__ void __launch_bounds__(TURNS_BLOCK)
turns_ends(struct turns a, const uint32_t *rows, uint32_t *first,
	   uint32_t *last)
{
	uint32_t c = blockIdx.x * TURNS_BLOCK + threadIdx.x;

	if (c >= a.n_classes)
		return;
	first[c] = rows[a.base[c]] + 1;
	last[c] = rows[a.base[c + 1] - 1] + 1;
}

struct turns_tally {
	const uint32_t *base, *rows;	/* of class c: [base[c], base[c + 1]) */
	const uint32_t *colour, *before;
	const uint32_t *row_of, *class_of_column;
	uint32_t *begins;
	uint32_t n, n_columns;
	uint8_t triangle;
};

/* The last of the class's rows that is before row j, from 1, or 0. */
static __device__ uint32_t
turns_last(const struct turns_tally &a, uint32_t class_, uint32_t j)
{
	uint32_t lo = a.base[class_], hi = a.base[class_ + 1];
	uint32_t beg = lo;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (a.rows[mid] < j)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > beg ? a.rows[lo - 1] + 1 : 0;
}

static __device__ __forceinline__ uint32_t *
turns_cell(const struct turns_tally &a, uint32_t row, uint32_t column)
{
	return a.begins + (a.triangle ? (uint64_t)row * (row - 1) / 2 :
			   (uint64_t)row * a.n_columns) + column;
}

/* One more in a cell.  Of few rows all warps would meet in few words. */
static __device__ __forceinline__ void
turns_add(const struct turns_tally &a, uint32_t *few, uint32_t row,
	  uint32_t column)
{
	if (row < TURNS_FEW)
		few[row * TURNS_LANES + threadIdx.x]++;
	else
		atomicAdd(turns_cell(a, row, column), 1u);
}

/* What a lane has counted of its column; from then on none. */
static __device__ __forceinline__ void
turns_flush(const struct turns_tally &a, uint32_t *few, uint32_t column)
{
	for (uint32_t row = 0; row < TURNS_FEW; row++) {
		uint32_t *n = &few[row * TURNS_LANES + threadIdx.x];

		if (*n)
			atomicAdd(turns_cell(a, row, column), *n);
		*n = 0;
	}
}

/*
 * A warp has a stretch of rows and 32 columns, a lane each, of whose class it
 * knows the last row.  A row of c counts for those with a later one than c has
 * (common/ebwt/ebwt_pairs.c).  One lane reads a row for all.
 */
static __global__ void __launch_bounds__(TURNS_LANES)
turns_count(struct turns_tally a)
{
	SHARED_ARRAY(uint32_t, few, TURNS_FEW * TURNS_LANES);
	uint32_t beg = blockIdx.x * TURNS_ROWS;
	uint32_t end = a.n - beg < TURNS_ROWS ? a.n : beg + TURNS_ROWS;

	for (uint32_t row = 0; row < TURNS_FEW; row++)
		few[row * TURNS_LANES + threadIdx.x] = 0;
	for (uint32_t x = blockIdx.y * TURNS_LANES; x < a.n_columns;
	     x += gridDim.y * TURNS_LANES) {
		uint32_t column = x + threadIdx.x, class_ = ~0u, last = 0;

		if (column < a.n_columns) {
			class_ = a.class_of_column[column];
			last = turns_last(a, class_, beg);
		}
		for (uint32_t j = beg; j < end; j++) {
			uint32_t c = __ldg(a.colour + j);
			uint32_t row = __ldg(a.row_of + c);
			uint32_t most = row == ~0u ? 0 : a.triangle ? row :
					a.n_columns;

			if (column < most && last > __ldg(a.before + j))
				turns_add(a, few, row, column);
			if (c == class_)
				last = j + 1;
		}
		turns_flush(a, few, column);
	}
}

#endif
