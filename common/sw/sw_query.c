/* SPDX-License-Identifier: MIT */
/* sw_query.c - compiled queries, the order of hits, working memory */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_beside.h"
#include "sw/sw_cut.h"
#include "sw/sw_grid.h"
#include "sw/sw_priv.h"
#include "sw/sw_lanes.h"
#include "sw/sw_borders.h"
#include "sw/sw_skew.h"
#include "sw/sw_tiles.h"

static int
check_scoring(const struct sw_scoring *s, struct err *e)
{
	if (s->letters < 1 || s->letters > SW_LETTERS)
		return err_set(e, ERR_USAGE, "%u letters: must be 1 to %d",
			       s->letters, SW_LETTERS);
	if (s->open < 0 || s->open > SW_MAX_SCORE)
		return err_set(e, ERR_USAGE, "gap open %ld: must be 0 to %d",
			       (long)s->open, SW_MAX_SCORE);
	if (s->extend < 0 || s->extend > SW_MAX_SCORE)
		return err_set(e, ERR_USAGE, "gap extend %ld: must be 0 to %d",
			       (long)s->extend, SW_MAX_SCORE);
	for (unsigned i = 0; i < s->letters; i++)
		for (unsigned j = 0; j < s->letters; j++)
			if (s->score[i][j] > SW_MAX_SCORE ||
			    s->score[i][j] < -SW_MAX_SCORE)
				return err_set(e, ERR_USAGE, "score %ld: must "
					       "be %d to %d",
					       (long)s->score[i][j],
					       -SW_MAX_SCORE, SW_MAX_SCORE);
	return 0;
}

static int
check_codes(const struct sw_scoring *s, const uint8_t *codes, size_t n,
	    struct err *e)
{
	if (n < 1 || n > SW_MAX_QUERY)
		return err_set(e, ERR_USAGE, "a query of %zu letters: must "
			       "have 1 to %d", n, SW_MAX_QUERY);
	for (size_t i = 0; i < n; i++)
		if (codes[i] >= s->letters)
			return err_set(e, ERR_USAGE, "query letter %zu: code "
				       "%u of %u letters", i + 1, codes[i],
				       s->letters);
	return 0;
}

/* The query's letters; the largest and the least score that one can have. */
static void
find_range(struct sw_query *q)
{
	q->has = 0;
	q->best = INT32_MIN;
	q->worst = INT32_MAX;
	for (size_t i = 0; i < q->n; i++)
		q->has |= (uint64_t)1 << q->code[i];
	for (unsigned a = 0; a < q->s->letters; a++)
		for (unsigned b = 0; q->has >> a & 1 && b < q->s->letters;
		     b++) {
			int32_t s = q->s->score[a][b];

			q->best = s > q->best ? s : q->best;
			q->worst = s < q->worst ? s : q->worst;
		}
}

/* No H is above it. */
static int64_t
top_of(const struct sw_query *q)
{
	return q->best > 0 ? (int64_t)q->n * q->best : 0;
}

/*
 * An alignment has at most n columns with a diagonal step.  All its gaps cost
 * less than n * M, else its score is not above 0; one gap is the cheapest way
 * to have l columns in gaps: open + l * extend.
 */
static uint64_t
find_context(const struct sw_query *q)
{
	int64_t most = top_of(q);

	if (most <= q->s->open)
		return q->n;
	if (q->s->extend == 0)
		return UINT64_MAX;
	return q->n + (uint64_t)((most - q->s->open) / q->s->extend);
}

static int32_t
at_most(int32_t x, int64_t most)
{
	return x < most ? x : (int32_t)most;
}

/*
 * Costs that forbid something are lowered to what forbids it, too, so that
 * they do not spread the scores.  No H is above top = n * M.  A gap of
 * open + extend >= top leads to nothing above 0.  A mismatch of -top leads to
 * nothing above 0, either; and one of -(2 * (open + extend) + 1) is worse than
 * a gap in each sequence, one beside the other, which end in the same cell.
 * So no H changes, and no path takes another way.
 */
static int32_t
least_score(const struct sw_scoring *s, int64_t top)
{
	int64_t worst = 2 * ((int64_t)s->open + s->extend) + 1;

	return (int32_t)-min_i64(top, worst);
}

static void
limit_costs(struct sw_scoring *s, int64_t top)
{
	int32_t least;

	s->extend = at_most(s->extend, top);
	s->open = at_most(s->open, top - s->extend);
	least = least_score(s, top);
	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < s->letters; b++)
			if (s->score[a][b] < least)
				s->score[a][b] = least;
}

/*
 * Scorings with limited costs
 *
 * They are the same for all tops from 2 * (open + extend) + 1 on, which is few
 * letters; so one of each top below it serves all queries.
 */
struct sw_scheme {
	struct sw_scoring s;
	struct sw_limited {
		uint64_t top;
		struct sw_scoring *s;
	} *v;			/* tops rise */
	size_t n, cap;
};

int
sw_scheme_new(struct sw_scheme **out, const struct sw_scoring *s,
	      struct err *e)
{
	struct sw_scheme *c;
	int rc = check_scoring(s, e);

	*out = NULL;
	if (rc)
		return rc;
	c = calloc(1, sizeof *c);
	if (!c)
		return err_nomem(e, sizeof *c);
	c->s = *s;
	*out = c;
	return 0;
}

void
sw_scheme_free(struct sw_scheme *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].s);
	free(c->v);
	free(c);
}

