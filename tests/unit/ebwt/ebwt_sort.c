/* SPDX-License-Identifier: MIT */
/* ebwt_sort.c - the sort of integers, and of rotations by anchors at the edges
 * of its blocks and of threads' shares, against sorts by comparisons */
#include "tests/oracle/ebwt_listing.h"
#include "ebwt/ebwt_priv.h"

enum { MOST = 20000 };

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * n different numbers, the least bits of which are of no account: groups of
 * about `group` in a row, which begin within 2^wide, and lie anywhere or side
 * by side.
 */
static void
numbers(uint64_t *v, uint64_t n, uint64_t *seed, unsigned group, unsigned wide,
	unsigned low, bool beside)
{
	uint64_t top = 0, k = 0, step = 1 + below(seed, 3);

	for (uint64_t i = 0; i < n; i++) {
		if (!k || !below(seed, group)) {
			top = beside ? top + 1 : below(seed, 1u << 20);
			k = below(seed, 1ull << wide);
		}
		k += step;
		v[i] = (top << 34 | (k & ((1ull << 34) - 1))) << low;
		v[i] |= low ? below(seed, 1ull << low) : 0;
	}
}

static void
shuffle(uint64_t *v, uint64_t n, uint64_t *seed)
{
	for (uint64_t i = n; i > 1; i--) {
		uint64_t j = below(seed, i), swap = v[i - 1];

		v[i - 1] = v[j];
		v[j] = swap;
	}
}

/* In order; of two that are equal but for the low bits one goes. */
static uint64_t
unlike(uint64_t *v, uint64_t n, unsigned low)
{
	uint64_t m = 0;

	if (n)
		qsort(v, n, sizeof *v, by_value);
	for (uint64_t i = 0; i < n; i++)
		if (!m || v[i] >> low != v[m - 1] >> low)
			v[m++] = v[i];
	return m;
}

static bool
sorts(uint64_t n, uint64_t *seed)
{
	static uint64_t want[MOST], have[MOST + 2], tmp[MOST];
	unsigned low = (unsigned)below(seed, 2) * (unsigned)below(seed, 9);
	unsigned group = 1u << below(seed, 12), wide = 1 + below(seed, 33);

	numbers(want, n, seed, group, wide, low, below(seed, 2));
	n = unlike(want, n, low);
	memcpy(have, want, n * sizeof *have);
	shuffle(have, n, seed);
	have[n] = 4711;
	ebwt_ops()->radix(have, n, tmp, low);
	return !memcmp(have, want, n * sizeof *have) && have[n] == 4711;
}

/* n numbers in a row, the least bits of which are of no account, but for the
 * one at `gap`: about as many as have places of their own. */
static bool
sorts_row(uint64_t n, uint64_t gap, unsigned low, uint64_t *seed)
{
	static uint64_t want[MOST], have[MOST + 1], tmp[MOST];
	uint64_t base = below(seed, 1u << 30), m = 0;

	for (uint64_t i = 0; i < n; i++)
		if (i != gap)
			want[m++] = (base + i) << low |
				    below(seed, 1ull << low);
	memcpy(have, want, m * sizeof *have);
	shuffle(have, m, seed);
	have[m] = 4711;
	ebwt_ops()->radix(have, m, tmp, low);
	return !memcmp(have, want, m * sizeof *have) && have[m] == 4711;
}

static void
integers(void)
{
	uint64_t seed = 5;
	bool good = true;

	for (uint64_t n = 0; good && n < 300; n++)
		for (uint64_t i = 0; good && i < lighter(60); i++)
			good = sorts(n, &seed);
	ok(good, "few integers");
	for (uint64_t i = 0; good && i < fewer(200); i++)
		good = sorts(below(&seed, MOST), &seed);
	ok(good, "many integers");
	for (uint64_t n = 1015; good && n < 1035; n++)
		good = sorts_row(n, 1 + below(&seed, n - 2), 0, &seed) &&
		       sorts_row(n, n, 7, &seed);
	ok(good, "integers in a row");
}

/* Which letters a word has; the sum over its rotations, of all of them, and of
 * words with another letter. */
static bool
word_reported(size_t n, unsigned sigma, unsigned first, uint64_t *seed)
{
	const struct ebwt_ops *ops = ebwt_ops();
	uint8_t s[2 * 400], seen[256] = { 0 }, want[256] = { 0 };
	size_t turn = below(seed, n), at = below(seed, n);
	uint64_t print;
	bool alike;

	for (size_t i = 0; i < n; i++) {
		s[i] = s[i + n] = (uint8_t)(first + below(seed, sigma));
		want[s[i]] = 1;
	}
	ops->letters(seen, s, n);
	print = ops->print(s, (uint32_t)n);
	alike = ops->print(s + turn, (uint32_t)n) == print;
	s[at] = (uint8_t)(s[at] + 1);
	return alike && !memcmp(seen, want, sizeof seen) &&
	       ops->print(s, (uint32_t)n) != print;
}

