/* SPDX-License-Identifier: MIT */
/*
 * sw_grid.c - a window's scores, and directions of its tiles
 *
 * Most cells of a window are on no path of interest.  So only scores are
 * computed, 32 cells an instruction, and a checkpoint is kept at the borders of
 * tiles: the row above them, and the state of each strip where they begin. The
 * size of tiles follows from the memory given.  Blocks on no path to a cell to
 * be reported are left out.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_grid.h"
#include "sw/sw_lanes.h"
#include "sw/sw_skew.h"

/* How large a window's tiles are, and where things are kept. */

enum { MEMORY = 16 << 20, A_ROW = 3072, LONG_ROW = 1536 };	/* bytes */
enum { SHARE = 3 };	/* of what lanes may take */
enum { PLAN_EDGE = SW_GRID_EDGE };

/* Bytes of each part, or of all: too many for any budget stay so. */
struct sizes {
	double all;
	size_t line, kept, row, col, state, now, dirs, reported, above, most;
	size_t begins;
	double paths;	/* of those who follow them: sw_grid_region.c */
};

/* States kept of a part: where tiles begin. */
static size_t
states_of(const struct sw_grid *g, struct sw_grid_range x)
{
	size_t first = x.from * g->block / g->tile_times;
	size_t last = x.to * g->block - 1;

	return x.from < x.to && !g->w.back ? last / g->tile_times - first + 1 :
					     0;
}

struct sw_grid_state *
sw_grid_state(const struct sw_grid *g, size_t strip, size_t wide)
{
	struct sw_grid_live x = sw_grid_live(g, strip);
	size_t time = wide * g->tile_times, late = strip * (g->rows - 1);
	unsigned k = sw_grid_part(&x, (time > late ? time : late) / g->block);
	size_t at = g->place[strip].state + wide;

	if (k == SW_GRID_PARTS || g->w.back)
		return NULL;
	for (unsigned i = 0; i < k; i++)
		at += states_of(g, x.v[i]);
	return &g->state[at - x.v[k].from * g->block / g->tile_times];
}

/* The columns above a part. */
static void
columns_of(const struct sw_grid *g, size_t strip, struct sw_grid_range x,
	   size_t *from, size_t *to)
{
	size_t late = strip * (g->rows - 1);
	size_t a = x.from * g->block, b = x.to * g->block;

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
		.reported = g->w.take_cells ? g->who * sizeof *g->reported : 0,
		.above = g->slots,
		.most = g->w.back ? (g->w.cols / SW_GRID_NARROW + 1) *
				    sizeof *g->most : 0,
		.begins = g->w.back ? (g->steps / g->block + 1) *
				      sizeof *g->begins : 0,
		.paths = sizeof(uint32_t) * ((double)g->high * (double)g->wide +
			 2. * (double)g->tile_strips * (double)g->tile_times),
	};

	set_places(g, &s.state, &s.kept);
	s.state *= sizeof *g->state;
	s.kept *= sizeof *g->kept;
	s.all = 2. * (double)s.line + (double)s.kept + (double)s.row +
		(double)s.col + (double)s.state + (double)s.now +
		(double)s.dirs + (double)s.reported + (double)s.above +
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
	g->slots = (end + g->block - 1) / g->block;
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
max_double(double a, double b)
{
	return a > b ? a : b;
}

double
sw_grid_budget(const struct sw_work *w, size_t rows)
{
	double most = max_double(share_of(w), long_share(rows, w));
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
take_bytes(uint8_t **at, size_t bytes)
{
	void *p = *at;

	*at += (bytes + 63) / 64 * 64;
	return p;
}

/* false: there is not as much; others take less. */
static bool
grid_room(struct sw_grid *g)
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
	g->state = take_bytes(&at, s.state);
	g->now = take_bytes(&at, s.now);
	g->h = (int32_t *)take_bytes(&at, s.line) + PLAN_EDGE;
	g->f = (int32_t *)take_bytes(&at, s.line) + PLAN_EDGE;
	g->kept = take_bytes(&at, s.kept);
	g->row = take_bytes(&at, s.row);
	g->col = (uint16_t *)take_bytes(&at, s.col) + PLAN_EDGE;
	g->dirs = take_bytes(&at, s.dirs);
	g->reported = take_bytes(&at, s.reported);
	g->above = take_bytes(&at, s.above);
	g->most = take_bytes(&at, s.most);
	g->begins = take_bytes(&at, s.begins);
	return true;
}

