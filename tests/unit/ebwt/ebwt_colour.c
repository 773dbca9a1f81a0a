/* SPDX-License-Identifier: MIT */
/* ebwt_colour.c - distances of sets of words, against all orders of ties */
#include "tests/lib/ebwt_gen.h"
#include "tests/oracle/oracle_colour.h"

static struct err e;

static struct ebwt *
coloured(const struct ebwt_word *word, size_t n, const uint32_t *of,
	 size_t n_colours, const struct ebwt_params *par)
{
	struct ebwt *x;

	if (ebwt_new(&x, word, n, par, &e) ||
	    ebwt_colours(x, of, n_colours, &e))
		abort();
	return x;
}

static uint64_t
delta_of_two(const struct ebwt_word *word, size_t n, const uint32_t *of,
	     const struct ebwt_params *par)
{
	struct ebwt *x = coloured(word, n, of, 2, par);
	struct ebwt_pairs_job job = { 0 };
	struct ebwt_pairs *p;
	uint64_t d;

	if (ebwt_pairs_new(&p, x, &job, &e))
		abort();
	d = ebwt_delta(p, 1, 0);
	ebwt_pairs_delete(p);
	ebwt_delete(x);
	return d;
}

static struct ebwt_word
text(const char *s)
{
	return (struct ebwt_word){ (const uint8_t *)s, strlen(s) };
}

/* Of two lists of words, each with a blank between. */
static void
known(void)
{
	static const struct {
		const char *u, *v;
		uint64_t delta;
	} want[] = {
		{ "acb", "bcab", 3 }, { "ab", "abab", 1 }, { "aa", "aaa", 0 },
		{ "a", "aaaaaa", 4 }, { "aabb ab", "ab aabb", 0 },
		{ "ab ab", "abab", 0 }, { "ab ab", "baba ba", 1 },
		{ "a b", "a b", 0 }, { "a c", "b", 0 }, { "a b", "a c", 0 },
		{ "acb abab", "bcab baba", 3 }, { "a", "b", 0 },
		{ "a b", "c", 1 }, { "ab c", "ab ab", 1 },
	};

	for (size_t t = 0; t < sizeof want / sizeof *want; t++) {
		char all[99], *save = NULL;
		struct ebwt_params par = { .threads = 1 };
		struct ebwt_word w[9];
		uint32_t of[9];
		size_t n = 0;

		for (uint32_t side = 0; side < 2; side++) {
			char *at = all + 50 * side;

			snprintf(at, 49, "%s", side ? want[t].v : want[t].u);
			for (char *s = strtok_r(at, " ", &save); s;
			     s = strtok_r(NULL, " ", &save)) {
				of[n] = side;
				w[n++] = text(s);
			}
		}
		ok(delta_of_two(w, n, of, &par) == want[t].delta &&
		   oracle_colours(w, of, n, 0, 1) == want[t].delta,
		   "delta(%s; %s)", want[t].u, want[t].v);
	}
}

/* Each colour has a word, and most have several. */
static size_t
paint(uint64_t *seed, uint32_t *of, size_t n)
{
	size_t n_colours = 1 + below(seed, n), at = below(seed, n);

	for (size_t i = 0; i < n; i++)
		of[(i + at) % n] = (uint32_t)(i < n_colours ? i :
					      below(seed, n_colours));
	return n_colours;
}

/* All pairs, or those of queries and others, are as they should be. */
static bool
all_right(const struct eset *s, const uint32_t *of, size_t n, size_t queries,
	  const struct ebwt_params *par)
{
	struct ebwt *x = coloured(s->word, s->n, of, n, par);
	struct ebwt_pairs_job job = { .n_queries = queries };
	struct ebwt_pairs *p;
	uint64_t letters[EGEN_WORDS] = { 0 };
	bool good = true;

	for (size_t w = 0; w < s->n; w++)
		letters[of[w]] += s->word[w].n;
	if (ebwt_pairs_new(&p, x, &job, &e))
		abort();
	ebwt_delete(x);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = i; j < n; j++) {
			uint64_t d = i == j ? 0 :
				oracle_colours(s->word, of, s->n, i, j);

			if (queries && i != j && (i >= queries || j < queries))
				continue;
			good &= ebwt_delta(p, i, j) == d &&
				ebwt_delta(p, j, i) == d;
			for (int m = 0; m < EBWT_N_METRICS && i != j; m++)
				good &= m == EBWT_DE || ebwt_distance(p, m, i,
					j) == ebwt_measure(m, letters[i],
							   letters[j], d);
		}
	ebwt_pairs_delete(p);
	return good;
}

