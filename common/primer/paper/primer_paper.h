/* SPDX-License-Identifier: MIT */
/*
 * primer_paper.h - the source's two algorithms for k-difference primers
 * Source: Feuser and Moreano, the k-difference primer problem; the second after
 * Landau and Vishkin.
 *
 * Slow on purpose: for comparison, and as a check of other engines.  They
 * raise the same ends as primer_search() does.
 *
 * - Conventional: for each start the matrix D of the letters from it on and of
 *   the background; the end is the last row that has a value below k.  Up to
 *   rows x n values a start: n m (m + 1) / 2 for a target of m letters.
 * - Alternative: for each start L(d, c), the furthest row that diagonal d gets
 *   to with c differences, for c = 0 to k - 1; the end is the furthest of all.
 *   About k x (n + k) values a start.
 *
 * Both stop where an end reaches the end of its segment: later starts of the
 * segment have the same.
 *
 * Coarse-grained, threads share the starts, and D goes row by row.
 * Fine-grained, they share the values of a start: of an anti-diagonal of D, of
 * which three are kept, or of L with as many differences.
 *
 * The source's optimisations, which save work and change no end:
 * 1  conventional: the first row without a value below k ends the start.  Not
 *    by anti-diagonals, unless in tiles (4), which end with whole rows.
 * 2  alternative: so does a diagonal that gets to the last letter that may be
 *    in a primer: the start has none.
 * 3  fine-grained: each thread keeps a maximum of its own, and there is one
 *    critical section a thread and start instead of one a value.
 * 4 to 6, the reduction and the batches are a GPU's: see cuda/paper_primer.h.
 *
 * And our own, alternative only: a start begins with the known bound of its
 * end, at least the end of the one before it, as ends do not decrease.
 * Diagonals that come to the background's end before they could pass it are
 * left out.  The conventional algorithm would save nothing, as all its rows
 * need those before.
 */
#ifndef SEQF_PRIMER_PAPER_PRIMER_PAPER_H
#define SEQF_PRIMER_PAPER_PRIMER_PAPER_H

#include "primer/primer.h"

enum primer_paper_method { PRIMER_CONVENTIONAL, PRIMER_ALTERNATIVE };
enum {
	PRIMER_PAPER_ROWS = 1,		/* optimisation 1 */
	PRIMER_PAPER_REACHED = 2,	/* 2 */
	PRIMER_PAPER_OWN = 4,		/* 3 */
	PRIMER_PAPER_TILES = 8,		/* 4 */
	PRIMER_PAPER_ALPHA = 16,	/* 5 */
	PRIMER_PAPER_BETA = 32,		/* 6 */
	PRIMER_PAPER_START = 64,	/* ours */
	PRIMER_PAPER_REDUCE = 128,	/* a GPU's, as 4 to 6 */
	PRIMER_PAPER_BATCH = 256,	/* likewise */
};

struct primer_paper {
	enum primer_paper_method method;
	unsigned optimisations;		/* others than there are do nothing */
	/* Threads: coarse share the starts, 0 like 1; with fine, not 0, as many
	 * share each start instead of each of them. */
	unsigned coarse, fine;
	uint64_t share;		/* with fine, values of a step that are worth a
				 * thread; 0: as is best here */
};

struct primer_paper_stats {
	uint64_t starts;	/* that were searched */
	uint64_t values;	/* of D or L */
	uint64_t comparisons;	/* of symbols */
	/* Symbols, of both sides, that were fetched before it was known if they
	 * are needed; and comparisons of others. */
	uint64_t fetched, missed;
};
void primer_paper_add(struct primer_paper_stats *to,
		      const struct primer_paper_stats *s);

/*
 * Raise the ends of all places by what occurs in n symbols, which are one whole
 * text: see primer_symbols().  Adds to the counts.  Memory: 16 bytes a symbol
 * and coarse thread.  ERR_USAGE if there are more than 2^16 threads, ERR_NOMEM;
 * then some ends may have been raised, none too far.  Not beside another search
 * of the same targets' ends by this function.
 */
int primer_paper(struct primer *p, const uint8_t *symbol, size_t n,
		 const struct primer_paper *how,
		 struct primer_paper_stats *stats, struct err *e);

/* One text and all starts, for a backend, e.g. a GPU. */
struct primer_paper_job {
	const struct primer_paper *how;
	const uint8_t *symbol;		/* n of them, below 256 */
	const uint8_t *code;		/* of each place: its class, or 0 */
	uint32_t n, places, k;		/* n + k and places below 2^30 */
	/* Symbol s matches class c if bit c - 1 of holds[s] is set; or, if
	 * literal, if it is c. */
	const uint16_t *holds;
	bool literal;
	/* Of each place: where its segment ends, how far its end may be raised,
	 * and its end, to be raised. */
	const uint32_t *stop, *cap;
	uint32_t *end;
};
struct primer_paper_backend {
	/* PRIMER_NOT_NOW: search without; below 0: an error.  Any thread. */
	int (*run)(void *ctx, const struct primer_paper_job *j,
		   struct primer_paper_stats *stats, struct err *e);
	void *ctx;
};
/* primer_paper() by a backend; of `how` without the threads.  PRIMER_NOT_NOW:
 * nothing was done. */
int primer_paper_by(const struct primer_paper_backend *h, struct primer *p,
		    const uint8_t *symbol, size_t n,
		    const struct primer_paper *how,
		    struct primer_paper_stats *stats, struct err *e);

#endif
