/* SPDX-License-Identifier: MIT */
/*
 * ebwt_count.c - the runs of all pairs, in one pass over the sorted rotations
 *
 * Let the rows of two words c, d alternate in runs.  A run of c's, but the
 * first of all, begins where the last row of d is behind the last one of c, so
 * this pass counts, at each row of c, the words with a later last row.  Runs of
 * d's lie between, before or behind those: their number is known from who has
 * the first and who the last row of both.  With k counted for c:
 *	first c, last c: k + 1 of c's, k of d's	first d, last c: k, k
 *	first c, last d: k + 1, k + 1		first d, last d: k, k + 1
 * Rows of a word of exponent t lie t times side by side: as many runs.
 */
#include <pthread.h>
#include <string.h>

#include "algo/ebwt_tile.h"
#include "base/cpu.h"
#include "base/minmax.h"

struct count {
	struct ebwt *x;
	struct ebwt_tiling g;
	ebwt_begins_fn *begins;
	bool one_pair;		/* and no other class */
	/* By class: number of the row, from 1; or 0. */
	uint64_t *first, *last;
	uint32_t *of_row, *of_column;	/* classes by numbers */
	unsigned n_stretches;
	struct ebwt_stretch *stretch;
	/* By stretch and class: the last row before the stretch. */
	uint64_t *before;
	struct ebwt_tile_work *work;	/* by thread */
	/* of a batch */
	const struct ebwt_batch *batch;
	uint64_t n_tiles;
};

/*
 * A stretch's share of the batch: colours, in place of the items, of which the
 * first half is room enough; and each class's last row in the stretch.
 */
static void
colour(void *arg, uint64_t i, unsigned thread)
{
	struct count *t = arg;
	const struct ebwt_batch *b = t->batch;
	uint64_t beg = b->n * i / t->n_stretches;
	uint64_t end = b->n * (i + 1) / t->n_stretches;
	uint32_t *to = (uint32_t *)(b->item + beg);
	uint64_t *last = t->before + i * t->x->n_classes;

	(void)thread;
	memset(last, 0, t->x->n_classes * sizeof *last);
	for (uint64_t k = beg; k < end; k++) {
		uint32_t c = ebwt_class(b, k);

		last[c] = b->base + k + 1;
		*to++ = c;
	}
	t->stretch[i] = (struct ebwt_stretch){
		(uint32_t *)(b->item + beg), end - beg, last,
	};
}

/* Last rows within stretches become those before them, and after the batch. */
static void
chain(struct count *t)
{
	size_t n = t->x->n_classes;

	for (unsigned i = 0; i < t->n_stretches; i++)
		for (size_t c = 0; c < n; c++) {
			uint64_t *at = &t->before[i * n + c], found = *at;

			*at = t->last[c];
			if (found)
				t->last[c] = found;
		}
}

/* First rows of classes that had none: few batches have any. */
static void
find_first(struct count *t)
{
	const struct ebwt_batch *b = t->batch;
	size_t missing = 0;
	uint64_t done = 0;

	for (size_t c = 0; c < t->x->n_classes; c++)
		missing += !t->first[c] && t->last[c];
	for (unsigned i = 0; missing && i < t->n_stretches; i++) {
		const struct ebwt_stretch *s = &t->stretch[i];

		for (uint64_t k = 0; missing && k < s->n; k++)
			if (!t->first[s->colour[k]]) {
				t->first[s->colour[k]] = b->base + done + k + 1;
				missing--;
			}
		done += s->n;
	}
}

static uint32_t
tiles(uint32_t n)
{
	return (n + EBWT_TILE - 1) / EBWT_TILE;
}

/* The tile of a number: of all pairs those with a row below the column. */
static struct ebwt_tile
tile_of(const struct ebwt_pairs *p, uint64_t k)
{
	struct ebwt_tile t = { .rows = p->n_rows, .columns = p->n_columns };
	uint32_t across = tiles(p->n_columns), i = 0, j;

	if (p->n_queries) {
		i = (uint32_t)(k / across);
		j = (uint32_t)(k % across);
	} else {
		while (k > i)
			k -= ++i;
		j = (uint32_t)k;
	}
	t.row = i * EBWT_TILE;
	t.rows = (uint32_t)min_u64(p->n_rows - t.row, EBWT_TILE);
	t.column = j * EBWT_TILE;
	t.columns = (uint32_t)min_u64(p->n_columns - t.column, EBWT_TILE);
	return t;
}

/*
 * There are only the two classes of one pair: then a row of c counts if the row
 * before is not of c.
 */
