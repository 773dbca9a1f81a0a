/* SPDX-License-Identifier: MIT */
/*
 * batches.c - many small chunks beside few large ones, searched by a GPU each
 * alone or gathered: tables in Markdown
 */
#include <omp.h>
#include <string.h>

#include "letters/letters.h"
#include "base/base.h"
#include "scan/asm/asm.h"
#include "scan/sw/sw.h"
#include "table.h"

#ifndef BATCHES_LETTERS
#define BATCHES_LETTERS (32 << 20)
#endif
enum { LETTERS = BATCHES_LETTERS, PATTERNS = 16, M = 20, K = 3, ROWS = 1024,
       MOST = 128, CHUNK = 1 << 20, READ = 192 };

static uint64_t *planes;
static uint8_t *codes;

/* Chunks of so many letters, with segments of so many; gathered, or not. */
struct kind {
	const char *name;
	uint64_t chunk, seg;
	bool gathered;
};
static const struct kind kinds[] = {
	{ "one sequence, 1 Mi letters a chunk", CHUNK, CHUNK, false },
	{ "the same, gathered", CHUNK, CHUNK, true },
	{ "64 Ki letters a chunk", CHUNK / 16, CHUNK / 16, false },
	{ "the same, gathered", CHUNK / 16, CHUNK / 16, true },
	{ "records of 192 letters, 1 Mi a chunk", CHUNK, READ, false },
	{ "the same, gathered", CHUNK, READ, true },
};

struct search {
	const struct kind *kind;
	const struct kdiff_set *set;
	struct asm_gpu *ends;
	const struct sw_query *q;
	struct cuda_pool *peaks;
	uint64_t sum;		/* of what is found */
};

/* So many chunks from letter `at` on as texts; their number. */
static size_t
asm_texts(const struct search *s, uint64_t at, size_t most,
	  struct asm_gpu_text *x)
{
	const struct kind *k = s->kind;
	uint64_t chunk = k->chunk / k->seg * k->seg;
	size_t n = 0, n_seg = chunk / k->seg;

	for (; n < most && at + k->chunk <= LETTERS; n++, at += k->chunk) {
		struct kdiff_seg *g = malloc(n_seg * sizeof *g);

		if (!g)
			machine_stop("no memory");
		for (size_t i = 0; i < n_seg; i++)
			g[i] = (struct kdiff_seg){
				.beg = i * k->seg, .end = (i + 1) * k->seg,
				.to = UINT64_MAX,
			};
		x[n] = (struct asm_gpu_text){ .x = {
			.n = chunk, .planes = planes + at / 32,
			.seg = g, .n_seg = n_seg,
		} };
	}
	return n;
}

static uint64_t
asm_some(const struct search *s, uint64_t at, size_t most)
{
	struct asm_gpu_text x[MOST], *all[MOST];
	size_t n = asm_texts(s, at, most, x);
	uint64_t sum = 0;
	struct err e;

	for (size_t i = 0; i < n; i++)
		all[i] = &x[i];
	if (s->kind->gathered)
		asm_gpu_batch(s->ends, all, n);
	for (size_t i = 0; i < n; i++) {
		if (!x[i].is_found &&
		    cuda_kdiff_find(asm_gpu_pool(s->ends), &x[i].x, false,
				    &x[i].found, &e))
			machine_stop("no search");
		sum += x[i].found.n;
		kdiff_hits_free(&x[i].found);
		free((void *)x[i].x.seg);
	}
	return sum;
}

/* Chunks of whole blocks. */
static uint64_t
sw_some(const struct search *s, uint64_t at, size_t most)
{
	struct sw_view v = sw_query_view(s->q);
	const struct kind *k = s->kind;
	struct sw_gpu_text x[MOST];
	struct sw_seg g[MOST];
	uint64_t sum = 0;
	int64_t least;
	struct err e;
	size_t n = 0;

	for (; n < most && at + k->chunk <= LETTERS; n++, at += k->chunk) {
		g[n] = (struct sw_seg){ .end = k->chunk };
		x[n] = (struct sw_gpu_text){ .x = { codes + at, k->chunk,
						    &g[n], 1, { 0 } } };
	}
	if (k->gathered)
		sw_gpu_batch(s->peaks, s->q, 0, x, n);
	for (size_t i = 0; i < n; i++) {
		int32_t **tops = &x[i].known.tops;
		size_t blocks = k->chunk / SW_BLOCK;

		if (!*tops) {
			*tops = malloc(blocks * sizeof **tops);
			if (!*tops ||
			    cuda_sw_find(s->peaks, &v, &x[i].x, *tops,
					 &least, &e))
				machine_stop("no search");
		}
		for (size_t j = 0; j < blocks; j++)
			sum += (uint64_t)(*tops)[j];
		free(*tops);
	}
	return sum;
}

