/* SPDX-License-Identifier: MIT */
/* kdiff_qgram_range.c - plain scans of parts of a text */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_qgram_scan.h"
#include "base/array.h"

void
qgram_work_free(struct qgram_work *w)
{
	if (!w)
		return;
	free(w->found);
	free(w->planes);
	free(w->exc);
	free(w->seg);
	free(w->last);
	kdiff_hits_free(&w->hits);
	kdiff_hits_free(&w->batch);
	free(w->now.v);
	free(w->later.v);
	free(w);
}

int
qgram_range_add(struct qgram_ranges *r, const struct qgram_range *x,
		struct err *e)
{
	int rc = array_room(&r->v, &r->cap, r->n + 1, sizeof *r->v, e);

	if (rc == 0)
		r->v[r->n++] = *x;
	return rc;
}

static uint64_t
context_of(const struct qgram_scan *s, const struct kdiff_pat *p)
{
	return p->m + p->k + (s->f->set.p.report == KDIFF_MINIMA ?
			      p->m : 0);
}

static int
order(const void *x, const void *y)
{
	const struct qgram_range *a = x, *b = y;

	if (a->pattern != b->pattern)
		return a->pattern < b->pattern ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

/*
 * Ranges whose contexts overlap become one: that is no more to scan.  Those
 * of a pattern in different segments stay apart.
 */
static void
merge(struct qgram_scan *s)
{
	struct qgram_ranges *r = &s->q->now;
	size_t n = 0;

	if (r->n)	/* v may be NULL */
		qsort(r->v, r->n, sizeof *r->v, order);
	for (size_t i = 0; i < r->n; i++) {
		struct qgram_range *a = &r->v[n ? n - 1 : 0], x = r->v[i];
		uint64_t more = context_of(s, &s->f->set.pat[x.pattern]);

		if (n && a->pattern == x.pattern && a->seg == x.seg &&
		    x.from <= a->to + more + 64)
			a->to = max_u64(a->to, x.to);
		else
			r->v[n++] = x;
	}
	r->n = n;
}

/* Leave what is beyond the block for later; what is within, in cycles. */
static int
split(struct qgram_scan *s, double *cycles)
{
	struct qgram_ranges *r = &s->q->now;
	size_t n = 0;
	int rc = 0;

	*cycles = 0;
	for (size_t i = 0; i < r->n && !rc; i++) {
		struct qgram_range x = r->v[i];
		const struct kdiff_pat *p = &s->f->set.pat[x.pattern];

		if (x.to > s->end) {
			struct qgram_range y = x;

			y.from = max_u64(x.from, s->end + 1);
			x.to = s->end;
			rc = qgram_range_add(&s->q->later, &y, s->j->e);
		}
		if (x.from > x.to)
			continue;
		r->v[n++] = x;
		*cycles += (double)(x.to - x.from + 64 + context_of(s, p)) *
			   kdiff_plain_cycles(&s->f->set, p);
	}
	r->n = n;
	return rc;
}

/* Letters of ranges side by side, and what to add to their ends. */
struct copy {
	struct kdiff_text text;
	struct kdiff_seg *seg;
	uint64_t *moved, *planes, *exc;
};

static int
room(struct qgram_scan *s, size_t n, uint64_t words, struct copy *c)
{
	struct qgram_work *q = s->q;
	int r = kdiff_room(&q->seg, &q->seg_cap, n * (sizeof *c->seg +
			   sizeof *c->moved), s->j->e);

	if (!r)
		r = kdiff_room(&q->planes, &q->planes_cap, words * 16, s->j->e);
	if (!r && s->j->text->exc)
		r = kdiff_room(&q->exc, &q->exc_cap, words * 8, s->j->e);
	if (r < 0)
		return r;
	c->seg = (struct kdiff_seg *)q->seg;
	c->moved = (uint64_t *)(c->seg + n);
	c->planes = (uint64_t *)q->planes;
	c->exc = s->j->text->exc ? (uint64_t *)q->exc : NULL;
	c->text = (struct kdiff_text){
		.planes = c->planes, .exc = c->exc, .seg = c->seg, .n_seg = n,
	};
	return 0;
}

/* Copy the letters for ranges v[0..n), all of one pattern. */
static int
lay_out(struct qgram_scan *s, const struct qgram_range *v, size_t n,
	uint64_t letters, uint64_t gap, struct copy *c)
{
	const struct kdiff_text *t = s->j->text;
	uint64_t words = 0, at = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		words += (v[i].to - v[i].from + letters + gap) / 64 + 4;
	r = room(s, n, words, c);
	for (size_t i = 0; !r && i < n; i++) {
		const struct kdiff_seg *g = &t->seg[v[i].seg];
		uint64_t beg = qgram_context(g, v[i].from, letters);
		uint64_t len = min_u64(g->end, v[i].to + 1) - beg;
		uint64_t w = (len + 63) / 64, next = (len + gap + 63) / 64;

		memcpy(c->planes + at * 2, t->planes + beg / 64 * 2, w * 16);
		memset(c->planes + (at + w) * 2, 0, (next - w) * 16);
		if (c->exc) {
			memcpy(c->exc + at, t->exc + beg / 64, w * 8);
			memset(c->exc + at + w, 0, (next - w) * 8);
		}
		at *= 64;
		c->seg[i] = (struct kdiff_seg){
			.beg = at, .end = at + len,
			.from = at + v[i].from - beg, .to = at + v[i].to - beg,
		};
		c->moved[i] = beg - at;
		at = at / 64 + next;
	}
	c->text.n = at * 64;
	return r;
}

/* Scan ranges v[0..n), all of one pattern. */
static int
scan_one(struct qgram_scan *s, const struct qgram_range *v, size_t n)
{
	struct kdiff_set one = s->f->set;
	struct kdiff_hits *h = &s->q->hits;
	size_t first = h->n, g = 0;
	struct copy c;
	struct kdiff_job j = *s->j;
	int r;

	one.pat += v->pattern;
	one.n = 1;
	one.max_m = one.pat->m;
	one.max_k = one.pat->k;
	one.max_mk = one.max_m + one.max_k;
	one.max_2mk = one.max_mk + one.max_m;
	r = lay_out(s, v, n, context_of(s, one.pat), one.max_k + 1, &c);
	j.set = &one;
	j.text = &c.text;
	j.which = NULL;
	j.n = 1;
	j.hits = h;
	j.take = NULL;
	if (!r)
		r = kdiff_text_scan(&j);
	for (size_t i = first; !r && i < h->n; i++) {
		while (h->v[i].end > c.seg[g].end)
			g++;
		h->v[i].end += c.moved[g];
		h->v[i].pattern = s->f->number[v->pattern];
	}
	return r;
}

static int
by_end(const void *x, const void *y)
{
	const struct kdiff_hit *a = x, *b = y;

	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->pattern < b->pattern ? -1 : a->pattern > b->pattern;
}

int
qgram_scan_ranges(struct qgram_scan *s, double most_cycles, bool *dense)
{
	struct qgram_ranges *r = &s->q->now;
	struct kdiff_hits *h = &s->q->hits;
	double cycles;
	size_t n;
	int rc;

	s->q->later.n = 0;
	merge(s);
	rc = split(s, &cycles);
	*dense = cycles > most_cycles && !s->f->set.force.patient;
	if (*dense || rc)
		return rc;
	for (size_t i = 0; i < r->n && !rc; i += n) {
		for (n = 1; i + n < r->n && r->v[i + n].pattern ==
		     r->v[i].pattern;)
			n++;
		rc = scan_one(s, r->v + i, n);
	}
	if (!rc && h->n > 1)
		qsort(h->v, h->n, sizeof *h->v, by_end);
	return rc;
}
