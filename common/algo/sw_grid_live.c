/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_live.c - blocks of a window that need not be computed
 *
 * Of cells to be told, H >= least is known.  A block matters only if it is on
 * the path of one of them.  What is left out counts as H = 0.  Then all values
 * that are computed are at most the true ones, so that no other cell is told;
 * and on those paths they are equal, by induction along each, as no cell of it
 * is left out.  The paths found are the true ones, as sw_trace.c says.
 *
 * Forwards: a path comes to a block by a cell with an H there, and from it on
 * gains no more than a match for each row, or column, that is left.
 *
 * From the end: let R be the scores of the window turned around, rows and
 * columns, so that R of a cell is that of the best path from there on.  A path
 * to a cell to be told has there R >= least - H of the cell before it, which is
 * at most the largest H of its column or the one before, as the pass found it;
 * in a gap, whose open R has paid, that and open.  For relatives few blocks
 * beside the path are as good, as the largest H of a column is mostly that of
 * the path.  Of R, too, only these blocks are computed, by the same argument;
 * and then H only of blocks that those lie in.  Nothing else is kept for tiles.
 *	Where those blocks are not few, as in the linear phase, or where the
 * best are many, it is given up early.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_grid.h"
#include "base/array.h"
#include "base/minmax.h"

enum {
	STEPS = SW_GRID_STEPS,
	NARROW = SW_GRID_ROWS,	/* columns of a largest H */
	FEW = 16,		/* a part of all blocks, */
	SOME = 4,		/* and so many of each strip: that is few */
	WORTH = 1 << 26,	/* cells of a window */
	BESIDE = 2,		/* times: a diagonal step goes by a corner */
	STOP = 1,
};

static struct sw_grid_range
whole(const struct sw_grid *g, size_t strip)
{
	size_t late = strip * (g->rows - 1);

	return (struct sw_grid_range){
		(uint32_t)(late / STEPS),
		(uint32_t)((late + g->steps - 1) / STEPS + 1),
	};
}

struct sw_grid_live
sw_grid_live(const struct sw_grid *g, size_t strip)
{
	return g->w.live ? g->w.live[strip] :
			   (struct sw_grid_live){ { whole(g, strip) } };
}

unsigned
sw_grid_part(const struct sw_grid_live *x, size_t slot)
{
	unsigned k = 0;

	while (k < SW_GRID_PARTS && (slot < x->v[k].from ||
				     slot >= x->v[k].to))
		k++;
	return k;
}

/* The largest H of columns that a block turned around comes from. */
static int64_t
before(const struct sw_grid *g, size_t t, size_t steps)
{
	size_t last = (g->w.cols - 1) / NARROW;
	size_t a = t > 2 * NARROW ? (t - 2 * NARROW) / NARROW : 0;
	size_t b = (t + steps) / NARROW + 1;
	int32_t most = 0;

	for (; a <= b && a <= last; a++)
		most = g->most[a] > most ? g->most[a] : most;
	return most;
}

/* How high H must be where a block begins: doubled. */
static int32_t
enough(const struct sw_grid *g, size_t strip, size_t t, size_t steps)
{
	size_t rows = g->w.rows - strip * g->rows, cols = g->w.cols;
	size_t done = g->rows + BESIDE;
	int64_t most;

	cols -= t > done ? (t - done < cols ? t - done : cols) : 0;
	if (g->w.tile)
		return -INT32_MAX;
	if (g->w.back)
		most = before(g, t, steps) + g->q->s.open;
	else
		most = (int64_t)(rows < cols ? rows : cols) * g->q->best;
	most = 2 * (g->w.least - most);
	return (int32_t)(most < -INT32_MAX ? -INT32_MAX :
			 most > INT32_MAX ? INT32_MAX : most);
}

static void
set_zero(struct sw_grid_state *s, int32_t both)
{
	for (unsigned i = 0; i < SW_GRID_ROWS; i++) {
		s->h[i] = s->diag[i] = 0;
		s->e[i] = s->f[i] = (int16_t)-both;
	}
	s->base = 0;
}

static bool
is_live(struct sw_grid *g, struct sw_grid_block *b, size_t strip, size_t slot)
{
	struct sw_grid_live x = sw_grid_live(g, strip);

	if (sw_grid_part(&x, slot) == SW_GRID_PARTS)
		return false;
	b->enough = enough(g, strip, b->t, b->steps);
	if (b->s->dead) {
		if (!b->above && b->enough > 0)
			return false;
		set_zero(b->s, b->both);
	}
	b->dead = false;
	g->kern(b);
	return !b->dead;
}

