/* SPDX-License-Identifier: MIT */
/*
 * book.h - FASTA for the programs written for reading; they hold all in memory
 * and trust it
 */
#ifndef SEQF_BOOK_H
#define SEQF_BOOK_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seq {
	char *name, *s;
	size_t n;
};

/* A letter of DNA as the definitions read it: upper case, U is T. */
static inline int
dna_letter(int c)
{
	c = toupper(c);
	return c == 'U' ? 'T' : c;
}

static inline struct seq *
book_begin(struct seq **v, size_t *n, const char *title)
{
	struct seq *q;

	*v = realloc(*v, (*n + 1) * sizeof **v);
	q = *v + (*n)++;
	q->name = strndup(title, strcspn(title, " \t"));
	q->s = calloc(1, 1);
	q->n = 0;
	return q;
}

/* Every sequence of the file; letter: what is kept of one (NULL: itself). */
static inline struct seq *
book_load(const char *path, int (*letter)(int), size_t *n)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	struct seq *v = NULL, *q = NULL;
	char *line = NULL;
	size_t cap = 0, room = 0;
	ssize_t len;

	for (*n = 0; f && (len = getline(&line, &cap, f)) >= 0;) {
		while (len && isspace((unsigned char)line[len - 1]))
			line[--len] = 0;
		if (line[0] == '>') {
			q = book_begin(&v, n, line + 1);
			room = 1;
			continue;
		}
		for (ssize_t i = 0; q && i < len; i++) {
			int c = (unsigned char)line[i];

			if (q->n + 1 >= room)
				q->s = realloc(q->s, room = 2 * room + 100);
			q->s[q->n++] = (char)(letter ? letter(c) : c);
		}
	}
	if (!f || ferror(f) || (f != stdin && fclose(f))) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(2);
	}
	free(line);
	return v;
}

#endif
