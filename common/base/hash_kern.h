/* SPDX-License-Identifier: MIT */
/* hash_kern.h - what hash.c and its kernel share */
#ifndef SEQF_BASE_HASH_KERN_H
#define SEQF_BASE_HASH_KERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"

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

#endif
