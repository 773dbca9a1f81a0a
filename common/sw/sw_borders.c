/* SPDX-License-Identifier: MIT */
/* sw_borders.c - a window by the skewed wavefront: tiles, and their borders */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_grid.h"
#include "sw/sw_lanes.h"
#include "sw/sw_borders.h"
#include "sw/sw_skew.h"

enum {
	TILE = 512, MAX_TILE = 4096,	/* rows and columns of a tile */
	MIN_COLUMNS = 2048,	/* columns: half of all lanes are busy */
	MAX_THREADS = 3,	/* threads that a grid would not pay for */
};

void
sw_borders_free(struct sw_borders *x)
{
	if (!x)
		return;
	free(x->mem);
	free(x);
}

size_t
sw_borders_tile(const struct sw_borders *x, size_t i, size_t j)
{
	return (i + x->fill) / SW_SKEW_ROWS / x->strips * x->wide +
	       j / SW_BLOCK / x->blocks;
}

struct sw_borders_range
sw_borders_rows(const struct sw_borders *x, size_t high)
{
	size_t rows = x->strips * SW_SKEW_ROWS, from = high * rows;
	size_t to = from + rows;

	from = from > x->fill ? from - x->fill : 0;
	to = to > x->fill ? to - x->fill : 0;
	return (struct sw_borders_range){ from, to < x->n ? to : x->n };
}

struct sw_borders_range
sw_borders_cols(const struct sw_borders *x, size_t wide)
{
	size_t cols = x->blocks * SW_BLOCK, from = wide * cols;

	return (struct sw_borders_range){
		from, from + cols < x->cols ? from + cols : x->cols,
	};
}

const struct sw_checkpoint *
sw_borders_left(const struct sw_borders *x, size_t high, size_t wide)
{
	size_t row = sw_borders_rows(x, high).from;

	return wide ? x->left + (wide - 1) * x->n + row : NULL;
}

/* Below a lane's strip. */
static void
take_row(const struct sw_skew *s, unsigned lane, size_t strip, uint64_t block)
{
	const struct sw_skew_edge *edge = &s->edge[s->at];
	const struct sw_borders *x = s->borders;
	size_t at = ((strip + 1) / x->strips - 1) * x->cols + block * SW_BLOCK;

	for (size_t j = 0; j < SW_BLOCK; j++) {
		size_t i = j * s->ops->lanes + lane;

		x->h[at + j] = sw_skew_value(s, edge->h, i, s->base[lane]);
		x->f[at + j] = sw_skew_value(s, edge->f, i, s->base[lane]);
	}
}

/* Behind a lane's block. */
static void
take_column(const struct sw_skew *s, unsigned lane, size_t strip,
	    uint64_t block)
{
	const struct sw_skew_side *side = &s->side[s->at];
	const struct sw_borders *x = s->borders;
	struct sw_checkpoint *to =
	    x->left + ((block + 1) / x->blocks - 1) * x->n;
	int32_t base = side->base[lane + 1];

	for (size_t r = 0; r < SW_SKEW_ROWS; r++) {
		size_t i = strip * SW_SKEW_ROWS + r;
		int32_t e = sw_skew_value(s, side->e[r], lane + 1, base);

		if (i >= x->fill)
			to[i - x->fill] = (struct sw_checkpoint){
			    sw_skew_value(s, side->h[r], lane + 1, base),
			    e > 0 ? e : 0,
			};
	}
}

static void
take_reported(const struct sw_skew *s, unsigned lane, size_t strip,
	      uint64_t block)
{
	const struct sw_borders *x = s->borders;

	if (s->most[lane] >= x->least && (block + 1) * SW_BLOCK > x->from)
		x->reported[strip / x->strips * x->wide + block / x->blocks] =
		    true;
}

/* Has any lane such a cell?  Most steps have none. */
static bool
any_reported(const struct sw_skew *s)
{
	bool any = false;

	for (unsigned k = 0; k < s->ops->lanes; k++)
		any |= s->most[k] >= s->borders->least;
	return any;
}

