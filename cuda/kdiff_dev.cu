/* SPDX-License-Identifier: MIT */
/* kdiff_dev.cu - a stream of a GPU, its memory, and what it runs */
#include "cuda/dev.cuh"
#include "cuda/kdiff_kernel.cuh"
#include "cuda/paper_kdiff.cuh"

#include <stdlib.h>
#include <string.h>

/* Memory of one side, cut into the parts of a piece. */
struct memory {
	uint64_t *planes, *exc, *sets;
	struct kdiff_dev_stretch *stretch;
	unsigned long long *n_hits, *hit;
};

struct stream {
	struct kdiff_dev_stream s;	/* the caller's view; first */
	int device;
	bool hamming, sets;
	enum kdiff_dev_kernel kernel;
	cudaStream_t queue;
	void *pinned, *mem;
	uint32_t *columns;	/* X, if it is kept */
	struct memory host, dev;
	struct pattern<uint32_t> *narrow;	/* on the device, in groups */
	struct pattern<uint64_t> *wide;
	uint32_t narrow_groups, wide_groups;
	uint64_t launch;	/* letters x patterns of one */
	void *given;	/* patterns that it may still read, or NULL */
};

/* Its bytes. */
static size_t
lay_out(struct memory *m, const struct kdiff_dev_stream *s, bool sets,
	uint8_t *base)
{
	size_t at = 0, letters = s->letters, hits = s->hits;
	size_t stretches = s->stretches;

	m->n_hits = (unsigned long long *)
	    dev_part(base, &at, sizeof *m->n_hits);
	m->planes = (uint64_t *)dev_part(base, &at, letters / 4);
	m->exc = (uint64_t *)dev_part(base, &at, letters / 8);
	m->sets = (uint64_t *)dev_part(base, &at, sets ? letters / 2 : 0);
	m->hit = (unsigned long long *)
	    dev_part(base, &at, hits * sizeof *m->hit);
	m->stretch = (struct kdiff_dev_stretch *)
	    dev_part(base, &at, stretches * sizeof *m->stretch);
	return at;
}

template <class V>
static struct pattern<V>
compile(const struct kdiff_dev_pattern *from, bool hamming)
{
	struct pattern<V> p;
	unsigned below = sizeof(V) * 8 - from->m;

	memset(&p, 0, sizeof p);
	if (!hamming)
		p.pad = below ? (V)~(V)0 >> from->m : 0;
	for (int x = 0; x < 4; x++)
		p.eq[x] = (V)((V)from->eq[x] << below) | p.pad;
	p.m = from->m;
	p.k = from->k;
	p.over = (int32_t)from->m - (int32_t)from->k - 1;
	p.number = from->number;
	return p;
}

/*
 * Patterns of more than `least` letters and at most V's bits, to the device, in
 * groups; what fills the last one is never hit: its D stays far above its k.
 * By the queue that uses them: one that waits for no other, like this one, may
 * run ahead of the last bytes of a copy that is not its own.  What the queue
 * may still read when it has failed is kept until it is closed.
 */
template <class V>
static int
put_patterns(const struct kdiff_dev_setup *u, uint32_t least, struct stream *t,
	     struct pattern<V> **to, uint32_t *groups, struct err *e)
{
	size_t n = 0, bytes;
	struct pattern<V> *v;
	cudaError_t rc;

	for (size_t i = 0; i < u->n; i++)
		n += u->pattern[i].m > least &&
		     u->pattern[i].m <= sizeof(V) * 8;
	*groups = (uint32_t)((n + group<V>() - 1) / group<V>());
	if (n == 0)
		return 0;
	bytes = (size_t)*groups * group<V>() * sizeof *v;
	v = (struct pattern<V> *)calloc(1, bytes);
	if (!v)
		return err_nomem(e, bytes);
	n = 0;
	for (size_t i = 0; i < u->n; i++)
		if (u->pattern[i].m > least &&
		    u->pattern[i].m <= sizeof(V) * 8)
			v[n++] = compile<V>(&u->pattern[i], u->hamming);
	for (; n % group<V>(); n++)
		v[n].over = INT32_MAX / 2;
	rc = cudaMalloc((void **)to, bytes);
	if (rc == cudaSuccess)
		rc = dev_put(*to, v, bytes, t->queue);
	if (rc == cudaSuccess)
		rc = cudaStreamSynchronize(t->queue);
	if (rc != cudaSuccess) {
		t->given = v;
		return dev_not_made(t->device, rc, "patterns", e);
	}
	free(v);
	return 0;
}

