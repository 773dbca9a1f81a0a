/* SPDX-License-Identifier: MIT */
/*
 * sw_skew.h - scores of blocks, blocks of the text and strips of rows skewed
 * Source: Wozniak 1997 (cells that do not depend on each other in a vector).
 */
#ifndef SEQF_SW_SKEW_H
#define SEQF_SW_SKEW_H

#include "algo/sw_priv.h"

/*
 * sw_pass() with vectors of 8 and 16 bits, each cell once; with a crew by
 * ranges of rows, see sw_skew_wave.c.  Memory: 9 bytes a row, and 0.2 MB a
 * range.  Returns 0; 1 if it cannot take this, peaks being as they were: no
 * such vectors here; scores other than a match M > 0 of up to 4 letters of the
 * query with themselves and a mismatch X <= 0 of all others;
 * n * M >= 2^31 - 2^20;
 * 72 * M + 4 * open + 81 * extend - X >= 2^15.  ERR_NOMEM.
 */
int sw_skew_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
/* Does it take the query, with few lanes that idle? */
bool sw_skew_is_best(const struct sw_query *q);
/*
 * The pass by parts of the query's rows: what a part leaves below a block is
 * what the next one needs above it.  Only the last part fills peaks and raises.
 */
struct sw_skew_row {	/* below a part, of a block's columns */
	int32_t h[SW_BLOCK], f[SW_BLOCK];	/* H, and F of the next row */
	int32_t top, bound;	/* of the parts so far, see struct sw_skew */
};
enum { SW_SKEW_RING = 256 };	/* blocks */
struct sw_skew_part {
	size_t from, to;	/* rows */
	/* Rings of SW_SKEW_RING; NULL: the first part, the last part. */
	const struct sw_skew_row *above;
	struct sw_skew_row *below;
	/* Of the last part, as it is known so far; other threads raise it.
	 * NULL: p->threshold. */
	const int64_t *threshold;
};
/*
 * Where parts begin: up to `most` of them, of which none idles; returns how
 * many there are.  from: most + 1 entries, the last is q->n.  At least 1.
 */
size_t sw_skew_split(const struct sw_query *q, size_t most, size_t *from);
/* *s is made if it is NULL.  As sw_skew_pass(); nothing is computed yet. */
int sw_skew_begin(struct sw_skew **s, const struct sw_pass *p,
		  const struct sw_skew_part *part, struct err *e);
/*
 * Goes on to where it needs block `limit`, or to the end of the text.  By then
 * it has left sw_skew_left(s, p, limit) blocks to the part below.  Returns 0;
 * 1: what is left is better done by others.
 */
int sw_skew_run(struct sw_skew *s, struct sw_pass *p, uint64_t limit);
uint64_t sw_skew_left(const struct sw_skew *s, const struct sw_pass *p,
		      uint64_t limit);
void sw_skew_free(struct sw_skew *s);

/* sw_skew_wave.c: sw_skew_pass() by w->crew.  1: there is but one part. */
int sw_wave_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
void sw_wave_free(struct sw_wave *v);

#endif
