/* SPDX-License-Identifier: MIT */
/* rec_head.h - what writer and reader of frames share; private to them */
#ifndef SEQF_REC_HEAD_H
#define SEQF_REC_HEAD_H

#include <stddef.h>
#include <stdint.h>

/* Offsets in the header: rec(5). */
enum {
	REC_AT_VERSION = 8, REC_AT_TYPE = 9, REC_AT_FLAGS = 10,
	REC_AT_HEAD_CRC = 12, REC_AT_LENGTH = 16, REC_AT_RUN = 24,
	REC_AT_SERIAL = 32, REC_AT_CRC = 40, REC_AT_RECORDS = 44,
	REC_KEY = 8,	/* bytes of key before a masked payload */
};

/* Up to a multiple of a power of two; may wrap. */
static inline size_t
rec_round(size_t n, size_t to)
{
	return (n + to - 1) & ~(to - 1);
}

/*
 * 64-byte aligned room for n bytes, zeros behind them up to 64, room for a
 * header in front of them.
 */
uint8_t *rec_payload_new(size_t n);
void rec_payload_free(uint8_t *p);	/* NULL is fine */
/* The first sync in n bytes, or NULL. */
const uint8_t *rec_find_sync(const uint8_t *p, size_t n);
/* CRC of a header as if its own field were 0. */
uint32_t rec_head_crc(const uint8_t *h);
/* XOR with the key, over and over: its own inverse. */
void rec_mask(uint8_t *p, size_t n, const uint8_t key[8]);

#endif