static void
letters(void)
{
	uint64_t seed = 6;
	bool good = true;

	for (size_t n = 1; good && n <= 400; n++)
		good = word_reported(n, 4, 'A', &seed) &&
		       word_reported(n, 1, 0, &seed) &&
		       word_reported(n, 3, 126, &seed) &&
		       word_reported(n, 256, 0, &seed);
	ok(good, "letters and prints of words");
}

static bool
same(const struct ebwt_row *a, const struct ebwt_row *b)
{
	return a->word == b->word && a->offset == b->offset &&
	       a->last == b->last && a->tied == b->tied;
}

static bool
same_listing(const struct listing *a, const struct listing *b)
{
	bool good = a->n == b->n;

	for (uint64_t i = 0; good && i < a->n; i++)
		good = same(&a->row[i], &b->row[i]);
	return good;
}

/*
 * Two words alike but for a letter, the last of keys on both sides of where
 * buckets meet: of three letters, ten make a key of 16 bits, half of which is
 * 10922 * 3 + 2.
 */
static void
bundles_at_an_edge(void)
{
	enum { N = 60, AT = 25, LESS = 10922 };
	uint8_t s[2][N];
	struct ebwt_word w[2] = { { s[0], N }, { s[1], N } };
	uint64_t seed = 8;
	bool good = true;

	for (int i = 0; good && i < 300; i++) {
		struct ebwt_params par = { .threads = 1, .key_bits = 16,
					   .bundles = EBWT_BUNDLES };
		struct listing have, want;

		for (size_t k = 0; k < N; k++)
			s[0][k] = (uint8_t)('A' + below(&seed, 3));
		for (int k = 8, left = LESS; k >= 0; k--, left /= 3)
			s[0][AT + k] = (uint8_t)('A' + left % 3);
		memcpy(s[1], s[0], N);
		s[0][AT + 9] = 'B';
		s[1][AT + 9] = 'C';
		have = list_of(w, 2, &par);
		par.engine = EBWT_PLAIN;
		want = list_of(w, 2, &par);
		good = same_listing(&have, &want);
		free(have.row);
		free(want.row);
	}
	ok(good, "bundles where buckets meet");
}

/* Copies of a word of n letters, of which some differ: ties of many anchors. */
static void
near(size_t n, size_t words, unsigned sigma, uint64_t *seed)
{
	struct ebwt_params par = { .threads = 1, .engine = EBWT_PLAIN };
	uint8_t *s = malloc(n * words);
	struct ebwt_word *w = calloc(words, sizeof *w);
	struct listing want;
	bool good = true;

	if (!s || !w)
		abort();
	for (size_t i = 0; i < n * words; i++)
		s[i] = i < n ? (uint8_t)('A' + below(seed, sigma)) : s[i - n];
	for (size_t i = 0; i < words; i++) {
		s[i * n + below(seed, n)] = 'A';
		w[i] = (struct ebwt_word){ s + i * n, n };
	}
	want = list_of(w, words, &par);
	par.engine = EBWT_ANCHORS;
	par.least_part = 1;
	for (par.threads = 1; good && par.threads < 6; par.threads += 2) {
		struct listing have = list_of(w, words, &par);

		good = same_listing(&have, &want);
		free(have.row);
		par.batch = (unsigned)(n * words / 3);
	}
	ok(good, "%zu words of %zu letters, %u of them", words, n, sigma);
	free(want.row);
	free(w);
	free(s);
}

static void
listed(const uint8_t *s, size_t n, const char *what)
{
	struct ebwt_params par = { .threads = 1, .engine = EBWT_PLAIN };
	struct ebwt_word w = { s, n };
	struct listing want = list_of(&w, 1, &par), have;

	par.engine = EBWT_ANCHORS;
	for (par.threads = 1; par.threads < 5; par.threads += 3) {
		have = list_of(&w, 1, &par);
		ok(same_listing(&have, &want), "%s: %u threads", what,
		   par.threads);
		free(have.row);
		par.least_part = 1000;
	}
	free(want.row);
}

/* One run and one copy: few anchors tie, and some of them for rounds. */
static void
few_ties(void)
{
	enum { N = 60000 };
	static uint8_t s[N];
	uint64_t seed = 11;

	for (size_t i = 0; i < N; i++)
		s[i] = (uint8_t)"ACGT"[below(&seed, 4)];
	memset(s + 9000, 'A', 64);
	memcpy(s + 15000, s + 40000, 60);
	listed(s, N, "few anchors tie");
}

/* Runs of a letter, all of whose rotations are anchors, where no sample of
 * anchors is taken: more than there is room for at first. */
static void
more_than_guessed(void)
{
	enum { N = 240000, STEP = N / 100 };
	struct ebwt_params par = { .threads = 1, .engine = EBWT_PLAIN };
	uint8_t *s = malloc(N);
	struct ebwt_word w = { s, N };
	struct ebwt_plan plan;
	uint64_t seed = 10;
	struct ebwt *x;

	for (size_t i = 0; s && i < N; i++)
		s[i] = i % STEP < EBWT_BLOCK ?
		       (uint8_t)"ACGT"[below(&seed, 4)] : 'A';
	x = set_with(&w, 1, &par);
	ebwt_plan(&plan, x);
	ok(ebwt_guess_anchors(x, &plan) < N / 100 * (STEP - EBWT_BLOCK),
	   "runs between samples are more anchors than all that are guessed");
	ebwt_delete(x);
	listed(s, N, "they are found again");
	free(s);
}

