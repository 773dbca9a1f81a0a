/* SPDX-License-Identifier: MIT */
/* sw_case.h - one query over subjects: sw_best() beside the textbook */
#ifndef SEQF_SW_CASE_H
#define SEQF_SW_CASE_H

#include "tests/lib/sw_gen.h"

enum { SWC_SUBJECTS = 8 };

/*
 * A subject's first `skip` letters are left out of the text, and cells of the
 * first `own` letters do not count: skip <= own < n.
 */
struct swc_subject {
	const uint8_t *t;
	size_t n, own, skip;
	uint64_t at;		/* column of letter 0, modulo 2^64 */
};

struct swc {
	const struct sw_scoring *s;
	const uint8_t *q;
	size_t n;
	bool minus;
	enum sw_kind kind;
	int64_t least;
	struct swc_subject subject[SWC_SUBJECTS];
	size_t n_subjects;
	struct osw_hits want;	/* all */
	struct sw_text text;
	struct sw_seg seg[SWC_SUBJECTS];
	uint8_t *codes;
};

static const char *const swc_engine[] = {
	"auto", "plain", "lanes of 8 bits", "lanes of 16 bits", "skew",
};
enum { SWC_ENGINES = 5 };

static inline uint64_t
swc_round(uint64_t n)
{
	return (n + SW_BLOCK - 1) / SW_BLOCK * SW_BLOCK;
}

/* Letters that own begins a block with; nothing reads the rest. */
static inline uint64_t
swc_place(struct swc *c, struct swc_subject *x, struct sw_seg *g, uint64_t at)
{
	uint64_t before = x->own - x->skip;

	g->beg = at;
	g->own = at + swc_round(before);
	x->at = g->own - x->own;
	g->end = g->own + swc_round(x->n - x->own);
	if (c->codes)
		memcpy(c->codes + g->own - before, x->t + x->skip,
		       x->n - x->skip);
	return g->end;
}

static inline void
swc_layout(struct swc *c)
{
	for (int twice = 0; twice < 2; twice++) {
		uint64_t at = 0;

		for (size_t i = 0; i < c->n_subjects; i++)
			at = swc_place(c, &c->subject[i], &c->seg[i], at);
		c->text = (struct sw_text){ c->codes, at, c->seg,
					    c->n_subjects, { 0 } };
		if (!c->codes) {
			c->codes = swg_alloc(at + 64);
			memset(c->codes, SW_PAD, at);
		}
	}
}

/* By start, then that which stands for its class first. */
static inline int
swc_by_start(const void *x, const void *y)
{
	const struct osw_hit *a = x, *b = y;
	size_t ka[] = { a->subject, a->beg, a->qbeg };
	size_t kb[] = { b->subject, b->beg, b->qbeg };

	for (size_t i = 0; i < 3; i++)
		if (ka[i] != kb[i])
			return ka[i] < kb[i] ? -1 : 1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->qend < b->qend ? -1 : a->qend > b->qend;
}

/* Of all cells the one that stands for each start; without their paths. */
static inline void
swc_classes(struct osw_hits *h)
{
	size_t n = 0;

	if (h->n)
		qsort(h->v, h->n, sizeof *h->v, swc_by_start);
	for (size_t i = 0; i < h->n; i++) {
		struct osw_hit *x = &h->v[i], *y = n ? &h->v[n - 1] : NULL;

		free(x->ops);
		x->ops = NULL;
		if (!y || y->subject != x->subject || y->beg != x->beg ||
		    y->qbeg != x->qbeg)
			h->v[n++] = *x;
	}
	h->n = n;
	if (n)
		qsort(h->v, n, sizeof *h->v, osw_cmp);
}

/*
 * Where all cells count, both readings are the textbook's.  Else the classes
 * are those of the reported cells: that of a gap may be before those that
 * count.
 */
static inline void
swc_oracle(struct swc *c)
{
	struct osw_subject x[SWC_SUBJECTS];
	struct osw_query q = { c->q, c->n, c->minus };
	bool owned = false, cells = c->kind == SW_CELLS;
	struct osw_scoring s;

	swg_oracle(c->s, &s);
	for (size_t i = 0; i < c->n_subjects; i++) {
		x[i] = (struct osw_subject){ c->subject[i].t,
			c->subject[i].n, c->subject[i].own };
		owned |= c->subject[i].own > 0;
	}
	c->want = osw_best(&s, q, x, c->n_subjects, cells || owned ?
			   OSW_CELLS : OSW_ALIGNMENTS, SIZE_MAX, c->least);
	if (owned && !cells)
		swc_classes(&c->want);
}

