/* SPDX-License-Identifier: MIT */
/* scan_primer.c - what of a window becomes symbols to be searched, and what
 * options make canonical */
#include "scan/primer/primer_scan_priv.h"
#include "tests/lib/tap.h"

enum { MOST_SEGS = 12, MOST = 3000 };

static uint64_t seed = 20260104;
static struct err e;

/* A window of some sequences, of which one letter in three is N, in runs. */
struct scene {
	struct chunk_row row;
	struct window_seg seg[MOST_SEGS];
	uint8_t letters[MOST];
	struct window w;
};

static void
a_scene(struct scene *c, uint64_t *s, const char *of)
{
	uint64_t at = 0;

	memset(c, 0, sizeof *c);
	c->row.name = (struct str){ "x", 1 };
	c->w.n_seg = below(s, MOST_SEGS + 1);
	for (size_t i = 0; i < c->w.n_seg; i++) {
		uint64_t n = below(s, 3) ? below(s, 120) : below(s, 3);

		c->seg[i] = (struct window_seg){
			.row = &c->row, .beg = at, .end = at + n };
		for (uint64_t x = at; x < at + n; x++) {
			uint8_t l = x > at && below(s, 4) ? c->letters[x - 1] :
				    (uint8_t)of[below(s, strlen(of))];

			c->letters[x] = l == 'N' ? l :
					(uint8_t)of[below(s, strlen(of))];
		}
		at += (n + 64) / 64 * 64;
	}
	c->w.seg = c->seg;
	c->w.bytes = c->letters;
	c->w.n = at;
}

static int
scan_of(struct primer_scan **p, struct queries *q, const char *target,
	const struct primer_options *o)
{
	static struct query one;

	one = (struct query){ .name = { "t", 1 },
			      .letters = { target, strlen(target) },
			      .where = "-e" };
	*q = (struct queries){ .v = &one, .n = 1, .base = "-e" };
	return primer_scan_new(p, o, q, &e);
}

/* Letters of both strands, each sequence in brackets of '0' bytes; nothing
 * is a '0', too.  Runs of those mean the same from k on, and at both ends. */
static void
canonical(struct buf *b, const uint8_t *v, size_t n, uint64_t k)
{
	uint64_t run = k;

	for (size_t i = 0; i < n; i++) {
		run = v[i] ? 0 : run + 1;
		if (run <= k)
			buf_u8(b, v[i]);
	}
	b->n -= b->n ? run < k ? run : k : 0;
}

static void
naive(struct buf *b, const struct primer_scan *p, const struct scene *c)
{
	for (int minus = 0; minus < 2; minus++)
		for (size_t i = 0; i < c->w.n_seg; i++) {
			const struct window_seg *g = &c->seg[i];
			uint64_t n = g->end - g->beg;
			const uint8_t *x =
			    primer_symbols(p->empty[0], minus);

			if (!(p->o.strands & (minus ? PRIMER_MINUS :
						      PRIMER_PLUS)))
				continue;
			for (uint64_t j = 0; j < n; j++)
				buf_u8(b, x[c->letters[minus ? g->end - 1 - j :
							       g->beg + j]]);
			buf_zero(b, p->rule.k > p->rule.tail_k ?
				 p->rule.k : p->rule.tail_k);
		}
}

static bool
text_case(uint64_t *s, size_t *texts)
{
	struct primer_options o = {
		.k = 1 + (int64_t)below(s, below(s, 3) ? 9 : 900),
		.three_prime = below(s, 2) ? "40:12" : NULL,
		.strands = 1 + below(s, 3), .alphabet = PRIMER_DNA,
		.engine = PRIMER_PLAIN,
	};
	struct buf want = { 0 }, have = { 0 }, x = { 0 }, y = { 0 };
	struct primer_text t = { .n = 0 };
	struct primer_scan *p;
	struct queries q;
	struct scene c;
	uint64_t k;
	bool good;

	a_scene(&c, s, "ACGTRNNn");
	if (scan_of(&p, &q, "ACGTTGA", &o))
		return false;
	k = p->rule.k > p->rule.tail_k ? p->rule.k : p->rule.tail_k;
	naive(&want, p, &c);
	good = primer_text_of(&t, p, &c.w, &e) == 0;
	for (size_t i = 0, beg = 0; i < t.n; beg = t.end[i++]) {
		good &= t.end[i] > beg && t.symbols.p[beg] &&
			t.symbols.p[t.end[i] - 1];
		buf_put(&have, t.symbols.p + beg, t.end[i] - beg);
		buf_zero(&have, k);
	}
	*texts += t.n > 1;
	canonical(&x, want.p, want.n, k);
	canonical(&y, have.p, have.n, k);
	good &= x.n == y.n && (!x.n || memcmp(x.p, y.p, x.n) == 0);
	/* no more room than a few times the letters */
	good &= t.symbols.n <= 12 * c.w.n + 64;
	buf_free(&want);
	buf_free(&have);
	buf_free(&x);
	buf_free(&y);
	primer_text_free(&t);
	primer_scan_free(p);
	return good;
}

