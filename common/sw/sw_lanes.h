/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes.h - the interface between inter-sequence kernels and their driver
 *
 * A vector has `bytes` lanes of 8 bits, or half as many of 16: a half.  Half h
 * holds the lanes l with l / 8 % 2 == h in order, which is how bytes unpack.
 * The query's rows go in strips of SW_LANE_ROWS, the last one is filled up.
 *
 * 8 bits: unsigned, the score + zero8.  16 bits: signed, the score minus
 * SW_UNIT times the base of the strip and lane.  E here is opened from
 * max(diagonal, E), not from H: a gap in the query beside one in the text costs
 * the same in either order, so H is the same, and F may follow E but not E F.
 */
#ifndef SEQF_SW_SW_LANES_H
#define SEQF_SW_SW_LANES_H

#include "sw/sw_priv.h"

/*
 * Scores of blocks, pieces of the text side by side in a vector
 * Source: Wozniak 1997 and Rognes 2011 (subjects in lanes); Jain and Kumar (the
 * end of a piece is handed to the next one until nothing changes).
 */

/*
 * sw_pass() with vectors of 8 and 16 bits, SW_LANES16: of 16 bits only.
 * Returns 0; 1 if it cannot take this, peaks being void: no such vectors here;
 * scores too large for 16 bits; or columns of all lanes would take more than
 * w->lanes_bytes.  ERR_NOMEM.
 * Let best be the largest score, 0 or more, worst the least one, or that of a
 * gap of one letter if that is less, and top = best * the letters of the query
 * or of the longest segment, whichever is shorter.  16 bits will do if
 *	top <= 32767 and open + 2 * extend - worst <= 32768, or
 *	21 * (best + extend) + 3 * open - worst < 15360 and top < 2^26.
 * Columns: up to 4 kB a row.  If skewed lanes may not do it, fewer are kept, or
 * half the lanes, down to 0.6 kB.
 */
enum { SW_LANES_BYTES = 768 << 20 };	/* of all threads */
int sw_lanes_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
void sw_lanes_free(struct sw_lanes *s);

/* The interface between kernels and driver. */

enum {
	SW_LANE_MAX = 64,	/* lanes */
	SW_LANE_ROWS = 4,
	SW_LANE_LETTERS = SW_LETTERS + 1,	/* the query's, and none */
	SW_UNIT_BITS = 11,
	SW_UNIT = 1 << SW_UNIT_BITS,
	SW_CORNER = (1 << 14) - SW_UNIT / 2,	/* where bases put it: from it
						   on up to a unit more */
	SW_LANE_CHECKS = 64,
};

/* All lanes after some column: [row][half][lane], base [strip][half][lane]. */
struct sw_column {
	int16_t *h, *e, *base;
};
struct sw_column8 {
	uint8_t *h, *e;		/* [row][lane] */
};

/* Scores of a letter of the query against the text's, low and high bytes. */
struct sw_look {
	int8_t low[SW_LETTERS], high[SW_LETTERS];
};

struct sw_lanes {
	const struct sw_lane_ops *ops;
	uint8_t *mem;
	size_t cap, most;	/* most: it may have */

	/* the query and its scores */
	size_t rows, strips;
	uint8_t *row;		/* of each row, its letter's place in look */
	unsigned letters;	/* in look */
	struct sw_look look[SW_LANE_LETTERS];
	unsigned groups;	/* of 16 letters of the text */
	int open, extend;
	int reach;		/* open + SW_LANE_ROWS * extend */
	int low16, high16;	/* corners that keep a base above 0, any base */
	int zero8;
	int most8;		/* a larger H (with zero8) may overflow */
	bool bytes_fit;		/* 8 bits are of use */
	bool may_stop;		/* sw_lanes_run() may ask for 16 bits */
	bool may_shrink;	/* to fewer columns or lanes */

	/* the plan */
	unsigned halves, lanes, cols;	/* cols: of a profile */
	uint64_t blocks, step;		/* of the text, of a lane */
	unsigned place[SW_LANE_MAX];	/* of a lane in a vector of bytes */
	bool begins[SW_LANE_MAX];	/* with a segment, or has no blocks */
	/* first segment that begins in a lane or behind it, and the next one */
	size_t first_seg[SW_LANE_MAX], seg[SW_LANE_MAX];
	uint64_t anew[SW_LANE_MAX];	/* the block where it begins */

