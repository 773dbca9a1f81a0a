/* SPDX-License-Identifier: MIT */
/*
 * sw_dev.h - the device's side of sw.h: a stream of a GPU with its memory
 *
 * A span of a text is cut into pieces; each is computed with scores of 0 before
 * its first column.  Some columns later, where its own columns begin, its
 * scores should equal those at the end of the piece before: if not, it is
 * computed again from there, in 32 bits, until all agree.  Then all are right,
 * as the first one is.  One thread at a time a stream.
 */
#ifndef SEQF_CUDA_SW_DEV_H
#define SEQF_CUDA_SW_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

enum {
	PEAKS_BLOCK = 64,	/* columns */
	PEAKS_PAD = 0x80,	/* a letter that aligns with nothing */
	PEAKS_LANES = 32,
	PEAKS_MAX_FLOOR = 15000,
	PEAKS_SWEEP = 1024,	/* rows of a block of PEAKS_PAPER at most */
	PEAKS_MAX_CELLS = 1 << 14,
};

/* The source paper's kernel reports the best cells, too. */
enum peaks_kernel { PEAKS_FAST, PEAKS_PAPER };

/*
 * Columns [beg, end) of the span, multiples of PEAKS_BLOCK; it owns those from
 * `own` on.  sure: before `own` all scores are 0 in truth, and the piece before
 * does not matter.  That they are before beg is not enough: with 16 bits those
 * of the columns between may be wrong, and it is from `own` that it is done
 * again.
 */
struct peaks_piece {
	uint32_t beg, own, end, sure;
};

/* A cell that ends with two letters side by side of a score above 0 (sw.h,
 * SW_CELLS). */
struct peaks_cell {
	int32_t score;		/* 0: none */
	uint32_t column, row;
};

struct peaks_scoring {
	int32_t best;			/* no score is above it; 1 to 127 */
	int32_t open, extend;		/* >= 0 */
	int8_t other;			/* score of the text's letter 4 */
};

struct peaks_span {
	uint32_t letters, pieces;
	uint32_t columns;	/* most of a piece */
	uint32_t rows;		/* a multiple of PEAKS_LANES * per_lane, or of
				   sweep */
	uint32_t per_lane;	/* PEAKS_FAST: rows of a lane: 4, 8, 16, 24 */
	/* PEAKS_PAPER: rows of a block, a multiple of PEAKS_LANES; the best
	 * cells that are wanted, 1 to PEAKS_MAX_CELLS. */
	uint32_t sweep, cells;
	uint32_t texts;		/* of PEAKS_PAPER, that have pieces */
	struct peaks_scoring s;
};

struct peaks_setup {
	int device;
	enum peaks_kernel kernel;
	size_t bytes;		/* on the device; pinned, a part of it */
};

/* Pinned memory, to be filled and read by the caller. */
struct peaks_stream {
	uint8_t *codes;		/* 0 to 4, or PEAKS_PAD */
	/* Of each row the scores with letters 0 to 3, as bytes from the lowest
	 * one on.  The query's rows are the last ones. */
	uint32_t *row;
	struct peaks_piece *piece;
	uint32_t *counts;	/* of each piece the first column of which
				   cells count */
	uint32_t *first;	/* of each piece: the first one of its text */
	uint32_t *list;		/* of pieces, to be done again */
	int32_t *top;		/* largest H of each block that is owned */
	int32_t *most;		/* of each piece, and what it does not own */
	uint32_t *bad;		/* of each piece: it began with other scores
				   than those where the one before ends */
	struct peaks_cell *cell;	/* the best ones, text by text */
	enum peaks_kernel kernel;
	uint32_t threads;	/* that the device holds at a time */
};

/* What is added to scores, so that a gap of three letters fits below any;
 * PEAKS_MAX_FLOOR at most. */
static inline int32_t
peaks_floor(const struct peaks_scoring *s)
{
	return s->open + 3 * s->extend;
}

/* Scores above it are not what they should be in 16 bits. */
static inline int32_t
peaks_limit(const struct peaks_scoring *s)
{
	return INT16_MAX - s->best - peaks_floor(s);
}

/* ERR_NOMEM: not so much memory, here or on the device; ERR_DEVICE. */
int peaks_stream_new(struct peaks_stream **s, const struct peaks_setup *u,
		     struct err *e);
void peaks_stream_free(struct peaks_stream *s);

/*
 * Memory for a span; false: it does not fit.  If the span before had as many
 * rows, the first piece may follow on its last one.
 */
bool peaks_stream_fits(const struct peaks_stream *s,
		       const struct peaks_span *p);
int peaks_stream_begin(struct peaks_stream *s, const struct peaks_span *p,
		       struct err *e);
/* All pieces; then n of the list again.  ERR_DEVICE: the stream is of no more
 * use. */
int peaks_stream_run(struct peaks_stream *s, struct err *e);
int peaks_stream_again(struct peaks_stream *s, uint32_t n, struct err *e);
/* When all agree, once, of PEAKS_PAPER: the best cells of each text with pieces
 * in the span, by score, then column, then row; behind them scores are 0. */
int peaks_stream_cells(struct peaks_stream *s, struct err *e);

#endif
