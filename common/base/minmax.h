/* SPDX-License-Identifier: MIT */
/* minmax.h - the lesser and the larger of two, and their order */
#ifndef SEQF_BASE_MINMAX_H
#define SEQF_BASE_MINMAX_H

#include <stdint.h>

static inline uint64_t
min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline int64_t
min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t
max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* As qsort() wants it: below 0, 0 or above 0. */
static inline int
cmp_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

#endif
