// SPDX-License-Identifier: MIT
// stream.cc - what is queued is done late: when somebody waits for it
#include "inside.h"

#include "control.h"
#include "stream.h"

namespace simt
{
enum { MOST_DEVICES = 8 };

static struct stream *streams;
static struct stream *own[MOST_DEVICES]; // stream 0 of each device
static long n_made; // streams and events that have not been destroyed

struct stream *
stream_new(int device)
{
	struct stream *s = (struct stream *)get(sizeof *s);

	s->end = &s->first;
	s->device = device;
	s->tsan = order_new();
	s->next = streams;
	streams = s;
	return s;
}

static void
stream_drop(struct stream *s)
{
	struct stream **at = &streams;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	order_free(s->tsan);
	free(s);
}

long *
handles(void)
{
	return &n_made;
}

// What is left at the end, nobody waited for.
static void
at_exit(void)
{
	for (const struct stream *s = streams; s; s = s->next)
		if (s->first)
			finding(0, "at exit, a stream has work that nobody "
				"waited for");
	if (simt_alive())
		finding(0, "at exit, %ld allocations, streams and events have "
			"not been given back", simt_alive());
}

// The device's own stream is made when it is first asked for.
struct stream *
stream_of(cudaStream_t s)
{
	static bool watched;
	int device = current_device();

	if (!watched)
		watched = !atexit(at_exit);
	if (s)
		return s;
	if (device >= MOST_DEVICES)
		abort();
	if (!own[device])
		own[device] = stream_new(device);
	return own[device];
}

void
stream_push(struct stream *s, const struct op *o)
{
	struct op *copy = (struct op *)get(sizeof *copy);

	*copy = *o;
	copy->next = 0;
	order_before(copy);
	*s->end = copy;
	s->end = &copy->next;
}

static void
op_run(struct stream *s, struct op *o)
{
	void *host = order_self();

	order_switch(s->tsan);
	order_after(o);
	memory_show(s->device);
	switch (o->kind) {
	case KERNEL: grid_run(&o->c, o->job); break;
	case WORK: o->job.call(o->job.data); break;
	case RECORD: event_recorded(o->event, o->ticket); break;
	case WAIT: order_after(o->event); break;
	}
	memory_show(-1);
	if (o->event)
		o->event->users--;
	free(o->job.data); /* here, after all that read it */
	order_before(s);
	order_switch(host);
	free(o);
}

// Whether it did its next piece of work: it may have none, or wait.
static bool
stream_step(struct stream *s)
{
	struct op *o = s->first;

	if (!o || (o->kind == WAIT && o->event->done < o->ticket))
		return false;
	s->first = o->next;
	if (!s->first)
		s->end = &s->first;
	op_run(s, o);
	if (s->destroyed && !s->first)
		stream_drop(s);
	return true;
}

static bool
other_step(const struct stream *not_this)
{
	unsigned n = 0, skip;

	for (struct stream *s = streams; s; s = s->next)
		n++;
	skip = settings()->seed && n ? (unsigned)(chance() % n) : 0;
	for (int round = 0; round < 2; round++)
		for (struct stream *s = streams; s; s = s->next) {
			if (skip) {
				skip--;
				continue;
			}
			if (s != not_this && stream_step(s))
				return true;
		}
	return false;
}

// One piece of work, any that CUDA allows: without a seed what is waited for,
// with an odd one all else first, with an even one by chance.
bool
streams_step(struct stream *wanted)
{
	uint64_t seed = settings()->seed;
	bool other = seed & 1 || nasty();

	if (other && other_step(wanted))
		return true;
	return (wanted && stream_step(wanted)) || other_step(wanted);
}

static bool
all_done(void)
{
	for (const struct stream *s = streams; s; s = s->next)
		if (s->first)
			return false;
	return true;
}

void
stream_settle(void)
{
	while (!all_done())
		if (!streams_step(0))
			finding(0, "streams wait for each other, or for an "
				"event that is not recorded");
	for (struct stream *s = streams; s; s = s->next)
		order_after(s);
}

static cudaError_t
stream_finish(struct stream *s)
{
	while (s->first)
		if (!streams_step(s))
			finding(0, "a stream waits for ever");
	order_after(s);
	return cudaSuccess;
}

static void
check_copy(void *to, const void *from, size_t n_bytes, enum cudaMemcpyKind kind,
	   const struct stream *s)
{
	static const struct {
		bool to_device, from_device;
	} kinds[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
	int to_where = s->device, from_where = s->device;
	bool to_it = memory_place(to, n_bytes, &to_where) == ON_DEVICE;
	bool from_it = memory_place(from, n_bytes, &from_where) == ON_DEVICE;

	if (to_it != kinds[kind].to_device ||
	    from_it != kinds[kind].from_device)
		finding(0, "a copy's memory is not where its kind says");
	if ((to_it && to_where != s->device) ||
	    (from_it && from_where != s->device))
		finding(0, "a copy's memory is on another device than its "
			"stream");
}

// Whether a copy that is queued reads or writes some of it.
static bool
is_queued(const void *host, size_t n_bytes)
{
	uintptr_t beg = (uintptr_t)host;

	for (const struct stream *s = streams; s; s = s->next)
		for (const struct op *o = s->first; o; o = o->next)
			if ((uintptr_t)o->host < beg + n_bytes &&
			    beg < (uintptr_t)o->host + o->n_host)
				return true;
	return false;
}

// Until the copy is done, its target on the host holds nothing of use; but an
// earlier copy may still have to read it.
static void
queue_copy(void *to, const void *from, size_t n_bytes, enum cudaMemcpyKind kind,
	   struct stream *s)
{
	struct op o = {};

	if (!n_bytes)
		return;
	check_copy(to, from, n_bytes, kind, s);
	if (kind == cudaMemcpyDeviceToHost) {
		copied_back(n_bytes);
		if (!is_queued(to, n_bytes))
			spoil(to, n_bytes);
	}
	o.kind = WORK;
	if (kind != cudaMemcpyDeviceToDevice) {
		o.host = kind == cudaMemcpyHostToDevice ? from : to;
		o.n_host = n_bytes;
	}
	o.job = job_of([=] {
		order_reads(from, n_bytes);
		order_writes(to, n_bytes);
		memcpy(to, from, n_bytes);
	});
	stream_push(s, &o);
}
static void
queue_set(void *p, int byte, size_t n_bytes, struct stream *s)
{
	struct op o = {};
	int where = -1;

	if (!n_bytes)
		return;
	if (memory_place(p, n_bytes, &where) != ON_DEVICE || where != s->device)
		finding(0, "cudaMemset of what is not this device's memory");
	o.kind = WORK;
	o.job = job_of([=] {
		order_writes(p, n_bytes);
		memset(p, byte, n_bytes);
	});
	stream_push(s, &o);
}
} // namespace simt

using namespace simt;

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t n_bytes,
		enum cudaMemcpyKind kind, cudaStream_t s)
{
	cudaError_t e = begin(cudaErrorInvalidValue);

