/* SPDX-License-Identifier: MIT */
/*
 * sw_skew.h - scores of blocks, blocks of the text and strips of rows skewed
 * Source: Wozniak 1997 (cells that do not depend on each other in a vector).
 */
#ifndef SEQF_SW_SKEW_H
#define SEQF_SW_SKEW_H

#include "algo/sw_priv.h"

/*
 * sw_pass() with vectors of 8 and 16 bits, each cell once.  Memory: 9 bytes a
 * row.  Returns 0; 1 if it cannot take this, peaks being as they were: no such
 * vectors here; scores other than a match M > 0 of up to 4 letters of the query
 * with themselves and a mismatch X <= 0 of all others; n * M >= 2^31 - 2^20;
 * 72 * (M + open + extend) + 2 * open + 9 * extend - X >= 2^15.  ERR_NOMEM.
 */
int sw_skew_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
/* Does it take the query, with few lanes that idle? */
bool sw_skew_is_best(const struct sw_query *q);
/*
 * The pass by parts of the query's rows, which may run side by side, each with
 * a work and a sw_pass of its own over the same text: what a part leaves below
 * a block is what the next one needs above it.  Only the last part fills peaks
 * and raises.
 */
struct sw_skew_row {	/* below a part, of a block's columns */
	int32_t h[SW_BLOCK], f[SW_BLOCK];	/* H, and F of the next row */
	int32_t top, bound;	/* of the parts so far, see struct sw_skew */
};
struct sw_skew_part {
	size_t from, to;	/* rows */
	/*
	 * Of the row above, from the first block on, each once; waits until it
	 * is there.  NULL: the first part.  Not 0: the part ends with that.
	 */
	int (*take)(void *ctx, uint64_t block, struct sw_skew_row *row);
	/* The same of its last row.  NULL: the last part. */
	int (*give)(void *ctx, uint64_t block, const struct sw_skew_row *row);
	/* Of the last part, as it is known so far.  NULL: p->threshold. */
	int64_t (*threshold)(void *ctx);
	void *ctx;
};
/*
 * Where parts begin: up to `most` of them, of which none idles; returns how
 * many there are.  from: most + 1 entries, the last is q->n.  At least 1.
 */
size_t sw_skew_split(const struct sw_query *q, size_t most, size_t *from);
/* As sw_skew_pass(). */
int sw_skew_part(struct sw_pass *p, const struct sw_skew_part *part,
		 struct sw_work *w, struct err *e);
void sw_skew_free(struct sw_skew *s);

#endif
