/* SPDX-License-Identifier: MIT */
/*
 * sw_cut.c - the way back from the best cell, in parts by several threads
 *
 * What follows the pass goes along one path, a few blocks beside it: scores
 * from the end, scores, directions.  There threads have nothing to share, as
 * each block waits for the one before.  So the path is cut at rows that the
 * pass leaves as it goes.
 *
 * The last part, rows a to the query's end, has H and F of row a - 1 above it.
 * They are true for all cells on paths to the best ones, and nowhere too high,
 * as sw_skew_prune.c says; more is not asked of the window above a row either,
 * see sw_grid.c.  So all that it finds is right, to where a path goes up to row
 * a - 1.  The part above ends there, with a cell that is a guess.  If a path of
 * the last part comes to that cell, in H, then the cell is on a path to a best
 * one.  So all cells on paths to it are, too, its H and what the pass has of
 * peaks are right for it, and its own path is the rest of the other one: which
 * way a path goes from a cell follows from that cell's H, E and F alone.  If it
 * does not, or in a gap, or where a part's path comes to the first column of a
 * window that an alignment may enter from the left, all is done again without
 * cuts.  Cells of the parts
 * above cannot be best ones themselves: so many rows cannot score as much.
 *
 * The guess is the largest H of the row, by as much as possible: of a few rows
 * that where the others are lowest.
 */

#include <stdlib.h>
#include <string.h>

#include "sw/sw_grid.h"

enum {
	ROWS = 8192,	/* of a part, at least: some ms */
	EACH = 2,	/* parts for each thread: they take different times */
};

static void
drop_works(struct sw_cuts *x)
{
	for (unsigned i = 0; i < SW_CUT_PARTS; i++) {
		sw_work_free(x->work[i]);
		x->work[i] = NULL;
	}
}

void
sw_cuts_drop(struct sw_cuts *x)
{
	if (!x)
		return;
	free(x->mem);
	x->mem = NULL;
	x->n = 0;
	x->known = false;
	drop_works(x);
}

void
sw_cuts_free(struct sw_cuts *x)
{
	sw_cuts_drop(x);
	free(x);
}

static void
set_cut(struct sw_cuts *x, unsigned i, size_t strip, size_t fill)
{
	const size_t blocks = x->cols / SW_BLOCK, a_row = 2 * x->cols + blocks;
	struct sw_cut *c = &x->v[i];

	c->strip = strip;
	for (unsigned k = 0; k < SW_CUT_TRIES; k++) {
		int32_t *mem = x->mem + (i * SW_CUT_TRIES + k) * a_row;

		c->row[k] = (struct sw_cut_row){
			(strip + k + 1) * SW_SKEW_ROWS - fill - 1,
			mem, mem + x->cols, mem + 2 * x->cols,
		};
	}
}

/* No cell of a strip or above it has a larger H: sw_skew_prune.c. */
static int64_t
most_above(const struct sw_skew *s, const struct sw_pass *p, size_t strip)
{
	const size_t rows = (strip + 1) * SW_SKEW_ROWS - s->fill;
	const uint32_t *words = p->absent->rows;
	int64_t most = (int64_t)rows * s->match;

	if (!s->loss)
		return most;
	return most - sw_skew_lost(s, words[0] - words[rows / SW_SKEW_ROWS]);
}

/*
 * As even as they may be.  No row is in the lanes' way round from the last
 * strip to the first, and above none is a cell that can be asked for.
 */
static void
set_cuts(struct sw_cuts *x, const struct sw_pass *p, const struct sw_skew *s,
	 size_t parts)
{
	const size_t least = x->always ? 1 : ROWS / SW_SKEW_ROWS;
	size_t last = 0, most = s->strips - s->ops->lanes - SW_CUT_TRIES;

	for (x->n = 0; x->n + 1 < parts; x->n++) {
		size_t strip = min_u64((x->n + 1) * s->strips / parts, most);

		while (strip > last && most_above(s, p, strip + SW_CUT_TRIES -
						  1) >= p->threshold)
			strip--;
		if (strip < last + least)
			return;
		set_cut(x, x->n, strip, s->fill);
		last = strip + SW_CUT_TRIES;
	}
}

void
sw_cuts_open(struct sw_cuts *x, const struct sw_pass *p,
	     const struct sw_skew *s, unsigned threads)
{
	size_t n = min_u64(EACH * (uint64_t)threads, SW_CUT_PARTS), bytes;

	sw_cuts_drop(x);
	x->q = p->q;
	x->cols = p->t->n;
	while (n > 1 && !x->always && p->q->n / n < ROWS)
		n--;
	bytes = (2 * x->cols + x->cols / SW_BLOCK) * sizeof *x->mem;
	x->mem = n > 1 ? calloc((n - 1) * SW_CUT_TRIES, bytes) : NULL;
	if (x->mem)
		set_cuts(x, p, s, n);
}

