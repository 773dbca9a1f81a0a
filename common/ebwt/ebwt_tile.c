/* SPDX-License-Identifier: MIT */
/*
 * ebwt_tile.c - a tile of the pairs of classes, counted with 16-bit clocks
 *
 * The clock of a tile advances by one with each row of one of its classes.
 * Before it overflows, the counts, which cannot have overflowed either, are
 * added up, and the last times are replaced by their ranks: only their order
 * matters.
 */

#include <stdlib.h>
#include <string.h>

#include "ebwt/ebwt_priv.h"

#define NO_ID UINT16_MAX
enum {
	NEVER = INT16_MIN,
	LOCALS = 2 * EBWT_TILE,
	COUNTS = (EBWT_TILE + 1) * EBWT_TILE,
};

struct ebwt_local {
	uint32_t class;
	uint32_t cell;
	int32_t when;		/* read by itself, as it is written */
	int16_t column;
};

struct tile {
	const struct ebwt_tiling *g;
	const struct ebwt_tile *t;
	struct ebwt_tile_work *w;
	unsigned n_locals, columns;	/* columns: a multiple of 32 */
	int clock;
	unsigned n;
	struct ebwt_event event[EBWT_EVENTS];
};

uint64_t
ebwt_tile_bytes(const struct ebwt *x)
{
	return x->n_kinds * sizeof(uint16_t) +
	       LOCALS * (sizeof(struct ebwt_local) + sizeof(uint64_t)) +
	       (COUNTS + EBWT_TILE) * sizeof(uint16_t);
}

int
ebwt_tile_room(struct ebwt_tile_work *w, struct ebwt *x, struct err *e)
{
	int rc = ebwt_take(x, &w->id, x->n_kinds, sizeof *w->id, e);

	if (!rc)
		rc = ebwt_take(x, &w->local, LOCALS, sizeof *w->local, e);
	if (!rc)
		rc = ebwt_take(x, &w->order, LOCALS, sizeof *w->order, e);
	if (!rc)
		rc = ebwt_take(x, &w->count, COUNTS, sizeof *w->count, e);
	if (!rc)
		rc = ebwt_take(x, &w->last, EBWT_TILE, sizeof *w->last, e);
	if (!rc)
		memset(w->id, 0xff, x->n_kinds * sizeof *w->id);
	return rc;
}

void
ebwt_tile_done(struct ebwt_tile_work *w, struct ebwt *x)
{
	ebwt_give(x, &w->id);
	ebwt_give(x, &w->local);
	ebwt_give(x, &w->order);
	ebwt_give(x, &w->count);
	ebwt_give(x, &w->last);
}

/* The class's place among those of the tile. */
static struct ebwt_local *
local(struct tile *k, uint32_t class)
{
	uint16_t *id = &k->w->id[class];

	if (*id == NO_ID) {
		*id = (uint16_t)k->n_locals++;
		k->w->local[*id] = (struct ebwt_local){
			.class = class, .column = -1,
			.cell = EBWT_TILE * k->columns,
		};
	}
	return &k->w->local[*id];
}

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Times in the order of w->order: number << 16 | id; 0 is never. */
static void
renumber(struct tile *k)
{
	struct ebwt_tile_work *w = k->w;

	qsort(w->order, k->n_locals, sizeof *w->order, by_number);
	k->clock = NEVER;
	for (unsigned i = 0; i < k->n_locals; i++) {
		struct ebwt_local *l = &w->local[w->order[i] & 0xffff];

		if (w->order[i] >> 16)
			k->clock++;
		l->when = k->clock;
		if (l->column >= 0)
			w->last[l->column] = (int16_t)l->when;
	}
	k->clock++;
}

static void
start_tile(struct tile *k, const uint64_t *last)
{
	const struct ebwt_tile *t = k->t;
	struct ebwt_tile_work *w = k->w;

	k->columns = (t->columns + 31) / 32 * 32;
	for (uint32_t i = 0; i < t->columns; i++)
		local(k, k->g->class_of_column[t->column + i])->column =
			(int16_t)i;
	for (uint32_t i = 0; i < t->rows; i++)
		local(k, k->g->class_of_row[t->row + i])->cell =
			i * k->columns;
	for (unsigned i = 0; i < k->columns; i++)
		w->last[i] = NEVER;
	for (unsigned i = 0; i < k->n_locals; i++)
		w->order[i] = (last ? last[w->local[i].class] << 16 : 0) | i;
	renumber(k);
	memset(w->count, 0, t->rows * k->columns * sizeof *w->count);
}

