/* SPDX-License-Identifier: MIT */
/*
 * sw_borders.c - what is kept between tiles is the textbook's, and so are
 * the best and their paths, which go through many tiles
 */
#include "sw/sw_grid.h"

#include "base/cpu.h"
#include "tests/lib/sw_crew.h"
#include "tests/lib/sw_paths.h"

static uint64_t seed = 1;
static struct sw_work *work;
static struct swg_case c;
static struct err err;

/* Tiles of a grid, of borders: 0: as is best. */
static void
new_work(unsigned grid, unsigned borders)
{
	sw_work_free(work);
	if (sw_work_new(&work, &err))
		abort();
	work->grid_from = 0;
	work->grid_tile = grid;
	work->border_tile = borders;
}

/* Pieces of the query are here and there in the text. */
static void
new_case(size_t n, size_t m, const int32_t *v)
{
	swg_free(&c);
	swg_dna(&c.s, v[0], v[1], v[2], v[3]);
	swg_room(&c, n, m + SW_BLOCK);	/* readable */
	c.m = m;
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.q, n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.t, m);
	for (unsigned i = 0; i < 6; i++)
		swg_copy(&seed, 4, c.t, m, below(&seed, m), c.q, n,
			 (unsigned)below(&seed, 20));
}

static const int32_t scores[][4] = {
	{ 2, -3, 5, 2 }, { 5, -3, 8, 1 }, { 1, -1, 0, 1 }, { 30, -30, 8, 3 },
	{ 4, -1, 2, 0 },
};
enum { SCORES = 5 };

static int64_t
next_gap(int64_t h, int64_t gap)
{
	return osw_max(0, osw_max(h - c.s.open, gap) - c.s.extend);
}

/* Before a tile, and the corner. */
static bool
is_column(const struct osw *x, const struct sw_borders *borders, size_t high,
	  size_t wide)
{
	const struct sw_checkpoint *left = sw_borders_left(borders, high, wide);
	struct sw_borders_range rows = sw_borders_rows(borders, high);
	size_t j = sw_borders_cols(borders, wide).from;

	if (rows.from && rows.from < rows.to &&
	    left[-1].h != x->H[rows.from * x->width + j])
		return false;
	for (size_t i = rows.from + 1; i <= rows.to; i++) {
		struct sw_checkpoint y = left[i - 1 - rows.from];
		size_t cell = i * x->width + j;

		if (y.h != x->H[cell] ||
		    y.e != next_gap(x->H[cell], x->E[cell])) {
			printf("# row %zu column %zu: %d %d\n", i, j, y.h, y.e);
			return false;
		}
	}
	return true;
}

/* Above a tile, if that is not above the query. */
static bool
is_row(const struct osw *x, const struct sw_borders *borders, size_t high,
       size_t wide)
{
	const int32_t *h = sw_borders_above(borders, high, wide);
	const int32_t *f = borders->tile_f;
	struct sw_borders_range cols = sw_borders_cols(borders, wide);
	size_t i = sw_borders_rows(borders, high).from;

	for (size_t j = cols.from + 1; i && j <= cols.to; j++, h++, f++) {
		size_t cell = i * x->width + j;

		if (*h != x->H[cell] ||
		    osw_max(*f, 0) != next_gap(x->H[cell], x->F[cell])) {
			printf("# row %zu column %zu: %d %d\n", i, j, *h, *f);
			return false;
		}
	}
	return true;
}

/* Every tile with a cell of that score. */
static bool
are_reported(const struct osw *x, const struct sw_borders *borders,
	     int64_t least)
{
	for (size_t i = 1; i <= c.n; i++)
		for (size_t j = borders->from + 1; j <= borders->cols; j++)
			if (x->H[i * x->width + j] >= least &&
			    !borders->reported[sw_borders_tile(borders, i - 1,
							       j - 1)])
				return false;
	return true;
}

static bool
is_net(const struct osw *x, int64_t least)
{
	const struct sw_borders *y = work->borders;
	bool good = are_reported(x, y, least);

	for (size_t i = 0; i < y->high; i++)
		for (size_t k = 0; k < y->wide; k++)
			good = good && (!k || is_column(x, y, i, k)) &&
			       (!i || is_row(x, y, i, k));
	return good;
}

