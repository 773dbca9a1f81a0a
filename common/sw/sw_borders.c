/* SPDX-License-Identifier: MIT */
/*
 * sw_borders.c - a window by the skewed wavefront: tiles, and their borders
 *
 * Let first = open + extend.  H(i,j) - H(i,j-1) is at least -first, as a gap
 * leads there, and at most match + first, by induction over rows.  If above 0,
 * H(i,j) is
 * 	H(i-1,j-1) + s, and a gap leads down from that cell to (i, j-1);
 * 	or E(i,j) <= H(i,j-1) - extend;
 * 	or H(i-l,j) - open - l * extend, and a gap as long leads to (i, j-1)
 * 	from (i-l, j-1): no more than the difference of that row.
 * So it is of two rows.  E(i,j+1), or F(i+1,j), is H(i,j) - first at least, and
 * H(i,j) - extend at most.  So one number says both, for most scores a byte.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_grid.h"
#include "sw/sw_lanes.h"
#include "sw/sw_skew.h"

enum {
	TILE = 512, MAX_TILE = 4096,	/* rows and columns of a tile */
	PASS_TILE = 1024,	/* of a pass, at most */
	WORTH = 16,		/* its blocks, of each lane: see sw_skew.c */
	FAR = 4,		/* times more than the least that is sought */
	COLUMNS = 32,		/* for each row and path */
	MIN_COLUMNS = 2048,	/* columns: half of all lanes are busy */
};

void
sw_borders_free(struct sw_borders *x)
{
	if (!x)
		return;
	free(x->mem);
	free(x);
}

size_t
sw_borders_tile(const struct sw_borders *x, size_t i, size_t j)
{
	return (i + x->fill) / SW_SKEW_ROWS / x->strips * x->wide +
	       j / SW_BLOCK / x->blocks;
}

struct sw_borders_range
sw_borders_rows(const struct sw_borders *x, size_t high)
{
	size_t rows = x->strips * SW_SKEW_ROWS, from = high * rows;
	size_t to = from + rows;

	from = from > x->fill ? from - x->fill : 0;
	to = to > x->fill ? to - x->fill : 0;
	return (struct sw_borders_range){ from, to < x->n ? to : x->n };
}

struct sw_borders_range
sw_borders_cols(const struct sw_borders *x, size_t wide)
{
	size_t cols = x->blocks * SW_BLOCK, from = wide * cols;

	return (struct sw_borders_range){
		from, from + cols < x->cols ? from + cols : x->cols,
	};
}

/* n cells of a line, after one with H = last; gap: E or F of the next ones. */
static void
put_codes(const struct sw_borders *x, uint8_t *to, size_t at, int32_t last,
	  const int32_t *h, const int32_t *gap, size_t n)
{
	const int32_t first = x->first, open = x->open;
	int32_t code[SW_BLOCK];

	for (size_t i = 0; i < n; i++) {
		int32_t more = gap[i] - (h[i] - first);

		more = more < 0 ? 0 : more < open ? more : open;
		code[i] = (h[i] - (i ? h[i - 1] : last) + first) * (open + 1) +
			  more;
	}
	if (x->bytes == 1)
		for (size_t i = 0; i < n; i++)
			to[at + i] = (uint8_t)code[i];
	else
		memcpy(to + at * sizeof *code, code, n * sizeof *code);
}

/* *h: of the cell before, then of this one; returns the gap's. */
static inline int32_t
take_code(const struct sw_borders *x, const uint8_t *from, size_t at,
	  int32_t *h)
{
	int32_t code;

	if (x->bytes == 1) {
		*h += x->step[from[at]];
		return *h + x->gap[from[at]];
	}
	memcpy(&code, from + at * sizeof code, sizeof code);
	*h += code / (x->open + 1) - x->first;
	return *h - x->first + code % (x->open + 1);
}

/* Above tile row `high`, a block's columns; returns H of the last. */
static int32_t
above_block(const struct sw_borders *x, size_t high, size_t block, int32_t *h,
	    int32_t *f)
{
	size_t at = block * (x->high - 1) + high - 1;
	int32_t now = x->above_h[at];

	for (size_t j = 0; j < SW_BLOCK; j++) {
		f[j] = take_code(x, x->above, at * SW_BLOCK + j, &now);
		h[j] = now;
	}
	return now;
}

