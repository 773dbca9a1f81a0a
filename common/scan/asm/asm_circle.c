/* SPDX-License-Identifier: MIT */
/*
 * asm_circle.c - what is different around circular sequences
 *
 * A circle is searched as any piece with letters before it: chunk_unroll() and
 * the cutter put them there, and a hit that begins before place 0, or behind
 * the last one, is turned to where that is.  Since a circle has m + k letters,
 * no match of at most k differences has more than all of its letters, and D of
 * each end is that of a text that goes around for ever.  With 2m + k letters of
 * context so are the minima (kdiff_kern.c): of runs of equal D, longer than m
 * or not.  The one exception is the run that never ends, as all ends of the
 * circle have one D <= k: nothing is smaller than what is around it, and each
 * end is reported.  That is seen here, from all ends of the circle.
 */

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "letters/letters.h"
#include "scan/asm/asm_priv.h"

static int
make_set(const struct asm_scan *a, struct kdiff_set **set, struct err *e)
{
	struct kdiff_params p = *kdiff_set_params(a->set);
	int rc;

	p.report = KDIFF_ALL;
	rc = asm_set_new(a, &p, set, e);
	for (size_t i = 0; i < a->n_patterns && !rc; i++)
		rc = asm_set_add(a, *set, a->pattern[i].query,
				 a->pattern[i].minus, a->pattern[i].k, e);
	if (rc) {
		kdiff_set_free(*set);
		*set = NULL;
	}
	return rc;
}

static int
ends_set(const struct asm_scan *a, const struct kdiff_set **set,
	 struct err *e)
{
	/* a scan is const for those who search, but never of const storage */
	struct asm_scan *own = (struct asm_scan *)(uintptr_t)a;
	int rc = 0;

	pthread_mutex_lock(&own->ends_lock);
	if (!own->ends)
		rc = make_set(a, &own->ends, e);
	*set = own->ends;
	pthread_mutex_unlock(&own->ends_lock);
	return rc;
}

/* What a circle must hold: any match of the pattern. */
static uint64_t
longest_match(const struct asm_scan *a, const struct asm_pattern *p)
{
	uint64_t n = a->q->v[p->query].letters.n + p->k;

	return a->pam ? kdiff_pam_context(a->pam) : n;
}

int
asm_circles_check(const struct asm_scan *a, const struct chunk *c,
		  struct err *e)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];
		const unsigned last = CHUNK_CIRCULAR | CHUNK_LAST;

		for (size_t j = 0; j < a->n_patterns &&
		     (r->flags & last) == last; j++)
			if (r->length < longest_match(a, &a->pattern[j]))
				return err_set(e, ERR_USAGE, "%.*s: --circular:"
					" a match can have %llu letters, more "
					"than the circle, %llu",
					(int)min_u64(r->name.n, 99), r->name.p,
					(unsigned long long)
					longest_match(a, &a->pattern[j]),
					(unsigned long long)r->length);
	}
	return 0;
}

/* Runs that never end. */

/* Of each pattern in some ends, one behind the other, of one circle. */
struct alike {
	uint64_t n;		/* ends of distance `dist` so far */
	uint32_t dist;
};

struct counter {
	struct alike *v;
	uint64_t first;		/* the first of the ends */
};

static int
count_ends(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct counter *c = ctx;

	(void)e;
	for (size_t i = 0; i < n; i++) {
		struct alike *of = &c->v[hit[i].pattern];

		if (hit[i].end == c->first)
			*of = (struct alike){ 1, hit[i].dist };
		else if (of->n && of->dist == hit[i].dist)
			of->n++;
	}
	return 0;
}

/* Of each pattern whether the n first ends that the segment owns have one
 * distance: v[pattern].n == n. */
static int
look_at_ends(const struct asm_scan *a, const struct window *w,
	     const struct window_seg *s, uint64_t n, struct kdiff_work *work,
	     struct alike *v, struct err *e)
{
	uint64_t back = s->from - s->beg, context = a->context, base;
	struct kdiff_seg g = { .beg = 0 };
	struct kdiff_text x;
	struct counter c = { .v = v };
	const struct kdiff_set *set;
	int rc = ends_set(a, &set, e);

	if (rc)
		return rc;
	base = s->beg + (back > context ? (back - context) / 64 * 64 : 0);
	c.first = g.from = s->from - base;
	g.to = g.from + n - 1;
	g.end = g.to + 1;	/* a letter follows the last end */
	x = asm_text_from(w, base);
	x.n = g.end;
	x.seg = &g;
	x.n_seg = 1;
	memset(v, 0, a->n_patterns * sizeof *v);
	return kdiff_each(set, &x, work, count_ends, &c, e);
}

