/* SPDX-License-Identifier: MIT */
/*
 * paper_primer_dev.cu - the source's algorithms for primers: memory, launches
 */
#include "cuda/dev.cuh"
#include "cuda/paper_primer_kernel.cuh"

enum {
	THREADS = 256,
	/* Values, or so: of a launch, that it is not too long. */
	LAUNCH_STEPS = 1 << 20, STEP = 1024,
	TILED_K = 2048,		/* what is saved of tiles fits, at most */
};

/* On the device. */
struct starts_memory {
	unsigned long long *count;
	uint32_t *stop, *cap, *end, *taken;
	uint16_t *holds;
	uint8_t *code, *symbol;
};

struct job {
	const struct primer_paper_job *j;
	cudaStream_t queue;
	void *mem, *rows;
	struct starts_memory m;
	struct starts a;
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
	m->taken = (uint32_t *)dev_part(base, &at, sizeof *m->taken);
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

/* As many blocks as the device holds, or as it has rows for. */
static int
get_memory(struct job *w, int device, struct err *e)
{
	unsigned long long rows = sizeof(int32_t) *
				  (unsigned long long)w->rows_each;
	struct cuda_device d;
	cudaError_t rc;
	int err = cuda_device(&d, device, e);

	if (err)
		return err;
	w->blocks = max(d.threads / w->threads, 1u);
	rc = cudaMalloc(&w->mem, lay_out(&w->m, w->j, NULL));
	if (rc == cudaSuccess && rows) {
		w->blocks = (uint32_t)min(
			(unsigned long long)w->blocks,
			(unsigned long long)d.free / 2 / rows + 1);
		rc = cudaMalloc(&w->rows, rows * w->blocks);
	}
	lay_out(&w->m, w->j, (uint8_t *)w->mem);
	return rc == cudaSuccess ? 0 : dev_not_made(device, rc, "memory", e);
}

static cudaError_t
put(const struct job *w)
{
	const struct primer_paper_job *j = w->j;
	size_t places = j->places * sizeof *j->stop;
	cudaError_t rc = cudaMemsetAsync(w->m.count, 0, COUNTS *
					 sizeof *w->m.count, w->queue);

	if (rc == cudaSuccess)
		rc = dev_put(w->m.stop, j->stop, places, w->queue);
	if (rc == cudaSuccess)
		rc = dev_put(w->m.cap, j->cap, places, w->queue);
	if (rc == cudaSuccess)
		rc = dev_put(w->m.end, j->end, places, w->queue);
	if (rc == cudaSuccess)
		rc = dev_put(w->m.holds, j->holds, 16 * sizeof *j->holds,
			     w->queue);
	if (rc == cudaSuccess)
		rc = dev_put(w->m.code, j->code, j->places, w->queue);
	if (rc == cudaSuccess && j->n)
		rc = dev_put(w->m.symbol, j->symbol, j->n, w->queue);
	return rc;
}

static void
launch_starts(const struct job *w)
{
	uint32_t blocks = min(w->blocks, w->a.items);
	bool alternative = w->j->how->method == PRIMER_ALTERNATIVE;

	if (alternative && w->a.tiled)
		LAUNCH((search_starts<true, true>), blocks, w->threads,
		       w->shared, w->queue, w->a);
	else if (alternative)
		LAUNCH((search_starts<true, false>), blocks, w->threads, 0,
		       w->queue, w->a);
	else if (w->a.tiled)
		LAUNCH((search_starts<false, true>), blocks, w->threads,
		       w->shared, w->queue, w->a);
	else
		LAUNCH((search_starts<false, false>), blocks, w->threads, 0,
		       w->queue, w->a);
}

/* So many starts that a launch is not too long. */
static cudaError_t
launch(struct job *w)
{
	uint32_t starts = max((uint32_t)LAUNCH_STEPS / (w->j->n / STEP + 1),
			      1u);
	cudaError_t rc = cudaSuccess;

	for (uint32_t at = 0, n; at < w->j->places; at += n) {
		n = min(starts, w->j->places - at);
		w->a.from = at;
		w->a.items = n;
		rc = cudaMemsetAsync(w->m.taken, 0, sizeof *w->m.taken,
				     w->queue);
		if (rc != cudaSuccess)
			return rc;
		launch_starts(w);
		rc = cudaGetLastError();
		if (rc != cudaSuccess)
			return rc;
	}
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
	w->a.taken = w->m.taken;
	w->a.rows = (int32_t *)w->rows;
	w->a.count = w->m.count;
	w->a.literal = w->j->literal;
	if (rc == cudaSuccess)
		rc = launch(w);
	if (rc == cudaSuccess)
		rc = dev_get(count, w->m.count, COUNTS * sizeof *count,
			     w->queue);
	return rc == cudaSuccess ?
	       dev_get(w->j->end, w->m.end, w->j->places * sizeof *w->j->end,
		       w->queue) : rc;
}

extern "C" int
paper_primer_dev_run(int device, const struct paper_primer_dev_how *how,
		     const struct primer_paper_job *j,
		     struct primer_paper_stats *stats, struct err *e)
{
	struct job w = { j, 0, NULL, NULL, {}, {}, 0, 0, 0, 0 };
	unsigned long long count[COUNTS];
	uint32_t threads;
	cudaError_t rc;
	int err = dev_open(device, &w.queue, &threads, e);

	shape(&w, how);
	if (!err)
		err = get_memory(&w, device, e);
	if (!err) {
		rc = search(&w, count);
		if (rc != cudaSuccess)
			err = dev_failed(device, rc, "search", e);
	}
	dev_close(device, w.queue, w.mem, NULL);
	cudaFree(w.rows);
	cudaGetLastError();
	if (err)
		return err;
	stats->starts += count[STARTS];
	stats->values += count[VALUES];
	stats->comparisons += count[COMPARISONS];
	stats->fetched += count[FETCHED];
	stats->missed += count[MISSED];
	return 0;
}
