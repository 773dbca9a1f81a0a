/* SPDX-License-Identifier: MIT */
/*
 * pump.h - a team of threads over a feed, results in order
 *
 * Frames are read in order by whichever thread is free, worked on in parallel,
 * and emitted in order.  At most 2 * threads + 2 jobs are in flight, and few
 * that are done if their results are large: a slow consumer or one slow chunk
 * stops the reading.
 */
#ifndef SEQF_PUMP_H
#define SEQF_PUMP_H

#include "base/buf.h"
#include "stream/feed.h"

struct pump_job {
	struct feed_item item;	/* encoded already: item.frame is set, but for
				   skipped RAW, FEED_END and FEED_DAMAGE */
	uint64_t number;	/* of the item in the feed */
	/*
	 * For a CHUNK of a record stream whose row 0 is the continuation of
	 * the chunk before: the frames before it, the nearest first, as many
	 * as reach back pump_ops.context letters, if the stream held them.
	 */
	struct rec_frame **before;
	size_t n_before;
	struct buf out;		/* work() fills it; emit() uses it */
	void *result;		/* the same, free()d by the pump */
};

struct pump_ops {
	uint64_t context;	/* letters wanted before an owned interval */
	/* Of items with a frame.  Any thread, in any order; thread is below
	 * `threads`.  May be NULL. */
	int (*work)(void *ctx, unsigned thread, struct pump_job *job,
		    struct err *e);
	/* One at a time, in order; END's frame is made by now. */
	int (*emit)(void *ctx, struct pump_job *job, struct err *e);
};

/*
 * Until the feed ends or anything fails; the failure of the first item in
 * order is the one told, and no item after it is emitted.
 */
int pump_run(struct feed *f, const struct pump_ops *ops, void *ctx,
	     unsigned threads, struct err *e);

#endif
