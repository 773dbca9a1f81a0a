/* SPDX-License-Identifier: MIT */
/*
 * sw_region.c - scores and starts of a region's cells
 *
 * A region's window begins at a column w.  What enters it from further left is
 * not known, only bounded: H(i, w-1) <= u = min(i * best, bound of the block
 * before), and E(i, w-1) <= H(i, w-1).  So all scores are doubled and
 * 	H'(i, w-1) = E'(i, w-1) = 2u + 1,	H' <= 1 becomes 0.
 * All steps are even, so an odd value is one that comes from outside.  For
 * X = H, E, F or the diagonal step, by induction over the cells,
 * 	(a)  X' even: X = X' / 2	(b)  X' odd: 2X + 1 <= X'
 * since of a maximum of such terms, if even, each odd term is at least 1 lower
 * and stands for a still lower score, and if odd, each even term is lower.
 * The floor: H' = 1 means 2H <= 0, so H = 0 is the truth, and it is even.
 *
 * Let H' be even and > 0.  Then the window's traceback is the true one: each
 * step's term has H' in the window if and only if it has H in truth.  (If it
 * has H' it is even, by (a) it is H.  If it is H in truth, its term in the
 * window is at least 2H = H', and no term is above H'.)  The same for the two
 * terms of E and of F, that of leaving the gap being asked first both times.
 * The step leads to an even term again, so the whole path is the true one, and
 * it ends at the diagonal step from a cell with H' = 0, where H = 0 by (a).  So
 * score and start of a cell with even H' are right, in any window.  A cell with
 * odd H' is not reported: only if it may be one to be reported, the window is
 * too short.  Cells reported before from the window are right, too; they come
 * again from the longer one, and the receiver must accept that.
 */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_front.h"
#include "sw/sw_grid.h"
#include "sw/sw_priv.h"

/*
 * The number of columns tried first before a region
 *
 * It has no effect on results: a stretch that is too short is tried again,
 * twice as long.  Cells of score top need at least top / best columns; most of
 * what is similar by chance, or well related, needs less than twice as many.
 * Where gaps are cheap it is far more: regions report how much, and the next
 * one of such a score begins with that.
 *
 * Where the query has a relative, scores rise from where that begins: they are
 * low before it, so the stretch ends there.  What comes from further left is
 * bounded by that low score, and has to be gone before the alignment begins:
 * that takes some columns more, and if it was not gone, the next time there are
 * twice as many of them.
 */

#define MAX_COLUMNS ((uint64_t)1 << 40)	/* columns */
#define UNIT 16

enum {
	LOW = 8,		/* times lower than the region's scores */
	MARGIN = 4, MAX_MARGIN = 1024,
	FARTHER = 4,		/* than what is tried where scores are high */
};

static unsigned
bits(int64_t top)
{
	return top > 0 ? 63 - (unsigned)__builtin_clzll((uint64_t)top) : 0;
}

void
sw_stretch_reset(const struct sw_query *q, struct sw_work *w)
{
	w->stretch = 0;
	w->crowded = false;
	w->margin = MARGIN;
	for (unsigned i = 0; i < 64; i++)
		w->slope[i] = q->best > 0 ? 2.0 / q->best : 0;
}

uint64_t
sw_stretch(const struct sw_query *q, const struct sw_work *w, int64_t top)
{
	uint64_t most = q->context < MAX_COLUMNS ? q->context : MAX_COLUMNS;
	double n = w->slope[bits(top)] * (double)top;

	if (n < 1)
		return UNIT;
	if (n < (double)most)
		most = (uint64_t)n;
	return (most + UNIT - 1) / UNIT * UNIT;
}

/* The least bound of n blocks before block `at`, or `most`. */
static int64_t
lowest(const struct sw_peak *peak, uint64_t at, uint64_t n, int64_t most)
{
	for (uint64_t k = 1; k <= n; k++)
		most = min_i64(most, peak[at - k].bound);
	return max_i64(most, 0);
}

uint64_t
sw_stretch_of(const struct sw_region *x, const struct sw_work *w)
{
	uint64_t at = x->from / SW_BLOCK, k = 1;
	uint64_t before = at - x->seg->beg / SW_BLOCK;
	uint64_t most = sw_stretch(x->q, w, x->peak[at].bound);
	uint64_t n = min_u64(FARTHER * most / SW_BLOCK, before);
	const int64_t enough = x->peak[at].bound / LOW;
	int64_t low = lowest(x->peak, at, n, enough);

	if (low >= enough || x->q->best <= 0)
		return most;
	low = 2 * low + LOW * x->q->best;
	while (x->peak[at - k].bound > low)
		k++;
	/* scores of 2^40 and more are of no use here, and would overflow */
	n = k * SW_BLOCK + w->margin * min_u64((uint64_t)low, MAX_COLUMNS);
	n = min_u64(n, x->q->context);
	return (n + UNIT - 1) / UNIT * UNIT;
}

