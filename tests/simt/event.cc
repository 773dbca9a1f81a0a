// SPDX-License-Identifier: MIT
// event.cc - events, and launches
#include "stream.h"

#include <time.h>

namespace simt
{
void
event_recorded(struct event *e, unsigned long ticket)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	e->ms = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
	if (e->done < ticket)
		e->done = ticket;
	order_before(e);
}

static void
queue_event(enum op_kind kind, struct event *e, struct stream *s)
{
	struct op o = {};

	o.kind = kind;
	o.event = e;
	o.ticket = e->asked;
	e->users++;
	stream_push(s, &o);
}

// -- launches ----------------------------------------------------------------

enum { MOST_STATIC = 48 * 1024, MOST_KERNELS = 64 };

// Kernels that may have more dynamic shared memory than others.
static struct {
	const void *kernel;
	int n_bytes;
} kernels[MOST_KERNELS];

static size_t
most_dynamic(const void *kernel)
{
	for (const auto &k : kernels)
		if (k.kernel == kernel)
			return (size_t)k.n_bytes;
	return MOST_STATIC;
}

static cudaError_t
config_error(const struct config *c)
{
	dim3 b = c->n_blocks, t = c->n_threads;
	uint64_t n = (uint64_t)t.x * t.y * t.z;

	if (!n || n > 1024 || t.x > 1024 || t.y > 1024 || t.z > 64 || !b.x ||
	    !b.y || !b.z || b.x > 2147483647 || b.y > 65535 || b.z > 65535)
		return cudaErrorInvalidConfiguration;
	if (c->n_bytes > most_dynamic(c->kernel))
		return cudaErrorInvalidValue;
	if (stream_of(c->stream)->device != current_device())
		return cudaErrorInvalidResourceHandle;
	return cudaSuccess;
}

bool
launch_allowed(const struct config *c)
{
	cudaError_t e = begin(cudaErrorLaunchFailure);

	if (e == cudaSuccess) {
		e = config_error(c);
		if (e != cudaSuccess)
			failed(e);
	}
	unlock();
	return e == cudaSuccess;
}

void
launch_queue(const struct config *c, struct job j)
{
	struct op o = {};

	o.kind = KERNEL;
	o.c = *c;
	o.job = j;
	lock();
	stream_push(stream_of(c->stream), &o);
	unlock();
}

void
check_pointer(const struct config *c, const void *p)
{
	int device = -1;

	lock();
	if (p && memory_place(p, 0, &device) != ON_DEVICE)
		finding(0, "kernel %s is given the host's memory", c->name);
	if (device >= 0 && device != current_device())
		finding(0, "kernel %s is given another device's memory",
			c->name);
	unlock();
}
} // namespace simt

using namespace simt;

cudaError_t
simt_kernel_attribute(const void *kernel, enum cudaFuncAttribute a, int value)
{
	bool size = a == cudaFuncAttributeMaxDynamicSharedMemorySize;
	size_t most = size ? settings()->shared :
			     (size_t)cudaSharedmemCarveoutMaxShared;
	cudaError_t e = begin(cudaErrorInvalidValue);

	if (e == cudaSuccess && (value < 0 || (size_t)value > most))
		e = failed(cudaErrorInvalidValue);
	for (auto &k : kernels)
		if (e == cudaSuccess && size &&
		    (!k.kernel || k.kernel == kernel)) {
			k.kernel = kernel;
			k.n_bytes = value;
			break;
		}
	unlock();
	return e;
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned)
{
	cudaError_t rc = begin(cudaErrorInvalidValue);

	if (rc == cudaSuccess)
		queue_event(WAIT, e, stream_of(s));
	unlock();
	return rc;
}
cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
	cudaError_t rc = begin(cudaErrorMemoryAllocation);

	if (rc == cudaSuccess) {
		*e = (struct event *)get(sizeof **e);
		(*e)->timed = !(flags & cudaEventDisableTiming);
		++*handles();
	}
	unlock();
	return rc;
}
cudaError_t
cudaEventCreate(cudaEvent_t *e)
{
	return cudaEventCreateWithFlags(e, cudaEventDefault);
}

cudaError_t
cudaEventDestroy(cudaEvent_t e)
{
	lock();
	if (e->users)
		finding(0, "an event is destroyed that streams have not come "
			"to");
	--*handles();
	unlock();
	free(e);
	return cudaSuccess;
}
cudaError_t
cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
	cudaError_t rc = begin(cudaErrorInvalidResourceHandle);

	if (rc == cudaSuccess) {
		e->asked++;
		e->stream = stream_of(s);
		queue_event(RECORD, e, e->stream);
	}
	unlock();
	return rc;
}

static cudaError_t
event_wait(cudaEvent_t e, bool until_done)
{
	cudaError_t rc = begin(cudaErrorLaunchFailure);

	while (rc == cudaSuccess && e->done < e->asked) {
		bool went = streams_step(e->stream);

		if (!went && until_done)
			finding(0, "an event waits for ever");
		if (!until_done)
			break;
	}
	if (rc == cudaSuccess) {
		if (e->done < e->asked)
			rc = cudaErrorNotReady;
		else
			order_after(e);
	}
	unlock();
	return rc;
}
cudaError_t
cudaEventSynchronize(cudaEvent_t e)
{
	return event_wait(e, true);
}
cudaError_t
cudaEventQuery(cudaEvent_t e)
{
	return event_wait(e, false);
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	cudaError_t rc = begin(cudaErrorInvalidResourceHandle);

	if (rc == cudaSuccess &&
	    (!from->timed || !to->timed || !from->asked || !to->asked))
		rc = failed(cudaErrorInvalidResourceHandle);
	else if (rc == cudaSuccess &&
		 (from->done < from->asked || to->done < to->asked))
		rc = cudaErrorNotReady;
	if (rc == cudaSuccess)
		*ms = (float)(to->ms - from->ms);
	unlock();
	return rc;
}
