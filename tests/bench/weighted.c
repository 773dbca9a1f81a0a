/* SPDX-License-Identifier: MIT */
/*
 * weighted.c - distances of a weighted sequence to a word, timed: ROUNDS
 * POSITIONS BLACK LETTERS.  A sequence of so many positions, so many of which
 * have two letters and the others one, and a word of so many letters; the
 * source's are 260 positions, 12 of them black, and 6 letters.
 * One line a round: CPU milliseconds as a product, word by word (the words
 * listed and sorted; walked through), and as the source does it: rotations of
 * each pair written out; then the three sums, which are equal.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/tap.h"
#include "ebwt/paper/ebwt_paper.h"
#include "machine.h"
#include "scan/ebwt/ebwt.h"

static float *
matrix(size_t n, size_t black, uint64_t *seed)
{
	float *v = calloc(4 * n, sizeof *v);

	if (!v)
		machine_stop("no memory");
	for (size_t i = 0; i < n; i++)
		v[4 * i + below(seed, 4)] = 1;
	while (black) {
		float *at = v + 4 * below(seed, n);

		if (at[0] + at[1] + at[2] + at[3] > 1)
			continue;
		at += below(seed, 4);
		black -= *at == 0;
		*at = 1;
	}
	return v;
}

static double cpu;

static void
lap(void)
{
	printf("%.3f ", 1e3 * (machine_cpu() - cpu));
	cpu = machine_cpu();
}

static double
by_words(const struct ebwt_words *u, const struct ebwt_words *v,
	 enum ebwt_way way)
{
	struct ebwt_how how = { .metric = EBWT_DELTA, .way = way };
	struct ebwt_sums_work work = { 0 };
	struct ebwt_sums y = { 0 };
	struct ebwt_route p;
	struct err e;

	if (!ebwt_route(&p, u, v, &how) ||
	    ebwt_sums_add(&y, &p, &how, 0, p.items, &work, &e))
		machine_stop("no way");
	ebwt_sums_work_free(&work);
	return y.d.s;
}

static double
by_rotations(const struct ebwt_words *u, const struct ebwt_words *v)
{
	double sum = 0;
	struct err e;

	for (uint64_t i = 0; i < u->n; i++) {
		uint64_t d;

		if (ebwt_paper_delta(u->letters + i * u->len, u->len,
				     v->letters, v->len, UINT64_MAX, &d, NULL,
				     &e))
			machine_stop(e.text);
		sum += (double)d;
	}
	return sum;
}

static void
one_round(const struct ebwt_seq *x, const struct ebwt_seq *word)
{
	struct solid_rule r = { .theta_pos = 0.25, .max_words = 1 << 20 };
	struct ebwt_words u, v, short_u;
	double sum[3] = { 0 };
	struct err e;

	cpu = machine_cpu();
	if (ebwt_words_of(&v, word, &r, 0, &e) ||
	    ebwt_words_of(&short_u, x, &r, 0, &e))
		machine_stop(e.text);
	sum[0] = by_words(&short_u, &v, EBWT_WAY_PRODUCT);
	lap();
	if (ebwt_words_of(&u, x, &r, UINT64_MAX, &e))
		machine_stop(e.text);
	sum[1] = by_words(&u, &v, EBWT_WAY_LISTS);
	lap();
	sum[2] = u.n * (x->n + word->n) * (x->n + word->n) < 1ull << 32 ?
		 by_rotations(&u, &v) : 0;
	lap();
	printf(" %.0f %.0f %.0f\n", sum[0], sum[1], sum[2]);
	ebwt_words_free(&u);
	ebwt_words_free(&v);
	ebwt_words_free(&short_u);
}

int
main(int argc, char **argv)
{
	static const char acgt[] = "ACGT";
	struct ebwt_seq x = { .prob = true }, word = { .prob = false };
	uint64_t seed = 20260101;
	uint8_t *letters;
	float *v;

	if (argc < 5)
		machine_stop("ROUNDS POSITIONS BLACK LETTERS");
	x.n = strtoull(argv[2], NULL, 10);
	word.n = strtoull(argv[4], NULL, 10);
	v = matrix(x.n, strtoull(argv[3], NULL, 10), &seed);
	letters = malloc(word.n + 1);
	if (!letters)
		machine_stop("no memory");
	for (uint64_t i = 0; i < word.n; i++)
		letters[i] = (uint8_t)acgt[below(&seed, 4)];
	x.letters = (const uint8_t *)v;
	word.letters = letters;
	for (int i = atoi(argv[1]); i > 0; i--)
		one_round(&x, &word);
	free(v);
	free(letters);
	return 0;
}
