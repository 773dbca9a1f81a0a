/* SPDX-License-Identifier: MIT */
/*
 * bench.c - how fast the kernels are beside what the GPU does at best, and
 * beside all processors: a table in Markdown
 */
#include <omp.h>
#include <string.h>

#include "letters/letters.h"
#include "base/base.h"
#include "scan/asm/asm.h"
#include "table.h"

enum { LETTERS = 32 << 20 };

/*
 * Operations that a letter takes each pattern at least: of edits 7 of logic,
 * an addition, two shifts, two for D and one for the hits of two letters, of
 * mismatches 3, a count, a subtraction and the same for hits; where two
 * registers hold the pattern twice as many.  What finds the letter's row is
 * shared by a group of patterns.
 */
enum { EDIT_OPS = 13, HAM_OPS = 6 };

struct kind {
	const char *name;
	unsigned m, k;
	bool hamming;
	enum kdiff_dev_kernel kernel;
};
static const struct kind kinds[] = {
	{ "edits, m 20, k 3", 20, 3, false, KDIFF_DEV_FAST },
	{ "the same, the paper's", 20, 3, false, KDIFF_DEV_PAPER },
	{ "the same, X in global memory", 20, 3, false,
	  KDIFF_DEV_PAPER_GLOBAL },
	{ "edits, m 32, k 8", 32, 8, false, KDIFF_DEV_FAST },
	{ "edits, m 64, k 16", 64, 16, false, KDIFF_DEV_FAST },
	{ "mismatches, m 23, k 4", 23, 4, true, KDIFF_DEV_FAST },
	{ "mismatches, m 60, k 15", 60, 15, true, KDIFF_DEV_FAST },
};
static const unsigned numbers[] = { 2, 32, 512 };

static uint64_t *planes;

static struct kdiff_set *
make_set(const struct kind *y, unsigned n)
{
	struct kdiff_params p = { .hamming = y->hamming };
	struct kdiff_set *set;
	uint8_t s[64];
	struct err e;
	int rc = kdiff_set_new(&set, &p, &e);

	for (unsigned i = 0; i < n && !rc; i++) {
		for (unsigned j = 0; j < y->m; j++)
			s[j] = (uint8_t)"ACGT"[table_chance() >> 40 & 3];
		rc = kdiff_set_add(set, s, y->m, y->k, &e);
	}
	if (rc)
		machine_stop(e.text);
	return set;
}

/* Letters [at, at + n) of the text as one segment. */
static void
search(const struct kdiff_set *set, uint64_t at, uint64_t n,
       struct kdiff_work *w, struct kdiff_hits *h)
{
	struct kdiff_seg g = { .end = n, .to = UINT64_MAX };
	struct kdiff_text t = { .n = n, .planes = planes + at / 32, .seg = &g,
				.n_seg = 1, .whole = LETTERS };
	struct err e;

	h->n = 0;
	if (kdiff_scan(set, &t, w, h, &e))
		machine_stop(e.text);
}

/* By all threads, a chunk of 1 Mi letters each at a time: seconds. */
static double
all_chunks(const struct kdiff_set *set, uint64_t letters, uint64_t *hits)
{
	uint64_t chunk = 1 << 20, sum = 0;
	double t = machine_seconds();

#pragma omp parallel reduction(+ : sum)
	{
		struct kdiff_hits h = { 0 };
		struct kdiff_work *w;
		struct err e;

		if (kdiff_work_new(&w, &e))
			machine_stop(e.text);
#pragma omp for schedule(dynamic)
		for (uint64_t at = 0; at < letters; at += chunk) {
			search(set, at, min_u64(chunk, letters - at), w, &h);
			sum += h.n;
		}
		kdiff_work_free(w);
		kdiff_hits_free(&h);
	}
	*hits = sum;
	return machine_seconds() - t;
}

/* A search timed: what it has done is left in it. */
struct timed {
	const struct kdiff_set *set;
	uint64_t letters, hits;
};

static double
timed(void *ctx)
{
	struct timed *y = ctx;

	return all_chunks(y->set, y->letters, &y->hits);
}

static void
row(const struct kind *y, unsigned n, double ceiling)
{
	struct asm_gpu_params p = { .choice = { .kind = CUDA_THESE, .n = 1 },
				    .threads = 1, .kernel = y->kernel };
	struct kdiff_set *set = make_set(y, n);
	/* a part of it is enough for a CPU's rate */
	struct timed some = { set, LETTERS / (n > 32 ? 16 : 1), 0 };
	struct timed all = { set, LETTERS, 0 };
	double ops = (y->hamming ? HAM_OPS : EDIT_OPS) * (y->m > 32 ? 2 : 1);
	double cpu = table_median(timed, &some) / (double)some.letters, gpu;
	uint64_t have;
	struct cuda_report r;
	struct asm_gpu *g;
	struct err e;

	if (asm_gpu_new(&g, set, &p, &e))
		machine_stop(e.text);
	all_chunks(set, some.letters, &have);
	gpu = table_median(timed, &all) / LETTERS;
	cuda_pool_report(asm_gpu_pool(g), &r);
	printf("| %s | %u | %.1f | %.0f %% | %.1f | %.1f | %s |\n", y->name, n,
	       n / gpu * 1e-9, 100 * n / gpu * ops / ceiling, n / cpu * 1e-9,
	       cpu / gpu, *r.failed ? r.failed : *r.why_not ? r.why_not :
	       have == some.hits ? "the same" : "OTHER RESULTS");
	fflush(stdout);
	asm_gpu_free(g);
	kdiff_set_free(set);
}

int
main(void)
{
	struct gpu_ceilings c = table_ceilings();
	struct cuda_device d;
	struct err e;

	if (cuda_device(&d, 0, &e))
		machine_stop(e.text);
	planes = malloc(dna_words(LETTERS) * 8);
	if (!planes)
		machine_stop("no memory");
	for (size_t i = 0; i < dna_words(LETTERS); i++)
		planes[i] = table_chance();
	printf("- GPU: %s, compute capability %d.%d, %.0f GB\n- CPU: %d "
	       "threads, %s\n- to the GPU %.1f GB/s, from it %.1f GB/s, "
	       "%.2f T operations/s (32-bit logic)\n\n",
	       d.name, d.major, d.minor, 1e-9 * (double)d.memory,
	       omp_get_max_threads(), cpu_isa_name(cpu_isa()), 1e-9 * c.to,
	       1e-9 * c.from, 1e-12 * c.ops);
	printf("| search | patterns | GPU, G letters x patterns/s | of the "
	       "ceiling | CPU, the same | ratio | hits |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
			row(&kinds[i], numbers[j], c.ops);
	return 0;
}
