/* SPDX-License-Identifier: MIT */
/* paper_primer.c - jobs of the source's algorithms, in a pool of devices */
#include "cuda/paper_primer.h"

static int
run_paper(void *ctx, const struct primer_paper_job *j,
	  struct primer_paper_stats *stats, struct err *e)
{
	const struct cuda_paper_primer_params *p = cuda_pool_ctx(ctx);
	struct cuda_lent l;
	int rc;

	if (!cuda_pool_borrow(ctx, j->n, &l))
		return PRIMER_NOT_NOW;
	rc = paper_primer_dev.run(l.stream, &p->how, j, stats, e);
	cuda_pool_return(ctx, &l, rc, j->n, e);
	return rc ? PRIMER_NOT_NOW : 0;
}

int
cuda_paper_primer_new(struct cuda_pool **out,
		      const struct cuda_paper_primer_params *p, struct err *e)
{
	struct cuda_pool_params q = {
		.choice = p->choice, .ctx = p, .ctx_bytes = sizeof *p,
		.open = cuda_jobs.open, .close = cuda_jobs.close,
	};

	return cuda_pool_new(out, &q, e);
}

struct primer_paper_backend
cuda_paper_primer_backend(struct cuda_pool *pool)
{
	return (struct primer_paper_backend){ run_paper, pool };
}
