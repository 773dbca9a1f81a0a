/* SPDX-License-Identifier: MIT */
/*
 * sw_skew_prune.c - steps of the skewed lanes that need not be computed
 * Source: Sandes and de Melo 2013 (block pruning).
 *
 * No cell with H below the threshold is asked for.  From a cell with H = x a
 * path gains at most a match M for each row, and for each column, that is left.
 * So a lane's strip matters only if
 * 	x + M * min(rows, columns left, the strip's own included) >= threshold
 * for an x = H of the row above it, the column before it or the corner, or for
 * 0, where a path may begin.  A step is left out if it matters for no lane.
 * What it leaves counts as H = 0.  Words that are not in the text, or not in
 * the query, lessen what rows, or columns, may add: loss_of().
 * 	Then no value computed is above the true one; and on each path to a cell
 * asked for all are true, by induction along it: the strip that it comes to
 * next matters, by the H that it comes from, be that by the corner, which is
 * the end of a column before, too.  So those cells are reported exactly, and no
 * other one reaches the threshold.  A peak is true for such paths, and may be
 * too low elsewhere.
 *
 * A cell left out, with 0 instead of H, may be next to an H of any size: lanes
 * cannot hold both (sw_skew_kern.c).  But H of two cells of a row, l columns
 * apart, differ by l (M + extend) + open at most, and so do those of a column,
 * as sw_grid_kern.c says.  So a strip's borders, BLOCK columns and ROWS rows,
 * may be raised to the largest H of them less
 * 	span = (BLOCK + ROWS) (M + extend) + 2 open;
 * E and F to H - open - extend.  None of that is above the true values.  Beyond
 * the span H gains ROWS matches in a strip, which 16 bits must hold.
 *
 * Besides, each step takes for granted that a column before a strip is no lower
 * than what a gap leads to from the corner.  The first lane's column, which a
 * round before left, and what is raised here is raised to that, too, by
 * sw_skew_put_column().  Other lanes have it from the lane on their left, which
 * left the corner two steps ago and the column at the last one: if that was
 * left out, all is 0; if the one before was, the corner is 0; else F leads from
 * one to the other.  Where that column is raised for a step, the next corner is
 * what stood there before: sw_skew_lower_corners().  The corner of a part's
 * first row stands above, where the lane on the left began; if that step was
 * left out, the corner is 0, too: as no H of that row mattered there, it does
 * not where less can be added.
 */

#include <string.h>

#include "sw/sw_mask.h"

static int16_t *
vector_words(uint8_t *x)
{
	return (int16_t *)(void *)x;
}

int32_t
sw_skew_gain(const struct sw_skew *s, uint64_t n)
{
	uint64_t most = (uint64_t)INT32_MAX / (unsigned)s->match;

	return (int32_t)(n < most ? n : most) * s->match;
}

void
sw_skew_set_gain(struct sw_skew *s, unsigned lane, int32_t gain)
{
	s->gain[lane] = gain;
	if (s->mask)
		s->mask->gain[lane] = gain;
}

/*
 * What a path through all letters of a word misses that is not in the text: one
 * of them is no match, or a gap begins between two of them, or lies on one.  A
 * word that it does not come to misses more: all its letters.
 */
static int32_t
loss_of(const struct sw_skew *s)
{
	const int32_t gap = (s->match < s->open ? s->match : s->open) +
			    s->extend;
	const int32_t pair = s->match - s->mismatch;
	const int32_t most = SW_SKEW_WORD * s->match;
	int32_t loss = gap < pair ? gap : pair;

	return loss < most ? loss : most;
}

/* All but three: in one a path may begin, in one end; one may lie on the
 * segment's end. */
int32_t
sw_skew_lost(const struct sw_skew *s, uint32_t words)
{
	return words > 3 ? (int32_t)(words - 3) * s->loss : 0;
}

