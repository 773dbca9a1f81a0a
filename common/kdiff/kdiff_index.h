/* SPDX-License-Identifier: MIT */
/*
 * kdiff_index.h - an index from q-grams of the text to patterns that may match
 *
 * A match with at most k differences holds some piece of its pattern with few:
 * of s pieces, s1 with at most one and the others with none, where
 * s + s1 = k + 1, one holds (more than that in each were k + 1 in all).  The
 * index knows every q letters that such a piece of any pattern can begin with
 * in a text.  A text letter then costs one look-up, however many patterns
 * there are; a hit is only a candidate, which is verified.
 *
 * Letters of the text other than A C G T may be read as any letter: they never
 * match, so reading one as a letter of the pattern only adds a candidate.
 */
#ifndef SEQF_KDIFF_KDIFF_INDEX_H
#define SEQF_KDIFF_KDIFF_INDEX_H

#include "kdiff/kdiff_kern.h"
#include "kdiff/kdiff_priv.h"

enum {
	KDIFF_MIN_Q = 4,
	KDIFF_MAX_Q = 10,
	KDIFF_INDEX_M = 64,	/* m + 2k of a pattern in an index, at most */
};

struct kdiff_index {
	struct kdiff_grams grams;
	uint64_t (*eq)[4];	/* of each pattern: where it has A C G T, its
				   last letter in the top bit */
	uint32_t *rest;		/* patterns that are not in it, in order */
	size_t n_rest;
	/* Places of each pattern, a letter of text, that cost as much as the
	   other engine; 0 of those in rest. */
	double *most_places;
};

/* An entry: a pattern, and its letters from the piece's beginning on. */
static inline uint32_t
kdiff_entry_pattern(uint32_t e)
{
	return e / KDIFF_INDEX_M;
}

static inline uint32_t
kdiff_entry_rest(uint32_t e)
{
	return e % KDIFF_INDEX_M + 1;
}

/*
 * Cycles a letter of random text of the best index, other patterns searched
 * by bit vectors; of none, if that is faster.
 */
double kdiff_index_cycles(const struct kdiff_set *set);

/*
 * *x = the index of a set's patterns, NULL if it would win nothing over
 * scanning with each; `every`: of all that can be in one, even so.  0 or
 * ERR_NOMEM.
 */
int kdiff_index_new(struct kdiff_index **x, const struct kdiff_set *set,
		    bool every, struct err *e);
void kdiff_index_free(struct kdiff_index *x);

/* The engine that looks for all patterns of an index at once. */

/*
 * Append all ends with D <= k of the patterns in an index, those that are not
 * to be reported too, in the order (end, pattern).  The patterns left to the
 * other engine are w->rest[0 .. w->n_rest).  The text has planes.  0 or
 * ERR_NOMEM.
 */
int kdiff_index_scan(const struct kdiff_set *set, const struct kdiff_index *x,
		     const struct kdiff_text *text, struct kdiff_work *w,
		     struct kdiff_hits *out, struct err *e);

#endif
