/* SPDX-License-Identifier: MIT */
/*
 * primer.c - fuzz the search for k-difference primers: every engine with all
 * instruction sets that this CPU has against the definition
 *
 * Input: 8 bytes of choices, then letters: of up to four targets, then of the
 * text.  A byte >= 224 repeats what came before, so that they have much in
 * common.
 */
#include "tests/lib/isas.h"
#include "tests/lib/primer_gen.h"
#include "letters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_M = 50, MAX_N = 300 };

/* Letters so far: those to come repeat them. */
static uint8_t all[4 * MAX_M + MAX_N];
static size_t n_all;

static struct pletters
letters(struct input *in, unsigned sigma, size_t n)
{
	struct pletters x = { .s = pcase_alloc(n), .n = n };
	size_t end = n_all + n;

	while (n_all < end)
		n_all = expand(in, "ACGTNRYSWKMBDHVacgtuU*-X", sigma, all,
			       n_all, end, 4, 4);
	memcpy(x.s, all + end - n, n);
	return x;
}

static void
choose(struct input *in, struct pcase *c)
{
	unsigned a = take(in), b = take(in);

	c->par.alphabet = a & 1 ? PRIMER_LITERAL : PRIMER_DNA;
	c->par.k = 1 + (a >> 1) % 20;
	c->par.max_len = b % 70;
	c->n_targets = 1 + b % 4;
	c->n_texts = 1;
	c->force.rows = take(in) % 33;
	c->force.tile = take(in) % 70;
	c->force.cores = a >> 7;
	c->seed = take(in);
	c->force.seeds = (enum primer_force_seeds)(c->seed++ % 3);
	c->force.slices = (enum primer_force_slices)(c->seed / 3 % 3);
}

static void
check(struct pcase *c, uint64_t size)
{
	static const enum primer_engine engines[] = {
		PRIMER_PLAIN, PRIMER_BLOCKS, PRIMER_SHORT,
	};
	bool is_short = c->par.max_len >= 1 && c->par.max_len <= 63;

	for (int i = 0; i < 3 * N_ISAS; i++) {
		enum primer_engine engine = engines[i / N_ISAS];

		if (engine == PRIMER_SHORT ? !is_short :
		    engine == PRIMER_PLAIN && i % N_ISAS)
			continue;
		const char *isa = cpu_isa_name(isas[i % N_ISAS]);

		setenv("SEQF_ISA", isa, 1);
		if (pcase_run(c, engine, size, isa))
			continue;
		fprintf(stderr, "engine %d: %s\n", engine, c->why);
		abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct input in = { .p = data, .n = n };
	struct pcase c = { .seed = 1 };
	unsigned sigma, size;

	n_all = 0;
	choose(&in, &c);
	sigma = take(&in);
	sigma = sigma & 128 ? 24 : 2 + sigma % 3;
	size = 8 + take(&in) * 2;
	for (size_t i = 0; i < c.n_targets; i++) {
		c.target[i] = letters(&in, sigma, take(&in) % MAX_M);
		c.target[i].end = pcase_alloc(c.target[i].n * 8);
	}
	c.text[0] = letters(&in, sigma, in.n < MAX_N / 2 ? 2 * in.n : MAX_N);
	c.text[0].minus = c.par.alphabet == PRIMER_DNA && (sigma & 1);
	pcase_want(&c);
	check(&c, size);
	pcase_free(&c);
	return 0;
}
