/* SPDX-License-Identifier: MIT */
/* primer_dev.cu - a stream of a GPU that searches for cores */
#include "cuda/primer_kernel.cuh"
#include "cuda/primer_long.cuh"
#include "cuda/dev.cuh"

#include <stdlib.h>

/*
 * Memory of one side.  A piece's tables, the number of hits and the first ones
 * lie behind one another, wherever the tables end: so a core takes one copy in
 * and one copy out, as each call takes longer than the core in a short text.
 */
struct cores_memory {
	uint8_t *text;
	uint32_t *rows, *eq;
	unsigned long long *n_hits, *hit;
};

static const uint32_t first_hits = 1023;

struct cores {
	struct primer_dev_stream s;	/* the caller's view; first */
	int device;
	cudaStream_t queue;
	void *pinned, *mem;
	struct cores_memory host, dev;
};

/* Its bytes. */
static size_t
lay_out(struct cores_memory *m, const struct primer_dev_setup *u, uint8_t *base)
{
	size_t at = 0, hits = u->hits, cores = u->cores;

	m->text = (uint8_t *)dev_part(base, &at, u->letters);
	m->rows = (uint32_t *)dev_part(base, &at, cores * sizeof *m->rows);
	m->eq = (uint32_t *)
	    dev_part(base, &at, cores * PRIMER_DEV_SYMBOLS * sizeof *m->eq);
	return at + (hits + 1) * sizeof *m->hit;
}

static int
get_memory(struct cores *t, const struct primer_dev_setup *u, struct err *e)
{
	struct cores_memory m;
	int rc = dev_memory(t->device, &t->mem, &t->pinned,
			    lay_out(&m, u, NULL), e);

	if (rc)
		return rc;
	lay_out(&t->host, u, (uint8_t *)t->pinned);
	lay_out(&t->dev, u, (uint8_t *)t->mem);
	t->s.text = t->host.text;
	t->s.eq = t->host.eq;
	t->s.rows = t->host.rows;
	return 0;
}

static void
close_stream(void *s)
{
	struct cores *t = (struct cores *)s;

	dev_close(t->device, t->queue, t->mem, t->pinned);
	free(t);
}

static int
open_stream(struct primer_dev_stream **out, const struct primer_dev_setup *u,
	    struct err *e)
{
	struct cores *t = (struct cores *)calloc(1, sizeof *t);
	int rc;

	*out = NULL;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->device = u->device->number;
	t->s.threads = u->device->threads;
	t->s.letters = u->letters;
	t->s.cores = u->cores;
	t->s.hits = u->hits;
	rc = dev_open(u->device, &t->queue, e);
	if (!rc)
		rc = get_memory(t, u, e);
	if (rc)
		close_stream(t);
	else
		*out = &t->s;
	return rc;
}

static cudaError_t
launch(const struct cores *t, const struct primer_dev_piece *p)
{
	const uint32_t most_y = 65535;
	uint32_t groups = (p->cores + PRIMER_DEV_GROUP - 1) / PRIMER_DEV_GROUP;
	struct cores_scan a;

	a.text = (const uint32_t *)t->dev.text;
	a.eq = t->dev.eq;
	a.rows = t->dev.rows;
	a.hit = t->dev.hit;
	a.n_hits = t->dev.n_hits;
	a.letters = p->letters;
	a.cores = p->cores;
	a.own = p->own;
	a.stretch = p->stretch;
	a.hits = t->s.hits;
	a.k = (int32_t)p->k;
	LAUNCH(scan_cores, dim3((p->letters - p->own + p->stretch - 1) /
				p->stretch, min(groups, most_y)),
	       CORES_BLOCK, 0, t->queue, a);
	return cudaGetLastError();
}

