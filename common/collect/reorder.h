/* SPDX-License-Identifier: MIT */
/*
 * reorder.h - frames in the order of their input, whatever order they came in
 *
 * A frame whose turn it is goes on at once; others (parts one behind the
 * other, say) wait in a sorter, by run and serial, until the end of input.
 * A gap does not stop the frames behind it: the ledger reports what is missing.
 */
#ifndef SEQF_COLLECT_REORDER_H
#define SEQF_COLLECT_REORDER_H

#include <stdbool.h>

#include "rec/rec.h"

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

#endif
