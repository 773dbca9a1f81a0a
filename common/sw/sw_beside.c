/* SPDX-License-Identifier: MIT */
/*
 * sw_beside.c - the best K where one alignment has most of the high cells
 *
 * If query and text are related, the best alignment A runs from end to end.
 * Where its score is high, all cells around it have the same start, as far as
 * gaps reach: half of the table has a higher H than the second best alignment.
 *
 * Let T be the table without A's pairs.  Classes have no pair in common, as a
 * cell has one path.  So the path of a cell of another class is a path of T,
 * with the same scores; no H of T is larger than H; and the candidates of the
 * rule in T are some of those in the whole table, the chosen one among them.
 * So each cell of another class has the same H, start and path in T.  The
 * scores of T are low; but T also has cells that belong to A's class in the
 * whole table, with a higher H.
 *
 * A pass finds the strips of T with a high H (sw_beside.h).  Starts of their
 * cells are found in a small window, with an upper bound of the values before
 * it, as in sw_plain.c: it grows until that does not matter.  A cell of T with
 * start z is not of class z
 * 	if H is larger than in T, there, or is above 0 at the cell before z: A,
 * 	or a gap from it, may show that.
 * It is
 * 	if no path from A's start comes with a score above 0 to any cell from
 * 	the one before z to the end.  For of a path with one of A's pairs the
 * 	part up to that pair scores no more than A's, so it would be such a
 * 	path; without those the table is T.
 * Else the path of the cell is followed in the whole table, to see if z is its
 * start.
 *
 * Where other alignments are long, too, as in the linear phase, windows would
 * be as long.  Then the whole table is computed, and kept at the borders of
 * tiles (sw_grid.h).  Many strips of T are seen to be A's class by it: from
 * a tile's border H falls no faster than gaps cost, so if all H of a strip are
 * larger than in T by more than open, none of its cells is of another class.
 * In the strips that are left a cell of another class has the H of T, so no
 * higher one than the strip's highest in T.  The few cells that have no higher
 * one, the highest strips first, are followed to their starts in the whole
 * table.
 */

#include <stdlib.h>
#include <string.h>

#include "letters/letters.h"
#include "sw/sw_beside.h"
#include "sw/sw_grid.h"

/* The best K where one alignment has most of the high cells. */

enum {
	FROM = 12288,		/* matches: seeds of such a one are worth it */
	/* likewise, if scores are known; what chance may give */
	MIN_MATCHES = 1024, COST = 32, CHANCE = 5,
	STRIPS = 4096, A_CLASS = 64,	/* strips held, for each of K more */
	FIRST = 128,		/* rows and columns around a strip */
	MAX_WINDOW = 8192, LONG = 2048,	/* of a window; matches: too much */
	ASKED = 1 << 10,	/* some ms each, where A's path is long */
	REPORTED = 1 << 18,	/* strips: a microsecond each */
	SHARE = 64, FREE = 1 << 22,	/* of all cells, in windows */
	/* strips held where other alignments are long: for each of K; in all */
	MORE = 1 << 13, MAX_STRIPS = 1 << 18,
	GROUP = 64, GROW = 2,	/* of them: searched at a time */
	MIN_CELLS = 1 << 27,	/* of all: fewer are done as fast before */
};

struct strip {
	int64_t row;
	uint64_t block;
	int64_t top;
	bool done;	/* its cells are found */
	bool open;	/* some may start before a window that has it */
};

/* A cell of a window: twice H, E, F; odd: it is a bound.  Starts. */
struct state {
	int64_t h, e, f;
	uint64_t hs, es, fs;
};

struct sw_beside {
	const struct sw_query *q;
	const struct sw_text *t;
	struct sw_hit main;		/* A */
	struct sw_mask_anchor *row, *col;
	uint64_t *pair;			/* struct sw_mask's */
	struct sw_mask mask;
	struct strip *strip;		/* a heap, the lowest first */
	size_t n, most;
	uint64_t reported;
	int64_t least;			/* that is asked for */
	int64_t top;			/* of all of T */
	int64_t complete;		/* all strips from there on are held */
	struct state *state;		/* of a window's column */
	uint32_t *at;		/* strips of a window: [block][row of strips] */
	uint32_t *of;		/* of b->hits: their strips */
	size_t n_at, n_of, n_row, n_col, n_pair, n_span, n_strip, n_state;
	size_t n_block;
	const struct sw_seg *seg;	/* that A is in */
	double cells;			/* of windows; left */
	struct sw_grid_window window;	/* the segment, once it is needed */
	bool borders;
	bool sharp;		/* A's class is known by them */
	uint32_t *slot;		/* of strips, by row and block; or NO_STRIP */
	size_t n_slot, slots;
	int64_t cut;		/* of cells that count */
	size_t asked;		/* cells, of the true table */
	struct sw_hits hits;
	struct buf ops;
	struct sw_work *w;
	struct sw_topk *topk;
	struct err *e;
};

