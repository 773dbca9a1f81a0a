/* SPDX-License-Identifier: MIT */
/*
 * asm_gpu.h - GPUs at work for an approximate search
 *
 * They find the ends of patterns of DNA with at most 64 letters; all else, and
 * whatever they cannot do or fail to do, is the CPU's.  Results are the same.
 */
#ifndef SEQF_SCAN_ASM_ASM_GPU_H
#define SEQF_SCAN_ASM_ASM_GPU_H

#include "cuda/kdiff.h"
#include "scan/asm/asm_scan.h"

struct asm_gpu_params {
	struct cuda_choice choice;
	unsigned threads;	/* that search */
	enum kdiff_dev_kernel kernel;
	uint32_t letters, hits;	/* struct cuda_kdiff_params */
	uint64_t launch;
};

/*
 * The set's backend: the set must not be used after it is freed.  CUDA_AUTO:
 * only for many patterns that an index does not serve, and once so much was
 * searched that a device should be worth waking up.  ERR_DEVICE, ERR_NOMEM.
 */
struct asm_gpu;
int asm_gpu_new(struct asm_gpu **g, struct kdiff_set *set,
		const struct asm_gpu_params *p, struct err *e);
void asm_gpu_free(struct asm_gpu *g);
struct cuda_pool *asm_gpu_pool(const struct asm_gpu *g);	/* or NULL */

/* A text, and what is found in it: all ends, for kdiff_text.found. */
struct asm_gpu_text {
	struct kdiff_text x;
	struct kdiff_hits found;	/* zero it first */
	bool is_found;		/* otherwise it is searched as if alone */
};
/* As scan_gpu_batch() says. */
void asm_gpu_batch(struct asm_gpu *g, struct asm_gpu_text **text, size_t n);

/* The same for a scan: before anything is searched, and when all is. */
int asm_use_gpu(struct asm_scan *a, const struct asm_gpu_params *p,
		struct err *e);
void asm_end_gpu(struct asm_scan *a, struct cuda_report *r);

#endif
