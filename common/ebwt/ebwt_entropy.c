/* SPDX-License-Identifier: MIT */
/*
 * ebwt_entropy.c - how evenly the lengths of a pair's runs are spread
 *
 * Every class has the list of its rows' numbers; those of two are merged.  A
 * row stands for as many of the listing as a word's exponent, so runs of u are
 * |u| / |root| times as long.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt_gap.h"
#include "ebwt/ebwt_priv.h"

enum {
	FEW = 64,
	SHORT_RUN = 1 << 16,	/* shorter ones are counted by length */
	STEPS = 1024,		/* of a walk, at a time */
};

struct lengths {
	uint32_t *count;	/* SHORT_RUN, all 0 between pairs */
	uint64_t *length;	/* of other runs: n_long */
	uint64_t n_long, longest, runs;
	uint32_t *ended;	/* STEPS + 1 */
	/* More of count, in turn: most are alike, and to add to what was just
	 * written takes a while. */
	uint32_t few[4][FEW];
};

struct ebwt_entropies {
	struct ebwt *x;
	uint32_t *rank;		/* row numbers, class by class */
	uint64_t *at;		/* by class: where they begin; filled so far */
	struct lengths *work;	/* two a thread */
	uint64_t most_long;
};

static int
entropy_take(void *arg, const struct ebwt_batch *b, struct err *e)
{
	struct ebwt_entropies *t = arg;

	(void)e;
	for (uint64_t i = 0; i < b->n; i++)
		t->rank[t->at[ebwt_class(b, i)]++] =
			(uint32_t)(b->base - t->x->par.origin + i);
	return 0;
}

static void
add_length(struct lengths *l, uint64_t length, uint64_t runs)
{
	l->runs += runs;
	if (length >= SHORT_RUN) {
		for (; runs; runs--)
			l->length[l->n_long++] = length;
		return;
	}
	l->count[length] += (uint32_t)runs;
	if (runs && length > l->longest)
		l->longest = length;
}

/* Two classes' rows, merged so far. */
struct walk {
	const uint32_t *a, *a_end, *b, *b_end;
	uint32_t run;		/* rows of the run that is on */
	bool in_b;		/* whose it is */
	uint32_t *to;		/* lengths of those that have ended */
};

/* The next row, whose ever it is: no branch depends on it. */
static inline struct walk
next_row(struct walk w)
{
	bool b = *w.b < *w.a, ends = b != w.in_b;

	*w.to = w.run;
	w.to += ends;
	w.run = (w.run & ((uint32_t)ends - 1)) + 1;
	w.in_b = b;
	w.a += !b;
	w.b += b;
	return w;
}

/* A step has to wait for the one before, but not for those of another walk. */
static void
steps_of_two(struct walk *x, struct walk *y, uint64_t n)
{
	struct walk u = *x, v = *y;

	while (n--) {
		u = next_row(u);
		v = next_row(v);
	}
	*x = u;
	*y = v;
}

static void
steps_of_one(struct walk *x, uint64_t n)
{
	struct walk u = *x;

	while (n--)
		u = next_row(u);
	*x = u;
}

/* A pair of words: what it takes to merge their rows. */
struct pair {
	size_t i, j;
	double *to;
	struct lengths *l;
	struct walk w;
	uint64_t times_a, times_b;
};

/* As many steps as neither has too few rows for. */
static uint64_t
steps_left(const struct pair *p)
{
	uint64_t a = (uint64_t)(p->w.a_end - p->w.a);
	uint64_t b = (uint64_t)(p->w.b_end - p->w.b);

	return min_u64(min_u64(a, b), STEPS);
}

/* Runs that have ended, of one and the other in turn, the last before the one
 * that is on. */
static void
drain(struct pair *p)
{
	struct lengths *l = p->l;
	uint64_t n = (uint64_t)(p->w.to - l->ended);
	bool of_b = p->w.in_b ^ (n & 1);

	for (uint64_t k = 0; k < n; k++) {
		uint64_t length = l->ended[k] * (of_b ? p->times_b :
						 p->times_a);

		if (length < FEW)
			l->few[k % 4][length]++;
		else
			add_length(l, length, 1);
		of_b = !of_b;
	}
	p->w.to = l->ended;
}

static void
drain_rest(struct pair *p)
{
	uint64_t a = (uint64_t)(p->w.a_end - p->w.a);
	uint64_t b = (uint64_t)(p->w.b_end - p->w.b);

	/* one of them has none left */
	if (p->w.in_b) {
		add_length(p->l, (p->w.run + b) * p->times_b, 1);
		if (a)
			add_length(p->l, a * p->times_a, 1);
	} else {
		add_length(p->l, (p->w.run + a) * p->times_a, 1);
		if (b)
			add_length(p->l, b * p->times_b, 1);
	}
}

static void
merge_two(struct pair *p, struct pair *q)
{
	uint64_t n;

	while ((n = min_u64(steps_left(p), steps_left(q)))) {
		steps_of_two(&p->w, &q->w, n);
		drain(p);
		drain(q);
	}
}

static void
merge_one(struct pair *p)
{
	uint64_t n;

	while ((n = steps_left(p))) {
		steps_of_one(&p->w, n);
		drain(p);
	}
	drain_rest(p);
}

