/* SPDX-License-Identifier: MIT */
/*
 * join.h - sites of primers to products of PCR
 *
 * A product of the pair (f, r) is a site of f on + at [a,b) and one of r on -
 * at [c,d), or of r on + and f on -, with a <= c, b <= d and min <= d - a <=
 * max; it is [a,d).  Every such two sites are one product.
 *	With shadows a site is left out if one of the same primer and strand
 * with fewer differences overlaps more than half of the shorter of both,
 * whether that one is left out or not.
 *	Where there are probes, a product counts only if a site of one lies in
 * it, on either strand: the best one is that with the fewest differences, and
 * of equal ones the first by end.  Where there are inner pairs, only their
 * products count, and only if one of another pair begins where they do or
 * before, and ends where they do or behind: the one that ends last, and of
 * equal ones the first by begin, then by pair.
 *	Sites come in the order of their ends; products go on in the order of
 * begins.  What is kept are sites of the last `max` letters and the length of
 * a site.  With n sites and p products: O(n log n + p), but for shadows, which
 * compare each site with those of its primer that overlap it.
 */
#ifndef SEQF_PCR_JOIN_H
#define SEQF_PCR_JOIN_H

#include "base/base.h"
#include "pcr/pairs.h"

enum { PCR_OPS = 6 };	/* operations of a CIGAR that need no memory */

struct pcr_site {
	uint32_t primer;
	bool minus;
	uint64_t beg, end, edits;	/* beg < end */
	size_t n_ops;
	union {
		uint32_t few[PCR_OPS];
		uint32_t *many;		/* malloc()ed */
	} ops;
};
static inline const uint32_t *
pcr_ops(const struct pcr_site *s)
{
	return s->n_ops > PCR_OPS ? s->ops.many : s->ops.few;
}

struct pcr_product {
	uint32_t f, r;		/* primers */
	size_t pair;		/* of them; n_pairs: not in the file */
	bool minus;		/* r is on +, f on - */
	const struct pcr_site *left, *right;	/* on +, on - */
	const struct pcr_site *probe;	/* the best inside; or NULL */
	struct pcr_outer {	/* of an inner one: where it lies */
		size_t pair;
		uint64_t beg, end;
	} outer;
};
static inline uint64_t
pcr_product_edits(const struct pcr_product *p)
{
	return p->left->edits + p->right->edits;
}

typedef int pcr_product_fn(void *ctx, const struct pcr_product *p,
			   struct err *e);

struct pcr_join_params {
	const struct pcr_pairs *pairs;
	bool all_pairs;		/* each primer with each, and itself */
	bool shadows;
	uint64_t min, max;	/* of pairs without their own */
	uint64_t max_hits;	/* of each pair and subject the best, by
				   differences, then order; 0: all */
	pcr_product_fn *put;
	void *ctx;
};

struct pcr_join;
int pcr_join_new(struct pcr_join **j, const struct pcr_join_params *p,
		 struct err *e);
void pcr_join_free(struct pcr_join *j);
/*
 * Before its first site: the subject is circular, of n letters.  Its sites come
 * from `from` on, those that begin in the first letters a second time, n
 * further on, and those that reach into the first letters also before them; a
 * product begins in [from, from + n) and has n letters at most.  With inner
 * pairs all sites come once more, and inner products begin in
 * [from + n, from + 2 n).
 */
void pcr_join_circle(struct pcr_join *j, uint64_t from, uint64_t n);
/* Letters of which a product or a site is one, at most. */
uint64_t pcr_join_reach(const struct pcr_join *j);
/* At most so many letters has a site. */
uint64_t pcr_longest_site(const struct pcr_pairs *p);
/* The next site of the subject, its CIGAR beside it: s->ops is not looked at.
 * Its end is not below that of the one before. */
int pcr_join_site(struct pcr_join *j, const struct pcr_site *s,
		  const uint32_t *ops, struct err *e);
/* The subject has no more. */
int pcr_join_end(struct pcr_join *j, struct err *e);

#endif
