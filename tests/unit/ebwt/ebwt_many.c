/* SPDX-License-Identifier: MIT */
/*
 * ebwt_many.c - pairs of many words and of long ones: tiles, clocks that are
 * set back, stretches of several threads; against runs counted pair by pair
 * in a listing that was made by comparisons
 */
#include <string.h>

#include "ebwt/ebwt_priv.h"
#include "tests/lib/ebwt_bands.h"
#include "tests/lib/tap.h"

struct many {
	size_t n;
	struct ebwt_word *word;
	uint8_t *letters;
	uint64_t n_rows;
	uint32_t *gamma;	/* of the listing, once made */
};

static struct err e;

static void *
alloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		abort();
	return p;
}

/* n words of m letters or so, some of them mutated copies of others. */
static struct many
many(uint64_t seed, size_t n, size_t m, unsigned sigma)
{
	struct many w = { .n = n };
	uint8_t *s;

	w.word = alloc(n * sizeof *w.word);
	s = w.letters = alloc(2 * n * m);
	for (size_t i = 0; i < n; i++) {
		size_t k, len = 1 + m / 2 + below(&seed, m);
		const struct ebwt_word *o = &w.word[i ? below(&seed, i) : 0];
		bool copy = i && below(&seed, 2);

		if (copy)
			len = o->n;
		for (k = 0; k < len; k++)
			s[k] = (uint8_t)(copy ? o->letters[k] :
				'A' + below(&seed, sigma));
		for (k = 0; copy && k < len; k += 50)
			s[below(&seed, len)] = 'A';
		w.word[i] = (struct ebwt_word){ s, len };
		w.n_rows += len;
		s += len;
	}
	return w;
}

static void
many_free(struct many *w)
{
	free(w->word);
	free(w->letters);
	free(w->gamma);
}

static int
keep(void *arg, const struct ebwt_row *row, size_t n, struct err *er)
{
	struct many *w = arg;

	(void)er;
	for (size_t i = 0; i < n; i++)
		w->gamma[w->n_rows++] = row[i].word;
	return 0;
}

static void
make_listing(struct many *w)
{
	struct ebwt_params par = { .threads = 1, .engine = EBWT_PLAIN };
	struct ebwt *x;

	w->gamma = alloc(w->n_rows * sizeof *w->gamma);
	w->n_rows = 0;
	if (ebwt_new(&x, w->word, w->n, &par, &e) ||
	    ebwt_list(x, keep, w, &e))
		abort();
	ebwt_delete(x);
}

/* Runs of the two, if their roots are not conjugate. */
static uint64_t
runs(const struct many *w, size_t i, size_t j)
{
	uint64_t n = 0;
	uint32_t last = UINT32_MAX;

	for (uint64_t k = 0; k < w->n_rows; k++) {
		uint32_t c = w->gamma[k];

		if (c != i && c != j)
			continue;
		n += c != last;
		last = c;
	}
	return n;
}

static bool
same(const struct many *w, const struct ebwt_params *par, size_t queries,
     uint64_t pairs)
{
	struct ebwt_pairs_job job = { .n_queries = queries };
	struct ebwt_pairs *p;
	uint64_t seed = 4711, reported = 0;
	bool good = true;
	struct ebwt *x;

	if (ebwt_new(&x, w->word, w->n, par, &e) ||
	    ebwt_pairs_new(&p, x, &job, &e)) {
		printf("# %s\n", e.text);
		return false;
	}
	for (; good && reported < pairs; reported++) {
		size_t q = queries ? queries : w->n;
		size_t i = below(&seed, q), j = queries ?
			q + below(&seed, w->n - q) : below(&seed, q);
		const struct ebwt_word *u = &w->word[i], *v = &w->word[j];
		uint64_t want = i == j ? 0 : ebwt_conjugate(x, i, j) ?
			ebwt_delta_tied(u->n, v->n) :
			u->n + v->n - runs(w, i, j);

		good = ebwt_delta(p, i, j) == want &&
		       ebwt_delta(p, j, i) == want;
	}
	ebwt_pairs_delete(p);
	ebwt_delete(x);
	return good;
}

static bool
bands(const struct many *w, const struct ebwt_params *par, size_t queries,
      bool entropy)
{
	struct ebwt_pairs_job job = { .n_queries = queries,
				      .entropy = entropy };
	struct ebwt_pairs *p;
	struct ebwt *x;
	bool good;

	if (ebwt_new(&x, w->word, w->n, par, &e) ||
	    ebwt_pairs_new(&p, x, &job, &e))
		abort();
	good = same_bands(x, job, w->n, p);
	ebwt_pairs_delete(p);
	ebwt_delete(x);
	return good;
}

