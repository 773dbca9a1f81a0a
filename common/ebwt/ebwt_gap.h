/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap.h - distances of many words to one, without sorting them
 *
 * The rotations of a word v, sorted, leave m + 1 gaps; the rotation of u that
 * begins with c, then r, lies in the gap C(c) + Occ(c, gap of r), C and Occ of
 * v's transform: the rotations of u are found one letter each, backwards.
 */
#ifndef SEQF_EBWT_EBWT_GAP_H
#define SEQF_EBWT_EBWT_GAP_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct ebwt_gap {
	uint32_t m;		/* letters of v */
	unsigned sigma;		/* how many kinds of them */
	uint8_t code[256];	/* 0 to sigma - 1, or sigma: none of v's */
	uint32_t *less;		/* 256: rotations of v that begin with less */
	uint32_t *next;		/* of gap g and code c: [g * sigma + c] */
};
enum { EBWT_GAP_MAX = 1 << 30 };	/* letters of v */

/* v: m letters, 1 to EBWT_GAP_MAX (ERR_LIMIT).  ERR_NOMEM.  4 * (kinds of
 * letters) bytes a letter.  Read only afterwards: any number of threads. */
int ebwt_gap_new(struct ebwt_gap *g, const uint8_t *v, size_t m,
		 struct err *e);
void ebwt_gap_free(struct ebwt_gap *g);

/* The gap that the rotation c.r of u lies in, r in gap `at`. */
static inline uint32_t
ebwt_gap_step(const struct ebwt_gap *g, uint32_t at, uint8_t c)
{
	unsigned k = g->code[c];

	return k < g->sigma ? g->next[(size_t)at * g->sigma + k] : g->less[c];
}

/* Working memory of one thread; zero it first.  8 bytes a letter of v, and, if
 * de is wanted, 4 of each word. */
struct ebwt_gap_work {
	uint32_t *count;	/* rotations in each gap; zeros between calls */
	uint32_t *runs;		/* of each length; zeros between calls */
	uint32_t *path;		/* ebwt_gap_each(): bounds at each depth */
	uint32_t *taken;	/* ebwt_gap_delta(): gaps that have any */
	size_t n_count, n_runs, n_path, n_taken;
};
void ebwt_gap_work_free(struct ebwt_gap_work *w);

/*
 * delta of u and v as ebwt.h says, and, if de is not NULL, EBWT_DE.  u: n
 * letters, 1 to EBWT_GAP_MAX.  Time O(n), at most 2n + m steps, and O(n + m)
 * for de.  ERR_NOMEM, ERR_LIMIT.
 */
int ebwt_gap_delta(const struct ebwt_gap *g, const uint8_t *u, size_t n,
		   struct ebwt_gap_work *w, uint64_t *delta, double *de,
		   struct err *e);

/*
 * Many words of one length, as a matrix has: by their letters from the last to
 * the first, so that what neighbours have in common at their ends is walked
 * once.
 */
struct ebwt_gap_words {
	const uint8_t *letters;	/* n * len */
	size_t len;
	uint32_t n;
	uint32_t *order;	/* the words in that order, */
	uint32_t *shared;	/* of each: last letters as in the one before */
};
/* Fills in order and shared, which are the caller's to free(); ERR_NOMEM. */
int ebwt_gap_sort(struct ebwt_gap_words *w, struct err *e);
/* delta, and de if it is wanted, else 0, of v and each word, in that order. */
typedef void ebwt_gap_fn(void *arg, uint32_t word, uint64_t delta, double de);
int ebwt_gap_each(const struct ebwt_gap *g, const struct ebwt_gap_words *w,
		  bool wants_de, struct ebwt_gap_work *work, ebwt_gap_fn *fn,
		  void *arg, struct err *e);

/* The entropy, in bits, of `runs` runs, of which so many have length i. */
double ebwt_gap_entropy(const uint32_t *of_length, size_t n, uint64_t runs);
/* The same for words whose roots are conjugate. */
double ebwt_gap_entropy_tied(uint64_t u, uint64_t v);

/*
 * The entropy of the lengths of runs, in any order
 *
 * Two pairs with equally many lengths of equally many runs must have exactly
 * the same entropy, so that their order is decided by position.  Doubles, added
 * in another order, may differ in their last bits; so the terms are integer
 * multiples of a small unit, and the sum is exact.
 *
 * Runs of d lengths have d (d + 1) / 2 letters at least.  So in 2^33 letters
 * there are fewer than 2^18 lengths, and the sum of -p log2 p is below 18.
 */

#define EBWT_BITS_UNIT 0x1p-58

