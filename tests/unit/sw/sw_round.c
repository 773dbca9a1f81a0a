/* SPDX-License-Identifier: MIT */
/* sw_round.c - bounds by rounded scores find what the textbook does */
#include "sw/sw_priv.h"

#include "tests/lib/sw_case.h"

static uint64_t seed;
static struct sw_work *work;
static struct sw_hits hits;

/* Of `best`: so many in a thousand. */
static int32_t
part_of(int32_t best, uint64_t from, uint64_t to)
{
	int64_t x = best * (int64_t)swg_between(&seed, from, to) / 1000;

	return x < SW_MAX_SCORE ? (int32_t)x : SW_MAX_SCORE;
}

/* Large numbers, by any ratio; some scores of pairs between the two. */
static void
scheme(struct sw_scoring *s)
{
	int32_t best = (int32_t)swg_between(&seed, 1, 999999) %
		       (below(&seed, 2) ? 2000 : 1000000) + 1;

	swg_dna(s, best, -part_of(best, 300, 2500), part_of(best, 0, 6000),
		part_of(best, 0, 1200));
	for (unsigned a = 0; below(&seed, 3) == 0 && a < 4; a++)
		s->score[a][(a + 2) % 4] = -part_of(best, 0, 1000);
}

static bool
round_right(uint64_t first)
{
	struct swc c = { .least = 1, .n_subjects = 1 };
	struct swg_case g;
	size_t k[] = { 1, 0 };
	bool good = true;

	seed = first;
	k[1] = swg_between(&seed, 2, 50);
	g = swg_family(&seed, swg_between(&seed, 1, 90),
		       swg_between(&seed, 1, 4000));
	scheme(&g.s);
	c.s = &g.s;
	c.q = g.q;
	c.n = g.n;
	c.kind = (enum sw_kind)below(&seed, 2);
	c.minus = below(&seed, 2);
	if (below(&seed, 4) == 0)
		c.least = (int64_t)swg_between(&seed, 1, 20) *
			  g.s.score[0][0];
	c.subject[0] = (struct swc_subject){ .t = g.t, .n = g.m,
		.own = below(&seed, 2) ? below(&seed, g.m) : 0 };
	swc_ready(&c);
	for (size_t i = 0; i < 2 && good; i++)
		good = swc_check(&c, SW_AUTO, k[i], work, &hits);
	if (!good)
		printf("# seed %llx\n", (unsigned long long)first);
	swc_free(&c);
	swg_free(&g);
	return good;
}

int
main(void)
{
	/* without vectors nothing is rounded */
	size_t n = fewer(cpu_isa() == ISA_SCALAR ? 100 : 1300);
	bool good = true;
	struct err e;

	if (sw_work_new(&work, &e))
		abort();
	work->round_always = true;
	/* one of the first needs its scores as they are: few do */
	for (size_t i = 0; i < n && good; i++)
		good = round_right(0xb278 + i);
	ok(good, "%zu texts", n);
	printf("# %llu passes, %llu again\n",
	       (unsigned long long)work->rounded.passes,
	       (unsigned long long)work->rounded.again);
	ok(cpu_isa() == ISA_SCALAR || n < 50 ||
	   (work->rounded.passes > n / 2 && work->rounded.again > 0 &&
	    work->rounded.again < n / 2),
	   "mostly rounded scores do, sometimes they do not");
	sw_hits_free(&hits);
	sw_work_free(work);
	return done();
}
