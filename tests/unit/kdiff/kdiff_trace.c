/* SPDX-License-Identifier: MIT */
/*
 * kdiff_trace.c - start and CIGAR of every end of every distance, against the
 * full matrix
 */
#include "tests/lib/kdiff_rounds.h"

/* Scan and trace; the hits of a call may be any part of them. */
static bool
check(void)
{
	struct kcase_scan s = kcase_scan(&kc, one_isa());
	struct kdiff_path *path = kcase_alloc(s.h.n * sizeof *path);
	struct buf ops = { 0 };
	struct err e;
	bool good;

	for (size_t i = 0, n; i < s.h.n; i += n) {
		n = 1 + below(&seed, s.h.n - i);
		if (kdiff_trace(s.set, &s.t.x, s.w, s.h.v + i, n, path + i,
				&ops, &e) < 0)
			abort();
	}
	good = kcase_same_paths(&kc, &s.h, 1, path, &ops);
	buf_free(&ops);
	free(path);
	kcase_scan_free(&s);
	return good;
}

/* Replace letters of a text by codes, so that exceptions are looked at. */
static void
codes(void)
{
	for (size_t i = 0; i < kc.n; i++)
		if (!below(&seed, 12))
			letters[i] = letter("NRYKMacgtBV-", 12);
}

/* Every m up to 200, with every k up to m in turn; short texts. */
static bool
lengths(uint64_t round)
{
	size_t m = 1 + round % 200, k = below(&seed, m);
	enum kind kind = below(&seed, N_KINDS);

	if (round % 3)
		k = below(&seed, k + 1);
	reset(1 + below(&seed, m + k + 90));
	kc.p.report = KDIFF_ALL;
	kc.p.iupac = below(&seed, 3) == 0;
	kc.p.hamming = below(&seed, 5) == 0;
	fill(kind, letters, kc.n);
	add_pattern(kind, m, k);
	if (below(&seed, 3) == 0)
		codes();
	return check();
}

/* Short patterns, every k, every text length around them. */
static bool
shortest(uint64_t round)
{
	size_t m = 1 + round % 12, k = round / 12 % m;

	reset(below(&seed, 3 * m + 4));
	kc.p.report = KDIFF_ALL;
	kc.p.iupac = below(&seed, 3) == 0;
	fill(below(&seed, N_KINDS), letters, kc.n);
	add_pattern(below(&seed, 2) ? TWO : RANDOM, m, k);
	return check();
}

/* Segments: hits at every begin, whose windows reach into what is before. */
static bool
borders(uint64_t round)
{
	size_t m = 1 + below(&seed, round % 3 ? 40 : 160), n_pat;
	size_t k = below(&seed, m);

	reset(400 + below(&seed, 1500));
	kc.p.report = KDIFF_ALL;
	kc.p.iupac = below(&seed, 3) == 0;
	kc.p.hamming = below(&seed, 5) == 0;
	fill(round % N_KINDS, letters, kc.n);
	n_pat = 1 + below(&seed, 3);
	for (size_t i = 0; i < n_pat; i++)
		add_pattern(round % N_KINDS, m, k);
	cut(k + 1);
	for (size_t s = 0; s < kc.n_seg; s++) {	/* the pattern's tail */
		size_t n = kc.seg[s].end - kc.seg[s].beg,
		       from = below(&seed, m);

		for (size_t i = from; i < m && i - from < n; i++)
			letters[kc.seg[s].beg + i - from] = kc.pat[0][i];
	}
	return check();
}

/* Frames of several words, blocks of columns, indels of every length. */
static bool
long_ones(uint64_t round)
{
	static const size_t length[] = { 300, 700, 1000, 4500, 2200, 1500 };
	size_t m = length[round % 6], k = 20 + below(&seed, m / 6), at = 0;

	reset(m + 2 * k + 100);
	kc.p.report = KDIFF_MINIMA;
	fill(RANDOM, store, m);
	if (below(&seed, 2))
		at = below(&seed, 40);
	fill(RANDOM, letters, kc.n);
	for (size_t i = 0; i < m && at < kc.n; i++) {
		if (!below(&seed, m / 3))	/* longer than a word */
			i += below(&seed, k);
		if (!below(&seed, m / 2))
			at += below(&seed, k / 2);
		if (i < m && at < kc.n && below(&seed, 40))
			letters[at++] = store[i];
	}
	one_pattern(store, m, round % 6 == 1 ? m - 1 : 3 * k);
	if (round % 6 == 1)	/* every distance: all ends */
		kc.p.report = KDIFF_ALL;
	return check();
}

