/* SPDX-License-Identifier: MIT */
/*
 * sw_disjoint.c - local alignments without a pair of letters in common
 *
 * The table is cut into tiles.  The values at their borders are kept, and the
 * largest H of each.  Pairs that an alignment forbids change H only in their
 * tiles, and in tiles behind a border that has changed; only these are computed
 * again, from left to right and from the top down.  A tile that has the best
 * cell, or that a path goes through, is computed once more, with directions.
 * 	The source, and Huang and Miller (Adv. Appl. Math. 12, 1991) after it,
 * follow the cells that change; tiles let vectors do that.
 *
 * Of a long text, a pass in narrow lanes comes first.  It gives a score that
 * 2 k - 1 alignments reach, each in a bin of columns of its own, as wide as any
 * alignment, and with another bin between them (struct sw_raise).  One without
 * a pair in common with the others takes pairs of two of these at most; so k
 * such alignments reach the score, too.  They end where H reaches it, which
 * forbidden pairs only lower, and have no more columns than such a score
 * leaves them: tiles of other columns are not computed, as if H were 0 there.
 * In the others H may then be too low, but not on an optimal path to a cell
 * with that score: the cells of the path are in computed columns.  At first a
 * higher score is tried, which about as many separate tops reach.
 */

#include <stdlib.h>

#include "base/base.h"
#include "letters/letters.h"
#include "sw/sw_priv.h"

enum {	/* of a cell; none of the first three: H = 0 */
	FROM_DIAGONAL = 1, FROM_E = 2, FROM_F = 4,
	START = 8,		/* the diagonal step is from H = 0 */
	E_OPENS = 16, F_OPENS = 32,
};

/* A pair of a tile that is forbidden. */
struct pair {
	uint16_t row, col;	/* in the tile */
	size_t next;		/* pair of the tile; NONE: no more */
};
#define NONE SIZE_MAX

struct tile {
	int64_t top;		/* the largest H */
	size_t pair;		/* the first of its list */
	uint16_t row, col;	/* of the best cell, if it is found */
	bool found;
	bool old;		/* to be computed again */
};

struct sw_disjoint_table {
	size_t side, high, wide;	/* of a tile; tiles */
	bool *live;		/* columns of tiles: they are computed */
	/* no alignment below `least` is known yet; all wanted reach `proved` */
	int64_t least, proved;
	struct sw_peak *peak;
	int64_t *apart;		/* tops, the highest first */
	struct sw_raise raise;
	size_t cap_live, cap_peak, cap_apart;
	struct tile *tile;	/* [row of tiles][column of tiles] */
	int64_t *best;		/* of each column of tiles */
	/* before each column of tiles but the first, [row]; above each row of
	   tiles but the first, [column] */
	struct sw_disjoint_cell *left, *above;
	size_t cap_tile, cap_best, cap_left, cap_above;
	struct pair *pair;
	size_t n_pair, cap_pair;
	sw_disjoint_fn *kern;	/* or NULL: plain() */
	uint64_t *forbidden;	/* of a tile, when it is computed */
	/* of a tile, [column][row]: directions; what is before its columns */
	uint8_t *cell;
	int64_t *h, *e;
	bool begun;	/* each cell has counted once */
};

void
sw_disjoint_free(struct sw_disjoint *d)
{
	struct sw_disjoint_table *x = d->table;

	if (!x)
		return;
	sw_raise_free(&x->raise);
	free(x->peak);
	free(x->apart);
	free(x->live);
	free(x->tile);
	free(x->best);
	free(x->left);
	free(x->above);
	free(x->pair);
	free(x->forbidden);
	free(x->cell);
	free(x->h);
	free(x->e);
	free(x);
	d->table = NULL;
}

