/* SPDX-License-Identifier: MIT */
/* overlap.h - intervals that do not overlap too much, taken greedily */
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

#endif
