/* SPDX-License-Identifier: MIT */
/*
 * whole.h - results of a whole stream: what was covered, and the rows that
 * come in one go at its end
 *
 * Not thread-safe.
 */
#ifndef SEQF_SCAN_WHOLE_H
#define SEQF_SCAN_WHOLE_H

#include "base/base.h"
#include "rec/rec.h"

struct whole_run {
	struct run_key key;
	struct buf names;	/* the key's own copy */
	struct range *range;
	size_t n, cap;
	uint64_t *seen;		/* what came, as hashes; slots, 0: empty */
	size_t n_slots, n_seen;
};
struct whole {		/* zero it first */
	struct whole_run *run;	/* in the order in which they came */
	size_t n_runs, cap_runs;
	struct index by_id;	/* numbers + 1 of them */
};
void whole_free(struct whole *w);

/*
 * A CHUNK frame was searched: *run becomes the index of its run; *again: its
 * serial was covered before, and its rows must not count.  If it had other
 * letters then, what is covered is spoilt (frame.h): the last stage refuses it.
 */
int whole_cover(struct whole *w, const struct rec_frame *f, uint32_t *run,
		bool *again, struct err *e);
/* A run without any chunk: *run becomes its index. */
int whole_meet(struct whole *w, const struct run_key *k, uint32_t *run,
	       struct err *e);
/* The run's index, or -1. */
long whole_find(const struct whole *w, uint64_t run);

/* A row to be sorted (sorter.h); hit_put()'s bytes and zeros behind it. */
struct whole_row {
	uint32_t size;		/* of all, a multiple of 8 */
	uint32_t n;		/* bytes behind it */
	uint64_t ordinal, send, sbeg, qbeg, qend;
	int64_t score;
	uint64_t minus;
	uint32_t run, query;
};
/* b becomes the row; ERR_NOMEM, ERR_LIMIT (4 GiB). */
int whole_row(struct buf *b, uint32_t run, const struct hit *h, int64_t score,
	      struct str bytes, struct err *e);
/* Rows of a scanner in order, run by run; for sorter_ops. */
int whole_cmp(const void *x, const void *y, void *ctx);

/*
 * HITS frames of all runs, with all that they cover.  next() hands out the
 * rows, by run: 1 the next one of this run, 0 none (of this run), or an error.
 */
typedef int whole_next_fn(void *ctx, uint32_t run, struct hit *h,
			  struct err *e);
typedef int whole_put_fn(void *ctx, const struct buf *frames, struct err *e);
struct whole_ops {
	whole_next_fn *next;
	void *next_ctx;
	whole_put_fn *put;
	void *put_ctx;
};
int whole_finish(const struct whole *w, const struct scan_key *scan,
		 const struct whole_ops *ops, struct err *e);

/*
 * The rows with the best scores of each query, over a whole stream
 *
 * Either the best n, chosen as merge-topk does, or all with the best score.
 * Beside the rows stands a lower bound of the scores that count, which threads
 * raise as soon as they know better, so that little else is traced or kept.
 */

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
