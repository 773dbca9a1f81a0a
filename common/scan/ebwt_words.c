/* SPDX-License-Identifier: MIT */
/* ebwt_words.c - the words of a sequence or matrix, and of two the distances */
#include "scan/ebwt_words.h"

#include <math.h>
#include <stdlib.h>

#include "algo/ebwt_paper.h"

static const double one_weight = 0.5;
static const struct prob one = { 0.5, 1 };

/* Probabilities may be smaller than any double: only their ratios count. */
static int
weigh(struct ebwt_words *w, struct err *e)
{
	int64_t most = INT64_MIN;

	w->own_weight = malloc((w->n + 1) * sizeof *w->own_weight);
	if (!w->own_weight)
		return err_nomem(e, w->n * sizeof *w->own_weight);
	for (uint64_t i = 0; i < w->n; i++)
		if (w->p[i].e > most)
			most = w->p[i].e;
	for (uint64_t i = 0; i < w->n; i++) {
		int64_t below = w->p[i].e - most;

		w->own_weight[i] = below < -2000 ? 0 :
				   ldexp(w->p[i].m, (int)below);
	}
	w->weight = w->own_weight;
	return 0;
}

static int
solid_of(struct ebwt_words *w, const struct ebwt_seq *s,
	 const struct solid_rule *r, struct err *e)
{
	struct weighted m;
	float *v = malloc(s->n * 16);
	int rc;

	if (!v)
		return err_nomem(e, s->n * 16);
	memcpy(v, s->letters, s->n * 16);	/* now aligned */
	rc = weighted_new(&m, v, s->n, e);
	free(v);
	if (rc)
		return rc;
	rc = solid_words(&w->own, &m, r, e);
	weighted_free(&m);
	w->n = w->own.n;
	w->letters = w->own.letters;
	w->p = w->own.p;
	return rc ? rc : weigh(w, e);
}

static int
sort(struct ebwt_words *w, struct err *e)
{
	/* beside what is not shared: the circle is closed */
	enum { CLOSE = 8 };
	int rc;

	w->by_end = (struct ebwt_gap_words){ w->letters, w->len,
					     (uint32_t)w->n, NULL, NULL };
	rc = ebwt_gap_sort(&w->by_end, e);
	for (uint64_t i = 0; i < w->n && !rc; i++)
		w->steps += w->len + CLOSE - w->by_end.shared[i];
	return rc;
}

int
ebwt_words_of(struct ebwt_words *w, const struct ebwt_seq *s,
	      const struct solid_rule *r, struct err *e)
{
	int rc = 0;

	*w = (struct ebwt_words){ .n = 1, .len = s->n, .letters = s->letters,
				  .p = &one, .weight = &one_weight };
	if (s->prob)
		rc = solid_of(w, s, r, e);
	if (!rc)
		rc = sort(w, e);
	if (rc) {
		err_at(e, "%.*s", (int)(s->name.n < 99 ? s->name.n : 99),
		       s->name.p);
		ebwt_words_free(w);
	}
	return rc;
}

void
ebwt_words_free(struct ebwt_words *w)
{
	solid_free(&w->own);
	free(w->own_weight);
	free(w->by_end.order);
	free(w->by_end.shared);
	*w = (struct ebwt_words){ 0 };
}

/* A sum that loses nothing that 16 digits show (Neumaier 1974). */
struct sum {
	double s, rest;
};

static inline void
add(struct sum *x, double v)
{
	double s = x->s + v;

	x->rest += fabs(x->s) >= fabs(v) ? (x->s - s) + v : (v - s) + x->s;
	x->s = s;
}

struct stat_sums {
	const struct ebwt_how *how;
	const struct ebwt_words *u, *v;
	uint64_t j;		/* of v's words */
	struct ebwt_stat *t;
	struct sum d, pd, p;
};

/* Word i of u. */
static void
count(void *arg, uint32_t i, uint64_t delta, double de)
{
	struct stat_sums *y = arg;
	struct ebwt_stat *t = y->t;
	double p = y->u->weight[i] * y->v->weight[y->j];
	double d = y->how->metric == EBWT_DE ? de :
		   ebwt_measure(y->how->metric, y->u->len, y->v->len, delta);

	add(&y->d, d);
	add(&y->pd, p * d);
	add(&y->p, p);
	t->min = t->pairs && t->min < d ? t->min : d;
	t->max = t->pairs && t->max > d ? t->max : d;
	t->pairs++;
}

static int
count_paper(struct stat_sums *y, const uint8_t *s, struct err *e)
{
	const struct ebwt_words *u = y->u;
	uint64_t delta;
	double de = 0;
	int rc = 0;

	for (uint32_t i = 0; i < u->n && !rc; i++) {
		rc = ebwt_paper_delta(u->letters + i * u->len, u->len, s,
				      y->v->len, y->how->memory, &delta,
				      y->how->metric == EBWT_DE ? &de : NULL,
				      e);
		if (!rc)
			count(y, i, delta, de);
	}
	return rc;
}

/* A word of v, and all of u. */
static int
count_word(struct stat_sums *y, struct ebwt_gap_work *work, struct err *e)
{
	const uint8_t *s = y->v->letters + y->j * y->v->len;
	struct ebwt_gap g;
	int rc;

	if (y->how->paper)
		return count_paper(y, s, e);
	rc = ebwt_gap_new(&g, s, y->v->len, e);
	if (rc)
		return rc;
	rc = ebwt_gap_each(&g, &y->u->by_end, y->how->metric == EBWT_DE, work,
			   count, y, e);
	ebwt_gap_free(&g);
	return rc;
}

/* Steps if v's words get gaps: some 16 a letter to sort each, and those of all
 * words of u for each. */
static double
cost(const struct ebwt_words *v, const struct ebwt_words *u)
{
	return (double)v->n * (16.0 * (double)v->len + (double)u->steps);
}

int
ebwt_words_stat(const struct ebwt_words *a, const struct ebwt_words *b,
		const struct ebwt_how *how, struct ebwt_gap_work *work,
		struct ebwt_stat *t, struct err *e)
{
	bool swap = cost(a, b) < cost(b, a);
	const struct ebwt_words *v = swap ? a : b, *u = swap ? b : a;
	struct stat_sums y = { .how = how, .t = t, .u = u, .v = v };
	int rc = 0;

	*t = (struct ebwt_stat){ 0 };
	for (; y.j < v->n && u->n && !rc; y.j++)
		rc = count_word(&y, work, e);
	if (rc || !t->pairs)
		return rc;
	t->mean = (y.d.s + y.d.rest) / (double)t->pairs;
	t->weighted_mean = (y.pd.s + y.pd.rest) / (y.p.s + y.p.rest);
	return 0;
}
