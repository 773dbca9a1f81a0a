/* SPDX-License-Identifier: MIT */
/*
 * sw_kernel.cuh - the largest H of blocks of columns, rows in registers
 * Source: Smith and Waterman 1981, Gotoh 1982; two texts in a register and rows
 * that go from lane to lane: Liu, Maskell and Schmidt, CUDASW++, 2009-2024.
 *
 * A warp has two pieces of the text in the halves of its registers, whose
 * scores a table has in pairs, or one in whole ones.  A lane has R rows and
 * goes through them two columns at a time, two columns behind the lane before,
 * whose last row's H and F it gets by shuffles.  A query of more rows than the
 * warp takes more sweeps; memory holds the values between two.
 *
 * Rows that fill the first sweep up stand before the query's: no letter matches
 * them, so their H is 0, as above the first row.  The same goes for columns
 * before the shorter one of two pieces, and the padding at a segment's end does
 * not raise scores, so that the block's largest is of a letter (PAD_CODE).
 */
#ifndef SEQF_CUDA_SW_KERNEL_CUH
#define SEQF_CUDA_SW_KERNEL_CUH

#include "cuda/sw_cells.cuh"

/* Warps of a block at most. */
enum { WARPS = 8 };
/* Columns of a step of a lane, and steps of a tile, which is a block. */
enum { ABREAST = 2, STEPS = SW_DEV_BLOCK / ABREAST };

/* Rows that are kept when a piece's columns before a block are done. */
struct mark {
	uint32_t block, part;	/* the piece's part of a register */
	struct border *to;
};

/* What a warp does: its pieces end together. */
struct task {
	struct sw_dev_piece p[2];
	uint32_t number[2];
	struct mark mark[4];
	uint32_t n_marks;
	uint32_t columns;
};

/* What the lanes of a warp share: the tile before, and this one. */
struct ring {
	uint4 above[1 + STEPS], below[STEPS];
	uint2 selector[2 * STEPS];
	struct task task;
};

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
		s.h[r] = s.e[r] = a.floors;
		if (W::PIECES == 2)
			continue;
		s.h[r] += (unsigned)b[r].h;
		s.e[r] += (unsigned)b[r].e;
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

/* The lane is before the first column of a block, which is its task's first
 * one or where rows are kept. */
template <class W, int R>
static __device__ __forceinline__ void
begin_or_keep(const struct pass &a, const struct task &t, uint32_t block,
	      uint32_t first, struct lane_rows<R> &s)
{
	if (block == 0)
		begin<W, R>(a, t, first, s);
#pragma unroll 1
	for (uint32_t i = 0; i < t.n_marks; i++)
		if (t.mark[i].block == block)
			keep<W, R>(a, s, (int)t.mark[i].part,
				   t.mark[i].to + first);
}

/* The letters of column j of all pieces. */
template <class W, int R>
static __device__ __forceinline__ unsigned
selector_of(const struct pass &a, const struct task &t, uint32_t j)
{
	const uint32_t none = PAD_CODE, left = t.columns - j;
	unsigned selector = 0;

	for (int i = 0; i < W::PIECES; i++) {
		uint32_t code = none;

		if (left <= t.p[i].end - t.p[i].beg)
			code = __ldg(a.codes + t.p[i].end - left);
		selector += W::selector(min(code, none), i, 32 * R);
	}
	return selector;
}

/* A tile's columns, and what stands above them, follow those of the one
 * before.  Beyond the last block any will do. */
template <class W, int R>
static __device__ __forceinline__ void
stage(const struct pass &a, const struct task &t, struct ring &g,
      uint32_t block, const uint4 *above)
{
	const uint32_t lane = threadIdx.x & 31, pair = block * STEPS + lane;
	const uint32_t j = pair * ABREAST;
	const uint4 none = make_uint4(a.floors, a.floors, a.floors, a.floors);

	g.selector[lane] = block ? g.selector[STEPS + lane] : make_uint2(0, 0);
	if (lane == 31)
		g.above[0] = block ? g.above[STEPS] : none;
	if (j >= t.columns)
		return;
	g.selector[STEPS + lane] = make_uint2(selector_of<W, R>(a, t, j),
					      selector_of<W, R>(a, t, j + 1));
	g.above[1 + lane] = above ? above[pair] : none;
}

/* The largest of all lanes. */
template <class W>
static __device__ __forceinline__ unsigned
largest(unsigned x, unsigned floors)
{
	for (int by = 16; by; by /= 2)
		x = W::max3(x, __shfl_xor_sync(~0u, x, by), floors);
	return x;
}

