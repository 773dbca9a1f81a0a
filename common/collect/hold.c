/* SPDX-License-Identifier: MIT */
/*
 * hold.c - rows put in order that come out of it by a few letters
 *
 * Of the rows so far the largest end is E: none that is still to come ends (or
 * begins) before E - slack, so what ends (begins) there goes on.  Those that
 * wait are a list in order; a new one is nearly always the last, and is put in
 * from behind.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collect/hold.h"

struct held {
	struct hit h;
	struct buf bytes;	/* its CIGAR, letters and names */
};

struct hold {
	uint64_t slack;
	bool by_begin;
	hold_put_fn *put;
	void *ctx;
	/* What the rows that wait have in common. */
	uint64_t run, scan, subject, end;
	struct held **v;	/* in order: [first, n) wait, others spare */
	size_t first, n, cap;
};

int
hold_new(struct hold **out, uint64_t slack, bool by_begin, hold_put_fn *put,
	 void *ctx, struct err *e)
{
	struct hold *h = calloc(1, sizeof *h);

	*out = h;
	if (!h)
		return err_nomem(e, sizeof *h);
	h->slack = slack;
	h->by_begin = by_begin;
	h->put = put;
	h->ctx = ctx;
	return 0;
}

void
hold_free(struct hold *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->cap; i++) {
		if (h->v[i])
			buf_free(&h->v[i]->bytes);
		free(h->v[i]);
	}
	free(h->v);
	free(h);
}

static bool
begins_before(const struct hit *a, const struct hit *b)
{
	if (a->sbeg != b->sbeg)
		return a->sbeg < b->sbeg;
	if (a->send != b->send)
		return a->send < b->send;
	if (a->query.ordinal != b->query.ordinal)
		return a->query.ordinal < b->query.ordinal;
	if (a->qend != b->qend)
		return a->qend < b->qend;
	if ((a->flags ^ b->flags) & HIT_MINUS)
		return b->flags & HIT_MINUS;
	return a->qbeg < b->qbeg;
}

static bool
ends_before(const struct hit *a, const struct hit *b)
{
	if (a->send != b->send)
		return a->send < b->send;
	if (a->query.ordinal != b->query.ordinal)
		return a->query.ordinal < b->query.ordinal;
	if ((a->flags ^ b->flags) & HIT_MINUS)
		return b->flags & HIT_MINUS;
	if (a->sbeg != b->sbeg)
		return a->sbeg < b->sbeg;
	return a->query.len < b->query.len;
}

/* Rows that end (begin) before `place` go on. */
static int
release(struct hold *h, uint64_t place, struct err *e)
{
	int rc = 0;

	for (; h->first < h->n && !rc; h->first++) {
		const struct hit *x = &h->v[h->first]->h;

		if ((h->by_begin ? x->sbeg : x->send) >= place)
			break;
		rc = h->put(h->ctx, h->run, h->scan, x, e);
	}
	return rc;
}

/* Those that went on are spare, behind the others. */
static void
move_up(struct hold *h)
{
	for (size_t i = 0; i < h->n - h->first; i++) {
		struct held *x = h->v[i];

		h->v[i] = h->v[h->first + i];
		h->v[h->first + i] = x;
	}
	h->n -= h->first;
	h->first = 0;
}

static struct held *
new_held(struct hold *h, struct err *e)
{
	size_t cap = h->cap;

	if (h->n == h->cap && h->first > h->n / 2)	/* seldom enough */
		move_up(h);
	if (h->n == h->cap &&
	    array_room(&h->v, &h->cap, h->n + 1, sizeof(struct held *), e))
		return NULL;
	if (h->cap > cap)
		memset(h->v + cap, 0, (h->cap - cap) * sizeof(struct held *));
	if (!h->v[h->n])
		h->v[h->n] = calloc(1, sizeof(struct held));
	if (!h->v[h->n])
		err_nomem(e, sizeof(struct held));
	return h->v[h->n];
}

/* The row behind those that wait is put in order. */
static void
sort_in(struct hold *h)
{
	struct held *x = h->v[h->n];
	size_t i = h->n++;

	for (; i > h->first && (h->by_begin ? begins_before : ends_before)
	     (&x->h, &h->v[i - 1]->h); i--)
		h->v[i] = h->v[i - 1];
	h->v[i] = x;
}

/* n bytes more, for which there is room. */
static void *
keep(struct buf *b, const void *p, size_t n)
{
	void *to = b->p + b->n;

	buf_put(b, p, n);
	return to;
}

static bool
copy_row(struct held *to, const struct hit *row)
{
	struct buf *b = &to->bytes;
	size_t n = row->n_cigar * sizeof *row->cigar + row->letters.n +
		   row->query.name.n + row->subject.name.n;
	struct hit *h = &to->h;

	b->n = 0;
	if (!buf_reserve(b, n + 1))
		return false;
	*h = *row;
	h->cigar = keep(b, row->cigar, row->n_cigar * sizeof *row->cigar);
	h->letters.p = keep(b, row->letters.p, row->letters.n);
	h->query.name.p = keep(b, row->query.name.p, row->query.name.n);
	h->subject.name.p = keep(b, row->subject.name.p, row->subject.name.n);
	return true;
}

int
hold_hit(struct hold *h, uint64_t run, uint64_t scan, const struct hit *row,
	 struct err *e)
{
	struct held *x;
	int rc = 0;

	if (run != h->run || scan != h->scan ||
	    row->subject.ordinal != h->subject) {
		rc = release(h, UINT64_MAX, e);
		h->run = run;
		h->scan = scan;
		h->subject = row->subject.ordinal;
		h->end = 0;
	}
	x = rc ? NULL : new_held(h, e);
	if (!x)
		return e->code;
	if (!copy_row(x, row))
		return err_nomem(e, x->bytes.n);
	sort_in(h);
	h->end = max_u64(h->end, row->send);
	return h->end < h->slack ? 0 : release(h, h->end - h->slack, e);
}

int
hold_finish(struct hold *h, struct err *e)
{
	return release(h, UINT64_MAX, e);
}