/* Those of all strips. */
static size_t
times_of(const struct sw_grid *g)
{
	size_t end = g->steps + (g->strips - 1) * (g->rows - 1);

	return (end + SW_GRID_STEPS - 1) / SW_GRID_STEPS * SW_GRID_STEPS;
}

/* Tiles, and memory.  1: there is not enough.  ERR_NOMEM. */
static int
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
	return grid_room(g) ? 0 : 1;
}

/*
 * Blocks of a window that need not be computed
 *
 * Cells to be reported have H >= least.  A block matters only if it is on the
 * path of one of them.  What is left out counts as H = 0.  Then all values that
 * are computed are at most the true ones, so that no other cell is reported;
 * and on those paths they are equal, by induction along each, as no cell of it
 * is left out.  The paths found are the true ones, as sw_trace.c says.
 *
 * Forwards: a path comes to a block by a cell with an H there, and from it on
 * gains no more than a match for each row, or column, that is left.
 *
 * From the end: let R be the scores of the window turned around, rows and
 * columns, so that R of a cell is that of the best path from there on.  A path
 * to a cell to be reported has there R >= least - H of the cell before it,
 * which is at most the largest H of its column or the one before, as the pass
 * found it; in a gap, whose open R has paid, that and open.  For relatives few
 * blocks beside the path are as good, as the largest H of a column is mostly
 * that of the path.  Of R, too, only these blocks are computed, by the same
 * argument; and then H only of blocks that those lie in.  Nothing else is kept
 * for tiles.
 * 	Where those blocks are not few, as in the linear phase, or where the
 * best are many, it is given up early.
 */

enum {
	NARROW = SW_GRID_NARROW,
	FEW = 16,		/* a part of all blocks, */
	SOME = 16,		/* and so many of each strip: that is few */
	WORTH = 1 << 26,	/* cells of a window */
	BESIDE = 2,		/* times: a diagonal step goes by a corner */
	STOP = 1,
};

