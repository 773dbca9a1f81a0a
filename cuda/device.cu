/* SPDX-License-Identifier: MIT */
/* device.cu - the usable GPUs */
#include "cuda/dev.cuh"

#include <stdlib.h>
#include <string.h>

const bool cuda_is_built = true;

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

/* The kinds of devices that there is code for, in order; of the last one also
 * what later ones compile. */
#ifdef __CUDA_ARCH_LIST__
static const int archs[] = { __CUDA_ARCH_LIST__ };
#else
static const int archs[] = { 700, 800, 900 };	/* the emulator */
#endif

/* Code for a kind runs on those of the same major number that are not older. */
static bool
has_code(const struct cudaDeviceProp *p)
{
	const int n = sizeof archs / sizeof *archs;
	int is = 100 * p->major + 10 * p->minor;
	bool good = is >= archs[n - 1];

	for (int i = 0; i < n; i++)
		good |= archs[i] / 100 == p->major && archs[i] <= is;
	return good;
}

/* Each multiprocessor does 64 a clock; kHz. */
static uint64_t
ops_of(const struct cudaDeviceProp *p, int number)
{
	enum { LANES = 64, USUAL = 1500000 };
	int clock = 0;

	if (cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, number) !=
	    cudaSuccess)
		cudaGetLastError();
	return (uint64_t)LANES * (uint64_t)p->multiProcessorCount * 1000 *
	       (uint64_t)(clock > 0 ? clock : USUAL);
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
	if (!has_code(&p))
		return err_set(e, ERR_DEVICE, "GPU %d: no code for its kind, "
			       "compute capability %d.%d", number, p.major,
			       p.minor);
	d->number = number;
	memcpy(d->name, p.name, sizeof d->name - 1);
	d->major = p.major;
	d->minor = p.minor;
	d->threads = (uint32_t)(p.multiProcessorCount *
				p.maxThreadsPerMultiProcessor);
	d->shared = (uint32_t)p.sharedMemPerBlockOptin;
	d->ops = ops_of(&p, number);
	d->maxima = p.major >= 9;
	d->memory = total;
	d->free = free;
	return 0;
}

static void
jobs_close(void *stream)
{
	struct dev_jobs *t = (struct dev_jobs *)stream;

	dev_close(t->device, t->queue, t->mem, t->pinned);
	free(t);
}

static int
jobs_open(const void *, const struct cuda_device *d, unsigned, void **stream,
	  struct err *e)
{
	struct dev_jobs *t = (struct dev_jobs *)calloc(1, sizeof *t);
	int err;

	if (!t)
		return err_nomem(e, sizeof *t);
	t->device = d->number;
	t->threads = d->threads;
	t->kept = d->free / DEV_JOBS_SHARE;
	err = dev_open(d, &t->queue, e);
	if (!err) {
		cudaError_t rc = cudaMallocHost(&t->pinned, 16);

		if (rc != cudaSuccess)
			err = dev_not_made(d->number, rc, "pinned memory", e);
	}
	if (err)
		jobs_close(t);
	else
		*stream = t;
	return err;
}

const struct cuda_jobs cuda_jobs = { jobs_open, jobs_close };