static void
count_pair(void *arg, uint64_t i, unsigned thread)
{
	struct count *t = arg;
	const struct ebwt_stretch *s = &t->stretch[i];
	const struct ebwt_pairs *p = t->g.p;
	uint32_t row = p->n_queries ? 0 : 1, c = t->of_row[row];
	uint64_t n = t->begins(s->colour, s->n, c);

	(void)thread;
	n += s->n && s->colour[0] == c && s->last[!c] > s->last[c];
	pthread_mutex_lock(t->g.lock);
	p->begins[ebwt_cell(p, row, 0)] += (uint32_t)n;
	pthread_mutex_unlock(t->g.lock);
}

static void
count_tile(void *arg, uint64_t i, unsigned thread)
{
	struct count *t = arg;
	struct ebwt_tile tile = tile_of(t->g.p, i / t->n_stretches);

	ebwt_tile(&t->g, &tile, &t->stretch[i % t->n_stretches],
		  &t->work[thread]);
}

static int
take(void *arg, const struct ebwt_batch *b, struct err *e)
{
	struct count *t = arg;
	struct ebwt *x = t->x;
	unsigned threads = x->par.threads;

	(void)e;
	t->batch = b;
	t->n_stretches = ebwt_threads(x, b->n);
	ebwt_each(threads, t->n_stretches, colour, t);
	chain(t);
	find_first(t);
	if (t->one_pair)
		ebwt_each(threads, t->n_stretches, count_pair, t);
	else
		ebwt_each(threads, t->n_tiles * t->n_stretches, count_tile, t);
	if (x->par.progress)
		x->par.progress(x->par.progress_arg, b->base + b->n -
				x->par.origin, x->n_roots);
	return 0;
}

static void
choose_kernels(struct count *t)
{
	t->g.tally = ebwt_tally_scalar;
	t->begins = ebwt_begins_scalar;
#if defined(__x86_64__)
	if (cpu_isa() == ISA_AVX512) {
		t->g.tally = ebwt_tally_avx512;
		t->begins = ebwt_begins_avx512;
	} else if (cpu_isa() == ISA_AVX2) {
		t->g.tally = ebwt_tally_avx2;
		t->begins = ebwt_begins_avx2;
	}
#endif
}

static int
room(struct count *t, struct err *e)
{
	struct ebwt *x = t->x;
	uint64_t n = x->n_classes, threads = x->par.threads;
	int rc = ebwt_take(x, &t->of_row, n, sizeof *t->of_row, e);

	if (!rc)
		rc = ebwt_take(x, &t->of_column, n, sizeof *t->of_column, e);
	if (!rc)
		rc = ebwt_take(x, &t->before, threads * n, sizeof *t->before,
			       e);
	if (!rc)
		rc = ebwt_take(x, &t->stretch, threads, sizeof *t->stretch, e);
	if (!rc)
		rc = ebwt_take(x, &t->work, threads, sizeof *t->work, e);
	if (rc)
		return rc;
	memset(t->work, 0, threads * sizeof *t->work);
	for (uint64_t i = 0; !rc && i < threads; i++)
		rc = ebwt_tile_room(&t->work[i], x, e);
	return rc;
}

static void
begin(struct count *t)
{
	const struct ebwt_pairs *p = t->g.p;
	uint64_t cells = p->n_queries ? (uint64_t)p->n_rows * p->n_columns :
		(uint64_t)p->n_rows * (p->n_rows - 1) / 2, n = tiles(p->n_rows);

	memset(t->last, 0, t->x->n_classes * sizeof *t->last);
	memset(t->first, 0, t->x->n_classes * sizeof *t->first);
	memset(p->begins, 0, cells * sizeof *p->begins);
	for (uint32_t c = 0; c < t->x->n_classes; c++) {
		if (p->row_of[c] != EBWT_NONE)
			t->of_row[p->row_of[c]] = c;
		if (p->column_of[c] != EBWT_NONE)
			t->of_column[p->column_of[c]] = c;
	}
	t->g.class_of_row = t->of_row;
	t->g.class_of_column = t->of_column;
	t->n_tiles = p->n_queries ? n * tiles(p->n_columns) : n * (n + 1) / 2;
	if (cells == 0)
		t->n_tiles = 0;
	t->one_pair = cells == 1 && t->x->n_classes == 2;
}

int
ebwt_count(struct ebwt *x, struct ebwt_pairs *p, struct err *e)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct count t = {
		.x = x, .g = { .p = p, .lock = &lock },
		.first = p->first, .last = p->last,
	};
	int rc = room(&t, e);

	choose_kernels(&t);
	if (!rc) {
		begin(&t);
		rc = ebwt_sort(x, false, take, &t, e);
	}
	for (unsigned i = 0; t.work && i < x->par.threads; i++)
		ebwt_tile_done(&t.work[i], x);
	ebwt_give(x, &t.of_row);
	ebwt_give(x, &t.of_column);
	ebwt_give(x, &t.before);
	ebwt_give(x, &t.stretch);
	ebwt_give(x, &t.work);
	return rc;
}
