/* SPDX-License-Identifier: MIT */
/* pages.c - large pieces of memory */
#include "base/pages.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { VECTOR = 64, PAGE = 2 << 20, LARGE = 4 << 20 };

void *
pages_alloc(size_t n)
{
	size_t align = n < LARGE ? VECTOR : PAGE;
	void *p;

	if (n > SIZE_MAX - PAGE)
		return NULL;
	p = aligned_alloc(align, (n + align - 1) / align * align);
	if (p && align == PAGE)	/* only a matter of speed: may fail */
		madvise(p, n, MADV_HUGEPAGE);
	return p;
}

uint64_t
pages_machine(void)
{
	long n = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return n > 0 && size > 0 ? (uint64_t)n * (uint64_t)size : UINT64_MAX;
}
