/* SPDX-License-Identifier: MIT */
/*
 * ebwt_entropy.c - how evenly the lengths of a pair's runs are spread
 *
 * Every class has the list of its rows' numbers; those of two are merged.  A
 * row stands for as many of the listing as a word's exponent, so runs of u are
 * |u| / |root| times as long.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/ebwt_priv.h"

enum { SHORT_RUN = 1 << 16 };	/* shorter ones are counted by length */

struct lengths {
	uint32_t *count;	/* SHORT_RUN, all 0 between pairs */
	uint64_t *length;	/* of other runs: n_long */
	uint64_t n_long, longest, runs;
};

struct entropy {
	struct ebwt *x;
	struct ebwt_pairs *p;
	uint32_t *rank;		/* row numbers, class by class */
	uint64_t *at;		/* by class: where they begin; filled so far */
	struct lengths *work;	/* by thread */
	uint64_t most_long;
};

static int
take(void *arg, const struct ebwt_batch *b, struct err *e)
{
	struct entropy *t = arg;

	(void)e;
	for (uint64_t i = 0; i < b->n; i++)
		t->rank[t->at[ebwt_class(b, i)]++] =
			(uint32_t)(b->base - t->x->par.origin + i);
	return 0;
}

static void
add(struct lengths *l, uint64_t length, uint64_t runs)
{
	l->runs += runs;
	if (length >= SHORT_RUN) {
		for (; runs; runs--)
			l->length[l->n_long++] = length;
		return;
	}
	l->count[length] += (uint32_t)runs;
	if (length > l->longest)
		l->longest = length;
}

/* Rows a[i..n) before row `stop`. */
static uint64_t
run(const uint32_t *a, uint64_t i, uint64_t n, uint32_t stop)
{
	uint64_t beg = i;

	while (i < n && a[i] < stop)
		i++;
	return i - beg;
}

static void
merge(struct lengths *l, const uint32_t *a, uint64_t n, uint64_t times_a,
      const uint32_t *b, uint64_t m, uint64_t times_b)
{
	uint64_t i = 0, j = 0, k;

	while (i < n && j < m)
		if (a[i] < b[j]) {
			k = run(a, i, n, b[j]);
			add(l, k * times_a, 1);
			i += k;
		} else {
			k = run(b, j, m, a[i]);
			add(l, k * times_b, 1);
			j += k;
		}
	if (i < n)
		add(l, (n - i) * times_a, 1);
	if (j < m)
		add(l, (m - j) * times_b, 1);
}

static int
by_length(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double
part(uint64_t count, uint64_t runs)
{
	double p = (double)count / (double)runs;

	return count ? p * log2(p) : 0;
}

/* In the order of lengths, so that (u, v) and (v, u) are equal; then empty. */
static double
sum_up(struct lengths *l)
{
	double h = 0;
	uint64_t i, k;

	for (i = 0; i <= l->longest; i++) {
		h -= part(l->count[i], l->runs);
		l->count[i] = 0;
	}
	if (l->n_long)
		qsort(l->length, l->n_long, sizeof *l->length, by_length);
	for (i = 0; i < l->n_long; i = k) {
		for (k = i; k < l->n_long && l->length[k] == l->length[i]; k++)
			;
		h -= part(k - i, l->runs);
	}
	l->n_long = l->longest = l->runs = 0;
	return h;
}

static double
pair(const struct entropy *t, struct lengths *l, size_t i, size_t j)
{
	const struct ebwt *x = t->x;
	uint32_t c = x->class_of[i], d = x->class_of[j];
	uint64_t u = x->word[i].n, v = x->word[j].n, n, m;

	if (c == d) {	/* one run of | |u| - |v| |, the others of 1 */
		add(l, 1, 2 * (u < v ? u : v));
		if (u != v)
			add(l, u > v ? u - v : v - u, 1);
		return sum_up(l);
	}
	n = x->class[c].n;
	m = x->class[d].n;
	merge(l, t->rank + t->at[c] - n, n, x->exponent[i],
	      t->rank + t->at[d] - m, m, x->exponent[j]);
	return sum_up(l);
}

/* All pairs of one word, with those before it or with queries. */
static void
pairs_of(void *arg, uint64_t i, unsigned thread)
{
	const struct entropy *t = arg;
	struct ebwt_pairs *p = t->p;
	size_t q = p->n_queries;

	i += q;
	for (size_t j = 0; j < (q ? q : i); j++)
		p->entropy[ebwt_pair_cell(p, i, j)] =
			pair(t, t->work + thread, i, j);
}

static int
room(struct entropy *t, struct lengths *work, unsigned threads, struct err *e)
{
	uint32_t *count = NULL;
	uint64_t *length = NULL;
	int rc = ebwt_take(t->x, &count, threads, SHORT_RUN * sizeof *count, e);

	if (!rc)
		rc = ebwt_take(t->x, &length, threads * t->most_long,
			       sizeof *length, e);
	/* the first has the address of all */
	work[0].count = count;
	work[0].length = length;
	if (rc)
		return rc;
	memset(count, 0, threads * SHORT_RUN * sizeof *count);
	for (unsigned i = 1; i < threads; i++) {
		work[i].count = count + (size_t)i * SHORT_RUN;
		work[i].length = length + i * t->most_long;
	}
	return 0;
}

static int
ranks(struct entropy *t, struct err *e)
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
	return ebwt_sort(x, false, take, t, e);
}

int
ebwt_entropy(struct ebwt *x, struct ebwt_pairs *p, struct err *e)
{
	struct entropy t = {
		.x = x, .p = p, .most_long = x->n_rows / SHORT_RUN + 1,
	};
	struct lengths *work;
	int rc = ebwt_take(x, &work, x->par.threads, sizeof *work, e);

	if (rc)
		return rc;
	memset(work, 0, x->par.threads * sizeof *work);
	t.work = work;
	rc = ranks(&t, e);
	if (!rc)
		rc = room(&t, work, x->par.threads, e);
	if (!rc)
		ebwt_each(x->par.threads, x->n_words - p->n_queries, pairs_of,
			  &t);
	ebwt_give(x, &t.rank);
	ebwt_give(x, &t.at);
	ebwt_give(x, &work[0].count);
	ebwt_give(x, &work[0].length);
	ebwt_give(x, &work);
	return rc;
}
