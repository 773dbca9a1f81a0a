/* SPDX-License-Identifier: MIT */
/*
 * kdiff_exact_trace.c - start and CIGAR of a hit whose first or last letters
 * must match
 */
#include "algo/kdiff_exact.h"
#include "base/cigar.h"

/*
 * The traceback's matrix: row r of the core (0: the head's end), column v of
 * core + d letters before the tail, letter base + v - 1 of the window before
 * it.  A path of cost d to the last cell keeps within d of its diagonal: a row
 * holds v - r = 0 .. 2d.  Row 0 is 0 where the head stands, else one more than
 * on the left: a text letter may be skipped behind the head.
 */
enum { DIAGONAL = 1, SKIP = 2, STOP = 4 };

struct band {
	uint32_t *up, *row;	/* EXACT_NONE stands before and behind each */
	uint8_t *choice;	/* [row][width] */
	int64_t base;		/* negative: letters before the segment */
	uint64_t width;		/* 2d + 1 */
	uint32_t *op, *end;	/* operations, filled from their end */
};

static void
first_row(const struct exact *x, struct band *b)
{
	int64_t last = (int64_t)x->n - x->p->tail;

	for (int64_t v = 0; v < (int64_t)b->width; v++) {
		int64_t at = b->base + v;
		bool there = at >= 0 && at <= last;
		bool stop = there && exact_head(x, (uint64_t)at);

		b->row[v] = stop ? 0 : EXACT_NONE;
		if (there && !stop && b->row[v - 1] < EXACT_NONE)
			b->row[v] = b->row[v - 1] + 1;
		b->choice[v] = stop ? STOP : SKIP;
	}
}

/* Does the letter of row r match the one before place `at`? */
static inline bool
equal(const struct exact *x, uint32_t r, int64_t at)
{
	return exact_fits(x->set, x->p, x->p->head + r - 1,
			  x->letter[at - 1]);
}

static void
next_row(const struct exact *x, struct band *b, uint32_t r)
{
	int64_t last = (int64_t)x->n - x->p->tail, i;
	uint8_t *choice = b->choice + r * b->width;
	uint32_t *row = b->row;

	for (i = 0; i < (int64_t)b->width; i++) {
		int64_t at = b->base + r + i;
		uint32_t least = b->up[i + 1] + 1;
		uint32_t diag = EXACT_NONE, skip = EXACT_NONE;

		if (at > 0 && at <= last) {
			diag = b->up[i] + !equal(x, r, at);
			skip = row[i - 1] + 1;
		}
		least = skip < least ? skip : least;
		least = diag < least ? diag : least;
		row[i] = at >= 0 && least < EXACT_NONE ? least : EXACT_NONE;
		choice[i] = (diag == least ? DIAGONAL : 0) |
			    (skip == least ? SKIP : 0);
	}
}

/* n more operations before the first one. */
static void
put(struct band *b, unsigned code, uint32_t n)
{
	if (n && b->op != b->end && (*b->op & 15) == code)
		*b->op += n << 4;
	else if (n)
		*--b->op = n << 4 | code;
}

/* From the last cell by the fixed rule; returns the letters used. */
static uint64_t
walk(const struct exact *x, struct band *b)
{
	uint64_t i = b->width / 2;
	uint32_t r = x->core;
	int64_t at;

	put(b, CIGAR_EQ, x->p->tail);
	for (;;) {
		uint8_t c = b->choice[r * b->width + i];

		at = b->base + (int64_t)(r + i);
		if (c & STOP && r == 0)
			break;
		if (c & DIAGONAL) {
			put(b, equal(x, r, at) ? CIGAR_EQ : CIGAR_X, 1);
			r--;
		} else if (c & SKIP) {
			put(b, CIGAR_D, 1);
			i--;
		} else {
			put(b, CIGAR_I, 1);
			r--;
			i++;
		}
	}
	put(b, CIGAR_EQ, x->p->head);
	return x->n - (uint64_t)at + x->p->head;
}

/* Memory of a traceback, and the letters before the end. */
static int
layout(struct exact *x, struct band *b, struct kdiff_work *w,
       const struct kdiff_hit *h, struct err *e)
{
	uint64_t want = (uint64_t)x->p->m + h->dist;
	uint64_t have = exact_before(x, h);
	size_t n_ops = want + 2, values, choices;
	uint8_t *p;
	int rc;

	b->width = 2ull * h->dist + 1;
	values = (b->width + 2) * sizeof *b->row;
	choices = (x->core + 1) * b->width;
	rc = kdiff_room(&w->exact, &w->exact_cap, 2 * values + n_ops *
			sizeof *b->op + choices + want, e);
	if (rc)
		return rc;
	p = w->exact;
	memset(p, 0x3f, 2 * values);	/* EXACT_NONE */
	b->row = (uint32_t *)p + 1;
	b->up = (uint32_t *)(p + values) + 1;
	b->end = b->op = (uint32_t *)(p + 2 * values) + n_ops;
	b->choice = (uint8_t *)b->end;
	x->letter = b->choice + choices;
	x->n = want < have ? want : have;
	kdiff_exact_read(x, h->end - x->n, x->n, x->letter);
	b->base = (int64_t)x->n - x->p->tail - x->core - h->dist;
	return 0;
}

static int
trace_one(struct exact *x, struct kdiff_work *w, const struct kdiff_hit *h,
	  struct kdiff_path *path, struct buf *ops, struct err *e)
{
	struct band b;
	int rc = layout(x, &b, w, h, e);

	if (rc)
		return rc;
	first_row(x, &b);
	for (uint32_t r = 1; r <= x->core; r++) {
		uint32_t *row = b.up;

		b.up = b.row;
		b.row = row;
		next_row(x, &b, r);
	}
	path->beg = h->end - walk(x, &b);
	path->ops = ops->n / sizeof *b.op;
	path->n_ops = (size_t)(b.end - b.op);
	buf_put(ops, b.op, path->n_ops * sizeof *b.op);
	return ops->bad ? err_nomem(e, ops->n) : 0;
}

int
kdiff_exact_trace(const struct kdiff_set *set, const struct kdiff_text *text,
		  struct kdiff_work *w, const struct kdiff_hit *hits, size_t n,
		  struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	struct exact x = { .set = set, .text = text };
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		exact_choose(&x, hits[i].pattern);
		rc = trace_one(&x, w, &hits[i], &paths[i], ops, e);
	}
	return rc;
}
