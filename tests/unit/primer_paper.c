/* SPDX-License-Identifier: MIT */
/* primer_paper.c - the source's algorithms against the definition */
#include "algo/primer_paper.h"

#include "../primer_gen.h"

static const char *const names[] = { "conventional", "alternative" };

static bool
run(struct pcase *c, const struct primer_paper *how,
    struct primer_paper_stats *stats)
{
	struct primer *p = pcase_primer(c, PRIMER_AUTO);
	bool good = true;
	struct err e;

	*stats = (struct primer_paper_stats){ 0 };
	for (size_t t = 0; t < c->n_texts; t++) {
		uint8_t *s = pcase_symbols(p, &c->text[t], 0, c->text[t].n);

		good &= !primer_paper(p, s, c->text[t].n, how, stats, &e);
		free(s);
	}
	good = good && pcase_same(c, p, names[how->method]);
	primer_delete(p);
	return good;
}

/* All of both, with any optimisations; with threads, too, one in so many. */
static void
sweep(const char *name, uint64_t rounds, size_t m, size_t n, uint64_t threads)
{
	bool good = true;
	uint64_t i;

	for (i = 0; i < rounds && good; i++) {
		struct primer_paper_stats stats;
		struct primer_paper how;
		struct pcase c;

		pcase_random(&c, 77777777777ull + i * 104729,
			     1 + i * m / rounds, 1 + i * n / rounds);
		pcase_want(&c);
		for (unsigned o = 0; o < 16 && good; o++) {
			how = (struct primer_paper){
				.method = o >> 3 ? PRIMER_ALTERNATIVE :
						   PRIMER_CONVENTIONAL,
				.optimisations = o & 7,
			};
			if (i % threads == 0) {
				how.coarse = (unsigned)below(&c.seed, 4);
				how.fine = (unsigned)below(&c.seed, 4);
			}
			good = run(&c, &how, &stats);
		}
		if (!good)
			ok(0, "%s: round %d: optimisations %u, %u x %u: %s",
			   name, (int)i, how.optimisations, how.coarse,
			   how.fine, c.why);
		pcase_free(&c);
	}
	if (good)
		ok(1, "%s: %d rounds, 16 ways each", name, (int)i);
}

static struct primer_paper_stats
counts(struct pcase *c, enum primer_paper_method method, unsigned o)
{
	struct primer_paper how = { .method = method, .optimisations = o };
	struct primer_paper_stats s;

	if (!run(c, &how, &s))
		ok(0, "%s, optimisations %u: %s", names[method], o, c->why);
	return s;
}

/* What each optimisation saves, and that only it does. */
static void
savings(void)
{
	struct pcase c = { .par = { .k = 3 }, .n_targets = 1, .n_texts = 1,
			   .seed = 99 };
	struct primer_paper_stats s[2][8];
	uint64_t cells = 0;

	c.target[0] = pcase_letters(&c, 90, 4, 0);
	c.target[0].end = pcase_alloc(90 * 8);
	c.text[0] = pcase_letters(&c, 300, 4, 0);
	memcpy(c.text[0].s + 290, c.target[0].s + 30, 10);
	memcpy(c.text[0].s, c.target[0].s + 60, 30);	/* up to its end */
	pcase_want(&c);
	for (int method = 0; method < 2; method++)
		for (unsigned o = 0; o < 8; o++)
			s[method][o] = counts(&c, (enum primer_paper_method)
					      method, o);
	for (uint64_t j = 0; j < 90; j++)
		cells += (90 - j) * 300;
	ok(s[0][0].comparisons == cells && s[0][0].starts == 90,
	   "conventional: all of all matrices");
	ok(s[1][0].values == 90 * (301 + 302 + 303),
	   "alternative: all diagonals of all numbers of differences");
	ok(s[0][1].comparisons < cells / 2, "1 ends matrices");
	ok(s[1][1].values < s[1][0].values, "1 ends at the last letter");
	ok(s[0][2].comparisons == cells, "2 saves no row of a matrix");
	ok(s[1][2].values < s[1][0].values &&
	   s[1][2].values > s[1][0].values / 2, "2 saves diagonals");
	for (int method = 0; method < 2; method++)
		ok(s[method][4].starts < 62 && s[method][4].starts > 30,
		   "%s: 3 ends the search", names[method]);
	ok(s[0][7].comparisons < s[0][1].comparisons &&
	   s[1][7].comparisons < s[1][1].comparisons,
	   "all of them save the most");
	pcase_free(&c);
}

static void
refusals(void)
{
	struct primer_paper how = { .coarse = 70000 };
	struct primer_params par = { .k = 1 };
	struct primer_paper_stats s = { 0 };
	struct primer *p;
	struct err e;

	if (primer_new(&p, &par, &e))
		abort();
	ok(primer_paper(p, NULL, 0, &how, &s, &e) == ERR_USAGE,
	   "too many threads");
	how = (struct primer_paper){ .fine = 70000 };
	ok(primer_paper(p, NULL, 0, &how, &s, &e) == ERR_USAGE,
	   "too many fine ones");
	how = (struct primer_paper){ .method = PRIMER_ALTERNATIVE };
	ok(!primer_paper(p, NULL, 0, &how, &s, &e) && !s.starts,
	   "no targets, no text");
	ok(primer_paper(p, NULL, SIZE_MAX / 4, &how, &s, &e) == ERR_NOMEM,
	   "a text too long for memory");
	primer_delete(p);
}

int
main(void)
{
	refusals();
	savings();
	sweep("tiny", fewer(400), 12, 30, 8);
	sweep("small", fewer(120), 60, 150, 60);
	return done();
}
