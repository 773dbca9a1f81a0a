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

/* Pieces side by side in halves. */
struct two {
	enum { PIECES = 2 };
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
	/* Selects the letter's byte and its sign. */
	static __device__ __forceinline__ unsigned
	selector(unsigned c, int i)
	{
		return (c | (c | 8) << 4) << 8 * i;
	}
};

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
	selector(unsigned c, int)
	{
		return c | (c | 8) * 0x1110;
	}
};

template <int R> struct lane_rows {
	unsigned h[R], e[R], score[R];
	unsigned diag;		/* H above them, in the column before */
	unsigned top, done;	/* largest H: of this block, of the last one */
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
 * So a row of both columns is 10 operations of the integer pipe: 2 look-ups, 4
 * maxima of H, one of E, 2 of F, one of the block's.  nvcc 13.0's code for
 * sm_90 has 8 beside in a step, 168 in all for 16 rows, of 293 instructions;
 * 248 of 420 for 24.  With 64 lanes a clock, 132 multiprocessors and 1.98 GHz
 * that is 6.4 and 6.5 T cells/s: predicted from machine code, not measured.
 */
template <class W, int R>
static __device__ __forceinline__ void
columns(const struct pass &a, struct lane_rows<R> &s, uint2 selector,
	struct edge &v)
{
	unsigned d0 = s.diag, d1 = v.h0;

	s.diag = v.h1;
#pragma unroll
	for (int r = 0; r < R; r++) {
		unsigned x0 = simt_prmt(s.score[r], a.other, selector.x);
		unsigned x1 = simt_prmt(s.score[r], a.other, selector.y);
		unsigned e = s.e[r], open0, open1;

		v.h0 = W::max3(W::addmax(d0, x0, e), v.f0, a.floors);
		open0 = v.h0 * a.one + a.less_open;
		e = e * a.one + a.less_extend;
		v.h1 = W::max3(W::addmax(d1, x1, open0), e, v.f1);
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