void
sw_stretch_learn(const struct sw_region *x, struct sw_work *w, uint64_t first)
{
	const int64_t top = x->peak[x->from / SW_BLOCK].bound;
	double *slope = &w->slope[bits(top)];

	if (first != sw_stretch(x->q, w, top)) {
		if (w->stretch > first && w->margin < MAX_MARGIN)
			w->margin *= 2;
		return;
	}
	if (top > 0 && w->stretch > first)
		*slope = (double)w->stretch / (double)top;
	else
		*slope *= 0.97;	/* a little less may do the next time */
}

/*
 * A cell at a time, in 64 bits
 *
 * The reference of the fast engines: any scores, any lengths, one column of
 * memory.  Scores do not overflow: |H|, |E| <= 2^30 rows * 10^6, doubled in
 * regions; gaps fall by at most 2 * 10^6 a column or row from NONE.
 */

#define NONE (INT64_MIN / 4)

struct start {
	uint64_t row, col;
};

/* A row's values in the last column. */
struct cell {
	int64_t h, e;
	struct start hs, es;
};

struct score {
	int64_t h, e;
};

struct sw_plain {
	struct cell *cell;
	struct score *score;
	size_t n_cell, n_score;
};

static int
plain_of(struct sw_work *w, struct sw_plain **p, struct err *e)
{
	if (!w->plain)
		w->plain = calloc(1, sizeof *w->plain);
	*p = w->plain;
	return *p ? 0 : err_nomem(e, sizeof **p);
}

void
sw_plain_free(struct sw_plain *p)
{
	if (!p)
		return;
	free(p->cell);
	free(p->score);
	free(p);
}

static int64_t
score_of(const struct sw_query *q, size_t i, uint8_t letter)
{
	return letter == SW_PAD ? NONE : q->s->score[q->code[i]][letter];
}

/* One column; returns its largest H. */
static int64_t
score_column(const struct sw_query *q, uint8_t letter, struct score *v)
{
	int64_t open = q->s->open, extend = q->s->extend;
	int64_t f = NONE, up = 0, diag = 0, top = 0;

	for (size_t i = 0; i < q->n; i++) {
		int64_t e = max_i64(v[i].h - open, v[i].e) - extend;
		int64_t h = max_i64(0, diag + score_of(q, i, letter));

		f = max_i64(up - open, f) - extend;
		h = max_i64(h, max_i64(e, f));
		diag = v[i].h;
		up = h;
		v[i] = (struct score) { h, e };
		top = max_i64(top, h);
	}
	return top;
}

static void
score_seg(struct sw_pass *p, const struct sw_seg *g, struct score *v)
{
	for (size_t i = 0; i < p->q->n; i++)
		v[i] = (struct score) { 0, NONE };
	for (uint64_t b = g->beg / SW_BLOCK; b < g->end / SW_BLOCK; b++) {
		const uint8_t *letter = p->t->codes + b * SW_BLOCK;
		int64_t top = 0;

		for (unsigned j = 0; j < SW_BLOCK; j++)
			top = max_i64(top, score_column(p->q, letter[j], v));
		sw_pass_did(p, p->q->n * SW_BLOCK, 0);
		p->peak[b] = (struct sw_peak) { top, true };
		if (top >= p->threshold)
			p->threshold = p->raise(p->ctx, b, top);
	}
}

int
sw_plain_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct sw_plain *plain;
	int rc = plain_of(w, &plain, e);

	if (!rc)
		rc = array_room(&plain->score, &plain->n_score, p->q->n,
			     sizeof *plain->score, e);
	for (size_t s = 0; !rc && s < p->t->n_seg; s++)
		score_seg(p, &p->t->seg[s], plain->score);
	return rc;
}

struct plain_region {
	const struct sw_query *q;
	const struct sw_text *t;
	struct cell *cell;
	int64_t least;
	sw_cell_fn *put;
	void *ctx;
};

enum { TOO_SHORT = 1 };

/*
 * A cell of the target columns, reached by a letter's score s > 0.  It is to be
 * reported if H = diag; diag' bounds that from above even if it is odd.
 */