/*
 * The strip is dead at t.  A block may be live again below one that is, or
 * where a path may begin.  It begins where STEPS divides the grid's time, or at
 * t = 0.
 */
static size_t
skip_back(const struct sw_grid *g, size_t strip, size_t t, size_t end)
{
	size_t late = strip * (g->rows - 1), slot = (t + late) / STEPS;
	size_t slots = (end + late + STEPS - 1) / STEPS - slot;
	const uint8_t *above = memchr(g->above + slot, true, slots);
	size_t at = g->begins[t / STEPS], next = end;

	if (at <= t)
		return t;
	if (above) {
		next = (size_t)(above - g->above) * STEPS;
		next = next > late ? next - late : 0;
	}
	if (at < end) {
		at = (at + late + STEPS - 1) / STEPS * STEPS - late;
		next = at < next ? at : next;
	}
	return next > t ? next : t;
}

/* Between the parts that are live. */
static size_t
skip_parts(struct sw_grid *g, size_t strip, size_t t, size_t end)
{
	size_t late = strip * (g->rows - 1), slot = (t + late) / STEPS;
	size_t to = (end + late + STEPS - 1) / STEPS;
	struct sw_grid_live x = sw_grid_live(g, strip);

	if (sw_grid_part(&x, slot) < SW_GRID_PARTS)
		return t;
	for (unsigned k = 0; k < SW_GRID_PARTS; k++)
		if (x.v[k].from < x.v[k].to && x.v[k].from > slot &&
		    x.v[k].from < to)
			to = x.v[k].from;
	memset(g->above + slot, false, to - slot);
	g->now[strip].dead = true;
	return to * STEPS - late < end ? to * STEPS - late : end;
}

size_t
sw_grid_skip(struct sw_grid *g, size_t strip, size_t t, size_t end)
{
	if (t < end && g->w.live)
		return skip_parts(g, strip, t, end);
	if (t < end && g->w.back && g->now[strip].dead)
		return skip_back(g, strip, t, end);
	return t;
}

/*
 * A part that begins no earlier than all others: to the last one, if they meet,
 * or if there are too many.
 */
static void
add_part(struct sw_grid_live *x, struct sw_grid_range y)
{
	unsigned k = 0;

	while (k < SW_GRID_PARTS && x->v[k].from < x->v[k].to)
		k++;
	if (k && (k == SW_GRID_PARTS || y.from <= x->v[k - 1].to)) {
		if (x->v[k - 1].to < y.to)
			x->v[k - 1].to = y.to;
		return;
	}
	x->v[k] = y;
}

/*
 * One that a path turned around may go through.  Those where one may only begin
 * are in all rows of few columns, and do not count.
 */
static void
found(struct sw_grid *g, size_t strip, size_t slot, bool begins)
{
	struct sw_grid_range x = { (uint32_t)slot, (uint32_t)slot + 1 };

	if (!begins)
		__atomic_fetch_add(&g->blocks, 1, __ATOMIC_RELAXED);
	add_part(&g->live[g->strips + strip], x);
}

void
sw_grid_do(struct sw_grid *g, struct sw_grid_block *b, size_t strip,
	   size_t time)
{
	size_t slot = time / STEPS;
	bool begins, live;

	b->s = &g->now[strip];
	b->above = g->above[slot];
	begins = b->s->dead && !b->above;
	live = is_live(g, b, strip, slot);
	b->s->dead = !live;
	g->above[slot] = live;
	if (live && g->w.back)
		found(g, strip, slot, begins);
}

int
sw_grid_many(const struct sw_grid *g)
{
	return g->w.back && __atomic_load_n(&g->blocks, __ATOMIC_RELAXED) >
			    g->most_blocks ? STOP : 0;
}

/*
 * Of a part turned around, the blocks of a strip that reach into it: `end` is
 * the sum of the times.  Rows that have not begun hold what is before the
 * window, so those blocks begin with it.
 */
static struct sw_grid_range
mirror(const struct sw_grid *g, size_t strip, struct sw_grid_range y,
       int64_t end)
{
	struct sw_grid_range all = whole(g, strip);
	int64_t from = end - y.to * (int64_t)STEPS + 1 - BESIDE;
	int64_t to = end - y.from * (int64_t)STEPS + BESIDE;
	int64_t begun = (int64_t)(strip * (g->rows - 1) + g->rows);
	int64_t a = from <= begun + STEPS ? all.from : from / STEPS;
	int64_t b = to < 0 ? 0 : to / STEPS + 1;

	b = b < all.to ? b : all.to;
	return a < b ? (struct sw_grid_range){ (uint32_t)a, (uint32_t)b } :
		       (struct sw_grid_range){ 0, 0 };
}