	if (e == cudaSuccess)
		queue_copy(to, from, n_bytes, kind, stream_of(s));
	unlock();
	return e;
}
cudaError_t
cudaMemcpy(void *to, const void *from, size_t n_bytes, enum cudaMemcpyKind kind)
{
	cudaError_t e = begin(cudaErrorInvalidValue);

	if (e == cudaSuccess) {
		queue_copy(to, from, n_bytes, kind, stream_of(0));
		e = stream_finish(stream_of(0));
	}
	unlock();
	return e;
}
cudaError_t
cudaMemsetAsync(void *p, int byte, size_t n_bytes, cudaStream_t s)
{
	cudaError_t e = begin(cudaErrorInvalidValue);

	if (e == cudaSuccess)
		queue_set(p, byte, n_bytes, stream_of(s));
	unlock();
	return e;
}
cudaError_t
cudaMemset(void *p, int byte, size_t n_bytes)
{
	return cudaMemsetAsync(p, byte, n_bytes, 0);
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
	cudaError_t e = begin(cudaErrorMemoryAllocation);

	if (e == cudaSuccess) {
		stream_of(0);
		called_slow();
		*s = stream_new(current_device());
		++*handles();
	}
	unlock();
	return e;
}
cudaError_t
cudaStreamCreate(cudaStream_t *s)
{
	return cudaStreamCreateWithFlags(s, cudaStreamDefault);
}

// What is queued is done all the same, some time.
cudaError_t
cudaStreamDestroy(cudaStream_t s)
{
	lock();
	if (s) {
		--*handles();
		s->destroyed = true;
		if (!s->first)
			stream_drop(s);
	}
	unlock();
	return s ? cudaSuccess : failed(cudaErrorInvalidResourceHandle);
}
cudaError_t
cudaStreamSynchronize(cudaStream_t s)
{
	cudaError_t e = begin(cudaErrorLaunchFailure);

	if (e == cudaSuccess)
		e = stream_finish(stream_of(s));
	unlock();
	return e;
}

// Who asks again and again sees it done at last.
cudaError_t
cudaStreamQuery(cudaStream_t s)
{
	cudaError_t e = begin(cudaErrorLaunchFailure);
	struct stream *x = stream_of(s);

	if (e == cudaSuccess) {
		streams_step(x);
		if (x->first)
			e = cudaErrorNotReady;
		else
			order_after(x);
	}
	unlock();
	return e;
}
cudaError_t
cudaDeviceSynchronize(void)
{
	cudaError_t e = begin(cudaErrorLaunchFailure);

	if (e == cudaSuccess)
		stream_settle();
	unlock();
	return e;
}

long
simt_alive(void)
{
	return memory_alive() + *handles();
}
