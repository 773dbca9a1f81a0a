/* SPDX-License-Identifier: MIT */
/* ebwt_dev.cu - rotations sorted and pairs counted by a GPU: its memory */
#include "cuda/dev.cuh"
#include "cuda/sort.cuh"
#include "cuda/ebwt_kernel.cuh"
#include "cuda/paper_ebwt.cuh"

extern "C" {
#include "cuda/ebwt_dev.h"
}

/* On the device; of `rows` and what follows only where pairs are counted. */
struct turns_memory {
	uint8_t *code;
	uint32_t *base, *rank, *head, *n_ties;
	struct sort_pairs pairs;
	uint32_t *colour, *begins;
	uint32_t *row_of, *class_of_column;
};

struct work {
	const struct ebwt_job *j;
	struct ebwt_dev_how how;
	cudaStream_t queue;
	uint32_t *ties;		/* pinned */
	struct turns_memory m;
	struct turns a;
};

static uint32_t *
words(uint8_t *base, size_t *at, uint64_t n)
{
	return (uint32_t *)dev_part(base, at, n * sizeof(uint32_t));
}

/* Its bytes. */
static size_t
lay_out(struct turns_memory *m, const struct ebwt_job *j, uint8_t *base)
{
	uint64_t n = j->n, c = j->n_classes;
	uint64_t counts = (uint64_t)SORT_DIGITS * sort_most_blocks(j->n);
	uint64_t most = counts > n ? counts : n;
	size_t at = 0;

	for (int i = 0; i < 2; i++) {
		m->pairs.key[i] = dev_part(base, &at, n * 8);
		m->pairs.value[i] = words(base, &at, n);
	}
	m->pairs.count = words(base, &at, counts);
	m->pairs.sums = words(base, &at, most / SCAN_TILE + 1);
	m->code = (uint8_t *)dev_part(base, &at, n);
	m->base = words(base, &at, c + 1);
	m->rank = words(base, &at, n);
	m->head = words(base, &at, n);
	m->n_ties = words(base, &at, 1);
	if (!j->begins)
		return at;
	m->colour = words(base, &at, n);
	m->begins = words(base, &at, j->n_cells);
	m->row_of = words(base, &at, c);
	m->class_of_column = words(base, &at, j->n_columns);
	return at;
}

static uint32_t
blocks(uint32_t n)
{
	return n / TURNS_BLOCK + (n % TURNS_BLOCK != 0);
}

static unsigned
bits_of(uint32_t x)
{
	unsigned bits = 0;

	for (; x; x >>= 1)
		bits++;
	return bits;
}

static cudaError_t
put_words(const struct work *w, uint32_t *to, const uint32_t *from, uint64_t n)
{
	return n ? dev_put(to, from, n * sizeof *to, w->queue) : cudaSuccess;
}

/* Where the next kernel has keys and places. */
static void
view(struct work *w)
{
	w->a.key = (uint64_t *)w->m.pairs.key[0];
	w->a.key32 = (uint32_t *)w->m.pairs.key[0];
	w->a.value = w->m.pairs.value[0];
}

/* The order is kept while places in another one are written to be sorted. */
static const uint32_t *
begin_order(struct work *w)
{
	uint32_t *order = w->m.pairs.value[0];

	w->m.pairs.value[0] = w->m.pairs.value[1];
	w->m.pairs.value[1] = order;
	view(w);
	return order;
}

/* Pairs, sorted, to ranks of 2 h letters, or of first keys (h is 0); how many
 * rows tie with the one before. */
static cudaError_t
rank(struct work *w, uint64_t h, uint32_t *ties)
{
	uint32_t n = w->j->n;
	cudaError_t rc = cudaMemsetAsync(w->m.n_ties, 0, sizeof *w->m.n_ties,
					 w->queue);

	if (rc != cudaSuccess)
		return rc;
	view(w);
	LAUNCH(turns_heads, blocks(n), TURNS_BLOCK, 0, w->queue, w->a, h);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = scan_device<true>(w->m.head, n, w->m.pairs.sums, false,
				       w->queue);
	if (rc != cudaSuccess)
		return rc;
	LAUNCH(turns_ranks, blocks(n), TURNS_BLOCK, 0, w->queue, w->a);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = dev_get(w->ties, w->m.n_ties, sizeof *ties, w->queue);
	*ties = rc == cudaSuccess ? *w->ties : 0;
	return rc;
}

