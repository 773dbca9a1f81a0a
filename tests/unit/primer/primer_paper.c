/* SPDX-License-Identifier: MIT */
/* primer_paper.c - the source's algorithms against the definition */
#include "primer/paper/primer_paper.h"

#include "tests/lib/primer_gen.h"

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

/* Of 1, 2, 3 and ours any: 16 ways. */
static unsigned
some_optimisations(unsigned i)
{
	return (i & 7) | (i & 8 ? PRIMER_PAPER_START : 0);
}

/* Both, with any optimisations, by one thread and by several, which share
 * starts or the values of one. */
static void
sweep(const char *name, uint64_t rounds, size_t m, size_t n)
{
	static const unsigned threads[][2] = {
		{ 0, 0 }, { 1, 1 }, { 3, 0 }, { 1, 3 }, { 2, 2 },
	};
	bool good = true;
	uint64_t i;

	for (i = 0; i < rounds && good; i++) {
		struct primer_paper_stats stats;
		struct primer_paper how;
		struct pcase c;

		pcase_random(&c, 77777777777ull + i * 104729,
			     1 + i * m / rounds, 1 + i * n / rounds);
		pcase_want(&c);
		for (unsigned o = 0; o < 32 && good; o++) {
			unsigned t = (i & 7) ? o & 1 :
				     (unsigned)below(&c.seed, 5);

			how = (struct primer_paper){
				.method = o >> 4 ? PRIMER_ALTERNATIVE :
						   PRIMER_CONVENTIONAL,
				.optimisations = some_optimisations(o & 15),
				.coarse = threads[t][0],
				.fine = threads[t][1],
				.share = below(&c.seed, 3) ? 1 : 0,
			};
			good = run(&c, &how, &stats);
		}
		if (!good)
			ok(0, "%s: round %d: optimisations %u, %u x %u: %s",
			   name, (int)i, how.optimisations, how.coarse,
			   how.fine, c.why);
		pcase_free(&c);
	}
	if (good)
		ok(1, "%s: %d rounds, 32 ways each", name, (int)i);
}

static struct primer_paper_stats
counts(struct pcase *c, enum primer_paper_method method, unsigned o,
       unsigned fine)
{
	struct primer_paper how = { .method = method, .optimisations = o,
				    .fine = fine, .share = 1 };
	struct primer_paper_stats s;

	if (!run(c, &how, &s))
		ok(0, "%s, optimisations %u: %s", names[method], o, c->why);
	return s;
}

/* A target of m letters, text of n; random. */
static void
pair(struct pcase *c, uint64_t k, size_t m, size_t n)
{
	*c = (struct pcase){ .par = { .k = k }, .n_targets = 1, .n_texts = 1,
			     .seed = 99 };
	c->target[0] = pcase_letters(c, m, 4, 0);
	c->target[0].end = pcase_alloc(m * 8);
	c->text[0] = pcase_letters(c, n, 4, 0);
}

/* The source's number of values, where no end is the target's: by its last
 * letters, which match nothing.  And with such an end, none behind it. */
static void
formula(uint64_t k, unsigned fine)
{
	const uint64_t m = 40, n = 70;
	struct primer_paper_stats s;
	struct pcase c;

	pair(&c, k, m, n);
	c.par.alphabet = PRIMER_LITERAL;
	memset(c.target[0].s + m - k, 'X', k);
	pcase_want(&c);
	s = counts(&c, PRIMER_CONVENTIONAL, 0, fine);
	/* the last k - 1 starts have no k letters left */
	ok(s.starts == m - k + 1 &&
	   s.values == n * (m * (m + 1) / 2 - k * (k - 1) / 2) &&
	   s.comparisons == s.values, "k %d, %u fine: n m (m + 1) / 2 values, "
	   "less those of %d starts that need none", (int)k, fine, (int)k - 1);
	s = counts(&c, PRIMER_ALTERNATIVE, 0, fine);
	ok(s.values == s.starts * (k * (n + 1) + k * (k - 1) / 2),
	   "%u fine: all diagonals of all numbers of differences", fine);
	pcase_free(&c);
}

/* What each optimisation saves, and that only it does. */
static void
savings(void)
{
	struct primer_paper_stats s[2][16];
	struct pcase c;

	pair(&c, 3, 90, 300);
	memcpy(c.text[0].s + 290, c.target[0].s + 30, 10);
	memcpy(c.text[0].s, c.target[0].s + 60, 30);	/* up to its end */
	pcase_want(&c);
	for (int method = 0; method < 2; method++)
		for (unsigned o = 0; o < 16; o++)
			s[method][o] = counts(&c, (enum primer_paper_method)
					      method, some_optimisations(o),
					      0);
	for (int method = 0; method < 2; method++)
		ok(s[method][0].starts < 62 && s[method][0].starts > 30,
		   "%s: the first start without a primer is the last",
		   names[method]);
	ok(s[0][1].values < s[0][0].values / 2, "1 ends matrices");
	ok(s[1][1].values == s[1][0].values, "1 is the conventional one's");
	ok(s[1][2].values < s[1][0].values, "2 ends at the last letter");
	ok(s[0][2].values == s[0][0].values, "2 is the alternative one's");
	ok(s[0][4].values == s[0][0].values && s[1][4].values ==
	   s[1][0].values, "3 saves no value");
	ok(s[0][8].values == s[0][0].values, "ours saves no row of a matrix");
	ok(s[1][8].values < s[1][0].values &&
	   s[1][8].values > s[1][0].values / 2, "ours saves diagonals");
	pcase_free(&c);
}

/*
 * One letter in four matches: 4 / 3 of them are compared for a value, less what
 * is at the target's or the text's end already.  The source has 1.287 to 1.301.
 */
static void
letters_a_value(void)
{
	struct primer_paper_stats s;
	struct pcase c;
	double x;

	pair(&c, 60, 200, 3000);
	pcase_want_by(&c, PRIMER_BLOCKS);
	s = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_REACHED, 0);
	x = (double)s.comparisons / (double)s.values;
	ok(x > 1.28 && x < 1.334, "random letters: %.4f comparisons a value",
	   x);
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
	how = (struct primer_paper){ .coarse = 65536, .fine = 65536 };
	ok(primer_paper(p, NULL, 0, &how, &s, &e) == ERR_USAGE,
	   "too many of both");
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
	for (unsigned fine = 0; fine < 4; fine++)
		formula(1 + fine % 3, fine);
	savings();
	letters_a_value();
	sweep("tiny", fewer(400), 12, 30);
	sweep("small", fewer(120), 60, 150);
	return done();
}
