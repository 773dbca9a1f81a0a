/* SPDX-License-Identifier: MIT */
/*
 * array.c - growing arrays, hashed indexes of them, and large blocks of memory
 */

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/port.h"

/* Arrays and tables of slots that double; what is sorted is found. */

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

/* Values by pairs of numbers. */

struct index_entry {
	uint64_t a, b;
	void *value;
};

static int
entry_cmp(const void *x, const void *y)
{
	const struct index_entry *p = x, *q = y;
	int c = cmp_u64(p->a, q->a);

	return c ? c : cmp_u64(p->b, q->b);
}

static struct index_entry *
entry_find(const struct index *x, uint64_t a, uint64_t b)
{
	struct index_entry key = { a, b, NULL };
	struct index_entry **found = tfind(&key, &x->root, entry_cmp);

	return found ? *found : NULL;
}

void **
index_at(struct index *x, uint64_t a, uint64_t b)
{
	struct index_entry *n = entry_find(x, a, b);

	if (n)
		return &n->value;
	n = malloc(sizeof *n);
	if (!n)
		return NULL;
	*n = (struct index_entry){ a, b, NULL };
	if (!tsearch(n, &x->root, entry_cmp)) {
		free(n);
		return NULL;
	}
	return &n->value;
}

void *
index_get(const struct index *x, uint64_t a, uint64_t b)
{
	struct index_entry *n = entry_find(x, a, b);

	return n ? n->value : NULL;
}

void
index_free(struct index *x)
{
	tsearch_free(&x->root, entry_cmp, free);
}

/* Large pieces of memory. */

enum { VECTOR = 64, PAGE = 2 << 20, LARGE = 4 << 20 };

void *
pages_alloc(size_t n)
{
	size_t align = n < LARGE ? VECTOR : PAGE;
	void *p;

	if (n > SIZE_MAX - PAGE)
		return NULL;
	p = aligned_alloc(align, (n + align - 1) / align * align);
#if defined(MADV_HUGEPAGE) && !defined(SEQF_PLAIN)
	if (p && align == PAGE)	/* only a matter of speed: may fail */
		madvise(p, n, MADV_HUGEPAGE);
#endif
	return p;
}

uint64_t
pages_machine(void)
{
	long n = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return n > 0 && size > 0 ? (uint64_t)n * (uint64_t)size : UINT64_MAX;
}
