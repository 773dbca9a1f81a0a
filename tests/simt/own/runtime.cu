/* SPDX-License-Identifier: MIT */
/* runtime.cu - the emulated runtime: errors, devices, streams and events */
#include "cuda/simt.h"

#include "control.h"
#include "tests/lib/tap.h"

enum { N = 100 };

static __global__ void
twice(int *v, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < n)
		v[i] *= 2;
}

struct work {
	int *host, *dev;
	cudaStream_t s;
	cudaEvent_t e;
};
static cudaError_t
work_get(struct work *w)
{
	cudaError_t rc = cudaMallocHost(&w->host, N * sizeof *w->host);

	if (rc == cudaSuccess)
		rc = cudaMalloc(&w->dev, N * sizeof *w->dev);
	if (rc == cudaSuccess)
		rc = cudaStreamCreate(&w->s);
	if (rc == cudaSuccess)
		rc = cudaEventCreate(&w->e);
	return rc;
}
static cudaError_t
work_do(struct work *w)
{
	size_t n_bytes = N * sizeof *w->host;
	cudaError_t rc;

	for (int i = 0; i < N; i++)
		w->host[i] = i;
	rc = cudaMemcpyAsync(w->dev, w->host, n_bytes, cudaMemcpyHostToDevice,
			     w->s);
	if (rc != cudaSuccess)
		return rc;
	LAUNCH(twice, 4, 32, 0, w->s, w->dev, (int)N);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = cudaMemcpyAsync(w->host, w->dev, n_bytes,
				     cudaMemcpyDeviceToHost, w->s);
	if (rc == cudaSuccess)
		rc = cudaEventRecord(w->e, w->s);
	return rc == cudaSuccess ? cudaEventSynchronize(w->e) : rc;
}
/* One error comes back as such; whatever was had, is given back. */
static cudaError_t
work(bool *right)
{
	struct work w = {};
	cudaError_t rc = work_get(&w);

	if (rc == cudaSuccess)
		rc = work_do(&w);
	*right = true;
	for (int i = 0; rc == cudaSuccess && i < N; i++)
		*right &= w.host[i] == 2 * i;
	if (w.s) {
		cudaStreamSynchronize(w.s);
		cudaStreamDestroy(w.s);
	}
	cudaFree(w.dev);
	cudaFreeHost(w.host);
	if (w.e)
		cudaEventDestroy(w.e);
	cudaGetLastError();
	return rc;
}

static void
test_each_call_fails(void)
{
	long calls, bad = 0;
	bool right;

	simt_fail_at(0);
	ok(work(&right) == cudaSuccess && right, "no call fails");
	calls = simt_calls();
	ok(calls >= 9, "%ld calls could", calls);
	for (long n = 1; n <= calls; n++) {
		simt_fail_at(n);
		/* the last is the one before giving back, whose fault is not
		 * that of the work */
		bad += (work(&right) == cudaSuccess) != (n == calls);
		bad += !right || simt_alive() != 0;
	}
	simt_fail_at(0);
	ok(!bad, "each of them fails, and is reported");
}

static void
test_devices(void)
{
	struct cudaDeviceProp p;
	size_t n_free = 0, n_total = 0;
	int n = 7, *v = 0;
	bool right;

	simt_devices(0);
	ok(cudaGetDeviceCount(&n) == cudaErrorNoDevice && n == 0 &&
	   work(&right) == cudaErrorNoDevice, "no device");
	cudaGetLastError();
	simt_devices(2);
	ok(cudaGetDeviceCount(&n) == cudaSuccess && n == 2 &&
	   cudaSetDevice(2) == cudaErrorInvalidDevice &&
	   cudaGetLastError() == cudaErrorInvalidDevice &&
	   cudaGetLastError() == cudaSuccess, "two devices, and no third");
	simt_memory(1000);
	ok(cudaSetDevice(1) == cudaSuccess &&
	   cudaGetDeviceProperties(&p, 1) == cudaSuccess &&
	   p.warpSize == 32 && p.totalGlobalMem == 1000 &&
	   cudaMalloc(&v, 1001) == cudaErrorMemoryAllocation && !v &&
	   cudaMalloc(&v, 900) == cudaSuccess &&
	   cudaMemGetInfo(&n_free, &n_total) == cudaSuccess &&
	   n_free == 100 && n_total == 1000, "memory comes to an end");
	ok(work(&right) == cudaErrorMemoryAllocation, "for others, too");
	cudaFree(v);
	ok(work(&right) == cudaSuccess && right, "work on device 1");
	simt_memory(1 << 30);
	cudaSetDevice(0);
	simt_devices(1);
	cudaGetLastError();
}

