/* SPDX-License-Identifier: MIT */
/* ebwt_nearest.c - the nearest of each sequence, for -n */

#include <stdlib.h>

#include "base/base.h"
#include "scan/ebwt/ebwt_scan_priv.h"

/* As heaps, the farthest first. */
struct near {
	double value;
	uint64_t to;
};
struct ebwt_nearest {
	struct near *v;		/* `most` of each */
	size_t *n;
	size_t most;
};

/* How many of each there are at most. */
static uint64_t
most_near(const struct ebwt_table *t)
{
	uint64_t others = t->n - (t->n_a ? t->n_a : 1);

	return min_u64((uint64_t)t->s->o.n, others);
}

static bool
farther(const struct near *x, const struct near *y)
{
	return x->value > y->value || (x->value == y->value && x->to > y->to);
}

static void
sift_down(struct near *v, size_t n, struct near x)
{
	size_t i = 0, k;

	for (; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && farther(&v[k + 1], &v[k]))
			k++;
		if (!farther(&v[k], &x))
			break;
		v[i] = v[k];
	}
	v[i] = x;
}

void
ebwt_nearest_offer(struct ebwt_nearest *h, size_t a, size_t b, double value)
{
	struct near *v = h->v + a * h->most, x = { value, b };
	size_t i = h->n[a];

	if (i == h->most) {
		if (farther(&v[0], &x))
			sift_down(v, i, x);
		return;
	}
	for (h->n[a]++; i && farther(&x, &v[(i - 1) / 2]); i = (i - 1) / 2)
		v[i] = v[(i - 1) / 2];
	v[i] = x;
}

int
ebwt_nearest_new(struct ebwt_nearest **to, const struct ebwt_table *t,
		 struct err *e)
{
	struct ebwt_nearest *h = calloc(1, sizeof *h);
	size_t rows = ebwt_rows(t);

	*to = h;
	if (!h)
		return err_nomem(e, sizeof *h);
	h->most = (size_t)most_near(t);
	if (rows && h->most > SIZE_MAX / sizeof *h->v / rows)
		return err_nomem(e, SIZE_MAX);
	h->n = calloc(rows + 1, sizeof *h->n);
	h->v = malloc((rows * h->most + 1) * sizeof *h->v);
	return h->n && h->v ? 0 : err_nomem(e, rows * h->most * sizeof *h->v);
}

void
ebwt_nearest_delete(struct ebwt_nearest *h)
{
	if (!h)
		return;
	free(h->n);
	free(h->v);
	free(h);
}

/* All but a few of very many are farther than the farthest: this is inlined. */
static inline void
offer(struct ebwt_nearest *h, size_t a, size_t b, double value)
{
	if (h->n[a] < h->most || value <= h->v[a * h->most].value)
		ebwt_nearest_offer(h, a, b, value);
}

/* Of a band, what is near to words of its rows, and to those of columns; a heap
 * is one thread's at a time. */
struct near_band {
	struct ebwt_nearest *h;
	const struct ebwt_table *t;
	const struct ebwt_band *b;
};

enum { COLUMNS = 512 };

/* The row of word k, and columns [beg, end): for the row, or for columns. */
static void
near_some(const struct near_band *y, size_t k, size_t beg, size_t end,
	  bool of_row)
{
	const struct ebwt_band *b = y->b;
	size_t i = b->word[k], q = y->t->n_a;
	double value[COLUMNS];

	ebwt_band_row(b, y->t->s->o.metric, k, beg, end, value);
	for (size_t m = beg; m < end; m++) {
		size_t j = b->word[m];

		if (!of_row)
			offer(y->h, j, i, value[m - beg]);
		else if (j >= q)
			offer(y->h, i, j, value[m - beg]);
	}
}

static void
near_row(void *ctx, uint64_t i, unsigned thread)
{
	const struct near_band *y = ctx;
	size_t k = y->b->beg + i;
	size_t n = y->b->triangle ? k : y->t->n;

	(void)thread;
	if (y->t->n_a && y->b->word[k] >= y->t->n_a)
		return;
	for (size_t m = 0; m < n; m += COLUMNS)
		near_some(y, k, m, min_u64(n, m + COLUMNS), true);
}

static void
near_columns(void *ctx, uint64_t i, unsigned thread)
{
	const struct near_band *y = ctx;
	size_t m = i * COLUMNS;

	(void)thread;
	for (size_t k = max_u64(y->b->beg, m + 1); k < y->b->end; k++)
		near_some(y, k, m, min_u64(k, m + COLUMNS), false);
}

static void
near_band(void *arg, const struct ebwt_band *b)
{
	struct ebwt_table *t = arg;
	struct near_band y = { t->nearest, t, b };

	threads_each(t->s->threads, b->end - b->beg, near_row, &y);
	if (b->triangle)
		threads_each(t->s->threads, (b->end + COLUMNS - 1) / COLUMNS,
			     near_columns, &y);
}

int
ebwt_nearest_of_bands(struct ebwt_table *t, struct ebwt *x,
		      const struct ebwt_pairs_job *job, struct err *e)
{
	int rc = ebwt_nearest_new(&t->nearest, t, e);

	return rc ? rc : ebwt_bands(x, job, near_band, t, e);
}

static int
by_pair(const void *x, const void *y)
{
	const struct ebwt_near_pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return p->b < q->b ? -1 : p->b > q->b;
}

size_t
ebwt_nearest_pairs(struct ebwt_nearest *h, const struct ebwt_table *t,
		   const struct ebwt_near_pair **pairs)
{
	struct ebwt_near_pair *v = (struct ebwt_near_pair *)(void *)h->v;
	size_t n = 0, to = 0;

	for (size_t a = 0; a < ebwt_rows(t); a++)
		for (size_t i = 0; i < h->n[a]; i++) {
			struct near x = h->v[a * h->most + i];
			bool turn = !t->n_a && x.to < a;

			v[n++] = (struct ebwt_near_pair){
				x.value, (uint32_t)(turn ? x.to : a),
				(uint32_t)(turn ? a : x.to) };
		}
	if (n)
		qsort(v, n, sizeof *v, by_pair);
	for (size_t i = 0; i < n; i++)
		if (!i || by_pair(&v[i], &v[to - 1]) != 0)
			v[to++] = v[i];
	*pairs = v;
	return to;
}
