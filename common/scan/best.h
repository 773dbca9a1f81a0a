/* SPDX-License-Identifier: MIT */
/*
 * best.h - the rows with the best scores of each query, over a whole stream
 *
 * Either the best n, chosen as merge-topk does, or all with the best score.
 * Beside the rows stands a lower bound of the scores that count, which threads
 * raise as soon as they know better, so that little else is traced or kept.
 */
#ifndef SEQF_SCAN_BEST_H
#define SEQF_SCAN_BEST_H

#include "base/base.h"
#include "rec/rec.h"
#include "scan/whole.h"

struct scan_best_params {
	const struct scan_key *key;
	size_t n_queries;
	uint64_t n;		/* of each query; 0: all with the best score */
	int64_t unit;		/* scores are counted in units of it */
	int64_t floor;		/* least score that counts, in units */
};

struct scan_best;
int scan_best_new(struct scan_best **b, const struct scan_best_params *p,
		  struct err *e);
void scan_best_free(struct scan_best *b);	/* may be NULL */

/*
 * No row of the query with a lower score, in units, can be among the best.  It
 * rises, by atomic stores: any thread may load it, at any time.
 */
const int64_t *scan_best_bound(const struct scan_best *b, uint32_t query);
/* To a score that as many rows as are wanted will have; by any thread. */
void scan_best_raise(const struct scan_best *b, uint32_t query, int64_t score);

/*
 * A chunk's rows.  fresh: no chunk before it can have reported the row's class
 * (topk.h), so it counts as one of n that are as good.
 */
void scan_best_put(struct buf *rows, bool fresh, const struct hit *h,
		   struct buf *scratch);
struct scan_best_row {
	struct hit h;
	bool fresh;
	struct str bytes;	/* of h: hit_put()'s */
};
/* The next of such rows; ops: memory of its CIGAR.  ERR_NOMEM. */
int scan_best_get(struct cur *rows, struct scan_best_row *r, struct buf *ops,
		  struct err *e);

/*
 * Of every chunk, in order, by one thread at a time; a chunk that comes again
 * is ignored.  In the end the HITS frames with all ranges covered, run by run
 * in the order in which they came.  Rows that do not fit into memory are in
 * $TMPDIR meanwhile.
 */
int scan_best_add(struct scan_best *b, const struct rec_frame *f,
		  const struct buf *rows, struct err *e);
int scan_best_finish(struct scan_best *b, whole_put_fn *put, void *ctx,
		     struct err *e);

#endif
