/* SPDX-License-Identifier: MIT */
/* warp.cuh - operations of a whole warp, with all 32 lanes active */
#ifndef SEQF_CUDA_WARP_CUH
#define SEQF_CUDA_WARP_CUH

#include "cuda/simt.h"

/* Room for n things of each lane, taken from *taken at once: where the lane's
 * begin. */
static __device__ unsigned long long
warp_room(unsigned long long *taken, unsigned n)
{
	unsigned lane = threadIdx.x & 31, sum = n;
	unsigned long long to = 0;

	for (unsigned d = 1; d < 32; d *= 2) {
		unsigned left = __shfl_up_sync(~0u, sum, d);

		sum += lane >= d ? left : 0;
	}
	if (lane == 31)
		to = atomicAdd(taken, (unsigned long long)sum);
	return __shfl_sync(~0u, to, 31) + sum - n;
}

#endif
