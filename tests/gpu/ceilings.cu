/* SPDX-License-Identifier: MIT */
/* ceilings.cu - what a GPU does at best, measured */
#include "cuda/simt.h"

#include <stdint.h>
#include <string.h>

extern "C" {
#include "ceilings.h"
}

enum { BYTES = 64 << 20, ROUNDS = 8, CHAINS = 8, LOOPS = 4096, BLOCK = 256 };

/*
 * Chains that do not wait for each other, of logic operations of three operands
 * alone: additions may go another way beside them.  Of five operands in turn
 * two operations cannot be made one.
 */
static __global__ void __launch_bounds__(BLOCK)
spin(uint32_t *out, uint32_t x, uint32_t y)
{
	const uint32_t z = x >> 7, w = y >> 5;
	uint32_t v[CHAINS];

	for (int i = 0; i < CHAINS; i++)
		v[i] = x * (uint32_t)(i + 1) + threadIdx.x;
	for (int n = 0; n < LOOPS; n++)
#pragma unroll
		for (int i = 0; i < CHAINS; i++) {
			v[i] = (v[i] & x) ^ y;
			v[i] = (v[i] | z) ^ w;
		}
	for (int i = 1; i < CHAINS; i++)
		v[0] ^= v[i];
	out[blockIdx.x * BLOCK + threadIdx.x] = v[0];
}

/* The same of what sw-scan does most. */
static __global__ void __launch_bounds__(BLOCK)
spin16(uint32_t *out, uint32_t x, uint32_t y)
{
	uint32_t v[CHAINS];

	for (int i = 0; i < CHAINS; i++)
		v[i] = x * (uint32_t)(i + 1) + threadIdx.x;
	for (int n = 0; n < LOOPS; n++)
#pragma unroll
		for (int i = 0; i < CHAINS; i++) {
			v[i] = __viaddmax_s16x2(v[i], y, x);
			v[i] = __vimax3_s16x2(v[i], x, v[(i + 1) % CHAINS]);
		}
	for (int i = 1; i < CHAINS; i++)
		v[0] ^= v[i];
	out[blockIdx.x * BLOCK + threadIdx.x] = v[0];
}

struct timer {
	cudaEvent_t beg, end;
};

/* Seconds between both. */
static cudaError_t
seconds(const struct timer *t, double *s)
{
	float ms = 0;
	cudaError_t rc = cudaEventRecord(t->end, 0);

	if (rc == cudaSuccess)
		rc = cudaEventSynchronize(t->end);
	if (rc == cudaSuccess)
		rc = cudaEventElapsedTime(&ms, t->beg, t->end);
	*s = ms * 1e-3;
	return rc;
}

static cudaError_t
copies(const struct timer *t, void *to, const void *from,
       enum cudaMemcpyKind kind, double *rate)
{
	double s = 0;
	cudaError_t rc = cudaMemcpyAsync(to, from, BYTES, kind, 0);

	if (rc == cudaSuccess)
		rc = cudaEventRecord(t->beg, 0);
	for (int i = 0; i < ROUNDS && rc == cudaSuccess; i++)
		rc = cudaMemcpyAsync(to, from, BYTES, kind, 0);
	if (rc == cudaSuccess)
		rc = seconds(t, &s);
	*rate = (double)BYTES * ROUNDS / s;
	return rc;
}

static cudaError_t
operations(const struct timer *t, void (*kernel)(uint32_t *, uint32_t,
	   uint32_t), uint32_t *out, unsigned blocks, double *rate)
{
	double s = 0;
	cudaError_t rc;

	LAUNCH(kernel, blocks, BLOCK, 0, 0, out, 0x9e3779b9u, 0x7f4a7c15u);
	rc = cudaEventRecord(t->beg, 0);
	for (int i = 0; i < ROUNDS; i++)
		LAUNCH(kernel, blocks, BLOCK, 0, 0, out, 0x9e3779b9u,
		       0x7f4a7c15u + (uint32_t)i);
	if (rc == cudaSuccess)
		rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = seconds(t, &s);
	*rate = 2. * LOOPS * CHAINS * BLOCK * blocks * ROUNDS / s;
	return rc;
}

extern "C" int
gpu_ceilings(int device, struct gpu_ceilings *c, const char **why)
{
	struct cudaDeviceProp p;
	struct timer t = { 0, 0 };
	void *host = NULL, *mem = NULL;
	cudaError_t rc = cudaSetDevice(device);

	if (rc == cudaSuccess)
		rc = cudaGetDeviceProperties(&p, device);
	if (rc == cudaSuccess)
		rc = cudaMallocHost(&host, BYTES);
	if (rc == cudaSuccess)
		rc = cudaMalloc(&mem, 2 * (size_t)BYTES);
	if (rc == cudaSuccess)
		rc = cudaEventCreate(&t.beg);
	if (rc == cudaSuccess)
		rc = cudaEventCreate(&t.end);
	if (rc == cudaSuccess) {
		memset(host, 1, BYTES);
		rc = copies(&t, mem, host, cudaMemcpyHostToDevice, &c->to);
	}
	if (rc == cudaSuccess)
		rc = copies(&t, host, mem, cudaMemcpyDeviceToHost, &c->from);
	if (rc == cudaSuccess)
		rc = copies(&t, (char *)mem + BYTES, mem,
			    cudaMemcpyDeviceToDevice, &c->inside);
	c->inside *= 2;
	if (rc == cudaSuccess)
		rc = operations(&t, spin, (uint32_t *)mem,
				(unsigned)p.multiProcessorCount * 16,
				&c->ops);
	if (rc == cudaSuccess)
		rc = operations(&t, spin16, (uint32_t *)mem,
				(unsigned)p.multiProcessorCount * 16,
				&c->ops16);
	if (t.beg)
		cudaEventDestroy(t.beg);
	if (t.end)
		cudaEventDestroy(t.end);
	cudaFree(mem);
	cudaFreeHost(host);
	*why = cudaGetErrorString(rc);
	return rc != cudaSuccess;
}
