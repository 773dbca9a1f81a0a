/* SPDX-License-Identifier: MIT */
/*
 * sw_plain.c - scores and starts a cell at a time, in 64 bits
 *
 * The reference of the fast engines: any scores, any lengths, one column of
 * memory.  Scores do not overflow: |H|, |E| <= 2^30 rows * 10^6, doubled in
 * regions; gaps fall by at most 2 * 10^6 a column or row from NONE.
 *
 * A region's window begins at a column w.  What enters it from further left is
 * not known, only bounded: H(i, w-1) <= u = min(i * best, bound of the block
 * before), and E(i, w-1) <= H(i, w-1).  So all scores are doubled and
 * 	H'(i, w-1) = E'(i, w-1) = 2u + 1,	H' <= 1 becomes 0.
 * All steps are even, so an odd value is one that comes from outside.  For
 * X = H, E, F or the diagonal step, by induction over the cells,
 * 	(a)  X' even: X = X' / 2	(b)  X' odd: 2X + 1 <= X'
 * since of a maximum of such terms, if even, each odd term is at least 1 lower
 * and stands for a still lower score, and if odd, each even term is lower.
 * The floor: H' = 1 means 2H <= 0, so H = 0 is the truth, and it is even.
 *
 * Let H' be even and > 0.  Then the window's traceback is the true one: each
 * step's term has H' in the window if and only if it has H in truth.  (If it
 * has H' it is even, by (a) it is H.  If it is H in truth, its term in the
 * window is at least 2H = H', and no term is above H'.)  The same for the two
 * terms of E and of F, that of leaving the gap being asked first both times.
 * The step leads to an even term again, so the whole path is the true one, and
 * it ends at the diagonal step from a cell with H' = 0, where H = 0 by (a).  So
 * score and start of a cell with even H' are right, in any window.  A cell with
 * odd H' is not reported: only if it may be one to be reported, the window is
 * too short.  Cells reported before from the window are right, too; they come
 * again from the longer one, and the receiver must accept that.
 */

#include <stdlib.h>

#include "sw/sw_priv.h"

#define NONE (INT64_MIN / 4)

struct start {
	uint64_t row, col;
};

/* A row's values in the last column. */
struct cell {
	int64_t h, e;
	struct start hs, es;
};

struct score {
	int64_t h, e;
};

struct sw_plain {
	struct cell *cell;
	struct score *score;
	size_t n_cell, n_score;
};

static int
plain_of(struct sw_work *w, struct sw_plain **p, struct err *e)
{
	if (!w->plain)
		w->plain = calloc(1, sizeof *w->plain);
	*p = w->plain;
	return *p ? 0 : err_nomem(e, sizeof **p);
}

void
sw_plain_free(struct sw_plain *p)
{
	if (!p)
		return;
	free(p->cell);
	free(p->score);
	free(p);
}

static int64_t
score_of(const struct sw_query *q, size_t i, uint8_t letter)
{
	return letter == SW_PAD ? NONE : q->s->score[q->code[i]][letter];
}

/* One column; returns its largest H. */
static int64_t
score_column(const struct sw_query *q, uint8_t letter, struct score *v)
{
	int64_t open = q->s->open, extend = q->s->extend;
	int64_t f = NONE, up = 0, diag = 0, top = 0;

	for (size_t i = 0; i < q->n; i++) {
		int64_t e = max_i64(v[i].h - open, v[i].e) - extend;
		int64_t h = max_i64(0, diag + score_of(q, i, letter));

		f = max_i64(up - open, f) - extend;
		h = max_i64(h, max_i64(e, f));
		diag = v[i].h;
		up = h;
		v[i] = (struct score) { h, e };
		top = max_i64(top, h);
	}
	return top;
}

static void
score_seg(struct sw_pass *p, const struct sw_seg *g, struct score *v)
{
	for (size_t i = 0; i < p->q->n; i++)
		v[i] = (struct score) { 0, NONE };
	for (uint64_t b = g->beg / SW_BLOCK; b < g->end / SW_BLOCK; b++) {
		const uint8_t *letter = p->t->codes + b * SW_BLOCK;
		int64_t top = 0;

		for (unsigned j = 0; j < SW_BLOCK; j++)
			top = max_i64(top, score_column(p->q, letter[j], v));
		sw_pass_did(p, p->q->n * SW_BLOCK, 0);
		p->peak[b] = (struct sw_peak) { top, true };
		if (top >= p->threshold)
			p->threshold = p->raise(p->ctx, b, top);
	}
}

