/* SPDX-License-Identifier: MIT */
/* sw_keep.h - the best K of what comes, and a bound of what they will be */
#ifndef SEQF_SW_KEEP_H
#define SEQF_SW_KEEP_H

#include "algo/sw_priv.h"

/* A hit that is kept: in a chain of those with its hash, and in the heap. */
struct sw_node {
	struct sw_hit hit;
	size_t next, place;
};

/*
 * The best K hits so far.  What has the same key is one hit: alignments of one
 * start, a cell that came twice.  Zero it first; reused.
 */
struct sw_keep {
	const struct sw_query *q;
	enum sw_kind kind;
	size_t k, n;
	struct sw_node *node;
	size_t *heap;	/* the worst first */
	size_t *head;	/* n_head chains, a power of two */
	size_t n_node, n_heap, n_head;
};
void sw_keep_reset(struct sw_keep *s, const struct sw_query *q,
		   enum sw_kind kind, size_t k);
/* ERR_NOMEM. */
int sw_keep_put(struct sw_keep *s, const struct sw_hit *x, struct err *e);
/* The last of K, once there are K, else NULL. */
const struct sw_hit *sw_keep_last(const struct sw_keep *s);
/* In their order; s is empty then.  ERR_NOMEM. */
int sw_keep_take(struct sw_keep *s, struct sw_hits *hits, struct err *e);
void sw_keep_free(struct sw_keep *s);

/* The K largest tops of bins, the least first. */
struct sw_top {
	int64_t top;
	uint32_t bin;
};
struct sw_tops {
	struct sw_top *v;
	size_t n;
};

/* Lower bound of the K-th best score, from tops of blocks.  Zero it first. */
struct sw_raise {
	size_t k;
	int64_t threshold;
	uint32_t *bin;		/* of a block */
	uint32_t *place;	/* of a bin in its heap, from 1 on */
	struct sw_top *mem;
	size_t n_bin, n_place, n_mem;
	struct sw_tops tops[2];	/* even and odd bins */
};
/* ERR_NOMEM; ERR_LIMIT for a text of more than 2^30 blocks. */
int sw_raise_reset(struct sw_raise *r, const struct sw_query *q,
		   const struct sw_text *t, size_t k, int64_t least,
		   struct err *e);
/* struct sw_pass's raise; ctx is a struct sw_raise. */
int64_t sw_raise_hear(void *ctx, uint64_t block, int64_t top);
void sw_raise_free(struct sw_raise *r);

/* Guesses of the K-th best score, each lower than the one before.  Zero it. */
struct sw_guess {
	int64_t first;	/* 0: none, or it was told */
	int64_t last;	/* that was told */
	int64_t *top;	/* of narrow bins, falling */
	size_t n, cap, next;
	int64_t lowest;	/* top of a bin */
	struct sw_rise {
		int64_t top, low;	/* low: since the bin below, or top */
		bool counts;	/* none before it is higher but for a valley */
	} *rise;
	size_t cap_rise;
};
/* ERR_NOMEM. */
int sw_guess_reset(struct sw_guess *g, const struct sw_text *t,
		   const struct sw_peak *peak, size_t k, struct err *e);
int64_t sw_guess_next(struct sw_guess *g);	/* 0: none is left */
void sw_guess_free(struct sw_guess *g);

#endif