static void
test_text(void)
{
	uint64_t s = seed;
	size_t bad = 0, texts = 0, n = fewer(4000);

	for (size_t i = 0; i < n; i++)
		bad += !text_case(&s, &texts);
	ok(bad == 0 && texts > n / 10, "%zu windows, %zu of them in more than "
	   "one text (%zu bad)", n, texts, bad);
}

/* A letter that is no DNA is reported with its place. */
static void
test_strange(void)
{
	struct primer_options o = { .k = 2, .alphabet = PRIMER_DNA };
	struct primer_text t = { .n = 0 };
	struct primer_scan *p;
	struct queries q;
	struct scene c;
	uint64_t s = seed;

	do
		a_scene(&c, &s, "ACGT");
	while (c.w.n_seg < 2 || c.seg[1].end < c.seg[1].beg + 3);
	c.seg[1].origin = 1000;
	c.letters[c.seg[1].beg + 2] = '*';
	ok(scan_of(&p, &q, "ACGTT", &o) == 0, "a scan");
	ok(primer_text_of(&t, p, &c.w, &e) == ERR_FORMAT &&
	   strstr(e.text, "'*' at 1003"), "%s", e.text);
	primer_text_free(&t);
	primer_scan_free(p);
}

static const struct primer_options bad[] = {
	{ .k = 0 }, { .k = 4, .max_len = 3 },
	{ .k = 1, .min_len = 5, .max_len = 4 },
	{ .k = 1, .three_prime = "" }, { .k = 1, .three_prime = "5" },
	{ .k = 1, .three_prime = "5:" },
	{ .k = 1, .three_prime = ":2" },
	{ .k = 1, .three_prime = "0:0" },
	{ .k = 1, .three_prime = "5:6" },
	{ .k = 1, .three_prime = "5:2x" },
	{ .k = 1, .three_prime = "99999999999999999999999:1" },
	{ .k = 1, .three_prime = "9:2", .max_len = 8 },
	{ .k = 1, .gc = "40" }, { .k = 1, .gc = "60-40" },
	{ .k = 1, .gc = "40-100.001" }, { .k = 1, .tm = "-5-6" },
	{ .k = 1, .tm = "50-60", .dntp = "-1" },
	{ .k = 1, .tm = "50-60", .dna = "0" },
	{ .k = 1, .tm = "50-60", .monovalent = "0",
	  .divalent = "0.6" },
	{ .k = 1, .dna = "50" },
	{ .k = 1, .alphabet = PRIMER_LITERAL,
	  .primers = PRIMER_MINUS },
};

static void
test_options(void)
{
	struct primer_options o = {
		.k = 3, .three_prime = "007:02", .gc = "040-60.50",
		.tm = "57.250-63", .divalent = "02.0", .max_len = 30,
	};
	struct primer_scan *p;
	struct queries q;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(scan_of(&p, &q, "ACGTT", &bad[i]) == ERR_USAGE && !p,
		   "refused: %s", e.text);
	ok(scan_of(&p, &q, "ACGTTGACCATGATTACAGGCATTACGATACCA", &o) == 0,
	   "all of them");
	ok(strncmp((char *)p->options.p,
		   "k 3\nmax-len 30\nthree-prime 7:2\n"
		   "alphabet dna\ngc 40-60.5\ntm 57.25-63\n"
		   "tm-salts 50 2 0.6 50\n", p->options.n) == 0,
	   "canonical options");
	/* an occurrence of 30 letters and 2 differences, but for one letter */
	ok(p->context == 31, "context %llu", (unsigned long long)p->context);
	primer_scan_free(p);
	ok(scan_of(&p, &q, "ACGT\n", &o) == ERR_USAGE, "%s", e.text);
}

int
main(void)
{
	printf("# seed %llu\n", (unsigned long long)seed);
	test_text();
	test_strange();
	test_options();
	return done();
}
