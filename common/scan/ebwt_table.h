/* SPDX-License-Identifier: MIT */
/* ebwt_table.h - the distances of a run, whichever way they come (private) */
#ifndef SEQF_EBWT_TABLE_H
#define SEQF_EBWT_TABLE_H

#include "scan/ebwt_scan_priv.h"
#include "scan/ebwt_sums.h"

/* Queries, if any, stand before the run's sequences. */
struct ebwt_table {
	const struct ebwt_scan *s;
	const struct ebwt_run *r;
	size_t n_a, n;		/* queries; all */
	bool weighted;
	uint64_t n_pairs;
	struct ebwt_pairs *pairs;	/* of words, or */
	double *value;		/* of each pair of plain ones, or */
	struct ebwt_words *words;	/* of each, */
	struct ebwt_stat *stat;	/* for each pair */
};

static inline const struct ebwt_seq *
ebwt_seq_of(const struct ebwt_table *t, size_t i)
{
	return i < t->n_a ? &t->s->query[i] : &t->r->seq[i - t->n_a];
}

/* Pairs row by row: the first of row i; a < b, or a query and a sequence. */
static inline uint64_t
ebwt_row_begins(const struct ebwt_table *t, uint64_t i)
{
	return t->n_a ? i * (t->n - t->n_a) :
			i * t->n - i * (i + 1) / 2;
}

static inline size_t
ebwt_row_first(const struct ebwt_table *t, size_t i)
{
	return t->n_a ? t->n_a : i + 1;
}

/*
 * Fills in words and stat; n_bytes: taken already.  ERR_LIMIT if --memory does
 * not suffice, ERR_FORMAT if a number is wanted where there is none.
 */
int ebwt_by_words(struct ebwt_table *t, uint64_t n_bytes, struct err *e);
/*
 * Each plain sequence found in each query's transform, letter by letter
 * (ebwt_gap.h): is that less work than to sort them, and is there memory?
 */
bool ebwt_walks(const struct ebwt_table *t, uint64_t n_bytes);
/* Fills in value.  ERR_LIMIT, ERR_NOMEM. */
int ebwt_by_walks(struct ebwt_table *t, uint64_t n_bytes, struct err *e);

#endif