/* What computing a tile takes. */
static int
table_new(struct sw_disjoint_table **out, struct err *e)
{
	const size_t side = SW_DISJOINT_TILE;
	struct sw_disjoint_table *x = calloc(1, sizeof *x);

	*out = x;
	if (!x)
		return err_nomem(e, sizeof *x);
	x->forbidden = malloc(side * SW_DISJOINT_WORDS * sizeof *x->forbidden);
	x->cell = malloc(side * side);
	x->h = malloc(side * sizeof *x->h);
	x->e = malloc(side * sizeof *x->e);
	if (!x->forbidden || !x->cell || !x->h || !x->e)
		return err_nomem(e, 2 * side * side);
	return 0;
}

static int64_t
most_of(const struct sw_disjoint *d)
{
	int32_t most = 0;

	for (unsigned a = 0; a < d->s->letters; a++)
		for (unsigned b = 0; b < d->s->letters; b++)
			most = d->s->score[a][b] > most ? d->s->score[a][b] :
							  most;
	return most * (int64_t)(d->m < d->n ? d->m : d->n);
}

static int
tables_room(struct sw_disjoint *d, struct err *e)
{
	struct sw_disjoint_table *x = d->table;
	int rc = array_room(&x->tile, &x->cap_tile, x->high * x->wide,
			    sizeof *x->tile, e);

	if (!rc)
		rc = array_room(&x->best, &x->cap_best, x->wide,
				sizeof *x->best, e);
	if (!rc)
		rc = array_room(&x->live, &x->cap_live, x->wide,
				sizeof *x->live, e);
	if (!rc && x->wide)
		rc = array_room(&x->left, &x->cap_left,
				(x->wide - 1) * d->m, sizeof *x->left, e);
	if (!rc)
		rc = array_room(&x->above, &x->cap_above,
				(x->high - 1) * d->n, sizeof *x->above, e);
	return rc;
}

/* The tile's rows and columns, and what stands around it. */
static struct sw_disjoint_tile
tile_at(const struct sw_disjoint *d, size_t high, size_t wide)
{
	const struct sw_disjoint_table *x = d->table;
	size_t row = high * x->side, col = wide * x->side;
	struct sw_disjoint_tile t = {
		.s = d->s, .query = d->query + row, .text = d->text + col,
		.rows = d->m - row, .cols = d->n - col,
	};

	if (wide && x->live[wide - 1])
		t.left = x->left + (wide - 1) * d->m + row;
	if (high)
		t.above = x->above + (high - 1) * d->n + col;
	if (high && t.left)
		t.corner = t.above[-1].h;
	if (wide + 1 < x->wide) {
		t.right = x->left + wide * d->m + row;
		t.cols = x->side;
	}
	if (high + 1 < x->high) {
		t.below = x->above + high * d->n + col;
		t.rows = x->side;
	}
	return t;
}

/* The tile's forbidden pairs; NULL: none. */
static const uint64_t *
forbidden_of(struct sw_disjoint_table *x, const struct tile *tile, size_t rows)
{
	if (tile->pair == NONE)
		return NULL;
	memset(x->forbidden, 0,
	       rows * SW_DISJOINT_WORDS * sizeof *x->forbidden);
	for (size_t i = tile->pair; i != NONE; i = x->pair[i].next) {
		const struct pair *p = &x->pair[i];

		x->forbidden[p->row * SW_DISJOINT_WORDS + p->col / 64] |=
		    (uint64_t)1 << p->col % 64;
	}
	return x->forbidden;
}

/*
 * A column: h and e are what is before it, row by row.  above: H and F of the
 * first row; then of the row below the last.  cell: its directions, or NULL.
 * A gap of a cell opens there if that gives its value: see E_OPENS.
 */
