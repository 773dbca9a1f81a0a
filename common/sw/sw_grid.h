/* SPDX-License-Identifier: MIT */
/*
 * sw_grid.h - scores first, then the paths of few cells: kernels and driver
 *
 * A window of rows and columns is computed without starts, strip after strip of
 * rows, each with its rows side by side as in sw_front_vec.h, in 16 bits above
 * a base.  The values at the borders of tiles are kept; then only tiles that a
 * path goes through are computed again, with directions.  See sw_grid.c.
 */
#ifndef SEQF_SW_SW_GRID_H
#define SEQF_SW_SW_GRID_H

#include <pthread.h>

#include "sw/sw_skew.h"
#include "sw/sw_trace.h"

/*
 * A window's scores by a skewed wavefront, kept at tile borders
 *
 * Where paths go everywhere, as in the linear phase, all cells of a window are
 * computed before any path is followed.  Skewed lanes do that several times as
 * fast as a grid (sw_grid.h), and leave the values above tiles and before them.
 * A grid then computes only those tiles that have a cell to be reported or that
 * a path comes to.
 * 	E is the textbook's here, so that a path may go on in any tile.
 */

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

enum {
#if defined(KERN_NEON)
	SW_GRID_ROWS = 16,	/* of a strip, at most */
#else
	SW_GRID_ROWS = 64,
#endif
	SW_GRID_STEPS = 256,	/* of a block, */
	SW_GRID_FEW_STEPS = 64,	/* where few of them are live */
	SW_GRID_NARROW = 16,	/* columns of a largest H */
	SW_GRID_EDGE = SW_GRID_ROWS + 16,
	SW_GRID_MIN_CELLS = 1 << 20,	/* cells of a window, at least */
	/* rows and columns between two cells that a block begins with, at
	   most; and those of a gap in it beside them: sw_grid_kern.c */
	SW_GRID_REACH = 2 * SW_GRID_ROWS + SW_GRID_STEPS + 8,
	SW_GRID_RANGE = SW_GRID_REACH + SW_GRID_ROWS + 4,
};

/* Of a strip, before a step; the last row of each vector first. */
struct sw_grid_state {
	int16_t h[SW_GRID_ROWS], e[SW_GRID_ROWS];
	int16_t f[SW_GRID_ROWS], diag[SW_GRID_ROWS];
	int32_t base;	/* to be added to all */
	bool dead;	/* all of it is void, and stands for H = 0 */
} __attribute__((aligned(64)));

/* Cells to be reported of a block: twice H; row of the strip, column. */
struct sw_grid_reported {
	size_t n;
	struct sw_grid_cell {
		int32_t h;
		uint32_t row;
		size_t col;
	} v[SW_GRID_STEPS * SW_GRID_ROWS];
};

/*
 * Steps [t, t + steps) of a strip: at step t its row r is in column t - r.
 * Scores are doubled, as in sw_front.h.  Directions: SW_DIRS masks a step and
 * vector, as in sw_trace.h; where H = 0, STEP_DIAG and STEP_E are both set, and
 * nowhere else.
 */
struct sw_grid_block {
	struct sw_grid_state *s;
	int32_t match, mismatch, both, extend;
	const uint16_t *row;	/* codes, in the order of the state's */
	const uint16_t *col;	/* SW_GRID_EDGE readable on each side */
	size_t cols, t, steps;
	/*
	 * At the columns: H, and F of the row below, of the row above, which
	 * those of the last row replace.  SW_GRID_ROWS on each side.
	 */
	int32_t *h, *f;
	bool above;		/* false: H = 0 there, h and f are void */
	/* It is dead, and nothing is done, if all H before it are lower. */
	int32_t enough;
	bool dead;
	uint8_t *dirs;		/* or NULL */
	struct sw_grid_reported *reported;	/* or NULL */
	size_t rows, from;	/* rows that are left; first column reported */
	int32_t least;		/* twice the least score to be reported */
	bool odd;		/* a reported cell may start before it all */
};
typedef void sw_grid_fn(struct sw_grid_block *b);
KERN_DECLARE_VECTOR(sw_grid_fn, sw_grid);