void
sw_beside_free(struct sw_beside *b)
{
	if (!b)
		return;
	free(b->row);
	free(b->col);
	free(b->pair);
	free(b->mask.span);
	free(b->mask.block);
	free(b->strip);
	free(b->state);
	free(b->at);
	free(b->of);
	free(b->slot);
	sw_hits_free(&b->hits);
	buf_free(&b->ops);
	free(b);
}

/*
 * A pass without the pairs goes through all cells.  Beside an alignment of n
 * matches, as far as gaps lead from it, H is high: there starts would be found,
 * which takes COST times as long a cell.
 * 	In the linear phase what is found may be a chance alignment from end to
 * end, beside which others are as good: a fifth of the best score is more.
 */
bool
sw_beside_pays(const struct sw_query *q, const struct sw_text *t, int64_t top,
	       const struct sw_work *w)
{
	const uint64_t ends = q->n < t->n ? q->n : t->n;
	double n = (double)top / q->best;

	if (w->beside_from)
		return top >= w->beside_from;
	n = n < MIN_MATCHES ? 0 :
		n * (double)top / (q->s->extend ? q->s->extend : 1);
	return sw_skew_is_best(q) && top / q->best > (int64_t)(ends / CHANCE) &&
	       n * COST >= (double)q->n * (double)t->n;
}

static int64_t
gap_of(const struct sw_beside *b, uint64_t n)
{
	return n ? b->q->s->open + (int64_t)n * b->q->s->extend : 0;
}

/* No H of the cell is less, by A or by gaps that it leads to. */
static int64_t
low_of(const struct sw_beside *b, uint64_t i, uint64_t j)
{
	const struct sw_mask_anchor *r = &b->row[i], *c = &b->col[j];
	int64_t low = 0, x;

	if (j < b->seg->beg || j >= b->seg->end)
		return 0;
	if (r->at != SW_MASK_NONE && j >= r->at) {
		x = r->score - gap_of(b, j - r->at);
		low = x > low ? x : low;
	}
	if (c->at != SW_MASK_NONE && i >= c->at) {
		x = c->score - gap_of(b, i - c->at);
		low = x > low ? x : low;
	}
	if (i >= b->main.qend && j >= b->main.end) {
		x = b->main.score - gap_of(b, i + 1 - b->main.qend) -
		    gap_of(b, j + 1 - b->main.end);
		low = x > low ? x : low;
	}
	return low;
}

/* No path from A's start comes to the cell with more; before it: 0. */
static int64_t
high_of(const struct sw_beside *b, uint64_t i, uint64_t j)
{
	uint64_t rows, cols, least;

	if (i < b->main.qbeg || j < b->main.beg)
		return 0;
	rows = i + 1 - b->main.qbeg;
	cols = j + 1 - b->main.beg;
	least = rows < cols ? rows : cols;
	return (int64_t)least * b->q->best -
	       gap_of(b, rows + cols - 2 * least);
}

/* To no cell of these rows and columns, ends included: the largest value is
 * where they are nearest to the diagonal of A's start. */
static bool
is_apart(const struct sw_beside *b, uint64_t i0, uint64_t j0, uint64_t i1,
	 uint64_t j1)
{
	int64_t d0 = (int64_t)(j0 - b->main.beg) -
		     (int64_t)(i1 - b->main.qbeg);
	int64_t d1 = (int64_t)(j1 - b->main.beg) -
		     (int64_t)(i0 - b->main.qbeg);

	if (i1 < b->main.qbeg || j1 < b->main.beg)
		return true;
	if (d0 > 0)	/* all right of it */
		return high_of(b, i1, j0) <= 0;
	if (d1 < 0)
		return high_of(b, i0, j1) <= 0;
	return false;
}

static void
anchor(struct sw_mask_anchor *a, uint64_t at, int64_t score)
{
	if (a->at == SW_MASK_NONE)
		*a = (struct sw_mask_anchor){ at, (int32_t)score };
}

/* A's operations: its cells, and its pairs. */
static void
walk_path(struct sw_beside *b)
{
	const uint32_t *op = (const uint32_t *)(const void *)b->ops.p;
	uint64_t i = b->main.qbeg, j = b->main.beg;
	int64_t score = 0;

	for (size_t k = 0; k < b->ops.n / sizeof *op; k++) {
		unsigned is = op[k] & 15;

		for (uint32_t n = op[k] >> 4; n; n--) {
			if (is == CIGAR_D || is == CIGAR_I) {
				score -= b->q->s->extend;
				score -= n == op[k] >> 4 ? b->q->s->open : 0;
			} else {
				score += b->q->s->score[b->q->code[i]]
						      [b->t->codes[j]];
				b->pair[i] = j;
			}
			/* the cell: behind the letters taken so far */
			j += is != CIGAR_I;
			i += is != CIGAR_D;
			anchor(&b->row[i - 1], j - 1, score);
			anchor(&b->col[j - 1], i - 1, score);
		}
	}
}

