/* SPDX-License-Identifier: MIT */
/*
 * sw_disjoint.h - local alignments without a pair of letters in common
 * Source: Waterman and Eggert, J. Mol. Biol. 197, 1987.
 *
 * Again and again the best cell (largest H, then least column, then least row)
 * and its alignment (sw.h), whose pairs are forbidden from then on.
 */
#ifndef SEQF_SW_SW_DISJOINT_H
#define SEQF_SW_SW_DISJOINT_H

#include "sw/sw.h"

enum { SW_DISJOINT_CELLS = 1 << 30 };

/* Working memory, reused; zero it first. */
struct sw_disjoint {
	/* What to align: set before sw_disjoint_begin(), and kept. */
	const struct sw_scoring *s;
	const uint8_t *same;	/* as of sw_trace() */
	const uint8_t *query, *text;
	size_t m, n;		/* m * n is at most SW_DISJOINT_CELLS */
	size_t side;	/* of a tile, a multiple of 32; 0: as is best (tests) */
	struct sw_disjoint_table *table;	/* private */
};
void sw_disjoint_free(struct sw_disjoint *d);
/*
 * Nothing is forbidden yet.  Memory: m * n / 16 bytes and some MB, and up to 16
 * bytes for each pair that is reported.  ERR_NOMEM.
 */
int sw_disjoint_begin(struct sw_disjoint *d, struct err *e);
/*
 * 1 and the next alignment, operations in ops, which is overwritten; 0 if none
 * scores `least` >= 1 or more; ERR_NOMEM.  Time O(m n) at first; then what the
 * last alignment changed, and tiles that this one goes through.
 */
int sw_disjoint_next(struct sw_disjoint *d, int64_t least, struct sw_hit *hit,
		     struct buf *ops, struct err *e);

#endif
