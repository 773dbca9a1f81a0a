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
 * is one spot, after which it is known how long.  Long runs are searched in
 * pieces, as an engine may need memory for all columns; each piece is a region
 * with a stretch of its own, so that nothing is lost between them.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_keep.h"

enum {
	NEAR = 128, FEW = 16,
	PIECE = 32768,		/* columns */
	WORTH = 6,		/* stretches in a piece */
};

struct spot {
	int64_t top;
	uint64_t block;
};

/* Blocks [from, to) of a segment. */
struct run {
	const struct sw_seg *seg;
	uint64_t from, to;
	int64_t top;
};

struct sw_best {
	struct sw_peak *peak;
	struct spot *spot, *group;
	struct run *run;
	bool *done;		/* blocks */
	size_t n_peak, cap_spot, cap_group, cap_run, cap_done;
	size_t n_spot, n_group, n_run;
	struct sw_raise raise;
	struct sw_keep keep;
	struct sw_guess guess;
	int64_t least;		/* wanted: no cell below it */
	int64_t proved;		/* the K-th best has no less */
	struct err *e;
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

static int
find_peaks(struct sw_best *b, const struct sw_query *q,
	   const struct sw_text *t, size_t k, int64_t least,
	   struct sw_work *w, struct err *e)
{
	struct sw_pass p = {
		.q = q, .t = t, .threshold = least,
		.raise = sw_raise_hear, .ctx = &b->raise,
	};
	int rc = sw_raise_reset(&b->raise, q, t, k, least, e);

