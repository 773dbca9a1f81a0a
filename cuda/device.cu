/* SPDX-License-Identifier: MIT */
/* device.cu - the usable GPUs */
#include "cuda/simt.h"

extern "C" {
#include "cuda/device.h"
}

#include <string.h>

extern "C" int
cuda_devices(void)
{
	int n = 0;

	if (cudaGetDeviceCount(&n) != cudaSuccess) {
		cudaGetLastError();	/* clears it */
		return 0;
	}
	return n;
}

extern "C" const char *
cuda_why_none(void)
{
	int n = 0;
	cudaError_t rc = cudaGetDeviceCount(&n);

	cudaGetLastError();
	return rc == cudaErrorInsufficientDriver ?
		       "no driver, or one that is too old" :
	       rc == cudaSuccess || rc == cudaErrorNoDevice ?
		       "no GPU" :
		       cudaGetErrorString(rc);
}

extern "C" int
cuda_device(struct cuda_device *d, int number, struct err *e)
{
	struct cudaDeviceProp p;
	size_t free = 0, total = 0;
	cudaError_t rc = cudaSetDevice(number);

	memset(d, 0, sizeof *d);
	if (rc == cudaSuccess)
		rc = cudaGetDeviceProperties(&p, number);
	if (rc == cudaSuccess)
		rc = cudaMemGetInfo(&free, &total);
	if (rc != cudaSuccess) {
		cudaGetLastError();
		return err_set(e, ERR_DEVICE, "GPU %d: %s", number,
			       cudaGetErrorString(rc));
	}
	memcpy(d->name, p.name, sizeof d->name - 1);
	d->major = p.major;
	d->minor = p.minor;
	d->threads = (uint32_t)(p.multiProcessorCount *
				p.maxThreadsPerMultiProcessor);
	d->memory = total;
	d->free = free;
	return 0;
}
