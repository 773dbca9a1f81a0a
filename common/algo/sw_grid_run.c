/* SPDX-License-Identifier: MIT */
/* sw_grid_run.c - scores of a window, tile by tile, and the cells to be told */
#include <string.h>

#include "algo/sw_grid.h"

enum { EDGE = SW_GRID_EDGE };
enum { ODD = 2 };	/* a reason to stop: hear() says 1, or an error */

/* What stands above the first strip of tiles, before it is replaced. */
static void
keep_above(struct sw_grid *g, size_t strip, size_t t, size_t n)
{
	int32_t *to;

	if (strip == 0 || strip % g->tile_strips || t >= g->w.cols)
		return;
	to = g->kept + 2 * (strip / g->tile_strips - 1) * g->line + EDGE + t;
	n = n < g->w.cols - t ? n : g->w.cols - t;
	memcpy(to, g->h + t, n * sizeof *to);
	memcpy(to + g->line, g->f + t, n * sizeof *to);
}

static int
hear(struct sw_grid *g, const struct sw_grid_block *b, size_t strip)
{
	int rc = 0;

	if (!b->told)
		return 0;
	if (b->told->n) {
		pthread_mutex_lock(&g->lock);
		rc = g->w.hear(g->w.ctx, b->told, strip);
		pthread_mutex_unlock(&g->lock);
	}
	return rc ? rc : b->odd ? ODD : 0;
}

static int
run_strip(void *ctx, const struct sw_tile *tile, unsigned who)
{
	struct sw_grid *g = ctx;
	size_t strip = tile->strip, late = strip * (g->rows - 1);
	struct sw_grid_state *s = &g->now[strip];
	int rc = 0;

	if (tile->t == 0)
		sw_grid_begin(g, strip, s);
	for (size_t t = tile->t, n; t < tile->end && !rc; t += n) {
		struct sw_grid_block b = sw_grid_block(g, strip);
		size_t wide = (t + late) / g->tile_times;

		if (t == 0 || (t + late) % g->tile_times == 0)
			*sw_grid_state(g, strip, wide) = *s;
		n = sw_grid_steps(t, t + late, tile->end);
		keep_above(g, strip, t, n);
		b.s = s;
		b.t = t;
		b.steps = n;
		b.least = (int32_t)(2 * g->w.least);
		if (g->w.hear) {
			b.told = &g->told[who];
			b.told->n = 0;
		}
		g->kern(&b);
		rc = hear(g, &b, strip);
	}
	return rc;
}

int
sw_grid_run(struct sw_grid *g, struct crew *crew, bool *odd, struct err *e)
{
	const size_t bytes = g->line * sizeof *g->h;
	int rc;

	memset(g->h - EDGE, 0, bytes);
	memset(g->f - EDGE, 0, bytes);
	rc = sw_tiles_run(&g->tiles, crew, run_strip, g, e);
	*odd = rc == ODD;
	return rc == ODD ? 0 : rc;
}
