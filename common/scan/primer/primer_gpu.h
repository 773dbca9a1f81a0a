/* SPDX-License-Identifier: MIT */
/*
 * primer_gpu.h - GPUs at work for primers
 *
 * They find cores, those of windows of up to 63 letters (the short engine) and
 * those of blocks, or do all of the work by the source's algorithms; all else,
 * and whatever they cannot do or fail to do, is the CPU's.  Results are the
 * same.
 */
#ifndef SEQF_SCAN_PRIMER_PRIMER_GPU_H
#define SEQF_SCAN_PRIMER_PRIMER_GPU_H

#include "cuda/primer.h"
#include "cuda/paper_primer.h"

struct primer_gpu_params {
	struct cuda_choice choice;
	unsigned threads;		/* that search */
	uint32_t letters, cores, hits;	/* struct cuda_primer_params */
	bool blocks;			/* most cores will be long ones */
	bool paper;			/* the source's algorithms */
	struct paper_primer_dev_how how;		/* theirs */
};

/*
 * CUDA_AUTO: only for many cores at a time, and once so much was searched that
 * a device should be worth waking up; the source's algorithms, at once.
 * ERR_DEVICE, ERR_NOMEM.
 */
struct primer_gpu;
int primer_gpu_new(struct primer_gpu **g, const struct primer_gpu_params *p,
		   struct err *e);
void primer_gpu_free(struct primer_gpu *g);
/* For primer_set_backend(), and for primer_paper_by(); NULL: not that. */
const struct primer_backend *primer_gpu_backend(const struct primer_gpu *g);
const struct primer_paper_backend *primer_gpu_paper_backend(
	const struct primer_gpu *g);
/* When nothing is searched any more. */
void primer_gpu_report(const struct primer_gpu *g, struct cuda_report *r);

#endif