static struct sw_grid_range
whole(const struct sw_grid *g, size_t strip)
{
	size_t late = strip * (g->rows - 1);

	return (struct sw_grid_range){
		(uint32_t)(late / g->block),
		(uint32_t)((late + g->steps - 1) / g->block + 1),
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

/* The largest H of columns that a block turned around comes from: of its own,
 * of one before that, and the columns before those turned back. */
static int64_t
max_before(const struct sw_grid *g, size_t t, size_t steps)
{
	const size_t before = g->rows + BESIDE;
	size_t last = (g->w.cols - 1) / NARROW;
	size_t a = t > before ? (t - before) / NARROW : 0;
	size_t b = (t + steps + BESIDE) / NARROW;
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
		most = max_before(g, t, steps) + g->q->s->open;
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
 * where a path may begin.  It begins at a multiple of its length, or at t = 0.
 */
static size_t
skip_back(const struct sw_grid *g, size_t strip, size_t t, size_t end)
{
	size_t late = strip * (g->rows - 1), slot = (t + late) / g->block;
	size_t slots = (end + late + g->block - 1) / g->block - slot;
	const uint8_t *above = memchr(g->above + slot, true, slots);
	size_t at = g->begins[t / g->block], next = end;

	if (at <= t)
		return t;
	if (above) {
		next = (size_t)(above - g->above) * g->block;
		next = next > late ? next - late : 0;
	}
	if (at < end) {
		at = (at + late + g->block - 1) / g->block * g->block - late;
		next = at < next ? at : next;
	}
	return next > t ? next : t;
}

/* Between the parts that are live. */
static size_t
skip_parts(struct sw_grid *g, size_t strip, size_t t, size_t end)
{
	size_t late = strip * (g->rows - 1), slot = (t + late) / g->block;
	size_t to = (end + late + g->block - 1) / g->block;
	struct sw_grid_live x = sw_grid_live(g, strip);

	if (sw_grid_part(&x, slot) < SW_GRID_PARTS)
		return t;
	for (unsigned k = 0; k < SW_GRID_PARTS; k++)
		if (x.v[k].from < x.v[k].to && x.v[k].from > slot &&
		    x.v[k].from < to)
			to = x.v[k].from;
	memset(g->above + slot, false, to - slot);
	g->now[strip].dead = true;
	return to * g->block - late < end ? to * g->block - late : end;
}

/* From t on, without blocks that are seen to be dead at once. */
static size_t
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
cells_found(struct sw_grid *g, size_t strip, size_t slot, bool begins)
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
	size_t slot = time / g->block;
	bool begins, live;

	b->s = &g->now[strip];
	b->above = g->above[slot];
	begins = b->s->dead && !b->above;
	live = is_live(g, b, strip, slot);
	b->s->dead = !live;
	g->above[slot] = live;
	if (live && g->w.back)
		cells_found(g, strip, slot, begins);
}

/* 1: sw_grid_find() gives up. */
static int
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
	const int64_t block = (int64_t)g->block;
	int64_t from = end - y.to * block + 1 - BESIDE;
	int64_t to = end - y.from * block + BESIDE;
	int64_t begun = (int64_t)(strip * (g->rows - 1) + g->rows);
	int64_t a = from <= begun + block ? all.from : from / block;
	int64_t b = to < 0 ? 0 : to / block + 1;

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
 * strip s = i / rows, at time j + i - s: see sw_trace.h.  So of the strips of
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

/* No H of column j is larger, on paths that count: from the block before it, a
 * path gains a match a column. */
static int64_t
most_at(const struct sw_grid *g, const struct sw_peak *peak, uint64_t j)
{
	const uint64_t i = j / SW_BLOCK;
	int64_t most = peak[i].bound, before;

	if (!i)
		return most;
	before = peak[i - 1].bound +
		 (int64_t)(j % SW_BLOCK + 1) * g->q->best;
	return before < most ? before : most;
}

/* Of the last columns' first; the window begins with column `begin`. */
static void
set_most(struct sw_grid *g, const struct sw_peak *peak, uint64_t begin)
{
	size_t cols = g->w.cols;

	for (size_t a = 0; a <= (cols - 1) / NARROW; a++) {
		size_t end = cols - a * NARROW;
		size_t beg = end > NARROW ? end - NARROW : 0;
		int64_t most = 0;

		for (uint64_t j = begin + beg; j < begin + end; j++) {
			/* of a block's columns the last one has most */
			j = min_u64(j | (SW_BLOCK - 1), begin + end - 1);
			most = max_i64(most, most_at(g, peak, j));
		}
		g->most[a] = (int32_t)(most < INT32_MAX ? most : INT32_MAX);
	}
}

/*
 * Of a block's times each: the first of those, or of others behind it, at which
 * a block may begin that a path begins in, as enough() says.
 */
static void
set_begins(struct sw_grid *g)
{
	size_t next = SIZE_MAX;

	for (size_t i = (g->steps - 1) / g->block + 1; i-- > 0;) {
		if (max_before(g, i * g->block, 2 * g->block) + g->q->s->open >=
		    g->w.least)
			next = i * g->block;
		g->begins[i] = next;
	}
}

static int
no_blocks(struct sw_grid *g, struct err *e)
{
	int rc = array_room(&g->live, &g->n_live, 2 * g->strips,
			    sizeof *g->live, e);
	double blocks = (double)g->strips * (double)g->steps /
			(double)g->block;

	if (!rc)
		memset(g->live, 0, 2 * g->strips * sizeof *g->live);
	g->blocks = 0;
	g->most_blocks = (size_t)(blocks / FEW) + SOME * g->strips;
	return rc;
}

int
sw_grid_find(struct sw_work *w, const struct sw_query *q,
	     struct sw_grid_window *window, const struct sw_peak *peak,
	     uint64_t begin, struct err *e)
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
	back.above_h = NULL;	/* it would be below */
	back.take_cells = NULL;
	rc = sw_grid_open(w, q, &back, e);
	g = w->grid;
	if (!rc)
		rc = no_blocks(g, e);
	if (!rc) {
		set_most(g, peak, begin);
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

/* Scores of a window, tile by tile, and the cells to be reported. */

/* a reason to stop: take_cells() returns 1, or an error */
enum { ODD = 2 };

/* What stands above the first strip of tiles, before it is replaced. */
static void
keep_above(struct sw_grid *g, size_t strip, size_t t, size_t n)
{
	size_t slot = (t + strip * (g->rows - 1)) / g->block, from, to;
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
take_cells(struct sw_grid *g, const struct sw_grid_block *b, size_t strip)
{
	int rc = 0;

	if (!b->reported)
		return 0;
	if (b->reported->n) {
		pthread_mutex_lock(&g->lock);
		rc = g->w.take_cells(g->w.ctx, b->reported, strip);
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
		struct sw_grid_block b;

		t = sw_grid_skip(g, strip, t, tile->end);
		if (t >= tile->end)
			break;
		if (t == 0 || (t + late) % g->tile_times == 0)
			keep_state(g, strip, (t + late) / g->tile_times);
		n = sw_grid_steps(g, t, t + late, tile->end);
		keep_above(g, strip, t, n);
		b = sw_grid_block(g, strip);
		b.t = t;
		b.steps = n;
		b.least = (int32_t)(2 * g->w.least);
		if (g->w.take_cells) {
			b.reported = &g->reported[who];
			b.reported->n = 0;
		}
		sw_grid_do(g, &b, strip, t + late);
		rc = take_cells(g, &b, strip);
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

/* A window's scores, and directions of its tiles. */

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
	const bool few = window->back || window->live;	/* blocks */
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
	g->kern = KERN_PICK_VECTOR(sw_grid);
	g->lanes = isa_bytes(cpu_isa()) / 2;
	g->rows = 2 * g->lanes;
	g->block = few ? SW_GRID_FEW_STEPS : SW_GRID_STEPS;
	g->strips = (g->w.rows + g->rows - 1) / g->rows;
	g->steps = g->w.cols + g->rows - 1;
	g->line = g->w.cols + 2 * EDGE;
	g->who = sw_tiles_who(w->crew);
	g->tiles = (struct sw_tiles){
		.rows = g->rows, .strips = g->strips, .steps = g->steps,
		.strip_tile = w->grid_tile ? 1 : TILE_ROWS / g->rows,
		.time_tile = w->grid_tile ? SW_GRID_STEPS :
			     few && !w->crew ? times_of(g) : TILE_TIMES,
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
struct window_before {
	int64_t h, e;
};

static struct window_before
window_before(const struct sw_grid *g, size_t i)
{
	int64_t u = (int64_t)i * g->q->best;

	if (g->w.left && (i || g->w.above_h)) {
		const struct sw_checkpoint *x = g->w.left + i - 1;

		x = i > g->w.rows ? g->w.left + g->w.rows - 1 : x;
		return (struct window_before){ 2 * (int64_t)x->h,
					2 * (int64_t)x->e };
	}
	u = u < g->w.bound && !g->w.above_h ? u : g->w.bound;
	return (struct window_before){ u ? 2 * u + 1 : 0,
				2 * (u - g->q->s->extend) + 1 };
}

void
sw_grid_begin(const struct sw_grid *g, size_t strip, struct sw_grid_state *s)
{
	const struct sw_scoring *sc = g->q->s;
	size_t top = strip * g->rows;
	int64_t base = 0;

	memset(s, 0, sizeof *s);
	for (size_t r = 0; r <= g->rows; r++) {
		int64_t h = window_before(g, top + r).h;

		base = h > base ? h : base;
	}
	s->base = (int32_t)base;
	s->dead = !g->w.left && !g->w.bound;
	for (size_t r = 0; r < g->rows; r++) {
		size_t at = r / g->lanes * g->lanes + g->lanes - 1 -
			    r % g->lanes;
		struct window_before x = window_before(g, top + r + 1);

		s->h[at] = fit16(x.h - base);
		s->e[at] = fit16(x.e - base);
		s->f[at] = fit16(-2 * (int64_t)(sc->open + sc->extend) - base);
	}
	s->diag[g->lanes - 1] = fit16(window_before(g, top).h - base);
}

struct sw_grid_block
sw_grid_block(const struct sw_grid *g, size_t strip)
{
	const struct sw_scoring *sc = g->q->s;

	return (struct sw_grid_block){
		.match = g->match, .mismatch = g->mismatch,
		.both = 2 * (sc->open + sc->extend), .extend = 2 * sc->extend,
		.row = g->row + strip * g->rows, .col = g->col,
		.cols = g->w.cols, .h = g->h, .f = g->f,
		.rows = g->w.rows - strip * g->rows, .from = g->w.from,
	};
}

size_t
sw_grid_steps(const struct sw_grid *g, size_t t, size_t time, size_t end)
{
	size_t n = g->block - time % g->block;

	return end - t < n ? end - t : n;
}
