/* SPDX-License-Identifier: MIT */
/* kdiff.c - k differences against the textbook, many kinds of text */
#include "../kdiff_case.h"
#include "tap.h"

static uint64_t seed;
static struct kcase c;
static uint8_t letters[1 << 18], store[1 << 19];
static size_t stored;

static uint8_t
letter(const char *of, size_t n)
{
	return (uint8_t)of[below(&seed, n)];
}

enum kind { RANDOM, TWO, PERIODIC, NS, CODES, FLAT, N_KINDS };

static void
fill(enum kind kind, uint8_t *t, size_t n)
{
	size_t period = 1 + below(&seed, 5), flat = 0;

	for (size_t i = 0; i < n; i++) {
		t[i] = letter("ACGT", kind == TWO ? 2 : 4);
		if (kind == PERIODIC && i >= period && below(&seed, 40))
			t[i] = t[i - period];
		if (kind == NS && !below(&seed, 20))
			t[i] = letter("NnRacgtuU*", 10);
		if (kind == CODES)
			t[i] = letter("ACGTRYSWKMBDHVNacgn-", 20);
		if (kind == FLAT) {	/* long flats end anywhere */
			if (!flat)
				flat = below(&seed, 3) ? below(&seed, 90) : 9;
			else
				t[i] = t[i - 1], flat--;
		}
	}
}

/* A copy of p with up to `edits` differences that ends before letter end. */
static void
plant(uint8_t *t, size_t end, const uint8_t *p, size_t m, size_t edits)
{
	size_t i = m, j = end;

	while (i && j) {
		uint64_t r = edits ? below(&seed, m + 2) : m;

		if (r < edits && r % 3 == 0) {
			i--;
		} else if (r < edits && r % 3 == 1) {
			t[--j] = letter("ACGT", 4);
		} else {
			i--;
			if (r >= edits)
				t[j - 1] = p[i];
			j--;
		}
	}
}

/*
 * Copies that end a little after borders of words, superblocks, lanes: they
 * enter a superblock by its left edge, at every row.
 */
static void
plant_edges(const uint8_t *p, size_t m, size_t k)
{
	for (size_t i = 0; c.n && i < 2 + c.n / 200; i++) {
		uint64_t unit = below(&seed, 2) ? 64 : 256;
		uint64_t end = below(&seed, c.n / unit + 1) * unit +
			       below(&seed, m + 8);

		plant(letters, end < c.n ? end : c.n, p, m,
		      below(&seed, 2) ? k : 0);
	}
}

static void
add_pattern(enum kind kind, size_t m, size_t k)
{
	uint8_t *p = store + stored;

	stored += m;
	fill(kind == CODES && below(&seed, 2) ? RANDOM : kind, p, m);
	for (size_t i = 0; i < m; i++)
		if (!oracle_set(p[i]))
			p[i] = 'A';
	if (m < c.n && below(&seed, 2)) {
		size_t at = below(&seed, c.n - m);

		for (size_t i = 0; i < m; i++)
			if (oracle_set(letters[at + i]))
				p[i] = letters[at + i];
	}
	c.pat[c.n_pat] = p;
	c.m[c.n_pat] = m;
	c.k[c.n_pat++] = k;
	plant_edges(p, m, k);
}

static void
reset(size_t n)
{
	memset(&c, 0, sizeof c);
	c.p.report = below(&seed, 2) ? KDIFF_MINIMA : KDIFF_ALL;
	c.t = letters;
	c.n = n;
	c.n_seg = 1;
	c.seg[0] = (struct kdiff_seg){ 0, n, 0, UINT64_MAX };
	stored = 0;
}

/* Cut the text into segments with gaps; some report a part only. */
static void
cut(size_t gap)
{
	uint64_t at = 64 * below(&seed, 3);

	c.n_seg = 0;
	while (c.n_seg < CASE_SEGS && at <= c.n) {
		struct kdiff_seg *g = &c.seg[c.n_seg++];
		uint64_t len = below(&seed, 3) ? below(&seed, 150) :
			       64 * below(&seed, 12);

		g->beg = at;
		g->end = at + len < c.n ? at + len : c.n;
		g->from = below(&seed, 3) ? 0 : at + below(&seed, len + 2);
		g->to = below(&seed, 3) ? UINT64_MAX :
			at + below(&seed, len + 2);
		at = (g->end + gap + 63) / 64 * 64 + 64 * below(&seed, 2);
	}
	c.n = c.seg[c.n_seg - 1].end;
}