static int
put_ops(void *ctx, size_t hit, struct err *e)
{
	(void)ctx;
	(void)hit;
	(void)e;
	return 0;
}

/* A's path, by row and by column. */
static int
find_path(struct sw_beside *b)
{
	const size_t n = b->q->n, m = b->t->n, spans = n / 8 + SW_MASK_SPANS;
	uint8_t same[SW_LETTERS];
	int rc = array_room(&b->row, &b->n_row, n, sizeof *b->row, b->e);

	if (!rc)
		rc = array_room(&b->col, &b->n_col, m, sizeof *b->col, b->e);
	if (!rc)
		rc = array_room(&b->pair, &b->n_pair, n, sizeof *b->pair,
				b->e);
	if (!rc)
		rc = array_room(&b->mask.span, &b->n_span, spans,
				sizeof *b->mask.span, b->e);
	if (!rc)
		rc = array_room(&b->mask.block, &b->n_block, m / SW_BLOCK,
				sizeof *b->mask.block, b->e);
	memset(same, 255, sizeof same);
	b->ops.n = 0;
	if (!rc)
		rc = sw_trace_each(b->q, b->t, &b->main, 1, same, b->w,
				   &b->ops, put_ops, b, b->e);
	if (rc)
		return rc;
	memset(b->row, 0xff, n * sizeof *b->row);
	memset(b->col, 0xff, m * sizeof *b->col);
	memset(b->pair, 0xff, n * sizeof *b->pair);
	walk_path(b);
	return 0;
}

static bool
is_lower(const struct sw_beside *b, const struct strip *x,
	 const struct strip *y)
{
	(void)b;
	return x->top < y->top;
}

HEAP(strips_heap, struct strip, struct sw_beside, is_lower, HEAP_ANYWHERE)

/* Are all H of the strip larger, by the borders of its tile? */
static bool
is_above(const struct sw_beside *b, const struct strip *x, int64_t most)
{
	const struct sw_borders *a = b->w->borders;
	const size_t row = (size_t)x->row;
	const size_t col = (size_t)(x->block * SW_BLOCK - b->seg->beg);
	const size_t tile = sw_borders_tile(a, row, col);
	const size_t high = tile / a->wide, wide = tile % a->wide;
	const struct sw_borders_range rows = sw_borders_rows(a, high);
	const struct sw_borders_range cols = sw_borders_cols(a, wide);
	const int64_t by_col = sw_borders_low_above(a, high, col / SW_BLOCK) -
			       gap_of(b, row + SW_SKEW_ROWS - rows.from);

	return by_col > most ||
	       sw_borders_low_left(a, row, SW_SKEW_ROWS, wide) -
	       gap_of(b, col + SW_BLOCK - cols.from) > most;
}

/* Is H of a cell larger, by A, even after a gap is opened? */
static bool
is_below_at(const struct sw_beside *b, const struct strip *x, int64_t row,
	    uint64_t col)
{
	return x->row + row < 0 ||
	       low_of(b, (uint64_t)(x->row + row), x->block * SW_BLOCK + col) >
	       x->top + b->q->s->open;
}

/* The same of all its cells; corners that are far from A first. */
static bool
is_below(const struct sw_beside *b, const struct strip *x)
{
	const struct sw_mask_span *span =
	    &b->mask.span[(size_t)(x->row + (int64_t)b->w->skew->fill) /
			  SW_SKEW_ROWS];
	const int64_t most = x->top + b->q->s->open;

	if (sw_mask_least(&b->mask, &span->low, x->row, x->block) > most)
		return true;
	if (b->sharp)
		return x->row >= 0 && is_above(b, x, most);
	if (!is_below_at(b, x, SW_SKEW_ROWS - 1, 0) ||
	    !is_below_at(b, x, 0, SW_BLOCK - 1))
		return false;
	for (int64_t r = 0; r < SW_SKEW_ROWS; r++)
		for (uint64_t c = 0; c < SW_BLOCK; c++)
			if (!is_below_at(b, x, r, c))
				return false;
	return true;
}

static int64_t
add_strip(void *ctx, int64_t row, uint64_t block, int64_t top)
{
	struct sw_beside *b = ctx;
	struct strip x = { .row = row, .block = block, .top = top };

	b->top = top > b->top ? top : b->top;
	b->reported++;
	if (is_below(b, &x))
		return b->mask.least;
	b->mask.stop = b->sharp ? top > b->main.score / 2 &&
				  !b->w->beside_tiles :
		       b->reported > REPORTED ||
		       top > (int64_t)LONG * b->q->best;
	if (b->n < b->most) {
		strips_heap_up(b, b->strip, b->n++, x);
	} else {
		int64_t gone = b->strip[0].top < top ? b->strip[0].top : top;

		b->complete = gone >= b->complete ? gone + 1 : b->complete;
		if (top > b->strip[0].top)
			strips_heap_down(b, b->strip, b->n, 0, x);
	}
	/* what would not be held need not be reported */
	if (b->n == b->most && b->strip[0].top > b->complete)
		b->complete = b->strip[0].top;
	if (b->mask.least < b->complete)
		b->mask.least = b->complete;
	return b->mask.least;
}

