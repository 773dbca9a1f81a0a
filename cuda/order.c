/* SPDX-License-Identifier: MIT */
/* order.c - results of devices, put in order */
#include "cuda/order.h"

uint64_t *
cuda_order(uint64_t *v, uint64_t *tmp, size_t n, unsigned low)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= v[i] ^ v[0];
	for (unsigned shift = low; shift < 64; shift += 8) {
		size_t at[257] = { 0 };
		uint64_t *old = v;

		if (!(differ >> shift & 255))
			continue;
		for (size_t i = 0; i < n; i++)
			at[(v[i] >> shift & 255) + 1]++;
		for (unsigned i = 1; i < 256; i++)
			at[i] += at[i - 1];
		for (size_t i = 0; i < n; i++)
			tmp[at[v[i] >> shift & 255]++] = v[i];
		v = tmp;
		tmp = old;
	}
	return v;
}
