/* SPDX-License-Identifier: MIT */
/* hash.h - XXH64 and CRC32; digests of sequences that add up */
#ifndef SEQF_BASE_HASH_H
#define SEQF_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * XXH64, the 64-bit hash of ids and digests
 * Source: Y. Collet, xxHash specification 0.1.1 (the value is the same on
 * every machine, so that anybody can check a digest with xxhsum).
 */

/* XXH64 of n bytes; p may be NULL if n is 0.  Thread-safe, no allocation,
 * cannot fail. */
uint64_t hash64(const void *p, size_t n, uint64_t seed);
/* The same with seeds `seed` and seed + 1. */
void hash64_two(const void *p, size_t n, uint64_t seed, uint64_t h[2]);

/* CRC32 of gzip, zlib and the record stream. */

/* The CRC of bytes whose beginning has the CRC `crc` (of none: 0). */
uint32_t crc32_more(uint32_t crc, const void *p, size_t n);

/*
 * Digests of sequences that add up, however they are cut
 *
 * Numbers modulo the prime DIGEST_P = 2^61 - 1.  Letter c at place i of a
 * sequence, from 0, counts v R^(i div 8), where v is c 256^(i mod 8), or of a
 * word's last letter, i mod 8 = 7, (c mod 16) 2^56 + (c div 16) TOP: so pieces
 * of a sequence add up, and changes of one letter or two of a word never go
 * unnoticed; other accidents do once in 2^58.  (Without TOP a last letter that
 * is 32 more is a first one that is 1 more: 2^61 is 1.  A sum modulo 2^64 of
 * products would not do: only the low bits of a word's top letter count.)
 *
 * The digest of a row is ORDER^ordinal (a letters + b), where a, not 0, and b
 * are hashes of its name, b only of what begins with its first letter.  So
 * those of a file's sequences add up to one number, which is right for any
 * number of sequences before them, but for a factor.
 */

#define DIGEST_P ((UINT64_C(1) << 61) - 1)
#define DIGEST_TOP UINT64_C(0x09e3779b97f4a7c1)

/* Of numbers below DIGEST_P; all results are, too. */
static inline uint64_t
digest_add(uint64_t a, uint64_t b)
{
	uint64_t s = a + b;

	return s >= DIGEST_P ? s - DIGEST_P : s;
}
/* The same modulo DIGEST_P, at most 2^62 + 64. */
static inline uint64_t
digest_fold(unsigned __int128 x)
{
	return ((uint64_t)x & DIGEST_P) + ((uint64_t)(x >> 61) & DIGEST_P) +
	       (uint64_t)(x >> 122);
}
static inline uint64_t
digest_reduce(unsigned __int128 x)
{
	uint64_t s = digest_fold(x);

	s = (s & DIGEST_P) + (s >> 61);
	return s >= DIGEST_P ? s - DIGEST_P : s;
}
static inline uint64_t
digest_mul(uint64_t a, uint64_t b)
{
	return digest_reduce((unsigned __int128)a * b);
}

/* Of n bytes that begin at byte `at` of the sequence. */
uint64_t digest_letters(const void *p, size_t n, uint64_t at);
/* Of a sequence's first row (it begins at place 0), or another, whose letters
 * have that digest. */
uint64_t digest_named(const char *name, size_t n, bool first,
		      uint64_t letters);

/* ORDER^n; the power for the last n is kept, as n often goes on by 1. */
struct digest_order {
	uint64_t n, power;
};
uint64_t digest_order(struct digest_order *o, uint64_t n);

/*
 * May the sum modulo 2^64 of the digests of n chunks be that sum?  It is that
 * and a multiple of DIGEST_P below n times.
 */
bool digest_sums(uint64_t sum64, uint64_t sum, uint64_t n);

#endif
