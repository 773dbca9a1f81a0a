/* SPDX-License-Identifier: MIT */
/*
 * paper_primer_dev.cu - the source's algorithms for primers: memory, launches
 */
#include "cuda/dev.cuh"
#include "cuda/paper_primer_kernel.cuh"

#include <string.h>

enum {
	THREADS = 256,
	/* Values, or so: of a launch, that it is not too long. */
	LAUNCH_STEPS = 1 << 20, STEP = 1024,
	TILED_K = 2048,		/* what is saved of tiles fits, at most */
	BATCHES = 8,		/* of all starts, if the device has enough */
	QUEUES = 2,		/* of batches in turn */
};

/* On the device. */
struct starts_memory {
	unsigned long long *count;
	uint32_t *stop, *cap, *end, *taken;
	uint16_t *holds;
	uint8_t *code, *symbol;
};

/* Of batches: what all of them need has come when `ready` has. */
struct batches {
	cudaStream_t queue;	/* of every second one */
	cudaEvent_t ready;
	void *pinned;
	uint32_t *stop, *cap, *end;
	uint32_t starts;	/* 0: there are none */
};

struct job {
	const struct primer_paper_job *j;
	cudaStream_t queue;
	int32_t *rows;
	struct starts_memory m;
	struct starts a;
	struct batches b;
	uint32_t threads, blocks;
	size_t rows_each, shared;
};

/* Its bytes. */
static size_t
lay_out(struct starts_memory *m, const struct primer_paper_job *j,
	uint8_t *base)
{
	size_t at = 0, places = j->places;

	m->count = (unsigned long long *)
	    dev_part(base, &at, COUNTS * sizeof *m->count);
	m->taken = (uint32_t *)dev_part(base, &at, QUEUES * sizeof *m->taken);
	m->stop = (uint32_t *)dev_part(base, &at, places * sizeof *m->stop);
	m->cap = (uint32_t *)dev_part(base, &at, places * sizeof *m->cap);
	m->end = (uint32_t *)dev_part(base, &at, places * sizeof *m->end);
	m->holds = (uint16_t *)dev_part(base, &at, 16 * sizeof *m->holds);
	m->code = (uint8_t *)dev_part(base, &at, places);
	m->symbol = (uint8_t *)dev_part(base, &at, j->n);
	return at;
}

/* Letters of the longest start. */
static int32_t
longest(const struct primer_paper_job *j)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->places; i++)
		n = max(n, j->cap[i] - i);
	return (int32_t)n;
}

static void
shape(struct job *w, const struct paper_primer_dev_how *how)
{
	bool alternative = w->j->how->method == PRIMER_ALTERNATIVE;
	uint32_t k = w->j->k, o = w->j->how->optimisations;

	w->threads = how->threads ? (how->threads + 31) / 32 * 32 :
		     (uint32_t)THREADS;
	w->a.optimisations = o;
	w->a.n = (int32_t)w->j->n;
	w->a.k = (int32_t)k;
	w->a.longest = longest(w->j);
	w->a.tiled = o & PRIMER_PAPER_TILES && k <= TILED_K;
	w->rows_each = starts_rows(w->a, alternative);
	if (!w->a.tiled)
		return;
	if (o & PRIMER_PAPER_ALPHA)
		w->a.alpha = (int32_t)((k * max(how->factor, 1u) + w->threads -
					1) / w->threads * w->threads);
	w->shared = sizeof(int32_t) * 2 * (w->threads + 2 +
					   (alternative ? k : 0)) + w->a.alpha;
	if (o & PRIMER_PAPER_BETA)
		w->shared += w->a.alpha + w->threads;
}

/* As many blocks of a launch as the device holds, or as it has rows for. */
static int
get_memory(struct job *w, struct dev_jobs *t, struct err *e)
{
	unsigned queues = w->a.optimisations & PRIMER_PAPER_BATCH ? QUEUES : 1;
	size_t rows = queues * sizeof(int32_t) * w->rows_each, free = 0, total;
	size_t bytes = lay_out(&w->m, w->j, NULL);
	cudaError_t rc = cudaSetDevice(t->device);
	int err;

	w->blocks = max(t->threads / w->threads, 1u);
	if (rc == cudaSuccess && rows)
		rc = cudaMemGetInfo(&free, &total);
	if (rc != cudaSuccess)
		return dev_failed(t->device, rc, "memory", e);
	if (rows)
		w->blocks = (uint32_t)min((unsigned long long)w->blocks,
			(free + t->bytes) / 2 / rows + 1ull);
	err = dev_jobs_begin(t, bytes + rows * w->blocks, e);
	if (err)
		return err;
	lay_out(&w->m, w->j, (uint8_t *)t->mem);
	w->rows = (int32_t *)((uint8_t *)t->mem + bytes);
	return 0;
}

