/* SPDX-License-Identifier: MIT */
/*
 * kdiff.c - random cases of every kind for the scan and the traceback, all
 * instruction sets against the textbook, until the time is up
 *
 * usage: kdiff SECONDS [FIRST [LAST]]
 * Case number i depends on i alone: a case that fails is run again by
 * "kdiff 0 i i".  Says how many cases of each kind it did.
 */
#include "tests/lib/kdiff_rounds.h"
#include "tests/soak/soak.h"

/* A copy of p with e differences, evenly spread, that ends at letter end. */
static void
plant_evenly(size_t end, const uint8_t *p, size_t m, size_t e)
{
	size_t step = e ? m / e : m + 1, first = step / 2, j = end;
	uint64_t what = below(&seed, 4);	/* 3: all three in turn */

	for (size_t i = m; i-- && j;) {
		bool edit = e && i % step == first && i / step < e;
		uint64_t w = what < 3 ? what : i / step % 3;

		if (edit && w == 0)		/* insertion */
			continue;
		letters[--j] = p[i];
		if (edit && w == 1)
			letters[j] = p[i] == 'A' ? 'C' : 'A';
		if (edit && w == 2 && j)	/* deletion */
			letters[--j] = letter("ACGT", 4);
	}
}

/*
 * A copy, with k or k + 1 differences often, near every border of a superblock
 * of every lane, and so of pieces and lanes, too.
 */
static bool
borders(uint64_t round)
{
	size_t m = 1 + below(&seed, 90), k = below(&seed, m / 3 + 1), at;

	reset(2000 + below(&seed, round % 4 ? 10000 : 80000));
	fill(round % 3 ? RANDOM : TWO, letters, kc.n);
	add_pattern(RANDOM, m, k);
	for (size_t b = 256; b < kc.n; b += 256 * (1 + below(&seed, 2))) {
		at = b + below(&seed, m + 8) - (b > m ? below(&seed, 9) : 0);
		plant_evenly(at < kc.n ? at : kc.n, kc.pat[0], m,
			     k + below(&seed, 2) - (k && below(&seed, 3) == 0));
	}
	kc.no_trace = kc.n > 12000;
	return run();
}

/* Many patterns of like lengths over short texts, often many segments. */
static bool
crowd(uint64_t round)
{
	size_t n_pat = 1 + below(&seed, CASE_PATS), m = 4 + below(&seed, 40);
	size_t k = below(&seed, round % 2 ? 5 : m / 2), spread, more;

	k = k < m ? k : m - 1;
	spread = below(&seed, 3) ? 1 : 12;
	reset(10 + below(&seed, below(&seed, 4) ? 600 : 3000));
	kc.p.iupac = below(&seed, 5) == 0;
	kc.p.hamming = below(&seed, 6) == 0;
	fill(kc.p.iupac ? CODES : round % 5 ? RANDOM : NS, letters, kc.n);
	for (size_t i = 0; i < n_pat; i++) {
		more = below(&seed, spread);
		add_pattern(below(&seed, 9) ? RANDOM : CODES, m + more,
			    spread == 1 || below(&seed, 2) ? k :
			    below(&seed, k + 1));
	}
	if (below(&seed, 2))
		cut(k + 1);
	return run();
}

/* Long patterns of few differences; copies with just k, and with one more. */
static bool
deep(uint64_t round)
{
	size_t m = 64 + below(&seed, round % 5 ? 500 : 2500), e;
	size_t k = below(&seed, m / (round % 2 ? 12 : 30) + 1), n_pat, at;

	n_pat = 1 + below(&seed, 3);
	reset(200 + below(&seed, 6000000 / m));
	fill(round % 7 == 0 ? PERIODIC : round % 7 == 1 ? FLAT : RANDOM,
	     letters, kc.n);
	if (round % 11 == 0)
		for (size_t i = below(&seed, 50); i; i--)
			letters[below(&seed, kc.n)] = 'N';
	for (size_t i = 0; i < n_pat; i++) {
		fill(round % 7 < 2 ? round % 7 ? FLAT : PERIODIC : RANDOM,
		     store + stored, m);
		kc.pat[i] = store + stored;
		kc.m[i] = m;
		kc.k[i] = k;
		kc.n_pat++;
		stored += m;
		for (size_t t = 1 + below(&seed, 2 + kc.n / m); t; t--) {
			e = k + below(&seed, 3);
			at = below(&seed, 8) ? 1 + below(&seed, kc.n) : kc.n;
			plant_evenly(at, kc.pat[i], m, e ? e - 1 : 0);
		}
	}
	if (below(&seed, 3) == 0)
		cut(k + 1);
	return run();
}

/* Short periods everywhere: every end a hit, and none just beside. */
static bool
repeats(uint64_t round)
{
	size_t period = 1 + below(&seed, 9), m = 1 + below(&seed, 70);
	uint8_t unit[9];

	reset(300 + below(&seed, 5000));
	for (size_t i = 0; i < period; i++)
		unit[i] = letter("ACGT", round % 2 ? 2 : 4);
	for (size_t i = 0; i < kc.n; i++)
		letters[i] = below(&seed, 300) ? unit[i % period] :
			     letter("ACGTN", 5);
	for (size_t i = 0; i < m; i++)
		store[i] = below(&seed, 30) ? unit[i % period] :
			   letter("ACGT", 4);
	kc.pat[0] = store;
	kc.m[0] = m;
	kc.k[0] = below(&seed, m);
	kc.n_pat = 1;
	kc.no_trace = round % 4 != 0;
	if (below(&seed, 3) == 0)
		cut(kc.k[0] + 1);
	return run();
}

static const struct soak_kind kinds[] = {
	{ "small", 12 }, { "segments", 5 }, { "exits", 2 }, { "plateaus", 2 },
	{ "others", 2 }, { "chunks", 3 }, { "borders", 2 }, { "crowd", 3 },
	{ "deep", 1 }, { "repeats", 3 },
};
static bool (*const one[])(uint64_t round) = {
	small, segments, exits, plateaus, others, chunks, borders, crowd, deep,
	repeats,
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool
run_case(uint64_t i, size_t kind)
{
	seed = soak_seed(i);
	if (one[kind](i / soak_shares(kinds, KINDS)))
		return true;
	printf("soak: case %llu (%s) failed: n %zu, %zu patterns, m %zu k %zu, "
	       "report %d, hamming %d: %s\n", (unsigned long long)i,
	       kinds[kind].name, kc.n, kc.n_pat, kc.m[0], kc.k[0], kc.p.report,
	       kc.p.hamming, kc.why);
	return false;
}

int
main(int argc, char **argv)
{
	every_isa = true;
	return soak_main("kdiff", kinds, KINDS, run_case, argc, argv);
}
