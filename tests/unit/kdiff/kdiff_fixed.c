/* SPDX-License-Identifier: MIT */
/* kdiff_fixed.c - k differences: usage, limits, cuts, many and long patterns */
#include "tests/lib/kdiff_rounds.h"

static void
usage(void)
{
	static const uint8_t bad[] = "ACGTX", long_one[KDIFF_MAX_PATTERN + 1];
	struct kdiff_params p = { .alphabet = KDIFF_DNA };
	struct kdiff_set *s;
	struct err e;

	if (kdiff_set_new(&s, &p, &e) < 0)
		abort();
	ok(kdiff_set_add(s, bad, 5, 0, &e) == ERR_USAGE &&
	   strstr(e.text, "letter 5"), "a letter is no DNA: %s", e.text);
	ok(kdiff_set_add(s, bad, 4, 4, &e) == ERR_USAGE, "%s", e.text);
	ok(kdiff_set_add(s, bad, 0, 0, &e) == ERR_USAGE, "%s", e.text);
	ok(kdiff_set_add(s, long_one, sizeof long_one, 0, &e) == ERR_USAGE,
	   "%s", e.text);
	ok(kdiff_set_size(s) == 0, "nothing was added");
	kdiff_set_free(s);
}

/* The worked example of the definition. */
static void
worked(void)
{
	static const uint8_t t[] = "CATGACTG", p[] = "TACTG";

	for (int r = KDIFF_ALL; r <= KDIFF_MINIMA; r++) {
		reset(8);
		memcpy(letters, t, 8);
		kc.p.report = (enum kdiff_report)r;
		one_pattern(p, 5, 2);
		ok(run(), "the worked example, report %d %s", r, kc.why);
	}
}

/* So many long patterns that the text is passed more than once. */
static void
many(void)
{
	enum { M = 900, N = 200, PATS = 700, ENDS = 21 };
	struct kdiff_set *set;
	struct kdiff_hits h = { 0 };
	struct kdiff_work *w;
	struct kcase_text t;
	struct err e;
	size_t good = 1;

	reset(N);
	fill(RANDOM, letters, N);
	t = kcase_text(&kc);
	set = kcase_set(&kc, cpu_isa());
	if (kdiff_work_new(&w, &e) < 0)
		abort();
	for (int i = 0; i < PATS; i++) {
		fill(RANDOM, store, M);
		if (kdiff_set_add(set, store, M, M - 180, &e) < 0)
			abort();
	}
	set->p.report = KDIFF_ALL;
	if (kdiff_scan(set, &t.x, w, &h, &e) < 0)
		abort();
	for (size_t i = 1; i < h.n; i++)
		good += kcase_order(&h.v[i - 1], &h.v[i]) < 0;
	/* all of the text is a part of the pattern: D(j) = M - j */
	ok(good == h.n && h.n == PATS * ENDS,
	   "%d patterns of %d: %zu hits, %zu in order", PATS, M, h.n, good);
	kdiff_hits_free(&h);
	kdiff_work_free(w);
	kdiff_set_free(set);
	kcase_text_free(&t);
}

/* Distances that no byte holds, a traceback in blocks. */
static void
long_ones(void)
{
	size_t m = 5000, n = 7000, at = 1000;

	reset(n);
	fill(RANDOM, store, m);
	fill(RANDOM, letters, n);
	for (size_t i = 0; i < m; i++)
		if (below(&seed, 20))
			letters[at++] = store[i];
	one_pattern(store, m, 260 + m / 100);
	kc.n = n = at + 3;
	kc.seg[0].end = n;
	kc.p.report = KDIFF_MINIMA;
	ok(run(), "a pattern of 5000 letters %s", kc.why);
}

int
main(void)
{
	seed = 1;
	usage();
	worked();
	many();
	long_ones();
	sweep("chunks", chunks, 40);
	return done();
}
