/* SPDX-License-Identifier: MIT */
/*
 * topk.h - the best hits of each group by a total order, in bounded memory
 *
 * Rows are kept in memory up to a budget; then they are sorted, cut to what
 * can still be among the best of their group, and if that is not enough
 * spilled to $TMPDIR.  The outcome does not depend on the order of arrival,
 * nor on the budget: merging is associative, commutative and idempotent.
 */
#ifndef SEQF_TOPK_H
#define SEQF_TOPK_H

#include "base/decimal.h"
#include "stream/result.h"
#include "stream/run.h"

enum topk_per { PER_QUERY, PER_SUBJECT, PER_PAIR, PER_ALL };
enum topk_sort { SORT_SCORE, SORT_POSITION };

struct topk_params {
	uint64_t n;		/* best n of each group; 0: all */
	enum topk_per per;
	bool keep_ties;		/* rows whose score equals the n-th one's */
	enum topk_sort sort;
	struct decimal no_overlap;	/* if it is one: of rows of one query
				   that overlap on a subject by more than this
				   share of the shorter, only the best; before
				   n; ERR_USAGE for hits without sbeg */
	size_t memory;		/* bytes; 0: 64 MiB */
	bool partial;		/* more will be merged: n cuts only where that
				   cannot change the final outcome */
	bool by_run;		/* rows in order of run and scan first */
};

struct topk;
int topk_new(struct topk **t, const struct topk_params *p, struct err *e);
void topk_free(struct topk *t);
/*
 * Copies what it keeps.  SCAN_LEAST scans keep their best score a query.  Of
 * SCAN_CLASS rows of one query, run, subject, strand and start (sbeg and, along
 * the strand, the query's: qbeg on +, qend on -) the best stays: higher score,
 * then less send, then the less end on the query along the strand.
 */
int topk_add(struct topk *t, const struct run_key *run,
	     const struct scan_key *scan, const struct hit *h, struct err *e);
/*
 * Of what was added of the scan, if its rule is SCAN_CLASS or SCAN_BEST, no
 * more than the n best of each query count: its scanner chose so many.  Call
 * it when all rows were added; of several n the largest counts.
 *	Rows that a limit drops free places of other groups: so partial merges
 * may cut only with PER_QUERY, or PER_ALL, ties cut and p.n <= n.
 */
void topk_limit(struct topk *t, const struct scan_key *scan, uint64_t n);
/*
 * Has a query of the scan as many rows as topk_limit() says, so that its
 * scanner, or the limit, may have left out others?  1, 0, or an error.  Call it
 * when all rows were added and all limits told.
 */
int topk_full(struct topk *t, const struct scan_key *scan, struct err *e);
/* No more rows: sort. */
int topk_finish(struct topk *t, struct err *e);
/* 1 the next row, 0 no more, or an error.  Pointers live until the next
 * call. */
int topk_next(struct topk *t, const struct run_key **run,
	      const struct scan_key **scan, struct hit *h, struct err *e);

#endif
