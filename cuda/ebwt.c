/* SPDX-License-Identifier: MIT */
/* ebwt.c - jobs of ebwt, in a pool of devices */
#include "cuda/ebwt.h"

static bool
borrow(struct cuda_pool *pool, uint64_t letters, struct cuda_lent *l)
{
	const struct cuda_ebwt_params *p = cuda_pool_ctx(pool);

	return (p->choice.kind != CUDA_AUTO || letters >= p->least) &&
	       cuda_pool_borrow(pool, letters, l);
}

/* Is there a stream?  It is lent again when the job is ready. */
static bool
wants(void *ctx, uint64_t letters)
{
	struct cuda_lent l;
	bool there = borrow(ctx, letters, &l);

	if (there)
		cuda_pool_return(ctx, &l, 0, 0, NULL);
	return there;
}

static int
run_ebwt(void *ctx, const struct ebwt_job *j, struct err *e)
{
	const struct cuda_ebwt_params *p = cuda_pool_ctx(ctx);
	struct cuda_lent l;
	int rc;

	if (!borrow(ctx, j->n, &l))
		return EBWT_NOT_NOW;
	rc = ebwt_dev.run(l.stream, &p->how, j, e);
	cuda_pool_return(ctx, &l, rc, j->n, e);
	return rc ? EBWT_NOT_NOW : 0;
}

static bool
wants_walks(void *ctx, double ns)
{
	const struct cuda_ebwt_params *p = cuda_pool_ctx(ctx);
	struct cuda_lent l;
	bool there = (p->choice.kind != CUDA_AUTO || ns >= p->least_ns) &&
		     cuda_pool_borrow(ctx, 0, &l);

	if (there)
		cuda_pool_return(ctx, &l, 0, 0, NULL);
	return there;
}

/* Jobs [from, to), or halves of them where there is too little memory. */
static int
walk_jobs(void *stream, const struct gap_batch *j, uint32_t from, uint32_t to,
	  struct err *e)
{
	uint32_t half = from + (to - from) / 2;
	int rc = ebwt_gap_dev.run(stream, j, from, to, e);

	if (rc != ERR_NOMEM || half == from)
		return rc;
	rc = walk_jobs(stream, j, from, half, e);
	return rc ? rc : walk_jobs(stream, j, half, to, e);
}

static int
run_walks(void *ctx, const struct gap_batch *j, struct err *e)
{
	struct cuda_lent l;
	uint64_t letters = 0;
	int rc;

	for (uint32_t i = 0; i < j->n_jobs; i++) {
		const struct gap_list *w = j->list[j->job[i].list];

		letters += (uint64_t)w->n * w->len;
	}
	if (!cuda_pool_borrow(ctx, letters, &l))
		return EBWT_NOT_NOW;
	rc = walk_jobs(l.stream, j, 0, j->n_jobs, e);
	cuda_pool_return(ctx, &l, rc, letters, e);
	return rc ? EBWT_NOT_NOW : 0;
}

int
cuda_ebwt_new(struct cuda_pool **out, const struct cuda_ebwt_params *p,
	      struct err *e)
{
	struct cuda_pool_params q = {
		.choice = p->choice, .ctx = p, .ctx_bytes = sizeof *p,
		.open = cuda_jobs.open, .close = cuda_jobs.close,
	};

	return cuda_pool_new(out, &q, e);
}

struct ebwt_backend
cuda_ebwt_backend(struct cuda_pool *pool)
{
	return (struct ebwt_backend){ wants, run_ebwt, pool };
}

struct gap_backend
cuda_ebwt_gap_backend(struct cuda_pool *pool)
{
	return (struct gap_backend){ wants_walks, run_walks, pool };
}
