/* SPDX-License-Identifier: MIT */
/* scan_gpu.c - texts of several chunks, searched by a GPU as one */

#include "scan/scan_gpu.h"

void
scan_gpu_batch(scan_batch_fn *search, void *ctx, size_t from, size_t n)
{
	if (n == 0 || search(ctx, from, n) || n == 1)
		return;
	scan_gpu_batch(search, ctx, from, n / 2);
	scan_gpu_batch(search, ctx, from + n / 2, n - n / 2);
}
