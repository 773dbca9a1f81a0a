/* SPDX-License-Identifier: MIT */
/* ebwt_tile.h - a tile of the pairs of classes, and rows to count (private) */
#ifndef SEQF_EBWT_EBWT_TILE_H
#define SEQF_EBWT_EBWT_TILE_H

#include <pthread.h>

#include "ebwt/ebwt_priv.h"
#include "ebwt/ebwt_kern.h"

/* Numbers of rows and of columns of p->begins. */
struct ebwt_tile {
	uint32_t row, rows, column, columns;
};

/* Colours of consecutive rows, and when each class had the last one before. */
struct ebwt_stretch {
	const uint32_t *colour;
	uint64_t n;
	const uint64_t *last;	/* by class: number of the row from 1; 0 */
};

/* What a thread counts a tile with. */
struct ebwt_tile_work {
	uint16_t *id;		/* by class, or 65535: its place in */
	struct ebwt_local *local;
	uint16_t *count;	/* EBWT_TILE + 1 rows; the last is ignored */
	int16_t *last;		/* by column */
	uint64_t *order;
};
uint64_t ebwt_tile_bytes(const struct ebwt *x);
int ebwt_tile_room(struct ebwt_tile_work *w, struct ebwt *x, struct err *e);
void ebwt_tile_done(struct ebwt_tile_work *w, struct ebwt *x);

/*
 * Add to p->begins, for each pair of the tile, how many rows of the stretch
 * have the row's class, and a column's later than the last one of this.  The
 * lock guards p->begins.  class_of_row[] and class_of_column[] are by numbers.
 */
struct ebwt_tiling {
	struct ebwt_pairs *p;
	const uint32_t *class_of_row, *class_of_column;
	pthread_mutex_t *lock;
	ebwt_tally_fn *tally;
};
void ebwt_tile(const struct ebwt_tiling *g, const struct ebwt_tile *t,
	       const struct ebwt_stretch *s, struct ebwt_tile_work *w);

/* The rows of classes [class, class + EBWT_GROUP), ascending. */
enum { EBWT_GROUP = 256 };
struct ebwt_group {
	const uint32_t *row;
	const uint8_t *of;	/* which class each is of, less the first */
	uint64_t n;
	uint32_t class;
};
/* The same of all rows, of which those of the tile's classes are given: of a
 * group's classes as rows, of another's or the same one's as columns. */
void ebwt_tile_groups(const struct ebwt_tiling *g, const struct ebwt_tile *t,
		      struct ebwt_group rows, struct ebwt_group columns,
		      struct ebwt_tile_work *w);

#endif
