/* SPDX-License-Identifier: MIT */
/*
 * sw_best.c - the best K: scores, then starts where they may be
 *
 * After the pass, the score of the K-th best is at least the threshold; so the
 * hits lie in spots, blocks whose largest H reaches it.  They are searched the
 * highest first, in groups, until K hits are held and none that is left can
 * come before the last.  A search hears of all cells that may still be wanted,
 * and no cell is wanted later that was not then; so a block is searched once.
 *
 * Spots of a group that are near each other are joined to runs: each costs the
 * stretch before it, which may be long where gaps are cheap.  The first group
 * is one spot, after which it is known how long; where the last score is
 * guessed, the second group are all others, few of which will not be wanted.
 * Long runs are searched in
 * pieces, as an engine may need memory for all columns; each piece is a region
 * with a stretch of its own, so that nothing is lost between them.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_beside.h"
#include "algo/sw_best.h"
#include "algo/sw_ways.h"

enum {
	FEW = 16,
	PIECE = 32768,		/* columns */
	WORTH = 6,		/* stretches in a piece */
};

void
sw_best_free(struct sw_best *b)
{
	if (!b)
		return;
	free(b->peak);
	free(b->spot);
	free(b->group);
	free(b->run);
	free(b->done);
	sw_raise_free(&b->raise);
	sw_keep_free(&b->keep);
	sw_guess_free(&b->guess);
	free(b);
}

static int
best_of(struct sw_work *w, struct sw_best **b, struct err *e)
{
	if (!w->best)
		w->best = calloc(1, sizeof *w->best);
	*b = w->best;
	return *b ? 0 : err_nomem(e, sizeof **b);
}

static int64_t
larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t
floor_of(const struct sw_best *b)
{
	return __atomic_load_n(b->floor, __ATOMIC_RELAXED);
}

static int
find_peaks(struct sw_best *b, const struct sw_query *q,
	   const struct sw_text *t, size_t k, struct sw_work *w, struct err *e)
{
	int64_t least = floor_of(b);
	struct sw_pass p = {
		.q = q, .t = t, .threshold = least,
		.raise = sw_raise_hear, .ctx = &b->raise, .floor = b->floor,
		.cells = w->classes ? 0 : k,
	};
	int rc = sw_raise_reset(&b->raise, q, t, k, least, e);

	if (!rc)
		rc = array_room(&b->peak, &b->n_peak, t->n / SW_BLOCK,
			     sizeof *b->peak, e);
	p.peak = b->peak;
	if (!rc)
		rc = sw_pass(&p, w, e);
	b->proved = larger(p.threshold, floor_of(b));
	return rc ? rc : sw_guess_reset(&b->guess, t, b->peak, k, e);
}

static int64_t
put(void *ctx, const struct sw_hit *cell)
{
	struct sw_best *b = ctx;
	int rc = sw_keep_put(&b->keep, cell, b->e);
	const struct sw_hit *last;

	if (rc)
		return rc;
	last = sw_keep_last(&b->keep);
	if (last)
		b->least = larger(b->least, last->score);
	return b->least;
}

/* Blocks [from, to) of a run, if they still matter. */
static int
search_piece(struct sw_best *b, const struct sw_query *q,
	     const struct sw_text *t, const struct sw_run *r, struct sw_work *w,
	     struct err *e)
{
	int64_t top = 0;

	for (uint64_t i = r->from; i < r->to; i++)
		if (b->peak[i].exact && b->peak[i].bound > top)
			top = b->peak[i].bound;
	memset(b->done + r->from, true, r->to - r->from);
	b->least = larger(b->least, floor_of(b));
	if (!sw_best_wants(b, top, r->from))
		return 0;
	return sw_region(q, t, r->seg, r->from * SW_BLOCK, r->to * SW_BLOCK,
			 b->least, b->peak, put, b, w, e);
}

