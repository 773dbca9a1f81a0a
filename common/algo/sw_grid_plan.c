/* SPDX-License-Identifier: MIT */
/* sw_grid_plan.c - how large a window's tiles are, and where things are kept */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_grid.h"
#include "algo/sw_lanes.h"
#include "base/array.h"
#include "base/pages.h"

enum { MEMORY = 16 << 20, A_ROW = 3072, LONG_ROW = 1536 };	/* bytes */
enum { SHARE = 3 };	/* of what lanes may take */
enum { EDGE = SW_GRID_EDGE };

/* Bytes of each part, or of all: too many for any budget stay so. */
struct sizes {
	double all;
	size_t line, kept, row, col, state, now, dirs, told, above, most;
	size_t begins;
	double paths;	/* of those who follow them: sw_grid_region.c */
};

/* States kept of a part: where tiles begin. */
static size_t
states_of(const struct sw_grid *g, struct sw_grid_range x)
{
	size_t first = x.from * (size_t)SW_GRID_STEPS / g->tile_times;
	size_t last = x.to * (size_t)SW_GRID_STEPS - 1;

	return x.from < x.to && !g->w.back ? last / g->tile_times - first + 1 :
					     0;
}

struct sw_grid_state *
sw_grid_state(const struct sw_grid *g, size_t strip, size_t wide)
{
	struct sw_grid_live x = sw_grid_live(g, strip);
	size_t time = wide * g->tile_times, late = strip * (g->rows - 1);
	unsigned k = sw_grid_part(&x, (time > late ? time : late) /
				      SW_GRID_STEPS);
	size_t at = g->place[strip].state + wide;

	if (k == SW_GRID_PARTS || g->w.back)
		return NULL;
	for (unsigned i = 0; i < k; i++)
		at += states_of(g, x.v[i]);
	return &g->state[at - x.v[k].from * (size_t)SW_GRID_STEPS /
			      g->tile_times];
}

/* The columns above a part. */
static void
columns_of(const struct sw_grid *g, size_t strip, struct sw_grid_range x,
	   size_t *from, size_t *to)
{
	size_t late = strip * (g->rows - 1);
	size_t a = x.from * (size_t)SW_GRID_STEPS;
	size_t b = x.to * (size_t)SW_GRID_STEPS;

	*from = a > late ? a - late : 0;
	*to = b > late ? b - late : 0;
	*to = *to < g->w.cols ? *to : g->w.cols;
	*from = *from < *to ? *from : *to;
}

int32_t *
sw_grid_kept(const struct sw_grid *g, size_t strip, unsigned part, size_t *from,
	     size_t *to)
{
	struct sw_grid_live x = sw_grid_live(g, strip);
	int32_t *kept = g->kept + g->place[strip].kept;

	for (unsigned i = 0; i < part; i++) {
		columns_of(g, strip, x.v[i], from, to);
		kept += 2 * (*to - *from);
	}
	columns_of(g, strip, x.v[part], from, to);
	return kept;
}

/* Where what is kept of each strip and above each tile begins, or ends. */
static void
set_places(struct sw_grid *g, size_t *states, size_t *kept)
{
	*states = *kept = 0;
	for (size_t s = 0; s < g->strips; s++) {
		struct sw_grid_live x = sw_grid_live(g, s);
		size_t from, to;

		g->place[s] = (struct sw_grid_place){ *states, *kept };
		for (unsigned i = 0; i < SW_GRID_PARTS; i++) {
			*states += states_of(g, x.v[i]);
			if (s == 0 || s % g->tile_strips)
				continue;
			columns_of(g, s, x.v[i], &from, &to);
			*kept += 2 * (to - from);
		}
	}
}

static struct sizes
sizes_of(struct sw_grid *g)
{
	struct sizes s = {
		.line = g->line * sizeof(int32_t),
		.row = g->strips * g->rows * sizeof(uint16_t),
		.col = g->line * sizeof(uint16_t),
		.now = g->strips * sizeof *g->now,
		.dirs = g->w.back ? 0 :
			g->tile_strips * g->tile_times * sw_grid_dirs(g),
		.told = g->w.hear ? g->who * sizeof *g->told : 0,
		.above = g->slots,
		.most = g->w.back ? (g->w.cols / SW_GRID_ROWS + 1) *
				    sizeof *g->most : 0,
		.begins = g->w.back ? (g->steps / SW_GRID_STEPS + 1) *
				      sizeof *g->begins : 0,
		.paths = sizeof(uint32_t) * ((double)g->high * (double)g->wide +
			 2. * (double)g->tile_strips * (double)g->tile_times),
	};

	set_places(g, &s.state, &s.kept);
	s.state *= sizeof *g->state;
	s.kept *= sizeof *g->kept;
	s.all = 2. * (double)s.line + (double)s.kept + (double)s.row +
		(double)s.col + (double)s.state + (double)s.now +
		(double)s.dirs + (double)s.told + (double)s.above +
		(double)s.most + (double)s.begins + (g->w.back ? 0 : s.paths);
	return s;
}

