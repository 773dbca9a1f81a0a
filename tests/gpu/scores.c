/* SPDX-License-Identifier: MIT */
/*
 * scores.c - how fast the kernels of sw-scan are beside what the GPU does at
 * best, and beside all processors: a table in Markdown
 */
#include <omp.h>
#include <string.h>

#include "cuda/sw.h"
#include "table.h"

enum { LETTERS = 32 << 20 };

/* Of a cell of two pieces: columns() of the kernel. */
static const double ops = 4;

struct kind {
	size_t rows, chunk;
	unsigned best;
	enum sw_kind what;
	enum cuda_sw_kernel kernel;
};
static const struct kind kinds[] = {
	{ 128, 1 << 20, 1, SW_ALIGNMENTS, CUDA_SW_FAST },
	{ 1024, 1 << 20, 1, SW_ALIGNMENTS, CUDA_SW_FAST },
	{ 1024, 16 << 20, 1, SW_ALIGNMENTS, CUDA_SW_FAST },
	{ 10240, 1 << 20, 1, SW_ALIGNMENTS, CUDA_SW_FAST },
	{ 10240, 16 << 20, 1, SW_ALIGNMENTS, CUDA_SW_FAST },
	{ 10240, 16 << 20, 100, SW_ALIGNMENTS, CUDA_SW_FAST },
	{ 1024, 16 << 20, 100, SW_CELLS, CUDA_SW_FAST },
	{ 1024, 16 << 20, 100, SW_CELLS, CUDA_SW_PAPER },
	{ 1024, 16 << 20, 100, SW_CELLS, CUDA_SW_MODIFIED },
	{ 10240, 16 << 20, 100, SW_CELLS, CUDA_SW_FAST },
	{ 10240, 16 << 20, 100, SW_CELLS, CUDA_SW_PAPER },
	{ 10240, 16 << 20, 100, SW_CELLS, CUDA_SW_MODIFIED },
};
static const char *const kernels[] = { "ours", "the paper's",
	"the paper's, modified overlap" };

static uint8_t *text, query[10240];

static uint8_t
letter(void)
{
	return table_chance() >> 40 & 3;
}

/* One chunk's scores, added up. */
static int64_t
search(const struct sw_query *q, size_t at, const struct kind *y,
       struct sw_work *w, struct sw_hits *h)
{
	struct sw_seg g = { .end = y->chunk };
	struct sw_text t = { text + at, y->chunk, &g, 1, { 0 } };
	int64_t least = 1, sum = 0;
	struct err e;

	if (sw_best(q, &t, y->what, y->best, &least, w, h, &e))
		machine_stop(e.text);
	for (size_t i = 0; i < h->n; i++)
		sum += h->v[i].score * (int64_t)h->v[i].end;
	return sum;
}

/* By all threads, a chunk each at a time: seconds. */
static double
all_chunks(const struct sw_query *q, const struct kind *y,
	   const struct sw_backend *d, int64_t *found)
{
	double t = machine_seconds();
	int64_t sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		struct sw_hits h = { 0 };
		struct sw_work *w;
		struct err e;

		if (sw_work_new(&w, &e))
			machine_stop(e.text);
		sw_work_team(w, (unsigned)omp_get_num_threads());
		sw_work_backend(w, d);
#pragma omp for schedule(dynamic)
		for (size_t at = 0; at <= LETTERS - y->chunk; at += y->chunk)
			sum += search(q, at, y, w, &h);
		sw_work_free(w);
		sw_hits_free(&h);
	}
	*found = sum;
	return machine_seconds() - t;
}

/* A search timed: what it has found is left in it. */
struct timed {
	const struct sw_query *q;
	const struct kind *kind;
	const struct sw_backend *device;		/* or NULL */
	int64_t found;
};

static double
timed(void *ctx)
{
	struct timed *y = ctx;

	return all_chunks(y->q, y->kind, y->device, &y->found);
}

