/* SPDX-License-Identifier: MIT */
/*
 * sw_front.c - regions and passes by rows side by side as by a cell at a time
 */
#include "tests/lib/sw_cells.h"
#include "tests/lib/sw_gen.h"
#include "sw/sw_grid.h"
#include "base/cpu.h"

enum { MAX_SEGS = 3, MANY = 4096 };
static uint64_t seed;
static struct swg_case c;
static struct sw_query *query;
static struct sw_work *work;
static struct sw_text text;
static struct sw_seg seg[MAX_SEGS];
static struct sw_peak *peak;
static struct err err;

static int64_t
put(void *ctx, const struct sw_hit *x)
{
	struct cells *l = ctx;

	if (array_room(&l->v, &l->cap, l->n + 1, sizeof *l->v, &err))
		abort();
	l->v[l->n++] = *x;
	if (l->raise && x->score > l->least && below(&seed, 4) == 0)
		l->least += (int64_t)below(&seed, (uint64_t)(x->score -
							     l->least) + 1);
	return l->least;
}

/* Segments side by side, each with SW_PAD up to a multiple of SW_BLOCK. */
static void
make_text(size_t n_seg)
{
	size_t n = 0, room = c.m + (n_seg + 1) * SW_BLOCK + 64;
	uint8_t *t = swg_alloc(room);

	for (size_t s = 0, at = 0; s < n_seg; s++) {
		size_t left = s + 1 == n_seg ? c.m - at :
			      below(&seed, c.m - at + 1);
		bool front = s + 1 < n_seg || below(&seed, 2);
		size_t pad = (SW_BLOCK - left % SW_BLOCK) % SW_BLOCK;

		seg[s] = (struct sw_seg){ n, n + left + pad, n };
		memset(t + n, SW_PAD, left + pad);
		memcpy(t + n + (front ? pad : 0), c.t + at, left);
		at += left;
		n += left + pad;
	}
	for (size_t i = n; i < room; i++)
		t[i] = (uint8_t)below(&seed, 256);
	text = (struct sw_text){ t, n, seg, n_seg, { 0 } };
}

static int64_t
never(void *ctx, uint64_t block, int64_t top)
{
	(void)ctx;
	(void)block;
	(void)top;
	return INT64_MAX;
}

/* Exact peaks; some are made looser, as a pass may leave them. */
static void
make_peaks(void)
{
	struct sw_pass p = { .q = query, .t = &text, .raise = never,
			     .threshold = INT64_MAX };

	p.peak = peak = osw_alloc(text.n / SW_BLOCK, sizeof *peak);
	if (sw_plain_pass(&p, work, &err) < 0)
		abort();
	for (size_t i = 0; i < text.n / SW_BLOCK; i++)
		if (below(&seed, 3) == 0)
			peak[i].bound += (int64_t)below(&seed, 30);
}

static void
open_case(size_t n_seg)
{
	make_text(n_seg);
	if (sw_query_new(&query, &c.s, c.q, c.n, false, SW_SKEW, &err) < 0 ||
	    sw_work_new(&work, &err) < 0)
		abort();
	work->unpacked = below(&seed, 3) == 0;
	work->grid_from = 0;
	work->grid_tile = (unsigned)below(&seed, 4);
	make_peaks();
}

static void
close_case(void)
{
	free((void *)(uintptr_t)text.codes);
	free(peak);
	sw_query_free(query);
	sw_work_free(work);
	swg_free(&c);
}

/* Must it be taken in 32 bits? */
static bool
fits(void)
{
	return query->best > 0 &&
	       2 * (int64_t)query->best * (int64_t)(query->n + 200) < INT32_MAX;
}

/* All cells is much to sort: seldom where there are many. */
static int64_t
some_least(uint64_t cells, int64_t top)
{
	if (below(&seed, cells < 100000 ? 3 : 24) == 0)
		return 1;
	return top - (int64_t)below(&seed,
				    (uint64_t)(top < 99 ? top : top / 3));
}

