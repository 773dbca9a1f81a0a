/* SPDX-License-Identifier: MIT */
/*
 * sw_best.c - the best K: scores, then starts where they may be
 *
 * After the pass, the score of the K-th best is at least the threshold; so the
 * hits lie in blocks whose largest H reaches it.  Runs of such blocks are
 * searched, the highest first, until K hits are held and none that is left can
 * come before the last.
 */
#include <stdlib.h>

#include "algo/sw_keep.h"

/* Blocks [from, to) of a segment, one by one at least the threshold. */
struct run {
	const struct sw_seg *seg;
	uint64_t from, to;
	int64_t top;
};

struct sw_best {
	struct sw_peak *peak;
	struct run *run;
	size_t n_peak, cap_run, n_run;
	struct sw_raise raise;
	struct sw_keep keep;
	int64_t least;
	struct err *e;
};

void
sw_best_free(struct sw_best *b)
{
	if (!b)
		return;
	free(b->peak);
	free(b->run);
	sw_raise_free(&b->raise);
	sw_keep_free(&b->keep);
	free(b);
}

static int
best_of(struct sw_work *w, struct sw_best **b, struct err *e)
{
	if (!w->best)
		w->best = calloc(1, sizeof *w->best);
	*b = w->best;
	return *b ? 0 : err_nomem(e, sizeof **b);
}

static int
find_peaks(struct sw_best *b, const struct sw_query *q,
	   const struct sw_text *t, size_t k, int64_t least,
	   struct sw_work *w, struct err *e)
{
	struct sw_pass p = {
		.q = q, .t = t, .threshold = least,
		.raise = sw_raise_hear, .ctx = &b->raise,
	};
	int rc = sw_raise_reset(&b->raise, q, t, k, least, e);

	if (!rc)
		rc = sw_room((void **)&b->peak, &b->n_peak, t->n / SW_BLOCK,
			     sizeof *b->peak, e);
	p.peak = b->peak;
	if (!rc)
		rc = sw_pass(&p, w, e);
	b->least = p.threshold;
	return rc;
}

static int
add_run(struct sw_best *b, const struct sw_seg *g, uint64_t from,
	uint64_t to, struct err *e)
{
	int rc = sw_room((void **)&b->run, &b->cap_run, b->n_run + 1,
			 sizeof *b->run, e);
	struct run r = { g, from, to, 0 };

	if (rc)
		return rc;
	for (uint64_t i = from; i < to; i++)
		if (b->peak[i].bound > r.top)
			r.top = b->peak[i].bound;
	b->run[b->n_run++] = r;
	return 0;
}

static bool
reaches(const struct sw_best *b, uint64_t block)
{
	return b->peak[block].exact && b->peak[block].bound >= b->least;
}

static int
find_runs(struct sw_best *b, const struct sw_seg *g, struct err *e)
{
	uint64_t i = g->own / SW_BLOCK, end = g->end / SW_BLOCK;
	int rc = 0;

	while (!rc && i < end) {
		uint64_t from = i;

		while (i < end && reaches(b, i))
			i++;
		if (i > from)
			rc = add_run(b, g, from, i, e);
		else
			i++;
	}
	return rc;
}

/* The highest first, then by place. */
static int
cmp_run(const void *x, const void *y)
{
	const struct run *a = x, *b = y;

	if (a->top != b->top)
		return a->top > b->top ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int64_t
put(void *ctx, const struct sw_hit *cell)
{
	struct sw_best *b = ctx;
	int rc = sw_keep_put(&b->keep, cell, b->e);
	const struct sw_hit *last;

	if (rc)
		return rc;
	last = sw_keep_last(&b->keep);
	if (last && last->score > b->least)
		b->least = last->score;
	return b->least;
}

/* Can a cell of the run come before the last hit?  It ends after from. */
static bool
matters(const struct sw_best *b, const struct run *r)
{
	const struct sw_hit *last = sw_keep_last(&b->keep);

	return !last || r->top > last->score ||
	       (r->top == last->score && r->from * SW_BLOCK < last->end);
}

/* If a run does not matter, none after it does. */
static int
search_runs(struct sw_best *b, const struct sw_query *q,
	    const struct sw_text *t, struct sw_work *w, struct err *e)
{
	int rc = 0;

	if (b->n_run)
		qsort(b->run, b->n_run, sizeof *b->run, cmp_run);
	for (size_t i = 0; !rc && i < b->n_run; i++) {
		const struct run *r = &b->run[i];

		if (!matters(b, r))
			break;
		rc = sw_region(q, t, r->seg, r->from * SW_BLOCK,
			       r->to * SW_BLOCK, b->least, b->peak, put, b, w,
			       e);
	}
	return rc;
}

int
sw_best(const struct sw_query *q, const struct sw_text *t, enum sw_kind kind,
	size_t k, int64_t least, struct sw_work *w, struct sw_hits *hits,
	struct err *e)
{
	struct sw_best *b;
	int rc = best_of(w, &b, e);

	hits->n = 0;
	if (rc || k == 0 || q->best <= 0)
		return rc;
	sw_keep_reset(&b->keep, q, kind, k);
	b->e = e;
	b->n_run = 0;
	rc = find_peaks(b, q, t, k, least, w, e);
	for (size_t s = 0; !rc && s < t->n_seg; s++)
		rc = find_runs(b, &t->seg[s], e);
	if (!rc)
		rc = search_runs(b, q, t, w, e);
	return rc ? rc : sw_keep_take(&b->keep, hits, e);
}