static int
report_cell(struct plain_region *r, size_t i, uint64_t j, const struct cell *x,
	    int64_t diag)
{
	if (diag / 2 < r->least)
		return 0;
	if (x->h % 2)
		return TOO_SHORT;
	if (x->h > diag)
		return 0;
	r->least = r->put(r->ctx, &(struct sw_hit) {
		.score = x->h / 2,
		.qbeg = x->hs.row, .qend = i + 1,
		.beg = x->hs.col, .end = j + 1,
	});
	return r->least < 0 ? (int)r->least : 0;
}

/* The diagonal is asked first, then E, then F; what is left is 0. */
static void
choose_start(struct cell *x, int64_t diag, const struct start *ds, int64_t f,
	     const struct start *fs)
{
	int64_t h = max_i64(diag, max_i64(x->e, f));

	if (h <= 1)
		h = 0;
	else if (h == diag)
		x->hs = *ds;
	else
		x->hs = h == x->e ? x->es : *fs;
	x->h = h;
}

/* A column with starts; its cells are reported if it is a target. */
static int
full_column(struct plain_region *r, uint64_t j, bool target)
{
	int64_t open = 2 * r->q->s->open, extend = 2 * r->q->s->extend;
	uint8_t letter = r->t->codes[j];
	struct cell before = { 0 };
	int64_t f = NONE, up = 0;
	struct start fs = { 0, 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < r->q->n; i++) {
		struct cell *x = &r->cell[i], left = *x;
		int64_t s = score_of(r->q, i, letter);
		struct start ds = before.h ? before.hs :
				  (struct start) { i, j };

		if (left.h - open >= left.e) {
			x->e = left.h - open;
			x->es = left.hs;
		}
		x->e -= extend;
		if (up - open >= f) {
			f = up - open;
			if (i)
				fs = x[-1].hs;
		}
		f -= extend;
		choose_start(x, before.h + 2 * s, &ds, f, &fs);
		up = x->h;
		if (target && s > 0)
			rc = report_cell(r, i, j, x, before.h + 2 * s);
		before = left;
	}
	return rc;
}

/* The column before w: 0 at a segment's begin, else the bound, odd. */
static void
first_column(struct plain_region *r, bool begins, int64_t bound)
{
	int64_t best = max_i64(r->q->best, 0);

	for (size_t i = 0; i < r->q->n; i++) {
		int64_t most = (int64_t)(i + 1) * best;
		int64_t u = begins ? 0 : most < bound ? most : bound;

		r->cell[i] = (struct cell) { .h = u ? 2 * u + 1 : 0,
					     .e = u ? 2 * u + 1 : NONE };
	}
}

int
sw_plain_region(const struct sw_region *x, struct sw_work *w, struct err *e)
{
	struct plain_region r = { x->q, x->t, NULL, x->least, x->put, x->ctx };
	uint64_t stretch = sw_stretch_of(x, w);
	const size_t rows = x->q->n;
	struct sw_plain *plain;
	int rc = plain_of(w, &plain, e);

	if (!rc)
		rc = array_room(&plain->cell, &plain->n_cell, rows,
				sizeof *plain->cell, e);
	if (rc)
		return rc;
	r.cell = plain->cell;
	do {
		bool begins = x->from - x->seg->beg <= stretch;
		uint64_t j = begins ? x->seg->beg : x->from - stretch;
		uint64_t left = x->to - j, n = SW_BLOCK;

		sw_meter_more(w->meter, rows * left);
		first_column(&r, begins,
			     begins ? 0 : x->peak[(j - 1) / SW_BLOCK].bound);
		for (rc = 0; !rc && j < x->to; j++) {
			rc = full_column(&r, j, j >= x->from);
			if (j % n == 0 && left > n) {
				sw_meter_did(w->meter, rows * n);
				left -= n;
			}
		}
		sw_meter_did(w->meter, rows * left);
		w->stretch = stretch;
		stretch *= 2;
	} while (rc == TOO_SHORT);
	return rc;
}

/*
 * Tiles of a table by several threads
 *
 * A band is a row of tiles, which one thread at a time computes from left to
 * right.  A free thread takes the topmost band that is ready, as those below
 * wait for it.
 *
 * There is no deadlock: the topmost band that is not done depends on no other,
 * so a thread has it or it is ready.
 */

struct band {
	size_t done;		/* tiles */
	bool busy;
};

struct sharing {
	const struct sw_tiles *t;
	sw_tile_fn *fn;
	void *ctx;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct band *band;
	size_t high, wide;	/* bands, tiles of each */
	size_t top;		/* the topmost band that is not done */
	size_t waiting;		/* threads */
	uint64_t left;		/* cells, if there is a meter */
	unsigned who;		/* so many came */
	int rc;
};

