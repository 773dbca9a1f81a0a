/* SPDX-License-Identifier: MIT */
/* sw_grid_run.c - scores of a window, tile by tile, and the cells to be told */
#include <string.h>

#include "algo/sw_grid.h"

enum { ODD = 2 };	/* a reason to stop: hear() says 1, or an error */

/* What stands above the first strip of tiles, before it is replaced. */
static void
keep_above(struct sw_grid *g, size_t strip, size_t t, size_t n)
{
	size_t slot = (t + strip * (g->rows - 1)) / SW_GRID_STEPS, from, to;
	struct sw_grid_live x = sw_grid_live(g, strip);
	unsigned k = sw_grid_part(&x, slot);
	int32_t *h, *f;

	if (strip == 0 || strip % g->tile_strips || k == SW_GRID_PARTS)
		return;
	h = sw_grid_kept(g, strip, k, &from, &to);
	if (t >= to)
		return;
	f = h + (to - from) + (t - from);
	h += t - from;
	n = to - t < n ? to - t : n;
	if (g->above[slot]) {
		memcpy(h, g->h + t, n * sizeof *h);
		memcpy(f, g->f + t, n * sizeof *f);
	} else {
		memset(h, 0, n * sizeof *h);
		memset(f, 0, n * sizeof *f);
	}
}

static void
keep_state(struct sw_grid *g, size_t strip, size_t wide)
{
	struct sw_grid_state *to = sw_grid_state(g, strip, wide);

	if (to && g->now[strip].dead)
		to->dead = true;
	else if (to)
		*to = g->now[strip];
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
	int rc = 0;

	if (tile->t == 0)
		sw_grid_begin(g, strip, &g->now[strip]);
	for (size_t t = tile->t, n; !rc; t += n) {
		struct sw_grid_block b = sw_grid_block(g, strip);

		t = sw_grid_skip(g, strip, t, tile->end);
		if (t >= tile->end)
			break;
		if (t == 0 || (t + late) % g->tile_times == 0)
			keep_state(g, strip, (t + late) / g->tile_times);
		n = sw_grid_steps(t, t + late, tile->end);
		keep_above(g, strip, t, n);
		b.t = t;
		b.steps = n;
		b.least = (int32_t)(2 * g->w.least);
		if (g->w.hear) {
			b.told = &g->told[who];
			b.told->n = 0;
		}
		sw_grid_do(g, &b, strip, t + late);
		rc = hear(g, &b, strip);
	}
	return rc ? rc : sw_grid_many(g);
}

void
sw_grid_top(struct sw_grid *g)
{
	const size_t cols = g->w.cols, behind = SW_GRID_EDGE * sizeof *g->h;

	memset(g->above, g->w.above_h != NULL, g->slots);
	for (size_t j = 0; g->w.above_h && j < cols; j++) {
		g->h[j] = 2 * g->w.above_h[j];
		g->f[j] = 2 * g->w.above_f[j];
	}
	memset(g->h + cols, 0, behind);
	memset(g->f + cols, 0, behind);
}

int
sw_grid_run(struct sw_grid *g, struct crew *crew, bool *odd, struct err *e)
{
	int rc;

	sw_grid_top(g);
	rc = sw_tiles_run(&g->tiles, crew, run_strip, g, e);
	*odd = rc == ODD;
	return rc == ODD ? 0 : rc;
}
