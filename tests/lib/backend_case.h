/* SPDX-License-Identifier: MIT */
/* backend_case.h - a backend of cores by a device, for tests; one at a time */
#ifndef SEQF_FINDER_CASE_H
#define SEQF_FINDER_CASE_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/oracle/primer_plain.h"
#include "cuda/primer.h"

static uint64_t seed = 1;
static uint64_t n_letters;	/* searched by devices */
static struct cuda_pool *gpu;
static struct primer_backend backend;

/* Is there a device?  Then schedules' seeds are ours, too. */
static inline bool
backend_there(void)
{
	if (!cuda_devices()) {
		printf("1..0 # SKIP %s\n", cuda_why_none());
		return false;
	}
	if (getenv("SEQF_SIMT_SEED"))
		seed += strtoull(getenv("SEQF_SIMT_SEED"), NULL, 10) * 4711;
	return true;
}

static inline void
backend_free(void)
{
	struct cuda_report r;

	if (!gpu)
		return;
	cuda_pool_report(gpu, &r);
	n_letters += r.letters;
	if (*r.failed || *r.why_not)
		ok(0, "%s%s", r.failed, r.why_not);
	cuda_pool_free(gpu);
	gpu = NULL;
}

/* The one before is freed. */
static inline const struct primer_backend *
backend_new(uint32_t letters, uint32_t cores, uint32_t hits)
{
	struct cuda_primer_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.letters = letters, .cores = cores, .hits = hits,
	};
	struct err e;

	backend_free();
	if (cuda_primer_new(&gpu, &p, &e)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	backend = cuda_primer_backend(gpu);
	return &backend;
}

#endif
