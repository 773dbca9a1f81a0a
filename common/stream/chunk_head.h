/* SPDX-License-Identifier: MIT */
/* chunk_head.h - layout of a CHUNK payload; private to chunk*.c */
#ifndef SEQF_CHUNK_HEAD_H
#define SEQF_CHUNK_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include "stream/chunk.h"

/* Offsets in the head and in a row: rec(5). */
enum {
	CHUNK_HEAD = 64,
	CHUNK_AT_ENC = 0, CHUNK_AT_ROWS = 4, CHUNK_AT_N = 8,
	CHUNK_AT_OWNED = 16, CHUNK_AT_DIGEST = 24, CHUNK_AT_BYTES = 32,
	CHUNK_AT_EXC = 40, CHUNK_AT_LOWER = 44, CHUNK_AT_HEAP = 48,
	CHUNK_AT_FLAGS = 56, CHUNK_AT_ZERO = 60,

	CHUNK_ROW = 64,
	ROW_AT_ORDINAL = 0, ROW_AT_BEG = 8, ROW_AT_N = 16,
	ROW_AT_OWN_BEG = 24, ROW_AT_OWN_END = 32, ROW_AT_LENGTH = 40,
	ROW_AT_NAME = 48, ROW_AT_DESC = 52, ROW_AT_FLAGS = 56,
	ROW_AT_ZERO = 60,

	CHUNK_RUN = 8,
	CHUNK_RUN_MAX = (1 << 24) - 1,	/* letters of an exception run */
	CHUNK_RNA = 1,			/* flag: T stands for U */
	CHUNK_UNIT = 64,		/* packed rows begin at multiples */
};

#define CHUNK_4BIT_LETTERS "=ACMGRSVTWYHKDBN"

/* Bytes of the letters section; n is at most 2^32 for all but ASCII. */
static inline uint64_t
chunk_bytes(enum chunk_enc enc, uint64_t n)
{
	switch (enc) {
	case CHUNK_2BIT: return (n + 63) / 64 * 16;
	case CHUNK_4BIT: return (n + 63) / 64 * 32;
	case CHUNK_PROB: return n * 16;
	default: return n;
	}
}

/* Where the row behind one that ends at `end` begins. */
static inline uint64_t
chunk_next_at(enum chunk_enc enc, uint64_t end)
{
	if (enc == CHUNK_2BIT || enc == CHUNK_4BIT)
		return (end + CHUNK_UNIT - 1) / CHUNK_UNIT * CHUNK_UNIT;
	return end;
}

#endif
