/* SPDX-License-Identifier: MIT */
/* ebwt_store.c - words in a temporary file: what comes back is what went */
#include <string.h>

#include "scan/ebwt/ebwt_scan_priv.h"
#include "tests/lib/splitmix.h"
#include "tests/lib/tap.h"

enum { WORDS = 7, MOST = 300000 };

static uint8_t letters[WORDS][MOST], back[MOST + 1];

/* Words of any length, pieces in any order, some with letters beside ACGT. */
int
main(void)
{
	struct ebwt_store s = { 0 };
	uint64_t seed = 1, n[WORDS];
	struct err e;
	int rc = 0;

	for (int w = 0; w < WORDS; w++) {
		n[w] = w ? 1 + below(&seed, MOST) : 1;
		for (uint64_t i = 0; i < n[w]; i++)
			letters[w][i] = below(&seed, 100000) || w % 2 ?
				(uint8_t)"ACGT"[below(&seed, 4)] : 'N';
	}
	/* the second halves first */
	for (int k = 1; k >= 0; k--)
		for (int w = WORDS; w-- > 0;) {
			uint64_t at = k ? n[w] / 2 : 0;

			rc |= ebwt_store_put(&s, (uint64_t)w, 10 + at,
					     letters[w] + at, (k ? n[w] :
					     n[w] / 2) - at, &e);
		}
	ok(rc == 0, "put");
	for (int w = 0; w < WORDS; w++) {
		back[n[w]] = 7;
		rc = ebwt_store_get(&s, (uint64_t)w, back, &e);
		ok(rc == 0 && memcmp(back, letters[w], n[w]) == 0 &&
		   back[n[w]] == 7, "word of %llu letters",
		   (unsigned long long)n[w]);
	}
	ok(s.file.n < 8ull * WORDS * MOST / 10, "some are packed");
	ok(ebwt_store_get(&s, WORDS, back, &e) == 0, "a word without pieces");
	ebwt_store_free(&s);
	return done();
}
