/* SPDX-License-Identifier: MIT */
/*
 * sw_disjoint_kern.h - scores of a tile, by vectors of 32 bits
 *
 * Values at a tile's borders are 0 or more: a gap with a lower score cannot
 * be on the path of a cell with H > 0, nor be preferred to one that opens.
 */
#ifndef SEQF_SW_SW_DISJOINT_KERN_H
#define SEQF_SW_SW_DISJOINT_KERN_H

#include "base/cpu.h"
#include "sw/sw.h"

enum {
	SW_DISJOINT_TILE = 512,		/* rows and columns, at most */
	SW_DISJOINT_EDGE = 64,		/* letters around a tile's columns */
	SW_DISJOINT_MAX = 1 << 30,	/* H of a table that they take */
};

/* H of a border's cells, and the gap that goes on over it: E, or F. */
struct sw_disjoint_cell {
	int64_t h, gap;
};

struct sw_disjoint_tile {
	const struct sw_scoring *s;
	const uint8_t *query, *text;	/* codes of its rows, its columns */
	size_t rows, cols;
	/* NULL: H = 0; above[-1].h is that of the corner, or corner is 0 */
	const struct sw_disjoint_cell *left, *above;
	int64_t corner;
	/* A bit a pair: word row * words + column / 64; or NULL: none is. */
	const uint64_t *forbidden;
	/* To be replaced; NULL: there is no tile. */
	struct sw_disjoint_cell *right, *below;
	/* Which of them differ from what was there; at the last column. */
	bool right_new, below_new, corner_new;
	int64_t top;			/* the largest H */
};
enum { SW_DISJOINT_WORDS = SW_DISJOINT_TILE / 64 };

typedef void sw_disjoint_fn(struct sw_disjoint_tile *t);
KERN_DECLARE_VECTOR(sw_disjoint_fn, sw_disjoint_tile);

/* One border cell; true: it was another. */
static inline bool
sw_disjoint_put(struct sw_disjoint_cell *to, int64_t h, int64_t gap)
{
	bool new;

	gap = gap > 0 ? gap : 0;
	new = to->h != h || to->gap != gap;
	*to = (struct sw_disjoint_cell){ h, gap };
	return new;
}

#endif
