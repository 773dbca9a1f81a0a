/* SPDX-License-Identifier: MIT */
/* sw_least.c - while the least score rises, no hit that still counts is lost */
#include <pthread.h>
#include <sched.h>

#include "sw/sw_priv.h"

#include "tests/lib/sw_case.h"

enum { STEPS = 40, SPIN = 1000 };

static uint64_t seed = 20261125;
static struct sw_work *work;
static struct sw_hits hits;

struct riser {
	int64_t least, to, step;
	bool go;
};

/* What others find meanwhile. */
static void *
rise(void *ctx)
{
	struct riser *r = ctx;
	int64_t least = r->least;

	while (!__atomic_load_n(&r->go, __ATOMIC_ACQUIRE))
		sched_yield();
	for (; least < r->to; least += r->step) {
		__atomic_store_n(&r->least, least, __ATOMIC_RELAXED);
		for (unsigned i = 0; i < SPIN; i++)
			(void)__atomic_load_n(&r->go, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&r->least, r->to, __ATOMIC_RELAXED);
	return NULL;
}

/* The hits that reach what the least is in the end. */
static bool
same(const struct swc *c, const struct sw_query *q, size_t k)
{
	size_t n = k < c->want.n ? k : c->want.n;
	struct riser r = { .least = 1 };
	pthread_t thread;
	struct err e;

	if (n == 0)
		return true;
	r.to = c->want.v[below(&seed, n)].score + (int64_t)below(&seed, 2);
	r.step = r.to / STEPS + 1;
	while (n && c->want.v[n - 1].score < r.to)
		n--;
	if (pthread_create(&thread, NULL, rise, &r))
		abort();
	__atomic_store_n(&r.go, true, __ATOMIC_RELEASE);
	if (sw_best(q, &c->text, c->kind, k, &r.least, work, &hits, &e))
		abort();
	pthread_join(thread, NULL);
	for (size_t i = 0; i < n; i++)
		if (i >= hits.n || !swc_equal(c, &hits.v[i], &c->want.v[i]))
			return swc_differs(c, i, &hits, n);
	return true;
}

static bool
check(const struct swg_case *g, enum sw_kind kind)
{
	struct swc c = { .s = &g->s, .q = g->q, .n = g->n, .kind = kind,
			 .least = 1, .n_subjects = 1 };
	struct sw_query *q;
	struct err e;
	bool good = true;

	c.subject[0] = (struct swc_subject){ .t = g->t, .n = g->m };
	swc_ready(&c);
	if (sw_query_new(&q, &g->s, g->q, g->n, false, SW_AUTO, &e))
		abort();
	for (int i = 0; good && i < 6; i++)
		good = same(&c, q, 1 + below(&seed, i % 2 ? 300 : 12));
	sw_query_free(q);
	swc_free(&c);
	return good;
}

int
main(void)
{
	size_t rounds = (size_t)fewer(60), round = 0;
	bool good = true;
	struct err e;

	if (sw_work_new(&work, &e))
		return 1;
	for (; good && round < rounds; round++) {
		struct swg_case g = round % 2 ?
		    swg_any(&seed, 1 + round % 30, 3000) :
		    swg_family(&seed, 20 + round % 60, below(&seed, 3000));

		work->piece = below(&seed, 2) * SW_BLOCK;
		good = check(&g, round % 3 ? SW_ALIGNMENTS : SW_CELLS);
		swg_free(&g);
	}
	ok(good, "%zu cases", round);
	sw_hits_free(&hits);
	sw_work_free(work);
	return done();
}