/* Several bands, of words some of which are conjugate. */
static void
check_bands(struct many w)
{
	struct ebwt_params par = { .threads = 1 };

	for (int entropy = 0; entropy < 2; entropy++) {
		ok(bands(&w, &par, 0, entropy), "bands of all pairs");
		ok(bands(&w, &par, 400, entropy), "bands of queries");
		par.threads = 3;
		par.least_part = 1000;
		par.batch = (unsigned)(w.n_rows / 5);
		ok(bands(&w, &par, 0, entropy), "bands, threads, ranges");
		ok(bands(&w, &par, w.n - 1, entropy), "bands against one");
		ok(bands(&w, &par, 1, entropy), "a query in bands");
	}
	many_free(&w);
}

static void
check(const char *name, struct many w, uint64_t pairs)
{
	struct ebwt_params par = { .threads = 1 };

	make_listing(&w);
	ok(same(&w, &par, 0, pairs), "%s: all pairs", name);
	par.threads = 3;
	par.least_part = 1000;
	ok(same(&w, &par, 0, pairs), "%s: all pairs, threads", name);
	par.batch = (unsigned)(w.n_rows / 5);
	ok(same(&w, &par, w.n / 3, pairs), "%s: queries, ranges", name);
	par.threads = 1;
	ok(same(&w, &par, 1, pairs), "%s: a query", name);
	many_free(&w);
}

/* Words that have no row until clocks were set back. */
static struct many
late(uint64_t seed)
{
	enum { WORDS = 6, LONG = 150000, SHORT = 40 };
	struct many w = { .n = WORDS };
	uint8_t *s;

	w.word = alloc(w.n * sizeof *w.word);
	s = w.letters = alloc(LONG + WORDS * SHORT);
	for (size_t i = 0; i < w.n; i++) {
		size_t len = i ? SHORT - i : LONG;

		for (size_t k = 0; k < len; k++)
			s[k] = (uint8_t)(i ? "GT" : "AC")[below(&seed, 2)];
		w.word[i] = (struct ebwt_word){ s, len };
		w.n_rows += len;
		s += len;
	}
	return w;
}

/* The bound on memory is kept, and what is said to be enough is. */
static void
memory(void)
{
	struct many w = many(99, 3, 400000, 4);
	struct ebwt_params par = { .threads = 1 };
	struct ebwt_pairs_job job = { 0 };
	struct ebwt_pairs *p;
	struct ebwt_need need;
	struct ebwt *x;
	int rc;

	if (ebwt_new(&x, w.word, w.n, &par, &e))
		abort();
	need = ebwt_need(x, &job);
	printf("# need %llu to %llu for %llu letters\n",
	       (unsigned long long)need.least, (unsigned long long)need.most,
	       (unsigned long long)w.n_rows);
	if (ebwt_pairs_new(&p, x, &job, &e))
		abort();
	ok(x->peak <= need.most, "most is enough: %llu",
	   (unsigned long long)x->peak);
	ebwt_pairs_delete(p);
	x->par.memory = need.least;
	x->peak = 0;
	rc = ebwt_pairs_new(&p, x, &job, &e);
	ok(!rc && x->peak <= need.least,
	   "least is enough: %llu", (unsigned long long)x->peak);
	ebwt_pairs_delete(p);
	x->par.memory = need.least - 1;
	x->peak = 0;
	rc = ebwt_pairs_new(&p, x, &job, &e);
	ok(rc == ERR_LIMIT && !x->peak, "less is refused before any work: %s",
	   e.text);
	ebwt_delete(x);
	many_free(&w);
}

