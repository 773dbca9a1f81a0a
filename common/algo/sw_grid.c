/* SPDX-License-Identifier: MIT */
/*
 * sw_grid.c - a window's scores, and directions of its tiles
 *
 * Most cells of a window are on no path that is asked for.  So scores alone are
 * computed, 32 cells an instruction, and what is needed to begin anew at the
 * borders of tiles is kept: the row above them, and each strip's state where
 * they begin.  Tiles are as high and wide as the memory given makes them.
 * Blocks on no path to a cell to be told are left out: sw_grid_live.c.
 */
#include "algo/sw_grid.h"

#include <stdlib.h>
#include <string.h>

#include "algo/sw_skew_priv.h"
#include "base/cpu.h"

enum { NO_LETTER = 0x100, NO_TEXT = 0x200, EDGE = SW_GRID_EDGE };
enum { TILE_ROWS = 512, TILE_TIMES = 8 * SW_GRID_STEPS };	/* of scores */
enum { SHARED = 1 << 22 };	/* cells of a tile of directions */

void
sw_grid_free(struct sw_grid *g)
{
	if (!g)
		return;
	free(g->mem);
	free(g->place);
	free(g->live);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

static sw_grid_fn *
find_kern(void)
{
#if defined(__x86_64__)
	if (cpu_isa() == ISA_AVX2)
		return sw_grid_avx2;
	if (cpu_isa() == ISA_AVX512)
		return sw_grid_avx512;
#endif
	return NULL;
}

/* sw_grid_kern.c says why.  Scores are doubled. */
static bool
sizes_fit(const struct sw_query *q)
{
	int64_t a_step = (int64_t)q->best + q->s.extend;
	int64_t all = SW_GRID_RANGE * a_step + 4 * (int64_t)q->s.open;

	return 2 * (all - q->worst) <= INT16_MAX &&
	       q->n < (size_t)(INT32_MAX / 2 / q->best) - 4 * SW_GRID_ROWS;
}

bool
sw_grid_fits(const struct sw_query *q)
{
	struct sw_skew_match m;

	return find_kern() && sw_skew_match(q, &m) && sizes_fit(q);
}

size_t
sw_grid_strip(const struct sw_grid *g, size_t i)
{
	return i / g->rows;
}

size_t
sw_grid_time(const struct sw_grid *g, size_t i, size_t j)
{
	return j + i % g->rows + i / g->rows * (g->rows - 1);
}

size_t
sw_grid_dirs(const struct sw_grid *g)
{
	return 2 * SW_DIRS * g->lanes / 8;	/* of a step */
}

static void
set_letters(struct sw_grid *g)
{
	const struct sw_grid_window *w = &g->w;
	struct sw_skew_match m;
	uint16_t code[256];

	sw_skew_match(g->q, &m);
	g->match = 2 * m.match;
	g->mismatch = 2 * m.mismatch;
	for (unsigned a = 0; a < 256; a++)
		code[a] = a < SW_LETTERS && m.code[a] < 4 ? m.code[a] : NO_TEXT;
	for (size_t j = 0; j < g->line; j++)
		g->col[(ptrdiff_t)j - EDGE] = NO_TEXT;
	for (size_t j = 0; j < w->cols; j++)
		g->col[j] = code[w->col[w->back ? w->cols - 1 - j : j]];
	for (size_t i = 0; i < g->strips * g->rows; i++) {
		size_t at = i / g->lanes * g->lanes + g->lanes - 1 -
			    i % g->lanes;
		size_t from = w->back ? w->rows - 1 - i : i;
		unsigned c = i < w->rows ? code[w->row[from]] : NO_LETTER;

		g->row[at] = (uint16_t)(c < 4 ? c : NO_LETTER);
	}
}

static struct sw_grid *
grid_of(struct sw_work *w)
{
	if (w->grid)
		return w->grid;
	w->grid = calloc(1, sizeof *w->grid);
	if (w->grid)
		pthread_mutex_init(&w->grid->lock, NULL);
	return w->grid;
}

int
sw_grid_open(struct sw_work *w, const struct sw_query *q,
	     const struct sw_grid_window *window, struct err *e)
{
	struct sw_grid *g;
	int rc;

	if (!window->tile && !sw_grid_fits(q))
		return 1;
	if (!window->rows || !window->cols || window->cols > INT32_MAX / 4)
		return 1;
	g = grid_of(w);
	if (!g)
		return err_nomem(e, sizeof *g);
	g->q = q;
	g->w = *window;
	g->kern = find_kern();
	g->lanes = cpu_isa() == ISA_AVX512 ? 32 : 16;
	g->rows = 2 * g->lanes;
	g->strips = (g->w.rows + g->rows - 1) / g->rows;
	g->steps = g->w.cols + g->rows - 1;
	g->line = g->w.cols + 2 * EDGE;
	g->who = sw_tiles_who(w->crew);
	g->tiles = (struct sw_tiles){
		.rows = g->rows, .strips = g->strips, .steps = g->steps,
		.strip_tile = w->grid_tile ? 1 : TILE_ROWS / g->rows,
		.time_tile = w->grid_tile ? SW_GRID_STEPS : TILE_TIMES,
		.meter = w->meter,
	};
	g->shared = w->grid_tile ? 0 : SHARED;
	rc = sw_grid_plan(g, w, e);
	if (rc)
		return rc;
	set_letters(g);
	g->at_high = g->high;
	return 0;
}

static int16_t
fit16(int64_t x)
{
	return (int16_t)(x < INT16_MIN ? INT16_MIN :
			 x > INT16_MAX ? INT16_MAX : x);
}

/*
 * Of the column before the window, the first i rows' last: H and the next E,
 * doubled.  Bounds are odd: sw_plain.c.
 */
struct before {
	int64_t h, e;
};

static struct before
before(const struct sw_grid *g, size_t i)
{
	int64_t u = (int64_t)i * g->q->best;

	if (g->w.left && (i || g->w.above_h)) {
		const struct sw_mark *x = g->w.left + i - 1;

		x = i > g->w.rows ? g->w.left + g->w.rows - 1 : x;
		return (struct before){ 2 * (int64_t)x->h,
					2 * (int64_t)x->e };
	}
	u = u < g->w.bound ? u : g->w.bound;
	return (struct before){ u ? 2 * u + 1 : 0,
				2 * (u - g->q->s.extend) + 1 };
}

void
sw_grid_begin(const struct sw_grid *g, size_t strip, struct sw_grid_state *s)
{
	const struct sw_scoring *sc = &g->q->s;
	size_t top = strip * g->rows;
	int64_t base = 0;

	memset(s, 0, sizeof *s);
	for (size_t r = 0; r <= g->rows; r++) {
		int64_t h = before(g, top + r).h;

		base = h > base ? h : base;
	}
	s->base = (int32_t)base;
	s->dead = !g->w.left && !g->w.bound;
	for (size_t r = 0; r < g->rows; r++) {
		size_t at = r / g->lanes * g->lanes + g->lanes - 1 -
			    r % g->lanes;
		struct before x = before(g, top + r + 1);

		s->h[at] = fit16(x.h - base);
		s->e[at] = fit16(x.e - base);
		s->f[at] = fit16(-2 * (int64_t)(sc->open + sc->extend) - base);
	}
	s->diag[g->lanes - 1] = fit16(before(g, top).h - base);
}

struct sw_grid_block
sw_grid_block(const struct sw_grid *g, size_t strip)
{
	const struct sw_scoring *sc = &g->q->s;

	return (struct sw_grid_block){
		.match = g->match, .mismatch = g->mismatch,
		.both = 2 * (sc->open + sc->extend), .extend = 2 * sc->extend,
		.row = g->row + strip * g->rows, .col = g->col,
		.cols = g->w.cols, .h = g->h, .f = g->f,
		.rows = g->w.rows - strip * g->rows, .from = g->w.from,
	};
}

size_t
sw_grid_steps(size_t t, size_t time, size_t end)
{
	size_t n = SW_GRID_STEPS - time % SW_GRID_STEPS;

	return end - t < n ? end - t : n;
}