/* A region by f, with windows of 16 columns at first; all reported cells. */
static bool
check_by(sw_region_fn *f, const struct sw_seg *g, uint64_t from, uint64_t to,
	 const struct cells *all, bool must)
{
	struct cells x = { .least = all->least }, y = *all;
	struct sw_region region = {
		query, &text, g, from, to, x.least, peak, put, &x,
	};
	bool good;
	int rc;

	x.raise = below(&seed, 3) == 0;
	memset(work->slope, 0, sizeof work->slope);
	rc = f(&region, work, &err);
	y.v = osw_alloc(all->n + 1, sizeof *y.v);
	if (all->n)
		memcpy(y.v, all->v, all->n * sizeof *y.v);
	tidy(&x, x.least, work->classes);
	tidy(&y, x.least, work->classes);
	good = rc == 1 ? !must : rc == 0 && same_cells(&x, &y);
	if (!good)
		printf("# %s: rc %d columns %llu-%llu least %lld\n",
		       f == sw_grid_region ? "grid" : "front", rc,
		       (unsigned long long)from, (unsigned long long)to,
		       (long long)all->least);
	free(x.v);
	free(y.v);
	return good;
}

/*
 * By both; without AVX2 there is none.  Windows of what they are compared with
 * are long enough at once.
 */
static bool
check_region(const struct sw_seg *g)
{
	uint64_t blocks = (g->end - g->beg) / SW_BLOCK;
	uint64_t a = below(&seed, blocks), b = swg_between(&seed, a + 1,
							   blocks);
	uint64_t from = g->beg + a * SW_BLOCK, to = g->beg + b * SW_BLOCK;
	bool rows = cpu_isa() != ISA_SCALAR, good;
	struct cells all = { 0 };
	struct sw_region region = {
		query, &text, g, from, to, 0, peak, put, &all,
	};
	int64_t top = 1;

	for (uint64_t i = from; i < to; i += SW_BLOCK)
		if (peak[i / SW_BLOCK].bound > top)
			top = peak[i / SW_BLOCK].bound;
	all.least = some_least(c.n * (to - from), top);
	sw_stretch_reset(query, work);
	region.least = all.least;
	if (sw_plain_region(&region, work, &err))
		abort();
	work->classes = below(&seed, 2);
	good = check_by(sw_front_region, g, from, to, &all, rows && fits());
	work->classes = true;
	if (sw_grid_fits(query))
		good = good && check_by(sw_grid_region, g, from, to, &all,
					all.n <= MANY);
	free(all.v);
	return good;
}

/* The threshold follows the tops, somehow. */
static int64_t
follow(void *ctx, uint64_t block, int64_t top)
{
	int64_t *threshold = ctx;

	(void)block;
	if (below(&seed, 2))
		*threshold += (top - *threshold) / 2;
	return *threshold;
}

static bool
check_pass(void)
{
	size_t n = text.n / SW_BLOCK;
	struct sw_peak *a = osw_alloc(2 * n, sizeof *a), *b = a + n;
	int64_t threshold = 1 + (int64_t)below(&seed, 50);
	struct sw_pass p = {
		.q = query, .t = &text, .peak = a, .threshold = threshold,
		.raise = follow, .ctx = &threshold,
	}, r = p;
	int rc = sw_front_pass(&p, work, &err);
	bool good = rc == 1 ? cpu_isa() == ISA_SCALAR || !fits() :
			      rc == 0 && p.threshold == threshold;

	r.peak = b;
	r.raise = never;
	if (sw_plain_pass(&r, work, &err) < 0)
		abort();
	for (size_t i = 0; good && rc == 0 && i < n; i++)
		good = a[i].exact && a[i].bound == b[i].bound;
	if (!good)
		printf("# pass: rc %d\n", rc);
	free(a);
	return good;
}

static bool
check(size_t regions)
{
	bool good = true;

	open_case(swg_between(&seed, 1, MAX_SEGS));
	for (size_t i = 0; good && i < regions; i++) {
		const struct sw_seg *g = &seg[below(&seed, text.n_seg)];

		if (g->end > g->beg)
			good = check_region(g);
	}
	good = good && check_pass();
	close_case();
	return good;
}

static bool
any(uint64_t round)
{
	c = swg_any(&seed, 1 + round % 90, 1 + round % 500);
	return check(4);
}

static bool
families(uint64_t round)
{
	c = swg_family(&seed, swg_between(&seed, 5, 40 + round % 100),
		       swg_between(&seed, 500, 3000));
	return check(4);
}

