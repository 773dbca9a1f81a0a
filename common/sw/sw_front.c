/* SPDX-License-Identifier: MIT */
/*
 * sw_front.c - scores and starts of a region, many rows at a time
 *
 * As sw_plain.c does it, with the same doubled scores, windows and rules, but
 * by strips of rows, in 32 bits, in tiles that several threads compute.  Cells
 * are reported in any order, by one thread at a time.
 */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_front.h"

/*
 * The largest H of every block, many rows at a time
 *
 * A segment is done in pieces of columns, strip after strip of rows, so that
 * what stands between two strips stays in the cache; what stands between two
 * pieces is a column of the query.  In 32 bits: scores up to 2^31.
 */

enum { PIECE = 8192, ABOVE = PIECE + 2 * SW_ROWS };

struct pass {
	struct sw_pass *p;
	sw_front_pass_fn *kern;
	size_t rows;		/* of a strip */
	int32_t *above;		/* 3 x ABOVE */
	int32_t *left;		/* 2 x rows of all strips */
	size_t n_left;		/* such rows */
	uint8_t *few;		/* letters of a piece; NULL: there are many */
};

static void sw_front_letters(uint8_t *to, const uint8_t *from, size_t n,
		uint8_t none);

static void sw_front_pairs(int32_t pair[SW_PAIRS], const struct sw_scoring *s,
		int32_t factor);

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

	if (x->few) {
		sw_front_pairs(s.pair, q->s, 1);
		sw_front_letters(x->few, s.col, cols, (uint8_t)q->s->letters);
		s.few = x->few;
	}
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
	for (uint64_t at = g->beg; at < g->end; at += PIECE) {
		size_t cols = g->end - at < PIECE ? (size_t)(g->end - at) :
						    PIECE;

		piece(x, at, cols);
		report_piece(x, at, cols);
	}
}

static int sw_front_room(struct sw_work *w, size_t n, int32_t **mem, struct
		err *e);

int
sw_front_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_front_ops *ops = KERN_PICK_VECTOR(&sw_front_ops);
	struct pass x = { .p = p };
	bool few;
	int rc;

	if (!sw_front_pass_fits(p->q))
		return 1;
	few = ops->few_rows && p->q->s->letters < SW_FEW;
	x.rows = few ? ops->few_rows : ops->pass_rows;
	x.kern = ops->pass;
	x.n_left = (p->q->n + SW_ROWS - 1) / SW_ROWS * SW_ROWS;
	rc = sw_front_room(w, 3 * ABOVE + 2 * x.n_left +
			   ABOVE / sizeof *x.above, &x.above, e);
	if (rc)
		return rc;
	x.left = x.above + 3 * ABOVE;
	if (few)
		x.few = (uint8_t *)(x.left + 2 * x.n_left) + SW_ROWS;
	for (size_t s = 0; s < p->t->n_seg; s++)
		segment(&x, &p->t->seg[s]);
	return 0;
}

/* Scores and starts of a region, many rows at a time. */

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
	int32_t *mem;
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

/* Memory of n values, what they are is void.  ERR_NOMEM. */
static int
sw_front_room(struct sw_work *w, size_t n, int32_t **mem, struct err *e)
{
	struct sw_front *f = w->front;
	int rc;

	if (!f)
		f = w->front = calloc(1, sizeof *f);
	if (!f)
		return err_nomem(e, sizeof *f);
	rc = array_room(&f->mem, &f->n_mem, n, sizeof *f->mem, e);
	*mem = f->mem;
	return rc;
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

/* What the scoring does not know is no letter: SW_PAD, too. */
static void
sw_front_letters(uint8_t *to, const uint8_t *from, size_t n, uint8_t none)
{
	memset(to - SW_ROWS, none, SW_ROWS);
	for (size_t j = 0; j < n; j++)
		to[j] = from[j] < none ? from[j] : none;
	memset(to + n, none, SW_ROWS);
}

/* Above the first row all H are 0, and a diagonal step starts in it. */
static int
above(struct region *r, struct err *e)
{
	size_t n = r->s.cols + 2 * SW_ROWS;
	int32_t *p = NULL;
	int rc = sw_front_room(r->w, 6 * n + n / sizeof *p + 1, &p, e);

	if (rc)
		return rc;
	r->s.col = (uint8_t *)(p + 6 * n) + SW_ROWS;
	sw_front_letters((uint8_t *)(p + 6 * n) + SW_ROWS, r->text, r->s.cols,
			 (uint8_t)r->s.q->s->letters);
	memset(p, 0, 6 * n * sizeof *p);
	p += SW_ROWS;
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
 * The column before the window: see sw_plain.c.  Of the next column, E is not
 * above H - extend.
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

/* Scores of all pairs of few letters, times factor. */
static void
sw_front_pairs(int32_t pair[SW_PAIRS], const struct sw_scoring *s,
	       int32_t factor)
{
	for (unsigned i = 0; i < SW_PAIRS; i++)
		pair[i] = i / SW_FEW < s->letters && i % SW_FEW < s->letters ?
			  factor * s->score[i / SW_FEW][i % SW_FEW] : -factor;
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
	sw_front_pairs(r.s.pair, q->s, 2);
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
	uint64_t stretch = sw_stretch_of(x->q, w, x->seg, x->from, x->peak);
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
