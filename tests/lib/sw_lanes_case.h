/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes_case.h - a pass in lanes, skewed or not, against the textbook's
 * largest H a block
 */
#ifndef SEQF_SW_LANES_CASE_H
#define SEQF_SW_LANES_CASE_H

#include <inttypes.h>
#include <string.h>

#include "sw/sw_lanes.h"
#include "sw/sw_skew.h"
#include "base/cpu.h"
#include "tests/lib/sw_gen.h"

/* A text cut into segments, and what is true of it. */
struct cut {
	struct sw_query *q;
	struct sw_text t;
	struct sw_seg *seg;
	uint8_t *codes;
	int64_t *top;
	struct sw_peak *peak;
};

typedef int pass_fn(struct sw_pass *p, struct sw_work *w, struct err *e);

/* What a pass reported. */
struct ear {
	uint64_t seed;
	const int64_t *top;
	int64_t *took;
	int64_t threshold;
	unsigned rises;		/* one of so many times; 0: never */
	bool wrong;
};

static uint64_t seed = 20250713;
static struct sw_work *work;
static bool prunes;	/* it leaves out what leads to nothing */
static struct err err;

/* Random letters. */
static inline struct swg_case
with(int32_t match, int32_t mismatch, int32_t open, int32_t extend, size_t n,
     size_t m)
{
	struct swg_case c;

	swg_dna(&c.s, match, mismatch, open, extend);
	swg_room(&c, n, m);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, m);
	return c;
}

static inline void *
room(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		abort();
	return p;
}

static inline int64_t
larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Gotoh's recurrence as it stands in sw.h. */
static inline void
textbook(const struct swg_case *c, const struct sw_text *t, int64_t *top)
{
	const int64_t none = INT64_MIN / 4;
	const int64_t extend = c->s.extend, open = c->s.open + extend;
	int64_t *h = room(c->n + 1, sizeof *h), *e = room(c->n + 1, sizeof *e);

	for (size_t s = 0; s < t->n_seg; s++) {
		for (size_t i = 0; i <= c->n; i++) {
			h[i] = 0;
			e[i] = none;
		}
		for (uint64_t j = t->seg[s].beg; j < t->seg[s].end; j++) {
			int64_t f = none, d = 0, most = top[j / SW_BLOCK];
			uint8_t x = t->codes[j];

			for (size_t i = 1; i <= c->n; i++) {
				int64_t v = x == SW_PAD ? none :
					    d + c->s.score[c->q[i - 1]][x];

				e[i] = larger(h[i] - open, e[i] - extend);
				f = larger(h[i - 1] - open, f - extend);
				d = h[i];
				h[i] = larger(larger(larger(0, v), e[i]), f);
				most = larger(most, h[i]);
			}
			top[j / SW_BLOCK] = most;
		}
	}
	free(h);
	free(e);
}

/* The case's text as segments of 0 to `most` letters, padded at either end. */
static inline void
cut(struct cut *x, const struct swg_case *c, size_t most,
    enum sw_engine engine)
{
	size_t segs = 0, at = 0, cols = 0;

	memset(x, 0, sizeof *x);
	x->codes = room(3 * SW_BLOCK * (c->m + 2), 1);
	x->seg = room(c->m + 2, sizeof *x->seg);
	while (at < c->m || segs == 0) {
		size_t n = swg_between(&seed, most >= c->m ? c->m : 1, most);
		struct sw_seg *g = &x->seg[segs++];
		size_t pads = below(&seed, 3) ? 0 : below(&seed, SW_BLOCK);

		n = n < c->m - at ? n : c->m - at;
		memset(x->codes + cols, SW_PAD, pads + n + SW_BLOCK);
		memcpy(x->codes + cols + pads, c->t + at, n);
		g->beg = g->own = cols;
		cols += (pads + n + SW_BLOCK - 1) / SW_BLOCK * SW_BLOCK;
		g->end = cols;
		at += n;
		if (segs > c->m)
			break;
	}
	x->t = (struct sw_text){ x->codes, cols, x->seg, segs, { 0 } };
	x->top = room(cols / SW_BLOCK, sizeof *x->top);
	x->peak = room(cols / SW_BLOCK, sizeof *x->peak);
	if (sw_query_new(&x->q, &c->s, c->q, c->n, false, engine, &err))
		abort();
	textbook(c, &x->t, x->top);
}

static inline void
cut_free(struct cut *x)
{
	sw_query_free(x->q);
	free(x->codes);
	free(x->seg);
	free(x->top);
	free(x->peak);
}