static int
find_strips(struct sw_beside *b, int64_t least)
{
	struct sw_pass p = {
		.q = b->q, .t = b->t, .threshold = least, .mask = &b->mask,
		.floor = &b->complete,
	};
	const struct sw_skew_part all = { .to = b->q->n };
	struct sw_gauge gauge;
	int rc = array_room(&b->strip, &b->n_strip, b->most, sizeof *b->strip,
			    b->e);

	b->n = 0;
	b->reported = 0;
	b->mask.stop = false;
	b->top = b->complete = least;
	b->mask.q = b->q;
	b->mask.t = b->t;
	b->mask.col = b->pair;
	b->mask.row_anchor = b->row;
	b->mask.col_anchor = b->col;
	b->mask.path = b->main;
	b->mask.seg = b->seg;
	b->mask.report = add_strip;
	b->mask.ctx = b;
	b->mask.least = least;
	if (!rc)
		rc = sw_skew_begin(&b->w->skew, &p, &all, b->e);
	if (rc)
		return rc;
	sw_pass_open(&p, &gauge, b->w);
	rc = sw_skew_run(b->w->skew, &p, UINT64_MAX);
	sw_pass_close(&p);
	return rc;
}

static int
falling(const void *x, const void *y)
{
	const struct strip *a = x, *b = y;

	if (a->top != b->top)
		return a->top > b->top ? -1 : 1;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* A window: rows [i0, i1), columns [j0, j1) of T, in one segment. */
struct window {
	uint64_t i0, i1, j0, j1;
	bool left;		/* columns of the segment are before it */
	int64_t bound;		/* twice, and odd: of H before it */
	int64_t cut;		/* cells from there on count */
	size_t high;		/* rows of strips */
	int64_t top;		/* the first of them begins with this row */
	uint64_t block;		/* the first one */
};
#define NO_STRIP UINT32_MAX

static const struct sw_seg *
seg_of(const struct sw_beside *b, uint64_t block)
{
	const struct sw_text *t = b->t;

	return t->seg + array_first(t->seg, t->n_seg, sizeof *t->seg,
				    offsetof(struct sw_seg, end),
				    block * SW_BLOCK + 1);
}

static uint64_t
less(uint64_t x, uint64_t by, uint64_t least)
{
	return x > least && x - least > by ? x - by : least;
}

/* Blocks end with a segment, and strips with the query. */
static struct window
window_of(const struct sw_beside *b, const struct strip *x, uint64_t size)
{
	const struct sw_seg *g = seg_of(b, x->block);
	const uint64_t rows = size / SW_SKEW_ROWS * SW_SKEW_ROWS;
	const uint64_t cols = size / SW_BLOCK * SW_BLOCK;
	uint64_t from = x->block * SW_BLOCK;
	uint64_t end = (uint64_t)(x->row + SW_SKEW_ROWS) + rows;
	struct window v = {
		.i1 = end < b->q->n ? end : b->q->n,
		.j0 = less(from, size, g->beg),
		.j1 = from + SW_BLOCK + cols < g->end ?
		      from + SW_BLOCK + cols : g->end,
	};

	if (x->row > 0)
		v.i0 = less((uint64_t)x->row, size, 0);
	v.left = v.j0 > g->beg;
	v.top = x->row - (int64_t)(((uint64_t)x->row - v.i0 + SW_SKEW_ROWS - 1)
				   / SW_SKEW_ROWS * SW_SKEW_ROWS);
	if (x->row < 0)
		v.top = x->row;
	v.high = (size_t)((int64_t)v.i1 - v.top) / SW_SKEW_ROWS;
	v.block = v.j0 / SW_BLOCK;
	return v;
}

/* Does the strip have cells in the row above, or the column before? */
static bool
is_before(const struct window *v, const struct strip *x)
{
	int64_t i = (int64_t)v->i0 - 1, end = x->row + SW_SKEW_ROWS;
	uint64_t beg = x->block * SW_BLOCK;

	if (end <= i || x->row >= (int64_t)v->i1 ||
	    beg + SW_BLOCK + 1 <= v->j0 || beg >= v->j1)
		return false;
	return x->row <= i || (v->left && beg < v->j0);
}

/*
 * The strips that are in the window, and how large H may be before it: that of
 * a path that counts, whose cells are in strips that are held, or are below
 * `complete`.  In one that was found to be below A, no cell is on such a path.
 */
static int
take_strips(struct sw_beside *b, struct window *v)
{
	const uint64_t wide = (v->j1 - 1) / SW_BLOCK + 1 - v->block;
	int64_t bound = b->complete - 1;
	int rc = array_room(&b->at, &b->n_at, v->high * (size_t)wide,
			    sizeof *b->at, b->e);

	if (rc)
		return rc;
	memset(b->at, 0xff, v->high * (size_t)wide * sizeof *b->at);
	for (size_t k = 0; k < b->n; k++) {
		struct strip *x = &b->strip[k];

		if (is_before(v, x) && x->top > bound)
			bound = x->top;
		if (x->done || x->row < v->top || x->row >= (int64_t)v->i1 ||
		    x->block < v->block || x->block - v->block >= wide)
			continue;
		x->open = (v->i0 && x->row < (int64_t)v->i0) ||
			  x->block * SW_BLOCK < v->j0;	/* not all of it */
		b->at[(x->block - v->block) * v->high +
		      (size_t)(x->row - v->top) / SW_SKEW_ROWS] = (uint32_t)k;
	}
	v->bound = bound > 0 ? 2 * bound + 1 : 0;
	return 0;
}

/* A query has 2^30 letters at most. */
static uint64_t
pack_place(uint64_t i, uint64_t j)
{
	return i << SW_BESIDE_PLACE | j;
}

/* Before a window no E and no F is larger than H may be. */
static struct state
before_window(const struct window *v, bool any)
{
	int64_t x = any ? v->bound : 0;

	return (struct state){ x, x, x, 0, 0, 0 };
}

/*
 * One cell, by the rule; up: the one above, s: the one before, then it.  Is it
 * one that may stand for its class: see sw_region()?
 */
static bool
cell_of(const struct sw_beside *b, uint64_t i, uint64_t j, int64_t diag,
	uint64_t ds, const struct state *up, struct state *s)
{
	const struct sw_scoring *c = b->q->s;
	uint8_t letter = b->t->codes[j];
	int64_t score = letter < c->letters ? c->score[b->q->code[i]][letter] :
					      b->q->worst;
	int64_t open = 2 * (int64_t)c->open, extend = 2 * (int64_t)c->extend;
	int64_t d = diag + 2 * score, e = s->h - open, f = up->h - open;
	bool match = score > 0 && b->pair[i] != j;

	if (b->pair[i] == j)
		d = 0;
	s->es = e >= s->e ? s->hs : s->es;
	s->e = (e >= s->e ? e : s->e) - extend;
	s->fs = f >= up->f ? up->hs : up->fs;
	s->f = (f >= up->f ? f : up->f) - extend;
	s->h = d > s->e ? d : s->e;
	s->h = s->h > s->f ? s->h : s->f;
	if (s->h <= 1) {	/* 1: a bound of 0 */
		s->h = 0;
		return false;
	}
	s->hs = s->h == d ? ds : s->h == s->e ? s->es : s->fs;
	return match && s->h == d;
}

static int
add_hit(struct sw_beside *b, uint64_t i, uint64_t j, const struct state *s,
	uint32_t strip)
{
	size_t n = b->hits.n + 1;
	int rc = array_room(&b->hits.v, &b->hits.cap, n, sizeof *b->hits.v,
			    b->e);

	if (!rc)
		rc = array_room(&b->of, &b->n_of, n, sizeof *b->of, b->e);
	if (rc)
		return rc;
	b->of[b->hits.n] = strip;
	b->hits.v[b->hits.n++] = (struct sw_hit){
		.score = s->h / 2, .qbeg = s->hs >> SW_BESIDE_PLACE,
		.beg = s->hs & (((uint64_t)1 << SW_BESIDE_PLACE) - 1),
		.qend = i + 1, .end = j + 1,
	};
	return 0;
}

/* A cell that is high enough: it counts if its strip is to be done. */
static int
add_cell(struct sw_beside *b, const struct window *v, uint64_t i, uint64_t j,
	 const struct state *s, bool stands)
{
	size_t row = (size_t)((int64_t)i - v->top) / SW_SKEW_ROWS;
	uint32_t k = b->at[(j / SW_BLOCK - v->block) * v->high + row];

	if (k == NO_STRIP)
		return 0;
	b->strip[k].open |= s->h % 2;
	return stands && s->h % 2 == 0 ? add_hit(b, i, j, s, k) : 0;
}

static int
beside_column(struct sw_beside *b, const struct window *v, uint64_t j)
{
	struct state above = before_window(v, v->i0 > 0), *up = &above;
	int64_t diag = v->i0 > 0 && v->left ? above.h : 0;
	uint64_t ds = 0;
	int rc = 0;

	if (j > v->j0)
		diag = above.h;
	for (uint64_t i = v->i0; i < v->i1 && !rc; i++) {
		struct state *s = &b->state[i - v->i0];
		int64_t h = s->h;
		uint64_t hs = s->hs;
		bool stands = cell_of(b, i, j, diag,
				      diag > 0 ? ds : pack_place(i, j), up, s);

		diag = h;
		ds = hs;
		up = s;
		if (s->h >= 2 * v->cut)
			rc = add_cell(b, v, i, j, s, stands);
	}
	return rc;
}

/* All cells; those of strips come to b->hits. */
static int
beside_compute(struct sw_beside *b, struct window *v)
{
	const size_t rows = (size_t)(v->i1 - v->i0);
	int rc = array_room(&b->state, &b->n_state, rows, sizeof *b->state,
			    b->e);

	b->hits.n = 0;
	for (size_t r = 0; r < rows && !rc; r++)
		b->state[r] = before_window(v, v->left);
	sw_meter_more(b->w->meter, rows * (v->j1 - v->j0));
	for (uint64_t j = v->j0; j < v->j1 && !rc; j++)
		rc = beside_column(b, v, j);
	sw_meter_did(b->w->meter, rows * (v->j1 - v->j0));
	return rc;
}

/* Of a cell of T, is it one of its class? */
enum verdict { YES, UNKNOWN, NO };

static enum verdict
judge_hit(const struct sw_beside *b, const struct sw_hit *h)
{
	uint64_t i = h->qbeg, j = h->beg;

	if (j < b->seg->beg || j >= b->seg->end)
		return YES;
	if (low_of(b, h->qend - 1, h->end - 1) > h->score)
		return NO;
	if (i > 0 && j > b->seg->beg && low_of(b, --i, --j) > 0)
		return NO;
	return is_apart(b, i, j, h->qend - 1, h->end - 1) ? YES : UNKNOWN;
}

static int
open_borders(struct sw_beside *b)
{
	const struct sw_seg *g = b->seg;
	int rc;

	b->window = (struct sw_grid_window){
		.row = b->q->code, .rows = b->q->n,
		.col = b->t->codes + g->beg,
		.cols = (size_t)(g->end - g->beg), .least = INT32_MAX / 4,
	};
	rc = sw_grid_starts(b->w, b->q, &b->window, b->e);
	b->borders = !rc;
	return rc;
}

/* The start of a cell's path, in the true table. */
static int
start_of(struct sw_beside *b, uint64_t i, uint64_t j, uint64_t *start)
{
	struct sw_hit x = { .score = 1, .qend = i + 1,
			    .end = j + 1 - b->seg->beg };
	int rc = sw_grid_start(b->w, b->q, &b->window, &x, b->e);

	*start = pack_place(x.qbeg, x.beg + b->seg->beg);
	return rc;
}

/* By the true table: is there a class of that start?  Where H = 0 before it,
 * the start found is the next cell. */
static int
ask_start(struct sw_beside *b, const struct sw_hit *h, bool *is)
{
	const uint64_t z = pack_place(h->qbeg, h->beg);
	uint64_t start = z;
	int rc = b->borders ? 0 : open_borders(b);

	if (!rc && h->qbeg && h->beg > b->seg->beg)
		rc = start_of(b, h->qbeg - 1, h->beg - 1, &start);
	*is = start == z;
	return rc;
}

/* And is the cell of it? */
static int
ask_cell(struct sw_beside *b, const struct sw_hit *h, bool *is)
{
	uint64_t start;
	int rc = start_of(b, h->qend - 1, h->end - 1, &start);

	*is = start == pack_place(h->qbeg, h->beg);
	return rc ? rc : ++b->asked > ASKED;
}

/* By start; of one start, that which stands for its class first. */
static int
by_class(const void *x, const void *y)
{
	const struct sw_hit *a = x, *b = y;

	if (a->qbeg != b->qbeg)
		return a->qbeg < b->qbeg ? -1 : 1;
	if (a->beg != b->beg)
		return a->beg < b->beg ? -1 : 1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->qend < b->qend ? -1 : a->qend > b->qend;
}

/* Of n cells of one start the first that is of its class. */
static int
put_class(struct sw_beside *b, const struct sw_hit *h, size_t n)
{
	bool begins = false, is = false;
	int rc = 0;

	for (size_t i = 0; i < n && !rc && !is; i++) {
		const struct sw_hit *last = sw_topk_last(b->topk);
		enum verdict v = judge_hit(b, &h[i]);

		if (last && h[i].score < last->score)
			break;
		is = v == YES;
		if (v == UNKNOWN && !begins) {
			rc = ask_start(b, &h[i], &begins);
			if (rc || !begins)
				break;
		}
		if (v == UNKNOWN)
			rc = ask_cell(b, &h[i], &is);
		if (!rc && is)
			rc = sw_topk_put(b->topk, &h[i], b->e);
	}
	return rc;
}

/* Those of strips that are done by the window stay. */
static void
drop_open(struct sw_beside *b, const struct window *v)
{
	const size_t wide = (size_t)((v->j1 - 1) / SW_BLOCK + 1 - v->block);
	size_t n = 0;

	for (size_t i = 0; i < v->high * wide; i++)
		if (b->at[i] != NO_STRIP)
			b->strip[b->at[i]].done = !b->strip[b->at[i]].open;
	for (size_t i = 0; i < b->hits.n; i++)
		if (b->strip[b->of[i]].done)
			b->hits.v[n++] = b->hits.v[i];
	b->hits.n = n;
}

static int
put_hits(struct sw_beside *b, const struct window *v)
{
	const struct sw_hit *h = b->hits.v;
	int rc = 0;

	drop_open(b, v);
	if (b->hits.n)
		qsort(b->hits.v, b->hits.n, sizeof *h, by_class);
	for (size_t i = 0, k; i < b->hits.n && !rc; i = k) {
		for (k = i + 1; k < b->hits.n && h[k].qbeg == h[i].qbeg &&
		     h[k].beg == h[i].beg; k++)
			continue;
		rc = put_class(b, h + i, k - i);
	}
	return rc;
}

/*
 * A strip, in windows that grow until nothing from before can matter; others
 * that are in it are done with it.  1: that takes too much.
 */
static int
search_strip(struct sw_beside *b, struct strip *x, int64_t cut)
{
	for (uint64_t size = b->w->beside_from ? 1 : FIRST;; size *= 2) {
		struct window v = window_of(b, x, size);
		int rc;

		b->cells -= (double)(v.i1 - v.i0) * (double)(v.j1 - v.j0);
		if (size > MAX_WINDOW || b->cells < 0)
			return 1;
		v.cut = cut;
		rc = take_strips(b, &v);
		if (!rc)
			rc = beside_compute(b, &v);
		if (rc || !x->open)
			return rc ? rc : put_hits(b, &v);
	}
}

/*
 * The highest first, until none that is left can be before the last of K.
 * Strips that are not held may have what is below `complete`.
 */
static int
search_all(struct sw_beside *b)
{
	const struct sw_hit *last;
	int rc = 0;

	qsort(b->strip, b->n, sizeof *b->strip, falling);
	for (size_t i = 0; i < b->n && !rc; i++) {
		int64_t cut = b->complete;

		last = sw_topk_last(b->topk);
		if (last && last->score > cut)
			cut = last->score;
		if (b->strip[i].top < cut)
			break;
		if (!b->strip[i].done)
			rc = search_strip(b, &b->strip[i], cut);
	}
	if (rc)
		return rc;
	last = sw_topk_last(b->topk);
	return b->complete > b->least && (!last || last->score < b->complete);
}

/* Beside long ones: cells of the whole table. */

/* Where the strip of a row and a block is, or belongs. */
static uint32_t *
slot_of(const struct sw_beside *b, int64_t row, uint64_t block)
{
	uint64_t place = (uint64_t)row << SW_BESIDE_PLACE ^ block;
	uint64_t x = place * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(x >> 32) & (b->slots - 1);

	while (b->slot[i] != NO_STRIP &&
	       (b->strip[b->slot[i]].row != row ||
		b->strip[b->slot[i]].block != block))
		i = (i + 1) & (b->slots - 1);
	return &b->slot[i];
}

static int
fill_slots(struct sw_beside *b)
{
	int rc;

	b->slots = 64;
	while (b->slots < 2 * b->n)
		b->slots *= 2;
	rc = array_room(&b->slot, &b->n_slot, b->slots, sizeof *b->slot, b->e);
	if (rc)
		return rc;
	memset(b->slot, 0xff, b->slots * sizeof *b->slot);
	for (size_t k = 0; k < b->n; k++)
		*slot_of(b, b->strip[k].row, b->strip[k].block) = (uint32_t)k;
	return 0;
}

/* May the cell be of another class? */
static bool
wants_cell(void *ctx, size_t row, size_t col, int64_t h)
{
	const struct sw_beside *b = ctx;
	const int64_t i = (int64_t)row;
	uint32_t k = *slot_of(b, i - ((i - b->strip[0].row) &
				      (SW_SKEW_ROWS - 1)),
			      (col + b->seg->beg) / SW_BLOCK);

	return k != NO_STRIP && h <= b->strip[k].top;
}

static int64_t
put_other(void *ctx, const struct sw_hit *cell)
{
	struct sw_beside *b = ctx;
	int rc = sw_topk_put(b->topk, cell, b->e);
	const struct sw_hit *last = sw_topk_last(b->topk);

	if (last && last->score > b->cut)
		b->cut = last->score;
	return rc ? rc : b->cut;
}

/* Tiles of the first n strips. */
static void
mark_tiles(struct sw_beside *b, size_t n)
{
	const struct sw_borders *x = b->w->borders;

	memset(x->reported, 0, x->high * x->wide);
	for (size_t i = 0; i < n; i++) {
		const struct strip *s = &b->strip[i];
		size_t row = s->row > 0 ? (size_t)s->row : 0;

		x->reported[sw_borders_tile(x, row, (size_t)
			    (s->block * SW_BLOCK - b->seg->beg))] = true;
	}
}

/*
 * Cells from the n-th highest strip's top on are in the first n; of those they
 * are followed, until K are found, for more and more strips.
 */
static int
search_tiles(struct sw_beside *b)
{
	const struct sw_hit *last;
	int rc = fill_slots(b);

	for (size_t n = GROUP; !rc; n *= GROW) {
		int64_t cut = b->complete;

		if (n < b->n && b->strip[n - 1].top > cut)
			cut = b->strip[n - 1].top;
		b->cut = cut;
		mark_tiles(b, n < b->n ? n : b->n);
		rc = sw_grid_some(b->w, b->q, &b->window, b->seg->beg, cut,
				  wants_cell, put_other, b, b->e);
		last = sw_topk_last(b->topk);
		if (rc || (last && last->score >= cut))
			return rc;
		if (cut == b->complete)
			return b->complete > b->least;
	}
	return rc;
}

/*
 * Is A better by far than what chance gives in the linear phase?  There many a
 * path is as good as its best, and cells of A's class have nearly as high an H
 * in T.
 */
static bool
is_relative(const struct sw_beside *b)
{
	uint64_t rows = b->main.qend - b->main.qbeg;
	uint64_t cols = b->main.end - b->main.beg;
	uint64_t least = rows < cols ? rows : cols;

	if (b->w->beside_from)
		return true;
	return (double)b->q->n * (double)b->t->n >= MIN_CELLS &&
	       b->main.score / 3 > (int64_t)least * b->q->best / 8;
}

static int
search_long(struct sw_beside *b, size_t k)
{
	const size_t most = b->most;
	int rc = 1;

	if (b->t->n_seg == 1 && is_relative(b))
		rc = b->borders ? 0 : open_borders(b);
	if (rc)
		return rc;
	if (!b->w->beside_strips || b->w->beside_tiles)
		b->most = k < MAX_STRIPS / MORE ? k * MORE : MAX_STRIPS;
	b->sharp = true;
	rc = find_strips(b, b->least);
	b->sharp = false;
	b->most = most;
	if (rc || !b->n)
		return rc;
	qsort(b->strip, b->n, sizeof *b->strip, falling);
	rc = search_tiles(b);
	b->w->beside_did.tiles += rc == 0;
	return rc;
}

static struct sw_beside *
beside_of(struct sw_work *w)
{
	if (!w->beside)
		w->beside = calloc(1, sizeof *w->beside);
	return w->beside;
}

/* A, by seeds. */
static int
find_main(const struct sw_query *q, const struct sw_text *t,
	  const int64_t *least, struct sw_hits *hits, struct sw_work *w,
	  struct err *e)
{
	int64_t from = w->beside_from, bound = 0, floor;
	int rc;

	if (w->beside_late || (!from && !sw_bound_helps(q, t)))
		return SW_BESIDE_LATER;
	if (!from)
		from = (int64_t)FROM * q->best;
	floor = *least > from ? *least : from;
	rc = sw_bound(q, t, w->crew, &bound, e);
	if (rc || (bound < from && !w->beside_from))
		return rc ? rc : SW_BESIDE_LATER;
	floor = bound > floor ? bound : floor;
	rc = sw_best(q, t, SW_ALIGNMENTS, 1, &floor, w, hits, e);
	return rc || hits->n ? rc : 1;
}

int
sw_beside_hit(const struct sw_query *q, const struct sw_text *t, size_t k,
	      const struct sw_hit *main, const int64_t *least,
	      struct sw_work *w, struct sw_topk *topk, struct err *e)
{
	struct sw_beside *b = beside_of(w);
	int rc;

	if (!b)
		return err_nomem(e, sizeof *b);
	b->q = q;
	b->t = t;
	b->w = w;
	b->topk = topk;
	b->e = e;
	b->main = *main;
	b->seg = seg_of(b, main->beg / SW_BLOCK);
	b->borders = false;
	b->asked = 0;
	b->cells = (double)q->n * (double)t->n / SHARE + FREE;
	b->most = w->beside_strips ? w->beside_strips : STRIPS + A_CLASS * k;
	rc = find_path(b);
	if (rc)
		return rc;
	b->least = __atomic_load_n(least, __ATOMIC_RELAXED);
	sw_topk_reset(topk, q, SW_ALIGNMENTS, k);
	rc = sw_topk_put(topk, &b->main, e);
	if (!rc)
		rc = w->beside_tiles ? 1 : find_strips(b, b->least);
	if (!rc)
		rc = search_all(b);
	if (rc == 1)
		rc = search_long(b, k);
	w->beside_did.asked += b->asked;
	w->beside_did.done += rc == 0;
	w->beside_did.left += rc == 1;
	return rc;
}

int
sw_beside(const struct sw_query *q, const struct sw_text *t, size_t k,
	  const int64_t *least, struct sw_work *w, struct sw_topk *topk,
	  struct err *e)
{
	struct sw_beside *b = beside_of(w);
	int rc;

	if (!b)
		return err_nomem(e, sizeof *b);
	rc = find_main(q, t, least, &b->hits, w, e);
	if (rc)
		return rc;
	return sw_beside_hit(q, t, k, &b->hits.v[0], least, w, topk, e);
}
