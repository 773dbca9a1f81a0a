/* SPDX-License-Identifier: MIT */
/*
 * turns.c - how fast ebwt-dist's rotations are sorted beside what the GPU's
 * memory does at best, and beside all processors: a table in Markdown
 */
#include <omp.h>
#include <string.h>

#include "cuda/turns.h"
#include "table.h"

/*
 * Bytes that a rotation takes at least: one sort of 64 bits, each 8 of which
 * read keys twice and pairs once and write pairs.
 */
enum { SORT_BYTES = 8 * (8 + 8 + 12 + 12), MOST = 32 };

struct scene {
	struct ebwt_word word[MOST];
	size_t n;
	const struct ebwt_helper *helper;
	uint64_t sum;		/* of all distances */
};

static double
pairs(void *ctx)
{
	struct scene *s = ctx;
	struct ebwt_params par = {
		.threads = (unsigned)omp_get_max_threads(),
		.helper = s->helper,
	};
	struct ebwt_pairs_job job = { 0 };
	struct ebwt_pairs *p;
	double t = machine_seconds();
	struct ebwt *x;
	struct err e;

	if (ebwt_new(&x, s->word, s->n, &par, &e) ||
	    ebwt_pairs_new(&p, x, &job, &e))
		machine_stop(e.text);
	s->sum = 0;
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < i; j++)
			s->sum += ebwt_delta(p, i, j) * (i * MOST + j + 1);
	ebwt_pairs_delete(p);
	ebwt_delete(x);
	return machine_seconds() - t;
}

/* Words of len letters, each but the first with one in `change` changed. */
static void
row(const struct ebwt_helper *h, size_t n, size_t len, unsigned change,
    double ceiling)
{
	uint8_t *s = malloc(n * len);
	struct scene y = { .n = n };
	double all = (double)(n * len), cpu, gpu;
	uint64_t want;

	if (!s)
		machine_stop("no memory");
	for (size_t i = 0; i < n * len; i++)
		s[i] = i < len || table_chance() % change == 0 ?
			       (uint8_t)"ACGT"[table_chance() >> 40 & 3] :
			       s[i - len];
	for (size_t i = 0; i < n; i++)
		y.word[i] = (struct ebwt_word){ s + i * len, len };
	cpu = table_median(pairs, &y);
	want = y.sum;
	y.helper = h;
	gpu = table_median(pairs, &y);
	printf("| %zu x %zu, one letter in %u other | %.1f | %.0f %% | %.1f | "
	       "%.1f | %s |\n", n, len, change, 1e-6 * all / gpu,
	       100 * all / gpu * SORT_BYTES / ceiling, 1e-6 * all / cpu,
	       cpu / gpu, y.sum == want ? "the same" : "OTHER RESULTS");
	fflush(stdout);
	free(s);
}

int
main(void)
{
	struct cuda_turns_params p = { .choice = { .kind = CUDA_THESE,
						   .n = 1 } };
	struct gpu_ceilings c = table_ceilings();
	struct cuda_turns *g;
	struct cuda_report r;
	struct err e;

	if (cuda_turns_new(&g, &p, &e))
		machine_stop(e.text);
	printf("\n## ebwt-dist\n\nThe GPU's memory moves %.0f GB/s; the "
	       "ceiling is one sort of 64 bits.\n\n| words | GPU, M "
	       "letters/s | of the ceiling | CPU, the same | ratio | "
	       "distances |\n|---|---|---|---|---|---|\n", 1e-9 * c.inside);
	row(cuda_turns_helper(g), 2, 5000000, 1, c.inside);
	row(cuda_turns_helper(g), 20, 1000000, 100, c.inside);
	row(cuda_turns_helper(g), 20, 1000000, 10000, c.inside);
	cuda_turns_report(g, &r);
	if (*r.failed || *r.why_not)
		printf("\n%s%s\n", r.failed, r.why_not);
	cuda_turns_free(g);
	return 0;
}