/* A queue, and what goes to and fro while others compute. */
static int
open_batches(struct job *w, const struct paper_primer_dev_how *how,
	     const struct dev_jobs *t, struct err *e)
{
	size_t places = w->j->places, bytes = places * sizeof *w->b.stop;
	uint32_t blocks = max(t->threads / w->threads, 1u);
	cudaError_t rc = cudaSetDevice(t->device);

	if (!(w->a.optimisations & PRIMER_PAPER_BATCH) || !places)
		return 0;
	if (rc == cudaSuccess)
		rc = cudaStreamCreateWithFlags(&w->b.queue,
					       cudaStreamNonBlocking);
	if (rc == cudaSuccess)
		rc = cudaEventCreateWithFlags(&w->b.ready,
					      cudaEventDisableTiming);
	if (rc == cudaSuccess)
		rc = cudaMallocHost(&w->b.pinned, 3 * bytes);
	if (rc != cudaSuccess)
		return dev_not_made(t->device, rc, "batches", e);
	w->b.stop = (uint32_t *)w->b.pinned;
	w->b.cap = w->b.stop + places;
	w->b.end = w->b.cap + places;
	memcpy(w->b.stop, w->j->stop, bytes);
	memcpy(w->b.cap, w->j->cap, bytes);
	memcpy(w->b.end, w->j->end, bytes);
	w->b.starts = how->batch ? how->batch :
		      max(blocks, w->j->places / BATCHES);
	return 0;
}

static void
close_batches(struct job *w)
{
	if (w->b.queue) {
		cudaStreamSynchronize(w->b.queue);
		cudaStreamDestroy(w->b.queue);
	}
	if (w->b.ready)
		cudaEventDestroy(w->b.ready);
	cudaFreeHost(w->b.pinned);
}

/* Starts [at, at + n): bounds to the device. */
static cudaError_t
put_starts(const struct job *w, uint32_t at, uint32_t n, cudaStream_t queue)
{
	const bool batch = w->b.starts;
	const uint32_t *stop = batch ? w->b.stop : w->j->stop;
	const uint32_t *cap = batch ? w->b.cap : w->j->cap;
	const uint32_t *end = batch ? w->b.end : w->j->end;
	size_t bytes = n * sizeof *stop;
	cudaError_t rc = dev_put(w->m.stop + at, stop + at, bytes, queue);

	if (rc == cudaSuccess)
		rc = dev_put(w->m.cap + at, cap + at, bytes, queue);
	return rc == cudaSuccess ?
	       dev_put(w->m.end + at, end + at, bytes, queue) : rc;
}

/* What all starts need. */
static cudaError_t
put(const struct job *w)
{
	const struct primer_paper_job *j = w->j;
	cudaError_t rc = cudaMemsetAsync(w->m.count, 0, COUNTS *
					 sizeof *w->m.count, w->queue);

	if (rc == cudaSuccess)
		rc = dev_put(w->m.holds, j->holds, 16 * sizeof *j->holds,
			     w->queue);
	if (rc == cudaSuccess)
		rc = dev_put(w->m.code, j->code, j->places, w->queue);
	if (rc == cudaSuccess && j->n)
		rc = dev_put(w->m.symbol, j->symbol, j->n, w->queue);
	if (rc == cudaSuccess && !w->b.starts)
		return put_starts(w, 0, j->places, w->queue);
	if (rc == cudaSuccess)
		rc = cudaEventRecord(w->b.ready, w->queue);
	return rc == cudaSuccess ?
	       cudaStreamWaitEvent(w->b.queue, w->b.ready, 0) : rc;
}

static void
launch_starts(const struct job *w, cudaStream_t queue)
{
	uint32_t blocks = min(w->blocks, w->a.items);
	bool alternative = w->j->how->method == PRIMER_ALTERNATIVE;

	if (alternative && w->a.tiled)
		LAUNCH((search_starts<true, true>), blocks, w->threads,
		       w->shared, queue, w->a);
	else if (alternative)
		LAUNCH((search_starts<true, false>), blocks, w->threads, 0,
		       queue, w->a);
	else if (w->a.tiled)
		LAUNCH((search_starts<false, true>), blocks, w->threads,
		       w->shared, queue, w->a);
	else
		LAUNCH((search_starts<false, false>), blocks, w->threads, 0,
		       queue, w->a);
}

