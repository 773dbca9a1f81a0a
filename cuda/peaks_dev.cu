/* SPDX-License-Identifier: MIT */
/* peaks_dev.cu - a stream of a GPU, its memory, and what it runs */
#include "cuda/peaks_kernel.cuh"

#include <stdlib.h>
#include <string.h>

extern "C" {
#include "cuda/device.h"
}

/* Of the memory on the device, so much is pinned on the host. */
enum { PINNED = 8 };

/* Parts of one side's memory. */
struct memory {
	struct border *end, *start;
	uint2 *above;
	uint32_t *row, *list, *bad;
	struct peaks_piece *piece;
	int32_t *top, *most;
	uint8_t *codes;
};

struct stream {
	struct peaks_stream s;	/* the caller's view; first */
	int device;
	cudaStream_t queue;
	uint8_t *pinned, *mem;
	size_t bytes;
	struct memory host, dev;
	struct peaks_span span;
};

static int
failed(const struct stream *t, cudaError_t rc, const char *what, struct err *e)
{
	cudaGetLastError();	/* else the next call would tell it again */
	return err_set(e, ERR_DEVICE, "GPU %d: %s: %s", t->device, what,
		       cudaGetErrorString(rc));
}

/* Of making a stream: with less memory it may do. */
static int
not_made(const struct stream *t, cudaError_t rc, const char *what,
	 struct err *e)
{
	int code = failed(t, rc, what, e);

	return rc == cudaErrorMemoryAllocation ? e->code = ERR_NOMEM : code;
}

/* The next n things at `base`, at a multiple of 16; NULL: only counted. */
template <class T>
static void
part(T **p, uint8_t *base, size_t *at, size_t n)
{
	*p = base ? (T *)(base + *at) : NULL;
	*at += (n * sizeof(T) + 15) / 16 * 16;
}

/* What both sides have. */
static size_t
lay_out(struct memory *m, const struct peaks_span *p, uint8_t *base, size_t at)
{
	part(&m->row, base, &at, p->rows);
	part(&m->piece, base, &at, p->pieces);
	part(&m->list, base, &at, p->pieces);
	part(&m->bad, base, &at, p->pieces);
	part(&m->most, base, &at, p->pieces);
	part(&m->top, base, &at, p->letters / PEAKS_BLOCK);
	part(&m->codes, base, &at, p->letters);
	return at;
}

/* The ends come first: there they are for the next span, too. */
static size_t
lay_out_device(struct memory *m, const struct peaks_span *p, uint8_t *base)
{
	size_t at = 0, borders = (size_t)p->pieces * p->rows;

	part(&m->end, base, &at, borders + p->rows);
	part(&m->start, base, &at, borders);
	part(&m->above, base, &at, (size_t)p->pieces * p->columns);
	return lay_out(m, p, base, at);
}

static cudaError_t
get_memory(struct stream *t, size_t bytes)
{
	cudaError_t rc = cudaStreamCreateWithFlags(&t->queue,
						   cudaStreamNonBlocking);

	t->bytes = bytes;
	if (rc == cudaSuccess)
		rc = cudaMalloc(&t->mem, bytes);
	if (rc == cudaSuccess)
		rc = cudaMallocHost(&t->pinned, bytes / PINNED);
	return rc;
}

extern "C" int
peaks_stream_new(struct peaks_stream **out, const struct peaks_setup *u,
		 struct err *e)
{
	struct stream *t = (struct stream *)calloc(1, sizeof *t);
	struct cuda_device d;
	cudaError_t rc;
	int err;

	*out = NULL;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->device = u->device;
	err = cuda_device(&d, u->device, e);	/* and chooses it */
	t->s.threads = d.threads;
	if (!err) {
		rc = get_memory(t, u->bytes);
		if (rc != cudaSuccess)
			err = not_made(t, rc, "memory", e);
	}
	if (err) {
		peaks_stream_free(&t->s);
		return err;
	}
	*out = &t->s;
	return 0;
}

/* Also of a device that has failed: what it says does not matter any more. */
extern "C" void
peaks_stream_free(struct peaks_stream *s)
{
	struct stream *t = (struct stream *)s;

	if (!t)
		return;
	cudaSetDevice(t->device);
	if (t->queue) {
		cudaStreamSynchronize(t->queue);
		cudaStreamDestroy(t->queue);
	}
	if (t->pinned)
		cudaFreeHost(t->pinned);
	cudaFree(t->mem);
	cudaGetLastError();
	free(t);
}

extern "C" bool
peaks_stream_fits(const struct peaks_stream *s, const struct peaks_span *p)
{
	const struct stream *t = (const struct stream *)s;
	struct memory m;

	return lay_out_device(&m, p, NULL) <= t->bytes &&
	       lay_out(&m, p, NULL, 0) <= t->bytes / PINNED;
}

/* The last end becomes the one before the first piece. */
extern "C" int
peaks_stream_begin(struct peaks_stream *s, const struct peaks_span *p,
		   struct err *e)
{
	struct stream *t = (struct stream *)s;
	size_t last = (size_t)t->span.pieces * t->span.rows;
	cudaError_t rc = cudaSetDevice(t->device);

