/* SPDX-License-Identifier: MIT */
/*
 * sw_region.c - cells and starts of columns anywhere, by the textbook
 *
 * What comes from before the window is the risk here: paths that enter it in a
 * gap, at the bound, with nearly the score of those that begin in it.
 */
#include "sw/sw_priv.h"

#include "tests/lib/sw_case.h"

struct seen {
	const struct osw *x;
	const struct osw_starts *s;
	uint64_t from, to;
	int64_t least, step;
	bool *reported, good;
};

static uint64_t seed;
static struct sw_work *work;

static int64_t
put(void *ctx, const struct sw_hit *h)
{
	struct seen *s = ctx;
	size_t c = h->qend * s->x->width + h->end;

	if (h->end <= s->from || h->end > s->to || h->qend < 1 ||
	    h->qend > s->x->query.n || h->end >= s->x->width ||
	    !osw_is_cell(s->x, h->qend, h->end) || h->score != s->x->H[c] ||
	    h->qbeg * s->x->width + h->beg != s->s->h[c]) {
		if (s->good)
			printf("# wrong: score %lld rows %llu-%llu columns "
			       "%llu-%llu\n", (long long)h->score,
			       (unsigned long long)h->qbeg,
			       (unsigned long long)h->qend,
			       (unsigned long long)h->beg,
			       (unsigned long long)h->end);
		s->good = false;
		return s->least;
	}
	s->reported[c] = true;
	if (h->score >= s->least && s->step)
		s->least += (int64_t)below(&seed, (uint64_t)s->step);
	return s->least;
}

/* Every cell that was wanted at the end. */
static bool
all_reported(const struct seen *s)
{
	for (size_t j = s->from + 1; j <= s->to && j < s->x->width; j++)
		for (size_t i = 1; i <= s->x->query.n; i++) {
			size_t c = i * s->x->width + j;

			if (s->x->H[c] < s->least || s->reported[c] ||
			    !osw_is_cell(s->x, i, j))
				continue;
			printf("# missing: score %lld row %zu column %zu\n",
			       (long long)s->x->H[c], i, j);
			return false;
		}
	return true;
}

/* Bounds of blocks, some of them not sharp; returns the largest H of some. */
static int64_t
peaks_of(const struct osw *x, struct sw_peak *peak, uint64_t blocks,
	 uint64_t from, uint64_t to)
{
	int64_t most = 0;

	for (uint64_t b = 0; b < blocks; b++) {
		int64_t top = 0;

		for (size_t i = 1; i <= x->query.n; i++)
			for (size_t j = b * 64 + 1; j <= b * 64 + 64 &&
			     j < x->width; j++)
				top = osw_max(top, x->H[i * x->width + j]);
		peak[b] = (struct sw_peak){ top, true };
		if (below(&seed, 4) == 0)
			peak[b] = (struct sw_peak){
			    top + (int64_t)below(&seed, 9), false };
		if (b * 64 >= from && b * 64 < to)
			most = osw_max(most, top);
	}
	return most;
}

static bool
check_one(const struct swg_case *g, const struct sw_text *t, struct seen *s,
	  enum sw_engine engine, const struct sw_peak *peak)
{
	struct sw_region x = {
		NULL, t, t->seg, s->from, s->to, s->least, peak, put, s,
	};
	struct sw_query *q;
	struct err e = { 0 };
	int rc = sw_query_new(&q, &g->s, g->q, g->n, false, engine, &e);

	x.q = q;
	if (rc || sw_region(&x, work, &e)) {
		printf("# %s\n", e.text);
		return false;
	}
	sw_query_free(q);
	return s->good && all_reported(s);
}

