/* SPDX-License-Identifier: MIT */
/* streams.cu - work that nobody waits for, or in no order */
#include "faults.h"

enum { N = 64 };

static __global__ void
add_one(int *v)
{
	v[threadIdx.x]++;
}

FAULT(never_waited_for, EVERYBODY, "nobody waited for")
{
	int *v = numbers(N);
	cudaStream_t s;

	cudaStreamCreate(&s);
	LAUNCH(add_one, 1, N, 0, s, v);
	if (sound)
		cudaStreamSynchronize(s);
	else
		return true;
	cudaStreamDestroy(s);
	return are_numbers(v, N, 1);
}

FAULT(result_read_too_early, EVERYBODY,
      "wrong result|MemorySanitizer|data race")
{
	int *v = numbers(N), sum = 0, *host;
	cudaStream_t s;

	cudaMallocHost(&host, N * sizeof *host);
	cudaStreamCreate(&s);
	cudaMemcpyAsync(host, v, N * sizeof *v, cudaMemcpyDeviceToHost, s);
	if (sound)
		cudaStreamSynchronize(s);
	for (int i = 0; i < N; i++)
		sum = (sum + host[i]) & 0xffff;
	cudaStreamSynchronize(s);
	cudaStreamDestroy(s);
	cudaFreeHost(host);
	cudaFree(v);
	return sum == N * (N - 1) / 2;
}

FAULT(buffer_filled_too_early, "tsan", "data race")
{
	int *v = numbers(1), *host;
	cudaStream_t s;
	cudaEvent_t e;

	cudaMallocHost(&host, sizeof *host);
	cudaStreamCreate(&s);
	cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
	*host = 5;
	cudaMemcpyAsync(v, host, sizeof *v, cudaMemcpyHostToDevice, s);
	cudaEventRecord(e, s);
	if (sound)
		cudaEventSynchronize(e);
	*host = 6;
	cudaStreamSynchronize(s);
	cudaStreamDestroy(s);
	cudaEventDestroy(e);
	cudaFreeHost(host);
	return are_numbers(v, 1, 5);
}

FAULT(streams_in_no_order, "tsan", "data race")
{
	int *v = numbers(N);
	cudaStream_t a, b;
	cudaEvent_t e;

	cudaStreamCreate(&a);
	cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
	cudaEventCreate(&e);
	LAUNCH(add_one, 1, N, 0, a, v);
	cudaEventRecord(e, a);
	if (sound)
		cudaStreamWaitEvent(b, e);
	LAUNCH(add_one, 1, N, 0, b, v);
	cudaDeviceSynchronize();
	cudaEventDestroy(e);
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
	return are_numbers(v, N, 2);
}

/* What is copied in one stream is not there yet for another. */
FAULT(copy_in_another_stream, "tsan", "data race")
{
	int *v = numbers(N), host[N];
	cudaStream_t a, b;

	for (int i = 0; i < N; i++)
		host[i] = i + 10;
	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	cudaMemcpyAsync(v, host, sizeof host, cudaMemcpyHostToDevice, a);
	LAUNCH(add_one, 1, N, 0, sound ? a : b, v);
	cudaDeviceSynchronize();
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
	return are_numbers(v, N, 11);
}

/* Stream 0 does not wait for others here. */
FAULT(stream_0_in_no_order, "tsan", "data race")
{
	int *v = numbers(N);
	cudaStream_t s;

	cudaStreamCreate(&s);
	LAUNCH(add_one, 1, N, 0, s, v);
	if (sound)
		cudaStreamSynchronize(s);
	LAUNCH(add_one, 1, N, 0, 0, v);
	cudaDeviceSynchronize();
	cudaStreamDestroy(s);
	return are_numbers(v, N, 2);
}

FAULT(event_destroyed_too_early, EVERYBODY, "an event is destroyed")
{
	cudaStream_t s;
	cudaEvent_t e;

	cudaStreamCreate(&s);
	cudaEventCreate(&e);
	cudaEventRecord(e, s);
	if (sound)
		cudaStreamSynchronize(s);
	cudaEventDestroy(e);
	cudaStreamDestroy(s);
	return true;
}
