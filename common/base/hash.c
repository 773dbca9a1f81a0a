/* SPDX-License-Identifier: MIT */
/* hash.c - XXH64 */
#include "base/hash.h"

#include <endian.h>
#include <string.h>

static const uint64_t P1 = 0x9e3779b185ebca87, P2 = 0xc2b2ae3d27d4eb4f,
		      P3 = 0x165667b19e3779f9, P4 = 0x85ebca77c2b2ae63,
		      P5 = 0x27d4eb2f165667c5;

static inline uint64_t
rotl(uint64_t x, unsigned r)
{
	return x << r | x >> (64 - r);
}

/* One load on little-endian machines. */
static inline uint64_t
le64(const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, 8);
	return le64toh(x);
}

static inline uint32_t
le32(const uint8_t *p)
{
	uint32_t x;

	memcpy(&x, p, 4);
	return le32toh(x);
}

static inline uint64_t
round64(uint64_t acc, uint64_t lane)
{
	return rotl(acc + lane * P2, 31) * P1;
}

static inline uint64_t
merge(uint64_t acc, uint64_t v)
{
	return (acc ^ round64(0, v)) * P1 + P4;
}

/* The whole stripes of 32 bytes; moves *p past them. */
static uint64_t
stripes(const uint8_t **at, const uint8_t *end, uint64_t seed)
{
	uint64_t a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1, h;
	const uint8_t *p = *at;

	/* four names, not an array: they stay in registers */
	for (; end - p >= 32; p += 32) {
		a = round64(a, le64(p));
		b = round64(b, le64(p + 8));
		c = round64(c, le64(p + 16));
		d = round64(d, le64(p + 24));
	}
	*at = p;
	h = rotl(a, 1) + rotl(b, 7) + rotl(c, 12) + rotl(d, 18);
	return merge(merge(merge(merge(h, a), b), c), d);
}

uint64_t
hash64(const void *data, size_t n, uint64_t seed)
{
	const uint8_t *p = data, *end = p + n;
	uint64_t h = n >= 32 ? stripes(&p, end, seed) : seed + P5;

	h += n;
	for (; end - p >= 8; p += 8)
		h = rotl(h ^ round64(0, le64(p)), 27) * P1 + P4;
	for (; end - p >= 4; p += 4)
		h = rotl(h ^ le32(p) * P1, 23) * P2 + P3;
	for (; p < end; p++)
		h = rotl(h ^ *p * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}
