/* SPDX-License-Identifier: MIT */
/* sw_beside.h - the best K where one alignment has most of the high cells */
#ifndef SEQF_SW_SW_BESIDE_H
#define SEQF_SW_SW_BESIDE_H

#include "sw/sw_priv.h"
#include "sw/sw_skew.h"

/*
 * A skewed wavefront pass without the pairs of one path
 *
 * Lanes do not handle forbidden pairs.  So the few strips that have any are
 * computed again, cell by cell, and the values that lanes left are replaced.
 *
 * Strips where the path, and gaps from it, give more than all others can are
 * left out, as are those from which nothing comes to `least`.
 */

#define SW_MASK_NONE UINT64_MAX
/* Where the path first is in a row, or a column, and its score there. */
struct sw_mask_anchor {
	uint64_t at;	/* SW_MASK_NONE: nowhere */
	int32_t score;
};
/* From place `from` on H >= value - extend * place, by gaps from the path. */
struct sw_mask_low {
	int64_t value;
	uint64_t from;	/* SW_MASK_NONE: that is not known */
};

struct sw_mask {
	const struct sw_query *q;
	const struct sw_text *t;
	const uint64_t *col;	/* of a row: the column of its pair, or NONE */
	/* The path: anchors of all rows, of all columns; its end; the segment
	 * that it is in. */
	const struct sw_mask_anchor *row_anchor, *col_anchor;
	struct sw_hit path;
	const struct sw_seg *seg;
	/*
	 * Of every strip that has an H >= least: its first row, which may be
	 * above the query's first, its block and its largest H.  Returns least
	 * from now on, at least as high.
	 */
	int64_t (*report)(void *ctx, int64_t row, uint64_t block, int64_t top);
	void *ctx;
	int64_t least;
	bool stop;	/* by report(): the pass returns 1 */
	/* Blocks of each strip's pairs; room for all strips of the lanes. */
	struct sw_mask_span {
		uint64_t from, to;
		struct sw_mask_low low;	/* of its rows, by column */
		int64_t least;	/* no H in the blocks of the round is less */
		/* strips from here up that are left out, if what comes to
		 * them is 0 */
		size_t quiet;
	} *span;
	struct sw_mask_low *block;	/* of a block's columns, by row */
	int32_t gain[SW_SKEW_LANES];	/* struct sw_skew's, by columns */
	/* Strips of a step that have pairs, as they were before it. */
	struct sw_mask_strip {
		unsigned lane;
		size_t strip;
		uint64_t block;
		int32_t h[SW_BLOCK], f[SW_BLOCK];	/* above it */
		struct sw_checkpoint left[SW_SKEW_ROWS];
		int32_t corner, top;
	} now[SW_SKEW_LANES];
	unsigned n;
	/* strips that have pairs in the blocks of a round, its first block */
	size_t from, to;
	uint64_t round;
	unsigned live;		/* a lane that mattered last */
};
enum { SW_MASK_SPANS = SW_SKEW_LANES + 1 };	/* and one for each 8 rows */
void sw_mask_open(struct sw_skew *s);
/* Before sw_skew_prune(): what the strips of a step may add to a score. */
void sw_mask_gain(struct sw_skew *s, int32_t need);
/* All that the last step left being 0, is the next one, s->strip + 1, to be
 * left out, too?  false: that is not known. */
bool sw_mask_is_quiet(const struct sw_skew *s);
/* No H of a strip is less; 0: nothing is known.  Its first row, which may be
 * above the query's, and its block. */
int64_t sw_mask_least(const struct sw_mask *m, const struct sw_mask_low *rows,
		      int64_t row, uint64_t block);
void sw_mask_before(struct sw_skew *s);	/* a step */
void sw_mask_after(struct sw_skew *s);	/* it, sw_skew_take_end(), too */

/* Can it be tried? */
bool sw_beside_fits(const struct sw_query *q, const struct sw_text *t,
		    size_t k, const struct sw_work *w);
/*
 * Puts the best K of SW_ALIGNMENTS, K > 1, with a score of *least or more into
 * an empty topk, if seeds say that there is such an alignment.  Returns 1 if
 * another way is faster, or the only one; SW_BESIDE_LATER if no such alignment
 * was found: with the scores known, it may be.  The topk is void then.
 * ERR_NOMEM.
 */
enum { SW_BESIDE_LATER = 2, SW_BESIDE_PLACE = 33 /* bits of a column */ };
int sw_beside(const struct sw_query *q, const struct sw_text *t, size_t k,
	      const int64_t *least, struct sw_work *w, struct sw_topk *topk,
	      struct err *e);
/* The same beside the best one, main, whose path may be kept (sw_trace.h). */
int sw_beside_hit(const struct sw_query *q, const struct sw_text *t, size_t k,
		  const struct sw_hit *main, const int64_t *least,
		  struct sw_work *w, struct sw_topk *topk, struct err *e);
/* Is it likely to pay, the largest H being top? */
bool sw_beside_pays(const struct sw_query *q, const struct sw_text *t,
		    int64_t top, const struct sw_work *w);
void sw_beside_free(struct sw_beside *b);

/*
 * sw_grid_region.c: the start of the path of a cell whose H is known, in a
 * window that begins with the segment: that cell of it.  *found: false if H = 0
 * there.  w->borders is what sw_grid_starts() made.  1: it cannot be done.
 */
struct sw_grid_window;
int sw_grid_starts(struct sw_work *w, const struct sw_query *q,
		   const struct sw_grid_window *x, struct err *e);
int sw_grid_start(struct sw_work *w, const struct sw_query *q,
		  const struct sw_grid_window *x, struct sw_hit *cell,
		  struct err *e);
/*
 * The same of all cells with H >= least, as wants() says, of those tiles of
 * w->borders that are `reported`; begin: the window's first column.  wants may
 * be NULL: all, in rounds: with x->until, only those below it, whose class
 * had none in the rounds since the call without it.  1: there are too many.
 */
typedef bool sw_wants_fn(void *ctx, size_t row, size_t col, int64_t h);
int sw_grid_some(struct sw_work *w, const struct sw_query *q,
		 const struct sw_grid_window *x, uint64_t begin, int64_t least,
		 sw_wants_fn *wants, sw_cell_fn *put, void *ctx,
		 struct err *e);

#endif
