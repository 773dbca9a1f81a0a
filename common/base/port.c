/* SPDX-License-Identifier: MIT */
/* port.c - what not every system has, and plain code in its place */

#define _GNU_SOURCE	/* qsort_r, CPU_COUNT */

#include <sched.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/port.h"

/* Heapsort: in place, without recursion, n log n at worst. */

struct sorted {
	unsigned char *v;
	size_t size;
	sort_cmp *cmp;
	void *ctx;
};

static void
swap(const struct sorted *s, size_t i, size_t j)
{
	unsigned char *a = s->v + i * s->size, *b = s->v + j * s->size, t;

	for (size_t k = 0; k < s->size; k++) {
		t = a[k];
		a[k] = b[k];
		b[k] = t;
	}
}

static bool
below(const struct sorted *s, size_t i, size_t j)
{
	return s->cmp(s->v + i * s->size, s->v + j * s->size, s->ctx) < 0;
}

/* Item i of a heap of n sinks to where it belongs. */
static void
sink(const struct sorted *s, size_t i, size_t n)
{
	while (2 * i + 1 < n) {
		size_t child = 2 * i + 1;

		if (child + 1 < n && below(s, child, child + 1))
			child++;
		if (!below(s, i, child))
			return;
		swap(s, i, child);
		i = child;
	}
}

static void
heap_sort(void *v, size_t n, size_t size, sort_cmp *cmp, void *ctx)
{
	struct sorted s = { v, size, cmp, ctx };

	for (size_t i = n / 2; i-- > 0;)
		sink(&s, i, n);
	for (size_t i = n; i-- > 1;) {
		swap(&s, 0, i);
		sink(&s, 0, i);
	}
}

void
sort_with(void *v, size_t n, size_t size, sort_cmp *cmp, void *ctx)
{
	if (n < 2)
		return;
#if defined(__GLIBC__) && !defined(SEQF_PLAIN)
	qsort_r(v, n, size, cmp, ctx);
#else
	heap_sort(v, n, size, cmp, ctx);
#endif
}

/* A function's pointer may not be one to data. */
struct order {
	int (*cmp)(const void *, const void *);
};

static int
by_order(const void *a, const void *b, void *ctx)
{
	return ((const struct order *)ctx)->cmp(a, b);
}

void
sort_plain(void *v, size_t n, size_t size,
	   int (*cmp)(const void *, const void *))
{
	struct order order = { cmp };

	if (n > 1)
		heap_sort(v, n, size, by_order, &order);
}

/* tdestroy() is GNU's. */
void
tsearch_free(void **root, int (*cmp)(const void *, const void *),
	  void (*fn)(void *))
{
	while (*root) {
		void *key = *(void **)*root;	/* first in a node, by POSIX */

		tdelete(key, root, cmp);
		fn(key);
	}
}

unsigned
port_processors(void)
{
	long n = 0;
#if defined(CPU_COUNT) && !defined(SEQF_PLAIN)
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		n = CPU_COUNT(&set);
#endif
	if (n < 1)
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

bool
file_is_newer(const struct stat *a, const struct stat *b)
{
#if defined(__APPLE__)
	const struct timespec s = a->st_mtimespec, t = b->st_mtimespec;
#else
	const struct timespec s = a->st_mtim, t = b->st_mtim;
#endif

	return s.tv_sec != t.tv_sec ? s.tv_sec > t.tv_sec :
	       s.tv_nsec > t.tv_nsec;
}
