/* SPDX-License-Identifier: MIT */
/* primer_pairs.c - scores of complementarity, against all chains of pairs */
#include <string.h>

#include "scan/primer/primer.h"
#include "tests/lib/tap.h"

enum { MAX = 7 };

static const uint8_t *a, *b;	/* b: its reverse complement */
static size_t n, m;

/* The best of chains that begin with a[i] and b[j]; end: and end with a's
 * last letter, far below 0 if none does. */
static int64_t
chain(size_t i, size_t j, bool end)
{
	static const size_t step[3][2] = { { 1, 1 }, { 2, 1 }, { 1, 2 } };
	int64_t s = a[i] == b[j] ? 1 : -1;
	int64_t best = end && i + 1 < n ? -1000 : 0;

	for (int k = 0; k < 3; k++)
		if (i + step[k][0] < n && j + step[k][1] < m) {
			int64_t t = chain(i + step[k][0], j + step[k][1],
					  end) - (k ? 2 : 0);

			best = t > best ? t : best;
		}
	return s + best;
}

static int64_t
want(bool end)
{
	int64_t best = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m && (!end || !i || !j); j++) {
			int64_t t = chain(i, j, end);

			best = t > best ? t : best;
		}
	return best;
}

int
main(void)
{
	uint64_t seed = 20261126, r;
	int64_t cells[3 * (MAX + 2)];
	bool good = true;

	for (int round = 0; round < 4000 && good; round++) {
		uint8_t x[MAX], y[MAX], rc[MAX];

		n = 1 + (size_t)round % MAX;
		m = 1 + (size_t)round / MAX % MAX;
		for (size_t i = 0; i < MAX; i++) {
			r = rnd(&seed);
			x[i] = (uint8_t)"ACGT"[r & 3];
			y[i] = (uint8_t)"ACGT"[r >> 2 & 3];
		}
		for (size_t j = 0; j < m; j++)
			rc[j] = (uint8_t)"TGCA"[strchr("ACGT", y[m - 1 - j]) -
						"ACGT"];
		a = x;
		b = rc;
		for (int end = 0; end < 2; end++)
			good = good && want(end) ==
			       primer_pairs_align(x, n, y, m, end, cells);
	}
	ok(good, "scores are those of the best chain");
	return done();
}
