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
stretch(const struct primer_blocks *b)
{
	return in_tiles(b->x->n / b->ops.slices + 1);
}

void
primer_classes(const struct primer_blocks *b, uint16_t *set)
{
	const struct primer *p = b->p;

	for (unsigned s = 0; s < b->x->n_symbols; s++)
		set[s] = p->par.alphabet == PRIMER_DNA ? p->holds[s] :
			 s ? (uint16_t)(1u << (s - 1)) : 0;
}

/* One lane's letters, backwards through the text. */
static void
cut_lane(const struct primer_blocks *b, const struct primer_pieces *c,
	 uint64_t lane, uint64_t from, uint64_t to, const uint16_t *set)
{
	const uint64_t plane = c->n / 8, n = b->x->n;
	uint8_t *column = c->room->mem;

	column += from * b->p->n_classes * plane + lane / 8;
	for (uint64_t t = from; t < to; t++) {
		uint64_t at = lane * c->length + t - c->over;
		unsigned some = at < n ? set[b->x->symbol[n - 1 - at]] : 0;

		for (; some; some &= some - 1)
			column[(unsigned)__builtin_ctz(some) * plane] |=
				(uint8_t)(1u << lane % 8);
		column += b->p->n_classes * plane;
	}
}

static int
cut_slices(struct primer_blocks *b, struct primer_pieces *c, uint64_t over)
{
	uint64_t size = b->p->n_classes * c->n / 8, columns;
	uint16_t set[256];
	int rc;

	if (c->length && over <= c->over)
		return 0;
	c->over = in_tiles(over + over / 4);
	c->length = stretch(b);
	columns = c->length + c->over;
	rc = primer_room(c->room, columns, size, b->e);
	if (rc)
		return rc;
	memset(c->room->mem, 0, columns * size);
	primer_classes(b, set);
	for (uint64_t t = 0; t < columns; t += PRIMER_TILE)
		for (uint64_t l = 0; l < c->n; l++)
			cut_lane(b, c, l, t, t + PRIMER_TILE, set);
	return 0;
}

/* A scan, and each lane's last cluster. */
struct slicing {
	struct primer_slices s;
	struct primer_cluster *list;
	size_t n;
	uint64_t gap, n_text;
	size_t open[PRIMER_MAX_SLICES];		/* its number, + 1 */
};

/* The core occurs in some column of a tile. */
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
	c->lo = hi - (PRIMER_TILE - 1);
}

static void
tile(void *ctx, uint64_t column, const uint64_t low[PRIMER_MAX_SLICES / 64])
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
			.n_classes = b->p->n_classes, .lanes = b->ops.slices,
			.rows = b->end + 1 - b->first, .limit = b->limit,
			.found = tile,
		},
		.n_text = b->x->n,
	};
	int rc;

	x.gap = max_u64(x.s.rows / 2, PRIMER_MIN_GAP);
	x.s.own = in_tiles(x.s.rows + b->limit);
	rc = cut_slices(b, c, x.s.own);
	if (!rc)
		rc = rooms(b, &x);
	if (rc)
		return rc;
	set_code(b, &x.s);
	x.s.columns = x.s.own + c->length;
	x.s.text = (const uint8_t *)c->room->mem +
		   (c->over - x.s.own) * x.s.n_classes * c->n / 8;
	x.s.ctx = &x;
	b->ops.slice(&x.s);
	keep_clusters(b, &x);
	return 0;
}

/* Rows are gone through in 2 k columns more than a stretch has. */
uint64_t
primer_slices_steps(const struct primer_blocks *b)
{
	uint64_t columns = stretch(b) + 2 * (b->limit + PRIMER_TILE);

	if (b->p->n_classes > PRIMER_MAX_PLANES)
		return UINT64_MAX;
	return columns * (b->end + 1 - b->first) / 2;
}
