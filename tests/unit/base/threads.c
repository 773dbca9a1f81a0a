/* SPDX-License-Identifier: MIT */
/* threads.c - all threads run, and each item comes once */
#include <string.h>

#include "base/threads.h"
#include "tests/lib/tap.h"

enum { ITEMS = 1000, MANY = 9 };

static unsigned times[ITEMS], by[MANY];

static void
run(void *ctx, unsigned thread)
{
	(void)ctx;
	__atomic_fetch_add(&by[thread], 1, __ATOMIC_RELAXED);
}

static void
take(void *ctx, size_t i, unsigned thread)
{
	unsigned most = *(const unsigned *)ctx;

	__atomic_fetch_add(&times[i], thread < most, __ATOMIC_RELAXED);
}

int
main(void)
{
	for (unsigned n = 0; n <= MANY; n++) {
		size_t items = n % 4 ? ITEMS : n;
		bool once = true, all = true;

		memset(times, 0, sizeof times);
		memset(by, 0, sizeof by);
		threads_run(n, run, NULL);
		for (unsigned i = 0; i < MANY; i++)
			all &= by[i] == (i < n || i == 0);
		n += n == 0;
		threads_each(n, items, take, &n);
		for (size_t i = 0; i < ITEMS; i++)
			once &= times[i] == (i < items);
		ok(all && once, "%u threads, %zu items", n, items);
	}
	return done();
}
