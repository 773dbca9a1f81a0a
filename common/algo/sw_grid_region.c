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

#include "algo/sw_grid.h"

enum {
	FEW_ENDS = 1 << 12, CELLS_AN_END = 1 << 13,
	NIL = UINT32_MAX,
};

/*
 * A cell to be told, and where its path has been followed to: FOUND its start,
 * which is told, MET another's.
 */
enum { FOUND = SW_DIRS, MET };
struct end {
	int64_t score;
	uint32_t row, col;
	uint32_t i, j, in;
	uint32_t next;		/* of its tile; or which one it met */
};

/* The last cell of a row that was told, and its end. */
struct last {
	uint32_t col, end;
};

struct sw_grid_ends {
	struct end *end;
	struct last *last;	/* of each row */
	uint32_t *tile;		/* the first one of each */
	uint32_t *mark;		/* at [strip][time][in F], who came there */
	size_t n, cap, n_last, n_tile, n_mark;
};

struct region {
	const struct sw_query *q;
	struct sw_work *w;
	struct sw_grid *g;
	struct sw_grid_ends *ends;
	uint64_t begin;
	size_t strip, most;	/* ends, up to this strip */
	sw_cell_fn *put;
	void *ctx;
	struct err *e;
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
	free(x);
}

/* The path of the cell before goes on to this one: that takes its place. */
static struct end *
place_of(struct region *r, const struct sw_grid_cell *c, const struct last *up)
{
	struct sw_grid_ends *x = r->ends;

	if (c->row && up->end != NIL && (size_t)up->col + 1 == c->col)
		return &x->end[up->end];
	if (x->n >= r->most ||
	    array_room(&x->end, &x->cap, x->n + 1, sizeof *x->end, r->e))
		return NULL;
	return &x->end[x->n++];
}

static int
crowd(struct region *r)
{
	if (r->ends->n < r->most)
		return ERR_NOMEM;
	r->w->crowded = true;
	return 1;
}

/* Strips above may have columns left, which then count as done. */
static void
set_most(struct region *r, size_t strip)
{
	double cells = (double)(strip + 1) * (double)r->g->rows *
		       (double)r->g->w.cols;

	if (r->most && strip <= r->strip)
		return;
	r->strip = strip;
	r->most = cells < (double)(NIL / 2) * CELLS_AN_END ?
		  FEW_ENDS + (size_t)(cells / CELLS_AN_END) : NIL / 2;
}

static int
hear(void *ctx, const struct sw_grid_told *told, size_t strip)
{
	struct region *r = ctx;
	size_t top = strip * r->g->rows;

	set_most(r, strip);
	for (size_t i = 0; i < told->n; i++) {
		const struct sw_grid_cell *c = &told->v[i];
		uint32_t row = (uint32_t)(top + c->row);
		uint32_t col = (uint32_t)c->col;
		struct last *last = &r->ends->last[row];
		struct end *x = place_of(r, c, last - (c->row > 0));

		if (!x)
			return crowd(r);
		*x = (struct end){ c->h / 2, row, col, row, col, STEP_DIAG,
				   NIL };
		*last = (struct last){ col, (uint32_t)(x - r->ends->end) };
	}
	return 0;
}

/* Does a stand for the class of both? */
static bool
stands(const struct end *a, const struct end *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	return a->col != b->col ? a->col < b->col : a->row < b->row;
}

static size_t
tile_of(const struct sw_grid *g, const struct end *x)
{
	return sw_grid_strip(g, x->i) / g->tile_strips * g->wide +
	       sw_grid_time(g, x->i, x->j) / g->tile_times;
}

static void
put_in_tile(struct region *r, uint32_t i)
{
	struct end *x = &r->ends->end[i];
	uint32_t *first = &r->ends->tile[tile_of(r->g, x)];

	x->next = *first;
	*first = i;
}

static int
tell(struct region *r, const struct end *x)
{
	int64_t rc = r->put(r->ctx, &(struct sw_hit){
		.score = x->score, .qbeg = x->i, .qend = x->row + 1,
		.beg = r->begin + x->j, .end = r->begin + x->col + 1,
	});

	return rc < 0 ? (int)rc : 0;
}

/* The better cell of two goes on, maybe in vain so far. */
static int
meet(struct region *r, struct end *x, uint32_t other)
{
	struct end *y = &r->ends->end[other];

	while (y->in == MET)
		y = &r->ends->end[y->next];
	x->in = MET;
	x->next = (uint32_t)(y - r->ends->end);
	if (!stands(x, y))
		return 0;
	y->score = x->score;
	y->row = x->row;
	y->col = x->col;
	return y->in == FOUND ? tell(r, y) : 0;
}

