/* SPDX-License-Identifier: MIT */
/*
 * topk.h - the best hits of each group by a total order, in bounded memory
 *
 * Rows are kept in memory up to a budget; then they are sorted, cut to what
 * can still be among the best of their group, and if that is not enough
 * spilled to $TMPDIR.  The outcome does not depend on the order of arrival,
 * nor on the budget: merging is associative, commutative and idempotent.
 */
#ifndef SEQF_COLLECT_TOPK_H
#define SEQF_COLLECT_TOPK_H

#include "base/base.h"
#include "rec/rec.h"

enum topk_per { PER_QUERY, PER_SUBJECT, PER_PAIR, PER_ALL };
enum topk_sort {
	SORT_SCORE, SORT_POSITION, SORT_BEGIN,
	SORT_OFFTARGET,		/* its score, then as SORT_SCORE */
	SORT_SUBJECT,		/* all queries together: run, subject, send */
	SORT_SCAN,		/* as a scanner writes them: run, subject,
				   send, query, strand, sbeg */
};

struct topk_params {
	uint64_t n;		/* best n of each group; 0: all */
	enum topk_per per;
	bool keep_ties;		/* rows whose score equals the n-th one's */
	enum topk_sort sort;
	struct decimal no_overlap;	/* if it is one: of rows of one query
				   that overlap on a subject by more than this
				   share of the shorter, only the best; before
				   n; ERR_USAGE for hits without sbeg */
	bool drop_shadows;	/* of rows of one query, subject and strand
				   (overlap.h); before no_overlap; ERR_USAGE
				   also for local alignments */
	size_t memory;		/* bytes; 0: 64 MiB */
	bool partial;		/* more will be merged: n cuts only where that
				   cannot change the final outcome */
	bool by_run;		/* rows in order of run and scan first */
	bool split;		/* those over the origin of a circle become
				   two, HIT_PIECE: to its end, and from its
				   begin on */
};

/* Does it take all rows to know which ones stay? */
static inline bool
topk_needs_all(const struct topk_params *p)
{
	return p->no_overlap.unit || p->drop_shadows;
}
/* Are rows left out? */
static inline bool
topk_chooses(const struct topk_params *p)
{
	return p->n || topk_needs_all(p);
}

/* The words of --per, --ties and --sort. */
void topk_words(struct topk_params *p, const char *per, const char *ties,
		const char *sort);

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
 * when all rows were added and all limits set.
 */
int topk_full(struct topk *t, const struct scan_key *scan, struct err *e);
/* No more rows: sort. */
int topk_finish(struct topk *t, struct err *e);
/* 1 the next row, 0 no more, or an error.  Pointers live until the next
 * call. */
int topk_next(struct topk *t, const struct run_key **run,
	      const struct scan_key **scan, struct hit *h, struct err *e);

/* A hit as a row that sorts, and the orders of rows (private). */

/* Behind it: CIGAR, query's name, subject's name, letters, zeros. */
struct row {
	uint32_t size;		/* of all, a multiple of 8 */
	uint32_t run, scan;	/* indices of keys */
	uint32_t flags;
	uint64_t query, subject;	/* ordinals */
	uint64_t qlen, slen, qbeg, qend, sbeg, send, edits;
	uint64_t offtarget;	/* and 1, or 0 */
	int64_t score;
	uint32_t n_cigar, n_qname, n_sname, n_letters;
};

/* A run or scan, the strings copied. */
struct key {
	struct run_key run;
	struct scan_key scan;
	struct buf text;
	uint32_t rank;		/* place in the order of its kind */
	uint64_t limit;		/* of topk_limit(), or 0 */
	bool full;		/* a query has so many rows, or had more */
};
struct keys {
	struct key *v;
	size_t n, cap, last;	/* last: found most recently */
	struct index by_id;	/* numbers + 1; of scans by id and rule */
	bool ranked;
	bool renamed;		/* a key got a lesser name: ranks may differ */
	bool fixed;		/* by the caller: no key gets another name */
};
/*
 * Index of the key, added if it is new; ERR_NOMEM.  Keys are identified by
 * the id; of several names (a file, a pipe, a copy) the least is kept, unless
 * names are fixed.
 */
long keys_run(struct keys *k, const struct run_key *run, struct err *e);
long keys_scan(struct keys *k, const struct scan_key *scan, struct err *e);
int keys_rank(struct keys *k, bool scans, struct err *e);
void keys_free(struct keys *k);

/*
 * An order is a string: q query (scan order, then ordinal), s score, best
 * first, o off-target score, highest first, none last, u subject (run order,
 * then ordinal), r run, c scan, k strand and where the hit begins on subject
 * and query, w send and then where it ends on the query, both along the strand
 * that was searched, e send, b sbeg and then send.  Then come, in every order,
 * the subject, send, qend, sbeg, strand, qbeg, CIGAR, and what else
 * distinguishes rows; so equal rows are neighbours in all of them.
 */
struct row_order {
	const char *by;
	const struct keys *runs, *scans;
};
int row_cmp(const struct row_order *o, const struct row *a,
	    const struct row *b);

#endif
