/* SPDX-License-Identifier: MIT */
/*
 * sw.h - local alignment with affine gaps: the best K, exactly
 * Source: Smith and Waterman 1981, Gotoh 1982; best K and overlap chunks: Jain
 * and Kumar; many subjects in lanes: Rognes 2011.
 *
 * Query rows i, text columns j; a gap of length l costs open + l * extend:
 * 	H(i,j) = max(0, H(i-1,j-1) + s(q_i, t_j), E(i,j), F(i,j))
 * 	E(i,j) = max(H(i,j-1) - open, E(i,j-1)) - extend	D in the CIGAR
 * 	F(i,j) = max(H(i-1,j) - open, F(i-1,j)) - extend	I in the CIGAR
 * The alignment of a cell with H > 0: traceback that prefers the diagonal, then
 * E, then F, and in a gap to leave it; it starts with the diagonal step from a
 * cell with H = 0.  So every such cell has one start and one CIGAR.
 * 	SW_CELLS	every cell with s(q_i, t_j) > 0 and
 * 			H(i,j) = H(i-1,j-1) + s(q_i, t_j)
 * 	SW_ALIGNMENTS	of these, those of one start are a class; the best
 * 			(largest H; then least column, then least row) stands
 * 			for it: no other cell of its start is better
 * Results depend neither on the instruction set nor on where a text was cut, as
 * long as sw_context() letters stand before the first column that counts.
 */
#ifndef SEQF_SW_SW_H
#define SEQF_SW_SW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

enum {
	SW_LETTERS = 64,	/* codes are below it */
	SW_PAD = 0x80,		/* in texts: aligns with nothing */
	SW_BLOCK = 64,		/* columns of a block */
	SW_MAX_SCORE = 1000000,	/* of any |s|, open, extend */
	SW_MAX_QUERY = 1 << 30,
};

struct sw_scoring {
	unsigned letters;	/* 1 to SW_LETTERS */
	int32_t score[SW_LETTERS][SW_LETTERS];	/* [query][text] */
	int32_t open, extend;	/* >= 0 */
};

enum sw_kind { SW_ALIGNMENTS, SW_CELLS };

/*
 * The engine that computes the scores; results do not depend on it.  SW_PLAIN:
 * a cell at a time.  SW_LANES8, SW_LANES16: pieces of the text side by side in
 * 8 or 16 bits.  SW_SKEW: blocks of the text side by side, each some rows
 * behind the one before.  A query that an engine cannot take goes to one
 * that can.  SW_AUTO takes the one expected to be fastest.
 */
enum sw_engine { SW_AUTO, SW_PLAIN, SW_LANES8, SW_LANES16, SW_SKEW };

/* A query on one strand, compiled.  Immutable: any number of threads. */
struct sw_query;
/*
 * codes: n letters, 1 <= n <= SW_MAX_QUERY, each below scoring->letters, as
 * they are to be aligned (minus: they are the reverse complement already).
 * minus only decides the order of equal hits: ties are broken by their
 * positions on the query as given.  Everything is copied.  ERR_USAGE (out of
 * range: the reason says what), ERR_NOMEM.
 */
int sw_query_new(struct sw_query **q, const struct sw_scoring *scoring,
		 const uint8_t *codes, size_t n, bool minus,
		 enum sw_engine engine, struct err *e);
/*
 * The same for many queries of a scoring, which take little more memory than
 * their letters.  The scheme must outlive them; one thread at a time.
 */
struct sw_scheme;
int sw_scheme_new(struct sw_scheme **c, const struct sw_scoring *scoring,
		  struct err *e);
void sw_scheme_free(struct sw_scheme *c);
int sw_query_share(struct sw_query **q, struct sw_scheme *c,
		   const uint8_t *codes, size_t n, bool minus,
		   enum sw_engine engine, struct err *e);
void sw_query_free(struct sw_query *q);
/*
 * Letters that must precede the first column that counts:
 * n + max(0, floor((n * M - open) / extend)), M the largest score.
 * UINT64_MAX: everything before it (extend = 0).
 */
uint64_t sw_context(const struct sw_query *q);