/* With the least memory that is said to do. */
static bool
in_little(const struct eset *s, const uint32_t *of, size_t n,
	  struct ebwt_params par)
{
	struct ebwt_pairs_job job = { 0 };
	struct ebwt *x;

	par.memory = 1ull << 40;
	x = coloured(s->word, s->n, of, n, &par);
	par.memory = ebwt_need(x, &job).least;
	ebwt_delete(x);
	return all_right(s, of, n, 0, &par);
}

static void
random_sets(void)
{
	static struct eset s;
	uint64_t seed = 24;

	for (unsigned i = 0; i < fewer(3000); i++) {
		struct ebwt_params par = {
			.engine = i % 3 ? EBWT_ANCHORS : EBWT_PLAIN,
			.threads = 1 + i % 4, .least_part = i % 2 ? 3 : 0,
			.batch = i % 5 ? 0 : 16,
			.origin = i % 7 ? 0 : (1ull << 32) - 20,
		};
		uint32_t of[EGEN_WORDS];
		size_t n, queries;

		egen(&s, seed + i, i % 10 ? 12 : 60);
		n = paint(&s.seed, of, s.n);
		queries = n > 1 ? 1 + below(&s.seed, n - 1) : 0;
		if (all_right(&s, of, n, 0, &par) &&
		    (!queries || all_right(&s, of, n, queries, &par)) &&
		    (i % 8 || in_little(&s, of, n, par)))
			continue;
		ok(false, "seed %u: %zu words, %zu colours", i, s.n, n);
		return;
	}
	ok(true, "random sets of words");
}

/* Words in any order, turned: the same; and equal multisets have 0. */
static void
invariance(void)
{
	static struct eset s;
	static uint8_t turned[2 * EGEN_WORDS][EGEN_LETTERS];
	bool good = true;

	for (unsigned i = 0; i < lighter(600); i++) {
		struct ebwt_params par = { .threads = 1 };
		struct ebwt_word w[2 * EGEN_WORDS];
		uint32_t of[2 * EGEN_WORDS], to[2 * EGEN_WORDS];
		uint64_t d;

		egen(&s, 77 + i, 30);
		for (size_t k = 0; k < s.n; k++)
			of[k] = (uint32_t)below(&s.seed, 2);
		of[0] = 0;
		of[s.n - 1] = s.n > 1;
		for (size_t k = 0; k < s.n; k++) {
			size_t at = s.n - 1 - k, by = below(&s.seed,
							    s.word[k].n);

			for (size_t m = 0; m < s.word[k].n; m++)
				turned[at][m] = s.letters[k][(m + by) %
							     s.word[k].n];
			w[at] = (struct ebwt_word){ turned[at], s.word[k].n };
			to[at] = of[k];
		}
		if (s.n > 1) {
			d = delta_of_two(s.word, s.n, of, &par);
			good &= d == delta_of_two(w, s.n, to, &par);
		}
		memcpy(w + s.n, s.word, s.n * sizeof *w);
		for (size_t k = 0; k < 2 * s.n; k++)
			to[k] = k < s.n;
		good &= delta_of_two(w, 2 * s.n, to, &par) == 0;
	}
	ok(good, "order and rotation do not matter, equal multisets have 0");
}

