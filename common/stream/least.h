/* SPDX-License-Identifier: MIT */
/* least.h - the best score of each query of SCAN_LEAST scans */
#ifndef SEQF_LEAST_H
#define SEQF_LEAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct least {	/* all zero: empty */
	struct least_of {
		uint32_t scan;
		bool used;
		uint64_t query;
		int64_t score;
	} *v;
	size_t n, cap;	/* cap: a power of two */
};

/* 1 if the score is as good as any of its query so far, 0, or ERR_NOMEM. */
int least_take(struct least *l, uint32_t scan, uint64_t query, int64_t score,
	       struct err *e);
/* Is there a better one of the query, of which one was taken? */
bool least_beats(const struct least *l, uint32_t scan, uint64_t query,
		 int64_t score);
void least_free(struct least *l);

#endif