/* The largest H of a block of columns, of the rows up to these. */
template <class W>
static __device__ __forceinline__ void
report(const struct pass &a, const struct task &t, uint32_t block, unsigned top,
     bool first)
{
	uint32_t left = t.columns - block * SW_DEV_BLOCK;

	for (int i = 0; i < W::PIECES; i++) {
		int32_t v = W::part(top, i) - a.floor;
		int32_t *to;

		if (left > t.p[i].end - t.p[i].own)
			continue;
		to = a.top + (t.p[i].end - left) / SW_DEV_BLOCK;
		*to = first ? v : max(*to, v);
	}
}

/*
 * A tile of a sweep.  Step u of it is pair u - 1 - lane of its columns: the
 * lane has done all before the tile after step `lane`, and the last lane has
 * then, with the tile's last step, done a whole tile: the one before.  Two
 * steps a turn, as after one nvcc moves a register a row.
 */
template <class W, int R>
static __device__ __forceinline__ void
tile(const struct pass &a, const struct task &t, struct ring &g,
     uint32_t block, uint32_t first, struct lane_rows<R> &s, struct edge &v)
{
	const uint32_t lane = threadIdx.x & 31;
	const uint2 *selector = g.selector + STEPS - 1 - lane;
	bool special = block == 0;

	for (uint32_t i = 0; i < t.n_marks; i++)
		special |= t.mark[i].block == block;
#pragma unroll 2
	for (uint32_t u = 0; u < STEPS; u++) {
		v.h0 = __shfl_up_sync(~0u, v.h0, 1);
		v.f0 = __shfl_up_sync(~0u, v.f0, 1);
		v.h1 = __shfl_up_sync(~0u, v.h1, 1);
		v.f1 = __shfl_up_sync(~0u, v.f1, 1);
		if (lane == 0)
			v = { g.above[u].x, g.above[u].y, g.above[u].z,
			      g.above[u].w };
		columns<W, R>(a, s, selector[u], v);
		if (lane == 31)
			g.below[u] = make_uint4(v.h0, v.f0, v.h1, v.f1);
		s.done = u == lane ? s.top : s.done;
		s.top = u == lane ? a.floors : s.top;
		if (u == lane && special)
			begin_or_keep<W, R>(a, t, block, first, s);
	}
}

/* Before the first column of the rows from `first` on, whose scores are in the
 * table, if any. */
template <int R>
static __device__ __forceinline__ void
begin_sweep(const struct pass &a, uint32_t first, const unsigned *table,
	    struct lane_rows<R> &s, struct edge &v)
{
	const uint32_t row = first + (threadIdx.x & 31) * R;

	v = { a.floors, a.floors, a.floors, a.floors };
	s.diag = s.top = s.done = a.floors;
	s.table = table ? (const unsigned char *)
			  (table + (threadIdx.x & 31) * 4) : NULL;
#pragma unroll
	for (int r = 0; r < R; r++) {
		s.h[r] = s.e[r] = a.floors;
		if (!table)
			s.score[r] = __ldg(a.row + row + r);
	}
}

/*
 * Tile k of a sweep, and the largest H of the tile before.  `above` has H and F
 * of the row above in this tile's columns, and gets those of the last row in
 * the columns of the one before.
 */
template <class W, int R>
static __device__ __forceinline__ unsigned
sweep_tile(const struct pass &a, const struct task &t, struct ring &g,
	   uint32_t first, uint4 *above, uint32_t k, struct lane_rows<R> &s,
	   struct edge &v)
{
	const uint32_t lane = threadIdx.x & 31;

	stage<W, R>(a, t, g, k, first ? above : NULL);
	__syncwarp();
	tile<W, R>(a, t, g, k, first + lane * R, s, v);
	__syncwarp();
	if (k == 0)
		return a.floors;
	s.done = largest<W>(s.done, a.floors);
	if (lane == 31)
		report<W>(a, t, k - 1, s.done, first == 0);
	if (first + 32 * R < a.rows)
		above[(k - 1) * STEPS + lane] = g.below[lane];
	return s.done;
}

/* All tiles, and one beyond them: what lanes compute before their first column
 * and behind their last one nobody sees. */
static __device__ __forceinline__ uint32_t
tiles_of(const struct task &t)
{
	return t.columns / SW_DEV_BLOCK + 1;
}

