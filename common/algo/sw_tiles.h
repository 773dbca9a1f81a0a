/* SPDX-License-Identifier: MIT */
/*
 * sw_tiles.h - tiles of a table, each when those above and before it are done
 *
 * A table of strips of rows by steps: step t of row r of a strip is in column
 * t - r, and step t of strip s at time t + s (rows - 1).  Then a strip has left
 * above each column just what the next one needs at that time.  A tile is some
 * strips by some times; it needs the one above and the one before it.
 */
#ifndef SEQF_SW_TILES_H
#define SEQF_SW_TILES_H

#include <stddef.h>

#include "base/err.h"

struct crew;
struct sw_meter;

struct sw_tiles {
	size_t rows;			/* of a strip */
	size_t strips, steps;		/* all; of each strip */
	size_t strip_tile, time_tile;	/* of a tile */
	/* Not all of them: those from `strip` on, at times [from, to). */
	size_t strip, from, to;		/* to: 0 for all */
	const struct sw_meter *meter;	/* ticks with each tile; or NULL */
};

/* Steps [t, end) of a strip are in a tile; none: t >= end. */
struct sw_tile {
	size_t strip, t, end;
};

/*
 * Hears of each strip of a tile, from the top; `who` of sw_tiles_who() does it.
 * Not 0: stop.
 */
typedef int sw_tile_fn(void *ctx, const struct sw_tile *tile, unsigned who);

/* Steps of a strip at times [from, to). */
struct sw_tile sw_tiles_cut(const struct sw_tiles *t, size_t strip,
			    size_t from, size_t to);
/* Threads at the same time, at most; 1 without a crew. */
unsigned sw_tiles_who(const struct crew *crew);
/*
 * All tiles, by whoever of the crew comes; NULL: by this thread alone, in
 * order.  What fn said, of the first that stopped; tiles in hand are finished.
 * ERR_NOMEM.
 */
int sw_tiles_run(const struct sw_tiles *t, struct crew *crew, sw_tile_fn *fn,
		 void *ctx, struct err *e);

#endif
