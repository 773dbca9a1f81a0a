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
 * A rotation is a 64-bit integer: the low bits of its key (the high ones select
 * its bucket), the rank of its anchor, and a tail: how far before it lies, or,
 * where only this is asked for, the class.
 */
#ifndef SEQF_EBWT_EBWT_ANCHOR_H
#define SEQF_EBWT_EBWT_ANCHOR_H

#include "ebwt/ebwt_priv.h"

/* What a thread does of the rotations, which are numbered class by class. */
struct ebwt_part {
	uint64_t beg, end;
	uint32_t first_class;	/* that has rotation beg */
	uint32_t first_anchor, n_anchors, room;
	uint32_t *count;	/* by bucket: rotations, then where they go */
};

/* Bits of an item. */
struct ebwt_layout {
	unsigned bucket_bits;	/* high bits of a key, that are not in it */
	unsigned index_bits, tail_bits;
	bool has_class;		/* is the tail */
};

struct ebwt_anchors {
	struct ebwt *x;
	struct ebwt_plan plan;
	const struct ebwt_ops *ops;
	unsigned threads, n_parts;
	struct ebwt_part *part;	/* of less than 2^32 rotations */
	uint32_t *counts;	/* of all parts */
	bool wants_offsets;
	struct ebwt_layout layout;
	uint8_t *text;		/* codes: ebwt_codes() */
	uint64_t *base;		/* by class, and one more: first rotation */
	uint32_t *first;	/* by class, and one more: first anchor */
	uint32_t n;		/* anchors */
	uint32_t *pos;		/* in its class, ascending */
	/* The anchor is that of rotations pos - reach up to pos, and on to the
	 * next one's first: of one class, circular. */
	uint8_t *reach;
	/*
	 * What anchors are sorted with, and then items: new memory costs more
	 * than to sort in it.
	 */
	uint8_t *slab;
	uint64_t slab_bytes;
	uint64_t *key;		/* in it, until anchors are sorted by keys */
	uint32_t *rank;		/* by anchor */
	uint32_t *sorted;	/* anchors by rank; room for one more */
	uint64_t n_keys;	/* different ones, of anchors */
	/*
	 * If rotations go in bundles (ebwt_order.c), else NULL: is an anchor
	 * in the bundle of the one before in rank?  By rank, below the class
	 * in bits above, with a 0 behind; by anchor.
	 */
	uint32_t *member;
	uint8_t *led;
	uint64_t n_leads;	/* rotations of anchors that lead bundles */
};

/* Rotations as integers, those of some buckets at a time. */
struct ebwt_items {
	struct ebwt_anchors *a;
	uint64_t *end;			/* by bucket, of all rotations */
	uint64_t most;			/* in a batch: room of item */
	uint64_t *item;
	uint64_t *bundle;		/* one for each: n_leads */
	uint64_t *to;			/* what ebwt_scatter() writes */
	uint64_t *tmp, largest;		/* for the largest bucket, by thread */
	uint32_t *pos, *class;		/* by rank */
	uint64_t lo, hi;		/* buckets of a batch */
	uint64_t base;			/* rotations before it */
};

/*
 * The slab, in bytes an anchor: where what begins.  What is written first is
 * written over: to clear a page that is new takes as long as to sort it.
 */
enum {
	EBWT_SLAB_ITEM = 0,
	EBWT_SLAB_KEY = 8,
	EBWT_SLAB_NEXT = 8,
	EBWT_SLAB_STEP = 12,
	EBWT_SLAB_TMP = 16,	/* little of it is used but for large groups */
	EBWT_SLAB_GROUP = 24,
	EBWT_SLAB_OTHER = 28,
	EBWT_SLAB_TURN = 32,
	EBWT_SLAB_OLD = 36,	/* this and what follows if there are threads */
	EBWT_SLAB_OWNER = 40,
	EBWT_SLAB_END = 41,
};
static inline uint64_t
ebwt_slab_bytes(unsigned threads, uint64_t anchors)
{
	return (anchors + 15) / 16 * 16 *
	       (threads > 1 ? EBWT_SLAB_END : EBWT_SLAB_OLD);
}
static inline void *
ebwt_slab(const struct ebwt_anchors *a, unsigned at)
{
	return a->slab + (((uint64_t)a->n + 15) / 16 * 16) * at;
}

/* A class's letters: L more, circular, on both sides. */
static inline uint8_t *
ebwt_codes(const struct ebwt_anchors *a, uint32_t class)
{
	return a->text + (a->base[class] - a->base[0]) +
	       (2 * (uint64_t)class + 1) * a->plan.letters;
}

/* The first rotation, from the class's own begin on, of which an anchor of it
 * is the anchor: may lie before it. */
static inline int64_t
ebwt_begin(const struct ebwt_anchors *a, uint32_t anchor)
{
	return (int64_t)a->pos[anchor] - a->reach[anchor];
}

static inline unsigned
ebwt_bits(uint64_t x)
{
	return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

unsigned ebwt_parts(const struct ebwt *x);
/* How many there will be, as a sample says. */
uint64_t ebwt_guess_anchors(const struct ebwt *x, const struct ebwt_plan *p);
/* For so many of each part there is room, if it is n in all. */
static inline uint64_t
ebwt_anchor_room(uint64_t n, uint64_t parts)
{
	return parts == 1 ? n : n / parts + n / parts / 16 + 1;
}
void ebwt_plan(struct ebwt_plan *p, const struct ebwt *x);
struct ebwt_layout ebwt_layout(const struct ebwt *x, const struct ebwt_plan *p,
			       uint64_t anchors, bool wants_offsets);
/*
 * Bits of buckets of m integers that hold a key and `more` bits: as many as it
 * takes for the rest of a key to fit 64 bits, and for few to be in a bucket.
 */
static inline unsigned
ebwt_bucket_bits(const struct ebwt_plan *p, uint64_t m, unsigned more)
{
	enum { FEW = 14 };	/* bits of how many */
	unsigned n = ebwt_bits(m), bits = n > FEW + 1 ? n - FEW : 1;

	if (p->key_bits + more > 64 + bits)
		bits = p->key_bits + more - 64;
	return bits < p->key_bits ? bits : p->key_bits;
}

/* The steps: text, find anchors, sort them. */
int ebwt_text(struct ebwt_anchors *a, struct err *e);
int ebwt_find(struct ebwt_anchors *a, struct err *e);
int ebwt_order(struct ebwt_anchors *a, struct err *e);
/* Then `sorted` is `member`, or no more.  Bundles, if there are any, leave room
 * in the slab for `largest` items. */
int ebwt_bundles(struct ebwt_anchors *a, uint64_t largest, struct err *e);
/* A part's rotations of the batch's buckets to t->to, each bucket's from the
 * part's count on, which goes on; or counted. */
threads_each_fn ebwt_scatter, ebwt_count_items;
/* How many rotations become items at a time if there is memory. */
uint64_t ebwt_batch_size(const struct ebwt *x);

#endif
