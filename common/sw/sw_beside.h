/* SPDX-License-Identifier: MIT */
/* sw_beside.h - the best K where one alignment has most of the high cells */
#ifndef SEQF_SW_SW_BESIDE_H
#define SEQF_SW_SW_BESIDE_H

#include "sw/sw_priv.h"

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
enum { SW_BESIDE_LATER = 2 };
int sw_beside(const struct sw_query *q, const struct sw_text *t, size_t k,
	      const int64_t *least, struct sw_work *w, struct sw_topk *topk,
	      struct err *e);
/* The same beside the best one, main, whose path may be kept (sw_tiles.h). */
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
