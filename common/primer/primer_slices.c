/* SPDX-License-Identifier: MIT */
/* primer_slices.c - the places of a block's core, bit-sliced */

#include <string.h>

#include "base/base.h"
#include "primer/primer_blocks.h"

static uint64_t
in_tiles(uint64_t columns)
{
	return (columns + PRIMER_TILE - 1) / PRIMER_TILE * PRIMER_TILE;
}

static uint64_t
stretch(const struct primer_text *x, uint64_t lanes)
{
	return in_tiles(x->n / lanes + 1);
}

void
primer_classes(const struct primer *p, unsigned n_symbols, uint16_t *set)
{
	for (unsigned s = 0; s < n_symbols; s++)
		set[s] = p->par.alphabet == PRIMER_DNA ? p->holds[s] :
			 s ? (uint16_t)(1u << (s - 1)) : 0;
}

/* One lane's letters. */
static void
cut_lane(const struct primer_text *x, const struct primer_pieces *c,
	 unsigned n_classes, uint64_t lane, uint64_t from, const uint16_t *set)
{
	const uint64_t plane = c->n / 8, n = x->n;
	uint8_t *column = c->room->mem;

	column += from * n_classes * plane + lane / 8;
	for (uint64_t t = from; t < from + PRIMER_TILE; t++) {
		uint64_t at = lane * c->length + t - c->over;
		unsigned some = 0;

		if (at < n)
			some = set[x->symbol[c->back ? n - 1 - at : at]];
		for (; some; some &= some - 1)
			column[(unsigned)__builtin_ctz(some) * plane] |=
				(uint8_t)(1u << lane % 8);
		column += n_classes * plane;
	}
}

int
primer_cut_slices(const struct primer *p, const struct primer_text *x,
		  struct primer_pieces *c, uint64_t over, struct err *e)
{
	uint64_t size = p->n_classes * c->n / 8, columns;
	uint16_t set[256];
	int rc;

	if (c->length && over <= c->over)
		return 0;
	c->over = in_tiles(over + over / 4);
	c->length = stretch(x, c->n);
	columns = c->length + c->over;
	rc = primer_room(c->room, columns, size, e);
	if (rc)
		return rc;
	memset(c->room->mem, 0, columns * size);
	primer_classes(p, x->n_symbols, set);
	for (uint64_t t = 0; t < columns; t += PRIMER_TILE)
		for (uint64_t l = 0; l < c->n; l++)
			cut_lane(x, c, p->n_classes, l, t, set);
	return 0;
}

void
primer_slices_of(const struct primer *p, const struct primer_pieces *c,
		 struct primer_slices *s)
{
	s->n_classes = p->n_classes;
	s->lanes = (unsigned)c->n;
	s->own = in_tiles(s->rows + s->limit);
	s->columns = s->own + c->length;
	s->text = (const uint8_t *)c->room->mem +
		  (c->over - s->own) * s->n_classes * c->n / 8;
}

/* A scan, and each lane's last cluster. */
struct slicing {
	struct primer_slices s;
	struct primer_cluster *list;
	size_t n;
	uint64_t gap, n_text;
	size_t open[PRIMER_MAX_SLICES];		/* its number, + 1 */
};

/* The core occurs in some column of a step. */
static void
core_found(struct slicing *x, unsigned lane, uint64_t column)
{
	uint64_t stretch = x->s.columns - x->s.own;
	uint64_t at = lane * stretch + column - x->s.own;
	int64_t hi = (int64_t)(x->n_text - 1) - (int64_t)at;
	struct primer_cluster *c = NULL;

	if (at >= x->n_text)
		return;
	if (x->open[lane])
		c = x->list + x->open[lane] - 1;
	if (!c || c->lo - hi > (int64_t)x->gap) {
		c = x->list + x->n++;
		x->open[lane] = x->n;
		*c = (struct primer_cluster){ .hi = hi };
	}
	c->lo = hi - (int64_t)(x->s.step - 1);
}

static void
step(void *ctx, uint64_t column, const uint64_t low[PRIMER_MAX_SLICES / 64])
{
	struct slicing *x = ctx;

	for (unsigned w = 0; w < x->s.lanes / 64; w++)
		for (uint64_t m = low[w]; m; m &= m - 1)
			core_found(x, 64 * w + (unsigned)__builtin_ctzll(m),
				   column);
}

static int
rooms(struct primer_blocks *b, struct slicing *x)
{
	/* Clusters of a lane begin more than the gap from each other. */
	uint64_t most = b->ops.slices * (b->sliced.length / x->gap + 2);
	int rc = primer_room(&b->w->list, most, sizeof *x->list, b->e);

	x->list = b->w->list.mem;
	if (!rc)
		rc = primer_room(&b->w->letters, x->s.rows, 1, b->e);
	if (!rc)
		rc = primer_room(&b->w->state, primer_slices_state(
				 b->ops.slices, x->s.rows), 1, b->e);
	x->s.state = b->w->state.mem;
	return rc;
}

/* From the last letter to the first. */
static void
set_code(const struct primer_blocks *b, struct primer_slices *s)
{
	uint8_t *code = b->w->letters.mem;

	for (uint64_t i = 0; i < s->rows; i++)
		code[i] = b->p->code[b->end - i];
	s->code = code;
}

/* All clusters are to be looked at by the block's first start. */
static void
keep_clusters(struct primer_blocks *b, const struct slicing *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->list[i].start = b->beg;
	b->list = x->list;
	b->n = x->n;
	b->spent += x->s.steps;
	b->w->stats.columns += x->s.steps;
}

int
primer_block_slices(struct primer_blocks *b)
{
	struct primer_pieces *c = &b->sliced;
	struct slicing x = {
		.s = {
			.rows = b->end + 1 - b->first, .limit = b->limit,
			.found = step,
		},
		.n_text = b->x->n,
	};
	int rc = primer_cut_slices(b->p, b->x, c,
				   in_tiles(x.s.rows + b->limit), b->e);

	x.gap = max_u64(x.s.rows / 2, PRIMER_MIN_GAP);
	/* of narrower steps come more hits, and more clusters of few rows */
	x.s.step = PRIMER_TILE;
	if (!rc)
		rc = rooms(b, &x);
	if (rc)
		return rc;
	set_code(b, &x.s);
	primer_slices_of(b->p, c, &x.s);
	x.s.ctx = &x;
	b->ops.slice(&x.s);
	keep_clusters(b, &x);
	return 0;
}

/* Rows are gone through in 2 k columns more than a stretch has. */
uint64_t
primer_slices_steps(const struct primer_blocks *b)
{
	uint64_t columns = stretch(b->x, b->ops.slices) +
			   2 * (b->limit + PRIMER_TILE);

	if (b->p->n_classes > PRIMER_MAX_PLANES)
		return UINT64_MAX;
	return columns * (b->end + 1 - b->first) / 2;
}
