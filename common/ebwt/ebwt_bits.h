/* SPDX-License-Identifier: MIT */
/*
 * ebwt_bits.h - the entropy of the lengths of runs, in any order
 *
 * Two pairs with equally many lengths of equally many runs must have exactly
 * the same entropy, so that their order is decided by position.  Doubles, added
 * in another order, may differ in their last bits; so the terms are integer
 * multiples of a small unit, and the sum is exact.
 *
 * Runs of d lengths have d (d + 1) / 2 letters at least.  So in 2^33 letters
 * there are fewer than 2^18 lengths, and the sum of -p log2 p is below 18.
 */
#ifndef SEQF_EBWT_EBWT_BITS_H
#define SEQF_EBWT_EBWT_BITS_H

#include <math.h>
#include <stdint.h>

#define EBWT_BITS_UNIT 0x1p-58

/* What a length adds that `count` of `runs` runs have. */
static inline uint64_t
ebwt_bits_of(uint64_t count, uint64_t runs)
{
	double p = (double)count / (double)runs;

	return count ? (uint64_t)(0.5 - p * log2(p) / EBWT_BITS_UNIT) : 0;
}

static inline double
ebwt_bits_sum(uint64_t sum)
{
	return (double)sum * EBWT_BITS_UNIT;
}

#endif
