/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap_dev.h - the device's side of ebwt.h's second backend: words
 * walked through the gaps of others, on one GPU
 */
#ifndef SEQF_CUDA_EBWT_GAP_DEV_H
#define SEQF_CUDA_EBWT_GAP_DEV_H

#include "ebwt/ebwt_gap_job.h"

/*
 * Jobs [from, to) of a batch; all gap_fits().  ERR_NOMEM: not enough memory,
 * here or on the device; ERR_DEVICE.  The stream is of ebwt_dev_open().
 */
int ebwt_gap_dev_run(void *stream, const struct gap_batch *j, uint32_t from,
		     uint32_t to, struct err *e);

#endif