	if (last && t->span.rows == p->rows && rc == cudaSuccess)
		rc = cudaMemcpyAsync(t->mem, t->dev.end + last,
				     p->rows * sizeof *t->dev.end,
				     cudaMemcpyDeviceToDevice, t->queue);
	if (rc != cudaSuccess)
		return failed(t, rc, "memory", e);
	t->span = *p;
	lay_out_device(&t->dev, p, t->mem);
	lay_out(&t->host, p, t->pinned, 0);
	s->codes = t->host.codes;
	s->row = t->host.row;
	s->piece = t->host.piece;
	s->list = t->host.list;
	s->top = t->host.top;
	s->most = t->host.most;
	s->bad = t->host.bad;
	return 0;
}

template <class W>
static uint32_t
halves(int32_t x)
{
	return W::PIECES == 2 ? ((uint32_t)x & 0xffff) * 0x10001u :
				(uint32_t)x;
}

template <class W>
static struct pass
arguments(const struct stream *t, const uint32_t *list, uint32_t n)
{
	const struct peaks_scoring *s = &t->span.s;
	struct pass a;

	memset(&a, 0, sizeof a);
	a.codes = t->dev.codes;
	a.row = t->dev.row;
	a.piece = t->dev.piece;
	a.list = list;
	a.above = t->dev.above;
	a.start = t->dev.start;
	a.end = t->dev.end;
	a.top = t->dev.top;
	a.most = t->dev.most;
	a.n = n;
	a.rows = t->span.rows;
	a.columns = t->span.columns;
	a.floor = s->open + s->extend;
	a.other = (uint8_t)s->other | 0x80808000u;
	a.floors = halves<W>(a.floor);
	a.minus_extend = halves<W>(-s->extend);
	/* no half is lower: one subtraction serves both */
	a.minus_open = 0 - a.floors;
	return a;
}

template <class W, int R>
static void
launch(const struct stream *t, const struct pass &a)
{
	uint32_t warps = (a.n + W::PIECES - 1) / W::PIECES;

	LAUNCH((find_tops<W, R>), (warps + WARPS - 1) / WARPS, WARPS * 32, 0,
	       t->queue, a);
}

static cudaError_t
get(const struct stream *t, void *host, const void *dev, size_t n)
{
	return cudaMemcpyAsync(host, dev, n, cudaMemcpyDeviceToHost, t->queue);
}

/* Which do not agree, and what they say. */
static cudaError_t
agree(const struct stream *t)
{
	const struct peaks_span *p = &t->span;
	cudaError_t rc;

	LAUNCH(hand_over, p->pieces, 256, 0, t->queue,
	       arguments<one>(t, NULL, p->pieces), t->dev.bad);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = get(t, t->host.bad, t->dev.bad,
			 p->pieces * sizeof *t->host.bad);
	if (rc == cudaSuccess)
		rc = get(t, t->host.most, t->dev.most,
			 p->pieces * sizeof *t->host.most);
	if (rc == cudaSuccess)
		rc = get(t, t->host.top, t->dev.top,
			 p->letters / PEAKS_BLOCK * sizeof *t->host.top);
	return rc == cudaSuccess ? cudaStreamSynchronize(t->queue) : rc;
}

static cudaError_t
put(const struct stream *t, void *dev, const void *host, size_t n)
{
	return cudaMemcpyAsync(dev, host, n, cudaMemcpyHostToDevice, t->queue);
}

static void
launch_all(const struct stream *t)
{
	struct pass a = arguments<two>(t, NULL, t->span.pieces);

	switch (t->span.per_lane) {
	case 4: launch<two, 4>(t, a); break;
	case 8: launch<two, 8>(t, a); break;
	case 16: launch<two, 16>(t, a); break;
	default: launch<two, 24>(t, a);
	}
}

extern "C" int
peaks_stream_run(struct peaks_stream *s, struct err *e)
{
	const struct stream *t = (const struct stream *)s;
	const struct peaks_span *p = &t->span;
	cudaError_t rc = cudaSetDevice(t->device);

	if (rc == cudaSuccess)
		rc = put(t, t->dev.codes, t->host.codes, p->letters);
	if (rc == cudaSuccess)
		rc = put(t, t->dev.row, t->host.row,
			 p->rows * sizeof *t->host.row);
	if (rc == cudaSuccess)
		rc = put(t, t->dev.piece, t->host.piece,
			 p->pieces * sizeof *t->host.piece);
	if (rc == cudaSuccess) {
		launch_all(t);
		rc = cudaGetLastError();
	}
	if (rc == cudaSuccess)
		rc = agree(t);
	return rc == cudaSuccess ? 0 : failed(t, rc, "scores", e);
}

extern "C" int
peaks_stream_again(struct peaks_stream *s, uint32_t n, struct err *e)
{
	const struct stream *t = (const struct stream *)s;
	struct pass a = arguments<one>(t, t->dev.list, n);
	cudaError_t rc = cudaSetDevice(t->device);

	if (rc == cudaSuccess)
		rc = put(t, t->dev.list, t->host.list,
			 n * sizeof *t->host.list);
	if (rc == cudaSuccess) {
		if (t->span.per_lane == 4)
			launch<one, 4>(t, a);
		else
			launch<one, 8>(t, a);
		rc = cudaGetLastError();
	}
	if (rc == cudaSuccess)
		rc = agree(t);
	return rc == cudaSuccess ? 0 : failed(t, rc, "scores", e);
}
