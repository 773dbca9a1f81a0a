/* SPDX-License-Identifier: MIT */
/*
 * primer.c - the search for k-difference primers in memory, timed
 *
 *	primer [-e ENGINE] [-t THREADS] [-r ROUNDS] [-s +] [-k K] [-l MAX_LEN]
 *	       [-p PIECE] [-g RANGES] TARGET BACKGROUND
 * ENGINE: auto, plain, blocks, short.  TARGET, BACKGROUND: so many random
 * letters, or a FASTA file, sequences one behind the other (of a target: only
 * the first).  Both strands, unless -s +; the background in pieces of PIECE
 * letters, of which each thread takes one after the other, with as many ranges
 * of the target's places as -g says.
 *
 * Prints seconds by the clock and by the processors of the fastest round, what
 * was found, and vector operations a nanosecond, beside what the vector units
 * allow: 12.5 for a column of cores of the short engine, 12 for one of a word
 * of rows of the others (AVX2: 19).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/tap.h"
#include "base/base.h"
#include "primer/primer.h"
#include "machine.h"

struct letters {
	uint8_t *s;
	size_t n;
};

static struct primer_params par = { .k = 5, .max_len = 35 };
static int n_threads = 1, rounds = 1, n_strands = 2, n_ranges = 1;
static size_t piece = 1 << 22;

static _Noreturn void
stop(const char *why)
{
	fprintf(stderr, "bench: %s\n", why);
	exit(1);
}

static struct letters
random_letters(size_t n, uint64_t seed)
{
	struct letters x = { malloc(n + 1), n };

	if (!x.s)
		stop("no memory");
	for (size_t i = 0; i < n; i++)
		x.s[i] = (uint8_t)"ACGT"[rnd(&seed) >> 62];
	return x;
}

static struct letters
fasta_letters(const char *path, bool first)
{
	FILE *f = fopen(path, "r");
	struct letters x = { NULL, 0 };
	char line[1 << 16];
	size_t cap = 0, records = 0;

	if (!f)
		stop(path);
	while (fgets(line, sizeof line, f)) {
		size_t n = strcspn(line, "\r\n");

		if (*line == '>' && ++records > 1 && first)
			break;
		if (*line == '>')
			continue;
		if (x.n + n > cap) {
			cap = 2 * (x.n + n);
			x.s = realloc(x.s, cap);
			if (!x.s)
				stop("no memory");
		}
		memcpy(x.s + x.n, line, n);
		x.n += n;
	}
	fclose(f);
	return x;
}

static struct letters
letters_of(const char *arg, bool target)
{
	char *end;
	unsigned long long n = strtoull(arg, &end, 10);

	return *end ? fasta_letters(arg, target) :
		      random_letters(n, target ? 12345 : 67890);
}

/* Symbols of both strands, one after the other. */
static uint8_t *
symbols_of(const struct primer *p, const struct letters *b)
{
	uint8_t *s = malloc(2 * b->n + 1);

	if (!s)
		stop("no memory");
	for (size_t i = 0; i < b->n; i++) {
		s[i] = primer_symbols(p, false)[b->s[i]];
		s[2 * b->n - 1 - i] = primer_symbols(p, true)[b->s[i]];
	}
	return s;
}

struct search {
	struct primer *p;
	const uint8_t *s;
	size_t n, per;
	struct primer_work **work;
};

static void
one_range(void *ctx, uint64_t j, unsigned thread)
{
	struct search *x = ctx;
	size_t ranges = (size_t)n_ranges, i = j / ranges, g = j % ranges;
	size_t beg = i % x->per * piece, end = beg + piece;
	size_t span = primer_span(x->p);
	uint64_t places = primer_places(x->p);
	const uint8_t *text = x->s + i / x->per * x->n;
	struct err e;

	end = end < x->n ? end : x->n;
	beg = beg < span ? 0 : beg - span;
	if (primer_search(x->p, text + beg, end - beg, places * g / ranges,
			  places * (g + 1) / ranges, x->work[thread], &e))
		stop(e.text);
}