static void
check_some(const struct swg_case *g, const struct sw_text *t,
	   const struct osw *x, const struct osw_starts *all,
	   bool good[SWC_ENGINES])
{
	uint64_t blocks = t->n / SW_BLOCK, b = below(&seed, blocks);
	struct seen s = { .x = x, .s = all, .from = b * SW_BLOCK };
	struct sw_peak *peak = osw_alloc(blocks, sizeof *peak);
	int64_t most, least;

	s.to = (b + 1 + below(&seed, below(&seed, 2) ? 2 : blocks - b)) *
	       SW_BLOCK;
	s.to = s.to < t->n ? s.to : t->n;
	most = peaks_of(x, peak, blocks, s.from, s.to);
	least = 1 + (int64_t)below(&seed, (uint64_t)most + 2);
	if (below(&seed, 2))
		least = most > 3 ? most - (int64_t)below(&seed, 3) : 1;
	s.step = below(&seed, 2) ? 0 : 1 + (int64_t)below(&seed, 4);
	for (size_t i = 0; i < SWC_ENGINES; i++) {
		s.least = least;
		s.good = true;
		s.reported =
		    osw_alloc((g->n + 1) * x->width, sizeof *s.reported);
		if (good[i] && !check_one(g, t, &s, (enum sw_engine)i, peak)) {
			good[i] = false;
			printf("# columns %llu-%llu of %zu, n %zu, least "
			       "%lld\n", (unsigned long long)s.from,
			       (unsigned long long)s.to, g->m, g->n,
			       (long long)least);
		}
		free(s.reported);
	}
	free(peak);
}

static void
check(const struct swg_case *g, bool good[SWC_ENGINES])
{
	struct swc c = { .s = &g->s, .q = g->q, .n = g->n, .n_subjects = 1 };
	struct osw_query q = { g->q, g->n, false };
	struct osw_subject t = { g->t, g->m, 0 };
	struct osw_scoring s;
	struct osw_starts all;
	struct osw x;

	c.subject[0] = (struct swc_subject){ .t = g->t, .n = g->m };
	swc_layout(&c);
	swg_oracle(&g->s, &s);
	x = osw_new(&s, q, t, 0);
	all = osw_all_starts(&x);
	for (size_t i = 0; i < 12; i++)
		check_some(g, &c.text, &x, &all, good);
	free(all.h);
	osw_free(&x);
	swc_free(&c);
}

/* Pieces of the query apart by letters that match nothing, gaps nearly free. */
static struct swg_case
gaps(size_t round)
{
	struct swg_case c;
	size_t n = 2 + round % 40, at = 0, i = 0;

	swg_dna(&c.s, (int32_t)swg_between(&seed, 1, 12),
		-(int32_t)below(&seed, 9), (int32_t)below(&seed, 40),
		(int32_t)below(&seed, 2));
	swg_room(&c, n, swg_between(&seed, 200, 1200));
	swg_fill(&seed, SWG_RANDOM, 5, c.q, n);
	memset(c.t, 4, c.m);
	while (at < c.m) {
		size_t len = swg_between(&seed, 1, n);

		if (i + len > n)
			i = below(&seed, n - len + 1);
		if (below(&seed, 2))	/* the block's largest H ends it */
			at = swc_round(at + len) - len;
		swg_copy(&seed, 4, c.t, c.m, at, c.q + i, len,
			 below(&seed, 2) ? 0 : 10);
		i += len;
		at += len + below(&seed, below(&seed, 3) ? 20 : 300);
	}
	return c;
}

static struct swg_case
linear(size_t round)
{
	struct swg_case c;

	swg_room(&c, 1 + round % 60, swg_between(&seed, 100, 1500));
	swg_dna(&c.s, 5, -3, 8, 1);
	if (round % 3 == 0)
		swg_dna(&c.s, 1, -(int32_t)below(&seed, 2),
			(int32_t)below(&seed, 3), (int32_t)below(&seed, 2));
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.q, c.n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.t, c.m);
	return c;
}

static struct swg_case
any(size_t round)
{
	struct swg_case c = swg_any(&seed, 1 + round % 40, 900);

	while (!c.m) {
		swg_free(&c);
		c = swg_any(&seed, 40, 900);
	}
	return c;
}

static struct swg_case
family(size_t round)
{
	return swg_family(&seed, 1 + round % 60, 1 + below(&seed, 900));
}

int
main(void)
{
	struct err e;

	if (sw_work_new(&work, &e))
		abort();
	swc_sweep(&seed, "gaps", gaps, 1000, check);
	swc_sweep(&seed, "long alignments", linear, 100, check);
	swc_sweep(&seed, "any", any, 150, check);
	swc_sweep(&seed, "copies", family, 60, check);
	sw_work_free(work);
	return done();
}
