/* SPDX-License-Identifier: MIT */
/* primer.c - ends of k-difference primers against their definition */
#include "tests/lib/primer_gen.h"

/* The worked example: Fig. 4(a) of the source. */
static void
worked(void)
{
	static const uint64_t want[2][4] = { { 2, 3, 4, 4 }, { 3, 4, 4, 4 } };

	for (int minus = 0; minus < 2; minus++) {
		struct primer_params par = { .k = 2 };
		struct pletters t = { (uint8_t *)(uintptr_t)"AGCAAG", 6,
				      false, NULL };
		struct primer_work *w;
		struct primer *p;
		uint64_t end[4];
		struct err e;

		if (primer_new(&p, &par, &e) || primer_work_new(&w, &e) ||
		    primer_add(p, (const uint8_t *)"ACTG", 4, &e))
			abort();
		for (int strand = 0; strand <= minus; strand++) {
			uint8_t *s;

			t.minus = strand;
			s = pcase_symbols(p, &t, 0, 6);
			if (primer_search(p, s, 6, 0, 4, w, &e))
				abort();
			free(s);
		}
		primer_target_ends(p, 0, end);
		ok(!memcmp(end, want[minus], sizeof end), "worked example, %s",
		   minus ? "both strands" : "plus");
		primer_work_free(w);
		primer_delete(p);
	}
}

static void
limits(void)
{
	struct primer_params par = { .k = 0 };
	struct primer_work *w;
	struct primer *p;
	uint8_t all[256];
	struct err e;

	ok(primer_new(&p, &par, &e) == ERR_USAGE, "k is at least 1");
	par.k = PRIMER_MAX_K + 1;
	ok(primer_new(&p, &par, &e) == ERR_USAGE, "k is at most 2^20");
	par.k = 3;
	par.engine = PRIMER_SHORT;
	ok(primer_new(&p, &par, &e) == ERR_USAGE, "short wants max_len");
	par.max_len = 64;
	ok(primer_new(&p, &par, &e) == ERR_USAGE, "short: 63 at most");
	par.engine = PRIMER_AUTO;
	par.alphabet = PRIMER_LITERAL;
	par.max_len = UINT64_MAX;
	if (primer_new(&p, &par, &e) || primer_work_new(&w, &e))
		abort();
	for (int i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	ok(!primer_add(p, NULL, 0, &e) && !primer_add(p, all, 255, &e) &&
	   primer_places(p) == 257, "255 letters in targets");
	ok(primer_add(p, all, 256, &e) == ERR_LIMIT && primer_places(p) == 257,
	   "256 are one too many");
	ok(primer_span(p) == 257, "span");
	for (int i = 0; i < 255; i++)
		all[i] = primer_symbols(p, false)[i];
	ok(!primer_search(p, all, 255, 0, 257, w, &e) &&
	   primer_end(p, 1) == 256 && primer_end(p, 9) == 256, "found whole");
	primer_work_free(w);
	primer_delete(p);
	primer_delete(NULL);
	primer_work_free(NULL);
}

static bool
sweep(const char *name, uint64_t rounds, size_t m, size_t n)
{
	bool good = true;

	for (uint64_t i = 0; i < rounds && good; i++) {
		uint64_t seed = 88172645463325252ull + i * 7919;
		struct pcase c;

		pcase_random(&c, seed, 1 + i * m / rounds,
			     1 + i * n / rounds);
		pcase_want(&c);
		good = pcase_engines(&c);
		if (!good)
			ok(0, "%s: round %llu: k %llu max_len %llu rows %u "
			   "tile %u cores %d: %s", name, (unsigned long long)i,
			   (unsigned long long)c.par.k,
			   (unsigned long long)c.par.max_len, c.force.rows,
			   c.force.tile, c.force.cores, c.why);
		pcase_free(&c);
	}
	if (good)
		ok(1, "%s: %llu rounds", name, (unsigned long long)rounds);
	return good;
}

static void
repeats(uint64_t rounds)
{
	uint64_t i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		struct pcase c;

		pcase_repeats(&c, 4711 + i * 7919);
		pcase_want(&c);
		good = pcase_engines(&c);
		if (!good)
			ok(0, "repeats: round %d: k %d max_len %d: %s", (int)i,
			   (int)c.par.k, (int)c.par.max_len, c.why);
		pcase_free(&c);
	}
	if (good)
		ok(1, "repeats: %d rounds", (int)i);
}

/* A repeat of a million letters costs what one of some hundred does. */
static void
long_repeats(void)
{
	struct pcase c = { .par = { .k = 5, .max_len = 30 }, .n_targets = 1,
			   .n_texts = 1, .seed = 3 };
	uint64_t words[2];

	c.target[0] = pcase_letters(&c, 300, 4, 0);
	c.target[0].end = pcase_alloc(300 * 8);
	c.text[0] = pcase_letters(&c, 400000, 4, 0);
	for (int cut = 0; cut < 2; cut++) {
		bool good;

		for (size_t i = 500 + 7; i < c.text[0].n - 500; i++)
			c.text[0].s[i] = c.text[0].s[i - 7];
		if (cut)
			c.text[0].n = 3000;
		pcase_want_by(&c, PRIMER_BLOCKS);
		good = pcase_run(&c, PRIMER_AUTO, SIZE_MAX / 2, "long");
		words[cut] = c.stats.columns + c.stats.checks;
		ok(good, "a repeat of %zu letters%s%s", c.text[0].n,
		   *c.why ? ": " : "", c.why);
	}
	ok(words[0] < 2 * words[1] + 100000, "%d k words, %d k for 3,000",
	   (int)(words[0] / 1000), (int)(words[1] / 1000));
	pcase_free(&c);
}

int
main(void)
{
	worked();
	limits();
	sweep("tiny", fewer(4000), 12, 40);
	sweep("small", fewer(1200), 120, 500);
	sweep("larger", fewer(60), 500, 1500);
	repeats(fewer(400));
	long_repeats();
	return done();
}
