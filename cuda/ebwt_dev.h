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
enum turns_kernel { TURNS_FAST, TURNS_PAPER, TURNS_BITONIC };
struct turns_how {
	enum turns_kernel kernel;
	unsigned letters;	/* of keys at most; 0: the usual; for tests */
};

/*
 * ERR_NOMEM: not enough memory, here or on the device;
 * ERR_DEVICE.  Thread-safe.
 */
int turns_run(int device, const struct turns_how *how,
	      const struct ebwt_job *j, struct err *e);

#endif
