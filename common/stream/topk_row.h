/* SPDX-License-Identifier: MIT */
/* topk_row.h - a hit as a row that sorts, and the orders of rows (private) */
#ifndef SEQF_TOPK_ROW_H
#define SEQF_TOPK_ROW_H

#include "base/index.h"
#include "stream/result.h"
#include "stream/run.h"

/* Behind it: CIGAR, query's name, subject's name, letters, zeros. */
struct row {
	uint32_t size;		/* of all, a multiple of 8 */
	uint32_t run, scan;	/* indices of keys */
	uint32_t flags;
	uint64_t query, subject;	/* ordinals */
	uint64_t qlen, slen, qbeg, qend, sbeg, send, edits;
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
 * Index of the key, added if it is new; ERR_NOMEM.  The id is what tells keys
 * apart; of several names (a file, a pipe, a copy) the least is kept, unless
 * names are fixed.
 */
long keys_run(struct keys *k, const struct run_key *run, struct err *e);
long keys_scan(struct keys *k, const struct scan_key *scan, struct err *e);
int keys_rank(struct keys *k, bool scans, struct err *e);
/* Scans whose rows a scanner chose: their limit, if it is higher than the one
 * they have; is there any such?  And has it been reached? */
bool keys_limit(struct keys *k, const struct scan_key *scan, uint64_t n);
bool keys_full(const struct keys *k, const struct scan_key *scan);
void keys_free(struct keys *k);

/*
 * An order is a string: q query (scan order, then ordinal), s score, best
 * first, u subject (run order, then ordinal), r run, c scan, k strand and where
 * the hit begins on subject and query, w send and then where it ends on the
 * query, both along the strand that was searched.  Then come, in
 * every order, the subject, send, qend, sbeg, strand, qbeg, CIGAR, and what
 * else tells rows apart; so equal rows are neighbours in all of them.
 */
struct row_order {
	const char *by;
	const struct keys *runs, *scans;
};
int row_cmp(const struct row_order *o, const struct row *a,
	    const struct row *b);
/* The same hit: the same columns of text. */
bool row_same(const struct row_order *o, const struct row *a,
	      const struct row *b);
bool row_same_group(const struct row_order *o, const char *group,
		    const struct row *a, const struct row *b);

/* b becomes the row; ERR_NOMEM, ERR_LIMIT (4 GiB a row). */
int row_put(struct buf *b, uint32_t run, uint32_t scan, const struct hit *h,
	    struct err *e);
void row_hit(const struct row *r, struct hit *h);

#endif
