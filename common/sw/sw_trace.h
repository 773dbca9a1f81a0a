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

/* Cells that sw_trace() computes; 0: no path has that score. */
double sw_trace_cells(const struct sw_query *q, const struct sw_text *t,
		      const struct sw_hit *h);

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

#endif
