/* SPDX-License-Identifier: MIT */
/* sw_window_case.h - scores of a window of a case, beside the textbook's */
#ifndef SEQF_SW_WINDOW_CASE_H
#define SEQF_SW_WINDOW_CASE_H

#include "sw/sw_grid.h"
#include "base/cpu.h"
#include "tests/lib/sw_paths.h"

static uint64_t seed = 1;
static struct sw_work *work;
static struct swg_case c;
static struct err err;

static inline bool
has_grid(void)
{
	return cpu_isa() != ISA_SCALAR;
}

static inline void
new_work(unsigned tile)
{
	sw_work_free(work);
	if (sw_work_new(&work, &err))
		abort();
	work->grid_from = 0;
	work->grid_tile = tile;
}

static inline void
new_case(size_t n, size_t m, int32_t match, int32_t mismatch, int32_t open,
	 int32_t extend)
{
	swg_free(&c);
	swg_dna(&c.s, match, mismatch, open, extend);
	swg_room(&c, n, m);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.q, n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.t, m);
}

/* Reported cells of a window that begins at column `at` of a whole matrix. */
struct seen {
	const struct osw *x;
	size_t at, from, n;
	int64_t least;
	bool *was, good, odd;
};

static inline bool
is_wanted(const struct seen *s, size_t i, size_t j)
{
	return j > s->at + s->from && osw_is_cell(s->x, i, j) &&
	       s->x->H[i * s->x->width + j] >= s->least;
}

/* Odd ones are of no use: *odd says so, too. */
static inline int
take_cells(void *ctx, const struct sw_grid_reported *reported, size_t strip)
{
	struct seen *s = ctx;

	for (size_t k = 0; k < reported->n; k++) {
		size_t i = strip * work->grid->rows + reported->v[k].row + 1;
		size_t j = s->at + reported->v[k].col + 1;
		size_t cell = i * s->x->width + j;

		if (reported->v[k].h % 2) {
			s->odd = true;
			continue;
		}
		s->good = s->good && i <= c.n && j <= c.m &&
			  is_wanted(s, i, j) && !s->was[cell] &&
			  reported->v[k].h == 2 * s->x->H[cell];
		if (!s->good)
			return -1;
		s->was[cell] = true;
		s->n++;
	}
	return 0;
}

/* No H in the column before; and a little more, as bounds may be. */
static inline int64_t
bound_of(const struct osw *x, size_t at)
{
	int64_t top = 0;

	for (size_t i = 0; at && i <= x->query.n; i++)
		top = osw_max(top, x->H[i * x->width + at]);
	return top + (at ? (int64_t)below(&seed, 3) : 0);
}

/*
 * Reported cells are right; and all are reported, unless some may begin before.
 */
static inline bool
reported_right(const struct osw *x, const struct sw_query *q, size_t at,
	       size_t from, int64_t least)
{
	struct seen s = { .x = x, .at = at, .from = from, .least = least,
			  .good = true };
	size_t wanted = 0;
	bool odd;
	int rc;

	s.was = osw_alloc((c.n + 1) * x->width, sizeof *s.was);
	rc = sw_grid_open(work, q, &(struct sw_grid_window){
		.row = c.q, .rows = c.n, .col = c.t + at, .cols = c.m - at,
		.bound = bound_of(x, at), .from = from, .least = least,
		.take_cells = take_cells, .ctx = &s,
	}, &err);
	if (!rc)
		rc = sw_grid_run(work->grid, work->crew, &odd, &err);
	for (size_t i = 1; i <= c.n; i++)
		for (size_t j = 1; j < x->width; j++)
			wanted += is_wanted(&s, i, j);
	free(s.was);
	if (rc || !s.good || (s.odd && !odd) ||
	    (odd ? !at : s.n != wanted)) {
		printf("# rc %d n %zu m %zu at %zu from %zu least %lld: %zu of "
		       "%zu\n", rc, c.n, c.m, at, from, (long long)least, s.n,
		       wanted);
		return false;
	}
	return true;
}

/* A window of c, from column `at` on; not where there is no grid. */
static inline bool
check_window(size_t at, size_t from, int64_t least)
{
	struct osw_scoring s;
	struct sw_query *q;
	struct osw x;
	bool good;

	swg_oracle(&c.s, &s);
	if (sw_query_new(&q, &c.s, c.q, c.n, false, SW_SKEW, &err))
		abort();
	x = osw_new(&s, (struct osw_query){ c.q, c.n, false },
		    (struct osw_subject){ c.t, c.m, 0 }, 0);
	good = sw_grid_fits(q) ? reported_right(&x, q, at, from, least) :
				 !has_grid();
	osw_free(&x);
	sw_query_free(q);
	return good;
}

#endif
