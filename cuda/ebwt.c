/* SPDX-License-Identifier: MIT */
/* ebwt.c - jobs of ebwt, in a pool of devices */
#include "cuda/ebwt.h"

#include <stdlib.h>

#include "cuda/ebwt_gap_dev.h"

struct cuda_ebwt {
	struct cuda_ebwt_params p;
	struct cuda_pool *pool;
	struct ebwt_backend backend;
	struct gap_backend gap_backend;
};

static bool
borrow(const struct cuda_ebwt *g, uint64_t letters, struct cuda_lent *l)
{
	return (g->p.choice.kind != CUDA_AUTO || letters >= g->p.least) &&
	       cuda_pool_borrow(g->pool, letters, l);
}

/* Is there a stream?  It is lent again when the job is ready. */
static bool
wants(void *ctx, uint64_t letters)
{
	struct cuda_ebwt *g = ctx;
	struct cuda_lent l;
	bool there = borrow(g, letters, &l);

	if (there)
		cuda_pool_return(g->pool, &l, 0, 0, NULL);
	return there;
}

static int
run_ebwt(void *ctx, const struct ebwt_job *j, struct err *e)
{
	struct cuda_ebwt *g = ctx;
	struct cuda_lent l;
	int rc;

	if (!borrow(g, j->n, &l))
		return EBWT_NOT_NOW;
	rc = ebwt_dev_run(l.stream, &g->p.how, j, e);
	cuda_pool_return(g->pool, &l, rc, j->n, e);
	return rc ? EBWT_NOT_NOW : 0;
}

static bool
wants_walks(void *ctx, double ns)
{
	struct cuda_ebwt *g = ctx;
	struct cuda_lent l;
	bool there = (g->p.choice.kind != CUDA_AUTO || ns >= g->p.least_ns) &&
		     cuda_pool_borrow(g->pool, 0, &l);

	if (there)
		cuda_pool_return(g->pool, &l, 0, 0, NULL);
	return there;
}

/* Jobs [from, to), or halves of them where there is too little memory. */
static int
walk_jobs(void *stream, const struct gap_batch *j, uint32_t from, uint32_t to,
	  struct err *e)
{
	uint32_t half = from + (to - from) / 2;
	int rc = ebwt_gap_dev_run(stream, j, from, to, e);

	if (rc != ERR_NOMEM || half == from)
		return rc;
	rc = walk_jobs(stream, j, from, half, e);
	return rc ? rc : walk_jobs(stream, j, half, to, e);
}

static int
run_walks(void *ctx, const struct gap_batch *j, struct err *e)
{
	struct cuda_ebwt *g = ctx;
	struct cuda_lent l;
	uint64_t letters = 0;
	int rc;

	for (uint32_t i = 0; i < j->n_jobs; i++) {
		const struct gap_list *w = j->list[j->job[i].list];

		letters += (uint64_t)w->n * w->len;
	}
	if (!cuda_pool_borrow(g->pool, letters, &l))
		return EBWT_NOT_NOW;
	rc = walk_jobs(l.stream, j, 0, j->n_jobs, e);
	cuda_pool_return(g->pool, &l, rc, letters, e);
	return rc ? EBWT_NOT_NOW : 0;
}

int
cuda_ebwt_new(struct cuda_ebwt **out, const struct cuda_ebwt_params *p,
	      struct err *e)
{
	struct cuda_ebwt *g = calloc(1, sizeof *g);
	struct cuda_pool_params q = {
		.choice = p->choice, .open = ebwt_dev_open,
		.close = ebwt_dev_close,
	};
	int rc;

	*out = NULL;
	if (!g)
		return err_nomem(e, sizeof *g);
	g->p = *p;
	g->backend = (struct ebwt_backend){ wants, run_ebwt, g };
	g->gap_backend = (struct gap_backend){ wants_walks, run_walks, g };
	rc = cuda_pool_new(&g->pool, &q, e);
	if (rc)
		free(g);
	else
		*out = g;
	return rc;
}

void
cuda_ebwt_free(struct cuda_ebwt *g)
{
	if (!g)
		return;
	cuda_pool_free(g->pool);
	free(g);
}

const struct ebwt_backend *
cuda_ebwt_backend(const struct cuda_ebwt *g)
{
	return &g->backend;
}

const struct gap_backend *
cuda_ebwt_gap_backend(const struct cuda_ebwt *g)
{
	return &g->gap_backend;
}

void
cuda_ebwt_report(const struct cuda_ebwt *g, struct cuda_report *r)
{
	cuda_pool_report(g->pool, r);
}
