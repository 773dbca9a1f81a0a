/* SPDX-License-Identifier: MIT */
/*
 * port.h - what not every system has, and plain code in its place
 *
 * -DSEQF_PLAIN takes the plain code where the system has better; so do tests.
 */
#ifndef SEQF_BASE_PORT_H
#define SEQF_BASE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of this machine with its lowest byte first, or back. */
static inline uint64_t
le64(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static inline uint32_t
le32(uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

/*
 * n things of `size` bytes in order; cmp(a, b, ctx) as qsort()'s.  Any order of
 * what compares as equal: cmp must leave none of that.
 */
typedef int sort_cmp(const void *a, const void *b, void *ctx);
void sort_with(void *v, size_t n, size_t size, sort_cmp *cmp, void *ctx);
/* qsort() as tests want it, which have every call of that become this one. */
void sort_plain(void *v, size_t n, size_t size,
		int (*cmp)(const void *, const void *));

/* All of a tree of tsearch() with this comparison, and fn(key) of each. */
void tsearch_free(void **root, int (*cmp)(const void *, const void *),
	       void (*fn)(void *));

/* Was a changed behind b?  As finely as the file system has it. */
struct stat;
bool file_is_newer(const struct stat *a, const struct stat *b);

/* Processors that this process may use. */
unsigned port_processors(void);

#endif
