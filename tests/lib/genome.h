/* SPDX-License-Identifier: MIT */
/* genome.h - a FASTA file in memory as kdiff takes it, for benches and soak */
#ifndef SEQF_GENOME_H
#define SEQF_GENOME_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff.h"

/* All sequences of the file, one behind the other. */
struct genome {
	uint64_t n;
	uint64_t *planes, *exc;
	bool *odd;		/* these 64 Ki letters are not all A C G T */
};

static inline void
genome_letter(struct genome *g, int c)
{
	static const char codes[] = "ACGTacgt";
	const char *p = memchr(codes, c, 8);
	uint64_t bit = 1ull << g->n % 64, *w = g->planes + g->n / 64 * 2;

	if (!p) {
		g->exc[g->n / 64] |= bit;
		g->odd[g->n >> 16] = true;
	} else {
		w[0] |= (p - codes) & 1 ? bit : 0;
		w[1] |= (p - codes) & 2 ? bit : 0;
	}
	g->n++;
}

/* 0; below 0 if the file cannot be read, or there is no memory. */
static inline int
genome_load(struct genome *g, const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	long size;

	memset(g, 0, sizeof *g);
	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0)
		return -1;
	rewind(f);
	g->planes = calloc((size_t)size / 64 + 2, 16);
	g->exc = calloc((size_t)size / 64 + 2, 8);
	g->odd = calloc(((size_t)size >> 16) + 2, sizeof *g->odd);
	if (!g->planes || !g->exc || !g->odd)
		return -1;
	while ((n = getline(&line, &cap, f)) > 0)
		for (ssize_t i = 0; line[0] != '>' && i < n; i++)
			if (line[i] > ' ')
				genome_letter(g, line[i]);
	free(line);
	fclose(f);
	return 0;
}

/* Letters [beg, beg + n), beg a multiple of 64; exc only where it is needed. */
static inline struct kdiff_text
genome_piece(const struct genome *g, uint64_t beg, uint64_t n,
	     const struct kdiff_seg *seg)
{
	bool any = false;

	for (uint64_t i = beg >> 16; i <= (beg + n) >> 16; i++)
		any |= g->odd[i];
	return (struct kdiff_text){
		.n = n, .planes = g->planes + beg / 64 * 2,
		.exc = any ? g->exc + beg / 64 : NULL, .seg = seg, .n_seg = 1,
	};
}

static inline void
genome_free(struct genome *g)
{
	free(g->planes);
	free(g->exc);
	free(g->odd);
}

#endif
