/* SPDX-License-Identifier: MIT */
/* hint.h - what an input is that is none of ours */
#ifndef SEQF_INPUT_HINT_H
#define SEQF_INPUT_HINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of what begins with these bytes: " (what it is, and what helps)", or "".
 * More bytes may tell more; 512 are enough. */
const char *hint_of(const uint8_t *p, size_t n);

/* Every frame of a record stream begins with these (rec(5)). */
#define REC_SYNC "\x8fGREC\r\n\x1a"	/* 8 bytes */
enum { REC_SYNC_LEN = 8 };

/* Do these bytes (n >= 8, or the whole input) begin a record stream? */
bool rec_is(const uint8_t *p, size_t n);

#endif
