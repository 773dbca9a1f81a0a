/* SPDX-License-Identifier: MIT */
/*
 * paper_primer_kernel.cuh - the source's two algorithms for k-difference
 * primers Source: Feuser and Moreano, the k-difference primer problem; see
 * paper_primer.h.
 *
 * Blocks take starts, the threads of a block share the values of a start, and
 * wait for each other at each step.  A step is:
 * - conventional: an anti-diagonal of D, of which three are kept; of the whole
 *   matrix, in global memory; or of a tile, a rectangle of as many rows as
 *   there are threads and of all columns, in shared memory.  A thread has a row
 *   of it.  The tile's last row is saved in global memory, for the next one.
 * - alternative: L of all diagonals with so many differences, in global memory;
 *   or of a tile's.  L(d, c) is found from c - 1 differences and diagonals
 *   d - 1, d and d + 1: so a tile is a parallelogram, as many diagonals as
 *   there are threads, one further to the left with each difference.  Of the
 *   tile before, the last two values with each number of differences are
 *   needed, and kept in shared memory.
 */
#ifndef SEQF_CUDA_PAPER_PRIMER_KERNEL_CUH
#define SEQF_CUDA_PAPER_PRIMER_KERNEL_CUH

#include "cuda/simt.h"

extern "C" {
#include "cuda/paper_primer_dev.h"
}

enum { STARTS_FAR = 1 << 30 };		/* above all D; -, below all L */
enum starts_count { STARTS, VALUES, COMPARISONS, FETCHED, MISSED, COUNTS };

struct starts {
	const uint8_t *code, *symbol;
	const uint16_t *holds;
	const uint32_t *stop, *cap;
	uint32_t *end, *taken;
	int32_t *rows;		/* each block's: see starts_rows() */
	unsigned long long *count;
	int32_t n, k, longest;
	int32_t alpha;		/* letters of it that are fetched; 0: none */
	uint32_t from, items, optimisations;
	uint32_t first;		/* nothing is known of places before it */
	bool literal, tiled;
};

/* Words of global memory that a block needs. */
static inline __host__ __device__ size_t
starts_rows(const struct starts &a, bool alternative)
{
	if (a.tiled)
		return alternative ? 0 : (size_t)a.n + 1;
	return alternative ? 2 * ((size_t)a.n + a.k) :
			     3 * ((size_t)a.longest + 1);
}

struct starts_shared {
	uint32_t item, known;
	int32_t most;		/* rows that occur: without a reduction */
	int32_t total[32];	/* each warp's, with one */
	uint16_t holds[16];
};

/* A thread's view of the start its block is at. */
struct starts_place {
	uint32_t place;
	int32_t known, rows;	/* of its letters, that occur, and at most */
	int32_t found;		/* by this thread */
	int32_t *lines;		/* values of steps, in turn: starts_line() */
	size_t line;		/* values in one */
	int32_t *saved;
	/* Letters fetched ahead: the first of alpha; of beta as many and a
	 * tile's more, letter i at i % ring, those of [beg, beg + ring). */
	uint8_t *alpha, *beta;
	int32_t beg, ring;
	uint32_t count[COUNTS];	/* of a start: n * rows / threads at most */
};

/* Line i; an array of pointers would lie in local memory. */
static __device__ __forceinline__ int32_t *
starts_line(const struct starts_place &t, int32_t i)
{
	return t.lines + i * t.line;
}

/* Ends of others may grow meanwhile: whatever they were is a bound. */
static __device__ uint32_t
starts_known(const struct starts &a, uint32_t place)
{
	uint32_t end = atomicMax(&a.end[place], 0u), before;

	if (place == a.first || a.stop[place - 1] != a.stop[place])
		return end;
	before = atomicMax(&a.end[place - 1], 0u);
	if (a.optimisations & PRIMER_PAPER_START || before == a.stop[place])
		end = max(end, min(before, a.cap[place]));
	return end;
}

/* The block's next start; false: there is none. */
static __device__ bool
starts_take(const struct starts &a, struct starts_shared &s,
	    struct starts_place &t)
{
	uint32_t item;

	if (threadIdx.x == 0) {
		item = s.item = atomicAdd(a.taken, 1u);
		if (item < a.items)
			s.known = starts_known(a, a.from + item);
		s.most = 0;
	}
	__syncthreads();
	item = s.item;
	if (item < a.items) {
		t.place = a.from + item;
		t.known = (int32_t)(s.known - t.place);
		t.rows = (int32_t)(a.cap[t.place] - t.place);
		t.found = 0;
	}
	__syncthreads();
	return item < a.items;
}

/*
 * With optimisation 3 each thread keeps a maximum; else there is one for all,
 * that each value which counts is put into: the source's critical section.
 */
