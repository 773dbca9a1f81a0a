/* SPDX-License-Identifier: MIT */
/*
 * ebwt_paper.h - a pair's distance the slow way: all rotations written out,
 * sorted, and their runs counted
 * Source: Pandey, Niyogi and Mittal, whose programs do it so.
 */
#ifndef SEQF_EBWT_PAPER_EBWT_PAPER_H
#define SEQF_EBWT_PAPER_EBWT_PAPER_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/*
 * delta of u and v, 1 letter or more each, and, if de is not NULL, EBWT_DE
 * (ebwt.h).  (n + m)^2 bytes: ERR_LIMIT, with the figure, if that is more than
 * `memory`; ERR_NOMEM.  Thread-safe.
 */
int ebwt_paper_delta(const uint8_t *u, size_t n, const uint8_t *v, size_t m,
		     uint64_t memory, uint64_t *delta, double *de,
		     struct err *e);

#endif