static int
too_even(const struct window_seg *s, const struct query *q, struct err *e)
{
	return err_set(e, ERR_USAGE, "%.*s: --circular: the first %llu ends "
		       "have one distance to %.*s, maybe all: give the circle "
		       "as one chunk, by fasta-chunk -L %llu, or to asm-scan "
		       "--report=all",
		       (int)min_u64(s->row->name.n, 99), s->row->name.p,
		       (unsigned long long)(s->to - s->from + 1),
		       (int)min_u64(q->name.n, 99), q->name.p,
		       (unsigned long long)s->row->length);
}

/* The patterns of which one circle's ends are all alike. */
static int
find_even(const struct asm_scan *a, const struct window *w, size_t seg,
	  struct kdiff_work *work, struct alike *v, struct asm_evens *to,
	  struct err *e)
{
	enum { SAMPLE = 64 };
	const struct window_seg *s = &w->seg[seg];
	uint64_t all = s->to - s->from + 1, n = min_u64(all, SAMPLE);
	bool any = false;
	int rc = look_at_ends(a, w, s, n, work, v, e);

	for (size_t i = 0; i < a->n_patterns && !rc; i++)
		any |= v[i].n == n;
	if (!rc && any && n < all)
		rc = look_at_ends(a, w, s, all, work, v, e);
	for (size_t i = 0; i < a->n_patterns && !rc && any; i++) {
		if (v[i].n < all)
			continue;
		if (all < s->row->length)
			return too_even(s, &a->q->v[a->pattern[i].query], e);
		rc = array_room(&to->v, &to->cap, to->n + 1, sizeof *to->v, e);
		if (!rc)
			to->v[to->n++] = (struct asm_even){ seg, (uint32_t)i };
	}
	return rc;
}

int
asm_evens_find(const struct asm_scan *a, const struct window *w,
	       struct asm_evens *to, struct err *e)
{
	const unsigned last = CHUNK_CIRCULAR | CHUNK_LAST;
	struct kdiff_work *work = NULL;
	struct alike *v = NULL;
	int rc = 0;

	to->n = 0;
	if (!a->set || a->o.report != ASM_MINIMA)
		return 0;
	for (size_t i = 0; i < w->n_seg && !rc; i++) {
		if ((w->seg[i].row->flags & last) != last)
			continue;
		if (!v)
			v = malloc((a->n_patterns + 1) * sizeof *v);
		if (!v)
			rc = err_nomem(e, a->n_patterns * sizeof *v);
		if (!rc && !work)
			rc = kdiff_work_new(&work, e);
		if (!rc)
			rc = find_even(a, w, i, work, v, to, e);
	}
	kdiff_work_free(work);
	free(v);
	return rc;
}

/* Hits of a part among those of all ends. */
struct evens_of {
	const struct asm_evens *v;
	const struct window *w;
	uint64_t base;		/* of the part */
	size_t at;		/* of v: before it no segment has more hits */
	kdiff_take_fn *take;
	void *ctx;
};

static bool
is_even(struct evens_of *x, const struct kdiff_hit *hit)
{
	const struct asm_evens *v = x->v;

	while (x->at < v->n &&
	       x->base + hit->end > x->w->seg[v->v[x->at].seg].end)
		x->at++;
	for (size_t i = x->at; i < v->n && v->v[i].seg == v->v[x->at].seg; i++)
		if (v->v[i].pattern == hit->pattern)
			return x->base + hit->end >
			       x->w->seg[v->v[i].seg].beg;
	return false;
}

static int
take_even(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct evens_of *x = ctx;
	struct kdiff_hit some[64];
	size_t k = 0;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		if (is_even(x, &hit[i]))
			some[k++] = hit[i];
		if (k == sizeof some / sizeof *some) {
			rc = x->take(x->ctx, some, k, e);
			k = 0;
		}
	}
	return !rc && k ? x->take(x->ctx, some, k, e) : rc;
}

int
asm_evens_each(const struct asm_scan *a, const struct asm_evens *v,
	       const struct window *w, uint64_t base,
	       const struct kdiff_text *x, struct kdiff_work *work,
	       kdiff_take_fn *take, void *ctx, struct err *e)
{
	struct evens_of of = { v, w, base, 0, take, ctx };
	struct kdiff_text text = *x;
	const struct kdiff_set *set;
	int rc = ends_set(a, &set, e);

	text.found = NULL;	/* by the other set's backend */
	return rc ? rc : kdiff_each(set, &text, work, take_even, &of, e);
}
