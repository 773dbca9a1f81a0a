/* SPDX-License-Identifier: MIT */
/*
 * kdiff_engine.c - which engine searches for which patterns
 *
 * The index of many patterns costs a look-up a text letter and a closer look
 * at a place in 10^3 to 10^5 letters of each pattern; without it each pattern
 * costs some rows of bit vectors.  So it pays from about ten patterns on whose
 * pieces are long enough, once the text is long enough to be worth making it.
 * Where the filter is possible, kdiff_qgram_plan.c knows whether it is better.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_exact.h"
#include "algo/kdiff_over.h"
#include "algo/kdiff_many.h"
#include "algo/kdiff_qgram.h"
#include "base/array.h"

struct kdiff_lazy {
	const struct kdiff_set *of;	/* not of a copy with other patterns */
	pthread_mutex_t lock;
	struct kdiff_index *index;
	uint64_t work;		/* letters x patterns so far */
	bool made;
};

int
kdiff_lazy_new(struct kdiff_set *set, struct err *e)
{
	struct kdiff_lazy *l = calloc(1, sizeof *l);

	set->lazy = l;
	if (!l)
		return err_nomem(e, sizeof *l);
	l->of = set;
	pthread_mutex_init(&l->lock, NULL);
	return 0;
}

void
kdiff_lazy_free(struct kdiff_lazy *l)
{
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	kdiff_index_free(l->index);
	free(l);
}

void
kdiff_lazy_forget(struct kdiff_lazy *l)
{
	kdiff_index_free(l->index);
	l->index = NULL;
	l->made = false;
}

/* With the lock held. */
static int
make_index(const struct kdiff_set *set, struct err *e)
{
	struct kdiff_lazy *l = set->lazy;
	int r;

	if (l->made)
		return 0;
	r = kdiff_index_new(&l->index, set,
			    set->engine == KDIFF_PATTERNS, e);
	if (!r)
		__atomic_store_n(&l->made, true, __ATOMIC_RELEASE);
	return r;
}

/*
 * The index to search a text with, or NULL: made once so much has been
 * searched without it that it will pay.
 */
static int
find_index(const struct kdiff_set *set, const struct kdiff_text *text,
		 const struct kdiff_index **x, struct err *e)
{
	struct kdiff_lazy *l = set->lazy;
	bool must = set->engine == KDIFF_PATTERNS;
	uint64_t work = text->n * set->n, rest = 0, sum;
	int r;

	*x = NULL;
	if (set->engine == KDIFF_TEXT || set->p.alphabet != KDIFF_DNA ||
	    (set->p.iupac && text->exc) || l->of != set)
		return 0;
	if (!__atomic_load_n(&l->made, __ATOMIC_ACQUIRE)) {
		if (text->whole > text->n)	/* what its parts will add */
			rest = (text->whole - text->n) * set->n;
		sum = work + __atomic_fetch_add(&l->work, work,
						__ATOMIC_RELAXED);
		if (!must && sum + rest < set->index_at)
			return 0;
		/*
		 * To make it takes less time than a chunk without it.  But not
		 * less than a short text, if another thread does already: half
		 * of the time is left, say.
		 */
		if (must || work >= set->index_at / 2)
			pthread_mutex_lock(&l->lock);
		else if (pthread_mutex_trylock(&l->lock))
			return 0;
		r = make_index(set, e);
		pthread_mutex_unlock(&l->lock);
		if (r)
			return r;
	}
	*x = l->index;
	return 0;
}

/* Ends that are to be reported, of all. */
static void
keep_reported(const struct kdiff_text *t, struct kdiff_hits *h)
{
	const struct kdiff_seg *g = t->seg;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		struct kdiff_hit x = h->v[i];

		while (g->end < x.end)
			g++;
		if (x.end >= g->from && x.end <= g->to)
			h->v[n++] = x;
	}
	h->n = n;
}

/* Of all ends in w->many those that are to be reported. */
static int
choose(const struct kdiff_job *j)
{
	struct kdiff_hits *h = &j->w->many;
	int r = 0;

	if (j->set->exact)
		r = kdiff_exact_keep(j->set, j->text, j->w, h, 0, j->e);
	if (r)
		return r;
	if (j->set->p.report == KDIFF_MINIMA && !j->all)
		return kdiff_hits_minima(j->set, j->text, h, 0, j->e);
	keep_reported(j->text, h);
	return 0;
}

int
kdiff_job_give(const struct kdiff_job *j, const struct kdiff_hit *v, size_t n)
{
	int r;

	if (j->take)
		return j->take(j->ctx, v, n, j->e);
	r = kdiff_hits_room(j->hits, n, j->e);
	if (r)
		return r;
	memcpy(j->hits->v + j->hits->n, v, n * sizeof *v);
	j->hits->n += n;
	return 0;
}

static bool
before(const struct kdiff_hit *a, const struct kdiff_hit *b)
{
	return a->end != b->end ? a->end < b->end : a->pattern < b->pattern;
}

struct mix {
	const struct kdiff_job *j;
	size_t next;		/* of w->many */
};

/* Hits of the other engine, with those of the index that come before them. */
static int
mix(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	struct mix *m = ctx;
	const struct kdiff_hits *many = &m->j->w->many;
	struct kdiff_hits *to = &m->j->w->mixed;
	int r = kdiff_hits_room(to, n + (many->n - m->next), e);

	to->n = 0;
	for (size_t i = 0; i < n && !r;)
		to->v[to->n++] = m->next < many->n &&
				 before(&many->v[m->next], &v[i]) ?
				 many->v[m->next++] : v[i++];
	return r ? r : kdiff_job_give(m->j, to->v, to->n);
}

