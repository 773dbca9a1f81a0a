/* SPDX-License-Identifier: MIT */
/*
 * kdiff_prefix.h - ends by way of a pattern's first rows
 *
 * D <= k holds at an end of the whole pattern only if the path to it passes
 * row r, the last one of a prefix, at a column with D <= k: a live one.  Random
 * text has few of them after the first r rows (check_rows() in kdiff.c), so the
 * rows below are done where columns are live, not in all lanes.
 *
 * Diagonals that matter.  Let columns c0 .. c1 be live, and c0 - 1 and c1 + 1
 * not.  From a column to the next one D changes by at most 1, so it is k at c0
 * and c1, and D(r, c) >= k - (c - c0) and >= k - (c1 - c): the k - D(r, c)
 * differences that are left lead from c by at most c - c0 diagonals to the left
 * and c1 - c to the right.  So ends with D <= k are on the diagonals of live
 * columns, c0 + m - r .. c1 + m - r, and D > k on those beside, in row r and,
 * as D does not fall along a diagonal, in all rows below.  r > k, so that the
 * column before a segment's first letter is not live.
 *
 * What is not live counts as any value > k: values <= k come from values <= k
 * alone.  So the frame of kdiff_deepen() begins with k + 1 before c0, and rises
 * after c1.
 *
 * A range that was joined with others, is wide, or is near a segment's border
 * or letters that match nothing is searched from row 0 by kdiff_strip.h, k
 * diagonals wider to each side: a path to D(r, c) <= k leaves c's diagonal by
 * at most as many.
 */
#ifndef SEQF_KDIFF_KDIFF_PREFIX_H
#define SEQF_KDIFF_KDIFF_PREFIX_H

#include "kdiff/kdiff_strip.h"

/* Room for one more of what the first rows lead to. */
typedef int kdiff_range_fn(void *ctx, struct kdiff_range **x, struct err *e);

struct kdiff_prefix {
	const struct kdiff_set *set;	/* whole patterns */
	const struct kdiff_set *first;	/* their first rows */
	const struct kdiff_text *text;
	kdiff_range_fn *add;
	void *ctx;
};

/* Can all patterns of the set be searched for so, and would it be wise? */
bool kdiff_prefix_fits(const struct kdiff_set *set, bool force);

/* The first rows of set's patterns; two numbers for each are put in room. */
int kdiff_prefix_make(struct kdiff_set *first, const struct kdiff_set *set,
		      uint32_t *room, struct err *e);

/*
 * The ranges of a view of p->text, which begins at letter base there; its
 * segments' from and to are ends of the first rows.  Those of a pattern come
 * in order, from and to are the segment's.
 */
int kdiff_prefix_find(const struct kdiff_prefix *p, const struct kdiff_job *j,
		      const struct kdiff_text *view, uint64_t base);

/* Hits of the deep ones of v[0..n), all of one pattern: kdiff_strip_scan(). */
int kdiff_deep_scan(const struct kdiff_strips *s, const struct kdiff_range *v,
		    size_t n, uint32_t rows, uint32_t number);

#endif
