/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_trace.c - paths of several hits, whose boxes are computed together
 *
 * The proof in sw_trace.c for a box holds for any part of one segment's cells
 * that has the path, so also for a window with many paths: their boxes overlap
 * where the best alignments are as long as the query.  Where the score proves a
 * narrow band, boxes of single hits are cheaper.
 *
 * Paths that were followed to find their starts may have been kept: sw_tiles.h.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_grid.h"
#include "sw/sw_tiles.h"

/* Directions of a window's tiles, and paths through them. */

/* Of one part. */
static void
put_part(struct sw_grid *g, size_t strip, unsigned part, size_t time, size_t to)
{
	size_t late = strip * (g->rows - 1), from, end;
	const int32_t *h = sw_grid_kept(g, strip, part, &from, &end), *f;
	size_t a = time > late ? time - late : 0, b = to > late ? to - late : 0;

	a = a > from ? a : from;
	b = b < end ? b : end;
	if (a >= b)
		return;
	f = h + (end - from) + (a - from);
	memcpy(g->h + a, h + (a - from), (b - a) * sizeof *h);
	memcpy(g->f + a, f, (b - a) * sizeof *f);
}

/* What stands above a tile, at times [time, to). */
static void
put_above(struct sw_grid *g, size_t high, size_t time, size_t to)
{
	size_t strip = high * g->tile_strips, last = (to - 1) / g->block;
	struct sw_grid_live x = sw_grid_live(g, strip);

	if (!high && g->w.above_h) {
		sw_grid_top(g);
		return;
	}
	for (size_t i = time / g->block; i <= last; i++)
		g->above[i] = high && sw_grid_part(&x, i) < SW_GRID_PARTS;
	for (unsigned k = 0; high && k < SW_GRID_PARTS; k++)
		put_part(g, strip, k, time, to);
}

/* A tile of the grid; `part` is it, cut into tiles for a crew. */
struct directions {
	struct sw_grid *g;
	struct sw_tiles part;
	size_t wide;
};

/* Steps of a strip. */
static struct sw_tile
in_part(const struct directions *x, size_t strip)
{
	return sw_tiles_cut(&x->part, strip, x->part.from, x->part.to);
}

static void
take_state(struct sw_grid *g, size_t strip, size_t wide)
{
	const struct sw_grid_state *s = sw_grid_state(g, strip, wide);

	if (s && !s->dead)
		g->now[strip] = *s;
	else
		g->now[strip].dead = true;
}

static int
run_strip(void *ctx, const struct sw_tile *tile, unsigned who)
{
	const struct directions *x = ctx;
	struct sw_grid *g = x->g;
	size_t strip = tile->strip, late = strip * (g->rows - 1);
	size_t at = (strip - x->part.strip) * g->tile_times;

	(void)who;
	if (tile->t == in_part(x, strip).t && g->w.tile)
		sw_grid_begin(g, strip, &g->now[strip]);
	else if (tile->t == in_part(x, strip).t)
		take_state(g, strip, x->wide);
	for (size_t t = tile->t, n; t < tile->end; t += n) {
		struct sw_grid_block b = sw_grid_block(g, strip);

		n = sw_grid_steps(g, t, t + late, tile->end);
		b.t = t;
		b.steps = n;
		b.dirs = g->dirs +
			 (at + t + late - x->part.from) * sw_grid_dirs(g);
		sw_grid_do(g, &b, strip, t + late);
	}
	return 0;
}

int
sw_grid_tile(struct sw_grid *g, struct crew *crew, size_t high, size_t wide,
	     size_t strip, size_t time, struct err *e)
{
	struct directions x = { .g = g, .part = g->tiles, .wide = wide };
	struct sw_tiles *t = &x.part;

	t->time_tile = SW_GRID_STEPS;
	t->strip = high * g->tile_strips;
	t->strips = strip + 1;
	t->from = wide * g->tile_times;
	t->to = time + 1;
	g->at_high = high;
	g->at_wide = wide;
	if (g->w.tile)
		sw_grid_top(g);
	else
		put_above(g, high, t->from, t->to);
	if ((double)((strip + 1 - t->strip) * g->rows) *
	    (double)(t->to - t->from) < g->shared)
		crew = NULL;
	return sw_tiles_run(t, crew, run_strip, &x, e);
}

/* Bit d of the directions of lane k, of masks of so many bytes, or pairs of
 * them (2): sw_grid_vec.h, put_masks(). */
