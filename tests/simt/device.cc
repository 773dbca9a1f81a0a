// SPDX-License-Identifier: MIT
// device.cc - the devices there are, and the last error
#include "inside.h"

#include <pthread.h>
#include <stdio.h>

namespace simt
{
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static thread_local cudaError_t last;
static thread_local int device;
static thread_local bool holds; // the mutex: as a kernel does that runs

int
current_device(void)
{
	return device;
}

cudaError_t
failed(cudaError_t e)
{
	last = e;
	return e;
}

void
lock(void)
{
	pthread_mutex_lock(&mutex);
	holds = true;
}
void
unlock(void)
{
	holds = false;
	pthread_mutex_unlock(&mutex);
}

cudaError_t
begin(cudaError_t by_order)
{
	if (current && holds)
		finding(0, "a kernel calls the runtime");
	lock();
	if (settings()->n_devices < 1)
		return failed(cudaErrorNoDevice);
	return injected() ? failed(by_order) : cudaSuccess;
}
} // namespace simt

using namespace simt;

cudaError_t
cudaGetDeviceCount(int *n)
{
	cudaError_t e = begin(cudaErrorInsufficientDriver);

	*n = e == cudaSuccess ? settings()->n_devices : 0;
	unlock();
	return e;
}
cudaError_t
cudaSetDevice(int number)
{
	cudaError_t e = begin(cudaErrorInvalidDevice);

	if (e == cudaSuccess) {
		if (number < 0 || number >= settings()->n_devices)
			e = failed(cudaErrorInvalidDevice);
		else
			device = number;
	}
	unlock();
	return e;
}
cudaError_t
cudaGetDevice(int *number)
{
	*number = device;
	return cudaSuccess;
}

// A small device of the kind that has everything.
cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *p, int number)
{
	cudaError_t e = begin(cudaErrorInvalidDevice);

	memset(p, 0, sizeof *p);
	called_slow();
	if (e == cudaSuccess && (number < 0 || number >= settings()->n_devices))
		e = failed(cudaErrorInvalidDevice);
	unlock();
	if (e != cudaSuccess)
		return e;
	snprintf(p->name, sizeof p->name, "CUDA on the CPU, %d", number);
	p->totalGlobalMem = settings()->memory;
	p->sharedMemPerBlock = 48 * 1024;
	p->sharedMemPerBlockOptin = settings()->shared;
	p->sharedMemPerMultiprocessor = 228 * 1024;
	p->regsPerBlock = 65536;
	p->warpSize = 32;
	p->maxThreadsPerBlock = 1024;
	p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
	p->maxThreadsDim[2] = 64;
	p->maxGridSize[0] = 2147483647;
	p->maxGridSize[1] = p->maxGridSize[2] = 65535;
	p->major = number < settings()->n_old ? 6 : settings()->kind;
	p->multiProcessorCount = 2;
	p->l2CacheSize = 1 << 20;
	p->maxThreadsPerMultiProcessor = 2048;
	p->asyncEngineCount = 2;
	return e;
}

// 1 GHz
cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr a, int)
{
	if (a != cudaDevAttrClockRate)
		finding(0, "an attribute that is not there");
	*value = 1000000;
	return cudaSuccess;
}

cudaError_t
cudaPeekAtLastError(void)
{
	return last;
}
cudaError_t
cudaGetLastError(void)
{
	cudaError_t e = last;

	last = cudaSuccess;
	return e;
}

static const struct {
	cudaError_t code;
	const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice",
     "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice",
     "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle",
     "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure",
     "unspecified launch failure"},
};

const char *
cudaGetErrorName(cudaError_t e)
{
	for (const auto &x : errors)
		if (x.code == e)
			return x.name;
	return "unrecognized error code";
}
const char *
cudaGetErrorString(cudaError_t e)
{
	for (const auto &x : errors)
		if (x.code == e)
			return x.text;
	return "unrecognized error code";
}
