/* SPDX-License-Identifier: MIT */
/* gpu_case.h - a device, or an emulated one, for tests: one pool at a time */
#ifndef SEQF_GPU_CASE_H
#define SEQF_GPU_CASE_H

#include "cuda/pool.h"
#include "tests/lib/tap.h"

static uint64_t seed = 1;
static uint64_t n_letters;	/* searched by devices */
static struct cuda_pool *gpu;

/* Is there a device?  Then schedules' seeds are ours, too. */
static inline bool
gpu_there(void)
{
	if (!cuda_devices()) {
		printf("1..0 # SKIP %s\n", cuda_why_none());
		return false;
	}
	if (getenv("SEQF_SIMT_SEED"))
		seed += strtoull(getenv("SEQF_SIMT_SEED"), NULL, 10) * 4711;
	return true;
}

/* With an operand, or on request, one of so many rounds: under a checker that
 * is slow. */
static inline uint64_t
gpu_part(int argc, uint64_t part)
{
	return argc > 1 || getenv("SEQF_SIMT_LITTLE") ? part : 1;
}

/* It has done its work, and nothing has failed. */
static inline void
gpu_free(void)
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

/* Of what made it. */
static inline void
gpu_made(int rc, const struct err *e)
{
	if (rc) {
		fprintf(stderr, "%s\n", e->text);
		abort();
	}
}

#endif
