/* SPDX-License-Identifier: MIT */
/* kdiff_case.h - one case for kdiff: run it, compare with the oracle */
#ifndef SEQF_KDIFF_CASE_H
#define SEQF_KDIFF_CASE_H

#include <stdarg.h>
#include <stdio.h>

#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"
#include "tests/oracle/oracle.h"

enum { CASE_SEGS = 512, CASE_PATS = 128 };

struct kcase {
	struct kdiff_params p;
	uint8_t *t;		/* letters, also those of the gaps */
	size_t n;
	struct kdiff_seg seg[CASE_SEGS];
	size_t n_seg;
	const uint8_t *pat[CASE_PATS];
	size_t m[CASE_PATS], k[CASE_PATS], n_pat;
	size_t head[CASE_PATS], tail[CASE_PATS];	/* kdiff_set_exact() */
	enum kdiff_engine engine;
	bool no_trace;
	bool blocks;		/* scan in blocks as small as may be */
	struct kdiff_force force;
	char why[300];		/* of a failure */
};

struct kcase_text {
	struct kdiff_text x;
	uint64_t *planes, *exc, *sets;
	uint8_t *bytes;
};

static inline bool
kcase_fail(struct kcase *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->why, sizeof c->why, fmt, ap);
	va_end(ap);
	return false;
}

static inline void *
kcase_alloc(size_t n)	/* exactly n bytes: sanitizers watch their ends */
{
	void *p = malloc(n);

	if (n && !p)
		abort();
	if (n)
		memset(p, 0, n);
	return p;
}

static inline struct kcase_text
kcase_text(const struct kcase *c)
{
	size_t words = (c->n + 63) / 64;
	bool exc = false, sets = false;
	struct kcase_text t = {
		.planes = kcase_alloc(words * 16),
		.exc = kcase_alloc(words * 8),
		.sets = kcase_alloc(words * 32),
		.bytes = kcase_alloc(c->n),
	};

	for (size_t i = 0; i < c->n; i++) {
		unsigned s = oracle_set(c->t[i]);
		int code = s == 1 ? 0 : s == 2 ? 1 : s == 4 ? 2 : s == 8 ? 3 :
			   -1;
		uint64_t bit = 1ull << i % 64;

		exc |= code < 0;
		sets |= code < 0 && s;
		if (code < 0)
			t.exc[i / 64] |= bit;
		else {
			t.planes[i / 64 * 2] |= (code & 1) ? bit : 0;
			t.planes[i / 64 * 2 + 1] |= (code & 2) ? bit : 0;
		}
		for (unsigned b = 0; b < 4; b++)
			t.sets[i / 64 * 4 + b] |= (s >> b & 1) ? bit : 0;
		t.bytes[i] = c->t[i];
	}
	t.x.n = c->n;
	t.x.seg = c->seg;
	t.x.n_seg = c->n_seg;
	if (c->p.alphabet != KDIFF_DNA) {
		t.x.bytes = t.bytes;
	} else {
		t.x.planes = t.planes;
		t.x.exc = exc ? t.exc : NULL;
		t.x.sets = sets && c->p.iupac ? t.sets : NULL;
	}
	return t;
}

static inline void
kcase_text_free(struct kcase_text *t)
{
	free(t->planes);
	free(t->exc);
	free(t->sets);
	free(t->bytes);
}

/* What is done to every set that is made; or NULL. */
static void (*kcase_with)(struct kdiff_set *set);

static inline struct kdiff_set *
kcase_set(const struct kcase *c, enum isa isa)
{
	struct kdiff_set *s;
	struct err e;

	if (kdiff_set_new(&s, &c->p, &e) < 0)
		abort();
	kdiff_set_isa(s, isa);
	if (c->blocks) {
		s->block = 1;
		s->warms = 2;
	}
	kdiff_set_engine(s, c->engine);
	s->force = c->force;
	for (size_t i = 0; i < c->n_pat; i++)
		if (kdiff_set_add(s, c->pat[i], c->m[i], c->k[i], &e) < 0 ||
		    kdiff_set_exact(s, c->head[i], c->tail[i], &e) < 0) {
			fprintf(stderr, "%s\n", e.text);
			abort();
		}
	s->index_at = 0;
	if (kcase_with)
		kcase_with(s);
	return s;
}

