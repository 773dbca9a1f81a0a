/* SPDX-License-Identifier: MIT */
/* primers.c - from ends to primers, against the definition by brute force */
#include <string.h>

#include "collect/collect.h"
#include "tests/lib/tap.h"

enum { MAX = 24 };

static uint64_t seed = 20260101;
static struct err e;

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The least edit distance of a[0..n) to any substring of b. */
static unsigned
distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned col[MAX + 1], best = (unsigned)n;

	for (size_t i = 0; i <= n; i++)
		col[i] = (unsigned)i;
	for (size_t j = 0; j < m; j++) {
		unsigned diag = 0;

		for (size_t i = 1; i <= n; i++) {
			unsigned old = col[i];

			col[i] = least(diag + (a[i - 1] != b[j]),
				       least(old, col[i - 1]) + 1);
			diag = old;
		}
		best = least(best, col[n]);
	}
	return best;
}

static bool
is_letter(char c)
{
	return c == 'A' || c == 'C' || c == 'G' || c == 'T';
}

static size_t
segment_end(const char *a, size_t len, size_t j)
{
	while (j < len && is_letter(a[j]))
		j++;
	return j;
}

/* end(j), 0-based, not included: letters [j, end) occur with < k. */
static void
ends_of(const char *a, size_t len, const char *b, size_t m, unsigned k,
	uint64_t cap, uint64_t *end)
{
	for (size_t j = 0; j < len; j++) {
		size_t seg = segment_end(a, len, j), t = j;

		while (t < seg && distance(a + j, t + 1 - j, b, m) < k)
			t++;
		end[j] = cap && t - j > cap ? j + cap : t;
	}
}

static bool fits(const struct primer_rule *r, const char *a, size_t n);

/* The primer at j: the shortest that is right, by trying all. */
static uint64_t
want(const struct primer_rule *r, const char *a, size_t len, const char *b,
     size_t m, size_t j)
{
	size_t seg = segment_end(a, len, j);

	for (size_t t = j + 1; t <= seg; t++) {
		if (t - j < r->min_len || t - j < r->tail ||
		    distance(a + j, t - j, b, m) < r->k ||
		    (r->tail && distance(a + t - r->tail, r->tail, b, m) <
				r->tail_k) ||
		    (r->fit && !fits(r, a + j, t - j)))
			continue;
		return r->max_len && t - j > r->max_len ? 0 : t;
	}
	return 0;
}

static void
random_text(uint64_t *s, char *t, size_t n, const char *of)
{
	for (size_t i = 0; i < n; i++)
		t[i] = of[below(s, strlen(of))];
}

/* May letters a[0..n) be reported?  Counted anew, and melted by letters.h. */
static bool
fits(const struct primer_rule *r, const char *a, size_t n)
{
	const uint8_t *u = (const uint8_t *)a;
	struct melting_sum sum = { 0, 0 };
	size_t gc = 0, run = 0;
	struct melting m;
	int64_t t;

	for (size_t i = 0; i < n; i++) {
		gc += a[i] == 'G' || a[i] == 'C';
		run = i && a[i] == a[i - 1] ? run + 1 : 1;
		if (r->homopolymer && run > r->homopolymer)
			return false;
		if (i) {
			sum.h += melting_pair(u[i - 1], u[i]).h;
			sum.s += melting_pair(u[i - 1], u[i]).s;
		}
	}
	if (r->gc && (100000 * gc < r->gc_lo * n || 100000 * gc > r->gc_hi * n))
		return false;
	return !r->tm || (melting_init(&m, &r->salts) &&
			  melting_tm(&m, u, n, sum, &t) &&
			  t >= (int64_t)r->tm_lo * 1000000 &&
			  t <= (int64_t)r->tm_hi * 1000000);
}

/* Bounds on letters, each one half of the time. */
static void
any_letters(uint64_t *s, struct primer_rule *r)
{
	r->gc = below(s, 2);
	r->gc_lo = below(s, 60001);
	r->gc_hi = r->gc_lo + below(s, 100001 - r->gc_lo);
	if (below(s, 3) == 0)	/* some ratios are on the bound */
		r->gc_lo = r->gc_hi = 10000 * below(s, 11);
	r->homopolymer = below(s, 2) * (1 + below(s, 3));
	r->tm = below(s, 2);
	r->tm_lo = below(s, 20000);
	r->tm_hi = r->tm_lo + below(s, 30000);
	r->salts = (struct melting_salts){ 50000, 1500, 600, 50000 };
}

static bool
one_case(uint64_t *s, size_t *rows)
{
	uint64_t end[MAX], end3[MAX], to[MAX];
	char a[MAX], b[MAX];
	size_t len = below(s, MAX + 1), m = below(s, MAX + 1);
	struct primer_rule r = {
		.k = 1 + below(s, 4), .min_len = below(s, 2) * below(s, 9),
		.max_len = below(s, 2) * (1 + below(s, 12)),
		.tail = below(s, 2) * (1 + below(s, 6)),
	};
	uint64_t cap = below(s, 2) ? r.max_len : 0;
	struct primer_strand t = { len, (uint8_t *)a, end, end3 };
	bool good = true;

	r.tail_k = r.tail ? 1 + below(s, 3) : 0;
	if (below(s, 2))
		any_letters(s, &r);
	r.fit = r.max_len && below(s, 2);
	random_text(s, a, len, below(s, 3) ? "ACGT" : "AACCGTN");
	random_text(s, b, m, below(s, 3) ? "ACGT" : "AACN");
	/* b's N match nothing here: it is another letter than a's */
	for (size_t i = 0; i < m; i++)
		b[i] = b[i] == 'N' ? '-' : b[i];
	if (below(s, 2) && len)		/* related */
		memcpy(b, a, len < m ? len : m);
	ends_of(a, len, b, m, (unsigned)r.k, cap, end);
	ends_of(a, len, b, m, (unsigned)r.tail_k, cap, end3);
	primer_ends(&r, &t, to);
	for (size_t j = 0; j < len; j++) {
		uint64_t x = want(&r, a, len, b, m, j);

		good &= to[j] == (x && fits(&r, a + j, x - j) ? x : 0);
		*rows += to[j] != 0;
	}
	return good;
}