/* Once keys of type K are made. */
template <class K>
static cudaError_t
sort_keys(struct work *w, unsigned bits)
{
	cudaError_t rc = cudaGetLastError();

	return rc == cudaSuccess ? sort_device<K>(&w->m.pairs, w->j->n, bits,
						  w->queue) : rc;
}

/* If of n rows no more than a FEWth tie with the one before, those in groups
 * are fewer than a quarter: lists of them fit where there was one of all. */
enum { FEW = 8, LISTS = 4 };

/* Of rows that tie. */
struct tied {
	uint32_t *row[2], *place[2];
	uint32_t n;
};

/* Those of a list that still tie become the list. */
static cudaError_t
take_tied(struct work *w, const struct turns_tied *from, struct tied *t)
{
	uint32_t *slot = (uint32_t *)w->m.pairs.key[1], *row = t->row[1];
	uint32_t *place = t->place[1];
	cudaError_t rc = cudaMemsetAsync(w->m.n_ties, 0, sizeof *w->m.n_ties,
					 w->queue);

	if (rc != cudaSuccess)
		return rc;
	LAUNCH(turns_tied_count, blocks(from->n), TURNS_BLOCK, 0, w->queue,
	       *from, slot, w->m.n_ties);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = scan_device<false>(slot, from->n, w->m.pairs.sums, true,
					w->queue);
	if (rc != cudaSuccess)
		return rc;
	LAUNCH(turns_tied_take, blocks(from->n), TURNS_BLOCK, 0, w->queue,
	       *from, slot, row, place);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = dev_get(w->ties, w->m.n_ties, sizeof *w->ties, w->queue);
	t->n = rc == cudaSuccess ? *w->ties : 0;
	t->row[1] = t->row[0];
	t->row[0] = row;
	t->place[1] = t->place[0];
	t->place[0] = place;
	return rc;
}

/* By 2 h letters; who still ties then. */
static cudaError_t
sort_list(struct work *w, struct tied *t, uint64_t h)
{
	unsigned bits = bits_of(w->j->n - 1);
	struct turns_tied list = { t->row[0], t->place[0], w->m.head, t->n };
	struct sort_pairs p = w->m.pairs;
	cudaError_t rc;

	p.value[0] = t->place[0];
	p.value[1] = t->place[1];
	LAUNCH(turns_tied_keys, blocks(t->n), TURNS_BLOCK, 0, w->queue, w->a,
	       list, h, bits);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = sort_device<uint64_t>(&p, t->n, 2 * bits, w->queue);
	if (rc != cudaSuccess)
		return rc;
	t->place[0] = p.value[0];
	t->place[1] = p.value[1];
	list.place = p.value[0];
	LAUNCH(turns_tied_heads, blocks(t->n), TURNS_BLOCK, 0, w->queue,
	       (const uint64_t *)p.key[0], list);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = scan_device<true>(w->m.head, t->n, p.sums, false,
				       w->queue);
	if (rc != cudaSuccess)
		return rc;
	LAUNCH(turns_tied_ranks, blocks(t->n), TURNS_BLOCK, 0, w->queue, w->a,
	       list);
	rc = cudaGetLastError();
	return rc == cudaSuccess ? take_tied(w, &list, t) : rc;
}

/* Only those that tie in h letters, until no two do. */
static cudaError_t
sort_tied(struct work *w, uint64_t h)
{
	uint32_t n = w->j->n, *room = w->m.pairs.value[1], each = n / LISTS;
	struct turns_tied all = { NULL, w->m.pairs.value[0], w->m.head, n };
	struct tied t = { { room, room + each },
			  { room + 2 * each, room + 3 * each }, 0 };
	cudaError_t rc = take_tied(w, &all, &t);

	view(w);
	for (; t.n && rc == cudaSuccess; h *= 2)
		rc = sort_list(w, &t, h);
	return rc;
}

/*
 * Until no two tie: then value[0] is the order.  Two rotations of roots differ
 * within the letters of both roots, fewer than 2^32: so h ends below 2^33.
 */