static int
by_from(const void *x, const void *y)
{
	const struct sw_grid_range *a = x, *b = y;

	return cmp_u64(a->from, b->from);
}

/*
 * Row i is row n - 1 - i turned around.  A cell of row i and column j is in
 * strip s = i / rows, at time j + i - s: see sw_tiles.h.  So of the strips of
 * both ways the sum is (n - 1) / rows or one less, and so the sum of the times
 * n + cols - 2 less that.
 */
static struct sw_grid_live
turned(const struct sw_grid *g, size_t strip)
{
	const struct sw_grid_live *back = g->live + g->strips;
	struct sw_grid_range part[2 * SW_GRID_PARTS];
	struct sw_grid_live x = { { { 0, 0 } } };
	size_t sum = (g->w.rows - 1) / g->rows, n = 0;
	int64_t times = (int64_t)(g->w.rows + g->w.cols - 2);

	for (size_t k = 0; k < 2 && sum >= strip + k; k++)
		for (unsigned i = 0; i < SW_GRID_PARTS; i++) {
			struct sw_grid_range y = back[sum - k - strip].v[i];

			if (y.from < y.to)
				part[n++] = mirror(g, strip, y, times -
						   (int64_t)(sum - k));
		}
	if (n)
		qsort(part, n, sizeof *part, by_from);
	for (size_t i = 0; i < n; i++)
		if (part[i].from < part[i].to)
			add_part(&x, part[i]);
	return x;
}

/* Of the last column's first. */
static void
set_most(struct sw_grid *g, const struct sw_peak *peak)
{
	size_t cols = g->w.cols;

	for (size_t a = 0; a <= (cols - 1) / NARROW; a++) {
		size_t end = cols - 1 - a * NARROW;
		size_t beg = end + 1 > NARROW ? end + 1 - NARROW : 0;
		int64_t most = 0;

		for (size_t i = beg / SW_BLOCK; i <= end / SW_BLOCK; i++)
			if (peak[i].bound > most)
				most = peak[i].bound;
		g->most[a] = (int32_t)(most < INT32_MAX ? most : INT32_MAX);
	}
}

/*
 * Of STEPS times each: the first of those, or of others behind it, at which a
 * block may begin that a path begins in, as enough() says: it has STEPS times
 * at most.
 */
static void
set_begins(struct sw_grid *g)
{
	size_t next = SIZE_MAX;

	for (size_t i = (g->steps - 1) / STEPS + 1; i-- > 0;) {
		if (before(g, i * STEPS, 2 * STEPS) + g->q->s.open >=
		    g->w.least)
			next = i * STEPS;
		g->begins[i] = next;
	}
}

static int
no_blocks(struct sw_grid *g, struct err *e)
{
	int rc = array_room(&g->live, &g->n_live, 2 * g->strips,
			    sizeof *g->live, e);
	double blocks = (double)g->strips * (double)g->steps / STEPS;

	if (!rc)
		memset(g->live, 0, 2 * g->strips * sizeof *g->live);
	g->blocks = 0;
	g->most_blocks = (size_t)(blocks / FEW) + SOME * g->strips;
	return rc;
}

int
sw_grid_find(struct sw_work *w, const struct sw_query *q,
	     struct sw_grid_window *window, const struct sw_peak *peak,
	     struct err *e)
{
	struct sw_grid_window back = *window;
	double cells = (double)back.rows * (double)back.cols;
	struct sw_grid *g;
	bool odd;
	int rc;

	window->live = NULL;
	if (cells < WORTH && !w->grid_tile)
		return 0;
	back.back = true;
	back.bound = 0;
	back.left = NULL;
	back.hear = NULL;
	rc = sw_grid_open(w, q, &back, e);
	g = w->grid;
	if (!rc)
		rc = no_blocks(g, e);
	if (!rc) {
		set_most(g, peak);
		set_begins(g);
		rc = sw_grid_run(g, w->crew, &odd, e);
	}
	if (rc)
		return rc < 0 ? rc : 0;
	for (size_t s = 0; s < g->strips; s++)
		g->live[s] = turned(g, s);
	window->live = g->live;
	return 0;
}