static inline void
swc_ready(struct swc *c)
{
	swc_layout(c);
	swc_oracle(c);
}

static inline void
swc_free(struct swc *c)
{
	osw_hits_free(&c->want);
	free(c->codes);
	c->codes = NULL;
}

static inline bool
swc_equal(const struct swc *c, const struct sw_hit *h,
	  const struct osw_hit *w)
{
	uint64_t at = c->subject[w->subject].at;

	return h->score == w->score && h->qbeg == w->qbeg &&
	       h->qend == w->qend && h->beg == at + w->beg &&
	       h->end == at + w->end;
}

static inline bool
swc_differs(const struct swc *c, size_t i, const struct sw_hits *h, size_t n)
{
	if (i < h->n)
		printf("# have %zu: score %lld rows %llu-%llu columns "
		       "%llu-%llu\n", i, (long long)h->v[i].score,
		       (unsigned long long)h->v[i].qbeg,
		       (unsigned long long)h->v[i].qend,
		       (unsigned long long)h->v[i].beg,
		       (unsigned long long)h->v[i].end);
	if (i < n) {
		const struct osw_hit *w = &c->want.v[i];
		uint64_t at = c->subject[w->subject].at;

		printf("# want %zu: score %lld rows %zu-%zu columns "
		       "%llu-%llu\n", i, (long long)w->score, w->qbeg, w->qend,
		       (unsigned long long)(at + w->beg),
		       (unsigned long long)(at + w->end));
	}
	printf("# %s %s n=%zu m=%llu have %zu want %zu\n",
	       c->kind == SW_CELLS ? "cells" : "alignments",
	       c->minus ? "minus" : "plus", c->n,
	       (unsigned long long)c->text.n, h->n, n);
	return false;
}

/* The first k, by an engine. */
static inline bool
swc_check(const struct swc *c, enum sw_engine engine, size_t k,
	  struct sw_work *w, struct sw_hits *h)
{
	size_t n = k < c->want.n ? k : c->want.n;
	struct sw_query *q;
	struct err e;

	if (sw_query_new(&q, c->s, c->q, c->n, c->minus, engine, &e) ||
	    sw_best(q, &c->text, c->kind, k, &c->least, w, h, &e)) {
		printf("# %s\n", e.text);
		return false;
	}
	sw_query_free(q);
	for (size_t i = 0; i < n && i < h->n; i++)
		if (!swc_equal(c, &h->v[i], &c->want.v[i]))
			return swc_differs(c, i, h, n);
	return n == h->n || swc_differs(c, n < h->n ? n : h->n, h, n);
}

/*
 * Rounds of cases, each made from *seed as it begins with it; check() says
 * what it found of each engine.
 */
static inline void
swc_sweep(uint64_t *seed, const char *name,
	  struct swg_case (*make)(size_t round), size_t rounds,
	  void (*check)(const struct swg_case *g, bool good[SWC_ENGINES]))
{
	bool good[SWC_ENGINES] = { true, true, true, true, true }, all = true;
	size_t round = 0;

	rounds = fewer(rounds);
	for (; all && round < rounds; round++) {
		uint64_t first = *seed = 0x5eed0000 + round * 977;
		struct swg_case g = make(round);

		check(&g, good);
		for (size_t i = 0; i < SWC_ENGINES; i++)
			all = all && good[i];
		if (!all)
			printf("# seed %llx open %d extend %d letters %u\n",
			       (unsigned long long)first, g.s.open, g.s.extend,
			       g.s.letters);
		swg_free(&g);
	}
	for (size_t i = 0; i < SWC_ENGINES; i++)
		ok(good[i], "%s: %zu cases, %s", name, round, swc_engine[i]);
}

/* Is it the path of the hit, each run of a letter one operation? */
static inline bool
swc_same_ops(const struct buf *b, const struct osw_hit *h)
{
	size_t at = 0;

	for (size_t i = 0; i < b->n; i += sizeof(uint32_t)) {
		uint32_t op, before = 0;

		memcpy(&op, b->p + i, sizeof op);
		if (i)
			memcpy(&before, b->p + i - sizeof op, sizeof op);
		if (i && (op & 15) == (before & 15))
			return false;
		for (uint32_t n = op >> 4; n; n--)
			if (at == h->n_ops ||
			    h->ops[at++] != "MIDNSHP=X"[op & 15])
				return false;
	}
	return at == h->n_ops;
}

#endif
