/* SPDX-License-Identifier: MIT */
/* primer_gpu.c - which cores GPUs look for, and when */

#include <stdlib.h>

#include "scan/primer/primer.h"

/*
 * By default a GPU is used only for so many cores a thread: a
 * thread scans for 128 in about the time of one.  It does some 2^33 letters x
 * cores in a second, and to open a device takes a good part of one.
 */
enum { AUTO_CORES = 256, AUTO_WAIT = 33 };

struct primer_gpu {
	struct cuda_primer *cores;
	struct cuda_paper_primer *starts;	/* instead */
};

static int
open_cores(struct primer_gpu *g, const struct primer_gpu_params *p,
	   struct err *e)
{
	bool required = p->choice.kind == CUDA_THESE;
	unsigned streams = p->threads < 2 ? 2 : p->threads;
	struct cuda_primer_params c = {
		.choice = p->choice, .wait = (uint64_t)p->threads << AUTO_WAIT,
		.least = required ? 0 : AUTO_CORES, .letters = p->letters,
		.cores = p->cores, .hits = p->hits,
	};

	/* a long core is too little for a device: one of each thread */
	if (p->blocks)
		c.streams = streams < CUDA_MAX_STREAMS ? streams :
							 CUDA_MAX_STREAMS;
	return cuda_primer_new(&g->cores, &c, e);
}

int
primer_gpu_new(struct primer_gpu **out, const struct primer_gpu_params *p,
	       struct err *e)
{
	struct cuda_paper_primer_params s = {
		.choice = p->choice, .how = p->how
	};
	struct primer_gpu *g = calloc(1, sizeof *g);
	int rc;

	*out = NULL;
	if (!g)
		return err_nomem(e, sizeof *g);
	rc = p->paper ? cuda_paper_primer_new(&g->starts, &s, e) :
			open_cores(g, p, e);
	if (rc)
		free(g);
	else
		*out = g;
	return rc;
}

void
primer_gpu_free(struct primer_gpu *g)
{
	if (!g)
		return;
	cuda_primer_free(g->cores);
	cuda_paper_primer_free(g->starts);
	free(g);
}

const struct primer_backend *
primer_gpu_backend(const struct primer_gpu *g)
{
	return g->cores ? cuda_primer_backend(g->cores) : NULL;
}

const struct primer_paper_backend *
primer_gpu_paper_backend(const struct primer_gpu *g)
{
	return g->starts ? cuda_paper_primer_backend(g->starts) : NULL;
}

void
primer_gpu_report(const struct primer_gpu *g, struct cuda_report *r)
{
	if (g->starts)
		cuda_paper_primer_report(g->starts, r);
	else
		cuda_primer_report(g->cores, r);
}
