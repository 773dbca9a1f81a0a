/* SPDX-License-Identifier: MIT */
/* digest.c - digests of sequences that add up, however they are cut */

#include <string.h>

#include "base/digest_kern.h"
#include "base/hash.h"

#define ORDER 0x02b2ae3d27d4eb55u	/* generates all numbers, as R does */

/* Blocks that pay for looking at the CPU and the environment. */
enum { LARGE = 256 };

static inline uint64_t
reduce(unsigned __int128 x)
{
	uint64_t s = digest_fold(x);

	s = (s & DIGEST_P) + (s >> 61);
	return s >= DIGEST_P ? s - DIGEST_P : s;
}

uint64_t
digest_mul(uint64_t a, uint64_t b)
{
	return reduce((unsigned __int128)a * b);
}

static uint64_t
power(uint64_t x, uint64_t n)
{
	uint64_t y = 1;

	for (; n; n >>= 1, x = digest_mul(x, x))
		if (n & 1)
			y = digest_mul(y, x);
	return y;
}

uint64_t
digest_letters(const void *letters, size_t n, uint64_t at)
{
	const uint8_t *p = letters;
	size_t before = at % 8, k = before + n < 64 ? n : 64 - before;
	uint8_t t[64];
	uint64_t first, s = 0;

	if (n == 0)
		return 0;
	if (k < 64) {
		memset(t, 0, sizeof t);
		memcpy(t + before, p, k);
	}
	first = reduce(digest_block(k < 64 ? t : p));
	p += k;
	n -= k;
	if (n % 64) {
		memset(t, 0, sizeof t);
		memcpy(t, p + n / 64 * 64, n % 64);
		s = reduce(digest_block(t));
	}
	n /= 64;
	s = (n < LARGE ? digest_blocks_scalar : KERN_PICK(digest_blocks))(p, n,
									 s);
	s = digest_add(digest_mul(s, DIGEST_R8), first);
	return at < 8 ? s : digest_mul(s, power(digest_r[1], at / 8));
}

uint64_t
digest_named(const char *name, size_t n, bool first, uint64_t letters)
{
	uint64_t a = reduce(hash64(name, n, 1));
	uint64_t s = digest_mul(letters, a ? a : 1);

	return first ? digest_add(s, reduce(hash64(name, n, 2))) : s;
}

uint64_t
digest_order(struct digest_order *o, uint64_t n)
{
	if (o->power && n == o->n + 1)
		o->power = digest_mul(o->power, ORDER);
	else if (!o->power || n != o->n)
		o->power = power(ORDER, n);
	o->n = n;
	return o->power;
}

/* 1 / DIGEST_P = -(2^61 + 1) modulo 2^64. */
bool
digest_sums(uint64_t sum64, uint64_t sum, uint64_t n)
{
	uint64_t d = sum64 - sum, times = 0 - (d + (d << 61));

	return times == 0 || times < n;
}
