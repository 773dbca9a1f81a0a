/* SPDX-License-Identifier: MIT */
/* hash.c - XXH64 and CRC32; digests of sequences that add up */

#include <string.h>

#include "base/buf.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "base/hash_kern.h"

/* XXH64. */

static const uint64_t P1 = HASH_P1, P2 = HASH_P2, P3 = 0x165667b19e3779f9,
		      P4 = 0x85ebca77c2b2ae63, P5 = 0x27d4eb2f165667c5;

/* Bytes that pay for looking at the CPU and the environment. */
enum { LARGE_HASH = 1 << 16 };

static inline uint64_t
merge(uint64_t acc, uint64_t v)
{
	return (acc ^ hash_round(0, v)) * P1 + P4;
}

static hash_stripes_fn *
choose(size_t n)
{
	return n >= LARGE_HASH && cpu_mullo64() ? KERN_PICK(hash_stripes) :
					     hash_stripes_scalar;
}

/* The whole stripes of n bytes, n >= 32. */
static uint64_t
stripes(const uint8_t *p, size_t n, uint64_t seed)
{
	uint64_t v[4] = { seed + P1 + P2, seed + P2, seed, seed - P1 }, h;

	choose(n)(p, n / 32, v);
	h = hash_rotl(v[0], 1) + hash_rotl(v[1], 7) + hash_rotl(v[2], 12) +
	    hash_rotl(v[3], 18);
	return merge(merge(merge(merge(h, v[0]), v[1]), v[2]), v[3]);
}

uint64_t
hash64(const void *data, size_t n, uint64_t seed)
{
	/* no offset to a null pointer, not even 0 */
	const uint8_t *p = n ? data : (const uint8_t *)"", *end = p + n;
	uint64_t h = n >= 32 ? stripes(p, n, seed) : seed + P5;

	h += n;
	p += n / 32 * 32;
	for (; end - p >= 8; p += 8)
		h = hash_rotl(h ^ hash_round(0, get_le(p, 8)), 27) * P1 + P4;
	for (; end - p >= 4; p += 4)
		h = hash_rotl(h ^ get_le(p, 4) * P1, 23) * P2 + P3;
	for (; p < end; p++)
		h = hash_rotl(h ^ *p * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}

/*
 * CRC32 of gzip, zlib and the record stream
 *
 * Measured on Zen 4: ISA-L 50 GB/s, libdeflate 1.14 14; zlib 1.
 */

#ifdef HAVE_ISAL
#include <isa-l.h>
#else
#include <libdeflate.h>
#endif

uint32_t
crc32_more(uint32_t crc, const void *p, size_t n)
{
#ifdef HAVE_ISAL
	return crc32_gzip_refl(crc, p, n);
#else
	return libdeflate_crc32(crc, p, n);
#endif
}

/* Digests that add up. */

#define ORDER 0x02b2ae3d27d4eb55u	/* generates all numbers, as R does */

/* Blocks that pay for looking at the CPU and the environment. */
enum { LARGE_DIGEST = 256 };

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
	s = (n < LARGE_DIGEST ? digest_blocks_scalar :
				KERN_PICK(digest_blocks))(p, n, s);
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