static void
tile_column(struct sw_disjoint_table *x, const struct sw_disjoint_tile *t,
	    size_t j, int64_t diagonal, struct sw_disjoint_cell *above,
	    uint8_t *cell)
{
	const int64_t none = INT64_MIN / 2;	/* below any sum of costs */
	const int64_t extend = t->s->extend, open = t->s->open + extend;
	int64_t up = above->h, f = above->gap;

	for (size_t i = 0; i < t->rows; i++) {
		int64_t left = x->h[i], e = x->e[i], h = 0;
		int64_t s = diagonal + t->s->score[t->query[i]][t->text[j]];
		unsigned is = diagonal == 0 ? START : 0;

		if (t->forbidden &&
		    t->forbidden[i * SW_DISJOINT_WORDS + j / 64] >> j % 64 & 1)
			s = none;
		h = s > h ? s : h;
		h = e > h ? e : h;
		h = f > h ? f : h;
		if (h > 0)
			is |= h == s ? FROM_DIAGONAL : h == e ? FROM_E : FROM_F;
		is |= left - open == e ? E_OPENS : 0;
		is |= up - open == f ? F_OPENS : 0;
		if (cell)
			cell[i] = (uint8_t)is;
		diagonal = left;
		x->h[i] = up = h;
		x->e[i] = h - open > e - extend ? h - open : e - extend;
		f = h - open > f - extend ? h - open : f - extend;
	}
	*above = (struct sw_disjoint_cell){ up, f };
}

/* The largest H of a column, and its first row. */
static int64_t
top_of(const struct sw_disjoint_table *x, size_t rows, size_t *row)
{
	int64_t top = 0;

	for (size_t i = 0; i < rows; i++)
		if (x->h[i] > top) {
			top = x->h[i];
			*row = i;
		}
	return top;
}

/*
 * All cells of a tile, a cell at a time; directions come to x->cell, where they
 * are wanted.  best: or NULL; gets the place of its best cell.
 */
static void
plain_tile(struct sw_disjoint_table *x, struct sw_disjoint_tile *t,
	   bool directions, struct tile *best)
{
	int64_t diagonal = t->corner;

	t->top = 0;
	t->right_new = t->below_new = t->corner_new = false;
	for (size_t i = 0; i < t->rows; i++) {
		x->h[i] = t->left ? t->left[i].h : 0;
		x->e[i] = t->left ? t->left[i].gap : 0;
	}
	for (size_t j = 0; j < t->cols; j++) {
		struct sw_disjoint_cell c = { 0, 0 };
		size_t row = 0;
		int64_t top;

		if (t->above)
			c = t->above[j];
		tile_column(x, t, j, diagonal, &c,
			    directions ? x->cell + j * t->rows : NULL);
		diagonal = t->above ? t->above[j].h : 0;
		top = top_of(x, t->rows, &row);
		if (top > t->top && best) {
			best->row = (uint16_t)row;
			best->col = (uint16_t)j;
		}
		t->top = top > t->top ? top : t->top;
		if (!t->below)
			continue;
		t->corner_new = sw_disjoint_put(&t->below[j], c.h, c.gap);
		t->below_new |= t->corner_new;
	}
	for (size_t i = 0; t->right && i < t->rows; i++)
		t->right_new |= sw_disjoint_put(&t->right[i], x->h[i],
						x->e[i]);
}

static void
mark_old(struct sw_disjoint_table *x, size_t high, size_t wide)
{
	x->tile[high * x->wide + wide].old = true;
}

static void
compute(struct sw_disjoint *d, size_t high, size_t wide)
{
	struct sw_disjoint_table *x = d->table;
	struct tile *tile = &x->tile[high * x->wide + wide];
	struct sw_disjoint_tile t = tile_at(d, high, wide);

	t.forbidden = forbidden_of(x, tile, t.rows);
	if (x->kern)
		x->kern(&t);
	else
		plain_tile(x, &t, false, NULL);
	tile->top = t.top;
	tile->found = tile->old = false;
	if (x->begun)
		sw_meter_more(d->meter, t.rows * t.cols);
	sw_meter_did(d->meter, t.rows * t.cols);
	if (t.right_new)
		mark_old(x, high, wide + 1);
	if (t.below_new)
		mark_old(x, high + 1, wide);
	if (t.corner_new && wide + 1 < x->wide)
		mark_old(x, high + 1, wide + 1);
}

