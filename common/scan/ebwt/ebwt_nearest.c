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

/*
 * The pairs of a region, in the order of their table: of all pairs the second
 * is the row, else the first; a heap is one thread's at a time.
 */
struct near_region {
	const struct ebwt_table *t;
	const struct ebwt_pairs *p;
	struct ebwt_span row, column;
	bool triangle;		/* columns before the row's alone */
};

enum { COLUMNS = 512 };

static size_t
last_column(const struct near_region *y, size_t row)
{
	return y->triangle ? row : y->column.end;
}

/* Row i and columns [beg, end): what is near to the row, or to them. */
static void
near_some(const struct near_region *y, size_t i, size_t beg, size_t end,
	  bool of_row)
{
	size_t n = y->triangle ? 0 : y->row.end - y->row.beg;
	struct ebwt_nearest *h = y->t->nearest;
	double value[COLUMNS];

	ebwt_distances(y->p, y->t->s->o.metric, i - y->row.beg,
		       n + beg - y->column.beg, n + end - y->column.beg,
		       value);
	for (size_t j = beg; j < end; j++)
		if (of_row)
			offer(h, i, j, value[j - beg]);
		else
			offer(h, j, i, value[j - beg]);
}

static void
near_row(void *ctx, uint64_t k, unsigned thread)
{
	const struct near_region *y = ctx;
	size_t i = y->row.beg + k, n = last_column(y, i);

	(void)thread;
	for (size_t j = y->column.beg; j < n; j += COLUMNS)
		near_some(y, i, j, min_u64(n, j + COLUMNS), true);
}

static void
near_columns(void *ctx, uint64_t k, unsigned thread)
{
	const struct near_region *y = ctx;
	size_t j = y->column.beg + k * COLUMNS;

	(void)thread;
	for (size_t i = y->row.beg; i < y->row.end; i++)
		if (j < last_column(y, i))
			near_some(y, i, j, min_u64(last_column(y, i),
						   j + COLUMNS), false);
}

void
ebwt_nearest_of(const struct ebwt_table *t, const struct ebwt_region *r,
		const struct ebwt_pairs *p)
{
	bool triangle = ebwt_is_triangle(r);
	struct near_region y = { t, p, r->a, triangle ? r->a : r->b,
				 triangle };
	uint64_t n = y.column.end - y.column.beg;

	threads_each(t->s->threads, r->a.end - r->a.beg, near_row, &y);
	if (!t->n_a)
		threads_each(t->s->threads, (n + COLUMNS - 1) / COLUMNS,
			     near_columns, &y);
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
