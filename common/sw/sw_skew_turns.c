/* SPDX-License-Identifier: MIT */
/*
 * sw_skew_turns.c - the pass in skewed lanes by several threads, by turns
 *
 * Of relatives only blocks beside the alignment matter (sw_skew_prune.c): of a
 * round, which is as many blocks as there are lanes, those strips that it
 * crosses; of the next round these and, at the end, some more.  So two of them
 * have work at the same time where what matters is wider than a round.  Bands
 * of rows (sw_skew.c) have it only if they are narrow, and then most of a
 * band's steps have lanes beside what matters.
 *
 * T rounds are in work at a time, each in lanes of its own; those of round r
 * take round r + T next.  Columns between rounds are in one array: the first
 * lane reads those of a strip that the last lane of the round before has left,
 * and its own last lane replaces them later, for the round behind it.  So a
 * round may go as far as the one before has left columns, and nobody reads what
 * another one writes.
 *
 * Nobody waits for ever.  Let r be the first round whose columns are not all
 * left; its L lanes have all columns of round r - 1, so the first of them need
 * not wait.  When that is done, the others go on as it goes on in round r + T,
 * for which round r + T - 1 must have left LEAST strips, or they end at once
 * (next_round() in sw_skew.c).  Each round between may go on until it is less
 * than LEAST strips behind what it may take, so it leaves L - 1 + LEAST strips
 * less than the one before it, at most; and there are at least 4 L T of them,
 * more than (T + 1) (L - 1 + LEAST).
 */

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "sw/sw_cut.h"

enum {
	MOST = 64,	/* rounds at a time */
	WORTH = 4,	/* strips, for each lane of each of them */
	LEAST = 16,	/* strips that are worth a turn */
	TURN = 64,	/* steps of one */
};

struct turn {
	struct sw_skew *skew;
	struct sw_pass pass;
	uint64_t left;	/* strips whose columns it left, of all its rounds */
	size_t ends;	/* see sw_skew_may() */
	bool busy;
};

struct sw_turns {
	pthread_mutex_t lock, raising;
	pthread_cond_t change;
	struct sw_pass *p;
	struct turn turn[MOST];
	unsigned n, open, busy;	/* turns: all, not done, in hand */
	unsigned waiting;	/* threads */
	int64_t threshold;
};

void
sw_turns_free(struct sw_turns *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < MOST; i++)
		sw_skew_free(v->turn[i].skew);
	pthread_cond_destroy(&v->change);
	pthread_mutex_destroy(&v->raising);
	pthread_mutex_destroy(&v->lock);
	free(v);
}

static int
turns_of(struct sw_work *w, struct err *e)
{
	if (w->turns)
		return 0;
	w->turns = calloc(1, sizeof *w->turns);
	if (!w->turns)
		return err_nomem(e, sizeof *w->turns);
	pthread_mutex_init(&w->turns->lock, NULL);
	pthread_mutex_init(&w->turns->raising, NULL);
	pthread_cond_init(&w->turns->change, NULL);
	return 0;
}

static int64_t
raise_threshold(void *ctx, uint64_t block, int64_t top)
{
	struct sw_turns *v = ctx;
	int64_t threshold;

	pthread_mutex_lock(&v->raising);
	threshold = v->threshold;
	if (top >= threshold)
		threshold = v->p->raise(v->p->ctx, block, top);
	__atomic_store_n(&v->threshold, threshold, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&v->raising);
	return threshold;
}

static int
set_turn(struct sw_turns *v, unsigned i, struct err *e)
{
	struct turn *x = &v->turn[i];
	const struct sw_skew_part part = {
		.to = v->p->q->n, .threshold = &v->threshold,
		.turns = v->n, .turn = i,
		.lead = i ? v->turn[0].skew : NULL,
	};

	x->pass = *v->p;
	x->pass.raise = raise_threshold;
	x->pass.ctx = v;
	x->pass.did = x->pass.did_leave = 0;
	x->left = x->ends = 0;
	x->busy = false;
	return sw_skew_begin(&x->skew, &x->pass, &part, e);
}