/*
 * Segments of a text are searched apart: before beg all H are 0.  All bounds
 * are multiples of SW_BLOCK and segments lie side by side, in order.  Where the
 * letters do not fill a segment, codes hold SW_PAD: at its begin, so that own
 * is at a block's border, and at its end, in the last block only.
 */
struct sw_seg {
	uint64_t beg, end;	/* columns [beg, end) of the text */
	uint64_t own;		/* cells of columns >= own count */
};
/* What a device has computed before of a text for a query: tops as struct
 * sw_backend says, or NULL; and least, or 0. */
struct sw_known {
	int32_t *tops;
	int64_t least;
	size_t cells;		/* so many reach it */
};
struct sw_text {
	const uint8_t *codes;	/* n of them, then 64 readable bytes */
	uint64_t n;		/* a multiple of SW_BLOCK */
	const struct sw_seg *seg;
	size_t n_seg;
	struct sw_known known;
};

/* Rows [qbeg, qend) of the query as it is aligned, columns [beg, end). */
struct sw_hit {
	int64_t score;
	uint64_t qbeg, qend, beg, end;
};
struct sw_hits {	/* zero it first; reused */
	struct sw_hit *v;
	size_t n, cap;
};
void sw_hits_free(struct sw_hits *h);

/*
 * The order of hits of one query: score (descending), end, then the place on
 * the query as given: end, begin of the subject, ...; < 0 if a comes first.
 */
int sw_hit_cmp(const struct sw_query *q, const struct sw_hit *a,
	       const struct sw_hit *b);

/* Working memory of one thread; grows as needed. */
struct sw_work;
int sw_work_new(struct sw_work **w, struct err *e);
void sw_work_free(struct sw_work *w);

/*
 * The number of threads that search at a time.  Where an engine would need too
 * much memory for a long query, another one is used, so that all threads
 * together stay below 1 GB for 100,000 letters.
 */
void sw_work_team(struct sw_work *w, unsigned threads);
/*
 * The workers that may share the rows of a query from now on; NULL: none.
 * leaders: the number of threads that have such workers, or twice as many while
 * they take turns.  Beside what sw_work_team() says, they share a third of that
 * memory, and give it back with the workers.
 */
struct crew;
void sw_work_crew(struct sw_work *w, struct crew *c, unsigned leaders);
/* Are the query's rows shared by a crew? */
bool sw_query_shared(const struct sw_query *q);

/*
 * Progress of searches, in cells: letters of queries by columns of texts, each
 * once, and `more`, which are computed again: known when they are begun.
 * Threads add to it, atomically, and call tick(), if it is not NULL, now and
 * then: any of them, several at the same time.
 */
struct sw_meter {
	uint64_t done;
	uint64_t more;
	uint64_t left_out;	/* of those done: pruned */
	void (*tick)(void *ctx);
	void *ctx;
};
/* It must outlive the searches; NULL: no progress is counted. */
void sw_work_meter(struct sw_work *w, struct sw_meter *m);

/* The parts of a compiled query. */
struct sw_view {
	const struct sw_scoring *scoring;
	const uint8_t *code;	/* n of them */
	size_t n;
	int32_t best;		/* no letter of it scores more */
	uint64_t context;	/* no alignment has more columns */
	size_t cells;		/* SW_CELLS: so many are wanted; else 0 */
};
/* No cells are wanted. */
struct sw_view sw_query_view(const struct sw_query *q);
/*
 * An optional backend that computes scores, e.g. a GPU, for queries that any
 * engine may take.  tops() sets top to the largest H of each block of the text,
 * 0 or more, and *least, if it is known, to a score that as many cells reach as
 * are wanted.  It may decline by SW_NOT_NOW.
 */
enum { SW_NOT_NOW = 1 };
struct sw_backend {
	int (*tops)(void *ctx, const struct sw_view *q,
		    const struct sw_text *t, int32_t *top, int64_t *least,
		    struct err *e);
	void *ctx;
};
void sw_work_backend(struct sw_work *w, const struct sw_backend *d);

