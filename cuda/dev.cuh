/* SPDX-License-Identifier: MIT */
/* dev.cuh - shared by the device's sides: errors, memory cut into parts */
#ifndef SEQF_CUDA_DEV_CUH
#define SEQF_CUDA_DEV_CUH

#include "cuda/simt.h"

extern "C" {
#include "cuda/device.h"
}

static inline int
dev_failed(int device, cudaError_t rc, const char *what, struct err *e)
{
	cudaGetLastError();	/* else the next call would report it again */
	return err_set(e, ERR_DEVICE, "GPU %d: %s: %s", device, what,
		       cudaGetErrorString(rc));
}

/* Of making a stream: with less memory it may do. */
static inline int
dev_not_made(int device, cudaError_t rc, const char *what, struct err *e)
{
	int code = dev_failed(device, rc, what, e);

	return rc == cudaErrorMemoryAllocation ? e->code = ERR_NOMEM : code;
}

/* The next n bytes of `base`, or (NULL) only counted, at a multiple of 16. */
static inline void *
dev_part(uint8_t *base, size_t *at, size_t n)
{
	uint8_t *p = base ? base + *at : NULL;

	*at += (n + 15) / 16 * 16;
	return p;
}

/* The device, chosen, and a stream of it. */
static inline int
dev_open(const struct cuda_device *d, cudaStream_t *queue, struct err *e)
{
	cudaError_t rc = cudaSetDevice(d->number);

	if (rc == cudaSuccess)
		rc = cudaStreamCreateWithFlags(queue, cudaStreamNonBlocking);
	return rc == cudaSuccess ? 0 : dev_not_made(d->number, rc, "stream", e);
}

/* As much of the device's memory as of pinned memory. */
static inline int
dev_memory(int device, void **mem, void **pinned, size_t n_bytes,
	   struct err *e)
{
	cudaError_t rc = cudaMalloc(mem, n_bytes);

	if (rc != cudaSuccess)
		return dev_not_made(device, rc, "memory", e);
	rc = cudaMallocHost(pinned, n_bytes);
	return rc == cudaSuccess ? 0 :
	       dev_not_made(device, rc, "pinned memory", e);
}

/* All of it back; also of a device that has failed: what it says does not
 * matter any more. */
static inline void
dev_close(int device, cudaStream_t queue, void *mem, void *pinned)
{
	cudaSetDevice(device);
	if (queue) {
		cudaStreamSynchronize(queue);
		cudaStreamDestroy(queue);
	}
	if (pinned)
		cudaFreeHost(pinned);
	cudaFree(mem);
	cudaGetLastError();
}

static inline cudaError_t
dev_put(void *dev, const void *host, size_t n, cudaStream_t queue)
{
	return cudaMemcpyAsync(dev, host, n, cudaMemcpyHostToDevice, queue);
}

/* And waits for it. */
static inline cudaError_t
dev_get(void *host, const void *dev, size_t n, cudaStream_t queue)
{
	cudaError_t rc = cudaMemcpyAsync(host, dev, n, cudaMemcpyDeviceToHost,
					 queue);

	return rc == cudaSuccess ? cudaStreamSynchronize(queue) : rc;
}

/*
 * A stream for jobs of any size, one at a time.  Memory stays for the next one:
 * to ask for it and to give it back takes longer than a small job.  But only a
 * share of the device's, which other streams want, too.
 */
enum { DEV_JOBS_SHARE = 16 };
struct dev_jobs {
	int device;
	uint32_t threads;	/* that the device holds at a time */
	cudaStream_t queue;
	void *mem, *pinned;	/* the latter of 16 bytes */
	size_t bytes, kept;	/* of mem: now; between two jobs, at most */
};

/* Memory of so many bytes, or more. */
static inline int
dev_jobs_begin(struct dev_jobs *t, size_t bytes, struct err *e)
{
	cudaError_t rc = cudaSetDevice(t->device);
	size_t more = 2 * t->bytes < t->kept ? 2 * t->bytes : t->kept;

	if (rc == cudaSuccess && t->bytes < bytes) {
		cudaFree(t->mem);
		t->mem = NULL;
		t->bytes = bytes > more ? bytes : more;
		rc = cudaMalloc(&t->mem, t->bytes);
	}
	if (rc == cudaSuccess)
		return 0;
	t->bytes = t->mem ? t->bytes : 0;
	return dev_not_made(t->device, rc, "memory", e);
}

/* What came of the job: if it failed, what is still queued uses its memory,
 * here and there. */
static inline int
dev_jobs_end(struct dev_jobs *t, cudaError_t rc, const char *what,
	     struct err *e)
{
	if (rc != cudaSuccess)
		cudaStreamSynchronize(t->queue);
	if (t->bytes > t->kept) {
		cudaFree(t->mem);
		t->mem = NULL;
		t->bytes = 0;
	}
	return rc == cudaSuccess ? 0 : dev_failed(t->device, rc, what, e);
}

#endif
