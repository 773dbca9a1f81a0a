/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_ends.h - cells told of a window, and the way back to their starts:
 * what sw_grid_region.c and sw_grid_follow.c share
 */
#ifndef SEQF_SW_GRID_ENDS_H
#define SEQF_SW_GRID_ENDS_H

#include "algo/sw_grid.h"
#include "algo/sw_net.h"
#include "algo/sw_ways.h"

/*
 * A cell to be told, and where its path has been followed to: SW_END_FOUND its
 * start, which is told, SW_END_MET another's.
 */
enum { SW_END_FOUND = SW_DIRS, SW_END_MET };
enum { SW_END_NONE = UINT32_MAX };
struct sw_grid_end {
	int64_t score, h;	/* h: H where the path has come to */
	uint32_t row, col;
	uint32_t i, j, in;
	uint32_t next;		/* of its tile; or which one it met */
	struct sw_way way;
};

/* A cell that was told, twice its H, and the end of its path. */
struct sw_grid_last {
	uint32_t col, end;
	int32_t h;
};
enum { SW_GRID_LAST = 8 };

/* Who came to a cell, and the word where its way goes on. */
struct sw_grid_mark {
	uint32_t end, word;
};

struct sw_grid_ends {
	struct sw_grid_end *end;
	/* of each row SW_GRID_LAST, at their columns modulo that */
	struct sw_grid_last *last;
	uint32_t *tile;			/* the first one of each */
	struct sw_grid_mark *mark;	/* at [strip][time][in F] */
	size_t n, cap, n_last, n_tile, n_mark;
	struct sw_ways ways;
};

/* A region, its window being g's. */
struct sw_grid_region {
	const struct sw_query *q;
	struct sw_work *w;
	struct sw_grid *g;
	struct sw_grid_ends *ends;
	uint64_t begin;		/* column of the window's first */
	const struct sw_mark *left;	/* before the window; or NULL */
	const uint8_t *text;	/* the window's */
	size_t from;		/* its columns to tell of */
	/* NULL: the grid has all of the window; else it is a tile of the net,
	 * which begins with a row and a column of the window. */
	const struct sw_net *net;
	size_t row, col;
	size_t strip, most;	/* ends, up to this strip */
	sw_cell_fn *put;
	void *ctx;
	int64_t least;		/* that put() wants */
	struct err *e;
};

/*
 * Tells of all ends, and keeps the paths of those that may stay.  ERR_NOMEM,
 * what put() said, or SW_GRID_BEFORE: a path begins before the window.
 */
enum { SW_GRID_BEFORE = 2 };
int sw_grid_follow(struct sw_grid_region *r);

/* The grid becomes the net's tile; told: ends in it are added. */
int sw_grid_net_tile(struct sw_grid_region *r, size_t high, size_t wide,
		     bool told);

/* Does a stand for the class of both? */
bool sw_grid_stands(const struct sw_grid_end *a, const struct sw_grid_end *b);

#endif
