/* SPDX-License-Identifier: MIT */
/*
 * kdiff_over.c - patterns that hang over a subject's ends
 *
 * F(i, v) is the least cost of the pattern's first i letters at the v-th
 * letter: where the subject begins, F(i, 0) = c(i) = floor(i * cost), and
 * where it ends the distance is the least F(m - l, n) + c(l).  (Before the
 * begin, letters that hang over are never worse than insertions, since
 * c(l) + i - l >= c(i).)  A path of cost <= k from the begin has at most
 * m + k letters, so that only ends within m + k of it, and a subject's very
 * end, differ from those of the plain search: kdiff_over_ends.c finds theirs.
 * For the traceback of one of them the textbook's matrix is filled.
 */
#include "algo/kdiff_over.h"

#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_exact.h"
#include "base/cigar.h"
#include "base/minmax.h"

enum { FAR = 0x3fff };		/* more than any k here */

struct over {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	const struct kdiff_seg *seg;
	const struct kdiff_pat *p;
	uint64_t at, n;		/* letters [at, at + n) */
	bool begins, ends;	/* the subject does, there */
	uint16_t *f;		/* [n + 1][m + 1] */
	uint8_t *letter;
};

uint32_t
kdiff_over_cost(const struct kdiff_set *set, uint64_t l)
{
	return (uint32_t)(l * set->p.over_num / set->p.over_den);
}

uint64_t
kdiff_over_reach(const struct kdiff_pat *p)
{
	return (uint64_t)p->m + p->k;
}

static uint16_t *
cell(const struct over *o, uint64_t v, uint32_t i)
{
	return o->f + v * (o->p->m + 1) + i;
}

static bool
equal(const struct over *o, uint64_t v, uint32_t i)
{
	return exact_fits(o->set, o->p, i - 1, o->letter[v - 1]);
}

static void
column(const struct over *o, uint64_t v)
{
	uint16_t *f = cell(o, v, 0), *before = cell(o, v - 1, 0);
	uint32_t m = o->p->m;

	f[0] = 0;
	for (uint32_t i = 1; i <= m; i++) {
		unsigned d = before[i - 1] + !equal(o, v, i);

		if (!o->set->p.hamming) {
			d = f[i - 1] + 1u < d ? f[i - 1] + 1u : d;
			d = before[i] + 1u < d ? before[i] + 1u : d;
		}
		f[i] = (uint16_t)(d < FAR ? d : FAR);
	}
}

/* The matrix of letters [at, at + n). */
static int
fill(struct over *o, struct kdiff_work *w, uint64_t at, uint64_t n,
     struct err *e)
{
	struct exact x = { .set = o->set, .text = o->text };
	size_t cells = (n + 1) * (o->p->m + 1);
	int rc = kdiff_room(&w->exact, &w->exact_cap,
			    cells * sizeof *o->f + n, e);

	if (rc)
		return rc;
	o->f = (uint16_t *)(void *)w->exact;
	o->letter = (uint8_t *)(o->f + cells);
	o->at = at;
	o->n = n;
	o->begins = o->seg->first && at == o->seg->beg;
	o->ends = o->seg->last && at + n == o->seg->end;
	if (n)
		kdiff_exact_read(&x, at, n, o->letter);
	for (uint32_t i = 0; i <= o->p->m; i++)
		*cell(o, 0, i) = (uint16_t)(o->begins ?
					    kdiff_over_cost(o->set, i) :
					    o->set->p.hamming && i ? FAR : i);
	for (uint64_t v = 1; v <= n; v++)
		column(o, v);
	return 0;
}

/*
 * The least cost at letter v; *l letters hang over the subject's end.  Of
 * equal costs that with the fewest differences besides, then the least *l.
 */
static uint32_t
least(const struct over *o, uint64_t v, uint32_t *l)
{
	uint32_t m = o->p->m, best = *cell(o, v, m), besides = best;

	*l = 0;
	for (uint32_t i = 1; o->ends && v == o->n && i <= m; i++) {
		uint32_t f = *cell(o, v, m - i);
		uint32_t d = f + kdiff_over_cost(o->set, i);

		if (d < best || (d == best && f < besides)) {
			best = d;
			besides = f;
			*l = i;
		}
	}
	return best;
}

