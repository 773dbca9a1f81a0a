/* SPDX-License-Identifier: MIT */
/* sw_gpu.c - when GPUs find scores */
#include "scan/sw_gpu.h"

#include "scan/sw_scan_priv.h"

/*
 * Without being told to, a GPU serves only queries that are so long on average
 * that what it takes beside the cells is little.  A thread does some 2^36 cells
 * in a second, and to open a device takes a good part of one.
 */
enum { AUTO_ROWS = 256, AUTO_WAIT = 35 };

/* Why it has nothing to do; NULL: it has. */
static const char *
nothing_for(const struct sw_scan *s, bool all)
{
	size_t rows = 0;

	if (s->o.best == SW_READ_DISJOINT)
		return "--best=waterman-eggert is the CPU's";
	if (!s->by.dna)
		return "scores of a matrix are the CPU's";
	if (!cuda_peaks_scoring(&s->scoring))
		return "scores are too large for it";
	for (size_t i = 0; i < s->q->n; i++)
		rows += s->q->v[i].letters.n;
	return all || rows / AUTO_ROWS >= s->q->n ? NULL :
	       "short queries are the CPU's";
}

int
sw_use_gpu(struct sw_scan *s, const struct sw_gpu_params *p, struct err *e)
{
	struct cuda_peaks_params c = {
		.choice = p->choice, .kernel = p->kernel,
		.none = nothing_for(s, p->choice.kind == CUDA_THESE),
		.wait = (uint64_t)p->threads << AUTO_WAIT,
	};
	int rc;

	if (p->kernel != CUDA_PEAKS_FAST && s->o.best != SW_READ_CELLS)
		return err_set(e, ERR_USAGE, "--kernel: the source's finds the "
			       "best cells only; it needs --best=cells");
	rc = cuda_peaks_new(&s->gpu, &c, e);
	s->device = (struct sw_device){ cuda_peaks_find, s->gpu };
	s->gpu_told = p->choice.kind == CUDA_THESE;
	return rc;
}

struct sw_gpu_sizes
sw_gpu_sizes(const struct sw_scan *s)
{
	struct sw_gpu_sizes z = { .streams = 0 };

	if (!s->gpu || s->o.engine != SW_AUTO)
		return z;
	z.columns = cuda_peaks_columns(s->gpu);
	z.streams = cuda_peaks_streams(s->gpu);
	z.told = z.streams && s->gpu_told;
	return z;
}

void
sw_end_gpu(struct sw_scan *s, struct cuda_peaks_report *r)
{
	cuda_peaks_report(s->gpu, r);
	cuda_peaks_free(s->gpu);
	s->gpu = NULL;
}
