/* SPDX-License-Identifier: MIT */
/* port.c - plain code does what the system's does */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/port.h"
#include "tests/lib/splitmix.h"
#include "tests/lib/tap.h"

enum { MOST = 300, KEYS = 1000 };

/* The first two bytes are the key; what is behind it goes along. */
struct thing {
	uint8_t key[2], more[11];
};

static int
by_key(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct thing));
}

static int
by_context(const void *a, const void *b, void *ctx)
{
	++*(unsigned *)ctx;
	return by_key(a, b);
}

static void
test_sorts(void)
{
	static struct thing want[MOST], plain[MOST], with[MOST];
	uint64_t seed = 7;
	bool good = true;
	unsigned calls = 0;

	for (size_t n = 0; n <= MOST && good; n++) {
		for (size_t i = 0; i < n * sizeof *want; i++)
			((uint8_t *)want)[i] = (uint8_t)(splitmix(&seed) %
							 (n % 3 ? 256 : 2));
		memcpy(plain, want, sizeof want);
		memcpy(with, want, sizeof want);
		/* the C library's, which tests may have replaced by ours */
		(qsort)(want, n, sizeof *want, by_key);
		sort_plain(plain, n, sizeof *plain, by_key);
		sort_with(with, n, sizeof *with, by_context, &calls);
		for (size_t i = 1; i < n; i++)
			good &= by_key(&want[i - 1], &want[i]) <= 0;
		good = good && memcmp(want, plain, n * sizeof *want) == 0 &&
		       memcmp(want, with, n * sizeof *want) == 0;
	}
	ok(good && calls, "up to %d things in order", MOST);
	sort_plain(NULL, 0, 1, by_key);
	sort_with(NULL, 0, 1, by_context, &calls);
	ok(true, "none at all");
}

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static unsigned n_freed;

static void
count_freed(void *key)
{
	n_freed++;
	*(uint64_t *)key = UINT64_MAX;
}

static void
test_tree(void)
{
	static uint64_t key[KEYS];
	uint64_t seed = 3, freed = 0;
	void *root = NULL;

	for (size_t i = 0; i < KEYS; i++) {
		key[i] = splitmix(&seed) >> 1;
		if (!tsearch(&key[i], &root, by_number))
			abort();
	}
	tsearch_free(&root, by_number, count_freed);
	for (size_t i = 0; i < KEYS; i++)
		freed += key[i] == UINT64_MAX;
	ok(!root && n_freed == KEYS && freed == KEYS, "each key once");
}

int
main(void)
{
	const uint8_t byte[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint64_t v;

	memcpy(&v, byte, 8);
	ok(le64(v) == 0x0807060504030201, "the lowest byte comes first");
	test_sorts();
	test_tree();
	ok(port_processors() >= 1, "%u processors", port_processors());
	return done();
}
