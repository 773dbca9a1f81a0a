/* SPDX-License-Identifier: MIT */
/*
 * sw_priv.h - the three steps of sw_best(), each with several engines
 *
 * 1. sw_pass(): scores only.  For every block of SW_BLOCK columns it gives the
 *    largest H exactly if it reaches the threshold, else an upper bound of what
 *    matters; the threshold rises while it runs.
 * 2. Blocks that may hold one of the best K are joined to regions.
 * 3. sw_region(): scores and starts of a region's cells, with a stretch before
 *    it that is made longer until nothing from further left can matter.
 */
#ifndef SEQF_SW_SW_PRIV_H
#define SEQF_SW_SW_PRIV_H

#include <stdbool.h>

#include "base/base.h"
#include "base/cpu.h"
#include "sw/sw.h"

enum { SW_ROWS = 32 };	/* of a strip, at most */

struct sw_query {
	const struct sw_scoring *s;	/* of the scheme */
	struct sw_scheme *own;	/* that is freed with it; or NULL */
	int32_t best, worst;	/* largest and least s(q_i, any letter) */
	size_t n;
	uint64_t context;
	uint64_t has;		/* codes, a bit each */
	enum sw_engine engine;
	bool minus;
	uint8_t code[];		/* n, then SW_ROWS - 1 letters to fill the last
				   strip: SW_PAD */
};

/* H and the next column's E of a row; below 0 E is 0. */
struct sw_checkpoint {
	int32_t h, e;
};

/* Each module allocates its part at first use; sw_work_free() frees all. */
struct sw_work {
	struct sw_best *best;
	struct sw_plain *plain;
	struct sw_lanes *lanes;
	struct sw_front *front;
	struct sw_skew *skew;
	struct sw_wave *wave;
	struct sw_turns *turns;
	struct sw_cuts *cuts;
	struct sw_tracer *tracer;
	struct crew *crew;	/* that may help; or NULL */
	unsigned leaders;	/* so many have one */
	struct sw_meter *meter;	/* or NULL */
	bool counted;		/* by it, each of the text's cells once */
	const struct sw_backend *backend;	/* or NULL */
	int32_t *top;		/* of blocks, by it */
	size_t n_top;
	size_t lanes_bytes;	/* see sw_lanes.h; 0: all of them */
	struct sw_grid *grid;
	struct sw_grid_ends *ends;
	struct sw_borders *borders;
	struct sw_paths *paths;
	size_t ways_most;	/* bytes of them; 0: as is best (tests) */
	struct sw_box {		/* of sw_trace_each() */
		uint64_t beg;
		size_t hit;
	} *box;
	size_t n_box;
	bool classes;	/* sw_region(): of a class, its best cell will do */
	uint64_t stretch;	/* columns before the last region, as tried */
	bool crowded;	/* regions report more cells than a grid takes */
	double slope[64];	/* columns by score, of so many bits */
	uint64_t margin;	/* columns by score, where it is low */
	uint64_t piece;		/* columns of a region; 0: as is best (tests) */
	bool unpacked;		/* starts in 64 bits, always (tests) */
	/* cells of a window that is worth a grid; strips of its tiles, 0: as
	   is best (tests) */
	uint64_t grid_from;
	unsigned grid_tile;
	unsigned border_tile;	/* blocks of such a tile, likewise */
	struct sw_round *round;
	bool round_always;	/* tests */
	struct {
		uint64_t passes, again;	/* ... by true scores (tests) */
	} rounded;
	struct sw_beside *beside;
	/* score of a best alignment beside which others are searched by
	   themselves, and strips held then; 0: as is best (tests) */
	int64_t beside_from;
	size_t beside_strips;
	/* tests: never; never by seeds; always by tiles */
	bool no_beside, beside_late, beside_tiles;
	struct {
		uint64_t done, left, asked, tiles;	/* for tests */
	} beside_did;
	struct {
		uint64_t done, failed;	/* for tests */
	} cut_did;
};
void sw_best_free(struct sw_best *b);
void sw_plain_free(struct sw_plain *p);
void sw_tracer_free(struct sw_tracer *x);
void sw_front_free(struct sw_front *f);
void sw_round_free(struct sw_round *r);

