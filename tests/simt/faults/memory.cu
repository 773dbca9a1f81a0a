/* SPDX-License-Identifier: MIT */
/* memory.cu - memory too short, never written, or somebody else's */
#include "faults.h"

#include "control.h"

enum { N = 40 };

static __global__ void
pass_on(int *v, int last, bool sound)
{
	SHARED_ARRAY(int, s, N);
	int *p = s; /* out of sight of array bounds known in advance */
	int i = (int)threadIdx.x;

	if (sound || i > 0)
		p[i] = v[i];
	__syncthreads();
	v[i] = p[i < N - 1 ? i + 1 : last] + (i == N - 1 ? 1 : 0);
}
FAULT_OF(shared_array_one_short, "asan", "AddressSanitizer", N, N, 1,
	 (pass_on, 1, N, 0, 0, v, sound ? N - 1 : N, true))
static __global__ void
first_to_last(int *v, bool sound)
{
	SHARED_ARRAY(int, s, N);
	int i = (int)threadIdx.x;

	if (sound || i > 0)
		s[i] = v[i] + 1;
	__syncthreads();
	if (s[N - 1 - i] > 0)
		v[i] = s[i];
}
FAULT_OF(uninitialised_shared, "msan", "MemorySanitizer", N, N, 1,
	 (first_to_last, 1, N, 0, 0, v, sound))

static __global__ void
add_one(const int *v, int *out, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < n)
		out[i] = v[i] + 1;
}
FAULT_OF(device_array_one_short, "asan", "AddressSanitizer", N, N, 1,
	 (add_one, 2, 32, 0, 0, v, v, sound ? N : N + 1))
FAULT(uninitialised_device, "msan", "MemorySanitizer")
{
	int *v = numbers(N), *out;

	cudaMalloc(&out, N * sizeof *out);
	LAUNCH(add_one, 2, 32, 0, 0, v, out, sound ? N : N - 1);
	cudaFree(v);
	return are_numbers(out, N, 1);
}
FAULT(uninitialised_through_a_shuffle, "msan", "MemorySanitizer")
{
	int *v = numbers(N), *out;

	cudaMalloc(&out, N * sizeof *out);
	if (sound)
		cudaMemset(out, 0, N * sizeof *out);
	LAUNCH(+[](const int *in, int *to) {
		int x = __shfl_xor_sync(0xffffffff, to[threadIdx.x], 1);

		to[threadIdx.x] = in[threadIdx.x] + (x ? 1 : 0);
	}, 1, 32, 0, 0, v, out);
	cudaFree(v);
	return are_numbers(out, 32, 0);
}

FAULT(the_hosts_memory, EVERYBODY, "is given the host's memory")
{
	int *v = numbers(N), host[N] = {};

	LAUNCH(add_one, 2, 32, 0, 0, sound ? v : host, v, N);
	return are_numbers(v, N, 1);
}
FAULT(the_devices_memory, EVERYBODY, "SEGV|signal 11|signal 7")
{
	int *v = numbers(N);

	if (!sound && v[0] == 7)
		return false;
	return are_numbers(v, N, 0);
}
FAULT(copy_too_long, EVERYBODY, "bytes at offset 8")
{
	int *v = numbers(N), host[N] = {};

	cudaMemcpy(v + 2, host, (N - (sound ? 2 : 1)) * sizeof *v,
		   cudaMemcpyHostToDevice);
	cudaFree(v);
	return true;
}
FAULT(copy_of_another_kind, EVERYBODY, "not where its kind says")
{
	int *v = numbers(N), host[N] = {};

	cudaMemcpy(v, host, sizeof host,
		   sound ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
	cudaFree(v);
	return true;
}
FAULT(another_devices_memory, EVERYBODY, "is given another device's memory")
{
	simt_devices(2);
	int *v = numbers(N);

	if (!sound)
		cudaSetDevice(1);
	LAUNCH(add_one, 2, 32, 0, 0, v, v, N);
	return are_numbers(v, N, 1);
}
FAULT(never_freed, EVERYBODY, "not been given back")
{
	int *v = numbers(N);

	if (sound)
		cudaFree(v);
	return true;
}
