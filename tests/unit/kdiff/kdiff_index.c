/* SPDX-License-Identifier: MIT */
/* kdiff_index.c - k differences by an index of many patterns */
#include "tests/lib/kdiff_rounds.h"
#include "kdiff/kdiff_priv.h"

enum { MANY = 24 };

/* Patterns that an index can hold, their copies all over the text. */
static void
patterns(enum kind kind, size_t n, bool long_ones)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = below(&seed, 5), least = 4 * (k / 2 + 1), m;

		m = least + below(&seed, 64 - 2 * k - least + 1);
		if (long_ones) {
			k = below(&seed, 4);
			m = 20 + below(&seed, 64 - 2 * k - 20 + 1);
		}
		add_pattern(kind, m, k);
		for (size_t j = 0; j < kc.n / 300; j++)
			plant(letters, below(&seed, kc.n + 1), kc.pat[i], m, k);
	}
}

static bool
forced(uint64_t round)
{
	enum kind kind = round % N_KINDS;

	reset(below(&seed, round % 8 ? 250 : 2000));
	kc.engine = KDIFF_PATTERNS;
	kc.p.hamming = below(&seed, 4) == 0;
	kc.p.iupac = below(&seed, 8) == 0;
	fill(kind, letters, kc.n);
	patterns(kind, 1 + below(&seed, 4), false);
	if (below(&seed, 2) && kc.n)
		cut(1 + 4);
	return run();
}

/* Words of halves: patterns of one k; letters that match nothing. */
static bool
halves(uint64_t round)
{
	enum kind kind = round % N_KINDS;
	size_t k = below(&seed, 7), n = 1 + below(&seed, 5);

	reset(below(&seed, round % 8 ? 250 : 2000));
	kc.engine = KDIFF_HALVES;
	kc.p.iupac = below(&seed, 8) == 0;
	fill(kind, letters, kc.n);
	for (size_t i = 0; i < n; i++) {
		size_t m = k + 1 + below(&seed, 26 - k);

		add_pattern(kind, m, k);
		plant(letters, below(&seed, kc.n + 1), kc.pat[i], m, k);
	}
	if (below(&seed, 2) && kc.n)
		cut(1 + 4);
	return run();
}

/* The choice is the engine's: few patterns are searched for one by one. */
static bool
chosen(uint64_t round)
{
	enum kind kind = round % N_KINDS;

	reset(below(&seed, 1500));
	kc.engine = KDIFF_AUTO;
	kc.force.index_q = 0;
	kc.p.hamming = below(&seed, 4) == 0;
	fill(kind, letters, kc.n);
	patterns(kind, MANY, true);
	if (below(&seed, 2) && kc.n)
		cut(1 + 4);
	kc.no_trace = true;
	return run();
}

struct made {
	struct kdiff_set *set;
	struct kdiff_index *x;
	struct kdiff_work *w;
	struct kcase_text t;
	struct kdiff_hits h;
};

/* The index of the case's patterns; NULL: none would be made. */
static void
make(struct made *d)
{
	struct err e;

	memset(d, 0, sizeof *d);
	d->set = kcase_set(&kc, cpu_isa());
	d->t = kcase_text(&kc);
	if (kdiff_work_new(&d->w, &e) < 0 ||
	    kdiff_index_new(&d->x, d->set, kc.engine == KDIFF_PATTERNS, &e) <
		0 ||
	    (d->x &&
	     kdiff_index_scan(d->set, d->x, &d->t.x, d->w, &d->h, &e) < 0))
		abort();
}

static void
unmake(struct made *d)
{
	kdiff_hits_free(&d->h);
	kdiff_index_free(d->x);
	kdiff_work_free(d->w);
	kdiff_set_free(d->set);
	kcase_text_free(&d->t);
}

static void
repeats(void)
{
	struct made d;
	size_t n;

	memset(letters + 5000, 'A', 5000);
	memset(store, 'A', kc.m[0]);
	kc.k[0] = 1;
	kc.m[3] = 6;
	kc.k[3] = 2;
	make(&d);
	ok(d.x && d.w->n_rest == 2, "so is one with places everywhere");
	for (n = 0; n < d.h.n && d.h.v[n].pattern; n++)
		;
	ok(n == d.h.n, "of which no hit is kept");
	unmake(&d);
	memset(store, 'A', MANY * 25);
	make(&d);
	ok(d.x && d.w->n_rest == kc.n_pat && !d.h.n,
	   "nothing but repeats: the index gives up");
	unmake(&d);
}

