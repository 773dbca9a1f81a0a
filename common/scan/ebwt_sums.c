/* SPDX-License-Identifier: MIT */
/* ebwt_sums.c - distances of all pairs of a word of one and one of another */
#include "scan/ebwt_sums.h"

#include <math.h>
#include <stdlib.h>

#include "algo/ebwt_paper.h"
#include "scan/ebwt_gather.h"

/* What some steps take, in nanoseconds. */
static const double per_letter = 16,	/* of v, to find its gaps */
    per_step = 4;			/* of a word of u through them */

/* All words of v, by a product of u or by its list. */
static void
offer(struct ebwt_route *p, const struct ebwt_words *u,
      const struct ebwt_words *v, bool product, bool sums)
{
	struct ebwt_route x = {
		.u = u, .v = v, .product = product, .sums = sums,
		.items = product && v->turn ? v->n_turns : v->n,
	};
	double best = p->u ? p->cost * (double)p->items : INFINITY;

	x.cost = product ? product_cost(&u->product, v->len, sums) :
		 per_letter * (double)v->len + per_step * (double)u->steps;
	if (x.cost * (double)x.items < best)
		*p = x;
}

static bool
sums_alone(const struct ebwt_how *how)
{
	return !how->extremes && (how->metric == EBWT_DELTA ||
				  how->metric == EBWT_NORM);
}

static void
offer_product(struct ebwt_route *p, const struct ebwt_words *u,
	      const struct ebwt_words *v, const struct ebwt_how *how)
{
	bool sums = sums_alone(how);

	if (u->is_product && (v->letters || v->n <= EBWT_MAX_WORDS) &&
	    product_fits(&u->product, v->len, how->metric, sums))
		offer(p, u, v, true, sums);
}

bool
ebwt_route(struct ebwt_route *p, const struct ebwt_words *a,
	  const struct ebwt_words *b, const struct ebwt_how *how)
{
	bool none = !a->n || !b->n, listed = a->letters && b->letters;

	*p = (struct ebwt_route){ 0 };
	if (none) {
		*p = (struct ebwt_route){ .u = a, .v = b };
		return true;
	}
	if (!how->paper && how->way != EBWT_WAY_LISTS) {
		offer_product(p, a, b, how);
		offer_product(p, b, a, how);
	}
	if (listed && (how->way != EBWT_WAY_PRODUCT || !p->u)) {
		offer(p, a, b, false, false);
		offer(p, b, a, false, false);
	}
	if (p->u && p->product)
		p->parts = product_parts(&p->u->product, p->v->n, p->v->len);
	return p->u;
}

uint64_t
ebwt_route_bytes(const struct ebwt_route *p)
{
	return p->product ? product_bytes(&p->u->product, p->v->len, p->sums) +
			    p->v->len : 0;
}

void
ebwt_sums_work_free(struct ebwt_sums_work *w)
{
	ebwt_gather_free(w->gather);
	ebwt_gap_work_free(&w->gap);
	product_work_free(w->product);
	free(w->word);
	*w = (struct ebwt_sums_work){ 0 };
}

static inline void
add(struct ebwt_sum *x, double v)
{
	double s = x->s + v;

	x->rest += fabs(x->s) >= fabs(v) ? (x->s - s) + v : (v - s) + x->s;
	x->s = s;
}

static inline void
extend(struct ebwt_sums *y, double min, double max)
{
	y->min = y->some && y->min < min ? y->min : min;
	y->max = y->some && y->max > max ? y->max : max;
	y->some = true;
}

struct counting {
	struct ebwt_sums *y;
	const struct ebwt_route *plan;
	const struct ebwt_how *how;
	double weight;		/* of the word of v */
};

/* Word i of u. */
static void
count(void *arg, uint32_t i, uint64_t delta, double de)
{
	struct counting *k = arg;
	const struct ebwt_route *p = k->plan;
	double w = p->u->weight[i] * k->weight;
	double d = k->how->metric == EBWT_DE ? de :
		   ebwt_measure(k->how->metric, p->u->len, p->v->len, delta);

	add(&k->y->d, d);
	add(&k->y->pd, w * d);
	add(&k->y->p, w);
	extend(k->y, d, d);
}

static int
count_paper(struct counting *k, const uint8_t *s, struct err *e)
{
	const struct ebwt_words *u = k->plan->u;
	uint64_t delta;
	double de = 0;
	int rc = 0;

	for (uint32_t i = 0; i < u->n && !rc; i++) {
		rc = ebwt_paper_delta(u->letters + i * u->len, u->len, s,
				      k->plan->v->len, k->how->memory, &delta,
				      k->how->metric == EBWT_DE ? &de : NULL,
				      e);
		if (!rc)
			count(k, i, delta, de);
	}
	return rc;
}

static int
count_list(struct counting *k, const uint8_t *s, struct ebwt_gap_work *work,
	   struct err *e)
{
	struct ebwt_gap g;
	int rc;

