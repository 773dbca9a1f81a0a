/* SPDX-License-Identifier: MIT */
/* weighted_dist.c - sums over a matrix's words against those of each word */
#include "ebwt/weighted.h"

#include <math.h>
#include <string.h>

#include "tests/oracle/oracle_ebwt.h"
#include "tests/lib/tap.h"

enum { MOST = 9, WORDS = 3000, LONG = 200, OPEN = 160 };

struct sample {
	struct weighted w;
	struct product x;
	uint8_t v[LONG];
	size_t m;
};

/* Few kinds of letters and few kinds of positions: many words tie. */
static void
make(struct sample *s, uint64_t *seed, size_t n)
{
	static const float kinds[][4] = {
		{ 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 1, 1, 0, 0 }, { 1, 3, 0, 0 },
		{ 1e-6f, 1, 0, 0 }, { 2, 0, 0, 1 }, { 1, 1, 1, 1 },
		{ .1f, .2f, .3f, .4f }, { 0, 0, 5, 5 }, { 1e-30f, 1, 2, 0 },
	};
	struct solid_rule r = { 0.15 * (double)below(seed, 3), 0, false, 0 };
	size_t some = 1 + below(seed, sizeof kinds / sizeof *kinds);
	float v[4 * MOST];
	struct err e;
	bool is;

	do {
		uint64_t words = 1;

		for (size_t i = 0; i < n; i++)
			memcpy(v + 4 * i, kinds[below(seed, some)], 16);
		if (weighted_new(&s->w, v, n, &e) ||
		    product_solid(&s->x, &s->w, &r, &is, &e))
			abort();
		for (size_t i = 0; i < n && is; i++)
			words *= s->x.kinds[i];
		if (is && words != s->x.words)
			abort();
		if (is && words <= WORDS)
			break;
		product_free(&s->x);
		weighted_free(&s->w);
	} while (true);
}

/* Any word, or one of x's, turned, or its root, or a power. */
static void
make_word(struct sample *s, uint64_t *seed)
{
	uint64_t kind = below(seed, 4);
	size_t n = s->x.n, turn = below(seed, n), root = n;
	uint8_t u[MOST];

	s->m = 1 + below(seed, 2 * MOST);
	product_nth(&s->x, below(seed, s->x.words), u);
	if (kind == 1)
		root = 1 + below(seed, n);
	if (kind == 2)
		s->m = n * (1 + below(seed, 3));
	if (kind == 3)
		s->m = root = 1 + below(seed, n);
	for (size_t i = 0; i < s->m; i++)
		s->v[i] = kind ? u[(i + turn) % root % n] :
				 (uint8_t)"ACGT"[below(seed, 1 + i % 4)];
	if (!below(seed, 4))
		s->v[below(seed, s->m)] = 'N';
}

struct truth {
	double sum, share_sum, least, most, p;
};

static struct truth
by_words(const struct sample *s, enum ebwt_metric metric)
{
	struct truth t = { .least = INFINITY, .most = -1 };
	struct ebwt_word v = { s->v, s->m };

	for (uint64_t j = 0; j < s->x.words; j++) {
		uint8_t u[MOST];
		struct ebwt_word word = { u, s->x.n };
		double p = product_nth(&s->x, j, u), d;

		d = oracle_distance(metric, &word, &v);
		t.sum += d;
		t.share_sum += p * d;
		t.p += p;
		t.least = d < t.least ? d : t.least;
		t.most = d > t.most ? d : t.most;
	}
	return t;
}

static bool
near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fabs(b);
}

static bool
agrees(const struct sample *s, const struct truth *t, enum ebwt_metric metric,
       const struct product_how *how, const struct product_sum *have)
{
	double words = how->parts ? (double)s->x.words : 1;

	if (!near(have->sum * words, t->sum) ||
	    !near(have->share_sum, t->share_sum) || !near(t->p, 1))
		return false;
	/* whole numbers, but for traces, which are of shares */
	if (metric == EBWT_DELTA && !how->parts && have->sum != t->sum &&
	    !how->traces)
		return false;
	return how->no_sets ? have->least == -1 && have->most == -1 :
			      near(have->least, t->least) &&
			      near(have->most, t->most);
}