/*
 * Where a place costs more than the rows of the other engine: guides with 4
 * and 5 differences.  And long patterns are the filter's, not the index's.
 */
static void
other_engines(void)
{
	struct qgram_plan plan;
	struct made d;

	for (size_t k = 4; k <= 5; k++) {
		for (size_t i = 0; i < kc.n_pat; i++) {
			kc.m[i] = 23;
			kc.k[i] = k;
		}
		make(&d);
		ok(!d.x, "no index of 23 letters with %zu differences", k);
		unmake(&d);
	}
	for (size_t i = 0; i < kc.n_pat; i++) {
		kc.pat[i] = store + i * 60;
		kc.m[i] = 60;
		kc.k[i] = 6;
	}
	make(&d);
	kdiff_qgram_plan(d.set, &plan);
	ok(plan.q, "60 letters with 6 differences: a filter");
	unmake(&d);
	kc.n_pat = 1;
	kc.m[0] = 100;
	kc.k[0] = 10;
	make(&d);
	kdiff_qgram_plan(d.set, &plan);
	ok(plan.prefix == (d.set->ops.lanes > 2),
	   "one of 100 with 10: first rows where lanes are many");
	unmake(&d);
	kc.n_pat = MANY;
}

static void
choice(void)
{
	struct made d;
	size_t n;

	seed = 1;
	reset(20000);
	kc.engine = KDIFF_AUTO;
	kc.force.index_q = 0;
	fill(RANDOM, letters, kc.n);
	fill(RANDOM, store, MANY * 60);
	for (n = 0; n < MANY; n++) {
		kc.pat[n] = store + n * 25;
		kc.m[n] = 25;
		kc.k[n] = 3;
	}
	kc.n_pat = MANY;
	make(&d);
	ok(d.x && d.x->n_rest == 0 && d.w->n_rest == 0,
	   "%d patterns are worth an index", MANY);
	unmake(&d);
	kc.n_pat = 1;
	make(&d);
	ok(!d.x, "one is not");
	unmake(&d);
	kc.n_pat = MANY;
	kc.m[3] = 6;
	kc.k[3] = 2;
	make(&d);
	ok(d.x && d.x->n_rest == 1 && d.x->rest[0] == 3 && d.w->n_rest == 1,
	   "short ones are left out");
	unmake(&d);
	other_engines();
	for (n = 0; n < MANY; n++) {
		kc.pat[n] = store + n * 25;
		kc.m[n] = 25;
		kc.k[n] = 3;
	}
	repeats();
}

static bool
every_q(uint64_t round)
{
	unsigned q = KDIFF_MIN_Q + round % (KDIFF_MAX_Q - KDIFF_MIN_Q + 1);
	size_t k = below(&seed, 3);
	struct made d;
	bool good;

	reset(below(&seed, 1000));
	kc.engine = KDIFF_PATTERNS;
	kc.force.index_q = q;
	fill(RANDOM, letters, kc.n);
	add_pattern(RANDOM, q * (k + 1) + below(&seed, 20), k);
	make(&d);
	good = d.x && d.x->grams.q == q;
	unmake(&d);
	return good ? run() : kcase_fail(&kc, "no index of %u letters", q);
}

/* Matches that touch the text's ends, with every letter left out in turn. */
static bool
ends(uint64_t round)
{
	size_t m = 8 + round % 57, at = below(&seed, m);

	reset(m - 1);
	kc.engine = KDIFF_PATTERNS;
	add_pattern(RANDOM, m, 0);
	kc.k[0] = 1 + below(&seed, (64 - m) / 2 < 3 ? (64 - m) / 2 + 1 : 3);
	if (m + 2 * kc.k[0] > 64)
		kc.k[0] = 0;
	memcpy(letters, store, at);
	memcpy(letters + at, store + at + 1, m - at - 1);
	kc.seg[0].end = kc.n;
	return run();
}

int
main(void)
{
	sweep("as many as can be in an index", forced, 1500);
	sweep("words of halves", halves, 1500);
	sweep("as it chooses", chosen, 60);
	sweep("of every q", every_q, 140);
	sweep("a letter left out at the ends", ends, 1000);
	choice();
	return done();
}