static bool
one_window(size_t n, size_t m, const int32_t *v, unsigned blocks)
{
	struct sw_grid_window w = { .rows = n };
	struct osw_scoring s;
	struct sw_query *q;
	struct osw x;
	bool good;
	int rc;

	new_work(1, blocks);
	new_case(n, m, v);
	swg_oracle(&c.s, &s);
	x = osw_new(&s, (struct osw_query){ c.q, n, false },
		    (struct osw_subject){ c.t, m, 0 }, 0);
	w.row = c.q;
	w.col = c.t;
	w.cols = m;
	w.from = below(&seed, w.cols);
	w.least = 1 + (int64_t)below(&seed, n);
	if (sw_query_new(&q, &c.s, c.q, n, false, SW_SKEW, &err))
		abort();
	rc = sw_borders_run(work, q, &w, &err);
	good = rc == (sw_grid_fits(q) ? 0 : 1) && (rc || is_net(&x, w.least));
	osw_free(&x);
	sw_query_free(q);
	return good;
}

/* Rows around those of strips, tiles and lanes; fewer blocks than lanes, and
 * more. */
static bool
borders(void)
{
	static const size_t rows[] = { 1, 8, 63, 65, 300, 513, 640 };
	bool good = true;

	for (unsigned i = 0; i < 7 && good; i++)
		for (unsigned b = 1; b <= 4 && good; b *= 2)
			good = one_window(rows[i],
					  SW_BLOCK * (1 + below(&seed, 20)),
					  scores[(i + b) % SCORES], b) &&
			       one_window(rows[i], SW_BLOCK * (130 + b),
					  scores[i % SCORES], b);
	return good;
}

static bool
no_room(void)
{
	bool good;

	new_work(0, 0);
	work->border_tile = 1;
	work->lanes_bytes = 1 << 10;
	new_case(300, 64 * SW_BLOCK, scores[0]);
	good = check_best(&c, 1, 200, work);
	return good && (!work->borders || !work->borders->cap);
}

static bool
best(size_t m, uint64_t times, struct crew *crew)
{
	bool good = true;

	for (unsigned i = 0; i < times && good; i++) {
		const int32_t *v = scores[i % SCORES];
		size_t n = 20 + below(&seed, 300);

		new_work(1 + i % 3, 1u << i % 3);
		new_case(n, m, v);
		sw_work_crew(work, crew, 1);
		good = check_best(&c, 1 + i % 2, v[0] * (int64_t)n /
				  (2 + i % 3), work);
		sw_work_crew(work, NULL, 0);
	}
	return good;
}

/*
 * Behind letters that match nothing, scores before a window are known to be 0,
 * wherever it begins; its columns need not be whole blocks then.
 */
static bool
no_blocks(void)
{
	static const int32_t v[][4] = { { 5, -3, 8, 1 }, { 3, -4, 6, 1 } };
	const size_t m = 16 * SW_BLOCK;
	bool good = true;

	for (unsigned i = 0; i < 16 && good; i++) {
		size_t n = 100 + below(&seed, 100);
		size_t at = m - 2 * n + below(&seed, SW_BLOCK);

		new_work(0, 1u << i % 3);
		new_case(n, m, v[i % 2]);
		memset(c.t + SW_BLOCK, 4, at - SW_BLOCK);
		swg_copy(&seed, 4, c.t, m, at, c.q, n, 5);
		good = check_best(&c, 1, 4, work);
	}
	return good;
}

/* The pass leaves the borders of all of the text; of many cells they are of no
 * use. */
static bool
kept(void)
{
	bool good = true;
	unsigned n_kept = 0;

	for (unsigned i = 0; i < 20 && good; i++) {
		const int32_t *v = scores[i % SCORES];
		size_t n = 20 + below(&seed, 200);

		new_work(1 + i % 3, 1u << i % 3);
		new_case(n, SW_BLOCK * 32, v);
		good = check_best(&c, 1, i % 4 ? v[0] * (int64_t)n / 8 : 1,
				  work);
		n_kept += work->borders && work->borders->peaks;
	}
	return good && (n_kept > 10 || cpu_isa() == ISA_SCALAR);
}

static bool
shared(void)
{
	struct crew *crew;
	struct helpers h;
	bool good;

	if (crew_new(&crew, 3, &err))
		abort();
	helpers_begin(&h, crew);
	good = best(SW_BLOCK * 32, 10, crew);
	helpers_end(&h);
	crew_free(crew);
	return good;
}

int
main(void)
{
	ok(borders(), "rows and columns between tiles, tiles to be reported");
	ok(best(SW_BLOCK * 32, lighter(60), NULL), "the best of a text");
	ok(best(SW_BLOCK * 192, lighter(15), NULL), "of a longer one");
	ok(kept(), "borders of the pass");
	ok(no_blocks(), "windows that begin within a block");
	ok(shared(), "directions of tiles by a crew");
	ok(no_room(), "no room");
	swg_free(&c);
	sw_work_free(work);
	return done();
}
