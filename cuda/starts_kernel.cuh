/* SPDX-License-Identifier: MIT */
/*
 * starts_kernel.cuh - the source's two algorithms for k-difference primers
 * Source: Feuser and Moreano, the k-difference primer problem; what of it we
 * read in which way, starts.h says.
 *
 * Blocks take starts, the threads of a block share the start's work.  Both
 * algorithms go step by step over diagonals (column - row) of the matrix of
 * target x text, of which -(k - 1) to n matter: D row by row, L number of
 * differences by number of differences.  A step of a diagonal needs the step
 * before of it and of its two neighbours; D's row, also itself to the left.
 *
 * A tile is a range of diagonals that is searched by itself.  A path with fewer
 * than k differences keeps within k diagonals, as each step aside is one; tiles
 * have k - 1 in common, so that every such path lies whole in one of them.
 * What a tile finds does occur, for paths that leave it are only left out.
 */
#ifndef SEQF_CUDA_STARTS_KERNEL_CUH
#define SEQF_CUDA_STARTS_KERNEL_CUH

#include "cuda/simt.h"

extern "C" {
#include "cuda/starts_dev.h"
}

enum { STARTS_FAR = 1 << 30 };		/* above all D; -, below all L */
enum starts_count { STARTS, VALUES, COMPARISONS, FETCHED, MISSED, COUNTS };

struct starts {
	const uint8_t *code, *symbol;
	const uint16_t *holds;
	const uint32_t *stop, *cap;
	uint32_t *end, *taken;
	int32_t *rows;		/* without tiles: two rows for each block */
	unsigned long long *count;
	int32_t n, k, width, stride;
	uint32_t from, items, tiles, window, optimisations;
	bool literal;
};

struct starts_shared {
	uint32_t item, known;
	int32_t total[32];	/* of each warp */
	uint16_t holds[16];
};

/* A thread's view of what its block is at. */
struct starts_tile {
	int32_t *now, *then;	/* a value a diagonal, from the first one on */
	int32_t first, width;
	uint32_t place, tile;
	int32_t known, rows;	/* of its letters, that occur, and at most */
	/* Letters fetched ahead: rows [base, base + window), the text's as far
	 * as the tile's diagonals have them. */
	uint8_t *target, *text;
	int32_t base, window;
	unsigned long long count[COUNTS];
};

/* Ends of others may grow meanwhile: whatever they were is a bound. */
static __device__ uint32_t
starts_known(const struct starts &a, uint32_t place)
{
	uint32_t end = atomicMax(&a.end[place], 0u), before;

	if (place == 0 || a.stop[place - 1] != a.stop[place])
		return end;
	before = atomicMax(&a.end[place - 1], 0u);
	if (a.optimisations & PRIMER_PAPER_BEGIN ||
	    (a.optimisations & PRIMER_PAPER_LAST && before == a.stop[place]))
		end = max(end, min(before, a.cap[place]));
	return end;
}

/* The block's next tile; false: there is none. */
static __device__ bool
starts_take(const struct starts &a, struct starts_shared &s,
	    struct starts_tile &t)
{
	uint32_t item;

	if (threadIdx.x == 0) {
		item = s.item = atomicAdd(a.taken, 1u);
		if (item < a.items)
			s.known = starts_known(a, a.from + item / a.tiles);
	}
	__syncthreads();
	item = s.item;
	if (item < a.items) {
		t.place = a.from + item / a.tiles;
		t.tile = item % a.tiles;
		t.known = (int32_t)(s.known - t.place);
		t.rows = (int32_t)(a.cap[t.place] - t.place);
		t.first = 1 - a.k + (int32_t)t.tile * a.stride;
		t.width = min(a.width, a.n + 1 - t.first);
		t.base = -STARTS_FAR;
	}
	__syncthreads();
	return item < a.items;
}

/* Letters around where a row is, unless they are there; optimisation 6. */
static __device__ void
starts_fetch(const struct starts &a, struct starts_tile &t, int32_t row)
{
	int32_t had = row - t.base;

	if (!t.window || (had >= 0 && had < t.window / 2))
		return;
	t.base = max(row - t.window / 4, 0);
	for (int32_t i = threadIdx.x; i < t.width + t.window; i += blockDim.x) {
		int32_t at = t.base + t.first + i;
		bool some = at >= 0 && at < a.n, more = i < t.window &&
			    t.base + i < t.rows;

		t.text[i] = some ? __ldg(a.symbol + at) : 0;
		if (i < t.window)
			t.target[i] = more ? __ldg(a.code + t.place + t.base +
						   i) : 0;
		t.count[FETCHED] += some + more;
	}
	__syncthreads();
}