	if (!rc)
		rc = sw_room((void **)&b->peak, &b->n_peak, t->n / SW_BLOCK,
			     sizeof *b->peak, e);
	p.peak = b->peak;
	if (!rc)
		rc = sw_pass(&p, w, e);
	b->proved = p.threshold;
	return rc ? rc : sw_guess_reset(&b->guess, t, b->peak, k, e);
}

/* The highest first, then by place. */
static int
cmp_spot(const void *x, const void *y)
{
	const struct spot *a = x, *b = y;

	if (a->top != b->top)
		return a->top > b->top ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static int
cmp_block(const void *x, const void *y)
{
	const struct spot *a = x, *b = y;

	return a->block < b->block ? -1 : a->block > b->block;
}

static int
cmp_run(const void *x, const void *y)
{
	const struct run *a = x, *b = y;

	if (a->top != b->top)
		return a->top > b->top ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int
add_spots(struct sw_best *b, const struct sw_seg *g, struct err *e)
{
	int rc = 0;

	for (uint64_t i = g->own / SW_BLOCK; !rc && i < g->end / SW_BLOCK;
	     i++) {
		struct sw_peak p = b->peak[i];

		if (!p.exact || p.bound < b->least)
			continue;
		rc = sw_room((void **)&b->spot, &b->cap_spot, b->n_spot + 1,
			     sizeof *b->spot, e);
		if (!rc)
			b->spot[b->n_spot++] = (struct spot) { p.bound, i };
	}
	return rc;
}

static int
find_spots(struct sw_best *b, const struct sw_text *t, struct err *e)
{
	int rc = 0;

	b->n_spot = 0;
	for (size_t s = 0; !rc && s < t->n_seg; s++)
		rc = add_spots(b, &t->seg[s], e);
	if (!rc)
		rc = sw_room((void **)&b->done, &b->cap_done, t->n / SW_BLOCK,
			     sizeof *b->done, e);
	if (rc || !b->n_spot)
		return rc;
	memset(b->done, 0, t->n / SW_BLOCK);
	qsort(b->spot, b->n_spot, sizeof *b->spot, cmp_spot);
	return 0;
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
	if (last && last->score > b->least)
		b->least = last->score;
	return b->least;
}

/* Can a cell of the blocks come before the last hit?  It ends after from. */
static bool
matters(const struct sw_best *b, int64_t top, uint64_t from)
{
	const struct sw_hit *last = sw_keep_last(&b->keep);

	return !last || top > last->score ||
	       (top == last->score && from * SW_BLOCK < last->end);
}

/*
 * Up to n spots from *next on that matter and are not done.  If one does not
 * matter, none after it does, nor will.
 */
static int
next_group(struct sw_best *b, size_t *next, size_t n, struct err *e)
{
	b->n_group = 0;
	for (; *next < b->n_spot && b->n_group < n; ++*next) {
		struct spot x = b->spot[*next];
		int rc;

		if (!matters(b, x.top, x.block))
			break;
		if (b->done[x.block])
			continue;
		rc = sw_room((void **)&b->group, &b->cap_group,
			     b->n_group + 1, sizeof *b->group, e);
		if (rc)
			return rc;
		b->group[b->n_group++] = x;
	}
	return 0;
}

static bool
wanted(const struct sw_best *b, uint64_t block)
{
	return b->peak[block].exact && b->peak[block].bound >= b->least &&
	       !b->done[block];
}

/*
 * With a spot, what is wanted beside it: on its left the stretch is computed
 * anyway, and that of the blocks there is no longer; each one by itself would
 * need its own.  So no more than the stretch on each side.
 */
static struct run
widen(const struct sw_best *b, const struct sw_seg *g, struct spot x,
      uint64_t stretch)
{
	uint64_t from = x.block, to = x.block + 1, most = stretch / SW_BLOCK;

	while (from > g->own / SW_BLOCK && x.block - from < most &&
	       wanted(b, from - 1))
		from--;
	while (to < g->end / SW_BLOCK && to - x.block <= most && wanted(b, to))
		to++;
	return (struct run) { g, from, to, x.top };
}

/* To the last run, if it is near, or as one of its own. */
static int
add_run(struct sw_best *b, struct run r, uint64_t near, struct err *e)
{
	struct run *last = b->n_run ? &b->run[b->n_run - 1] : NULL;
	int rc;

	if (last && last->seg == r.seg && r.from <= last->to + near) {
		last->to = r.to > last->to ? r.to : last->to;
		last->top = r.top > last->top ? r.top : last->top;
		return 0;
	}
	rc = sw_room((void **)&b->run, &b->cap_run, b->n_run + 1,
		     sizeof *b->run, e);
	if (!rc)
		b->run[b->n_run++] = r;
	return rc;
}

static int
join(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
     const struct sw_work *w, struct err *e)
{
	uint64_t near = w->stretch > NEAR ? w->stretch : NEAR;
	const struct sw_seg *g = t->seg;
	int rc = 0;

	b->n_run = 0;
	qsort(b->group, b->n_group, sizeof *b->group, cmp_block);
	for (size_t i = 0; !rc && i < b->n_group; i++) {
		struct spot x = b->group[i];

		while (g->end <= x.block * SW_BLOCK)
			g++;
		rc = add_run(b, widen(b, g, x, sw_stretch(q, w, x.top)),
			     near / SW_BLOCK, e);
	}
	return rc;
}

/* Blocks [from, to) of a run, if they still matter. */
static int
search_piece(struct sw_best *b, const struct sw_query *q,
	     const struct sw_text *t, const struct run *r, struct sw_work *w,
	     struct err *e)
{
	int64_t top = 0;

	for (uint64_t i = r->from; i < r->to; i++)
		if (b->peak[i].exact && b->peak[i].bound > top)
			top = b->peak[i].bound;
	memset(b->done + r->from, true, r->to - r->from);
	if (!matters(b, top, r->from))
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
	   const struct sw_text *t, const struct run *r, struct sw_work *w,
	   struct err *e)
{
	struct run piece = *r;
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
search_runs(struct sw_best *b, const struct sw_query *q,
	    const struct sw_text *t, struct sw_work *w, struct err *e)
{
	int rc = 0;

	qsort(b->run, b->n_run, sizeof *b->run, cmp_run);
	for (size_t i = 0; !rc && i < b->n_run; i++) {
		if (!matters(b, b->run[i].top, b->run[i].from))
			break;
		rc = search_run(b, q, t, &b->run[i], w, e);
	}
	return rc;
}

/* Columns to compute for the runs, with the stretches before them. */
static uint64_t
cost(const struct sw_best *b, const struct sw_query *q,
     const struct sw_work *w)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->n_run; i++)
		n += (b->run[i].to - b->run[i].from) * SW_BLOCK +
		     sw_stretch(q, w, b->run[i].top);
	return n;
}

/* Runs of the next n spots from *next on. */
static int
runs_of(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
	size_t *next, size_t n, const struct sw_work *w, struct err *e)
{
	int rc = next_group(b, next, n, e);

	return rc ? rc : join(b, q, t, w, e);
}

/*
 * Of the next n spots; or of all that are left, if the stretches make that at
 * most twice as much: groups of them would each need their own.
 */
static int
next_runs(struct sw_best *b, const struct sw_query *q,
	  const struct sw_text *t, size_t *next, size_t n,
	  const struct sw_work *w, struct err *e)
{
	size_t first = *next, all = first;
	uint64_t most;
	int rc = runs_of(b, q, t, next, n, w, e);

	if (rc || n == 1 || b->n_group < n)
		return rc;
	most = 2 * cost(b, q, w);
	rc = runs_of(b, q, t, &all, SIZE_MAX, w, e);
	if (rc)
		return rc;
	if (cost(b, q, w) <= most) {
		*next = all;
		return 0;
	}
	*next = first;
	return runs_of(b, q, t, next, n, w, e);
}

static int
search(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
       struct sw_work *w, struct err *e)
{
	size_t next = 0, n = 1;

	sw_stretch_reset(q, w);
	for (;;) {
		int rc = next_runs(b, q, t, &next, n, w, e);

		if (rc || !b->n_group)
			return rc;
		rc = search_runs(b, q, t, w, e);
		if (rc)
			return rc;
		n = n == 1 ? b->keep.k : n;
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

		b->least = guess > b->proved ? guess : b->proved;
		rc = find_spots(b, t, e);
		if (!rc)
			rc = search(b, q, t, w, e);
		if (rc || guess <= b->proved)
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
	size_t k, int64_t least, struct sw_work *w, struct sw_hits *hits,
	struct err *e)
{
	struct sw_best *b;
	int rc = best_of(w, &b, e);

	hits->n = 0;
	if (rc || k == 0 || q->best <= 0)
		return rc;
	sw_keep_reset(&b->keep, q, kind, k);
	w->classes = kind == SW_ALIGNMENTS;
	b->e = e;
	rc = find_peaks(b, q, t, k, least, w, e);
	if (!rc)
		rc = try(b, q, t, w, e);
	return rc ? rc : sw_keep_take(&b->keep, hits, e);
}
