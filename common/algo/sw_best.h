/* SPDX-License-Identifier: MIT */
/* sw_best.h - shared by sw_best.c and sw_runs.c, private to them */
#ifndef SEQF_SW_BEST_H
#define SEQF_SW_BEST_H

#include "algo/sw_keep.h"

struct sw_spot {
	int64_t top;
	uint64_t block;
};

/* Blocks [from, to) of a segment. */
struct sw_run {
	const struct sw_seg *seg;
	uint64_t from, to;
	int64_t top;
};

struct sw_best {
	struct sw_peak *peak;
	struct sw_spot *spot, *group;
	struct sw_run *run;
	bool *done;		/* blocks */
	size_t n_peak, cap_spot, cap_group, cap_run, cap_done;
	size_t n_spot, n_group, n_run;
	struct sw_raise raise;
	struct sw_keep keep;
	struct sw_guess guess;
	const int64_t *floor;	/* the caller's least; it may rise */
	int64_t least;		/* wanted: no cell below it */
	int64_t proved;		/* the K-th best has no less */
	struct err *e;
};

/* Blocks that are exact and not below b->least, none of them done. */
int sw_best_spots(struct sw_best *b, const struct sw_text *t, struct err *e);
/*
 * Runs of up to n spots from number *next on that are wanted and not done; or
 * of all that are left, if that costs little.  No run: none is left, nor will
 * be.
 */
int sw_best_runs(struct sw_best *b, const struct sw_query *q,
		 const struct sw_text *t, size_t *next, size_t n,
		 const struct sw_work *w, struct err *e);
/* Can a cell of blocks with that top come before the last hit?  It ends after
 * block from. */
bool sw_best_wants(const struct sw_best *b, int64_t top, uint64_t from);

#endif
