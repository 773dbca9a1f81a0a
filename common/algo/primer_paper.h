/* SPDX-License-Identifier: MIT */
/*
 * primer_paper.h - the source's two algorithms for k-difference primers
 * Source: Feuser and Moreano, the k-difference primer problem; the second after
 * Landau and Vishkin.
 *
 * Slow on purpose: to be compared with, and to check other engines by.  They
 * raise the same ends as primer_search() does.
 *
 * - Conventional: for each start the matrix D of the letters from it on and of
 *   the background, row by row; the end is the last row that has a value below
 *   k.  Up to rows x n comparisons of symbols a start.
 * - Alternative: for each start L(d, c), the furthest row that diagonal d gets
 *   to with c differences, for c = 0 to k - 1; the end is the furthest of all.
 *   About k x (n + k) values a start.
 *
 * What we take the source's three optimisations for, each of which saves work
 * and changes no end:
 * 1  a start is done as soon as its end is known: at the first row with no
 *    value below k (conventional); when a diagonal gets to the last letter that
 *    may be in a primer (alternative);
 * 2  a start begins with what is known of its end, at least the end of the one
 *    before it, as ends do not decrease: least values of rows up to it are not
 *    looked for (conventional); diagonals that come to the background's end
 *    before they could pass it are left out (alternative);
 * 3  the search stops where an end reaches the end of its segment: later starts
 *    of the segment have the same.
 */
#ifndef SEQF_PRIMER_PAPER_H
#define SEQF_PRIMER_PAPER_H

#include "algo/primer.h"

enum primer_paper_method { PRIMER_CONVENTIONAL, PRIMER_ALTERNATIVE };
enum {
	PRIMER_PAPER_STOP = 1,		/* optimisation 1 */
	PRIMER_PAPER_BEGIN = 2,		/* 2 */
	PRIMER_PAPER_LAST = 4,		/* 3 */
	PRIMER_PAPER_ALL = 7,
};

struct primer_paper {
	enum primer_paper_method method;
	unsigned optimisations;
	/* Threads, 0 like 1: coarse share the starts, of which each has as many
	 * fine ones for the columns, or diagonals, of its start. */
	unsigned coarse, fine;
};

struct primer_paper_stats {
	uint64_t starts;	/* that were searched */
	uint64_t values;	/* of D or L */
	uint64_t comparisons;	/* of symbols */
};

/*
 * Raise the ends of all places by what occurs in n symbols, which are one whole
 * text: see primer_symbols().  Adds to the counts.  Memory: 16 bytes a symbol
 * and coarse thread.  ERR_USAGE if there are more than 2^16 threads of a kind,
 * ERR_NOMEM; then some ends may have been raised, none too far.  Not beside
 * another search of the same targets' ends by this function.
 */
int primer_paper(struct primer *p, const uint8_t *symbol, size_t n,
		 const struct primer_paper *how,
		 struct primer_paper_stats *stats, struct err *e);

#endif
