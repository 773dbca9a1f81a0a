/* SPDX-License-Identifier: MIT */
/*
 * ebwt_dev.h - the device's side of ebwt.h, on streams of struct cuda_jobs:
 * rotations of roots sorted, and the runs of pairs counted; words walked
 * through the gaps of others
 */
#ifndef SEQF_CUDA_EBWT_DEV_H
#define SEQF_CUDA_EBWT_DEV_H

#include "cuda/device.h"
#include "ebwt/ebwt.h"
#include "ebwt/ebwt_gap.h"

/* How rotations are sorted: by doubling; or as a source does it, all of their
 * letters, digit by digit or by a bitonic network. */
enum ebwt_dev_kernel { EBWT_DEV_FAST, EBWT_DEV_PAPER, EBWT_DEV_BITONIC };
struct ebwt_dev_how {
	enum ebwt_dev_kernel kernel;
	unsigned letters;	/* of keys at most; 0: the usual; for tests */
};

/* ERR_NOMEM: not enough memory, here or on the device; ERR_DEVICE. */
struct ebwt_dev {
	int (*run)(void *stream, const struct ebwt_dev_how *how,
		   const struct ebwt_job *j, struct err *e);
};
extern const struct ebwt_dev ebwt_dev;

/* The same, of jobs [from, to) of a batch; all gap_fits(). */
struct ebwt_gap_dev {
	int (*run)(void *stream, const struct gap_batch *j, uint32_t from,
		   uint32_t to, struct err *e);
};
extern const struct ebwt_gap_dev ebwt_gap_dev;

#endif
