/* SPDX-License-Identifier: MIT */
/*
 * starts.c - the source's algorithms for primers on a device, or emulated:
 * against the definition, with all optimisations; what each saves; a device
 * that fails
 */
#include "../primer_gen.h"
#include "cuda/starts.h"

static const char *const names[] = { "conventional", "alternative" };
static uint64_t seed = 1, n_letters;

static struct cuda_starts *
open_gpu(const struct starts_how *how)
{
	struct cuda_starts_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 }, .how = *how,
	};
	struct cuda_starts *g;
	struct err e;

	if (cuda_starts_new(&g, &p, &e)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	return g;
}

static void
close_gpu(struct cuda_starts *g)
{
	struct cuda_report r;

	cuda_starts_report(g, &r);
	n_letters += r.letters;
	if (*r.failed || *r.why_not)
		ok(0, "%s%s", r.failed, r.why_not);
	cuda_starts_free(g);
}

/* All texts of a case, in turn; ends as they should be? */
static bool
run(struct pcase *c, const struct primer_paper *how,
    const struct starts_how *gpu, struct primer_paper_stats *stats)
{
	struct cuda_starts *g = open_gpu(gpu);
	struct primer *p = pcase_primer(c, PRIMER_AUTO);
	bool good = true;
	struct err e;

	*stats = (struct primer_paper_stats){ 0 };
	for (size_t t = 0; t < c->n_texts; t++) {
		uint8_t *s = pcase_symbols(p, &c->text[t], 0, c->text[t].n);

		good &= !primer_paper_by(cuda_starts_helper(g), p, s,
					 c->text[t].n, how, stats, &e);
		free(s);
	}
	good = good && pcase_same(c, p, names[how->method]);
	primer_delete(p);
	close_gpu(g);
	return good;
}

/* Tiles so narrow that most cases have several, if not too narrow for any. */
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
				.optimisations = (unsigned)below(&c.seed, 64),
			};
			struct starts_how gpu = {
				.threads = 1 + (unsigned)below(&c.seed, 64),
				.factor = (unsigned)below(&c.seed, 4),
				.width = 2 * (unsigned)(c.par.k +
							below(&c.seed, 30)),
			};

			if (!below(&c.seed, 4))
				gpu.width = 1 + (unsigned)below(&c.seed, 40);
			good = run(&c, &how, &gpu, &stats);
			fetched += stats.fetched;
			if (!good)
				ok(0, "round %d: optimisations %u, %u threads, "
				   "width %u: %s", (int)i, how.optimisations,
				   gpu.threads, gpu.width, c.why);
		}
		pcase_free(&c);
	}
	/* of few rounds perhaps none fetches ahead */
	ok(good && (fetched > rounds || rounds < 20),
	   "%d rounds of up to %zu x %zu", (int)i, m, n);
}

/* Copies with k - 1 letters more in them, by paths along rows that cross from
 * one warp's diagonals to the next one's. */
static void
across(uint64_t rounds)
{
	struct primer_paper how = { .method = PRIMER_CONVENTIONAL };
	struct starts_how gpu = { .threads = 128, .width = 200 };
	struct primer_paper_stats stats;
	uint64_t i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		struct pcase c = { .par = { .k = 4 }, .n_targets = 1,
				   .n_texts = 1, .seed = i + seed };
		size_t at = 32 * (1 + below(&c.seed, 3)) - below(&c.seed, 7);

		c.target[0] = pcase_letters(&c, 12, 4, 0);
		c.target[0].end = pcase_alloc(12 * 8);
		c.text[0] = pcase_letters(&c, 124, 4, 0);
		for (size_t j = 0; j < 12; j++) {
			c.text[0].s[at++] = c.target[0].s[j];
			at += j == 3 ? 1 : j == 7 ? 2 : 0;
		}
		pcase_want(&c);
		how.optimisations = (unsigned)below(&c.seed, 64);
		good = run(&c, &how, &gpu, &stats);
		if (!good)
			ok(0, "%s", c.why);
		pcase_free(&c);
	}
	ok(good, "%d copies across warps", (int)i);
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
counts(struct pcase *c, int method, unsigned optimisations, unsigned width,
       unsigned factor)
{
	struct primer_paper how = {
		.method = (enum primer_paper_method)method,
		.optimisations = optimisations,
	};
	struct starts_how gpu = { .threads = 32, .width = width,
				  .factor = factor };
	struct primer_paper_stats s;

	if (!run(c, &how, &gpu, &s))
		ok(0, "%s, optimisations %u: %s", names[method], optimisations,
		   c->why);
	return s;
}

/* Without any, all that there is; and what each takes away. */
static void
savings(void)
{
	struct primer_paper_stats none, s, wide;
	struct pcase c;

	related(&c, 60, 200);
	none = counts(&c, PRIMER_ALTERNATIVE, 0, 64, 1);
	ok(none.starts == 60 && none.values == 60 * (201 + 202 + 203) &&
	   !none.fetched && !none.missed, "alternative: all diagonals");
	s = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_BARRIERS, 64, 1);
	ok(s.values == none.values && s.comparisons == none.comparisons,
	   "4 changes no value");
	s = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_STOP, 64, 1);
	ok(s.values < none.values, "1 ends at the last letter");
	s = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_LAST, 64, 1);
	ok(s.starts < 60, "3 ends the search");
	s = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_TILES, 64, 1);
	ok(s.values > none.values && s.values < none.values * 9 / 8,
	   "5: tiles have little in common");
	s = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_TILES |
		   PRIMER_PAPER_PREFETCH, 64, 1);
	wide = counts(&c, PRIMER_ALTERNATIVE, PRIMER_PAPER_TILES |
		      PRIMER_PAPER_PREFETCH, 64, 3);
	ok(s.missed > 0 && wide.missed < s.missed && s.fetched > 0,
	   "6: %llu letters missed, with a factor of 3 %llu",
	   (unsigned long long)s.missed, (unsigned long long)wide.missed);
	none = counts(&c, PRIMER_CONVENTIONAL, 0, 64, 1);
	s = counts(&c, PRIMER_CONVENTIONAL, PRIMER_PAPER_STOP, 64, 1);
	ok(s.comparisons < none.comparisons, "1 ends matrices");
	s = counts(&c, PRIMER_CONVENTIONAL, PRIMER_PAPER_ALL, 64, 1);
	ok(s.fetched > 0 && !s.missed, "6: rows in turn miss nothing");
	pcase_free(&c);
}

/* With an operand, a little of each: under a checker that is slow. */
int
main(int argc, char **argv)
{
	uint64_t part = argc > 1 || getenv("SEQF_SIMT_LITTLE") ? 8 : 1;

	(void)argv;
	if (!cuda_devices()) {
		printf("1..0 # SKIP %s\n", cuda_why_none());
		return 0;
	}
	if (getenv("SEQF_SIMT_SEED"))
		seed += strtoull(getenv("SEQF_SIMT_SEED"), NULL, 10) * 4711;
	sweep(fewer(200 / part), 12, 30);
	sweep(fewer(60 / part), 40, 120);
	across(fewer(200 / part));
	savings();
	ok(n_letters > 2000 / part, "%llu letters by the device",
	   (unsigned long long)n_letters);
	return done();
}
