/* SPDX-License-Identifier: MIT */
/*
 * kdiff_keys.c - letters of a text looked up in bitmaps, a letter at a time and
 * by kernels: what a wrong key loses, tests of whole searches may find again.
 */
#include <string.h>

#include "base/cpu.h"
#include "kdiff/kdiff_kern.h"
#include "tests/lib/tap.h"

enum { WORDS = 12, LETTERS = 64 * WORDS, MAX_Q = 11 };

static uint64_t seed = 1;
static uint64_t bits[(1 << 2 * MAX_Q) / 64];
static uint64_t planes[2 * (WORDS + KDIFF_SIEVE_PAD)];

/* Key of the letters from i on; those behind all are 0. */
static uint32_t
key_at(const uint64_t *lo, size_t apart, unsigned q, size_t i)
{
	uint32_t key = 0;

	for (unsigned j = 0; j < q; j++, i++) {
		const uint64_t *w = lo + i / 64 * apart;

		key |= (uint32_t)(w[0] >> i % 64 & 1) << j;
		key |= (uint32_t)(w[1] >> i % 64 & 1) << (q + j);
	}
	return key;
}

/* One of `of` is in the bitmap; key 0, of what is not there, now and then. */
static void
some_bits(unsigned q, unsigned of)
{
	for (size_t i = 0; i < (1ull << 2 * q); i += 64) {
		bits[i / 64] = 0;
		for (unsigned b = 0; b < 64; b++)
			bits[i / 64] |= (uint64_t)(below(&seed, of) == 0) << b;
	}
	bits[0] = (bits[0] & ~1ull) | below(&seed, 2);
}

static bool
keys(unsigned q)
{
	const uint64_t w[2] = { rnd(&seed), rnd(&seed) };
	uint32_t key[KDIFF_GRAM_KEYS], found;

	found = KERN_PICK(kdiff_gram_keys)(bits, q, w[0], w[1], key);
	for (unsigned i = 0; i < KDIFF_GRAM_KEYS; i++) {
		uint32_t x = key_at(w, 2, q, i);

		if (key[i] != x ||
		    (found >> i & 1) != (bits[x / 64] >> x % 64 & 1))
			return false;
	}
	return true;
}

/* All samples of n words, and none twice; those behind them do no harm. */
static bool
samples(unsigned q, unsigned step, size_t n)
{
	static uint32_t out[LETTERS + 64 * KDIFF_SIEVE_PAD];
	static uint32_t key[LETTERS + 64 * KDIFF_SIEVE_PAD];
	struct kdiff_sieve v = { bits, q, step };
	bool found[LETTERS + 64 * KDIFF_SIEVE_PAD] = { false };
	size_t got = KERN_PICK(kdiff_sieve)(&v, planes, n, out, key);

	for (size_t i = 0; i < got; i++) {
		if (found[out[i]] || key[i] != key_at(planes, 2, q, out[i]))
			return false;
		found[out[i]] = true;
	}
	for (size_t i = 0; i < 64 * n; i++) {
		uint32_t x = key_at(planes, 2, q, i);
		bool in = i % 64 % step == 0 && (bits[x / 64] >> x % 64 & 1);

		if (found[i] != in)
			return false;
	}
	return true;
}

int
main(void)
{
	for (unsigned q = 4; q <= MAX_Q; q++) {
		bool same = true, all = true;

		some_bits(q, 1u << below(&seed, 6));
		for (size_t i = 0; i < sizeof planes / 8; i++)
			planes[i] = below(&seed, 4) ? rnd(&seed) : 0;
		for (int i = 0; q < MAX_Q && i < 20; i++)
			same &= keys(q);
		ok(same, "keys of %u letters", q);
		for (unsigned step = 1; step <= 64; step++)
			all &= samples(q, step, 1 + below(&seed, WORDS));
		ok(all, "samples of %u letters, all steps", q);
	}
	return done();
}