/* Who came by here before, by H or by F. */
static uint32_t *
mark_of(const struct region *r, const struct end *x)
{
	const struct sw_grid *g = r->g;
	size_t strip = sw_grid_strip(g, x->i) % g->tile_strips;
	size_t time = sw_grid_time(g, x->i, x->j) % g->tile_times;

	return &r->ends->mark[2 * (strip * g->tile_times + time) +
			      (x->in == OPEN_F)];
}

/* Through the tile, to its start or to where the path leaves it. */
static int
follow(struct region *r, uint32_t i, size_t tile)
{
	static const uint8_t same[SW_LETTERS];	/* no operations are told */
	struct end *x = &r->ends->end[i];
	struct sw_path p = {
		.q = r->q, .row = r->g->w.row, .col = r->g->w.col,
		.same = same,
		.i = x->i, .j = x->j, .in = (enum sw_dir)x->in,
	};

	for (;;) {
		bool found = sw_grid_walk(r->g, &p);
		uint32_t *mark;

		x->i = (uint32_t)(found ? p.i + 1 : p.i);
		x->j = (uint32_t)(found ? p.j + 1 : p.j);
		x->in = found ? FOUND : p.in;
		if (found)
			return tell(r, x);
		if (tile_of(r->g, x) != tile) {
			put_in_tile(r, i);
			return 0;
		}
		mark = mark_of(r, x);
		if (*mark != NIL)
			return meet(r, x, *mark);
		*mark = i;
	}
}

static int
do_tile(struct region *r, size_t high, size_t wide)
{
	struct sw_grid_ends *ends = r->ends;
	size_t strip = 0, time = 0, tile = high * r->g->wide + wide;
	uint32_t i = ends->tile[tile], next;
	int rc = 0;

	if (i == NIL)
		return 0;
	for (uint32_t k = i; k != NIL; k = ends->end[k].next) {
		const struct end *x = &ends->end[k];
		size_t s = sw_grid_strip(r->g, x->i);
		size_t t = sw_grid_time(r->g, x->i, x->j);

		strip = s > strip ? s : strip;
		time = t > time ? t : time;
	}
	rc = sw_grid_tile(r->g, r->w->crew, high, wide, strip, time, r->e);
	memset(ends->mark, 0xff, ends->n_mark * sizeof *ends->mark);
	for (; i != NIL && !rc; i = next) {
		next = ends->end[i].next;
		rc = follow(r, i, tile);
	}
	return rc;
}

/* A path goes to tiles above or before, never back. */
static int
follow_all(struct region *r)
{
	struct sw_grid_ends *x = r->ends;
	size_t tiles = r->g->high * r->g->wide, n_mark;
	int rc = 0;

	if (!x->n)
		return 0;
	n_mark = 2 * r->g->tile_strips * r->g->tile_times;
	rc = array_room(&x->tile, &x->n_tile, tiles, sizeof *x->tile,
		     r->e);
	if (!rc && n_mark > x->n_mark) {
		free(x->mark);
		x->n_mark = 0;
		x->mark = malloc(n_mark * sizeof *x->mark);
		x->n_mark = x->mark ? n_mark : 0;
		rc = x->mark ? 0 : err_nomem(r->e, n_mark * sizeof *x->mark);
	}
	if (rc)
		return rc;
	memset(x->tile, 0xff, tiles * sizeof *x->tile);
	for (size_t i = 0; i < x->n; i++)
		put_in_tile(r, (uint32_t)i);
	for (size_t h = r->g->high; !rc && h-- > 0;)
		for (size_t v = r->g->wide; !rc && v-- > 0;)
			rc = do_tile(r, h, v);
	return rc;
}

static int
no_ends(struct region *r)
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
window(struct region *r, const struct sw_grid_window *w, bool *odd)
{
	int rc = sw_grid_open(r->w, r->q, w, r->e);

	r->g = r->w->grid;
	if (!rc)
		rc = no_ends(r);
	if (!rc)
		rc = sw_grid_run(r->g, r->w->crew, odd, r->e);
	return rc || *odd ? rc : follow_all(r);
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
	struct region r = { .q = q, .w = w, .put = put, .ctx = ctx, .e = e };
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
	if (rc)
		return rc;
	w->held.q = q;
	w->held.codes = t->codes;
	w->held.begin = r.begin;
	w->held.from = from;
	w->held.to = to;
	return 0;
}
