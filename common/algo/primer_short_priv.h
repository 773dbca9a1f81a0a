/* SPDX-License-Identifier: MIT */
/* primer_short_priv.h - blocks of starts, and the working memory */
#ifndef SEQF_PRIMER_SHORT_PRIV_H
#define SEQF_PRIMER_SHORT_PRIV_H

#include "algo/primer_priv.h"
#include "algo/primer_short.h"

enum {
	PRIMER_SLICE = 1 << 16,	/* places at a time */
	PRIMER_MERGE = 8,	/* columns more that a hit stands for */
};

/* Starts lo to lo + n - 1; the core is `rows` letters from the last one on. */
struct primer_block {
	uint64_t lo;
	uint64_t upto;		/* hits are not new to here */
	uint64_t spent;		/* columns of leaves, on hits */
	struct primer_half half[2];
	uint8_t n, rows;
	uint8_t before, columns;	/* of a hit, that the sieve reads */
};
struct primer_sieved {
	struct primer_block *block;
	uint64_t at;
};

struct primer_short {
	struct primer_cores cores;
	struct primer_leaf leaf;
	struct primer *p;
	const struct primer_text *x;
	struct primer_work *w;
	const struct primer_short_ops *ops;
	uint64_t from, to;	/* the slice */
	unsigned rows;		/* of cores, at most; 0: leaves alone */
	bool sieves;		/* classes have two bits */
	struct primer_sieve sieve;
	struct primer_sieved sieved[PRIMER_SIEVED];
	/* By place of the slice: letters, 0 if the start is settled. */
	uint8_t window[PRIMER_SLICE];
	struct primer_block block[PRIMER_SLICE];
};

/* Cut the slice's starts that are not settled into blocks that have cores of
 * so many letters or, if their windows are shorter, of one start; without
 * cores if 0.  Their number. */
size_t primer_blocks_cut(struct primer_short *s, unsigned rows);
/* Ends that follow from those of starts before. */
void primer_blocks_spread(struct primer_short *s);
/* Are almost all windows as long as a core? */
bool primer_blocks_known(struct primer_short *s);

/* The table of n blocks' cores, and the state before the text. */
void primer_core_table(struct primer_short *s, const struct primer_block *b,
		       unsigned n);
/* Lane l without a core from now on. */
void primer_core_none(struct primer_cores *c, unsigned l);

#endif