/* Many colours and long words, some of them in several: tiles, events. */
static void
many(void)
{
	enum { N = 700, M = 1200, LONG = 40 };
	static struct ebwt_word w[M];
	static uint8_t letters[M][2000];
	static uint32_t of[M];
	struct ebwt_params par = { .threads = 3 };
	struct ebwt_pairs_job job = { 0 };
	struct ebwt_pairs *p;
	struct ebwt *x;
	uint64_t seed = 5;
	bool good = true;

	for (uint32_t i = 0; i < M; i++) {
		size_t n = i < LONG ? 1 + below(&seed, 2000) :
				      1 + below(&seed, 12);

		for (size_t k = 0; k < n; k++)
			letters[i][k] = "ACGT"[below(&seed, 4)];
		w[i] = i % 9 ? (struct ebwt_word){ letters[i], n } :
			       w[i ? below(&seed, i) : 0];
		w[0] = (struct ebwt_word){ letters[0], w[0].n ? w[0].n : n };
		of[i] = i < N ? i : (uint32_t)below(&seed, N);
	}
	x = coloured(w, M, of, N, &par);
	if (ebwt_pairs_new(&p, x, &job, &e))
		abort();
	for (unsigned t = 0; t < lighter(600); t++) {
		uint32_t i = (uint32_t)below(&seed, t % 3 ? N : LONG);
		uint32_t j = (uint32_t)below(&seed, N);

		good &= i == j || ebwt_delta(p, i, j) ==
			oracle_colours(w, of, M, i, j);
	}
	ok(good, "pairs of 700 colours");
	ebwt_pairs_delete(p);
	ebwt_delete(x);
}

static void
refusals(void)
{
	struct ebwt_params par = { .threads = 1 };
	struct ebwt_word w[2] = { text("ab"), text("c") };
	struct ebwt_pairs_job job = { .entropy = true };
	uint32_t of[2] = { 0, 0 };
	struct ebwt_pairs *p;
	struct ebwt *x;

	for (size_t n = 0; n < 4; n++) {
		if (n == 1)
			continue;
		if (ebwt_new(&x, w, 2, &par, &e))
			abort();
		ok(ebwt_colours(x, of, n, &e) == ERR_USAGE, "%zu colours of 1",
		   n);
		ebwt_delete(x);
	}
	of[1] = 1;
	if (ebwt_new(&x, w, 2, &par, &e))
		abort();
	ok(ebwt_colours(x, of, 1, &e) == ERR_USAGE, "a colour too many");
	ebwt_delete(x);
	x = coloured(w, 2, of, 2, &par);
	ok(ebwt_pairs_new(&p, x, &job, &e) == ERR_USAGE, "no entropy: %s",
	   e.text);
	job.nearest = true;
	ok(!ebwt_in_bands(x, &job), "nor bands");
	ebwt_delete(x);
}

/* What 32 bits count, as if it were little: an error, never a wrong number. */
static void
limits(void)
{
	static uint8_t letters[2][3000];
	struct ebwt_word w[3] = { { letters[0], 3000 }, { letters[1], 3000 },
				  text("ac") };
	const struct {
		uint32_t most;
		bool entropy, shares;
	} t[] = { { 500, false, false }, { 5999, true, false },
		  { 5999, false, true } };
	uint64_t seed = 3;

	for (size_t k = 0; k < 6000; k++)
		letters[k / 3000][k % 3000] = "ACGT"[below(&seed, 4)];
	for (size_t i = 0; i < 6; i++) {
		bool less = i % 2, shares = t[i / 2].shares;
		struct ebwt_params par = { .threads = 1, .most =
			less ? t[i / 2].most : 60000 };
		struct ebwt_pairs_job job = { .entropy = t[i / 2].entropy };
		uint32_t of[4] = { 0, 1, 0, 1 };
		struct ebwt_word all[4] = { w[0], w[1], w[2], w[2] };
		struct ebwt_pairs *p = NULL;
		struct ebwt *x;
		int rc = ebwt_new(&x, all, shares ? 4 : 2, &par, &e);

		if (rc)
			abort();
		if (shares)
			rc = ebwt_colours(x, of, 2, &e);
		if (!rc)
			rc = ebwt_pairs_new(&p, x, &job, &e);
		ok(rc == (less ? ERR_LIMIT : 0), "at most %u: %s", par.most,
		   rc ? e.text : "done");
		ebwt_pairs_delete(p);
		ebwt_delete(x);
	}
}

int
main(void)
{
	limits();
	known();
	random_sets();
	invariance();
	many();
	refusals();
	return done();
}
