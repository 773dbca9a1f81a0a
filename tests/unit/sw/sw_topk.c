/* SPDX-License-Identifier: MIT */
/* sw_topk.c - the best K of what comes in any order, and their lower bound */
#include "sw/sw_priv.h"

#include <string.h>

#include "tests/lib/tap.h"

enum { MOST = 600, BLOCKS = 300 };

static uint64_t seed;
static struct sw_query query;
static struct sw_hit hit[MOST];
static size_t n_hit;

static int
by_order(const void *a, const void *b)
{
	return sw_hit_cmp(&query, a, b);
}

/* A class, or a cell, only once: by all pairs. */
static void
brute(enum sw_kind kind, size_t k)
{
	size_t n = 0;

	for (size_t i = 0; i < n_hit; i++) {
		const struct sw_hit *x = &hit[i];
		bool first = true;

		for (size_t j = 0; first && j < n_hit; j++) {
			const struct sw_hit *y = &hit[j];

			if (kind == SW_CELLS)
				first = j >= i || x->end != y->end ||
					x->qend != y->qend;
			else if (x->beg == y->beg && x->qbeg == y->qbeg)
				first = x->score != y->score ?
					x->score > y->score :
					x->end != y->end ? x->end < y->end :
					x->qend != y->qend ?
					x->qend < y->qend : i <= j;
		}
		if (first)
			hit[n++] = *x;
		else
			hit[i].score = 0;	/* no longer in the way */
	}
	qsort(hit, n, sizeof *hit, by_order);
	n_hit = n < k ? n : k;
}

/* Few values, so that many are equal; a cell's place determines the rest. */
static struct sw_hit
any_hit(enum sw_kind kind, uint64_t range)
{
	struct sw_hit x = {
		.end = 20 + below(&seed, range), .qend = 9 + below(&seed, 6),
	};
	uint64_t s = (x.end * 8 + x.qend) * 0x9e3779b97f4a7c15ULL + 1;

	if (kind == SW_ALIGNMENTS)
		s = rnd(&seed) | 1;
	x.score = 1 + (int64_t)below(&s, 9);
	x.beg = below(&s, 1 + range / 4);
	x.qbeg = below(&s, 4);
	return x;
}

static bool
kept(struct sw_topk *s, enum sw_kind kind, struct sw_hits *have)
{
	uint64_t range = 1 + below(&seed, 60);
	size_t k = 1 + below(&seed, below(&seed, 2) ? 5 : 400);
	struct err e;

	query = (struct sw_query){ .n = 20, .minus = below(&seed, 2) };
	sw_topk_reset(s, &query, kind, k);
	n_hit = below(&seed, MOST);
	for (size_t i = 0; i < n_hit; i++) {
		hit[i] = any_hit(kind, range);
		if (sw_topk_put(s, &hit[i], &e))
			abort();
	}
	if (below(&seed, 20) == 0)
		return true;	/* what is left behind must not matter */
	if (sw_topk_take(s, have, &e))
		abort();
	brute(kind, k);
	return have->n == n_hit &&
	       (!n_hit || !memcmp(have->v, hit, n_hit * sizeof *hit));
}

static void
test_keep(enum sw_kind kind, const char *name)
{
	struct sw_hits have = { 0 };
	struct sw_topk s = { 0 };
	size_t round = 0;
	bool good = true;

	for (; good && round < 1500; round++) {
		seed = 77 + round;
		good = kept(&s, kind, &have);
	}
	ok(good, "the first K of %s, %zu rounds", name, round);
	sw_hits_free(&have);
	sw_topk_free(&s);
}

static struct sw_seg seg[BLOCKS];
static int64_t top[BLOCKS];

static void
any_segs(struct sw_text *t)
{
	uint64_t at = 0, most = 1 + below(&seed, BLOCKS);

	*t = (struct sw_text){ .seg = seg };
	while (at < BLOCKS) {
		uint64_t n = 1 + below(&seed, most), own = 0;

		if (n > BLOCKS - at)
			n = BLOCKS - at;
		if (below(&seed, 3) == 0)
			own = below(&seed, n);
		seg[t->n_seg++] = (struct sw_seg){ at * SW_BLOCK,
			(at + n) * SW_BLOCK, (at + own) * SW_BLOCK };
		at += n;
	}
	t->n = at * SW_BLOCK;
}

static int
falling(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* The K-th largest top of the even or odd bins; least if there is none. */
static int64_t
kth(const struct sw_text *t, uint64_t context, size_t k, unsigned odd,
    int64_t least)
{
	uint64_t wide = (context + SW_BLOCK) / SW_BLOCK;
	int64_t v[BLOCKS];
	size_t n = 0;

	for (size_t s = 0; s < t->n_seg; s++) {
		uint64_t b = seg[s].own / SW_BLOCK, end = seg[s].end / SW_BLOCK;
		unsigned bin = 0;

		if (seg[s].own > seg[s].beg)
			b += wide;
		for (; b < end; b += wide, bin++) {
			int64_t most = 0;

			for (uint64_t i = b; i < end && i < b + wide; i++)
				most = top[i] > most ? top[i] : most;
			if (bin % 2 == odd)
				v[n++] = most;
		}
	}
	qsort(v, n, sizeof *v, falling);
	return n < k || v[k - 1] < least ? least : v[k - 1];
}

/* Each block is reported some times, with the score known by then. */
static bool
raised(struct sw_raise *r)
{
	struct sw_query q = { .context = 1 + below(&seed, 400) };
	size_t k = 1 + below(&seed, below(&seed, 2) ? 4 : 100);
	int64_t least = 1 + (int64_t)below(&seed, 20), now = least, even, odd;
	struct sw_text t;
	struct err e;

	any_segs(&t);
	memset(top, 0, sizeof top);
	if (sw_raise_reset(r, &q, &t, k, least, &e))
		abort();
	for (size_t i = 0; i < 1000; i++) {
		uint64_t b = below(&seed, t.n / SW_BLOCK);
		int64_t x = 1 + (int64_t)below(&seed, 1000), then = now;

		if (x < now)
			continue;
		top[b] = x > top[b] ? x : top[b];
		now = sw_raise_take(r, b, x);
		if (now < then)
			return false;
	}
	even = kth(&t, q.context, k, 0, least);
	odd = kth(&t, q.context, k, 1, least);
	return now == (even > odd ? even : odd);
}

static void
test_raise(void)
{
	struct sw_raise r = { 0 };
	size_t round = 0;
	bool good = true;

	for (; good && round < 3000; round++) {
		seed = 99 + round;
		good = raised(&r);
	}
	ok(good, "the bound from bins, %zu rounds", round);
	sw_raise_free(&r);
}

int
main(void)
{
	test_keep(SW_ALIGNMENTS, "alignments");
	test_keep(SW_CELLS, "cells");
	test_raise();
	return done();
}