static inline unsigned
dir_at(const uint8_t *x, size_t k, enum sw_dir d, size_t mask)
{
	size_t at = mask != 2 ? mask * (size_t)d + k / 8 :
				4 * (size_t)(d / 2) + 2 * (k / 8) + d % 2;

	return (x[at] >> k % 8 & 1u) << d;
}

/* Those directions that decide how a path in state `in` goes on. */
static inline unsigned
dirs_at(const uint8_t *x, size_t k, enum sw_dir in, size_t mask)
{
	unsigned bits = 0;

	if (in != STEP_DIAG) {
		bits = dir_at(x, k, in, mask);
		if (!bits)
			return 0;
	}
	return bits | dir_at(x, k, STEP_DIAG, mask) |
	       dir_at(x, k, STEP_E, mask);
}

bool
sw_grid_walk(const struct sw_grid *g, struct sw_path *p)
{
	const unsigned zero = 1 << STEP_DIAG | 1 << STEP_E;
	size_t strip = (size_t)p->i / g->rows, late = strip * (g->rows - 1);
	ptrdiff_t top = (ptrdiff_t)(strip * g->rows);
	size_t from = g->at_wide * g->tile_times, size = sw_grid_dirs(g);
	const size_t mask = g->lanes / 8;
	const uint8_t *dirs = g->dirs + strip % g->tile_strips *
			      g->tile_times * size;

	while (p->i >= top && p->j >= 0) {
		size_t row = (size_t)(p->i - top);
		size_t time = (size_t)p->j + row + late;
		size_t k = g->lanes - 1 - row % g->lanes;
		const uint8_t *x = dirs + row / g->lanes * (size / 2);
		unsigned bits;

		if (time < from)
			return false;
		bits = dirs_at(x + (time - from) * size, k, p->in, mask);
		if (p->in == STEP_DIAG && (bits & zero) == zero)
			return true;
		sw_path_step(p, bits);
	}
	return p->i < 0 || p->j < 0;
}

/* Paths of several hits, whose boxes are computed together. */

enum {
	MAX_WIDER = 16,	/* windows, than the first box */
	FASTER = 2,		/* a cell, than of a band */
};

struct tracing {
	const struct sw_query *q;
	const struct sw_text *t;
	const struct sw_hit *hit;
	const uint8_t *same;
	struct sw_work *w;
	struct buf *ops;
	sw_ops_fn *put;
	void *ctx;
	struct err *e;
};

struct window {
	uint64_t qbeg, qend, beg, end;
};

static double
cells(const struct window *w)
{
	return (double)(w->qend - w->qbeg) * (double)(w->end - w->beg);
}

static struct window
box_of(const struct sw_hit *h)
{
	return (struct window){ h->qbeg, h->qend, h->beg, h->end };
}

static struct window
join_windows(const struct window *a, const struct window *b)
{
	return (struct window){
		a->qbeg < b->qbeg ? a->qbeg : b->qbeg,
		a->qend > b->qend ? a->qend : b->qend,
		a->beg < b->beg ? a->beg : b->beg,
		a->end > b->end ? a->end : b->end,
	};
}

static int
by_beg(const void *x, const void *y)
{
	const struct sw_box *a = x, *b = y;

	if (a->beg != b->beg)
		return a->beg < b->beg ? -1 : 1;
	return a->hit < b->hit ? -1 : a->hit > b->hit;
}

static bool
is_large(const struct tracing *x, const struct sw_hit *h)
{
	struct window w = box_of(h);

	if (h->score <= 0 || h->qbeg >= h->qend || h->beg >= h->end)
		return false;
	return !x->w->grid_from ||
	       (cells(&w) >= (double)x->w->grid_from &&
		sw_trace_cells(x->q, x->t, h) * FASTER > cells(&w));
}

/* 1: it is not known. */
static int
known(const struct tracing *x, size_t i)
{
	int rc;

	x->ops->n = 0;
	rc = sw_paths_report(x->w, x->q, x->t, &x->hit[i], x->same, x->ops,
			     x->e);
	return rc ? rc : x->put(x->ctx, i, x->e);
}

static int
one(const struct tracing *x, size_t i)
{
	int rc;

	x->ops->n = 0;
	rc = sw_trace(x->q, x->t, &x->hit[i], x->same, x->w, x->ops, x->e);
	return rc ? rc : x->put(x->ctx, i, x->e);
}