/* What was counted is added to p->begins. */
static void
add_up(struct tile *k)
{
	const struct ebwt_tile *t = k->t;
	const struct ebwt_pairs *p = k->g->p;

	pthread_mutex_lock(k->g->lock);
	for (uint32_t i = 0; i < t->rows; i++) {
		const uint16_t *from = k->w->count + i * k->columns;
		uint32_t row = t->row + i, n = t->columns, *to;

		if (p->triangle) {	/* columns below the row only */
			if (row <= t->column)
				continue;
			if (n > row - t->column)
				n = row - t->column;
		}
		to = p->begins + ebwt_cell(p, row, t->column);
		for (uint32_t c = 0; c < n; c++)
			to[c] += from[c];
	}
	pthread_mutex_unlock(k->g->lock);
	memset(k->w->count, 0, t->rows * k->columns * sizeof *k->w->count);
}

static void
flush_tile(struct tile *k)
{
	struct ebwt_tile_work *w = k->w;

	k->g->tally(w->count, k->columns, w->last, k->event, k->n,
		    (int16_t)(k->clock - (int)k->n));
	k->n = 0;
	if (k->clock < INT16_MAX - EBWT_EVENTS)
		return;
	add_up(k);
	for (unsigned i = 0; i < k->n_locals; i++)
		w->order[i] = (uint64_t)(w->local[i].when - NEVER) << 16 | i;
	renumber(k);
}

static void
take_colours(struct tile *k, const uint32_t *colour, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint16_t id = k->w->id[colour[i]];
		struct ebwt_local *l;

		if (id == NO_ID)
			continue;
		l = &k->w->local[id];
		k->event[k->n++] = (struct ebwt_event){
			l->cell, (int16_t)l->when, l->column,
		};
		l->when = k->clock++;
		if (k->n == EBWT_EVENTS)
			flush_tile(k);
	}
}

static void
finish_tile(struct tile *k)
{
	flush_tile(k);
	add_up(k);
	for (unsigned i = 0; i < k->n_locals; i++)
		k->w->id[k->w->local[i].class] = NO_ID;
}

void
ebwt_tile(const struct ebwt_tiling *g, const struct ebwt_tile *t,
	  const struct ebwt_stretch *s, struct ebwt_tile_work *w)
{
	struct tile k = { .g = g, .t = t, .w = w };

	start_tile(&k, s->last);
	take_colours(&k, s->colour, s->n);
	finish_tile(&k);
}

enum { SOME = 1024 };

/* The next row, whose ever it is: no branch depends on it. */
static void
take_two(struct tile *k, struct ebwt_group *x, struct ebwt_group *y)
{
	uint32_t colour[SOME];
	struct ebwt_group a = *x, b = *y;
	uint64_t n = min_u64(min_u64(a.n, b.n), SOME);

	for (uint64_t i = 0; i < n; i++) {
		bool of_b = *b.row < *a.row;

		colour[i] = of_b ? b.class + *b.of : a.class + *a.of;
		a.row += !of_b;
		a.of += !of_b;
		b.row += of_b;
		b.of += of_b;
	}
	a.n -= (uint64_t)(a.row - x->row);
	b.n -= (uint64_t)(b.row - y->row);
	*x = a;
	*y = b;
	take_colours(k, colour, n);
}

static void
take_one(struct tile *k, struct ebwt_group a)
{
	uint32_t colour[SOME];

	for (uint64_t n = 0, m; n < a.n; n += m) {
		m = min_u64(a.n - n, SOME);
		for (uint64_t i = 0; i < m; i++)
			colour[i] = a.class + a.of[n + i];
		take_colours(k, colour, m);
	}
}

void
ebwt_tile_groups(const struct ebwt_tiling *g, const struct ebwt_tile *t,
		 struct ebwt_group a, struct ebwt_group b,
		 struct ebwt_tile_work *w)
{
	struct tile k = { .g = g, .t = t, .w = w };

	start_tile(&k, NULL);
	while (a.class != b.class && a.n && b.n)
		take_two(&k, &a, &b);
	take_one(&k, a);
	if (a.class != b.class)
		take_one(&k, b);
	finish_tile(&k);
}

/* Sorting and counting by a backend. */

struct job {
	struct ebwt_job j;
	uint8_t *code;
	uint32_t *base, *order, *class_of_column, *rows;
};

bool
ebwt_has_backend(const struct ebwt *x)
{
	const struct ebwt_backend *h = x->par.backend;

	return h && !x->par.memory && x->par.engine != EBWT_PLAIN &&
	       x->n_roots < 1u << 31 && h->wants(h->ctx, x->n_roots);
}

