/* SPDX-License-Identifier: MIT */
/*
 * sw_held.c - paths in the window that starts were found in, and only there
 */
#include "../sw_paths.h"
#include "algo/sw_grid.h"
#include "base/cpu.h"

enum { ROWS = 200, COLS = 512 };
static uint64_t seed = 1;
static struct swg_case c;
static struct sw_query *query;
static struct sw_work *work;
static struct osw_scoring scoring;
static struct err err;

/* n letters of the query, from row `from` on, stand at a column. */
struct copy {
	size_t at, from, n;
};

/* Sequences side by side, one copy in each; what is told of them. */
static void
make(struct swc *x, const struct copy *copy, size_t n)
{
	*x = (struct swc){ .s = &c.s, .q = c.q, .n = c.n, .least = 50,
			 .kind = SW_ALIGNMENTS, .n_subjects = n };

	memset(c.t, 4, n * COLS);
	for (size_t i = 0; i < n; i++) {
		uint8_t *t = c.t + i * COLS;

		memcpy(t + copy[i].at, c.q + copy[i].from, copy[i].n);
		x->subject[i] = (struct swc_subject){ .t = t, .n = COLS };
	}
	swc_ready(x);
}

/* Of a text as it is, what x wants. */
static bool
best(const struct swc *x, const struct sw_text *t, struct sw_hits *h)
{
	bool good = !sw_best(query, t, x->kind, x->want.n + 1, &x->least, work,
			     h, &err) && h->n == x->want.n;

	for (size_t i = 0; good && i < h->n; i++)
		good = swc_equal(x, &h->v[i], &x->want.v[i]);
	return good;
}

static bool
paths(const struct swc *x, const struct sw_text *t, const struct sw_hits *h)
{
	struct paths p = { .x = x, .good = true };
	bool good;

	p.good = !sw_trace_each(query, t, h->v, h->n, scoring.same, work,
				&p.ops, hear_ops, &p, &err) && p.good;
	good = p.good && p.n == x->want.n;
	buf_free(&p.ops);
	return good;
}

static bool
holds(void)
{
	return (work->held.q == query) == sw_grid_fits(query);
}

/* One in the last region, one in the one before: that is another window. */
static bool
two(void)
{
	struct copy two[] = { { 100, 20, 30 }, { 200, 90, 60 } };
	struct sw_hits h = { 0 };
	struct swc x;
	bool good;

	make(&x, two, 2);
	good = x.want.n == 2 && best(&x, &x.text, &h) && holds() &&
		    paths(&x, &x.text, &h) && paths(&x, &x.text, &h);

	sw_hits_free(&h);
	swc_free(&x);
	return good;
}

/* What is held is of letters that have changed. */
static bool
changed(void)
{
	struct sw_hits h = { 0 };
	struct swc x, y;
	bool good;

	make(&x, &(struct copy){ 100, 20, 60 }, 1);
	make(&y, &(struct copy){ 100, 90, 60 }, 1);
	good = best(&x, &x.text, &h) && holds();

	memcpy(x.codes, y.codes, COLS);
	work->grid_from = UINT64_MAX;	/* not held again */
	good = good && best(&y, &x.text, &h);
	work->grid_from = 0;
	good = good && paths(&y, &x.text, &h);
	sw_hits_free(&h);
	swc_free(&x);
	swc_free(&y);
	return good;
}

/* It is of another text. */
static bool
other(void)
{
	struct sw_hits h = { 0 }, g = { 0 };
	struct swc x, y;
	bool good;

	make(&x, &(struct copy){ 100, 90, 60 }, 1);
	make(&y, &(struct copy){ 100, 20, 60 }, 1);
	good = best(&x, &x.text, &h) && best(&y, &y.text, &g) &&
		    holds() && paths(&x, &x.text, &h);

	sw_hits_free(&h);
	sw_hits_free(&g);
	swc_free(&x);
	swc_free(&y);
	return good;
}

/*
 * A path on the left of the columns that count, and near to what comes from
 * before the window: scores there may be no more than bounds.
 */
static bool
left(void)
{
	struct sw_hits h = { 0 };
	bool good, odd = false;
	struct swc x;
	int rc;

	make(&x, &(struct copy){ 140, 50, 30 }, 1);
	good = best(&x, &x.text, &h);
	rc = sw_grid_open(work, query, &(struct sw_grid_window){
		.row = query->code, .rows = query->n, .col = x.codes + 128,
		.cols = COLS - 128, .bound = 400,
	}, &err);

	if (!rc)
		rc = sw_grid_run(work->grid, NULL, &odd, &err);
	if (!rc) {
		work->held.q = query;
		work->held.codes = x.codes;
		work->held.begin = 128;
		work->held.from = 256;
		work->held.to = COLS;
	}
	good = good && rc == !sw_grid_fits(query) && paths(&x, &x.text, &h);
	sw_hits_free(&h);
	swc_free(&x);
	return good;
}

int
main(void)
{
	swg_dna(&c.s, 2, -3, 5, 2);
	swg_room(&c, ROWS, 2 * COLS);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	swg_oracle(&c.s, &scoring);
	if (sw_work_new(&work, &err) ||
	    sw_query_new(&query, &c.s, c.q, c.n, false, SW_SKEW, &err))
		return 1;
	work->grid_from = 0;
	ok(two(), "a path in the window, and one that is not");
	ok(changed(), "letters that changed");
	ok(other(), "another text");
	ok(left(), "on the left of what counts");
	sw_query_free(query);
	sw_work_free(work);
	swg_free(&c);
	return done();
}
