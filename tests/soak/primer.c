/* SPDX-License-Identifier: MIT */
/*
 * primer.c - random targets and backgrounds until the time is up: every engine
 * by every instruction set, small ones against the definition, wide ones
 * against the plain engine
 *
 * usage: primer SECONDS [FIRST [LAST]]
 * Case number i depends on i alone: a case that fails is run again by
 * "primer 0 i i".  Says how many cases of each kind it did.
 */
#include <time.h>

#include "tests/lib/isas.h"
#include "tests/lib/primer_gen.h"

static void
random_case(struct pcase *c, uint64_t seed, size_t m, size_t n)
{
	pcase_random(c, seed, 1 + below(&seed, m), 1 + below(&seed, n));
	pcase_want(c);
}

static void
tiny(struct pcase *c, uint64_t seed)
{
	random_case(c, seed, 12, 40);
}

static void
small(struct pcase *c, uint64_t seed)
{
	random_case(c, seed, 120, 500);
}

static void
larger(struct pcase *c, uint64_t seed)
{
	random_case(c, seed, 400, 1500);
}

static void
repeats(struct pcase *c, uint64_t seed)
{
	pcase_repeats(c, seed);
	pcase_want(c);
}

/* As users' rows are: k up to some hundred, cores of all lengths, clusters. */
static void
wide(struct pcase *c, uint64_t seed)
{
	static const uint64_t ks[] = { 5, 12, 40, 100, 256, 400 };

	pcase_random(c, seed, 1200, 20000);
	c->par.k = 1 + below(&c->seed, ks[below(&c->seed, 6)]);
	if (c->par.k > 8)
		c->par.max_len = 0;
	pcase_want_by(c, PRIMER_PLAIN);
}

/* Without the plain engine, which takes most of the time. */
static bool
run_wide(struct pcase *c)
{
	uint64_t size = below(&c->seed, 2) ? SIZE_MAX / 2 :
			1 + below(&c->seed, 9000);

	pcase_force(c);
	return pcase_run(c, PRIMER_AUTO, size, "auto") &&
	       pcase_run(c, PRIMER_BLOCKS, size, "blocks");
}

static const struct {
	const char *name;
	void (*make)(struct pcase *c, uint64_t seed);
	bool (*run)(struct pcase *c);
	unsigned share;
} kinds[] = {
	{ "tiny", tiny, pcase_engines, 20 },
	{ "small", small, pcase_engines, 7 },
	{ "larger", larger, pcase_engines, 1 },
	{ "repeats", repeats, pcase_engines, 2 },
	{ "wide", wide, run_wide, 2 },
};
enum { N_SHARES = 32, KINDS = sizeof kinds / sizeof kinds[0] };

static size_t
kind_of(uint64_t i)
{
	size_t at = i % N_SHARES, kind = 0;

	while (at >= kinds[kind].share)
		at -= kinds[kind++].share;
	return kind;
}

static bool
run_case(uint64_t i)
{
	const char *isa = "";
	struct pcase c;
	bool good = true;

	kinds[kind_of(i)].make(&c, 88172645463325252ull ^
				   (i + 1) * 0x9e3779b97f4a7c15);
	for (size_t x = 0; x < N_ISAS && good; x++) {
		isa = cpu_isa_name(isas[x]);
		setenv("SEQF_ISA", isa, 1);
		if (cpu_isa() == isas[x])
			good = kinds[kind_of(i)].run(&c);
	}
	unsetenv("SEQF_ISA");
	if (!good)
		printf("soak: case %llu (%s, %s) failed: k %llu max_len %llu "
		       "rows %u tile %u cores %d: %s\n", (unsigned long long)i,
		       kinds[kind_of(i)].name, isa,
		       (unsigned long long)c.par.k,
		       (unsigned long long)c.par.max_len, c.force.rows,
		       c.force.tile, c.force.cores, c.why);
	pcase_free(&c);
	return good;
}

int
main(int argc, char **argv)
{
	time_t began = time(NULL), limit = argc > 1 ? atol(argv[1]) : 60;
	uint64_t i = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, n = 0, bad = 0;
	uint64_t last = argc > 3 ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
	uint64_t did[KINDS] = { 0 };

	for (; i <= last && bad <= 20 &&
	     (argc > 3 || time(NULL) - began < limit); i++, n++) {
		did[kind_of(i)]++;
		bad += !run_case(i);
	}
	printf("primer: %llu cases,", (unsigned long long)n);
	for (size_t k = 0; k < KINDS; k++)
		printf(" %s %llu,", kinds[k].name, (unsigned long long)did[k]);
	printf(" next %llu, %llu failed\n", (unsigned long long)i,
	       (unsigned long long)bad);
	return bad != 0 || n == 0;
}
