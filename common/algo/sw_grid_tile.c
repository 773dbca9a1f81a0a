/* SPDX-License-Identifier: MIT */
/* sw_grid_tile.c - directions of a window's tiles, and paths through them */
#include "algo/sw_grid.h"

#include <string.h>

enum { EDGE = SW_GRID_EDGE };

/* What stands above a tile, at steps [t, end) of its first strip. */
static void
put_above(struct sw_grid *g, size_t high, size_t t, size_t end)
{
	const int32_t *from = g->kept + (high ? 2 * (high - 1) * g->line : 0);
	size_t n;

	end = end < g->w.cols ? end : g->w.cols;
	if (t >= end)
		return;
	n = (end - t) * sizeof *from;
	if (high) {
		memcpy(g->h + t, from + EDGE + t, n);
		memcpy(g->f + t, from + g->line + EDGE + t, n);
	} else {
		memset(g->h + t, 0, n);
		memset(g->f + t, 0, n);
	}
}

void
sw_grid_tile(struct sw_grid *g, size_t high, size_t wide, size_t strip,
	     size_t time)
{
	size_t first = high * g->tile_strips, from = wide * g->tile_times;
	uint8_t *dirs = g->dirs;

	for (size_t s = first; s <= strip; s++) {
		size_t late = s * (g->rows - 1);
		struct sw_tile tile = sw_tiles_cut(&g->tiles, s, from,
						   time + 1);
		struct sw_grid_state state;

		if (s == first)
			put_above(g, high, tile.t, tile.end);
		if (tile.t < tile.end)
			state = *sw_grid_state(g, s, wide);
		for (size_t t = tile.t, n; t < tile.end; t += n) {
			struct sw_grid_block b = sw_grid_block(g, s);

			n = sw_grid_steps(t, t + late, tile.end);
			b.s = &state;
			b.t = t;
			b.steps = n;
			b.dirs = dirs + (t + late - from) * sw_grid_dirs(g);
			g->kern(&b);
		}
		dirs += g->tile_times * sw_grid_dirs(g);
	}
	g->at_high = high;
	g->at_wide = wide;
}

/* sw_grid_kern.c, put_masks(). */
static unsigned
dirs_at(const struct sw_grid *g, const uint8_t *x, size_t row)
{
	size_t k = g->lanes - 1 - row % g->lanes;
	unsigned bits = 0;

	x += row / g->lanes * (sw_grid_dirs(g) / 2);
	for (unsigned d = 0; d < SW_DIRS; d++) {
		size_t at = g->lanes == 32 ? 4 * d + k / 8 :
			    4 * (d / 2) + 2 * (k / 8) + d % 2;

		bits |= (x[at] >> k % 8 & 1u) << d;
	}
	return bits;
}

bool
sw_grid_walk(const struct sw_grid *g, struct sw_path *p)
{
	const unsigned zero = 1 << STEP_DIAG | 1 << STEP_E;
	size_t strip = (size_t)p->i / g->rows, late = strip * (g->rows - 1);
	ptrdiff_t top = (ptrdiff_t)(strip * g->rows);
	size_t from = g->at_wide * g->tile_times;
	const uint8_t *dirs = g->dirs + strip % g->tile_strips *
			      g->tile_times * sw_grid_dirs(g);

	while (p->i >= top && p->j >= 0) {
		size_t row = (size_t)(p->i - top);
		size_t time = (size_t)p->j + row + late;
		unsigned bits;

		if (time < from)
			return false;
		bits = dirs_at(g, dirs + (time - from) * sw_grid_dirs(g), row);
		if (p->in == STEP_DIAG && (bits & zero) == zero)
			return true;
		sw_path_step(p, bits);
	}
	return p->i < 0 || p->j < 0;
}
