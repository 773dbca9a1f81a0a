/* SPDX-License-Identifier: MIT */
/* asm_gpu.c - which patterns GPUs look for, and when */

#include <stdlib.h>
#include <string.h>

#include "scan/asm/asm.h"
#include "scan/asm/asm_priv.h"

/*
 * By default a GPU serves only patterns whose pieces are so short
 * that an index finds places of them all over the text, and only if there are
 * so many a thread: fewer are searched about as fast as text is read.  A thread
 * does some 2^33 letters x patterns in a second, and to open a device takes a
 * good part of one.
 */
enum { AUTO_PIECE = 7, AUTO_PATTERNS = 8, AUTO_WAIT = 33 };

struct asm_gpu {
	struct cuda_pool *pool;
	struct kdiff_backend backend;
	uint32_t *rest;
	struct kdiff_dev_pattern *pattern;	/* served; for the making */
	size_t n;
};

static int
find_ends(void *ctx, const struct kdiff_text *text, struct kdiff_hits *out,
	  struct err *e)
{
	return cuda_kdiff_find(((struct asm_gpu *)ctx)->pool, text, true, out,
			       e);
}

void
asm_gpu_free(struct asm_gpu *g)
{
	if (!g)
		return;
	cuda_pool_free(g->pool);
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
		bool good = i <= KDIFF_DEV_MAX_NUMBER &&
			    kdiff_set_masks(set, i, &x) &&
			    (all || x.piece < AUTO_PIECE);

		if (!good) {
			g->rest[g->backend.n_rest++] = (uint32_t)i;
			continue;
		}
		g->pattern[g->n++] = (struct kdiff_dev_pattern){
			.eq = { x.eq[0], x.eq[1], x.eq[2], x.eq[3] },
			.m = x.m, .k = x.k, .number = (uint32_t)i,
		};
	}
}

static int
start_gpu(struct asm_gpu *g, const struct kdiff_set *set,
	  const struct asm_gpu_params *p, struct err *e)
{
	size_t n = kdiff_set_size(set);
	bool all = p->choice.kind == CUDA_THESE;
	struct cuda_kdiff_params c = {
		.choice = p->choice, .kernel = p->kernel,
		.hamming = kdiff_set_params(set)->hamming,
		.sets = kdiff_set_params(set)->iupac,
		.wait = (uint64_t)p->threads << AUTO_WAIT,
		.rate = scan_cpu_rate(p->threads, 1ull << AUTO_WAIT),
		.letters = p->letters, .hits = p->hits, .launch = p->launch,
	};

	g->rest = calloc(n + 1, sizeof *g->rest);
	g->pattern = calloc(n + 1, sizeof *g->pattern);
	if (!g->rest || !g->pattern)
		return err_nomem(e, (n + 1) * sizeof *g->pattern);
	share_out(g, set, all);
	c.pattern = g->pattern;
	if (!all && g->n < (size_t)AUTO_PATTERNS * p->threads)
		g->n = 0;
	c.n = g->n;
	g->backend.find = find_ends;
	g->backend.ctx = g;
	g->backend.rest = g->rest;
	g->backend.first = all;
	return cuda_kdiff_new(&g->pool, &c, e);
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
	rc = start_gpu(g, set, p, e);
	if (rc) {
		asm_gpu_free(g);
		return rc;
	}
	/* none, if the pool is never asked: engines go by that */
	if (cuda_pool_streams(g->pool))
		kdiff_set_backend(set, &g->backend);
	*out = g;
	return 0;
}

int
asm_use_gpu(struct asm_scan *a, const struct asm_gpu_params *p, struct err *e)
{
	if (!a->pam)
		return asm_gpu_new(&a->gpu, a->set, p, e);
	if (p->choice.kind == CUDA_THESE)
		return err_set(e, ERR_USAGE, "-g: --pam is searched by CPUs "
			       "alone");
	return 0;
}

struct cuda_pool *
asm_gpu_pool(const struct asm_gpu *g)
{
	return g ? g->pool : NULL;
}

void
asm_end_gpu(struct asm_scan *a, struct cuda_report *r)
{
	memset(r, 0, sizeof *r);
	if (!a->gpu)
		return;
	cuda_pool_report(a->gpu->pool, r);
	kdiff_set_backend(a->set, NULL);
	asm_gpu_free(a->gpu);
	a->gpu = NULL;
}

/*
 * Texts of several chunks, searched by a GPU as one
 *
 * Each text begins at a multiple of 64 of the one that all of them make, and
 * keeps its segments, which are searched apart: so what is found in it is what
 * it would have alone.
 */

