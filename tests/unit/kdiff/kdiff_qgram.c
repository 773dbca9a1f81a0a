/* SPDX-License-Identifier: MIT */
/*
 * kdiff_qgram.c - the filter, and patterns' first rows in its place, against
 * the textbook, wherever they could lose
 */
#include "tests/lib/kdiff_gen.h"

/* How the filter is to work, so that all of it is seen in short texts. */
static void
force(unsigned shortest)
{
	unsigned q = 4 + below(&seed, 8);

	if (below(&seed, 3) == 0) {
		first_rows();
		return;
	}
	kc.engine = KDIFF_FILTER;
	kc.force.block = 64 << below(&seed, 7);
	kc.force.patient = below(&seed, 4) != 0;
	if (below(&seed, 4) == 0)
		return;
	if (q > shortest)
		q = shortest < 4 ? 4 : shortest;
	kc.force.q = q;
	kc.force.step = 1 + below(&seed, shortest > q ? shortest - q + 1 : 1);
	if (kc.force.step > 32)
		kc.force.step = 32;
}

/* Lay p into the text, one letter of each piece but one spoilt. */
static void
plant_threshold(const uint8_t *p, size_t m, size_t k, size_t at)
{
	size_t length = m / (k + 1), keep = below(&seed, k + 1), to = at;

	for (size_t i = 0; i < m && to < kc.n; i++) {
		size_t piece = i / length;
		bool spoil = piece <= k && piece != keep &&
			     i % length == (piece * 7 + at) % length;
		uint64_t how = kc.p.hamming ? 0 : below(&seed, 3);

		if (!spoil) {
			letters[to++] = p[i];
		} else if (how == 0) {
			letters[to++] = p[i] == 'A' ? 'C' : 'A';
		} else if (how == 1) {
			letters[to++] = letter("ACGT", 4);
			if (to < kc.n)
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
	kc.p.hamming = round % 4 == 3;
	fill(round % 8 == 5 ? NS : RANDOM, letters, kc.n);
	fill(RANDOM, store, m);
	one_pattern(store, m, k);
	force((unsigned)(length < 64 ? length : 64));
	while (at < kc.n) {
		plant_threshold(store, m, k, at);
		at += m + k + 1 + below(&seed, 3 * m);
	}
	kc.no_trace = true;
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

	for (kc.n_seg = 0; kc.n_seg < CASE_SEGS && at < kc.n; kc.n_seg++) {
		uint64_t len = below(&seed, 600);

		kc.seg[kc.n_seg] = (struct kdiff_seg){
			.beg = at, .end = at + len < kc.n ? at + len : kc.n,
			.from = below(&seed, 3) ? 0 :
				at + below(&seed, len + 2),
			.to = below(&seed, 3) ? UINT64_MAX :
			      at + below(&seed, len + 2),
		};
		at = (at + len + gap + 63) / 64 * 64;
		for (size_t i = 0; i < kc.n_pat; i++)
			plant(letters, at < kc.n ? at - below(&seed, gap + 1) :
			      kc.n, kc.pat[i], kc.m[i], below(&seed, 2));
	}
	kc.n = kc.seg[kc.n_seg - 1].end;
}

/* Several patterns, of which some may be without a filter; segments. */
static bool
mixed(uint64_t round)
{
	enum kind kind = round % 3 ? RANDOM : below(&seed, N_KINDS);
	unsigned shortest = 64;
	uint64_t gap = 1;

	reset(4000 + below(&seed, 4000));
	kc.p.iupac = below(&seed, 4) == 0;
	kc.p.hamming = below(&seed, 5) == 0;
	fill(kind, letters, kc.n);
	for (size_t i = 1 + below(&seed, 6); i; i--) {
		size_t k = below(&seed, 4), m = k + 1 + below(&seed, 90);

		add_pattern(kind, m, k);
		if (below(&seed, 3) == 0)
			codes((uint8_t *)kc.pat[kc.n_pat - 1], m);
		if (below(&seed, 4) == 0) {
			kc.tail[kc.n_pat - 1] = below(&seed, m < 6 ? m : 6);
			kc.head[kc.n_pat - 1] = below(&seed, m < 6 ? m : 6);
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
	fill(round % 5 == 4 ? PERIODIC : RANDOM, letters, kc.n);
	fill(round % 5 == 4 ? PERIODIC : RANDOM, store, m);
	one_pattern(store, m, k);
	force((unsigned)length);
	for (size_t i = 0; i < kc.n / 200; i++) {
		size_t beg = below(&seed, m), n = 1 + below(&seed, m - beg);

		if (below(&seed, 4) == 0)
			beg = 0, n = m;
		plant(letters, below(&seed, kc.n), store + beg, n,
		      below(&seed, n * k / m + 3));
	}
	kc.no_trace = true;
	return run();
}

/* Runs of equal D, longer than m, across the borders of blocks. */
static bool
runs(uint64_t round)
{
	size_t m = 5 + below(&seed, 60), k = below(&seed, m / 5), at = 0;

	reset(3000 + below(&seed, 4000));
	kc.p.report = KDIFF_MINIMA;
	kc.p.hamming = round % 8 == 7;
	memset(letters, 'A', kc.n);
	memset(store, 'A', m);
	if (below(&seed, 2))
		store[below(&seed, m)] = 'C';
	while (at < kc.n) {
		for (size_t i = below(&seed, 3); at < kc.n && i; i--)
			letters[at++] = 'C';
		at += below(&seed, 3) ? m - 2 + below(&seed, 4) :
		      below(&seed, 3 * m + 150);
	}
	one_pattern(store, m, k);
	force((unsigned)(m / (k + 1) < 64 ? m / (k + 1) : 64));
	kc.force.q = 0;
	kc.no_trace = true;
	return run();
}

/* Texts of many blocks, some of them dense: the filter gives up and returns. */
static bool
turns(uint64_t round)
{
	size_t m = 40 + below(&seed, 60), k = below(&seed, 3);

	reset(60000 + below(&seed, 60000));
	fill(RANDOM, letters, kc.n);
	fill(RANDOM, store, m);
	for (size_t at = 0; at < kc.n; at += 500 + below(&seed, 9000)) {
		size_t len = below(&seed, 6000);

		if (below(&seed, 3) == 0)
			plant(letters, at, store, m, k);
		else if (round % 2)
			for (size_t i = 0; i < len && at + i < kc.n; i++)
				letters[at + i] = store[i % m];
	}
	one_pattern(store, m, k);
	kc.engine = round % 3 ? KDIFF_FILTER : KDIFF_PREFIX;
	kc.force.block = 1024 << below(&seed, 3);
	kc.no_trace = true;
	return run();
}

/* Matches far from each other, and beside each other: frames of many words. */
static bool
strips(uint64_t round)
{
	static const unsigned most[] = { 3, 12, 40, 220 };
	size_t k = below(&seed, most[round % 4]), length = 4 + below(&seed, 20);
	size_t m = (k + 1) * length + below(&seed, k + 1), at = 0;

	reset(2000 + 2 * m + below(&seed, 4000));
	fill(round % 5 == 4 ? NS : RANDOM, letters, kc.n);
	fill(round % 9 == 8 ? TWO : RANDOM, store, m);
	one_pattern(store, m, k);
	while (at < kc.n) {
		at += below(&seed, 3) ? m + below(&seed, 2 * m) :
		      below(&seed, 2 * k + 3);
		plant(letters, at < kc.n ? at : kc.n, store, m,
		      below(&seed, k + 2));
	}
	force((unsigned)length);
	if (m < 300 && below(&seed, 2))
		segments(k + 1);
	kc.no_trace = m > 300;
	return run();
}

/*
 * Strips that meet without sharing an end, at borders of blocks and of what is
 * reported: a pattern of period 2 k + 1 but for its last letters, and letters
 * after it that go on with the period or not.
 */
static bool
beside(uint64_t round)
{
	size_t k = 1 + below(&seed, 2), period = 2 * k + 1;
	size_t m = (k + 1) * (4 + below(&seed, 2)), at = 0;

	reset(256 + below(&seed, 256));
	kc.p.report = round % 4 ? KDIFF_MINIMA : KDIFF_ALL;
	fill(TWO, letters, kc.n);
	fill(TWO, store, m);
	for (size_t i = period; i < m - below(&seed, period); i++)
		store[i] = store[i - period];
	one_pattern(store, m, k);
	for (at = 64; at < kc.n; at += 64 + below(&seed, 2) * 64) {
		size_t end = at - k + below(&seed, 4) / 3 * below(&seed, k + 2);

		plant(letters, end, store, m, below(&seed, 2) * k);
		for (size_t i = end; i < at + m && i < kc.n; i++)
			if (below(&seed, 8))
				letters[i] = letters[i - period];
	}
	force((unsigned)(m / (k + 1)));
	kc.force.block = 64;
	kc.force.patient = below(&seed, 2);
	if (below(&seed, 4) == 0) {
		kc.seg[0].from = below(&seed, kc.n / 64) * 64 +
				 below(&seed, 2 * k + 2);
		kc.seg[0].to = kc.seg[0].from + below(&seed, 3) * 64 + 1;
	}
	return run();
}

/* A dense block, one that is passed over, a match between it and a third. */
static bool
again(uint64_t round)
{
	enum { BLOCK = 4096 };
	size_t k = 1 + below(&seed, 3), m = (k + 1) * (4 + below(&seed, 2));

	reset(4 * BLOCK);
	kc.p.report = round % 3 ? KDIFF_ALL : KDIFF_MINIMA;
	fill(RANDOM, letters, kc.n);
	fill(RANDOM, store, m);
	one_pattern(store, m, k);
	for (size_t i = m; i <= BLOCK; i += 2 * m)
		plant(letters, i, store, m, 0);
	plant(letters, 2 * BLOCK - k + below(&seed, 3 * k), store, m,
	      below(&seed, k));
	force((unsigned)(m / (k + 1)));
	kc.force.block = BLOCK;
	kc.force.patient = false;
	return run();
}

/*
 * Live columns of first rows: many and few, side by side, across words, lanes
 * and blocks, near letters that match nothing and at borders of segments.
 */
static bool
live(uint64_t round)
{
	static const enum kind kinds[] = { RANDOM, RANDOM, TWO, NS, PERIODIC };
	enum kind kind = kinds[round % 5];
	size_t m = 2 + below(&seed, round % 3 ? 100 : 30), at = 0, n;
	size_t k = below(&seed, (round % 2 ? m / 6 : m - 1) + 1);

	k = k + 2 > m ? m - 2 : k;
	reset(500 + below(&seed, 6000));
	fill(kind, letters, kc.n);
	for (n = 1 + below(&seed, 2); n; n--)
		add_pattern(kind == NS ? RANDOM : kind, m, k);
	if (below(&seed, 4) == 0)
		codes((uint8_t *)kc.pat[0], m);
	while (at < kc.n) {
		at += below(&seed, 4) ? m / 2 + below(&seed, 3 * m) :
		      below(&seed, k + 3);
		plant(letters, at < kc.n ? at : kc.n, kc.pat[0], m,
		      below(&seed, k + 2));
	}
	first_rows();
	if (below(&seed, 3) == 0)
		segments(k + 1);
	kc.no_trace = round % 4 != 0;
	return run();
}

/*
 * Few live columns, of which the last one leads to the last column of a frame:
 * D rises behind it.
 */
static bool
last_column(uint64_t round)
{
	size_t k = below(&seed, 3), rows = 12 + below(&seed, 20);
	size_t m = rows + 63 * (1 + round % 3) - below(&seed, 2 * k + 3);

	reset(1000 + below(&seed, 1000));
	fill(RANDOM, letters, kc.n);
	add_pattern(RANDOM, m, k);
	for (size_t at = 2 * m; at < kc.n; at += 2 * m + below(&seed, m)) {
		memcpy(letters + at - m, kc.pat[0], m);
		for (size_t i = 0; i < k; i++)	/* all of them above */
			letters[at - m + rows / 2 + 4 * i] = letter("ACGT", 4);
	}
	kc.engine = KDIFF_PREFIX;
	kc.force.rows = (unsigned)rows;
	return run();
}

int
main(void)
{
	sweep("last column", last_column, 150);
	sweep("live", live, 1500);
	sweep("strips", strips, 120);
	sweep("beside", beside, 4000);
	sweep("again", again, 100);
	sweep("threshold", threshold, 200);
	sweep("mixed", mixed, 120);
	sweep("repeats", repeats, 80);
	sweep("runs", runs, 100);
	sweep("turns", turns, 8);
	return done();
}
