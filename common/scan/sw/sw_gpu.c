/* SPDX-License-Identifier: MIT */
/* sw_gpu.c - when GPUs find scores */

#include <stdlib.h>
#include <string.h>

#include "scan/sw/sw.h"
#include "scan/sw/sw_scan_priv.h"

/*
 * By default a GPU serves only queries that are so long on average
 * that what it takes beside the cells is little.  A thread does some 2^36 cells
 * in a second, and to open a device takes a good part of one.
 */
enum { AUTO_ROWS = 256, AUTO_WAIT = 35 };
static const uint64_t rate = 1ull << 36;

/* Why it has nothing to do; NULL: it has. */
static const char *
nothing_for(const struct sw_scan *s, bool all)
{
	size_t rows = 0;

	if (s->o.best == SW_READ_DISJOINT)
		return "--kind=waterman-eggert is the CPU's";
	if (!s->by.dna)
		return "scores of a matrix are the CPU's";
	if (!cuda_sw_scoring(&s->scoring))
		return "scores are too large for it";
	for (size_t i = 0; i < s->q->n; i++)
		rows += s->q->v[i].letters.n;
	return all || rows / AUTO_ROWS >= s->q->n ? NULL :
	       "short queries are the CPU's";
}

int
sw_use_gpu(struct sw_scan *s, const struct sw_gpu_params *p, struct err *e)
{
	struct cuda_sw_params c = {
		.choice = p->choice, .kernel = p->kernel,
		.none = nothing_for(s, p->choice.kind == CUDA_THESE),
		.wait = (uint64_t)p->threads << AUTO_WAIT,
		.rate = scan_cpu_rate(p->threads, rate),
	};
	int rc;

	if (p->kernel != CUDA_SW_FAST && s->o.best != SW_READ_CELLS)
		return err_set(e, ERR_USAGE, "--kernel: the source's finds the "
			       "best cells only; it needs --kind=cells");
	rc = cuda_sw_new(&s->gpu, &c, e);
	s->backend = (struct sw_backend){ cuda_sw_find, s->gpu };
	return rc;
}

void
sw_end_gpu(struct sw_scan *s, struct cuda_report *r)
{
	cuda_pool_report(s->gpu, r);
	cuda_pool_free(s->gpu);
	s->gpu = NULL;
}

/*
 * Texts of several chunks, searched by a GPU as one
 *
 * Texts are whole blocks, and their segments, side by side, are searched apart:
 * so each has the scores that it would have alone.
 */

struct all {
	struct sw_text x;
	struct buf codes, seg;
	int32_t *tops;
	struct cuda_sw_text *each;
};

static void
drop(struct all *a)
{
	buf_free(&a->codes);
	buf_free(&a->seg);
	free(a->tops);
	free(a->each);
}

static void
add_text(struct all *a, const struct sw_text *x)
{
	buf_put(&a->codes, x->codes, x->n);
	for (size_t i = 0; i < x->n_seg; i++) {
		struct sw_seg g = x->seg[i];

		g.beg += a->x.n;
		g.end += a->x.n;
		g.own += a->x.n;
		buf_put(&a->seg, &g, sizeof g);
	}
	a->x.n += x->n;
	a->x.n_seg += x->n_seg;
}

/* For a device, which reads no codes behind them.  False: there is no
 * memory. */
static bool
join(struct all *a, const struct sw_gpu_text *text, size_t n)
{
	a->each = calloc(n, sizeof *a->each);
	for (size_t i = 0; a->each && i < n; i++) {
		add_text(a, &text[i].x);
		a->each[i].end = a->x.n;
	}
	a->tops = malloc((a->x.n / SW_BLOCK + 1) * sizeof *a->tops);
	a->x.codes = a->codes.p;
	a->x.seg = (const void *)a->seg.p;
	return a->each && a->tops && !a->codes.bad && !a->seg.bad;
}

static void
split(const struct all *a, size_t cells, struct sw_gpu_text *text, size_t n)
{
	const int32_t *from = a->tops;

	for (size_t i = 0; i < n; i++) {
		size_t blocks = text[i].x.n / SW_BLOCK;
		int32_t *tops = malloc((blocks + 1) * sizeof *from);

		if (tops && blocks)
			memcpy(tops, from, blocks * sizeof *from);
		text[i].known = (struct sw_known){ tops, a->each[i].least,
						   cells };
		from += blocks;
	}
}

struct batch {
	struct cuda_pool *gpu;
	struct sw_view v;
	struct sw_gpu_text *text;
};

static bool
search_texts(void *ctx, size_t from, size_t n)
{
	const struct batch *b = ctx;
	struct all a = { .x = { .n = 0 } };
	int rc = ERR_NOMEM;
	struct err e;

	if (!cuda_sw_gathers(b->gpu, &b->v))
		return true;	/* nor does it search fewer */
	if (join(&a, b->text + from, n))
		rc = cuda_sw_gathered(b->gpu, &b->v, &a.x, a.each, n, a.tops,
				      &e);
	if (!rc)
		split(&a, b->v.cells, b->text + from, n);
	drop(&a);
	return !rc;
}

void
sw_gpu_batch(struct cuda_pool *gpu, const struct sw_query *q, size_t cells,
	     struct sw_gpu_text *text, size_t n)
{
	struct batch b = { gpu, sw_query_view(q), text };

	b.v.cells = cells;
	scan_gpu_batch(search_texts, &b, 0, n);
}