static void
search(struct primer *p, const uint8_t *s, size_t n, struct primer_stats *sum)
{
	struct search x = { p, s, n, (n + piece - 1) / piece, NULL };
	struct err e;

	x.work = calloc((size_t)n_threads, sizeof *x.work);
	if (!x.work)
		stop("no memory");
	for (int i = 0; i < n_threads; i++)
		if (primer_work_new(&x.work[i], &e))
			stop(e.text);
	threads_each((unsigned)n_threads, x.per * (size_t)n_strands *
		     (size_t)n_ranges, one_range, &x);
	for (int i = 0; i < n_threads; i++) {
		const struct primer_stats *w = primer_work_stats(x.work[i]);

		sum->columns += w->columns;
		sum->checks += w->checks;
		sum->blocks += w->blocks;
		sum->plain += w->plain;
		primer_work_free(x.work[i]);
	}
	free(x.work);
}

static void
work_done(const struct primer *p, double cpu, const struct primer_stats *t)
{
	double lanes = cpu_isa() == ISA_AVX512 ? 32 :
		       cpu_isa() == ISA_AVX2 ? 16 : 4;
	double columns = (double)t->columns;

	if (primer_by_text(p))
		printf("columns of vectors %.3g, %.3f a ns and thread (with "
		       "checks); words of checks %.3g", columns * 4 / lanes,
		       columns * 4 / lanes / cpu * 1e-9, (double)t->checks);
	else
		printf("vectors %.3g, and %.3g to check, %.3f a ns and thread",
		       columns, (double)t->checks, (columns +
		       (double)t->checks) / cpu * 1e-9);
	printf("; %.2f vector operations a ns; blocks %" PRIu64 ", given up %"
	       PRIu64 "\n", machine_vector_ops(cpu_isa()) * machine_ghz(),
	       t->blocks, t->plain);
}

static void
report(const struct primer *p, size_t m, double wall, double cpu,
       const struct primer_stats *t)
{
	uint64_t *end = malloc((m + 1) * sizeof *end), sum = 0, n = 0, hash = 0;

	if (!end)
		stop("no memory");
	primer_target_ends(p, 0, end);
	for (size_t j = 0; j < m; j++) {
		hash = hash * 1000003 + end[j];
		if (end[j] == m || (par.max_len && end[j] == j + par.max_len))
			continue;
		n++;
		sum += end[j] + 1 - j;
	}
	printf("%.3f s, %.3f s of CPU: %" PRIu64 " primers, mean %.1f, hash "
	       "%016" PRIx64 "\n", wall, cpu, n,
	       n ? (double)sum / (double)n : 0, hash);
	work_done(p, cpu, t);
	free(end);
}

static void
run(const struct letters *a, const struct letters *b)
{
	double best = 1e30, best_cpu = 0;
	struct primer *p = NULL;
	struct primer_stats t = { 0 };
	uint8_t *s = NULL;
	struct err e;

	for (int i = 0; i < rounds; i++) {
		double wall, cpu;

		free(s);
		primer_delete(p);
		t = (struct primer_stats){ 0 };
		if (primer_new(&p, &par, &e) || primer_add(p, a->s, a->n, &e))
			stop(e.text);
		s = symbols_of(p, b);
		wall = machine_seconds();
		cpu = machine_cpu();
		search(p, s, b->n, &t);
		wall = machine_seconds() - wall;
		if (wall < best) {
			best = wall;
			best_cpu = machine_cpu() - cpu;
		}
	}
	report(p, a->n, best, best_cpu, &t);
	free(s);
	primer_delete(p);
}

static enum primer_engine
engine_of(const char *name)
{
	static const char *const names[] = { "auto", "plain", "blocks",
					     "short" };

	for (int i = 0; i < 4; i++)
		if (!strcmp(name, names[i]))
			return (enum primer_engine)i;
	stop("no such engine");
}

int
main(int argc, char **argv)
{
	struct letters a, b;

	for (int c; (c = getopt(argc, argv, "e:t:r:s:k:l:p:g:")) != -1;)
		switch (c) {
		case 'e': par.engine = engine_of(optarg); break;
		case 't': n_threads = atoi(optarg); break;
		case 'r': rounds = atoi(optarg); break;
		case 's': n_strands = 1; break;
		case 'k': par.k = strtoull(optarg, NULL, 10); break;
		case 'l': par.max_len = strtoull(optarg, NULL, 10); break;
		case 'p': piece = strtoull(optarg, NULL, 10); break;
		case 'g': n_ranges = atoi(optarg); break;
		default: stop("usage: see the source's head");
		}
	if (argc - optind != 2 || !piece || n_ranges < 1)
		stop("usage: see the source's head");
	a = letters_of(argv[optind], true);
	b = letters_of(argv[optind + 1], false);
	run(&a, &b);
	free(a.s);
	free(b.s);
	return 0;
}
