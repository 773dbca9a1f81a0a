/* SPDX-License-Identifier: MIT */
/*
 * ebwt_dev.h - the device's side of ebwt.h: rotations of roots sorted, and
 * the runs of pairs counted, on one GPU
 */
#ifndef SEQF_CUDA_EBWT_DEV_H
#define SEQF_CUDA_EBWT_DEV_H

#include "ebwt/ebwt.h"

/* How rotations are sorted: by doubling; or as a source does it, all of their
 * letters, digit by digit or by a bitonic network. */
enum ebwt_dev_kernel { EBWT_DEV_FAST, EBWT_DEV_PAPER, EBWT_DEV_BITONIC };
struct ebwt_dev_how {
	enum ebwt_dev_kernel kernel;
	unsigned letters;	/* of keys at most; 0: the usual; for tests */
};

/* A stream of a device for jobs, also those of ebwt_gap_dev.h: a pool's (see
 * cuda_pool_params). */
int ebwt_dev_open(void *ctx, int device, unsigned halved, void **stream,
		  struct err *e);
void ebwt_dev_close(void *stream);

/* ERR_NOMEM: not enough memory, here or on the device; ERR_DEVICE. */
int ebwt_dev_run(void *stream, const struct ebwt_dev_how *how,
		 const struct ebwt_job *j, struct err *e);

#endif