/* That of queries with no H above top; NULL: no memory. */
static const struct sw_scoring *
limited_scoring(struct sw_scheme *c, int64_t top, struct err *e)
{
	int64_t all = 2 * ((int64_t)c->s.open + c->s.extend) + 1;
	struct sw_limited x = { (uint64_t)(top < all ? top : all), NULL };
	size_t i = array_first(c->v, c->n, sizeof *c->v,
			       offsetof(struct sw_limited, top), x.top);

	if (i < c->n && c->v[i].top == x.top)
		return c->v[i].s;
	if (array_room(&c->v, &c->cap, c->n + 1, sizeof *c->v, e))
		return NULL;
	x.s = malloc(sizeof *x.s);
	if (!x.s) {
		err_nomem(e, sizeof *x.s);
		return NULL;
	}
	*x.s = c->s;
	limit_costs(x.s, top);
	memmove(c->v + i + 1, c->v + i, (c->n - i) * sizeof *c->v);
	c->v[i] = x;
	c->n++;
	return x.s;
}

int
sw_query_share(struct sw_query **out, struct sw_scheme *scheme,
	       const uint8_t *codes, size_t n, bool minus,
	       enum sw_engine engine, struct err *e)
{
	struct sw_query *q;
	int rc = check_codes(&scheme->s, codes, n, e);

	*out = NULL;
	if (rc)
		return rc;
	q = malloc(sizeof *q + n + SW_ROWS - 1);
	if (!q)
		return err_nomem(e, sizeof *q + n + SW_ROWS - 1);
	*q = (struct sw_query){ .s = &scheme->s, .n = n, .minus = minus,
				.engine = engine };
	memcpy(q->code, codes, n);
	memset(q->code + n, SW_PAD, SW_ROWS - 1);
	find_range(q);
	q->context = find_context(q);
	q->s = limited_scoring(scheme, top_of(q), e);
	if (!q->s) {
		free(q);
		return e->code;
	}
	q->worst = (int32_t)max_i64(q->worst, least_score(q->s, top_of(q)));
	*out = q;
	return 0;
}

int
sw_query_new(struct sw_query **q, const struct sw_scoring *scoring,
	     const uint8_t *codes, size_t n, bool minus,
	     enum sw_engine engine, struct err *e)
{
	struct sw_scheme *own;
	int rc = sw_scheme_new(&own, scoring, e);

	*q = NULL;
	if (!rc)
		rc = sw_query_share(q, own, codes, n, minus, engine, e);
	if (rc)
		sw_scheme_free(own);
	else
		(*q)->own = own;
	return rc;
}

void
sw_query_free(struct sw_query *q)
{
	if (!q)
		return;
	sw_scheme_free(q->own);
	free(q);
}

uint64_t
sw_context(const struct sw_query *q)
{
	return q->context;
}

int
sw_hit_cmp(const struct sw_query *q, const struct sw_hit *a,
	   const struct sw_hit *b)
{
	int c = a->score > b->score ? -1 : a->score < b->score;

	if (c == 0)
		c = cmp_u64(a->end, b->end);
	/* minus: row i of the aligned query is n - i of the given one */
	if (c == 0)
		c = q->minus ? cmp_u64(b->qbeg, a->qbeg) :
			       cmp_u64(a->qend, b->qend);
	if (c == 0)
		c = cmp_u64(a->beg, b->beg);
	if (c == 0)
		c = q->minus ? cmp_u64(b->qend, a->qend) :
			       cmp_u64(a->qbeg, b->qbeg);
	return c;
}

void
sw_hits_free(struct sw_hits *h)
{
	free(h->v);
	memset(h, 0, sizeof *h);
}

int
sw_work_new(struct sw_work **w, struct err *e)
{
	*w = calloc(1, sizeof **w);
	if (!*w)
		return err_nomem(e, sizeof **w);
	(*w)->grid_from = SW_GRID_MIN_CELLS;
	return 0;
}

void
sw_work_team(struct sw_work *w, unsigned threads)
{
	w->lanes_bytes = SW_LANES_BYTES / threads;
}

void
sw_work_crew(struct sw_work *w, struct crew *c, unsigned leaders)
{
	if (w->crew && !c) {
		sw_grid_free(w->grid);
		sw_borders_free(w->borders);
		w->grid = NULL;
		w->borders = NULL;
	}
	w->crew = c;
	w->leaders = leaders;
}

void
sw_work_meter(struct sw_work *w, struct sw_meter *m)
{
	w->meter = m;
}

void
sw_meter_tick(const struct sw_meter *m)
{
	if (m && m->tick)
		m->tick(m->ctx);
}

void
sw_meter_more(struct sw_meter *m, uint64_t cells)
{
	if (m)
		__atomic_fetch_add(&m->more, cells, __ATOMIC_RELAXED);
}

void
sw_meter_did(struct sw_meter *m, uint64_t cells)
{
	if (!m)
		return;
	__atomic_fetch_add(&m->done, cells, __ATOMIC_RELAXED);
	sw_meter_tick(m);
}

void
sw_work_backend(struct sw_work *w, const struct sw_backend *d)
{
	w->backend = d;
}

void
sw_work_free(struct sw_work *w)
{
	if (!w)
		return;
	sw_plain_free(w->plain);
	sw_best_free(w->best);
	sw_tracer_free(w->tracer);
	sw_grid_free(w->grid);
	sw_grid_ends_free(w->ends);
	sw_beside_free(w->beside);
	sw_borders_free(w->borders);
	sw_paths_free(w->paths);
	free(w->box);
	free(w->top);
	sw_lanes_free(w->lanes);
	sw_front_free(w->front);
	sw_round_free(w->round);
	sw_wave_free(w->wave);
	sw_turns_free(w->turns);
	sw_cuts_free(w->cuts);
	sw_skew_free(w->skew);
	free(w);
}
