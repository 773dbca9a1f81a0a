/* SPDX-License-Identifier: MIT */
/* primer_gpu.c - which cores GPUs look for, and when */

#include "scan/primer/primer.h"
#include "scan/primer/primer_scan_priv.h"

/*
 * By default a GPU is used only for so many cores a thread: a
 * thread scans for 128 in about the time of one.  It does some 2^33 letters x
 * cores in a second, and to open a device takes a good part of one.
 */
enum { AUTO_CORES = 256, AUTO_WAIT = 33 };

static int
open_cores(struct primer_scan *s, const struct primer_gpu_params *p,
	   struct err *e)
{
	unsigned streams = p->threads < 2 ? 2 : p->threads;
	struct cuda_primer_params c = {
		.choice = p->choice, .wait = (uint64_t)p->threads << AUTO_WAIT,
		.least = p->choice.kind == CUDA_THESE ? 0 : AUTO_CORES,
	};
	int rc;

	/* The source's algorithms are the CPU's, but for their own kernels. */
	if (s->o.paper)
		c.choice.kind = CUDA_NONE;
	/* a long core is too little for a device: one of each thread */
	if (!primer_scan_by_text(s))
		c.streams = streams < CUDA_MAX_STREAMS ? streams :
							 CUDA_MAX_STREAMS;
	rc = cuda_primer_new(&s->gpu, &c, e);
	if (!rc)
		s->backend = cuda_primer_backend(s->gpu);
	return rc;
}

int
primer_use_gpu(struct primer_scan *s, const struct primer_gpu_params *p,
	       struct err *e)
{
	struct cuda_paper_primer_params c = { p->choice, p->how };
	int rc;

	if (!s->o.paper_gpu)
		return open_cores(s, p, e);
	rc = cuda_paper_primer_new(&s->gpu, &c, e);
	if (!rc)
		s->paper_backend = cuda_paper_primer_backend(s->gpu);
	return rc;
}

void
primer_end_gpu(struct primer_scan *s, struct cuda_report *r)
{
	cuda_pool_report(s->gpu, r);
	cuda_pool_free(s->gpu);
	s->gpu = NULL;
}