static size_t
end_time(const struct sw_tiles *t)
{
	return t->to ? t->to : t->steps + (t->strips - 1) * (t->rows - 1);
}

static size_t
ceil_of(size_t n, size_t by)
{
	return (n + by - 1) / by;
}

struct sw_tile
sw_tiles_cut(const struct sw_tiles *t, size_t strip, size_t from, size_t to)
{
	size_t late = strip * (t->rows - 1);
	struct sw_tile x = {
		.strip = strip, .t = from > late ? from - late : 0,
		.end = to > late ? to - late : 0,
	};

	x.end = x.end < t->steps ? x.end : t->steps;
	return x;
}

static int
run_tile(struct sharing *x, size_t high, size_t wide, unsigned who)
{
	const struct sw_tiles *t = x->t;
	size_t strip = t->strip + high * t->strip_tile;
	size_t from = t->from + wide * t->time_tile, to = end_time(t);
	size_t end = strip + t->strip_tile;
	uint64_t cells = 0;
	int rc = 0;

	if (to - from > t->time_tile)
		to = from + t->time_tile;
	for (; strip < end && strip < t->strips && !rc; strip++) {
		struct sw_tile tile = sw_tiles_cut(t, strip, from, to);

		if (tile.t >= tile.end)
			continue;
		rc = x->fn(x->ctx, &tile, who);
		cells += (tile.end - tile.t) * t->rows;
	}
	__atomic_fetch_sub(&x->left, cells, __ATOMIC_RELAXED);
	sw_meter_did(t->meter, cells);
	return rc;
}

/* The topmost band that may go on; high: none.  The lock is held. */
static size_t
next_band(const struct sharing *x)
{
	for (size_t i = x->top; i < x->high; i++) {
		const struct band *b = &x->band[i];
		size_t most = i ? b[-1].done : x->wide;

		if (!b->busy && b->done < most)
			return i;
		if (b->done == 0)
			break;	/* then those below it may not either */
	}
	return x->high;
}

/* The lock is held, and given up meanwhile. */
static void
wait_strip(struct sharing *x, size_t i, unsigned who)
{
	struct band *b = &x->band[i];
	size_t wide = b->done;
	int rc;

	b->busy = true;
	pthread_mutex_unlock(&x->lock);
	rc = run_tile(x, i, wide, who);
	pthread_mutex_lock(&x->lock);
	b->busy = false;
	b->done++;
	if (rc && !x->rc)
		x->rc = rc;
	while (x->top < x->high && x->band[x->top].done == x->wide)
		x->top++;
	if (x->waiting)
		pthread_cond_broadcast(&x->change);
}

static void
work(void *ctx)
{
	struct sharing *x = ctx;
	unsigned who;

	pthread_mutex_lock(&x->lock);
	who = x->who++;
	while (!x->rc && x->top < x->high) {
		size_t i = next_band(x);

		if (i < x->high) {
			wait_strip(x, i, who);
			continue;
		}
		x->waiting++;
		pthread_cond_wait(&x->change, &x->lock);
		x->waiting--;
	}
	pthread_mutex_unlock(&x->lock);
}

static int
alone(struct sharing *x)
{
	for (size_t i = 0; i < x->high && !x->rc; i++)
		for (size_t j = 0; j < x->wide && !x->rc; j++)
			x->rc = run_tile(x, i, j, 0);
	return x->rc;
}

static uint64_t
cells_of(const struct sw_tiles *t)
{
	uint64_t cells = 0;

	for (size_t i = t->strip; i < t->strips; i++) {
		struct sw_tile x = sw_tiles_cut(t, i, t->from, end_time(t));

		if (x.t < x.end)
			cells += (x.end - x.t) * t->rows;
	}
	return cells;
}

static int
together(struct sharing *x, struct crew *crew, struct err *e)
{
	x->band = calloc(x->high, sizeof *x->band);
	if (!x->band)
		return err_nomem(e, x->high * sizeof *x->band);
	pthread_mutex_init(&x->lock, NULL);
	pthread_cond_init(&x->change, NULL);
	crew_call(crew, work, x);
	pthread_cond_destroy(&x->change);
	pthread_mutex_destroy(&x->lock);
	free(x->band);
	return x->rc;
}

