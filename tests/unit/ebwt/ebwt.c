/* SPDX-License-Identifier: MIT */
/* ebwt.c - the transform, and distances, against their definitions */
#include "tests/lib/ebwt_bands.h"
#include "tests/lib/ebwt_gen.h"
#include "tests/oracle/ebwt_listing.h"

static struct err e;

static struct ebwt *
set_of(const struct ebwt_word *word, size_t n)
{
	return set_with(word, n, &(struct ebwt_params){ .threads = 1 });
}

static struct ebwt_word
text(const char *s)
{
	return (struct ebwt_word){ (const uint8_t *)s, strlen(s) };
}

/* The tables of the source, and what its printed ones should be. */
static void
tables(void)
{
	static const struct {
		const char *words, *last, *chi, *gamma;
	} want[] = {
		{ "banana", "nnbaaa", "000100", "111111" },
		{ "abacb cbac bcab acba", "bbcabbccacabbaaca",
		  "01010000000100010", "41341241123334122" },
		{ "abac cbab bca cba", "ccbbbcacaaabba", "10000000100011",
		  "13214214321324" },
		{ "aabb abba abab", "bbbbaabbaaaa", "101001000000",
		  "123312123312" },
		{ "acb bcab", "cbcabba", "0100100", "2112221" },
		{ "aba abab", "babbaaa", "0110000", "1122122" },
		{ "aabb abba", "bbaabbaa", "10010000", "12121212" },
	};

	for (size_t t = 0; t < sizeof want / sizeof *want; t++) {
		char words[99], *save = NULL;
		char last[99] = "", chi[99] = "", gamma[99] = "";
		struct ebwt_word w[4];
		struct listing l;
		size_t n = 0;

		snprintf(words, sizeof words, "%s", want[t].words);
		for (char *s = strtok_r(words, " ", &save); s;
		     s = strtok_r(NULL, " ", &save))
			w[n++] = text(s);
		l = list_of(w, n, &(struct ebwt_params){ .threads = 1 });
		for (uint64_t i = 0; i < l.n; i++) {
			last[i] = (char)l.row[i].last;
			chi[i] = l.row[i].offset ? '0' : '1';
			gamma[i] = (char)('1' + l.row[i].word);
		}
		ok(!strcmp(last, want[t].last) && !strcmp(chi, want[t].chi) &&
		   !strcmp(gamma, want[t].gamma), "table of %s: %s %s %s",
		   want[t].words, last, chi, gamma);
		free(l.row);
	}
}

/* Metrics that follow from others, of all small words and some long ones. */
static void
scaled(void)
{
	uint64_t seed = 25, n = 0;
	bool good = true;

	for (uint64_t u = 1; u < 40; u++)
		for (uint64_t v = 1; v < 40; v++) {
			uint64_t at = ebwt_delta_tied(u, v);
			double before = -1, s, d;

			good &= !ebwt_measure(EBWT_SCALED, u, v, at) &&
				!ebwt_measure(EBWT_SUBS, u, v, at);
			for (; at <= u + v - 2; at++, n++) {
				s = ebwt_measure(EBWT_SCALED, u, v, at);
				d = ebwt_measure(EBWT_SUBS, u, v, at);
				good &= s >= before && d >= 0 && fabs(s -
					oracle_scaled(EBWT_SCALED, (double)u,
					(double)v, (double)at)) < 1e-9;
				good &= fabs(d - oracle_scaled(EBWT_SUBS,
					(double)u, (double)v, (double)at)) <
					1e-9;
				before = s;
			}
		}
	for (int i = 0; i < 1000; i++) {
		uint64_t u = 1 + below(&seed, 1ull << 33);
		uint64_t v = 1 + below(&seed, 1ull << (1 + i % 33));
		uint64_t k = ebwt_delta_tied(u, v);

		k += below(&seed, u + v - 1 - k);
		good &= fabs(ebwt_measure(EBWT_SUBS, u, v, k) - oracle_scaled(
			EBWT_SUBS, (double)u, (double)v, (double)k)) < 1e-6;
	}
	ok(good && n > 10000, "scaled and subs");
}