	/* columns; checks are after 1, 2, 8, 32, ... blocks, as many as fit */
	size_t column_bytes;	/* h, e, base */
	struct sw_column now, start, end, next, check[SW_LANE_CHECKS];
	struct sw_column8 now8, then8, last8;
	bool zero;	/* start is; its memory is not used yet */
	/* A column's memory holds one of 8 bits; end: last8 is. */
	bool start8, end8, check8[SW_LANE_CHECKS];
	unsigned n_checks;
	uint8_t *profile, *edges;

	/* the block at hand */
	const uint8_t *at[SW_LANE_MAX];	/* letters of each place */
	uint8_t reset[SW_LANE_MAX];	/* 0xff: here a lane begins anew */
	int64_t threshold;
	/* of each place: largest H, and bounds of strips not looked into */
	int64_t top[SW_LANE_MAX], bound[SW_LANE_MAX];
	unsigned reruns;	/* of strips */
	bool record;		/* each strip with its largest H */
	bool high;		/* some H is too high for 8 bits */

	/* when to try what */
	bool narrow;		/* now8 counts, not now */
	struct sw_backoff retry;	/* by blocks */
	unsigned recording, record_next;
	uint64_t wide;		/* blocks of this plan done in 16 bits */

	/* what was done so far, for tests and measurements */
	struct {
		uint64_t passes, again16;	/* ... from the begin on */
		uint64_t blocks8, failed8, blocks16;
		uint64_t reruns, recorded;	/* strips, blocks */
		uint64_t moved;			/* bases */
		uint64_t fewer, half;		/* checks, lanes */
	} did;
};

/* Profile of columns [from, from + cols) of the block. */
typedef void sw_lane_profile_fn(struct sw_lanes *s, unsigned from);
/*
 * cols columns of all rows; false: some H may have left the 8 bits, and `to`
 * is void.  to may be from.
 */
typedef bool sw_lane_block8_fn(struct sw_lanes *s,
			       const struct sw_column8 *from,
			       const struct sw_column8 *to);
typedef void sw_lane_block16_fn(struct sw_lanes *s, unsigned half);
typedef void sw_lane_state_fn(struct sw_lanes *s);
typedef void sw_lane_widen_fn(const struct sw_lanes *s,
			      const struct sw_column8 *from,
			      const struct sw_column *to);
/* Will all H be the same from here on? */
typedef bool sw_lane_same_fn(const struct sw_lanes *s,
			     const struct sw_column *a,
			     const struct sw_column *b);
typedef bool sw_lane_same8_fn(const struct sw_lanes *s,
			      const struct sw_column8 *a,
			      const struct sw_column8 *b);

struct sw_lane_ops {
	unsigned bytes;
	sw_lane_profile_fn *profile8, *profile16;
	sw_lane_block8_fn *block8;
	sw_lane_block16_fn *block16;
	sw_lane_state_fn *reset8, *reset16;	/* where s->reset says */
	sw_lane_widen_fn *widen;
	sw_lane_state_fn *narrow;		/* now to now8 */
	sw_lane_same_fn *same;
	sw_lane_same8_fn *same8;
};
KERN_DECLARE_VECTOR(const struct sw_lane_ops, sw_lane_ops);

/* What 8 bits add to a score; the H that they have room for. */
static inline int64_t
sw_lanes_zero8(int64_t worst, int64_t open, int64_t extend)
{
	int64_t zero = max_i64(open + 2 * extend, -worst);

	return zero ? zero : 1;	/* 0 is no value: keep() */
}

static inline int64_t
sw_lanes_room8(int64_t best, int64_t worst, int64_t open, int64_t extend)
{
	return UINT8_MAX - best - sw_lanes_zero8(worst, open, extend) -
	       (open + SW_LANE_ROWS * extend);
}

/* sw_lanes_kern.c says why; 16 bits are as fast as can be if it fits. */
static inline int64_t
sw_lanes_low16(unsigned cols, int64_t best, int64_t worst, int64_t open,
	       int64_t extend)
{
	return (SW_LANE_ROWS + (int64_t)cols + 1) * (best + extend) +
	       3 * open - worst + 1;
}

static inline bool
sw_lanes_fits16(int64_t best, int64_t worst, int64_t open, int64_t extend)
{
	worst = min_i64(worst, -(open + extend));
	return sw_lanes_low16(SW_BLOCK, best, worst, open, extend) <=
	       SW_CORNER;
}

/* H up to which 8 bits are worth trying. */
static inline int
sw_lanes_low(const struct sw_lanes *s)
{
	return s->most8 - s->zero8 - s->reach;
}

#endif
