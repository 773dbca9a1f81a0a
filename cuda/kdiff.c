/* SPDX-License-Identifier: MIT */
/* kdiff.c - the GPU backend of kdiff: a pool of streams */
#include "cuda/kdiff.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/*
 * A piece has so many letters for each thread that the device holds, and room
 * for a hit every few.  For 16 Mi letters that is 6 MB, with exceptions, or 14
 * with sets, and 8 MB of hits, on both sides; where that is too much memory,
 * half of it is tried, down to the least.
 */
enum { EACH = 64, HIT_EVERY = 16, USUAL_LETTERS = 16 << 20,
       MAX_LETTERS = 64 << 20, FEW_LETTERS = 1 << 20,
       MIN_LETTERS = 64 << 10, MIN_HITS = 4 << 10 };

struct cuda_kdiff {
	struct cuda_kdiff_params p;
	struct kdiff_dev_pattern *pattern;
	struct cuda_pool *pool;
	uint64_t letters;	/* of the least stream; by atomics; 0: none */
};

static uint32_t
usual_letters(uint32_t threads)
{
	return (uint32_t)max_u64(FEW_LETTERS, min_u64(MAX_LETTERS, EACH *
						      (uint64_t)threads));
}

/* Letters and hits that a stream should have. */
static int
set_size(const struct cuda_kdiff *g, unsigned halved, struct kdiff_dev_setup *u,
	 struct err *e)
{
	struct cuda_device d;
	int rc = cuda_device(&d, u->device, e);

	if (rc)
		return rc;
	u->letters = g->p.letters ? g->p.letters : usual_letters(d.threads);
	u->hits = g->p.hits ? g->p.hits : u->letters / HIT_EVERY;
	for (; halved && u->letters / 2 >= MIN_LETTERS; halved--) {
		u->letters = u->letters / 128 * 64;
		if (u->hits / 2 >= MIN_HITS)
			u->hits /= 2;
	}
	return 0;
}

static int
open_stream(void *ctx, int device, unsigned halved, void **stream,
	    struct err *e)
{
	struct cuda_kdiff *g = ctx;
	struct kdiff_dev_setup u = {
		.device = device, .hamming = g->p.hamming, .sets = g->p.sets,
		.kernel = g->p.kernel, .pattern = g->pattern, .n = g->p.n,
	};
	struct kdiff_dev_stream *s = NULL;
	int rc = set_size(g, halved, &u, e);
	uint64_t now = cuda_kdiff_letters(g);

	if (!rc)
		rc = kdiff_dev_stream_new(&s, &u, e);
	*stream = s;
	if (!rc)
		__atomic_store_n(&g->letters, g->letters ?
				 min_u64(now, u.letters) : u.letters,
				 __ATOMIC_RELAXED);
	return rc;
}

static void
close_stream(void *stream)
{
	kdiff_dev_stream_free(stream);
}

static int
start_pool(struct cuda_kdiff *g, struct err *e)
{
	struct cuda_pool_params p = {
		.choice = g->p.choice, .wait = g->p.wait, .ctx = g,
		.open = open_stream, .close = close_stream,
		.none = g->p.n ? NULL : "no patterns that it should search",
	};

	for (uint32_t n = g->p.letters ? g->p.letters : MAX_LETTERS;
	     n / 2 >= MIN_LETTERS; n /= 2)
		p.halvings++;
	return cuda_pool_new(&g->pool, &p, e);
}

int
cuda_kdiff_new(struct cuda_kdiff **out, const struct cuda_kdiff_params *p,
	       struct err *e)
{
	struct cuda_kdiff *g = calloc(1, sizeof *g);
	size_t bytes = p->n * sizeof *p->pattern;
	int rc;

	*out = NULL;
	if (!g)
		return err_nomem(e, sizeof *g);
	g->p = *p;
	g->pattern = malloc(bytes ? bytes : 1);
	if (!g->pattern) {
		free(g);
		return err_nomem(e, bytes);
	}
	if (bytes)
		memcpy(g->pattern, p->pattern, bytes);
	rc = start_pool(g, e);
	if (rc)
		cuda_kdiff_free(g);
	else
		*out = g;
	return rc;
}

void
cuda_kdiff_free(struct cuda_kdiff *g)
{
	if (!g)
		return;
	cuda_pool_free(g->pool);
	free(g->pattern);
	free(g);
}

int
cuda_kdiff_find(struct cuda_kdiff *g, const struct kdiff_text *t, bool alone,
		struct kdiff_hits *out, struct err *e)
{
	struct cuda_lent l;
	bool all = false;
	int rc;

	if (!cuda_pool_borrow(g->pool, t->n * g->p.n, &l))
		return KDIFF_NOT_NOW;
	rc = ends_text(l.stream, t, out, &all, e);
	if (!rc && !all && alone)
		cuda_pool_stop(g->pool, "too many matches");
	cuda_pool_return(g->pool, &l, rc, all ? t->n : 0, e);
	return rc == ERR_DEVICE || (!rc && !all) ? KDIFF_NOT_NOW : rc;
}

bool
cuda_kdiff_is_open(const struct cuda_kdiff *g)
{
	return cuda_pool_is_open(g->pool);
}

uint64_t
cuda_kdiff_letters(const struct cuda_kdiff *g)
{
	uint64_t n = __atomic_load_n(&g->letters, __ATOMIC_RELAXED);

	return n ? n : USUAL_LETTERS;
}

unsigned
cuda_kdiff_streams(const struct cuda_kdiff *g)
{
	return cuda_pool_streams(g->pool);
}

void
cuda_kdiff_report(const struct cuda_kdiff *g, struct cuda_report *r)
{
	cuda_pool_report(g->pool, r);
}