/* What a length adds that `count` of `runs` runs have. */
static inline uint64_t
ebwt_bits_of(uint64_t count, uint64_t runs)
{
	double p = (double)count / (double)runs;

	return count ? (uint64_t)(0.5 - p * log2(p) / EBWT_BITS_UNIT) : 0;
}

static inline double
ebwt_bits_sum(uint64_t sum)
{
	return (double)sum * EBWT_BITS_UNIT;
}

/*
 * Jobs for a backend, e.g. a GPU: many words located in
 * the gaps of others (ebwt_gap.h); results are integers, or sums of given terms
 */

/*
 * Words of A, C, G and T that have one length, in the order of their ends.
 * They are read from the last letter on: a letter that all have there is
 * stored once, and one that varies takes two bits a word.
 */
struct gap_list {
	uint32_t n, len;
	/* Of each depth: 0 to 3, or 4 + which of those it is that vary. */
	uint16_t *letter;
	/* Varying letter k of word i: [k / 16 * n + i], from bit k % 16 * 2 */
	uint32_t *varied;
	uint32_t n_varied;
};
enum { GAP_LIST_LEN = UINT16_MAX - 4 };	/* letters of a word, at most */
/* ERR_NOMEM, ERR_LIMIT. */
int gap_list_new(struct gap_list *l, const struct ebwt_gap_words *w,
		 struct err *e);
void gap_list_free(struct gap_list *l);
static inline uint64_t
gap_list_numbers(const struct gap_list *l)	/* in `varied` */
{
	return (uint64_t)(l->n_varied / 16 + (l->n_varied % 16 != 0)) * l->n;
}

/* All words of a list to one word v. */
struct gap_job {
	uint32_t list;		/* which one */
	uint32_t m;		/* letters of v */
	uint64_t next;		/* where its gaps begin, 4 numbers each: those
				   behind an A, C, G or T before this one */
	uint64_t out;		/* where its results begin: jobs follow each
				   other */
};
struct gap_batch {
	const struct gap_list *const *list;
	uint32_t n_lists;
	const struct gap_job *job;
	uint32_t n_jobs;
	const uint16_t *next;
	/*
	 * Wanted: of each word of each job its runs, or 0 if it is tied: its
	 * root and v's are conjugate.
	 */
	uint16_t *runs;
	/*
	 * Or, if this is not NULL: the entropy of their lengths, or -1 if it is
	 * tied; from `term` (gap_terms_new()), for up to so many runs.
	 */
	double *de;
	const uint64_t *term;
	uint32_t most_runs;
};

/* 4 * (m + 1) numbers. */
void gap_table(const struct ebwt_gap *g, uint16_t *next);

/*
 * of_length[i] of `runs` runs add term[gap_term_at(runs) + of_length[i]] to
 * the entropy, in units of EBWT_BITS_UNIT.  NULL: no memory.
 */
uint64_t *gap_terms_new(uint32_t most_runs);
static inline uint64_t
gap_term_at(uint64_t runs)
{
	return runs * (runs + 1) / 2;
}
/* Gaps that are met are no more than m + 1, and letters; each is one run, and
 * begins another one if it is not at an end. */
static inline uint64_t
gap_most_runs(uint64_t n, uint64_t m)
{
	return 2 * (n < m ? n : m) + 1;
}

/*
 * What a backend has room for: v's gaps, and for some words at a time a bit for
 * each gap, or, for entropies, how often it was met, and how often there are
 * runs of each length.
 */
enum { GAP_ROOM = 48 << 10, GAP_MIN_WORDS = 8 };
static inline uint64_t
gap_table_bytes(uint64_t m)
{
	return 8 * (m + 1);
}
static inline uint64_t
gap_word_bytes(uint64_t n, uint64_t m, bool wants_de)
{
	return wants_de ? 2 * (m + 1 + (n > m ? n : m) + 1) : m / 32 * 4 + 4;
}
static inline bool
gap_fits(uint64_t n, uint64_t m, bool wants_de)
{
	return n <= GAP_LIST_LEN && m < GAP_ROOM / 8 &&
	       gap_table_bytes(m) + GAP_MIN_WORDS *
	       gap_word_bytes(n, m, wants_de) <= GAP_ROOM;
}

struct gap_backend {
	/* Is it worth the while, what would take so many nanoseconds? */
	bool (*wants)(void *ctx, double ns);
	/* EBWT_NOT_NOW (ebwt.h): do it yourself; below 0: an error. */
	int (*run)(void *ctx, const struct gap_batch *j, struct err *e);
	void *ctx;
};

#endif
