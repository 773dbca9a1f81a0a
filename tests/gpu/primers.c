/* SPDX-License-Identifier: MIT */
/*
 * primers.c - how fast primer-find's kernel is beside what the GPU does at
 * best, and searches with and without a GPU: tables in Markdown
 */
#include <omp.h>
#include <string.h>

#include "cuda/paper_primer.h"
#include "cuda/primer.h"
#include "table.h"

/*
 * Operations that a letter takes each core at least: 13 of the bit vectors, and
 * 3, shared by two cores, to find what it matches in the table.
 */
enum { CORE_OPS = 15, TEXT = 16 << 20, PART = 1 << 20, TARGET = 30000 };

static uint8_t *text;
static const struct primer_backend *long_backend;

static void
letters(uint8_t *s, size_t n, const char *of)
{
	for (size_t i = 0; i < n; i++)
		s[i] = (uint8_t)of[table_chance() >> 40 & 3];
}

struct scene {
	const struct primer_backend *f;
	struct primer_find x;
	struct primer_found found;
};

static double
find(void *ctx)
{
	struct scene *s = ctx;
	double t = machine_seconds();
	struct err e;

	s->found.n = 0;
	if (s->f->find(s->f->ctx, &s->x, &s->found, &e))
		machine_stop("no search");
	return machine_seconds() - t;
}

/* Cores of 20 letters by one stream: copies and hits are part of the time. */
static void
kernel(const struct primer_backend *f, size_t n, double ceiling)
{
	struct primer_core *core = calloc(n, sizeof *core);
	struct scene s = { .f = f, .x = { .core = core, .n_cores = n,
		.text = text, .n = PART, .n_symbols = 5, .k = 5 } };
	double rate;

	if (!core)
		machine_stop("no memory");
	for (size_t i = 0; i < n; i++) {
		core[i].rows = 20;
		for (unsigned r = 12; r < 32; r++)
			core[i].eq[1 + (table_chance() >> 40 & 3)] |= 1u << r;
		for (unsigned q = 0; q < PRIMER_CORE_SYMBOLS; q++)
			core[i].eq[q] |= (1u << 12) - 1;
	}
	rate = (double)n * PART / table_median(find, &s);
	printf("| %zu | %.1f | %.0f %% | %zu |\n", n, 1e-9 * rate,
	       100 * rate * CORE_OPS / ceiling, s.found.n);
	free(s.found.v);
	free(core);
}

/*
 * A long core by one stream: a word of 32 rows takes LONG_OPS in each column,
 * with those before each stretch.
 */
enum { LONG_OPS = 10, LONG_TEXT = 4 << 20 };

static double
find_long(void *ctx)
{
	struct primer_find_long *x = ctx;
	struct primer_found found = { 0 };
	double t = machine_seconds();
	struct err e;

	if (long_backend->find_long(long_backend->ctx, x, &found, &e))
		machine_stop("no search");
	t = machine_seconds() - t;
	free(found.v);
	return t;
}

static void
long_kernels(const struct primer_backend *f, double ceiling)
{
	static uint8_t letter[PRIMER_LONG_ROWS];
	static const size_t sizes[] = { 241494, LONG_TEXT };

	letters(letter, sizeof letter, "\1\2\3\4");
	long_backend = f;
	printf("\n| rows of a long core | letters | us | G cells/s | of the "
	       "ceiling |\n|---|---|---|---|---|\n");
	for (uint32_t rows = 64; rows <= 1024; rows *= 2)
		for (size_t i = 0; i < 2; i++) {
			uint64_t search = 0;
			struct primer_find_long x = {
				.letter = letter, .rows = rows, .core = rows,
				.text = text, .n = sizes[i], .search = &search,
				.holds = { 0, 1, 2, 4, 8 }, .n_symbols = 5,
				.k = rows / 3,
			};
			double t = table_median(find_long, &x);
			double cells = (double)rows * (double)x.n;

			printf("| %u | %zu | %.0f | %.0f | %.0f %% |\n", rows,
			       x.n, 1e6 * t, 1e-9 * cells / t, 100 * cells *
			       LONG_OPS / 32 / ceiling / t);
		}
}

/* A pair of the source's. */
enum { PAIR_TARGET = 43606, PAIR_TEXT = 241494, PAIR_K = 100, STARTS = 512 };

struct search {
	struct primer_params par;
	const struct primer_backend *f;
	size_t n;		/* of the target */
	size_t starts;		/* a task; 0: PART letters of the text */
	uint8_t target[PAIR_TARGET];
	uint64_t end[PAIR_TARGET];
};

/* A task: some starts against the pair's text, or all of them in a part. */
static void
search_some(const struct search *y, struct primer *p, size_t at,
	    struct primer_work *w)
{
	size_t beg = at < 100 ? 0 : at - 100;
	struct err e;
	int rc = y->starts ?
		 primer_search(p, text, PAIR_TEXT, at, at + y->starts, w, &e) :
		 primer_search(p, text + beg, at + PART - beg, 0, UINT64_MAX,
			       w, &e);

