/* SPDX-License-Identifier: MIT */
/* primer.c - a text and its cores through a stream: pieces, batches, order */
#include "cuda/primer.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cuda/primer_long.h"
#include "cuda/order.h"

/*
 * In all 12 MB on both sides, or 7 of streams for long cores, up to 16 a
 * device; where that is too much, half of it is tried, down to the least.  More
 * than MAX_HITS hits are not worth reporting one by one.
 */
enum {
	LETTERS = 2 << 20, CORES = 32 << 10, HITS = 1 << 20,
	LONG_LETTERS = 5 << 20, LONG_HITS = 192 << 10,
	MIN_LETTERS = 64 << 10, MIN_CORES = 1 << 10, MIN_HITS = 16 << 10,
	MAX_HITS = 4 << 20,
	MIN_STRETCH = 512, MAX_STRETCH = 8192,	/* multiples of 64 */
	OPS = 13,		/* of a letter and a core, and some */
	MIN_WORK = 1 << 24,	/* of long cores: 2 ms of the CPU */
};

struct cuda_primer {
	struct cuda_primer_params p;
	uint64_t searches;	/* with long cores, that have a number */
};

static int
open_stream(const void *ctx, const struct cuda_device *d, unsigned halved,
	    void **stream, struct err *e)
{
	const struct cuda_primer *g = ctx;
	struct primer_dev_setup u = {
		.device = d, .letters = g->p.letters,
		.cores = g->p.cores, .hits = g->p.hits,
	};
	struct primer_dev_stream *s;
	int rc;

	for (; halved; halved--) {
		u.letters = max_u64(u.letters / 2, MIN_LETTERS);
		u.cores = max_u64(u.cores / 2, MIN_CORES);
		u.hits = max_u64(u.hits / 2, MIN_HITS);
	}
	rc = primer_dev.open(&s, &u, e);
	*stream = s;
	return rc;
}

/* Cores [from, from + n) to pinned memory. */
static void
put_cores(struct primer_dev_stream *s, const struct primer_find *x, size_t from,
	  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct primer_core *c = &x->core[from + i];
		uint32_t *to = s->eq +
			       i / PRIMER_DEV_GROUP * PRIMER_DEV_GROUP *
				   PRIMER_DEV_SYMBOLS +
			       i % PRIMER_DEV_GROUP;

		s->rows[i] = c->rows;
		for (unsigned j = 0; j < PRIMER_DEV_SYMBOLS; j++)
			to[j * PRIMER_DEV_GROUP] = c->eq[j];
	}
	for (size_t i = n; i % PRIMER_DEV_GROUP; i++)	/* to be read only */
		for (unsigned j = 0; j < PRIMER_DEV_SYMBOLS; j++)
			s->eq[(i / PRIMER_DEV_GROUP * PRIMER_DEV_SYMBOLS + j) *
			      PRIMER_DEV_GROUP + i % PRIMER_DEV_GROUP] = 0;
}

/* So long that all of the device's threads have one. */
static uint32_t
stretch_length(const struct primer_dev_stream *s, uint64_t letters,
	       uint64_t cores)
{
	uint64_t n = letters * cores / (4 * (uint64_t)s->threads + 1);

	return (uint32_t)min_u64(MAX_STRETCH, max_u64(MIN_STRETCH,
						       n / 64 * 64));
}

/* What a run found, of text and cores from there on. */
static int
take_hits(const struct primer_dev_stream *s, uint64_t n, uint64_t base,
	  uint64_t first, struct primer_found *out, struct err *e)
{
	int rc = array_room(&out->v, &out->cap, out->n + n, sizeof *out->v, e);

	for (uint64_t i = 0; i < n && !rc; i++)
		out->v[out->n++] = s->hit[i] + (first << 32) + base;
	return rc;
}

/* A batch of cores over all of the text; false in *all: too many hits. */
static int
find_batch(struct primer_dev_stream *s, const struct primer_find *x,
	   size_t from, size_t n, struct primer_found *out, bool *all,
	   struct err *e)
{
	struct primer_dev_piece p = { .cores = (uint32_t)n, .k = x->k };
	size_t before = out->n;
	uint64_t found;
	int rc = 0;

