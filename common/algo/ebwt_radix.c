/* SPDX-License-Identifier: MIT */
/* ebwt_radix.c - 64-bit integers sorted by their highest differing bits */
#include <string.h>

#include "algo/ebwt_anchor.h"

enum { FEW = 24, DIGIT = 13 };

static inline void
insert(uint64_t *item, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++) {
		uint64_t x = item[i], j = i;

		for (; j && item[j - 1] > x; j--)
			item[j] = item[j - 1];
		item[j] = x;
	}
}

/* The same, from elsewhere. */
static inline void
insert_from(const uint64_t *from, uint64_t *item, uint64_t n)
{
	item[0] = from[0];
	for (uint64_t i = 1; i < n; i++) {
		uint64_t x = from[i], j = i;

		for (; j && item[j - 1] > x; j--)
			item[j] = item[j - 1];
		item[j] = x;
	}
}

/*
 * By digits of about as many values as there are items.  Many of a value are
 * sorted in the same way; few by insertion, all at once, which moves no item
 * further than among its value's.  Bits that all have in common are passed
 * over, so it is 64 / 4 deep at most.
 */
void
ebwt_radix(uint64_t *item, uint64_t n, uint64_t *tmp)
{
	uint32_t at[1 << DIGIT], mask, sum = 0;
	unsigned bits, digit, shift;
	uint64_t differ = 0;

	if (n <= FEW) {
		insert(item, n);
		return;
	}
	for (uint64_t i = 1; i < n; i++)
		differ |= item[i] ^ item[0];
	bits = ebwt_bits(differ);
	digit = ebwt_bits(n) - 1;
	digit = digit > DIGIT ? DIGIT : digit;
	digit = digit > bits ? bits : digit;
	shift = bits - digit;
	mask = (1u << digit) - 1;
	memset(at, 0, sizeof *at << digit);
	for (uint64_t i = 0; i < n; i++)
		at[item[i] >> shift & mask]++;
	for (uint32_t d = 0; d <= mask; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (uint64_t i = 0; i < n; i++)
		tmp[at[item[i] >> shift & mask]++] = item[i];
	sum = 0;
	for (uint32_t d = 0; d <= mask; d++) {
		if (at[d] - sum > FEW)
			ebwt_radix(tmp + sum, at[d] - sum, item + sum);
		sum = at[d];
	}
	insert_from(tmp, item, n);
}