	if (rc)
		machine_stop(e.text);
}

/* By all threads. */
static double
search(void *ctx)
{
	struct search *y = ctx;
	size_t n = y->starts ? y->n : TEXT, step = y->starts ? y->starts : PART;
	double t = machine_seconds();
	struct primer *p;
	struct err e;

	if (primer_new(&p, &y->par, &e) ||
	    primer_add(p, y->target, y->n, &e))
		machine_stop(e.text);
	primer_set_backend(p, y->f);
#pragma omp parallel
	{
		struct primer_work *w;
		struct err mine;

		if (primer_work_new(&w, &mine))
			machine_stop(mine.text);
#pragma omp for schedule(dynamic)
		for (size_t at = 0; at < n; at += step)
			search_some(y, p, at, w);
		primer_work_free(w);
	}
	primer_target_ends(p, 0, y->end);
	primer_delete(p);
	return machine_seconds() - t;
}

/* Seconds by the CPU, whose ends are kept. */
static double
by_cpu(struct search *y, uint64_t *want)
{
	double t;

	y->f = NULL;
	letters(y->target, y->n, "ACGT");
	t = table_median(search, y);
	memcpy(want, y->end, y->n * sizeof *want);
	return t;
}

static void
searches(const struct primer_backend *f, uint64_t k, uint64_t max_len)
{
	static struct search y;
	static uint64_t want[TARGET];
	double cpu, gpu;

	y.par = (struct primer_params){ .k = k, .max_len = max_len };
	y.n = TARGET;
	cpu = by_cpu(&y, want);
	y.f = f;
	gpu = table_median(search, &y);
	printf("| k %llu, at most %llu letters | %.3f | %.3f | %.1f | %s |\n",
	       (unsigned long long)k, (unsigned long long)max_len, gpu, cpu,
	       cpu / gpu, memcmp(want, y.end, sizeof want) == 0 ?
	       "the same" : "OTHER RESULTS");
	fflush(stdout);
}

static void
pair(const struct cuda_choice *choice)
{
	struct cuda_primer_params p = {
		.choice = *choice,
		.streams = (unsigned)omp_get_max_threads(),
	};
	static struct search y = { .par.k = PAIR_K, .n = PAIR_TARGET,
				   .starts = STARTS };
	static uint64_t want[PAIR_TARGET];
	struct primer_backend f;
	struct cuda_pool *g;
	double cpu, gpu;
	struct err e;

	if (p.streams > CUDA_MAX_STREAMS)
		p.streams = CUDA_MAX_STREAMS;
	cpu = by_cpu(&y, want);
	if (cuda_primer_new(&g, &p, &e))
		machine_stop(e.text);
	f = cuda_primer_backend(g);
	y.f = &f;
	gpu = table_median(search, &y);
	cuda_pool_free(g);
	printf("\nThe pair of the source below, all starts: %.3f s with the "
	       "GPU, %.3f s without, %s ends (goal: 0.1 s)\n", gpu, cpu,
	       memcmp(want, y.end, sizeof want) == 0 ? "the same" : "OTHER");
	fflush(stdout);
}

/* By the source's algorithms, of some of its starts; by batches of more, that
 * there are several. */
enum { SOME = 1024, MORE = 4 * SOME };

struct source {
	size_t starts;
	struct primer_paper how;
	const struct primer_paper_backend *h;
	struct primer_paper_stats did;
};

static double
by_source(void *ctx)
{
	static uint8_t target[MORE];
	struct primer_params par = { .k = PAIR_K };
	struct source *y = ctx;
	struct primer *p;
	struct err e;
	double t;

	if (!*target)
		letters(target, sizeof target, "ACGT");
	if (primer_new(&p, &par, &e) || primer_add(p, target, y->starts, &e))
		machine_stop(e.text);
	t = machine_seconds();
	y->did = (struct primer_paper_stats){ 0 };
	if (primer_paper_by(y->h, p, text, PAIR_TEXT, &y->how, &y->did, &e))
		machine_stop("no search");
	t = machine_seconds() - t;
	primer_delete(p);
	return t;
}

static void
source_row(const struct cuda_choice *choice, enum primer_paper_method method,
	   unsigned opts, unsigned factor, size_t starts)
{
	struct cuda_paper_primer_params p = { .choice = *choice,
					      .how.factor = factor };
	struct source y = { starts, .how = { .method = method,
					     .optimisations = opts } };
	struct primer_paper_backend h;
	struct cuda_pool *g;
	struct err e;
	double t;

	if (cuda_paper_primer_new(&g, &p, &e))
		machine_stop(e.text);
	h = cuda_paper_primer_backend(g);
	y.h = &h;
	t = table_median(by_source, &y);
	printf("| %s |", method == PRIMER_ALTERNATIVE ? "alternative" :
							"conventional");
	for (unsigned i = 0; i < 6; i++)
		if (opts >> i & 1)
			printf(" %u", i + 1);
	printf("%s%s%s | %zu | %u | %.3f | %.1f | %.1f | %.2f |\n",
	       opts & PRIMER_PAPER_START ? " start" : "",
	       opts & PRIMER_PAPER_REDUCE ? " reduce" : "",
	       opts & PRIMER_PAPER_BATCH ? " batch" : "", starts, factor, t,
	       1e-9 * (double)y.did.comparisons / t,
	       t * PAIR_TARGET / (double)y.did.starts,
	       y.did.comparisons ? 100 * (double)y.did.missed /
				   (double)y.did.comparisons : 0);
	fflush(stdout);
	cuda_pool_free(g);
}