int
sw_tiles_run(const struct sw_tiles *t, struct crew *crew, sw_tile_fn *fn,
	     void *ctx, struct err *e)
{
	struct sharing x = {
		.t = t, .fn = fn, .ctx = ctx,
		.high = ceil_of(t->strips - t->strip, t->strip_tile),
		.wide = ceil_of(end_time(t) - t->from, t->time_tile),
	};
	int rc;

	x.left = t->meter ? cells_of(t) : 0;
	sw_meter_more(t->meter, x.left);
	if (sw_tiles_who(crew) < 2 || x.high < 2)
		rc = alone(&x);
	else
		rc = together(&x, crew, e);
	if (rc)	/* what is left is not computed */
		sw_meter_did(t->meter, x.left);
	return rc;
}

/*
 * Many rows at a time
 *
 * With the same doubled scores, windows and rules, but by strips of rows, in 32
 * bits, in tiles that several threads compute.  Cells are reported in any
 * order, by one thread at a time.
 */

/* The best cell of a start reported so far. */
struct known {
	uint64_t row, col;
	int64_t score;	/* 0: none */
	uint64_t end, qend;
};
enum { KNOWN = 256 };

/* One of the threads. */
struct worker {
	struct sw_front_strip s;	/* the first member: see take_cells() */
	struct region *r;
	struct sw_reported reported;
	int rc;
};

struct sw_front {
	int32_t *mem;		/* above strips; of a pass */
	uint8_t *state;		/* of all strips */
	struct worker *worker;
	size_t n_mem, n_state, n_worker;
	struct known known[KNOWN];
};

struct region {
	struct sw_front_strip s;	/* what is the same for all strips */
	struct sw_work *w;
	struct sw_front *front;
	sw_front_fn *kern;
	size_t rows;		/* of a strip */
	const uint8_t *text;	/* of the window */
	uint64_t begin;		/* column of the window's first */
	int64_t bound;		/* of H before it; 0: the segment begins */
	bool classes, odd;
	pthread_mutex_t lock;	/* of what follows, known and put() */
	int64_t least;
	sw_cell_fn *put;
	void *ctx;
	int rc;
};
enum { ODD = 1 };	/* a reason to stop: others are below 0 */
enum { TILE_ROWS = 512, TILE_TIMES = 2048 };

void
sw_front_free(struct sw_front *f)
{
	if (!f)
		return;
	free(f->mem);
	free(f->state);
	free(f->worker);
	free(f);
}

static struct known *
known_of(struct region *r, const struct sw_hit *x)
{
	uint64_t h = (x->beg << 20 ^ x->qbeg) * 0x9e3779b97f4a7c15;

	return &r->front->known[h >> 56];
}

/*
 * Has a cell been reported that stands for x's class before x?  Else x does
 * from now on.
 */
static bool
is_known(struct region *r, const struct sw_hit *x)
{
	struct known *k = known_of(r, x);

	if (k->score && k->row == x->qbeg && k->col == x->beg &&
	    (k->score > x->score || (k->score == x->score &&
	     (k->end < x->end || (k->end == x->end && k->qend <= x->qend)))))
		return true;
	*k = (struct known){ x->qbeg, x->beg, x->score, x->end, x->qend };
	return false;
}

static void
set_least(struct sw_front_strip *s, int64_t least)
{
	s->least = least > INT32_MAX / 2 ? INT32_MAX : (int32_t)(2 * least);
}

static inline struct sw_hit
cell_of(const struct worker *w, size_t t, size_t i)
{
	const struct sw_front_strip *s = &w->s;
	const struct sw_reported *c = s->reported;
	uint32_t row = c->at[i] & 255;
	uint64_t col = t + (c->at[i] >> 8) - row;

	return (struct sw_hit){
		.score = c->h[i] / 2,
		.qbeg = s->packed ? c->col[i] >> s->shift : c->row[i],
		.qend = s->top + row + 1,
		.beg = w->r->begin + (s->packed ?
				      c->col[i] & ((1u << s->shift) - 1) :
				      c->col[i]),
		.end = w->r->begin + col + 1,
	};
}

/* The kernel need not report lower cells of the last cell's start. */
static void
set_known(struct worker *w, size_t t)
{
	const struct sw_reported *c = w->s.reported;
	struct sw_hit x = cell_of(w, t, c->n - 1);
	const struct known *k = known_of(w->r, &x);

	/* the cell itself may not have been reported; then this is another */
	w->s.known_h = k->row == x.qbeg && k->col == x.beg ?
		       (int32_t)(2 * k->score) : 0;
	w->s.known_col = c->col[c->n - 1];
	w->s.known_row = c->row[c->n - 1];
}

