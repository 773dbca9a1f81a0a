/* SPDX-License-Identifier: MIT */
/*
 * weighted.h - weighted sequences: the solid words of a matrix
 * Source: Pandey, Niyogi and Mittal, eBWT distances of weighted sequences;
 * thresholds and tolerance as in seqfilters-distances(7).
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
#include "ebwt/ebwt.h"

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

/*
 * Distances of all words of a matrix to one word, without
 * making the words
 *
 * Where the thresholds leave each position its letters, whatever the others
 * are, the words of a matrix are a product: one letter of each position.  Read
 * backwards, a word walks through the gaps between the rotations of v
 * (ebwt_gap.h), and its distance depends on the set of gaps it met alone.  A
 * word whose root is not conjugate to v's goes round in exactly one way: only
 * from one gap on does it come back to where it began.
 */

struct product {
	size_t n;		/* positions, 1 at least */
	uint8_t *kinds;		/* letters that a position takes, 1 to 4, */
	uint8_t (*letter)[4];	/* which, ascending, */
	double (*p)[4];		/* and their shares: in all 1 */
	/* by WCODE; 0: not taken, and [4]; by number, as of equal letters */
	double (*share)[5], (*part)[5];
	bool even, even_part;	/* as at all positions */
	uint64_t words;		/* UINT64_MAX: so many or more */
	double starts;		/* gaps that words begin in, roughly */
};
#define WCODE(letter) ((letter) >> 1 & 3)
/*
 * The solid words of w, if they are a product: *is; all are turned by as much,
 * which changes no distance.  They are if theta_word leaves out none of those
 * that theta_pos allows; where rounding might decide that, they are not.  No
 * words are no product.  ERR_NOMEM.
 */
int product_solid(struct product *x, const struct weighted *w,
		  const struct solid_rule *r, bool *is, struct err *e);
void product_free(struct product *x);
/* The j-th word, n letters, and its share of all. */
double product_nth(const struct product *x, uint64_t j, uint8_t *s);

/*
 * Sums over all words of x of a function of delta to one word v: of it, and of
 * it times the words' shares.  All that is added is positive, so that the
 * sums are within some n * 2^-52 of the truth, relatively.
 */
struct product_sum {
	double sum, share_sum;
	double least, most;	/* -1: not known */
};
struct product_how {
	enum ebwt_metric metric;	/* not EBWT_FROM_RUNS */
	/*
	 * Of each word: 1, or of the words' number one part, which keeps what
	 * is too large for doubles small: product_parts().
	 */
	bool parts;
	bool no_sets;		/* the sums only, not least and most */
	bool traces;		/* by traces where it can be (tests) */
};
/* Must sums be of parts, lest they be rounded?  With v's words, too. */
bool product_parts(const struct product *x, uint64_t v_words, size_t m);

enum {
	PRODUCT_BYTES = 1 + 4 + (4 + 5 + 5) * 8,	/* of a position */
	PRODUCT_GAPS = 64,	/* of a set, at most */
	PRODUCT_HALF = 1 << 14,	/* sets of halves of words from one gap, */
	PRODUCT_SETS = 1 << 19,	/* and from all */
	PRODUCT_PAIRS = 1 << 24,	/* of two halves' sets */
};
/*
 * Can it be done within 2^40 ns?  Without all sets, only in delta, or in norm,
 * which divides it by what is the same for all words.
 */
bool product_fits(const struct product *x, size_t m, enum ebwt_metric metric,
		  bool no_sets);
/* At most 2^20 words, m below PRODUCT_GAPS: least and most are always known. */
bool product_all_known(const struct product *x, size_t m);

/* Nanoseconds that product_dist() takes, roughly; of sets, and of long words
 * that not all gaps are met of, it may be far off. */
double product_cost(const struct product *x, size_t m, bool no_sets);
/* Bytes it takes at most. */
uint64_t product_bytes(const struct product *x, size_t m, bool no_sets);

/* Working memory of one thread; zero it first. */
struct product_work;
int product_work_new(struct product_work **w, struct err *e);
void product_work_free(struct product_work *w);
/*
 * v: m letters.  ERR_NOMEM.  Least and most are not known if the sets of gaps
 * are too many: that depends on x, v and how alone.
 */
int product_dist(const struct product *x, const uint8_t *v, size_t m,
		 const struct product_how *how, struct product_work *w,
		 struct product_sum *out, struct err *e);

/* The same without sets, by the gaps that are met; 0 if there is no memory. */
double product_cost_met(const struct product *x, const uint8_t *v, size_t m,
			struct product_work *w);

#endif
