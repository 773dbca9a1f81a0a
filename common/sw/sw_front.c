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

/* One of the threads. */
struct worker {
	struct sw_front_strip s;	/* the first member: see take_cells() */
	struct region *r;
	struct sw_reported reported;
	int rc;
};

struct sw_front {
	int32_t *mem;		/* above strips */
	uint8_t *state;		/* of all strips */
	struct worker *worker;
	size_t n_mem, n_state, n_worker;
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
	bool odd;
	pthread_mutex_t lock;	/* of what follows, and put() */
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
		.qbeg = c->row[i], .qend = s->top + row + 1,
		.beg = w->r->begin + c->col[i],
		.end = w->r->begin + col + 1,
	};
}

/* The lock is held. */
static void
put_cells(struct worker *w, size_t t)
{
	struct region *r = w->r;

	for (size_t i = 0; i < w->s.reported->n && !r->rc; i++) {
		struct sw_hit x = cell_of(w, t, i);

		if (x.score < r->least)
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
	struct region r = { .s.q = q, .w = w };

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
		rc = r.s.cols > INT32_MAX - 4 * SW_ROWS ? 1 : run_window(&r, e);
		w->stretch = stretch;
		stretch *= 2;
	} while (!rc && r.odd);
	pthread_mutex_destroy(&r.lock);
	return rc;
}
