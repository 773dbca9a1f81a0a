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

#include "ebwt/ebwt_tile.h"

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
