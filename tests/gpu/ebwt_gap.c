/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap.c - the rate of ebwt-dist comparing the words of a matrix with
 * others on a GPU, beside all processors, and beside these without a list of
 * words: a table in Markdown
 */
#include <omp.h>
#include <string.h>

#include "cuda/ebwt.h"
#include "scan/ebwt/ebwt.h"
#include "table.h"

enum { MOST = 1024 };

struct kind {
	size_t len;		/* of the matrix; so many positions have two */
	unsigned black;		/* letters: the source's word for them */
	size_t m, n;		/* letters and number of other words */
	enum ebwt_metric metric;
};
static const struct kind kinds[] = {
	{ 260, 12, 6, 1024, EBWT_DELTA },	/* the source's, but for n */
	{ 260, 12, 260, 1024, EBWT_DELTA },
	{ 260, 16, 260, 256, EBWT_DELTA },
	{ 260, 12, 260, 256, EBWT_DE },
	{ 260, 16, 260, 32, EBWT_DE },
	{ 20, 16, 20, 256, EBWT_DE },
	{ 20, 5, 20, 1024, EBWT_DE },
};
static const char *const metrics[] = { [EBWT_DELTA] = "delta",
				       [EBWT_DE] = "de" };

struct scene {
	const struct kind *k;
	struct ebwt_seq seq[1 + MOST];
	struct ebwt_words words[1 + MOST];
	struct ebwt_how how;
	struct ebwt_stat stat[MOST];
};

static struct scene y;

/* So many words by one thread, as a task of ebwt-dist does it. */
static void
some(size_t from, size_t to)
{
	struct ebwt_sums_work work = { 0 };
	struct ebwt_sums sums[MOST] = { 0 };
	struct ebwt_route p[MOST];
	int rc = 0;
	struct err e;

	for (size_t i = from; i < to && !rc; i++)
		rc = !ebwt_route(&p[i], &y.words[0], &y.words[1 + i],
				 &y.how) ||
		     ebwt_sums_add(&sums[i], &p[i], &y.how, 0, 1, &work, &e);
	if (rc || ebwt_gather_all(&y.how, &work, &e))
		machine_stop("no way");
	for (size_t i = from; i < to; i++)
		y.stat[i] = ebwt_sums_stat(&sums[i], &p[i], &y.how);
	ebwt_sums_work_free(&work);
}

static double
all(void *ctx)
{
	size_t task = y.k->n / 16;
	double t = machine_seconds();

	(void)ctx;
#pragma omp parallel for schedule(dynamic)
	for (size_t i = 0; i < y.k->n; i += task)
		some(i, i + task);
	return machine_seconds() - t;
}

static void
make_matrix(struct ebwt_seq *s, size_t len, unsigned black)
{
	float *v = calloc(4 * len, sizeof *v);

	if (!v)
		machine_stop("no memory");
	for (size_t i = 0; i < len; i++)
		v[4 * i + (table_chance() >> 40 & 3)] = 1;
	while (black) {
		float *at = v + 4 * (table_chance() % len);

		if (at[0] + at[1] + at[2] + at[3] > 1)
			continue;
		at += table_chance() >> 40 & 3;
		black -= *at == 0;
		*at = 1;
	}
	*s = (struct ebwt_seq){ .letters = (uint8_t *)v, .n = len,
				.prob = true };
}

static void
make(const struct kind *k)
{
	struct solid_rule r = { .theta_pos = 0.25, .max_words = 1 << 20 };
	struct err e;

	y.k = k;
	make_matrix(&y.seq[0], k->len, k->black);
	for (size_t i = 1; i <= k->n; i++) {
		uint8_t *s = malloc(k->m);

		if (!s)
			machine_stop("no memory");
		for (size_t c = 0; c < k->m; c++)
			s[c] = (uint8_t)"ACGT"[table_chance() >> 40 & 3];
		y.seq[i] = (struct ebwt_seq){ .letters = s, .n = k->m };
	}
	for (size_t i = 0; i <= k->n; i++)
		if (ebwt_words_of(&y.words[i], &y.seq[i], &r, UINT64_MAX, &e))
			machine_stop(e.text);
	if (ebwt_words_pack(&y.words[0], &e))
		machine_stop(e.text);
}

static void
unmake(void)
{
	for (size_t i = 0; i <= y.k->n; i++) {
		ebwt_words_free(&y.words[i]);
		free((void *)(uintptr_t)y.seq[i].letters);
	}
}

/* Pairs of words a second. */
static double
rate(enum ebwt_way way, struct cuda_pool *g)
{
	struct gap_backend backend;
	uint64_t *term = NULL;
	double t;

	y.how = (struct ebwt_how){ .metric = y.k->metric, .way = way };
	if (g) {
		backend = cuda_ebwt_gap_backend(g);
		y.how.backend = &backend;
		y.how.most_runs = (uint32_t)gap_most_runs(y.k->len, y.k->m);
		term = gap_terms_new(y.how.most_runs);
		y.how.term = term;
		if (!term)
			machine_stop("no memory");
	}
	t = table_median(all, NULL);
	free(term);
	return (double)(y.words[0].n * y.k->n) / t;
}

static void
row(const struct kind *k)
{
	static struct ebwt_stat want[MOST];
	struct cuda_ebwt_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
	};
	struct cuda_pool *g;
	struct cuda_report r;
	double product, cpu, gpu;
	struct err e;
	bool same;

	make(k);
	if (cuda_ebwt_new(&g, &p, &e))
		machine_stop(e.text);
	product = k->metric == EBWT_DE ? 0 : rate(EBWT_WAY_PRODUCT, NULL);
	cpu = rate(EBWT_WAY_LISTS, NULL);
	memcpy(want, y.stat, sizeof want);
	gpu = rate(EBWT_WAY_LISTS, g);
	same = !memcmp(want, y.stat, sizeof want);
	cuda_pool_report(g, &r);
	printf("| %llu of %zu, %zu of %zu | %s | %.1f | %.1f | %.1f | %.1f | "
	       "%s |\n", (unsigned long long)y.words[0].n, k->len, k->n, k->m,
	       metrics[k->metric], 1e-6 * gpu, 1e-6 * cpu, gpu / cpu,
	       1e-6 * product, *r.failed ? r.failed : *r.why_not ? r.why_not :
	       same ? "the same" : "OTHER DISTANCES");
	fflush(stdout);
	cuda_pool_free(g);
	unmake();
}

int
main(void)
{
	if (!cuda_devices())
		machine_stop(cuda_why_none());
	printf("\n## ebwt-dist, matrices\n\nM pairs of words a second; the "
	       "GPU's are added up by all processors.  As products, which de "
	       "has not, words are not listed: where that is quicker, a GPU is "
	       "not asked.\n\n| words, their letters | metric | GPU | CPU, the "
	       "same | ratio | CPU, as products | distances |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		row(&kinds[i]);
	return 0;
}
