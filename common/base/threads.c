/* SPDX-License-Identifier: MIT */
/* threads.c - several threads at one piece of work */

#include <pthread.h>
#include <stdlib.h>

#include "base/threads.h"

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
