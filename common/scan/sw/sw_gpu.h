/* SPDX-License-Identifier: MIT */
/*
 * sw_gpu.h - GPUs at work for a local alignment
 *
 * They find the scores of DNA; all else, and whatever they cannot do or fail to
 * do, is the CPU's.  Results are the same.
 */
#ifndef SEQF_SCAN_SW_SW_GPU_H
#define SEQF_SCAN_SW_SW_GPU_H

#include "cuda/sw.h"
#include "scan/sw/sw_scan.h"

struct sw_gpu_params {
	struct cuda_choice choice;
	enum cuda_sw_kernel kernel;
	unsigned threads;	/* that search */
};

/*
 * Before anything is searched.  CUDA_AUTO: only for long queries, and once so
 * much was searched that a device should be worth waking up.  ERR_USAGE: the
 * source paper's kernel, but not cells.  ERR_DEVICE, ERR_NOMEM.
 */
int sw_use_gpu(struct sw_scan *s, const struct sw_gpu_params *p,
	       struct err *e);

/* One of several texts that are searched as one. */
struct sw_gpu_text {
	struct sw_text x;
	struct sw_known known;	/* for x, zero it first; tops are free()d by
				   the caller; NULL: it is searched alone */
};
/*
 * As scan_gpu_batch() says.  So many cells are wanted of each, or 0: as struct
 * sw_view says.
 */
void sw_gpu_batch(struct cuda_pool *gpu, const struct sw_query *q,
		  size_t cells, struct sw_gpu_text *text, size_t n);

/* When all is. */
void sw_end_gpu(struct sw_scan *s, struct cuda_report *r);

#endif