static int
by_length(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Then empty. */
static double
sum_up(struct lengths *l)
{
	uint64_t h = 0;
	uint64_t i, k;

	for (i = 1; i < FEW; i++)
		add_length(l, i,
			   (uint64_t)l->few[0][i] + l->few[1][i] +
			       l->few[2][i] + l->few[3][i]);
	memset(l->few, 0, sizeof l->few);
	for (i = 0; i <= l->longest; i++) {
		h += ebwt_bits_of(l->count[i], l->runs);
		l->count[i] = 0;
	}
	if (l->n_long)
		qsort(l->length, l->n_long, sizeof *l->length, by_length);
	for (i = 0; i < l->n_long; i = k) {
		for (k = i; k < l->n_long && l->length[k] == l->length[i]; k++)
			;
		h += ebwt_bits_of(k - i, l->runs);
	}
	l->n_long = l->longest = l->runs = 0;
	return ebwt_bits_sum(h);
}

/* Roots are conjugate: one run of | |u| - |v| |, the others of 1. */
static double
of_tied(struct lengths *l, uint64_t u, uint64_t v)
{
	add_length(l, 1, 2 * (u < v ? u : v));
	if (u != v)
		add_length(l, u > v ? u - v : v - u, 1);
	return sum_up(l);
}

static void
start_pair(const struct ebwt_entropies *t, struct pair *p)
{
	const struct ebwt *x = t->x;
	uint32_t c = x->class_of[p->i], d = x->class_of[p->j];

	p->w = (struct walk){
		.a = t->rank + t->at[c] - x->class[c].n,
		.a_end = t->rank + t->at[c],
		.b = t->rank + t->at[d] - x->class[d].n,
		.b_end = t->rank + t->at[d], .to = p->l->ended,
	};
	p->w.in_b = *p->w.b < *p->w.a;
	p->times_a = x->exponent[p->i];
	p->times_b = x->exponent[p->j];
}

static void
finish_pair(struct pair *p)
{
	merge_one(p);
	*p->to = sum_up(p->l);
}

void
ebwt_entropies_of(const struct ebwt_entropies *t, unsigned thread, size_t i,
		  size_t beg, size_t end, double *to, uint64_t step)
{
	const struct ebwt *x = t->x;
	struct lengths *l = t->work + 2 * (size_t)thread;
	struct pair two[2];
	unsigned n = 0;

	for (size_t j = beg; j < end; j++, to += step) {
		if (x->class_of[i] == x->class_of[j]) {
			*to = of_tied(l + n, x->word[i].n, x->word[j].n);
			continue;
		}
		two[n] = (struct pair){ .i = i, .j = j, .to = to, .l = l + n };
		start_pair(t, &two[n++]);
		if (n < 2)
			continue;
		merge_two(&two[0], &two[1]);
		while (n)
			finish_pair(&two[--n]);
	}
	if (n)
		finish_pair(&two[0]);
}

/* Two a thread. */
static int
entropy_room(struct ebwt_entropies *t, struct lengths *work, uint64_t n,
	     struct err *e)
{
	uint32_t *count = NULL, *ended = NULL;
	uint64_t *length = NULL;
	int rc = ebwt_take(t->x, &count, n, SHORT_RUN * sizeof *count, e);

	if (!rc)
		rc = ebwt_take(t->x, &length, n * t->most_long, sizeof *length,
			       e);
	if (!rc)
		rc = ebwt_take(t->x, &ended, n, (STEPS + 1) * sizeof *ended, e);
	/* the first has the address of all */
	work[0].count = count;
	work[0].length = length;
	work[0].ended = ended;
	if (rc)
		return rc;
	memset(count, 0, n * SHORT_RUN * sizeof *count);
	for (uint64_t i = 1; i < n; i++) {
		work[i].count = count + i * SHORT_RUN;
		work[i].length = length + i * t->most_long;
		work[i].ended = ended + i * (STEPS + 1);
	}
	return 0;
}

static int
ranks(struct ebwt_entropies *t, struct err *e)
{
	struct ebwt *x = t->x;
	uint64_t n = 0;
	int rc = ebwt_take(x, &t->rank, x->n_roots, sizeof *t->rank, e);

	if (!rc)
		rc = ebwt_take(x, &t->at, x->n_classes, sizeof *t->at, e);
	if (rc)
		return rc;
	for (size_t c = 0; c < x->n_classes; c++) {
		t->at[c] = n;
		n += x->class[c].n;
	}
	return ebwt_sort(x, false, entropy_take, t, e);
}

int
ebwt_entropies_new(struct ebwt_entropies **to, struct ebwt *x, struct err *e)
{
	struct ebwt_entropies *t = calloc(1, sizeof *t);
	uint64_t n = 2 * (uint64_t)x->par.threads;
	int rc;

	*to = t;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->x = x;
	t->most_long = x->n_rows / SHORT_RUN + 1;
	rc = ebwt_take(x, &t->work, n, sizeof *t->work, e);
	if (rc)
		return rc;
	memset(t->work, 0, n * sizeof *t->work);
	rc = ranks(t, e);
	return rc ? rc : entropy_room(t, t->work, n, e);
}

void
ebwt_entropies_delete(struct ebwt_entropies *t)
{
	if (!t)
		return;
	ebwt_give(t->x, &t->rank);
	ebwt_give(t->x, &t->at);
	if (t->work) {
		ebwt_give(t->x, &t->work[0].count);
		ebwt_give(t->x, &t->work[0].length);
		ebwt_give(t->x, &t->work[0].ended);
	}
	ebwt_give(t->x, &t->work);
	free(t);
}
