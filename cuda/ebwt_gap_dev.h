/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap_dev.h - the device's side of ebwt.h's second helper: words walked
 * through the gaps of others, on one GPU
 */
#ifndef SEQF_CUDA_EBWT_GAP_DEV_H
#define SEQF_CUDA_EBWT_GAP_DEV_H

#include "ebwt/ebwt_gap_job.h"

/*
 * Jobs [from, to) of an errand; all gap_fits().  ERR_NOMEM: not so much memory,
 * here or on the device; ERR_DEVICE.  Threads may do errands side by side.
 */
int gaps_run(int device, const struct gap_batch *j, uint32_t from,
	     uint32_t to, struct err *e);

#endif
