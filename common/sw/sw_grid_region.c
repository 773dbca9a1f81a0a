/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_region.c - starts of a region's cells, from their ends back
 *
 * As sw_plain.c does it, with the same doubled scores, windows and rules.  Only
 * the best cell of a class is needed, so
 * 	of cells reported on one diagonal, with few mismatches between, only
 * 	the best is followed;
 * 	where two paths meet, the better cell of the two goes on.
 * Paths meet soon, and few tiles have any.  Where many of the cells computed so
 * far are to be reported, as around an alignment of a far higher score,
 * computing starts with all the scores is faster (sw_front.c).
 */

#include <stdlib.h>
#include <string.h>

#include "sw/sw_beside.h"
#include "sw/sw_grid.h"

/*
 * Paths of a window's cells, tile after tile
 *
 * Where two meet, the better cell of the two goes on; so few are left soon.
 */

static bool
sw_grid_stands(const struct sw_grid_end *a, const struct sw_grid_end *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	return a->col != b->col ? a->col < b->col : a->row < b->row;
}

/* Where an end is in the grid. */
struct sw_grid_at {
	size_t strip, time;
};

static struct sw_grid_at
at_of(const struct sw_grid_region *r, const struct sw_grid_end *x)
{
	size_t i = x->i - r->row, j = x->j - r->col;

	return (struct sw_grid_at){ sw_grid_strip(r->g, i),
				    sw_grid_time(r->g, i, j) };
}

static size_t
tile_of(const struct sw_grid_region *r, const struct sw_grid_end *x)
{
	const struct sw_grid *g = r->g;
	struct sw_grid_at at;

	if (r->borders)
		return sw_borders_tile(r->borders, x->i, x->j);
	at = at_of(r, x);
	return at.strip / g->tile_strips * g->wide + at.time / g->tile_times;
}

static void
put_in_tile(struct sw_grid_region *r, uint32_t i)
{
	struct sw_grid_end *x = &r->ends->end[i];
	uint32_t *first = &r->ends->tile[tile_of(r, x)];

	x->next = *first;
	*first = i;
}

/* Of an end whose path was followed to its start. */
static struct sw_hit
hit_of(const struct sw_grid_region *r, const struct sw_grid_end *x)
{
	return (struct sw_hit){
		.score = x->score, .qbeg = x->i, .qend = x->row + 1,
		.beg = r->begin + x->j, .end = r->begin + x->col + 1,
	};
}

static int
report_end(struct sw_grid_region *r, const struct sw_grid_end *x)
{
	struct sw_hit h = hit_of(r, x);
	int64_t rc = r->put(r->ctx, &h);

	if (rc < 0)
		return (int)rc;
	r->least = rc;
	return 0;
}

/* The better cell of two goes on, maybe in vain so far. */
static int
meet_end(struct sw_grid_region *r, struct sw_grid_end *x, uint32_t other)
{
	struct sw_grid_end *y = &r->ends->end[other];

	while (y->in == SW_END_MET)
		y = &r->ends->end[y->next];
	if (y->in == SW_END_GONE) {
		x->in = SW_END_GONE;
		return 0;
	}
	x->in = SW_END_MET;
	x->next = (uint32_t)(y - r->ends->end);
	if (!sw_grid_stands(x, y))
		return 0;
	y->way.first = x->way.first;
	y->score = x->score;
	y->row = x->row;
	y->col = x->col;
	return y->in == SW_END_FOUND ? report_end(r, y) : 0;
}

/* Who came by here before, by H or by F. */
static struct sw_grid_mark *
mark_of(const struct sw_grid_region *r, const struct sw_grid_end *x)
{
	const struct sw_grid *g = r->g;
	struct sw_grid_at at = at_of(r, x);
	size_t strip = at.strip % g->tile_strips;
	size_t time = at.time % g->tile_times;

	return &r->ends->mark[2 * (strip * g->tile_times + time) +
			      (x->in == OPEN_F)];
}

/* Up to where the path leaves a strip, or to its start. */
static void
walk_back(struct sw_grid_region *r, struct sw_grid_end *x, struct sw_path *p)
{
	bool found = sw_grid_walk(r->g, p);
	ptrdiff_t i = p->i + (ptrdiff_t)r->row, j = p->j + (ptrdiff_t)r->col;

	if (p->i < 0 || p->j < 0)	/* of the window, or of a tile alone */
		found = i < 0 || j < 0;
	x->i = (uint32_t)(found ? i + 1 : i);
	x->j = (uint32_t)(found ? j + 1 : j);
	x->in = found ? SW_END_FOUND : p->in;
}

