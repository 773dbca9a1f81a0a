/* SPDX-License-Identifier: MIT */
/* kdiff_dense.c - k differences where most ends are hits, in many blocks */
#include "tests/lib/kdiff_gen.h"

/* A short unit again and again, with an error now and then. */
static void
repeats(size_t n, uint64_t errors)
{
	size_t period = 1 + below(&seed, 7);

	fill(RANDOM, letters, period);
	for (size_t i = period; i < n; i++)
		letters[i] = errors && !below(&seed, errors) ?
			     letter("ACGTN", 5) : letters[i - period];
}

/* A pattern that is a piece of the text. */
static void
piece(size_t m, size_t k)
{
	memcpy(store + stored, letters + below(&seed, kc.n - m), m);
	for (size_t i = 0; i < m; i++)
		if (store[stored + i] == 'N')
			store[stored + i] = 'A';
	kc.pat[kc.n_pat] = store + stored;
	kc.m[kc.n_pat] = m;
	kc.k[kc.n_pat++] = k;
	stored += m;
}

/* Every end a hit, or most; flats that run over words, lanes, blocks. */
static bool
low_complexity(uint64_t round)
{
	size_t n_pat = 1 + below(&seed, 3);

	reset(3000 + below(&seed, round % 4 ? 9000 : 30000));
	kc.blocks = round % 8 != 0;
	kc.p.hamming = round % 5 == 0;
	repeats(kc.n, round % 3 ? 10 + below(&seed, 400) : 0);
	for (size_t i = 0; i < n_pat; i++) {
		size_t m = 1 + below(&seed, below(&seed, 3) ? 30 : 150);

		piece(m, below(&seed, below(&seed, 2) ? m : 1 + m / 4));
	}
	kc.no_trace = true;
	return run();
}

/* So large a k that random letters are hits; many patterns at one end. */
static bool
loose(uint64_t round)
{
	size_t n_pat = 1 + below(&seed, round % 4 ? 2 : CASE_PATS);

	reset(2000 + below(&seed, 9000));
	kc.blocks = round % 4 != 0;
	kc.p.hamming = round % 3 == 0;
	fill(RANDOM, letters, kc.n);
	for (size_t i = 0; i < n_pat; i++) {
		size_t m = 4 + below(&seed, 24);

		piece(m, m * 3 / 8 + below(&seed, m / 4 + 1));
	}
	kc.no_trace = true;
	return run();
}

/* An exact match, or nearly, at every edge of a word and beside it. */
static bool
edges(uint64_t round)
{
	size_t m = 5 + below(&seed, 40), k = below(&seed, m / 4 + 1);

	reset(4000 + below(&seed, 12000));
	kc.blocks = round % 4 != 0;
	kc.p.hamming = round % 5 == 0;
	fill(RANDOM, letters, kc.n);
	piece(m, k);
	for (size_t at = 64; at + 2 <= kc.n; at += 64)
		plant(letters, at - 1 + below(&seed, 3), kc.pat[0], m,
		      below(&seed, 2) ? k : 0);
	if (round % 2)
		piece(1 + below(&seed, 9), 0);
	kc.no_trace = true;
	return run();
}

/* Windows whose counter needs more than a byte. */
static bool
wide_counters(uint64_t round)
{
	size_t m = 300 + below(&seed, 1500), k = 255 + below(&seed, m - 255);

	reset(m + 500 + below(&seed, 2000));
	kc.blocks = round % 2;
	kc.p.hamming = true;
	fill(round % 4 ? RANDOM : TWO, letters, kc.n);
	piece(m, k);
	if (round % 3 == 0)
		piece(m, m - 1);
	kc.no_trace = true;
	return run();
}

/* What take() returns below 0 ends the scan. */
static int
refuse(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	unsigned *calls = ctx;

	(void)v;
	(void)n;
	++*calls;
	return err_set(e, ERR_LIMIT, "enough");
}

static void
refused(void)
{
	struct kdiff_set *set;
	struct kdiff_work *w;
	struct kcase_text t;
	struct err e;
	unsigned calls = 0;

	reset(100000);
	memset(letters, 'A', kc.n);
	memset(store, 'A', 9);
	one_pattern(store, 9, 2);
	kc.p.report = KDIFF_ALL;
	set = kcase_set(&kc, cpu_isa());
	t = kcase_text(&kc);
	if (kdiff_work_new(&w, &e) < 0)
		abort();
	ok(kdiff_each(set, &t.x, w, refuse, &calls, &e) == ERR_LIMIT &&
	   calls == 1, "refused after %u calls: %s", calls, e.text);
	kdiff_work_free(w);
	kdiff_set_free(set);
	kcase_text_free(&t);
}

/*
 * Ends in no order are taken as they are found: no lane keeps more words than
 * one piece has, whatever there are of patterns.
 */
static void
memory(void)
{
	size_t most = (KDIFF_MAX_PIECE * KDIFF_WORDS + 1) * KDIFF_EDIT_WORD;
	struct kdiff_hits h = { 0 };
	struct kcase_text t;
	struct kdiff_set *set;
	struct kdiff_work *w;
	struct err e;
	size_t words = 0;

	reset(100000);
	fill(RANDOM, letters, kc.n);
	for (size_t i = 0; i < 64; i++)
		piece(20, 15);
	t = kcase_text(&kc);
	set = kcase_set(&kc, cpu_isa());
	if (kdiff_work_new(&w, &e) < 0 ||
	    kdiff_each_unordered(set, &t.x, w, kcase_take, &h, &e) < 0)
		abort();
	for (size_t l = 0; l < KDIFF_MAX_LANES; l++)
		words = w->lane[l].cap > words ? w->lane[l].cap : words;
	ok(h.n > 64 * kc.n / 2, "most ends are hits");
	ok(words <= 2 * most, "a lane keeps %zu words, at most %zu", words,
	   2 * most);
	kdiff_hits_free(&h);
	kdiff_work_free(w);
	kdiff_set_free(set);
	kcase_text_free(&t);
}

int
main(void)
{
	memory();
	sweep("low complexity", low_complexity, 120);
	sweep("loose", loose, 80);
	sweep("edges", edges, 60);
	sweep("wide counters", wide_counters, 12);
	refused();
	return done();
}
