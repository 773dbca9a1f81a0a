/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_region.c - starts of a region's cells, from their ends back
 *
 * As sw_plain.c does it, with the same doubled scores, windows and rules.  Of a
 * class its best cell will do, so
 *	a cell is not followed whose path goes on, by a letter's score > 0, to
 *	another one that is told: that has its start, and a higher score;
 *	where two paths meet, the better cell of the two goes on.
 * Paths meet soon, and few tiles have any.  Where cells to be told are many for
 * those computed so far, as around an alignment of a far higher score, starts
 * are better computed with all the scores (sw_front.c).
 */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_grid_ends.h"

enum { FEW_ENDS = 1 << 12, CELLS_AN_END = 1 << 13 };

void
sw_grid_ends_free(struct sw_grid_ends *x)
{
	if (!x)
		return;
	free(x->end);
	free(x->last);
	free(x->tile);
	free(x->mark);
	buf_free(&x->ways.word);
	free(x);
}

/* The path of the cell before goes on to this one: that takes its place. */
static struct sw_grid_end *
place_of(struct sw_grid_region *r, const struct sw_grid_cell *c,
	 const struct sw_grid_last *up)
{
	struct sw_grid_ends *x = r->ends;

	if (c->row && up->end != SW_END_NONE && (size_t)up->col + 1 == c->col)
		return &x->end[up->end];
	if (x->n >= r->most ||
	    array_room(&x->end, &x->cap, x->n + 1, sizeof *x->end, r->e))
		return NULL;
	return &x->end[x->n++];
}

static int
crowd(struct sw_grid_region *r)
{
	if (r->ends->n < r->most)
		return ERR_NOMEM;
	r->w->crowded = true;
	return 1;
}

/* Strips above may have columns left, which then count as done. */
static void
set_most(struct sw_grid_region *r, size_t strip)
{
	double cells = (double)(strip + 1) * (double)r->g->rows *
		       (double)r->g->w.cols;

	if (r->most && strip <= r->strip)
		return;
	r->strip = strip;
	r->most = cells < (double)(SW_END_NONE / 2) * CELLS_AN_END ?
		  FEW_ENDS + (size_t)(cells / CELLS_AN_END) : SW_END_NONE / 2;
}

static int
hear(void *ctx, const struct sw_grid_told *told, size_t strip)
{
	struct sw_grid_region *r = ctx;
	size_t top = strip * r->g->rows;

	set_most(r, strip);
	for (size_t i = 0; i < told->n; i++) {
		const struct sw_grid_cell *c = &told->v[i];
		uint32_t row = (uint32_t)(top + c->row);
		uint32_t col = (uint32_t)c->col;
		struct sw_grid_last *last = &r->ends->last[row];
		struct sw_grid_end *x = place_of(r, c, last - (c->row > 0));

		if (!x)
			return crowd(r);
		*x = (struct sw_grid_end){
			c->h / 2, row, col, row, col, STEP_DIAG, SW_END_NONE,
			{ SW_WAY_NONE, SW_WAY_NONE },
		};
		*last = (struct sw_grid_last){
			col, (uint32_t)(x - r->ends->end),
		};
	}
	return 0;
}

static int
no_ends(struct sw_grid_region *r)
{
	struct sw_grid_ends *x = r->w->ends;
	size_t rows = r->g->w.rows;
	int rc;

	if (!x)
		x = r->w->ends = calloc(1, sizeof *x);
	if (!x)
		return err_nomem(r->e, sizeof *x);
	rc = array_room(&x->last, &x->n_last, rows, sizeof *x->last, r->e);
	if (rc)
		return rc;
	memset(x->last, 0xff, rows * sizeof *x->last);
	x->n = 0;
	r->ends = x;
	r->most = 0;
	return 0;
}

static int
window(struct sw_grid_region *r, const struct sw_grid_window *w, bool *odd)
{
	int rc = sw_grid_open(r->w, r->q, w, r->e);

	r->g = r->w->grid;
	if (!rc)
		rc = no_ends(r);
	if (!rc)
		rc = sw_grid_run(r->g, r->w->crew, odd, r->e);
	return rc || *odd ? rc : sw_grid_follow(r);
}

static bool
is_large(const struct sw_query *q, uint64_t cols, const struct sw_work *w)
{
	return cols >= w->grid_from / q->n;
}

int
sw_grid_region(const struct sw_query *q, const struct sw_text *t,
	       const struct sw_seg *seg, uint64_t from, uint64_t to,
	       int64_t least, const struct sw_peak *peak, sw_cell_fn *put,
	       void *ctx, struct sw_work *w, struct err *e)
{
	uint64_t stretch = sw_stretch_of(q, w, seg, from, peak);
	struct sw_grid_region r = {
		.q = q, .w = w, .put = put, .ctx = ctx, .least = least, .e = e,
	};
	bool odd = false;
	int rc;

	if (!w->classes || w->crowded || !sw_grid_fits(q) ||
	    least > INT32_MAX / 2)
		return 1;
	do {
		bool begins = from - seg->beg <= stretch;

		r.begin = begins ? seg->beg : from - stretch;
		if (!is_large(q, to - r.begin, w))
			return 1;
		rc = window(&r, &(struct sw_grid_window){
			.row = q->code, .rows = q->n,
			.col = t->codes + r.begin, .cols = to - r.begin,
			.bound = begins ? 0 :
				 peak[(r.begin - 1) / SW_BLOCK].bound,
			.from = from - r.begin, .least = least,
			.hear = hear, .ctx = &r,
		}, &odd);
		w->stretch = stretch;
		stretch *= 2;
	} while (!rc && odd);
	return rc;
}