/* The lock is held. */
static void
put_cells(struct worker *w, size_t t)
{
	struct region *r = w->r;

	for (size_t i = 0; i < w->s.reported->n && !r->rc; i++) {
		struct sw_hit x = cell_of(w, t, i);

		if (x.score < r->least || (r->classes && is_known(r, &x)))
			continue;
		r->least = r->put(r->ctx, &x);
		if (r->least < 0)
			r->rc = (int)r->least;
	}
}

static int
take_cells(struct sw_front_strip *s, size_t t)
{
	struct worker *w = (struct worker *)s;
	struct region *r = w->r;

	pthread_mutex_lock(&r->lock);
	put_cells(w, t);
	if (r->classes)
		set_known(w, t);
	set_least(s, r->least);
	w->rc = r->rc;
	pthread_mutex_unlock(&r->lock);
	return w->rc;
}

/*
 * Above the first row all H are 0, and a diagonal step starts in it.  What the
 * scoring does not know is no letter: SW_PAD, too.
 */
static int
above(struct region *r, struct err *e)
{
	const uint8_t none = (uint8_t)r->s.q->s->letters;
	struct sw_front *f = r->front;
	size_t n = r->s.cols + 2 * SW_ROWS;
	int rc = array_room(&f->mem, &f->n_mem, 6 * n + n / sizeof *f->mem + 1,
			    sizeof *f->mem, e);
	int32_t *p;
	uint8_t *col;

	if (rc)
		return rc;
	p = f->mem + SW_ROWS;
	col = memset(f->mem + 6 * n, none, n);
	r->s.col = col += SW_ROWS;
	for (size_t j = 0; j < r->s.cols; j++)
		col[j] = r->text[j] < none ? r->text[j] : none;
	memset(f->mem, 0, 6 * n * sizeof *f->mem);
	r->s.above = (struct sw_above){
		.h = p, .f = p + n,
		.h_col = (uint32_t *)p + 2 * n, .f_col = (uint32_t *)p + 3 * n,
		.h_row = (uint32_t *)p + 4 * n, .f_row = (uint32_t *)p + 5 * n,
	};
	for (size_t j = 0; j < r->s.cols; j++)
		r->s.above.h_col[j] = (uint32_t)(j + 1);
	return 0;
}

/*
 * The column before the window: see above.  Of the next column, E is not above
 * H - extend.
 */
static void
column_before(const struct region *r, struct sw_front_strip *s)
{
	const struct sw_query *q = s->q;

	for (size_t i = 0; i <= r->rows; i++) {
		int64_t u = (int64_t)(s->top + i) * q->best;

		if (u > r->bound)
			u = r->bound;
		s->left_h[i] = u ? (int32_t)(2 * u + 1) : 0;
		if (i)
			s->left_e[i - 1] =
			    (int32_t)(2 * (u - q->s->extend) + 1);
	}
}

/* Other threads may have reported higher ones meanwhile. */
static void
set_strip(struct worker *w, const struct sw_tile *tile)
{
	struct region *r = w->r;
	struct sw_front_strip *s = &w->s;

	s->top = tile->strip * r->rows;
	s->rows = s->q->n - s->top;
	s->row = s->q->code + s->top;
	s->t = tile->t;
	s->end = tile->end;
	s->state = r->front->state + s->top * SW_FRONT_STATE;
	if (s->t == 0)
		column_before(r, s);
	pthread_mutex_lock(&r->lock);
	set_least(s, r->least);
	pthread_mutex_unlock(&r->lock);
}

static int
run_strip(void *ctx, const struct sw_tile *tile, unsigned who)
{
	struct region *r = ctx;
	struct worker *w = &r->front->worker[who];

	set_strip(w, tile);
	r->kern(&w->s);
	return w->rc ? w->rc : w->s.odd ? ODD : 0;
}

static int
set_workers(struct region *r, size_t strips, struct err *e)
{
	struct sw_front *f = r->front;
	unsigned n = sw_tiles_who(r->w->crew);
	int rc = array_room(&f->worker, &f->n_worker, n, sizeof *f->worker, e);

	if (!rc)
		rc = array_room(&f->state, &f->n_state, strips * r->rows,
				SW_FRONT_STATE, e);
	for (unsigned i = 0; i < n && !rc; i++) {
		f->worker[i].s = r->s;
		f->worker[i].s.reported = &f->worker[i].reported;
		f->worker[i].r = r;
		f->worker[i].rc = 0;
	}
	return rc;
}