/* Roots as letter numbers, one after another; NOT_NOW: not for a backend. */
static int
prepare_job(struct job *t, struct ebwt *x, struct err *e)
{
	uint32_t n = 0;
	int rc;

	memset(t, 0, sizeof *t);
	if (!ebwt_has_backend(x))
		return EBWT_NOT_NOW;
	rc = ebwt_take(x, &t->code, x->n_roots, 1, e);
	if (!rc)
		rc = ebwt_take(x, &t->base, x->n_classes + 1, sizeof *t->base,
			       e);
	if (rc)
		return rc;
	for (size_t c = 0; c < x->n_classes; c++) {
		const struct ebwt_class *y = &x->class[c];

		t->base[c] = n;
		ebwt_ops()->encode(t->code + n, y->root, y->n, x->code);
		n += y->n;
	}
	t->base[x->n_classes] = n;
	t->j = (struct ebwt_job){
		.code = t->code, .base = t->base, .n = n,
		.n_classes = (uint32_t)x->n_classes, .bits = 1,
	};
	while (x->sigma > 1u << t->j.bits)
		t->j.bits++;
	return 0;
}

static void
done(struct job *t, struct ebwt *x)
{
	ebwt_give(x, &t->code);
	ebwt_give(x, &t->base);
	ebwt_give(x, &t->order);
	ebwt_give(x, &t->class_of_column);
	ebwt_give(x, &t->rows);
}

static int
ask(const struct job *t, const struct ebwt *x, struct err *e)
{
	const struct ebwt_params *p = &x->par;
	int rc = p->backend->run(p->backend->ctx, &t->j, e);

	if (!rc && p->progress)
		p->progress(p->progress_arg, x->n_roots, x->n_roots);
	return rc;
}

/* The order as a batch of all. */
static int
hand_out(const struct job *t, struct ebwt *x, ebwt_batch_fn *fn, void *arg,
	 struct err *e)
{
	struct ebwt_batch b = { .n = t->j.n, .base = x->par.origin,
				.index_mask = ~0ull };
	uint32_t *pos = NULL, *class = NULL;
	int rc = ebwt_take(x, &b.item, b.n, sizeof *b.item, e);

	if (!rc)
		rc = ebwt_take(x, &pos, b.n, sizeof *pos, e);
	if (!rc)
		rc = ebwt_take(x, &class, b.n, sizeof *class, e);
	for (uint32_t c = 0; c < x->n_classes && !rc; c++)
		for (uint32_t i = t->base[c]; i < t->base[c + 1]; i++) {
			pos[i] = i - t->base[c];
			class[i] = c;
		}
	for (uint64_t i = 0; i < b.n && !rc; i++)
		b.item[i] = t->order[i];
	b.pos = pos;
	b.class = class;
	if (!rc)
		rc = fn(arg, &b, e);
	ebwt_give(x, &b.item);
	ebwt_give(x, &pos);
	ebwt_give(x, &class);
	return rc;
}

int
ebwt_job_sort(struct ebwt *x, ebwt_batch_fn *fn, void *arg, bool *served,
		 struct err *e)
{
	struct job t;
	int rc = prepare_job(&t, x, e);

	if (!rc)
		rc = ebwt_take(x, &t.order, t.j.n, sizeof *t.order, e);
	t.j.order = t.order;
	if (!rc)
		rc = ask(&t, x, e);
	*served = !rc;
	if (!rc)
		rc = hand_out(&t, x, fn, arg, e);
	else if (rc == EBWT_NOT_NOW)
		rc = 0;
	done(&t, x);
	return rc;
}

/* What is wanted of pairs. */
static int
want_pairs(struct job *t, struct ebwt *x, const struct ebwt_pairs *p,
	   struct err *e)
{
	int rc = ebwt_take(x, &t->class_of_column, p->n_columns,
			   sizeof *t->class_of_column, e);

	if (!rc)
		rc = ebwt_take(x, &t->rows, 2 * x->n_classes, sizeof *t->rows,
			       e);
	if (rc)
		return rc;
	t->j.begins = p->begins;
	t->j.first = t->rows;
	t->j.last = t->rows + x->n_classes;
	t->j.row_of = p->row_of;
	t->j.class_of_column = t->class_of_column;
	t->j.n_columns = p->n_columns;
	t->j.triangle = p->triangle;
	t->j.n_cells = p->triangle ? (uint64_t)p->n_rows * (p->n_rows - 1) / 2 :
		       (uint64_t)p->n_rows * p->n_columns;
	for (uint32_t c = 0; c < x->n_classes; c++)
		if (p->column_of[c] != EBWT_NONE)
			t->class_of_column[p->column_of[c]] = c;
	return 0;
}

int
ebwt_job_count(struct ebwt *x, struct ebwt_pairs *p, bool *served,
		  struct err *e)
{
	struct job t;
	int rc;

	*served = false;
	if (x->kind_of)		/* it counts classes */
		return 0;
	rc = prepare_job(&t, x, e);
	if (!rc)
		rc = want_pairs(&t, x, p, e);
	if (!rc)
		rc = ask(&t, x, e);
	*served = !rc;
	for (size_t c = 0; c < x->n_classes && !rc; c++) {
		p->first[c] = x->par.origin + t.j.first[c];
		p->last[c] = x->par.origin + t.j.last[c];
	}
	done(&t, x);
	return rc == EBWT_NOT_NOW ? 0 : rc;
}