int
sw_plain_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct sw_plain *plain;
	int rc = plain_of(w, &plain, e);

	if (!rc)
		rc = array_room(&plain->score, &plain->n_score, p->q->n,
			     sizeof *plain->score, e);
	for (size_t s = 0; !rc && s < p->t->n_seg; s++)
		score_seg(p, &p->t->seg[s], plain->score);
	return rc;
}

struct region {
	const struct sw_query *q;
	const struct sw_text *t;
	struct cell *cell;
	int64_t least;
	sw_cell_fn *put;
	void *ctx;
};

enum { TOO_SHORT = 1 };

/*
 * A cell of the target columns, reached by a letter's score s > 0.  It is to be
 * reported if H = diag; diag' bounds that from above even if it is odd.
 */
static int
report_cell(struct region *r, size_t i, uint64_t j, const struct cell *x,
	    int64_t diag)
{
	if (diag / 2 < r->least)
		return 0;
	if (x->h % 2)
		return TOO_SHORT;
	if (x->h > diag)
		return 0;
	r->least = r->put(r->ctx, &(struct sw_hit) {
		.score = x->h / 2,
		.qbeg = x->hs.row, .qend = i + 1,
		.beg = x->hs.col, .end = j + 1,
	});
	return r->least < 0 ? (int)r->least : 0;
}

/* The diagonal is asked first, then E, then F; what is left is 0. */
static void
choose_start(struct cell *x, int64_t diag, const struct start *ds, int64_t f,
	     const struct start *fs)
{
	int64_t h = max_i64(diag, max_i64(x->e, f));

	if (h <= 1)
		h = 0;
	else if (h == diag)
		x->hs = *ds;
	else
		x->hs = h == x->e ? x->es : *fs;
	x->h = h;
}

/* A column with starts; its cells are reported if it is a target. */
static int
full_column(struct region *r, uint64_t j, bool target)
{
	int64_t open = 2 * r->q->s->open, extend = 2 * r->q->s->extend;
	uint8_t letter = r->t->codes[j];
	struct cell before = { 0 };
	int64_t f = NONE, up = 0;
	struct start fs = { 0, 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < r->q->n; i++) {
		struct cell *x = &r->cell[i], left = *x;
		int64_t s = score_of(r->q, i, letter);
		struct start ds = before.h ? before.hs :
				  (struct start) { i, j };

		if (left.h - open >= left.e) {
			x->e = left.h - open;
			x->es = left.hs;
		}
		x->e -= extend;
		if (up - open >= f) {
			f = up - open;
			if (i)
				fs = x[-1].hs;
		}
		f -= extend;
		choose_start(x, before.h + 2 * s, &ds, f, &fs);
		up = x->h;
		if (target && s > 0)
			rc = report_cell(r, i, j, x, before.h + 2 * s);
		before = left;
	}
	return rc;
}

/* The column before w: 0 at a segment's begin, else the bound, odd. */
static void
first_column(struct region *r, bool begins, int64_t bound)
{
	int64_t best = max_i64(r->q->best, 0);

	for (size_t i = 0; i < r->q->n; i++) {
		int64_t most = (int64_t)(i + 1) * best;
		int64_t u = begins ? 0 : most < bound ? most : bound;

		r->cell[i] = (struct cell) { .h = u ? 2 * u + 1 : 0,
					     .e = u ? 2 * u + 1 : NONE };
	}
}

int
sw_plain_region(const struct sw_region *x, struct sw_work *w, struct err *e)
{
	struct region r = { x->q, x->t, NULL, x->least, x->put, x->ctx };
	uint64_t stretch = sw_stretch_of(x->q, w, x->seg, x->from, x->peak);
	const size_t rows = x->q->n;
	struct sw_plain *plain;
	int rc = plain_of(w, &plain, e);

	if (!rc)
		rc = array_room(&plain->cell, &plain->n_cell, rows,
				sizeof *plain->cell, e);
	if (rc)
		return rc;
	r.cell = plain->cell;
	do {
		bool begins = x->from - x->seg->beg <= stretch;
		uint64_t j = begins ? x->seg->beg : x->from - stretch;
		uint64_t left = x->to - j, n = SW_BLOCK;

		sw_meter_more(w->meter, rows * left);
		first_column(&r, begins,
			     begins ? 0 : x->peak[(j - 1) / SW_BLOCK].bound);
		for (rc = 0; !rc && j < x->to; j++) {
			rc = full_column(&r, j, j >= x->from);
			if (j % n == 0 && left > n) {
				sw_meter_did(w->meter, rows * n);
				left -= n;
			}
		}
		sw_meter_did(w->meter, rows * left);
		w->stretch = stretch;
		stretch *= 2;
	} while (rc == TOO_SHORT);
	return rc;
}
