/* SPDX-License-Identifier: MIT */
/*
 * sw_skew_wave.c - the pass in skewed lanes by several threads
 *
 * The query is cut into bands of rows.  A band goes on by some blocks when the
 * band above has left them and the band below has room for what it leaves;
 * whoever is free takes the band that is furthest behind.  So bands move over
 * the text like a wave.  There are more of them than threads, as a band can
 * begin only when the one above has gone through all its rows once; but each
 * has many strips, as its first row and its last go from vectors to the ring
 * and back.
 *
 * Nobody waits for ever: of the bands that are not done, let i be the last that
 * may not go on for want of what is above.  Band i - 1 is not done, and as band
 * i has taken all that it left, it has room; so it is in hand, or it waits for
 * the one above itself, and so on; the first band never does.
 */
#include <pthread.h>
#include <stdlib.h>

#include "algo/sw_skew.h"
#include "base/crew.h"

enum {
	MOST = 64,	/* bands */
	BANDS = 4,	/* for each thread, if they have many rows */
	ROWS = 2048,	/* that are many */
	ROUND = 64,	/* blocks at a time */
};

struct band {
	struct sw_skew *skew;
	struct sw_pass pass;
	uint64_t done;		/* blocks that it took */
	bool busy;
};

struct sw_wave {
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct sw_pass *p;
	struct band band[MOST];
	size_t n, open, busy;	/* bands: all, not done, in hand */
	uint64_t blocks;
	int64_t threshold;
	struct sw_skew_row *ring;	/* between bands */
	size_t n_ring;
};

void
sw_wave_free(struct sw_wave *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < MOST; i++)
		sw_skew_free(v->band[i].skew);
	free(v->ring);
	pthread_cond_destroy(&v->change);
	pthread_mutex_destroy(&v->lock);
	free(v);
}

static int
wave_of(struct sw_work *w, struct err *e)
{
	if (w->wave)
		return 0;
	w->wave = calloc(1, sizeof *w->wave);
	if (!w->wave)
		return err_nomem(e, sizeof *w->wave);
	pthread_mutex_init(&w->wave->lock, NULL);
	pthread_cond_init(&w->wave->change, NULL);
	return 0;
}

/* Of the last band. */
static int64_t
raise(void *ctx, uint64_t block, int64_t top)
{
	struct sw_wave *v = ctx;
	int64_t threshold = v->p->raise(v->p->ctx, block, top);

	__atomic_store_n(&v->threshold, threshold, __ATOMIC_RELAXED);
	return threshold;
}

static size_t
bands_of(const struct sw_query *q, unsigned threads, size_t *from)
{
	size_t most = q->n / ROWS, least = threads < MOST ? threads : MOST;

	if (most > BANDS * least)
		most = BANDS * least;
	if (most > MOST)
		most = MOST;
	return sw_skew_split(q, most > least ? most : least, from);
}

static int
set_band(struct sw_wave *v, size_t i, const size_t *from, struct err *e)
{
	struct band *b = &v->band[i];
	struct sw_skew_row *ring = v->ring + i * SW_SKEW_RING;
	const struct sw_skew_part part = {
		.from = from[i], .to = from[i + 1],
		.above = i ? ring - SW_SKEW_RING : NULL,
		.below = i + 1 < v->n ? ring : NULL,
		.threshold = &v->threshold,
	};

	b->pass = (struct sw_pass){
		.q = v->p->q, .t = v->p->t, .peak = v->p->peak,
		.threshold = v->threshold, .raise = raise, .ctx = v,
		.floor = v->p->floor, .marks = v->p->marks,
		.gauge = v->p->gauge,
	};
	b->done = 0;
	b->busy = false;
	return sw_skew_begin(&b->skew, &b->pass, &part, e);
}

static int
set(struct sw_wave *v, struct sw_pass *p, unsigned threads, struct err *e)
{
	size_t from[MOST + 1];
	int rc;

	v->n = v->open = bands_of(p->q, threads, from);
	if (v->n < 2)
		return 1;
	v->p = p;
	v->busy = 0;
	v->blocks = p->t->n / SW_BLOCK;
	v->threshold = p->threshold;
	rc = array_room(&v->ring, &v->n_ring, (v->n - 1) * SW_SKEW_RING,
		     sizeof *v->ring, e);
	for (size_t i = 0; i < v->n && !rc; i++)
		rc = set_band(v, i, from, e);
	return rc;
}

/* How far may the band go?  The ring holds what the band below did not take. */
static uint64_t
reach(const struct sw_wave *v, size_t i)
{
	const struct band *b = &v->band[i];
	uint64_t limit = b->done + ROUND, most = v->blocks;

	if (i)
		most = sw_skew_left(b[-1].skew, v->p, b[-1].done);
	if (i + 1 < v->n && b[1].done + SW_SKEW_RING < most)
		most = b[1].done + SW_SKEW_RING;
	return limit < most ? limit : most;
}

/* Behind by blocks, and by those that it must leave to all below. */
static struct band *
next_band(struct sw_wave *v, uint64_t *limit)
{
	struct band *best = NULL;
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < v->n; i++) {
		struct band *b = &v->band[i];
		uint64_t at = b->done + i * ROUND, to;

		if (b->busy || at >= least)
			continue;
		to = reach(v, i);
		if (to > b->done) {
			best = b;
			least = at;
			*limit = to;
		}
	}
	return best;
}

/* The lock is held, and given up meanwhile. */
static void
advance(struct sw_wave *v, struct band *b, uint64_t limit)
{
	b->busy = true;
	v->busy++;
	pthread_mutex_unlock(&v->lock);
	sw_skew_run(b->skew, &b->pass, limit);
	pthread_mutex_lock(&v->lock);
	b->busy = false;
	v->busy--;
	b->done = limit;
	v->open -= limit == v->blocks;
	pthread_cond_broadcast(&v->change);
}

static void
work(void *ctx)
{
	struct sw_wave *v = ctx;

	pthread_mutex_lock(&v->lock);
	/* bands in hand are left to those who have them */
	while (v->open > v->busy) {
		uint64_t limit = 0;
		struct band *b = next_band(v, &limit);

		if (b)
			advance(v, b, limit);
		else
			pthread_cond_wait(&v->change, &v->lock);
	}
	pthread_mutex_unlock(&v->lock);
}

int
sw_wave_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	int rc = wave_of(w, e);

	if (!rc)
		rc = set(w->wave, p, crew_most(w->crew), e);
	if (rc || w->wave->blocks == 0)
		return rc;
	crew_call(w->crew, work, w->wave);
	p->threshold = w->wave->threshold;
	return 0;
}
