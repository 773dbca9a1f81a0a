/* SPDX-License-Identifier: MIT */
/*
 * asm_gpu_gather.c - texts of several chunks, searched by a GPU as one
 *
 * Each text begins at a multiple of 64 of the one that all of them make, and
 * keeps its segments, which are searched apart: so what is found in it is what
 * it would have alone.
 */
#include <stdlib.h>
#include <string.h>

#include "scan/asm_gpu.h"

struct all {
	struct kdiff_text x;
	uint64_t *planes, *exc, *sets;
	struct kdiff_seg *seg;
	struct kdiff_hits hits;
};

static uint64_t
round_up(uint64_t n)
{
	return (n + 63) / 64 * 64;
}

static void
drop(struct all *a)
{
	free(a->planes);
	free(a->exc);
	free(a->sets);
	free(a->seg);
	kdiff_hits_free(&a->hits);
}

/* Memory for all; false: there is none. */
static bool
reserve(struct all *a, struct asm_gpu_text *const *text, size_t n)
{
	uint64_t letters = 0;
	bool exc = false, sets = false;

	for (size_t i = 0; i < n; i++) {
		letters += round_up(text[i]->x.n);
		a->x.n_seg += text[i]->x.n_seg;
		exc |= text[i]->x.exc != NULL;
		sets |= text[i]->x.sets != NULL;
	}
	a->planes = malloc(letters / 4 + 1);
	a->exc = exc ? calloc(letters / 64 + 1, sizeof *a->exc) : NULL;
	a->sets = sets ? malloc(letters / 2 + 1) : NULL;
	a->seg = malloc((a->x.n_seg + 1) * sizeof *a->seg);
	a->x.planes = a->planes;
	a->x.exc = a->exc;
	a->x.sets = a->sets;
	a->x.seg = a->seg;
	return a->planes && a->seg && (a->exc || !exc) && (a->sets || !sets);
}

/* Its letters as sets: A C G T are sets of one. */
static void
put_sets(uint64_t *to, const struct kdiff_text *x, uint64_t words)
{
	if (x->sets) {
		memcpy(to, x->sets, words * 32);
		return;
	}
	for (uint64_t i = 0; i < words; i++, to += 4) {
		uint64_t lo = x->planes[2 * i], hi = x->planes[2 * i + 1];
		uint64_t is = x->exc ? ~x->exc[i] : ~0ull;

		to[0] = ~lo & ~hi & is;
		to[1] = lo & ~hi & is;
		to[2] = ~lo & hi & is;
		to[3] = lo & hi & is;
	}
}

static void
join(struct all *a, struct asm_gpu_text *const *text, size_t n)
{
	struct kdiff_seg *g = a->seg;

	for (size_t i = 0; i < n; i++) {
		const struct kdiff_text *x = &text[i]->x;
		uint64_t at = a->x.n, words = round_up(x->n) / 64;

		if (words)
			memcpy(a->planes + at / 32, x->planes, words * 16);
		if (words && x->exc)
			memcpy(a->exc + at / 64, x->exc, words * 8);
		if (words && a->sets)
			put_sets(a->sets + at / 16, x, words);
		for (size_t j = 0; j < x->n_seg; j++, g++) {
			*g = x->seg[j];
			g->beg += at;
			g->end += at;
		}
		a->x.n += words * 64;
	}
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
split(const struct all *a, struct asm_gpu_text *const *text, size_t n)
{
	uint64_t at = 0;
	size_t hit = 0;

	for (size_t i = 0; i < n; i++) {
		text[i]->is_found = hand_out(text[i], at, &a->hits, &hit);
		at += round_up(text[i]->x.n);
	}
}

void
asm_gpu_gather(struct asm_gpu *g, struct asm_gpu_text **text, size_t n)
{
	struct all a = { .x = { .n = 0 } };
	struct err e;
	int rc = ERR_NOMEM;

	if (n == 0 || !asm_gpu_gathers(g))
		return;
	if (reserve(&a, text, n)) {
		join(&a, text, n);
		rc = asm_gpu_find(g, &a.x, &a.hits, &e);
	}
	if (!rc)
		split(&a, text, n);
	drop(&a);
	if (rc && n > 1) {
		asm_gpu_gather(g, text, n / 2);
		asm_gpu_gather(g, text + n / 2, n - n / 2);
	}
}