/*
 * Rounds: first all cells with H >= u, then those below u and not below a lower
 * score, and so on
 *
 * All paths of a round are followed to starts, by themselves or as one that
 * they met.  So where a path of an earlier round came into a tile, in the same
 * state, the rest of it is known: it leads to a start that was reported with
 * u or more.  A cell below u whose path comes there is not the best of its
 * class, and its path ends there: tiles are computed for new paths only.  The
 * same holds for one whose path goes through a cell with u or more.
 */

enum { CROSSES = 1 << 16 };	/* slots, that are kept */

static struct sw_grid_cross *
cross_slot(const struct sw_grid_ends *x, uint32_t i, uint32_t j, uint32_t in)
{
	uint64_t h = ((uint64_t)i << 32 | j) * 0x9e3779b97f4a7c15ULL + in;
	size_t at = (size_t)(h ^ h >> 32);

	for (;; at++) {
		struct sw_grid_cross *c = &x->cross[at & (x->n_cross - 1)];

		if (!c->round || (c->i == i && c->j == j && c->in == in))
			return c;
	}
}

static int
more_crosses(struct sw_grid_ends *x, struct err *e)
{
	struct sw_grid_cross *old = x->cross;
	size_t n = x->n_cross;
	int rc;

	x->cross = NULL;	/* or it would be freed */
	rc = slots_double(&x->cross, &x->n_cross, sizeof *old, e);
	if (rc) {
		x->cross = old;
		return rc;
	}
	for (size_t k = 0; k < n; k++)
		if (old[k].round)
			*cross_slot(x, old[k].i, old[k].j, old[k].in) = old[k];
	free(old);
	return 0;
}

/* The path comes into another tile: x->in may become SW_END_GONE. */
static int
cross(struct sw_grid_region *r, struct sw_grid_end *x)
{
	struct sw_grid_ends *ends = r->ends;
	struct sw_grid_cross *c;

	if (!ends->round)
		return 0;
	if (2 * ends->crossed >= ends->n_cross && more_crosses(ends, r->e))
		return ERR_NOMEM;
	c = cross_slot(ends, x->i, x->j, x->in);
	if (c->round && c->round < ends->round)
		x->in = SW_END_GONE;
	if (c->round)
		return 0;
	*c = (struct sw_grid_cross){ x->i, x->j, x->in, ends->round };
	ends->crossed++;
	return 0;
}

/* The next of some rounds, or the only one.  A large table of another query
 * would stay as long as its worker. */
static void
set_round(struct sw_grid_ends *x, bool rounds, bool first)
{
	if (first && x->n_cross > CROSSES) {
		free(x->cross);
		x->cross = NULL;
		x->n_cross = x->crossed = 0;
	}
	if (first && x->crossed) {
		memset(x->cross, 0, x->n_cross * sizeof *x->cross);
		x->crossed = 0;
	}
	x->round = !rounds ? 0 : first ? 1 : x->round + 1;
}

/* The path goes on in another tile, if nobody knows how. */
static int
leave_tile(struct sw_grid_region *r, uint32_t i)
{
	struct sw_grid_end *x = &r->ends->end[i];
	int rc = cross(r, x);

	if (rc || x->in == SW_END_GONE)
		return rc;
	sw_path_pieces_rest(&r->ends->ways, &x->way);
	put_in_tile(r, i);
	return 0;
}

/* The path goes to the row above the part. */
static int
go_up(struct sw_grid_region *r, struct sw_grid_end *x)
{
	if (x->in != STEP_DIAG || x->j != r->cross)
		return 1;
	x->in = SW_END_FOUND;
	sw_path_pieces_end(&r->ends->ways);
	return report_end(r, x);
}

/* Through the tile, to its start or to where the path leaves it.  alone: it
 * meets none. */
static int
follow_tile(struct sw_grid_region *r, uint32_t i, size_t tile, bool alone)
{
	struct sw_path_pieces *ways = &r->ends->ways;
	struct sw_grid_end *x = &r->ends->end[i];
	struct sw_path p = {
		.q = r->q, .row = r->g->w.row, .col = r->g->w.col,
		.i = (ptrdiff_t)(x->i - r->row),
		.j = (ptrdiff_t)(x->j - r->col),
		.in = (enum sw_dir)x->in,
	};

	sw_path_pieces_open(ways, &x->way, &p);
	for (;;) {
		struct sw_grid_mark *mark;
		uint32_t here;

		walk_back(r, x, &p);
		here = sw_path_pieces_here(ways, &p);
		if (x->in == SW_END_FOUND) {
			sw_path_pieces_end(ways);
			return report_end(r, x);
		}
		if (!r->borders && x->i < r->row)
			return go_up(r, x);
		if (tile_of(r, x) != tile)
			return leave_tile(r, i);
		if (alone)
			continue;
		mark = mark_of(r, x);
		if (mark->end != SW_END_NONE) {
			sw_path_pieces_meet(ways, mark->word);
			return meet_end(r, x, mark->end);
		}
		*mark = (struct sw_grid_mark){ i, here };
	}
}

