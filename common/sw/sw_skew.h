/* SPDX-License-Identifier: MIT */
/*
 * sw_skew.h - the interface between skewed wavefront kernels and their driver
 *
 * Strips of SW_SKEW_ROWS rows go down a block of SW_BLOCK columns, one a step.
 * The lanes are as many blocks that lie side by side, each lane a strip behind
 * the one on its left, and next reads the last column that it left.  A lane
 * that is done takes the next free block; the columns of the last lane wait in
 * `end` for the first, which comes to that strip later, as there are at least
 * as many strips as lanes.  So each cell is computed once, in the right order,
 * and lanes idle only where the text begins and ends.
 *
 * A vector has `lanes` lanes of 8 bits, or half as many of 16: a half.
 * 8 bits: unsigned, the score - the lane's base + zero8.  16 bits: signed, the
 * score - the lane's base.  Outside of vectors, scores are plain.  E is
 * opened from max(diagonal, E), as in sw_lanes.h.
 */
#ifndef SEQF_SW_SW_SKEW_H
#define SEQF_SW_SW_SKEW_H

#include "sw/sw_priv.h"

/*
 * Scores of blocks, blocks of the text and strips of rows skewed
 * Source: Wozniak 1997 (cells that do not depend on each other in a vector).
 */

/*
 * sw_pass() with vectors of 8 and 16 bits, each cell once; with a crew by
 * ranges of rows, see sw_skew.c, or rounds of blocks, see sw_skew_prune.c.
 * Memory: 9 bytes a row, and 0.2 MB a range; a round 2 bytes a row.  Returns 0;
 * 1 if it cannot take this, peaks being as they were: no such vectors here;
 * scores other than a match M > 0 of up to 4 letters of the query with
 * themselves and a mismatch X <= 0 of all others;
 * n * M >= 2^31 - 2^20;
 * 72 * M + 4 * open + 81 * extend - X >= 2^15.  ERR_NOMEM.
 */
int sw_skew_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
/* Does it take the query, with few lanes that idle? */
bool sw_skew_is_best(const struct sw_query *q);
/*
 * The pass by parts of the query's rows: what a part leaves below a block is
 * what the next one needs above it.  Only the last part fills peaks and raises.
 */
struct sw_skew_row {	/* below a part, of a block's columns */
	int32_t h[SW_BLOCK], f[SW_BLOCK];	/* H, and F of the next row */
	int32_t top, bound;	/* of the parts so far, see struct sw_skew */
	int32_t most;	/* the largest H */
};
enum { SW_SKEW_RING = 256 };	/* blocks */
struct sw_skew_part {
	size_t from, to;	/* rows */
	/* Rings of SW_SKEW_RING; NULL: the first part, the last part. */
	const struct sw_skew_row *above;
	struct sw_skew_row *below;
	/* Of the last part, as it is known so far; other threads raise it.
	 * NULL: p->threshold. */
	const int64_t *threshold;
	/*
	 * By turns (sw_skew_prune.c): of rounds of as many blocks as there are
	 * lanes this takes one in `turns`, from `turn` on; 0: all.  Columns
	 * between rounds are those of `lead`, or its own.
	 */
	unsigned turns, turn;
	const struct sw_skew *lead;
};
/*
 * Where parts begin: up to `most` of them, of which none idles; returns how
 * many there are.  from: most + 1 entries, the last is q->n.  At least 1.
 */
size_t sw_skew_split(const struct sw_query *q, size_t most, size_t *from);
/* *s is made if it is NULL.  As sw_skew_pass(); nothing is computed yet. */
int sw_skew_begin(struct sw_skew **s, const struct sw_pass *p,
		  const struct sw_skew_part *part, struct err *e);
/*
 * Goes on to where it needs block `limit`, or to the end of the text.  By then
 * it has left sw_skew_left(s, p, limit) blocks to the part below.  Returns 0;
 * 1: what is left is better done by others.
 */
int sw_skew_run(struct sw_skew *s, struct sw_pass *p, uint64_t limit);
uint64_t sw_skew_left(const struct sw_skew *s, const struct sw_pass *p,
		      uint64_t limit);
void sw_skew_free(struct sw_skew *s);
/*
 * By turns.  Strips whose columns it has left to the round behind, of all its
 * rounds; how many it may take, as the lanes that have the round before left so
 * many.  Before it runs: it takes these, or fewer, by so many steps at most;
 * ends: the sum of struct sw_skew's `ends` of all others.  With its own that is
 * how many there are, where a round that may take all strips begins: no other
 * one can go on then.
 */
uint64_t sw_skew_strips_left(const struct sw_skew *s);
size_t sw_skew_ready(const struct sw_skew *s, const struct sw_pass *p,
		     uint64_t left);