/* How many rounds at a time? */
static unsigned
count_turns(const struct sw_pass *p, unsigned threads)
{
	const struct sw_skew_ops *ops = KERN_PICK_VECTOR(&sw_skew_ops);
	uint64_t n = threads < MOST ? threads : MOST, lanes;

	if (!ops || !p->absent || p->borders || p->mask)
		return 0;
	lanes = ops->lanes;
	n = min_u64(n, p->q->n / SW_SKEW_ROWS / (WORTH * lanes));
	return (unsigned)min_u64(n, p->t->n / SW_BLOCK / lanes);
}

static int
set(struct sw_turns *v, struct sw_pass *p, unsigned n, unsigned threads,
    struct err *e)
{
	int rc = 0;

	v->p = p;
	v->n = v->open = n;
	v->busy = v->waiting = 0;
	v->threshold = p->threshold;
	for (unsigned i = 0; i < n && !rc; i++)
		rc = set_turn(v, i, e);
	if (rc || !p->cuts)
		return rc;
	sw_cuts_open(p->cuts, p, v->turn[0].skew, threads);
	for (unsigned i = 0; i < n; i++)
		v->turn[i].skew->cuts = p->cuts;
	return 0;
}

static size_t
other_ends(const struct sw_turns *v, unsigned i)
{
	size_t n = 0;

	for (unsigned k = 0; k < v->n; k++)
		n += k == i ? 0 : v->turn[k].ends;
	return n;
}

/* What the round before has left, of all that its lanes had. */
static uint64_t
before(const struct sw_turns *v, unsigned i)
{
	return v->turn[(i ? i : v->n) - 1].left;
}

/* The first round that may go on; NULL: none.  The lock is held. */
static struct turn *
next_turn(struct sw_turns *v)
{
	struct turn *best = NULL;

	for (unsigned i = 0; i < v->n; i++) {
		struct turn *x = &v->turn[i];
		struct sw_skew *s = x->skew;
		size_t to;

		if (x->busy || s->done ||
		    (best && best->skew->first < s->first))
			continue;
		to = sw_skew_ready(s, &x->pass, before(v, i));
		if (to <= s->strip || (to < s->strips && to - s->strip < LEAST))
			continue;
		best = x;
		sw_skew_may(s, to, other_ends(v, i), TURN);
	}
	return best;
}

/* The lock is held, and given up meanwhile. */
static void
do_turn(struct sw_turns *v, struct turn *x)
{
	x->busy = true;
	v->busy++;
	pthread_mutex_unlock(&v->lock);
	sw_skew_run(x->skew, &x->pass, UINT64_MAX);
	pthread_mutex_lock(&v->lock);
	x->busy = false;
	v->busy--;
	x->left = sw_skew_strips_left(x->skew);
	x->ends = x->skew->ends;
	v->open -= x->skew->done;
	if (v->waiting)
		pthread_cond_broadcast(&v->change);
}

static void
work(void *ctx)
{
	struct sw_turns *v = ctx;

	pthread_mutex_lock(&v->lock);
	/* rounds in hand are left to those who have them */
	while (v->open > v->busy) {
		struct turn *x = next_turn(v);

		if (x) {
			do_turn(v, x);
			continue;
		}
		v->waiting++;
		pthread_cond_wait(&v->change, &v->lock);
		v->waiting--;
	}
	pthread_mutex_unlock(&v->lock);
}

int
sw_turns_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	unsigned n = count_turns(p, crew_most(w->crew));
	int rc = n < 2 ? 1 : turns_of(w, e);

	if (!rc)
		rc = set(w->turns, p, n, crew_most(w->crew), e);
	if (rc)
		return rc;
	crew_call(w->crew, work, w->turns);
	p->threshold = w->turns->threshold;
	if (p->cuts)
		sw_cuts_close(p->cuts, p);
	return 0;
}
