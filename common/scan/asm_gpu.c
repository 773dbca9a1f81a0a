/* SPDX-License-Identifier: MIT */
/* asm_gpu.c - which patterns GPUs look for, and when */
#include "scan/asm_gpu.h"

#include <stdlib.h>

#include "scan/asm_priv.h"

/*
 * Without being told to, a GPU serves only patterns whose pieces are so short
 * that an index finds places of them all over the text, and only if there are
 * so many a thread: fewer are searched about as fast as text is read.  A thread
 * does some 2^33 letters x patterns in a second, and to open a device takes a
 * good part of one.
 */
enum { AUTO_PIECE = 7, AUTO_PATTERNS = 8, AUTO_WAIT = 33 };

struct asm_gpu {
	struct cuda_ends *ends;
	struct kdiff_finder finder;
	uint32_t *rest;
	struct ends_pattern *pattern;	/* served; for the making */
	size_t n;
	bool told;		/* to use one: no other choice */
};

static int
find(void *ctx, const struct kdiff_text *text, struct kdiff_hits *out,
     struct err *e)
{
	return cuda_ends_find(((struct asm_gpu *)ctx)->ends, text, true, out,
			      e);
}

void
asm_gpu_free(struct asm_gpu *g)
{
	if (!g)
		return;
	cuda_ends_free(g->ends);
	free(g->rest);
	free(g->pattern);
	free(g);
}

/* Each pattern to those served or to the rest. */
static void
share_out(struct asm_gpu *g, const struct kdiff_set *set, bool all)
{
	size_t n = kdiff_set_size(set);
	struct kdiff_masks x;

	for (size_t i = 0; i < n; i++) {
		bool good = i <= ENDS_MAX_NUMBER &&
			    kdiff_set_masks(set, i, &x) &&
			    (all || x.piece < AUTO_PIECE);

		if (!good) {
			g->rest[g->finder.n_rest++] = (uint32_t)i;
			continue;
		}
		g->pattern[g->n++] = (struct ends_pattern){
			.eq = { x.eq[0], x.eq[1], x.eq[2], x.eq[3] },
			.m = x.m, .k = x.k, .number = (uint32_t)i,
		};
	}
}

static int
start(struct asm_gpu *g, const struct kdiff_set *set,
      const struct asm_gpu_params *p, struct err *e)
{
	size_t n = kdiff_set_size(set);
	bool all = p->choice.kind == CUDA_THESE;
	struct cuda_ends_params c = {
		.choice = p->choice, .kernel = p->kernel,
		.hamming = kdiff_set_params(set)->hamming,
		.sets = kdiff_set_params(set)->iupac,
		.wait = (uint64_t)p->threads << AUTO_WAIT,
		.letters = p->letters, .hits = p->hits,
	};

	g->rest = calloc(n + 1, sizeof *g->rest);
	g->pattern = calloc(n + 1, sizeof *g->pattern);
	if (!g->rest || !g->pattern)
		return err_nomem(e, (n + 1) * sizeof *g->pattern);
	share_out(g, set, all);
	c.pattern = g->pattern;
	c.n = all || g->n >= (size_t)AUTO_PATTERNS * p->threads ? g->n : 0;
	g->finder.find = find;
	g->finder.ctx = g;
	g->finder.rest = g->rest;
	g->finder.first = g->told = all;
	return cuda_ends_new(&g->ends, &c, e);
}

int
asm_gpu_new(struct asm_gpu **out, struct kdiff_set *set,
	    const struct asm_gpu_params *p, struct err *e)
{
	struct asm_gpu *g = calloc(1, sizeof *g);
	int rc;

	*out = NULL;
	if (!g)
		return err_nomem(e, sizeof *g);
	rc = start(g, set, p, e);
	if (rc) {
		asm_gpu_free(g);
		return rc;
	}
	kdiff_set_finder(set, &g->finder);
	*out = g;
	return 0;
}

int
asm_use_gpu(struct asm_scan *a, const struct asm_gpu_params *p, struct err *e)
{
	return asm_gpu_new(&a->gpu, a->set, p, e);
}

bool
asm_gpu_gathers(const struct asm_gpu *g)
{
	return cuda_ends_is_open(g->ends);
}

void
asm_gpu_sizes(const struct asm_gpu *g, struct asm_gpu_sizes *s)
{
	s->letters = cuda_ends_letters(g->ends);
	s->streams = cuda_ends_streams(g->ends);
	s->told = g->told;
}

int
asm_gpu_find(struct asm_gpu *g, const struct kdiff_text *text,
	     struct kdiff_hits *out, struct err *e)
{
	return cuda_ends_find(g->ends, text, false, out, e);
}

void
asm_gpu_report(const struct asm_gpu *g, struct cuda_report *r)
{
	cuda_ends_report(g->ends, r);
}

void
asm_end_gpu(struct asm_scan *a, struct cuda_report *r)
{
	asm_gpu_report(a->gpu, r);
	kdiff_set_finder(a->set, NULL);
	asm_gpu_free(a->gpu);
	a->gpu = NULL;
}
