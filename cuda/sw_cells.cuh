/* SPDX-License-Identifier: MIT */
/*
 * sw_cells.cuh - the rows of a lane in registers, two columns at a time
 * Source: Gotoh 1982; CUDA's maxima of sums and of three, in halves or whole.
 *
 * Scores are kept with open + 3 extend, the floor, added: so H and the second
 * column's F, which are not below it, and E, which is not below 2 extend, have
 * room for what is taken from them, and one subtraction serves both halves.  E
 * is that of the next column; where it is below the floor it does not matter.
 * In halves no value wraps before H > INT16_MAX - best, which is seen in the
 * piece's maximum: a sum adds `best` to H at most.
 */
#ifndef SEQF_CUDA_SW_CELLS_CUH
#define SEQF_CUDA_SW_CELLS_CUH

#include "cuda/simt.h"

extern "C" {
#include "cuda/sw_dev.h"
}

/* H and the next E of a row, no floor added; E is not below 0. */
struct border {
	int32_t h, e;
};

struct pass {
	const uint8_t *codes;
	const uint32_t *row;
	const struct sw_dev_piece *piece;
	const uint32_t *list;	/* NULL: all pieces, from their begins */
	uint2 *above;		/* H and F of the row above, by column */
	struct border *start, *end;	/* pieces x rows; a piece's end is
					   one further: that of number - 1 */
	int32_t *top, *most;
	uint32_t n;		/* pieces to be done */
	uint32_t rows, columns;
	int32_t floor;
	uint32_t other;		/* scores of letters 4 to 7 */
	uint32_t floors, minus_extend;	/* in all halves */
	uint32_t less_open, less_extend;	/* added, they take open +
						   extend, or extend, from all
						   halves */
	uint32_t one;	/* 1, which the compiler does not know */
};

/* The text's letters.  Padding is the last one, whose scores are 0 at most: no
 * H behind a segment's end is above all before, and none before its begin is
 * above 0. */
enum { LETTERS = 5, PAD_CODE = LETTERS - 1 };

/* Scores of four rows with a column. */
struct four {
	unsigned x[4];
};

template <int R> struct lane_rows {
	unsigned h[R], e[R];
	unsigned score[R];	/* struct one's */
	const unsigned char *table;	/* struct two's, from the lane on */
	unsigned diag;		/* H above them, in the column before */
	unsigned top, done;	/* largest H: of this block, of the last one */
};

/*
 * Pieces side by side in halves.  The scores of each pair of letters with all
 * rows of a sweep stand in a table that a block's warps share: four rows of a
 * lane, the same four of the next lane, and so on.  Whatever the letters are,
 * lanes read from different banks.  A column's selector is where its pair's
 * scores begin, in bytes.
 */
struct two {
	enum { PIECES = 2, PAIRS = LETTERS * LETTERS };
	static __device__ __forceinline__ unsigned
	addmax(unsigned a, unsigned b, unsigned c)
	{
		return __viaddmax_s16x2(a, b, c);
	}
	static __device__ __forceinline__ unsigned
	max3(unsigned a, unsigned b, unsigned c)
	{
		return __vimax3_s16x2(a, b, c);
	}
	static __device__ __forceinline__ int
	part(unsigned x, int i)
	{
		return (int16_t)(x >> 16 * i);
	}
	static __device__ __forceinline__ unsigned
	selector(unsigned c, int i, unsigned rows)
	{
		return c * (i ? LETTERS : 1) * rows * 4;
	}
	/* Selects the letter's byte and its sign, for simt_prmt(). */
	static __device__ __forceinline__ unsigned
	byte(unsigned c, int i)
	{
		return (c | (c | 8) << 4) << 8 * i;
	}
	template <int R> static __device__ __forceinline__ four
	scores(const struct pass &, const lane_rows<R> &s, unsigned at, int r)
	{
		uint4 x = *(const uint4 *)(s.table + at + r * 32 * 4);

		return { { x.x, x.y, x.z, x.w } };
	}
};

/* By the whole block: the table of the rows from `first` on. */
template <int R>
static __device__ __forceinline__ void
fill_table(const struct pass &a, uint32_t first, unsigned *table)
{
	for (uint32_t i = threadIdx.x; i < two::PAIRS * 32 * R;
	     i += blockDim.x) {
		uint32_t pair = i / (32 * R), at = i % (32 * R);
		uint32_t row = at % 128 / 4 * R + at / 128 * 4 + at % 4;

		table[i] = simt_prmt(__ldg(a.row + first + row), a.other,
				     two::byte(pair % LETTERS, 0) |
				     two::byte(pair / LETTERS, 1));
	}
}

