/* SPDX-License-Identifier: MIT */
/* sw_dev.cu - a stream of a GPU, its memory, and what it runs */
#include "cuda/dev.cuh"
#include "cuda/paper_sw.cuh"

#include <stdlib.h>
#include <string.h>

/* What is pinned on the host, as much as a span needs, has this share of the
 * memory on the device at most. */
enum { PINNED = 8 };
/* That a multiprocessor holds, at most. */
enum { DEV_THREADS = 2048 };

/* Parts of one side's memory. */
struct memory {
	struct border *end, *start;
	uint2 *above;
	uint32_t *row, *counts, *first, *list, *bad;
	struct sw_dev_piece *piece;
	int32_t *top, *most;
	uint8_t *codes;
	struct sw_dev_cell *cell;	/* the device's: queues of all pieces */
};

struct stream {
	struct sw_dev_stream s;	/* the caller's view; first */
	int device;
	cudaStream_t queue;
	uint8_t *pinned, *mem;
	size_t bytes, pinned_bytes;
	struct memory host, dev;
	struct sw_dev_span span;
};

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
lay_out(struct memory *m, const struct sw_dev_span *p, size_t cells,
	uint8_t *base, size_t at)
{
	part(&m->row, base, &at, p->rows);
	part(&m->piece, base, &at, p->pieces);
	part(&m->counts, base, &at, p->pieces);
	part(&m->first, base, &at, p->cells ? p->pieces : 0);
	part(&m->list, base, &at, p->pieces);
	part(&m->bad, base, &at, p->pieces);
	part(&m->most, base, &at, p->pieces);
	part(&m->top, base, &at, p->letters / SW_DEV_BLOCK);
	part(&m->codes, base, &at, p->letters);
	part(&m->cell, base, &at, cells);
	return at;
}

/* Of a queue: for the best, and as many more, or one of each thread. */
static uint32_t
room_of(const struct sw_dev_span *p)
{
	uint32_t n = 1, more = p->cells > p->sweep ? p->cells : p->sweep;

	while (n < p->cells + more)
		n *= 2;
	return n;
}

/* Cells that come back. */
static size_t
reported_cells(const struct sw_dev_span *p)
{
	return (size_t)p->cells * p->texts;
}

/* Rows of a sweep's last H and F: a warp's, of two pieces, or, of those that
 * are done again, of one; the source's kernel has one for each. */
static size_t
rows_above(const struct sw_dev_span *p)
{
	uint32_t half = p->pieces / 2 + SW_DEV_AGAIN;

	return p->cells || half > p->pieces ? p->pieces : half;
}

/* The ends come first: there they are for the next span, too. */
static size_t
lay_out_device(struct memory *m, const struct sw_dev_span *p, uint8_t *base)
{
	size_t at = 0, borders = (size_t)p->pieces * p->rows;

	part(&m->end, base, &at, borders + p->rows);
	part(&m->start, base, &at, borders);
	part(&m->above, base, &at, rows_above(p) * p->columns);
	return lay_out(m, p, p->cells ? (size_t)p->pieces * room_of(p) : 0,
		       base, at);
}

static int
get_memory(struct stream *t, size_t bytes, struct err *e)
{
	cudaError_t rc = cudaMalloc((void **)&t->mem, bytes);

	t->bytes = bytes;
	return rc == cudaSuccess ? 0 :
	       dev_not_made(t->device, rc, "memory", e);
}

static void
close_stream(void *s)
{
	struct stream *t = (struct stream *)s;

	dev_close(t->device, t->queue, t->mem, t->pinned);
	free(t);
}

/* Bytes of a table of scores, for R rows of a lane. */
static constexpr int
table_bytes(int r)
{
	return two::PAIRS * 32 * r * (int)sizeof(uint32_t);
}

/* Rows of a lane, so many that a table of their scores fits: into the 64 KiB of
 * the smallest devices 16. */
static uint32_t
most_rows(const struct cuda_device *d)
{
	int room = (int)d->shared - WARPS * (int)sizeof(struct ring);

	return table_bytes(SW_DEV_MOST_ROWS) <= room ? SW_DEV_MOST_ROWS :
	       table_bytes(16) <= room ? 16 : 8;
}

static int
open_stream(struct sw_dev_stream **out, const struct sw_dev_setup *u,
	    struct err *e)
{
	struct stream *t = (struct stream *)calloc(1, sizeof *t);
	int err;

	*out = NULL;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->device = u->device->number;
	t->s.threads = u->device->threads;
	t->s.most_rows = most_rows(u->device);
	t->s.kernel = u->kernel;
	err = dev_open(u->device, &t->queue, e);
	if (!err)
		err = get_memory(t, u->bytes, e);
	if (err) {
		close_stream(t);
		return err;
	}
	*out = &t->s;
	return 0;
}

