/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_region.c - starts of a region's cells, from their ends back
 *
 * As sw_plain.c does it, with the same doubled scores, windows and rules.  Of a
 * class its best cell will do, so
 *	of cells told on one diagonal, with few mismatches between, only the
 *	best is followed;
 *	where two paths meet, the better cell of the two goes on.
 * Paths meet soon, and few tiles have any.  A window may begin at a column that
 * the pass left (struct sw_marks): then only its paths must fit into it, which
 * is less than what proves that none comes from further left.  Where cells to
 * be told are many for those computed so far, as around an alignment of a far
 * higher score, starts are better computed with all the scores (sw_front.c).
 */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_beside.h"
#include "algo/sw_grid_ends.h"

enum {
	FEW_ENDS = 1 << 12, CELLS_AN_END = 1 << 12,
	WORTH = 2,	/* stretches between two marks */
	CHAIN = SW_GRID_LAST / 2 - 1,	/* rows are as far ahead, too */
};

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

static int
crowd(struct sw_grid_region *r)
{
	r->w->crowded = true;
	return 1;
}

static struct sw_grid_last *
last_of(const struct sw_grid_region *r, uint32_t row, uint32_t col)
{
	return &r->ends->last[(size_t)row * SW_GRID_LAST + col % SW_GRID_LAST];
}

/*
 * The end of a cell's path, if it comes by diagonal steps from a cell that was
 * told: by a match, after up to CHAIN - 1 mismatches.  No H is less than what a
 * diagonal step gives; so if the sum is right, each step is, and the rule takes
 * it before others.  The least H between, that before the match, is above 0: no
 * path starts there.
 */
static uint32_t
end_of(const struct sw_grid_region *r, const struct sw_grid_cell *c,
       uint32_t row, uint32_t col)
{
	int32_t h = c->h - r->g->match;

	if (h <= 0)
		return SW_END_NONE;
	for (uint32_t k = 1; k <= CHAIN && k <= row && k <= col; k++) {
		const struct sw_grid_last *x = last_of(r, row - k, col - k);

		if (x->end != SW_END_NONE && x->col == col - k && x->h == h)
			return x->end;
		h -= r->g->mismatch;
	}
	return SW_END_NONE;
}

/* A cell is an end, or it is on the path of one: then the better of them is. */
static int
add(struct sw_grid_region *r, const struct sw_grid_end *cell, uint32_t *at)
{
	struct sw_grid_ends *x = r->ends;

	if (*at != SW_END_NONE) {
		if (sw_grid_stands(cell, &x->end[*at]))
			x->end[*at] = *cell;
		return 0;
	}
	if (x->n >= r->most)
		return crowd(r);
	*at = (uint32_t)x->n;
	if (array_room(&x->end, &x->cap, x->n + 1, sizeof *x->end, r->e))
		return ERR_NOMEM;
	x->end[x->n++] = *cell;
	return 0;
}

static size_t
most_of(double cells)
{
	return cells < (double)(SW_END_NONE / 2) * CELLS_AN_END ?
	       FEW_ENDS + (size_t)(cells / CELLS_AN_END) : SW_END_NONE / 2;
}

/* The same of a cell of the grid. */
static int
add_cell(struct sw_grid_region *r, int64_t h, uint32_t row, uint32_t col,
	 uint32_t *at)
{
	uint32_t i = (uint32_t)r->row + row, j = (uint32_t)r->col + col;

	return add(r, &(struct sw_grid_end){
		h, h, i, j, i, j, STEP_DIAG, SW_END_NONE,
		{ SW_WAY_NONE, SW_WAY_NONE },
	}, at);
}

/* Strips above may have columns left, which then count as done. */
static void
set_most(struct sw_grid_region *r, size_t strip)
{
	if (r->net || (r->most && strip <= r->strip))
		return;
	r->strip = strip;
	r->most = most_of((double)(strip + 1) * (double)r->g->rows *
			  (double)r->g->w.cols);
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
		uint32_t at = end_of(r, c, row, col);
		int rc = add_cell(r, c->h / 2, row, col, &at);

		if (rc)
			return rc;
		*last_of(r, row, col) = (struct sw_grid_last){ col, at, c->h };
	}
	return 0;
}

static int
no_ends(struct sw_grid_region *r)
{
	if (!r->w->ends)
		r->w->ends = calloc(1, sizeof *r->w->ends);
	r->ends = r->w->ends;
	if (!r->ends)
		return err_nomem(r->e, sizeof *r->ends);
	r->ends->n = 0;
	r->most = 0;
	return 0;
}

/* Everything of the grid. */
static int
find_ends(struct sw_grid_region *r, bool *odd)
{
	struct sw_grid_ends *x = r->ends;
	size_t n = r->g->w.rows * SW_GRID_LAST;
	int rc = array_room(&x->last, &x->n_last, n, sizeof *x->last, r->e);

	if (rc)
		return rc;
	memset(x->last, 0xff, n * sizeof *x->last);
	return sw_grid_run(r->g, r->net ? NULL : r->w->crew, odd, r->e);
}

