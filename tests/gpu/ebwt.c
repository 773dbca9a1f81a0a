/* SPDX-License-Identifier: MIT */
/*
 * ebwt.c - how fast ebwt-dist's rotations are sorted beside what the GPU's
 * memory does at best, and beside all processors: a table in Markdown
 */
#include <omp.h>
#include <string.h>

#include "cuda/ebwt.h"
#include "table.h"

/*
 * Bytes that a rotation takes at least: one sort of 32 bits, each 8 of which
 * read keys twice and pairs once and write pairs.
 */
enum { SORT_BYTES = 4 * (4 + 4 + 8 + 8), MOST = 32 };
/*
 * The source's workload: a pattern against all words of a weighted sequence in
 * some of whose positions two letters may stand, 10^6 conjugates.
 */
enum { SOURCE_LEN = 260, SOURCE_BLACK = 12, SOURCE_PATTERN = 6,
       SOURCE_WORDS = 1 << SOURCE_BLACK };

struct scene {
	struct ebwt_word word[1 + SOURCE_WORDS];
	size_t n, queries;	/* the first ones; 0: all pairs */
	const struct ebwt_backend *backend;
	uint64_t sum;		/* of all distances */
};

static double
pairs(void *ctx)
{
	struct scene *s = ctx;
	struct ebwt_params par = {
		.threads = (unsigned)omp_get_max_threads(),
		.backend = s->backend,
	};
	struct ebwt_pairs_job job = { .n_queries = s->queries };
	struct ebwt_pairs *p;
	double t = machine_seconds();
	struct ebwt *x;
	struct err e;

	if (ebwt_new(&x, s->word, s->n, &par, &e) ||
	    ebwt_pairs_new(&p, x, &job, &e))
		machine_stop(e.text);
	s->sum = 0;
	for (size_t i = 0; i < (s->queries ? s->queries : s->n); i++)
		for (size_t j = s->queries; j < (s->queries ? s->n : i); j++)
			s->sum += ebwt_delta(p, i, j) * (i * MOST + j + 1);
	ebwt_pairs_delete(p);
	ebwt_delete(x);
	return machine_seconds() - t;
}

struct kind {
	size_t n, len;
	unsigned change;	/* one letter in so many */
	enum ebwt_dev_kernel kernel;
};
/* The paper's sorts by all letters that two words can take: short ones only. */
static const struct kind kinds[] = {
	{ 2, 5000000, 1, EBWT_DEV_FAST },
	{ 2, 5000000, 1, EBWT_DEV_BITONIC },
	{ 20, 1000000, 100, EBWT_DEV_FAST },
	{ 20, 1000000, 10000, EBWT_DEV_FAST },
	{ 20, 5000, 100, EBWT_DEV_FAST },
	{ 20, 5000, 100, EBWT_DEV_PAPER },
	{ 20, 5000, 100, EBWT_DEV_BITONIC },
	{ 32, 260, 20, EBWT_DEV_FAST },
	{ 32, 260, 20, EBWT_DEV_PAPER },
	{ 32, 260, 20, EBWT_DEV_BITONIC },
};
static const char *const kernels[] = { "ours", "the paper's",
	"the paper's, bitonic" };

/* Seconds of the device's, with what it says of itself. */
static double
on_gpu(struct scene *y, enum ebwt_dev_kernel kernel, struct cuda_report *r)
{
	struct cuda_ebwt_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.how.kernel = kernel,
	};
	struct ebwt_backend backend;
	struct cuda_pool *g;
	struct err e;
	double t;

	if (cuda_ebwt_new(&g, &p, &e))
		machine_stop(e.text);
	backend = cuda_ebwt_backend(g);
	y->backend = &backend;
	t = table_median(pairs, y);
	cuda_pool_report(g, r);
	cuda_pool_free(g);
	return t;
}

static const char *
verdict(const struct scene *y, uint64_t want, const struct cuda_report *r)
{
	return *r->failed ? r->failed : *r->why_not ? r->why_not :
	       !r->letters ? "BY THE CPU" :
	       y->sum == want ? "the same" : "OTHER DISTANCES";
}

