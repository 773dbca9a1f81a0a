/* SPDX-License-Identifier: MIT */
/*
 * peaks_kernel.cuh - the largest H of blocks of columns, rows in registers
 * Source: Smith and Waterman 1981, Gotoh 1982; two texts in a register and rows
 * that go from lane to lane: Liu, Maskell and Schmidt, CUDASW++, 2009-2024.
 *
 * A warp has two pieces of the text in the halves of its registers, or one in
 * whole ones.  A lane has R rows, and is a column behind the lane before, whose
 * last row's H and F it gets by a shuffle.  A query of more rows than the warp
 * takes more sweeps; what stands between two is in memory.
 *
 * Scores are kept with open + extend, the floor, added: so no H is below it, H
 * - open - extend is not negative, and one subtraction serves both halves.  E
 * is that of the next column; where it is below the floor it does not matter.
 * In halves no value wraps before H > INT16_MAX - best, which is seen in the
 * piece's maximum: a sum adds `best` to H at most.
 *
 * Rows that fill the first sweep up stand before the query's: no letter matches
 * them, so their H is 0, as above the first row.  The same goes for columns
 * before the shorter one of two pieces.  What fills a segment's end lowers
 * scores, which stay below the block's largest.
 */
#ifndef SEQF_CUDA_PEAKS_KERNEL_CUH
#define SEQF_CUDA_PEAKS_KERNEL_CUH

#include "cuda/simt.h"

extern "C" {
#include "cuda/peaks_dev.h"
}

enum { WARPS = 4, TILE = 32, RING = 2 * TILE, PAD_CODE = 7 };

/* H and the next E of a row, no floor added; E is not below 0. */
struct border {
	int32_t h, e;
};

struct pass {
	const uint8_t *codes;
	const uint32_t *row;
	const struct peaks_piece *piece;
	const uint32_t *list;	/* NULL: all pieces, from their begins */
	uint2 *above;		/* H and F of the row above, by column */
	struct border *start, *end;	/* pieces x rows; a piece's end is
					   one further: that of number - 1 */
	int32_t *top, *most;
	uint32_t n;		/* pieces to be done */
	uint32_t rows, columns;
	int32_t floor;
	uint32_t other;		/* scores of letters 4 to 7 */
	uint32_t floors, minus_open, minus_extend;	/* in all halves */
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

/* What a warp does: its pieces end together. */
struct task {
	struct peaks_piece p[2];
	uint32_t number[2];
	uint32_t own[2];	/* the column that it owns from */
	uint32_t columns;
};

/* What the lanes of a warp share: columns modulo RING. */
struct ring {
	uint2 above[RING], below[TILE];
	uint32_t selector[RING];
	struct task task;
};

template <int R> struct lane_rows {
	unsigned h[R], e[R], score[R];
	unsigned diag;		/* H above them, in the column before */
};

/* One column of the lane's rows: figure 1 of the source, from top to bottom. */
template <class W, int R>
static __device__ __forceinline__ void
column(const struct pass &a, struct lane_rows<R> &s, unsigned selector,
       unsigned up, unsigned &f, unsigned &top)
{
	unsigned d = s.diag;

	s.diag = up;
#pragma unroll
	for (int r = 0; r < R; r++) {
		unsigned x = simt_prmt(s.score[r], a.other, selector);
		unsigned h = W::max3(W::addmax(d, x, s.e[r]), f, a.floors);

		d = s.h[r];
		s.h[r] = h;
		x = h + a.minus_open;
		s.e[r] = W::addmax(s.e[r], a.minus_extend, x);
		f = W::addmax(f, a.minus_extend, x);
		if (r % 2)
			top = W::max3(top, s.h[r - 1], h);
	}
}

/* From 0, or from the column that the list's piece begins with. */
template <class W, int R>
static __device__ __forceinline__ void
begin(const struct pass &a, const struct task &t, uint32_t first,
      struct lane_rows<R> &s)
{
	const struct border *b = a.start + (size_t)t.number[0] * a.rows + first;

