/* SPDX-License-Identifier: MIT */
/* array.c - arrays and tables of slots that double; what is sorted is found */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16, FIRST_SLOTS = 128 };

/* A pointer of any type is copied, not read as another type. */
static void *
pointer_at(const void *at)
{
	void *p;

	memcpy(&p, at, sizeof p);
	return p;
}

int
array_room(void *at, size_t *cap, size_t n, size_t size, struct err *e)
{
	size_t want = *cap ? *cap : FIRST_ROOM;
	void *p;

	if (n <= *cap)
		return 0;
	if (n > SIZE_MAX / 4 / size)
		return err_nomem(e, SIZE_MAX);
	while (want < n)
		want *= 2;
	p = realloc(pointer_at(at), want * size);
	if (!p)
		return err_nomem(e, want * size);
	memcpy(at, &p, sizeof p);
	*cap = want;
	return 0;
}

int
slots_double(void *at, size_t *n, size_t size, struct err *e)
{
	size_t want = *n ? 2 * *n : FIRST_SLOTS;
	void *p = calloc(want, size);

	if (!p)
		return err_nomem(e, want * size);
	free(pointer_at(at));
	memcpy(at, &p, sizeof p);
	*n = want;
	return 0;
}

size_t
array_first(const void *v, size_t n, size_t size, size_t at, uint64_t x)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint64_t y;

		memcpy(&y, (const char *)v + mid * size + at, sizeof y);
		if (y < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
