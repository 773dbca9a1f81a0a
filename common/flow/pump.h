/* SPDX-License-Identifier: MIT */
/*
 * pump.h - threads over a feed, results in order
 *
 * Frames are read in order by whichever thread is free, one for each thread
 * ahead, worked on in parallel, and emitted in order.  At most 2 * threads + 2
 * jobs are in flight, beside those that are postponed, and few that are done if
 * their results are large: a slow consumer or one slow chunk stops the reading.
 *
 * Where there are fewer jobs than threads, a job in parts keeps them busy: who
 * began it takes one part after the other, and whoever finds nothing to read
 * takes some, too.
 */
#ifndef SEQF_FLOW_PUMP_H
#define SEQF_FLOW_PUMP_H

#include <stdbool.h>

#include "base/base.h"
#include "flow/feed.h"

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
	/*
	 * work() may cut the job if `threads`, those that may take parts, are
	 * more than 1: n_parts = 2 to PUMP_MAX_PARTS, and `parts` for its
	 * own use.  few: there may be no other jobs for some of them;
	 * plenty: there are, for all.
	 */
	unsigned threads, n_parts;
	bool few, plenty;
	void *parts;
	/*
	 * Or postpone it, with its weight, if there are batches.  It is worked
	 * on again, batched, when its batch is done, and may be cut then.
	 */
	bool postponed, batched;
	uint64_t weight;
};
enum { PUMP_MAX_PARTS = 64, PUMP_MAX_BATCH = 128 };

/*
 * Jobs that are postponed until many are done at once, e.g. by a GPU.  call()
 * gets those that wait, in order, PUMP_MAX_BATCH at most and no more than
 * `weight` together unless it is one.  Nobody waits for more to come: there is
 * a smaller batch as soon as a thread has nothing else to do, unless `calls`
 * are running.  While those that are postponed weigh `weight` for each call and
 * once more, nothing is read.
 */
typedef void pump_batch_fn(void *ctx, unsigned thread, struct pump_job **job,
			   unsigned n);
struct pump_batch {
	pump_batch_fn *call;	/* NULL: none */
	unsigned calls;		/* at a time, by any threads: 1 or more */
	uint64_t weight;	/* 1 or more */
};

struct pump_ops {
	uint64_t context;	/* letters wanted before an owned interval */
	/* Of items with a frame.  Any thread, in any order; thread is below
	 * `threads`.  May be NULL. */
	int (*work)(void *ctx, unsigned thread, struct pump_job *job,
		    struct err *e);
	/*
	 * Of a job that work() has cut: its parts, each once, by any threads
	 * at the same time.  next: the parts before it are joined, so that
	 * nobody else writes to the job's results before it returns.
	 */
	int (*part)(void *ctx, unsigned thread, struct pump_job *job,
		    unsigned part, bool next, struct err *e);
	/* Each part after it is done, in order, one at a time, by any thread,
	 * beside other parts' work.  May be NULL. */
	int (*join)(void *ctx, struct pump_job *job, unsigned part,
		    struct err *e);
	struct pump_batch batch;
	/* One at a time, in order; END's frame is made by now. */
	int (*emit)(void *ctx, struct pump_job *job, struct err *e);
};

/* Jobs that are in flight at most: between work() and emit(). */
unsigned pump_jobs(unsigned threads, const struct pump_batch *b);

/*
 * Until the feed ends or anything fails; the failure of the first item in order
 * (of its first part) is the one reported, and no item after it is emitted.  At
 * most `threads` jobs are between work() and their last part, beside those that
 * failed or are postponed.
 */
int pump_run(struct feed *f, const struct pump_ops *ops, void *ctx,
	     unsigned threads, struct err *e);

/*
 * What jobs in parts borrow from work() to their last join()
 *
 * As many things as threads are enough for all but jobs that failed, as those
 * keep what they had: then there may be none.
 */

struct pump_pool {	/* of things 0 to n - 1 */
	unsigned n;
	bool *lent;
};

int pump_pool_new(struct pump_pool *p, unsigned n, struct err *e);
void pump_pool_free(struct pump_pool *p);	/* zeroed will do */

/* Any thread.  The number of one that nobody has; n: there is none. */
unsigned pump_pool_borrow(struct pump_pool *p);
void pump_pool_give_back(struct pump_pool *p, unsigned i);

#endif
