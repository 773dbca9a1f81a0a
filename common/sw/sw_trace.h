/* SPDX-License-Identifier: MIT */
/*
 * sw_trace.h - the interface between the kernels of sw_trace() and their driver
 *
 * The box of a hit is cut into strips of `rows` rows.  A strip runs over its
 * columns from the H and F above it, and leaves those of its last row in their
 * place.  Directions of a cell are 4 bits: of row r (from the top of the
 * strip) and column j (of its columns), bit rows - 1 - r of word j + r of
 * 	STEP_DIAG	H is what the diagonal gives
 * 	STEP_E		H = E
 * 	OPEN_E		E of the next column comes from H (not from E)
 * 	OPEN_F		F of the next row comes from H
 * a word being SW_DIRS masks of `rows` bits.
 */
#ifndef SEQF_SW_SW_TRACE_H
#define SEQF_SW_SW_TRACE_H

#include <stddef.h>

#include "base/base.h"
#include "sw/sw_priv.h"

enum sw_dir { STEP_DIAG, STEP_E, OPEN_E, OPEN_F, SW_DIRS };

struct sw_strip {
	const struct sw_query *q;
	const uint8_t *row;	/* codes of its rows; then SW_PAD */
	const uint8_t *col;	/* letters; then SW_ROWS readable */
	size_t cols;
	/*
	 * H and F above it, a value a column, from SW_ROWS columns before col
	 * to SW_ROWS behind.  int32_t, or int64_t if wide.
	 */
	void *h, *f;
	int64_t corner;		/* H above it, in the column before */
	uint8_t *dirs;		/* (cols + rows - 1) words, or NULL */
	/* The hit's score; rows and columns of its box from here to its end:
	 * what cannot lead to the score may be left out. */
	int64_t score;
	size_t rows_left, cols_left;
};
typedef void sw_strip_fn(struct sw_strip *s);

struct sw_tracing {
	unsigned rows;
	bool wide;	/* takes any scores: see sw_trace_fits() */
	sw_strip_fn *strip;
};
KERN_DECLARE(const struct sw_tracing, sw_tracing);

/* Does a box of so many rows and columns fit 32 bits? */
bool sw_trace_fits(const struct sw_query *q, size_t rows, size_t cols);

/*
 * sw_trace() by a kernel, with so many bytes for directions, if that is enough
 * for a strip.
 */
int sw_trace_by(const struct sw_tracing *how, size_t budget,
		const struct sw_query *q, const struct sw_text *t,
		const struct sw_hit *h, const uint8_t same[SW_LETTERS],
		struct sw_work *w, struct buf *ops, struct err *e);

/* A path, followed from its last cell to its first. */
struct sw_path {
	const struct sw_query *q;
	const uint8_t *row, *col;	/* codes of the box */
	const uint8_t *same;	/* NULL: all diagonal steps are = */
	ptrdiff_t i, j;		/* cell of the box */
	enum sw_dir in;		/* OPEN_E, OPEN_F: a gap ends here, if so;
				   else in H */
	int64_t score;		/* of what is behind the cell */
	struct buf *ops;	/* backwards, from `first` on; or NULL */
	size_t first;
	uint32_t op;		/* the last one, and how many of it */
	uint64_t len;
};
/* From a cell with these directions, a bit each. */
void sw_path_step(struct sw_path *p, unsigned dirs);
/* The operations so far are in ops. */
void sw_path_flush(struct sw_path *p);
/* At last: the operations, forwards. */
void sw_path_end(struct sw_path *p);

/*
 * Tiles of a table, each when those above and before it are done
 *
 * A table of strips of rows by steps: step t of row r of a strip is in column
 * t - r, and step t of strip s at time t + s (rows - 1).  Then a strip has left
 * above each column just what the next one needs at that time.  A tile is some
 * strips by some times; it needs the one above and the one before it.
 */

struct crew;
struct sw_meter;

struct sw_tiles {
	size_t rows;			/* of a strip */
	size_t strips, steps;		/* all; of each strip */
	size_t strip_tile, time_tile;	/* of a tile */
	/* Not all of them: those from `strip` on, at times [from, to). */
	size_t strip, from, to;		/* to: 0 for all */
	struct sw_meter *meter;	/* has the cells of each tile; or NULL */
};

/* Steps [t, end) of a strip are in a tile; none: t >= end. */
struct sw_tile {
	size_t strip, t, end;
};

/*
 * Called for each strip of a tile, from the top, by `who` of sw_tiles_who().
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

/*
 * Paths that were followed to their starts, kept for their CIGARs
 *
 * While paths are followed, each leaves its operations, from its end back, in
 * pieces: it may rest at a tile's border and go on later.  Where it meets
 * another's, it goes on as that does.  When all are followed, those of hits
 * that may be wanted are put together.  Both take so much memory, at most; what
 * does not fit is not kept, and computed again when it is wanted.
 */

enum { SW_WAY_NONE = UINT32_MAX };

/* Where a path begins in the ways' words, and what is to say where it goes on:
 * word numbers or SW_WAY_NONE. */
struct sw_path_piece {
	uint32_t first, open;
};
struct sw_path_pieces {
	struct buf word;	/* operations, and what sw_path_pieces.c says */
	size_t most;		/* bytes */
	bool full;		/* nothing is kept any more */
};
void sw_path_pieces_reset(struct sw_path_pieces *x, const struct sw_work *w);
/* The way goes on here: with p's operations. */
void sw_path_pieces_open(struct sw_path_pieces *x, struct sw_path_piece *way,
			 struct sw_path *p);
/* p's operations so far are in the words; the number of the next word. */
uint32_t sw_path_pieces_here(struct sw_path_pieces *x, struct sw_path *p);
/*
 * After sw_path_pieces_here(): it will be opened again, goes on at a word, or
 * is done.
 */
void sw_path_pieces_rest(struct sw_path_pieces *x, struct sw_path_piece *way);
void sw_path_pieces_meet(struct sw_path_pieces *x, uint32_t word);
void sw_path_pieces_end(struct sw_path_pieces *x);

/* Paths of hits of one query and text: a part of struct sw_work. */
struct sw_paths;
/* None is known of the query and the text.  ERR_NOMEM. */
int sw_paths_reset(struct sw_work *w, const struct sw_query *q,
		   const struct sw_text *t, struct err *e);
/*
 * The path of a hit, if there is room for it and sw_paths_reset() was called:
 * for that, those of hits below `least` may go.  ERR_NOMEM.
 */
int sw_paths_keep(struct sw_work *w, const struct sw_hit *h,
		  const struct sw_path_pieces *x,
		  const struct sw_path_piece *way, int64_t least,
		  struct err *e);
/* Likewise of a path that goes on from the first way of each to the next. */
struct sw_path_part {
	const struct sw_path_pieces *ways;
	uint32_t first;
};
int sw_paths_join(struct sw_work *w, const struct sw_hit *h,
		  const struct sw_path_part *part, size_t n, int64_t least,
		  struct err *e);
/* As sw_trace(), or 1: it is not known. */
int sw_paths_report(const struct sw_work *w, const struct sw_query *q,
		  const struct sw_text *t, const struct sw_hit *h,
		  const uint8_t same[SW_LETTERS], struct buf *ops,
		  struct err *e);
void sw_paths_free(struct sw_paths *x);

#endif