/* Lanes behind the first one's strip are still in the round before. */
void
sw_borders_take(struct sw_skew *s)
{
	const struct sw_borders *x = s->borders;
	const uint64_t lanes = s->ops->lanes, blocks = x->cols / SW_BLOCK;
	const bool reported = any_reported(s);

	for (unsigned k = 0; k < lanes; k++) {
		bool behind = k > s->strip;
		size_t strip = s->strip + (behind ? s->strips : 0) - k;
		uint64_t block = s->first + k - (behind ? lanes : 0);

		if (block >= blocks)	/* or none yet: 2^64 - 1 and less */
			continue;
		if (!((strip + 1) & (x->strips - 1)) && strip + 1 < s->strips)
			take_row(s, k, strip, block);
		if (!((block + 1) & (x->blocks - 1)) && block + 1 < blocks)
			take_column(s, k, strip, block);
		if (reported)
			take_reported(s, k, strip, block);
	}
}

static double
bytes_of(const struct sw_borders *x)
{
	double row = (double)x->cols * 2 * sizeof *x->h;
	double column = (double)x->n * sizeof *x->left;

	return (double)(x->high - 1) * row + (double)(x->wide - 1) * column +
	       (double)x->high * (double)x->wide;
}

static void
set_tiles(struct sw_borders *x, size_t all, size_t blocks)
{
	size_t cols = blocks * SW_BLOCK;

	x->blocks = blocks;
	x->strips = cols / SW_SKEW_ROWS;
	x->high = (all + x->strips - 1) / x->strips;
	x->wide = (x->cols + cols - 1) / cols;
}

/* Tiles as small as memory allows; false: there is not enough. */
static bool
borders_room(struct sw_borders *x, const struct sw_work *w, size_t all)
{
	size_t blocks = w->border_tile ? w->border_tile : TILE / SW_BLOCK, need;
	double budget = sw_grid_budget(w, x->n);

	set_tiles(x, all, blocks);
	while (!w->border_tile && bytes_of(x) > budget &&
	       blocks < MAX_TILE / SW_BLOCK)
		set_tiles(x, all, blocks *= 2);
	if (bytes_of(x) > budget)
		return false;
	need = (size_t)bytes_of(x);
	if (need > x->cap) {
		free(x->mem);
		x->cap = 0;
		x->mem = pages_alloc(need);
		if (!x->mem)
			return false;
		x->cap = need;
	}
	x->left = (void *)x->mem;
	x->h = (void *)(x->left + (x->wide - 1) * x->n);
	x->f = x->h + (x->high - 1) * x->cols;
	x->reported = (void *)(x->f + (x->high - 1) * x->cols);
	memset(x->reported, 0, x->high * x->wide);
	return true;
}

/* Of no effect on results. */
static bool
pays(const struct sw_work *w, const struct sw_query *q, size_t cols)
{
	if (w->grid_tile || w->border_tile)
		return w->border_tile;
	return cols >= MIN_COLUMNS && sw_skew_is_best(q) &&
	       (!w->crew || crew_most(w->crew) <= MAX_THREADS);
}

static struct sw_borders *
borders_of(struct sw_work *w)
{
	if (!w->borders)
		w->borders = calloc(1, sizeof *w->borders);
	return w->borders;
}

int
sw_borders_run(struct sw_work *w, const struct sw_query *q,
	   const struct sw_grid_window *x, struct err *e)
{
	const struct sw_seg seg = { 0, x->cols, 0 };
	const struct sw_text t = { .codes = x->col, .n = x->cols, .seg = &seg,
				   .n_seg = 1 };
	struct sw_pass p = { .q = q, .t = &t, .threshold = INT64_MAX };
	const struct sw_skew_part all = { .to = q->n };
	struct sw_borders *borders;
	struct sw_gauge gauge;
	int rc;

	if (x->live || x->bound || !pays(w, q, x->cols))
		return 1;
	/* a window may begin within a block, where scores are known to be 0 */
	if (x->cols % SW_BLOCK)
		return 1;
	p.borders = borders = borders_of(w);
	if (!borders)
		return err_nomem(e, sizeof *borders);
	borders->n = q->n;
	borders->cols = x->cols;
	borders->from = x->from;
	borders->least = x->least;
	rc = sw_skew_begin(&w->skew, &p, &all, e);
	if (rc)
		return rc;
	borders->fill = w->skew->fill;
	if (!borders_room(borders, w, w->skew->strips))
		return 1;
	sw_pass_open(&p, &gauge, w);
	rc = sw_skew_run(w->skew, &p, UINT64_MAX);
	sw_pass_close(&p);
	return rc;
}
