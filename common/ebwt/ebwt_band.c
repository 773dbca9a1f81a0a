/* SPDX-License-Identifier: MIT */
/*
 * ebwt_band.c - distances of all pairs of words, some words' at a time
 *
 * Who wants the nearest of each word only needs no table of all pairs.  All
 * rows of the listing are kept instead, 5 bytes each, by groups of classes; a
 * tile of pairs takes those of two groups, merged.  So a band of a group's
 * words is counted without sorting again, and N words of m letters take
 * N^2 m / EBWT_GROUP steps, where tiles that look at all rows would take
 * N^3 m / EBWT_TILE^2.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt_priv.h"

enum {
	KEPT_BYTES = 5,		/* a rotation */
	ENTROPY_WORDS = 128,	/* of a band */
	TABLE_BYTES = 1 << 24,	/* a table that is no larger will do */
};
/* A backend counts all pairs at once: up to here it may. */
static const double BACKEND_BYTES = 4e9;

struct bands {
	struct ebwt *x;
	struct ebwt_pairs p;		/* of the band */
	struct ebwt_tiling g;
	struct ebwt_tile_work *work;	/* by thread */
	uint32_t *class;		/* all, by number */
	uint32_t *row;			/* those of each group, one group's */
	uint8_t *of;			/* after the other's */
	struct ebwt_group *group;
	struct ebwt_band band;
	ebwt_band_fn *fn;
	void *arg;
};

static uint64_t
n_groups(const struct ebwt *x)
{
	return x->n_classes / EBWT_GROUP + 1;
}

bool
ebwt_in_bands(const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	double q = (double)job->n_queries, n = (double)x->n_words;
	double words = q > 0 ? q * (n - q) : n * (n - 1) / 2;
	double c = (double)x->n_classes;
	double of_classes = c * (c - 1) / 2;
	double table = job->entropy ? 8 * words :
		       4 * (words < of_classes ? words : of_classes) -
		       KEPT_BYTES * (double)x->n_roots;

	if (!job->nearest || x->kind_of || x->n_roots > UINT32_MAX)
		return false;
	if (table < BACKEND_BYTES && ebwt_has_backend(x))
		return false;
	return x->par.bands || table > TABLE_BYTES;
}

uint64_t
ebwt_band_bytes(const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	uint64_t c = x->n_classes;

	if (job->entropy)
		return ENTROPY_WORDS * sizeof(double) * x->n_words +
		       sizeof(uint32_t) * x->n_words;
	return c * (3 * sizeof(uint32_t) + 2 * sizeof(uint64_t)) +
	       n_groups(x) * sizeof(struct ebwt_group) +
	       KEPT_BYTES * x->n_roots +
	       sizeof(uint32_t) * c * min_u64(EBWT_GROUP, c);
}

static int
keep_rows(void *arg, const struct ebwt_batch *b, struct err *e)
{
	struct bands *t = arg;

	(void)e;
	for (uint64_t i = 0; i < b->n; i++) {
		uint32_t c = ebwt_class(b, i);
		uint64_t row = b->base - t->x->par.origin + i;
		struct ebwt_group *g = &t->group[c / EBWT_GROUP];
		uint64_t at = (uint64_t)(g->row - t->row) + g->n++;

		t->row[at] = (uint32_t)row;
		t->of[at] = (uint8_t)(c % EBWT_GROUP);
		if (!t->p.first[c])
			t->p.first[c] = row + 1;
		t->p.last[c] = row + 1;
	}
	return 0;
}

/* All rows, by groups. */
static int
keep_all(struct bands *t, struct err *e)
{
	struct ebwt *x = t->x;
	uint64_t at = 0;
	int rc = ebwt_take(x, &t->row, x->n_roots, sizeof *t->row, e);

	if (!rc)
		rc = ebwt_take(x, &t->of, x->n_roots, sizeof *t->of, e);
	if (!rc)
		rc = ebwt_take(x, &t->group, n_groups(x), sizeof *t->group, e);
	for (size_t c = 0; c < x->n_classes && !rc; c++) {
		if (c % EBWT_GROUP == 0)
			t->group[c / EBWT_GROUP] = (struct ebwt_group){
				.row = t->row + at, .of = t->of + at,
				.class = (uint32_t)c,
			};
		at += x->class[c].n;
	}
	if (rc)
		return rc;
	memset(t->p.first, 0, x->n_classes * sizeof *t->p.first);
	return ebwt_sort(x, false, keep_rows, t, e);
}

