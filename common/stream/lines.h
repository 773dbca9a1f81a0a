/* SPDX-License-Identifier: MIT */
/* lines.h - inside of the tokenizer: a header line, qualities */
#ifndef SEQF_LINES_H
#define SEQF_LINES_H

#include "base/buf.h"

typedef uint8_t lines_v16 __attribute__((vector_size(16)));

/*
 * Name and description of a whole header line, pointing into it (it is changed
 * for that).  NULL, or what is wrong with it.  line->bad: no memory.
 */
const char *fasta_split(struct buf *line, struct str *name, struct str *desc);

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

#endif