struct all {
	struct kdiff_text x;
	struct buf planes, exc, sets, seg;
	struct kdiff_hits hits;
};

static void
drop_all(struct all *a)
{
	buf_free(&a->planes);
	buf_free(&a->exc);
	buf_free(&a->sets);
	buf_free(&a->seg);
	kdiff_hits_free(&a->hits);
}

static uint64_t
words_of(const struct kdiff_text *x)
{
	return (x->n + 63) / 64;
}

/* Its letters as sets: A C G T are sets of one. */
static void
put_sets(struct buf *to, const struct kdiff_text *x)
{
	if (x->sets) {
		buf_put(to, x->sets, words_of(x) * 32);
		return;
	}
	for (uint64_t i = 0; i < words_of(x); i++) {
		uint64_t lo = x->planes[2 * i], hi = x->planes[2 * i + 1];
		uint64_t is = x->exc ? ~x->exc[i] : ~0ull;
		uint64_t set[] = { ~lo & ~hi & is, lo & ~hi & is,
				   ~lo & hi & is, lo & hi & is };

		buf_put(to, set, sizeof set);
	}
}

static void
add_text(struct all *a, const struct kdiff_text *x, bool exc, bool sets)
{
	uint64_t words = words_of(x);

	buf_put(&a->planes, x->planes, words * 16);
	if (exc && x->exc)
		buf_put(&a->exc, x->exc, words * 8);
	else if (exc)
		buf_zero(&a->exc, words * 8);
	if (sets)
		put_sets(&a->sets, x);
	for (size_t i = 0; i < x->n_seg; i++) {
		struct kdiff_seg g = x->seg[i];

		g.beg += a->x.n;
		g.end += a->x.n;
		buf_put(&a->seg, &g, sizeof g);
	}
	a->x.n += words * 64;
	a->x.n_seg += x->n_seg;
}

/* False: there is no memory. */
static bool
join_texts(struct all *a, struct asm_gpu_text *const *text, size_t n)
{
	bool exc = false, sets = false;

	for (size_t i = 0; i < n; i++) {
		exc |= text[i]->x.exc != NULL;
		sets |= text[i]->x.sets != NULL;
	}
	for (size_t i = 0; i < n; i++)
		add_text(a, &text[i]->x, exc, sets);
	a->x.planes = (const void *)a->planes.p;
	a->x.exc = (const void *)a->exc.p;
	a->x.sets = (const void *)a->sets.p;
	a->x.seg = (const void *)a->seg.p;
	return !a->planes.bad && !a->exc.bad && !a->sets.bad && !a->seg.bad;
}

/* The hits of [at, at + n), the first of which is number *i, and the next one
 * behind them becomes it. */
static bool
hand_out(struct asm_gpu_text *t, uint64_t at, const struct kdiff_hits *all,
	 size_t *i)
{
	size_t from = *i, n;

	while (*i < all->n && all->v[*i].end <= at + t->x.n)
		(*i)++;
	n = *i - from;
	t->found.v = malloc((n + 1) * sizeof *t->found.v);
	if (!t->found.v)
		return false;
	t->found.n = n;
	t->found.cap = n + 1;
	for (size_t j = 0; j < n; j++) {
		t->found.v[j] = all->v[from + j];
		t->found.v[j].end -= at;
	}
	return true;
}

static void
split_hits(const struct all *a, struct asm_gpu_text *const *text, size_t n)
{
	uint64_t at = 0;
	size_t hit = 0;

	for (size_t i = 0; i < n; i++) {
		text[i]->is_found = hand_out(text[i], at, &a->hits, &hit);
		at += words_of(&text[i]->x) * 64;
	}
}

struct batch {
	struct cuda_pool *gpu;
	struct asm_gpu_text **text;
};

static bool
search_texts(void *ctx, size_t from, size_t n)
{
	const struct batch *b = ctx;
	struct all a = { .x = { .n = 0 } };
	struct err e;
	int rc = ERR_NOMEM;

	if (!cuda_pool_is_open(b->gpu))
		return true;
	if (join_texts(&a, b->text + from, n))
		rc = cuda_kdiff_find(b->gpu, &a.x, false, &a.hits, &e);
	if (!rc)
		split_hits(&a, b->text + from, n);
	drop_all(&a);
	return !rc;
}

void
asm_gpu_batch(struct asm_gpu *g, struct asm_gpu_text **text, size_t n)
{
	struct batch b = { g->pool, text };

	scan_gpu_batch(search_texts, &b, 0, n);
}
