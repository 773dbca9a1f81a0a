/* SPDX-License-Identifier: MIT */
/*
 * relate.c - letters related to those of a FASTA file, as FASTA
 *
 * usage: relate FILE LETTERS SHARE DIVERGENCE [SEED [COPIES]]
 * SHARE of the letters, to a stretch, come in stretches of about 3,000 from the
 * file, the others are random; DIVERGENCE of those that come are changed: 8 of
 * 10 into a random letter, 1 left out, 1 doubled.  LETTERS 0: as the file has,
 * in order, SHARE is not used.  COPIES: so many records, each changed in its
 * own way.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/splitmix.h"

static uint64_t state;

static double
chance(void)
{
	return (double)(splitmix(&state) >> 11) * 0x1p-53;
}

static void
put(int c)
{
	static uint64_t n;

	putchar(c);
	if (++n % 70 == 0)
		putchar('\n');
}

/* The letters of all records; *n of them. */
static char *
letters(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	size_t cap = 1 << 20;
	char *s = malloc(cap);
	int c, head = 0;

	for (*n = 0; f && s && (c = getc(f)) != EOF;) {
		head = c == '>' || (head && c != '\n');
		if (head || isspace(c))
			continue;
		if (*n == cap)
			s = realloc(s, cap *= 2);
		if (s)
			s[(*n)++] = (char)c;
	}
	if (!f || !s || !*n) {
		fprintf(stderr, "relate: %s: no letters\n", path);
		exit(1);
	}
	fclose(f);
	return s;
}

static void
copy(const char *s, size_t n, double divergence)
{
	for (size_t i = 0; i < n; i++) {
		double x = chance() / divergence;

		if (x < 0.8 || (x >= 0.9 && x < 1))
			put("ACGT"[splitmix(&state) % 4]);
		if (x >= 0.9)
			put(s[i]);
	}
}

int
main(int argc, char **argv)
{
	size_t n, want = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	size_t copies = argc > 6 ? strtoull(argv[6], NULL, 10) : 1;
	double share, divergence;
	char *s;

	if (argc < 5)
		return 2;
	share = atof(argv[3]);
	divergence = atof(argv[4]);
	state = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
	s = letters(argv[1], &n);
	for (size_t c = 0; c < copies; c++) {
		printf(">related%zu\n", c + 1);
		if (!want)
			copy(s, n, divergence);
		for (size_t i = 0, from = 0, len; i < want; i += len) {
			len = 1500 + splitmix(&state) % 3000;
			len = len < want - i ? len : want - i;
			len = len < n ? len : n;
			if ((double)from < share * (double)(i + len)) {
				copy(s + splitmix(&state) % (n - len + 1), len,
				     divergence);
				from += len;
				continue;
			}
			for (size_t j = 0; j < len; j++)
				put("ACGT"[splitmix(&state) % 4]);
		}
		putchar('\n');
	}
	free(s);
	return 0;
}
