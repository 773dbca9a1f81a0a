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

int
ebwt_words_of(struct ebwt_words *w, const struct ebwt_seq *s,
	      const struct solid_rule *r, struct err *e)
{
	int rc = 0;

	*w = (struct ebwt_words){ .n = 1, .len = s->n, .letters = s->letters,
				  .p = &one, .weight = &one_weight };
	if (s->prob)
		rc = solid_of(w, s, r, e);
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
	struct ebwt_stat *t;
	struct sum d, pd, p;
};

static void
count(struct stat_sums *y, double d, double p)
{
	struct ebwt_stat *t = y->t;

	add(&y->d, d);
	add(&y->pd, p * d);
	add(&y->p, p);
	t->min = t->pairs && t->min < d ? t->min : d;
	t->max = t->pairs && t->max > d ? t->max : d;
	t->pairs++;
}

/* Word v of one side, and all of the other. */
static int
count_word(struct stat_sums *y, const struct ebwt_words *v, uint64_t j,
	   const struct ebwt_words *u, struct ebwt_gap_work *work,
	   struct err *e)
{
	const uint8_t *s = v->letters + j * v->len;
	bool wants_de = y->how->metric == EBWT_DE;
	struct ebwt_gap g = { 0 };
	uint64_t delta;
	double d;
	int rc = y->how->paper ? 0 : ebwt_gap_new(&g, s, v->len, e);

	for (uint64_t i = 0; i < u->n && !rc; i++) {
		const uint8_t *t = u->letters + i * u->len;
		double *de = wants_de ? &d : NULL;

		rc = y->how->paper ?
		     ebwt_paper_delta(t, u->len, s, v->len, y->how->memory,
				      &delta, de, e) :
		     ebwt_gap_delta(&g, t, u->len, work, &delta, de, e);
		if (rc)
			break;
		if (!wants_de)
			d = ebwt_measure(y->how->metric, u->len, v->len,
					 delta);
		count(y, d, u->weight[i] * v->weight[j]);
	}
	ebwt_gap_free(&g);
	return rc;
}

/*
 * Steps if v's words get gaps: to sort each, some 16 a letter, and to walk each
 * word of u twice for each.
 */
static double
cost(const struct ebwt_words *v, const struct ebwt_words *u)
{
	return (double)v->n * (16.0 * (double)v->len +
			       2.0 * (double)u->n * (double)u->len);
}

int
ebwt_words_stat(const struct ebwt_words *a, const struct ebwt_words *b,
		const struct ebwt_how *how, struct ebwt_gap_work *work,
		struct ebwt_stat *t, struct err *e)
{
	bool swap = cost(a, b) < cost(b, a);
	const struct ebwt_words *v = swap ? a : b, *u = swap ? b : a;
	struct stat_sums y = { .how = how, .t = t };
	int rc = 0;

	*t = (struct ebwt_stat){ 0 };
	for (uint64_t j = 0; j < v->n && u->n && !rc; j++)
		rc = count_word(&y, v, j, u, work, e);
	if (rc || !t->pairs)
		return rc;
	t->mean = (y.d.s + y.d.rest) / (double)t->pairs;
	t->weighted_mean = (y.pd.s + y.pd.rest) / (y.p.s + y.p.rest);
	return 0;
}