/*
 * What is known of a block: no H of it is larger than bound, of cells that a
 * path to one with H >= the pass's threshold goes through.
 */
struct sw_peak {
	int64_t bound;
	bool exact;	/* bound is the largest H of those, if there are any */
};

/*
 * sw_seed.c: words of the query that are not in the text, none of which shares
 * a letter with another: those that begin in 8 rows or behind them; likewise of
 * the text, in blocks.  NULL: not looked for.
 */
struct sw_absent {
	uint32_t *rows, *blocks;
	size_t n_rows, n_blocks;
};
int sw_absent_find(struct sw_absent *x, const struct sw_query *q,
		   const struct sw_text *t, struct err *e);
void sw_absent_free(struct sw_absent *x);

/* Of a pass, what its meter has of it; threads share it. */
struct sw_gauge {
	struct sw_meter *meter;
	uint64_t all, done, left_out;
};
/* NULL: they do nothing.  Cells that are to be done beside the text's; cells
 * that are done. */
void sw_meter_more(struct sw_meter *m, uint64_t cells);
void sw_meter_did(struct sw_meter *m, uint64_t cells);

/*
 * raise() is called for every block whose exact largest H reaches the
 * threshold, maybe with lower values, too (never above the true one).  It
 * returns the threshold from now on: never lower, and never above the score of
 * the last of the K best.
 */
struct sw_pass {
	const struct sw_query *q;
	const struct sw_text *t;
	struct sw_peak *peak;	/* t->n / SW_BLOCK */
	int64_t threshold;
	int64_t (*raise)(void *ctx, uint64_t block, int64_t top);
	void *ctx;
	const int64_t *floor;	/* the threshold is no lower; others raise it.
				   Or NULL. */
	size_t cells;	/* struct sw_view's */
	size_t k;	/* so many are wanted: peaks may be rounded up; or 0 */
	size_t wanted;	/* so many paths are: sw_borders_pass(); or 0 */
	/*
	 * Not 0: they were, and all are exact that reach this, or bounds are
	 * below it; the threshold, then, is what it was.
	 */
	int64_t sure;
	const struct sw_absent *absent;	/* or NULL */
	struct sw_borders *borders;	/* likewise */
	struct sw_cuts *cuts;	/* likewise: to be filled, see sw_grid.h */
	struct sw_gauge *gauge;	/* or NULL */
	uint64_t did, did_leave;	/* cells that it has not got yet */
	struct sw_mask *mask;	/* likewise: sw_beside.h; then no peaks */
	/*
	 * Lanes may leave what others do faster, may_skew: skewed lanes, which
	 * may_calm: may leave what lanes do faster.
	 */
	bool may_leave, may_skew, may_calm;
	bool only_8;	/* lanes leave it where 8 bits do not do */
};

/*
 * Fills peak for all blocks: exact where the largest H is >= p->threshold as
 * it is at the end (elsewhere as it comes).  ERR_NOMEM.
 */
int sw_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
int sw_plain_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
/*
 * An engine did so many cells, or left them out; a pass gives them to its gauge
 * when there are many, or at sw_pass_flush().
 */
void sw_pass_flush(struct sw_pass *p);
/* Before a pass and after it: then all is done.  g lives as long. */
void sw_pass_open(struct sw_pass *p, struct sw_gauge *g, struct sw_work *w);
void sw_pass_close(struct sw_pass *p);
static inline void
sw_pass_did(struct sw_pass *p, uint64_t cells, uint64_t left_out)
{
	p->did += cells;
	p->did_leave += left_out;
	if (p->did >> 24)
		sw_pass_flush(p);
}