/* Which classes are rows and columns, and counts of none. */
static void
number_band(struct bands *t, uint32_t first, uint32_t rows, uint32_t columns)
{
	struct ebwt_pairs *p = &t->p;

	p->n_rows = rows;
	p->n_columns = columns;
	for (uint32_t c = 0; c < t->x->n_classes; c++) {
		p->row_of[c] = c - first < rows ? c - first : EBWT_NONE;
		p->column_of[c] = c < columns ? c : EBWT_NONE;
	}
	memset(p->begins, 0, (uint64_t)rows * columns * sizeof *p->begins);
	t->g.class_of_row = t->class + first;
}

/* The group of the band's rows, with one of columns. */
static void
count_tile(void *arg, uint64_t i, unsigned thread)
{
	struct bands *t = arg;
	uint32_t column = (uint32_t)i * EBWT_GROUP, n = t->p.n_columns - column;
	uint32_t first = *t->g.class_of_row;
	struct ebwt_tile tile = {
		.rows = t->p.n_rows, .column = column,
		.columns = (uint32_t)min_u64(n, EBWT_GROUP),
	};

	ebwt_tile_groups(&t->g, &tile, t->group[first / EBWT_GROUP],
			 t->group[i], &t->work[thread]);
}

static void
report(const struct bands *t, uint64_t done, uint64_t of)
{
	const struct ebwt_params *par = &t->x->par;

	if (!par->progress)
		return;
	if (t->band.triangle) {
		done = done * (done + 1) / 2;
		of = of * (of + 1) / 2;
	}
	par->progress(par->progress_arg, done, of);
}

/* Bands of classes. */
static void
all_counts(struct bands *t, uint32_t n_rows)
{
	const struct ebwt_class *class = t->x->class;
	uint32_t all = (uint32_t)t->x->n_classes;

	for (uint32_t c = 0, end; c < n_rows; c = end) {
		end = (uint32_t)min_u64(c + (uint64_t)EBWT_GROUP, n_rows);
		number_band(t, c, end - c, t->band.triangle ? end : all);
		threads_each(t->x->par.threads,
			     (t->p.n_columns - 1) / EBWT_GROUP + 1,
			     count_tile, t);
		t->band.beg = class[c].first;
		t->band.end = class[end - 1].first + class[end - 1].words;
		t->fn(t->arg, &t->band);
		report(t, end, n_rows);
	}
}

static int
counts_room(struct bands *t, struct err *e)
{
	struct ebwt *x = t->x;
	struct ebwt_pairs *p = &t->p;
	uint64_t n = x->n_classes, threads = x->par.threads;
	int rc = ebwt_take(x, &p->row_of, n, sizeof *p->row_of, e);

	if (!rc)
		rc = ebwt_take(x, &p->column_of, n, sizeof *p->column_of, e);
	if (!rc)
		rc = ebwt_take(x, &t->class, n, sizeof *t->class, e);
	if (!rc)
		rc = ebwt_take(x, &p->first, n, sizeof *p->first, e);
	if (!rc)
		rc = ebwt_take(x, &p->last, n, sizeof *p->last, e);
	if (!rc)
		rc = ebwt_take(x, &p->begins, min_u64(EBWT_GROUP, n) * n,
			       sizeof *p->begins, e);
	if (!rc)
		rc = ebwt_take(x, &t->work, threads, sizeof *t->work, e);
	if (rc)
		return rc;
	memset(t->work, 0, threads * sizeof *t->work);
	for (uint64_t i = 0; !rc && i < threads; i++)
		rc = ebwt_tile_room(&t->work[i], x, e);
	for (uint32_t c = 0; c < n; c++)
		t->class[c] = c;
	return rc;
}