static bool
run(void)
{
	return kcase_check(&c, cpu_isa());
}

/* Every k and many m over small texts of every size. */
static bool
small(uint64_t round)
{
	static const size_t sizes[] = { 0, 1, 2, 63, 64, 65, 127, 128, 255,
		256, 257, 511, 512, 513, 1023, 1025, 2047, 2048, 2049 };
	size_t n = round % 2 ? below(&seed, 700) : sizes[round / 2 % 19];
	enum kind kind = below(&seed, N_KINDS);
	size_t n_pat = 1 + below(&seed, 3);

	reset(n);
	c.p.iupac = below(&seed, 3) == 0;
	c.p.hamming = below(&seed, 4) == 0;
	fill(kind, letters, n);
	for (size_t i = 0; i < n_pat; i++) {
		size_t m = 1 + below(&seed, below(&seed, 4) ? 40 : 200);

		add_pattern(kind, m, below(&seed, below(&seed, 2) ? m :
						  1 + m / 5));
	}
	return run();
}

static bool
segments(uint64_t round)
{
	enum kind kind = round % N_KINDS;
	size_t m = 1 + below(&seed, 60), k = below(&seed, m), gap = k + 1;

	reset(500 + below(&seed, 6000));
	c.p.iupac = below(&seed, 3) == 0;
	c.p.hamming = below(&seed, 4) == 0;
	fill(kind, letters, c.n);
	add_pattern(kind, m, k);
	if (below(&seed, 2)) {
		m = 1 + below(&seed, 30);
		k = below(&seed, m);
		gap = k + 1 > gap ? k + 1 : gap;
		add_pattern(kind, m, k);
	}
	cut(gap);
	return run();
}

/* Early exits: long patterns of few differences, many superblocks. */
static bool
exits(uint64_t round)
{
	enum kind kind = round % N_KINDS;
	size_t m, k = below(&seed, 6);

	reset(3000 + below(&seed, round % 8 ? 5000 : 60000));
	fill(kind, letters, c.n);
	m = 8 + 3 * k + below(&seed, 120);
	add_pattern(kind, m, k);
	if (below(&seed, 2))
		add_pattern(kind, 20 + below(&seed, 20), 3);
	c.no_trace = c.n > 9000;
	return run();
}

/* Letters other than DNA, distances beyond a byte, m beyond the text. */
static bool
others(uint64_t round)
{
	static const char aa[] = "ARNDCQEGHILKMFPSTWYVarnBZX*- ";
	size_t m = 1 + below(&seed, round % 3 ? 50 : 900);
	size_t k = below(&seed, 2) ? m - 1 : below(&seed, m);
	int range = round % 2 ? 4 : 200;

	reset(below(&seed, 1500));
	c.p.hamming = below(&seed, 3) == 0;
	c.p.alphabet = below(&seed, 2) ? KDIFF_PROTEIN : KDIFF_BYTES;
	if (round % 3 == 0)
		c.p.alphabet = KDIFF_DNA;
	for (size_t i = 0; i < c.n + m; i++) {
		uint8_t *x = i < c.n ? &letters[i] : &store[i - c.n];

		*x = c.p.alphabet == KDIFF_BYTES ?
		     (uint8_t)below(&seed, range) :
		     letter(aa, i < c.n ? 29 : 25);
		if (c.p.alphabet == KDIFF_DNA)
			*x = letter("ACGT", 4);
	}
	c.pat[0] = store;
	c.m[0] = m;
	c.k[0] = k;
	c.n_pat = 1;
	if (c.p.alphabet != KDIFF_DNA || c.n > 2 * m)
		for (size_t i = 0; i < 4; i++)
			plant(letters, below(&seed, c.n + 1), store, m,
			      c.p.alphabet == KDIFF_DNA ? k / 4 : 0);
	return run();
}

/*
 * Long runs of equal D, across words, that begin by a rise or a fall: one
 * letter, and others at distances around m.
 */