/* Nobody came by anywhere in a tile.  ERR_NOMEM. */
static int
no_marks(struct sw_grid_region *r)
{
	struct sw_grid_ends *x = r->ends;
	size_t n = 2 * r->g->tile_strips * r->g->tile_times;

	if (n > x->n_mark) {
		free(x->mark);
		x->n_mark = 0;
		x->mark = malloc(n * sizeof *x->mark);
		if (!x->mark)
			return err_nomem(r->e, n * sizeof *x->mark);
		x->n_mark = n;
	}
	memset(x->mark, 0xff, n * sizeof *x->mark);
	return 0;
}

static int sw_grid_net_tile(struct sw_grid_region *r, size_t high, size_t
		wide, bool reported);

/* A bordered tile, if it has any path or end. */
static int
open_tile(struct sw_grid_region *r, size_t high, size_t wide)
{
	const size_t tile = high * r->borders->wide + wide, n = r->ends->n;
	const bool reported = r->borders->reported[tile];
	struct sw_borders_range rows = sw_borders_rows(r->borders, high);
	int rc;

	if (rows.from == rows.to ||
	    (!reported && r->ends->tile[tile] == SW_END_NONE))
		return 0;
	rc = sw_grid_net_tile(r, high, wide, reported);
	for (size_t i = n; i < r->ends->n && !rc; i++)
		put_in_tile(r, (uint32_t)i);
	return rc;
}

/* Directions of a tile, up to where the ends in it are. */
static int
find_dirs(struct sw_grid_region *r, uint32_t i, size_t high, size_t wide)
{
	const struct sw_grid_ends *ends = r->ends;
	size_t strip = 0, time = 0;

	for (; i != SW_END_NONE; i = ends->end[i].next) {
		struct sw_grid_at at = at_of(r, &ends->end[i]);

		strip = at.strip > strip ? at.strip : strip;
		time = at.time > time ? at.time : time;
	}
	if (r->borders)
		high = wide = 0;
	return sw_grid_tile(r->g, r->w->crew, high, wide, strip, time, r->e);
}

static int
do_tile(struct sw_grid_region *r, size_t high, size_t wide)
{
	struct sw_grid_ends *ends = r->ends;
	size_t tile =
	    high * (r->borders ? r->borders->wide : r->g->wide) + wide;
	int rc = r->borders ? open_tile(r, high, wide) : 0;
	uint32_t i = ends->tile[tile], next;
	bool alone;

	if (rc || i == SW_END_NONE)
		return rc;
	alone = ends->end[i].next == SW_END_NONE;
	rc = find_dirs(r, i, high, wide);
	if (!rc && !alone)
		rc = no_marks(r);
	for (; i != SW_END_NONE && !rc; i = next) {
		next = ends->end[i].next;
		rc = follow_tile(r, i, tile, alone);
	}
	return rc;
}

static int
keep_paths(struct sw_grid_region *r)
{
	const struct sw_grid_ends *x = r->ends;
	int rc = 0;

	for (size_t i = 0; i < x->n && !rc; i++) {
		const struct sw_grid_end *a = &x->end[i];
		struct sw_hit h = hit_of(r, a);

		if (a->in != SW_END_FOUND)
			continue;
		rc = sw_paths_keep(r->w, &h, &x->ways, &a->way,
				   r->least, r->e);
	}
	return rc;
}

/* A path goes to tiles above or before, never back. */
static int
sw_grid_follow(struct sw_grid_region *r)
{
	struct sw_grid_ends *x = r->ends;
	size_t high = r->borders ? r->borders->high : r->g->high;
	size_t wide = r->borders ? r->borders->wide : r->g->wide;
	int rc;

	if (!x->n && !r->borders)
		return 0;
	rc = array_room(&x->tile, &x->n_tile, high * wide, sizeof *x->tile,
			r->e);
	if (rc)
		return rc;
	memset(x->tile, 0xff, high * wide * sizeof *x->tile);
	sw_path_pieces_reset(&x->ways, r->w);
	for (size_t i = 0; i < x->n; i++)
		put_in_tile(r, (uint32_t)i);
	for (size_t h = high; !rc && h-- > 0;)
		for (size_t v = wide; !rc && v-- > 0;)
			rc = do_tile(r, h, v);
	return rc ? rc : keep_paths(r);
}