const int32_t *
sw_borders_above(const struct sw_borders *x, size_t high, size_t wide)
{
	struct sw_borders_range cols = sw_borders_cols(x, wide);

	for (size_t j = cols.from; j < cols.to; j += SW_BLOCK)
		above_block(x, high, j / SW_BLOCK, x->tile_h + (j - cols.from),
			    x->tile_f + (j - cols.from));
	return x->tile_h;
}

const struct sw_checkpoint *
sw_borders_left(const struct sw_borders *x, size_t high, size_t wide)
{
	struct sw_borders_range rows = sw_borders_rows(x, high);
	struct sw_checkpoint *to = x->tile_left + 1;
	int32_t h;

	if (!wide)
		return NULL;
	if (rows.from)
		to[-1].h = above_block(x, high, wide * x->blocks - 1,
				       x->tile_h, x->tile_f);
	h = x->left_h[(wide - 1) * x->high + high];
	for (size_t i = rows.from; i < rows.to; i++, to++) {
		int32_t e = take_code(x, x->left, (wide - 1) * x->n + i, &h);

		*to = (struct sw_checkpoint){ h, e > 0 ? e : 0 };
	}
	return x->tile_left + 1;
}

int32_t
sw_borders_low_left(const struct sw_borders *x, size_t row, size_t n,
		    size_t wide)
{
	const size_t high = (row + x->fill) / SW_SKEW_ROWS / x->strips;
	size_t i = sw_borders_rows(x, high).from, at = (wide - 1) * x->n;
	int32_t h, low = INT32_MAX;

	if (!wide)
		return 0;
	h = x->left_h[(wide - 1) * x->high + high];
	for (; i < row; i++)
		take_code(x, x->left, at + i, &h);
	for (; i < row + n; i++) {
		take_code(x, x->left, at + i, &h);
		low = h < low ? h : low;
	}
	return low;
}

int32_t
sw_borders_low_above(const struct sw_borders *x, size_t high, size_t block)
{
	int32_t h[SW_BLOCK], f[SW_BLOCK], low = INT32_MAX;

	if (!sw_borders_rows(x, high).from)
		return 0;
	above_block(x, high, block, h, f);
	for (size_t j = 0; j < SW_BLOCK; j++)
		low = h[j] < low ? h[j] : low;
	return low;
}

/* A lane's values in n rows of a vector, `stride` bytes apart. */
static void
values_of(const struct sw_skew *s, const uint8_t *from, size_t stride,
	  unsigned lane, int32_t base, int32_t *to, size_t n)
{
	if (s->narrow)
		for (size_t i = 0; i < n; i++)
			to[i] = base - s->zero8 + from[i * stride + lane];
	else
		for (size_t i = 0; i < n; i++)
			to[i] = base + ((const int16_t *)(const void *)
					(from + i * stride))[lane];
}

/*
 * put_codes() of 8 bits to bytes, of eight cells `stride` bytes apart.
 * Differences need no base.  last: H before them; returns that of the last one.
 * Most of what borders take is here, so it has no branch.
 */
typedef int16_t eight __attribute__((vector_size(16)));
typedef uint8_t eight_bytes __attribute__((vector_size(8)));

static inline eight
eight_of(const uint8_t *x, size_t n)
{
	return (eight){ x[0], x[n], x[2 * n], x[3 * n], x[4 * n], x[5 * n],
			x[6 * n], x[7 * n] };
}

static inline int16_t
put_eight(const struct sw_borders *x, uint8_t *to, int16_t last,
	  const uint8_t *from, const uint8_t *gap, size_t n)
{
	const eight first = (eight){ 0 } + (int16_t)x->first;
	const eight open = (eight){ 0 } + (int16_t)x->open;
	const eight h = eight_of(from, n);
	const eight before = { last, h[0], h[1], h[2], h[3], h[4], h[5], h[6] };
	eight more = eight_of(gap, n) - h + first, over;
	eight_bytes code;

	more &= more > 0;
	over = more > open;
	more = (more & ~over) | (open & over);
	code = __builtin_convertvector((h - before + first) * (open + 1) + more,
				       eight_bytes);
	memcpy(to, &code, sizeof code);
	return h[7];
}

/* take_row() of 8 bits. */
static void
take_row8(const struct sw_skew *s, unsigned lane, size_t at)
{
	const struct sw_skew_edge *edge = &s->edge[s->at];
	const struct sw_borders *x = s->borders;
	const size_t n = s->ops->lanes;
	int16_t last = edge->h[lane];

	x->above_h[at] = s->base[lane] - s->zero8 + last;
	for (size_t j = 0; j < SW_BLOCK; j += 8)
		last = put_eight(x, x->above + at * SW_BLOCK + j, last,
				 edge->h + j * n + lane, edge->f + j * n + lane,
				 n);
}

