/* SPDX-License-Identifier: MIT */
/* turns.c - errands of ebwt, in a pool of devices */
#include "cuda/turns.h"

#include <stdlib.h>

struct cuda_turns {
	struct cuda_turns_params p;
	struct cuda_pool *pool;
	struct ebwt_helper helper;
};

static bool
borrow(const struct cuda_turns *g, uint64_t letters, struct cuda_lent *l)
{
	return (g->p.choice.kind != CUDA_AUTO || letters >= g->p.least) &&
	       cuda_pool_borrow(g->pool, letters, l);
}

/* Is there a stream?  It is lent again when the errand is ready. */
static bool
wants(void *ctx, uint64_t letters)
{
	struct cuda_turns *g = ctx;
	struct cuda_lent l;
	bool there = borrow(g, letters, &l);

	if (there)
		cuda_pool_return(g->pool, &l, 0, 0, NULL);
	return there;
}

static int
run(void *ctx, const struct ebwt_errand *j, struct err *e)
{
	struct cuda_turns *g = ctx;
	struct cuda_lent l;
	int rc;

	if (!borrow(g, j->n, &l))
		return EBWT_NOT_NOW;
	rc = turns_run(*(const int *)l.stream, &g->p.how, j, e);
	if (rc == ERR_NOMEM)
		rc = e->code = ERR_DEVICE;
	cuda_pool_return(g->pool, &l, rc, j->n, e);
	return rc ? EBWT_NOT_NOW : 0;
}

int
cuda_turns_new(struct cuda_turns **out, const struct cuda_turns_params *p,
	       struct err *e)
{
	struct cuda_turns *g = calloc(1, sizeof *g);
	struct cuda_pool_params q = {
		.choice = p->choice, .open = cuda_pool_number, .close = free,
	};
	int rc;

	*out = NULL;
	if (!g)
		return err_nomem(e, sizeof *g);
	g->p = *p;
	g->helper = (struct ebwt_helper){ wants, run, g };
	rc = cuda_pool_new(&g->pool, &q, e);
	if (rc)
		free(g);
	else
		*out = g;
	return rc;
}

void
cuda_turns_free(struct cuda_turns *g)
{
	if (!g)
		return;
	cuda_pool_free(g->pool);
	free(g);
}

const struct ebwt_helper *
cuda_turns_helper(const struct cuda_turns *g)
{
	return &g->helper;
}

void
cuda_turns_report(const struct cuda_turns *g, struct cuda_report *r)
{
	cuda_pool_report(g->pool, r);
}