/* Words of len letters, each but the first with some changed. */
static void
row(const struct kind *k, double ceiling)
{
	size_t n = k->n, len = k->len;
	uint8_t *s = malloc(n * len);
	static struct scene y;
	struct cuda_report r;
	double cpu, gpu;
	uint64_t want;

	y = (struct scene){ .n = n };
	if (!s)
		machine_stop("no memory");
	for (size_t i = 0; i < n * len; i++)
		s[i] = i < len || table_chance() % k->change == 0 ?
			       (uint8_t)"ACGT"[table_chance() >> 40 & 3] :
			       s[i - len];
	for (size_t i = 0; i < n; i++)
		y.word[i] = (struct ebwt_word){ s + i * len, len };
	cpu = (double)(n * len) / table_median(pairs, &y);
	want = y.sum;
	gpu = (double)(n * len) / on_gpu(&y, k->kernel, &r);
	printf("| %zu x %zu, one letter in %u other | %s | %.1f | %.0f %% | "
	       "%.1f | %.1f | %s |\n", n, len, k->change, kernels[k->kernel],
	       1e-6 * gpu, 100 * gpu * SORT_BYTES / ceiling, 1e-6 * cpu,
	       gpu / cpu, verdict(&y, want, &r));
	fflush(stdout);
	free(s);
}

/* All words: bit b of a word's number chooses its b-th letter of two. */
static void
source_words(struct scene *y, uint8_t *s)
{
	uint8_t *word = s + SOURCE_PATTERN;
	const size_t step = SOURCE_LEN / SOURCE_BLACK;

	*y = (struct scene){ .n = 1 + SOURCE_WORDS, .queries = 1 };
	for (size_t i = 0; i < SOURCE_PATTERN + SOURCE_LEN; i++)
		s[i] = (uint8_t)"ACGT"[table_chance() >> 40 & 3];
	y->word[0] = (struct ebwt_word){ s, SOURCE_PATTERN };
	for (size_t i = 0; i < SOURCE_WORDS; i++) {
		uint8_t *to = word + i * SOURCE_LEN;

		if (i)
			memcpy(to, word, SOURCE_LEN);
		for (unsigned b = 0; b < SOURCE_BLACK; b++)
			if (i >> b & 1)
				to[b * step] = word[b * step] == 'A' ? 'C' :
								      'A';
		y->word[1 + i] = (struct ebwt_word){ to, SOURCE_LEN };
	}
}

static void
source(void)
{
	static uint8_t s[SOURCE_PATTERN + SOURCE_WORDS * SOURCE_LEN];
	static struct scene y;
	double cpu;
	uint64_t want;

	source_words(&y, s);
	cpu = table_median(pairs, &y);
	want = y.sum;
	printf("\nA pattern of %d against %d words of %d letters, 10^6 "
	       "conjugates, the source's workload; CPU, the same: %.1f ms (the "
	       "source: 35.2 ms on its GPU):\n\n| kernel | ms | distances |\n"
	       "|---|---|---|\n", SOURCE_PATTERN, SOURCE_WORDS, SOURCE_LEN,
	       1e3 * cpu);
	for (unsigned k = EBWT_DEV_FAST; k <= EBWT_DEV_BITONIC; k++) {
		struct cuda_report r;
		double t = on_gpu(&y, (enum ebwt_dev_kernel)k, &r);

		printf("| %s | %.1f | %s |\n", kernels[k], 1e3 * t,
		       verdict(&y, want, &r));
		fflush(stdout);
	}
}

int
main(void)
{
	struct gpu_ceilings c = table_ceilings();

	printf("\n## ebwt-dist\n\nThe GPU's memory moves %.0f GB/s; the "
	       "ceiling is one sort of 32 bits.\n\n| words | kernel | GPU, M "
	       "letters/s | of the ceiling | CPU, the same | ratio | "
	       "distances |\n|---|---|---|---|---|---|---|\n",
	       1e-9 * c.inside);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		row(&kinds[i], c.inside);
	source();
	return 0;
}