static bool
one(struct sample *s, struct product_work *work, uint64_t round,
    uint64_t *tied)
{
	for (int metric = EBWT_DELTA; metric < EBWT_DE; metric++) {
		struct truth t = by_words(s, (enum ebwt_metric)metric);

		*tied += t.least == 0;
		for (int i = 0; i < 6; i++) {
			struct product_how how = { (enum ebwt_metric)metric,
						   i & 1, i >> 1, i >> 2 };
			struct product_sum have;
			struct err e;

			if (how.no_sets && !ebwt_is_linear(
				(enum ebwt_metric)metric))
				continue;
			if (product_dist(&s->x, s->v, s->m, &how, work, &have,
					 &e))
				abort();
			if (agrees(s, &t, (enum ebwt_metric)metric, &how,
				   &have))
				continue;
			ok(0, "round %llu: metric %d parts %d no_sets %d: n "
			   "%zu words %llu v %.*s: %.17g %.17g %g %g, want "
			   "%.17g %.17g %g %g", (unsigned long long)round,
			   metric, how.parts, how.no_sets, s->x.n,
			   (unsigned long long)s->x.words, (int)s->m, s->v,
			   have.sum, have.share_sum, have.least, have.most,
			   t.sum, t.share_sum, t.least, t.most);
			return false;
		}
	}
	return true;
}

static void
sweep(void)
{
	uint64_t seed = 20261122, rounds = fewer(1500), tied = 0, i;
	struct product_work *work;
	struct err e;

	if (product_work_new(&work, &e))
		abort();
	for (i = 0; i < rounds; i++) {
		struct sample s;
		bool good;

		make(&s, &seed, 1 + below(&seed, 1 + i * MOST / rounds));
		make_word(&s, &seed);
		good = one(&s, work, i, &tied);
		product_free(&s.x);
		weighted_free(&s.w);
		if (!good)
			break;
	}
	ok(i == rounds && tied > rounds / 10, "%llu matrices, one with a word "
	   "at distance 0 in %llu of 3 each", (unsigned long long)i,
	   (unsigned long long)tied);
	product_work_free(work);
}

/* A product of so many kinds of letters at each position, any or few. */
static void
make_long(struct product *x, uint64_t *seed, size_t n, bool few)
{
	float v[4 * LONG] = { 0 };
	struct solid_rule r = { 0, 0, false, 0 };
	struct weighted w;
	struct err e;
	bool is;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 1 + (unsigned)below(seed, few ? 2 : 4); k;
		     k--)
			v[4 * i + below(seed, few ? 2 : 4)] +=
			    1 + (float)below(seed, 50);
	if (weighted_new(&w, v, n, &e) ||
	    product_solid(x, &w, &r, &is, &e) || !is)
		abort();
	weighted_free(&w);
}

/* More words than can be looked at: sums by sets are those by gaps. */
static void
many_words(void)
{
	uint64_t seed = 3, n = not_too_few(200), good = 0, known = 0, more = 0;
	struct product_work *work;
	struct err e;

	if (product_work_new(&work, &e))
		abort();
	for (uint64_t i = 0; i < n; i++) {
		struct product_how how = { (enum ebwt_metric)(i % 2),
					   true, false, i % 8 > 3 };
		struct product_sum sets, gaps;
		struct product x;
		uint8_t v[LONG];
		size_t m = 1 + below(&seed, i % 3 ? 12 : 60);

		make_long(&x, &seed, 10 + below(&seed, 30), i % 2);
		product_nth(&x, below(&seed, x.words), v);
		for (size_t k = 0; k < m; k++)
			v[k] = i % 4 == 1 ? v[k % x.n] :
			       (uint8_t)"ACGT"[below(&seed, 4)];
		if (product_dist(&x, v, m, &how, work, &sets, &e))
			abort();
		how.no_sets = true;
		if (product_dist(&x, v, m, &how, work, &gaps, &e))
			abort();
		good += near(sets.sum, gaps.sum) &&
			near(sets.share_sum, gaps.share_sum) &&
			(sets.least >= 0 || !product_all_known(&x, m)) &&
			(sets.least < 0 || (sets.least <= sets.sum + 1e-9 &&
					    sets.most >= sets.sum - 1e-9));
		known += sets.least >= 0;
		more += x.words > 1ull << 28;
		product_free(&x);
	}
	ok(good == n && known > n / 2 && known < n && more > n / 20,
	   "%llu of %llu sums by sets as by gaps, least and most of %llu "
	   "known, 2^28 words and more in %llu", (unsigned long long)good,
	   (unsigned long long)n, (unsigned long long)known,
	   (unsigned long long)more);
	product_work_free(work);
}