	s.diag = a.floors;
	if (W::PIECES == 1 && first)
		s.diag = (unsigned)(b[-1].h + a.floor);
#pragma unroll
	for (int r = 0; r < R; r++) {
		s.score[r] = __ldg(a.row + first + r);
		s.h[r] = W::PIECES == 1 ? (unsigned)(b[r].h + a.floor) :
					  a.floors;
		s.e[r] = W::PIECES == 1 ? (unsigned)(b[r].e + a.floor) : 0;
	}
}

template <class W, int R>
static __device__ __forceinline__ void
keep(const struct pass &a, const struct lane_rows<R> &s, int i,
     struct border *to)
{
#pragma unroll
	for (int r = 0; r < R; r++) {
		struct border b = { W::part(s.h[r], i) - a.floor,
				    W::part(s.e[r], i) - a.floor };

		b.e = max(b.e, 0);
		to[r] = b;
	}
}

/* Letters of a tile's columns, and what stands above them. */
template <class W>
static __device__ __forceinline__ void
stage(const struct pass &a, const struct task &t, struct ring &g, uint32_t at,
      const uint2 *above)
{
	uint32_t j = at + (threadIdx.x & 31);
	unsigned selector = 0;

	if (j >= t.columns)
		return;
	for (int i = 0; i < W::PIECES; i++) {
		const uint32_t none = PAD_CODE, left = t.columns - j;
		uint32_t code = none;

		if (left <= t.p[i].end - t.p[i].beg)
			code = __ldg(a.codes + t.p[i].end - left);
		selector |= W::selector(min(code, none), i);
	}
	g.selector[j % RING] = selector;
	g.above[j % RING] = above ? above[j] : make_uint2(a.floors, 0);
}

/* The largest H of a block of columns, of the rows up to these. */
template <class W>
static __device__ __forceinline__ void
tell(const struct pass &a, const struct task &t, uint32_t block, unsigned top,
     bool first)
{
	uint32_t left = t.columns - block * PEAKS_BLOCK;

	for (int i = 0; i < W::PIECES; i++) {
		int32_t v = W::part(top, i) - a.floor;
		int32_t *to;

		if (left > t.p[i].end - t.p[i].own)
			continue;
		to = a.top + (t.p[i].end - left) / PEAKS_BLOCK;
		*to = first ? v : max(*to, v);
	}
}

/*
 * All columns of a sweep.  Step u is column u - 1 - lane of a lane, so that the
 * last lane has done a tile's columns with the next tile's steps.
 */
template <class W, int R>
static __device__ __forceinline__ unsigned
sweep(const struct pass &a, const struct task &t, struct ring &g,
      uint32_t first, uint2 *above)
{
	const uint32_t lane = threadIdx.x & 31, rows = 32 * R;
	const bool top_most = first == 0, last = first + rows == a.rows;
	unsigned up = 0, f = 0, top = 0, tops = a.floors, most = a.floors;
	struct lane_rows<R> s;

	first += lane * R;
	begin<W, R>(a, t, first, s);
	for (uint32_t k = 0; k <= t.columns / TILE; k++) {
		stage<W>(a, t, g, k * TILE, top_most ? NULL : above);
		__syncwarp();
		for (uint32_t u = k * TILE; u < (k + 1) * TILE; u++) {
			uint32_t j = u - 1 - lane;

			up = __shfl_up_sync(~0u, up, 1);
			f = __shfl_up_sync(~0u, f, 1);
			top = __shfl_up_sync(~0u, top, 1);
			if (j >= t.columns)
				continue;
			if (lane == 0) {
				up = g.above[j % RING].x;
				f = g.above[j % RING].y;
				top = a.floors;
			}
			for (int i = 0; W::PIECES == 2 && i < 2; i++)
				if (j == t.own[i])
					keep<W, R>(a, s, i, a.start +
						   (size_t)t.number[i] *
						   a.rows + first);
			column<W, R>(a, s, g.selector[j % RING], up, f, top);
			up = s.h[R - 1];
			if (lane == 31) {
				g.below[u % TILE] = make_uint2(up, f);
				tops = W::max3(tops, top, a.floors);
			}
		}
		__syncwarp();
		if (k && !last)
			above[(k - 1) * TILE + lane] = g.below[lane];
		if (k && k % 2 == 0) {
			if (lane == 31)
				tell<W>(a, t, k / 2 - 1, tops, top_most);
			most = W::max3(most, tops, a.floors);
			tops = a.floors;
		}
	}
	for (int i = 0; i < W::PIECES; i++)
		keep<W, R>(a, s, i, a.end + (size_t)(t.number[i] + 1) *
			   a.rows + first);
	return most;
}

/* The pieces of warp number w. */
template <class W>
static __device__ __forceinline__ void
set_task(const struct pass &a, uint32_t w, struct task &t)
{
	t.columns = 0;
	for (int i = 0; i < W::PIECES; i++) {
		uint32_t n = w * W::PIECES + i;

		n = n < a.n ? n : a.n - 1;	/* the odd one twice */
		t.number[i] = a.list ? a.list[n] : n;
		t.p[i] = a.piece[t.number[i]];
		if (W::PIECES == 1)
			t.p[i].beg = t.p[i].own;
		t.columns = max(t.columns, t.p[i].end - t.p[i].beg);
	}
	for (int i = 0; i < W::PIECES; i++)
		t.own[i] = t.columns - (t.p[i].end - t.p[i].own);
}

template <class W, int R>
static __global__ void __launch_bounds__(WARPS * 32, R > 16 ? 4 : R > 8 ? 5 : 6)
find_tops(struct pass a)
{
	SHARED_ARRAY(struct ring, rings, WARPS);
	struct ring &g = rings[threadIdx.x / 32];
	uint32_t w = blockIdx.x * WARPS + threadIdx.x / 32;
	const struct task &t = g.task;
	unsigned most = a.floors;

	if (w * W::PIECES >= a.n)
		return;
	if ((threadIdx.x & 31) == 0)
		set_task<W>(a, w, g.task);
	__syncwarp();
	for (uint32_t first = 0; first < a.rows; first += 32 * R) {
		unsigned m = sweep<W, R>(a, t, g, first,
					 a.above + (size_t)w * a.columns);

		most = W::max3(most, m, a.floors);
		__syncwarp();
	}
	if ((threadIdx.x & 31) == 31)
		for (int i = 0; i < W::PIECES; i++)
			a.most[t.number[i]] = W::part(most, i) - a.floor;
}

/*
 * Each piece, by a block: did it begin with what the piece before ends with?
 * If it did not, that is what it is to begin with next.
 */
static __global__ void __launch_bounds__(256)
hand_over(struct pass a, uint32_t *bad)
{
	const struct peaks_piece p = a.piece[blockIdx.x];
	size_t at = (size_t)blockIdx.x * a.rows;
	int differ = 0;

	for (uint32_t i = threadIdx.x; i < a.rows && !p.sure; i += 256) {
		struct border x = a.end[at + i], y = a.start[at + i];

		if (x.h == y.h && x.e == y.e)
			continue;
		differ = 1;
		a.start[at + i] = x;
	}
	differ = __syncthreads_or(differ);
	if (threadIdx.x == 0)
		bad[blockIdx.x] = differ != 0;
}

#endif