/* Starts of a region's cells, from their ends back. */

enum {
	FEW_ENDS = 1 << 12, CELLS_AN_END = 1 << 12,
	SOME_ENDS = 1 << 16,
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
	free(x->cross);
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
 * reported: by a match, after up to CHAIN - 1 mismatches.  No H is less than
 * what a diagonal step gives; so if the sum is right, each step is, and the
 * rule takes it before others.  The least H between, that before the match, is
 * above 0: no path starts there.
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
add_end(struct sw_grid_region *r, const struct sw_grid_end *cell, uint32_t *at)
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

	return add_end(r,
		       &(struct sw_grid_end){
			   h,
			   i,
			   j,
			   i,
			   j,
			   STEP_DIAG,
			   SW_END_NONE,
			   {SW_WAY_NONE, SW_WAY_NONE},
		       },
		       at);
}

/* Strips above may have columns left, which then count as done. */
static void
set_most(struct sw_grid_region *r, size_t strip)
{
	if (r->borders || (r->most && strip <= r->strip))
		return;
	r->strip = strip;
	r->most = most_of((double)(strip + 1) * (double)r->g->rows *
			  (double)r->g->w.cols);
}

static int
take_cells(void *ctx, const struct sw_grid_reported *reported, size_t strip)
{
	struct sw_grid_region *r = ctx;
	size_t top = strip * r->g->rows;

	set_most(r, strip);
	for (size_t i = 0; i < reported->n; i++) {
		const struct sw_grid_cell *c = &reported->v[i];
		uint32_t row = (uint32_t)(top + c->row);
		uint32_t col = (uint32_t)c->col;
		uint32_t at;
		int rc;

		if (r->wants && !r->wants(r->ctx, r->row + row, r->col + col,
					  c->h / 2))
			continue;
		at = r->until && c->h / 2 >= r->until ? SW_END_OLD :
						 end_of(r, c, row, col);
		rc = at == SW_END_OLD ? 0 :
			add_cell(r, c->h / 2, row, col, &at);
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
	r->ends->round = 0;
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
	return sw_grid_run(r->g, r->borders ? NULL : r->w->crew, odd, r->e);
}

/* The grid becomes a bordered tile; ends reported in it are added. */
static int
sw_grid_net_tile(struct sw_grid_region *r, size_t high, size_t wide,
		 bool reported)
{
	const struct sw_borders *x = r->borders;
	struct sw_borders_range rows = sw_borders_rows(x, high);
	struct sw_borders_range cols = sw_borders_cols(x, wide);
	struct sw_grid_window w = {
		.row = r->q->code + rows.from, .rows = rows.to - rows.from,
		.col = r->text + cols.from, .cols = cols.to - cols.from,
		.left = sw_borders_left(x, high, wide),
		.tile = true,
		.above_h = rows.from ? sw_borders_above(x, high, wide) : NULL,
		.above_f = x->tile_f,
		.from = r->from > cols.from ? r->from - cols.from : 0,
		.least = r->least, .take_cells = take_cells, .ctx = r,
	};
	bool odd = false;
	int rc = sw_grid_open(r->w, r->q, &w, r->e);

	r->g = r->w->grid;
	r->row = rows.from;
	r->col = cols.from;
	if (!rc && reported)
		rc = find_ends(r, &odd);
	return rc;	/* never odd: borders are exact */
}

/* By the grid alone, or bordered tiles. */
static int
all_paths(struct sw_grid_region *r, const struct sw_grid_window *w, bool *odd)
{
	int rc = sw_borders_run(r->w, r->q, w, r->e);

	if (!rc) {
		r->borders = r->w->borders;
		r->most = most_of((double)w->rows * (double)w->cols);
		return sw_grid_follow(r);
	}
	r->borders = NULL;
	r->row = r->col = 0;
	if (rc == 1)
		rc = sw_grid_open(r->w, r->q, w, r->e);
	r->g = r->w->grid;
	if (!rc)
		rc = find_ends(r, odd);
	return rc || *odd ? rc : sw_grid_follow(r);
}

static int
run_window(struct sw_grid_region *r, const struct sw_grid_window *w, bool *odd)
{
	int rc = no_ends(r);

	r->from = w->from;
	r->text = w->col;
	*odd = false;
	return rc ? rc : all_paths(r, w, odd);
}

int
sw_grid_cut(struct sw_grid_region *r, struct sw_grid_window *x,
	    const struct sw_peak *peak, const struct sw_hit *cell)
{
	uint32_t at = SW_END_NONE;
	bool odd = false;
	int rc = sw_grid_find(r->w, r->q, x, peak, r->begin, r->e);

	if (rc || !x->live)
		return rc ? rc : 1;
	x->take_cells = cell ? NULL : take_cells;
	x->ctx = r;
	rc = no_ends(r);
	if (!rc)
		rc = sw_grid_open(r->w, r->q, x, r->e);
	r->g = r->w->grid;
	if (!rc && !cell)
		rc = find_ends(r, &odd);
	else if (!rc)
		rc = sw_grid_run(r->g, NULL, &odd, r->e);
	if (rc || odd)
		return rc ? rc : 1;
	if (cell) {
		r->most = 1;
		rc = add_cell(r, cell->score,
			      (uint32_t)(cell->qend - 1 - r->row),
			      (uint32_t)(cell->end - 1), &at);
	}
	rc = rc ? rc : sw_grid_follow(r);
	/* H of what begins before the window is odd: not known */
	if (!rc && cell && x->bound && !r->ends->end[at].j)
		rc = 1;
	return rc;
}

static int
whole_region(struct sw_grid_region *r, struct sw_grid_window *x,
	     const struct sw_peak *peak, bool *odd)
{
	int rc = sw_grid_find(r->w, r->q, x, peak, r->begin, r->e);

	return rc ? rc : run_window(r, x, odd);
}

int
sw_grid_region(const struct sw_region *x, struct sw_work *w, struct err *e)
{
	uint64_t stretch = sw_stretch_of(x->q, w, x->seg, x->from, x->peak);
	struct sw_grid_region r = {
		.q = x->q, .w = w, .put = x->put, .ctx = x->ctx,
		.least = x->least, .e = e,
	};
	struct sw_grid_window window;
	bool odd = false;
	int rc;

	do {
		/* H = 0 before the text's first column */
		bool begins = x->from - x->seg->beg <= stretch;

		r.begin = begins ? x->seg->beg : x->from - stretch;
		window = (struct sw_grid_window){
			.row = x->q->code, .rows = x->q->n,
			.col = x->t->codes + r.begin, .cols = x->to - r.begin,
			.bound = begins ? 0 :
				 x->peak[(r.begin - 1) / SW_BLOCK].bound,
			.from = x->from - r.begin, .least = x->least,
			.take_cells = take_cells, .ctx = &r,
		};
		odd = false;
		rc = sw_cut_region(&r, &window, x->peak);
		if (rc == 1)
			rc = whole_region(&r, &window, x->peak, &odd);
		w->stretch = stretch;
		stretch *= 2;
	} while (!rc && odd);
	return rc;
}

int
sw_grid_starts(struct sw_work *w, const struct sw_query *q,
	       const struct sw_grid_window *x, struct err *e)
{
	return sw_grid_fits(q) ? sw_borders_run(w, q, x, e) : 1;
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
	    .q = q,
	    .w = w,
	    .put = put_start,
	    .ctx = cell,
	    .least = INT64_MAX,
	    .e = e,
	    .borders = w->borders,
	    .text = x->col,
	};
	uint32_t at = SW_END_NONE;
	int rc = no_ends(&r);

	r.most = 1;
	if (!rc)
		rc = add_cell(&r, cell->score, (uint32_t)(cell->qend - 1),
			      (uint32_t)(cell->end - 1), &at);
	return rc ? rc : sw_grid_follow(&r);
}

int
sw_grid_some(struct sw_work *w, const struct sw_query *q,
	     const struct sw_grid_window *x, uint64_t begin, int64_t least,
	     sw_wants_fn *wants, sw_cell_fn *put, void *ctx, struct err *e)
{
	struct sw_grid_region r = {
	    .q = q,
	    .w = w,
	    .wants = wants,
	    .put = put,
	    .ctx = ctx,
	    .least = least,
	    .begin = begin,
	    .e = e,
	    .borders = w->borders,
	    .text = x->col,
	    .from = x->from,
	    .until = x->until,
	};
	uint32_t round = w->ends ? w->ends->round : 0;
	int rc = no_ends(&r);

	if (rc)
		return rc;
	r.ends->round = round;
	set_round(r.ends, !wants, !x->until);
	r.most = wants ? SOME_ENDS :
			 most_of((double)x->rows * (double)x->cols);
	return sw_grid_follow(&r);
}
