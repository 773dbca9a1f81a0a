/* SPDX-License-Identifier: MIT */
/* array.c - arrays and tables that double keep what they have, or lose it;
 * what is sorted is found */
#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/lib/tap.h"

static void
test_room(void)
{
	uint32_t *v = NULL;
	size_t cap = 0, times = 0;
	bool good = true;
	struct err e;

	for (size_t i = 0; i < 100000; i++) {
		size_t had = cap;

		good &= array_room(&v, &cap, i + 1, sizeof *v, &e) == 0 &&
			cap > i;
		times += cap != had;
		if (good)
			v[i] = (uint32_t)i;
	}
	for (uint32_t i = 0; good && i < 100000; i++)
		good = v[i] == i;
	ok(good && times < 20, "100000 numbers in %zu steps", times);
	ok(array_room(&v, &cap, SIZE_MAX / 2, sizeof *v, &e) == ERR_NOMEM &&
	   cap >= 100000 && v[99999] == 99999, "too many: %s", e.text);
	free(v);
}

static void
test_slots(void)
{
	size_t n = 0, before;
	uint16_t *slot = NULL;
	bool good = true;
	struct err e;

	for (int i = 0; i < 8; i++) {
		before = n;
		good &= slots_double(&slot, &n, sizeof *slot, &e) == 0 &&
			n && (n & (n - 1)) == 0 &&
			(!before || n == 2 * before);
		for (size_t j = 0; good && j < n; j++) {
			good = slot[j] == 0;
			slot[j] = 1;
		}
	}
	ok(good, "%zu empty slots", n);
	free(slot);
}

static void
test_first(void)
{
	struct thing {
		char c;
		uint64_t x;
	} v[70];
	uint64_t seed = 20261122, most;
	bool good = true;

	for (size_t round = 0; round < 500; round++) {
		size_t n = round % 71, want = 0;

		most = 0;
		for (size_t i = 0; i < n; i++)
			v[i].x = most += below(&seed, 3);
		most = round % 50 ? below(&seed, most + 2) : UINT64_MAX;
		while (want < n && v[want].x < most)
			want++;
		good &= array_first(n ? v : NULL, n, sizeof *v,
				    offsetof(struct thing, x), most) == want;
	}
	ok(good, "the first of those that are not below");
}

int
main(void)
{
	test_first();
	test_room();
	test_slots();
	return done();
}