/* Does the target's letter of a row match the one that diagonal j has there? */
static __device__ __forceinline__ bool
starts_match(const struct starts &a, const struct starts_shared &s,
	     struct starts_tile &t, int32_t row, int32_t j)
{
	int32_t i = row - t.base;
	unsigned c, x;

	t.count[COMPARISONS]++;
	if (i >= 0 && i < t.window) {
		c = t.target[i];
		x = t.text[i + j];
	} else {
		c = __ldg(a.code + t.place + row);
		x = __ldg(a.symbol + row + t.first + j);
		t.count[MISSED] += t.window ? 2 : 0;
	}
	return a.literal ? x == c : s.holds[x] >> (c - 1) & 1;
}

/* The block is done with a step; true if any thread says so.  Optimisation 4:
 * rows change places, and the vote is the barrier. */
static __device__ bool
starts_step(const struct starts &a, struct starts_tile &t, bool vote)
{
	int32_t *was = t.now;

	if (a.optimisations & PRIMER_PAPER_BARRIERS) {
		t.now = t.then;
		t.then = was;
		return __syncthreads_or(vote);
	}
	__syncthreads();
	for (int32_t j = threadIdx.x; j < t.width; j += blockDim.x)
		t.now[j] = t.then[j];
	__syncthreads();
	return __syncthreads_or(vote);
}

/*
 * L of diagonal j with c differences: a letter of both, of the text, or of the
 * target, then as many matches as there are.
 */
static __device__ int32_t
starts_further(const struct starts &a, const struct starts_shared &s,
	       struct starts_tile &t, int32_t c, int32_t j)
{
	int32_t d = t.first + j, most = min(t.rows, a.n - d);
	int32_t r = d < 0 ? -STARTS_FAR : 0;

	if (c > 0) {
		r = t.now[j] + 1;
		if (j > 0)
			r = max(r, t.now[j - 1]);
		if (j + 1 < t.width)
			r = max(r, t.now[j + 1] + 1);
	}
	if (r < 0)
		return -STARTS_FAR;
	for (r = min(r, most); r < most; r++)
		if (!starts_match(a, s, t, r, j))
			break;
	return r;
}

/* The furthest row of the thread's diagonals.  Optimisation 2: diagonals that
 * come to the text's end before they pass what is known are left out. */
static __device__ int32_t
starts_alternative(const struct starts &a, const struct starts_shared &s,
		   struct starts_tile &t)
{
	int32_t best = t.known;

	for (int32_t c = 0; c < a.k; c++) {
		int32_t left = a.k - 1 - c, last = a.n;

		if (a.optimisations & PRIMER_PAPER_BEGIN && t.known > left)
			last = a.n - (t.known - left);
		starts_fetch(a, t, c ? max(t.now[t.width / 2], 0) : 0);
		for (int32_t j = threadIdx.x; j < t.width; j += blockDim.x) {
			int32_t r = -STARTS_FAR;

			if (t.first + j <= last) {
				r = starts_further(a, s, t, c, j);
				t.count[VALUES] += r >= 0;
			}
			t.then[j] = r;
			best = max(best, r);
		}
		if (starts_step(a, t, best >= t.rows) &&
		    a.optimisations & PRIMER_PAPER_STOP)
			break;
	}
	return best;
}

/*
 * Row r (from 1) of diagonals [from, upto): from the row before, and from the
 * left within these.  The least of them, and the last.
 */
static __device__ int32_t
starts_row(const struct starts &a, const struct starts_shared &s,
	   struct starts_tile &t, int32_t r, int32_t from, int32_t upto,
	   int32_t *last)
{
	int32_t least = STARTS_FAR, left = STARTS_FAR;

	for (int32_t j = from; j < upto; j++) {
		int32_t column = r + t.first + j, x = STARTS_FAR;

		if (column >= 0 && column <= a.n) {
			if (j + 1 < t.width)
				x = min(x, t.now[j + 1] + 1);
			if (column > 0)
				x = min(x, t.now[j] +
					   !starts_match(a, s, t, r - 1, j));
			x = min(x, left + 1);
			t.count[VALUES]++;
		}
		t.then[j] = left = x;
		least = min(least, x);
	}
	*last = left;
	return least;
}

