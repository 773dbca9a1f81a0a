/* SPDX-License-Identifier: MIT */
/*
 * hash.h - XXH64, the 64-bit hash of ids and digests
 * Source: Y. Collet, xxHash specification 0.1.1 (the value is the same on
 * every machine, so that anybody can check a digest with xxhsum).
 */
#ifndef SEQF_BASE_HASH_H
#define SEQF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH64 of n bytes; p may be NULL if n is 0.  Thread-safe, no allocation,
 * cannot fail. */
uint64_t hash64(const void *p, size_t n, uint64_t seed);

/* CRC32 of gzip, zlib and the record stream. */

/* The CRC of bytes whose beginning has the CRC `crc` (of none: 0). */
uint32_t crc32_more(uint32_t crc, const void *p, size_t n);

#endif
