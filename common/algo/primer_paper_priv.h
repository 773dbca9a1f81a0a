/* SPDX-License-Identifier: MIT */
/* primer_paper_priv.h - a start of the source's algorithms (private) */
#ifndef SEQF_PRIMER_PAPER_PRIV_H
#define SEQF_PRIMER_PAPER_PRIV_H

#include "algo/primer_paper.h"
#include "algo/primer_priv.h"

enum { PRIMER_PAPER_THREADS = 1 << 16 };

struct primer_paper_start {
	const struct primer *p;
	const uint8_t *symbol;
	uint64_t n;
	unsigned optimisations, fine;
	/* Two rows of D, columns 0 to n; or L of two numbers of differences,
	 * diagonals -(k - 1) to n. */
	uint64_t *now, *then;
	uint64_t *last;		/* of each fine thread, of the row's columns */
	uint64_t beg, cap;	/* places */
	uint64_t rows;		/* that occur: raised */
	struct primer_paper_stats did;
};

void primer_conventional(struct primer_paper_start *s);
void primer_alternative(struct primer_paper_start *s);

static inline uint64_t
primer_paper_share(uint64_t n, unsigned i, unsigned of)
{
	return n / of * i + (n % of < i ? n % of : i);
}

#endif
