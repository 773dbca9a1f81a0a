/* SPDX-License-Identifier: MIT */
/*
 * kdiff_overhang_parts.c - candidates of overhangs, by a search for parts
 *
 * Let l > 0 letters hang over the begin of a subject, at a cost e = c(l) <= k,
 * and let L be the largest number of letters of cost e.  Then the pattern
 * without its first L letters, its part, ends in the subject's first letters
 * with at most k - e differences.  At a subject's end it is the pattern without
 * its last L letters, not far from the end.  So the parts of all patterns, one
 * or some for each e, are searched for there like patterns without overhangs,
 * by the fastest engine, and kdiff_overhang.c verifies only these candidates.
 * A pattern with a part that would occur in random letters is verified
 * everywhere.
 *
 * A subject of m + k letters or more has no path that hangs over both ends:
 * n <= m - l + k letters lie between.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"

enum {
	MAX_PARTS = 4,		/* of a pattern, at each end */
	MIN_PAIRS = 1024,	/* pairs that are all looked at sooner */
};

/* A part's end: so many letters from the begin, or before the end. */
struct part {
	uint32_t pattern, from, to;
};

struct side {
	struct kdiff_set *set;
	struct part *part;
	size_t cap;
	uint32_t *always;
	size_t n_always;
};

struct kdiff_overhang_parts {
	struct side side[2];	/* at the begin, at the end */
};

void
kdiff_overhang_parts_free(struct kdiff_overhang_parts *o)
{
	if (!o)
		return;
	for (unsigned i = 0; i < 2; i++) {
		kdiff_set_free(o->side[i].set);
		free(o->side[i].part);
		free(o->side[i].always);
	}
	free(o);
}

/* The most letters that cost at most e. */
static uint32_t
most_letters(const struct kdiff_ratio *c, const struct kdiff_pat *p,
	     uint32_t e)
{
	unsigned __int128 l = (unsigned __int128)(e + 1ull) * c->den;

	if (!c->num)
		return p->m;
	l = (l - 1) / c->num;
	return l < p->m ? (uint32_t)l : p->m;
}

/*
 * Do so few random letters match m letters with k differences that it is worth
 * to look for them, at n ends?
 */
static bool
is_rare(uint32_t m, uint32_t k, uint32_t n)
{
	double x;

	if (k >= m)
		return false;
	x = lgamma(m + 1.0) - lgamma(k + 1.0) - lgamma(m - k + 1.0) +
	    k * log(8) - m * log(4);
	return x + log(n) < log(0.05);
}

/* Pattern letters [beg, beg + m) as a pattern with k differences. */
static int
add_part(struct side *s, const struct kdiff_set *set, const struct part *x,
	 uint32_t beg, uint32_t m, uint32_t k, struct err *e)
{
	size_t n = kdiff_set_size(s->set);
	int rc = array_room(&s->part, &s->cap, n + 1, sizeof *s->part, e);

	if (!rc)
		rc = kdiff_set_add_part(s->set, set, x->pattern, beg, m, k, e);
	if (!rc)
		s->part[n] = *x;
	return rc;
}

/*
 * The parts of pattern i for costs [lo, hi], of which `less` letters cost less:
 * false, there is one that is not rare.
 */
static bool
part_of(const struct kdiff_set *set, uint32_t i, uint32_t less, uint32_t most,
	uint32_t k, bool end, struct part *x)
{
	const struct kdiff_pat *p = &set->pat[i];
	uint32_t indels = set->p.hamming ? 0 : k;

	x->pattern = i;
	/* m - l letters, less < l <= most, with at most k indels */
	if (end) {
		x->from = 0;
		x->to = most - less - 1 + indels;
	} else {
		x->from = p->m - most > indels ? p->m - most - indels : 0;
		x->to = p->m - less - 1 + indels;
	}
	return is_rare(p->m - most, k, x->to - x->from + 1);
}

/* The parts of pattern i, or it is always looked at. */
static int
add_pattern(struct side *s, const struct kdiff_set *set, uint32_t i, bool end,
	    struct err *e)
{
	const struct kdiff_pat *p = &set->pat[i];
	uint32_t step = p->k / MAX_PARTS + 1;
	struct part x;
	int rc = 0;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t lo = 0, less = 0, most; lo <= p->k && !rc;
		     lo += step, less = most) {
			uint32_t hi = lo + step - 1 < p->k ? lo + step - 1 :
				      p->k;

			most = most_letters(&set->p.over[end], p, hi);
			if (most == less)
				continue;
			if (!part_of(set, i, less, most, p->k - lo, end, &x)) {
				s->always[s->n_always++] = i;
				return 0;
			}
			if (pass)
				rc = add_part(s, set, &x, end ? 0 : most,
					      p->m - most, p->k - lo, e);
		}
	return rc;
}

static int
make_side(struct side *s, const struct kdiff_set *set, bool end, struct err *e)
{
	struct kdiff_params p = set->p;
	int rc;

	p.report = KDIFF_ALL;
	memset(p.over, 0, sizeof p.over);
	s->always = malloc(set->n * sizeof *s->always);
	if (!s->always)
		return err_nomem(e, set->n * sizeof *s->always);
	rc = kdiff_set_new(&s->set, &p, e);
	for (uint32_t i = 0; i < set->n && !rc && set->p.over[end].den; i++)
		rc = add_pattern(s, set, i, end, e);
	if (!rc) {
		s->set->ops = set->ops;
		kdiff_set_engine(s->set, set->engine);
	}
	return rc;
}

