/* SPDX-License-Identifier: MIT */
/* sw_meter.c - how far a search is: it moves, and ends with all cells */
#include "tests/lib/sw_crew.h"
#include "tests/lib/sw_lanes_case.h"

static struct sw_meter meter;
static uint64_t ticks, last, backwards, beyond, all;

/* By one thread: a lock is not needed. */
static void
tick(void *ctx)
{
	const struct sw_meter *m = ctx;

	ticks++;
	backwards += m->done < last;
	beyond += m->done > m->more + all;
	last = m->done;
}

/* From any thread: how far it is does not matter. */
static void
tick_shared(void *ctx)
{
	(void)ctx;
	__atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
}

/*
 * A search by an engine, of the best one by the bound of seeds; what the meter
 * says in the end.
 */
static void
search(const struct swg_case *c, enum sw_engine engine, const char *name,
       struct crew *crew, size_t k)
{
	/* behind a text 64 bytes are read */
	const uint64_t n = (c->m - 64) / SW_BLOCK * SW_BLOCK;
	struct sw_seg seg = { 0, n, 0 };
	struct sw_text t = { c->t, n, &seg, 1, { 0 } };
	struct sw_hits hits = { 0 };
	int64_t least = 1;
	struct sw_query *q;
	struct helpers h;
	int rc;

	meter = (struct sw_meter){ .tick = crew ? tick_shared : tick,
				   .ctx = &meter };
	ticks = last = backwards = beyond = 0;
	all = c->n * n;
	if (sw_query_new(&q, &c->s, c->q, c->n, false, engine, &err))
		abort();
	if (k == 1 && sw_bound(q, &t, NULL, &least, &err))
		abort();
	sw_work_crew(work, crew, 1);
	if (crew)
		helpers_begin(&h, crew);
	rc = sw_best(q, &t, SW_ALIGNMENTS, k, &least, work, &hits, &err);
	if (crew)
		helpers_end(&h);
	sw_work_crew(work, NULL, 0);
	ok(rc == 0 && meter.done == all + meter.more &&
	   meter.left_out <= meter.done && ticks > 1,
	   "%s: %" PRIu64 " of %" PRIu64 " cells, left out %" PRIu64
	   ", %" PRIu64 " ticks", name, meter.done, all + meter.more,
	   meter.left_out, ticks);
	ok(!backwards && !beyond, "%s does not go back nor beyond", name);
	sw_hits_free(&hits);
	sw_query_free(q);
}

/* Without vectors so many letters would take ten times as long. */
static uint64_t
letters(uint64_t n)
{
	return cpu_isa() == ISA_SCALAR ? n / 4 : n;
}

static void
engines(void)
{
	static const enum sw_engine engine[] = {
		SW_AUTO, SW_PLAIN, SW_LANES8, SW_LANES16, SW_SKEW,
	};
	static const char *const name[] = {
		"auto", "plain", "lanes8", "lanes16", "skew",
	};
	struct swg_case low = with(2, -3, 5, 2, 1200, 64 * 150);
	struct swg_case high = with(5, -3, 8, 1, 1200, 64 * 150);
	struct swg_case large = with(999, -1000, 999000, 900, 1200, 64 * 150);

	for (int i = 0; i < 5; i++) {
		search(&low, engine[i], name[i], NULL, 1);
		search(&high, engine[i], name[i], NULL, 3);
		search(&large, engine[i], name[i], NULL, 1);
	}
	swg_free(&low);
	swg_free(&high);
	swg_free(&large);
}

/* Two that are nearly the same: most cells lead to nothing. */
static void
alike(struct crew *crew, const char *name)
{
	struct swg_case c = with(2, -3, 5, 2, letters(9000),
				 64 * letters(144));

	swg_copy(&seed, 4, c.t, c.m, 0, c.q, c.n, 1);
	search(&c, SW_SKEW, name, crew, 1);
	ok(cpu_isa() == ISA_SCALAR || meter.left_out > all / 2,
	   "%s: most cells are left out", name);
	swg_free(&c);
}

/* Others beside a best alignment, of which they are a small part. */
static void
beside(void)
{
	struct swg_case c = with(2, -3, 5, 2, letters(14000),
				 64 * letters(260));

	swg_copy(&seed, 4, c.t, c.m, 0, c.q, c.n, 5);
	search(&c, SW_AUTO, "beside another", NULL, 3);
	ok(cpu_isa() == ISA_SCALAR || meter.more > c.n * c.m,
	   "others take as many cells");
	swg_free(&c);
}

/* Disjoint ones: all cells, then those that change. */
static void
disjoint(void)
{
	struct swg_case c = with(2, -3, 5, 2, 900, 3000);
	struct sw_disjoint d = {
		.s = &c.s, .query = c.q, .text = c.t, .m = c.n, .n = c.m,
		.meter = &meter,
	};
	uint8_t same[SW_LETTERS] = { 0, 1, 2, 3, 255 };
	struct buf ops = { 0 };
	struct sw_hit h;
	int got = 1;

	d.same = same;
	meter = (struct sw_meter){ .tick = tick, .ctx = &meter };
	ticks = last = backwards = beyond = 0;
	all = d.m * d.n;
	if (sw_disjoint_begin(&d, &err))
		abort();
	ok(meter.done == all && meter.more == 0, "all cells once");
	for (int i = 0; i < 5 && got > 0; i++)
		got = sw_disjoint_next(&d, 1, &h, &ops, &err);
	ok(got > 0 && meter.done == all + meter.more && meter.more > 0 &&
	   !backwards && !beyond && ticks > 5,
	   "disjoint: %" PRIu64 " cells more", meter.more);
	sw_disjoint_free(&d);
	buf_free(&ops);
	swg_free(&c);
}

/* Texts of which nobody asks, and none at all. */
static void
nobody(void)
{
	struct swg_case c = with(2, -3, 5, 2, 10, 0);

	sw_work_meter(work, &meter);
	meter.done = 0;
	{
		struct sw_text t = { c.t, 0, NULL, 0, { 0 } };
		struct sw_hits hits = { 0 };
		const int64_t least = 1;
		struct sw_query *q;

		if (sw_query_new(&q, &c.s, c.q, c.n, false, SW_AUTO, &err))
			abort();
		ok(sw_best(q, &t, SW_ALIGNMENTS, 1, &least, work, &hits,
			   &err) == 0 && meter.done == 0, "no text, no cell");
		sw_hits_free(&hits);
		sw_query_free(q);
	}
	swg_free(&c);
}

int
main(void)
{
	struct crew *crew;

	if (sw_work_new(&work, &err) || crew_new(&crew, 3, &err))
		return 1;
	sw_work_meter(work, &meter);
	engines();
	alike(NULL, "alone");
	alike(crew, "three threads");
	beside();
	disjoint();
	nobody();
	crew_free(crew);
	sw_work_free(work);
	return done();
}
