/* SPDX-License-Identifier: MIT */
/* least.c - the best score of each query of SCAN_LEAST scans */
#include "stream/least.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static struct least_of *
find(const struct least *l, uint32_t scan, uint64_t query)
{
	uint64_t key[2] = { scan, query };
	size_t i = hash64(key, sizeof key, 0) & (l->cap - 1);

	while (l->v[i].used &&
	       (l->v[i].scan != scan || l->v[i].query != query))
		i = (i + 1) & (l->cap - 1);
	return &l->v[i];
}

static int
grow(struct least *l, struct err *e)
{
	size_t cap = l->cap, want = cap ? 2 * cap : 64;
	struct least_of *old = l->v, *v;

	if (l->n < cap / 2)
		return 0;
	v = calloc(want, sizeof *v);
	if (!v)
		return err_nomem(e, want * sizeof *v);
	l->v = v;
	l->cap = want;
	for (size_t i = 0; i < cap; i++)
		if (old[i].used)
			*find(l, old[i].scan, old[i].query) = old[i];
	free(old);
	return 0;
}

int
least_take(struct least *l, uint32_t scan, uint64_t query, int64_t score,
	   struct err *e)
{
	struct least_of *of;
	int r = grow(l, e);

	if (r < 0)
		return r;
	of = find(l, scan, query);
	if (of->used && score < of->score)
		return 0;
	l->n += !of->used;
	*of = (struct least_of) { scan, true, query, score };
	return 1;
}

bool
least_beats(const struct least *l, uint32_t scan, uint64_t query,
	    int64_t score)
{
	return score < find(l, scan, query)->score;
}

void
least_free(struct least *l)
{
	free(l->v);
	memset(l, 0, sizeof *l);
}