/*
 * Blocks of a strip: their times / their steps, in few parts by rising times,
 * then empty ones, where from == to.
 */
enum { SW_GRID_PARTS = 3 };
struct sw_grid_live {
	struct sw_grid_range {
		uint32_t from, to;
	} v[SW_GRID_PARTS];
};

/* Rows and columns side by side. */
struct sw_grid_window {
	const uint8_t *row, *col;	/* codes */
	size_t rows, cols;
	int64_t bound;		/* of H in the column before it */
	const struct sw_checkpoint *left;	/* that column, or NULL */
	/*
	 * H and F above it, at its columns, and of a tile left[-1]; or NULL:
	 * H = 0 there.  tile: by itself, by borders.
	 */
	bool tile;
	const int32_t *above_h, *above_f;
	/*
	 * Cells of columns from `from` on with H >= least are reported.
	 * Blocks that lead to none of those may be left out.
	 */
	size_t from;
	int64_t least;
	/* sw_grid_some(): the last call was for all with H >= until; or 0. */
	int64_t until;
	const struct sw_grid_live *live;	/* of each strip; NULL: all */
	bool back;	/* sw_grid_find()'s */
	/*
	 * Of a block, by rising column; rows of strip `strip`.  By one thread
	 * at a time; strips take turns.  Not 0: stop.
	 */
	int (*take_cells)(void *ctx, const struct sw_grid_reported *reported,
			  size_t strip);
	void *ctx;
};
/* Where a strip's first state is, and what stands above it. */
struct sw_grid_place {
	size_t state, kept;
};
struct sw_grid {
	const struct sw_query *q;
	struct sw_grid_window w;
	sw_grid_fn *kern;
	size_t lanes, rows;	/* of a vector, of a strip */
	size_t block;		/* steps */
	size_t strips, steps;	/* steps of each strip */
	/*
	 * A tile of directions: so many strips and times (sw_trace.h); scores
	 * are computed in tiles of another size.
	 */
	size_t tile_strips, tile_times;
	size_t high, wide;	/* tiles */
	double shared;		/* cells of a tile that is worth a crew */
	struct sw_tiles tiles;	/* of scores */
	size_t line;		/* columns and SW_GRID_EDGE on each side */
	size_t slots;		/* times / block */
	int32_t *h, *f, *kept;	/* kept: h and f above each tile */
	uint8_t *above;		/* is there any, at a time / block? */
	struct sw_grid_place *place;	/* of each strip */
	size_t n_place;
	uint16_t *row, *col;	/* row: of all strips, in the kernel's order */
	struct sw_grid_state *state, *now;	/* now: of each strip */
	uint8_t *dirs;
	struct sw_grid_reported *reported;	/* of each who */
	unsigned who;
	int32_t match, mismatch;
	uint8_t *mem;
	size_t cap;
	size_t at_high, at_wide;	/* the tile in dirs */
	pthread_mutex_t lock;	/* of take_cells() */
	/* sw_grid_find()'s: of each strip, then of each one from the end */
	struct sw_grid_live *live;
	size_t n_live;
	int32_t *most;		/* H of SW_GRID_NARROW columns, from the end */
	size_t *begins;		/* of a block's times: sw_grid.c */
	size_t blocks, most_blocks;
};
void sw_grid_free(struct sw_grid *g);
struct sw_grid_ends;
void sw_grid_ends_free(struct sw_grid_ends *x);
/*
 * Does it take the query, on this machine?  Else 1 of the next one, as where it
 * would take more than 16 MB and 3 KB a row, or than a third of what lanes may
 * and 1.5 KB a row, or than there is.
 */
bool sw_grid_fits(const struct sw_query *q);
int sw_grid_open(struct sw_work *w, const struct sw_query *q,
		 const struct sw_grid_window *window, struct err *e);
/*
 * Computes everything, by the workers that are free; returns what take_cells()
 * returned, or ERR_NOMEM.  *odd: a cell to be reported may start before the
 * window; then not all are reported.
 */
int sw_grid_run(struct sw_grid *g, struct crew *crew, bool *odd,
		struct err *e);
