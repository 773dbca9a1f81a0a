/* SPDX-License-Identifier: MIT */
/*
 * sw_front.h - rows of the query side by side: what kernels and driver share
 *
 * A strip of rows runs over the columns of a window.  It reads the values that
 * the row above left there, and leaves those of its last row.  It is computed
 * in stretches of steps (sw_trace.h).  See sw_front_vec.h.
 */
#ifndef SEQF_SW_SW_FRONT_H
#define SEQF_SW_SW_FRONT_H

#include "sw/sw_priv.h"
#include "sw/sw_trace.h"

/*
 * Values at the columns, from SW_ROWS before the first to SW_ROWS behind the
 * last: H and F, and where their paths start: the row, and the column from the
 * window's begin.  Packed: row << shift | column in col, row is not used.  F
 * is that of the row below.  Of a cell with H = 0 the start is that of a
 * diagonal step from there.
 */
struct sw_above {
	int32_t *h, *f;
	uint32_t *h_col, *f_col, *h_row, *f_row;
};

/* Cells to be reported, of one block of steps of a strip. */
enum { SW_MOST_REPORTED = 256 * SW_ROWS };
struct sw_reported {
	size_t n;
	/* twice H; start; step from the block's first << 8 | row in strip */
	int32_t h[SW_MOST_REPORTED + SW_ROWS];
	uint32_t col[SW_MOST_REPORTED + SW_ROWS];
	uint32_t row[SW_MOST_REPORTED + SW_ROWS];
	uint32_t at[SW_MOST_REPORTED + SW_ROWS];
};

/* Scores of all pairs fit two vectors if there are fewer letters. */
enum { SW_FEW = 6, SW_PAIRS = 32 };

/* Bytes of each row between two stretches of its strip: the kernel's own. */
enum { SW_FRONT_STATE = 14 * sizeof(int32_t) };

struct sw_front_strip {
	const struct sw_query *q;
	size_t t, end;		/* steps of this stretch */
	uint8_t *state;		/* SW_FRONT_STATE of each row, void at step 0 */
	/*
	 * With fewer than SW_FEW letters: twice the scores, at the query's
	 * letter * SW_FEW + the text's; what is no letter scores below 0.
	 */
	int32_t pair[SW_PAIRS];
	const uint8_t *row;	/* codes, of row number `top` on */
	size_t top, rows;	/* rows that the query has from there on */
	/* Letters below q->s->letters, or that; SW_ROWS of it on each side. */
	const uint8_t *col;
	size_t cols;
	struct sw_above above;
	bool packed;
	unsigned shift;		/* of the row, if packed */
	/*
	 * The column before: H of the row above, then those of its rows, and
	 * their E of the next column.
	 */
	int32_t left_h[SW_ROWS + 1], left_e[SW_ROWS];
	size_t from;		/* target columns: from it on */
	int32_t least;		/* twice the least score to be reported */
	/* cells of this start with a lower (doubled) H are not reported */
	uint32_t known_col, known_row;
	int32_t known_h;
	struct sw_reported *reported;
	/*
	 * Takes the cells in `reported`, of steps from t on; may change least
	 * and known.  Not 0: stop.
	 */
	int (*take_cells)(struct sw_front_strip *s, size_t t);
	bool odd;	/* a cell to be reported may start before the window */
};
typedef void sw_front_fn(struct sw_front_strip *s);

/* A strip of a pass, over a piece of a segment. */
struct sw_front_pass {
	const struct sw_query *q;
	const uint8_t *row;	/* codes */
	size_t rows;		/* that the query has from there on */
	const uint8_t *col;	/* letters; then SW_ROWS readable */
	size_t cols;		/* SW_ROWS at least */
	/*
	 * Of fewer than SW_FEW letters, where strips have SW_ROWS rows: scores
	 * as in struct sw_front_strip, not doubled, and the letters likewise.
	 */
	int32_t pair[SW_PAIRS];
	const uint8_t *few;
	/*
	 * At the columns, as in struct sw_above; top: the largest H of the
	 * column so far.
	 */
	int32_t *h, *f, *top;
	/*
	 * H and the next E of the strip's rows, the last row first, in the
	 * column before; then those of the last column.
	 */
	int32_t *left_h, *left_e;
	int32_t corner;		/* H above them */
};
typedef void sw_front_pass_fn(struct sw_front_pass *x);

/* Rows of a strip, of a pass's; of a pass's with few letters, or 0. */
struct sw_front_ops {
	unsigned rows, pass_rows, few_rows;
	sw_front_fn *strip;
	sw_front_pass_fn *pass;
};
KERN_DECLARE_VECTOR(const struct sw_front_ops, sw_front_ops);

/* Can sw_front_pass() take the query, on this machine? */
bool sw_front_pass_fits(const struct sw_query *q);

#endif
