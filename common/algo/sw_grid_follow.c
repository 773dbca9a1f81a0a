/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_follow.c - paths of a window's cells, tile after tile
 *
 * Where two meet, the better cell of the two goes on; so few are left soon.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_grid_ends.h"

bool
sw_grid_stands(const struct sw_grid_end *a, const struct sw_grid_end *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	return a->col != b->col ? a->col < b->col : a->row < b->row;
}

static size_t
tile_of(const struct sw_grid_region *r, const struct sw_grid_end *x)
{
	const struct sw_grid *g = r->g;

	if (r->net)
		return sw_net_tile(r->net, x->i, x->j);
	return sw_grid_strip(g, x->i) / g->tile_strips * g->wide +
	       sw_grid_time(g, x->i, x->j) / g->tile_times;
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
tell(struct sw_grid_region *r, const struct sw_grid_end *x)
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
meet(struct sw_grid_region *r, struct sw_grid_end *x, uint32_t other)
{
	struct sw_grid_end *y = &r->ends->end[other];

	while (y->in == SW_END_MET)
		y = &r->ends->end[y->next];
	x->in = SW_END_MET;
	x->next = (uint32_t)(y - r->ends->end);
	if (!sw_grid_stands(x, y))
		return 0;
	y->way.first = x->way.first;
	y->score = x->score;
	y->row = x->row;
	y->col = x->col;
	return y->in == SW_END_FOUND ? tell(r, y) : 0;
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

/*
 * Up to where the path leaves a strip, or to its start.  false: that is before
 * the window, or may be.
 */
static bool
walk(struct sw_grid_region *r, struct sw_grid_end *x, struct sw_path *p)
{
	const struct sw_mark *left = r->left;
	bool found = sw_grid_walk(r->g, p);
	ptrdiff_t i = p->i + (ptrdiff_t)r->row, j = p->j + (ptrdiff_t)r->col;

	if (p->i < 0 || p->j < 0)	/* of the window, or of a tile alone */
		found = i < 0 || j < 0;
	if (p->lost || (left && j < 0 && (p->in != STEP_DIAG ||
					  (i >= 0 && left[i].h > 0))))
		return false;
	x->i = (uint32_t)(found ? i + 1 : i);
	x->j = (uint32_t)(found ? j + 1 : j);
	x->in = found ? SW_END_FOUND : p->in;
	x->h = -p->score;
	return true;
}

/* Through the tile, to its start or to where the path leaves it. */
static int
follow(struct sw_grid_region *r, uint32_t i, size_t tile)
{
	struct sw_ways *ways = &r->ends->ways;
	struct sw_grid_end *x = &r->ends->end[i];
	struct sw_path p = {
		.q = r->q, .row = r->g->w.row, .col = r->g->w.col,
		.i = (ptrdiff_t)(x->i - r->row),
		.j = (ptrdiff_t)(x->j - r->col),
		.in = (enum sw_dir)x->in, .score = -x->h,
	};

	sw_ways_open(ways, &x->way, &p);
	for (;;) {
		struct sw_grid_mark *mark;
		uint32_t here;

		if (!walk(r, x, &p))
			return SW_GRID_BEFORE;
		here = sw_ways_here(ways, &p);
		if (x->in == SW_END_FOUND) {
			sw_ways_end(ways);
			return tell(r, x);
		}
		if (tile_of(r, x) != tile) {
			sw_ways_rest(ways, &x->way);
			put_in_tile(r, i);
			return 0;
		}
		mark = mark_of(r, x);
		if (mark->end != SW_END_NONE) {
			sw_ways_meet(ways, mark->word);
			return meet(r, x, mark->end);
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

/* A net's tile, if it has any path or end. */
static int
open_tile(struct sw_grid_region *r, size_t high, size_t wide)
{
	const size_t tile = high * r->net->wide + wide, n = r->ends->n;
	const bool told = r->net->told[tile];
	struct sw_net_range rows = sw_net_rows(r->net, high);
	int rc;

	if (rows.from == rows.to ||
	    (!told && r->ends->tile[tile] == SW_END_NONE))
		return 0;
	rc = sw_grid_net_tile(r, high, wide, told);
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
	if (r->net)
		high = wide = 0;
	return sw_grid_tile(r->g, r->w->crew, high, wide, strip, time, r->e);
}

static int
do_tile(struct sw_grid_region *r, size_t high, size_t wide)
{
	struct sw_grid_ends *ends = r->ends;
	size_t tile = high * (r->net ? r->net->wide : r->g->wide) + wide;
	int rc = r->net ? open_tile(r, high, wide) : 0;
	uint32_t i = ends->tile[tile], next;

	if (rc || i == SW_END_NONE)
		return rc;
	rc = find_dirs(r, i, high, wide);
	if (!rc)
		rc = no_marks(r);
	for (; i != SW_END_NONE && !rc; i = next) {
		next = ends->end[i].next;
		rc = follow(r, i, tile);
	}
	return rc;
}

/*
 * How far before the region they begin says what will do for the next one,
 * where the window may begin at any column.
 */
static int
keep_paths(struct sw_grid_region *r)
{
	const struct sw_grid_ends *x = r->ends;
	size_t first = r->from;
	int rc = 0;

	for (size_t i = 0; i < x->n && !rc; i++) {
		const struct sw_grid_end *a = &x->end[i];
		struct sw_hit h = hit_of(r, a);

		if (a->in != SW_END_FOUND)
			continue;
		first = a->j < first ? a->j : first;
		rc = sw_paths_keep(r->w, &h, &x->ways, &a->way,
				   r->least, r->e);
	}
	if (r->left)
		r->w->needed = r->from - first;
	return rc;
}

/* A path goes to tiles above or before, never back. */
int
sw_grid_follow(struct sw_grid_region *r)
{
	struct sw_grid_ends *x = r->ends;
	size_t high = r->net ? r->net->high : r->g->high;
	size_t wide = r->net ? r->net->wide : r->g->wide;
	int rc;

	if (!x->n && !r->net)
		return 0;
	rc = array_room(&x->tile, &x->n_tile, high * wide, sizeof *x->tile,
			r->e);
	if (rc)
		return rc;
	memset(x->tile, 0xff, high * wide * sizeof *x->tile);
	sw_ways_reset(&x->ways, r->w);
	for (size_t i = 0; i < x->n; i++)
		put_in_tile(r, (uint32_t)i);
	for (size_t h = high; !rc && h-- > 0;)
		for (size_t v = wide; !rc && v-- > 0;)
			rc = do_tile(r, h, v);
	return rc ? rc : keep_paths(r);
}