static int
count_bands(struct bands *t, uint64_t n_queries, struct err *e)
{
	struct ebwt *x = t->x;
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint32_t rows = n_queries ? 0 : (uint32_t)x->n_classes;
	int rc = counts_room(t, e);

	/* classes are numbered as they first come: those of queries first */
	for (uint64_t w = 0; w < n_queries; w++)
		rows = (uint32_t)max_u64(rows, x->class_of[w] + 1);
	t->g = (struct ebwt_tiling){
		.p = &t->p, .class_of_column = t->class, .lock = &lock,
		.tally = ebwt_ops()->tally,
	};
	t->band.word = x->member;
	if (!rc)
		rc = keep_all(t, e);
	if (!rc)
		all_counts(t, rows);
	for (unsigned i = 0; t->work && i < x->par.threads; i++)
		ebwt_tile_done(&t->work[i], x);
	ebwt_give(x, &t->p.row_of);
	ebwt_give(x, &t->p.column_of);
	ebwt_give(x, &t->p.first);
	ebwt_give(x, &t->p.last);
	ebwt_give(x, &t->p.begins);
	ebwt_give(x, &t->class);
	ebwt_give(x, &t->work);
	ebwt_give(x, &t->row);
	ebwt_give(x, &t->of);
	ebwt_give(x, &t->group);
	return rc;
}

/* Entropies: bands of words. */

struct entropies {
	const struct ebwt_entropies *of;
	const struct ebwt_band *band;
	double *value;		/* by word of the band, and by word */
};

static void
entropies_of(void *arg, uint64_t i, unsigned thread)
{
	const struct entropies *t = arg;
	const struct ebwt_band *b = t->band;
	size_t w = b->beg + i, end = b->triangle ? w : b->x->n_words;

	ebwt_entropies_of(t->of, thread, w, b->n_queries, end, t->value +
			  i * b->x->n_words + b->n_queries, 1);
}

static int
entropy_bands(struct bands *t, uint64_t n_queries, struct err *e)
{
	struct ebwt *x = t->x;
	uint64_t n = n_queries ? n_queries : x->n_words;
	struct entropies y = { .band = &t->band };
	struct ebwt_entropies *of;
	int rc = ebwt_entropies_new(&of, x, e);

	if (!rc)
		rc = ebwt_take(x, &t->class, x->n_words, sizeof *t->class, e);
	if (!rc)
		rc = ebwt_take(x, &y.value, ENTROPY_WORDS * x->n_words,
			       sizeof *y.value, e);
	for (uint32_t w = 0; w < x->n_words && !rc; w++)
		t->class[w] = w;
	y.of = of;
	t->band.word = t->class;
	t->band.entropy = y.value;
	for (uint64_t w = 0; w < n && !rc; w = t->band.end) {
		t->band.beg = w;
		t->band.end = min_u64(w + ENTROPY_WORDS, n);
		threads_each(x->par.threads, t->band.end - w, entropies_of, &y);
		t->fn(t->arg, &t->band);
		report(t, t->band.end, n);
	}
	ebwt_entropies_delete(of);
	ebwt_give(x, &y.value);
	ebwt_give(x, &t->class);
	return rc;
}

int
ebwt_bands(struct ebwt *x, const struct ebwt_pairs_job *job, ebwt_band_fn *fn,
	   void *arg, struct err *e)
{
	struct bands t = {
		.x = x, .fn = fn, .arg = arg,
		.band = { .x = x, .n_queries = job->n_queries,
			  .triangle = !job->n_queries },
	};
	uint64_t used = x->used;
	int rc;

	if (x->par.memory && ebwt_fits(x, ebwt_need(x, job).least - used, e))
		return e->code;
	t.band.pairs = &t.p;
	rc = job->entropy ? entropy_bands(&t, job->n_queries, e) :
			    count_bands(&t, job->n_queries, e);
	x->used = used;
	return rc;
}

void
ebwt_band_row(const struct ebwt_band *b, enum ebwt_metric metric, size_t row,
	      size_t beg, size_t end, double *to)
{
	const struct ebwt *x = b->x;
	const struct ebwt_pairs *p = b->pairs;
	const struct ebwt_word *word = x->word;
	const uint32_t *at = b->word, *class_of = x->class_of, *begins;
	uint32_t c = class_of[at[row]];
	uint64_t u = word[at[row]].n;

	if (ebwt_is_entropy(metric)) {
		memcpy(to, b->entropy + (row - b->beg) * x->n_words + beg,
		       (end - beg) * sizeof *to);
		return;
	}
	/* columns are numbered as classes are */
	begins = p->begins + ebwt_cell(p, p->row_of[c], 0);
	for (size_t k = beg; k < end; k++) {
		uint32_t j = at[k], d = class_of[j];
		uint64_t v = word[j].n, delta = c == d ?
			ebwt_delta_tied(u, v) : u + v -
			ebwt_runs(p, c, d, begins[d]);

		to[k - beg] = metric == EBWT_DELTA ? (double)delta :
			      ebwt_measure(metric, u, v, delta);
	}
}
