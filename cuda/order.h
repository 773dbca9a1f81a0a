/* SPDX-License-Identifier: MIT */
/* order.h - results of devices, put in order */
#ifndef SEQF_CUDA_ORDER_H
#define SEQF_CUDA_ORDER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorts n numbers by their bits from `low` on, a multiple of 8; stable.  tmp is
 * as long as v; where they are then is returned.  O(n) for each byte that is
 * not the same in all.
 */
uint64_t *cuda_order(uint64_t *v, uint64_t *tmp, size_t n, unsigned low);

#endif
