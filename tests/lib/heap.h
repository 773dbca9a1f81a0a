/* SPDX-License-Identifier: MIT */
/* heap.h - does a test give back what it takes?  Without a sanitizer, where the
 * C library says so */
#ifndef SEQF_HEAP_H
#define SEQF_HEAP_H

#include <pthread.h>
#include <stdlib.h>

#include "tests/lib/tap.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
/* Sanitizers have a heap of their own, of which MSan's mallinfo2() says what it
 * takes for not initialized. */
#if defined(__GLIBC__) && !__has_feature(memory_sanitizer)
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define HEAP_KNOWN
#endif
#endif

/* Bytes that are allocated now; 0: nobody knows. */
static inline size_t
heap_bytes(void)
{
#ifdef HEAP_KNOWN
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
#else
	return 0;
#endif
}

/*
 * What a thread does leaves hardly more than there was; it is done once before,
 * as some stays for the next time.  A thread of its own, as the C library keeps
 * for a thread, and counts, what that has given back.
 */
static inline void
heap_same(void *(*run)(void *ctx), void *ctx)
{
	enum { LITTLE = 1 << 10 };
	size_t was = 0;
	pthread_t id;

	for (int i = 0; i < 2; i++) {
		was = heap_bytes();
		if (pthread_create(&id, NULL, run, ctx))
			abort();
		pthread_join(id, NULL);
	}
	ok(heap_bytes() <= was + LITTLE, "memory: %zu bytes, then %zu", was,
	   heap_bytes());
}

#endif
