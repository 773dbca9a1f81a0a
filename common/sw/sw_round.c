/* SPDX-License-Identifier: MIT */
/*
 * sw_round.c - bounds of blocks by scores that are rounded to few bits
 *
 * Scores whose numbers are too large for lanes of 8 bits, or of 16, are scaled
 * so that the best one becomes a small whole number `match`; then scores are
 * rounded up, costs down.  An alignment's score, scaled, is no more than that
 * by the rounded scores, so neither is any H.  Lanes compute the rounded H,
 * and what they say of a block, scaled back, bounds its H.
 *
 * Unlike a true H, a rounded one proves no score of any alignment.  So the
 * threshold is an estimate: well below the K-th best rounded one.  Blocks whose
 * bound does not reach it are not known well, which is no matter if K hits are
 * found whose scores do: p->sure says from where on.  Otherwise, or where the
 * bounds leave too much to search (sw.c), the true scores are computed.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_lanes.h"
#include "sw/sw_priv.h"

enum {
	MAX_MATCH8 = 24, MAX_MATCH = 160,
	ROOM = 18,		/* matches: unrelated sequences have fewer */
	FROM = 1 << 22,		/* cells that are worth it */
	BLOCKS = 64,		/* for each hit that is wanted, likewise */
	COLUMNS = 16,		/* for each row */
	SLACK = 8,		/* the estimate is an eighth lower */
};
/* Of a match: what rounding may change in a score or in a letter of a gap. */
#define MAX_ERROR .15

struct sw_round {
	struct sw_query *q;	/* with s */
	size_t cap;
	struct sw_scoring s;
	struct sw_raise raise;
	int64_t best, match;	/* of the true scores, of the rounded ones */
	int64_t least;		/* no threshold is below it */
};

void
sw_round_free(struct sw_round *r)
{
	if (!r)
		return;
	free(r->q);
	sw_raise_free(&r->raise);
	free(r);
}

/* x * by / of, to the next whole number below. */
static int64_t
scale_down(int64_t x, int64_t by, int64_t of)
{
	int64_t y = x * by / of;

	return y - (y * of > x * by);
}

static int64_t
scale_up(int64_t x, int64_t by, int64_t of)
{
	return -scale_down(-x, by, of);
}

/* Is there room in 8 bits for H of so many matches? */
static bool
has_room(int64_t match, int64_t worst, int64_t open, int64_t extend)
{
	return sw_lanes_room8(match, worst, open, extend) >= ROOM * match;
}

/* The largest error, of a match; a gap's opening counts for some letters. */
static double
error_of(const struct sw_query *q, int64_t match)
{
	const struct sw_scoring *s = q->s;
	double most = 0, x, unit = (double)q->best / (double)match;

	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < s->letters; b++) {
			x = unit * (double)scale_up(s->score[a][b], match,
						    q->best);
			x -= s->score[a][b];
			most = x > most ? x : most;
		}
	x = s->extend - unit * (double)scale_down(s->extend, match, q->best);
	most = x > most ? x : most;
	x = s->open - unit * (double)scale_down(s->open, match, q->best);
	return (x / SW_LANE_ROWS > most ? x / SW_LANE_ROWS : most) / q->best;
}

/* The match that fits with the least error; 0: there is none. */
static int64_t
find_match(const struct sw_query *q, int64_t from, int64_t to,
	   bool (*fits)(int64_t match, int64_t worst, int64_t open,
			int64_t extend))
{
	double least = MAX_ERROR;
	int64_t found = 0;

	for (int64_t m = from; m <= to; m++) {
		int64_t open = scale_down(q->s->open, m, q->best);
		int64_t extend = scale_down(q->s->extend, m, q->best);
		double error = error_of(q, m);

		/* gaps that become free are another matter */
		if (error > least || (q->s->extend && !extend) ||
		    !fits(m, scale_up(q->worst, m, q->best), open, extend))
			continue;
		least = error;
		found = m;
	}
	return found;
}

/*
 * Is that faster than true scores are?  Not if lanes are short beside the
 * query, so that many runs pass before they leave it, nor if so many hits are
 * wanted that regions take most of the time.
 */