/*
 * w->live, by the largest H of the text's blocks, of which the window begins
 * with column `begin`: of cells on paths to those to be reported, if they are
 * few; else NULL, as where there is not enough memory.  It is the grid's, until
 * it is asked again.  Void is what was opened.
 */
int sw_grid_find(struct sw_work *w, const struct sw_query *q,
		 struct sw_grid_window *window, const struct sw_peak *peak,
		 uint64_t begin, struct err *e);

/* What stands above the window, and behind its columns. */
void sw_grid_top(struct sw_grid *g);
/* Bytes that what is kept of a window of so many rows may take. */
double sw_grid_budget(const struct sw_work *w, size_t rows);
/* sw_grid.c to the others.  Doubled scores in the column before a strip. */
void sw_grid_begin(const struct sw_grid *g, size_t strip,
		   struct sw_grid_state *s);
/* Bytes of a step's directions. */
size_t sw_grid_dirs(const struct sw_grid *g);
/* Of a strip where tile `wide` begins; NULL: dead. */
struct sw_grid_state *sw_grid_state(const struct sw_grid *g, size_t strip,
				    size_t wide);
/* Blocks that may be live; the part that one is in, or SW_GRID_PARTS. */
struct sw_grid_live sw_grid_live(const struct sw_grid *g, size_t strip);
unsigned sw_grid_part(const struct sw_grid_live *x, size_t slot);
/*
 * What is kept above the first strip of tiles: H of columns [*from, *to) of a
 * part, and F as far behind.
 */
int32_t *sw_grid_kept(const struct sw_grid *g, size_t strip, unsigned part,
		      size_t *from, size_t *to);
/* A block at this time: by the kernel, if it is live. */
void sw_grid_do(struct sw_grid *g, struct sw_grid_block *b, size_t strip,
		size_t time);
struct sw_grid_block sw_grid_block(const struct sw_grid *g, size_t strip);
/* Steps from t on up to the end of the block that a time is in, or `end`. */
size_t sw_grid_steps(const struct sw_grid *g, size_t t, size_t time,
		     size_t end);
/* Where a cell is. */
size_t sw_grid_strip(const struct sw_grid *g, size_t i);
size_t sw_grid_time(const struct sw_grid *g, size_t i, size_t j);
/* Directions of tile (high, wide), up to a strip and a time; if it is large, by
 * whoever of the crew comes.  ERR_NOMEM. */
int sw_grid_tile(struct sw_grid *g, struct crew *crew, size_t high,
		 size_t wide, size_t strip, size_t time, struct err *e);
/*
 * Along a path in the tile, to its start (true: the cell after p's), or until
 * it leaves the strip or the tile.
 */
bool sw_grid_walk(const struct sw_grid *g, struct sw_path *p);

/*
 * Reported cells of a window, and the way back to their
 * starts.
 */

/*
 * A cell to be reported, and where its path has been followed to: SW_END_FOUND
 * its start, which is reported, SW_END_MET another's, SW_END_GONE one of an
 * earlier round.
 */
enum { SW_END_FOUND = SW_DIRS, SW_END_MET, SW_END_GONE };
enum { SW_END_NONE = UINT32_MAX, SW_END_OLD = SW_END_NONE - 1 };
struct sw_grid_end {
	int64_t score;
	uint32_t row, col;
	uint32_t i, j, in;
	uint32_t next;		/* of its tile; or which one it met */
	struct sw_path_piece way;
};

/* A cell that was reported, twice its H, and the end of its path. */
struct sw_grid_last {
	uint32_t col, end;
	int32_t h;
};
enum { SW_GRID_LAST = 8 };

/* Who came to a cell, and the word where its way goes on. */
struct sw_grid_mark {
	uint32_t end, word;
};

/* Where a path came into a tile, and in which round first; 0: an empty slot. */
struct sw_grid_cross {
	uint32_t i, j, in, round;
};