static void
test_definition(void)
{
	uint64_t s = seed;
	size_t bad = 0, rows = 0;

	for (unsigned i = 0; i < 20000; i++)
		bad += !one_case(&s, &rows);
	ok(bad == 0 && rows > 10000, "%zu primers by definition (%zu bad)",
	   rows, bad);
}

/* alpha = ACTG, beta = AGCAAG, k = 2, one strand of beta. */
static void
test_worked(void)
{
	uint64_t end[4], to[4];
	static const uint64_t ends[4] = { 2, 3, 4, 4 }, is[4] = { 3, 4, 0, 0 };
	struct primer_strand t = { 4, (const uint8_t *)"ACTG", end, NULL };
	struct primer_rule r;
	struct str text = { "k 2\n", 4 };

	ends_of("ACTG", 4, "AGCAAG", 6, 2, 0, end);
	ok(memcmp(end, ends, sizeof end) == 0, "the ends of the example");
	ok(primer_rule(&r, text, &e) == 0 && r.k == 2, "k 2");
	primer_ends(&r, &t, to);
	ok(memcmp(to, is, sizeof to) == 0, "ACT at 1, CTG at 2");
}

/* Every byte may stand in a literal primer. */
static void
test_literal(void)
{
	static const uint64_t end[5] = { 1, 2, 3, 4, 5 };
	struct primer_strand t = { 5, (const uint8_t *)"xN\n-A", end, NULL };
	struct primer_rule r = { .k = 2, .literal = true };
	uint64_t to[5];

	primer_ends(&r, &t, to);
	ok(to[0] == 2 && to[3] == 5 && to[4] == 0, "literal letters");
	r.literal = false;
	primer_ends(&r, &t, to);
	ok(!to[0] && !to[1] && !to[2] && !to[3] && !to[4], "no DNA");
}

static const char whole_text[] =
    "k 3\nmin-len 18\nmax-len 30\nthree-prime 5:2\n"
    "alphabet literal\ngc 40-60.5\ntm 57.25-63\n"
    "tm-salts 50 1.5 0.6 50.125\nmax-homopolymer 4\n";
static const char *const readable[] = {
	"k 3\n", "k 3", "alphabet dna\nk 1\n", whole_text,
};
static const char *const not_readable[] = {
	"", "k 0\n", "k\n", "k x\n", "k 3 \n", "k 3\n\n", "k -1\n",
	"k 3\ngc 40\n", "k 3\ngc 60-40\n", "k 3\ngc 40-101\n",
	"k 3\ngc 40-60-\n", "k 3\ngc 40.1234-60\n",
	"k 3\ngc 40.-60\n", "k 3\ngc -60\n", "k 3\ntm 50-60\n",
	"k 3\ntm-salts 50 1 1 50\n",
	"k 3\ntm 50-60\ntm-salts 50 1 1 0\n",
	"k 3\ntm 50-60\ntm-salts 0 1 1 50\n",
	"k 3\ntm 50-60\ntm-salts 50 1 1\n",
	"k 3\ntm 50-60\ntm-salts 50 1 1 50 \n",
	"k 3\ntm 50-60\ntm-salts 50 1 1 1000000.001\n",
	"k 3\nmax-homopolymer 4x\n", "k 3\nfit yes\n",
	"k 3\nmax-len 9\nfit no\n", "k 3\nthree-prime 5\n",
	"k 3\nthree-prime 0:2\n", "k 3\nthree-prime 5:\n",
	"k 3\nalphabet protein\n", "k 12345678901234567890123\n",
	"K 3\n",
};
enum { N_BAD = sizeof not_readable / sizeof *not_readable };

static void
test_options(void)
{
	struct primer_rule r;
	struct buf b = { 0 };

	for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
		struct str s = { readable[i], strlen(readable[i]) };

		ok(primer_rule(&r, s, &e) == 0 && r.k, "options %zu", i);
	}
	ok(r.k == 3 && r.min_len == 18 && r.max_len == 30 && r.tail == 5 &&
	   r.tail_k == 2 && r.literal && r.gc && r.gc_lo == 40000 &&
	   r.gc_hi == 60500 && r.tm && r.tm_lo == 57250 && r.tm_hi == 63000 &&
	   r.salts.monovalent == 50000 && r.salts.divalent == 1500 &&
	   r.salts.dntp == 600 && r.salts.primer == 50125 &&
	   r.homopolymer == 4, "all of them are read");
	primer_rule_put(&b, &r);
	ok(b.n == strlen(whole_text) &&
	   memcmp(b.p, whole_text, b.n) == 0,
	   "and written as they were");
	buf_free(&b);
	for (size_t i = 0; i < N_BAD; i++) {
		struct str s = { not_readable[i], strlen(not_readable[i]) };

		ok(primer_rule(&r, s, &e) == ERR_FORMAT, "refused: %s",
		   e.text);
	}
}

int
main(void)
{
	printf("# seed %llu\n", (unsigned long long)seed);
	test_definition();
	test_worked();
	test_literal();
	test_options();
	return done();
}