int
sw_grid_net_tile(struct sw_grid_region *r, size_t high, size_t wide, bool told)
{
	const struct sw_net *x = r->net;
	struct sw_net_range rows = sw_net_rows(x, high);
	struct sw_net_range cols = sw_net_cols(x, wide);
	size_t above = rows.from ? (high - 1) * x->cols + cols.from : 0;
	struct sw_grid_window w = {
		.row = r->q->code + rows.from, .rows = rows.to - rows.from,
		.col = r->text + cols.from, .cols = cols.to - cols.from,
		.left = sw_net_left(x, high, wide),
		.loose = r->left ? r->left + rows.from : NULL,
		.ahead = cols.from, .tile = true,
		.above_h = rows.from ? x->h + above : NULL,
		.above_f = rows.from ? x->f + above : NULL,
		.from = r->from > cols.from ? r->from - cols.from : 0,
		.least = r->least, .hear = hear, .ctx = r,
	};
	bool odd = false;
	int rc = sw_grid_open(r->w, r->q, &w, r->e);

	r->g = r->w->grid;
	r->row = rows.from;
	r->col = cols.from;
	if (!rc && told)
		rc = find_ends(r, &odd);
	return rc ? rc : odd ? SW_GRID_BEFORE : 0;
}

/* By the grid alone, or tiles of a net. */
static int
all_paths(struct sw_grid_region *r, const struct sw_grid_window *w, bool *odd)
{
	int rc = sw_net_run(r->w, r->q, w, r->e);

	if (!rc) {
		r->net = r->w->net;
		r->most = most_of((double)w->rows * (double)w->cols);
		return sw_grid_follow(r);
	}
	r->net = NULL;
	r->row = r->col = 0;
	if (rc == 1)
		rc = sw_grid_open(r->w, r->q, w, r->e);
	r->g = r->w->grid;
	if (!rc)
		rc = find_ends(r, odd);
	return rc || *odd ? rc : sw_grid_follow(r);
}

static int
window(struct sw_grid_region *r, const struct sw_grid_window *w, bool *odd)
{
	int rc = no_ends(r);

	r->left = w->left;
	r->from = w->from;
	r->text = w->col;
	*odd = false;
	if (!rc)
		rc = all_paths(r, w, odd);
	if (rc == SW_GRID_BEFORE)
		*odd = true;
	return rc == SW_GRID_BEFORE ? 0 : rc;
}

/*
 * Where a window begins: so many columns before the region, or at a mark at
 * or before that, if those are not far apart for that.
 */
static const struct sw_mark *
begin_of(struct sw_grid_region *r, const struct sw_text *t,
	 const struct sw_seg *seg, uint64_t from, uint64_t stretch)
{
	const struct sw_work *w = r->w;

	if (from - seg->beg <= stretch) {
		r->begin = seg->beg;
		return NULL;
	}
	r->begin = from - stretch;
	if (!w->grid_tile && stretch * WORTH < w->marks.every)
		return NULL;
	return sw_marks_before(&w->marks, r->q, t, seg->beg, &r->begin);
}

/* The next one to try: twice as long, until the window begins before. */
static uint64_t
longer(struct sw_grid_region *r, const struct sw_text *t,
       const struct sw_seg *seg, uint64_t from, uint64_t stretch)
{
	const uint64_t begin = r->begin;

	do {
		stretch *= 2;
		begin_of(r, t, seg, from, stretch);
	} while (r->begin == begin && begin > seg->beg);
	return stretch;
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
	struct sw_grid_window x;
	bool odd = false;
	int rc;

	if (!w->classes || w->crowded || !sw_grid_fits(q) ||
	    least > INT32_MAX / 2)
		return 1;
	do {
		const struct sw_mark *left = begin_of(&r, t, seg, from,
							stretch);
		bool begins = left || r.begin == seg->beg;

		if (!is_large(q, to - r.begin, w))
			return 1;
		x = (struct sw_grid_window){
			.row = q->code, .rows = q->n,
			.col = t->codes + r.begin, .cols = to - r.begin,
			.bound = begins ? 0 :
				 peak[(r.begin - 1) / SW_BLOCK].bound,
			.left = left, .loose = left, .from = from - r.begin,
			.least = least, .hear = hear, .ctx = &r,
		};
		rc = sw_grid_find(w, q, &x, peak + r.begin / SW_BLOCK, e);
		if (!rc)
			rc = window(&r, &x, &odd);
		w->stretch = stretch;
		stretch = longer(&r, t, seg, from, stretch);
	} while (!rc && odd);
	return rc;
}

int
sw_grid_starts(struct sw_work *w, const struct sw_query *q,
	       const struct sw_grid_window *x, struct err *e)
{
	return sw_grid_fits(q) ? sw_net_run(w, q, x, e) : 1;
}

static int64_t
put_start(void *ctx, const struct sw_hit *cell)
{
	*(struct sw_hit *)ctx = *cell;
	return INT64_MAX;	/* no path is kept */
}

int
sw_grid_start(struct sw_work *w, const struct sw_query *q,
	      const struct sw_grid_window *x, struct sw_hit *cell,
	      struct err *e)
{
	struct sw_grid_region r = {
		.q = q, .w = w, .put = put_start, .ctx = cell,
		.least = INT64_MAX, .e = e, .net = w->net, .text = x->col,
	};
	uint32_t at = SW_END_NONE;
	int rc = no_ends(&r);

	r.most = 1;
	if (!rc)
		rc = add_cell(&r, cell->score, (uint32_t)(cell->qend - 1),
			      (uint32_t)(cell->end - 1), &at);
	return rc ? rc : sw_grid_follow(&r);
}