/* From the first rows and columns of tiles on, what is old. */
static void
renew(struct sw_disjoint *d, size_t high, size_t wide)
{
	struct sw_disjoint_table *x = d->table;

	for (size_t h = high; h < x->high; h++)
		for (size_t v = wide; v < x->wide; v++)
			if (x->live[v] && x->tile[h * x->wide + v].old)
				compute(d, h, v);
	for (size_t v = wide; v < x->wide; v++) {
		x->best[v] = 0;
		for (size_t h = 0; h < x->high; h++) {
			int64_t top = x->tile[h * x->wide + v].top;

			x->best[v] = top > x->best[v] ? top : x->best[v];
		}
	}
}

/* Bins for each alignment that is wanted, from which on a pass pays. */
enum { BINS_EACH = 4 };

static bool
may_leave_out(const struct sw_disjoint *d)
{
	return d->q && d->q->best > 0 && d->wanted &&
	       sw_context(d->q) < d->n / BINS_EACH / d->wanted;
}

/* Tops of blocks that reach a score which all alignments wanted do. */
static int
find_tops(struct sw_disjoint *d, int64_t *score, struct err *e)
{
	struct sw_disjoint_table *x = d->table;
	struct sw_meter *meter = d->work->meter;
	struct sw_pass p = { .q = d->q, .t = &d->around, .threshold = 1,
			     .raise = sw_raise_take, .ctx = &x->raise };
	int rc = sw_raise_reset(&x->raise, d->q, &d->around,
				2 * d->wanted - 1, 1, e);

	if (!rc)
		rc = array_room(&x->peak, &x->cap_peak,
				d->around.n / SW_BLOCK, sizeof *x->peak, e);
	if (rc)
		return rc;
	p.peak = x->peak;
	d->work->meter = NULL;	/* the cells count below */
	rc = sw_pass(&p, d->work, e);
	d->work->meter = meter;
	*score = p.threshold;
	return rc;
}

/* No alignment with that score has more columns. */
static uint64_t
most_columns(const struct sw_disjoint *d, int64_t score)
{
	int64_t left = (int64_t)d->m * d->q->best - d->s->open - score;

	return d->m + (left > 0 ? (uint64_t)(left / d->s->extend) : 0);
}

/* Columns of tiles with alignments that end in columns [from, to).  Tiles of
 * new ones are to be computed, and those beside them, whose border was 0. */
static void
keep_columns(struct sw_disjoint *d, size_t from, size_t to, uint64_t columns)
{
	struct sw_disjoint_table *x = d->table;
	size_t beg = from < columns ? 0 : from - (size_t)columns;

	for (size_t v = beg / x->side; v * x->side < to; v++) {
		for (size_t h = 0; h < x->high && !x->live[v]; h++)
			for (size_t n = v; n < x->wide && n < v + 2; n++)
				x->tile[h * x->wide + n].old = true;
		x->live[v] = true;
	}
}

/* Alignments from this score on are known from now on. */
static void
keep_from(struct sw_disjoint *d, int64_t score)
{
	struct sw_disjoint_table *x = d->table;
	uint64_t columns = most_columns(d, score);

	x->least = score;
	for (size_t b = 0; b < d->around.n / SW_BLOCK; b++) {
		size_t from = b * SW_BLOCK, to = from + SW_BLOCK;

		if (x->peak[b].bound >= score && to > d->at &&
		    from < d->at + d->n)
			keep_columns(d, from > d->at ? from - d->at : 0,
				     min_u64(to - d->at, d->n), columns);
	}
}

/* Blocks before and behind a top that is higher than all of theirs. */
enum { APART = 16 };

static bool
stands_out(const struct sw_disjoint *d, size_t b)
{
	const struct sw_peak *peak = d->table->peak;
	size_t end = min_u64(b + APART, d->around.n / SW_BLOCK);

	for (size_t i = b < APART ? 0 : b - APART; i < end; i++)
		if (peak[i].bound > peak[b].bound)
			return false;
	return true;
}

