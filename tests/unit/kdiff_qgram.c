/* SPDX-License-Identifier: MIT */
/* kdiff_qgram.c - the filter against the textbook, wherever it could lose */
#include "../kdiff_gen.h"

/* How the filter is to work, so that all of it is seen in short texts. */
static void
force(unsigned shortest)
{
	unsigned q = 4 + below(&seed, 8);

	c.engine = KDIFF_FILTER;
	c.force.block = 64 << below(&seed, 7);
	c.force.patient = below(&seed, 4) != 0;
	if (below(&seed, 4) == 0)
		return;
	if (q > shortest)
		q = shortest < 4 ? 4 : shortest;
	c.force.q = q;
	c.force.step = 1 + below(&seed, shortest > q ? shortest - q + 1 : 1);
	if (c.force.step > 32)
		c.force.step = 32;
}

/* Lay p into the text, one letter of each piece but one spoilt. */
static void
plant_threshold(const uint8_t *p, size_t m, size_t k, size_t at)
{
	size_t length = m / (k + 1), keep = below(&seed, k + 1), to = at;

	for (size_t i = 0; i < m && to < c.n; i++) {
		size_t piece = i / length;
		bool spoil = piece <= k && piece != keep &&
			     i % length == (piece * 7 + at) % length;
		uint64_t how = c.p.hamming ? 0 : below(&seed, 3);

		if (!spoil) {
			letters[to++] = p[i];
		} else if (how == 0) {
			letters[to++] = p[i] == 'A' ? 'C' : 'A';
		} else if (how == 1) {
			letters[to++] = letter("ACGT", 4);
			if (to < c.n)
				letters[to++] = p[i];
		}
	}
}

static bool
threshold(uint64_t round)
{
	size_t k = below(&seed, 7), length = 4 + below(&seed, 40);
	size_t m = (k + 1) * length + below(&seed, k + 1), at = 0;

	reset(2000 + below(&seed, 6000));
	c.p.hamming = round % 4 == 3;
	fill(round % 8 == 5 ? NS : RANDOM, letters, c.n);
	fill(RANDOM, store, m);
	c.pat[0] = store;
	c.m[0] = m;
	c.k[0] = k;
	c.n_pat = 1;
	force((unsigned)(length < 64 ? length : 64));
	while (at < c.n) {
		plant_threshold(store, m, k, at);
		at += m + k + 1 + below(&seed, 3 * m);
	}
	c.no_trace = true;
	return run();
}

/* Make some letters of p sets that hold them, and one that does not. */
static void
codes(uint8_t *p, size_t m)
{
	for (size_t i = 0; i < 1 + m / 20; i++) {
		size_t at = below(&seed, m);
		uint8_t was = p[at];

		p[at] = i ? letter("RYSWKMBDHVN", 11) : 'N';
		if (i && !(oracle_set(p[at]) & oracle_set(was)))
			p[at] = 'N';
	}
}

/* Segments, some with ranges of ends; hits at borders and across them. */
static void
segments(uint64_t gap)
{
	uint64_t at = 64 * below(&seed, 3);

	for (c.n_seg = 0; c.n_seg < CASE_SEGS && at < c.n; c.n_seg++) {
		uint64_t len = below(&seed, 600);

		c.seg[c.n_seg] = (struct kdiff_seg){
			.beg = at, .end = at + len < c.n ? at + len : c.n,
			.from = below(&seed, 3) ? 0 :
				at + below(&seed, len + 2),
			.to = below(&seed, 3) ? UINT64_MAX :
			      at + below(&seed, len + 2),
		};
		at = (at + len + gap + 63) / 64 * 64;
		for (size_t i = 0; i < c.n_pat; i++)
			plant(letters, at < c.n ? at - below(&seed, gap + 1) :
			      c.n, c.pat[i], c.m[i], below(&seed, 2));
	}
	c.n = c.seg[c.n_seg - 1].end;
}

