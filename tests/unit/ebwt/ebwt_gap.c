/* SPDX-License-Identifier: MIT */
/* ebwt_gap.c - gaps and written-out rotations against the transform */
#include "ebwt/ebwt_gap.h"

#include <math.h>
#include <string.h>

#include "ebwt/ebwt.h"
#include "ebwt/paper/ebwt_paper.h"
#include "tests/lib/tap.h"

enum { MOST = 900 };

static void
fill(uint8_t *s, size_t n, uint64_t *seed)
{
	static const char *const kinds[] = { "A", "AC", "ACGT", "ACGTN",
					     "AAAC" };
	const char *kind = kinds[below(seed, 5)];

	for (size_t i = 0; i < n; i++)
		s[i] = (uint8_t)kind[below(seed, strlen(kind))];
}

static size_t
repeat(uint8_t *s, size_t root, size_t most, uint64_t *seed)
{
	size_t n = root * (1 + below(seed, most / root));

	for (size_t i = root; i < n; i++)
		s[i] = s[i - root];
	return n;
}

/* Random, a power, much like the other (if any), or a power of its rotation. */
static size_t
make(uint8_t *s, size_t most, const uint8_t *other, size_t n, uint64_t *seed)
{
	size_t len = 1 + below(seed, most), at = n ? below(seed, n) : 0;

	switch (below(seed, n ? 5 : 2)) {
	case 0:
		len = 1 + below(seed, len);
		fill(s, len, seed);
		return repeat(s, len, most, seed);
	case 1:
		fill(s, len, seed);
		return len;
	case 2:
		for (size_t i = 0; i < n; i++)
			s[i] = other[(i + at) % n];
		return repeat(s, n, most, seed);
	default:
		memcpy(s, other, n);
		fill(s + at, 1, seed);
		return n;
	}
}

struct pair {
	uint8_t u[MOST], v[MOST];
	size_t n, m;
	uint64_t delta;
	double de;
	bool tied;
};

static void
by_transform(struct pair *p)
{
	struct ebwt_word word[2] = { { p->u, p->n }, { p->v, p->m } };
	struct ebwt_pairs_job job = { .entropy = true };
	struct ebwt_params par = { .threads = 1 };
	struct ebwt_pairs *d;
	struct ebwt *x;
	struct err e;

	if (ebwt_new(&x, word, 2, &par, &e) || ebwt_pairs_new(&d, x, &job, &e))
		abort();
	p->delta = ebwt_delta(d, 0, 1);
	p->de = ebwt_distance(d, EBWT_DE, 0, 1);
	p->tied = ebwt_conjugate(x, 0, 1);
	ebwt_pairs_delete(d);
	ebwt_delete(x);
}

static bool
agree(const struct pair *p, struct ebwt_gap_work *w)
{
	uint64_t gap, back, paper, only;
	double de, de_back, de_paper;
	struct ebwt_gap g, h;
	struct err e;
	bool good;

	if (ebwt_gap_new(&g, p->v, p->m, &e) ||
	    ebwt_gap_new(&h, p->u, p->n, &e) ||
	    ebwt_gap_delta(&g, p->u, p->n, w, &gap, &de, &e) ||
	    ebwt_gap_delta(&g, p->u, p->n, w, &only, NULL, &e) ||
	    ebwt_gap_delta(&h, p->v, p->m, w, &back, &de_back, &e) ||
	    ebwt_paper_delta(p->u, p->n, p->v, p->m, 1 << 22, &paper,
			     &de_paper, &e))
		abort();
	good = gap == p->delta && only == gap && back == gap && paper == gap &&
	       de == p->de && de_back == de && de_paper == de;
	if (!good)
		printf("# %.*s %.*s: gaps %llu %g, back %llu %g, written out "
		       "%llu %g, wanted %llu %g\n", (int)p->n, p->u, (int)p->m,
		       p->v, (unsigned long long)gap, de,
		       (unsigned long long)back, de_back,
		       (unsigned long long)paper, de_paper,
		       (unsigned long long)p->delta, p->de);
	ebwt_gap_free(&g);
	ebwt_gap_free(&h);
	return good;
}

static void
sweep(const char *name, uint64_t rounds, size_t most)
{
	struct ebwt_gap_work w = { 0 };
	uint64_t seed = 1234567 + most, ties = 0;
	struct pair p;

	for (uint64_t i = 0; i < rounds; i++) {
		p.n = make(p.u, most, NULL, 0, &seed);
		p.m = make(p.v, most, p.u, p.n, &seed);
		by_transform(&p);
		ties += p.tied;
		if (!agree(&p, &w)) {
			ok(0, "%s: round %llu", name, (unsigned long long)i);
			ebwt_gap_work_free(&w);
			return;
		}
	}
	ok(ties > rounds / 10 && ties < rounds, "%s: %llu pairs, of conjugate "
	   "roots %llu", name, (unsigned long long)rounds,
	   (unsigned long long)ties);
	ebwt_gap_work_free(&w);
}

/*
 * u's letters before the place where its first chain begins are in v, too, so
 * that it would settle there so much later, in the end beyond letter 0.
 */
