/* SPDX-License-Identifier: MIT */
/*
 * sw_borders.h - a window's scores by a skewed wavefront, kept at tile borders
 *
 * Where paths go everywhere, as in the linear phase, all cells of a window are
 * computed before any path is followed.  Skewed lanes do that several times as
 * fast as a grid (sw_grid.h), and leave the values above tiles and before them.
 * A grid then computes only those tiles that have a cell to be reported or that
 * a path comes to.
 * 	E is the textbook's here, so that a path may go on in any tile.
 */
#ifndef SEQF_SW_SW_BORDERS_H
#define SEQF_SW_SW_BORDERS_H

#include "sw/sw_skew.h"

struct sw_borders {
	size_t n, cols;		/* rows and columns of the window */
	/* Of a tile, powers of two; rows above the query's first. */
	size_t strips, blocks, fill;
	size_t high, wide;	/* tiles */
	/*
	 * Before tile column v > 0, [v - 1][row], and above tile row x > 0,
	 * [block][x - 1][column], `bytes` each: sw_borders.c says what.  H of a
	 * tile's first row, [v - 1][tile row]; of a block's first column.
	 * So memory is used as far as columns are done.
	 */
	uint8_t *left, *above;
	int32_t *left_h, *above_h;
	unsigned bytes;
	int32_t first, open;
	/* What a code says: H less that of the cell before; the gap's value
	 * less H.  Of a byte. */
	int16_t step[256], gap[256];
	bool *reported;	/* may the tile have a cell to be reported? */
	int32_t *most;	/* no H of it is larger, of columns from `from` on */
	size_t from;
	bool peaks;	/* the pass's, too */
	/* Of each lane: H of the last row that it left; largest H above. */
	int32_t last[SW_SKEW_LANES], top[SW_SKEW_LANES];
	/* A tile's, with the corner before left[0]. */
	struct sw_checkpoint *tile_left;
	int32_t *tile_h, *tile_f;
	uint8_t *mem;
	size_t cap;
};
void sw_borders_free(struct sw_borders *x);

struct sw_grid_window;
/*
 * w->borders of a window of whole blocks, with H = 0 before it.  1: none,
 * others do it, as where it would take more memory than a grid.  ERR_NOMEM.
 */
int sw_borders_run(struct sw_work *w, const struct sw_query *q,
	       const struct sw_grid_window *x, struct err *e);
/*
 * sw_skew_pass() that leaves the borders of the whole text in p->borders, where
 * paths are likely to be wanted anywhere and memory allows it, else NULL.
 */
int sw_borders_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
/* Sets `reported`, where some H may be as large; returns how many are. */
size_t sw_borders_report(const struct sw_borders *x, int64_t least);
/* A cell's tile: [row of tiles][column of tiles]. */
size_t sw_borders_tile(const struct sw_borders *x, size_t i, size_t j);
/* A tile's rows, if it has any, and columns. */
struct sw_borders_range {
	size_t from, to;
} sw_borders_rows(const struct sw_borders *x, size_t high),
  sw_borders_cols(const struct sw_borders *x, size_t wide);
/*
 * The column before a tile, from its first row on, NULL: H = 0; what is above
 * it, which is H.  Until they are asked for again.
 */
const struct sw_checkpoint *sw_borders_left(const struct sw_borders *x,
					    size_t high, size_t wide);
const int32_t *sw_borders_above(const struct sw_borders *x, size_t high,
				size_t wide);

/* The least H of n rows from `row` on, in the column before their tile, or of a
 * block's columns in the row above it; 0 where there is none. */
int32_t sw_borders_low_left(const struct sw_borders *x, size_t row, size_t n,
			    size_t wide);
int32_t sw_borders_low_above(const struct sw_borders *x, size_t high,
			     size_t block);

/* For the lanes: what a step left. */
void sw_borders_take(struct sw_skew *s);

#endif
