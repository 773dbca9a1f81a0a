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

#include "cuda/device.h"

enum {
	SW_DEV_BLOCK = 64,	/* columns */
	SW_DEV_PAD = 0x80,	/* a letter that aligns with nothing */
	SW_DEV_LANES = 32,
	SW_DEV_MOST_ROWS = 20,	/* of a lane */
	SW_DEV_MAX_FLOOR = 15000,
	SW_DEV_SWEEP = 1024,	/* rows of a block of SW_DEV_PAPER at most */
	SW_DEV_MAX_CELLS = 1 << 14,
	SW_DEV_AGAIN = 8,	/* pieces, and half of a span's: most of a
				   list */
};

/* The source paper's kernel reports the best cells, too. */
enum sw_dev_kernel { SW_DEV_FAST, SW_DEV_PAPER };

/*
 * Columns [beg, end) of the span, multiples of SW_DEV_BLOCK; it owns those from
 * `own` on.  sure: before `own` all scores are 0 in truth, and the piece before
 * does not matter.  That they are before beg is not enough: with 16 bits those
 * of the columns between may be wrong, and it is from `own` that it is done
 * again.
 */
struct sw_dev_piece {
	uint32_t beg, own, end, sure;
};

/* A cell that ends with two letters side by side of a score above 0 (sw.h,
 * SW_CELLS). */
struct sw_dev_cell {
	int32_t score;		/* 0: none */
	uint32_t column, row;
};

struct sw_dev_scoring {
	int32_t best;			/* no score is above it; 1 to 127 */
	int32_t open, extend;		/* >= 0 */
	int8_t other;			/* score of the text's letter 4 */
};

struct sw_dev_span {
	uint32_t letters, pieces;
	uint32_t columns;	/* most of a piece */
	uint32_t rows;		/* a multiple of SW_DEV_LANES * per_lane, or of
				   sweep */
	uint32_t per_lane;	/* SW_DEV_FAST: rows of a lane: 4, 8, 16, 20,
				   no more than most_rows */
	/* SW_DEV_PAPER: rows of a block, a multiple of SW_DEV_LANES; the best
	 * cells that are wanted, 1 to SW_DEV_MAX_CELLS. */
	uint32_t sweep, cells;
	uint32_t texts;		/* of SW_DEV_PAPER, that have pieces */
	struct sw_dev_scoring s;
};

struct sw_dev_setup {
	const struct cuda_device *device;
	enum sw_dev_kernel kernel;
	size_t bytes;		/* on the device; pinned, an eighth at most */
};

/* Pinned memory, to be filled and read by the caller. */
struct sw_dev_stream {
	uint8_t *codes;		/* 0 to 4, or SW_DEV_PAD */
	/* Of each row the scores with letters 0 to 3, as bytes from the lowest
	 * one on.  The query's rows are the last ones. */
	uint32_t *row;
	struct sw_dev_piece *piece;
	uint32_t *counts;	/* of each piece the first column of which
				   cells count */
	uint32_t *first;	/* of each piece: the first one of its text */
	uint32_t *list;		/* of pieces, to be done again */
	int32_t *top;		/* largest H of each block that is owned */
	int32_t *most;		/* of each piece, and what it does not own;
				   not of one that was done again */
	uint32_t *bad;		/* of each piece: it began with other scores
				   than those where the one before ends */
	struct sw_dev_cell *cell;	/* the best ones, text by text */
	enum sw_dev_kernel kernel;
	uint32_t threads;	/* that the device holds at a time */
	uint32_t most_rows;	/* per_lane at most */
};

/* What is added to scores, so that a gap of three letters fits below any;
 * SW_DEV_MAX_FLOOR at most. */
static inline int32_t
sw_dev_floor(const struct sw_dev_scoring *s)
{
	return s->open + 3 * s->extend;
}

/* Scores above it are not what they should be in 16 bits. */
static inline int32_t
sw_dev_limit(const struct sw_dev_scoring *s)
{
	return INT16_MAX - s->best - sw_dev_floor(s);
}

struct sw_dev {
	/* ERR_NOMEM: not so much memory, here or on the device; ERR_DEVICE. */
	int (*open)(struct sw_dev_stream **s, const struct sw_dev_setup *u,
		    struct err *e);
	void (*close)(void *stream);
	/*
	 * Memory for a span; false: it does not fit.  If the span before had as
	 * many rows, the first piece may follow on its last one.  ERR_NOMEM: no
	 * more can be pinned; ERR_DEVICE.
	 */
	bool (*fits)(const struct sw_dev_stream *s,
		     const struct sw_dev_span *p);
	int (*begin)(struct sw_dev_stream *s, const struct sw_dev_span *p,
		     struct err *e);
	/* All pieces; then n of the list again.  ERR_DEVICE: the stream is of
	 * no more use. */
	int (*run)(struct sw_dev_stream *s, struct err *e);
	int (*again)(struct sw_dev_stream *s, uint32_t n, struct err *e);
	/*
	 * With SW_DEV_PAPER, once, when all agree: the best cells of each text
	 * with pieces in the span, by score, then column, then row; behind them
	 * scores are 0.
	 */
	int (*cells)(struct sw_dev_stream *s, struct err *e);
};
extern const struct sw_dev sw_dev;

#endif