/* The path of a hit in the window that was run. */
static int
follow_hit(const struct tracing *x, size_t i, const struct window *w)
{
	const struct sw_hit *h = &x->hit[i];
	struct sw_grid *g = x->w->grid;
	struct sw_path p = {
		.q = x->q, .row = g->w.row, .col = g->w.col, .same = x->same,
		.i = (ptrdiff_t)(h->qend - w->qbeg) - 1,
		.j = (ptrdiff_t)(h->end - w->beg) - 1, .ops = x->ops,
	};
	size_t high = SIZE_MAX, wide = SIZE_MAX;
	int rc = 0;

	x->ops->n = 0;
	for (bool found = false; !found && !rc;) {
		size_t strip = sw_grid_strip(g, (size_t)p.i);
		size_t time = sw_grid_time(g, (size_t)p.i, (size_t)p.j);

		if (strip / g->tile_strips != high ||
		    time / g->tile_times != wide) {
			high = strip / g->tile_strips;
			wide = time / g->tile_times;
			rc = sw_grid_tile(g, x->w->crew, high, wide, strip,
					  time, x->e);
		}
		found = !rc && sw_grid_walk(g, &p);
	}
	if (rc)
		return rc;
	sw_path_end(&p);
	if ((uint64_t)(p.i + 1) + w->qbeg != h->qbeg ||
	    (uint64_t)(p.j + 1) + w->beg != h->beg || p.score != h->score)
		return err_set(x->e, ERR_USAGE, "no alignment of that score");
	return x->ops->bad ? err_nomem(x->e, x->ops->cap) :
			     x->put(x->ctx, i, x->e);
}

static int64_t
least_of(const struct tracing *x, const struct sw_box *box, size_t n)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (x->hit[box[i].hit].score < least)
			least = x->hit[box[i].hit].score;
	return least;
}

static int
together(const struct tracing *x, const struct sw_box *box, size_t n,
	 const struct window *w)
{
	bool odd;
	int rc = sw_grid_open(x->w, x->q, &(struct sw_grid_window){
		.row = x->q->code + w->qbeg,
		.rows = (size_t)(w->qend - w->qbeg),
		.col = x->t->codes + w->beg, .cols = (size_t)(w->end - w->beg),
		.least = least_of(x, box, n),
	}, x->e);

	if (!rc)
		rc = sw_grid_run(x->w->grid, x->w->crew, &odd, x->e);
	if (rc == 1) {
		rc = 0;
		for (size_t i = 0; i < n && !rc; i++)
			rc = one(x, box[i].hit);
		return rc;
	}
	for (size_t i = 0; i < n && !rc; i++)
		rc = follow_hit(x, box[i].hit, w);
	return rc;
}

/* Where the segment ends that a hit is in. */
static uint64_t
seg_end(const struct sw_text *t, const struct sw_hit *h)
{
	size_t i = array_first(t->seg, t->n_seg, sizeof *t->seg,
			       offsetof(struct sw_seg, end), h->end);

	return i < t->n_seg ? t->seg[i].end : UINT64_MAX;
}

/* From the first box on, as many as cost less together. */
static size_t
group_boxes(const struct tracing *x, const struct sw_box *box, size_t n,
	    struct window *w)
{
	uint64_t end = seg_end(x->t, &x->hit[box[0].hit]);
	double most;
	size_t k = 1;

	*w = box_of(&x->hit[box[0].hit]);
	most = cells(w) * MAX_WIDER;
	for (; k < n; k++) {
		struct window b = box_of(&x->hit[box[k].hit]);
		struct window both = join_windows(w, &b);

		if (b.end > end || cells(&both) > cells(w) + cells(&b) ||
		    cells(&both) > most)
			break;
		*w = both;
	}
	return k;
}

int
sw_trace_each(const struct sw_query *q, const struct sw_text *t,
	      const struct sw_hit *hit, size_t n,
	      const uint8_t same[SW_LETTERS], struct sw_work *w,
	      struct buf *ops, sw_ops_fn *put, void *ctx, struct err *e)
{
	struct tracing x = { q, t, hit, same, w, ops, put, ctx, e };
	bool fits = q->engine != SW_PLAIN && sw_grid_fits(q);
	size_t n_box = 0;
	int rc = array_room(&w->box, &w->n_box, n, sizeof *w->box, e);

	for (size_t i = 0; i < n && !rc; i++) {
		rc = known(&x, i);
		if (rc != 1)
			continue;
		rc = 0;
		if (fits && is_large(&x, &hit[i]))
			w->box[n_box++] = (struct sw_box){ hit[i].beg, i };
		else
			rc = one(&x, i);
	}
	if (n_box)
		qsort(w->box, n_box, sizeof *w->box, by_beg);
	for (size_t i = 0, k; i < n_box && !rc; i += k) {
		struct window window;

		k = group_boxes(&x, w->box + i, n_box - i, &window);
		rc = together(&x, w->box + i, k, &window);
	}
	return rc;
}