/* Several patterns, of which some may be without a filter; segments. */
static bool
mixed(uint64_t round)
{
	enum kind kind = round % 3 ? RANDOM : below(&seed, N_KINDS);
	unsigned shortest = 64;
	uint64_t gap = 1;

	reset(4000 + below(&seed, 4000));
	c.p.iupac = below(&seed, 4) == 0;
	c.p.hamming = below(&seed, 5) == 0;
	fill(kind, letters, c.n);
	for (size_t i = 1 + below(&seed, 6); i; i--) {
		size_t k = below(&seed, 4), m = k + 1 + below(&seed, 90);

		add_pattern(kind, m, k);
		if (below(&seed, 3) == 0)
			codes((uint8_t *)c.pat[c.n_pat - 1], m);
		if (below(&seed, 4) == 0) {
			c.tail[c.n_pat - 1] = below(&seed, m < 6 ? m : 6);
			c.head[c.n_pat - 1] = below(&seed, m < 6 ? m : 6);
		}
		gap = k + 1 > gap ? k + 1 : gap;
		if (m / (k + 1) >= 4 && m / (k + 1) < shortest)
			shortest = (unsigned)(m / (k + 1));
	}
	force(shortest);
	segments(gap);
	return run();
}

/* Repeats of a pattern's parts, which pass some checks and not others. */
static bool
repeats(uint64_t round)
{
	size_t k = 1 + below(&seed, round % 4 ? 8 : 40);
	size_t length = 5 + below(&seed, 16), m = (k + 1) * length;

	reset(6000 + below(&seed, 6000));
	fill(round % 5 == 4 ? PERIODIC : RANDOM, letters, c.n);
	fill(round % 5 == 4 ? PERIODIC : RANDOM, store, m);
	c.pat[0] = store;
	c.m[0] = m;
	c.k[0] = k;
	c.n_pat = 1;
	force((unsigned)length);
	for (size_t i = 0; i < c.n / 200; i++) {
		size_t beg = below(&seed, m), n = 1 + below(&seed, m - beg);

		if (below(&seed, 4) == 0)
			beg = 0, n = m;
		plant(letters, below(&seed, c.n), store + beg, n,
		      below(&seed, n * k / m + 3));
	}
	c.no_trace = true;
	return run();
}

/* Runs of equal D, longer than m, across the borders of blocks. */
static bool
runs(uint64_t round)
{
	size_t m = 5 + below(&seed, 60), k = below(&seed, m / 5), at = 0;

	reset(3000 + below(&seed, 4000));
	c.p.report = KDIFF_MINIMA;
	c.p.hamming = round % 8 == 7;
	memset(letters, 'A', c.n);
	memset(store, 'A', m);
	if (below(&seed, 2))
		store[below(&seed, m)] = 'C';
	while (at < c.n) {
		for (size_t i = below(&seed, 3); at < c.n && i; i--)
			letters[at++] = 'C';
		at += below(&seed, 3) ? m - 2 + below(&seed, 4) :
		      below(&seed, 3 * m + 150);
	}
	c.pat[0] = store;
	c.m[0] = m;
	c.k[0] = k;
	c.n_pat = 1;
	force((unsigned)(m / (k + 1) < 64 ? m / (k + 1) : 64));
	c.force.q = 0;
	c.no_trace = true;
	return run();
}

/* Texts of many blocks, some of them dense: the filter gives up and returns. */
static bool
turns(uint64_t round)
{
	size_t m = 40 + below(&seed, 60), k = below(&seed, 3);

	reset(60000 + below(&seed, 60000));
	fill(RANDOM, letters, c.n);
	fill(RANDOM, store, m);
	for (size_t at = 0; at < c.n; at += 500 + below(&seed, 9000)) {
		size_t len = below(&seed, 6000);

		if (below(&seed, 3) == 0)
			plant(letters, at, store, m, k);
		else if (round % 2)
			for (size_t i = 0; i < len && at + i < c.n; i++)
				letters[at + i] = store[i % m];
	}
	c.pat[0] = store;
	c.m[0] = m;
	c.k[0] = k;
	c.n_pat = 1;
	c.engine = KDIFF_FILTER;
	c.force.block = 1024 << below(&seed, 3);
	c.no_trace = true;
	return run();
}

int
main(void)
{
	sweep("threshold", threshold, 200);
	sweep("mixed", mixed, 120);
	sweep("repeats", repeats, 80);
	sweep("runs", runs, 100);
	sweep("turns", turns, 8);
	return done();
}
