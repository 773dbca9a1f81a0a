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

#endif
