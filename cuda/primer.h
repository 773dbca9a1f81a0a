/* SPDX-License-Identifier: MIT */
/*
 * primer.h - where cores of primers occur, found by GPUs
 *
 * What struct primer_backend (primer/primer.h) asks for: many short ones at a
 * time, or a long one.  Plain C, no CUDA type.
 */
#ifndef SEQF_CUDA_PRIMER_H
#define SEQF_CUDA_PRIMER_H

#include "primer/primer.h"
#include "cuda/primer_dev.h"
#include "cuda/pool.h"

struct cuda_primer_params {
	struct cuda_choice choice;
	/* CUDA_AUTO: as struct cuda_pool_params says, of letters x cores. */
	uint64_t wait;
	uint64_t rate;		/* that the CPU's threads do a second; 0: not
				   known */
	uint32_t least;		/* cores that are worth it at least */
	unsigned streams;	/* a device, if most cores are long; or 0 */
	/* Of a piece, a batch, and their hits; 0: what is usual.  For tests;
	 * letters more than PRIMER_DEV_LEAD, a multiple of 64. */
	uint32_t letters, cores, hits;
};

/* ERR_DEVICE, ERR_NOMEM, as of cuda_pool_new(). */
int cuda_primer_new(struct cuda_pool **g, const struct cuda_primer_params *p,
		    struct err *e);
/* Its find_long() is PRIMER_NOT_NOW also where the core has too many hits, or
 * pieces of the text are too short for it. */
struct primer_backend cuda_primer_backend(struct cuda_pool *g);

#endif