static bool
plateaus(uint64_t round)
{
	size_t m = 1 + below(&seed, round % 2 ? 24 : 250), at = 0;
	size_t k = below(&seed, m < 8 || below(&seed, 2) ? m : 8);

	reset(500 + below(&seed, 8000));
	c.p.report = KDIFF_MINIMA;
	memset(letters, 'A', c.n);
	while (at < c.n) {
		uint64_t r = below(&seed, 4);

		if (r == 2)	/* D rises to 1 and stays, see below */
			for (at += m; at + m < c.n && below(&seed, 3);)
				letters[at++] = 'C', at += m - 1;
		else
			at += r == 0 ? m - 1 + below(&seed, 3) :
			      r == 1 ? m / 2 + below(&seed, m / 2 + 1) :
				       below(&seed, 3 * m + 150);
		for (size_t i = below(&seed, 3); at < c.n && i; i--)
			letters[at++] = 'C';
		/* changes everywhere: the run's end is all that is flat */
		for (size_t i = r == 2 ? 70 : 0; at < c.n && i; i--)
			letters[at++] = letter("AC", 2);
	}
	memset(store, 'A', m);
	if (below(&seed, 2))
		store[below(&seed, m)] = 'C';
	c.pat[0] = store;
	c.m[0] = m;
	c.k[0] = k;
	c.n_pat = 1;
	c.no_trace = true;
	return run();
}

static void
sweep(const char *name, bool (*one)(uint64_t), uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t was = seed = 88172645463325252ull + i * 7919;

		if (!one(i)) {
			ok(0, "%s: round %llu seed %llu n %zu m %zu k %zu "
			   "report %d hamming %d: %s", name,
			   (unsigned long long)i, (unsigned long long)was, c.n,
			   c.m[0], c.k[0], c.p.report, c.p.hamming, c.why);
			return;
		}
	}
	ok(1, "%s: %llu rounds", name, (unsigned long long)rounds);
}

/* Wherever a text is cut, with context enough, the parts give the whole. */
static bool
chunks(uint64_t round)
{
	struct kdiff_hits all = { 0 }, want = { 0 };
	size_t m = 1 + below(&seed, 30), k = below(&seed, m), n, at = 0, ctx;
	bool good = true;

	reset(n = 64 + below(&seed, 400));
	fill(round % N_KINDS, letters, n);
	add_pattern(round % N_KINDS, m, k);
	kcase_want(&c, &all, &want);
	all.n = 0;
	ctx = c.p.report == KDIFF_MINIMA ? 2 * m + k : m + k;
	for (size_t cutat = 1; good && cutat < n; cutat += 1 + n / 90) {
		struct kdiff_hits h = { 0 };

		/* the left part owns ends below cutat, the right the rest */
		for (int part = 0; part < 2; part++) {
			struct kdiff_set *set = kcase_set(&c, cpu_isa());
			struct kdiff_work *w;
			struct kcase_text t;
			struct err e;

			at = part && cutat > ctx ? cutat - ctx : 0;
			c.t = letters + at;
			c.n = (part ? n : cutat) - at;
			c.seg[0] = (struct kdiff_seg){ 0, c.n,
			    part ? cutat - at : 0,
			    part ? UINT64_MAX : cutat - 1 };
			t = kcase_text(&c);
			if (kdiff_context(set) != ctx ||
			    kdiff_work_new(&w, &e) < 0 ||
			    kdiff_scan(set, &t.x, w, &all, &e) < 0)
				abort();
			for (size_t i = 0; i < all.n; i++)
				kcase_put(&h, all.v[i].end + at,
					  all.v[i].dist, 0);
			all.n = 0;
			kdiff_work_free(w);
			kdiff_set_free(set);
			kcase_text_free(&t);
		}
		good = kcase_same(&c, &h, &want, "cut");
		kdiff_hits_free(&h);
	}
	kdiff_hits_free(&all);
	kdiff_hits_free(&want);
	return good;
}

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
		c.p.report = (enum kdiff_report)r;
		c.pat[0] = p;
		c.m[0] = 5;
		c.k[0] = 2;
		c.n_pat = 1;
		ok(run(), "the worked example, report %d %s", r, c.why);
	}
}

int
main(void)
{
	seed = 1;
	usage();
	worked();
	sweep("small", small, 1000);
	sweep("segments", segments, 250);
	sweep("exits", exits, 80);
	sweep("plateaus", plateaus, 80);
	sweep("others", others, 60);
	sweep("chunks", chunks, 40);
	return done();
}