struct sw_grid_ends {
	struct sw_grid_end *end;
	/* of each row SW_GRID_LAST, at their columns modulo that */
	struct sw_grid_last *last;
	uint32_t *tile;			/* the first one of each */
	struct sw_grid_mark *mark;	/* at [strip][time][in F] */
	size_t n, cap, n_last, n_tile, n_mark;
	struct sw_path_pieces ways;
	struct sw_grid_cross *cross;	/* n_cross slots, a power of two */
	size_t n_cross, crossed;
	uint32_t round;		/* 0: there is but one */
};

/* A region, its window being g's. */
struct sw_grid_region {
	const struct sw_query *q;
	struct sw_work *w;
	struct sw_grid *g;
	struct sw_grid_ends *ends;
	uint64_t begin;		/* column of the window's first */
	const uint8_t *text;	/* the window's */
	size_t from;		/* first column reported */
	/* NULL: the grid has all of the window; else it is a bordered tile,
	 * which begins with a row and a column of the window. */
	const struct sw_borders *borders;
	size_t row, col;
	/* Of sw_grid_cut(), row > 0: a path may go up here; else rc = 1. */
	size_t cross;
	size_t strip, most;	/* ends, up to this strip */
	/* Is a cell to be reported, of the window and its H; or NULL: all. */
	bool (*wants)(void *ctx, size_t row, size_t col, int64_t h);
	sw_cell_fn *put;
	void *ctx;
	int64_t least;		/* that put() wants */
	int64_t until;	/* cells from here on were of earlier rounds; or 0 */
	struct err *e;
};
/*
 * Rows of a region from `row` on: x is that window, w is r's alone.  r->ends
 * has the paths of one cell of the window, or NULL, of those reported.  What
 * goes up to the row above, in column `cross`, has its start there.  1: the
 * path of some goes up elsewhere; or a grid does not do.  ERR_NOMEM.
 */
int sw_grid_cut(struct sw_grid_region *r, struct sw_grid_window *x,
		const struct sw_peak *peak, const struct sw_hit *cell);

/*
 * The way back from the best cell, in parts by several threads
 *
 * A pass by turns leaves H and F of a few rows.  Between two of them a path is
 * followed with no need of what is above or below.  Where it crosses such a row
 * is guessed, by the largest H there; sw_cut.c says why that is safe.
 */

enum { SW_CUT_PARTS = 6, SW_CUT_TRIES = 4 };

/* The last row of a strip. */
struct sw_cut_row {
	size_t row;		/* of the query */
	int32_t *h, *f;		/* of each column: H, and F of the row below */
	int32_t *top;		/* of each block: the largest H */
};
/* SW_CUT_TRIES strips side by side; one of them is chosen. */
struct sw_cut {
	size_t strip;		/* the first one */
	struct sw_cut_row row[SW_CUT_TRIES];
};

struct sw_cuts {
	const struct sw_query *q;	/* sw_best() drops cuts of its text */
	size_t cols;
	int64_t least;	/* rows are true for paths to cells from here on */
	bool known;	/* the pass is done */
	bool always;	/* parts of any size (tests) */
	unsigned n;
	struct sw_cut v[SW_CUT_PARTS - 1];
	int32_t *mem;
	struct sw_work *work[SW_CUT_PARTS];	/* of each part */
};
void sw_cuts_free(struct sw_cuts *x);
/* Before a pass by so many threads, whose lanes are s; none if it is of no use,
 * or if there is not enough memory. */
void sw_cuts_open(struct sw_cuts *x, const struct sw_pass *p,
		  const struct sw_skew *s, unsigned threads);
/* After a step: rows that lanes have left. */
void sw_cuts_take(const struct sw_skew *s);
/* The pass is done; p->threshold is what it was in the end. */
void sw_cuts_close(struct sw_cuts *x, const struct sw_pass *p);
/* They are of no use any more. */
void sw_cuts_drop(struct sw_cuts *x);

/*
 * A region by w->cuts: r and x are the whole's, without what sw_grid_find()
 * adds; r->put() gets its cells.  1: they are not known, or do not do; nothing
 * was put.  ERR_NOMEM.
 */
int sw_cut_region(struct sw_grid_region *r, const struct sw_grid_window *x,
		  const struct sw_peak *peak);

#endif
