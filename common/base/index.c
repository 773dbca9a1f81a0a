/* SPDX-License-Identifier: MIT */
/* index.c - values by pairs of numbers */
#define _GNU_SOURCE	/* tdestroy */
#include "base/index.h"

#include <search.h>
#include <stdlib.h>

#include "base/minmax.h"

struct index_entry {
	uint64_t a, b;
	void *value;
};

static int
entry_cmp(const void *x, const void *y)
{
	const struct index_entry *p = x, *q = y;
	int c = cmp_u64(p->a, q->a);

	return c ? c : cmp_u64(p->b, q->b);
}

static struct index_entry *
entry_find(const struct index *x, uint64_t a, uint64_t b)
{
	struct index_entry key = { a, b, NULL };
	struct index_entry **found = tfind(&key, &x->root, entry_cmp);

	return found ? *found : NULL;
}

void **
index_at(struct index *x, uint64_t a, uint64_t b)
{
	struct index_entry *n = entry_find(x, a, b);

	if (n)
		return &n->value;
	n = malloc(sizeof *n);
	if (!n)
		return NULL;
	*n = (struct index_entry){ a, b, NULL };
	if (!tsearch(n, &x->root, entry_cmp)) {
		free(n);
		return NULL;
	}
	return &n->value;
}

void *
index_get(const struct index *x, uint64_t a, uint64_t b)
{
	struct index_entry *n = entry_find(x, a, b);

	return n ? n->value : NULL;
}

void
index_free(struct index *x)
{
	tdestroy(x->root, free);
	x->root = NULL;
}
