/* SPDX-License-Identifier: MIT */
/* sw_seed.c - a score from seeds is one that a hit has */
#include "tests/lib/sw_case.h"
#include "sw/sw_priv.h"

static uint64_t seed = 20261123;
static struct sw_work *work;
static struct sw_hits hits;
static struct err err;

/*
 * Pieces of the query one behind the other, some letters apart, or some of them
 * twice; or some left out.
 */
static void
relate(const struct swg_case *c, unsigned percent)
{
	size_t i = below(&seed, c->n / 3 + 1), j = below(&seed, c->m / 2 + 1);

	while (i < c->n && j < c->m) {
		size_t n = swg_between(&seed, 10, 200);

		n = n < c->n - i ? n : c->n - i;
		j = swg_copy(&seed, 4, c->t, c->m, j, c->q + i, n, percent);
		i += n;
		switch (below(&seed, 4)) {
		case 0:
			j += below(&seed, 40);
			break;
		case 1:
			i += below(&seed, 40);
			break;
		case 2:
			i -= below(&seed, n < 30 ? n : 30);
			break;
		}
	}
}

static struct swg_case
make(size_t round)
{
	static const int32_t v[][4] = {
		{ 2, -3, 5, 2 }, { 5, -4, 8, 4 }, { 1, -1, 0, 1 },
		{ 9, -30, 0, 9 }, { 5, 0, 3, 1 }, { 2, -9, 1, 0 },
	};
	const int32_t *s = v[round % 6];
	struct swg_case c;

	swg_dna(&c.s, s[0], s[1], s[2], s[3]);
	swg_room(&c, round < 20 ? round : swg_between(&seed, 20, 700),
		 round % 7 ? swg_between(&seed, 1, 1500) : round % 20);
	c.n += !c.n;
	swg_fill(&seed, SWG_RANDOM, round % 5 ? 4 : 5, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, round % 5 ? 4 : 5, c.t, c.m);
	relate(&c, (unsigned)(round / 3 % 4 * 3));
	return c;
}

/* Up to three subjects; of some the first letters do not count. */
static void
cut(struct swc *x, const struct swg_case *c)
{
	size_t at = 0;

	x->n_subjects = 0;
	while (x->n_subjects < 3 && at < c->m) {
		size_t n = x->n_subjects == 2 ? c->m - at :
			   swg_between(&seed, 1, c->m - at);
		size_t own = below(&seed, 2) ? below(&seed, n) : 0;

		x->subject[x->n_subjects++] = (struct swc_subject){
			.t = c->t + at, .n = n, .own = own };
		at += n;
	}
}

/* Nothing is found; less is; as much is. */
static unsigned reported[3];

static bool
check(const struct swg_case *c)
{
	struct swc x = { .s = &c->s, .q = c->q, .n = c->n, .least = 1,
			 .kind = SW_ALIGNMENTS };
	const int64_t least = 1;
	int64_t bound = 0, best = 0;
	struct sw_query *q;

	cut(&x, c);
	swc_layout(&x);
	if (sw_query_new(&q, &c->s, c->q, c->n, false, SW_PLAIN, &err) ||
	    sw_best(q, &x.text, SW_ALIGNMENTS, 1, &least, work, &hits, &err) ||
	    sw_bound(q, &x.text, NULL, &bound, &err))
		abort();
	best = hits.n ? hits.v[0].score : 0;
	reported[bound == 0 ? 0 : bound < best ? 1 : 2]++;
	if (bound > best)
		printf("# %lld, the best is %lld\n", (long long)bound,
		       (long long)best);
	sw_query_free(q);
	free(x.codes);
	return bound <= best;
}

/* Two gaps and some mismatches, of letters that are there once: all of it. */
static void
check_all(void)
{
	struct swg_case c;
	const int64_t want = 2 * 996 - 3 * 4 - (5 + 2 * 7) - (5 + 2 * 9);
	int64_t bound = want - 1000;
	struct sw_seg seg = { 0, 1024, 0 };
	struct sw_text t = { .n = 1024, .seg = &seg, .n_seg = 1 };
	struct sw_query *q;

	swg_dna(&c.s, 2, -3, 5, 2);
	swg_room(&c, 1009, 1024);
	swg_fill(&seed, SWG_RANDOM, 4, c.q, c.n);
	memset(c.t, 4, c.m);
	memcpy(c.t + 10, c.q, 300);
	memcpy(c.t + 310, c.q + 309, 400);
	memcpy(c.t + 717, c.q + 709, 300);
	c.t[60] ^= 1;
	c.t[200] ^= 2;
	c.t[500] ^= 3;
	c.t[900] ^= 1;
	t.codes = c.t;
	if (sw_query_new(&q, &c.s, c.q, c.n, false, SW_AUTO, &err) ||
	    sw_bound(q, &t, NULL, &bound, &err))
		abort();
	ok(bound == want, "%lld, as it should be %lld", (long long)bound,
	   (long long)want);
	sw_query_free(q);
	swg_free(&c);
}

/* Of relatives with gaps it is nearly the best score. */
static void
check_near(unsigned percent)
{
	const int64_t least = 1;
	struct swg_case c;
	int64_t bound = 0;
	struct sw_seg seg = { 0, 0, 0 };
	struct sw_text t = { .seg = &seg, .n_seg = 1 };
	struct sw_query *q;

	swg_dna(&c.s, 2, -3, 5, 2);
	swg_room(&c, 6000, 6400);
	swg_fill(&seed, SWG_RANDOM, 4, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, 4, c.t, c.m);
	swg_copy(&seed, 4, c.t, c.m, 100, c.q, c.n, percent);
	t.codes = c.t;
	t.n = seg.end = c.m;
	if (sw_query_new(&q, &c.s, c.q, c.n, false, SW_AUTO, &err) ||
	    sw_best(q, &t, SW_ALIGNMENTS, 1, &least, work, &hits, &err) ||
	    sw_bound(q, &t, NULL, &bound, &err) || !hits.n)
		abort();
	ok(bound <= hits.v[0].score && 25 * bound >= 24 * hits.v[0].score,
	   "%u %% changed: %lld of %lld", percent, (long long)bound,
	   (long long)hits.v[0].score);
	sw_query_free(q);
	swg_free(&c);
}

int
main(int argc, char **argv)
{
	size_t rounds = (size_t)not_too_few(600), round = 0;
	bool good = true;

	if (argc > 1)
		rounds *= strtoul(argv[1], NULL, 10);
	if (sw_work_new(&work, &err))
		return 1;
	for (; good && round < rounds; round++) {
		uint64_t was = seed;
		struct swg_case c = make(round);

		good = check(&c);
		if (!good)
			printf("# round %zu, seed %llu\n", round,
			       (unsigned long long)was);
		swg_free(&c);
	}
	ok(good, "%zu cases", round);
	ok(reported[0] > rounds / 20 && reported[1] > rounds / 10 &&
	       reported[2] > rounds / 20,
	   "nothing %u, less %u, all %u", reported[0], reported[1],
	   reported[2]);
	check_all();
	for (unsigned percent = 2; percent <= 16; percent *= 2)
		check_near(percent);
	sw_hits_free(&hits);
	sw_work_free(work);
	return done();
}