static bool
fits(const struct sw_dev_stream *s, const struct sw_dev_span *p)
{
	const struct stream *t = (const struct stream *)s;
	struct memory m;

	return lay_out_device(&m, p, NULL) <= t->bytes &&
	       lay_out(&m, p, reported_cells(p), NULL, 0) <= t->bytes / PINNED;
}

/* Pinned memory for a span that fits; twice as much as there was, at least. */
static int
pin(struct stream *t, const struct sw_dev_span *p, struct err *e)
{
	size_t need = lay_out(&t->host, p, reported_cells(p), NULL, 0);
	size_t most = t->bytes / PINNED, n = 2 * t->pinned_bytes;
	cudaError_t rc;

	if (need <= t->pinned_bytes)
		return 0;
	cudaFreeHost(t->pinned);
	t->pinned = NULL;
	t->pinned_bytes = 0;
	n = n < need ? need : n > most ? most : n;
	rc = cudaMallocHost((void **)&t->pinned, n);
	if (rc != cudaSuccess)
		return dev_not_made(t->device, rc, "memory", e);
	t->pinned_bytes = n;
	return 0;
}

/* The last end becomes the one before the first piece. */
static int
begin_span(struct sw_dev_stream *s, const struct sw_dev_span *p, struct err *e)
{
	struct stream *t = (struct stream *)s;
	size_t last = (size_t)t->span.pieces * t->span.rows;
	cudaError_t rc = cudaSetDevice(t->device);
	int made = rc == cudaSuccess ? pin(t, p, e) : 0;

	if (made)
		return made;
	if (last && t->span.rows == p->rows && rc == cudaSuccess)
		rc = cudaMemcpyAsync(t->mem, t->dev.end + last,
				     p->rows * sizeof *t->dev.end,
				     cudaMemcpyDeviceToDevice, t->queue);
	if (rc != cudaSuccess)
		return dev_failed(t->device, rc, "memory", e);
	t->span = *p;
	lay_out_device(&t->dev, p, t->mem);
	lay_out(&t->host, p, reported_cells(p), t->pinned, 0);
	s->codes = t->host.codes;
	s->row = t->host.row;
	s->piece = t->host.piece;
	s->counts = t->host.counts;
	s->first = t->host.first;
	s->list = t->host.list;
	s->top = t->host.top;
	s->most = t->host.most;
	s->bad = t->host.bad;
	s->cell = t->host.cell;
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
	const struct sw_dev_scoring *s = &t->span.s;
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
	a.floor = sw_dev_floor(s);
	a.other = (uint8_t)s->other | 0x80808000u;
	a.floors = halves<W>(a.floor);
	a.minus_extend = halves<W>(-s->extend);
	/* no half is lower: one subtraction serves both */
	a.less_open = 0 - halves<W>(s->open + s->extend);
	a.less_extend = 0 - halves<W>(s->extend);
	a.one = 1;
	return a;
}

/* Warps of a block: as many as may be, of few less, so that no multiprocessor
 * is idle. */
static uint32_t
warps_of(const struct stream *t, uint32_t warps)
{
	uint32_t n = WARPS, all = t->s.threads / DEV_THREADS;

	while (n > 1 && warps < n * all)
		n /= 2;
	return n;
}

template <int R>
static void
launch(const struct stream *t, const struct pass &a)
{
	uint32_t warps = (a.n + two::PIECES - 1) / two::PIECES;
	uint32_t n = warps_of(t, warps);

	/* What they say is said again by the launch.  Two blocks have room. */
	cudaFuncSetAttribute(find_tops<R>,
			     cudaFuncAttributeMaxDynamicSharedMemorySize,
			     table_bytes(R));
	cudaFuncSetAttribute(find_tops<R>,
			     cudaFuncAttributePreferredSharedMemoryCarveout,
			     cudaSharedmemCarveoutMaxShared);
	LAUNCH(find_tops<R>, (warps + n - 1) / n, n * 32, table_bytes(R),
	       t->queue, a);
}

static struct paper
paper_arguments(const struct stream *t, const uint32_t *list, uint32_t n)
{
	struct paper a;

	a.p = arguments<one>(t, list, n);
	a.counts = t->dev.counts;
	a.first = t->dev.first;
	a.queue = t->dev.cell;
	a.cells = t->span.cells;
	a.room = room_of(&t->span);
	return a;
}

static void
launch_paper(const struct stream *t, const uint32_t *list, uint32_t n)
{
	LAUNCH(find_cells, n, t->span.sweep, 0, t->queue,
	       paper_arguments(t, list, n));
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
	const struct sw_dev_span *p = &t->span;
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
			 p->letters / SW_DEV_BLOCK * sizeof *t->host.top);
	return rc == cudaSuccess ? cudaStreamSynchronize(t->queue) : rc;
}