static __global__ void
much_shared(int *v)
{
	SHARED_DYN(int, s);

	s[threadIdx.x * 400] = 1;
	v[threadIdx.x] = s[threadIdx.x * 400];
}
static void
test_launches(void)
{
	int *v;

	cudaMalloc(&v, N * sizeof *v);
	LAUNCH(twice, 0, 32, 0, 0, v, (int)N);
	ok(cudaPeekAtLastError() == cudaErrorInvalidConfiguration &&
	   cudaGetLastError() == cudaErrorInvalidConfiguration, "no blocks");
	LAUNCH(twice, 1, 1025, 0, 0, v, (int)N);
	ok(cudaGetLastError() == cudaErrorInvalidConfiguration,
	   "too many threads");
	LAUNCH(much_shared, 1, 32, 50000, 0, v);
	ok(cudaGetLastError() == cudaErrorInvalidValue,
	   "much shared memory without having asked for it");
	ok(cudaFuncSetAttribute(much_shared,
				cudaFuncAttributeMaxDynamicSharedMemorySize,
				51200) == cudaSuccess, "it can be had");
	LAUNCH(much_shared, 1, 32, 51200, 0, v);
	ok(cudaGetLastError() == cudaSuccess &&
	   cudaDeviceSynchronize() == cudaSuccess, "and used");
	cudaFree(v);
}

/* Two streams, one after the other for each half. */
static void
test_events(void)
{
	int host[N], wrong = 0, *v;
	cudaStream_t a, b;
	cudaEvent_t ea, eb;
	float ms = -1;

	cudaMalloc(&v, sizeof host);
	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	cudaEventCreate(&ea);
	cudaEventCreate(&eb);
	for (int i = 0; i < N; i++)
		host[i] = i;
	cudaMemcpyAsync(v, host, sizeof host, cudaMemcpyHostToDevice, a);
	for (int round = 0; round < 3; round++) {
		LAUNCH(twice, 4, 32, 0, a, v, (int)N);
		cudaEventRecord(ea, a);
		cudaStreamWaitEvent(b, ea);
		LAUNCH(twice, 4, 32, 0, b, v, (int)N);
		cudaEventRecord(eb, b);
		cudaStreamWaitEvent(a, eb);
	}
	while (cudaEventQuery(eb) == cudaErrorNotReady)
		;
	cudaMemcpyAsync(host, v, sizeof host, cudaMemcpyDeviceToHost, b);
	cudaStreamDestroy(a);
	while (cudaStreamQuery(b) == cudaErrorNotReady)
		;
	ok(cudaEventElapsedTime(&ms, ea, eb) == cudaSuccess && ms >= 0,
	   "time goes on");
	cudaDeviceSynchronize();
	cudaStreamDestroy(b);
	cudaEventDestroy(ea);
	cudaEventDestroy(eb);
	cudaFree(v);
	for (int i = 0; i < N; i++)
		wrong += host[i] != 64 * i;
	ok(!wrong, "six kernels in two streams, each after the one before");
}

int
main(void)
{
	uint64_t seeds = fewer(20);

	for (uint64_t seed = 0; seed < seeds; seed++) {
		simt_seed(seed);
		test_events();
	}
	test_each_call_fails();
	test_devices();
	test_launches();
	ok(strcmp(cudaGetErrorString(cudaErrorNoDevice),
		  "no CUDA-capable device is detected") == 0 &&
	   strcmp(cudaGetErrorName(cudaErrorNoDevice),
		  "cudaErrorNoDevice") == 0, "names of errors");
	ok(simt_alive() == 0, "all is given back");
	return done();
}