/* Cells a second. */
static double
rate(struct timed *y)
{
	return (double)y->kind->rows * LETTERS / table_median(timed, y);
}

/* Its pieces are added to sum. */
static struct cuda_report
on_gpu(struct timed *y, double *cells, struct cuda_report *sum)
{
	struct cuda_sw_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.kernel = y->kind->kernel,
	};
	struct cuda_report r;
	struct sw_backend d = { .tops = cuda_sw_find };
	struct cuda_pool *g;
	struct err e;

	if (cuda_sw_new(&g, &p, &e))
		machine_stop(e.text);
	d.ctx = g;
	y->device = &d;
	*cells = rate(y);
	y->device = NULL;
	cuda_pool_report(g, &r);
	cuda_pool_free(g);
	sum->pieces += r.pieces;
	sum->again += r.again;
	sum->left += r.left;
	return r;
}

static void
row(const struct kind *y, double ceiling, struct cuda_report *sum)
{
	struct sw_scoring s = { .letters = 5, .open = 5, .extend = 2 };
	struct sw_query *q;
	double gpu, cpu;
	struct kind shared = *y;	/* a chunk for each thread */
	struct timed with, without, threads;
	struct cuda_report r;
	struct err e;

	for (unsigned i = 0; i < 25; i++)
		s.score[i / 5][i % 5] = i / 5 == i % 5 && i < 24 ? 2 : -3;
	if (sw_query_new(&q, &s, query, y->rows, false, SW_AUTO, &e))
		machine_stop(e.text);
	with = without = threads = (struct timed){ q, y, NULL, 0 };
	r = on_gpu(&with, &gpu, sum);
	timed(&without);
	shared.chunk = LETTERS / (size_t)omp_get_max_threads() / 64 * 64;
	shared.chunk = shared.chunk < y->chunk ? shared.chunk : y->chunk;
	threads.kind = &shared;
	cpu = rate(&threads);
	printf("| %zu | %zu | %u %s | %s | %.0f | %.0f %% | %.0f | %.1f | %s "
	       "|\n", y->rows, y->chunk >> 20, y->best,
	       y->what == SW_CELLS ? "cells" : "alignments",
	       kernels[y->kernel], 1e-9 * gpu, 100 * gpu * ops / 2 / ceiling,
	       1e-9 * cpu, gpu / cpu, *r.failed ? r.failed :
	       *r.why_not ? r.why_not :
	       with.found == without.found ? "the same" : "OTHER RESULTS");
	fflush(stdout);
	sw_query_free(q);
}

int
main(void)
{
	struct cuda_report sum = { 0 };
	struct gpu_ceilings c = table_ceilings();

	text = calloc(LETTERS + 64, 1);
	if (!text)
		machine_stop("no memory");
	for (size_t i = 0; i < LETTERS; i++)
		text[i] = letter();
	for (size_t i = 0; i < sizeof query; i++)
		query[i] = letter();
	printf("\n## sw-scan\n\n%.2f T operations/s on words of two int16; a "
	       "cell of two takes %g, the ceiling. Machine code for sm_90 has "
	       "4.20 (queries in sweeps of 512) or 4.16 (of 640): that much of "
	       "it is left for delays, as predicted, not measured. "
	       "Scores 2, -3, gaps 5 + 2 a letter.\n\n"
	       "| query | chunk, Mi letters | best | kernel | GPU, GCUPS | of "
	       "the ceiling | CPU, the same | ratio | hits |\n"
	       "|---|---|---|---|---|---|---|---|---|\n", 1e-12 * c.ops16, ops);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		row(&kinds[i], c.ops16, &sum);
	printf("\n%llu pieces, %llu of them again; %llu chunks left to the "
	       "CPU.\n", (unsigned long long)sum.pieces,
	       (unsigned long long)sum.again, (unsigned long long)sum.left);
	return 0;
}