void sw_skew_may(struct sw_skew *s, size_t ready, size_t ends, uint64_t steps);

void sw_wave_free(struct sw_wave *v);
/* sw_skew_pass() by w->crew, for relatives.  1: others do it better. */
int sw_turns_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
void sw_turns_free(struct sw_turns *v);

/* The interface between kernels and driver. */

enum {
	SW_SKEW_LANES = 64,	/* most */
	SW_SKEW_ROWS = 8,	/* of a strip */
	SW_SKEW_WORD = 8,	/* letters of struct sw_absent's, at least */
	SW_SKEW_SPAN = 256,	/* bytes of a row of lanes and one more */
	SW_SKEW_EDGE = 2 * SW_BLOCK * SW_SKEW_LANES,
	SW_SKEW_NO_LETTER = 5,	/* of the query: matches nothing */
	SW_SKEW_ABOVE = 1 << 20,	/* bounds may be so far above scores */
};

/* The row above a strip: H, and F of the row below, [column][lane]. */
struct sw_skew_edge {
	uint8_t h[SW_SKEW_EDGE], f[SW_SKEW_EDGE];
} __attribute__((aligned(64)));

/* The column before a strip, of each lane and the one behind the last. */
struct sw_skew_side {
	uint8_t h[SW_SKEW_ROWS][SW_SKEW_SPAN], e[SW_SKEW_ROWS][SW_SKEW_SPAN];
	int32_t base[SW_SKEW_LANES + 16], most[SW_SKEW_LANES + 16];
} __attribute__((aligned(64)));

struct sw_skew {
	/* letters of the lanes' blocks, [column][lane]: 4 matches nothing */
	uint8_t col[SW_BLOCK * SW_SKEW_LANES] __attribute__((aligned(64)));
	struct sw_skew_edge edge[2];
	struct sw_skew_side side[2];
	unsigned at;		/* edge and side before this step */

	/* of each lane; the base is that of edge[at] */
	int32_t base[SW_SKEW_LANES], new_base[SW_SKEW_LANES];
	int32_t low[SW_SKEW_LANES];	/* least H of the row above */
	int32_t most[SW_SKEW_LANES];	/* no H of the row above is larger */
	int32_t corner[SW_SKEW_LANES];	/* H above the column before */
	/* largest H, and a bound of strips not looked into, of the block */
	int32_t top[SW_SKEW_LANES], bound[SW_SKEW_LANES];
	int32_t want[SW_SKEW_LANES];	/* a strip with a larger H matters */
	/* what turns values by old bases to values by new ones */
	uint8_t by[2 * SW_SKEW_LANES], left_by[2 * SW_SKEW_LANES];
	uint8_t by_corner[2 * SW_SKEW_LANES];
	/* of the strip done: least H below, largest F below, largest H */
	uint8_t did_low[2 * SW_SKEW_LANES], did_f[2 * SW_SKEW_LANES];
	uint8_t did_top[2 * SW_SKEW_LANES];

	/* scores */
	int open, extend, match, mismatch;
	uint8_t table8[16], table16[16];	/* see kern */
	uint8_t code[256];	/* of letters of the text */
	int64_t threshold;	/* that is in `want` */
	int reach;	/* H <= F below the strip + reach */
	int low_at;	/* where bases put the least H */
	int zero8, limit8;	/* H up to base + limit8 fits 8 bits */
	bool bytes_fit, record, narrow;
	bool floor;	/* some base is 0 */

	/* sw_skew_prune.c: what the columns from the block's on, and the rows
	 * from strip 0 on, can add to a score; and how far H can spread. */
	int32_t gain[SW_SKEW_LANES], all_gain;
	int32_t *rows_gain;	/* [strips + lanes], from the last strip on */
	int32_t loss;		/* of a word of struct sw_absent, or 0 */
	int32_t span;
	struct sw_skew_raised {
		unsigned lane;
		int32_t h;	/* last of the column before it was raised */
	} raised[SW_SKEW_LANES];
	unsigned n_raised;
	bool prunes;	/* sizes allow it */
	bool zero;	/* all that a step left is 0 */
	bool idle;	/* and no lane has letters */
	bool looked;	/* the last step has set `top` */
	uint64_t left_out;	/* steps */
	uint64_t counted_out;	/* of them, those that the pass counts */