static int
run_window(struct region *r, struct err *e)
{
	size_t strips = (r->s.q->n + r->rows - 1) / r->rows;
	const bool small = r->w->grid_tile;
	const struct sw_tiles tiles = {
		.rows = r->rows, .strips = strips,
		.steps = r->s.cols + r->rows - 1,
		.strip_tile = small ? 1 : TILE_ROWS / r->rows,
		.time_tile = small ? 2 * r->rows : TILE_TIMES,
		.meter = r->w->meter,
	};
	int rc = above(r, e);

	memset(r->front->known, 0, sizeof r->front->known);
	if (!rc)
		rc = set_workers(r, strips, e);
	if (!rc)
		rc = sw_tiles_run(&tiles, r->w->crew, run_strip, r, e);
	r->odd = rc == ODD;
	return r->odd ? r->rc : rc;
}

/*
 * Doubled scores, those of rows behind the last one too, are below 2^31; rows
 * and columns, too, and what is at most two more, fit what holds them.
 */
static bool
takes(const struct region *r, const struct sw_query *q)
{
	return r->kern && q->best > 0 &&
	       q->n < (size_t)(INT32_MAX / 2 / q->best) - 4 * SW_ROWS;
}

static struct region
region_of(const struct sw_query *q, struct sw_work *w)
{
	const struct sw_front_ops *ops = KERN_PICK_VECTOR(&sw_front_ops);
	struct region r = { .s.q = q, .w = w, .classes = w->classes };

	if (ops) {
		r.kern = ops->strip;
		r.rows = ops->rows;
	}
	for (unsigned i = 0; i < SW_PAIRS; i++) {
		unsigned a = i / SW_FEW, b = i % SW_FEW;

		r.s.pair[i] = a < q->s->letters && b < q->s->letters ?
			      2 * q->s->score[a][b] : -2;
	}
	if (!w->front)
		w->front = calloc(1, sizeof *w->front);
	r.front = w->front;
	return r;
}

/*
 * A start in 32 bits, if it is seen that row and column fit: those behind the
 * last ones, too.
 */
static void
set_packed(struct region *r)
{
	size_t rows = r->s.q->n + 4 * SW_ROWS, cols = r->s.cols + 4 * SW_ROWS;

	r->s.shift = 64 - (unsigned)__builtin_clzll(cols);
	r->s.packed = r->s.shift < 32 && rows >> (32 - r->s.shift) == 0 &&
		      !r->w->unpacked;
}

int
sw_front_region(const struct sw_region *x, struct sw_work *w, struct err *e)
{
	uint64_t stretch = sw_stretch_of(x, w);
	struct region r = region_of(x->q, w);
	int rc;

	if (!takes(&r, x->q))
		return 1;
	if (!r.front)
		return err_nomem(e, sizeof *r.front);
	r.s.take_cells = take_cells;
	r.least = x->least;
	r.put = x->put;
	r.ctx = x->ctx;
	pthread_mutex_init(&r.lock, NULL);
	do {
		bool begins = x->from - x->seg->beg <= stretch;

		r.begin = begins ? x->seg->beg : x->from - stretch;
		r.bound = begins ? 0 : x->peak[(r.begin - 1) / SW_BLOCK].bound;
		r.text = x->t->codes + r.begin;
		r.s.cols = x->to - r.begin;
		r.s.from = x->from - r.begin;
		set_packed(&r);
		rc = r.s.cols > INT32_MAX - 4 * SW_ROWS ? 1 : run_window(&r, e);
		w->stretch = stretch;
		stretch *= 2;
	} while (!rc && r.odd);
	pthread_mutex_destroy(&r.lock);
	return rc;
}

/*
 * The largest H of every block, many rows at a time
 *
 * A segment is done in pieces of columns, strip after strip of rows, so that
 * what stands between two strips stays in the cache; what stands between two
 * pieces is a column of the query.  In 32 bits: scores up to 2^31.
 */

enum { PASS_COLS = 8192, ABOVE = PASS_COLS + 2 * SW_ROWS };

struct pass {
	struct sw_pass *p;
	sw_front_pass_fn *kern;
	size_t rows;		/* of a strip */
	int32_t *above;		/* 3 x ABOVE */
	int32_t *left;		/* 2 x rows of all strips */
	size_t n_left;		/* such rows */
};

