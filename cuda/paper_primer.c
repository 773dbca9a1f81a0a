/* SPDX-License-Identifier: MIT */
/* paper_primer.c - jobs of the source's algorithms, in a pool of devices */
#include "cuda/paper_primer.h"

#include <stdlib.h>

struct cuda_paper_primer {
	struct paper_primer_dev_how how;
	struct cuda_pool *pool;
	struct primer_paper_backend backend;
};

static int
run_paper(void *ctx, const struct primer_paper_job *j,
	  struct primer_paper_stats *stats, struct err *e)
{
	struct cuda_paper_primer *g = ctx;
	struct cuda_lent l;
	int rc;

	if (!cuda_pool_borrow(g->pool, j->n, &l))
		return PRIMER_NOT_NOW;
	rc = paper_primer_dev_run(*(const int *)l.stream, &g->how, j, stats, e);
	cuda_pool_return(g->pool, &l, rc, j->n, e);
	return rc ? PRIMER_NOT_NOW : 0;
}

int
cuda_paper_primer_new(struct cuda_paper_primer **out,
		      const struct cuda_paper_primer_params *p, struct err *e)
{
	struct cuda_paper_primer *g = calloc(1, sizeof *g);
	struct cuda_pool_params q = {
		.choice = p->choice, .open = cuda_pool_number, .close = free,
	};
	int rc;

	*out = NULL;
	if (!g)
		return err_nomem(e, sizeof *g);
	g->how = p->how;
	g->backend = (struct primer_paper_backend){ run_paper, g };
	rc = cuda_pool_new(&g->pool, &q, e);
	if (rc)
		free(g);
	else
		*out = g;
	return rc;
}

void
cuda_paper_primer_free(struct cuda_paper_primer *g)
{
	if (!g)
		return;
	cuda_pool_free(g->pool);
	free(g);
}

const struct primer_paper_backend *
cuda_paper_primer_backend(const struct cuda_paper_primer *g)
{
	return &g->backend;
}

void
cuda_paper_primer_report(const struct cuda_paper_primer *g,
			 struct cuda_report *r)
{
	cuda_pool_report(g->pool, r);
}