static int
get_memory(struct stream *t, const struct kdiff_dev_setup *u, struct err *e)
{
	struct memory m;
	size_t bytes = lay_out(&m, &t->s, t->sets, NULL);
	int err = put_patterns<uint32_t>(u, 0, t, &t->narrow,
					 &t->narrow_groups, e);

	if (!err)
		err = put_patterns<uint64_t>(u, KDIFF_DEV_NARROW, t, &t->wide,
					     &t->wide_groups, e);
	if (!err && u->kernel == KDIFF_DEV_PAPER_GLOBAL) {
		cudaError_t rc = cudaMalloc((void **)&t->columns,
			4 * sizeof *t->columns * u->letters);

		if (rc != cudaSuccess)
			err = dev_not_made(t->device, rc, "memory", e);
	}
	if (!err)
		err = dev_memory(t->device, &t->mem, &t->pinned, bytes, e);
	if (err)
		return err;
	lay_out(&t->host, &t->s, t->sets, (uint8_t *)t->pinned);
	lay_out(&t->dev, &t->s, t->sets, (uint8_t *)t->mem);
	t->s.planes = t->host.planes;
	t->s.exc = t->host.exc;
	t->s.sets = t->host.sets;
	t->s.stretch = t->host.stretch;
	t->s.hit = (uint64_t *)t->host.hit;
	t->s.groups = max(max(t->narrow_groups, t->wide_groups), 1u);
	return 0;
}

static void
close_stream(void *s)
{
	struct stream *t = (struct stream *)s;

	dev_close(t->device, t->queue, t->mem, t->pinned);
	cudaFree(t->columns);
	cudaFree(t->narrow);
	cudaFree(t->wide);
	cudaGetLastError();
	free(t->given);
	free(t);
}

static int
open_stream(struct kdiff_dev_stream **out, const struct kdiff_dev_setup *u,
	    struct err *e)
{
	struct stream *t = (struct stream *)calloc(1, sizeof *t);
	int err;

	*out = NULL;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->device = u->device->number;
	t->hamming = u->hamming;
	t->sets = u->sets;
	t->kernel = u->kernel;
	t->launch = u->launch;
	t->s.letters = t->s.at_once = u->letters;
	t->s.stretches = kdiff_dev_stretches(u->letters);
	t->s.hits = u->hits;
	t->s.threads = u->device->threads;
	err = dev_open(u->device, &t->queue, e);
	if (!err)
		err = get_memory(t, u, e);
	if (err) {
		close_stream(t);
		return err;
	}
	*out = &t->s;
	return 0;
}

static struct letters
letters_of(const struct stream *t, const struct kdiff_dev_piece *p)
{
	struct letters l = { (const uint32_t *)t->dev.planes, NULL, NULL };

	if (p->sets)
		l.sets = (const uint32_t *)t->dev.sets;
	else if (p->exc)
		l.exc = (const uint32_t *)t->dev.exc;
	return l;
}

/* Our kernels, for words of either kind. */
template <class V, class W>
static void
launch_fast(const struct stream *t, const struct scan<V> &a, dim3 grid)
{
	if (t->hamming)
		LAUNCH((scan_ends<V, struct mismatches<V, W>, W>), grid, BLOCK,
		       0, t->queue, a);
	else
		LAUNCH((scan_ends<V, struct edits<V>, W>), grid, BLOCK, 0,
		       t->queue, a);
}