static __device__ __forceinline__ void
starts_found(const struct starts &a, struct starts_shared &s,
	     struct starts_place &t, int32_t rows)
{
	t.found = max(t.found, rows);
	if (!(a.optimisations & PRIMER_PAPER_OWN))
		atomicMax(&s.most, rows);
}

/*
 * The start's end: of the threads' maxima by a reduction, of warps and then in
 * shared memory; or by the critical section, that each thread comes to once
 * with optimisation 3.
 */
static __device__ void
starts_end(const struct starts &a, struct starts_shared &s,
	   const struct starts_place &t)
{
	int32_t rows = t.found;

	if (a.optimisations & PRIMER_PAPER_REDUCE) {
		for (int d = 16; d; d /= 2)
			rows = max(rows, __shfl_xor_sync(~0u, rows, d));
		if ((threadIdx.x & 31) == 0)
			s.total[threadIdx.x / 32] = rows;
	} else if (a.optimisations & PRIMER_PAPER_OWN) {
		atomicMax(&s.most, rows);
	}
	__syncthreads();
	if (threadIdx.x)
		return;
	rows = t.known;
	if (!(a.optimisations & PRIMER_PAPER_REDUCE))
		rows = max(rows, atomicMax(&s.most, 0));
	else
		for (uint32_t w = 0; w < blockDim.x / 32; w++)
			rows = max(rows, s.total[w]);
	atomicMax(&a.end[t.place], t.place + (uint32_t)rows);
}

/* Optimisation 5: the first letters, once for all tiles. */
static __device__ void
starts_fetch_alpha(const struct starts &a, struct starts_place &t)
{
	for (int32_t i = threadIdx.x; i < a.alpha; i += blockDim.x) {
		bool some = i < t.rows;

		t.alpha[i] = some ? __ldg(a.code + t.place + i) : 0;
		t.count[FETCHED] += some;
	}
	__syncthreads();
}

/* Optimisation 6: for a tile the letters that it may need beyond those which
 * the one before had, as many as there are threads. */
static __device__ void
starts_fetch_beta(const struct starts &a, struct starts_place &t, int32_t beg)
{
	int32_t had = beg ? t.beg + t.ring : 0;

	if (!t.ring)
		return;
	for (int32_t i = had + threadIdx.x; i < beg + t.ring; i += blockDim.x) {
		bool some = i < a.n;

		t.beta[i % t.ring] = some ? __ldg(a.symbol + i) : 0;
		t.count[FETCHED] += some;
	}
	t.beg = beg;
	__syncthreads();
}

/* The letter of a row, from 0. */
static __device__ __forceinline__ unsigned
starts_alpha(const struct starts &a, struct starts_place &t, int32_t row,
	     bool *missed)
{
	if (row < a.alpha)
		return t.alpha[row];
	*missed = a.alpha != 0;
	return __ldg(a.code + t.place + row);
}

static __device__ __forceinline__ unsigned
starts_beta(const struct starts &a, struct starts_place &t, int32_t column,
	    bool *missed)
{
	if (t.ring && column >= t.beg && column - t.beg < t.ring)
		return t.beta[column % t.ring];
	*missed |= t.ring != 0;
	return __ldg(a.symbol + column);
}

/* Does a letter of the text match a class? */
static __device__ __forceinline__ bool
starts_equal(const struct starts &a, const struct starts_shared &s, unsigned x,
	     unsigned c)
{
	return a.literal ? x == c : s.holds[x] >> (c - 1) & 1;
}

/* L of diagonal d with c differences, from those with c - 1: a letter of both,
 * of the text, or of the target; then as many matches as there are. */
static __device__ int32_t
starts_further(const struct starts &a, const struct starts_shared &s,
	       struct starts_place &t, int32_t c, int32_t d, int32_t before,
	       int32_t own, int32_t behind)
{
	int32_t most = min(t.rows, a.n - d);
	int32_t r = c ? max(max(own, behind) + 1, before) : 0;

	t.count[VALUES]++;
	for (r = min(r, most); r < most; r++) {
		bool missed = false;
		unsigned row = starts_alpha(a, t, r, &missed);
		unsigned column = starts_beta(a, t, r + d, &missed);

		t.count[COMPARISONS]++;
		t.count[MISSED] += missed;
		if (!starts_equal(a, s, column, row))
			break;
	}
	return r;
}

/* Of a start that has `known` letters occur, the last diagonal that matters
 * with c differences: as on the CPU. */
static __device__ __forceinline__ int32_t
starts_last(const struct starts &a, const struct starts_place &t, int32_t c)
{
	return a.n - max(t.known - (a.k - 1 - c), 0);
}

