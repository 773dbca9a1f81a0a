/* SPDX-License-Identifier: MIT */
/* threads.c - several threads at one piece of work */

#include <pthread.h>
#include <stdlib.h>

#include "base/threads.h"

struct one {
	pthread_t id;
	threads_fn *fn;
	void *ctx;
	unsigned number;
};

static void *
run_one(void *ctx)
{
	const struct one *t = ctx;

	t->fn(t->ctx, t->number);
	return NULL;
}

void
threads_run(unsigned n, threads_fn *fn, void *ctx)
{
	struct one *t = n > 1 ? calloc(n - 1, sizeof *t) : NULL;
	unsigned begun = 0;

	for (; t && begun < n - 1; begun++) {
		t[begun] = (struct one){ .fn = fn, .ctx = ctx,
					 .number = begun + 1 };
		if (pthread_create(&t[begun].id, NULL, run_one, &t[begun]))
			break;
	}
	fn(ctx, 0);
	for (unsigned i = 0; i < begun; i++)
		pthread_join(t[i].id, NULL);
	free(t);
}

struct each {
	threads_each_fn *fn;
	void *ctx;
	size_t n, next;
};

static void
take_each(void *ctx, unsigned thread)
{
	struct each *x = ctx;
	size_t i;

	while ((i = __atomic_fetch_add(&x->next, 1, __ATOMIC_RELAXED)) < x->n)
		x->fn(x->ctx, i, thread);
}

void
threads_each(unsigned threads, size_t n, threads_each_fn *fn, void *ctx)
{
	struct each x = { .fn = fn, .ctx = ctx, .n = n };

	threads_run(n < threads ? (unsigned)n : threads, take_each, &x);
}
