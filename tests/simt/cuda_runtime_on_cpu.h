/* SPDX-License-Identifier: MIT */
/* cuda_runtime_on_cpu.h - the part of CUDA's runtime that cuda/simt.h names */
#ifndef SEQF_CUDA_RUNTIME_ON_CPU_H
#define SEQF_CUDA_RUNTIME_ON_CPU_H

enum cudaError_t { /* CUDA's numbers */
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInsufficientDriver = 35,
	cudaErrorNoDevice = 100,
	cudaErrorInvalidDevice = 101,
	cudaErrorInvalidResourceHandle = 400,
	cudaErrorNotReady = 600,
	cudaErrorLaunchFailure = 719,
};
enum cudaMemcpyKind {
	cudaMemcpyHostToHost,
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
};
enum cudaFuncAttribute {
	cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
	cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};
enum { cudaSharedmemCarveoutMaxShared = 100 };
enum {
	cudaHostAllocDefault = 0,
	cudaHostAllocPortable = 1,
	cudaHostAllocWriteCombined = 4,
	cudaStreamDefault = 0,
	cudaStreamNonBlocking = 1,
	cudaEventDefault = 0,
	cudaEventBlockingSync = 1,
	cudaEventDisableTiming = 2,
};

namespace simt
{
struct stream;
struct event;
} // namespace simt
typedef struct simt::stream *cudaStream_t;
typedef struct simt::event *cudaEvent_t;

struct cudaDeviceProp {
	char name[256];
	size_t totalGlobalMem;
	size_t sharedMemPerBlock;
	int regsPerBlock;
	int warpSize;
	int maxThreadsPerBlock;
	int maxThreadsDim[3];
	int maxGridSize[3];
	int major, minor;
	int multiProcessorCount;
	int l2CacheSize;
	int maxThreadsPerMultiProcessor;
	int asyncEngineCount;
	size_t sharedMemPerMultiprocessor;
	size_t sharedMemPerBlockOptin;
};

enum cudaDeviceAttr { cudaDevAttrClockRate = 13 };

cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr a,
				   int device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device);
cudaError_t cudaDeviceSynchronize(void);

cudaError_t cudaMemGetInfo(size_t *n_free, size_t *n_total);
cudaError_t cudaMalloc(void **p, size_t n_bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaHostAlloc(void **p, size_t n_bytes, unsigned flags);
cudaError_t cudaFreeHost(void *p);
template <class T> cudaError_t
cudaMalloc(T **p, size_t n_bytes)
{
	return cudaMalloc((void **)p, n_bytes);
}
template <class T> cudaError_t
cudaHostAlloc(T **p, size_t n_bytes, unsigned flags)
{
	return cudaHostAlloc((void **)p, n_bytes, flags);
}
template <class T> cudaError_t
cudaMallocHost(T **p, size_t n_bytes)
{
	return cudaHostAlloc((void **)p, n_bytes, cudaHostAllocDefault);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n_bytes,
		       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n_bytes,
			    enum cudaMemcpyKind kind, cudaStream_t s = 0);
cudaError_t cudaMemset(void *p, int byte, size_t n_bytes);
cudaError_t cudaMemsetAsync(void *p, int byte, size_t n_bytes,
			    cudaStream_t s = 0);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags);
cudaError_t cudaStreamCreate(cudaStream_t *s);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaStreamQuery(cudaStream_t s);
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e,
				unsigned flags = 0);

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t *e);
cudaError_t cudaEventDestroy(cudaEvent_t e);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = 0);
cudaError_t cudaEventQuery(cudaEvent_t e);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

cudaError_t simt_kernel_attribute(const void *kernel, enum cudaFuncAttribute a,
				  int value);
template <class... P> cudaError_t
cudaFuncSetAttribute(void (*kernel)(P...), enum cudaFuncAttribute a, int value)
{
	return simt_kernel_attribute((const void *)kernel, a, value);
}

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t e);
const char *cudaGetErrorString(cudaError_t e);

#endif