/* The same of bands, of far less than a table of all. */
static void
band_memory(bool entropy)
{
	struct many w = many(7, fewer(4000), 40, 4);
	struct ebwt_params par = { .threads = 2 };
	struct ebwt_pairs_job job = { .nearest = true, .entropy = entropy };
	struct bands_seen none = { .n = 0 };
	uint64_t table = (entropy ? 6 : 2) * w.n * (w.n - 1);
	struct ebwt_need need;
	struct ebwt *x;
	int rc;

	if (ebwt_new(&x, w.word, w.n, &par, &e))
		abort();
	x->par.bands = true;
	need = ebwt_need(x, &job);
	printf("# need %llu to %llu, a table %llu\n",
	       (unsigned long long)need.least, (unsigned long long)need.most,
	       (unsigned long long)table);
	if (ebwt_bands(x, &job, see_band, &none, &e))
		abort();
	ok(x->peak <= need.most && (w.n < 2000 || need.most < table),
	   "bands: most is enough: %llu", (unsigned long long)x->peak);
	x->par.memory = need.least;
	x->peak = 0;
	rc = ebwt_bands(x, &job, see_band, &none, &e);
	ok(!rc && x->peak <= need.least, "bands: least is enough: %llu",
	   (unsigned long long)x->peak);
	x->par.memory = need.least - 1;
	x->peak = 0;
	rc = ebwt_bands(x, &job, see_band, &none, &e);
	ok(rc == ERR_LIMIT && !x->peak, "bands: less is refused: %s", e.text);
	ebwt_delete(x);
	many_free(&w);
}

enum { PARTS = 9, ORDERS = 40320, BAGS = 2 };

/* The number of an order of parts that go round, of (PARTS - 1)!. */
static unsigned
number_of(const uint8_t *part)
{
	unsigned zero = 0, number = 0;

	while (part[zero])
		zero++;
	for (unsigned i = 1; i < PARTS; i++) {
		unsigned less = 0;

		for (unsigned k = i + 1; k < PARTS; k++)
			less += part[(zero + k) % PARTS] <
				part[(zero + i) % PARTS];
		number = number * (PARTS - i) + less;
	}
	return number;
}

/* Parts of 2 letters in any order, a repeat of 9 before each; rotated. */
static unsigned
arrange(uint64_t *seed, unsigned bag, uint8_t *to)
{
	enum { EACH = 9 + 2, N = PARTS * EACH };
	uint8_t part[PARTS], s[N];
	size_t from = below(seed, N);

	for (size_t i = 0; i < PARTS; i++) {
		size_t k = below(seed, i + 1);

		part[i] = part[k];
		part[k] = (uint8_t)i;
	}
	for (size_t i = 0; i < PARTS; i++) {
		memcpy(s + i * EACH, bag ? "ACGTTGCAA" : "CCGTTGCAA", 9);
		s[i * EACH + 9] = (uint8_t)"ACG"[part[i] / 3];
		s[i * EACH + 10] = (uint8_t)"ACG"[part[i] % 3];
	}
	memcpy(to, s + from, N - from);
	memcpy(to + N - from, s, from);
	return bag * ORDERS + number_of(part);
}

/*
 * The strings of 8 letters of all words are one of two bags: only what goes
 * round alike is conjugate, and every one is found.
 */
static void
bags(size_t n)
{
	static uint32_t first[BAGS * ORDERS];	/* word of a number, from 1 */
	struct ebwt_params par = { .threads = 2 };
	size_t m = PARTS * 11, differ = 0, wrong = 0;
	struct ebwt_word *word = alloc(n * sizeof *word);
	uint32_t *number = alloc(n * sizeof *number);
	uint8_t *s = alloc(n * m);
	uint64_t seed = 20;
	struct ebwt *x;

	for (size_t i = 0; i < n; i++) {
		number[i] = arrange(&seed, i % BAGS, s + i * m);
		word[i] = (struct ebwt_word){ s + i * m, m };
	}
	if (ebwt_new(&x, word, n, &par, &e))
		abort();
	for (size_t i = 0; i < n; i++) {
		uint32_t *f = &first[number[i]];

		differ += !*f;
		*f = *f ? *f : (uint32_t)i + 1;
		wrong += !ebwt_conjugate(x, i, *f - 1);
	}
	ok(x->n_classes == differ && !wrong, "%zu words, %zu of %zu classes, "
	   "two bags: %zu wrong", n, x->n_classes, differ, wrong);
	ebwt_delete(x);
	free(word);
	free(number);
	free(s);
}

int
main(void)
{
	bags(fewer(200000));
	check("1300 words", many(1, 1300, 12, 4), 300);
	check("600 words", many(2, 600, 40, 2), 300);
	check("long words", many(3, 5, fewer(100000), 4), 10);
	check("40 words", many(4, 40, fewer(5000), 20), 50);
	check("late words", late(5), 30);
	memory();
	check_bands(many(6, 500, 12, 2));
	check_bands(many(7, 500, 60, 4));
	band_memory(false);
	band_memory(true);
	return done();
}
