/* SPDX-License-Identifier: MIT */
/*
 * engines.c - every engine and instruction set against each other on pieces of
 * a genome, until the time is up
 *
 * usage: engines SECONDS FASTA [FIRST]
 * Patterns are pieces of the genome with differences; case i depends on i
 * alone.  No textbook: texts are long, and patterns many.
 */
#include <time.h>

#include "tests/lib/genome.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"
#include "tests/lib/tap.h"

enum { MAX_M = 4000, MAX_LETTERS = 4000000 };

static uint64_t seed;
static struct genome g;

struct ecase {
	struct kdiff_params p;
	size_t n_pat, m, k;
	struct kdiff_seg seg;
	struct kdiff_text x;
	uint64_t seed;			/* of the patterns */
};

static const struct {
	enum kdiff_engine engine;
	enum isa isa;
	const char *name;
} ways[] = {	/* the first is compared with */
#if defined(KERN_NEON)
	{ KDIFF_TEXT, ISA_NEON, "text, neon" },
	{ KDIFF_PATTERNS, ISA_NEON, "patterns, neon" },
	{ KDIFF_FILTER, ISA_NEON, "filter, neon" },
	{ KDIFF_PREFIX, ISA_NEON, "first rows, neon" },
	{ KDIFF_AUTO, ISA_NEON, "auto, neon" },
#else
	{ KDIFF_TEXT, ISA_AVX2, "text, avx2" },
	{ KDIFF_TEXT, ISA_AVX512, "text, avx512" },
	{ KDIFF_PATTERNS, ISA_AVX2, "patterns, avx2" },
	{ KDIFF_PATTERNS, ISA_AVX512, "patterns, avx512" },
	{ KDIFF_FILTER, ISA_AVX2, "filter, avx2" },
	{ KDIFF_FILTER, ISA_AVX512, "filter, avx512" },
	{ KDIFF_PREFIX, ISA_AVX2, "first rows, avx2" },
	{ KDIFF_PREFIX, ISA_AVX512, "first rows, avx512" },
	{ KDIFF_AUTO, ISA_AVX512, "auto, avx512" },
#endif
	{ KDIFF_AUTO, ISA_SCALAR, "auto, scalar" },
};

static void
stop(const char *why)
{
	fprintf(stderr, "engines: %s\n", why);
	exit(2);
}

static uint8_t
genome_at(uint64_t i)
{
	const uint64_t *w = g.planes + i / 64 * 2;

	return (uint8_t)"ACGT"[(w[0] >> i % 64 & 1) |
			       (w[1] >> i % 64 & 1) << 1];
}

/* m letters of the case's text, with up to so many differences. */
static void
pattern(const struct ecase *c, uint8_t *to, size_t m, size_t edits)
{
	uint64_t base = (uint64_t)(c->x.planes - g.planes) / 2 * 64;
	uint64_t at = base + below(&seed, c->x.n - 2 * m);
	bool noise = below(&seed, 5) == 0;

	for (size_t i = 0; i < m; i++, at++) {
		uint64_t r = below(&seed, m);

		to[i] = noise ? (uint8_t)"ACGT"[below(&seed, 4)] :
			genome_at(at);
		if (r < edits && r % 3 == 0)
			to[i] = (uint8_t)"ACGT"[below(&seed, 4)];
		else if (r < edits && r % 3 == 1)
			at++;
		else if (r < edits && at)
			at--;
	}
	if (below(&seed, 20) == 0)
		to[below(&seed, m)] = (uint8_t)"NRYSWK"[below(&seed, 6)];
}