static void
launch_all(const struct stream *t)
{
	struct pass a = arguments<two>(t, NULL, t->span.pieces);

	if (t->s.kernel == SW_DEV_PAPER) {
		launch_paper(t, NULL, t->span.pieces);
		return;
	}
	switch (t->span.per_lane) {
	case 4: launch<4>(t, a); break;
	case 8: launch<8>(t, a); break;
	case 16: launch<16>(t, a); break;
	default: launch<SW_DEV_MOST_ROWS>(t, a);
	}
}

static int
run(struct sw_dev_stream *s, struct err *e)
{
	const struct stream *t = (const struct stream *)s;
	const struct sw_dev_span *p = &t->span;
	cudaError_t rc = cudaSetDevice(t->device);

	if (rc == cudaSuccess)
		rc = dev_put(t->dev.codes, t->host.codes, p->letters,
			     t->queue);
	if (rc == cudaSuccess)
		rc = dev_put(t->dev.row, t->host.row,
			     p->rows * sizeof *t->host.row, t->queue);
	if (rc == cudaSuccess)
		rc = dev_put(t->dev.piece, t->host.piece,
			     p->pieces * sizeof *t->host.piece, t->queue);
	if (rc == cudaSuccess)
		rc = dev_put(t->dev.counts, t->host.counts,
			     p->pieces * sizeof *t->host.counts, t->queue);
	if (rc == cudaSuccess && p->cells)
		rc = dev_put(t->dev.first, t->host.first,
			     p->pieces * sizeof *t->host.first, t->queue);
	if (rc == cudaSuccess) {
		launch_all(t);
		rc = cudaGetLastError();
	}
	if (rc == cudaSuccess)
		rc = agree(t);
	return rc == cudaSuccess ? 0 : dev_failed(t->device, rc, "scores", e);
}

/* Sweeps of pieces that are done again are parts of the others', so that their
 * rows are as many. */
static void
launch_list(const struct stream *t, uint32_t n)
{
	struct pass a = arguments<one>(t, t->dev.list, n);

	if (t->s.kernel == SW_DEV_PAPER)
		launch_paper(t, t->dev.list, n);
	else if (t->span.per_lane % 8)
		LAUNCH(find_again<4>, n, TEAM * 32, 0, t->queue, a);
	else
		LAUNCH(find_again<8>, n, TEAM * 32, 0, t->queue, a);
}

static int
run_again(struct sw_dev_stream *s, uint32_t n, struct err *e)
{
	const struct stream *t = (const struct stream *)s;
	cudaError_t rc = cudaSetDevice(t->device);

	if (rc == cudaSuccess)
		rc = dev_put(t->dev.list, t->host.list,
			     n * sizeof *t->host.list, t->queue);
	if (rc == cudaSuccess) {
		launch_list(t, n);
		rc = cudaGetLastError();
	}
	if (rc == cudaSuccess)
		rc = agree(t);
	return rc == cudaSuccess ? 0 : dev_failed(t->device, rc, "scores", e);
}

/* The queues in which the texts' cells came together. */
static cudaError_t
get_cells(const struct stream *t)
{
	const struct sw_dev_span *p = &t->span;
	struct sw_dev_cell *to = t->host.cell;
	cudaError_t rc = cudaSuccess;

	for (uint32_t i = 0; i < p->pieces && rc == cudaSuccess; i++) {
		if (t->host.first[i] != i)
			continue;
		rc = get(t, to, t->dev.cell + (size_t)i * room_of(p),
			 p->cells * sizeof *to);
		to += p->cells;
	}
	return rc == cudaSuccess ? cudaStreamSynchronize(t->queue) : rc;
}

static int
merge_and_get_cells(struct sw_dev_stream *s, struct err *e)
{
	const struct stream *t = (const struct stream *)s;
	uint32_t pieces = t->span.pieces;
	cudaError_t rc = cudaSetDevice(t->device);

	for (uint32_t apart = 1; apart < pieces && rc == cudaSuccess;
	     apart *= 2) {
		LAUNCH(merge_cells, pieces, t->span.sweep, 0, t->queue,
		       paper_arguments(t, NULL, pieces), apart);
		rc = cudaGetLastError();
	}
	if (rc == cudaSuccess)
		rc = get_cells(t);
	return rc == cudaSuccess ? 0 : dev_failed(t->device, rc, "cells", e);
}

const struct sw_dev sw_dev = { open_stream, close_stream, fits, begin_span, run,
			       run_again, merge_and_get_cells };