/* Each optimisation by itself, as far as it can be, and one after the other, to
 * the source's best.  Without rows to end
 * them by (1, which takes 4), matrices have as many rows as the target has
 * letters: of them no time for all can be reckoned. */
static void
source_rows(const struct cuda_choice *choice)
{
	static const struct {
		enum primer_paper_method method;
		unsigned opts;
	} rows[] = {
		{ PRIMER_CONVENTIONAL, PRIMER_PAPER_ROWS | PRIMER_PAPER_TILES },
		{ PRIMER_CONVENTIONAL, PRIMER_PAPER_ROWS | PRIMER_PAPER_TILES |
		  PRIMER_PAPER_OWN },
		{ PRIMER_CONVENTIONAL, PRIMER_PAPER_ROWS | PRIMER_PAPER_TILES |
		  PRIMER_PAPER_OWN | PRIMER_PAPER_ALPHA },
		{ PRIMER_ALTERNATIVE, 0 },
		{ PRIMER_ALTERNATIVE, PRIMER_PAPER_START },
		{ PRIMER_ALTERNATIVE, PRIMER_PAPER_REACHED },
		{ PRIMER_ALTERNATIVE, PRIMER_PAPER_TILES },
		{ PRIMER_ALTERNATIVE, PRIMER_PAPER_OWN },
		{ PRIMER_ALTERNATIVE, PRIMER_PAPER_OWN | PRIMER_PAPER_REDUCE },
		{ PRIMER_ALTERNATIVE, PRIMER_PAPER_OWN | PRIMER_PAPER_TILES },
		{ PRIMER_ALTERNATIVE, PRIMER_PAPER_OWN | PRIMER_PAPER_TILES |
		  PRIMER_PAPER_ALPHA },
	};

	const unsigned best = PRIMER_PAPER_OWN | PRIMER_PAPER_REDUCE |
			      PRIMER_PAPER_TILES | PRIMER_PAPER_ALPHA |
			      PRIMER_PAPER_BETA;

	printf("\nThe source's algorithms by their kernels, as we read them: "
	       "some starts against %d random letters, k %d, and reckoned from "
	       "that %d starts (the source: 113 s on its GPU):\n\n"
	       "| algorithm | optimisations | starts | prefetch | s | "
	       "G comparisons/s | all starts, s | missed, %% |\n"
	       "|---|---|---|---|---|---|---|---|\n",
	       PAIR_TEXT, PAIR_K, PAIR_TARGET);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		source_row(choice, rows[i].method, rows[i].opts, 1, SOME);
	for (unsigned f = 1; f <= PAPER_PRIMER_MAX_FACTOR; f++)
		source_row(choice, PRIMER_ALTERNATIVE, best, f, SOME);
	source_row(choice, PRIMER_ALTERNATIVE, best, 1, MORE);
	source_row(choice, PRIMER_ALTERNATIVE, best | PRIMER_PAPER_BATCH, 1,
		   MORE);
}

int
main(void)
{
	struct cuda_primer_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
	};
	struct gpu_ceilings c = table_ceilings();
	struct primer_backend f;
	struct cuda_pool *g;
	struct cuda_report r;
	struct err e;

	text = malloc(TEXT);
	if (!text)
		machine_stop("no memory");
	letters(text, TEXT, "\1\2\3\4");
	if (cuda_primer_new(&g, &p, &e))
		machine_stop(e.text);
	f = cuda_primer_backend(g);
	printf("\n## primer-find\n\n| cores | GPU, G letters x cores/s | of "
	       "the ceiling | found |\n|---|---|---|---|\n");
	for (size_t n = 128; n <= 32768; n *= 16)
		kernel(&f, n, c.ops);
	long_kernels(&f, c.ops);
	printf("\n%d starts, background of %d letters, %d threads:\n\n"
	       "| primers | GPU, s | CPU, s | ratio | ends |\n"
	       "|---|---|---|---|---|\n", TARGET, TEXT, omp_get_max_threads());
	searches(&f, 4, 30);
	searches(&f, 6, 40);
	searches(&f, 10, 60);
	cuda_pool_report(g, &r);
	if (*r.failed || *r.why_not)
		printf("\n%s%s\n", r.failed, r.why_not);
	cuda_pool_free(g);
	pair(&p.choice);
	source_rows(&p.choice);
	return 0;
}