static struct kdiff_hits
scan(struct ecase *c, size_t way)
{
	struct kdiff_hits h = { 0 };
	struct kdiff_work *w;
	struct kdiff_set *set;
	uint8_t letters[MAX_M];
	struct err e;

	seed = c->seed;
	if (kdiff_set_new(&set, &c->p, &e) < 0 || kdiff_work_new(&w, &e) < 0)
		stop("no memory");
	kdiff_set_isa(set, ways[way].isa);
	kdiff_set_engine(set, ways[way].engine);
	for (size_t i = 0; i < c->n_pat; i++) {
		size_t m = c->m + below(&seed, 1 + c->m / 16);

		pattern(c, letters, m, c->k + below(&seed, 3));
		if (kdiff_set_add(set, letters, m, c->k, &e) < 0)
			stop(e.text);
	}
	if (kdiff_scan(set, &c->x, w, &h, &e) < 0)
		stop(e.text);
	kdiff_set_free(set);
	kdiff_work_free(w);
	return h;
}

static void
choose(struct ecase *c)
{
	static const size_t lengths[] = { 12, 16, 20, 20, 23, 32, 48, 64, 100,
					  200, 500, 1000, 3000 };
	uint64_t n = 20000 + below(&seed, below(&seed, 3) ? 300000 :
						    MAX_LETTERS), beg;

	memset(c, 0, sizeof *c);
	n = n < g.n ? n : g.n;
	beg = below(&seed, g.n - n + 1) / 64 * 64;
	c->p.report = below(&seed, 2) ? KDIFF_MINIMA : KDIFF_ALL;
	c->p.hamming = below(&seed, 6) == 0;
	c->m = lengths[below(&seed, 13)];
	c->k = below(&seed, c->m < 20 ? 3 : below(&seed, 3) ? 5 :
		     2 + c->m / 8);
	c->n_pat = 1 + below(&seed, c->m > 64 || below(&seed, 2) ? 4 : 200);
	c->seg = (struct kdiff_seg){ .end = n, .to = UINT64_MAX };
	c->x = genome_piece(&g, beg, n, &c->seg);
	c->seed = seed;
}

static bool
compare(struct ecase *c, uint64_t number)
{
	struct kdiff_hits want = scan(c, 0);
	bool good = true;

	for (size_t i = 1; good && i < sizeof ways / sizeof ways[0]; i++) {
		struct kdiff_hits have;

		if (ways[i].isa > cpu_isa() ||
		    (ways[i].isa == ISA_SCALAR && c->x.n * c->n_pat > 1000000))
			continue;
		have = scan(c, i);
		good = have.n == want.n && (!have.n || !memcmp(have.v, want.v,
			have.n * sizeof *have.v));
		if (!good)
			printf("engines: case %llu: %s has %zu hits, %s %zu: "
			       "%zu patterns of %zu, k %zu, report %d, "
			       "hamming %d, %llu letters\n",
			       (unsigned long long)number, ways[i].name,
			       have.n, ways[0].name, want.n, c->n_pat, c->m,
			       c->k, c->p.report, c->p.hamming,
			       (unsigned long long)c->x.n);
		kdiff_hits_free(&have);
	}
	kdiff_hits_free(&want);
	return good;
}

int
main(int argc, char **argv)
{
	time_t began = time(NULL);
	uint64_t i = argc > 3 ? strtoull(argv[3], NULL, 10) : 0, n = 0;
	uint64_t bad = 0, letters = 0;

	if (argc < 3 || genome_load(&g, argv[2]) < 0 || g.n < 10 * MAX_M)
		stop("usage: engines SECONDS FASTA [FIRST]");
	for (; time(NULL) - began < atol(argv[1]) && bad < 20; i++, n++) {
		struct ecase c;

		seed = 88172645463325252ull ^ (i + 1) * 0x9e3779b97f4a7c15;
		choose(&c);
		letters += c.x.n * c.n_pat;
		bad += !compare(&c, i);
	}
	printf("engines: %llu cases, %.1f G letters x patterns, next %llu, "
	       "%llu failed\n", (unsigned long long)n, (double)letters / 1e9,
	       (unsigned long long)i, (unsigned long long)bad);
	genome_free(&g);
	return bad != 0 || n == 0;
}
