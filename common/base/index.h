/* SPDX-License-Identifier: MIT */
/*
 * index.h - values by pairs of numbers
 *
 * A balanced tree, so that no choice of numbers makes it slow: O(log n) each.
 * Not thread-safe.
 */
#ifndef SEQF_INDEX_H
#define SEQF_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct index {		/* zero it first */
	void *root;
};
/* Where the pair's value is kept, NULL at first; NULL: no memory. */
void **index_at(struct index *x, uint64_t a, uint64_t b);
/* The pair's value; NULL if it has none. */
void *index_get(const struct index *x, uint64_t a, uint64_t b);
/* The same with numbers as values; 0: none, false: no memory. */
static inline uintptr_t
index_number(const struct index *x, uint64_t a, uint64_t b)
{
	return (uintptr_t)index_get(x, a, b);
}
static inline bool
index_set_number(struct index *x, uint64_t a, uint64_t b, uintptr_t n)
{
	void **at = index_at(x, a, b);

	if (at)
		*at = (void *)n;
	return at;
}
/* The values stay the caller's. */
void index_free(struct index *x);

#endif