/* A step is done; true: so is the start, which has no primer. */
static __device__ __forceinline__ bool
starts_reached(const struct starts &a, const struct starts_place &t)
{
	if (a.optimisations & PRIMER_PAPER_REACHED)
		return __syncthreads_or(t.found >= t.rows);
	__syncthreads();
	return false;
}

/* All diagonals at a time, -(k - 1) to n. */
static __device__ void
starts_alternative(const struct starts &a, struct starts_shared &s,
		   struct starts_place &t)
{
	const int32_t edge = a.k - 1, n = a.n + a.k;

	for (int32_t c = 0; c < a.k; c++) {
		const int32_t *l = starts_line(t, c & 1);
		int32_t *to = starts_line(t, ~c & 1);
		int32_t last = starts_last(a, t, c);

		for (int32_t j = threadIdx.x; j < n; j += blockDim.x) {
			int32_t d = j - edge, r = -STARTS_FAR;

			if (d >= -c && d <= last) {
				r = starts_further(a, s, t, c, d,
						   c && j ? l[j - 1] : 0,
						   c ? l[j] : 0,
						   c && j + 1 < n ? l[j + 1] :
						   -STARTS_FAR);
				starts_found(a, s, t, r);
			}
			to[j] = r;
		}
		if (starts_reached(a, t))
			return;
	}
}

/*
 * Thread i has diagonal first - c + i, first of the tile.  A line holds, from 0
 * on, the last two values of the tile before, and its own: with c - 1
 * differences, diagonals d - 1, d and d + 1 are at i, i + 1 and i + 2.  What
 * the tile after needs takes the place of what this one has had.
 */
static __device__ void
starts_parallelogram(const struct starts &a, struct starts_shared &s,
		     struct starts_place &t, int32_t first, bool *done)
{
	const int32_t i = threadIdx.x, x = i + 2 - (int32_t)blockDim.x;

	for (int32_t c = 0; c < a.k && !*done; c++) {
		const int32_t *l = starts_line(t, c & 1);
		int32_t *to = starts_line(t, ~c & 1);
		int32_t d = first - c + i, r = -STARTS_FAR;

		if (d >= -c && d <= starts_last(a, t, c)) {
			r = starts_further(a, s, t, c, d, c ? l[i] : 0,
					   c ? l[i + 1] : 0, c ? l[i + 2] : 0);
			starts_found(a, s, t, r);
		}
		to[i + 2] = r;
		if (x >= 0) {
			to[x] = t.saved[2 * c + x];
			t.saved[2 * c + x] = r;
		}
		*done = starts_reached(a, t);
	}
}

static __device__ void
starts_parallelograms(const struct starts &a, struct starts_shared &s,
		      struct starts_place &t)
{
	bool done = false;

	for (int32_t i = threadIdx.x; i < 2 * a.k; i += blockDim.x)
		t.saved[i] = -STARTS_FAR;
	__syncthreads();
	for (int32_t first = 0; first < a.n + a.k && !done;
	     first += blockDim.x) {
		starts_fetch_beta(a, t, first);
		starts_parallelogram(a, s, t, first, &done);
	}
}

/* D of a row and a column, both from 1, from its three neighbours. */
static __device__ __forceinline__ int32_t
starts_value(const struct starts &a, const struct starts_shared &s,
	     struct starts_place &t, unsigned letter, int32_t column,
	     int32_t both, int32_t above, int32_t left)
{
	unsigned x = __ldg(a.symbol + column - 1);

	t.count[VALUES]++;
	t.count[COMPARISONS]++;
	return min(both + !starts_equal(a, s, x, letter),
		   min(above, left) + 1);
}

/* Of the whole matrix, by anti-diagonals, rows 1 to the last; row 0 is 0, and
 * column 0 is the row's number. */
static __device__ void
starts_conventional(const struct starts &a, struct starts_shared &s,
		    struct starts_place &t)
{
	for (int32_t sum = 2; a.n && sum <= t.rows + a.n; sum++) {
		int32_t *to = starts_line(t, sum % 3);
		const int32_t *one = starts_line(t, (sum + 2) % 3);
		const int32_t *two = starts_line(t, (sum + 1) % 3);
		int32_t last = min(t.rows, sum - 1);

		for (int32_t r = max(sum - a.n, 1) + threadIdx.x; r <= last;
		     r += blockDim.x) {
			int32_t column = sum - r;

			to[r] = starts_value(a, s, t, __ldg(a.code + t.place +
							    r - 1), column,
				r == 1 ? 0 : column == 1 ? r - 1 : two[r - 1],
				r == 1 ? 0 : one[r - 1],
				column == 1 ? r : one[r]);
			if (to[r] < a.k && r > t.known)
				starts_found(a, s, t, r);
		}
		__syncthreads();
	}
}

/*
 * Rows from `above` + 1 on, one a thread, which is at column `sum` - thread.
 * The row above comes from the thread before, the first one's was saved, as the
 * last one's is: by then the first one has read it, and the one before it.
 */
