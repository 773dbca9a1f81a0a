/* SPDX-License-Identifier: MIT */
/* threads.c - all threads run, and each item comes once */
#include <string.h>

#include "base/base.h"
#include "tests/lib/tap.h"

enum { ITEMS = 1000, MANY = 9 };

static unsigned times[ITEMS], by[MANY];

static void
run(void *ctx, unsigned thread)
{
	(void)ctx;
	__atomic_fetch_add(&by[thread], 1, __ATOMIC_RELAXED);
}

/* What ready() says is what all see, and how many run. */
struct team {
	unsigned of, seen, ran;
};

static void
get_ready(void *ctx, unsigned of)
{
	struct team *t = ctx;

	t->of = of;
}

static void
see(void *ctx, unsigned thread)
{
	struct team *t = ctx;

	__atomic_fetch_add(&t->seen, thread < t->of ? t->of : 0,
			   __ATOMIC_RELAXED);
	__atomic_fetch_add(&t->ran, 1, __ATOMIC_RELAXED);
}

static void
take(void *ctx, uint64_t i, unsigned thread)
{
	unsigned most = *(const unsigned *)ctx;

	__atomic_fetch_add(&times[i], thread < most, __ATOMIC_RELAXED);
}

int
main(void)
{
	for (unsigned n = 0; n <= MANY; n++) {
		size_t items = n % 4 ? ITEMS : n;
		struct team team = { 0 };
		bool once = true, all = true;

		memset(times, 0, sizeof times);
		memset(by, 0, sizeof by);
		threads_run(n, run, NULL);
		for (unsigned i = 0; i < MANY; i++)
			all &= by[i] == (i < n || i == 0);
		n += n == 0;
		threads_team(n, get_ready, see, &team);
		all &= team.ran == n && team.seen == n * n;
		threads_each(n, items, take, &n);
		for (size_t i = 0; i < ITEMS; i++)
			once &= times[i] == (i < items);
		ok(all && once, "%u threads, %zu items", n, items);
	}
	return done();
}