/* Zero is what it was: so are blocks that are left out. */
static void
take_row(const struct sw_skew *s, unsigned lane, const struct sw_cut_row *c,
	 uint64_t block)
{
	const struct sw_skew_edge *x = &s->edge[s->at];
	int32_t *h = c->h + block * SW_BLOCK, *f = c->f + block * SW_BLOCK;
	int32_t top = 0;

	for (unsigned j = 0; j < SW_BLOCK; j++) {
		unsigned i = j * s->ops->lanes + lane;

		h[j] = sw_skew_value(s, x->h, i, s->base[lane]);
		f[j] = sw_skew_value(s, x->f, i, s->base[lane]);
		top = h[j] > top ? h[j] : top;
	}
	c->top[block] = top;
}

void
sw_cuts_take(const struct sw_skew *s)
{
	const struct sw_cuts *x = s->cuts;
	const uint64_t blocks = x->cols / SW_BLOCK;

	for (unsigned i = 0; i < x->n; i++) {
		size_t k = s->strip - x->v[i].strip;	/* or 2^64 less that */

		if (k >= s->ops->lanes + SW_CUT_TRIES - 1)
			continue;
		for (unsigned n = 0; n < SW_CUT_TRIES && n <= k; n++)
			if (k - n < s->ops->lanes && s->first + k - n < blocks)
				take_row(s, (unsigned)(k - n), &x->v[i].row[n],
					 s->first + k - n);
	}
}

void
sw_cuts_close(struct sw_cuts *x, const struct sw_pass *p)
{
	x->known = x->n > 0;
	x->least = p->threshold;
}

/* A row, the column of its largest H, and how much less all others are. */
struct guess {
	const struct sw_cut_row *row;
	uint64_t col;
	int32_t h, margin;
};

/* Of whole blocks of columns [from, to). */
static struct guess
guess_of(const struct sw_cut_row *c, uint64_t from, uint64_t to)
{
	uint64_t first = (from + SW_BLOCK - 1) / SW_BLOCK, end = to / SW_BLOCK;
	uint64_t best = first;
	struct guess x = { .row = c };
	int32_t next = 0;

	for (uint64_t b = first + 1; b < end; b++)
		best = c->top[b] > c->top[best] ? b : best;
	for (uint64_t b = first; b < end; b++)
		next = b != best && c->top[b] > next ? c->top[b] : next;
	x.col = best * SW_BLOCK;
	x.h = c->h[x.col];
	for (uint64_t j = x.col + 1; j < (best + 1) * SW_BLOCK; j++) {
		int32_t less = c->h[j] > x.h ? x.h : c->h[j];

		next = less > next ? less : next;
		if (c->h[j] > x.h) {
			x.h = c->h[j];
			x.col = j;
		}
	}
	x.margin = x.h - next;
	return x;
}

static struct guess
best_guess(const struct sw_cut *c, uint64_t from, uint64_t to)
{
	struct guess x = guess_of(&c->row[0], from, to);

	for (unsigned k = 1; k < SW_CUT_TRIES; k++) {
		struct guess y = guess_of(&c->row[k], from, to);

		if (y.margin > x.margin)
			x = y;
	}
	return x;
}

struct part {
	struct sw_grid_region r;
	struct sw_grid_window w;
	struct sw_hit cell;	/* that it ends with, but for the last one */
	struct err e;
	int rc;
};

struct cutting {
	struct part v[SW_CUT_PARTS];
	unsigned n, next;
	const struct sw_peak *peak;
};

static int64_t
put_none(void *ctx, const struct sw_hit *cell)
{
	(void)ctx;
	(void)cell;
	return 0;
}

static int
work_of(struct sw_cuts *x, unsigned i, const struct sw_work *w, struct err *e)
{
	int rc = x->work[i] ? 0 : sw_work_new(&x->work[i], e);

	if (rc)
		return rc;
	x->work[i]->meter = w->meter;
	x->work[i]->lanes_bytes = w->lanes_bytes;
	x->work[i]->grid_tile = w->grid_tile;
	return 0;
}

/* Rows below `above`, whose row is NULL for the first part, to that of `end`,
 * or to the query's last. */
