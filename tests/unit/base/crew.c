/* SPDX-License-Identifier: MIT */
/* crew.c - what leaders call out is done once by each who is there */
#include "base/base.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/tap.h"

enum { LEADERS = 3, HELPERS = 4, CALLS = 40, TASKS = 60 };

static struct crew *crew;
static uint64_t bad, helped;

/* Tasks that whoever is there takes, one after the other. */
struct job {
	pthread_t leader;
	unsigned next, inside, done[TASKS];
	bool over;		/* crew_call() returned */
};

static void
task(struct job *j, unsigned i)
{
	uint64_t seed = i;

	__atomic_add_fetch(&j->done[i], 1, __ATOMIC_RELAXED);
	if (!pthread_equal(pthread_self(), j->leader))
		__atomic_add_fetch(&helped, 1, __ATOMIC_RELAXED);
	if (below(&seed, 16) == 0)
		usleep(50);
}

static void
work(void *ctx)
{
	struct job *j = ctx;
	unsigned i;

	__atomic_add_fetch(&j->inside, 1, __ATOMIC_RELAXED);
	while ((i = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED)) < TASKS)
		task(j, i);
	if (j->over)
		__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&j->inside, 1, __ATOMIC_RELAXED);
}

static void *
lead(void *ctx)
{
	(void)ctx;
	for (int i = 0; i < CALLS; i++) {
		struct job j = { .leader = pthread_self() };

		crew_call(crew, work, &j);
		j.over = true;
		for (int k = 0; k < TASKS; k++)
			if (j.done[k] != 1 || j.inside)
				__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
	}
	crew_leave(crew);
	return NULL;
}

static void *
help(void *ctx)
{
	(void)ctx;
	crew_help(crew);
	return NULL;
}

static void
start(pthread_t *t, void *(*fn)(void *ctx))
{
	if (pthread_create(t, NULL, fn, NULL))
		abort();
}

static void
test(unsigned leaders, unsigned helpers)
{
	pthread_t t[LEADERS + HELPERS];

	bad = helped = 0;
	crew_begin(crew, leaders);
	for (unsigned i = 0; i < leaders + helpers; i++)
		start(&t[i], i < helpers ? help : lead);
	for (unsigned i = 0; i < leaders + helpers; i++)
		pthread_join(t[i], NULL);
	ok(bad == 0 && !(helpers == 0 && helped),
	   "%u leaders, %u helpers: all is done once, %llu tasks by helpers",
	   leaders, helpers, (unsigned long long)helped);
}

int
main(void)
{
	struct err e;

	if (crew_new(&crew, LEADERS + HELPERS, &e))
		return 1;
	ok(crew_most(crew) == LEADERS + HELPERS, "as many as were given");
	test(1, 0);
	test(1, 1);
	test(1, HELPERS);
	test(LEADERS, 1);
	test(LEADERS, HELPERS);
	test(1, HELPERS);
	crew_free(crew);
	return done();
}
