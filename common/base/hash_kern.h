/* SPDX-License-Identifier: MIT */
/* hash_kern.h - what hash.c and its kernel share */
#ifndef SEQF_BASE_HASH_KERN_H
#define SEQF_BASE_HASH_KERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "base/cpu.h"

#define HASH_P1 0x9e3779b185ebca87u
#define HASH_P2 0xc2b2ae3d27d4eb4fu

static inline uint64_t
hash_rotl(uint64_t x, unsigned r)
{
	return x << r | x >> (64 - r);
}

static inline uint64_t
hash_round(uint64_t acc, uint64_t lane)
{
	return hash_rotl(acc + lane * HASH_P2, 31) * HASH_P1;
}

/* n stripes of 32 bytes into the four accumulators. */
typedef void hash_stripes_fn(const uint8_t *p, size_t n, uint64_t acc[4]);
KERN_DECLARE(hash_stripes_fn, hash_stripes);

/* What digests and their kernel share. */

/* R^0 to R^7; R generates all numbers modulo DIGEST_P but 0. */
static const uint64_t digest_r[8] = {
	1, 0x1e3779b97f4a7c1a, 0x09f752c9d289714d, 0x1fd59fab5ee20a4c,
	0x053f9caf32cdda8c, 0x114b6cb001154b2f, 0x18126822bc81b052,
	0x0c4664e24ca3ab5a,
};
#define DIGEST_R8 0x0ba4d9b91fb309f3u

/* What a word's top four bits count less than they would. */
#define DIGEST_LESS ((UINT64_C(1) << 60) - DIGEST_TOP)

/*
 * Eight bytes: the first 60 bits, and for the other four TOP each, where 2^61
 * would be 2 and look like the first byte.  Below 2^64, as TOP is below 2^60.
 */
static inline uint64_t
digest_word(const uint8_t *p)
{
	uint64_t w = get_le(p, 8);

	return w - (w >> 60) * DIGEST_LESS;
}

/* 64 bytes: eight products below 2^125. */
static inline unsigned __int128
digest_block(const uint8_t *p)
{
	unsigned __int128 s = digest_word(p);

#pragma GCC unroll 8
	for (int i = 1; i < 8; i++)
		s += (unsigned __int128)digest_word(p + 8 * i) * digest_r[i];
	return s;
}

/* n blocks, and what is behind them: s times R^(8 n).  s is any number, the
 * result is not yet below DIGEST_P. */
typedef uint64_t digest_blocks_fn(const uint8_t *p, size_t n, uint64_t s);
KERN_DECLARE(digest_blocks_fn, digest_blocks);

#endif