static uint64_t
piece_of(const struct sw_work *w)
{
	if (w->piece)
		return w->piece;
	return w->stretch > PIECE / WORTH ? w->stretch * WORTH : PIECE;
}

static int
search_run(struct sw_best *b, const struct sw_query *q,
	   const struct sw_text *t, const struct sw_run *r, struct sw_work *w,
	   struct err *e)
{
	struct sw_run piece = *r;
	int rc = 0;

	while (!rc && piece.from < r->to) {
		uint64_t n = piece_of(w) / SW_BLOCK;

		piece.to = r->to - piece.from > n ? piece.from + n : r->to;
		rc = search_piece(b, q, t, &piece, w, e);
		piece.from = piece.to;
	}
	return rc;
}

static int
cmp_run(const void *x, const void *y)
{
	const struct sw_run *a = x, *b = y;

	if (a->top != b->top)
		return a->top > b->top ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int
search_runs(struct sw_best *b, const struct sw_query *q,
	    const struct sw_text *t, struct sw_work *w, struct err *e)
{
	int rc = 0;

	if (b->n_run)
		qsort(b->run, b->n_run, sizeof *b->run, cmp_run);
	for (size_t i = 0; !rc && i < b->n_run; i++) {
		if (!sw_best_wants(b, b->run[i].top, b->run[i].from))
			break;
		rc = search_run(b, q, t, &b->run[i], w, e);
	}
	return rc;
}

static int
search(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
       struct sw_work *w, struct err *e)
{
	const bool guessed = b->least > b->proved;
	size_t next = 0, n = 1;

	sw_stretch_reset(q, w);
	for (;;) {
		int rc = sw_best_runs(b, q, t, &next, n, w, e);

		if (rc || !b->n_group)
			return rc;
		rc = search_runs(b, q, t, w, e);
		if (rc)
			return rc;
		n = guessed ? SIZE_MAX : n == 1 ? b->keep.k : n;
		n = n < FEW ? FEW : n < SIZE_MAX / 2 ? 2 * n : n;
	}
}

/*
 * Cells below a guess are not told.  So what was found stands only if there are
 * K hits, the last of which is not below it; else all is done again with a
 * lower one, which costs little, as it is far lower.
 */
static int
try(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
    struct sw_work *w, struct err *e)
{
	for (;;) {
		int64_t guess = sw_guess_next(&b->guess);
		const struct sw_hit *last;
		int rc;

		b->least = larger(guess, b->proved);
		rc = sw_best_spots(b, t, e);
		if (!rc)
			rc = search(b, q, t, w, e);
		if (rc || guess <= larger(b->proved, floor_of(b)))
			return rc;
		last = sw_keep_last(&b->keep);
		if (last && last->score >= guess)
			return 0;
		if (last && last->score > b->proved)
			b->proved = last->score;
	}
}

int
sw_best(const struct sw_query *q, const struct sw_text *t, enum sw_kind kind,
	size_t k, const int64_t *least, struct sw_work *w,
	struct sw_hits *hits, struct err *e)
{
	struct sw_best *b;
	int rc = best_of(w, &b, e);

	hits->n = 0;
	if (rc || k == 0 || q->best <= 0)
		return rc;
	if (kind == SW_ALIGNMENTS && sw_beside_fits(q, t, k, w)) {
		rc = sw_beside(q, t, k, least, w, &b->keep, e);
		if (rc != 1)
			return rc ? rc : sw_keep_take(&b->keep, hits, e);
	}
	sw_keep_reset(&b->keep, q, kind, k);
	w->classes = kind == SW_ALIGNMENTS;
	b->e = e;
	b->floor = least;
	rc = sw_paths_reset(w, q, t, e);
	if (!rc)
		rc = find_peaks(b, q, t, k, w, e);
	if (!rc)
		rc = try(b, q, t, w, e);
	return rc ? rc : sw_keep_take(&b->keep, hits, e);
}