	const struct sw_skew_ops *ops;
	struct sw_skew_part part;
	struct sw_borders *borders;	/* or NULL */
	const struct sw_cuts *cuts;	/* or NULL */
	bool records;	/* always: peaks and borders */
	struct sw_mask *mask;	/* or NULL */
	int32_t row_corner;	/* H of the last column taken */
	size_t strips, fill;	/* fill: rows above the query's first */
	uint8_t *letter;	/* [row][strips + lanes], from the last on */
	size_t letters;		/* strips + lanes */
	struct sw_checkpoint *end;	/* [strip][row] */
	int32_t *end_most;	/* H of a strip's `end` */
	size_t ends;		/* of them, those above 0; by turns, modulo
				   2^64, what this added to that number */
	uint8_t *mem;
	size_t cap;
	size_t strip;		/* of the first lane */
	uint64_t first;		/* block of the first lane's round */
	uint64_t start, stride;	/* of the first round; from one to the next */
	size_t ready;		/* strips that the first lane may take */
	size_t other_ends;	/* `ends` of others, when all are ready */
	uint64_t steps;		/* before it returns */
	bool mute;		/* lanes still in the round before leave no
				   ends: there is none, or they are 0 */
	bool done;

	bool fresh[SW_SKEW_LANES];	/* column before: 0 */
	unsigned n_fresh;
	size_t seg;
	struct sw_backoff retry;	/* by steps */
	unsigned recording, many, reruns;

	struct {	/* for tests and measurements */
		uint64_t steps8, failed8, steps16, narrowed;
		uint64_t reruns, recorded, skipped, settled;
	} did;
};

/* Value i of a vector, by the base of its lane. */
static inline int32_t
sw_skew_value(const struct sw_skew *s, const uint8_t *x, size_t i,
	      int32_t base)
{
	return base + (s->narrow ? x[i] - s->zero8 :
				   ((const int16_t *)(const void *)x)[i]);
}

/* Letters of the query that match themselves, 0 to 3; 255: others. */
struct sw_skew_match {
	uint8_t code[SW_LETTERS];
	unsigned n;
	int32_t match, mismatch;
};
/* sw_skew.c: false: the query cannot be taken. */
bool sw_skew_match(const struct sw_query *q, struct sw_skew_match *m);

/* sw_skew.c: the column before the first lane's strip, and others that
   are 0; what the last lane left. */
void sw_skew_put_left(struct sw_skew *s);
void sw_skew_put_column(struct sw_skew *s, unsigned lane,
			const struct sw_checkpoint *m);
/* What the last lane left is 0, as the step was left out. */
void sw_skew_drop_end(struct sw_skew *s);
/* sw_skew_prune.c: what so many rows or columns may add; a lane's block's. */
int32_t sw_skew_gain(const struct sw_skew *s, uint64_t n);
void sw_skew_set_gain(struct sw_skew *s, unsigned lane, int32_t gain);
void sw_skew_plan_prune(struct sw_skew *s, const struct sw_query *q,
			const struct sw_absent *absent);
/* What all rows of the part and those below it may add. */
int32_t sw_skew_rows_gain(const struct sw_skew *s);
/* What so many words of struct sw_absent take from a gain. */
int32_t sw_skew_lost(const struct sw_skew *s, uint32_t words);
/* After sw_skew_put_left().  true: this step, and maybe some more, up to that
 * of s->strip, are left out. */
bool sw_skew_prune(struct sw_skew *s);
/* After the step. */
void sw_skew_lower_corners(struct sw_skew *s);
/* sw_skew.c: to 16 bits. */
void sw_skew_widen(struct sw_skew *s);
/*
 * sw_skew.c: the row above a lane's block, which is 0 in the first part
 * and for SW_SKEW_NO_BLOCK; the row below it.
 */
#define SW_SKEW_NO_BLOCK UINT64_MAX
void sw_skew_put_row(struct sw_skew *s, unsigned lane,
		     const struct sw_skew_row *row);

/*
 * Of a step, before it: can no lane's strip be on a path to what is sought?
 * Else, are values in some lane further apart than they can be?  need: the
 * least score sought.
 */
enum sw_skew_verdict { SW_SKEW_LIVE, SW_SKEW_DEAD, SW_SKEW_UNEVEN };
typedef enum sw_skew_verdict sw_skew_judge_fn(const struct sw_skew *s,
					      int32_t need);

/* A step of all lanes; step8: false if 8 bits do not do, nothing is changed. */
typedef bool sw_skew_fn(struct sw_skew *s);
struct sw_skew_ops {
	unsigned lanes;
	sw_skew_fn *step8, *step16;
	sw_skew_fn *widen;	/* true */
	sw_skew_fn *narrow;	/* false: does not fit, nothing is changed */
	sw_skew_judge_fn *judge;
};
KERN_DECLARE_VECTOR(const struct sw_skew_ops, sw_skew_ops);

#endif