/* By all threads; or by two where they gather, as a device has two streams. */
static double
run(void *ctx)
{
	struct search *s = ctx;
	uint64_t most = s->kind->gathered ?
			min_u64(MOST, LETTERS / 2 / s->kind->chunk) : 1;
	uint64_t step = most * s->kind->chunk, sum = 0;
	double t = machine_seconds();

#pragma omp parallel for schedule(dynamic) reduction(+ : sum) \
	num_threads(s->kind->gathered ? 2 : omp_get_max_threads())
	for (uint64_t at = 0; at < LETTERS; at += step)
		sum += s->set ? asm_some(s, at, most) : sw_some(s, at, most);
	s->sum = sum;
	return machine_seconds() - t;
}

static void
row(const struct kind *k, struct search *s, double each, uint64_t *want)
{
	double t;

	s->kind = k;
	t = table_median(run, s);
	if (!k->gathered)
		*want = s->sum;
	printf("| %s | %s | %.1f | %s |\n", s->set ? "asm-scan" : "sw-scan",
	       k->name, 1e-9 * each * LETTERS / t,
	       s->sum == *want ? "the same" : "OTHER RESULTS");
	fflush(stdout);
}

static void
asm_rows(void)
{
	struct asm_gpu_params p = { .choice = { .kind = CUDA_THESE, .n = 1 },
				    .threads = 1 };
	struct kdiff_params kp = { .hamming = false };
	struct search s = { .ends = NULL };
	struct kdiff_set *set;
	uint64_t want = 0;
	uint8_t letters[M];
	struct err e;

	if (kdiff_set_new(&set, &kp, &e))
		machine_stop(e.text);
	for (int i = 0; i < PATTERNS; i++) {
		for (int j = 0; j < M; j++)
			letters[j] = (uint8_t)"ACGT"[table_chance() >> 40 & 3];
		if (kdiff_set_add(set, letters, M, K, &e))
			machine_stop(e.text);
	}
	s.set = set;
	if (asm_gpu_new(&s.ends, set, &p, &e))
		machine_stop(e.text);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		row(&kinds[i], &s, PATTERNS, &want);
	asm_gpu_free(s.ends);
	kdiff_set_free(set);
}

static void
sw_rows(void)
{
	struct cuda_sw_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
	};
	struct sw_scoring g = { .letters = 5, .open = 5, .extend = 2 };
	struct search s = { .set = NULL };
	struct sw_query *q;
	uint64_t want = 0;
	struct err e;

	for (unsigned i = 0; i < 25; i++)
		g.score[i / 5][i % 5] = i / 5 == i % 5 && i < 24 ? 2 : -3;
	if (sw_query_new(&q, &g, codes, ROWS, false, SW_AUTO, &e) ||
	    cuda_sw_new(&s.peaks, &p, &e))
		machine_stop(e.text);
	s.q = q;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].seg == kinds[i].chunk)
			row(&kinds[i], &s, ROWS, &want);
	cuda_pool_free(s.peaks);
	sw_query_free(q);
}

int
main(void)
{
	if (!cuda_devices())
		machine_stop(cuda_why_none());
	planes = malloc(dna_words(LETTERS) * 8);
	codes = malloc(LETTERS + 64);
	if (!planes || !codes)
		machine_stop("no memory");
	for (size_t i = 0; i < dna_words(LETTERS); i++)
		planes[i] = table_chance();
	for (size_t i = 0; i < LETTERS; i++)
		codes[i] = table_chance() >> 40 & 3;
	printf("\n## Chunks, each alone or gathered\n\n%d letters; asm-scan: "
	       "%d patterns of %d letters, k %d; sw-scan: %d rows.\n\n"
	       "| | text | G letters x patterns/s, or GCUPS | results |\n"
	       "|---|---|---|---|\n", LETTERS, PATTERNS, M, K, ROWS);
	asm_rows();
	sw_rows();
	return 0;
}
