/* SPDX-License-Identifier: MIT */
/*
 * index.h - values by pairs of numbers
 *
 * A balanced tree, so that no choice of numbers makes it slow: O(log n) each.
 * Not thread-safe.
 */
#ifndef SEQF_INDEX_H
#define SEQF_INDEX_H

#include <stdint.h>

struct index {		/* zero it first */
	void *root;
};
/* Where the pair's value is kept, NULL at first; NULL: no memory. */
void **index_at(struct index *x, uint64_t a, uint64_t b);
/* The pair's value; NULL if it has none. */
void *index_get(const struct index *x, uint64_t a, uint64_t b);
/* The values stay the caller's. */
void index_free(struct index *x);

#endif
