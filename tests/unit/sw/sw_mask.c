/* SPDX-License-Identifier: MIT */
/* sw_mask.c - no H of a strip is less than sw_mask_least() says, and which
 * strips are left out by it */
#include "sw/sw_beside.h"
#include "tests/lib/sw_case.h"

static uint64_t seed = 7;
static uint64_t n_strips, n_known, n_quiet;

/* What sw_mask_open() wants to know of a path. */
struct path {
	struct sw_mask mask;
	struct sw_skew *skew;
	struct sw_mask_anchor *row, *col;
	uint64_t *pair;
	struct sw_seg seg;
};

/* The largest H's cell, and its path backwards, so that first places win. */
static void
put_path(struct path *p, const struct osw *x, size_t n, size_t m)
{
	struct osw_at a = { 0, 0, OSW_H };
	int64_t best = 0;

	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++)
			if (x->H[i * x->width + j] > best) {
				best = x->H[i * x->width + j];
				a = (struct osw_at){ i, j, OSW_H };
			}
	memset(p->row, 0xff, n * sizeof *p->row);
	memset(p->col, 0xff, m * sizeof *p->col);
	memset(p->pair, 0xff, n * sizeof *p->pair);
	p->mask.path = (struct sw_hit){ .score = best, .qend = a.i,
					.end = a.j };
	while (!osw_at_start(x, &a)) {
		size_t i = a.i, j = a.j;
		bool whole = a.in == OSW_H;
		int32_t h = (int32_t)x->H[i * x->width + j];

		osw_step(x, &a);
		if (a.i < i && a.j < j)
			p->pair[i - 1] = j - 1;
		/* within a gap H may be another path's: no less */
		if (whole) {
			p->row[i - 1] = (struct sw_mask_anchor){ j - 1, h };
			p->col[j - 1] = (struct sw_mask_anchor){ i - 1, h };
		}
	}
}

static bool
check(const struct path *p, const struct osw *x, size_t n, size_t m)
{
	for (size_t strip = 0; strip < p->skew->strips; strip++) {
		int64_t row = (int64_t)(strip * SW_SKEW_ROWS) -
			      (int64_t)p->skew->fill;

		for (uint64_t block = 0; block < m / SW_BLOCK; block++) {
			int64_t least = sw_mask_least(&p->mask,
				&p->mask.span[strip].low, row, block);

			n_strips++;
			n_known += least > 0;
			for (size_t r = 0; least && r < SW_SKEW_ROWS; r++)
				for (size_t c = 0; c < SW_BLOCK; c++) {
					size_t i = (size_t)row + r + 1;
					size_t j = block * SW_BLOCK + c + 1;

					if (i > n ||
					    x->H[i * x->width + j] < least)
						return false;
				}
		}
	}
	return true;
}

/* The least H of a strip. */
static int64_t
least_of(const struct osw *x, size_t n, int64_t row, uint64_t block)
{
	int64_t least = INT64_MAX;

	for (int64_t i = row; i < row + SW_SKEW_ROWS; i++)
		for (size_t j = 0; j < SW_BLOCK; j++) {
			int64_t h = i < 0 || i >= (int64_t)n ? 0 :
				    x->H[(size_t)(i + 1) * x->width +
					 block * SW_BLOCK + j + 1];

			least = h < least ? h : least;
		}
	return least;
}

/* Is each lane's strip of step s->strip + 1 the path's, as what comes to the
 * first one has no H above `end`, to others 0? */
static bool
all_left_out(const struct path *p, const struct osw *x, size_t n, size_t blocks,
	     int32_t end)
{
	const struct sw_skew *s = p->skew;
	const int64_t more = SW_SKEW_ROWS * s->match + s->open;

	for (unsigned k = 0; k < s->ops->lanes; k++) {
		size_t strip = s->strip + 1 - k;
		uint64_t block = s->first + k;
		int64_t row = (int64_t)(strip * SW_SKEW_ROWS) -
			      (int64_t)s->fill;

		if (block < blocks &&
		    (k ? 0 : end) >= least_of(x, n, row, block) - more)
			return false;
	}
	return true;
}

