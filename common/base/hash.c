/* SPDX-License-Identifier: MIT */
/* hash.c - XXH64 and CRC32; digests of sequences that add up */

#include <string.h>

#include "base/base.h"
#include "base/cpu.h"
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

/* What is behind whole stripes of n bytes, whose k hashes are h: neither waits
 * for the other.  end: of all bytes. */
static inline void
rest(const uint8_t *end, size_t n, uint64_t *h, int k)
{
	const uint8_t *p = end - n % 32;
	uint64_t x;

	for (int i = 0; i < k; i++)
		h[i] += n;
	for (; end - p >= 8; p += 8) {
		x = hash_round(0, get_le(p, 8));
		for (int i = 0; i < k; i++)
			h[i] = hash_rotl(h[i] ^ x, 27) * P1 + P4;
	}
	for (; end - p >= 4; p += 4) {
		x = get_le(p, 4) * P1;
		for (int i = 0; i < k; i++)
			h[i] = hash_rotl(h[i] ^ x, 23) * P2 + P3;
	}
	for (; p < end; p++)
		for (int i = 0; i < k; i++)
			h[i] = hash_rotl(h[i] ^ *p * P5, 11) * P1;
	for (int i = 0; i < k; i++) {
		h[i] = (h[i] ^ h[i] >> 33) * P2;
		h[i] = (h[i] ^ h[i] >> 29) * P3;
		h[i] ^= h[i] >> 32;
	}
}

uint64_t
hash64(const void *data, size_t n, uint64_t seed)
{
	/* no offset to a null pointer, not even 0 */
	const uint8_t *p = n ? data : (const uint8_t *)"";
	uint64_t h = n >= 32 ? stripes(p, n, seed) : seed + P5;

	rest(p + n, n, &h, 1);
	return h;
}

void
hash64_two(const void *data, size_t n, uint64_t seed, uint64_t h[2])
{
	const uint8_t *p = n ? data : (const uint8_t *)"";
	uint64_t a[2];

	for (uint64_t i = 0; i < 2; i++)
		a[i] = n >= 32 ? stripes(p, n, seed + i) : seed + i + P5;
	rest(p + n, n, a, 2);
	h[0] = a[0];
	h[1] = a[1];
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
 * Fewer than 64 bytes, as if zeros were behind them; 8 may be read before the
 * first one if they are `inside`.
 */
static inline unsigned __int128
few(const uint8_t *p, size_t n, bool inside)
{
	size_t words = n / 8, left = n % 8;
	unsigned __int128 s = 0;
	uint64_t last = 0;

	for (size_t i = 0; i < words; i++)
		s += (unsigned __int128)digest_word(p + 8 * i) * digest_r[i];
	if (left && (words || inside))
		last = get_le(p + n - 8, 8) >> (64 - 8 * left);
	else
		last = get_le(p, (unsigned)left);
	return s + (unsigned __int128)last * digest_r[words];
}

/* Behind a first block.  Not yet below DIGEST_P. */
static inline uint64_t
more_letters(const uint8_t *p, size_t n)
{
	uint64_t s = digest_fold(few(p + n / 64 * 64, n % 64, true));

	n /= 64;
	return !n ? s : n < LARGE_DIGEST ?
		digest_blocks_scalar(p, n, s) :
		KERN_PICK(digest_blocks)(p, n, s);
}

uint64_t
digest_letters(const void *letters, size_t n, uint64_t at)
{
	const uint8_t *p = letters;
	size_t before = at % 8, k = before + n < 64 ? n : 64 - before;
	unsigned __int128 sum;
	uint64_t s;

	if (n == 0)
		return 0;
	if (before) {
		uint8_t t[64] = { 0 };

		memcpy(t + before, p, k);
		sum = digest_block(t);
	} else {
		sum = k < 64 ? few(p, k, false) : digest_block(p);
	}
	/* seven products of a block are below 2^125, this one is below 2^124 */
	if (n > k)
		sum += (unsigned __int128)more_letters(p + k, n - k) *
		       DIGEST_R8;
	s = digest_reduce(sum);
	return at < 8 ? s : digest_mul(s, power(digest_r[1], at / 8));
}

uint64_t
digest_named(const char *name, size_t n, bool first, uint64_t letters)
{
	uint64_t h[2], a, s;

	hash64_two(name, n, 1, h);
	a = digest_reduce(h[0]);
	s = digest_mul(letters, a ? a : 1);
	return first ? digest_add(s, digest_reduce(h[1])) : s;
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
