/* SPDX-License-Identifier: MIT */
/*
 * reorder.h - what waits until its turn has come: frames, and rows in the order
 * of the input
 */
#ifndef SEQF_COLLECT_REORDER_H
#define SEQF_COLLECT_REORDER_H

#include <stdbool.h>

#include "rec/rec.h"

/*
 * Frames in the order of their input, whatever order they came in
 *
 * A frame whose turn it is goes on at once; others (parts one behind the
 * other, say) wait in a sorter, by run and serial, until the end of input.
 * A gap does not stop the frames behind it: the ledger reports what is missing.
 */

/* What a frame covers: serials [first, end) of a run; of the frames of one
 * scan's one receipt it is the number-th. */
struct turn_place {
	const struct run_key *run;
	uint64_t scan;		/* its id; 0 for chunks */
	uint64_t first, end;
	uint32_t number;
	bool last;
};

/* A frame's turn has come. */
typedef int turn_fn(void *ctx, const struct rec_frame *f, struct err *e);

struct turn;
int turn_new(struct turn **t, turn_fn *put, void *ctx, struct err *e);
void turn_free(struct turn *t);

/* What put() returned, or ERR_NOMEM, ERR_IO. */
int turn_frame(struct turn *t, const struct turn_place *at,
	       const struct rec_frame *f, struct err *e);
/* END of a run: behind its last chunk another run may begin. */
int turn_end(struct turn *t, const struct run_key *run, uint64_t chunks,
	     struct err *e);
/* No more frames: those that wait go on, run by run. */
int turn_finish(struct turn *t, struct err *e);

/*
 * Rows put in order that come out of it by a few letters
 *
 * For rows in the order of a scanner but that one may end, or, if they are
 * wanted by where they begin, begin up to `slack` letters before the end of one
 * that came earlier.  A row goes on as soon as none that is still to
 * come can precede it, so that few wait.
 */

typedef int hold_put_fn(void *ctx, uint64_t run, uint64_t scan,
			const struct hit *h, struct err *e);

struct hold;
/* by_begin: in the order of topk's SORT_BEGIN. */
int hold_new(struct hold **h, uint64_t slack, bool by_begin, hold_put_fn *put,
	     void *ctx, struct err *e);
void hold_free(struct hold *h);
/* One row; what put() returned, or ERR_NOMEM. */
int hold_hit(struct hold *h, uint64_t run, uint64_t scan,
	     const struct hit *row, struct err *e);
/* No more rows. */
int hold_finish(struct hold *h, struct err *e);

#endif
