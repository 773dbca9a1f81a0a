/* SPDX-License-Identifier: MIT */
/* hash.c - XXH64 against the values of its specification */
#include "base/base.h"
#include "tests/lib/tap.h"

#include <stdbool.h>

/*
 * The definition for whole stripes: what the kernel for long inputs gives is
 * compared with the one for short ones, whose values are known.
 */
static uint64_t
rotl(uint64_t x, unsigned r)
{
	return x << r | x >> (64 - r);
}

static uint64_t
naive(const uint8_t *p, size_t n, uint64_t seed)
{
	const uint64_t p1 = 0x9e3779b185ebca87, p2 = 0xc2b2ae3d27d4eb4f,
		       p3 = 0x165667b19e3779f9, p4 = 0x85ebca77c2b2ae63;
	uint64_t v[4] = { seed + p1 + p2, seed + p2, seed, seed - p1 }, h;

	for (size_t i = 0; i < n; i += 8) {
		uint64_t x = 0;

		for (unsigned j = 0; j < 8; j++)
			x |= (uint64_t)p[i + j] << 8 * j;
		v[i / 8 % 4] = rotl(v[i / 8 % 4] + x * p2, 31) * p1;
	}
	h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18);
	for (unsigned i = 0; i < 4; i++)
		h = (h ^ rotl(v[i] * p2, 31) * p1) * p1 + p4;
	h += n;
	h = (h ^ h >> 33) * p2;
	h = (h ^ h >> 29) * p3;
	return h ^ h >> 32;
}

static void
test_long(void)
{
	static uint8_t b[20000];
	uint64_t seed = 2026;
	bool good = true;

	for (size_t i = 0; i < sizeof b; i++)
		b[i] = (uint8_t)rnd(&seed);
	for (size_t n = 32; n < sizeof b - 3; n += n < 8000 ? 32 : 992)
		for (unsigned at = 0; at < 3; at++)
			good &= hash64(b + at, n, at * 7919) ==
				naive(b + at, n, at * 7919);
	ok(good, "whole stripes, short and long");
}

static void
test_two(void)
{
	uint8_t b[200];
	uint64_t seed = 5, h[2];
	bool good = true;

	for (size_t i = 0; i < sizeof b; i++)
		b[i] = (uint8_t)rnd(&seed);
	for (size_t n = 0; n <= sizeof b; n++) {
		hash64_two(b, n, n * n, h);
		good &= h[0] == hash64(b, n, n * n) &&
			h[1] == hash64(b, n, n * n + 1);
	}
	ok(good, "two seeds at once");
}

int
main(void)
{
	/* The specification's sanity buffer: prime32, squared each step. */
	uint8_t b[101];
	uint32_t gen = 2654435761u;

	for (unsigned i = 0; i < sizeof b; i++) {
		b[i] = (uint8_t)(gen >> 24);
		gen *= gen;
	}
	ok(hash64(b, 0, 0) == 0xef46db3751d8e999, "empty");
	ok(hash64(b, 0, 2654435761u) == 0xac75fda2929b17ef, "empty, seeded");
	ok(hash64("a", 1, 0) == 0xd24ec4f1a98c6e5b, "a");
	ok(hash64("abc", 3, 0) == 0x44bc2cf5ad770999, "abc");
	ok(hash64("Nobody inspects the spammish repetition", 39, 0) ==
	   0xfbcea83c8a378bf1, "39 letters");
	ok(hash64(b, 14, 0) == 0xcffa8db881bc3a3d, "14 bytes");
	ok(hash64(b, 14, 2654435761u) == 0x5b9611585efcc9cb,
	   "14 bytes, seeded");
	ok(hash64(b, 101, 0) == 0x0eab543384f878ad, "101 bytes");
	ok(hash64(b, 101, 2654435761u) == 0xcaa65939306f1e21,
	   "101 bytes, seeded");
	test_long();
	test_two();
	return done();
}