struct sizes {
	uint64_t n, sum, largest, first_two;
};

static int
add_size(void *arg, const struct ebwt_batch *b, struct err *e)
{
	struct sizes *s = arg;

	(void)e;
	s->sum += b->n;
	s->first_two += s->n++ < 2 ? b->n : 0;
	s->largest = b->n > s->largest ? b->n : s->largest;
	return 0;
}

static struct sizes
batches(const struct ebwt_word *w, uint64_t most)
{
	struct ebwt_params par = { .threads = 1, .batch = (unsigned)most };
	struct ebwt *x = set_with(w, 1, &par);
	struct sizes s = { 0 };
	struct err e;

	if (ebwt_sort(x, false, add_size, &s, &e))
		abort();
	ebwt_delete(x);
	return s;
}

/* As many whole buckets as there is room for, and not one more. */
static void
no_larger_batch(void)
{
	enum { N = 300000 };
	uint8_t *s = malloc(N);
	struct ebwt_word w = { s, N };
	struct sizes one, less, two;
	uint64_t seed = 9;

	for (size_t i = 0; s && i < N; i++)
		s[i] = (uint8_t)"ACGT"[below(&seed, 4)];
	one = batches(&w, 1);
	less = batches(&w, one.first_two - 1);
	two = batches(&w, one.first_two);
	ok(one.sum == N && less.sum == N && two.sum == N && one.n > 8 &&
	   less.largest < one.first_two && two.first_two > one.first_two,
	   "batches of whole buckets: %llu, %llu and %llu",
	   (unsigned long long)one.n, (unsigned long long)less.n,
	   (unsigned long long)two.n);
	free(s);
}

/* Do rotations go in bundles, and how many lead?  0: they do not. */
static uint64_t
leads(const struct ebwt_word *w, size_t n)
{
	struct ebwt_params par = { .threads = 1 };
	struct ebwt *x = set_with(w, n, &par);
	struct ebwt_anchors a = { .x = x, .ops = ebwt_ops() };
	uint64_t found;
	struct err e;

	if (ebwt_text(&a, &e) || ebwt_find(&a, &e) || ebwt_order(&a, &e) ||
	    ebwt_bundles(&a, 1, &e))
		abort();
	found = a.led ? a.n_leads : 0;
	for (uint32_t k = 0; a.led && k < a.n; k++)
		if (a.led[k] != (a.member[a.rank[k]] & 1))
			found = UINT64_MAX;
	ebwt_give(x, &a.text);
	ebwt_give(x, &a.base);
	ebwt_give(x, &a.part);
	ebwt_give(x, &a.counts);
	ebwt_give(x, &a.first);
	ebwt_give(x, &a.pos);
	ebwt_give(x, &a.reach);
	ebwt_give(x, &a.slab);
	ebwt_give(x, &a.rank);
	ebwt_give(x, &a.member);
	ebwt_give(x, &a.led);
	ebwt_delete(x);
	return found;
}

/* Ten words, of which each but the first is it with a letter changed, or is
 * its own. */
static void
bundles(void)
{
	enum { N = 5000, WORDS = 10 };
	static uint8_t s[WORDS][N];
	struct ebwt_word w[WORDS];
	uint64_t seed = 7, n;

	for (size_t i = 0; i < WORDS; i++) {
		for (size_t k = 0; k < N; k++)
			s[i][k] = (uint8_t)"ACGT"[below(&seed, 4)];
		w[i] = (struct ebwt_word){ s[i], N };
	}
	ok(!leads(w, WORDS), "random words do not go in bundles");
	for (size_t i = 1; i < WORDS; i++) {
		memcpy(s[i], s[0], N);
		s[i][500 * i] ^= 'A' ^ 'C' ^ 'G' ^ 'T';
	}
	n = leads(w, WORDS);
	/* a changed letter makes 41 or so rotations of each word lead */
	ok(n >= N && n < N + WORDS * WORDS * 60,
	   "words that are nearly alike do: %llu of %d rotations lead",
	   (unsigned long long)n, N * WORDS);
}

int
main(void)
{
	static const size_t edges[] = {
		1, 2, 18, 24, 63, 64, 65, EBWT_BLOCK - 1, EBWT_BLOCK,
		EBWT_BLOCK + 1, 2 * EBWT_BLOCK + 17,
	};
	uint64_t seed = 20260102;

	integers();
	letters();
	few_ties();
	more_than_guessed();
	no_larger_batch();
	bundles();
	bundles_at_an_edge();
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
		near(edges[i], 9, 4, &seed);
	near(1000, 40, 4, &seed);
	near(700, 30, 2, &seed);
	near(500, 30, 26, &seed);
	return done();
}