bool
kdiff_over_at(const struct kdiff_seg *g, const struct kdiff_pat *p,
	      uint64_t end)
{
	return (g->first && end - g->beg <= kdiff_over_reach(p)) ||
	       (g->last && end == g->end);
}

static const struct kdiff_seg *
seg_of(const struct kdiff_text *t, uint64_t end)
{
	return &t->seg[kdiff_seg_find(t, end)];
}

bool
kdiff_over_near(const struct kdiff_set *set, const struct kdiff_text *text,
		const struct kdiff_hit *h)
{
	return kdiff_over_at(seg_of(text, h->end), &set->pat[h->pattern],
			     h->end);
}

static int
by_end(const void *a, const void *b)
{
	const struct kdiff_hit *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

/*
 * Merge h[0..mid) and h[mid..n), both in order; of one end and pattern the less
 * distance stays.
 */
static int
merge(struct kdiff_hits *h, size_t mid, struct kdiff_hits *tmp, struct err *e)
{
	size_t i = 0, j = mid, k = 0;
	int rc;

	tmp->n = 0;
	rc = kdiff_hits_room(tmp, mid, e);
	if (rc)
		return rc;
	if (mid)
		memcpy(tmp->v, h->v, mid * sizeof *h->v);
	while (i < mid || j < h->n) {
		struct kdiff_hit x = j == h->n || (i < mid &&
				     by_end(&tmp->v[i], &h->v[j]) < 0) ?
				     tmp->v[i++] : h->v[j++];

		if (k && !by_end(&h->v[k - 1], &x))
			h->v[k - 1].dist = (uint32_t)
			    min_u64(h->v[k - 1].dist, x.dist);
		else
			h->v[k++] = x;
	}
	h->n = k;
	return 0;
}

/*
 * Plain ends, all of them, to those with overhangs: which have all alignments
 * of the plain ones, and so no larger distances.
 */
static int
mend(const struct kdiff_job *j, struct kdiff_hits *h)
{
	size_t n = h->n;
	int rc = kdiff_over_ends(j, h);

	if (rc)
		return rc;
	if (h->n > n)
		qsort(h->v + n, h->n - n, sizeof *h->v, by_end);
	return merge(h, n, &j->w->tmp, j->e);
}

/* Ends that are to be reported, of all. */
static void
keep_reported(const struct kdiff_text *t, struct kdiff_hits *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		const struct kdiff_seg *g = seg_of(t, h->v[i].end);

		if (h->v[i].end >= g->from && h->v[i].end <= g->to)
			h->v[n++] = h->v[i];
	}
	h->n = n;
}

int
kdiff_over_scan(const struct kdiff_job *j)
{
	size_t n_seg = j->text->n_seg;
	struct kdiff_seg *all = malloc((n_seg + 1) * sizeof *all);
	struct kdiff_hits *h = &j->w->over;
	struct kdiff_text text = *j->text;
	struct kdiff_job plain = *j;
	int rc;

	if (!all)
		return err_nomem(j->e, (n_seg + 1) * sizeof *all);
	for (size_t i = 0; i < n_seg; i++) {
		all[i] = j->text->seg[i];
		all[i].from = 0;
		all[i].to = UINT64_MAX;
	}
	text.seg = all;
	plain.text = &text;
	plain.all = true;
	plain.unordered = false;
	plain.hits = h;
	plain.take = NULL;
	h->n = 0;
	rc = kdiff_plain_scan(&plain);
	free(all);
	if (!rc)
		rc = mend(j, h);
	if (!rc && j->set->p.report == KDIFF_MINIMA && !j->all)
		rc = kdiff_hits_minima(j->set, j->text, h, 0, j->e);
	else if (!rc)
		keep_reported(j->text, h);
	return rc;
}

