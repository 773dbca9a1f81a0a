/* SPDX-License-Identifier: MIT */
/*
 * sw_mask.h - a skewed wavefront pass without the pairs of one path
 *
 * Lanes do not handle forbidden pairs.  So the few strips that have any are
 * computed again, cell by cell, and the values that lanes left are replaced.
 */
#ifndef SEQF_SW_SW_MASK_H
#define SEQF_SW_SW_MASK_H

#include "sw/sw_skew.h"

#define SW_MASK_NONE UINT64_MAX
struct sw_mask {
	const struct sw_query *q;
	const struct sw_text *t;
	const uint64_t *col;	/* of a row: the column of its pair, or NONE */
	/*
	 * Of every strip that has an H >= least: its first row, which may be
	 * above the query's first, its block and its largest H.  Returns least
	 * from now on, at least as high.
	 */
	int64_t (*report)(void *ctx, int64_t row, uint64_t block, int64_t top);
	void *ctx;
	int64_t least;
	bool stop;	/* by report(): the pass returns 1 */
	/* Blocks of each strip's pairs; room for all strips of the lanes. */
	struct sw_mask_span {
		uint64_t from, to;
	} *span;
	/* Strips of a step that have pairs, as they were before it. */
	struct sw_mask_strip {
		unsigned lane;
		size_t strip;
		uint64_t block;
		int32_t h[SW_BLOCK], f[SW_BLOCK];	/* above it */
		struct sw_checkpoint left[SW_SKEW_ROWS];
		int32_t corner, top;
	} now[SW_SKEW_LANES];
	unsigned n;
};
enum { SW_MASK_SPANS = SW_SKEW_LANES + 1 };	/* and one for each 8 rows */
void sw_mask_open(struct sw_skew *s);
void sw_mask_before(struct sw_skew *s);	/* a step */
void sw_mask_after(struct sw_skew *s);	/* it, sw_skew_take_end(), too */

#endif