static int
highest_first(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* A score that some more separate tops reach than are wanted. */
static int
score_to_try(struct sw_disjoint *d, int64_t *score, struct err *e)
{
	struct sw_disjoint_table *x = d->table;
	size_t n = 0, some = d->wanted + d->wanted / 4 + 2;
	int rc = array_room(&x->apart, &x->cap_apart, d->around.n / SW_BLOCK,
			    sizeof *x->apart, e);

	for (size_t b = 0; b < d->around.n / SW_BLOCK && !rc; b++)
		if (x->peak[b].bound >= x->proved && stands_out(d, b))
			x->apart[n++] = x->peak[b].bound;
	*score = x->proved;
	if (rc || n < some)
		return rc;
	qsort(x->apart, n, sizeof *x->apart, highest_first);
	*score = x->apart[some - 1];
	return 0;
}

/* Tiles are in place. */
static int
find_columns(struct sw_disjoint *d, struct err *e)
{
	struct sw_disjoint_table *x = d->table;
	bool some = may_leave_out(d);
	int64_t score;
	int rc;

	x->least = x->proved = 1;
	x->begun = some;
	for (size_t v = 0; v < x->wide; v++)
		x->live[v] = !some;
	if (!some)
		return 0;
	rc = find_tops(d, &x->proved, e);
	if (!rc)
		rc = score_to_try(d, &score, e);
	if (rc)
		return rc;
	keep_from(d, score);
	sw_meter_did(d->meter, d->m * d->n);
	return 0;
}

int
sw_disjoint_begin(struct sw_disjoint *d, struct err *e)
{
	struct sw_disjoint_table *x = d->table;
	int rc = x ? 0 : table_new(&d->table, e);

	x = d->table;
	if (rc) {
		sw_disjoint_free(d);
		return rc;
	}
	x->side = d->side ? d->side : SW_DISJOINT_TILE;
	x->high = (d->m + x->side - 1) / x->side;
	x->wide = (d->n + x->side - 1) / x->side;
	rc = tables_room(d, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < x->high * x->wide; i++)
		x->tile[i] = (struct tile){ .pair = NONE, .old = true };
	x->n_pair = 0;
	rc = find_columns(d, e);
	if (rc)
		return rc;
	x->kern = most_of(d) > SW_DISJOINT_MAX ? NULL :
		  KERN_PICK_VECTOR(sw_disjoint_tile);
	renew(d, 0, 0);
	x->begun = true;
	return 0;
}

/* The place of a tile's best cell. */
static const struct tile *
find_cell(struct sw_disjoint *d, size_t high, size_t wide)
{
	struct sw_disjoint_table *x = d->table;
	struct tile *tile = &x->tile[high * x->wide + wide];
	struct sw_disjoint_tile t = tile_at(d, high, wide);

	if (tile->found)
		return tile;
	t.forbidden = forbidden_of(x, tile, t.rows);
	t.right = t.below = NULL;
	plain_tile(x, &t, false, tile);
	tile->found = true;
	return tile;
}

/* Of the first column of tiles that has it, the first column; there the first
 * row. */
static int64_t
best_cell(struct sw_disjoint *d, size_t *row, size_t *col)
{
	struct sw_disjoint_table *x = d->table;
	int64_t most = 0;
	size_t wide = 0;

	for (size_t v = 0; v < x->wide; v++)
		if (x->best[v] > most) {
			most = x->best[v];
			wide = v;
		}
	*col = SIZE_MAX;
	for (size_t h = 0; h < x->high && most > 0; h++) {
		const struct tile *t;

		if (x->tile[h * x->wide + wide].top < most)
			continue;
		t = find_cell(d, h, wide);
		if (wide * x->side + t->col < *col) {
			*col = wide * x->side + t->col;
			*row = h * x->side + t->row;
		}
	}
	return most;
}

static void
turn_round(struct buf *ops)
{
	uint32_t *v = (uint32_t *)(void *)ops->p;
	size_t n = ops->n / sizeof *v;

	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = v[i];

		v[i] = v[n - 1 - i];
		v[n - 1 - i] = x;
	}
}

static void
put_op(struct buf *ops, unsigned op)
{
	uint32_t *v = (uint32_t *)(void *)ops->p, one = 1 << 4 | op;
	size_t n = ops->n / sizeof *v;

	if (n && (v[n - 1] & 15) == op && v[n - 1] >> 4 < CIGAR_MAX_LEN)
		v[n - 1] += 1 << 4;
	else
		buf_put(ops, &one, sizeof one);
}

