/* SPDX-License-Identifier: MIT */
/* sw_grid_tile.c - directions of a window's tiles, and paths through them */
#include "algo/sw_grid.h"

#include <string.h>

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
	size_t strip = high * g->tile_strips, last = (to - 1) / SW_GRID_STEPS;
	struct sw_grid_live x = sw_grid_live(g, strip);

	for (size_t i = time / SW_GRID_STEPS; i <= last; i++)
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

		n = sw_grid_steps(t, t + late, tile->end);
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

/* Bit d of the directions of lane k: sw_grid_kern.c, put_masks(). */
static inline unsigned
dir_at(const uint8_t *x, size_t k, enum sw_dir d, bool wide)
{
	size_t at = wide ? 4 * (size_t)d + k / 8 :
			   4 * (size_t)(d / 2) + 2 * (k / 8) + d % 2;

	return (x[at] >> k % 8 & 1u) << d;
}

/* Those directions that decide how a path in state `in` goes on. */
static inline unsigned
dirs_at(const uint8_t *x, size_t k, enum sw_dir in, bool wide)
{
	unsigned bits = 0;

	if (in != STEP_DIAG) {
		bits = dir_at(x, k, in, wide);
		if (!bits)
			return 0;
	}
	return bits | dir_at(x, k, STEP_DIAG, wide) |
	       dir_at(x, k, STEP_E, wide);
}

/*
 * Does F give H, and may the textbook's E, too, which comes before it?  All are
 * exact but an E that comes from the column before the window: struct sw_mark.
 * There it is not above H, and it falls by `extend` a column.
 */
static inline bool
is_lost(const struct sw_grid *g, const struct sw_path *p, unsigned bits)
{
	const struct sw_scoring *s = &g->q->s;
	int64_t h = -p->score;

	if (!g->w.loose || bits & (1 << STEP_DIAG | 1 << STEP_E))
		return false;
	if (p->in != STEP_DIAG) {
		if (!(bits >> p->in & 1))
			return false;
		h += s->open;
	}
	return g->w.loose[p->i].h -
	       (p->j + 1 + (int64_t)g->w.ahead) * s->extend >= h;
}

bool
sw_grid_walk(const struct sw_grid *g, struct sw_path *p)
{
	const unsigned zero = 1 << STEP_DIAG | 1 << STEP_E;
	size_t strip = (size_t)p->i / g->rows, late = strip * (g->rows - 1);
	ptrdiff_t top = (ptrdiff_t)(strip * g->rows);
	size_t from = g->at_wide * g->tile_times, size = sw_grid_dirs(g);
	const bool wide = g->lanes == 32;
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
		bits = dirs_at(x + (time - from) * size, k, p->in, wide);
		if (p->in == STEP_DIAG && (bits & zero) == zero)
			return true;
		p->lost = is_lost(g, p, bits);
		if (p->lost)
			return false;
		sw_path_step(p, bits);
	}
	return p->i < 0 || p->j < 0;
}
