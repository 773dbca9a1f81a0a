/* SPDX-License-Identifier: MIT */
/* crew.c - threads that lead, and threads that help them */

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/crew.h"

/* Stands on its leader's stack, and in the list while it may be answered. */
struct call {
	void (*fn)(void *ctx);
	void *ctx;
	unsigned inside;	/* helpers */
	bool open;
	struct call *next;
};

struct crew {
	pthread_mutex_t lock;
	pthread_cond_t change;
	unsigned most, leaders;
	struct call *first;
};

int
crew_new(struct crew **out, unsigned most, struct err *e)
{
	struct crew *c = calloc(1, sizeof *c);

	*out = c;
	if (!c)
		return err_nomem(e, sizeof *c);
	c->most = most;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->change, NULL);
	return 0;
}

void
crew_free(struct crew *c)
{
	if (!c)
		return;
	pthread_cond_destroy(&c->change);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

unsigned
crew_most(const struct crew *c)
{
	return c->most;
}

void
crew_begin(struct crew *c, unsigned leaders)
{
	pthread_mutex_lock(&c->lock);
	c->leaders = leaders;
	pthread_mutex_unlock(&c->lock);
}

/* Nobody else need come.  The lock is held. */
static void
end_call(struct crew *c, struct call *x)
{
	struct call **at = &c->first;

	if (!x->open)
		return;
	x->open = false;
	while (*at != x)
		at = &(*at)->next;
	*at = x->next;
}

void
crew_call(struct crew *c, void (*fn)(void *ctx), void *ctx)
{
	struct call x = { .fn = fn, .ctx = ctx, .open = true };

	pthread_mutex_lock(&c->lock);
	x.next = c->first;
	c->first = &x;
	pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
	fn(ctx);
	pthread_mutex_lock(&c->lock);
	end_call(c, &x);
	while (x.inside)
		pthread_cond_wait(&c->change, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

void
crew_leave(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->leaders--;
	pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
}

/* The lock is held, and given up meanwhile. */
static void
answer(struct crew *c, struct call *x)
{
	x->inside++;
	pthread_mutex_unlock(&c->lock);
	x->fn(x->ctx);
	pthread_mutex_lock(&c->lock);
	end_call(c, x);
	x->inside--;
	pthread_cond_broadcast(&c->change);
}

void
crew_help(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	while (c->leaders)
		if (c->first)
			answer(c, c->first);
		else
			pthread_cond_wait(&c->change, &c->lock);
	pthread_mutex_unlock(&c->lock);
}
