/* SPDX-License-Identifier: MIT */
/* kdiff_exact.c - first and last letters that must match, by the textbook */
#include "tests/lib/kdiff_gen.h"

/* A head and a tail for the pattern added last; also both, and too much. */
static void
add_rule(void)
{
	size_t i = kc.n_pat - 1, m = kc.m[i];
	size_t most = below(&seed, 4) ? oracle_min((uint32_t)m, 4) : m;

	if (below(&seed, 3))
		kc.head[i] = below(&seed, most + 1);
	if (below(&seed, 3))
		kc.tail[i] = below(&seed, most + 1);
}

static bool
small(uint64_t round)
{
	enum kind kind = round % N_KINDS;
	size_t n_pat = 1 + below(&seed, 3), gap = 0;

	reset(below(&seed, 700));
	kc.p.iupac = below(&seed, 3) == 0;
	kc.p.hamming = below(&seed, 5) == 0;
	fill(kind, letters, kc.n);
	for (size_t i = 0; i < n_pat; i++) {
		size_t k = add_short(kind);

		add_rule();
		gap = k + 1 > gap ? k + 1 : gap;
	}
	if (below(&seed, 2))
		cut(gap);
	return run();
}

/* Letters other than DNA; cores of more than one word. */
static bool
others(uint64_t round)
{
	static const char aa[] = "ARNDarnd*-";
	size_t m = 1 + below(&seed, round % 3 ? 20 : 300);
	size_t k = below(&seed, m);

	reset(below(&seed, 900));
	kc.p.hamming = below(&seed, 4) == 0;
	kc.p.alphabet = round % 2 ? KDIFF_PROTEIN : KDIFF_BYTES;
	for (size_t i = 0; i < kc.n; i++)
		letters[i] = letter(aa, below(&seed, 9) ? 3 : 10);
	for (size_t i = 0; i < m; i++)
		store[i] = letter(aa, 3);
	one_pattern(store, m, k);
	add_rule();
	for (size_t i = 0; i < 3; i++)
		plant(letters, below(&seed, kc.n + 1), store, m, 0);
	return run();
}

/*
 * Guides with a PAM on both strands among many letters: several pieces of a
 * lane, so that the last letters stand on both sides of a border.
 */
static bool
guides(uint64_t round)
{
	static const char *const pam[] = { "NGG", "CCN" };

	reset(round % 6 ? 20000 : 90000);
	fill(round % 2 ? RANDOM : FLAT, letters, kc.n);
	for (size_t i = 0; i < 2; i++) {
		uint8_t *p = store + stored;

		add_pattern(RANDOM, 23, 3 + below(&seed, 5));
		memcpy(i ? p : p + 20, pam[i], 3);
		kc.head[i] = i ? 3 : 0;
		kc.tail[i] = i ? 0 : 3;
	}
	return run();
}

/* The head stands at many places at the same distance: which path is it? */
static bool
heads(uint64_t round)
{
	static const enum kind kinds[] = { TWO, FLAT, PERIODIC };
	enum kind kind = kinds[round % 3];
	size_t m = 4 + below(&seed, round % 8 ? 16 : 70);

	reset(30 + below(&seed, 200));
	kc.p.report = KDIFF_ALL;
	kc.p.iupac = below(&seed, 4) == 0;
	fill(kind, letters, kc.n);
	letters[below(&seed, kc.n)] = letter("ACN", 3);
	add_pattern(kind, m, m / 2 + below(&seed, m / 2));
	kc.head[0] = 1 + below(&seed, 2);
	kc.tail[0] = below(&seed, 2);
	return run();
}

/* Long patterns of few differences: what the filter would take. */
static bool
longer(uint64_t round)
{
	reset(4000);
	kc.engine = round % 2 ? KDIFF_FILTER : KDIFF_AUTO;
	fill(RANDOM, letters, kc.n);
	add_pattern(RANDOM, 300 + below(&seed, 700), below(&seed, 8));
	kc.head[0] = below(&seed, 100);
	kc.tail[0] = below(&seed, 100);
	return run();
}

static void
fixed(void)
{
	struct kdiff_params kp = { .alphabet = KDIFF_DNA };
	struct kdiff_set *s;
	struct err e;

	if (kdiff_set_new(&s, &kp, &e) ||
	    kdiff_set_add(s, (const uint8_t *)"ACGTA", 5, 1, &e))
		abort();
	ok(kdiff_set_exact(s, 0, 6, &e) == ERR_USAGE &&
	   kdiff_set_exact(s, 6, 0, &e) == ERR_USAGE, "too long: %s", e.text);
	ok(kdiff_set_exact(s, 0, 0, &e) == 0 && !s->exact, "no rule");
	ok(kdiff_set_exact(s, 5, 5, &e) == 0 && s->exact, "all of it");
	kdiff_set_free(s);
}

int
main(void)
{
	fixed();
	sweep("small", small, 1500);
	sweep("others", others, 300);
	sweep("heads", heads, 1000);
	sweep("guides", guides, 12);
	sweep("longer", longer, 12);
	return done();
}