/* Groups of patterns, of one width, over every stretch of the piece. */
template <class V>
static void
launch_some(const struct stream *t, const struct kdiff_dev_piece *p,
       const struct pattern<V> *v, uint32_t groups)
{
	const uint32_t most_y = 65535, y = groups < most_y ? groups : most_y;
	struct scan<V> a;
	dim3 grid((p->stretches + BLOCK - 1) / BLOCK, y);

	a.text = letters_of(t, p);
	a.stretch = t->dev.stretch;
	a.pattern = v;
	a.hit = t->dev.hit;
	a.n_hits = t->dev.n_hits;
	a.stretches = p->stretches;
	a.groups = groups;
	a.hits = t->s.hits;
	a.letters = p->letters;
	a.columns = t->columns;
	a.steps = (p->longest + lead<V>() + TEXT_WORD - 1) / TEXT_WORD;
	if (!t->hamming && t->kernel == KDIFF_DEV_PAPER)
		LAUNCH((scan_rows<V, false>), dim3(p->stretches, y), TILE, 0,
		       t->queue, a);
	else if (!t->hamming && t->kernel == KDIFF_DEV_PAPER_GLOBAL)
		LAUNCH((scan_rows<V, true>), dim3(p->stretches, y), TILE, 0,
		       t->queue, a);
	else if (p->sets)
		launch_fast<V, struct set_word>(t, a, grid);
	else
		launch_fast<V, struct word>(t, a, grid);
}

/* All of one width, some at a time. */
template <class V>
static cudaError_t
launch(const struct stream *t, const struct kdiff_dev_piece *p,
       const struct pattern<V> *v, uint32_t groups)
{
	uint64_t most = t->launch / ((uint64_t)p->letters * group<V>());
	cudaError_t rc = cudaSuccess;

	for (uint32_t i = 0, n; i < groups && rc == cudaSuccess; i += n) {
		n = most < 1 ? 1 : most < groups - i ? (uint32_t)most :
						       groups - i;
		launch_some<V>(t, p, v + (size_t)i * group<V>(), n);
		rc = cudaGetLastError();
	}
	return rc;
}

/* The piece's letters to the device. */
static cudaError_t
put_piece(const struct stream *t, const struct kdiff_dev_piece *p)
{
	size_t words = ((size_t)p->letters + 63) / 64;
	cudaError_t rc;

	if (p->sets)
		return dev_put(t->dev.sets, t->host.sets, words * 32,
			       t->queue);
	rc = dev_put(t->dev.planes, t->host.planes, words * 16, t->queue);
	return rc == cudaSuccess && p->exc ?
	       dev_put(t->dev.exc, t->host.exc, words * 8, t->queue) : rc;
}

/* The piece to the device, everything over it, and the number back. */
static cudaError_t
queue_piece(const struct stream *t, const struct kdiff_dev_piece *p)
{
	cudaError_t rc = cudaMemsetAsync(t->dev.n_hits, 0,
					 sizeof *t->dev.n_hits, t->queue);

	if (rc == cudaSuccess)
		rc = put_piece(t, p);
	if (rc == cudaSuccess)
		rc = dev_put(t->dev.stretch, t->host.stretch,
			     p->stretches * sizeof *t->host.stretch, t->queue);
	if (rc != cudaSuccess)
		return rc;
	if (t->columns && !t->hamming)
		LAUNCH(keep_columns, (p->letters + TILE - 1) / TILE, TILE, 0,
		       t->queue, letters_of(t, p), p->letters, t->columns);
	rc = cudaGetLastError();
	if (rc != cudaSuccess)
		return rc;
	rc = launch<uint32_t>(t, p, t->narrow, t->narrow_groups);
	if (rc == cudaSuccess)
		rc = launch<uint64_t>(t, p, t->wide, t->wide_groups);
	return rc == cudaSuccess ? dev_get(t->host.n_hits, t->dev.n_hits,
					   sizeof *t->host.n_hits, t->queue) :
				   rc;
}

static int
run(struct kdiff_dev_stream *s, const struct kdiff_dev_piece *p,
    uint64_t *n_hits, struct err *e)
{
	const struct stream *t = (const struct stream *)s;
	cudaError_t rc = cudaSetDevice(t->device);
	uint64_t n;

	*n_hits = 0;
	if (p->stretches == 0)
		return 0;
	if (rc == cudaSuccess)
		rc = queue_piece(t, p);
	if (rc != cudaSuccess)
		return dev_failed(t->device, rc, "search", e);
	*n_hits = *t->host.n_hits;
	n = *n_hits < s->hits ? *n_hits : s->hits;
	if (n == 0)
		return 0;
	rc = dev_get(t->host.hit, t->dev.hit, n * sizeof *t->host.hit,
		     t->queue);
	return rc == cudaSuccess ? 0 : dev_failed(t->device, rc, "hits", e);
}

const struct kdiff_dev kdiff_dev = { open_stream, close_stream, run };
