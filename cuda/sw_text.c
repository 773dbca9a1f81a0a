/* SPDX-License-Identifier: MIT */
/*
 * sw_text.c - a text through a stream of a GPU: spans that fit its memory,
 * and pieces of them, repeated until all borders agree
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cuda/sw.h"

struct text {
	struct sw_dev_stream *s;
	const struct sw_view *q;
	const struct sw_text *t;
	struct cuda_sw_cut *c;
	int32_t *top;
	struct cuda_sw_best *best;	/* of each text; or NULL */
	size_t in;		/* the one that the last piece is of */
	struct sw_dev_span span;
	uint64_t base;		/* the text's column that is the span's 0 */
	size_t seg;		/* where the next piece is */
	uint64_t at;
	bool *wide;		/* pieces that were done again: in 32 bits */
	size_t n_wide;
};

/* As many as the query has, or sweeps of as many as a block has at most. */
static void
choose_sweep(struct sw_dev_span *p, size_t n, uint32_t most)
{
	uint64_t lanes = (n + SW_DEV_LANES - 1) / SW_DEV_LANES;

	p->sweep = (uint32_t)min_u64(lanes * SW_DEV_LANES, most);
	p->rows = (uint32_t)((n + p->sweep - 1) / p->sweep * p->sweep);
}

/*
 * Rows of a lane and all of them, so that the least is done: a row of a lane's
 * step takes 8 operations, and the step 7 beside (cuda/sw_cells.cuh).
 */
static void
choose_rows(struct sw_dev_span *p, size_t n, uint32_t most)
{
	static const uint32_t choice[] = { 4, 8, 16, SW_DEV_MOST_ROWS };
	uint64_t least = 0;

	for (unsigned i = 0; i < sizeof choice / sizeof *choice; i++) {
		uint64_t one = choice[i] * SW_DEV_LANES;
		uint64_t sweeps = (n + one - 1) / one;
		uint64_t cost = sweeps * (8 * choice[i] + 7);

		if (i && (cost >= least || choice[i] > most))
			continue;
		least = cost;
		p->per_lane = choice[i];
		p->rows = (uint32_t)(sweeps * one);
	}
}

/* Scores of the text's letters as bytes. */
static uint32_t
row_of(const struct sw_scoring *s, uint8_t letter)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < 4; i++)
		v |= (uint32_t)(uint8_t)s->score[letter][i] << 8 * i;
	return v;
}

static void
put_rows(const struct text *x)
{
	uint32_t of[SW_LETTERS], *row = x->s->row;
	size_t before = x->span.rows - x->q->n;

	for (unsigned i = 0; i < x->q->scoring->letters; i++)
		of[i] = row_of(x->q->scoring, (uint8_t)i);
	for (size_t i = 0; i < before; i++)
		row[i] = 0x01010101u * SW_DEV_PAD;	/* the least scores */
	for (size_t i = 0; i < x->q->n; i++)
		row[before + i] = of[x->q->code[i]];
}

/* The piece at x->at, and the next one's place; false: there is none. */
static bool
next_piece(struct text *x, uint64_t *beg, uint64_t *own, uint64_t *end)
{
	const struct sw_seg *g;

	while (x->seg < x->t->n_seg && x->at >= x->t->seg[x->seg].end)
		if (++x->seg < x->t->n_seg)
			x->at = x->t->seg[x->seg].beg;
	if (x->seg == x->t->n_seg)
		return false;
	g = &x->t->seg[x->seg];
	*own = x->at;
	*beg = *own - min_u64(*own - g->beg, x->c->lead);
	*end = min_u64(*own + x->c->own, g->end);
	x->at = *end;
	return true;
}

/* The text that a column is of, `in` or one behind it. */
static size_t
text_at(const struct text *x, size_t in, uint64_t column)
{
	while (x->best && column >= x->best[in].end)
		in++;
	return in;
}

/* One more piece, of one text more or not, if the span still fits. */
static bool
add_piece(struct text *x, uint64_t beg, uint64_t end, bool another)
{
	struct sw_dev_span next = x->span;

	if (end - x->base > UINT32_MAX / 2)
		return false;
	next.pieces++;
	next.texts += another;
	next.letters = (uint32_t)(end - x->base);
	next.columns = max_u64(next.columns, end - beg);
	if (!sw_dev.fits(x->s, &next))
		return false;
	x->span = next;
	return true;
}

/*
 * As many pieces as fit, counted only, and back to where it was: 0: none is
 * left; 1: not even one fits.  If others follow, they are a multiple of those
 * that fill the device, if as many fit: few beyond would take it as long.
 */
static int
measure(struct text *x)
{
	size_t seg = x->seg, in = x->in;
	uint64_t at = x->at, beg, own, end;
	struct sw_dev_span *p = &x->span, full;

	p->letters = p->pieces = p->texts = p->columns = 0;
	full = *p;
	while (next_piece(x, &beg, &own, &end)) {
		size_t now = text_at(x, in, own);

		if (!p->pieces)
			x->base = beg;
		if (!add_piece(x, beg, end, !p->pieces || now != in)) {
			*p = full.pieces ? full : *p;
			break;
		}
		in = now;
		if (x->c->fill && p->pieces % x->c->fill == 0)
			full = *p;
	}
	if (!p->pieces)
		return x->seg < x->t->n_seg;
	x->seg = seg;
	x->at = at;
	return 0;
}

/* The first piece of the text that a piece is of. */
static void
put_text(struct text *x, uint32_t i, uint64_t own)
{
	size_t in = text_at(x, x->in, own);

	if (x->best)
		x->s->first[i] = i && in == x->in ? x->s->first[i - 1] : i;
	x->in = in;
}

