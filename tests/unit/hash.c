/* SPDX-License-Identifier: MIT */
/* hash.c - XXH64 against the values of its specification */
#include "base/hash.h"
#include "tap.h"

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
	return done();
}
