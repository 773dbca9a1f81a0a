/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_trace.c - paths of several hits, whose boxes are computed together
 *
 * What sw_trace.c says of a box is true of any part of one segment's cells that
 * holds the path, so of a window that holds many: their boxes overlap where the
 * best alignments are as long as the query.  Where the score proves a narrow
 * band, that is better.
 *
 * Paths that were followed to find their starts may have been kept: sw_ways.h.
 */
#include <stdlib.h>

#include "algo/sw_grid.h"
#include "algo/sw_ways.h"
#include "base/array.h"

enum {
	MOST_WIDER = 16,	/* windows, than the first box */
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
join(const struct window *a, const struct window *b)
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
	rc = sw_paths_tell(x->w, x->q, x->t, &x->hit[i], x->same, x->ops, x->e);
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
follow(const struct tracing *x, size_t i, const struct window *w)
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
		rc = follow(x, box[i].hit, w);
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
group(const struct tracing *x, const struct sw_box *box, size_t n,
      struct window *w)
{
	uint64_t end = seg_end(x->t, &x->hit[box[0].hit]);
	double most;
	size_t k = 1;

	*w = box_of(&x->hit[box[0].hit]);
	most = cells(w) * MOST_WIDER;
	for (; k < n; k++) {
		struct window b = box_of(&x->hit[box[k].hit]);
		struct window both = join(w, &b);

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

		k = group(&x, w->box + i, n_box - i, &window);
		rc = together(&x, w->box + i, k, &window);
	}
	return rc;
}
