/* SPDX-License-Identifier: MIT */
/* order.cu - what one thread writes and another reads, with nothing between */
#include "faults.h"

enum { N = 97 }; /* no multiple of a warp, nor its bytes of 8 */

static __global__ void
turn_block(int *v, bool sound)
{
	SHARED_ARRAY(int, s, N);
	unsigned i = threadIdx.x;

	s[i] = v[i];
	if (sound)
		__syncthreads();
	v[i] = s[(i + 1) % N] + (i == N - 1 ? N : 0);
}
FAULT_OF(missing_syncthreads, "tsan", "data race", N, N, 1,
	 (turn_block, 1, N, 0, 0, v, sound))

static __global__ void
turn_warp(int *v, bool sound)
{
	SHARED_ARRAY(int, s, 32);
	unsigned i = threadIdx.x;

	s[i] = v[i];
	if (sound)
		__syncwarp();
	else /* orders no memory */
		__ballot_sync(0xffffffff, 1);
	v[i] = s[(i + 1) % 32] + (i == 31 ? 32 : 0);
}
FAULT_OF(missing_syncwarp, "tsan", "data race", 32, 32, 1,
	 (turn_warp, 1, 32, 0, 0, v, sound))

/* The second barrier keeps a fast thread from the next round's write. */
static __global__ void
turn_often(int *v, bool sound)
{
	SHARED_ARRAY(int, s, N);
	unsigned i = threadIdx.x;

	for (int round = 0; round < 4; round++) {
		s[i] = v[i];
		__syncthreads();
		v[i] = s[(i + 1) % N] + (i == N - 1 ? N : 0);
		if (sound)
			__syncthreads();
	}
}
FAULT_OF(missing_second_barrier, "tsan", "data race", N, N, 4,
	 (turn_often, 1, N, 0, 0, v, sound))

/* Half a warp's barrier orders nothing in the other half. */
static __global__ void
turn_halves(int *v, bool sound)
{
	SHARED_ARRAY(int, s, 32);
	unsigned i = threadIdx.x;

	s[i] = v[i];
	__syncwarp(sound ? 0xffffffff : i < 16 ? 0xffff : 0xffff0000);
	v[i] = s[(i + 1) % 32] + (i == 31 ? 32 : 0);
}
FAULT_OF(half_a_warp, "tsan", "data race", 32, 32, 1,
	 (turn_halves, 1, 32, 0, 0, v, sound))

/* Threads that come one after the other have the same place for it. */
static __device__ __attribute__((noinline)) int
first(const int *own)
{
	return own[0];
}
static __global__ void
count(int *n, bool sound)
{
	int own[2] = {1, 2};

	if (sound)
		atomicAdd(n, first(own));
	else
		*n += first(own);
}
FAULT(count_without_atomics, "tsan", "data race")
{
	int *n = numbers(1);

	LAUNCH(count, 9, 40, 0, 0, n, sound);
	return are_numbers(n, 1, 360);
}

/* The block that comes last adds what all have written. */
static __global__ void
sum_last(int *part, int *n, int *sum, bool sound)
{
	part[blockIdx.x] = 1;
	if (sound)
		__threadfence();
	if (atomicAdd(n, 1) != (int)gridDim.x - 1)
		return;
	__threadfence();
	for (unsigned i = 0; i < gridDim.x; i++)
		*sum += part[i];
}
FAULT(missing_fence, "tsan", "data race")
{
	int *part = numbers(7), *n = numbers(1), *sum = numbers(1);

	LAUNCH(sum_last, 7, 1, 0, 0, part, n, sum, sound);
	cudaFree(part);
	cudaFree(n);
	return are_numbers(sum, 1, 7);
}

/* Who has waited for his own copies has not waited for others'. */
static __global__ void
turn_copied(int *v, bool sound)
{
	SHARED_ARRAY(int, s, N);
	unsigned i = threadIdx.x;

	__pipeline_memcpy_async(&s[i], &v[i], 4);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	if (sound)
		__syncthreads();
	int next = s[(i + 1) % N] + (i == N - 1 ? N : 0);

	__syncthreads();
	v[i] = next;
}
FAULT_OF(copies_of_others, "tsan", "data race", N, N, 1,
	 (turn_copied, 1, N, 0, 0, v, sound))
