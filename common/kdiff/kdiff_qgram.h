/* SPDX-License-Identifier: MIT */
/*
 * kdiff_qgram.h - lossless filter for patterns of few differences
 * Source: Navarro and Baeza-Yates, J. Discrete Algorithms 1, 2000
 * (hierarchical verification); samples as in many q-gram filters.
 *
 * Cut k + 1 disjoint pieces of L letters out of a pattern.  k differences
 * spoil k pieces at most, so every match holds some piece unchanged, side by
 * side with its letters of the text (a difference between two letters of a
 * piece spoils it).  Look at the text's q-grams that begin with every step-th
 * letter, step + q - 1 <= L: of the piece's first `step` q-grams one is looked
 * at, since their beginnings are consecutive letters.  So these
 * (k + 1) * step q-grams of a pattern, found among samples of the text, lead
 * to all of its matches.
 *
 * The candidates of a sample are verified step by step: the whole piece, equal
 * letter by letter; then, with 2, 4, 8 ... neighbouring pieces (c of them, and
 * what is between) at most c - 1 differences around the equal piece.  If a
 * match has fewer than c differences within c pieces, it has fewer than c1 in
 * the first c1 of them or fewer than c2 in the c2 others, c1 + c2 = c; so from
 * all pieces (k + 1 of them, fewer than k + 1 differences) there is a path
 * down to one piece without any, on which every check is passed.
 *
 * The remaining candidates are ranges of ends: each end with D <= k is in one.
 * The values there come from the diagonals that lead to them (kdiff_strip.h),
 * which are exact where they are <= k; ranges that meet become one, so that all
 * values beside it are > k, as the minima's rule wants to know.  With Hamming
 * distances, exact letters, or too many diagonals ranges are scanned plainly
 * instead, with the context that kdiff_context() gives and the letter after,
 * and so exactly, too.
 */
#ifndef SEQF_KDIFF_KDIFF_QGRAM_H
#define SEQF_KDIFF_KDIFF_QGRAM_H

#include "kdiff/kdiff_priv.h"

enum {
	QGRAM_MAX_Q = 11,	/* the bitmap stays in the L2 cache */
	QGRAM_MAX_STEP = 32,
	QGRAM_LEVEL = 15,	/* differences of a check, at most */
};

/* A q-gram of a piece, `skip` letters after its beginning. */
struct qgram_seed {
	uint64_t lo, hi;	/* the piece's letters, of which n count */
	uint32_t pattern, piece;
	uint32_t n, skip;
};

/* A pattern's letters as planes, a word of nothing before and after. */
struct qgram_pat {
	uint64_t *lo, *hi, *any;	/* any: takes any letter */
	uint32_t *piece;		/* where its k + 1 pieces begin */
};

struct kdiff_qgram {
	struct kdiff_set set;	/* those with a filter; nothing else is own */
	uint32_t *number;	/* theirs in the whole set */
	uint32_t *rest;		/* the others: scanned plainly */
	size_t n_rest;
	double cycles;		/* of a plain scan of those in set, a letter */
	struct qgram_pat *pat;
	uint64_t *store;		/* their planes */
	uint32_t *pieces;
	struct kdiff_sieve sieve;
	struct kdiff_grams grams;	/* entries: numbers of seeds */
	struct qgram_seed *seed;
	size_t n_seed;
	/* The patterns' first rows, in place of all samples; or none. */
	struct kdiff_set first;
};

/* The cheapest way. */
struct qgram_plan {
	unsigned least;		/* patterns with shorter pieces are left out */
	unsigned q, step;	/* q = 0: no filter */
	bool prefix;		/* but first rows (kdiff_prefix.h) */
	double cycles;		/* a letter, of the filter and of the rest */
	double plain;		/* a letter, without */
	double build;		/* all in all */
};
void kdiff_qgram_plan(const struct kdiff_set *set, struct qgram_plan *p);

int kdiff_qgram_new(struct kdiff_qgram **f, const struct kdiff_set *set,
		    const struct qgram_plan *p, struct err *e);

/*
 * The filter for a job, NULL if there is none that should be taken.  Several
 * threads may build one at the same time; one of these stays.  ERR_NOMEM.
 */
int kdiff_qgram_find(const struct kdiff_job *j, const struct kdiff_qgram **f);
/* Do the job, which is for all patterns of the set. */
int kdiff_qgram_each(const struct kdiff_qgram *f, const struct kdiff_job *j);

/* A text's planes. */
struct qgram_text {
	const uint64_t *planes, *exc;
	int64_t n_words;
};

/* Is the seed's piece at letter `at` of the text? */
static inline bool
kdiff_qgram_equal(const struct qgram_text *t, const struct qgram_seed *s,
		  int64_t at)
{
	uint64_t d = (kdiff_text_bits(t->planes, t->n_words, 2, at) ^ s->lo) |
		     (kdiff_text_bits(t->planes + 1, t->n_words, 2, at) ^
		      s->hi);

	if (t->exc)
		d |= kdiff_text_bits(t->exc, t->n_words, 1, at);
	return !(d << (64 - s->n));
}

/*
 * Do the neighbours of a piece that is equal at letter `at` of the text match,
 * too, until so many letters are looked at?  *spent grows by the steps it took.
 */
bool kdiff_qgram_check(const struct kdiff_qgram *f,
		       const struct qgram_text *t,
		       const struct qgram_seed *seed, int64_t at,
		       uint32_t enough, uint64_t *spent);

#endif
