/* SPDX-License-Identifier: MIT */
/* lines.h - inside of the tokenizer: many lines at once, a header line */
#ifndef SEQF_LINES_H
#define SEQF_LINES_H

#include "base/buf.h"
#include "base/dna.h"

typedef uint8_t lines_v16 __attribute__((vector_size(16)));

static inline size_t
count_newlines(const uint8_t *p, size_t n)
{
	size_t total = 0, i = 0;

	while (n - i >= 16) {
		/* a lane counts to 255 at most */
		size_t turns = (n - i) / 16 < 255 ? (n - i) / 16 : 255;
		lines_v16 sum = { 0 }, x;

		for (; turns; turns--, i += 16) {
			memcpy(&x, p + i, 16);
			sum -= (lines_v16)(x == '\n');
		}
		for (unsigned j = 0; j < 16; j++)
			total += sum[j];
	}
	for (; i < n; i++)
		total += p[i] == '\n';
	return total;
}

/*
 * Name and description of a whole header line, pointing into it (it is changed
 * for that).  NULL, or what is wrong with it.  line->bad: no memory.
 */
const char *fasta_split(struct buf *line, struct str *name, struct str *desc);

/*
 * Lines up to the first byte `ender`, without their newlines, to d (room for
 * n + 64 bytes).  Returns the bytes used, *kept of which are in d; 0 if there
 * are any bytes up to ' ' beside newlines: then it is for a slower way.
 */
static inline size_t
plain_lines(const struct dna_ops *ops, const uint8_t *p, size_t n,
	    uint8_t ender, uint8_t *d, size_t *kept, size_t *newlines)
{
	const uint8_t *q = memchr(p, ender, n);

	n = q ? (size_t)(q - p) : n;
	*kept = ops->strip(p, n, d);
	*newlines = count_newlines(p, n);
	return n - *kept == *newlines ? n : 0;
}

/* Bytes from ! to ~ (qualities) that p begins with. */
static inline size_t
count_graph(const uint8_t *p, size_t n)
{
	size_t i = 0;

	for (; n - i >= 16; i += 16) {
		lines_v16 x, bad;
		uint64_t w[2];

		memcpy(&x, p + i, 16);
		bad = (lines_v16)(x - '!' > '~' - '!');
		memcpy(w, &bad, 16);
		if (w[0] | w[1])
			break;
	}
	while (i < n && p[i] >= '!' && p[i] <= '~')
		i++;
	return i;
}

/* Without blanks and tabs, in place. */
static inline size_t
strip_blanks(uint8_t *s, size_t n)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (s[i] != ' ' && s[i] != '\t')
			s[m++] = s[i];
	return m;
}

#endif