static __device__ int32_t
starts_rectangle(const struct starts &a, struct starts_shared &s,
		 struct starts_place &t, int32_t above, unsigned letter)
{
	const int32_t i = threadIdx.x, row = above + i + 1;
	int32_t left = row, before = above + i, least = row;
	const bool in = row <= t.rows;

	for (int32_t sum = 1; sum < a.n + (int32_t)blockDim.x; sum++) {
		int32_t column = sum - i, up;
		int32_t *to = starts_line(t, sum & 1);

		if (in && column >= 1 && column <= a.n) {
			up = i ? starts_line(t, ~sum & 1)[i - 1] :
			     above ? t.saved[column] : 0;
			left = starts_value(a, s, t, letter, column, before,
					    up, left);
			before = up;
			to[i] = left;
			least = min(least, left);
			if (left < a.k && row > t.known)
				starts_found(a, s, t, row);
			if (i + 1 == (int32_t)blockDim.x)
				t.saved[column] = left;
		}
		__syncthreads();
	}
	return in ? least : 0;
}

/* Optimisation 1, of whole rows again: the first one without a value below k
 * ends the start, with the tile that it is in. */
static __device__ void
starts_rectangles(const struct starts &a, struct starts_shared &s,
		  struct starts_place &t)
{
	bool done = false;

	for (int32_t above = 0; above < t.rows && !done; above += blockDim.x) {
		int32_t row = above + threadIdx.x;
		unsigned letter = 0;
		bool missed = false;
		int32_t least;

		if (row < t.rows)
			letter = starts_alpha(a, t, row, &missed);
		t.count[MISSED] += missed;
		least = starts_rectangle(a, s, t, above, letter);
		done = __syncthreads_or(least >= a.k) &&
		       a.optimisations & PRIMER_PAPER_ROWS;
	}
}

/* A block's memory: lines, what is saved, letters. */
static __device__ void
starts_memory(const struct starts &a, struct starts_shared &s,
	      struct starts_place &t, int32_t *mem, bool alternative)
{
	size_t each = starts_rows(a, alternative);
	int32_t *rows = each ? a.rows + each * blockIdx.x : NULL;

	t.ring = t.beg = 0;
	if (!a.tiled) {
		t.line = alternative ? (size_t)a.n + a.k :
				       (size_t)a.longest + 1;
		t.lines = rows;
	} else {
		t.line = blockDim.x + 2;
		t.lines = mem;
		mem += 2 * t.line;
		t.saved = alternative ? mem : rows;
		t.alpha = (uint8_t *)(mem + (alternative ? 2 * a.k : 0));
		t.beta = t.alpha + a.alpha;
		if (a.optimisations & PRIMER_PAPER_BETA)
			t.ring = a.alpha + blockDim.x;
	}
	if (threadIdx.x < 16)
		s.holds[threadIdx.x] = a.holds[threadIdx.x];
}

/* After each start: 64-bit sums of all starts would take ten registers. */
static __device__ void
starts_count(const struct starts &a, const struct starts_place &t)
{
	for (int i = 0; i < COUNTS; i++)
		if (t.count[i])
			atomicAdd(&a.count[i], (unsigned long long)t.count[i]);
}

template <bool ALTERNATIVE, bool TILED>
static __device__ void
starts_search(const struct starts &a, struct starts_shared &s,
	      struct starts_place &t)
{
	for (int i = 0; i < COUNTS; i++)
		t.count[i] = i == STARTS && threadIdx.x == 0;
	starts_fetch_alpha(a, t);
	if (ALTERNATIVE && TILED)
		starts_parallelograms(a, s, t);
	else if (ALTERNATIVE)
		starts_alternative(a, s, t);
	else if (TILED)
		starts_rectangles(a, s, t);
	else
		starts_conventional(a, s, t);
	starts_end(a, s, t);
	starts_count(a, t);
}

template <bool ALTERNATIVE, bool TILED>
static __global__ void __launch_bounds__(PAPER_PRIMER_MAX_THREADS)
search_starts(struct starts a)
{
	SHARED(struct starts_shared, s);
	SHARED_DYN(int32_t, mem);
	struct starts_place t;

	starts_memory(a, s, t, mem, ALTERNATIVE);
	while (starts_take(a, s, t)) {
		uint32_t end = t.place + (uint32_t)t.known;

		if (a.code[t.place] == 0)
			continue;
		if (end == a.stop[t.place]) {
			if (threadIdx.x == 0)
				atomicMax(&a.end[t.place], end);
			continue;
		}
		if (!(a.optimisations & PRIMER_PAPER_START))
			t.known = 0;
		starts_search<ALTERNATIVE, TILED>(a, s, t);
	}
}

#endif
