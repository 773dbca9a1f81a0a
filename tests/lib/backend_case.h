/* SPDX-License-Identifier: MIT */
/* backend_case.h - a backend of cores by a device, for tests; one at a time */
#ifndef SEQF_FINDER_CASE_H
#define SEQF_FINDER_CASE_H

#include "tests/oracle/primer_plain.h"
#include "tests/lib/gpu_case.h"
#include "cuda/primer.h"

static struct primer_backend backend;

/* The one before is freed. */
static inline const struct primer_backend *
backend_new(uint32_t letters, uint32_t cores, uint32_t hits)
{
	struct cuda_primer_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.letters = letters, .cores = cores, .hits = hits,
	};
	struct err e;

	gpu_free();
	gpu_made(cuda_primer_new(&gpu, &p, &e), &e);
	backend = cuda_primer_backend(gpu);
	return &backend;
}

#endif