/* What w->many has of all ends, and these other patterns by bit vectors. */
static int
with_others(const struct kdiff_job *j, const uint32_t *which, size_t n)
{
	struct kdiff_job other = *j;
	const struct kdiff_hits *many = &j->w->many;
	struct mix m = { j, 0 };
	int r = choose(j);

	other.which = which;
	other.n = n;
	other.hits = NULL;
	other.take = mix;
	other.ctx = &m;
	if (!r)
		r = kdiff_text_scan(&other);
	if (r || m.next == many->n)
		return r;
	return kdiff_job_give(j, many->v + m.next, many->n - m.next);
}

/* Of these ends, which stand `at` letters further on, those in [from, to]. */
static int
take_ends(struct kdiff_hits *to, const struct kdiff_hits *found, uint64_t at,
	  uint64_t from, uint64_t end, struct err *e)
{
	size_t i = array_first(found->v, found->n, sizeof *found->v,
			       offsetof(struct kdiff_hit, end), at + from);
	size_t n = array_first(found->v, found->n, sizeof *found->v,
			       offsetof(struct kdiff_hit, end), at + end + 1);
	int r = kdiff_hits_room(to, n - i, e);

	for (; i < n && !r; i++) {
		to->v[to->n] = found->v[i];
		to->v[to->n++].end -= at;
	}
	return r;
}

/*
 * What it has found already.  A text that is a part of the one that was
 * searched has ends that it would not have alone, in the letters before those
 * of which ends are told: there D, of a match that begins further in front, is
 * what it is in truth.
 */
static int
take_found(const struct kdiff_job *j, struct kdiff_hits *to)
{
	const struct kdiff_text *t = j->text;
	int r = 0;

	for (size_t i = 0; i < t->n_seg && !r; i++)
		r = take_ends(to, t->found, t->found_at, t->seg[i].beg + 1,
			      t->seg[i].end, j->e);
	return r;
}

/* KDIFF_NOT_NOW: there is none, or it does not want this text. */
static int
by_finder(const struct kdiff_job *j, bool first)
{
	const struct kdiff_finder *f = j->set->finder;
	const struct kdiff_hits *found = j->text->found;
	struct kdiff_hits *many = &j->w->many;
	int r;

	if (!f || (f->first || found) != first || j->set->lazy->of != j->set)
		return KDIFF_NOT_NOW;
	many->n = 0;
	r = found ? take_found(j, many) :
		    f->find(f->ctx, j->text, many, j->e);
	return r ? r : with_others(j, f->rest, f->n_rest);
}

static int
by_index(const struct kdiff_job *j, const struct kdiff_index *x)
{
	struct kdiff_work *w = j->w;
	int r;

	w->many.n = 0;
	r = kdiff_many(j->set, x, j->text, w, &w->many, j->e);
	return r ? r : with_others(j, (const uint32_t *)(const void *)w->rest,
				   w->n_rest);
}

/*
 * By a finder that comes first, a filter, another finder, or an index if there
 * is one; and what is left.  The filter knows neither of exact ends nor of all
 * ends.
 */
int
kdiff_plain_scan(struct kdiff_job *j)
{
	const struct kdiff_index *x;
	const struct kdiff_qgram *f = NULL;
	int r;

	j->n = j->set->n;
	if (!j->n || !j->text->n_seg)
		return 0;
	r = by_finder(j, true);
	if (r != KDIFF_NOT_NOW)
		return r;
	r = 0;
	if (!j->set->exact && !j->set->p.over_den)
		r = kdiff_qgram_find(j, &f);
	if (r || f)
		return r ? r : kdiff_qgram_each(f, j);
	r = by_finder(j, false);
	if (r != KDIFF_NOT_NOW)
		return r;
	r = find_index(j->set, j->text, &x, j->e);
	if (r || !x)
		return r ? r : kdiff_text_scan(j);
	return by_index(j, x);
}

static int
search(struct kdiff_job *j)
{
	int r;

	if (!j->set->p.over_den)
		return kdiff_plain_scan(j);
	if (j->unordered && j->set->p.report == KDIFF_ALL)
		return kdiff_over_each(j);
	r = kdiff_over_scan(j);
	return r || !j->w->over.n ? r :
	       kdiff_job_give(j, j->w->over.v, j->w->over.n);
}

int
kdiff_scan(const struct kdiff_set *set, const struct kdiff_text *text,
	   struct kdiff_work *w, struct kdiff_hits *hits, struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w,
			       .hits = hits, .e = e };

	return search(&j);
}

int
kdiff_each_unordered(const struct kdiff_set *set,
		     const struct kdiff_text *text, struct kdiff_work *w,
		     kdiff_take_fn *take, void *ctx, struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w,
			       .take = take, .ctx = ctx, .unordered = true,
			       .e = e };

	return search(&j);
}

int
kdiff_each(const struct kdiff_set *set, const struct kdiff_text *text,
	   struct kdiff_work *w, kdiff_take_fn *take, void *ctx,
	   struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w,
			       .take = take, .ctx = ctx, .e = e };

	return search(&j);
}