static cudaError_t
launch_long(const struct cores *t, const struct primer_dev_piece *p)
{
	struct cores_long_scan a;
	uint32_t block = p->stretch * PRIMER_DEV_GROUP;
	uint32_t grid = (p->upto - p->own + block - 1) / block;

	a.text = (const uint32_t *)t->dev.text;
	a.eq = t->dev.eq;
	a.rows = t->dev.rows;
	a.hit = t->dev.hit;
	a.n_hits = t->dev.n_hits;
	a.hits = t->s.hits;
	a.letters = (int32_t)p->letters;
	a.columns = (a.letters + 31) / 32 * 32;
	a.own = (int32_t)p->own;
	a.upto = (int32_t)p->upto;
	a.stretch = (int32_t)p->stretch;
	a.over = (int32_t)p->over;
	a.k = (int32_t)p->k;
#define OF_WORDS(n)                                                            \
	case n:                                                                \
		LAUNCH(scan_long_core<n>, grid, PRIMER_DEV_GROUP, 0, t->queue, \
		       a);                                                     \
		break
	switch (p->words) {
	OF_WORDS(2);
	OF_WORDS(3);
	OF_WORDS(4);
	OF_WORDS(6);
	OF_WORDS(8);
	OF_WORDS(12);
	OF_WORDS(16);
	OF_WORDS(24);
	OF_WORDS(PRIMER_DEV_MAX_WORDS);
	default:
		return cudaErrorInvalidValue;
	}
#undef OF_WORDS
	return cudaGetLastError();
}

/* Bytes of the cores' tables. */
static size_t
eq_bytes(const struct primer_dev_piece *p)
{
	size_t groups = (p->cores + PRIMER_DEV_GROUP - 1) / PRIMER_DEV_GROUP;
	size_t words = p->words ? p->words : groups * PRIMER_DEV_GROUP;

	return words * PRIMER_DEV_SYMBOLS * sizeof(uint32_t);
}

static void
put_behind(struct cores_memory *m, size_t eq)
{
	m->n_hits = (unsigned long long *)((uint8_t *)m->eq + eq);
	m->hit = m->n_hits + 1;
}

/* The piece to the device, every core over it, and the number back, with the
 * first hits. */
static cudaError_t
queue_piece(struct cores *t, const struct primer_dev_piece *p, uint64_t first)
{
	cudaError_t rc = cudaSuccess;

	put_behind(&t->host, eq_bytes(p));
	put_behind(&t->dev, eq_bytes(p));
	*t->host.n_hits = 0;
	if (t->s.held != p->letters)
		rc = dev_put(t->dev.text, t->host.text,
			     (p->letters + 31) / 32 * 32, t->queue);
	if (rc == cudaSuccess)
		rc = dev_put(t->dev.rows, t->host.rows,
			     (size_t)((uint8_t *)t->host.hit -
				      (uint8_t *)t->host.rows), t->queue);
	if (rc != cudaSuccess)
		return rc;
	rc = p->words ? launch_long(t, p) : launch(t, p);
	return rc == cudaSuccess ?
	       dev_get(t->host.n_hits, t->dev.n_hits,
		       (1 + first) * sizeof *t->host.hit, t->queue) : rc;
}

static int
run(struct primer_dev_stream *s, const struct primer_dev_piece *p,
    uint64_t *n_hits, struct err *e)
{
	struct cores *t = (struct cores *)s;
	cudaError_t rc = cudaSetDevice(t->device);
	uint64_t n, first = min(s->hits, first_hits);

	*n_hits = 0;
	if (p->own >= p->letters || !p->cores)
		return 0;
	if (rc == cudaSuccess)
		rc = queue_piece(t, p, first);
	if (rc != cudaSuccess)
		return dev_failed(t->device, rc, "search", e);
	s->held = p->letters;
	s->hit = (uint64_t *)t->host.hit;
	*n_hits = *t->host.n_hits;
	n = *n_hits < s->hits ? *n_hits : s->hits;
	if (n > first)
		rc = dev_get(t->host.hit + first, t->dev.hit + first,
			     (n - first) * sizeof *t->host.hit, t->queue);
	return rc == cudaSuccess ? 0 : dev_failed(t->device, rc, "hits", e);
}

const struct primer_dev primer_dev = { open_stream, close_stream, run };
