/* SPDX-License-Identifier: MIT */
/* pages.c - large pieces of memory */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

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