/*
 * Called for the cells with H >= least in columns [from, to) of a segment (both
 * multiples of SW_BLOCK) that have s(q_i, t_j) > 0 and
 * H(i,j) = H(i-1,j-1) + s(q_i, t_j); in any order.  The best cell of a class is
 * always among them: had its path ended with a gap, or with s <= 0, the cell
 * before would have the same start and no less H, further left or up.  Returns
 * the least score wanted from now on, at least as high as before; a cell below
 * it may still come, and a cell may come twice.  Below 0: stop, an error is set
 * and this is its code.
 */
typedef int64_t sw_cell_fn(void *ctx, const struct sw_hit *cell);
struct sw_region {
	const struct sw_query *q;
	const struct sw_text *t;
	const struct sw_seg *seg;
	uint64_t from, to;
	int64_t least;
	const struct sw_peak *peak;
	sw_cell_fn *put;
	void *ctx;
};
typedef int sw_region_fn(const struct sw_region *x, struct sw_work *w,
			 struct err *e);
sw_region_fn sw_region, sw_plain_region;
/* 1: they cannot take that, or not now. */
int sw_backend_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
int sw_round_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
int sw_front_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
sw_region_fn sw_front_region;
/* It is for those that sw_region() finds to be worth a grid. */
sw_region_fn sw_grid_region;
/*
 * Columns before a region that are tried first, at most, and those of a region:
 * of no effect on results.  top: bound of its first block.
 */
uint64_t sw_stretch(const struct sw_query *q, const struct sw_work *w,
		    int64_t top);
uint64_t sw_stretch_of(const struct sw_query *q, const struct sw_work *w,
		       const struct sw_seg *seg, uint64_t from,
		       const struct sw_peak *peak);
void sw_stretch_reset(const struct sw_query *q, struct sw_work *w);
/* After a region: w->stretch did, first was tried first. */
void sw_stretch_learn(const struct sw_query *q, struct sw_work *w,
		      uint64_t first, int64_t top);

/*
 * When 8 bits are tried again, where they did not do
 *
 * At once after a run that was worth it; else after twice as many turns as the
 * last time, up to a limit.  So where 8 bits never do, few turns are lost.
 */

enum { SW_BACKOFF_LONG = 8, SW_BACKOFF_MAX = 63 };

struct sw_backoff {		/* zeroed to begin with */
	unsigned pause, pauses;	/* turns: before the next try; the last time */
	unsigned run;		/* turns in 8 bits */
};

/* In 16 bits: is it time?  Each turn that is not asks once. */
static inline bool
sw_backoff_now(struct sw_backoff *r)
{
	if (r->pause) {
		r->pause--;
		return false;
	}
	r->run = 0;
	return true;
}

/* 8 bits did not do. */
static inline void
sw_backoff_failed(struct sw_backoff *r)
{
	r->pauses = r->run >= SW_BACKOFF_LONG ? 0 : 2 * r->pauses + 1;
	if (r->pauses > SW_BACKOFF_MAX)
		r->pauses = SW_BACKOFF_MAX;
	r->pause = r->pauses;
}

/* The best K of what comes, and a bound of what they will be. */

/* A hit that is kept: in a chain of those with its hash, and in the heap. */
struct sw_node {
	struct sw_hit hit;
	size_t next, place;
};

/*
 * The best K hits so far.  What has the same key is one hit: alignments of one
 * start, a cell that came twice.  Zero it first; reused.
 */
struct sw_topk {
	const struct sw_query *q;
	enum sw_kind kind;
	size_t k, n;
	struct sw_node *node;
	size_t *heap;	/* the worst first */
	size_t *head;	/* n_head chains, a power of two */
	size_t n_node, n_heap, n_head;
};
void sw_topk_reset(struct sw_topk *s, const struct sw_query *q,
		   enum sw_kind kind, size_t k);
/* ERR_NOMEM. */
int sw_topk_put(struct sw_topk *s, const struct sw_hit *x, struct err *e);
/* The last of K, once there are K, else NULL. */
const struct sw_hit *sw_topk_last(const struct sw_topk *s);
/* In their order; s is empty then.  ERR_NOMEM. */
int sw_topk_take(struct sw_topk *s, struct sw_hits *hits, struct err *e);
void sw_topk_free(struct sw_topk *s);

