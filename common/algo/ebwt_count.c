/* SPDX-License-Identifier: MIT */
/*
 * ebwt_count.c - the runs of all pairs, in one pass over the sorted rotations
 *
 * Let the rows of two words c, d alternate in runs.  A run of c's, but the
 * first of all, begins where the last row of d is behind the last one of c, so
 * this pass counts, at each row of c, the words with a later last row.  Runs of
 * d's lie between, before or behind those: their number is known from who has
 * the first and who the last row of both.  With k counted for c:
 *	first c, last c: k + 1 of c's, k of d's	first d, last c: k, k
 *	first c, last d: k + 1, k + 1		first d, last d: k, k + 1
 * Rows of a word of exponent t lie t times side by side: as many runs.
 */
#include <string.h>

#include "algo/ebwt_priv.h"

struct count {
	struct ebwt *x;
	struct ebwt_pairs *p;
	uint64_t *last, *first;	/* by class: number of the row, from 1 */
	uint64_t *column_last;	/* by column */
};

static int
take(void *arg, const struct ebwt_batch *b, struct err *e)
{
	struct count *t = arg;
	const struct ebwt_pairs *p = t->p;

	(void)e;
	for (uint64_t i = 0; i < b->n; i++) {
		uint32_t c = b->class[ebwt_index(b, i)];
		uint32_t row = p->row_of[c], column = p->column_of[c];
		uint64_t before = t->last[c];

		t->last[c] = b->base + i + 1;
		if (!t->first[c])
			t->first[c] = t->last[c];
		if (column != EBWT_NONE)
			t->column_last[column] = t->last[c];
		if (row == EBWT_NONE)
			continue;
		uint64_t n = p->n_queries ? p->n_columns : row;

		for (uint32_t k = 0; k < n; k++)
			p->runs[ebwt_cell(p, row, 0) + k] +=
				t->column_last[k] > before;
	}
	return 0;
}

static void
finish(struct count *t)
{
	const struct ebwt_pairs *p = t->p;

	for (size_t c = 0; c < t->x->n_classes; c++)
		for (size_t d = 0; d < t->x->n_classes; d++) {
			uint32_t row = p->row_of[c], column = p->column_of[d];
			uint32_t *r;

			if (c == d || row == EBWT_NONE || column == EBWT_NONE ||
			    (!p->n_queries && row < column))
				continue;
			r = &p->runs[ebwt_cell(p, row, column)];
			*r = 2 * *r + (t->first[c] < t->first[d]) +
			     (t->last[d] > t->last[c]);
		}
}

int
ebwt_count(struct ebwt *x, struct ebwt_pairs *p, struct err *e)
{
	struct count t = { .x = x, .p = p };
	uint64_t n = x->n_classes;
	int rc = ebwt_take(x, &t.last, n, sizeof *t.last, e);

	if (!rc)
		rc = ebwt_take(x, &t.first, n, sizeof *t.first, e);
	if (!rc)
		rc = ebwt_take(x, &t.column_last, n, sizeof *t.column_last, e);
	if (!rc) {
		memset(t.last, 0, n * sizeof *t.last);
		memset(t.first, 0, n * sizeof *t.first);
		memset(t.column_last, 0, n * sizeof *t.column_last);
		memset(p->runs, 0, (p->n_queries ?
			(uint64_t)p->n_rows * p->n_columns :
			(uint64_t)n * (n - 1) / 2) * sizeof *p->runs);
		rc = ebwt_sort(x, take, &t, e);
	}
	if (!rc)
		finish(&t);
	ebwt_give(x, &t.last);
	ebwt_give(x, &t.first);
	ebwt_give(x, &t.column_last);
	return rc;
}
