/* SPDX-License-Identifier: MIT */
/* ebwt_root.c - exponents and least rotations */
#include <string.h>

#include "algo/ebwt_priv.h"

/* Is s of n letters a power of its first n / q? */
static bool
repeats(const uint8_t *s, uint32_t n, uint32_t q)
{
	uint32_t p = n / q;

	return !memcmp(s, s + p, n - p);
}

/* The largest power q^i by which a root of n letters can still be shorter. */
static uint32_t
shorten(const uint8_t *s, uint32_t n, uint32_t q)
{
	while (n % q == 0 && repeats(s, n, q))
		n /= q;
	return n;
}

/*
 * A word is a power of its root only, and of powers of that: so prime after
 * prime divides the exponent as often as it can.
 */
uint32_t
ebwt_exponent(const uint8_t *s, uint32_t n)
{
	uint32_t root = n, rest = n;

	for (uint32_t q = 2; q <= rest / q; q++) {
		if (rest % q)
			continue;
		root = shorten(s, root, q);
		while (rest % q == 0)
			rest /= q;
	}
	if (rest > 1)
		root = shorten(s, root, rest);
	return n / root;
}

static inline uint32_t
wrap(uint64_t i, uint32_t n)
{
	return (uint32_t)(i < n ? i : i - n);
}

/*
 * Two candidates i < j, equal over k letters.  Where they differ, the larger
 * one and the k begins behind it are none: each is larger than the begin as
 * far behind the other one.
 */
uint32_t
ebwt_least(const uint8_t *s, uint32_t n)
{
	uint64_t i = 0, j = 1, k = 0;

	while (j < n && k < n) {
		uint8_t a = s[wrap(i + k, n)], b = s[wrap(j + k, n)];

		if (a == b) {
			k++;
			continue;
		}
		if (a > b) {
			uint64_t next = i + k + 1;

			i = j;
			j = next > j ? next : j + 1;
		} else {
			j += k + 1;
		}
		k = 0;
	}
	return (uint32_t)i;
}
