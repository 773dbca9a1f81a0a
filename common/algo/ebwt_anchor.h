/* SPDX-License-Identifier: MIT */
/*
 * ebwt_anchor.h - rotations sorted as integers, by way of anchors (private)
 *
 * The key of a rotation is its first L letters as a number.  Its anchor is the
 * leftmost least k-mer, in an order of k-mers by a hash, of those that begin
 * within its first w = L - k letters: a minimizer.  It depends on letters of
 * the key only, so rotations of equal keys are equally far before their
 * anchors, and compare as these do: (key, rank of the anchor) orders rotations.
 * There are about 2 / (w + 1) anchors a letter, sorted in their turn by keys,
 * and where keys tie by the ranks of further anchors (ebwt_order.c).  No two
 * rotations of roots tie in the end (ebwt_set.c), whatever the hash: runs only
 * make anchors more frequent.
 *
 * A rotation is a 64-bit integer: the low bits of its key (high ones tell the
 * bucket it is in), the rank of its anchor, and how far before it lies.
 */
#ifndef SEQF_EBWT_ANCHOR_H
#define SEQF_EBWT_ANCHOR_H

#include "algo/ebwt_kern.h"
#include "algo/ebwt_priv.h"

/* What a thread does of the rotations, which are numbered class by class. */
struct ebwt_part {
	uint32_t beg, end;
	uint32_t first_class;	/* that has rotation beg */
	uint32_t first_anchor, n_anchors;
	uint64_t *count;	/* by bucket: rotations, then where they go */
	uint32_t *anchor_count;	/* the same of anchors */
};

struct ebwt_anchors {
	struct ebwt *x;
	struct ebwt_plan plan;
	const struct ebwt_ops *ops;
	unsigned n_parts;
	struct ebwt_part *part;
	uint64_t *counts;	/* of all parts */
	unsigned bucket_bits;	/* high bits of a key */
	uint8_t *text;		/* codes: ebwt_codes() */
	uint32_t *base;		/* by class, and one more: first rotation */
	uint32_t *first;	/* by class, and one more: first anchor */
	uint32_t n;		/* anchors */
	uint32_t *pos;		/* rotation, ascending */
	/* The anchor is that of rotations pos - reach up to pos, and on to the
	 * next one's first: of one class, circular. */
	uint8_t *reach;
	uint64_t *key;
	/* That of the rotation behind the anchor. */
	uint32_t *next;
	uint32_t *rank;		/* by anchor */
	uint32_t *sorted;	/* anchors by rank */
};

/* A class's letters: L more, circular, on both sides. */
static inline uint8_t *
ebwt_codes(const struct ebwt_anchors *a, uint32_t class)
{
	return a->text + a->base[class] +
	       (2 * (uint64_t)class + 1) * a->plan.letters;
}

/* The first rotation, from the class's own begin on, of which an anchor of it
 * is the anchor: may lie before it. */
static inline int64_t
ebwt_begin(const struct ebwt_anchors *a, uint32_t anchor, uint32_t class)
{
	return (int64_t)a->pos[anchor] - a->base[class] - a->reach[anchor];
}

static inline unsigned
ebwt_bits(uint64_t x)
{
	return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

/* Ascending; tmp has room for n. */
void ebwt_radix(uint64_t *item, uint64_t n, uint64_t *tmp);

void ebwt_plan(struct ebwt_plan *p, const struct ebwt *x);
/*
 * Bits of buckets of m integers that hold a key and `more` bits: as many as it
 * takes for the rest of a key to fit 64 bits, and for 2^`size` on average.
 */
static inline unsigned
ebwt_bucket_bits(const struct ebwt_plan *p, uint64_t m, unsigned more,
		 unsigned size)
{
	unsigned n = ebwt_bits(m), bits = n > size + 1 ? n - size : 1;

	if (p->key_bits + more > 64 + bits)
		bits = p->key_bits + more - 64;
	return bits < p->key_bits ? bits : p->key_bits;
}
/* Of rotations: 48 + 32 + 6 - 64 bits at most. */
static inline unsigned
ebwt_item_buckets(const struct ebwt_plan *p, uint64_t n, uint64_t anchors)
{
	return ebwt_bucket_bits(p, n, ebwt_bits(anchors) +
				ebwt_bits(p->window - 1), 14);
}
static inline unsigned
ebwt_anchor_buckets(const struct ebwt_plan *p, uint64_t anchors)
{
	return ebwt_bucket_bits(p, anchors, ebwt_bits(anchors), 13);
}

/* The steps: text, find and link anchors, sort them. */
int ebwt_text(struct ebwt_anchors *a, struct err *e);
int ebwt_find(struct ebwt_anchors *a, struct err *e);
int ebwt_order(struct ebwt_anchors *a, struct err *e);

#endif