/* The K largest tops of bins, the least first. */
struct sw_top {
	int64_t top;
	uint32_t bin;
};
struct sw_tops {
	struct sw_top *v;
	size_t n;
};

/* Lower bound of the K-th best score, from tops of blocks.  Zero it first. */
struct sw_raise {
	size_t k;
	int64_t threshold;
	uint32_t *bin;		/* of a block */
	uint32_t *place;	/* of a bin in its heap, from 1 on */
	struct sw_top *mem;
	size_t n_bin, n_place, n_mem;
	struct sw_tops tops[2];	/* even and odd bins */
};
/* ERR_NOMEM; ERR_LIMIT for a text of more than 2^30 blocks. */
int sw_raise_reset(struct sw_raise *r, const struct sw_query *q,
		   const struct sw_text *t, size_t k, int64_t least,
		   struct err *e);
/* struct sw_pass's raise; ctx is a struct sw_raise. */
int64_t sw_raise_take(void *ctx, uint64_t block, int64_t top);
void sw_raise_free(struct sw_raise *r);

/* Estimates of the K-th best score, each lower than the last.  Zero it. */
struct sw_estimate {
	int64_t first;	/* 0: none, or it was returned */
	int64_t some;	/* that a part of K may reach, or 0 */
	int64_t last; /* that was returned */
	int64_t *top;	/* of narrow bins, falling */
	size_t n, cap, next;
	int64_t lowest;	/* top of a bin */
	struct sw_rise {
		int64_t top, low;	/* low: since the bin below, or top */
		bool counts;	/* none before it is higher but for a valley */
	} *rise;
	size_t cap_rise;
};
/* ERR_NOMEM. */
int sw_estimate_reset(struct sw_estimate *g, const struct sw_text *t,
		      const struct sw_peak *peak, size_t k, struct err *e);
int64_t sw_estimate_next(struct sw_estimate *g);	/* 0: none is left */
void sw_estimate_free(struct sw_estimate *g);

/*
 * Scores of a tile, by vectors of 32 bits
 *
 * Values at a tile's borders are 0 or more: a gap with a lower score cannot
 * be on the path of a cell with H > 0, nor be preferred to one that opens.
 */

enum {
	SW_DISJOINT_TILE = 512,		/* rows and columns, at most */
	SW_DISJOINT_EDGE = 64,		/* letters around a tile's columns */
	SW_DISJOINT_MAX = 1 << 30,	/* H of a table that they take */
};

/* H of a border's cells, and the gap that goes on over it: E, or F. */
struct sw_disjoint_cell {
	int64_t h, gap;
};

struct sw_disjoint_tile {
	const struct sw_scoring *s;
	const uint8_t *query, *text;	/* codes of its rows, its columns */
	size_t rows, cols;
	/* NULL: H = 0; above[-1].h is that of the corner, or corner is 0 */
	const struct sw_disjoint_cell *left, *above;
	int64_t corner;
	/* A bit a pair: word row * words + column / 64; or NULL: none is. */
	const uint64_t *forbidden;
	/* To be replaced; NULL: there is no tile. */
	struct sw_disjoint_cell *right, *below;
	/* Which of them differ from what was there; at the last column. */
	bool right_new, below_new, corner_new;
	int64_t top;			/* the largest H */
};
enum { SW_DISJOINT_WORDS = SW_DISJOINT_TILE / 64 };

typedef void sw_disjoint_fn(struct sw_disjoint_tile *t);
KERN_DECLARE_VECTOR(sw_disjoint_fn, sw_disjoint_tile);

/* One border cell; true: it was another. */
static inline bool
sw_disjoint_put(struct sw_disjoint_cell *to, int64_t h, int64_t gap)
{
	bool new;

	gap = gap > 0 ? gap : 0;
	new = to->h != h || to->gap != gap;
	*to = (struct sw_disjoint_cell){ h, gap };
	return new;
}

#endif
