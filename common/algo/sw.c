/* SPDX-License-Identifier: MIT */
/* sw.c - queries of local alignment, the order of hits, working memory */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_beside.h"
#include "algo/sw_grid.h"
#include "algo/sw_lanes.h"
#include "algo/sw_net.h"
#include "algo/sw_skew.h"
#include "algo/sw_ways.h"
#include "base/minmax.h"

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

/* The largest and the least score that a letter of the query can have. */
static void
find_range(struct sw_query *q)
{
	bool seen[SW_LETTERS] = { false };

	q->best = INT32_MIN;
	q->worst = INT32_MAX;
	for (size_t i = 0; i < q->n; i++)
		seen[q->code[i]] = true;
	for (unsigned a = 0; a < q->s.letters; a++)
		for (unsigned b = 0; seen[a] && b < q->s.letters; b++) {
			int32_t s = q->s.score[a][b];

			q->best = s > q->best ? s : q->best;
			q->worst = s < q->worst ? s : q->worst;
		}
}

/*
 * An alignment has at most n columns with a diagonal step.  All its gaps cost
 * less than n * M, else its score is not above 0; one gap is the cheapest way
 * to have l columns in gaps: open + l * extend.
 */
static uint64_t
find_context(const struct sw_query *q)
{
	int64_t most = q->best > 0 ? (int64_t)q->n * q->best : 0;

	if (most <= q->s.open)
		return q->n;
	if (q->s.extend == 0)
		return UINT64_MAX;
	return q->n + (uint64_t)((most - q->s.open) / q->s.extend);
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
static void
limit_costs(struct sw_query *q)
{
	int64_t top = q->best > 0 ? (int64_t)q->n * q->best : 0, worst;
	struct sw_scoring *s = &q->s;

	s->extend = at_most(s->extend, top);
	s->open = at_most(s->open, top - s->extend);
	worst = 2 * ((int64_t)s->open + s->extend) + 1;
	worst = top < worst ? top : worst;
	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < s->letters; b++)
			if (s->score[a][b] < -worst)
				s->score[a][b] = (int32_t)-worst;
	if (q->worst < -worst)
		q->worst = (int32_t)-worst;
}

int
sw_query_new(struct sw_query **q, const struct sw_scoring *scoring,
	     const uint8_t *codes, size_t n, bool minus,
	     enum sw_engine engine, struct err *e)
{
	struct sw_query *new;
	int rc = check_scoring(scoring, e);

	*q = NULL;
	if (!rc)
		rc = check_codes(scoring, codes, n, e);
	if (rc)
		return rc;
	new = calloc(1, sizeof *new);
	if (!new)
		return err_nomem(e, sizeof *new);
	new->s = *scoring;
	new->n = n;
	new->minus = minus;
	new->engine = engine;
	new->code = malloc(n + SW_ROWS - 1);
	if (!new->code) {
		free(new);
		return err_nomem(e, n + SW_ROWS - 1);
	}
	memcpy(new->code, codes, n);
	memset(new->code + n, SW_PAD, SW_ROWS - 1);
	find_range(new);
	new->context = find_context(new);
	limit_costs(new);
	*q = new;
	return 0;
}

void
sw_query_free(struct sw_query *q)
{
	if (!q)
		return;
	free(q->code);
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
	(*w)->grid_from = SW_GRID_WORTH;
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
		sw_net_free(w->net);
		w->grid = NULL;
		w->net = NULL;
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
sw_work_device(struct sw_work *w, const struct sw_device *d)
{
	w->device = d;
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
	sw_net_free(w->net);
	sw_paths_free(w->paths);
	free(w->marks.v);
	free(w->box);
	free(w->top);
	sw_lanes_free(w->lanes);
	sw_front_free(w->front);
	sw_wave_free(w->wave);
	sw_skew_free(w->skew);
	free(w);
}
