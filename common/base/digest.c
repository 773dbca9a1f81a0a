/* SPDX-License-Identifier: MIT */
/* digest.c - digests of sequences that add up, however they are cut */

#include <string.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/hash.h"

/* Both generate all numbers modulo DIGEST_P but 0. */
#define R8 0x0ba4d9b91fb309f3u		/* R^8 */
#define ORDER 0x02b2ae3d27d4eb55u
static const uint64_t R[8] = {
	1, 0x1e3779b97f4a7c1a, 0x09f752c9d289714d, 0x1fd59fab5ee20a4c,
	0x053f9caf32cdda8c, 0x114b6cb001154b2f, 0x18126822bc81b052,
	0x0c4664e24ca3ab5a,
};

/* The same modulo DIGEST_P, at most 2^62 + 64. */
static inline uint64_t
fold(unsigned __int128 x)
{
	return ((uint64_t)x & DIGEST_P) + ((uint64_t)(x >> 61) & DIGEST_P) +
	       (uint64_t)(x >> 122);
}

static inline uint64_t
reduce(unsigned __int128 x)
{
	uint64_t s = fold(x);

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

/*
 * Eight bytes: the first 60 bits, and for the other four TOP each, where 2^61
 * would be 2 and look like the first byte.  Below 2^64, as TOP is below 2^60.
 */
static inline uint64_t
word(const uint8_t *p)
{
	uint64_t w = get_le(p, 8);

	return w - (w >> 60) * ((UINT64_C(1) << 60) - DIGEST_TOP);
}

/* 64 bytes: eight products below 2^125. */
static inline unsigned __int128
block(const uint8_t *p)
{
	unsigned __int128 s = word(p);

#pragma GCC unroll 8
	for (int i = 1; i < 8; i++)
		s += (unsigned __int128)word(p + 8 * i) * R[i];
	return s;
}

/* From the last block to the first one: what is behind is times R^8. */
uint64_t
digest_letters(const void *letters, size_t n, uint64_t at)
{
	const uint8_t *p = letters;
	size_t before = at % 8, k = before + n < 64 ? n : 64 - before;
	uint8_t t[64] = { 0 };
	uint64_t first, s = 0;

	if (n == 0)
		return 0;
	memcpy(t + before, p, k);
	first = reduce(block(t));
	p += k;
	n -= k;
	if (n % 64) {
		memset(t, 0, sizeof t);
		memcpy(t, p + n / 64 * 64, n % 64);
		s = reduce(block(t));
	}
	for (n /= 64; n--;)	/* s is below 2^64, and R8 below 2^61 */
		s = fold((unsigned __int128)s * R8) + fold(block(p + 64 * n));
	s = digest_add(digest_mul(s, R8), first);
	return at < 8 ? s : digest_mul(s, power(R[1], at / 8));
}

uint64_t
digest_named(const char *name, size_t n, bool first, uint64_t letters)
{
	uint64_t a = hash64(name, n, 1) % DIGEST_P;
	uint64_t s = digest_mul(letters, a ? a : 1);

	return first ? digest_add(s, hash64(name, n, 2) % DIGEST_P) : s;
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
