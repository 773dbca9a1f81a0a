/* SPDX-License-Identifier: MIT */
/* threads.c - several threads at one piece of work */

#include <pthread.h>
#include <stdlib.h>

#include "base/threads.h"

struct group {
	threads_fn *fn;
	void *ctx;
	pthread_mutex_t start;	/* locked until all may begin */
};

struct one {
	pthread_t id;
	struct group *of;
	unsigned number;
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

void
threads_team(unsigned n, threads_fn *ready, threads_fn *fn, void *ctx)
{
	struct one *t = n > 1 ? calloc(n - 1, sizeof *t) : NULL;
	struct group g = { fn, ctx, PTHREAD_MUTEX_INITIALIZER };
	unsigned begun = 0;

	if (ready)
		pthread_mutex_lock(&g.start);
	for (; t && begun < n - 1; begun++) {
		t[begun] = (struct one){ .of = &g, .number = begun + 1 };
		if (pthread_create(&t[begun].id, NULL, run_one, &t[begun]))
			break;
	}
	if (ready) {
		ready(ctx, begun + 1);
		pthread_mutex_unlock(&g.start);
	}
	fn(ctx, 0);
	for (unsigned i = 0; i < begun; i++)
		pthread_join(t[i].id, NULL);
	free(t);
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
