/* SPDX-License-Identifier: MIT */
/*
 * paper_primer.c - the source's algorithms for primers on a device or emulated:
 * against the definition, with all optimisations; what each saves; a device
 * that fails
 */
#include "tests/lib/primer_gen.h"
#include "tests/lib/gpu_case.h"
#include "cuda/paper_primer.h"

static const char *const names[] = { "conventional", "alternative" };
/* All texts of a case, in turn; ends as they should be? */
static bool
run(struct pcase *c, const struct primer_paper *how,
    const struct paper_primer_dev_how *dev, struct primer_paper_stats *stats)
{
	struct cuda_paper_primer_params par = {
		.choice = { .kind = CUDA_THESE, .n = 1 }, .how = *dev,
	};
	struct primer *p = pcase_primer(c, PRIMER_AUTO);
	struct primer_paper_backend h;
	bool good = true;
	struct err e;

	gpu_made(cuda_paper_primer_new(&gpu, &par, &e), &e);
	h = cuda_paper_primer_backend(gpu);
	*stats = (struct primer_paper_stats){ 0 };
	for (size_t t = 0; t < c->n_texts; t++) {
		uint8_t *s = pcase_symbols(p, &c->text[t], 0, c->text[t].n);

		good &= !primer_paper_by(&h, p, s, c->text[t].n, how, stats,
					 &e);
		free(s);
	}
	good = good && pcase_same(c, p, names[how->method]);
	primer_delete(p);
	gpu_free();
	return good;
}

/* Of 1 to 6, ours, the reduction and batches, of any set those there are. */
static unsigned
some_optimisations(uint64_t *from, int method)
{
	unsigned o = (unsigned)below(from, 512);

	if (!below(from, 3))
		o |= PRIMER_PAPER_TILES | PRIMER_PAPER_ALPHA;
	o &= ~(unsigned)(method == PRIMER_ALTERNATIVE ? PRIMER_PAPER_ROWS :
			 PRIMER_PAPER_REACHED | PRIMER_PAPER_BETA);
	if (!(o & PRIMER_PAPER_TILES))
		o &= ~(unsigned)(PRIMER_PAPER_ROWS | PRIMER_PAPER_ALPHA);
	if (!(o & PRIMER_PAPER_ALPHA))
		o &= ~(unsigned)PRIMER_PAPER_BETA;
	if (!(o & PRIMER_PAPER_OWN))
		o &= ~(unsigned)PRIMER_PAPER_REDUCE;
	return o;
}

/* Of 32 or 64 threads, so that most cases have several tiles. */
static void
sweep(uint64_t rounds, size_t m, size_t n)
{
	uint64_t i = 0, fetched = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		struct primer_paper_stats stats;
		struct pcase c;

		pcase_random(&c, 31 * i + seed, m, n);
		pcase_want(&c);
		for (int method = 0; method < 2 && good; method++) {
			struct primer_paper how = {
				.method = (enum primer_paper_method)method,
				.optimisations = some_optimisations(&c.seed,
								    method),
			};
			struct paper_primer_dev_how dev = {
				.threads = 1 + (unsigned)below(&c.seed, 64),
				.factor = (unsigned)below(&c.seed, 4),
				.batch = (uint32_t)below(&c.seed, 9),
			};

			good = run(&c, &how, &dev, &stats);
			fetched += stats.fetched;
			if (!good)
				ok(0, "round %d: optimisations %u, %u threads"
				   ": %s", (int)i, how.optimisations,
				   dev.threads, c.why);
		}
		pcase_free(&c);
	}
	/* of few rounds perhaps none fetches ahead */
	ok(good && (fetched > rounds || rounds < 20),
	   "%d rounds of up to %zu x %zu", (int)i, m, n);
}

/*
 * Copies with k - 1 letters more in them, or less, along a tile's edge of
 * diagonals, where paths go from one tile to the next and back; or of rows,
 * as the target has more than a tile.
 */
static void
across(uint64_t rounds)
{
	uint64_t i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		struct pcase c = { .par = { .k = 2 + i % 5 }, .n_targets = 1,
				   .n_texts = 1, .seed = i + seed };
		int method = (int)below(&c.seed, 2);
		struct primer_paper how = {
			.method = (enum primer_paper_method)method,
			.optimisations = some_optimisations(&c.seed, method) |
					 PRIMER_PAPER_TILES,
		};
		struct paper_primer_dev_how dev = { .threads = 32 };
		struct primer_paper_stats stats;
		size_t at = 32 * (1 + below(&c.seed, 3)) - below(&c.seed, 9);
		size_t m = method == PRIMER_ALTERNATIVE ? 14 : 50;

		c.target[0] = pcase_letters(&c, m, 4, 0);
		c.target[0].end = pcase_alloc(m * 8);
		c.text[0] = pcase_letters(&c, 160 + m, 4, 0);
		for (size_t j = 0; j < m; j++) {
			c.text[0].s[at++] = c.target[0].s[j];
			at += j % 8 == 3 ? below(&c.seed, 3) : 0;
			j += j % 8 == 5 ? below(&c.seed, 2) : 0;
		}
		pcase_want(&c);
		good = run(&c, &how, &dev, &stats);
		if (!good)
			ok(0, "round %d, optimisations %u: %s", (int)i,
			   how.optimisations, c.why);
		pcase_free(&c);
	}
	ok(good, "%d copies across tiles", (int)i);
}

