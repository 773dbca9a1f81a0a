/* SPDX-License-Identifier: MIT */
/* minmax.h - the lesser and the larger of two */
#ifndef SEQF_MINMAX_H
#define SEQF_MINMAX_H

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

#endif