static inline int64_t
take_block(void *ctx, uint64_t block, int64_t top)
{
	struct ear *e = ctx;

	e->wrong |= top > e->top[block] || top < e->threshold;
	e->took[block] = larger(e->took[block], top);
	if (e->rises && below(&e->seed, e->rises) == 0)
		e->threshold += (int64_t)below(&e->seed,
		    (uint64_t)(top - e->threshold) + 2);
	return e->threshold;
}

/*
 * Is the result of block b right?  Below the threshold it may be less than
 * the true one, as pruned cells may be left out.
 */
static inline bool
good_block(const struct cut *x, const struct ear *e, uint64_t b)
{
	const struct sw_peak *p = &x->peak[b];

	if (p->bound < (prunes ? 0 : x->top[b]) ||
	    (p->exact && (p->bound > x->top[b] ||
			  (!prunes && p->bound < x->top[b]))))
		return false;
	return x->top[b] < e->threshold ||
	       (p->exact && e->took[b] == x->top[b]);
}

/* The rule of sw_lanes.h, by the costs that count. */
static inline bool
refused(const struct cut *x)
{
	const struct sw_query *q = x->q;
	int64_t open = q->s->open, extend = q->s->extend, top = 0;
	int64_t best = larger(q->best, 0);
	int64_t worst = larger(open + extend, -(int64_t)q->worst);

	for (size_t i = 0; i < x->t.n_seg; i++) {
		uint64_t n = x->t.seg[i].end - x->t.seg[i].beg;

		top = larger(top, (int64_t)(n < q->n ? n : q->n) * best);
	}
	return cpu_isa() == ISA_SCALAR ||
	       ((top > 32767 || open + 2 * extend + worst > 32768) &&
		21 * (best + extend) + 3 * open + worst >= 15360);
}

static inline bool
pass(struct cut *x, pass_fn *run, int64_t threshold, unsigned rises,
     const char **why)
{
	uint64_t blocks = x->t.n / SW_BLOCK;
	struct ear e = { rnd(&seed), x->top, room(blocks, sizeof *e.took),
			 threshold, rises, false };
	struct sw_pass p = { .q = x->q, .t = &x->t, .peak = x->peak,
			     .threshold = threshold, .raise = take_block,
			     .ctx = &e };
	bool same = true;

	memset(x->peak, 0xa5, blocks * sizeof *x->peak);
	*why = "rc";
	if (run(&p, work, &err) != 0)
		same = false;
	for (uint64_t b = 0; same && b < blocks; b++)
		if (!good_block(x, &e, b)) {
			*why = "peak";
			same = false;
		}
	if (same && (e.wrong || p.threshold != e.threshold)) {
		*why = "reports";
		same = false;
	}
	free(e.took);
	return same;
}

/* Often in little memory, if that does. */
static inline int
lanes_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	int rc;

	w->lanes_bytes = below(&seed, 3) ? 0 :
	    16384 + p->q->n * swg_between(&seed, 300, 2500);
	rc = sw_lanes_pass(p, w, e);
	if (rc == 0 && w->lanes_bytes && p->t->n && (size_t)(w->lanes->row +
	    w->lanes->rows - w->lanes->mem) > w->lanes_bytes)
		return ERR_LIMIT;
	if (rc == 1 && w->lanes_bytes) {
		w->lanes_bytes = 0;
		rc = sw_lanes_pass(p, w, e);
	}
	return rc;
}

/* One case with each engine, cut into segments of up to `most` letters. */
static inline bool
check(const struct swg_case *c, size_t most, const char **why)
{
	static const enum sw_engine engines[] = { SW_AUTO, SW_LANES8,
						  SW_LANES16 };
	bool same = true;

	for (unsigned i = 0; same && i < 3; i++) {
		struct cut x;
		int64_t best = 0;

		cut(&x, c, most, engines[i]);
		for (uint64_t b = 0; b < x.t.n / SW_BLOCK; b++)
			best = larger(best, x.top[b]);
		if (refused(&x)) {
			struct sw_pass p = {
				.q = x.q, .t = &x.t, .peak = x.peak,
				.threshold = 1,
			};

			*why = "taken";
			same = lanes_pass(&p, work, &err) == 1;
		} else {
			same = pass(&x, lanes_pass, 1 + (int64_t)below(
			    &seed, (uint64_t)best + 2),
			    (unsigned)below(&seed, 4), why);
		}
		cut_free(&x);
	}
	return same;
}

#endif
