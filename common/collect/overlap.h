/* SPDX-License-Identifier: MIT */
/*
 * overlap.h - rows that others make superfluous: overlapping ones, and shadows
 */
#ifndef SEQF_COLLECT_OVERLAP_H
#define SEQF_COLLECT_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct overlap {	/* all zero: empty */
	struct interval {
		uint64_t beg, end;
		size_t next;	/* of the same bucket, index + 1 */
	} *v;
	size_t n, cap;
	size_t *bucket;
	size_t n_buckets;	/* a power of two */
	uint64_t width;		/* of the places of a bucket, a power of two,
				   at least the longest interval's length */
};

/*
 * Take [beg, end) unless it overlaps one taken before by more than share
 * (0 to 1) of the shorter of both.  1 taken, 0 not,
 * ERR_NOMEM.  O(1) for intervals of similar lengths.
 */
int overlap_take(struct overlap *o, uint64_t beg, uint64_t end,
		 struct decimal share, struct err *e);
void overlap_clear(struct overlap *o);	/* keeps its memory */
void overlap_free(struct overlap *o);

/*
 * Intervals that none with fewer edits hides
 *
 * An interval is a shadow if one with strictly fewer edits overlaps more than
 * half of the shorter of both, whether that one is a shadow itself or not.  So
 * the rule asks for no order; only the memory does: intervals come by where
 * they begin, and one is decided when the next begins at its end or behind it.
 */

struct shadow_of {
	uint64_t beg, end, edits;
	bool hidden;
};

struct shadow {		/* all zero: empty */
	struct shadow_of *v;	/* [first, n) may overlap what comes */
	size_t first, next, n, cap;	/* next: the first not handed out */
	struct queue rows;	/* of [next, n) */
	struct buf row;		/* the one handed out */
};

/* The next interval and its row, n bytes, which are copied.  None before it
 * begins behind it.  ERR_NOMEM, ERR_IO. */
int shadow_add(struct shadow *s, const struct shadow_of *x, const void *row,
	       size_t n, struct err *e);
/*
 * 1 and the first row not handed out yet that is no shadow, if nothing that
 * begins at beg or behind it can hide it (UINT64_MAX: nothing comes); 0 if
 * there is none; or an error.  The row, 8-byte aligned, lives until the next
 * call.
 */
int shadow_next(struct shadow *s, uint64_t beg, const void **row,
		struct err *e);
/* Everything was handed out; the next interval is of another group. */
void shadow_clear(struct shadow *s);
void shadow_free(struct shadow *s);

#endif