/* Everything to pinned memory. */
static void
put_span(struct text *x)
{
	uint64_t beg, own, end;

	put_rows(x);
	memcpy(x->s->codes, x->t->codes + x->base, x->span.letters);
	for (uint32_t i = 0; i < x->span.pieces; i++) {
		struct sw_dev_piece *p = &x->s->piece[i];

		next_piece(x, &beg, &own, &end);
		put_text(x, i, own);
		p->beg = (uint32_t)(beg - x->base);
		p->own = (uint32_t)(own - x->base);
		p->end = (uint32_t)(end - x->base);
		p->sure = own == x->t->seg[x->seg].beg;
		own = max_u64(own, min_u64(end, x->t->seg[x->seg].own));
		x->s->counts[i] = (uint32_t)(own - x->base);
	}
}

/* Pieces that are not right yet: they do not agree with the one before, or
 * have scores that 16 bits may not hold. */
static uint32_t
list_wrong(struct text *x)
{
	int32_t limit = sw_dev_limit(&x->span.s);
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->span.pieces; i++) {
		if (!x->s->bad[i] && (x->wide[i] || x->s->most[i] <= limit))
			continue;
		x->wide[i] = true;
		x->s->list[n++] = i;
	}
	return n;
}

/* Until all agree; 1: that would take too long, as more than a half and some
 * must be done again: who goes through the text from its begin is quicker. */
static int
settle_text(struct text *x, struct err *e)
{
	uint64_t left = x->span.pieces / 2 + SW_DEV_AGAIN;
	uint32_t n;
	int rc = 0;

	memset(x->wide, 0, x->span.pieces * sizeof *x->wide);
	x->c->pieces += x->span.pieces;
	while (!rc && (n = list_wrong(x)) > 0) {
		if (n > left)
			return 1;
		left -= n;
		x->c->again += n;
		rc = sw_dev.again(x->s, n, e);
	}
	return rc;
}

static void
take_tops(const struct text *x)
{
	for (uint32_t i = 0; i < x->span.pieces; i++) {
		const struct sw_dev_piece *p = &x->s->piece[i];
		size_t from = p->own / SW_DEV_BLOCK, to = p->end / SW_DEV_BLOCK;

		memcpy(x->top + x->base / SW_DEV_BLOCK + from, x->s->top + from,
		       (to - from) * sizeof *x->top);
	}
}

static int
cmp_cell(const void *v, const void *w)
{
	const struct sw_hit *a = v, *b = w;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->qend < b->qend ? -1 : a->qend > b->qend;
}

/* The best of a text, of this span and those before. */
static int
take_text(const struct text *x, const struct sw_dev_cell *c, struct sw_hits *h,
	  struct err *e)
{
	size_t before = x->span.rows - x->q->n;
	int rc = array_room(&h->v, &h->cap, h->n + x->span.cells,
			    sizeof *h->v, e);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < x->span.cells && c[i].score; i++)
		h->v[h->n++] = (struct sw_hit){
			.score = c[i].score, .qend = c[i].row - before + 1,
			.end = x->base + c[i].column + 1,
		};
	if (h->n)
		qsort(h->v, h->n, sizeof *h->v, cmp_cell);
	h->n = min_u64(h->n, x->span.cells);
	return 0;
}

static int
take_cells(const struct text *x, struct err *e)
{
	const struct sw_dev_cell *c = x->s->cell;
	int rc = sw_dev.cells(x->s, e);
	size_t in = 0;

	for (uint32_t i = 0; i < x->span.pieces && !rc; i++) {
		if (x->s->first[i] != i)
			continue;
		in = text_at(x, in, x->base + x->s->piece[i].own);
		rc = take_text(x, c, &x->best[in].cells, e);
		c += x->span.cells;
	}
	return rc;
}

static int
one_span(struct text *x, struct err *e)
{
	int rc = array_room(&x->wide, &x->n_wide, x->span.pieces,
			    sizeof *x->wide, e);

	if (rc)
		return rc;
	rc = sw_dev.begin(x->s, &x->span, e);
	if (rc == ERR_NOMEM)	/* pinned: the CPU takes this text */
		return 1;
	if (rc)
		return rc;
	put_span(x);
	if (x->c->fill)
		x->c->fills += (x->span.pieces - 1) / x->c->fill + 1;
	rc = sw_dev.run(x->s, e);
	if (!rc)
		rc = settle_text(x, e);
	if (!rc)
		take_tops(x);
	return rc || !x->best ? rc : take_cells(x, e);
}

int
cuda_sw_one(struct sw_dev_stream *s, const struct sw_view *q,
	    const struct sw_text *t, struct cuda_sw_cut *c, int32_t *top,
	    struct cuda_sw_best *best, struct err *e)
{
	struct text x = { .s = s, .q = q, .t = t, .c = c, .top = top };
	const struct sw_scoring *g = q->scoring;
	int rc;

	x.span.s = (struct sw_dev_scoring){ q->best, g->open, g->extend,
					   (int8_t)g->score[0][4] };
	if (q->n >= UINT32_MAX / 64)
		return 1;
	if (s->kernel == SW_DEV_PAPER) {
		choose_sweep(&x.span, q->n, c->sweep);
		x.span.cells = (uint32_t)q->cells;
		x.best = best;
	} else {
		choose_rows(&x.span, q->n, s->most_rows);
	}
	x.at = t->n_seg ? t->seg[0].beg : 0;
	do {
		rc = measure(&x);
		if (!rc && x.span.pieces)
			rc = one_span(&x, e);
	} while (!rc && x.span.pieces);
	free(x.wide);
	return rc;
}