static cudaError_t
sort(struct work *w)
{
	const struct ebwt_job *j = w->j;
	unsigned bits = bits_of(j->n - 1), letters = w->a.letters;
	uint32_t ties = 0;
	uint64_t h = letters;
	cudaError_t rc;

	LAUNCH(turns_first, blocks(j->n), TURNS_BLOCK, 0, w->queue, w->a);
	rc = sort_keys<uint32_t>(w, letters * j->bits);
	if (rc == cudaSuccess)
		rc = rank(w, 0, &ties);
	for (; ties > j->n / FEW && rc == cudaSuccess; h *= 2) {
		const uint32_t *order = begin_order(w);

		LAUNCH(turns_double, blocks(j->n), TURNS_BLOCK, 0, w->queue,
		       w->a, order, h);
		rc = sort_keys<uint32_t>(w, bits);
		if (rc == cudaSuccess)
			rc = rank(w, h, &ties);
	}
	return ties && rc == cudaSuccess ? sort_tied(w, h) : rc;
}

/* Letters that decide between any two: of the two longest roots. */
static uint64_t
deciding(const struct ebwt_job *j)
{
	uint32_t most = 0;

	for (uint32_t c = 0; c < j->n_classes; c++)
		if (j->base[c + 1] - j->base[c] > most)
			most = j->base[c + 1] - j->base[c];
	return 2 * (uint64_t)most;
}

/* By words of letters, the last one first. */
static cudaError_t
sort_words(struct work *w)
{
	uint32_t n = w->j->n;
	uint32_t word = (uint32_t)(deciding(w->j) / w->a.letters + 1);
	cudaError_t rc;

	LAUNCH(turns_places, blocks(n), TURNS_BLOCK, 0, w->queue,
	       w->m.pairs.value[0], n, n);
	rc = cudaGetLastError();
	while (word-- > 0 && rc == cudaSuccess) {
		view(w);
		LAUNCH(turns_word, blocks(n), TURNS_BLOCK, 0, w->queue, w->a,
		       word);
		rc = sort_keys<uint64_t>(w, w->a.letters * w->a.bits);
	}
	return rc;
}

/* Of the next power of two, which has room where keys of 64 bits have it. */
static cudaError_t
sort_bitonic(struct work *w)
{
	uint32_t n = w->j->n, all = 1, *place;
	cudaError_t rc;

	while (all < n)
		all *= 2;
	place = (uint32_t *)w->m.pairs.key[0];
	LAUNCH(turns_places, blocks(all), TURNS_BLOCK, 0, w->queue, place, n,
	       all);
	rc = cudaGetLastError();
	for (uint32_t run = 2; run && run <= all; run *= 2)
		for (uint32_t apart = run / 2; apart && rc == cudaSuccess;
		     apart /= 2) {
			LAUNCH(turns_bitonic, blocks(all), TURNS_BLOCK, 0,
			       w->queue, w->a, place, all, run, apart);
			rc = cudaGetLastError();
		}
	return rc == cudaSuccess ?
	       cudaMemcpyAsync(w->m.pairs.value[0], place, n * sizeof *place,
			       cudaMemcpyDeviceToDevice, w->queue) : rc;
}

/* What belongs to pairs to the device. */
static cudaError_t
put_pairs(const struct work *w)
{
	const struct ebwt_job *j = w->j;
	cudaError_t rc = put_words(w, w->m.row_of, j->row_of, j->n_classes);

	if (rc == cudaSuccess)
		rc = put_words(w, w->m.class_of_column, j->class_of_column,
			       j->n_columns);
	if (rc == cudaSuccess && j->n_cells)
		rc = cudaMemsetAsync(w->m.begins, 0, j->n_cells *
				     sizeof *w->m.begins, w->queue);
	return rc;
}

static void
launch_count(const struct work *w, const uint32_t *rows,
	     const uint32_t *before)
{
	const struct ebwt_job *j = w->j;
	uint32_t y = j->n_columns / TURNS_LANES + 1;
	struct turns_tally t;

	t.base = w->m.base;
	t.rows = rows;
	t.colour = w->m.colour;
	t.before = before;
	t.row_of = w->m.row_of;
	t.class_of_column = w->m.class_of_column;
	t.begins = w->m.begins;
	t.n = j->n;
	t.n_columns = j->n_columns;
	t.triangle = j->triangle;
	if (j->n_cells)
		LAUNCH(turns_count, dim3((j->n - 1) / TURNS_ROWS + 1,
					 y < 65535 ? y : 65535), TURNS_LANES,
		       0, w->queue, t);
}

