/* SPDX-License-Identifier: MIT */
/* kdiff.c - speed of the scan over packed text in memory, and of CIGARs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algo/kdiff.h"
#include "base/cpu.h"
#include "base/dna.h"

enum { RUNS = 3, PIECE = 1 << 20 };

static uint64_t state = 88172645463325252ull;

static unsigned
base(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 20 & 3;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
stop(const struct err *e)
{
	fprintf(stderr, "bench: %s\n", e->text);
	exit(1);
}

struct bench {
	uint64_t n, *planes;
	struct kdiff_set *set;
	struct kdiff_work *w;
	struct kdiff_hits hits;
	struct err e;
};

static void
fill(struct bench *b, const char *repeat)
{
	memset(b->planes, 0, dna_words(b->n) * 8);
	for (uint64_t i = 0; i < b->n; i++) {
		unsigned c = base();
		uint64_t *w = b->planes + i / 64 * 2;

		if (repeat)
			c = (unsigned)(strchr("ACGT", repeat[i %
			    strlen(repeat)]) - "ACGT");
		w[0] |= (uint64_t)(c & 1) << i % 64;
		w[1] |= (uint64_t)(c >> 1) << i % 64;
	}
}

static void
set(struct bench *b, size_t n_pat, size_t m, size_t k, enum kdiff_report rep,
    const char *repeat)
{
	struct kdiff_params p = { .alphabet = KDIFF_DNA, .report = rep };
	uint8_t *s = malloc(m);

	if (!s || kdiff_set_new(&b->set, &p, &b->e) < 0)
		stop(&b->e);
	for (size_t i = 0; i < n_pat; i++) {
		for (size_t j = 0; j < m; j++)
			s[j] = (uint8_t)(repeat ? repeat[j % strlen(repeat)] :
					 "ACGT"[base()]);
		if (kdiff_set_add(b->set, s, m, k, &b->e) < 0)
			stop(&b->e);
	}
	free(s);
}

/* The whole text at once, or in pieces as a pump would bring them. */
static double
scan(struct bench *b, uint64_t piece, uint64_t *n_hits)
{
	double t = now();

	*n_hits = 0;
	for (uint64_t at = 0; at < b->n; at += piece) {
		uint64_t n = b->n - at < piece ? b->n - at : piece;
		struct kdiff_seg g = { 0, n, 0, UINT64_MAX };
		struct kdiff_text x = {
			.n = n, .planes = b->planes + dna_words(at),
			.seg = &g, .n_seg = 1,
		};

		b->hits.n = 0;
		if (kdiff_scan(b->set, &x, b->w, &b->hits, &b->e) < 0)
			stop(&b->e);
		*n_hits += b->hits.n;
	}
	return now() - t;
}

/* us a hit of the last scan, which was in one piece. */
static double
trace(struct bench *b)
{
	size_t n = b->hits.n < 1000000 ? b->hits.n : 1000000;
	struct kdiff_path *p = malloc((n + 1) * sizeof *p);
	struct kdiff_seg g = { 0, b->n, 0, UINT64_MAX };
	struct kdiff_text x = {
		.n = b->n, .planes = b->planes, .seg = &g, .n_seg = 1,
	};
	struct buf ops = { 0 };
	double t;

	if (!p)
		exit(1);
	t = now();
	if (kdiff_trace(b->set, &x, b->w, b->hits.v, n, p, &ops, &b->e) < 0)
		stop(&b->e);
	t = now() - t;
	buf_free(&ops);
	free(p);
	return n ? t / (double)n * 1e6 : 0;
}

static void
one(struct bench *b, size_t n_pat, size_t m, size_t k, enum kdiff_report rep,
    const char *repeat)
{
	double whole = 1e9, pieces = 1e9, us = 1e9;
	uint64_t hits = 0, n;

	set(b, n_pat, m, k, rep, repeat);
	for (int i = 0; i < RUNS; i++) {
		double t = scan(b, PIECE, &n);

		pieces = t < pieces ? t : pieces;
		t = scan(b, b->n, &hits);
		whole = t < whole ? t : whole;
		t = trace(b);
		us = t < us ? t : us;
	}
	printf("%4zu x m%-4zu k%-3zu %-6s %-6s %6.2f %6.2f GB/s  %9llu hits, "
	       "%.3f us a CIGAR\n", n_pat, m, k, repeat ? repeat : "random",
	       rep == KDIFF_ALL ? "all" : "minima",
	       (double)(b->n * n_pat) / whole / 1e9,
	       (double)(b->n * n_pat) / pieces / 1e9,
	       (unsigned long long)hits, us);
	fflush(stdout);
	kdiff_set_free(b->set);
}

int
main(int argc, char **argv)
{
	struct bench b = { .n = argc > 1 ? strtoull(argv[1], NULL, 10) :
			   100000000 };

	b.planes = malloc(dna_words(b.n) * 8 + 8);
	if (!b.planes || kdiff_work_new(&b.w, &b.e) < 0)
		return 1;
	printf("%llu letters, %s: patterns, GB/s of text x patterns whole and "
	       "in pieces of %d\n", (unsigned long long)b.n,
	       cpu_isa_name(cpu_isa()), PIECE);
	fill(&b, NULL);
	one(&b, 1, 20, 3, KDIFF_MINIMA, NULL);
	one(&b, 1, 32, 3, KDIFF_MINIMA, NULL);
	one(&b, 2, 20, 3, KDIFF_MINIMA, NULL);
	one(&b, 1, 100, 10, KDIFF_MINIMA, NULL);
	one(&b, 1, 16, 6, KDIFF_ALL, NULL);
	one(&b, 1, 16, 6, KDIFF_MINIMA, NULL);
	one(&b, 1, 1000, 50, KDIFF_MINIMA, NULL);
	one(&b, 1, 5000, 250, KDIFF_MINIMA, NULL);
	b.n = b.n / 10;
	one(&b, 96, 20, 3, KDIFF_MINIMA, NULL);
	one(&b, 96, 32, 3, KDIFF_MINIMA, NULL);
	fill(&b, "ACG");
	one(&b, 1, 20, 3, KDIFF_ALL, "ACG");
	one(&b, 1, 20, 3, KDIFF_MINIMA, "ACG");
	kdiff_hits_free(&b.hits);
	kdiff_work_free(b.w);
	free(b.planes);
	return 0;
}
