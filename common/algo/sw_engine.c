/* SPDX-License-Identifier: MIT */
/*
 * sw_engine.c - which engine computes what
 *
 * An engine returns 1 for what it cannot take; then the next is asked.  The
 * plain one takes all, so it is the last.
 */
#include "algo/sw_front.h"
#include "algo/sw_lanes.h"
#include "algo/sw_skew.h"
#include "base/minmax.h"

static bool
lanes_wanted(const struct sw_query *q)
{
	return q->engine == SW_AUTO || q->engine == SW_LANES8 ||
	       q->engine == SW_LANES16;
}

bool
sw_query_shared(const struct sw_query *q)
{
	size_t from[3];

	return (q->engine == SW_AUTO || q->engine == SW_SKEW) &&
	       sw_skew_is_best(q) && sw_skew_split(q, 2, from) == 2;
}

struct sw_view
sw_query_view(const struct sw_query *q)
{
	return (struct sw_view){ &q->s, q->code, q->n, q->best, q->context, 0 };
}

/* *top: of all blocks of p's text; 1: nobody has computed it. */
static int
tops_of(const struct sw_pass *p, struct sw_work *w, const int32_t **top,
	int64_t *least, struct err *e)
{
	const struct sw_known *known = &p->t->known;
	struct sw_view v = sw_query_view(p->q);
	int rc;

	*top = known->tops;
	if (*top) {
		if (p->cells && p->cells <= known->cells)
			*least = known->least;
		return 0;
	}
	v.cells = p->cells;
	rc = array_room(&w->top, &w->n_top, p->t->n / SW_BLOCK, sizeof *w->top,
			e);
	*top = w->top;
	return rc ? rc : w->device->tops(w->device->ctx, &v, p->t, w->top,
					 least, e);
}

int
sw_device_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_query *q = p->q;
	const int32_t *top;
	int64_t least = 0;
	int rc;

	if (!w->device || q->engine != SW_AUTO || q->best <= 0)
		return 1;
	rc = tops_of(p, w, &top, &least, e);
	for (uint64_t b = 0; b < p->t->n / SW_BLOCK && !rc; b++) {
		p->peak[b] = (struct sw_peak){ top[b], true };
		if (top[b] >= p->threshold)
			p->threshold = p->raise(p->ctx, b, top[b]);
	}
	if (!rc && least > p->threshold)
		p->threshold = least;
	return rc;
}

/* Which may leave it to which; each is asked once more at most. */
static void
set_choice(struct sw_pass *p, const struct sw_work *w)
{
	bool any = p->q->engine == SW_AUTO;

	p->may_skew = any && sw_skew_is_best(p->q);
	p->may_calm = p->may_skew && !w->crew;
	p->may_leave = p->may_skew || (any && sw_front_pass_fits(p->q));
}

/* Adds to what is done, up to all; returns how much that is. */
static uint64_t
add_up(uint64_t *done, uint64_t all, uint64_t n)
{
	uint64_t was = __atomic_fetch_add(done, n, __ATOMIC_RELAXED);

	return was >= all ? 0 : min_u64(n, all - was);
}

void
sw_pass_flush(struct sw_pass *p)
{
	struct sw_gauge *g = p->gauge;
	uint64_t did = p->did, leave = p->did_leave;

	p->did = p->did_leave = 0;
	if (!g)
		return;
	did = add_up(&g->done, g->all, did);
	leave = add_up(&g->left_out, g->all, leave);
	__atomic_fetch_add(&g->meter->done, did, __ATOMIC_RELAXED);
	__atomic_fetch_add(&g->meter->left_out, leave, __ATOMIC_RELAXED);
	sw_meter_tick(g->meter);
}

/* An engine is through, or leaves the pass to another: then nothing is done. */
static int
came(struct sw_pass *p, int rc)
{
	struct sw_gauge *g = p->gauge;

	if (rc == 0)
		p->did = g ? g->all : 0;
	sw_pass_flush(p);
	if (rc != 1 || !g)
		return rc;
	__atomic_fetch_sub(&g->meter->done, min_u64(g->done, g->all),
			   __ATOMIC_RELAXED);
	__atomic_fetch_sub(&g->meter->left_out, min_u64(g->left_out, g->all),
			   __ATOMIC_RELAXED);
	g->done = g->left_out = 0;
	return rc;
}

int
sw_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct sw_gauge gauge = { w->meter, p->q->n * p->t->n, 0, 0 };
	int rc;

	p->gauge = w->meter ? &gauge : NULL;
	rc = came(p, sw_device_pass(p, w, e));
	w->marks.n = 0;
	set_choice(p, w);
	if (rc == 1 && p->may_skew)
		rc = came(p, sw_skew_pass(p, w, e));
	p->may_calm = false;
	if (rc == 1 && lanes_wanted(p->q))
		rc = came(p, sw_lanes_pass(p, w, e));
	if (rc == 1 && p->q->engine != SW_PLAIN)
		rc = came(p, sw_skew_pass(p, w, e));
	if (rc == 1 && p->q->engine != SW_PLAIN)
		rc = came(p, sw_front_pass(p, w, e));
	if (rc == 1)
		rc = came(p, sw_plain_pass(p, w, e));
	p->gauge = NULL;
	return rc;
}

int
sw_region(const struct sw_query *q, const struct sw_text *t,
	  const struct sw_seg *seg, uint64_t from, uint64_t to,
	  int64_t least, const struct sw_peak *peak, sw_cell_fn *put,
	  void *ctx, struct sw_work *w, struct err *e)
{
	int64_t top = peak[from / SW_BLOCK].bound;
	uint64_t first = sw_stretch_of(q, w, seg, from, peak);
	int rc = 1;

	w->needed = 0;
	if (q->engine != SW_PLAIN)
		rc = sw_grid_region(q, t, seg, from, to, least, peak, put, ctx,
				    w, e);
	if (rc == 1 && q->engine != SW_PLAIN)
		rc = sw_front_region(q, t, seg, from, to, least, peak, put,
				     ctx, w, e);
	if (rc == 1)
		rc = sw_plain_region(q, t, seg, from, to, least, peak, put,
				     ctx, w, e);
	sw_stretch_learn(q, w, first, top);
	return rc;
}