/* Starts [at, at + n), as a batch to and fro. */
static cudaError_t
launch(struct job *w, uint32_t at, uint32_t n, unsigned q)
{
	cudaStream_t queue = q ? w->b.queue : w->queue;
	cudaError_t rc = cudaSuccess;

	w->a.from = at;
	w->a.first = w->b.starts ? at : 0;
	w->a.items = n;
	w->a.taken = w->m.taken + q;
	w->a.rows = w->rows + q * w->blocks * w->rows_each;
	if (w->b.starts)
		rc = put_starts(w, at, n, queue);
	if (rc == cudaSuccess)
		rc = cudaMemsetAsync(w->a.taken, 0, sizeof *w->a.taken, queue);
	if (rc != cudaSuccess)
		return rc;
	launch_starts(w, queue);
	rc = cudaGetLastError();
	return rc == cudaSuccess && w->b.starts ?
	       cudaMemcpyAsync(w->b.end + at, w->m.end + at,
			       n * sizeof *w->m.end, cudaMemcpyDeviceToHost,
			       queue) : rc;
}

/* As many starts at a time as a launch of bounded length takes, or a batch. */
static cudaError_t
launch_all(struct job *w)
{
	uint32_t most = max((uint32_t)LAUNCH_STEPS / (w->j->n / STEP + 1), 1u);
	cudaError_t rc = cudaSuccess;
	unsigned i = 0;

	if (w->b.starts)
		most = min(most, w->b.starts);
	for (uint32_t at = 0, n; at < w->j->places && rc == cudaSuccess;
	     at += n) {
		n = min(most, w->j->places - at);
		rc = launch(w, at, n, w->b.starts ? i++ % QUEUES : 0);
	}
	return rc;
}

/* Counts, and the ends unless they came with batches. */
static cudaError_t
get(const struct job *w, unsigned long long *count)
{
	size_t bytes = w->j->places * sizeof *w->j->end;
	cudaError_t rc = cudaSuccess;

	if (w->b.starts)
		rc = cudaStreamSynchronize(w->b.queue);
	if (rc == cudaSuccess)
		rc = dev_get(count, w->m.count, COUNTS * sizeof *count,
			     w->queue);
	if (rc == cudaSuccess && !w->b.starts)
		return dev_get(w->j->end, w->m.end, bytes, w->queue);
	if (rc == cudaSuccess)
		memcpy(w->j->end, w->b.end, bytes);
	return rc;
}

static cudaError_t
search(struct job *w, unsigned long long *count)
{
	cudaError_t rc = put(w);

	w->a.code = w->m.code;
	w->a.symbol = w->m.symbol;
	w->a.holds = w->m.holds;
	w->a.stop = w->m.stop;
	w->a.cap = w->m.cap;
	w->a.end = w->m.end;
	w->a.count = w->m.count;
	w->a.literal = w->j->literal;
	if (rc == cudaSuccess)
		rc = launch_all(w);
	return rc == cudaSuccess ? get(w, count) : rc;
}

static int
run(void *stream, const struct paper_primer_dev_how *how,
    const struct primer_paper_job *j, struct primer_paper_stats *stats,
    struct err *e)
{
	struct dev_jobs *t = (struct dev_jobs *)stream;
	struct job w = { j, t->queue, NULL, {}, {}, {}, 0, 0, 0, 0 };
	unsigned long long count[COUNTS];
	int err;

	shape(&w, how);
	err = open_batches(&w, how, t, e);
	if (!err)
		err = get_memory(&w, t, e);
	if (!err) {
		cudaError_t rc = search(&w, count);

		if (rc != cudaSuccess && w.b.queue)
			cudaStreamSynchronize(w.b.queue);
		err = dev_jobs_end(t, rc, "search", e);
	}
	close_batches(&w);
	if (err)
		return err;
	stats->starts += count[STARTS];
	stats->values += count[VALUES];
	stats->comparisons += count[COMPARISONS];
	stats->fetched += count[FETCHED];
	stats->missed += count[MISSED];
	return 0;
}

const struct paper_primer_dev paper_primer_dev = { run };
