/* SPDX-License-Identifier: MIT */
/*
 * ebwt.c - the sort, and all pairs, timed: THREADS ROUNDS and what words
 *	random WORDS LETTERS	of A C G T
 *	near WORDS LETTERS	one, with a letter in 1000 changed
 *	fasta FILE		the records of a plain file
 * One line a round: CPU and wall seconds for roots, the sort alone, and all
 * pairs with their sort; then bytes a letter at the peak, the sum of deltas.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"
#include "ebwt/ebwt_priv.h"
#include "machine.h"

struct words {
	struct ebwt_word *word;
	uint8_t *letters;
	size_t n;
	uint64_t n_letters;
};

static void
room(struct words *w, uint64_t n, uint64_t letters)
{
	w->word = calloc(n, sizeof *w->word);
	w->letters = malloc(letters);
	if (!w->word || !w->letters)
		machine_stop("no memory");
}

static void
random_words(struct words *w, uint64_t n, uint64_t m, bool near)
{
	uint64_t seed = 20260101;

	room(w, n, n * m);
	for (uint64_t i = 0; i < n; i++) {
		uint8_t *s = w->letters + i * m;

		if (near && i)
			memcpy(s, w->letters, m);
		for (uint64_t k = 0; k < m && !(near && i); k++)
			s[k] = (uint8_t)"ACGT"[below(&seed, 4)];
		for (uint64_t k = 0; near && k < m / 1000; k++)
			s[below(&seed, m)] = (uint8_t)"ACGT"[below(&seed, 4)];
		w->word[i] = (struct ebwt_word){ s, m };
	}
	w->n = n;
	w->n_letters = n * m;
}

static void
read_fasta(struct words *w, const char *path)
{
	FILE *f = fopen(path, "r");
	long size;
	int c, head = 0;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 1 ||
	    fseek(f, 0, SEEK_SET))
		machine_stop(path);
	room(w, (uint64_t)size, (uint64_t)size);
	while ((c = getc(f)) != EOF) {
		if (c == '>') {
			w->word[w->n++].letters = w->letters + w->n_letters;
			head = 1;
		}
		if (c == '\n')
			head = 0;
		if (head || c == '\n' || !w->n)
			continue;
		w->letters[w->n_letters++] = (uint8_t)toupper(c);
		w->word[w->n - 1].n++;
	}
	fclose(f);
}

static int
nothing(void *arg, const struct ebwt_batch *b, struct err *e)
{
	(void)arg;
	(void)b;
	(void)e;
	return 0;
}

struct clocks {
	double cpu, wall;
};

static void
lap(struct clocks *c)
{
	double cpu = machine_cpu(), wall = machine_seconds();

	printf("%.4f %.4f  ", cpu - c->cpu, wall - c->wall);
	c->cpu = machine_cpu();
	c->wall = machine_seconds();
}

static void
one_round(const struct words *w, const struct ebwt_params *par)
{
	struct clocks c = { machine_cpu(), machine_seconds() };
	struct ebwt_pairs_job job = { 0 };
	struct ebwt_pairs *p;
	uint64_t sum = 0;
	struct ebwt *x;
	struct err e;

	if (ebwt_new(&x, w->word, w->n, par, &e))
		machine_stop(e.text);
	lap(&c);
	if (ebwt_sort(x, false, nothing, NULL, &e))
		machine_stop(e.text);
	lap(&c);
	if (ebwt_pairs_new(&p, x, &job, &e))
		machine_stop(e.text);
	lap(&c);
	for (size_t i = 0; i < w->n; i++)
		for (size_t j = 0; j < i; j++)
			sum += ebwt_delta(p, i, j);
	printf("%.2f %llu\n", (double)x->peak / (double)w->n_letters,
	       (unsigned long long)sum);
	ebwt_pairs_delete(p);
	ebwt_delete(x);
}

int
main(int argc, char **argv)
{
	struct ebwt_params par = { .threads = 1 };
	struct words w = { 0 };

	if (argc < 5)
		machine_stop("THREADS ROUNDS random|near WORDS LETTERS, or "
			     "fasta FILE");
	par.threads = (unsigned)atoi(argv[1]);
	if (getenv("MEMORY"))
		par.memory = strtoull(getenv("MEMORY"), NULL, 10);
	if (getenv("BATCH"))
		par.batch = (unsigned)atoi(getenv("BATCH"));
	if (!strcmp(argv[3], "fasta"))
		read_fasta(&w, argv[4]);
	else if (argc > 5)
		random_words(&w, strtoull(argv[4], NULL, 10),
			     strtoull(argv[5], NULL, 10),
			     !strcmp(argv[3], "near"));
	if (!w.n)
		machine_stop("no words");
	for (int i = atoi(argv[2]); i > 0; i--)
		one_round(&w, &par);
	return 0;
}
