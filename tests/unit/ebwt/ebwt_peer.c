/* SPDX-License-Identifier: MIT */
/*
 * ebwt_peer.c - the listing against libdivsufsort's suffix array
 *
 * Words are written one after the other, each followed by its own letters again
 * and again, as many as two words have: suffixes that begin in words proper
 * compare within these as the rotations do.
 */
#include <string.h>

#include "ebwt/ebwt.h"
#include "tests/lib/tap.h"

#if __has_include(<divsufsort.h>)
#include <divsufsort.h>

enum { WORDS = 24, LETTERS = 6000, PERIOD = 3 * LETTERS };

static struct err e;

struct rows {
	uint64_t n;
	uint32_t *at;		/* where in the text each row's word begins */
};

static int
keep(void *arg, const struct ebwt_row *row, size_t n, struct err *er)
{
	struct rows *r = arg;

	(void)er;
	for (size_t i = 0; i < n; i++)
		r->at[r->n++] = row[i].word * PERIOD + row[i].offset;
	return 0;
}

/* Copies of the first word, rotated, with some other letters; or none. */
static void
make(uint8_t *text, uint64_t seed, unsigned sigma, size_t changes)
{
	for (size_t w = 0; w < WORDS; w++) {
		uint8_t *s = text + w * PERIOD;
		size_t shift = below(&seed, LETTERS);

		for (size_t i = 0; i < LETTERS; i++)
			s[i] = (uint8_t)(w && changes ?
				text[(i + shift) % LETTERS] :
				'A' + below(&seed, sigma));
		for (size_t i = 0; w && i < changes; i++) {
			size_t at = below(&seed, LETTERS);
			unsigned old = s[at] - 'A';

			old += 1 + (unsigned)below(&seed, sigma - 1);
			s[at] = (uint8_t)('A' + old % sigma);
		}
		for (size_t i = LETTERS; i < PERIOD; i++)
			s[i] = s[i - LETTERS];
	}
}

static void
compare(uint64_t seed, unsigned sigma, size_t changes)
{
	size_t n = (size_t)WORDS * PERIOD;
	uint8_t *text = malloc(n);
	int32_t *sa = malloc(n * sizeof *sa);
	struct ebwt_params par = { .threads = 2 };
	struct ebwt_word word[WORDS];
	struct rows r = { .at = malloc(n * sizeof *r.at) };
	struct ebwt *x;
	uint64_t k = 0;
	bool good = true, tied = false;

	if (!text || !sa || !r.at)
		abort();
	make(text, seed, sigma, changes);
	for (size_t w = 0; w < WORDS; w++)
		word[w] = (struct ebwt_word){ text + w * PERIOD, LETTERS };
	if (divsufsort(text, sa, (int32_t)n) ||
	    ebwt_new(&x, word, WORDS, &par, &e) || ebwt_list(x, keep, &r, &e))
		abort();
	for (size_t i = 1; i < WORDS; i++)
		for (size_t j = 0; j < i; j++)
			tied |= ebwt_conjugate(x, i, j);
	for (size_t i = 0; i < n; i++)
		if ((size_t)sa[i] % PERIOD < LETTERS)
			good = good && r.at[k++] == (uint32_t)sa[i];
	ok(good && k == r.n && !tied, "%u letters, %zu changes", sigma,
	   changes);
	ebwt_delete(x);
	free(text);
	free(sa);
	free(r.at);
}

int
main(void)
{
	compare(1, 4, 0);
	compare(2, 4, 20);
	compare(3, 2, 3);
	compare(4, 26, 100);
	compare(5, 5, 6);
	return done();
}
#else
int
main(void)
{
	ok(1, "libdivsufsort is not here # SKIP");
	return done();
}
#endif
