/* SPDX-License-Identifier: MIT */
/* sw_cells.h - the cells of a region, to be compared */
#ifndef SEQF_SW_CELLS_H
#define SEQF_SW_CELLS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sw/sw.h"
#include "base/base.h"

/* Cells as they come; `least` stays, or is raised to a cell's score. */
struct cells {
	struct sw_hit *v;
	size_t n, cap;
	int64_t least;
	bool raise;
};

/* By class; of a class, what stands for it first. */
static inline int
by_class(const void *x, const void *y)
{
	const struct sw_hit *a = x, *b = y;
	int r = cmp_u64(a->beg, b->beg);

	r = r ? r : cmp_u64(a->qbeg, b->qbeg);
	r = r ? r : cmp_u64((uint64_t)b->score, (uint64_t)a->score);
	r = r ? r : cmp_u64(a->end, b->end);
	return r ? r : cmp_u64(a->qend, b->qend);
}

/* Those of at least that score, each once; with classes, the first of each. */
static inline void
tidy(struct cells *l, int64_t least, bool classes)
{
	size_t n = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_class);
	for (size_t i = 0; i < l->n; i++) {
		const struct sw_hit *a = &l->v[i], *b = &l->v[n ? n - 1 : 0];

		if (a->score < least)
			continue;
		if (n && a->beg == b->beg && a->qbeg == b->qbeg &&
		    (classes || (a->end == b->end && a->qend == b->qend)))
			continue;
		l->v[n++] = *a;
	}
	l->n = n;
}

static inline void
show(const struct sw_hit *x)
{
	printf("# %lld: %zu-%zu %zu-%zu\n", (long long)x->score,
	       (size_t)x->qbeg, (size_t)x->qend, (size_t)x->beg,
	       (size_t)x->end);
}

static inline bool
same_cells(const struct cells *a, const struct cells *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (by_class(&a->v[i], &b->v[i])) {
			show(&a->v[i]);
			show(&b->v[i]);
			return false;
		}
	return a->n == b->n;
}

#endif
