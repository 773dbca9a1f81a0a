/* SPDX-License-Identifier: MIT */
/*
 * sw_cut.h - the way back from the best cell, in parts by several threads
 *
 * A pass by turns leaves H and F of a few rows.  Between two of them a path is
 * followed with no need of what is above or below.  Where it crosses such a row
 * is guessed, by the largest H there; sw_cut.c says why that is safe.
 */
#ifndef SEQF_SW_SW_CUT_H
#define SEQF_SW_SW_CUT_H

#include "sw/sw_grid.h"

enum { SW_CUT_PARTS = 6, SW_CUT_TRIES = 4 };

/* The last row of a strip. */
struct sw_cut_row {
	size_t row;		/* of the query */
	int32_t *h, *f;		/* of each column: H, and F of the row below */
	int32_t *top;		/* of each block: the largest H */
};
/* SW_CUT_TRIES strips side by side; one of them is chosen. */
struct sw_cut {
	size_t strip;		/* the first one */
	struct sw_cut_row row[SW_CUT_TRIES];
};

struct sw_cuts {
	const struct sw_query *q;	/* sw_best() drops cuts of its text */
	size_t cols;
	int64_t least;	/* rows are true for paths to cells from here on */
	bool known;	/* the pass is done */
	bool always;	/* parts of any size (tests) */
	unsigned n;
	struct sw_cut v[SW_CUT_PARTS - 1];
	int32_t *mem;
	struct sw_work *work[SW_CUT_PARTS];	/* of each part */
};
void sw_cuts_free(struct sw_cuts *x);
/* Before a pass by so many threads, whose lanes are s; none if it is of no use,
 * or if there is not enough memory. */
void sw_cuts_open(struct sw_cuts *x, const struct sw_pass *p,
		  const struct sw_skew *s, unsigned threads);
/* After a step: rows that lanes have left. */
void sw_cuts_take(const struct sw_skew *s);
/* The pass is done; p->threshold is what it was in the end. */
void sw_cuts_close(struct sw_cuts *x, const struct sw_pass *p);
/* They are of no use any more. */
void sw_cuts_drop(struct sw_cuts *x);

/*
 * A region by w->cuts: r and x are the whole's, without what sw_grid_find()
 * adds; r->put() gets its cells.  1: they are not known, or do not do; nothing
 * was put.  ERR_NOMEM.
 */
int sw_cut_region(struct sw_grid_region *r, const struct sw_grid_window *x,
		  const struct sw_peak *peak);

#endif
