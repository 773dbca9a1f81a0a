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
	void *rows;
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
get_memory(struct job *w, struct dev_jobs *t, struct err *e)
{
	size_t rows = sizeof(int32_t) * w->rows_each, free = 0, total;
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
	w->rows = (uint8_t *)t->mem + bytes;
	return 0;
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

/* As many starts as a launch of bounded length takes. */
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

static int
run(void *stream, const struct paper_primer_dev_how *how,
    const struct primer_paper_job *j, struct primer_paper_stats *stats,
    struct err *e)
{
	struct dev_jobs *t = (struct dev_jobs *)stream;
	struct job w = { j, t->queue, NULL, {}, {}, 0, 0, 0, 0 };
	unsigned long long count[COUNTS];
	int err;

	shape(&w, how);
	err = get_memory(&w, t, e);
	if (!err)
		err = dev_jobs_end(t, search(&w, count), "search", e);
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
