/* SPDX-License-Identifier: MIT */
/* hash.c - XXH64 */
#include "base/hash.h"
#include "base/buf.h"

static const uint64_t P1 = 0x9e3779b185ebca87, P2 = 0xc2b2ae3d27d4eb4f,
		      P3 = 0x165667b19e3779f9, P4 = 0x85ebca77c2b2ae63,
		      P5 = 0x27d4eb2f165667c5;

static inline uint64_t
rotl(uint64_t x, unsigned r)
{
	return x << r | x >> (64 - r);
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
stripes(const uint8_t **p, const uint8_t *end, uint64_t seed)
{
	uint64_t v[4] = { seed + P1 + P2, seed + P2, seed, seed - P1 }, h;

	for (; end - *p >= 32; *p += 32)
		for (unsigned i = 0; i < 4; i++)
			v[i] = round64(v[i], get_le(*p + 8 * i, 8));
	h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18);
	for (unsigned i = 0; i < 4; i++)
		h = merge(h, v[i]);
	return h;
}

uint64_t
hash64(const void *data, size_t n, uint64_t seed)
{
	const uint8_t *p = data, *end = p + n;
	uint64_t h = n >= 32 ? stripes(&p, end, seed) : seed + P5;

	h += n;
	for (; end - p >= 8; p += 8)
		h = rotl(h ^ round64(0, get_le(p, 8)), 27) * P1 + P4;
	for (; end - p >= 4; p += 4)
		h = rotl(h ^ get_le(p, 4) * P1, 23) * P2 + P3;
	for (; p < end; p++)
		h = rotl(h ^ *p * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}
