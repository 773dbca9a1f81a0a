/* SPDX-License-Identifier: MIT */
/* sw_live.c - what is best where few blocks of a window are computed */
#include "tests/lib/sw_paths.h"
#include "sw/sw_grid.h"
#include "base/cpu.h"

static uint64_t seed;
static struct sw_work *work;
static struct swg_case c;
static struct err err;

static int64_t
top_of(void)
{
	struct osw_scoring s;
	struct osw x;
	int64_t top = 0;

	swg_oracle(&c.s, &s);
	x = osw_new(&s, (struct osw_query){ c.q, c.n, false },
		    (struct osw_subject){ c.t, c.m, 0 }, 0);
	for (size_t i = 0; i < (c.n + 1) * x.width; i++)
		top = osw_max(top, x.H[i]);
	osw_free(&x);
	return top;
}

/*
 * A relative in parts, of which each begins some letters behind the one before,
 * in the sequence or in the query, at the corner of a block or anywhere.
 */
static void
relative(unsigned percent)
{
	size_t i = below(&seed, c.n / 4), j = below(&seed, c.m / 3);

	if (below(&seed, 2))
		j = j / 64 * 64 + i % 64;
	while (i < c.n && j < c.m) {
		size_t n = swg_between(&seed, 60, 400);

		n = n < c.n - i ? n : c.n - i;
		j = swg_copy(&seed, 4, c.t, c.m, j, c.q + i, n, percent);
		i += n;
		if (below(&seed, 2))
			i += below(&seed, 80);
		else
			j += below(&seed, below(&seed, 2) ? 600 : 40);
	}
}

/* false: not as the textbook says. */
static bool
check(uint64_t round, unsigned *live)
{
	static const int32_t v[][4] = { { 2, -3, 5, 2 }, { 5, -4, 20, 1 },
		{ 9, -9, 40, 1 }, { 1, -3, 5, 2 }, { 9, -9, 300, 1 } };
	const int32_t *s = v[round % 5];
	int64_t top;
	bool good;

	swg_dna(&c.s, s[0], s[1], s[2], s[3]);
	swg_room(&c, swg_between(&seed, 300, 900),
		 swg_between(&seed, 1200, 2600));
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, c.m);
	if (round % 3 == 0)
		memset(c.t, 4, c.m);
	relative((unsigned)(round % 4 * 4));
	top = top_of();
	if (sw_work_new(&work, &err))
		abort();
	work->grid_from = 0;
	work->grid_tile = 1 + (unsigned)round % 4;
	good = top == 0 ||
	       check_best(&c, 1, top - (int64_t)below(&seed, 2) *
			  (int64_t)below(&seed, 1 + (uint64_t)top / 20), work);
	*live += work->grid && work->grid->n_live &&
		 work->grid->blocks <= work->grid->most_blocks;
	sw_work_free(work);
	swg_free(&c);
	return good;
}

int
main(void)
{
	bool has = cpu_isa() != ISA_SCALAR;
	uint64_t rounds = fewer(60);
	unsigned live = 0;
	bool good = true;

	for (uint64_t r = 0; good && r < rounds; r++) {
		seed = 0x9e3779b97f4a7c15 * (r + 1);
		good = check(r, &live);
		if (!good)
			printf("# round %llu\n", (unsigned long long)r);
	}
	ok(good, "relatives: %llu rounds", (unsigned long long)rounds);
	ok(live >= (has ? rounds / 2 : 0) && (has || !live),
	   "few blocks, where there is a grid: %u", live);
	return done();
}
