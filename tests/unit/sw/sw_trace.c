/* SPDX-License-Identifier: MIT */
/*
 * sw_trace.c - the CIGAR of every hit is the textbook's, by each kernel and
 * with little space for directions, so that boxes are done in many parts
 */
#include "tests/lib/isas.h"
#include "tests/lib/sw_case.h"
#include "sw/sw_trace.h"
#include "letters/letters.h"

enum { MOST_HITS = 40 };
static uint64_t seed;
static struct swg_case c;
static struct sw_query *query;
static struct sw_work *work;
static struct sw_text text;
static struct osw_scoring scoring;

static const struct sw_tracing *const kernels[] = { KERN_ALL(&sw_tracing) };

/* The text's letters, SW_PAD to the end of its block, then anything. */
static void
open_case(void)
{
	size_t n = (c.m + SW_BLOCK - 1) / SW_BLOCK * SW_BLOCK;
	uint8_t *codes = swg_alloc(n + 64);
	struct err e;

	memcpy(codes, c.t, c.m);
	memset(codes + c.m, SW_PAD, n - c.m);
	for (size_t i = 0; i < 64; i++)
		codes[n + i] = (uint8_t)below(&seed, 256);
	text = (struct sw_text){ .codes = codes, .n = n };
	swg_oracle(&c.s, &scoring);
	if (sw_query_new(&query, &c.s, c.q, c.n, false, SW_AUTO, &e) < 0 ||
	    sw_work_new(&work, &e) < 0)
		abort();
}

static void
close_case(void)
{
	free((void *)(uintptr_t)text.codes);
	sw_query_free(query);
	sw_work_free(work);
	swg_free(&c);
}

static bool
check_hit(const struct osw_hit *h)
{
	static const size_t budgets[] = { 1, 300, 3000, 30000, 1 << 24 };
	struct sw_hit x = { h->score, h->qbeg, h->qend, h->beg, h->end };
	size_t budget = budgets[below(&seed, 5)];
	struct buf b = { 0 };
	struct err e = { 0 };
	bool good = true;

	for (size_t k = 0; good && k <= n_isas(); k++) {
		const struct sw_tracing *by = kernels[k % n_isas()];

		b.n = 0;
		if (k == n_isas())
			good = sw_trace(query, &text, &x, scoring.same, work,
					&b, &e) == 0;
		else if (by->wide || sw_trace_fits(query, c.n, c.m))
			good = sw_trace_by(by, budget, query, &text, &x,
					   scoring.same, work, &b, &e) == 0;
		else
			continue;
		good = good && swc_same_ops(&b, h);
		if (!good)
			printf("# kernel %zu, %zu bytes: %s: score %lld rows "
			       "%zu-%zu columns %zu-%zu\n", k, budget, e.text,
			       (long long)h->score, h->qbeg, h->qend, h->beg,
			       h->end);
	}
	buf_free(&b);
	return good;
}

struct each {
	struct sw_hit x[MOST_HITS];
	const struct osw_hit *h;
	size_t n, reported;
	struct buf ops;
	bool good;
};

static int
take_ops(void *ctx, size_t i, struct err *e)
{
	struct each *a = ctx;

	(void)e;
	a->reported++;
	a->good = a->good && i < a->n && swc_same_ops(&a->ops, &a->h[i]);
	return 0;
}

/* All at once, those that overlap in one window. */
static bool
check_each(const struct osw_hits *h)
{
	struct each a = { .h = h->v, .good = true };
	struct err e = { 0 };
	int rc;

	for (; a.n < h->n && a.n < MOST_HITS; a.n++) {
		const struct osw_hit *x = &h->v[a.n];

		a.x[a.n] = (struct sw_hit){ x->score, x->qbeg, x->qend,
					    x->beg, x->end };
	}
	work->grid_from = 0;
	work->grid_tile = (unsigned)below(&seed, 4);
	rc = sw_trace_each(query, &text, a.x, a.n, scoring.same, work, &a.ops,
			   take_ops, &a, &e);
	buf_free(&a.ops);
	if (!rc && a.good && a.reported == a.n)
		return true;
	printf("# each: %s, %zu of %zu\n", e.text, a.reported, a.n);
	return false;
}

/* The best hits of c, or any. */
static bool
check(enum osw_reading reading)
{
	struct osw_hits h = { 0 };
	bool good = true;

	open_case();
	osw_search(&scoring, (struct osw_query){ c.q, c.n, false },
		   (struct osw_subject){ c.t, c.m, 0 }, 0, reading, MOST_HITS,
		   1, &h);
	for (size_t i = 0; i < h.n && below(&seed, 2); i++) {
		size_t j = below(&seed, h.n);
		struct osw_hit x = h.v[i];

		h.v[i] = h.v[j];
		h.v[j] = x;
	}
	for (size_t i = 0; good && i < h.n && i < MOST_HITS; i++)
		good = check_hit(&h.v[i]);
	good = good && check_each(&h);
	osw_hits_free(&h);
	close_case();
	return good;
}

static enum osw_reading
any_reading(void)
{
	return below(&seed, 2) ? OSW_ALIGNMENTS : OSW_CELLS;
}

static bool
any(uint64_t round)
{
	c = swg_any(&seed, 1 + round % 90, 1 + round % 300);
	return check(any_reading());
}

static bool
families(uint64_t round)
{
	c = swg_family(&seed, swg_between(&seed, 5, 40 + round % 100),
		       swg_between(&seed, 50, 600));
	return check(any_reading());
}

/* All of one row or column; gaps that are as long as the box. */
static bool
thin(uint64_t round)
{
	c = swg_any(&seed, round % 2 ? 3 : 200, round % 2 ? 200 : 3);
	return check(OSW_CELLS);
}