static bool
is_worth(const struct sw_pass *p, const struct sw_work *w)
{
	if (w->round_always)
		return true;
	return p->q->n * p->t->n >= FROM && p->t->n / COLUMNS >= p->q->n &&
	       p->k <= p->t->n / SW_BLOCK / BLOCKS;
}

/* Are there true scores that are slow? */
static bool
is_wanted(const struct sw_pass *p, const struct sw_work *w)
{
	const struct sw_query *q = p->q;

	return p->k && q->engine == SW_AUTO && q->best > 0 && is_worth(p, w) &&
	       !has_room(q->best, q->worst, q->s->open, q->s->extend);
}

static void
round_scores(struct sw_round *r, const struct sw_query *q)
{
	struct sw_scoring *s = &r->s;

	*s = *q->s;
	s->open = (int32_t)scale_down(s->open, r->match, r->best);
	s->extend = (int32_t)scale_down(s->extend, r->match, r->best);
	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < s->letters; b++)
			s->score[a][b] = (int32_t)scale_up(s->score[a][b],
							   r->match, r->best);
}

static int
round_query(struct sw_round *r, const struct sw_query *q, struct err *e)
{
	size_t letters = q->n + SW_ROWS - 1, n = sizeof *q + letters;

	if (n > r->cap) {
		free(r->q);
		r->cap = 0;
		r->q = malloc(n);
		if (!r->q)
			return err_nomem(e, n);
		r->cap = n;
	}
	r->best = q->best;
	round_scores(r, q);
	*r->q = *q;
	r->q->s = &r->s;
	r->q->own = NULL;
	r->q->best = (int32_t)r->match;
	r->q->worst = (int32_t)scale_up(q->worst, r->match, r->best);
	memcpy(r->q->code, q->code, letters);
	return 0;
}

static int64_t
raise_rounded(void *ctx, uint64_t block, int64_t top)
{
	struct sw_round *r = ctx;
	int64_t kth = sw_raise_take(&r->raise, block, top);

	return max_i64(r->least, kth - kth / SLACK);
}

/* The pass by that match; 1: there is none, or it does not do. */
static int
round_by(struct sw_round *r, struct sw_pass *p, int64_t match, bool only_8,
	 struct sw_work *w, struct err *e)
{
	struct sw_pass x;
	int rc;

	r->match = match;
	rc = match ? round_query(r, p->q, e) : 1;
	if (rc)
		return rc;
	r->least = scale_down(min_i64(p->threshold, INT64_MAX / MAX_MATCH),
			      match, r->best);
	x = (struct sw_pass){
		.q = r->q, .t = p->t, .peak = p->peak, .threshold = r->least,
		.raise = raise_rounded, .ctx = r, .gauge = p->gauge,
		.may_leave = true, .only_8 = only_8,
	};
	rc = sw_raise_reset(&r->raise, r->q, p->t, p->k, r->least, e);
	if (!rc)
		rc = sw_lanes_pass(&x, w, e);
	if (rc)
		return rc;
	for (uint64_t b = 0; b < p->t->n / SW_BLOCK; b++)
		p->peak[b].bound = scale_down(p->peak[b].bound, r->best, match);
	p->sure = max_i64(p->threshold, scale_up(x.threshold, r->best, match));
	w->rounded.passes++;
	return 0;
}

int
sw_round_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_query *q = p->q;
	int64_t match;
	int rc;

	if (!is_wanted(p, w))
		return 1;
	if (!w->round)
		w->round = calloc(1, sizeof *w->round);
	if (!w->round)
		return err_nomem(e, sizeof *w->round);
	match = find_match(q, 1, MAX_MATCH8, has_room);
	rc = round_by(w->round, p, match, true, w, e);
	if (rc != 1 ||
	    sw_lanes_fits16(q->best, q->worst, q->s->open, q->s->extend))
		return rc;
	match = find_match(q, MAX_MATCH8, MAX_MATCH, sw_lanes_fits16);
	return round_by(w->round, p, match, false, w, e);
}