/* Below a lane's strip. */
static void
take_row(const struct sw_skew *s, unsigned lane, size_t strip, uint64_t block)
{
	const struct sw_skew_edge *edge = &s->edge[s->at];
	const struct sw_borders *x = s->borders;
	size_t at = block * (x->high - 1) + (strip + 1) / x->strips - 1;
	size_t stride = s->ops->lanes * (s->narrow ? 1 : 2);
	int32_t h[SW_BLOCK], f[SW_BLOCK];

	if (s->narrow && x->bytes == 1) {
		take_row8(s, lane, at);
		return;
	}
	values_of(s, edge->h, stride, lane, s->base[lane], h, SW_BLOCK);
	values_of(s, edge->f, stride, lane, s->base[lane], f, SW_BLOCK);
	x->above_h[at] = h[0];
	put_codes(x, x->above, at * SW_BLOCK, h[0], h, f, SW_BLOCK);
}

/* A tile's column begins with it, in row r of the strip. */
static bool
begins_column(const struct sw_borders *x, size_t strip)
{
	return !(strip & (x->strips - 1)) || strip * SW_SKEW_ROWS <= x->fill;
}

/* take_column() of 8 bits and all rows of the strip. */
static void
take_column8(const struct sw_skew *s, unsigned lane, size_t strip, size_t v)
{
	const struct sw_skew_side *side = &s->side[s->at];
	struct sw_borders *x = s->borders;
	const int32_t zero = side->base[lane + 1] - s->zero8;
	uint8_t *to = x->left + v * x->n + (strip * SW_SKEW_ROWS - x->fill);

	if (begins_column(x, strip))
		x->left_h[v * x->high + strip / x->strips] = x->last[lane] =
			zero + side->h[0][lane + 1];
	x->last[lane] = zero + put_eight(x, to,
					 (int16_t)(x->last[lane] - zero),
					 side->h[0] + lane + 1,
					 side->e[0] + lane + 1, SW_SKEW_SPAN);
}

/* Behind a lane's block: from the tile's first row on, or the last strip's. */
static void
take_column(const struct sw_skew *s, unsigned lane, size_t strip,
	    uint64_t block)
{
	const struct sw_skew_side *side = &s->side[s->at];
	struct sw_borders *x = s->borders;
	size_t v = (block + 1) / x->blocks - 1;
	size_t i = strip * SW_SKEW_ROWS, r = i < x->fill ? x->fill - i : 0;
	int32_t base = side->base[lane + 1];
	int32_t h[SW_SKEW_ROWS], e[SW_SKEW_ROWS];

	if (r >= SW_SKEW_ROWS)
		return;
	if (s->narrow && x->bytes == 1 && !r) {
		take_column8(s, lane, strip, v);
		return;
	}
	values_of(s, side->h[0], SW_SKEW_SPAN, lane + 1, base, h, SW_SKEW_ROWS);
	values_of(s, side->e[0], SW_SKEW_SPAN, lane + 1, base, e, SW_SKEW_ROWS);
	if (begins_column(x, strip))
		x->left_h[v * x->high + strip / x->strips] = x->last[lane] =
			h[r];
	put_codes(x, x->left, v * x->n + (i + r - x->fill), x->last[lane],
		  h + r, e + r, SW_SKEW_ROWS - r);
	x->last[lane] = h[SW_SKEW_ROWS - 1];
}

/* The largest H of a lane's block in the tile; of all of it, for its peak. */
static void
take_most(struct sw_skew *s, unsigned lane, size_t strip, uint64_t block)
{
	struct sw_borders *x = s->borders;
	int32_t *most = &x->most[strip / x->strips * x->wide +
				 block / x->blocks];
	int32_t top = s->top[lane], bound = s->bound[lane];

	bound = top > bound ? top : bound;
	if (bound > *most && (block + 1) * SW_BLOCK > x->from)
		*most = bound;
	x->top[lane] = top > x->top[lane] ? top : x->top[lane];
	s->top[lane] = s->bound[lane] = -1;
	if (strip + 1 < s->strips)
		return;
	s->top[lane] = x->top[lane];
	x->top[lane] = -1;
}

/*
 * Lanes [from, to), of which lane k has left block + k in strip - k: those at a
 * tile's lower border, or the last strip's, and those at its right border.
 */
