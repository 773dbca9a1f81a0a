/* SPDX-License-Identifier: MIT */
/*
 * simt.h - the CUDA that our kernels are written in; all that a .cu includes
 *
 * nvcc sees CUDA and four macros.  Any other compiler sees an emulator, made
 * for tests only (tests/simt), that runs the same .cu on the CPU, a
 * fiber for each CUDA thread.  The product never links it.
 *
 *	static __global__ void __launch_bounds__(128) mark(const int *in, int n)
 *	{
 *		SHARED(struct tile, t);			a static shared object
 *		SHARED_ARRAY(unsigned, seen, 32);	a static shared array
 *		SHARED_DYN(int, row);			the launch's n_bytes
 *	...
 *	LAUNCH(mark, grid, block, n_bytes, stream, in, n);
 *
 * Kernels keep to what both sides have; in CUDA's names and meanings:
 * - threadIdx, blockIdx, blockDim, gridDim; static __device__ functions,
 *   templates; no __constant__ (parameters lie in constant memory anyway), no
 *   printf, recursion or memory from the heap;
 * - __syncthreads() and its _or, _and, _count; __syncwarp(mask);
 *   __shfl_sync, _up, _down, _xor of 4 or 8 bytes, __ballot_sync, __any_sync,
 *   __all_sync, __match_any_sync.  Each thread of the block, or each lane of
 *   the mask, must come to the same line; none may have returned;
 * - atomicAdd, Sub, Min, Max, And, Or, Xor, Exch, CAS of int, unsigned and
 *   unsigned long long; __threadfence() and _block(); __ldg();
 * - __popc, __clz, __ffs, __brev (and ll), __funnelshift_l, _r, __byte_perm,
 *   __umulhi, min, max, uint2, uint4, int2, int4 and make_ of them;
 *   simt_prmt(), which is __byte_perm() but for bit 3 of a selector: it spreads
 *   the sign of the byte; simt_add<N>(), of numbers of N words;
 * - words of two int16: __vadd2, __vsub2, __vaddss2, __vsubss2, __vmaxs2,
 *   __vmins2, __vcmpeq2, __vcmpgts2, __vimax3_s16x2, __vimin3_s16x2,
 *   __viaddmax_s16x2, __viaddmin_s16x2, and _relu of __vimax, __vimax3,
 *   __viaddmax; of one int32: __viaddmax_s32, __viaddmin_s32, __vimax3_s32,
 *   __vimin3_s32 and the same _relu;
 * - __pipeline_memcpy_async (4, 8 or 16 bytes, aligned), __pipeline_commit,
 *   __pipeline_wait_prior;
 * - runtime: cudaGetDeviceCount, cudaSetDevice, cudaGetDevice,
 *   cudaGetDeviceProperties, cudaDeviceGetAttribute, cudaMemGetInfo,
 *   cudaMalloc, cudaFree, cudaMallocHost, cudaHostAlloc, cudaFreeHost,
 *   cudaMemcpy[Async], cudaMemset[Async],
 *   cudaStream{Create[WithFlags],Destroy,Synchronize, Query,WaitEvent},
 *   cudaEvent{Create[WithFlags],Destroy,Record,Query,
 *   Synchronize,ElapsedTime}, cudaDeviceSynchronize, cudaFuncSetAttribute
 *   (dynamic shared memory above 48 KiB; its share), cudaGetLastError,
 *   cudaPeekAtLastError, cudaGetErrorName, cudaGetErrorString.
 * There stream 0 waits for no other stream, and no stream for it.  Kernels are
 * given device memory only, not pinned memory; what other threads change by
 * atomics meanwhile, they read by atomics.  An array that is a part of a larger
 * allocation has no end that ASan knows.
 * A template with a comma is launched as LAUNCH((kernel<2, 4>), ...).
 */
#ifndef SEQF_CUDA_SIMT_H
#define SEQF_CUDA_SIMT_H

#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

static __device__ __forceinline__ unsigned
simt_prmt(unsigned a, unsigned b, unsigned selectors)
{
	unsigned r;

	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b),
	    "r"(selectors));
	return r;
}

#include "cuda/add.cuh"

#define LAUNCH(kernel, grid, block, n_bytes, stream, ...)                      \
	kernel<<<(grid), (block), (n_bytes), (stream)>>>(__VA_ARGS__)
#define SHARED(T, name) __shared__ T name
#define SHARED_ARRAY(T, name, n) __shared__ T name[n]
#define SHARED_DYN(T, name)                                                    \
	extern __shared__ __align__(16) unsigned char simt_dyn[];              \
	T *name = (T *)simt_dyn
#else
#include "cuda_on_cpu.h"
#endif

#endif
