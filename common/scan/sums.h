/* SPDX-License-Identifier: MIT */
/* sums.h - tallies of many chunks added up */
#ifndef SEQF_SUMS_H
#define SEQF_SUMS_H

#include "stream/result.h"

/* Zero it first.  Rows are by scan id, query ordinal, strand, edits. */
struct sums {
	struct sum {
		uint64_t scan;
		struct tally_row row;	/* owns the name */
	} *v;
	size_t n, cap;
};

/* ERR_NOMEM; ERR_LIMIT if a sum does not fit 64 bits. */
int sums_add(struct sums *s, const struct tally *t, struct err *e);
void sums_free(struct sums *s);

#endif