static void
deltas(void)
{
	static const struct {
		const char *u, *v;
		uint64_t delta;
	} want[] = {
		{ "acb", "bcab", 3 }, { "aba", "abab", 3 },
		{ "aabb", "abba", 0 }, { "abab", "abab", 0 },
		{ "ab", "abab", 1 }, { "aa", "aaa", 0 }, { "ab", "ac", 0 },
		{ "a", "aaaaaa", 4 }, { "a", "b", 0 },
	};

	for (size_t t = 0; t < sizeof want / sizeof *want; t++) {
		struct ebwt_word w[2] = { text(want[t].u), text(want[t].v) };
		struct ebwt *x = set_of(w, 2);
		struct ebwt_pairs_job job = { .entropy = true };
		struct ebwt_pairs *p;

		if (ebwt_pairs_new(&p, x, &job, &e))
			abort();
		ok(ebwt_delta(p, 0, 1) == want[t].delta &&
		   ebwt_delta(p, 1, 0) == want[t].delta &&
		   !ebwt_delta(p, 0, 0), "delta(%s, %s)", want[t].u,
		   want[t].v);
		ebwt_pairs_delete(p);
		ebwt_delete(x);
	}
	ok(ebwt_measure(EBWT_NORM, 1, 1, 0) == 0 &&
	   ebwt_measure(EBWT_NORM, 3, 4, 3) == 0.6 &&
	   ebwt_measure(EBWT_DM, 3, 4, 3) == 0.75, "measures");
	scaled();
}

/* Choices, names and functions are one table. */
static void
metrics(void)
{
	char all[200] = "";
	enum ebwt_metric m;

	for (int i = 0; i < EBWT_N_METRICS; i++) {
		const struct ebwt_metric_row *r = &ebwt_metrics[i];

		ok(ebwt_metric_of(r->name, &m, &e) == 0 && (int)m == i,
		   "metric %s", r->name);
		ok(!r->value == (r->from == EBWT_FROM_RUNS), "its function");
		ok(r->from != EBWT_LINEAR || r->value(5, 6, 4) ==
		   4 * r->value(5, 6, 1), "linear, if it is said to be");
		strcat(all, i ? "|" : "");
		strcat(all, r->name);
	}
	ok(strcmp(all, EBWT_METRIC_CHOICES) == 0, "the choices: %s", all);
	ok(strstr(EBWT_METRIC_MEANINGS, "; norm: ") != NULL, "meanings");
	ok(ebwt_metric_of("delt", &m, &e) == ERR_USAGE &&
	   ebwt_metric_of("", &m, &e) == ERR_USAGE, "no other name");
}

static void
limits(void)
{
	struct ebwt_params par = { .threads = 1 };
	struct ebwt_word w[2] = { text("ACGT"), text("") }, long_words[257];
	size_t many = sizeof long_words / sizeof *long_words;
	struct ebwt_pairs_job job = { .n_queries = 1 };
	struct ebwt_pairs *p;
	struct ebwt *x;

	ok(ebwt_new(&x, w, 2, &par, &e) == ERR_USAGE &&
	   !strcmp(e.text, "word 2 has no letters"), "a word without letters");
	ok(ebwt_new(&x, w, 0, &par, &e) == ERR_USAGE, "no words");
	w[1].n = EBWT_MAX_WORD + 1;
	ok(ebwt_new(&x, w, 2, &par, &e) == ERR_LIMIT, "a word too long");
	for (size_t i = 0; i < many; i++)
		long_words[i] = (struct ebwt_word){ w[0].letters,
			EBWT_MAX_WORD };
	ok(ebwt_new(&x, long_words, many, &par, &e) == ERR_LIMIT,
	   "too many letters");
	par.threads = 0;
	ok(ebwt_new(&x, w, 1, &par, &e) == ERR_USAGE, "no threads");
	par.threads = 1;
	par.memory = 100;
	ok(ebwt_new(&x, w, 1, &par, &e) == ERR_LIMIT, "too little memory");
	x = set_of(w, 1);
	ok(ebwt_pairs_new(&p, x, &job, &e) == ERR_USAGE, "only queries");
	ebwt_delete(x);
	ebwt_delete(NULL);
	ebwt_pairs_delete(NULL);
}

static bool
same_listing(const struct eset *s, const struct ebwt_params *par)
{
	struct listing l = list_of(s->word, s->n, par);
	uint64_t n;
	struct oracle_row *r = oracle_listing(s->word, s->n, &n);
	bool good = l.n == n;

	for (uint64_t i = 0; good && i < n; i++) {
		const struct ebwt_word *w = &s->word[r[i].word];
		bool tied = i && !oracle_omega(w, r[i].offset,
			&s->word[r[i - 1].word], r[i - 1].offset);

		good = l.row[i].word == r[i].word &&
		       l.row[i].offset == r[i].offset &&
		       l.row[i].tied == tied && l.row[i].last ==
		       w->letters[(r[i].offset + w->n - 1) % w->n];
	}
	free(l.row);
	free(r);
	return good;
}