static int
set_part(struct cutting *c, const struct sw_grid_region *whole,
	 const struct sw_grid_window *w, const struct guess *above,
	 const struct guess *end)
{
	struct sw_cuts *cuts = whole->w->cuts;
	struct part *x = &c->v[c->n];
	const size_t row = above->row ? above->row->row + 1 : 0;
	const size_t to = end ? end->row->row + 1 : w->rows;
	int rc = work_of(cuts, c->n++, whole->w, whole->e);

	if (rc)
		return rc;
	x->r = *whole;
	x->r.w = cuts->work[c->n - 1];
	x->r.put = put_none;
	x->r.e = &x->e;
	x->r.row = row;
	x->r.from = w->from;
	x->r.cross = above->col - whole->begin;
	x->w = *w;
	x->w.row += row;
	x->w.rows = to - row;
	if (above->row) {
		x->w.above_h = above->row->h + whole->begin;
		x->w.above_f = above->row->f + whole->begin;
	}
	if (end) {
		x->w.cols = (size_t)(end->col + 1 - whole->begin);
		x->w.least = end->h;
		x->cell = (struct sw_hit){
			.score = end->h, .qend = to, .end = x->w.cols,
		};
	}
	return 0;
}

/* 1: a guess is no cell of a path. */
static int
set_parts(struct cutting *c, const struct sw_grid_region *r,
	  const struct sw_grid_window *x)
{
	const struct sw_cuts *cuts = r->w->cuts;
	struct guess last = { .row = NULL, .col = r->begin };
	int rc = 0;

	for (unsigned i = 0; i < cuts->n && !rc; i++) {
		struct guess y = best_guess(&cuts->v[i], r->begin,
					    r->begin + x->cols);

		if (y.h <= last.h || y.col <= last.col || y.h >= x->least)
			return 1;
		rc = set_part(c, r, x, &last, &y);
		last = y;
	}
	return rc ? rc : set_part(c, r, x, &last, NULL);
}

static void
work(void *ctx)
{
	struct cutting *c = ctx;

	for (;;) {
		unsigned i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);
		struct part *x;

		if (i >= c->n)
			return;
		x = &c->v[i];
		x->rc = sw_grid_cut(&x->r, &x->w, c->peak,
				    i + 1 < c->n ? &x->cell : NULL);
		sw_grid_free(x->r.w->grid);
		x->r.w->grid = NULL;
	}
}

/* Of a path of the last part, whose end is `a`: the hit and the way. */
static int
put_joined(const struct cutting *c, struct sw_grid_region *r,
	   const struct sw_grid_end *a)
{
	struct sw_path_part way[SW_CUT_PARTS];
	struct sw_hit h = { .score = a->score, .qend = a->row + 1,
			    .end = r->begin + a->col + 1 };
	unsigned n = 0, i = c->n;
	int64_t rc;

	do {
		const struct sw_grid_ends *ends = c->v[--i].r.ends;

		a = n ? ends->end : a;
		way[n++] = (struct sw_path_part){ &ends->ways, a->way.first };
	} while (i && a->i < c->v[i].r.row);
	h.qbeg = a->i;
	h.beg = r->begin + a->j;
	rc = r->put(r->ctx, &h);
	if (rc < 0)
		return (int)rc;
	r->least = rc;
	return sw_paths_join(r->w, &h, way, n, r->least, r->e);
}

static int
join(const struct cutting *c, struct sw_grid_region *r)
{
	const struct sw_grid_ends *ends = c->v[c->n - 1].r.ends;
	int rc = 0;

	for (unsigned i = 0; i < c->n && rc >= 0; i++)
		if (c->v[i].rc)
			rc = c->v[i].rc;
	for (unsigned i = 0; i < c->n && rc < 0; i++)
		if (c->v[i].rc == rc)
			*r->e = c->v[i].e;
	if (rc)
		return rc;
	for (size_t i = 0; i < ends->n && !rc; i++)
		if (ends->end[i].in == SW_END_FOUND)
			rc = put_joined(c, r, &ends->end[i]);
	return rc;
}

int
sw_cut_region(struct sw_grid_region *r, const struct sw_grid_window *x,
	      const struct sw_peak *peak)
{
	struct sw_cuts *cuts = r->w->cuts;
	struct cutting c = { .n = 0, .peak = peak };
	int rc;

	if (!cuts || !cuts->known || !r->w->crew || cuts->q != r->q ||
	    x->least < cuts->least || x->cols < 2 * SW_BLOCK)
		return 1;
	rc = set_parts(&c, r, x);
	if (!rc)
		crew_call(r->w->crew, work, &c);
	rc = rc ? rc : join(&c, r);
	r->w->cut_did.done += !rc;
	r->w->cut_did.failed += rc == 1;
	sw_cuts_drop(cuts);
	return rc;
}