/* A target of which the text has the larger part, as it is and changed. */
static void
related(struct pcase *c, size_t m, size_t n)
{
	*c = (struct pcase){ .par = { .k = 3 }, .n_targets = 1, .n_texts = 1,
			     .seed = 99 };
	c->target[0] = pcase_letters(c, m, 4, 0);
	c->target[0].end = pcase_alloc(m * 8);
	c->text[0] = pcase_letters(c, n, 4, 0);
	for (size_t i = m / 6; i < m; i++)
		c->text[0].s[n / 3 + i] = i % 29 ? c->target[0].s[i] : 'A';
	pcase_want(c);
}

static struct primer_paper_stats
counts(struct pcase *c, int method, unsigned optimisations, unsigned factor)
{
	struct primer_paper how = {
		.method = (enum primer_paper_method)method,
		.optimisations = optimisations,
	};
	struct paper_primer_dev_how dev = { .threads = 32, .factor = factor };
	struct primer_paper_stats s;

	if (!run(c, &how, &dev, &s))
		ok(0, "%s, optimisations %u: %s", names[method], optimisations,
		   c->why);
	return s;
}

/* Are values of as many starts fewer? */
static bool
fewer_values(const struct primer_paper_stats *a,
	     const struct primer_paper_stats *b)
{
	return a->values * b->starts < b->values * a->starts;
}

/* Without any, all that there is; and what each takes away.  How many starts
 * begin before one is done that has no primer, is up to the schedule. */
static void
savings(void)
{
	const unsigned tiles = PRIMER_PAPER_TILES;
	struct primer_paper_stats none, s;
	struct pcase c;

	related(&c, 60, 200);
	none = counts(&c, PRIMER_ALTERNATIVE, 0, 1);
	ok(none.starts < 60 && none.values == none.starts * (201 + 202 + 203)
	   && !none.fetched && !none.missed, "alternative: all diagonals of %d "
	   "starts", (int)none.starts);
	s = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_OWN | tiles, 1);
	ok(s.values == s.starts * (201 + 202 + 203),
	   "3 and 4 change no value of L");
	s = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_OWN |
		   PRIMER_PAPER_REDUCE | PRIMER_PAPER_BATCH, 1);
	ok(s.values == s.starts * (201 + 202 + 203),
	   "nor do the reduction and batches");
	s = counts(&c, PRIMER_ALTERNATIVE, tiles | PRIMER_PAPER_REACHED, 1);
	ok(fewer_values(&s, &none), "2 ends tiles, too");
	none = counts(&c, PRIMER_CONVENTIONAL, 0, 1);
	s = counts(&c, PRIMER_CONVENTIONAL, PRIMER_PAPER_OWN | tiles, 1);
	ok(s.values % 200 == 0 &&
	   s.values == s.comparisons && none.values % 200 == 0,
	   "3 and 4 change no value of D");
	s = counts(&c, PRIMER_CONVENTIONAL, tiles | PRIMER_PAPER_ROWS, 1);
	ok(s.values < 200 * (s.starts * 60 - s.starts * (s.starts - 1) / 2),
	   "4 makes 1 possible: it ends matrices");
	s = counts(&c, PRIMER_CONVENTIONAL, tiles | PRIMER_PAPER_ALPHA, 1);
	ok(s.fetched && s.missed && s.missed < s.starts * 60,
	   "5: %d letters of rows missed", (int)s.missed);
	memcpy(c.text[0].s + 99, c.target[0].s, 60);
	pcase_want(&c);
	none = counts(&c, PRIMER_ALTERNATIVE, 0, 1);
	s = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_REACHED, 1);
	ok(none.values == none.starts * (201 + 202 + 203) &&
	   s.values == s.starts * 201,
	   "2 ends at the last letter, the first start of a copy at once");
	pcase_free(&c);
}

/*
 * The source fetches 256, 512 and 768 letters at k = 256 and misses 49.0, 1.5
 * and 0 %: what of alpha is compared is about twice k.  In a text so much
 * shorter, less.
 */
static void
misses(void)
{
	const unsigned o = PRIMER_PAPER_OWN | PRIMER_PAPER_TILES |
			   PRIMER_PAPER_ALPHA | PRIMER_PAPER_BETA;
	struct primer_paper_stats s;
	struct pcase c = { .par = { .k = 64 }, .n_targets = 1, .n_texts = 1,
			   .seed = 7 };
	double rate[4], beta;

	c.target[0] = pcase_letters(&c, 190, 4, 0);
	c.target[0].end = pcase_alloc(190 * 8);
	c.text[0] = pcase_letters(&c, 700, 4, 0);
	pcase_want_by(&c, PRIMER_BLOCKS);
	for (unsigned f = 1; f <= 3; f++) {
		s = counts(&c, PRIMER_ALTERNATIVE, o, f);
		rate[f] = (double)s.missed / (double)s.comparisons;
	}
	beta = (double)s.fetched / (double)s.starts;
	ok(rate[1] > .3 && rate[1] < .6 && rate[2] < .1 && rate[3] == 0,
	   "missed: %.3f, %.3f, %.3f of all comparisons", rate[1], rate[2],
	   rate[3]);
	ok(beta > 700 && beta < 700 + 192, "each letter of beta is fetched "
	   "once a start: %.0f and alpha's", beta);
	pcase_free(&c);
}

int
main(int argc, char **argv)
{
	uint64_t part = gpu_part(argc, 8);

	(void)argv;
	if (!gpu_there())
		return 0;
	sweep(fewer(200 / part), 12, 30);
	sweep(fewer(60 / part), 40, 120);
	across(fewer(200 / part));
	savings();
	if (part == 1)
		misses();
	ok(n_letters > 2000 / part, "%llu letters by the device",
	   (unsigned long long)n_letters);
	return done();
}