/* Many stretches and levels of them. */
static bool
large(uint64_t round)
{
	c = swg_any(&seed, 1500, 1500);
	swg_copy(&seed, c.s.letters, c.t, c.m, below(&seed, c.m / 8 + 1), c.q,
		 c.n, (unsigned)(round % 5) * 5);
	return check(OSW_ALIGNMENTS);
}

/* Scores above 2^31. */
static bool
huge(uint64_t round)
{
	(void)round;
	swg_dna(&c.s, 1000000, -1000000, 1000000, 999999);
	swg_room(&c, 2300, 2310);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, c.m);
	swg_copy(&seed, 4, c.t, c.m, 4, c.q, c.n, 1);
	return check(OSW_ALIGNMENTS);
}

/* Hits that there are not: an error, or another path of that score. */
static bool
wrong(uint64_t round)
{
	struct buf b = { 0 };
	struct err e;
	bool good = true;

	c = swg_any(&seed, 1 + round % 60, 1 + round % 200);
	open_case();
	for (unsigned i = 0; i < 50 && c.m; i++) {
		struct sw_hit h = { .score = (int64_t)below(&seed, 40) };
		size_t k = below(&seed, n_isas());

		h.qbeg = below(&seed, c.n);
		h.qend = swg_between(&seed, h.qbeg, c.n);
		h.beg = below(&seed, text.n);
		h.end = swg_between(&seed, h.beg, text.n);
		b.n = 0;
		if (!kernels[k]->wide && !sw_trace_fits(query, c.n, text.n))
			continue;
		if (sw_trace_by(kernels[k], below(&seed, 500), query, &text,
				&h, scoring.same, work, &b, &e) == 0) {
			struct cigar_sum s = cigar_sum((void *)b.p, b.n / 4);

			good = good && s.query == h.qend - h.qbeg &&
			       s.subject == h.end - h.beg;
		}
	}
	buf_free(&b);
	close_case();
	return good;
}

/* Runs of more than an operation holds. */
static bool
long_run(void)
{
	struct buf b = { 0 };
	struct sw_path p = { .ops = &b, .op = CIGAR_D,
			     .len = 2ull * CIGAR_MAX_LEN + 5 };
	struct cigar_sum s;
	bool good;

	sw_path_end(&p);
	s = cigar_sum((void *)b.p, b.n / 4);
	good = b.n == 12 && s.del == 2ull * CIGAR_MAX_LEN + 5 && s.gaps == 1;
	buf_free(&b);
	return good;
}

/*
 * A strip by each kernel: the same H and F below it, where they matter.
 * Columns around multiples of the kernels' block of 256 steps.
 */
static bool
same_strip(const struct sw_tracing *by, const int64_t *h, const int64_t *f)
{
	size_t cols = c.m, n = 2 * SW_ROWS + cols;
	int32_t *v = osw_alloc(2 * n, sizeof *v);
	int64_t *w = osw_alloc(2 * n, sizeof *w);
	uint8_t *dirs = swg_alloc(2 * SW_DIRS * (cols + 15) + SW_DIRS * 7);
	struct sw_strip x = {
		.q = query, .row = query->code, .col = text.codes,
		.cols = cols, .h = v + SW_ROWS, .f = v + n + SW_ROWS,
		.corner = 3, .dirs = dirs, .score = INT64_MIN / 2,
	}, y = x;
	bool good = true;

	for (size_t i = 0; i < cols; i++) {
		v[SW_ROWS + i] = (int32_t)(w[SW_ROWS + i] = h[i]);
		v[n + SW_ROWS + i] = (int32_t)(w[n + SW_ROWS + i] = f[i]);
	}
	by->strip(&x);
	y.h = w + SW_ROWS;
	y.f = w + n + SW_ROWS;
	y.dirs = NULL;
	for (unsigned r = 0; r < by->rows; r += 8, y.row += 8, y.corner = 0)
		sw_tracing_scalar.strip(&y);
	for (size_t i = SW_ROWS; i < SW_ROWS + cols; i++)
		good = good && v[i] == w[i] &&
		       (v[n + i] == w[n + i] || w[n + i] <= 0);
	free(v);
	free(w);
	free(dirs);
	return good;
}

static bool
strips(uint64_t round)
{
	size_t cols = below(&seed, 3) ? 1 + below(&seed, 40) + round % 3 * 230 :
		      1 + round;
	int64_t *above = osw_alloc(2 * cols, sizeof *above);
	bool good = true;

	c = swg_any(&seed, 16, 1);
	free(c.t);
	c.m = cols;
	c.t = swg_alloc(cols);
	swg_fill(&seed, round % SWG_KINDS, c.s.letters, c.t, cols);
	c.q = realloc(c.q, 16);
	swg_fill(&seed, round % SWG_KINDS, c.s.letters, c.q, c.n = 16);
	for (size_t i = 0; i < 2 * cols; i++)
		above[i] = (int64_t)below(&seed, 20);
	open_case();
	for (size_t k = 1; good && k < n_isas(); k++)
		good = same_strip(kernels[k], above, above + cols);
	free(above);
	close_case();
	return good;
}

int
main(void)
{
	swg_sweep(&seed, "strips", strips, 1000);
	swg_sweep(&seed, "any", any, 1500);
	swg_sweep(&seed, "families", families, 300);
	swg_sweep(&seed, "thin", thin, 300);
	swg_sweep(&seed, "large", large, 10);
	swg_sweep(&seed, "scores above 2^31", huge, 1);
	swg_sweep(&seed, "wrong hits", wrong, 400);
	ok(long_run(), "operations of at most CIGAR_MAX_LEN letters");
	return done();
}
