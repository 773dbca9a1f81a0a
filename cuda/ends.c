/* SPDX-License-Identifier: MIT */
/* ends.c - streams that find ends, in a pool */
#include "cuda/ends.h"

#include <stdlib.h>
#include <string.h>

/*
 * A piece of so many letters takes 6 MB with exceptions, its hits 8 MB, on both
 * sides; where that is too much memory, half of it is tried, down to the least.
 */
enum { LETTERS = 16 << 20, HITS = 1 << 20, LEAST_LETTERS = 64 << 10,
       LEAST_HITS = 4 << 10 };

struct cuda_ends {
	struct cuda_ends_params p;
	struct ends_pattern *pattern;
	struct cuda_pool *pool;
};

static int
open_stream(void *ctx, int device, unsigned halved, void **stream,
	    struct err *e)
{
	const struct cuda_ends *g = ctx;
	struct ends_setup u = {
		.device = device, .hamming = g->p.hamming,
		.kernel = g->p.kernel,
		.pattern = g->pattern, .n = g->p.n,
		.letters = g->p.letters, .hits = g->p.hits,
	};
	struct ends_stream *s;
	int rc;

	for (; halved; halved--) {
		u.letters = u.letters / 128 * 64;
		if (u.hits / 2 >= LEAST_HITS)
			u.hits /= 2;
	}
	rc = ends_stream_new(&s, &u, e);
	*stream = s;
	return rc;
}

static void
close_stream(void *stream)
{
	ends_stream_free(stream);
}

static int
start(struct cuda_ends *g, struct err *e)
{
	struct cuda_pool_params p = {
		.choice = g->p.choice, .wait = g->p.wait, .ctx = g,
		.open = open_stream, .close = close_stream,
		.none = g->p.n ? NULL : "no patterns that it should search",
	};

	for (uint32_t n = g->p.letters; n / 2 >= LEAST_LETTERS; n /= 2)
		p.halvings++;
	return cuda_pool_new(&g->pool, &p, e);
}

int
cuda_ends_new(struct cuda_ends **out, const struct cuda_ends_params *p,
	      struct err *e)
{
	struct cuda_ends *g = calloc(1, sizeof *g);
	size_t bytes = p->n * sizeof *p->pattern;
	int rc;

	*out = NULL;
	if (!g)
		return err_nomem(e, sizeof *g);
	g->p = *p;
	g->p.letters = p->letters ? p->letters : LETTERS;
	g->p.hits = p->hits ? p->hits : HITS;
	g->pattern = malloc(bytes ? bytes : 1);
	if (!g->pattern) {
		free(g);
		return err_nomem(e, bytes);
	}
	if (bytes)
		memcpy(g->pattern, p->pattern, bytes);
	rc = start(g, e);
	if (rc)
		cuda_ends_free(g);
	else
		*out = g;
	return rc;
}

void
cuda_ends_free(struct cuda_ends *g)
{
	if (!g)
		return;
	cuda_pool_free(g->pool);
	free(g->pattern);
	free(g);
}

int
cuda_ends_find(struct cuda_ends *g, const struct kdiff_text *t,
	       struct kdiff_hits *out, struct err *e)
{
	struct cuda_lent l;
	bool all = false;
	int rc;

	if (!cuda_pool_borrow(g->pool, t->n * g->p.n, &l))
		return KDIFF_NOT_NOW;
	rc = ends_text(l.stream, t, out, &all, e);
	if (!rc && !all)
		cuda_pool_stop(g->pool, "too many matches");
	cuda_pool_return(g->pool, &l, rc, all ? t->n : 0, e);
	return rc == ERR_DEVICE || (!rc && !all) ? KDIFF_NOT_NOW : rc;
}

void
cuda_ends_report(const struct cuda_ends *g, struct cuda_report *r)
{
	cuda_pool_report(g->pool, r);
}
