/* SPDX-License-Identifier: MIT */
/*
 * ebwt.h - jobs of ebwt (ebwt/ebwt.h) and of words in the gaps of others
 * (ebwt/ebwt_gap.h) done by GPUs; no CUDA type
 */
#ifndef SEQF_CUDA_EBWT_H
#define SEQF_CUDA_EBWT_H

#include "cuda/pool.h"
#include "cuda/ebwt_dev.h"

struct cuda_ebwt_params {
	struct cuda_choice choice;
	/* CUDA_AUTO: letters that are worth it, and how long walks take the
	 * CPU that are. */
	uint64_t least;
	double least_ns;
	struct ebwt_dev_how how;
};

/* ERR_DEVICE, ERR_NOMEM, as of cuda_pool_new(). */
int cuda_ebwt_new(struct cuda_pool **g, const struct cuda_ebwt_params *p,
		  struct err *e);
/* It does jobs of any number of threads; one for which there is too little
 * memory is declined. */
struct ebwt_backend cuda_ebwt_backend(struct cuda_pool *g);
/* The same; with too little memory it first tries smaller jobs. */
struct gap_backend cuda_ebwt_gap_backend(struct cuda_pool *g);

#endif