struct one {
	enum { PIECES = 1 };
	static __device__ __forceinline__ unsigned
	addmax(unsigned a, unsigned b, unsigned c)
	{
		return (unsigned)__viaddmax_s32((int)a, (int)b, (int)c);
	}
	static __device__ __forceinline__ unsigned
	max3(unsigned a, unsigned b, unsigned c)
	{
		return (unsigned)__vimax3_s32((int)a, (int)b, (int)c);
	}
	static __device__ __forceinline__ int
	part(unsigned x, int)
	{
		return (int)x;
	}
	static __device__ __forceinline__ unsigned
	selector(unsigned c, int, unsigned = 0)
	{
		return c | (c | 8) * 0x1110;
	}
	template <int R> static __device__ __forceinline__ four
	scores(const struct pass &a, const lane_rows<R> &s, unsigned selector,
	       int r)
	{
		four v;

		for (int i = 0; i < 4; i++)
			v.x[i] = simt_prmt(s.score[r + i], a.other, selector);
		return v;
	}
};

/* H and F of the row above; then of the last row. */
struct edge {
	unsigned h0, f0, h1, f1;
};

/*
 * Two columns of the lane's rows.  A row's E is computed for the column behind
 * both: the second one's H takes the first one's E and the gap that opens at
 * the first one's H, each as it is.  That has no place for the floor; F's
 * maximum has.  What is only added goes to the pipe that multiplies.
 *
 * So a row of both columns is 8 operations of the integer pipe: 4 maxima of H,
 * one of E, 2 of F, one of the block's.  nvcc 13.0's code for sm_90 has 6.5
 * beside in a step, two of which are one turn of the loop: 134.5 in all for 16
 * rows, of 264 instructions, 104 of them of the other pipe; 166.5 of 322 and
 * 128 for 20.  With 64 lanes a clock, 132 multiprocessors and 1.98 GHz that is
 * 8.0 T cells/s for both; a warp's instruction a clock for each of four
 * schedulers would be 8.1 and 8.3.  The table's 16 bytes a lane take 4 clocks
 * of shared memory: 8 or 10 loads in the 67 or 83 clocks that the step takes.
 * Predicted from machine code, not measured.
 *
 * The block's maximum cannot be had exactly from fewer cells, but it can be
 * bounded by F, which is there anyway.  What F is below a row, with open +
 * extend added, is no more than some H above it in the same column, unless F is
 * 0; and it is no less than H of s rows above less (s - 1) extend.  So one
 * maximum of both columns' F each s rows knows the block's within (s - 1)
 * extend: 8.6 T cells/s for s = 2.  tests/bench/gpu-notes.md says why that is
 * not done.  Whole tiles could be left out below a least score, if the caller
 * knew one.
 */
template <class W, int R>
static __device__ __forceinline__ void
columns(const struct pass &a, struct lane_rows<R> &s, uint2 selector,
	struct edge &v)
{
	unsigned d0 = s.diag, d1 = v.h0;
	four x0, x1;

	s.diag = v.h1;
#pragma unroll
	for (int r = 0; r < R; r++) {
		unsigned e = s.e[r], open0, open1;

		if (r % 4 == 0) {
			x0 = W::scores(a, s, selector.x, r);
			x1 = W::scores(a, s, selector.y, r);
		}
		v.h0 = W::max3(W::addmax(d0, x0.x[r % 4], e), v.f0, a.floors);
		open0 = v.h0 * a.one + a.less_open;
		e = e * a.one + a.less_extend;
		v.h1 = W::max3(W::addmax(d1, x1.x[r % 4], open0), e, v.f1);
		open1 = v.h1 * a.one + a.less_open;
		s.e[r] = W::max3(e * a.one + a.less_extend,
				 open0 * a.one + a.less_extend, open1);
		v.f0 = W::addmax(v.f0, a.minus_extend, open0);
		v.f1 = W::max3(v.f1 * a.one + a.less_extend, open1, a.floors);
		s.top = W::max3(s.top, v.h0, v.h1);
		d0 = s.h[r];
		d1 = v.h0;
		s.h[r] = v.h1;
	}
}

#endif
