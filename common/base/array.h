/* SPDX-License-Identifier: MIT */
/*
 * array.h - arrays and tables of slots that double; what is sorted is found
 *
 * `at` is the address of the pointer to the array, of whatever type.  After
 * ERR_NOMEM array and size are what they were.  Not thread-safe.
 */
#ifndef SEQF_ARRAY_H
#define SEQF_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Room for n things of so many bytes in an array that has room for *cap. */
int array_room(void *at, size_t *cap, size_t n, size_t size, struct err *e);

/*
 * An empty table of twice as many slots, all 0, in place of one of *n, a power
 * of two or 0.
 */
int slots_double(void *at, size_t *n, size_t size, struct err *e);

/*
 * Of n things of so many bytes, ordered by a uint64_t that each holds `at`
 * bytes behind its begin: the first whose number is not below x; n: none.
 */
size_t array_first(const void *v, size_t n, size_t size, size_t at,
		   uint64_t x);

#endif
