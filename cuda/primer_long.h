/* SPDX-License-Identifier: MIT */
/* primer_long.h - a text and a core of several words through a stream (private
 * to primer.c) */
#ifndef SEQF_CUDA_PRIMER_LONG_H
#define SEQF_CUDA_PRIMER_LONG_H

#include "primer/primer.h"
#include "cuda/primer_dev.h"

/* What the search is as work for a pool; 0: the core is too long. */
uint64_t primer_long_work(const struct primer_find_long *x);
/* Hits to *out, in no order.  False in *all: too many, or pieces are too short;
 * *out is to be thrown away then. */
int primer_long_search(struct primer_dev_stream *s,
		       const struct primer_find_long *x,
		       struct primer_found *out, bool *all, struct err *e);

#endif