/* Entry x is that of strip strips - 1 - x; behind strip 0 they go on. */
static void
set_rows_gain(struct sw_skew *s, const struct sw_absent *absent)
{
	for (size_t x = 0; x < s->letters; x++) {
		int64_t rows = ((int64_t)s->strips - 1 - (int64_t)x) *
			       SW_SKEW_ROWS;
		int64_t gain = s->all_gain - rows * s->match;
		int64_t row = rows - (int64_t)s->fill + (int64_t)s->part.from;

		if (s->loss && rows >= 0)
			gain -= sw_skew_lost(s, absent->rows[row > 0 ?
				(row + SW_SKEW_ROWS - 1) / SW_SKEW_ROWS : 0]);
		s->rows_gain[x] = gain < INT32_MAX ? (int32_t)gain : INT32_MAX;
	}
}

/* After the room is known.  Sizes: see above, and sw_skew.c. */
void
sw_skew_plan_prune(struct sw_skew *s, const struct sw_query *q,
		   const struct sw_absent *absent)
{
	int64_t steps = SW_BLOCK + SW_SKEW_ROWS, most;

	most = steps * ((int64_t)s->match + s->extend) + 2 * (int64_t)s->open;
	s->span = (int32_t)most;
	most += s->reach + SW_SKEW_ROWS * (int64_t)s->match + s->low_at +
		s->open + s->extend - s->mismatch;
	/* borders (sw_borders.h) are true for all cells */
	s->prunes = !s->borders && most <= INT16_MAX;
	s->all_gain = sw_skew_gain(s, q->n - s->part.from + s->fill);
	s->loss = absent ? loss_of(s) : 0;
	set_rows_gain(s, absent);
}

/* What the rows of a strip and those below it may add. */
static int32_t
rows_gain(const struct sw_skew *s, size_t strip)
{
	return s->rows_gain[s->strips - 1 - strip];
}

int32_t
sw_skew_rows_gain(const struct sw_skew *s)
{
	return rows_gain(s, 0);
}

static int32_t
need_of(const struct sw_skew *s)
{
	return s->threshold < INT32_MAX ? (int32_t)s->threshold : INT32_MAX;
}

static void
put_zeros(struct sw_skew *s)
{
	const unsigned lanes = s->ops->lanes;
	struct sw_skew_edge *edge = &s->edge[s->at];
	struct sw_skew_side *side = &s->side[s->at];
	int zero = s->narrow ? s->zero8 : 0;

	memset(edge->h, zero, sizeof edge->h);
	memset(edge->f, zero, sizeof edge->f);
	memset(side->h, zero, sizeof side->h);
	memset(side->e, zero, sizeof side->e);
	memset(side->base, 0, sizeof side->base);
	memset(side->most, 0, sizeof side->most);
	for (unsigned k = 0; k < lanes; k++)
		s->base[k] = s->low[k] = s->most[k] = s->corner[k] = 0;
}

/* Where all lanes but the first have 0: does the first matter, either? */
static bool
matters(const struct sw_skew *s, size_t strip, int32_t need)
{
	int32_t rows = rows_gain(s, strip);
	int32_t gain = rows < s->gain[0] ? rows : s->gain[0];

	return s->end_most[strip] >= need - gain;
}

/* This step, and those that follow in the round. */
static void
leave_out(struct sw_skew *s, int32_t need)
{
	sw_skew_drop_end(s);
	s->left_out++;
	if (s->strip < s->ops->lanes)
		return;
	/* with a mask, strips that follow may matter where this one does not */
	while (s->strip + 1 < s->ready && (s->mask ? sw_mask_is_quiet(s) :
	       !matters(s, s->strip + 1, need))) {
		s->strip++;
		s->left_out++;
		sw_skew_drop_end(s);
	}
}