static void
piece(struct pass *x, uint64_t at, size_t cols)
{
	const struct sw_query *q = x->p->q;
	struct sw_front_pass s = {
		.q = q, .col = x->p->t->codes + at, .cols = cols,
		.h = x->above + SW_ROWS, .f = x->above + ABOVE + SW_ROWS,
		.top = x->above + 2 * ABOVE + SW_ROWS,
	};
	int32_t corner = 0;

	memset(x->above, 0, 3 * ABOVE * sizeof *x->above);
	for (size_t row = 0; row < q->n; row += x->rows) {
		s.row = q->code + row;
		s.rows = q->n - row;
		s.left_h = x->left + row;
		s.left_e = s.left_h + x->n_left;
		s.corner = corner;
		corner = s.left_h[0];
		x->kern(&s);
		sw_pass_did(x->p, (s.rows < x->rows ? s.rows : x->rows) * cols,
			    0);
	}
}

/* Of the piece that was done. */
static void
report_piece(struct pass *x, uint64_t at, size_t cols)
{
	const int32_t *v = x->above + 2 * ABOVE + SW_ROWS;
	struct sw_pass *p = x->p;

	for (size_t j = 0; j < cols; j += SW_BLOCK) {
		uint64_t block = (at + j) / SW_BLOCK;
		int32_t top = 0;

		for (unsigned i = 0; i < SW_BLOCK; i++)
			top = v[j + i] > top ? v[j + i] : top;
		p->peak[block] = (struct sw_peak){ top, true };
		if (top >= p->threshold)
			p->threshold = p->raise(p->ctx, block, top);
	}
}

static void
segment(struct pass *x, const struct sw_seg *g)
{
	memset(x->left, 0, 2 * x->n_left * sizeof *x->left);
	for (uint64_t at = g->beg; at < g->end; at += PASS_COLS) {
		size_t cols = (size_t)min_u64(g->end - at, PASS_COLS);

		piece(x, at, cols);
		report_piece(x, at, cols);
	}
}

bool
sw_front_pass_fits(const struct sw_query *q)
{
	const struct sw_front_ops *ops = KERN_PICK_VECTOR(&sw_front_ops);

	return ops && q->best > 0 &&
	       q->n < (size_t)(INT32_MAX / q->best) - 4 * SW_ROWS;
}

int
sw_front_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_front_ops *ops = KERN_PICK_VECTOR(&sw_front_ops);
	struct pass x = { .p = p };
	struct sw_front *f = w->front;
	int rc;

	if (!sw_front_pass_fits(p->q))
		return 1;
	x.rows = ops->pass_rows;
	x.kern = ops->pass;
	x.n_left = (p->q->n + SW_ROWS - 1) / SW_ROWS * SW_ROWS;
	if (!f)
		f = w->front = calloc(1, sizeof *f);
	if (!f)
		return err_nomem(e, sizeof *f);
	rc = array_room(&f->mem, &f->n_mem, 3 * ABOVE + 2 * x.n_left,
			sizeof *f->mem, e);
	if (rc)
		return rc;
	x.above = f->mem;
	x.left = x.above + 3 * ABOVE;
	for (size_t s = 0; s < p->t->n_seg; s++)
		segment(&x, &p->t->seg[s]);
	return 0;
}

/* sw_grid_kern.c says why.  Scores are doubled. */
static bool
grid_sizes_fit(const struct sw_query *q)
{
	int64_t a_step = (int64_t)q->best + q->s->extend;
	int64_t all = SW_GRID_RANGE * a_step + 4 * (int64_t)q->s->open;

	return 2 * (all - q->worst) <= INT16_MAX &&
	       q->n < (size_t)(INT32_MAX / 2 / q->best) - 4 * SW_GRID_ROWS;
}

bool
sw_grid_fits(const struct sw_query *q)
{
	struct sw_skew_match m;
	sw_grid_fn *kern = KERN_PICK_VECTOR(sw_grid);

	return kern && sw_skew_match(q, &m) && grid_sizes_fit(q);
}

/* Is its first window worth a grid, and does one take it? */
static bool
grid_wanted(const struct sw_region *x, uint64_t stretch,
	    const struct sw_work *w)
{
	uint64_t cols = x->to - x->from + min_u64(x->from - x->seg->beg,
						  stretch);

	return w->classes && !w->crowded && cols >= w->grid_from / x->q->n &&
	       x->least <= INT32_MAX / 2 && sw_grid_fits(x->q);
}

int
sw_region(const struct sw_region *x, struct sw_work *w, struct err *e)
{
	uint64_t first = sw_stretch_of(x, w);
	bool plain = x->q->engine == SW_PLAIN;
	int rc = 1;

	if (!plain && grid_wanted(x, first, w))
		rc = sw_grid_region(x, w, e);
	if (rc == 1 && !plain)
		rc = sw_front_region(x, w, e);
	if (rc == 1)
		rc = sw_plain_region(x, w, e);
	sw_stretch_learn(x, w, first);
	return rc;
}