static inline void
kcase_put(struct kdiff_hits *h, uint64_t end, uint32_t dist, uint32_t pattern)
{
	struct err e;

	if (kdiff_hits_room(h, 1, &e) < 0)
		abort();
	h->v[h->n++] = (struct kdiff_hit){ end, dist, pattern };
}

static inline int
kcase_order(const void *a, const void *b)
{
	const struct kdiff_hit *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

/* The matrix of pattern i, or with hamming only its last row. */
static inline uint32_t *
kcase_matrix(const struct kcase *c, size_t i, const uint8_t *t, size_t n)
{
	struct oracle_match how = { (enum oracle_alphabet)c->p.alphabet,
				    c->p.iupac };
	const uint8_t *p = c->pat[i];
	size_t m = c->m[i], head = c->head[i], tail = c->tail[i];

	if (c->p.hamming)
		return oracle_exact_hamming(how, p, m, head, tail, t, n);
	return head || tail ? oracle_exact(how, p, m, head, tail, t, n) :
			      oracle_sellers(how, p, m, t, n);
}

/* What the definitions say. */
static inline void
kcase_want(const struct kcase *c, struct kdiff_hits *want)
{
	for (size_t s = 0; s < c->n_seg; s++)
		for (size_t i = 0; i < c->n_pat; i++) {
			const struct kdiff_seg *g = &c->seg[s];
			size_t n = g->end - g->beg, m = c->m[i];
			const uint8_t *t = c->t + g->beg;
			uint32_t *D = kcase_matrix(c, i, t, n);
			uint32_t *d = c->p.hamming ? D : D + m * (n + 1);

			for (size_t j = 1; j <= n; j++) {
				uint64_t end = g->beg + j;

				if (d[j] > c->k[i] || end < g->from ||
				    end > g->to)
					continue;
				if (c->p.report == KDIFF_ALL ||
				    oracle_minimum(d, n, m, c->k[i], j))
					kcase_put(want, end, d[j],
						  (uint32_t)i);
			}
			free(D);
		}
	if (want->n)
		qsort(want->v, want->n, sizeof *want->v, kcase_order);
}

static inline bool
kcase_same(struct kcase *c, const struct kdiff_hits *have,
	   const struct kdiff_hits *want, const char *what)
{
	for (size_t i = 0; i < have->n && i < want->n; i++) {
		const struct kdiff_hit *a = &have->v[i], *b = &want->v[i];

		if (a->end != b->end || a->dist != b->dist ||
		    a->pattern != b->pattern)
			return kcase_fail(c, "%s: hit %zu: end %llu dist %u "
			    "pattern %u, want %llu %u %u", what, i,
			    (unsigned long long)a->end, a->dist, a->pattern,
			    (unsigned long long)b->end, b->dist, b->pattern);
	}
	if (have->n != want->n)
		return kcase_fail(c, "%s: %zu hits, want %zu", what, have->n,
				  want->n);
	return true;
}

/* One hit's path against the matrix of its segment of n letters. */
static inline bool
kcase_path(struct kcase *c, const struct kdiff_hit *h,
	   const struct kdiff_path *path, const uint32_t *ops,
	   const struct kdiff_seg *g, const uint32_t *D)
{
	struct oracle_match how = { (enum oracle_alphabet)c->p.alphabet,
				    c->p.iupac };
	size_t m = c->m[h->pattern], end = h->end - g->beg;
	size_t beg = end - m, k = 0, at = 0;
	const uint8_t *p = c->pat[h->pattern], *t = c->t + g->beg;
	char *want = kcase_alloc(m + end);
	bool good = true;

	if (!c->p.hamming)
		k = oracle_exact_trace(how, D, p, m, c->head[h->pattern],
				       c->tail[h->pattern], t,
				       g->end - g->beg, end, want, &beg);
	for (; c->p.hamming && k < m; k++)
		want[k] = oracle_equal(how, p[k], t[beg + k]) ? '=' : 'X';
	for (size_t i = 0; good && i < path->n_ops; i++) {
		good = !i || (ops[i] & 15) != (ops[i - 1] & 15);
		for (uint32_t x = ops[i] >> 4; good && x; x--)
			good = at < k &&
			       want[at++] == "MIDNSHP=X"[ops[i] & 15];
	}
	if (!good || at != k || path->beg != g->beg + beg)
		good = kcase_fail(c, "path of end %llu pattern %u: want %zu "
		    "%.*s, have %llu, differs at %zu",
		    (unsigned long long)h->end, h->pattern,
		    (size_t)g->beg + beg, (int)(k < 99 ? k : 99), want,
		    (unsigned long long)path->beg, at);
	free(want);
	return good;
}

/* A case's text, set and hits. */
struct kcase_scan {
	struct kcase_text t;
	struct kdiff_set *set;
	struct kdiff_work *w;
	struct kdiff_hits h;
};

static inline struct kcase_scan
kcase_scan(const struct kcase *c, enum isa isa)
{
	struct kcase_scan s = { kcase_text(c), kcase_set(c, isa), NULL, { 0 } };
	struct err e;

	if (kdiff_work_new(&s.w, &e) < 0 ||
	    kdiff_scan(s.set, &s.t.x, s.w, &s.h, &e) < 0)
		abort();
	return s;
}

static inline void
kcase_scan_free(struct kcase_scan *s)
{
	kdiff_hits_free(&s->h);
	kdiff_work_free(s->w);
	kdiff_set_free(s->set);
	kcase_text_free(&s->t);
}

/* Paths of every step-th hit, one matrix a segment and pattern. */
static inline bool
kcase_same_paths(struct kcase *c, const struct kdiff_hits *h, size_t step,
		 const struct kdiff_path *path, const struct buf *ops)
{
	bool good = true;

	for (size_t x = 0; x < c->n_seg * c->n_pat && good; x++) {
		const struct kdiff_seg *g = &c->seg[x / c->n_pat];
		size_t p = x % c->n_pat;
		uint32_t *D = NULL;

		for (size_t i = 0; good && i < h->n; i += step) {
			const struct kdiff_hit *v = &h->v[i];

			if (v->pattern != p || v->end <= g->beg ||
			    v->end > g->end)
				continue;
			if (!D)
				D = kcase_matrix(c, p, c->t + g->beg,
						 g->end - g->beg);
			good = kcase_path(c, v, &path[i], (const uint32_t *)
					  (const void *)ops->p + path[i].ops,
					  g, D);
		}
		free(D);
	}
	return good;
}

/* Paths of at most max hits, spread over the list. */
static inline bool
kcase_paths(struct kcase *c, const struct kcase_scan *s, size_t max)
{
	const struct kdiff_hits *h = &s->h;
	struct kdiff_path *path = kcase_alloc(h->n * sizeof *path);
	struct buf ops = { 0 };
	struct err e;
	bool good;

	if (kdiff_trace(s->set, &s->t.x, s->w, h->v, h->n, path, &ops, &e) < 0)
		abort();
	good = kcase_same_paths(c, h, h->n / max + 1, path, &ops);
	buf_free(&ops);
	free(path);
	return good;
}

static inline int
kcase_take(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	struct kdiff_hits *h = ctx;

	if (!n)
		abort();
	if (kdiff_hits_room(h, n, e) < 0)
		return e->code;
	memcpy(h->v + h->n, v, n * sizeof *v);
	h->n += n;
	return 0;
}

/* Hits as they come are those of the list, and, ordered, those of no order. */
static inline bool
kcase_each(struct kcase *c, const struct kcase_scan *s,
	   const struct kdiff_hits *want)
{
	struct kdiff_hits h = { 0 };
	struct err e;
	bool good;

	if (kdiff_each(s->set, &s->t.x, s->w, kcase_take, &h, &e) < 0)
		abort();
	good = kcase_same(c, &h, want, "as they come");
	h.n = 0;
	if (kdiff_each_unordered(s->set, &s->t.x, s->w, kcase_take, &h, &e) <
	    0)
		abort();
	if (h.n)
		qsort(h.v, h.n, sizeof *h.v, kcase_order);
	good = good && kcase_same(c, &h, want, "in no order");
	kdiff_hits_free(&h);
	return good;
}

/* Run with one instruction set; false and c->why if it differs. */
static inline bool
kcase_run(struct kcase *c, enum isa isa, const struct kdiff_hits *want)
{
	struct kcase_scan s = kcase_scan(c, isa);
	bool good = kcase_same(c, &s.h, want, cpu_isa_name(isa)) &&
		    kcase_each(c, &s, want) &&
		    (c->no_trace || kcase_paths(c, &s, 12));

	kcase_scan_free(&s);
	return good;
}

static inline bool
kcase_check(struct kcase *c, enum isa isa)
{
	struct kdiff_hits want = { 0 };
	bool good;

	kcase_want(c, &want);
	good = kcase_run(c, isa, &want);
	kdiff_hits_free(&want);
	return good;
}

#endif