/* Windows that are too short at first. */
static bool
linear(uint64_t round)
{
	c = swg_family(&seed, 100 + round % 300, 2500);
	swg_dna(&c.s, 5, -(int32_t)below(&seed, 4), (int32_t)below(&seed, 9),
		(int32_t)below(&seed, 2));
	return check(3);
}

/* Few scores: ties of all kinds. */
static bool
ties(uint64_t round)
{
	c = swg_any(&seed, 1 + round % 40, 700);
	swg_dna(&c.s, 1, -(int32_t)below(&seed, 2), (int32_t)below(&seed, 2),
		(int32_t)below(&seed, 2));
	for (size_t i = 0; i < c.n; i++)
		c.q[i] %= 2;
	for (size_t i = 0; i < c.m; i++)
		c.t[i] %= 2;
	return check(4);
}

/* Dear gaps: they fit a grid, or they do not. */
static void
dear(uint64_t round, int32_t mismatch)
{
	swg_dna(&c.s, 2, mismatch, round % 2 ? 20 : 60, round % 2 ? 19 : 60);
}

/* Paths that enter a block, maybe a window, in the first row of a strip. */
static bool
corners(uint64_t round)
{
	size_t n = 130 + round % 100, before = below(&seed, 4);

	swg_room(&c, n, 1200);
	dear(round, -3);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, c.m);
	for (size_t i = 0; i < 3; i++) {
		size_t from = 16 * swg_between(&seed, 1, 4) - before;
		size_t at = 64 * swg_between(&seed, 1, 15) - before;

		swg_copy(&seed, 4, c.t, c.m, at, c.q + from, n - from, 0);
	}
	return check(6);
}

/*
 * A path that only falls in a block, which the column before the window may be
 * the last one before: the bound there is that of the block on its left.
 */
static bool
falls(uint64_t round)
{
	size_t a = swg_between(&seed, 40, 64), n = a + 90 + round % 30;
	size_t at = 64 * swg_between(&seed, 1, 2);

	swg_room(&c, n, 320);
	dear(round, -1);
	swg_fill(&seed, SWG_RANDOM, 4, c.q, n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, c.m);
	swg_copy(&seed, 4, c.t, c.m, at - a, c.q, a, 0);
	memset(c.t + at, 4, 64);
	at += 64;
	swg_copy(&seed, 4, c.t, c.m, at, c.q + a + 64, n - a - 64, 0);
	return check(12);
}

/*
 * Gaps that are dear to open and nearly free to extend, over the begin of a
 * window: what was opened before is worth more than what opens there.
 */
static bool
gaps(uint64_t round)
{
	size_t n = 200 + round % 100, a = swg_between(&seed, 22, 38);
	size_t at = below(&seed, 500);

	swg_room(&c, n, 1200);
	swg_dna(&c.s, 2, -3, round % 2 ? 38 : 40, 0);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, c.m);
	at = swg_copy(&seed, 4, c.t, c.m, at, c.q, a, 0);
	at += swg_between(&seed, 64, 400);
	swg_copy(&seed, 4, c.t, c.m, at, c.q + a, n - a, 0);
	return check(6);
}

/* Pieces of a pass: a column of the query goes from one to the next. */
static bool
pieces(uint64_t round)
{
	c = swg_family(&seed, 60 + round, 17000 + 500 * round);
	return check(0);
}

/* More rows or columns than 16 bits hold. */
static bool
wide(uint64_t round)
{
	size_t n = round % 2 ? 66000 : 12, m = round % 2 ? 150 : 140000;

	swg_room(&c, n, m);
	swg_dna(&c.s, 2, -1, 2, 0);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, m);
	return check(1);
}

int
main(void)
{
	swg_sweep(&seed, "any", any, 2000);
	swg_sweep(&seed, "families", families, 100);
	swg_sweep(&seed, "linear phase", linear, 40);
	swg_sweep(&seed, "ties", ties, 300);
	swg_sweep(&seed, "corners", corners, 300);
	swg_sweep(&seed, "falls", falls, 150);
	swg_sweep(&seed, "gaps", gaps, 100);
	swg_sweep(&seed, "pieces of a pass", pieces, 6);
	swg_sweep(&seed, "more than 65536", wide, 4);
	return done();
}
