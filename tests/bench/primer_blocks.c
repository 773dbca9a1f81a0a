/* SPDX-License-Identifier: MIT */
/*
 * primer_blocks.c - the engine of blocks in memory, timed
 *
 *	primer_blocks [-e ENGINE] [-t THREADS] [-r ROUNDS] [-g RANGES]
 *		      [M N K RELATED DIVERGENCE]
 * ENGINE: auto, plain, blocks.  A target of M random letters, RELATED of them
 * in stretches of about 3,000 taken from the background of N letters, changed
 * by DIVERGENCE in the mean (half to one and a half of it): 43606 241494 100 0
 * 0 if nothing is said.  Threads share the places in RANGES ranges each.
 *
 * Prints seconds of the fastest round, by the clock and of the processors, what
 * was found, and how many ns of a processor a vector of rows took, beside what
 * the vector units allow: 12 operations (AVX2: 19).
 */
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "algo/primer.h"
#include "base/cpu.h"
#include "machine.h"

static uint64_t seed = 88172645463325252ull;
static int n_threads = 1, rounds = 3, n_ranges = 4;
static enum primer_engine engine = PRIMER_BLOCKS;
static double related, divergence;
static uint64_t m = 43606, n = 241494, k = 100;

static void
stop(const char *why)
{
	fprintf(stderr, "bench: %s\n", why);
	exit(1);
}

static double
part(void)
{
	return (double)(rnd(&seed) >> 11) * 0x1p-53;
}

static uint8_t
letter(void)
{
	return (uint8_t)"ACGT"[rnd(&seed) >> 62];
}

static uint8_t *
random_letters(uint64_t len)
{
	uint8_t *s = malloc(len + 1);

	if (!s)
		stop("no memory");
	for (uint64_t i = 0; i < len; i++)
		s[i] = letter();
	return s;
}

/* Letters of b from p on, changed, as a[i] to a[end): how many were written. */
static uint64_t
copy(uint8_t *a, uint64_t len, const uint8_t *b, uint64_t room)
{
	double rate = divergence * (0.5 + part());
	uint64_t i = 0;

	for (uint64_t q = 0; q < len && i < room; q++) {
		double x = part();

		if (x < rate * 0.8) {
			a[i++] = letter();
		} else if (x < rate) {
			if (x < rate * 0.9)
				continue;
			a[i++] = letter();
			if (i < room)
				a[i++] = b[q];
		} else {
			a[i++] = b[q];
		}
	}
	return i;
}

static uint8_t *
target_of(const uint8_t *b)
{
	uint8_t *a = random_letters(m);

	for (uint64_t i = 0; i < m;) {
		uint64_t len = 1500 + below(&seed, 3000);

		if (part() < related && n > len)
			i += copy(a + i, len, b + below(&seed, n - len), m - i);
		else
			i += len;
	}
	return a;
}

static void
search(struct primer *p, const uint8_t *text, struct primer_stats *sum)
{
	uint64_t places = primer_places(p);
	uint64_t ranges = n_threads > 1 ?
		(uint64_t)n_ranges * (uint64_t)n_threads : 1;

#pragma omp parallel num_threads(n_threads)
	{
		struct primer_work *w;
		struct err e;

		if (primer_work_new(&w, &e))
			stop(e.text);
#pragma omp for schedule(dynamic, 1)
		for (uint64_t i = 0; i < ranges; i++)
			if (primer_search(p, text, n, places * i / ranges,
					  places * (i + 1) / ranges, w, &e))
				stop(e.text);
#pragma omp critical
		{
			sum->columns += primer_work_stats(w)->columns;
			sum->checks += primer_work_stats(w)->checks;
			sum->blocks += primer_work_stats(w)->blocks;
			sum->plain += primer_work_stats(w)->plain;
		}
		primer_work_free(w);
	}
}

static void
report(const struct primer *p, double wall, double cpu,
       const struct primer_stats *t)
{
	uint64_t *end = malloc((m + 1) * sizeof *end), sum = 0, found = 0;
	uint64_t hash = 0;

	if (!end)
		stop("no memory");
	primer_target_ends(p, 0, end);
	for (uint64_t i = 0; i < m; i++) {
		hash = hash * 1000003 + end[i];
		found += end[i] < m;
		sum += end[i] < m ? end[i] + 1 - i : 0;
	}
	printf("%.3f s (%.3f of CPU), %" PRIu64 " primers of mean %.1f, hash %"
	       PRIx64 "; %" PRIu64 " M vectors, and %" PRIu64 " M to check, %"
	       PRIu64 " blocks, %" PRIu64 " given up; %.2f ns a vector (%s, "
	       "%.1f GHz)\n", wall, cpu, found,
	       (double)sum / (double)(found + !found), hash,
	       t->columns / 1000000, t->checks / 1000000, t->blocks, t->plain,
	       cpu * 1e9 / (double)(t->columns + t->checks + 1),
	       cpu_isa_name(cpu_isa()), machine_ghz());
	free(end);
}

static void
options(int argc, char **argv)
{
	static const char *const names[] = { "auto", "plain", "blocks" };
	int c, i = 0;

	while ((c = getopt(argc, argv, "e:t:r:g:")) != -1)
		switch (c) {
		case 'e':
			for (i = 0; i < 3 && strcmp(optarg, names[i]); i++)
				;
			if (i == 3)
				stop("no such engine");
			engine = (enum primer_engine)i;
			break;
		case 't': n_threads = atoi(optarg); break;
		case 'r': rounds = atoi(optarg); break;
		case 'g': n_ranges = atoi(optarg); break;
		default: stop("usage: see the source");
		}
	if (argc - optind != 0 && argc - optind != 5)
		stop("M N K RELATED DIVERGENCE");
	if (argc - optind == 5) {
		m = strtoull(argv[optind], NULL, 10);
		n = strtoull(argv[optind + 1], NULL, 10);
		k = strtoull(argv[optind + 2], NULL, 10);
		related = atof(argv[optind + 3]);
		divergence = atof(argv[optind + 4]);
	}
}

int
main(int argc, char **argv)
{
	struct primer_stats stats = { 0 };
	struct primer_params par;
	double best = 1e9, least = 1e9;
	uint8_t *a, *b;

	options(argc, argv);
	par = (struct primer_params){ .k = k, .engine = engine };
	b = random_letters(n);
	a = target_of(b);
	for (int r = 0; r < rounds; r++) {
		struct primer *p;
		struct err e;
		double t, cpu;

		if (primer_new(&p, &par, &e) || primer_add(p, a, m, &e))
			stop(e.text);
		if (r == 0)	/* the text's letters as symbols */
			for (uint64_t i = 0; i < n; i++)
				b[i] = primer_symbols(p, false)[b[i]];
		stats = (struct primer_stats){ 0 };
		t = omp_get_wtime();
		cpu = machine_cpu();
		search(p, b, &stats);
		t = omp_get_wtime() - t;
		cpu = machine_cpu() - cpu;
		best = t < best ? t : best;
		least = cpu < least ? cpu : least;
		if (r == rounds - 1)
			report(p, best, least, &stats);
		primer_delete(p);
	}
	free(a);
	free(b);
	return 0;
}