/* What comes along the row from threads before: one more a diagonal.  It is
 * above where it comes from, so that the least is what it was. */
static __device__ void
starts_carry(const struct starts &a, struct starts_shared &s,
	     const struct starts_tile &t, int32_t r, int32_t from, int32_t upto,
	     int32_t last)
{
	int32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	int32_t x = from < upto ? last - (upto - 1) : STARTS_FAR;
	int32_t end = min(upto, a.n - r - t.first + 1);

	for (int32_t d = 1; d < 32; d *= 2) {
		int32_t before = __shfl_up_sync(~0u, x, d);

		x = lane >= d ? min(x, before) : x;
	}
	if (lane == 31)
		s.total[warp] = x;
	x = __shfl_up_sync(~0u, x, 1);
	if (lane == 0)
		x = STARTS_FAR;
	__syncthreads();
	for (int32_t w = 0; w < warp; w++)
		x = min(x, s.total[w]);
	for (int32_t j = from; j < end && x + j < t.then[j]; j++)
		t.then[j] = x + j;
}

/* The last row of D with a value below k; optimisation 1: none follows the
 * first one without. */
static __device__ int32_t
starts_conventional(const struct starts &a, struct starts_shared &s,
		    struct starts_tile &t)
{
	int32_t share = (t.width + blockDim.x - 1) / blockDim.x | 1;
	int32_t from = min((int32_t)threadIdx.x * share, t.width);
	int32_t upto = min(from + share, t.width), found = t.known;

	for (int32_t j = from; j < upto; j++)
		t.now[j] = t.first + j < 0 ? STARTS_FAR : 0;
	__syncthreads();
	for (int32_t r = 1; r <= t.rows; r++) {
		int32_t least, last;

		starts_fetch(a, t, r - 1);
		least = starts_row(a, s, t, r, from, upto, &last);
		starts_carry(a, s, t, r, from, upto, last);
		if (starts_step(a, t, least < a.k || r <= t.known))
			found = max(found, r);
		else if (a.optimisations & PRIMER_PAPER_STOP)
			break;
	}
	return found;
}

/* Rows, and behind them letters, in shared memory; or rows elsewhere. */
static __device__ void
starts_memory(const struct starts &a, struct starts_shared &s,
	      struct starts_tile &t, int32_t *mem)
{
	int32_t *rows = a.rows ? a.rows + (size_t)2 * a.width * blockIdx.x :
				 mem;

	t.now = rows;
	t.then = rows + a.width;
	t.window = (int32_t)a.window;
	t.target = t.text = NULL;
	if (t.window) {
		t.target = (uint8_t *)(mem + 2 * a.width);
		t.text = t.target + t.window;
	}
	for (int i = 0; i < COUNTS; i++)
		t.count[i] = 0;
	if (threadIdx.x < 16)
		s.holds[threadIdx.x] = a.holds[threadIdx.x];
}

template <bool ALTERNATIVE>
static __global__ void __launch_bounds__(STARTS_MOST_THREADS)
search_starts(struct starts a)
{
	SHARED(struct starts_shared, s);
	SHARED_DYN(int32_t, mem);
	struct starts_tile t;

	starts_memory(a, s, t, mem);
	while (starts_take(a, s, t)) {
		int32_t rows = t.known;
		bool last = a.optimisations & PRIMER_PAPER_LAST &&
			    t.place + t.known == a.stop[t.place];

		if (a.code[t.place] == 0)
			continue;
		t.count[STARTS] += !last && t.tile == 0 && threadIdx.x == 0;
		if (!(a.optimisations & PRIMER_PAPER_BEGIN))
			t.known = 0;
		if (!last)
			rows = max(rows, ALTERNATIVE ?
				   starts_alternative(a, s, t) :
				   starts_conventional(a, s, t));
		for (int d = 16; d; d /= 2)
			rows = max(rows, __shfl_xor_sync(~0u, rows, d));
		if ((threadIdx.x & 31) == 0)
			atomicMax(&a.end[t.place], t.place + (uint32_t)rows);
	}
	for (int i = 0; i < COUNTS; i++)
		if (t.count[i])
			atomicAdd(&a.count[i], t.count[i]);
}

#endif