static int
make_parts(struct kdiff_lazy *l, const struct kdiff_set *set, struct err *e)
{
	struct kdiff_overhang_parts *o = calloc(1, sizeof *o);
	int rc = o ? 0 : err_nomem(e, sizeof *o);

	for (unsigned i = 0; i < 2 && !rc; i++)
		rc = make_side(&o->side[i], set, i, e);
	if (rc)
		kdiff_overhang_parts_free(o);
	else
		__atomic_store_n(&l->parts, o, __ATOMIC_RELEASE);
	return rc;
}

int
kdiff_overhang_parts(const struct kdiff_job *j,
		     const struct kdiff_overhang_parts **o)
{
	struct kdiff_lazy *l = j->set->lazy;
	int rc = 0;

	*o = __atomic_load_n(&l->parts, __ATOMIC_ACQUIRE);
	if (*o || (j->text->n_seg * j->set->n < MIN_PAIRS &&
		   !j->set->force.patient))
		return 0;
	pthread_mutex_lock(&l->lock);
	if (!l->parts)
		rc = make_parts(l, j->set, j->e);
	*o = l->parts;
	pthread_mutex_unlock(&l->lock);
	return rc;
}

const uint32_t *
kdiff_overhang_always(const struct kdiff_overhang_parts *o, bool end, size_t *n)
{
	*n = o->side[end].n_always;
	return o->side[end].always;
}

/* Windows at the ends of subjects, one a slot of a text. */
struct windows {
	const struct kdiff_job *j;
	const struct side *side;
	bool end;
	size_t *seg;		/* of each slot */
	uint64_t letters, slot;	/* of a window; with the gap behind it */
	size_t most;		/* pairs */
};

/* A part was found: its pattern and subject are looked at. */
static int
part_found(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	struct windows *x = ctx;
	struct kdiff_work *w = x->j->w;

	for (size_t i = 0; i < n; i++) {
		const struct part *p = &x->side->part[v[i].pattern];
		uint64_t slot = (v[i].end - 1) / x->slot;
		uint64_t at = v[i].end - slot * x->slot;
		struct kdiff_pair pair = { x->seg[slot], p->pattern, x->end };
		int rc;

		if (x->end)
			at = x->letters - at;
		if (at < p->from || at > p->to)
			continue;
		if (w->n_pair >= x->most)
			return ERR_LIMIT;
		rc = array_room(&w->pair, &w->pair_cap, w->n_pair + 1,
				sizeof pair, e);
		if (rc)
			return rc;
		w->pair[w->n_pair++] = pair;
	}
	return 0;
}

static int
scan_side(struct windows *x, size_t first, size_t end)
{
	struct kdiff_work *w = x->j->w;
	struct kdiff_turn turn = { .t = x->j->text };
	struct kdiff_copy *c = &w->windows;
	int rc = kdiff_copy_room(c, turn.t, (end - first) * x->slot,
				 end - first, x->j->e);

	if (!rc)
		rc = kdiff_room(&w->window, &w->window_cap, (end - first) *
				sizeof *x->seg, x->j->e);
	x->seg = (size_t *)(void *)w->window;
	for (size_t i = first; i < end && !rc; i++) {
		const struct kdiff_seg *g = &turn.t->seg[i];
		size_t n = c->text.n_seg;
		uint64_t at = n * x->slot;

		if (g->end - g->beg < x->letters ||
		    !(x->end ? g->last : g->first))
			continue;
		turn.beg = x->end ? g->end - x->letters : g->beg;
		turn.end = turn.beg + x->letters;
		kdiff_copy_put(&turn, c, at);
		c->seg[n] = (struct kdiff_seg){ .beg = at, .to = UINT64_MAX,
						.end = at + x->letters };
		x->seg[n] = i;
		c->text.n_seg++;
	}
	c->text.n = c->text.n_seg * x->slot;
	return rc || !c->text.n_seg ? rc :
	       kdiff_each_unordered(x->side->set, &c->text, w, part_found, x,
				    x->j->e);
}

static int
by_place(const void *a, const void *b)
{
	const struct kdiff_pair *x = a, *y = b;

	if (x->seg != y->seg)
		return x->seg < y->seg ? -1 : 1;
	if (x->end != y->end)
		return x->end ? 1 : -1;
	return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

int
kdiff_overhang_pairs(const struct kdiff_overhang_parts *o,
		     const struct kdiff_job *j, size_t first, size_t end,
		     bool *dense)
{
	struct kdiff_work *w = j->w;
	size_t n = 0;
	int rc = 0;

	*dense = false;
	w->n_pair = 0;
	for (unsigned i = 0; i < 2 && !rc; i++) {
		struct windows x = {
			.j = j, .side = &o->side[i], .end = i,
			.letters = j->set->max_mk,
			.most = (end - first) * j->set->n / 4 + MIN_PAIRS,
		};

		x.slot = (x.letters + j->set->max_k + 64) / 64 * 64;
		if (kdiff_set_size(x.side->set))
			rc = scan_side(&x, first, end);
	}
	*dense = rc == ERR_LIMIT;
	if (rc)
		return *dense ? 0 : rc;
	if (w->n_pair)
		qsort(w->pair, w->n_pair, sizeof *w->pair, by_place);
	for (size_t i = 0; i < w->n_pair; i++)
		if (!n || by_place(&w->pair[n - 1], &w->pair[i]))
			w->pair[n++] = w->pair[i];
	w->n_pair = n;
	return 0;
}
