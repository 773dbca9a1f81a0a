/* SPDX-License-Identifier: MIT */
/*
 * run.h - what runs and scans are called, ordered by, and receipts
 *
 * Every CHUNK and result frame carries the keys of its run (and scan), so that
 * the order of results never depends on other frames, nor on arrival.
 */
#ifndef SEQF_REC_RUN_H
#define SEQF_REC_RUN_H

#include <stdbool.h>

#include "base/base.h"

/* One input cut with given parameters.  Strings point into the payload. */
struct run_key {
	uint64_t id;		/* in the frame's header */
	struct str base;	/* least base_name() of the inputs */
	struct str label;	/* --label */
	struct str first;	/* name of the first record */
	uint64_t hash;		/* hash64 of the first 64 KiB of letters */
};
/* The order: base, label, first, hash, id, bytewise.  Same run: same id. */
int run_key_cmp(const struct run_key *a, const struct run_key *b);
void run_key_put(struct buf *b, const struct run_key *k);	/* not the id */
void run_key_get(struct cur *c, uint64_t id, struct run_key *k);

/* How results of one scan merge. */
enum scan_rule {
	SCAN_UNION,	/* hits, distances: all of them, equal rows are one */
	SCAN_LEAST,	/* --report=best: per query only rows with the best
			   score */
	SCAN_SUM,	/* tallies add up */
	SCAN_MAX,	/* primers: elementwise maximum */
	SCAN_CLASS,	/* local alignments: of rows of a query that begin at
			   one place on one strand of a subject the best */
	SCAN_BEST,	/* as SCAN_UNION; like SCAN_CLASS, if BEGIN says how
			   many of each query were chosen, so many count */
	SCAN_RULES,
};

/* What a scanner computes. */
struct scan_key {
	uint64_t id;
	struct str base;	/* base_name() of the first query file; or -e */
	enum scan_rule rule;
};
int scan_key_cmp(const struct scan_key *a, const struct scan_key *b);

/* Serials [first, end), the letters they own and the sum of their digests. */
struct range {
	uint64_t first, end, letters, digest;
};
/*
 * Added to the digest of a range of which two things were said: no later stage
 * of merging finds the sum right then, by chance or by choice.
 */
#define RANGE_SPOIL 0x9e3779b97f4a7c15u

/* The same for the same ranges; 0 of none. */
uint64_t ranges_hash(const struct range *r, size_t n);

/*
 * What a result frame covers.  Results of the same ranges that outgrow a frame
 * use several, numbered 0, 1, ...; the last one is marked.
 */
enum { RECEIPT_NEEDS = 4 };
struct receipt {
	struct scan_key scan;
	uint32_t number;
	bool last;
	struct range *range;	/* ascending, disjoint; caller frees */
	size_t n_ranges;
	/* hash64 of BEGIN texts without which the rows would be misread:
	   those that say what a merge left out */
	uint64_t need[RECEIPT_NEEDS];
	size_t n_needs;
	bool unmerged;		/* as the scanner wrote it: a flag of the
				   frame (REC_UNMERGED), not of the payload */
};
void receipt_put(struct buf *b, const struct receipt *r);
/* Sets c->bad if anything is wrong; r->range is then NULL, and r->n_ranges 0
 * unless there was no memory. */
void receipt_get(struct cur *c, struct receipt *r);

/*
 * Digest of a chunk: the sum over its rows of what hash.h says of the owned
 * letters as in the input, so it does not depend on how letters are encoded,
 * and chunks can be added in any order.  END has the sum of all, which does not
 * depend on where the letters were cut.
 *	Until 0.2 it was, modulo 2^64, and END's, too,
 *	hash64(owned letters, seed = hash of name, seed = hash of ordinal,
 *	own_beg), in version 0.1 without the name.
 */
enum digest_kind { DIGEST_LETTERS, DIGEST_NAMES, DIGEST_ADDS };
enum digest_kind digest_kind(unsigned flags);	/* of a frame */
/* at: own_beg, in bytes. */
struct digest_row {
	enum digest_kind kind;
	uint64_t ordinal, own_beg, at;
	struct str name;
};
uint64_t digest_row(const struct digest_row *r, struct digest_order *o,
		    const void *letters, size_t n);
/* Of the kind: a sum of digests, one more. */
static inline uint64_t
digest_more(enum digest_kind kind, uint64_t a, uint64_t b)
{
	return kind == DIGEST_ADDS ? digest_add(a, b) : a + b;
}

#endif