	if (k->how->paper)
		return count_paper(k, s, e);
	rc = ebwt_gap_new(&g, s, k->plan->v->len, e);
	if (rc)
		return rc;
	rc = ebwt_gap_each(&g, &k->plan->u->by_end,
			   k->how->metric == EBWT_DE, work, count, k, e);
	ebwt_gap_free(&g);
	return rc;
}

static int
count_product(struct counting *k, const uint8_t *s, double times,
	      struct product_work *work, struct err *e)
{
	struct product_how how = { k->how->metric, k->plan->parts,
				   k->plan->sums || k->y->unknown };
	struct product_sum x;
	int rc = product_dist(&k->plan->u->product, s, k->plan->v->len, &how,
			      work, &x, e);

	if (rc)
		return rc;
	add(&k->y->d, times * x.sum);
	add(&k->y->pd, k->weight * x.share_sum);
	add(&k->y->p, k->weight);
	if (x.least < 0)
		k->y->unknown = true;
	else
		extend(k->y, x.least, x.most);
	return 0;
}

static int
prepare(const struct ebwt_route *p, struct ebwt_sums_work *w, struct err *e)
{
	uint8_t *more;

	if (p->product && !w->product && product_work_new(&w->product, e))
		return e->code;
	if (p->v->letters || w->n_word >= p->v->len)
		return 0;
	more = realloc(w->word, p->v->len);
	if (!more)
		return err_nomem(e, p->v->len);
	w->word = more;
	w->n_word = p->v->len;
	return 0;
}

int
ebwt_sums_walk(struct ebwt_sums *y, const struct ebwt_route *p,
	       const struct ebwt_how *how, uint64_t from, uint64_t to,
	       struct ebwt_sums_work *work, struct err *e)
{
	struct counting k = { .y = y, .plan = p, .how = how };
	const struct ebwt_words *v = p->v;
	int rc = prepare(p, work, e);

	for (uint64_t i = from; i < to && p->u->n && !rc; i++) {
		const struct ebwt_turn *t = p->product && v->turn ?
					    &v->turn[i] : NULL;
		const uint8_t *s = ebwt_words_nth(v, t ? t->word : i,
						  work->word, &k.weight);

		if (t)
			k.weight = t->weight;
		rc = p->product ? count_product(&k, s, t ? t->n : 1,
						work->product, e) :
				  count_list(&k, s, &work->gap, e);
	}
	return rc;
}

void
ebwt_sums_known(struct ebwt_sums *y, const struct ebwt_route *p,
		const struct ebwt_how *how, uint64_t j, const uint16_t *runs,
		const double *de)
{
	struct counting k = { .y = y, .plan = p, .how = how,
			      .weight = p->v->weight[j] };
	uint64_t n = p->u->len, m = p->v->len, tied = ebwt_delta_tied(n, m);
	double de_tied = de ? ebwt_gap_entropy_tied(n, m) : 0;

	for (uint64_t i = 0; i < p->u->n; i++)
		if (de)
			count(&k, p->u->by_end.order[i], 0,
			      de[i] < 0 ? de_tied : de[i]);
		else
			count(&k, p->u->by_end.order[i],
			      runs[i] ? n + m - runs[i] : tied, 0);
}

int
ebwt_sums_add(struct ebwt_sums *y, const struct ebwt_route *p,
	      const struct ebwt_how *how, uint64_t from, uint64_t to,
	      struct ebwt_sums_work *work, struct err *e)
{
	return ebwt_gather_takes(p, how) ?
	       ebwt_gather_add(y, p, how, from, to, work, e) :
	       ebwt_sums_walk(y, p, how, from, to, work, e);
}

void
ebwt_sums_join(struct ebwt_sums *to, const struct ebwt_sums *from)
{
	struct ebwt_sum *sum[] = { &to->d, &to->pd, &to->p };
	const struct ebwt_sum more[] = { from->d, from->pd, from->p };

	for (int i = 0; i < 3; i++) {
		add(sum[i], more[i].s);
		add(sum[i], more[i].rest);
	}
	if (from->some)
		extend(to, from->min, from->max);
	to->unknown |= from->unknown;
}

struct ebwt_stat
ebwt_sums_stat(const struct ebwt_sums *y, const struct ebwt_route *p,
	       const struct ebwt_how *how)
{
	bool unknown = y->unknown || !how->extremes;
	struct ebwt_stat t = { 0 };
	double n;

	if (__builtin_mul_overflow(p->u->n, p->v->n, &t.pairs) ||
	    t.pairs == UINT64_MAX) {
		t.pairs = UINT64_MAX;
		t.log2_pairs = ebwt_words_log2(p->u) + ebwt_words_log2(p->v);
	}
	if (!t.pairs)
		return t;
	n = p->parts ? (double)p->v->n : (double)t.pairs;
	t.mean = (y->d.s + y->d.rest) / n;
	t.weighted_mean = (y->pd.s + y->pd.rest) / (y->p.s + y->p.rest);
	t.min = unknown ? -1 : y->min;
	t.max = unknown ? -1 : y->max;
	return t;
}
