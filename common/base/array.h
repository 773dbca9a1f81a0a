/* SPDX-License-Identifier: MIT */
/* array.h - arrays that grow, heaps and trees in them, the lesser of two */
#ifndef SEQF_BASE_ARRAY_H
#define SEQF_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The lesser and the larger of two, and their order. */

static inline uint64_t
min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline int64_t
min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t
max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* As qsort() wants it: below 0, 0 or above 0. */
static inline int
cmp_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/*
 * Arrays and tables of slots that double; what is sorted is found
 *
 * `at` is the address of the pointer to the array, of whatever type.  After
 * ERR_NOMEM array and size are what they were.  Not thread-safe.
 */

/* Room for n things of so many bytes in an array that has room for *cap. */
int array_room(void *at, size_t *cap, size_t n, size_t size, struct err *e);

/*
 * An empty table of twice as many slots, all 0, in place of one of *n, a power
 * of two or 0.
 */
int slots_double(void *at, size_t *n, size_t size, struct err *e);

/*
 * Of n things of so many bytes, ordered by a uint64_t that each holds `at`
 * bytes behind its begin: the first whose number is not below x; n: none.
 */
size_t array_first(const void *v, size_t n, size_t size, size_t at,
		   uint64_t x);

/*
 * Values by pairs of numbers
 *
 * A balanced tree, so that no choice of numbers makes it slow: O(log n) each.
 * Not thread-safe.
 */

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

/* Large pieces of memory. */

/*
 * n bytes for any vector, to be free()d; NULL: there are none.  Many are asked
 * for in huge pages, which are fast to get, to use and to give back, above all
 * by several threads: the system takes turns over small ones.
 */
void *pages_alloc(size_t n);
/* Bytes of memory that the machine has, in use or not; UINT64_MAX: not
 * known. */
uint64_t pages_machine(void);

/*
 * A binary heap in an array, the first element before all others
 *
 * HEAP(name, type, ctx, before, placed) defines
 *
 * 	void name_up(ctx *c, type *v, size_t at, type x)
 * 		x to place at, which is free, or above; all else is a heap
 * 	void name_down(ctx *c, type *v, size_t n, size_t at, type x)
 * 		likewise, or below, of n elements
 *
 * 	bool before(ctx *c, const type *a, const type *b)
 * 		strict; c may be NULL
 * 	void placed(ctx *c, const type *x, size_t at)
 * 		x is at place `at` from now on; or HEAP_ANYWHERE
 *
 * To add x: name_up(c, v, n++, x).  To replace the first: name_down(c, v, n, 0,
 * x); to take it away: --n, then name_down(c, v, n, 0, v[n]) if n > 0.
 */

#define HEAP_ANYWHERE(c, x, at) ((void)(c))

#define HEAP(name, type, ctx, before, placed) \
static inline void \
name##_up(ctx *c, type *v, size_t at, type x) \
{ \
	for (; at && before(c, &x, &v[(at - 1) / 2]); at = (at - 1) / 2) { \
		v[at] = v[(at - 1) / 2]; \
		placed(c, &v[at], at); \
	} \
	v[at] = x; \
	placed(c, &x, at); \
} \
\
static inline void \
name##_down(ctx *c, type *v, size_t n, size_t at, type x) \
{ \
	for (size_t k = 2 * at + 1; k < n; k = 2 * at + 1) { \
		if (k + 1 < n && before(c, &v[k + 1], &v[k])) \
			k++; \
		if (!before(c, &v[k], &x)) \
			break; \
		v[at] = v[k]; \
		placed(c, &v[at], at); \
		at = k; \
	} \
	v[at] = x; \
	placed(c, &x, at); \
}

#endif