static bool
check_quiet(struct path *p, const struct osw *t, size_t n, size_t m)
{
	struct sw_skew *s = p->skew;
	const struct sw_skew_ops ops = {
		.lanes = (unsigned)swg_between(&seed, 1, 4),
	};
	const size_t blocks = m / SW_BLOCK;
	int32_t *end = osw_alloc(s->strips + 1, sizeof *end);
	bool good = true;

	s->ops = &ops;
	s->end_most = end;
	for (s->first = 0; s->first < blocks; s->first += ops.lanes)
		for (s->strip = ops.lanes; s->strip + 1 < s->strips;
		     s->strip++) {
			int32_t *x = end + s->strip;

			x[0] = (int32_t)below(&seed, 100);
			x[1] = (int32_t)below(&seed, 100);
			sw_mask_gain(s, INT32_MAX);
			if (!sw_mask_is_quiet(s))
				continue;
			n_quiet++;
			if (!all_left_out(p, t, n, blocks,
					  x[0] > x[1] ? x[0] : x[1]))
				good = false;
		}
	free(end);
	return good;
}

/* A query and a text, related or not. */
static struct swg_case
new_case(uint64_t first)
{
	static const int32_t v[][4] = {
		{ 2, -3, 5, 2 }, { 5, -3, 8, 1 }, { 1, -1, 0, 1 },
		{ 2, -3, 0, 0 }, { 30, -1, 20, 9 },
	};
	const int32_t *s = v[first % 5];
	struct swg_case c = { .n = 0 };

	seed = first;
	swg_dna(&c.s, s[0], s[1], s[2], s[3]);
	swg_room(&c, swg_between(&seed, 1, below(&seed, 4) ? 90 : 300),
		 swg_between(&seed, 1, 4) * SW_BLOCK);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.q, c.n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.t, c.m);
	/* half of them end early: much is behind the path's end */
	for (uint64_t i = 1 + below(&seed, 2); i; i--)
		swg_copy(&seed, 4, c.t, c.m, below(&seed, 2) ? 0 :
			 below(&seed, c.m), c.q, below(&seed, 2) ? c.n :
			 (c.n + 1) / 2, (unsigned)below(&seed, 25));
	return c;
}

static struct path
new_path(size_t n, size_t m)
{
	struct path p = {
		.row = osw_alloc(n, sizeof *p.row),
		.col = osw_alloc(m, sizeof *p.col),
		.pair = osw_alloc(n, sizeof *p.pair),
		.skew = osw_alloc(1, sizeof *p.skew),
		.seg = { .beg = 0, .end = m },
	};

	memset(p.skew, 0, sizeof *p.skew);
	p.skew->strips = (n + SW_SKEW_ROWS - 1) / SW_SKEW_ROWS;
	p.skew->fill = p.skew->strips * SW_SKEW_ROWS - n;
	p.mask.span = osw_alloc(p.skew->strips, sizeof *p.mask.span);
	p.mask.block = osw_alloc(m / SW_BLOCK, sizeof *p.mask.block);
	return p;
}

static void
free_path(struct path *p)
{
	free(p->mask.block);
	free(p->mask.span);
	free(p->pair);
	free(p->col);
	free(p->row);
	free(p->skew);
}

static bool
try(uint64_t first)
{
	struct swg_case c = new_case(first);
	struct sw_text t = { .codes = c.t, .n = c.m };
	struct path p = new_path(c.n, c.m);
	struct osw_scoring s;
	struct sw_query *q;
	struct err e;
	struct osw x;
	bool good;

	if (sw_query_new(&q, &c.s, c.q, c.n, false, SW_AUTO, &e))
		abort();
	swg_oracle(&c.s, &s);
	x = osw_new(&s, (struct osw_query){ c.q, c.n, false },
		    (struct osw_subject){ c.t, c.m, 0 }, 0);
	put_path(&p, &x, c.n, c.m);
	p.mask.q = q;
	p.mask.t = &t;
	p.mask.seg = &p.seg;
	p.mask.col = p.pair;
	p.mask.row_anchor = p.row;
	p.mask.col_anchor = p.col;
	p.skew->mask = &p.mask;
	p.skew->open = c.s.open;
	p.skew->match = c.s.score[0][0];
	sw_mask_open(p.skew);
	good = check(&p, &x, c.n, c.m) && check_quiet(&p, &x, c.n, c.m);
	if (!good)
		printf("# seed %llx\n", (unsigned long long)first);
	free_path(&p);
	osw_free(&x);
	sw_query_free(q);
	swg_free(&c);
	return good;
}

int
main(void)
{
	bool good = true;
	size_t n = fewer(3000);

	for (size_t i = 0; i < n && good; i++)
		good = try(i);
	ok(good, "%zu paths", n);
	ok(n_known > n_strips / 20, "something is known of %llu strips of %llu",
	   (unsigned long long)n_known, (unsigned long long)n_strips);
	ok(n_quiet > 20, "%llu steps are left out",
	   (unsigned long long)n_quiet);
	return done();
}
