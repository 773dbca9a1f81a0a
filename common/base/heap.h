/* SPDX-License-Identifier: MIT */
/*
 * heap.h - a binary heap in an array, the first element before all others
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
#ifndef SEQF_BASE_HEAP_H
#define SEQF_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

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