static bool
same_pair(const struct eset *s, const struct ebwt_pairs *p, bool entropy,
	  size_t i, size_t j)
{
	for (int m = EBWT_DELTA; m < EBWT_N_METRICS; m++) {
		bool sums = ebwt_is_entropy((enum ebwt_metric)m);
		double want = oracle_distance((enum ebwt_metric)m,
					      &s->word[i], &s->word[j]);
		double have = ebwt_distance(p, (enum ebwt_metric)m, i, j);

		if (sums && !entropy)
			continue;
		if (sums ? fabs(want - have) > 1e-9 : want != have)
			return false;
		if (have != ebwt_distance(p, (enum ebwt_metric)m, j, i))
			return false;
	}
	return true;
}

static bool
same_pairs(const struct eset *s, struct ebwt_pairs_job job,
	   const struct ebwt_params *par)
{
	struct ebwt *x = set_with(s->word, s->n, par);
	size_t q = job.n_queries;
	struct ebwt_pairs *p;
	bool good = true;

	if (ebwt_pairs_new(&p, x, &job, &e))
		abort();
	for (size_t i = q; good && i < s->n; i++)
		for (size_t j = 0; good && j < (q ? q : i); j++)
			good = same_pair(s, p, job.entropy, i, j);
	good = good && same_bands(x, job, s->n, p);
	ebwt_delete(x);
	ebwt_pairs_delete(p);
	return good;
}

/*
 * Words that have the same strings of 8 letters, each as often, since the parts
 * between repeats change places: the first test for conjugates finds them
 * equal.  Every other one is the one before, rotated.
 */
static void
rearranged(void)
{
	enum { REPEAT = 9, PART = 4, WORDS = 8, BLOCKS = 4,
	       N = BLOCKS * (REPEAT + PART) };
	static struct eset s;
	struct ebwt_params par = { .threads = 1 };
	uint64_t seed = 10;

	s.n = WORDS;
	for (size_t i = 0; i < WORDS; i++) {
		uint8_t *to = s.letters[i];

		for (size_t b = 0; b < BLOCKS; b++) {
			memcpy(to + b * (REPEAT + PART), "ACGTTGCAA", REPEAT);
			memset(to + b * (REPEAT + PART) + REPEAT,
			       "ACGT"[b], PART);
		}
		for (size_t b = BLOCKS - 1; b > 0; b--) {
			uint8_t *u = to + b * (REPEAT + PART) + REPEAT;
			uint8_t *v = to + below(&seed, b + 1) *
				     (REPEAT + PART) + REPEAT;
			uint8_t swap = *u;

			memset(u, *v, PART);
			memset(v, swap, PART);
		}
		for (size_t k = 0; i % 2 && k < N; k++)
			to[k] = s.letters[i - 1][(k + 7 * i) % N];
		s.word[i] = (struct ebwt_word){ to, N };
	}
	ok(same_listing(&s, &par) &&
	   same_pairs(&s, (struct ebwt_pairs_job){ 0 }, &par),
	   "words of the same strings");
}

/* Any engine, length of keys, number of threads and of ranges of buckets. */
static struct ebwt_params
random_params(uint64_t *seed)
{
	struct ebwt_params par = { .threads = 1, .least_part = 1 };

	if (!below(seed, 8))
		par.engine = EBWT_PLAIN;
	if (below(seed, 2))
		par.key_bits = 16 + (unsigned)below(seed, 33);
	if (below(seed, 2))
		par.batch = (unsigned)(1 + below(seed, 50));
	if (!below(seed, 3))
		par.origin = (1ull << 32) - 50 + below(seed, 100);
	if (!below(seed, 8))
		par.threads = 1 + (unsigned)below(seed, 4);
	par.bundles = (enum ebwt_bundling)below(seed, 3);
	return par;
}

static void
sweep(const char *name, uint64_t rounds, size_t max)
{
	static struct eset s;

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t seed = 88172645463325252ull + i * 7919;
		struct ebwt_pairs_job job = { .entropy = i & 1 };
		struct ebwt_params par;

		egen(&s, seed, max);
		par = random_params(&s.seed);
		if (s.n > 1)
			job.n_queries = below(&s.seed, s.n);
		if (!same_listing(&s, &par) || !same_pairs(&s, job, &par)) {
			ok(0, "%s: round %llu: engine %d key_bits %u batch %u "
			   "threads %u bundles %d queries %zu", name,
			   (unsigned long long)i, (int)par.engine,
			   par.key_bits, par.batch, par.threads,
			   (int)par.bundles, job.n_queries);
			return;
		}
	}
	ok(1, "%s: %llu rounds", name, (unsigned long long)rounds);
}

int
main(void)
{
	tables();
	deltas();
	metrics();
	limits();
	rearranged();
	sweep("tiny", fewer(4000), 9);
	sweep("small", fewer(1500), 40);
	sweep("larger", fewer(100), 300);
	return done();
}
