/* SPDX-License-Identifier: MIT */
/*
 * divsufsort.c - the peer of ebwt-dist: libdivsufsort's sort alone, of the
 * words of a FASTA file, each with its first sixteenth once more behind it.
 * Prints the sort's processor time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#if __has_include(<divsufsort.h>)
#include <divsufsort.h>

static char *text;
static size_t n, cap;

static void
put(int c)
{
	if (n == cap)
		text = realloc(text, cap = 2 * cap + 1024);
	if (!text)
		machine_stop("no memory");
	text[n++] = (char)c;
}

static void
extend(size_t word)
{
	for (size_t i = 0, more = (n - word) / 16; i < more; i++)
		put(text[word + i]);
}

int
main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	size_t word = 0;
	int c, head = 0;
	saidx_t *sa;

	while (f && (c = getc_unlocked(f)) != EOF) {
		if (c == '>') {
			extend(word);
			word = n;
		}
		head = c == '>' || (head && c != '\n');
		if (!head && c != '\n')
			put(c);
	}
	extend(word);
	sa = malloc((n + 1) * sizeof *sa);
	if (!f || !sa || n > INT32_MAX)
		machine_stop("divsufsort FILE");
	fclose(f);
	double beg = machine_cpu();
	if (divsufsort((sauchar_t *)text, sa, (saidx_t)n))
		machine_stop("no memory");
	printf("%.4f\n", machine_cpu() - beg);
	free(sa);
	free(text);
	return 0;
}

#else

int
main(void)
{
	machine_stop("built without libdivsufsort");
}

#endif