/* Plain ends that no overhang may have changed; the others wait. */
static int
give_far(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	const struct kdiff_job *j = ctx;
	struct kdiff_hits *h = &j->w->over;
	int rc = kdiff_hits_room(h, n, e);

	for (size_t i = 0, far; i < n && !rc; i += far + 1) {
		for (far = 0; i + far < n && !kdiff_over_near(j->set, j->text,
							      &v[i + far]);)
			far++;
		if (far)
			rc = kdiff_job_give(j, v + i, far);
		if (i + far < n)
			h->v[h->n++] = v[i + far];
	}
	return rc;
}

int
kdiff_over_each(const struct kdiff_job *j)
{
	struct kdiff_hits *h = &j->w->over;
	struct kdiff_job plain = *j;
	int rc;

	plain.take = give_far;
	plain.ctx = (void *)(uintptr_t)j;
	h->n = 0;
	rc = kdiff_plain_scan(&plain);
	if (!rc && h->n > 1)
		qsort(h->v, h->n, sizeof *h->v, by_end);
	if (!rc)
		rc = mend(j, h);
	if (!rc)
		keep_reported(j->text, h);
	return rc || !h->n ? rc : kdiff_job_give(j, h->v, h->n);
}

struct ops {
	uint32_t *op, *end;	/* filled from the end */
};

static void
put_op(struct ops *o, unsigned code, uint32_t n)
{
	if (n && o->op != o->end && (*o->op & 15) == code)
		*o->op += n << 4;
	else if (n)
		*--o->op = n << 4 | code;
}

/* What the rule prefers at a cell. */
static unsigned
choice(const struct over *o, uint64_t v, uint32_t i)
{
	uint32_t d = *cell(o, v, i);
	bool eq = v && equal(o, v, i);

	if (v && d == *cell(o, v - 1, i - 1) + !eq + 0u)
		return eq ? CIGAR_EQ : CIGAR_X;
	return v && !o->set->p.hamming && d == *cell(o, v - 1, i) + 1u ?
	       CIGAR_D : CIGAR_I;
}

/*
 * From the last cell by the fixed rule: = or X, D, I; where the subject
 * begins, what is left of the pattern hangs over.
 */
static void
walk(const struct over *o, struct kdiff_path *path, struct ops *ops)
{
	uint32_t m = o->p->m, l, i;
	uint64_t v = o->n;

	least(o, v, &l);
	put_op(ops, CIGAR_S, l);
	for (i = m - l; i && (v || !o->begins);) {
		unsigned code = choice(o, v, i);

		put_op(ops, code, 1);
		i -= code != CIGAR_D;
		v -= code != CIGAR_I;
	}
	put_op(ops, CIGAR_S, i);
	path->beg = o->at + v;
	path->left = i;
	path->right = l;
}

int
kdiff_over_trace(const struct kdiff_set *set, const struct kdiff_text *text,
		 struct kdiff_work *w, const struct kdiff_hit *h,
		 struct kdiff_path *path, struct buf *ops, struct err *e)
{
	struct over o = { .set = set, .text = text,
			  .seg = seg_of(text, h->end),
			  .p = &set->pat[h->pattern] };
	uint64_t n = h->end - o.seg->beg, most = kdiff_over_reach(o.p), cap;
	struct ops s;
	int rc = fill(&o, w, n <= most ? o.seg->beg : h->end - most,
		      n <= most ? n : most, e);

	if (rc)
		return rc;
	cap = o.n + o.p->m + 2;
	rc = kdiff_room(&w->trace, &w->trace_cap, cap * sizeof *s.op, e);
	if (rc)
		return rc;
	s.op = s.end = (uint32_t *)(void *)w->trace + cap;
	walk(&o, path, &s);
	path->ops = ops->n / sizeof *s.op;
	path->n_ops = (size_t)(s.end - s.op);
	buf_put(ops, s.op, path->n_ops * sizeof *s.op);
	return ops->bad ? err_nomem(e, ops->n) : 0;
}
