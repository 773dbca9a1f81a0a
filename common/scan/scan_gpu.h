/* SPDX-License-Identifier: MIT */
/* scan_gpu.h - texts of several chunks, searched by a GPU as one */
#ifndef SEQF_SCAN_SCAN_GPU_H
#define SEQF_SCAN_SCAN_GPU_H

#include <stdbool.h>
#include <stddef.h>

/* n texts, from number `from` on, as one; false: that cannot be done. */
typedef bool scan_batch_fn(void *ctx, size_t from, size_t n);
/*
 * In one transfer and one launch where the device's memory is large enough.
 * Where texts have too much together, halves of them.  What cannot be done,
 * for whatever reason, is not.
 */
void scan_gpu_batch(scan_batch_fn *search, void *ctx, size_t from, size_t n);

#endif
