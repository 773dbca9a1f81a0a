/* SPDX-License-Identifier: MIT */
/*
 * ebwt.h - jobs of ebwt (ebwt/ebwt.h) and of words in the gaps of others
 * (ebwt/ebwt_gap_job.h) done by GPUs; no CUDA type
 */
#ifndef SEQF_CUDA_EBWT_H
#define SEQF_CUDA_EBWT_H

#include "ebwt/ebwt_gap_job.h"
#include "cuda/pool.h"
#include "cuda/ebwt_dev.h"

struct cuda_turns;

struct cuda_turns_params {
	struct cuda_choice choice;
	/* CUDA_AUTO: letters that are worth it, and how long walks take the
	 * CPU that are. */
	uint64_t least;
	double least_ns;
	struct turns_how how;
};

/* ERR_DEVICE, ERR_NOMEM, as of cuda_pool_new(). */
int cuda_turns_new(struct cuda_turns **g, const struct cuda_turns_params *p,
		   struct err *e);
void cuda_turns_free(struct cuda_turns *g);
/* It does jobs of any number of threads; with too little memory it fails
 * like a device. */
const struct ebwt_backend *cuda_turns_backend(const struct cuda_turns *g);
/* The same; with too little memory it first tries smaller jobs. */
const struct gap_backend *cuda_turns_gap_backend(const struct cuda_turns *g);
/* When no thread is at work. */
void cuda_turns_report(const struct cuda_turns *g, struct cuda_report *r);

#endif