/*
 * The first k hits, in the order of sw_hit_cmp(), of those with a score of at
 * least *least >= 1; hits is overwritten.  *least may rise meanwhile, by atomic
 * stores of others: then hits below what it is in the end may be missing.
 * ERR_NOMEM; ERR_LIMIT: a text of more than 2^36 letters.
 */
int sw_best(const struct sw_query *q, const struct sw_text *t,
	    enum sw_kind kind, size_t k, const int64_t *least,
	    struct sw_work *w, struct sw_hits *hits, struct err *e);

/*
 * Raises *bound to the score of a hit that seeds find, if there is one; by a
 * crew, or NULL.  ERR_NOMEM.  sw_bound_helps(): is that likely to make
 * sw_best() faster, at far less cost?
 */
int sw_bound(const struct sw_query *q, const struct sw_text *t,
	     struct crew *crew, int64_t *bound, struct err *e);
bool sw_bound_helps(const struct sw_query *q, const struct sw_text *t);

/*
 * CIGAR of a hit of either kind; operations (letters.h: = X I D) are put behind
 * ops as native uint32_t.  same[query code] = the code of a text letter that is
 * reported as =, or 255 for none.  Time O(box of the hit), cut to a band where
 * the score proves that enough; memory O(query + letters of the box).
 */
int sw_trace(const struct sw_query *q, const struct sw_text *t,
	     const struct sw_hit *h, const uint8_t same[SW_LETTERS],
	     struct sw_work *w, struct buf *ops, struct err *e);
/*
 * The same of n hits that sw_best() found last with w, in any order, of the
 * query and the text as they were then: put() is called with the index of each
 * when its operations are in ops, which is overwritten.  Hits that overlap take
 * less time than one by one.
 */
typedef int sw_ops_fn(void *ctx, size_t hit, struct err *e);
int sw_trace_each(const struct sw_query *q, const struct sw_text *t,
		  const struct sw_hit *hit, size_t n,
		  const uint8_t same[SW_LETTERS], struct sw_work *w,
		  struct buf *ops, sw_ops_fn *put, void *ctx, struct err *e);

/*
 * Local alignments without a pair of letters in common
 * Source: Waterman and Eggert, J. Mol. Biol. 197, 1987.
 *
 * Repeatedly takes the best cell (largest H, then least column, then least
 * row) and its alignment; the pairs of that are forbidden from then on.
 */

enum { SW_DISJOINT_CELLS = 1 << 30 };

/* Working memory, reused; zero it first. */
struct sw_disjoint {
	/* What to align: set before sw_disjoint_begin(), and kept. */
	const struct sw_scoring *s;
	const uint8_t *same;	/* as of sw_trace() */
	const uint8_t *query, *text;
	size_t m, n;		/* m * n is at most SW_DISJOINT_CELLS */
	/*
	 * Or NULL: the same query, compiled, of a text whose only segment has
	 * these letters from column `at` on, and `work`.  The first `wanted`
	 * alignments then, and those that score as the last, may be all that
	 * are found: of long texts only a part need be kept.
	 */
	const struct sw_query *q;
	struct sw_text around;
	size_t at, wanted;
	struct sw_work *work;
	size_t side;	/* of a tile, a multiple of 32; 0: as is best (tests) */
	struct sw_meter *meter;	/* or NULL */
	struct sw_disjoint_table *table;	/* private */
};
void sw_disjoint_free(struct sw_disjoint *d);
/*
 * Starts anew, with nothing forbidden.  Memory: m * n / 16 bytes and some MB,
 * and up to 16 bytes for each pair that is reported.  ERR_NOMEM.
 */
int sw_disjoint_begin(struct sw_disjoint *d, struct err *e);
/*
 * 1 and the next alignment, operations in ops, which is overwritten; 0 if none
 * scores `least` >= 1 or more; ERR_NOMEM.  Time O(m n) at first; then what the
 * last alignment changed, and tiles that this one goes through.
 */
int sw_disjoint_next(struct sw_disjoint *d, int64_t least, struct sw_hit *hit,
		     struct buf *ops, struct err *e);

#endif
