/* SPDX-License-Identifier: MIT */
/* sw_grid.c - scores of windows, and paths in them, are the textbook's */
#include "tests/lib/sw_window_case.h"
#include "base/base.h"

/*
 * Rows around strips of 32 and 64, steps (columns and a strip's rows but one)
 * around blocks of 256.
 */
static bool
sizes(void)
{
	static const size_t rows[] = { 1, 2, 31, 32, 33, 63, 64, 65, 129 };
	static const size_t cols[] = { 1, 2, 31, 33, 63, 64, 65, 192, 193, 194,
		224, 225, 226, 255, 256, 257, 449 };
	static const int32_t v[][4] = { { 2, -3, 5, 2 }, { 5, -3, 8, 1 },
		{ 1, 0, 0, 0 }, { 1, -1, 0, 1 }, { 30, -30, 8, 3 } };
	unsigned at = 0;
	const size_t n_cols = sizeof cols / sizeof *cols;
	bool good = true;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t j = 0; good && j < n_cols; j++) {
			const int32_t *s = v[at++ % 5];

			new_case(rows[i], cols[j], s[0], s[1], s[2], s[3]);
			new_work(at % 4);
			swg_copy(&seed, 4, c.t, c.m, below(&seed, c.m), c.q,
				 c.n, 10);
			good = check_window(0, below(&seed, c.m),
					    1 + (int64_t)below(&seed, 20)) &&
			       check_best(&c, 1, s[0] *
					  (int64_t)(4 + c.n / 4), work);
		}
	return good;
}

/* Scores beyond 16 bits, that rise and fall again. */
static bool
high(void)
{
	new_case(700, 900, 30, -20, 8, 3);
	new_work(1);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	swg_copy(&seed, 4, c.t, c.m, 50, c.q, c.n, 1);
	return check_window(0, 0, 19000) && check_best(&c, 1, 19000, work) &&
	       !work->crowded;
}

/*
 * A window begins where a path comes to a row by a diagonal step, or in a gap
 * before that row.  Only the best cell is wanted: were less handed in there
 * than the path has, it would be missed.
 */
static bool
corner(size_t row, size_t gap)
{
	int64_t least;
	bool good = true;

	new_case(row + 80, row + 120, 2, -3, 20, 19);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	memset(c.t, 4, c.m);
	memcpy(c.t + 20, c.q, row);
	memcpy(c.t + 20 + row + gap, c.q + row, c.n - row);
	least = 2 * (int64_t)c.n - (gap ? 20 + 19 * (int64_t)gap : 0);
	for (size_t at = row + 18; good && at < row + gap + 23; at++)
		good = check_window(at, 0, least);
	return good;
}

/*
 * Two paths come to the last row of strips, 63, in one column: by F, from 30
 * letters that match 40 rows above, and by H, from the last 25 of them again.
 * Each goes on by 12 letters.
 */
static bool
meeting(void)
{
	uint8_t first[30], then[12];

	new_case(150, 256, 2, -3, 20, 0);
	swg_fill(&seed, SWG_RANDOM, 3, c.q, c.n);
	memset(c.t, 4, c.m);
	swg_fill(&seed, SWG_RANDOM, 5, first, sizeof first);
	swg_fill(&seed, SWG_RANDOM, 5, then, sizeof then);
	first[5] = 3;
	memcpy(c.q, first, 30);
	memset(c.q + 30, 4, 70);
	memcpy(c.q + 39, first + 5, 25);
	memcpy(c.q + 64, then, 12);
	memcpy(c.q + 80, then, 12);
	memcpy(c.t + 100, first, 30);
	memcpy(c.t + 130, then, 12);
	return check_best(&c, 1, 50, work) && !work->crowded;
}

/*
 * Sequences without a letter between: a path of the second would be less than
 * one that comes from the first, were they one window.
 */
static bool
neighbours(void)
{
	new_case(64, 128, 2, -1, 1, 0);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	memcpy(c.t, c.q, 64);
	memcpy(c.t + 64, c.q, 64);
	c.t[64 + 5] = 4;
	return check_best(&c, 2, 120, work);
}

