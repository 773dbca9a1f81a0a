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
tile_of(const struct sw_grid *g, const struct sw_grid_end *x)
{
	return sw_grid_strip(g, x->i) / g->tile_strips * g->wide +
	       sw_grid_time(g, x->i, x->j) / g->tile_times;
}

static void
put_in_tile(struct sw_grid_region *r, uint32_t i)
{
	struct sw_grid_end *x = &r->ends->end[i];
	uint32_t *first = &r->ends->tile[tile_of(r->g, x)];

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

/* Who came by here before, by H or by F. */
static struct sw_grid_mark *
mark_of(const struct sw_grid_region *r, const struct sw_grid_end *x)
{
	const struct sw_grid *g = r->g;
	size_t strip = sw_grid_strip(g, x->i) % g->tile_strips;
	size_t time = sw_grid_time(g, x->i, x->j) % g->tile_times;

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
	const struct sw_mark *left = r->g->w.left;
	bool found = sw_grid_walk(r->g, p);

	if (p->lost || (left && p->j < 0 &&
			(p->in != STEP_DIAG ||
			 (p->i >= 0 && left[p->i].h > 0))))
		return false;
	x->i = (uint32_t)(found ? p->i + 1 : p->i);
	x->j = (uint32_t)(found ? p->j + 1 : p->j);
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
		.i = x->i, .j = x->j, .in = (enum sw_dir)x->in,
		.score = -x->h,
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
		if (tile_of(r->g, x) != tile) {
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

static int
do_tile(struct sw_grid_region *r, size_t high, size_t wide)
{
	struct sw_grid_ends *ends = r->ends;
	size_t strip = 0, time = 0, tile = high * r->g->wide + wide;
	uint32_t i = ends->tile[tile], next;
	int rc = 0;

	if (i == SW_END_NONE)
		return 0;
	for (uint32_t k = i; k != SW_END_NONE; k = ends->end[k].next) {
		const struct sw_grid_end *x = &ends->end[k];
		size_t s = sw_grid_strip(r->g, x->i);
		size_t t = sw_grid_time(r->g, x->i, x->j);

		strip = s > strip ? s : strip;
		time = t > time ? t : time;
	}
	rc = sw_grid_tile(r->g, r->w->crew, high, wide, strip, time, r->e);
	memset(ends->mark, 0xff, ends->n_mark * sizeof *ends->mark);
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
	size_t first = r->g->w.from;
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
	if (r->g->w.left)
		r->w->needed = r->g->w.from - first;
	return rc;
}

/* A path goes to tiles above or before, never back. */
int
sw_grid_follow(struct sw_grid_region *r)
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
	sw_ways_reset(&x->ways, r->w);
	for (size_t i = 0; i < x->n; i++)
		put_in_tile(r, (uint32_t)i);
	for (size_t h = r->g->high; !rc && h-- > 0;)
		for (size_t v = r->g->wide; !rc && v-- > 0;)
			rc = do_tile(r, h, v);
	return rc ? rc : keep_paths(r);
}