template <class W, int R>
static __device__ __forceinline__ unsigned
sweep(const struct pass &a, const struct task &t, struct ring &g,
      uint32_t first, const unsigned *table, uint4 *above)
{
	unsigned most = a.floors;
	struct lane_rows<R> s;
	struct edge v;

	begin_sweep<R>(a, first, table, s, v);
	for (uint32_t k = 0; k < tiles_of(t); k++)
		most = W::max3(most, sweep_tile<W, R>(a, t, g, first, above, k,
						      s, v), a.floors);
	return most;
}

/* Rows are kept where the piece owns columns from, and where it ends. */
template <class W>
static __device__ __forceinline__ void
set_marks(const struct pass &a, struct task &t)
{
	struct mark *m = t.mark;

	for (uint32_t i = 0; i < W::PIECES; i++) {
		uint32_t left = t.p[i].end - t.p[i].own;
		size_t at = (size_t)t.number[i] * a.rows;

		*m++ = { t.columns / SW_DEV_BLOCK, i, a.end + at + a.rows };
		if (W::PIECES == 2)
			*m++ = { (t.columns - left) / SW_DEV_BLOCK, i,
				 a.start + at };
	}
	t.n_marks = (uint32_t)(m - t.mark);
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
	set_marks<W>(a, t);
}

/* Two pieces of a warp.  Its dynamic memory is the table of a sweep's rows: no
 * warp goes on to the next sweep before all have done theirs. */
template <int R>
static __global__ void __launch_bounds__(WARPS * 32, R > 8 ? 2 : 3)
find_tops(struct pass a)
{
	SHARED_DYN(unsigned, table);
	SHARED_ARRAY(struct ring, rings, WARPS);
	struct ring &g = rings[threadIdx.x / 32];
	uint32_t w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	uint4 *above = (uint4 *)(a.above + (size_t)w * a.columns);
	const bool idle = w * two::PIECES >= a.n;
	const struct task &t = g.task;
	unsigned most = a.floors;

	if ((threadIdx.x & 31) == 0 && !idle)
		set_task<two>(a, w, g.task);
	for (uint32_t first = 0; first < a.rows; first += 32 * R) {
		fill_table<R>(a, first, table);
		__syncthreads();
		if (!idle)
			most = two::max3(most, sweep<two, R>(a, t, g, first,
							     table, above),
					 a.floors);
		__syncthreads();
	}
	if ((threadIdx.x & 31) == 31 && !idle)
		for (int i = 0; i < two::PIECES; i++)
			a.most[t.number[i]] = two::part(most, i) - a.floor;
}

/* Warps of a block with one piece, and tiles that each is behind the one
 * before, which has all of a tile's last row after one more. */
enum { TEAM = 8, BEHIND = 2 };

/*
 * A piece that is done again, by a block, as nothing else is done meanwhile.  A
 * sweep is a warp's, and the next one the next warp's, some tiles behind. After
 * a round, a warp takes the next sweep that none has: a round is no shorter
 * than what the last warp is behind the first, which has its rows above then.
 * Nobody asks for its largest H: 32 bits are enough.
 */
template <int R>
static __global__ void __launch_bounds__(TEAM * 32, 2)
find_again(struct pass a)
{
	SHARED_ARRAY(struct ring, rings, TEAM);
	const uint32_t warp = threadIdx.x / 32, n = a.rows / (32 * R);
	struct ring &g = rings[warp];
	const struct task &t = g.task;
	uint4 *above = (uint4 *)(a.above + (size_t)blockIdx.x * a.columns);
	uint32_t tiles, round, steps;
	struct lane_rows<R> s = {};
	struct edge v = {};

	if ((threadIdx.x & 31) == 0)
		set_task<one>(a, blockIdx.x, g.task);
	__syncwarp();
	tiles = tiles_of(t);
	round = max(tiles, (uint32_t)(BEHIND * TEAM));
	steps = (n - 1) / TEAM * round + (n - 1) % TEAM * BEHIND + tiles;
	for (uint32_t step = 0; step < steps; step++) {
		uint32_t at = step - BEHIND * warp, k = at % round;
		uint32_t first = (at / round * TEAM + warp) * 32 * R;

		if (step >= BEHIND * warp && k < tiles && first < a.rows) {
			if (k == 0)
				begin_sweep<R>(a, first, NULL, s, v);
			sweep_tile<one, R>(a, t, g, first, above, k, s, v);
		}
		__syncthreads();
	}
}

/*
 * Each piece, by a block: did it begin with what the piece before ends with?
 * If it did not, that is what it is to begin with next.
 */
static __global__ void __launch_bounds__(256)
hand_over(struct pass a, uint32_t *bad)
{
	const struct sw_dev_piece p = a.piece[blockIdx.x];
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
