/* SPDX-License-Identifier: MIT */
/*
 * weighted_dist.h - distances of all words of a matrix to one word, without
 * making the words
 *
 * Where the thresholds leave each position its letters, whatever the others
 * are, the words of a matrix are a product: one letter of each position.  Read
 * backwards, a word walks through the gaps between the rotations of v
 * (ebwt_gap.h), and its distance depends on the set of gaps it met alone.  A
 * word whose root is not conjugate to v's goes round in exactly one way: only
 * from one gap on does it come back to where it began.
 */
#ifndef SEQF_EBWT_WEIGHTED_DIST_H
#define SEQF_EBWT_WEIGHTED_DIST_H

#include "ebwt/ebwt.h"
#include "ebwt/weighted.h"

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
