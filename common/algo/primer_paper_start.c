/* SPDX-License-Identifier: MIT */
/* primer_paper_start.c - a start's matrix, and its diagonals */
#include <omp.h>

#include "algo/primer_paper_priv.h"
#include "base/minmax.h"

/*
 * Columns [beg, end) of row r (from 1): from the row before, and within these
 * columns; the least of them.  What comes from the left of them is carry()'s.
 */
static uint64_t
row(const struct primer_paper_start *s, uint64_t r, uint64_t beg, uint64_t end,
    const uint64_t *d, uint64_t *to)
{
	uint8_t class = s->p->code[s->beg + r - 1];
	uint64_t least = UINT64_MAX, left = UINT64_MAX - 1;

	for (uint64_t i = beg; i < end; i++) {
		uint64_t x = d[i] + 1;

		if (i > 0)
			x = min_u64(x, d[i - 1] +
				    !primer_matches(s->p, s->symbol[i - 1],
						    class));
		left = to[i] = min_u64(x, left + 1);
		least = min_u64(least, left);
	}
	return least;
}

/*
 * A value may come along the row from any thread's columns before: one more a
 * column.  Such values are above where they come from, so that the least of a
 * row is what it was.
 */
static void
carry(const struct primer_paper_start *s, unsigned thread, unsigned of,
      uint64_t *to)
{
	uint64_t beg = primer_paper_share(s->n + 1, thread, of);
	uint64_t end = primer_paper_share(s->n + 1, thread + 1, of);
	uint64_t x = UINT64_MAX - s->n - 2;

	for (unsigned t = 0; t < thread; t++) {
		uint64_t last = primer_paper_share(s->n + 1, t + 1, of);

		if (last > primer_paper_share(s->n + 1, t, of))
			x = min_u64(x, s->last[t] + beg - last);
	}
	for (uint64_t i = beg; i < end && ++x < to[i]; i++)
		to[i] = x;
}

struct tally {
	uint64_t row, least;	/* of a row that is not done yet */
	bool stop;
	omp_lock_t lock;	/* of least */
};

/* All threads have done the row: look at it, or leave it. */
static void
row_done(struct primer_paper_start *s, struct tally *t)
{
	if (t->least < s->p->par.k)
		s->rows = max_u64(s->rows, t->row);
	else if (s->optimisations & PRIMER_PAPER_STOP)
		t->stop = true;
	s->did.values += s->n + 1;
	s->did.comparisons += s->n;
	t->row++;
	t->stop |= s->beg + t->row > s->cap;
	t->least = UINT64_MAX;
}

/* One thread's part of all rows; which of two arrays is which, all agree. */
static void
rows(struct primer_paper_start *s, struct tally *t)
{
	unsigned me = (unsigned)omp_get_thread_num();
	unsigned of = (unsigned)omp_get_num_threads();
	uint64_t beg = primer_paper_share(s->n + 1, me, of);
	uint64_t end = primer_paper_share(s->n + 1, me + 1, of);
	uint64_t *d = s->now, *to = s->then, *was, least;
	uint64_t known = s->rows;

	for (uint64_t i = beg; i < end; i++)
		d[i] = 0;
#pragma omp barrier
	while (!t->stop) {
		least = row(s, t->row, beg, end, d, to);
		s->last[me] = end > beg ? to[end - 1] : 0;
		if (s->optimisations & PRIMER_PAPER_BEGIN && t->row <= known)
			least = 0;
		omp_set_lock(&t->lock);
		t->least = min_u64(t->least, least);
		omp_unset_lock(&t->lock);
#pragma omp barrier
		carry(s, me, of, to);
#pragma omp single
		row_done(s, t);
		was = d;
		d = to;
		to = was;
	}
}

void
primer_conventional(struct primer_paper_start *s)
{
	struct tally t = { .row = 1, .least = UINT64_MAX };

	t.stop = s->beg + 1 > s->cap;
	omp_init_lock(&t.lock);
#pragma omp parallel num_threads(s->fine)
	rows(s, &t);
	omp_destroy_lock(&t.lock);
}

/*
 * L of diagonal d (text - rows) with c differences, given those with c - 1: a
 * difference is a letter of both, of the text (from diagonal d - 1), or of the
 * target (from d + 1); then as many matches as there are.  Values lie at [d +
 * k - 1].  Diagonal d < 0 begins with -d letters of the target left out.
 */
static uint64_t
further(const struct primer_paper_start *s, int64_t d, uint64_t c,
	const uint64_t *l, uint64_t *comparisons)
{
	int64_t edge = (int64_t)(s->p->par.k - 1), n = (int64_t)s->n;
	uint64_t most = min_u64(s->cap - s->beg, (uint64_t)(n - d)), r = 0;

	if (c) {
		if (d > -(int64_t)c)
			r = l[d + edge] + 1;
		if (d - 1 > -(int64_t)c)
			r = max_u64(r, l[d - 1 + edge]);
		if (d < n)
			r = max_u64(r, l[d + 1 + edge] + 1);
	}
	for (r = min_u64(r, most); r < most; r++) {
		++*comparisons;
		if (!primer_matches(s->p, s->symbol[(int64_t)r + d],
				    s->p->code[s->beg + r]))
			break;
	}
	return r;
}

/*
 * All diagonals that there are with c differences: -c to n; the furthest.  A
 * path that is on diagonal d has n - d letters of the target before it at most,
 * and as many more as differences are left: where that is no more than what is
 * known, it does not matter, nor do further diagonals.
 */
static uint64_t
diagonals(struct primer_paper_start *s, uint64_t c, uint64_t known)
{
	int64_t edge = (int64_t)(s->p->par.k - 1), to = (int64_t)s->n;
	uint64_t best = 0, comparisons = 0, left = s->p->par.k - 1 - c;

	if (s->optimisations & PRIMER_PAPER_BEGIN && known > left)
		to = (int64_t)s->n - (int64_t)(known - left);
#pragma omp parallel for num_threads(s->fine) schedule(static) \
	reduction(max : best) reduction(+ : comparisons)
	for (int64_t d = -(int64_t)c; d <= (int64_t)s->n; d++) {
		uint64_t r = 0;

		if (d <= to) {
			r = further(s, d, c, s->now, &comparisons);
			best = max_u64(best, r);
		}
		s->then[d + edge] = r;
	}
	s->did.values += to < -(int64_t)c ? 0 :
					    (uint64_t)(to + (int64_t)c + 1);
	s->did.comparisons += comparisons;
	return best;
}

void
primer_alternative(struct primer_paper_start *s)
{
	uint64_t known = s->rows;

	for (uint64_t c = 0; c < s->p->par.k; c++) {
		uint64_t *was = s->now;

		s->rows = max_u64(s->rows, diagonals(s, c, known));
		s->now = s->then;
		s->then = was;
		if (s->optimisations & PRIMER_PAPER_STOP &&
		    s->beg + s->rows >= s->cap)
			break;
	}
}