/*
 * Copies with few differences, of patterns about as long as a word, two, and
 * the longest that are followed by diagonals (trace_few()).
 */
static bool
few_differences(uint64_t round)
{
	static const size_t length[] = { 20, 57, 64, 128, 200, 500, 4096, 20,
					 57, 64, 128, 200, 500, 4160 };
	size_t l = length[round % 14], m = l - 8 + below(&seed, 17);
	size_t k = 1 + below(&seed, min_u64(m / 2, 28));

	reset(l < 4096 ? 5 * m : m + 200);
	kc.p.report = below(&seed, 2) ? KDIFF_ALL : KDIFF_MINIMA;
	kc.p.iupac = below(&seed, 4) == 0;
	fill(RANDOM, store, m);
	fill(RANDOM, letters, kc.n);
	for (size_t end = m / 2 + below(&seed, m); end <= kc.n + m / 2;
	     end += m + below(&seed, m / 2))
		plant(letters, min_u64(end, kc.n), store, m,
		      below(&seed, k + 1));
	if (!below(&seed, 3))
		letters[below(&seed, kc.n)] = letter("NRac", 4);
	if (!below(&seed, 6))
		store[below(&seed, m)] = letter("NRY", 3);
	one_pattern(store, m, k);
	return check();
}

/* So many hits of each distance that they are traced side by side. */
static bool
side_by_side(uint64_t round)
{
	size_t m = round % 3 ? 55 + below(&seed, 75) : 12 + below(&seed, 50);
	size_t k = 1 + below(&seed, min_u64(m / 5, 11));

	reset(1500 + below(&seed, 3000));
	kc.p.report = round % 2 ? KDIFF_ALL : KDIFF_MINIMA;
	fill(RANDOM, letters, kc.n);
	add_pattern(RANDOM, m, k);
	for (size_t end = m / 2; end < kc.n; end += m + below(&seed, m))
		plant(letters, end, kc.pat[0], m, below(&seed, k + 1));
	if (!below(&seed, 4))
		letters[below(&seed, kc.n)] = 'N';
	return check();
}

/*
 * Long patterns with so many differences that hits are everywhere: in random
 * letters and others, at a segment's begin, in blocks of few columns.
 */
static bool
everywhere(uint64_t round)
{
	size_t m = 193 + below(&seed, round % 4 ? 150 : 900);
	size_t k = m / 2 + below(&seed, m / 4);

	reset(round % 3 ? 1 + below(&seed, 4 * m) : 6 * m);
	kc.p.report = round % 2 ? KDIFF_ALL : KDIFF_MINIMA;
	kc.p.iupac = below(&seed, 3) == 0;
	kc.force.block = below(&seed, 2) ? 1 + below(&seed, 200) : 0;
	fill(round % N_KINDS, letters, kc.n);
	add_pattern(below(&seed, 2) ? RANDOM : round % N_KINDS, m, k);
	if (below(&seed, 3) == 0)
		codes();
	if (below(&seed, 2))
		cut(k + 1);
	return check();
}

/* Letters other than DNA, of which a set may hold all that there are. */
static bool
bytes(uint64_t round)
{
	size_t m = 1 + below(&seed, round % 4 ? 60 : 400);

	reset(1 + below(&seed, 3 * m));
	kc.p.report = KDIFF_ALL;
	kc.p.alphabet = round % 2 ? KDIFF_BYTES : KDIFF_PROTEIN;
	kc.p.hamming = below(&seed, 4) == 0;
	for (size_t i = 0; i < m; i++)
		store[i] = round % 2 ? (uint8_t)i :
			   letter("ARNDCQEGHILKMFPSTWYV", 20);
	for (size_t i = 0; i < kc.n; i++)
		letters[i] = below(&seed, 8) ? store[(i + round) % m] :
			     (uint8_t)below(&seed, 256);
	one_pattern(store, m, below(&seed, m));
	return check();
}

int
main(void)
{
	sweep("lengths", lengths, 600);
	sweep("shortest", shortest, 1500);
	sweep("borders", borders, 120);
	sweep("long ones", long_ones, 12);
	sweep("few differences", few_differences, 350);
	sweep("side by side", side_by_side, 200);
	sweep("bytes", bytes, 80);
	sweep("everywhere", everywhere, 60);
	return done();
}
