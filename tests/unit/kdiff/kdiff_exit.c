/* SPDX-License-Identifier: MIT */
/*
 * kdiff_exit.c - matches that a superblock sees only at its left edge
 *
 * The scan may leave a superblock after some rows if no column can be <= k
 * there.  That is wrong if a match enters further below: the superblock before
 * must have had no cell <= k on its right edge, in any row below, not only in
 * those where it looked.  Here a copy crosses a border after each of its
 * letters, and nothing else in the text is like the pattern.
 */
#include "tests/lib/kdiff_gen.h"

enum { STEP = 5 * 64 };	/* borders meet all words of a superblock, all lanes */

enum what { SUBSTITUTION, DELETION, INSERTION };

/*
 * A copy with e differences, at every other letter from `first` on, of which s
 * letters of the pattern come before letter border.
 */
static void
cross(size_t border, size_t s, size_t first, size_t e, enum what what)
{
	uint8_t copy[200];
	size_t n = 0, split = 0;

	for (size_t i = 0; i < kc.m[0]; i++) {
		bool wrong = i >= first && (i - first) % 2 == 0 &&
			     (i - first) / 2 < e;

		if (i == s)
			split = n;
		if (wrong && what != INSERTION)
			copy[n++] = 'A';
		if (!wrong || what == DELETION)
			copy[n++] = kc.pat[0][i];
	}
	memcpy(letters + border - split, copy, n);
}

/* One pattern, and a text without it. */
static void
begin(size_t m, size_t k)
{
	reset(0);
	memset(letters, 'C', sizeof letters);
	for (size_t i = 0; i < m; i++)
		store[i] = "GT"[(i * i / 3 + i / 5) % 2];
	one_pattern(store, m, k);
}

/* An odd number of these for each k: both reports of each way in. */
static bool
search(size_t n)
{
	static unsigned turn;

	kc.n = kc.seg[0].end = n;
	kc.no_trace = true;
	kc.p.report = turn++ % 2 ? KDIFF_MINIMA : KDIFF_ALL;
	return run();
}

/* Copies cross a border after 1, 2, ... letters; the last may be at the end. */
static bool
crossing(size_t m, size_t k, size_t first, enum what what)
{
	size_t at = 2 * STEP;

	begin(m, k);
	for (size_t s = 1; s < m; s++, at += STEP)
		cross(at, s, first, k, what);
	return search(at - STEP + m);
}

/*
 * The same after some superblocks with a whole copy, where it is no longer
 * looked before the last row, and one without.  Of one lane, so that it is
 * known which; in others they meet as they may.
 */
static bool
after_ends(size_t m, size_t k, size_t ends)
{
	size_t at = 0;

	begin(m, k);
	for (size_t s = 1; s < m; s++, at += 10 * 256) {
		for (size_t i = 0; i < ends; i++)
			cross(at + i * 256 + 128, 0, 0, 0, SUBSTITUTION);
		cross(at + (ends + 1) * 256, s, 1, k, SUBSTITUTION);
	}
	return search(at);
}

int
main(void)
{
	static const size_t sizes[] = { 17, 20, 24, 33, 40, 70 };

	seed = 1;
	for (size_t i = 0; i < 6; i++)
		for (size_t k = 0; k < 6; k++) {
			size_t m = sizes[i];
			bool good = true;

			/* differences in the first letters, and in the last */
			for (int w = 0; good && w <= INSERTION; w++)
				good = crossing(m, k, 1, (enum what)w) &&
				       crossing(m, k, m - 2 * k - 1,
						(enum what)w);
			/* 3, 4 and 5, or one by turns: an odd number */
			for (size_t n = 0; good && n < (lighter(3) | 1); n++)
				good = after_ends(m, k, 3 + (i + k + n) % 3);
			ok(good, "m %zu k %zu: %s", m, k, kc.why);
		}
	return done();
}