/* The column before lane's strip, in 16 bits; returns its largest H. */
static int32_t
get_left(const struct sw_skew *s, unsigned lane, struct sw_checkpoint *m)
{
	struct sw_skew_side *left = (void *)(uintptr_t)&s->side[s->at];
	int32_t base = left->base[lane], most = 0;

	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		m[r].h = vector_words(left->h[r])[lane] + base;
		m[r].e = vector_words(left->e[r])[lane] + base;
		most = m[r].h > most ? m[r].h : most;
	}
	return most;
}

/* The row above is no less than that: with a new base. */
static void
raise_row(struct sw_skew *s, unsigned lane, int32_t least)
{
	struct sw_skew_edge *x = &s->edge[s->at];
	const int32_t first = s->open + s->extend, was = s->base[lane];
	int32_t low = INT32_MAX, base;

	for (unsigned j = 0, i = lane; j < SW_BLOCK; j++, i += s->ops->lanes) {
		int32_t h = vector_words(x->h)[i] + was;

		h = h > least ? h : least;
		low = h < low ? h : low;
	}
	base = low > s->low_at ? low - s->low_at : 0;
	for (unsigned j = 0, i = lane; j < SW_BLOCK; j++, i += s->ops->lanes) {
		int32_t h = vector_words(x->h)[i] + was,
			f = vector_words(x->f)[i] + was;

		h = h > least ? h : least;
		f = f > h - first ? f : h - first;
		vector_words(x->h)[i] = (int16_t)(h - base);
		vector_words(x->f)[i] = (int16_t)(f > base ? f - base : 0);
	}
	s->low[lane] = low;
	s->base[lane] = base;
	if (s->most[lane] < least)
		s->most[lane] = least;
}

/* All that lane's strip begins with. */
static void
settle_strip(struct sw_skew *s, unsigned lane)
{
	const struct sw_skew_edge *x = &s->edge[s->at];
	struct sw_checkpoint m[SW_SKEW_ROWS];
	int32_t top = get_left(s, lane, m);

	for (unsigned j = 0, i = lane; j < SW_BLOCK; j++, i += s->ops->lanes) {
		int32_t h = ((const int16_t *)(const void *)x->h)[i] +
			    s->base[lane];

		top = h > top ? h : top;
	}
	top = s->corner[lane] > top ? s->corner[lane] : top;
	if (top <= s->span || s->fresh[lane])
		return;
	raise_row(s, lane, top - s->span);
	if (s->corner[lane] < top - s->span)
		s->corner[lane] = top - s->span;
	sw_skew_put_column(s, lane, m);
	if (lane)
		s->raised[s->n_raised++] = (struct sw_skew_raised){
			lane, m[SW_SKEW_ROWS - 1].h };
}

static void
settle_all(struct sw_skew *s)
{
	if (s->narrow) {
		sw_skew_widen(s);
		sw_skew_put_left(s);
	}
	for (unsigned k = 0; k < s->ops->lanes; k++) {
		int32_t low = s->low[k] < s->corner[k] ? s->low[k] :
							 s->corner[k];
		int32_t most = s->side[s->at].most[k];

		most = most > s->most[k] ? most : s->most[k];
		most = most > s->corner[k] ? most : s->corner[k];
		if (most - low > s->span + s->reach)
			settle_strip(s, k);
	}
	s->did.settled++;
}

void
sw_skew_lower_corners(struct sw_skew *s)
{
	while (s->n_raised) {
		struct sw_skew_raised x = s->raised[--s->n_raised];

		s->corner[x.lane] = x.h;
	}
}

bool
sw_skew_prune(struct sw_skew *s)
{
	int32_t need = need_of(s);

	if (s->mask)
		sw_mask_gain(s, need);
	switch (s->ops->judge(s, need)) {
	case SW_SKEW_DEAD:
		s->did.skipped++;
		if (!s->zero)
			put_zeros(s);
		s->zero = true;
		if (s->strip < s->ops->lanes)
			s->row_corner = 0;
		leave_out(s, need);
		return true;
	case SW_SKEW_UNEVEN:
		settle_all(s);
		return false;
	default:
		return false;
	}
}
