/* SPDX-License-Identifier: MIT */
/* hint.h - what an input is that is none of ours */
#ifndef SEQF_HINT_H
#define SEQF_HINT_H

#include <stddef.h>
#include <stdint.h>

/* Of what begins with these bytes: " (what it is, and what helps)", or "".
 * More bytes may tell more; 512 are enough. */
const char *hint_of(const uint8_t *p, size_t n);

#endif