static void
take_lanes(struct sw_skew *s, unsigned from, unsigned to, size_t strip,
	   uint64_t block)
{
	const struct sw_borders *x = s->borders;
	const uint64_t blocks = x->cols / SW_BLOCK;
	uint64_t k;

	if (blocks < block + to)
		to = blocks > block ? (unsigned)(blocks - block) : 0;
	k = strip + 1 - s->strips;	/* 2^64 - 1 and less: none */
	if (k >= from && k < to && s->strips & (x->strips - 1))
		take_most(s, (unsigned)k, s->strips - 1, block + k);
	for (k = from + ((strip + 1 - from) & (x->strips - 1)); k < to;
	     k += x->strips) {
		if (strip + 1 < s->strips + k)
			take_row(s, (unsigned)k, strip - k, block + k);
		take_most(s, (unsigned)k, strip - k, block + k);
	}
	for (k = from + (-(block + from + 1) & (x->blocks - 1)); k < to;
	     k += x->blocks)
		if (block + k + 1 < blocks)
			take_column(s, (unsigned)k, strip - k, block + k);
}

/* Lanes behind the first one's strip are still in the round before. */
void
sw_borders_take(struct sw_skew *s)
{
	const unsigned lanes = s->ops->lanes;
	const unsigned n = s->strip < lanes ? (unsigned)s->strip + 1 : lanes;

	take_lanes(s, 0, n, s->strip, s->first);
	if (n < lanes && s->first)
		take_lanes(s, n, lanes, s->strip + s->strips, s->first - lanes);
}

size_t
sw_borders_report(const struct sw_borders *x, int64_t least)
{
	size_t n = 0;

	for (size_t i = 0; i < x->high * x->wide; i++)
		n += x->reported[i] = x->most[i] >= least;
	return n;
}

/* What is kept of lines, of tiles, and of one tile. */
struct sizes {
	double above_h, left_h, above, left, most, tile;
};

static struct sizes
sizes_of(const struct sw_borders *x)
{
	double rows = (double)(x->high - 1), cols = (double)(x->wide - 1);
	size_t side = x->blocks * SW_BLOCK;

	return (struct sizes){
		.above_h = rows * (double)(x->cols / SW_BLOCK *
					   sizeof *x->above_h),
		.left_h = cols * (double)(x->high * sizeof *x->left_h),
		.above = rows * (double)(x->cols * x->bytes),
		.left = cols * (double)(x->n * x->bytes),
		.most = (double)x->high * (double)x->wide * sizeof *x->most,
		.tile = (double)((side + 1) * sizeof *x->tile_left +
				 2 * side * sizeof *x->tile_h),
	};
}

static double
bytes_of(const struct sw_borders *x)
{
	struct sizes y = sizes_of(x);

	return y.above_h + y.left_h + y.above + y.left + y.most + y.tile +
	       (double)x->high * (double)x->wide;
}

static void
set_tiles(struct sw_borders *x, size_t all, size_t blocks)
{
	size_t cols = blocks * SW_BLOCK;

	x->blocks = blocks;
	x->strips = cols / SW_SKEW_ROWS;
	x->high = (all + x->strips - 1) / x->strips;
	x->wide = (x->cols + cols - 1) / cols;
}

static void *
take_bytes(uint8_t **at, double n)
{
	void *p = *at;

	*at += (size_t)n;
	return p;
}

static void
set_places(struct sw_borders *x)
{
	struct sizes y = sizes_of(x);
	uint8_t *at = x->mem;

	x->above_h = take_bytes(&at, y.above_h);
	x->left_h = take_bytes(&at, y.left_h);
	x->most = take_bytes(&at, y.most);
	x->tile_left = take_bytes(&at, y.tile);
	x->tile_h = (void *)(x->tile_left + x->blocks * SW_BLOCK + 1);
	x->tile_f = x->tile_h + x->blocks * SW_BLOCK;
	x->above = take_bytes(&at, y.above);
	x->left = take_bytes(&at, y.left);
	x->reported = (void *)at;
	memset(x->most, 0xff, (size_t)y.most);
	memset(x->reported, 0, x->high * x->wide);
	memset(x->top, 0xff, sizeof x->top);
}

