/* SPDX-License-Identifier: MIT */
/*
 * sw_gpu.h - GPUs at work for a local alignment
 *
 * They find the scores of DNA; all else, and whatever they cannot do or fail to
 * do, is the CPU's.  Results are the same.
 */
#ifndef SEQF_SW_GPU_H
#define SEQF_SW_GPU_H

#include "cuda/peaks.h"
#include "scan/sw_scan.h"

struct sw_gpu_params {
	struct cuda_choice choice;
	enum cuda_peaks_kernel kernel;
	unsigned threads;	/* that search */
};

/*
 * Before anything is searched.  CUDA_AUTO: only for long queries, and once so
 * much was searched that a device should be worth waking up.  ERR_USAGE: the
 * source paper's kernel, but not cells.  ERR_DEVICE, ERR_NOMEM.
 */
int sw_use_gpu(struct sw_scan *s, const struct sw_gpu_params *p,
	       struct err *e);
/* When all is. */
void sw_end_gpu(struct sw_scan *s, struct cuda_peaks_report *r);

#endif