/* A product of all letters, but of some at a few positions or at none. */
static void
make_open(struct product *x, uint64_t *seed, size_t n)
{
	struct solid_rule r = { 0, 0, false, 0 };
	size_t odd = below(seed, 5), steep = 1 + below(seed, odd ? 100 : 3);
	float v[4 * OPEN];
	struct weighted w;
	struct err e;
	bool is;

	for (size_t i = 0; i < 4 * n; i++)
		v[i] = 1 + (float)below(seed, steep);
	for (; odd; odd--)
		v[4 * below(seed, n) + below(seed, 4)] = 0;
	if (weighted_new(&w, v, n, &e) ||
	    product_solid(x, &w, &r, &is, &e) || !is)
		abort();
	weighted_free(&w);
}

/* Long after the traces' columns have become one. */
static void
long_words(void)
{
	uint64_t seed = 7, rounds = fewer(200), good = 0;
	struct product_work *work;
	struct err e;

	if (product_work_new(&work, &e))
		abort();
	for (uint64_t i = 0; i < rounds; i++) {
		struct product_how how = { .metric = EBWT_DELTA,
					   .parts = true };
		size_t n = OPEN - below(&seed, OPEN / 2);
		size_t m = 1 + below(&seed, i % 8 ? 9 : 24), root = m;
		struct product_sum graph, traces;
		struct product x;
		uint8_t v[LONG];

		make_open(&x, &seed, n);
		if (i % 3 == 0)
			root = 1 + below(&seed, m);
		for (size_t k = 0; k < m; k++)
			v[k] = k < root ? (uint8_t)"ACGT"[below(&seed, 4)] :
					  v[k - root];
		if (product_dist(&x, v, m, &how, work, &graph, &e))
			abort();
		how.no_sets = how.traces = true;
		if (product_dist(&x, v, m, &how, work, &traces, &e))
			abort();
		good += near(traces.sum, graph.sum) &&
			near(traces.share_sum, graph.share_sum);
		product_free(&x);
	}
	ok(good == rounds, "%llu of %llu sums over long words as traces",
	   (unsigned long long)good, (unsigned long long)rounds);
	product_work_free(work);
}

/* More gaps than a set holds. */
static void
many_gaps(void)
{
	uint64_t seed = 5, rounds = fewer(20), good = 0, unknown = 0;
	struct product_work *work;
	struct err e;

	if (product_work_new(&work, &e))
		abort();
	for (uint64_t i = 0; i < rounds; i++) {
		struct product_how how = { .metric = EBWT_DELTA };
		struct product_sum have;
		struct sample s = { .m = LONG - i };
		struct truth t;

		do {
			product_free(&s.x);
			make_long(&s.x, &seed, 5, false);
		} while (s.x.words < 256);
		for (size_t k = 0; k < s.m; k++)
			s.v[k] = (uint8_t)"ACGT"[below(&seed, 4)];
		t = by_words(&s, EBWT_DELTA);
		if (product_dist(&s.x, s.v, s.m, &how, work, &have, &e))
			abort();
		good += have.sum == t.sum &&
			near(have.share_sum, t.share_sum) &&
			(have.least == -1 || have.least == t.least);
		unknown += have.least == -1;
		product_free(&s.x);
	}
	ok(good == rounds && unknown > rounds / 2, "%llu words of %d letters",
	   (unsigned long long)good, LONG);
	product_work_free(work);
}

/* Thresholds that leave out words, or none, or nearly none. */
static void
products(void)
{
	static const float v[] = { 1, 1, 0, 0, 1, 3, 0, 0 };
	static const struct {
		double pos, word;
		bool is;
		uint64_t words;
	} want[] = {
		{ 0, 0, true, 4 }, { 0.3, 0, true, 2 }, { 0.6, 0, false, 0 },
		{ 0, 0.124, true, 4 }, { 0, 0.125, false, 0 },
		{ 0, 0.13, false, 0 }, { 0.3, 0.374, true, 2 },
	};
	struct weighted w;
	struct err e;

	if (weighted_new(&w, v, 2, &e))
		abort();
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct solid_rule r = { want[i].pos, want[i].word, false, 9 };
		struct product x;
		bool is;

		ok(!product_solid(&x, &w, &r, &is, &e) &&
		   is == want[i].is && (!is || x.words == want[i].words),
		   "theta %g %g", r.theta_pos, r.theta_word);
		product_free(&x);
	}
	weighted_free(&w);
}

int
main(void)
{
	sweep();
	many_words();
	long_words();
	many_gaps();
	products();
	return done();
}
