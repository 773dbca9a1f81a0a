/* SPDX-License-Identifier: MIT */
/*
 * threads.c - several threads at one piece of work; leaders and their helpers
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/base.h"

struct team {
	threads_fn *fn;
	void *ctx;
	pthread_mutex_t start;	/* locked until all may begin */
	unsigned n;
	struct one {
		pthread_t id;
		struct team *of;
		unsigned number;
	} thread[];
};

static void *
run_one(void *ctx)
{
	const struct one *t = ctx;

	pthread_mutex_lock(&t->of->start);
	pthread_mutex_unlock(&t->of->start);
	t->of->fn(t->of->ctx, t->number);
	return NULL;
}

struct team *
threads_begin(unsigned n, threads_fn *ready, threads_fn *fn, void *ctx)
{
	struct team *t = n > 1 ? calloc(1, sizeof *t + (n - 1) *
					sizeof *t->thread) : NULL;

	if (t)
		*t = (struct team){ fn, ctx, PTHREAD_MUTEX_INITIALIZER, 0 };
	if (t && ready)
		pthread_mutex_lock(&t->start);
	for (; t && t->n < n - 1; t->n++) {
		struct one *o = &t->thread[t->n];

		*o = (struct one){ .of = t, .number = t->n + 1 };
		if (pthread_create(&o->id, NULL, run_one, o))
			break;
	}
	if (ready)
		ready(ctx, t ? t->n + 1 : 1);
	if (t && ready)
		pthread_mutex_unlock(&t->start);
	return t;
}

void
threads_end(struct team *t)
{
	for (unsigned i = 0; t && i < t->n; i++)
		pthread_join(t->thread[i].id, NULL);
	free(t);
}

void
threads_team(unsigned n, threads_fn *ready, threads_fn *fn, void *ctx)
{
	struct team *t = threads_begin(n, ready, fn, ctx);

	fn(ctx, 0);
	threads_end(t);
}

void
threads_run(unsigned n, threads_fn *fn, void *ctx)
{
	threads_team(n, NULL, fn, ctx);
}

struct each {
	threads_each_fn *fn;
	void *ctx;
	uint64_t n, next;
};

static void
take_each(void *ctx, unsigned thread)
{
	struct each *x = ctx;
	uint64_t i;

	while ((i = __atomic_fetch_add(&x->next, 1, __ATOMIC_RELAXED)) < x->n)
		x->fn(x->ctx, i, thread);
}

void
threads_each(unsigned threads, uint64_t n, threads_each_fn *fn, void *ctx)
{
	struct each x = { .fn = fn, .ctx = ctx, .n = n };

	threads_run(n < threads ? (unsigned)n : threads, take_each, &x);
}

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
