/* SPDX-License-Identifier: MIT */
/*
 * sw_grid.c - a window's scores, and directions of its tiles
 *
 * Most cells of a window are on no path that is asked for.  So scores alone are
 * computed, 32 cells an instruction, and what is needed to begin anew at the
 * borders of tiles is kept: the row above them, and each strip's state where
 * they begin.  Tiles are as high and wide as the memory given makes them.
 */
#include "algo/sw_grid.h"

#include <stdlib.h>
#include <string.h>

#include "algo/sw_lanes.h"
#include "algo/sw_skew_priv.h"
#include "base/cpu.h"
#include "base/pages.h"

enum { NO_LETTER = 0x100, NO_TEXT = 0x200, EDGE = SW_GRID_EDGE };
enum { MEMORY = 16 << 20, A_ROW = 3072, LONG_ROW = 1536 };	/* bytes */
enum { SHARE = 3 };	/* of what lanes may take */
enum { TILE_ROWS = 512, TILE_TIMES = 8 * SW_GRID_STEPS };	/* of scores */
enum { SHARED = 1 << 22 };	/* cells of a tile of directions */

void
sw_grid_free(struct sw_grid *g)
{
	if (!g)
		return;
	free(g->mem);
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
	int64_t d = 2 * ((int64_t)q->best + q->s.open + q->s.extend);

	return (2 * SW_GRID_ROWS + SW_GRID_STEPS + 8) * d -
	       2 * (int64_t)q->worst <= INT16_MAX &&
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

/* Bytes of each part, or of all: too many for any budget stay so. */
struct sizes {
	double all;
	size_t line, kept, row, col, state, now, dirs, told;
};

static struct sizes
sizes_of(const struct sw_grid *g)
{
	struct sizes s = {
		.line = g->line * sizeof(int32_t),
		.kept = 2 * (g->high - 1) * g->line * sizeof(int32_t),
		.row = g->strips * g->rows * sizeof(uint16_t),
		.col = g->line * sizeof(uint16_t),
		.state = g->strips * g->states * sizeof *g->state,
		.now = g->strips * sizeof *g->now,
		.dirs = g->tile_strips * g->tile_times * sw_grid_dirs(g),
		.told = g->who * sizeof *g->told,
	};

	s.all = 2. * (double)s.line + (double)s.kept + (double)s.row +
		(double)s.col + (double)s.state + (double)s.now +
		(double)s.dirs + (double)s.told;
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
	g->states = (g->steps + times - 1) / times + 1;
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
long_share(const struct sw_grid *g, const struct sw_work *w)
{
	double all = LONG_ROW * (double)g->w.rows;

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

/* The smallest tiles that the memory allows; false: none. */
static bool
choose_tiles(struct sw_grid *g, double most)
{
	double budget = MEMORY + A_ROW * (double)g->w.rows;
	size_t strips = SW_GRID_STEPS / g->rows, times = SW_GRID_STEPS;

	if (budget > most)
		budget = most;
	for (; strips * g->rows < SIZE_MAX / 256 / sw_grid_dirs(g) / times;
	     strips *= 2, times *= 2) {
		struct sizes s;

		set_tiles(g, strips, times);
		s = sizes_of(g);
		if (s.all <= budget)
			return true;
		if ((double)s.dirs > budget)
			break;
	}
	return false;
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
	size_t need = (size_t)s.all + 10 * 64;
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
	return true;
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
		g->col[j] = code[w->col[j]];
	for (size_t i = 0; i < g->strips * g->rows; i++) {
		size_t at = i / g->lanes * g->lanes + g->lanes - 1 -
			    i % g->lanes;
		unsigned c = i < w->rows ? code[w->row[i]] : NO_LETTER;

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

	if (!sw_grid_fits(q) || !window->rows || !window->cols ||
	    window->cols > INT32_MAX / 4)
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
	};
	g->shared = w->grid_tile ? 0 : SHARED;
	if (w->grid_tile)
		set_tiles(g, w->grid_tile, w->grid_tile * SW_GRID_STEPS);
	else if (!choose_tiles(g, larger(share_of(w), long_share(g, w))))
		return 1;
	if (!room(g))
		return 1;
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

	if (g->w.left && i) {
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
	int64_t base = before(g, top + g->rows).h;

	memset(s, 0, sizeof *s);
	s->base = (int32_t)base;
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

struct sw_grid_state *
sw_grid_state(const struct sw_grid *g, size_t strip, size_t wide)
{
	size_t first = strip * (g->rows - 1) / g->tile_times;

	return &g->state[strip * g->states + wide - first];
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
