/* SPDX-License-Identifier: MIT */
/* meeting.cu - threads and lanes that do not come to where others wait */
#include "faults.h"

static __global__ void
own_lane(int *v, unsigned mask)
{
	v[threadIdx.x] += __any_sync(mask, 1);
}
FAULT_OF(own_lane_not_in_mask, EVERYBODY, "a lane is not in its own mask",
	 32, 32, 1, (own_lane, 1, 32, 0, 0, v, sound ? 0xffffffff : 0xfffffff7))
FAULT_OF(lanes_that_are_not_there, EVERYBODY, "lane 20, which is not there",
	 20, 20, 1, (own_lane, 1, 20, 0, 0, v, sound ? 0xfffff : 0xffffffff))

static __global__ void
two_masks(int *v, bool sound)
{
	unsigned i = threadIdx.x, odd = i & 1;
	unsigned mask = sound || !odd ? 0xffffffff : 0xaaaaaaab;

	v[i] += __all_sync(mask, 1);
}
FAULT_OF(different_masks, EVERYBODY, "use different masks", 32, 32, 1,
	 (two_masks, 1, 32, 0, 0, v, sound))

static __global__ void
two_operations(int *v, bool sound)
{
	unsigned i = threadIdx.x;

	if (sound || i < 16)
		v[i] += __any_sync(0xffffffff, 1);
	else
		v[i] += __any_sync(0xffffffff, 1);
}
FAULT_OF(different_operations, EVERYBODY, "meet at different warp operations",
	 32, 32, 1, (two_operations, 1, 32, 0, 0, v, sound))

static __global__ void
early_lane(int *v, int n)
{
	int i = (int)threadIdx.x;

	if (i >= n)
		return;
	v[i] += __any_sync(0xffffffff, 1);
}
FAULT_OF(lane_returned, EVERYBODY, "has returned|a lane returns while others",
	 32, 32, 1, (early_lane, 1, 32, 0, 0, v, sound ? 32 : 31))

static __global__ void
read_lane(int *v, unsigned mask, int from)
{
	if (mask >> threadIdx.x & 1)
		v[threadIdx.x] =
		    1 + __shfl_sync(mask, v[threadIdx.x], from) - from +
		    (int)threadIdx.x;
}
FAULT_OF(shuffle_from_outside, EVERYBODY, "but mask 0000ffff has it not",
	 32, 16, 1, (read_lane, 1, 32, 0, 0, v, 0xffff, sound ? 15 : 16))

static __global__ void
two_barriers(int *v, bool sound)
{
	int i = (int)threadIdx.x;

	if (sound || i < 32)
		__syncthreads();
	else
		__syncthreads();
	v[i]++;
}
FAULT_OF(divergent_barrier, EVERYBODY, "meet at different __syncthreads",
	 64, 64, 1, (two_barriers, 1, 64, 0, 0, v, sound))

static __global__ void
early_thread(int *v, int n)
{
	int i = (int)threadIdx.x;

	if (i >= n)
		return;
	v[i]++;
	__syncthreads();
}
FAULT_OF(barrier_after_return, EVERYBODY,
	 "never comes to this|returns while others wait in __syncthreads",
	 64, 64, 1, (early_thread, 1, 64, 0, 0, v, sound ? 64 : 40))

/* Each waits for the other. */
static __global__ void
crossed(int *v, bool sound)
{
	if (sound || threadIdx.x < 32)
		__syncthreads();
	__syncwarp();
	if (!sound && threadIdx.x == 32)
		__any_sync(0xffffffff, 1);
	if (!sound && threadIdx.x > 32)
		__syncthreads();
	v[threadIdx.x]++;
}
FAULT_OF(crossed_waits, EVERYBODY,
	 "can go on|meet at different|returns while others", 64, 64, 1,
	 (crossed, 1, 64, 0, 0, v, sound))

static __global__ void
no_wait(int *v, bool sound)
{
	SHARED_ARRAY(int, s, 32);
	unsigned i = threadIdx.x;

	__pipeline_memcpy_async(&s[i], &v[i], 4);
	if (sound)
		__pipeline_commit();
	__pipeline_wait_prior(0);
	v[i] = s[i] + 1;
}
FAULT_OF(copy_never_committed, EVERYBODY,
	 "has not waited for its asynchronous copies|MemorySanitizer",
	 32, 32, 1, (no_wait, 1, 32, 0, 0, v, sound))
static __global__ void
late_wait(int *v, bool sound)
{
	SHARED_ARRAY(int, s, 32);
	unsigned i = threadIdx.x;

	__pipeline_memcpy_async(&s[i], &v[i], 4);
	__pipeline_commit();
	if (sound)
		__pipeline_wait_prior(0);
	v[i] = s[i] + 1;
	__pipeline_wait_prior(0);
}
FAULT_OF(copy_waited_for_too_late, EVERYBODY, "wrong result|MemorySanitizer",
	 32, 32, 1, (late_wait, 1, 32, 0, 0, v, sound))
