/* SPDX-License-Identifier: MIT */
/*
 * sw_checkpoints.c - columns that a pass leaves are the textbook's; what begins
 * there is as if it had begun before
 */
#include "tests/lib/sw_checkpoints_case.h"

static const int32_t scores[][4] = {
	{ 2, -3, 5, 2 }, { 5, -3, 8, 1 }, { 1, -1, 0, 1 }, { 30, -30, 8, 3 },
};

static int64_t
no_raise(void *ctx, uint64_t block, int64_t top)
{
	(void)ctx;
	(void)block;
	(void)top;
	return 1;
}

/* Before column j: H, and a next E that may be less. */
static bool
is_column(const struct osw *x, const struct sw_checkpoint *v, size_t j)
{
	for (size_t i = 1; i <= c.n; i++) {
		size_t cell = i * x->width + j;
		int64_t e = osw_max(x->H[cell] - c.s.open, x->E[cell]) -
			    c.s.extend;

		if (v[i - 1].h != x->H[cell] || v[i - 1].e > osw_max(e, 0) ||
		    v[i - 1].e < v[i - 1].h - c.s.open - c.s.extend) {
			printf("# row %zu column %zu: %d %d not %lld %lld\n",
			       i, j, v[i - 1].h, v[i - 1].e,
			       (long long)x->H[cell], (long long)e);
			return false;
		}
	}
	return true;
}

/* All marks of a text of two segments, the second one from block `cut` on. */
static bool
check_marks(const struct sw_query *q, const struct sw_text *t)
{
	const struct sw_checkpoints *m = &work->marks;
	struct osw_scoring s;
	struct osw x[2];
	bool good = true;

	swg_oracle(&c.s, &s);
	for (size_t i = 0; i < 2; i++)
		x[i] = osw_new(&s, (struct osw_query){ c.q, c.n, false },
			       (struct osw_subject){ c.t + t->seg[i].beg,
			       t->seg[i].end - t->seg[i].beg, 0 }, i);
	for (size_t n = 1; good && n <= m->n; n++) {
		uint64_t at = n * m->every + below(&seed, m->every);
		const struct sw_checkpoint *v =
		    sw_checkpoints_before(m, q, t, 0, &at);
		size_t i = at > t->seg[1].beg;

		good = at == n * m->every && at % step() == 0 && at < t->n &&
		       v && is_column(&x[i], v, at - t->seg[i].beg);
	}
	osw_free(&x[0]);
	osw_free(&x[1]);
	return good;
}

static bool
pass(size_t n, size_t m, const int32_t *v, struct crew *crew)
{
	struct sw_seg seg[] = {
		{ 0, SW_BLOCK * (1 + below(&seed, m / SW_BLOCK - 1)), 0 },
		{ 0, m, 0 },
	};
	struct sw_peak *peak = calloc(m / SW_BLOCK, sizeof *peak);
	struct sw_text t = { .n = m, .seg = seg, .n_seg = 2 };
	struct sw_pass p = { .t = &t, .peak = peak, .threshold = 1,
			     .raise = no_raise };
	struct sw_query *q;
	bool good;

	seg[1].beg = seg[1].own = seg[0].end;
	new_case(n, m, v);
	t.codes = c.t;
	if (!peak || sw_query_new(&q, &c.s, c.q, n, false, SW_SKEW, &err))
		abort();
	p.q = q;
	sw_work_crew(work, crew, 1);
	good = !sw_pass(&p, work, &err) && check_marks(q, &t);
	sw_work_crew(work, NULL, 0);
	sw_query_free(q);
	free(peak);
	return good;
}

/* So many marks are there, if there are any. */
static bool
leaves(size_t n)
{
	return work->marks.n == (step() ? n : 0);
}

/* Rows around a strip's and all lanes', texts around a mark. */
static bool
columns(struct crew *crew)
{
	static const size_t rows[] = { 1, 9, 300, 513, 1100 };
	const uint64_t m = step() ? step() : SW_BLOCK * 32;
	bool good = true;

	for (size_t i = 0; i < 5 && good; i++)
		good = pass(rows[i], m, scores[i % 4], crew) && leaves(0) &&
		       pass(rows[i], m + SW_BLOCK, scores[i % 4], crew) &&
		       leaves(1);
	return good && pass(300, 3 * m, scores[1], crew) && leaves(2);
}

static bool
bands(void)
{
	struct crew *crew;
	struct helpers h;
	bool good;

	if (crew_new(&crew, 3, &err))
		abort();
	helpers_begin(&h, crew);
	good = columns(crew);
	helpers_end(&h);
	crew_free(crew);
	return good;
}

/* Room for a mark, and for none. */
static bool
few(void)
{
	const uint64_t m = 3 * (step() ? step() : SW_BLOCK * 32) + SW_BLOCK;
	bool good;

	new_work(0, 0);
	work->lanes_bytes = 16 * 20 * sizeof(struct sw_checkpoint);
	good = pass(20, m, scores[0], NULL) && leaves(1);
	work->lanes_bytes--;
	return good && pass(20, m, scores[0], NULL) && leaves(0);
}

/* Paths over marks, regions that begin there, and at the one before. */
static bool
regions(void)
{
	const uint64_t m = step() ? 3 * step() : SW_BLOCK * 32;
	bool good = true;

	for (unsigned i = 0; i < 12 && good; i++) {
		size_t n = 20 + below(&seed, 150), least;

		new_work(1 + i % 3, 0);
		new_case(n, m, scores[i % 4]);
		for (unsigned k = 1; step() && k < 3; k++)
			swg_copy(&seed, 4, c.t, m, k * step() -
				 below(&seed, n + 1), c.q, n, 5);
		least = (size_t)scores[i % 4][0] * n / 3;
		good = check_best(&c, 1 + i % 2, (int64_t)least, work);
	}
	return good;
}

int
main(void)
{
	new_work(0, 0);
	ok(columns(NULL), "columns of a pass");
	ok(bands(), "columns of bands of rows");
	ok(few(), "little room");
	ok(regions(), "regions that begin at marks");
	swg_free(&c);
	sw_work_free(work);
	return done();
}