static int
forbid(struct sw_disjoint_table *x, struct tile *tile, size_t row, size_t col,
       struct err *e)
{
	int rc = array_room(&x->pair, &x->cap_pair, x->n_pair + 1,
			    sizeof *x->pair, e);

	if (rc)
		return rc;
	x->pair[x->n_pair] = (struct pair){
		(uint16_t)row, (uint16_t)col, tile->pair,
	};
	tile->pair = x->n_pair++;
	tile->old = true;
	return 0;
}

/* A path, from its end to its start. */
struct path {
	size_t row, col;
	unsigned in;		/* 0, or FROM_E, FROM_F: in a gap */
	bool done;
};

/* Up to where it leaves the tile, of which t has the cells up to it. */
static int
follow_tile(struct sw_disjoint *d, struct tile *tile,
	    const struct sw_disjoint_tile *t, struct path *p, struct buf *ops,
	    struct err *e)
{
	const size_t row = p->row - (t->rows - 1);
	const size_t col = p->col - (t->cols - 1);
	int rc = 0;

	while (!rc && p->row + 1 > row && p->col + 1 > col) {
		size_t i = p->row - row, j = p->col - col;
		unsigned c = d->table->cell[j * t->rows + i];

		if (!p->in && c & FROM_DIAGONAL) {
			put_op(ops, d->same[t->query[i]] == t->text[j]
					? CIGAR_EQ
					: CIGAR_X);
			rc = forbid(d->table, tile, i, j, e);
			p->done = c & START;
			if (p->done)
				break;
			p->row--;
			p->col--;
			continue;
		}
		p->in = p->in ? p->in : c & (FROM_E | FROM_F);
		put_op(ops, p->in == FROM_E ? CIGAR_D : CIGAR_I);
		p->col -= p->in == FROM_E;
		p->row -= p->in == FROM_F;
		if (c & (p->in == FROM_E ? E_OPENS : F_OPENS))
			p->in = 0;
	}
	return rc;
}

/* From the cell of hit's ends to its start, whose place it gets. */
static int
trace(struct sw_disjoint *d, struct sw_hit *hit, struct buf *ops,
      struct err *e)
{
	struct sw_disjoint_table *x = d->table;
	struct path p = { .row = hit->qend - 1, .col = hit->end - 1 };
	int rc = 0;

	while (!p.done && !rc) {
		size_t high = p.row / x->side, wide = p.col / x->side;
		struct tile *tile = &x->tile[high * x->wide + wide];
		struct sw_disjoint_tile t = tile_at(d, high, wide);

		t.rows = p.row % x->side + 1;
		t.cols = p.col % x->side + 1;
		t.right = t.below = NULL;
		t.forbidden = forbidden_of(x, tile, t.rows);
		plain_tile(x, &t, true, NULL);
		rc = follow_tile(d, tile, &t, &p, ops, e);
	}
	if (rc)
		return rc;
	hit->qbeg = p.row;
	hit->beg = p.col;
	turn_round(ops);
	renew(d, p.row / x->side, p.col / x->side);
	return ops->bad ? err_nomem(e, ops->n) : 0;
}

int
sw_disjoint_next(struct sw_disjoint *d, int64_t least, struct sw_hit *hit,
		 struct buf *ops, struct err *e)
{
	size_t row = 0, col = 0;
	int rc;

	ops->n = 0;
	least = max_i64(least, d->table->proved);
	hit->score = best_cell(d, &row, &col);
	if (hit->score < d->table->least && least < d->table->least) {
		keep_from(d, d->table->proved);
		renew(d, 0, 0);
		hit->score = best_cell(d, &row, &col);
	}
	if (hit->score < least)
		return 0;
	hit->qend = row + 1;
	hit->end = col + 1;
	rc = trace(d, hit, ops, e);
	return rc ? rc : 1;
}