/* The least window that is worth a grid, and one below. */
static bool
worth(void)
{
	bool good = true;

	for (size_t m = 1024 - SW_BLOCK; good && m <= 1024; m += SW_BLOCK) {
		new_case(SW_GRID_MIN_CELLS / 1024, m, 2, -3, 5, 2);
		swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
		swg_copy(&seed, 4, c.t, m, 0, c.q, c.n, 0);
		for (size_t i = 50; i < m; i += 50)
			c.t[i] = 4;
		new_work(0);
		work->grid_from = SW_GRID_MIN_CELLS;
		good = check_best(&c, 1, 1800, work) && !work->crowded &&
		       (work->grid != NULL) == (has_grid() && m == 1024);
	}
	return good;
}

static int
stop(void *ctx, const struct sw_grid_reported *reported, size_t strip)
{
	(void)reported;
	(void)strip;
	++*(int *)ctx;
	return -7;
}

/* take_cells() stops it at once; too little memory is reported. */
static bool
ends(void)
{
	int n = 0;
	struct sw_grid_window w = { .least = 1, .take_cells = stop, .ctx = &n };
	struct sw_query *q;
	bool odd, good;

	new_case(200, 2000, 2, -3, 5, 2);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, c.m);
	w.row = c.q;
	w.rows = c.n;
	w.col = c.t;
	w.cols = c.m;
	if (sw_query_new(&q, &c.s, c.q, c.n, false, SW_SKEW, &err))
		abort();
	new_work(0);
	good = sw_grid_open(work, q, &w, &err) == !has_grid() &&
	       (!has_grid() ||
		(sw_grid_run(work->grid, NULL, &odd, &err) == -7 && n == 1));
	work->lanes_bytes = 100000;
	good = good && sw_grid_open(work, q, &w, &err) == 1;
	sw_query_free(q);
	return good;
}

static int
open_with(const struct sw_query *q, const struct sw_grid_window *w,
	  unsigned threads, struct crew *crew, unsigned leaders)
{
	int rc;

	new_work(0);
	sw_work_team(work, threads);
	sw_work_crew(work, crew, leaders);
	rc = sw_grid_open(work, q, w, &err);
	sw_work_crew(work, NULL, 0);
	return rc;
}

/*
 * More rows and columns than a share of what lanes take is enough for: one
 * thread, or a leader or two, may have more; of more threads each has less.
 */
static bool
long_ones(void)
{
	struct sw_grid_window w = { .rows = 400000, .cols = 400000 };
	struct sw_query *q;
	struct crew *crew;
	bool good;

	new_case(w.rows, w.cols, 2, -3, 5, 2);
	w.row = c.q;
	w.col = c.t;
	if (crew_new(&crew, 8, &err) ||
	    sw_query_new(&q, &c.s, c.q, c.n, false, SW_SKEW, &err))
		abort();
	good = !has_grid() || (open_with(q, &w, 1, NULL, 0) == 0 &&
			       open_with(q, &w, 2, NULL, 0) == 1 &&
			       open_with(q, &w, 8, crew, 2) == 0 &&
			       open_with(q, &w, 8, crew, 4) == 1);
	sw_query_free(q);
	crew_free(crew);
	return good;
}

int
main(void)
{
	ok(sizes(), "sizes around strips and blocks");
	ok(high(), "scores beyond 16 bits");
	new_work(1);
	ok(corner(32, 0) && corner(64, 0) && corner(128, 0) && corner(64, 3),
	   "paths over the begin of windows");
	new_work(4);
	ok(meeting(), "paths that meet, one in H and one in F");
	new_work(1);
	ok(neighbours(), "sequences side by side");
	ok(worth(), "windows that are worth a grid");
	ok(ends(), "what stops it");
	ok(long_ones(), "memory of long windows");
	swg_free(&c);
	sw_work_free(work);
	return done();
}
