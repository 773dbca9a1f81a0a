/* SPDX-License-Identifier: MIT */
/* primer_gpu.c - which cores GPUs look for, and when */

#include <stdlib.h>

#include "scan/primer/primer_gpu.h"

/*
 * By default a GPU is used only for so many cores a thread: a
 * thread scans for 128 in about the time of one.  It does some 2^33 letters x
 * cores in a second, and to open a device takes a good part of one.
 */
enum { AUTO_CORES = 256, AUTO_WAIT = 33 };

struct primer_gpu {
	struct cuda_primer *cores;
	struct cuda_paper_primer *starts;	/* instead */
	struct primer_backend backend;
};

static int
find(void *ctx, const struct primer_find *x, struct primer_found *out,
     struct err *e)
{
	return cuda_primer_find(ctx, x, out, e);
}

static int
find_long(void *ctx, const struct primer_find_long *x,
	  struct primer_found *out, struct err *e)
{
	return cuda_primer_find_long(ctx, x, out, e);
}

static bool
serves(void *ctx)
{
	return cuda_primer_serves(ctx);
}

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
	int rc;

	/* a long core is too little for a device: one of each thread */
	if (p->blocks)
		c.streams = streams < CUDA_MAX_STREAMS ? streams :
							 CUDA_MAX_STREAMS;
	rc = cuda_primer_new(&g->cores, &c, e);

	g->backend = (struct primer_backend){
		.find = find, .serves = serves, .find_long = find_long,
		.ctx = g->cores, .first = required,
	};
	return rc;
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
	return g->cores ? &g->backend : NULL;
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
