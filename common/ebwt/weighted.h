/* SPDX-License-Identifier: MIT */
/*
 * weighted.h - weighted sequences: the solid words of a matrix
 * Source: Pandey, Niyogi and Mittal, eBWT distances of weighted sequences;
 * thresholds and tolerance as in ebwt-dist(1).
 *
 * A weighted sequence has a probability for each of A C G T at each position.
 * A word takes one letter at each of them; it is solid if every letter has at
 * least theta_pos, and their product at least theta_word.  Equality is taken
 * with a relative tolerance, as products and quotients are rounded.  A letter
 * of probability 0 is never solid.
 */
#ifndef SEQF_EBWT_WEIGHTED_H
#define SEQF_EBWT_WEIGHTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/* Relative, of both thresholds. */
#define WEIGHTED_TOLERANCE 1e-9

struct weighted {
	size_t n;		/* positions */
	double (*p)[4];		/* of A C G T; each position's sum is 1 */
};
/*
 * From 4 * n counts or probabilities, which are normalised.  A float stands
 * for the shortest decimal number that rounds to it: what the input said, if
 * that had 7 digits at most.  ERR_FORMAT, naming the position from 1, for what
 * is negative or no number, or sums to 0; ERR_NOMEM.
 */
int weighted_new(struct weighted *w, const float *v, size_t n, struct err *e);
void weighted_free(struct weighted *w);

/* A probability of any size: m * 2^e, m = 0 or in [1/2, 1). */
struct prob {
	double m;
	int64_t e;
};
struct prob prob_times(struct prob a, double p);
/* As %.9g, however small. */
void prob_print(struct buf *b, struct prob p);

struct solid_rule {
	double theta_pos, theta_word;	/* in [0, 1] */
	bool strict;		/* the source's: more than the thresholds */
	uint64_t max_words;
};
/* Words, in order of their letters. */
struct solid {
	size_t len;		/* of each */
	uint64_t n;
	uint8_t *letters;	/* n * len, A C G T */
	struct prob *p;		/* of each; theirs is not a sum of 1 */
};
/*
 * All solid words; there may be none.  Time O(len) for each.  ERR_LIMIT if
 * there are more than max_words; ERR_NOMEM.  Thread-safe.
 */
int solid_words(struct solid *s, const struct weighted *w,
		const struct solid_rule *r, struct err *e);
void solid_free(struct solid *s);

/* Bit c: letter c is solid at the position, by itself. */
unsigned solid_letters(const struct weighted *w, const struct solid_rule *r,
		       size_t i);

#endif
