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
#include "tests/lib/isas.h"
#include "tests/lib/primer_gen.h"
#include "tests/soak/soak.h"

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
			200 + below(&c->seed, 9000);

	pcase_force(c);
	return pcase_run(c, PRIMER_AUTO, size, "auto") &&
	       pcase_run(c, PRIMER_BLOCKS, size, "blocks");
}

static const struct soak_kind kinds[] = {
	{ "tiny", 20 }, { "small", 7 }, { "larger", 1 }, { "repeats", 2 },
	{ "wide", 2 },
};
static const struct {
	void (*make)(struct pcase *c, uint64_t seed);
	bool (*run)(struct pcase *c);
} ways[] = {
	{ tiny, pcase_engines }, { small, pcase_engines },
	{ larger, pcase_engines }, { repeats, pcase_engines },
	{ wide, run_wide },
};

static bool
run_case(uint64_t i, size_t kind)
{
	const char *isa = "";
	struct pcase c;
	bool good = true;

	ways[kind].make(&c, soak_seed(i));
	for (size_t x = 0; x < N_ISAS && good; x++) {
		isa = cpu_isa_name(isas[x]);
		setenv("SEQF_ISA", isa, 1);
		if (cpu_isa() == isas[x])
			good = ways[kind].run(&c);
	}
	unsetenv("SEQF_ISA");
	if (!good)
		printf("soak: case %llu (%s, %s) failed: k %llu max_len %llu "
		       "rows %u tile %u cores %d: %s\n", (unsigned long long)i,
		       kinds[kind].name, isa, (unsigned long long)c.par.k,
		       (unsigned long long)c.par.max_len, c.force.rows,
		       c.force.tile, c.force.cores, c.why);
	pcase_free(&c);
	return good;
}

int
main(int argc, char **argv)
{
	return soak_main("primer", kinds, sizeof kinds / sizeof *kinds,
			 run_case, argc, argv);
}