	put_cores(s, x, from, n);
	for (uint64_t at = 0, end; at < x->n && !rc && *all; at = end) {
		uint64_t base = at - min_u64(at, PRIMER_DEV_LEAD);

		end = min_u64(x->n, base + s->letters);
		p.letters = (uint32_t)(end - base);
		p.own = (uint32_t)(at - base);
		p.stretch = stretch_length(s, end - at, n);
		memcpy(s->text, x->text + base, p.letters);
		memset(s->text + p.letters, 0, -p.letters % 32);
		s->held = 0;
		s->search = 0;
		rc = primer_dev.run(s, &p, &found, e);
		*all = found <= s->hits && out->n - before + found <= MAX_HITS;
		if (!rc && *all)
			rc = take_hits(s, found, base, from, out, e);
	}
	return rc;
}

static int
in_order(struct primer_found *out, struct err *e)
{
	size_t bytes = out->n * sizeof *out->v;
	uint64_t *tmp = malloc(bytes ? bytes : 1), *v;

	if (!tmp)
		return err_nomem(e, bytes);
	v = cuda_order(out->v, tmp, out->n, 0);
	if (v == tmp)
		memcpy(out->v, tmp, bytes);
	free(tmp);
	return 0;
}

/* Back, and what was found in order, if it is all. */
static int
end_search(struct cuda_pool *pool, const struct cuda_lent *l, int rc, bool all,
	   uint64_t letters, struct primer_found *out, struct err *e)
{
	cuda_pool_return(pool, l, rc, all ? letters : 0, e);
	if (!rc && all)
		return in_order(out, e);
	out->n = 0;
	return rc && rc != ERR_DEVICE ? rc : PRIMER_NOT_NOW;
}

static int
find_cores(void *ctx, const struct primer_find *x, struct primer_found *out,
	   struct err *e)
{
	const struct cuda_primer *g = cuda_pool_ctx(ctx);
	struct cuda_lent l;
	struct primer_dev_stream *s;
	bool all = true;
	int rc = 0;

	out->n = 0;
	if (x->n_symbols > PRIMER_DEV_SYMBOLS || x->n >= 1u << 31 ||
	    x->n_cores < g->p.least ||
	    !cuda_pool_borrow(ctx, x->n * x->n_cores, &l))
		return PRIMER_NOT_NOW;
	s = l.stream;
	for (size_t i = 0, n; i < x->n_cores && !rc && all; i += n) {
		n = min_u64(s->cores, x->n_cores - i);
		rc = find_batch(s, x, i, n, out, &all, e);
	}
	return end_search(ctx, &l, rc, all, x->n, out, e);
}

static int
find_long(void *ctx, const struct primer_find_long *x,
	  struct primer_found *out, struct err *e)
{
	struct cuda_primer *g = cuda_pool_ctx(ctx);
	uint64_t work = primer_long_work(x);
	struct cuda_lent l;
	bool all;
	int rc;

	out->n = 0;
	if (x->n_symbols > PRIMER_DEV_SYMBOLS || x->n >= 1u << 31 || !work ||
	    (g->p.least && work < MIN_WORK))
		return PRIMER_NOT_NOW;
	if (!*x->search)
		*x->search = __atomic_add_fetch(&g->searches, 1,
						__ATOMIC_RELAXED);
	if (!cuda_pool_borrow_near(ctx, work, (unsigned)*x->search, &l))
		return PRIMER_NOT_NOW;
	rc = primer_long_search(l.stream, x, out, &all, e);
	return end_search(ctx, &l, rc, all, x->n, out, e);
}

static bool
is_open(void *ctx)
{
	return cuda_pool_is_open(ctx);
}

int
cuda_primer_new(struct cuda_pool **out, const struct cuda_primer_params *p,
		struct err *e)
{
	struct cuda_primer g = { .p = *p };
	struct cuda_pool_params q = {
		.choice = p->choice, .wait = p->wait, .ctx = &g,
		.ctx_bytes = sizeof g, .open = open_stream,
		.close = primer_dev.close,
		.ops = OPS * p->rate, .ops_without = OPS * p->rate,
		.halvings = p->letters ? 0 : 6,		/* to all the least */
		.streams = p->streams,
	};

	if (!p->letters) {
		g.p.letters = p->streams ? LONG_LETTERS : LETTERS;
		g.p.cores = p->streams ? MIN_CORES : CORES;
		g.p.hits = p->streams ? LONG_HITS : HITS;
	}
	return cuda_pool_new(out, &q, e);
}

struct primer_backend
cuda_primer_backend(struct cuda_pool *pool)
{
	const struct cuda_primer *g = cuda_pool_ctx(pool);

	return (struct primer_backend){
		.find = find_cores, .serves = is_open, .find_long = find_long,
		.ctx = pool, .first = g->p.choice.kind == CUDA_THESE,
	};
}