/* Tiles as small as memory allows; false: there is not enough. */
static bool
borders_room(struct sw_borders *x, const struct sw_work *w, size_t all)
{
	size_t blocks = w->border_tile ? w->border_tile : TILE / SW_BLOCK, need;
	size_t most = (x->peaks ? PASS_TILE : MAX_TILE) / SW_BLOCK;
	double budget = sw_grid_budget(w, x->n);

	set_tiles(x, all, blocks);
	while (!w->border_tile && bytes_of(x) > budget && blocks < most)
		set_tiles(x, all, blocks *= 2);
	if (bytes_of(x) > budget)
		return false;
	need = (size_t)bytes_of(x);
	if (need > x->cap) {
		free(x->mem);
		x->cap = 0;
		x->mem = pages_alloc(need);
		if (!x->mem)
			return false;
		x->cap = need;
	}
	set_places(x);
	return true;
}

/* Of no effect on results. */
static bool
pays(const struct sw_work *w, const struct sw_query *q, size_t cols)
{
	if (w->grid_tile || w->border_tile)
		return w->border_tile;
	return cols >= MIN_COLUMNS && sw_skew_is_best(q);
}

static struct sw_borders *
borders_of(struct sw_work *w)
{
	if (!w->borders)
		w->borders = calloc(1, sizeof *w->borders);
	return w->borders;
}

static void
set_scores(struct sw_borders *x, const struct sw_query *q)
{
	int64_t steps = 2 * ((int64_t)q->s->open + q->s->extend) + q->best + 1;

	x->open = q->s->open;
	x->first = q->s->open + q->s->extend;
	x->bytes = steps * (x->open + 1) <= UINT8_MAX + 1 ? 1 : 4;
	for (int32_t code = 0; code < 256 && x->bytes == 1; code++) {
		x->step[code] = (int16_t)(code / (x->open + 1) - x->first);
		x->gap[code] = (int16_t)(code % (x->open + 1) - x->first);
	}
}

/* 1: there is not enough memory. */
static int
begin(struct sw_pass *p, struct sw_work *w, size_t from, struct err *e)
{
	const struct sw_skew_part all = { .to = p->q->n };
	struct sw_borders *x = borders_of(w);
	int rc;

	if (!x)
		return err_nomem(e, sizeof *x);
	p->borders = x;
	x->n = p->q->n;
	x->cols = p->t->n;
	x->from = from;
	x->peaks = p->peak;
	set_scores(x, p->q);
	rc = sw_skew_begin(&w->skew, p, &all, e);
	if (rc)
		return rc;
	x->fill = w->skew->fill;
	return borders_room(x, w, w->skew->strips) ? 0 : 1;
}

int
sw_borders_run(struct sw_work *w, const struct sw_query *q,
	   const struct sw_grid_window *x, struct err *e)
{
	const struct sw_seg seg = { 0, x->cols, 0 };
	const struct sw_text t = { .codes = x->col, .n = x->cols, .seg = &seg,
				   .n_seg = 1 };
	struct sw_pass p = { .q = q, .t = &t, .threshold = INT64_MAX };
	struct sw_gauge gauge;
	int rc;

	if (x->live || x->bound || !pays(w, q, x->cols))
		return 1;
	/* a window may begin within a block, where scores are known to be 0 */
	if (x->cols % SW_BLOCK)
		return 1;
	rc = begin(&p, w, x->from, e);
	if (rc)
		return rc;
	sw_pass_open(&p, &gauge, w);
	rc = sw_skew_run(w->skew, &p, UINT64_MAX);
	sw_pass_close(&p);
	sw_borders_report(p.borders, x->least);
	return rc;
}

/*
 * That takes a fifth longer than a pass does, windows of as many columns as
 * rows several times as long as those of it.  Not of few blocks, which skewed
 * lanes do not leave where scores turn out to be low; nor where what is sought
 * leaves much out.
 */
static bool
keeps(const struct sw_pass *p, const struct sw_work *w)
{
	const struct sw_text *t = p->t;
	uint64_t most = min_u64(p->q->n, t->n);

	if (!p->wanted || w->crew || !sw_grid_fits(p->q) || t->n_seg != 1 ||
	    t->seg->beg || t->seg->end != t->n)
		return false;
	return w->border_tile ||
	       (t->n / SW_BLOCK >= WORTH * SW_SKEW_LANES &&
		p->wanted > t->n / COLUMNS / p->q->n &&
		p->threshold < p->q->best * (int64_t)(most / FAR));
}

int
sw_borders_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	int rc = keeps(p, w) ? begin(p, w, p->t->seg->own, e) : 1;

	if (rc == 1) {
		p->borders = NULL;
		return sw_skew_pass(p, w, e);
	}
	if (!rc)
		rc = sw_skew_run(w->skew, p, UINT64_MAX);
	if (rc)
		p->borders = NULL;
	return rc;
}
