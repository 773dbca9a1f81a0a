/* SPDX-License-Identifier: MIT */
/* array.c - arrays and tables of slots that double */
#include "base/array.h"

#include <stdint.h>
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
