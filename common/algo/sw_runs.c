/* SPDX-License-Identifier: MIT */
/* sw_runs.c - blocks where the best may be, and which to search together */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_best.h"

enum { NEAR = 128 };	/* columns */

/* The highest first, then by place. */
static int
cmp_spot(const void *x, const void *y)
{
	const struct sw_spot *a = x, *b = y;

	if (a->top != b->top)
		return a->top > b->top ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static int
cmp_block(const void *x, const void *y)
{
	const struct sw_spot *a = x, *b = y;

	return a->block < b->block ? -1 : a->block > b->block;
}

static int
add_spots(struct sw_best *b, const struct sw_seg *g, struct err *e)
{
	int rc = 0;

	for (uint64_t i = g->own / SW_BLOCK; !rc && i < g->end / SW_BLOCK;
	     i++) {
		struct sw_peak p = b->peak[i];

		if (!p.exact || p.bound < b->least)
			continue;
		rc = array_room(&b->spot, &b->cap_spot, b->n_spot + 1,
			     sizeof *b->spot, e);
		if (!rc)
			b->spot[b->n_spot++] = (struct sw_spot) { p.bound, i };
	}
	return rc;
}

int
sw_best_spots(struct sw_best *b, const struct sw_text *t, struct err *e)
{
	int rc = 0;

	b->n_spot = 0;
	for (size_t s = 0; !rc && s < t->n_seg; s++)
		rc = add_spots(b, &t->seg[s], e);
	if (!rc)
		rc = array_room(&b->done, &b->cap_done, t->n / SW_BLOCK,
			     sizeof *b->done, e);
	if (rc || !b->n_spot)
		return rc;
	memset(b->done, 0, t->n / SW_BLOCK);
	qsort(b->spot, b->n_spot, sizeof *b->spot, cmp_spot);
	return 0;
}

bool
sw_best_wants(const struct sw_best *b, int64_t top, uint64_t from)
{
	const struct sw_hit *last = sw_keep_last(&b->keep);

	return !last || top > last->score ||
	       (top == last->score && from * SW_BLOCK < last->end);
}

/*
 * Up to n spots from *next on that matter and are not done.  If one does not
 * matter, none after it does, nor will.
 */
static int
next_group(struct sw_best *b, size_t *next, size_t n, struct err *e)
{
	b->n_group = 0;
	for (; *next < b->n_spot && b->n_group < n; ++*next) {
		struct sw_spot x = b->spot[*next];
		int rc;

		if (!sw_best_wants(b, x.top, x.block))
			break;
		if (b->done[x.block])
			continue;
		rc = array_room(&b->group, &b->cap_group,
			     b->n_group + 1, sizeof *b->group, e);
		if (rc)
			return rc;
		b->group[b->n_group++] = x;
	}
	return 0;
}

static bool
wanted(const struct sw_best *b, uint64_t block)
{
	return b->peak[block].exact && b->peak[block].bound >= b->least &&
	       !b->done[block];
}

/*
 * With a spot, what is wanted beside it: on its left the stretch is computed
 * anyway, and that of the blocks there is no longer; each one by itself would
 * need its own.  So no more than the stretch on each side.
 */
static struct sw_run
widen(const struct sw_best *b, const struct sw_seg *g, struct sw_spot x,
      uint64_t stretch)
{
	uint64_t from = x.block, to = x.block + 1, most = stretch / SW_BLOCK;

	while (from > g->own / SW_BLOCK && x.block - from < most &&
	       wanted(b, from - 1))
		from--;
	while (to < g->end / SW_BLOCK && to - x.block <= most && wanted(b, to))
		to++;
	return (struct sw_run) { g, from, to, x.top };
}

/* To the last run, if it is near, or as one of its own. */
static int
add_run(struct sw_best *b, struct sw_run r, uint64_t near, struct err *e)
{
	struct sw_run *last = b->n_run ? &b->run[b->n_run - 1] : NULL;
	int rc;

	if (last && last->seg == r.seg && r.from <= last->to + near) {
		last->to = r.to > last->to ? r.to : last->to;
		last->top = r.top > last->top ? r.top : last->top;
		return 0;
	}
	rc = array_room(&b->run, &b->cap_run, b->n_run + 1,
		     sizeof *b->run, e);
	if (!rc)
		b->run[b->n_run++] = r;
	return rc;
}

static int
join(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
     const struct sw_work *w, struct err *e)
{
	uint64_t near = w->stretch > NEAR ? w->stretch : NEAR;
	const struct sw_seg *g = t->seg;
	int rc = 0;

	b->n_run = 0;
	if (b->n_group)
		qsort(b->group, b->n_group, sizeof *b->group, cmp_block);
	for (size_t i = 0; !rc && i < b->n_group; i++) {
		struct sw_spot x = b->group[i];

		while (g->end <= x.block * SW_BLOCK)
			g++;
		rc = add_run(b, widen(b, g, x, sw_stretch(q, w, x.top)),
			     near / SW_BLOCK, e);
	}
	return rc;
}

/* Columns to compute for the runs, with the stretches before them. */
static uint64_t
cost(const struct sw_best *b, const struct sw_query *q,
     const struct sw_work *w)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->n_run; i++)
		n += (b->run[i].to - b->run[i].from) * SW_BLOCK +
		     sw_stretch(q, w, b->run[i].top);
	return n;
}

/* Runs of the next n spots from *next on. */
static int
runs_of(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
	size_t *next, size_t n, const struct sw_work *w, struct err *e)
{
	int rc = next_group(b, next, n, e);

	return rc ? rc : join(b, q, t, w, e);
}

/*
 * Of the next n spots; or of all that are left, if the stretches make that at
 * most twice as much: groups of them would each need their own.
 */
int
sw_best_runs(struct sw_best *b, const struct sw_query *q,
	  const struct sw_text *t, size_t *next, size_t n,
	  const struct sw_work *w, struct err *e)
{
	size_t first = *next, all = first;
	uint64_t most;
	int rc = runs_of(b, q, t, next, n, w, e);

	if (rc || n == 1 || b->n_group < n)
		return rc;
	most = 2 * cost(b, q, w);
	rc = runs_of(b, q, t, &all, SIZE_MAX, w, e);
	if (rc)
		return rc;
	if (cost(b, q, w) <= most) {
		*next = all;
		return 0;
	}
	*next = first;
	return runs_of(b, q, t, next, n, w, e);
}
