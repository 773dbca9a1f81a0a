/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap.c - words walked through the gaps of others on a device or emulated:
 * runs as by definition and from the CPU, entropies bit by bit
 */
#include "tests/lib/gap_case.h"
#include "tests/lib/gpu_case.h"
#include "cuda/ebwt.h"

static bool
trial(size_t most, uint32_t n, bool de)
{
	struct gap_backend h = cuda_ebwt_gap_backend(gpu);
	struct gcase c;
	struct err e;
	bool good;

	gcase_make(&c, below(&seed, 1ull << 40), most, n, de);
	good = h.wants(h.ctx, 1) && h.run(h.ctx, &c.j, &e) == 0 &&
	       gcase_same(&c);
	gcase_free(&c);
	return good;
}

static void
sweep(bool de, uint64_t rounds)
{
	uint64_t i = 0;
	bool good = true;

	for (; i < rounds && good; i++)
		good = trial(1 + i * 70 / rounds, i % 8 ? 20 : 600, de);
	ok(good, "%d jobs of %s", (int)i, de ? "entropies" : "runs");
}

/* One list of words of n letters, one word of m. */
static void
sizes(uint32_t words, size_t n, size_t m, bool de)
{
	struct gap_backend h = cuda_ebwt_gap_backend(gpu);
	struct gcase c = { .seed = seed, .de = de, .most = m };
	struct err e;
	bool good;

	gcase_list(&c, 0, words, n);
	gcase_job(&c, 0, 1, m);
	c.runs = gcase_alloc(words * sizeof *c.runs);
	c.de_of = de ? gcase_alloc(words * sizeof *c.de_of) : NULL;
	c.term = gap_terms_new((uint32_t)gap_most_runs(n, c.job[0].m));
	c.j = (struct gap_batch){
		.list = c.lists, .n_lists = 1, .job = c.job, .n_jobs = 1,
		.next = c.next, .runs = c.runs, .de = c.de_of, .term = c.term,
		.most_runs = (uint32_t)gap_most_runs(n, c.job[0].m),
	};
	good = c.term && gap_fits(n, m, de) && !h.run(h.ctx, &c.j, &e) &&
	       gcase_same(&c);
	ok(good, "%u words of %zu letters, and one of %u: %s", words, n,
	   c.job[0].m, de ? "entropies" : "runs");
	gcase_free(&c);
}

/* The longest v for words of n letters. */
static size_t
most_fitting(size_t n, bool de)
{
	size_t m = 1;

	while (gap_fits(n, m + 1, de))
		m++;
	return m;
}

int
main(int argc, char **argv)
{
	struct cuda_ebwt_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
	};
	uint64_t part = gpu_part(argc, 8);
	struct err e;

	(void)argv;
	if (!gpu_there())
		return 0;
	gpu_made(cuda_ebwt_new(&gpu, &p, &e), &e);
	sweep(false, fewer(200 / part) + 4);
	sweep(true, fewer(200 / part) + 4);
	sizes(40, 260, 260, false);
	sizes(40, 260, 260, true);
	sizes(9, 50, most_fitting(50, false), false);
	sizes(9, 30, most_fitting(30, true), true);
	sizes((uint32_t)(3000 / part), 12, 12, false);
	gpu_free();
	ok(n_letters > 1000, "%llu letters by the device",
	   (unsigned long long)n_letters);
	return done();
}
