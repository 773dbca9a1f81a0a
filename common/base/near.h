/* SPDX-License-Identifier: MIT */
/* near.h - which name was meant */
#ifndef SEQF_BASE_NEAR_H
#define SEQF_BASE_NEAR_H

#include <stddef.h>

/* The least number of letters to change, leave out or put in; at most
 * NEAR_FAR, which is also that of names of more letters than that. */
enum { NEAR_FAR = 64 };
unsigned near_distance(const char *a, size_t n, const char *b, size_t m);

#endif
