/* SPDX-License-Identifier: MIT */
/*
 * sw_tiles.c - tiles of a table by several threads
 *
 * A band is a row of tiles, which one thread at a time goes along.  Whoever is
 * free takes the topmost that may go on, as those below wait for it.
 *
 * Nobody waits for ever: the topmost band that is not done needs nothing, so it
 * is in hand or may go on.
 */
#include "algo/sw_tiles.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "algo/sw_priv.h"
#include "base/crew.h"

struct band {
	size_t done;		/* tiles */
	bool busy;
};

struct sharing {
	const struct sw_tiles *t;
	sw_tile_fn *fn;
	void *ctx;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct band *band;
	size_t high, wide;	/* bands, tiles of each */
	size_t top;		/* the topmost band that is not done */
	size_t waiting;		/* threads */
	unsigned who;		/* so many came */
	int rc;
};

static size_t
end_time(const struct sw_tiles *t)
{
	return t->to ? t->to : t->steps + (t->strips - 1) * (t->rows - 1);
}

static size_t
ceil_of(size_t n, size_t by)
{
	return (n + by - 1) / by;
}

struct sw_tile
sw_tiles_cut(const struct sw_tiles *t, size_t strip, size_t from, size_t to)
{
	size_t late = strip * (t->rows - 1);
	struct sw_tile x = {
		.strip = strip, .t = from > late ? from - late : 0,
		.end = to > late ? to - late : 0,
	};

	x.end = x.end < t->steps ? x.end : t->steps;
	return x;
}

unsigned
sw_tiles_who(const struct crew *crew)
{
	return crew ? crew_most(crew) : 1;
}

static int
run_tile(const struct sharing *x, size_t high, size_t wide, unsigned who)
{
	const struct sw_tiles *t = x->t;
	size_t strip = t->strip + high * t->strip_tile;
	size_t from = t->from + wide * t->time_tile, to = end_time(t);
	size_t end = strip + t->strip_tile;
	int rc = 0;

	if (to - from > t->time_tile)
		to = from + t->time_tile;
	for (; strip < end && strip < t->strips && !rc; strip++) {
		struct sw_tile tile = sw_tiles_cut(t, strip, from, to);

		if (tile.t < tile.end)
			rc = x->fn(x->ctx, &tile, who);
	}
	sw_meter_tick(t->meter);
	return rc;
}

/* The topmost band that may go on; high: none.  The lock is held. */
static size_t
next_band(const struct sharing *x)
{
	for (size_t i = x->top; i < x->high; i++) {
		const struct band *b = &x->band[i];
		size_t most = i ? b[-1].done : x->wide;

		if (!b->busy && b->done < most)
			return i;
		if (b->done == 0)
			break;	/* then those below it may not either */
	}
	return x->high;
}

/* The lock is held, and given up meanwhile. */
static void
advance(struct sharing *x, size_t i, unsigned who)
{
	struct band *b = &x->band[i];
	size_t wide = b->done;
	int rc;

	b->busy = true;
	pthread_mutex_unlock(&x->lock);
	rc = run_tile(x, i, wide, who);
	pthread_mutex_lock(&x->lock);
	b->busy = false;
	b->done++;
	if (rc && !x->rc)
		x->rc = rc;
	while (x->top < x->high && x->band[x->top].done == x->wide)
		x->top++;
	if (x->waiting)
		pthread_cond_broadcast(&x->change);
}

static void
work(void *ctx)
{
	struct sharing *x = ctx;
	unsigned who;

	pthread_mutex_lock(&x->lock);
	who = x->who++;
	while (!x->rc && x->top < x->high) {
		size_t i = next_band(x);

		if (i < x->high) {
			advance(x, i, who);
			continue;
		}
		x->waiting++;
		pthread_cond_wait(&x->change, &x->lock);
		x->waiting--;
	}
	pthread_mutex_unlock(&x->lock);
}

static int
alone(struct sharing *x)
{
	for (size_t i = 0; i < x->high && !x->rc; i++)
		for (size_t j = 0; j < x->wide && !x->rc; j++)
			x->rc = run_tile(x, i, j, 0);
	return x->rc;
}

int
sw_tiles_run(const struct sw_tiles *t, struct crew *crew, sw_tile_fn *fn,
	     void *ctx, struct err *e)
{
	struct sharing x = {
		.t = t, .fn = fn, .ctx = ctx,
		.high = ceil_of(t->strips - t->strip, t->strip_tile),
		.wide = ceil_of(end_time(t) - t->from, t->time_tile),
	};

	if (sw_tiles_who(crew) < 2 || x.high < 2)
		return alone(&x);
	x.band = calloc(x.high, sizeof *x.band);
	if (!x.band)
		return err_nomem(e, x.high * sizeof *x.band);
	pthread_mutex_init(&x.lock, NULL);
	pthread_cond_init(&x.change, NULL);
	crew_call(crew, work, &x);
	pthread_cond_destroy(&x.change);
	pthread_mutex_destroy(&x.lock);
	free(x.band);
	return x.rc;
}
