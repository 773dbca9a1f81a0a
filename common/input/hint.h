/* SPDX-License-Identifier: MIT */
/* hint.h - a diagnosis of input in a foreign format */
#ifndef SEQF_INPUT_HINT_H
#define SEQF_INPUT_HINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For input that begins with these bytes: " (what it is, and what helps)",
 * or "".  More bytes may help; 512 are enough. */
const char *hint_of(const uint8_t *p, size_t n);

/* Every frame of a record stream begins with these (rec(5)). */
#define REC_SYNC "\x8fGREC\r\n\x1a"	/* 8 bytes */
enum { REC_SYNC_LEN = 8 };

/* Do these bytes (n >= 8, or the whole input) begin a record stream? */
bool rec_is(const uint8_t *p, size_t n);

#endif
