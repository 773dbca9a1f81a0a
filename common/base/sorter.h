/* SPDX-License-Identifier: MIT */
/*
 * sorter.h - rows of bytes in order, in bounded memory
 *
 * A row begins with its size in bytes (uint32_t, a multiple of 8, at most
 * 2^32 - 8) and is 8-byte aligned.  Rows are sorted in memory; what does not
 * fit goes to $TMPDIR in sorted runs, which are merged in the end.
 */
#ifndef SEQF_BASE_SORTER_H
#define SEQF_BASE_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sorter_ops {
	/* As sort_with() calls it, a and b point to pointers to rows; a total
	 * order. */
	int (*cmp)(const void *a, const void *b, void *ctx);
	/*
	 * v[0..n) are sorted rows, a part of all.  Drop those that cannot
	 * matter any more: move the others to the front, return how many.
	 * May be NULL.
	 */
	size_t (*trim)(const void **v, size_t n, void *ctx);
	void *ctx;
	/* Called before rows are put in order: what cmp() looks up.  May be
	 * NULL. */
	int (*prepare)(void *ctx, struct err *e);
};

struct sorter;
/* memory: bytes for rows, at least one row is kept whatever it says. */
int sorter_new(struct sorter **s, const struct sorter_ops *ops, size_t memory,
	       struct err *e);
int sorter_add(struct sorter *s, const void *row, struct err *e);
/* Did the order matter yet?  Until then cmp may change its mind. */
bool sorter_sorted(const struct sorter *s);
int sorter_finish(struct sorter *s, struct err *e);
/* 1 and the next row (valid until the next call), 0, or an error. */
int sorter_next(struct sorter *s, const void **row, struct err *e);
void sorter_free(struct sorter *s);

#endif