static void
late_chains(void)
{
	enum { N = 256, PLACE = N / 8, LONGEST = 3 * PLACE };
	struct ebwt_gap_work w = { 0 };
	uint64_t seed = 11;
	struct pair p = { .n = N };
	size_t len = 0;

	for (size_t i = 0; i < N; i++)
		p.u[i] = (uint8_t)"ACGT"[below(&seed, 4)];
	do {
		for (p.m = 0; p.m < 50; p.m++)
			p.v[p.m] = (uint8_t)"ACGT"[below(&seed, 4)];
		for (size_t i = 0; i < len; i++)
			p.v[p.m++] = p.u[(N + PLACE - len + i) % N];
		by_transform(&p);
	} while (agree(&p, &w) && len++ < LONGEST);
	ok(len > LONGEST, "%d letters in common where a chain begins",
	   (int)len);
	ebwt_gap_work_free(&w);
}

struct each {
	const struct ebwt_gap *g;
	const struct ebwt_gap_words *w;
	struct ebwt_gap_work alone;
	uint64_t n, bad, ties;
	bool wants_de;
};

static void
compare(void *arg, uint32_t word, uint64_t delta, double de)
{
	struct each *x = arg;
	const uint8_t *s = x->w->letters + word * x->w->len;
	uint64_t want;
	double want_de;
	struct err e;

	if (ebwt_gap_delta(x->g, s, x->w->len, &x->alone, &want, &want_de, &e))
		abort();
	x->n++;
	x->bad += delta != want ||
		  (x->wants_de && fabs(de - want_de) > 1e-12);
	x->ties += want == (x->w->len > x->g->m ? x->w->len - x->g->m - 1 : 0);
}

/* Words that a matrix may have, and some that tie with v. */
static void
many(void)
{
	enum { WORDS = 64 };
	struct ebwt_gap_work w = { 0 };
	uint64_t seed = 77, n = 0, bad = 0, ties = 0, rounds = fewer(1500);

	for (uint64_t i = 0; i < rounds; i++) {
		uint8_t v[MOST], s[WORDS * MOST];
		size_t len = 1 + below(&seed, 1 + i * 40 / rounds);
		struct ebwt_gap_words words = { s, len, (uint32_t)
			(1 + below(&seed, WORDS)), NULL, NULL };
		struct ebwt_gap g;
		struct each x = { .g = &g, .w = &words,
				  .wants_de = below(&seed, 2) };
		size_t m;
		struct err e;

		fill(s, len, &seed);
		if (below(&seed, 2))
			repeat(s, 1 + below(&seed, len), len, &seed);
		m = make(v, 40, s, len, &seed);
		for (uint32_t k = 1; k < words.n; k++) {
			memcpy(s + k * len, s + below(&seed, k) * len, len);
			fill(s + k * len + below(&seed, len), 1, &seed);
		}
		if (ebwt_gap_new(&g, v, m, &e) || ebwt_gap_sort(&words, &e) ||
		    ebwt_gap_each(&g, &words, x.wants_de, &w, compare, &x, &e))
			abort();
		bad += x.bad + (x.n != words.n);
		n += x.n;
		ties += x.ties;
		ebwt_gap_work_free(&x.alone);
		ebwt_gap_free(&g);
		free(words.order);
		free(words.shared);
	}
	ok(bad == 0 && ties > n / 100, "%llu words of matrices, %llu of them "
	   "may tie, %llu bad", (unsigned long long)n,
	   (unsigned long long)ties, (unsigned long long)bad);
	ebwt_gap_work_free(&w);
}

/* A word of every letter leaves no code for others. */
static void
letters(void)
{
	struct ebwt_gap_work w = { 0 };
	struct ebwt_gap g;
	uint64_t delta, paper;
	uint8_t all[256];
	struct err e;

	for (int i = 0; i < 256; i++)
		all[i] = (uint8_t)(i * 37);
	if (ebwt_gap_new(&g, all, 256, &e) ||
	    ebwt_gap_delta(&g, all + 3, 200, &w, &delta, NULL, &e) ||
	    ebwt_paper_delta(all + 3, 200, all, 256, 1 << 20, &paper, NULL,
			     &e))
		abort();
	ok(g.sigma == 256 && delta == paper, "all letters there are");
	ok(ebwt_gap_delta(&g, all, 0, &w, &delta, NULL, &e) == ERR_LIMIT,
	   "no letters");
	ebwt_gap_free(&g);
	ok(ebwt_gap_new(&g, all, 0, &e) == ERR_LIMIT, "of v neither");
	ebwt_gap_free(&g);
	ok(ebwt_paper_delta(all, 100, all, 100, 39999, &paper, NULL, &e) ==
	   ERR_LIMIT && strstr(e.text, "4e+04"), "%s", e.text);
	ebwt_gap_work_free(&w);
}

int
main(void)
{
	sweep("tiny", fewer(4000), 6);
	sweep("short", fewer(1500), 30);
	sweep("longer", fewer(300), 200);
	sweep("from many places", fewer(300), MOST);
	late_chains();
	many();
	letters();
	return done();
}