static void
set_tiles(struct sw_grid *g, size_t strips, size_t times)
{
	size_t end = g->steps + (g->strips - 1) * (g->rows - 1);

	g->tile_strips = strips;
	g->tile_times = times;
	g->high = (g->strips + strips - 1) / strips;
	g->wide = (end + times - 1) / times;
	g->slots = (end + SW_GRID_STEPS - 1) / SW_GRID_STEPS;
}

/* A share of what lanes may take: of all threads, or of those with a crew. */
static double
share_of(const struct sw_work *w)
{
	size_t lanes = w->lanes_bytes ? w->lanes_bytes : SW_LANES_BYTES;
	size_t led = w->crew ? SW_LANES_BYTES / (2 * w->leaders) : 0;

	return (double)(lanes > led ? lanes : led) / SHARE;
}

/*
 * Of n rows and columns, tiles of R of each take 16 n^2 / R bytes, and their
 * directions R^2 / 2, so the least is in proportion to n^(4/3).  Of more than
 * some 300,000 letters that is more than a share of what lanes may take, and
 * without a grid they take six times as long.  So they may have some bytes a
 * row, each of two leaders, who may be a query's two strands.
 */
static double
long_share(size_t rows, const struct sw_work *w)
{
	double all = LONG_ROW * (double)rows;

	if (w->crew)
		return w->leaders > 2 ? all * 2 / w->leaders : all;
	return w->lanes_bytes ? all * (double)w->lanes_bytes / SW_LANES_BYTES :
				all;
}

static double
larger(double a, double b)
{
	return a > b ? a : b;
}

double
sw_grid_budget(const struct sw_work *w, size_t rows)
{
	double most = larger(share_of(w), long_share(rows, w));
	double budget = MEMORY + A_ROW * (double)rows;

	return budget < most ? budget : most;
}

/*
 * The smallest tiles that the memory allows; false: none.  Where few blocks are
 * live, what is larger takes no longer, and those that take the least memory
 * will do.
 */
static bool
choose_tiles(struct sw_grid *g, double budget)
{
	size_t strips = SW_GRID_STEPS / g->rows, times = SW_GRID_STEPS;
	struct sizes s = { .dirs = 0 };
	size_t found = 0;

	for (; (double)s.dirs <= budget && strips * g->rows < SIZE_MAX / 256 /
	     sw_grid_dirs(g) / times; strips *= 2, times *= 2) {
		set_tiles(g, strips, times);
		s = sizes_of(g);
		if (s.all > budget)
			continue;
		budget = s.all;
		found = strips;
		if (!g->w.live)
			break;
	}
	if (found)
		set_tiles(g, found, found * g->rows);
	return found;
}

static void *
take(uint8_t **at, size_t bytes)
{
	void *p = *at;

	*at += (bytes + 63) / 64 * 64;
	return p;
}

/* false: there is not as much; others take less. */
static bool
room(struct sw_grid *g)
{
	struct sizes s = sizes_of(g);
	size_t need = (size_t)(s.all - (g->w.back ? 0 : s.paths)) + 13 * 64;
	uint8_t *at;

	if (need > g->cap) {
		free(g->mem);
		g->cap = 0;
		g->mem = pages_alloc(need);
		if (!g->mem)
			return false;
		g->cap = need;
	}
	at = g->mem;
	g->state = take(&at, s.state);
	g->now = take(&at, s.now);
	g->h = (int32_t *)take(&at, s.line) + EDGE;
	g->f = (int32_t *)take(&at, s.line) + EDGE;
	g->kept = take(&at, s.kept);
	g->row = take(&at, s.row);
	g->col = (uint16_t *)take(&at, s.col) + EDGE;
	g->dirs = take(&at, s.dirs);
	g->told = take(&at, s.told);
	g->above = take(&at, s.above);
	g->most = take(&at, s.most);
	g->begins = take(&at, s.begins);
	return true;
}

/* Those of all strips. */
static size_t
times_of(const struct sw_grid *g)
{
	size_t end = g->steps + (g->strips - 1) * (g->rows - 1);

	return (end + SW_GRID_STEPS - 1) / SW_GRID_STEPS * SW_GRID_STEPS;
}

int
sw_grid_plan(struct sw_grid *g, const struct sw_work *w, struct err *e)
{
	int rc = array_room(&g->place, &g->n_place, g->strips,
			    sizeof *g->place, e);

	if (rc)
		return rc;
	if (g->w.back || g->w.tile)	/* no paths; or few times */
		set_tiles(g, g->strips, g->w.back ? SIZE_MAX / 2 :
						    times_of(g));
	else if (w->grid_tile)
		set_tiles(g, w->grid_tile, w->grid_tile * SW_GRID_STEPS);
	else if (!choose_tiles(g, sw_grid_budget(w, g->w.rows)))
		return 1;
	return room(g) ? 0 : 1;
}