static cudaError_t
get_words(const struct work *w, uint32_t *to, const uint32_t *from, uint64_t n)
{
	return n ? cudaMemcpyAsync(to, from, n * sizeof *to,
				   cudaMemcpyDeviceToHost, w->queue) :
		   cudaSuccess;
}

/* What was counted; keys have done, and give their place to the ends. */
static cudaError_t
get_pairs(struct work *w, const uint32_t *rows)
{
	const struct ebwt_job *j = w->j;
	uint32_t *first, *last;
	cudaError_t rc;

	view(w);
	first = w->a.key32;
	last = first + j->n_classes;
	LAUNCH(turns_ends, blocks(j->n_classes), TURNS_BLOCK, 0, w->queue, w->a,
	       rows, first, last);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = get_words(w, j->first, first, j->n_classes);
	if (rc == cudaSuccess)
		rc = get_words(w, j->last, last, j->n_classes);
	if (rc == cudaSuccess)
		rc = get_words(w, j->begins, w->m.begins, j->n_cells);
	return rc == cudaSuccess ? cudaStreamSynchronize(w->queue) : rc;
}

static cudaError_t
count(struct work *w)
{
	const struct ebwt_job *j = w->j;
	uint32_t *before = w->m.rank, *rows;	/* ranks have done */
	const uint32_t *order;
	cudaError_t rc = put_pairs(w);

	if (rc != cudaSuccess)
		return rc;
	order = begin_order(w);
	LAUNCH(turns_colour, blocks(j->n), TURNS_BLOCK, 0, w->queue, w->a,
	       order, w->m.colour);
	rc = sort_keys<uint32_t>(w, bits_of(j->n_classes - 1));
	if (rc != cudaSuccess)
		return rc;
	rows = w->m.pairs.value[0];
	LAUNCH(turns_before, blocks(j->n), TURNS_BLOCK, 0, w->queue, w->a, rows,
	       w->m.colour, before);
	rc = cudaGetLastError();
	if (rc == cudaSuccess) {
		launch_count(w, rows, before);
		rc = cudaGetLastError();
	}
	return rc == cudaSuccess ? get_pairs(w, rows) : rc;
}

static cudaError_t
run(struct work *w)
{
	const struct ebwt_job *j = w->j;
	cudaError_t rc = dev_put(w->m.code, j->code, j->n, w->queue);

	w->a.code = w->m.code;
	w->a.base = w->m.base;
	view(w);
	w->a.rank = w->m.rank;
	w->a.head = w->m.head;
	w->a.n_ties = w->m.n_ties;
	w->a.n = j->n;
	w->a.n_classes = j->n_classes;
	w->a.bits = j->bits;
	w->a.letters = (w->how.kernel == EBWT_DEV_FAST ? 32 : 64) / j->bits;
	if (w->how.letters && w->how.letters < w->a.letters)
		w->a.letters = w->how.letters;
	if (rc == cudaSuccess)
		rc = put_words(w, w->m.base, j->base,
			       (uint64_t)j->n_classes + 1);
	if (rc == cudaSuccess)
		rc = w->how.kernel == EBWT_DEV_FAST ? sort(w) :
		     w->how.kernel == EBWT_DEV_PAPER ? sort_words(w) :
						       sort_bitonic(w);
	if (rc == cudaSuccess && j->order)
		rc = dev_get(j->order, w->m.pairs.value[0],
			     j->n * sizeof *j->order, w->queue);
	if (rc == cudaSuccess && j->begins)
		rc = count(w);
	return rc;
}

static int
run_job(void *stream, const struct ebwt_dev_how *how, const struct ebwt_job *j,
	struct err *e)
{
	struct dev_jobs *t = (struct dev_jobs *)stream;
	struct work w = { j, *how, t->queue, (uint32_t *)t->pinned, {}, {} };
	int err = dev_jobs_begin(t, lay_out(&w.m, j, NULL), e);

	if (err)
		return err;
	lay_out(&w.m, j, (uint8_t *)t->mem);
	return dev_jobs_end(t, run(&w), "sorting", e);
}

const struct ebwt_dev ebwt_dev = { run_job };
