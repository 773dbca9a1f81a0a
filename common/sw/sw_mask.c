/* SPDX-License-Identifier: MIT */
/* sw_mask.c - strips of the skewed lanes that have pairs which are forbidden */

#include <string.h>

#include "sw/sw_beside.h"

/* A block before the first one, which lanes may have, is in none. */
static bool
has_span(const struct sw_mask_span *x, uint64_t block)
{
	return block - x->from < x->to - x->from;
}

/* The path rises with the rows. */
static void
open_span(struct sw_mask *m, struct sw_mask_span *to, int64_t row)
{
	*to = (struct sw_mask_span){ .low = { 0, SW_MASK_NONE } };
	for (int64_t i = row; i < row + SW_SKEW_ROWS; i++) {
		uint64_t j = SW_MASK_NONE;

		if (i >= 0 && i < (int64_t)m->q->n)
			j = m->col[i];
		if (j == SW_MASK_NONE)
			continue;
		if (to->to == 0)
			to->from = j / SW_BLOCK;
		to->to = j / SW_BLOCK + 1;
	}
}

/*
 * Of n rows, or columns, side by side.  A gap from the anchor to place x takes
 * open + (x - at) extend at most.
 */
static struct sw_mask_low
low_of(const struct sw_mask *m, const struct sw_mask_anchor *a, uint64_t n)
{
	struct sw_mask_low x = { INT64_MAX, 0 };
	int64_t value;

	for (; n; n--, a++) {
		if (a->at == SW_MASK_NONE)
			return (struct sw_mask_low){ 0, SW_MASK_NONE };
		value = a->score + (int64_t)a->at * m->q->s->extend;
		x.value = value < x.value ? value : x.value;
		x.from = a->at > x.from ? a->at : x.from;
	}
	x.value -= m->q->s->open;
	return x;
}

void
sw_mask_open(struct sw_skew *s)
{
	struct sw_mask *m = s->mask;

	m->n = m->live = 0;
	m->round = UINT64_MAX;
	for (size_t x = 0; x < s->strips; x++) {
		int64_t row = (int64_t)(x * SW_SKEW_ROWS) - (int64_t)s->fill;

		open_span(m, &m->span[x], row);
		if (row >= 0)
			m->span[x].low = low_of(m, m->row_anchor + row,
						SW_SKEW_ROWS);
	}
	for (uint64_t b = 0; b < m->t->n / SW_BLOCK; b++)
		m->block[b] = low_of(m, m->col_anchor + b * SW_BLOCK, SW_BLOCK);
}

/*
 * Strips where another alignment cannot be
 *
 * Let x be the largest H of the row above a strip, the column before it and
 * the corner, without the path's pairs.  Then no H in it is larger than
 * 	x + ROWS * M,
 * as each pair takes a row.  Let the H of all its cells be larger than that
 * and open, by the path and gaps from it.  Then no other alignment goes through
 * it (sw_beside.c): not by an H, which would be the cell's; nor by a gap, whose
 * E, or F, is less than H - open, so that the gap is left there, for H.  So
 * such a strip matters for nothing that is sought, as one from which the
 * threshold is out of reach, and the rest of sw_skew_prune.c holds for the
 * table without the pairs: it rests on paths that are true by induction, and on
 * H of neighbours, which differ by as much in any table of pairs.
 */

static int64_t
larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * By the path's last cell above the row and left of the column, from which two
 * gaps lead to each cell up to the last row and the last column.
 */
static int64_t
least_behind(const struct sw_mask *m, int64_t row, uint64_t col,
	     int64_t last_row, int64_t last_col)
{
	const struct sw_mask_anchor *r, *c;

	if (row < 1 || col <= m->seg->beg)
		return 0;
	r = m->row_anchor + row - 1;
	c = m->col_anchor + col - 1;
	if (r->at != SW_MASK_NONE && r->at < col)
		return r->score - 2 * (int64_t)m->q->s->open -
		       m->q->s->extend * (last_row - (row - 1) + last_col -
					  (int64_t)r->at);
	if (c->at == SW_MASK_NONE || c->at >= (uint64_t)row)
		return 0;
	return c->score - 2 * (int64_t)m->q->s->open -
	       m->q->s->extend * (last_row - (int64_t)c->at + last_col -
				  (int64_t)(col - 1));
}

/* In blocks [from, to), of whose columns cols is. */
static int64_t
least_of(const struct sw_mask *m, const struct sw_mask_low *rows,
	 const struct sw_mask_low *cols, int64_t row, uint64_t from,
	 uint64_t to)
{
	const int64_t extend = m->q->s->extend, open = m->q->s->open;
	const uint64_t col = from * SW_BLOCK;
	const int64_t last_col = (int64_t)(to * SW_BLOCK) - 1;
	const int64_t last_row = row + SW_SKEW_ROWS - 1;
	int64_t least = 0;

	if (row < 0 || col < m->seg->beg || to * SW_BLOCK > m->seg->end)
		return 0;
	if (rows->from <= col)
		least = larger(least, rows->value - extend * last_col);
	if (cols->from <= (uint64_t)row)
		least = larger(least, cols->value - extend * last_row);
	if (!least)
		least = larger(least, least_behind(m, row, col, last_row,
						   last_col));
	if ((uint64_t)row >= m->path.qend && col >= m->path.end)
		least = larger(least, m->path.score - 2 * open - extend *
			       (last_row + 1 - (int64_t)m->path.qend +
				last_col + 1 - (int64_t)m->path.end));
	return least;
}

int64_t
sw_mask_least(const struct sw_mask *m, const struct sw_mask_low *rows,
	      int64_t row, uint64_t block)
{
	return least_of(m, rows, &m->block[block], row, block, block + 1);
}

/* Where a lane is; false: it has no block. */
static bool
place_of(const struct sw_skew *s, unsigned lane, size_t *strip,
	 uint64_t *block)
{
	const bool behind = lane > s->strip;

	*strip = s->strip + (behind ? s->strips : 0) - lane;
	*block = s->first + lane - (behind ? s->ops->lanes : 0);
	return *block < s->mask->t->n / SW_BLOCK;	/* or 2^64 - 1, ... */
}

/* What x may grow by in a strip, and open. */
static int64_t
gain_of(const struct sw_skew *s)
{
	return SW_SKEW_ROWS * (int64_t)s->match + s->open;
}

/* What lane k's strip may add; does it matter, by that and the rows left? */
static bool
find_gain(struct sw_skew *s, unsigned k, int32_t need)
{
	const struct sw_mask *m = s->mask;
	const int64_t more = gain_of(s);
	int32_t most = s->side[s->at].most[k];
	int64_t least = 0, gain;
	size_t strip;
	uint64_t block;

	if (place_of(s, k, &strip, &block))
		least = sw_mask_least(m, &m->span[strip].low,
				      (int64_t)(strip * SW_SKEW_ROWS) -
				      (int64_t)s->fill, block);
	/* it matters if x >= least - more, too */
	s->gain[k] = m->gain[k];
	if (least > more && need - (least - more) < s->gain[k])
		s->gain[k] = (int32_t)(need - (least - more));
	most = s->most[k] > most ? s->most[k] : most;
	most = s->corner[k] > most ? s->corner[k] : most;
	gain = s->all_gain - ((int64_t)s->strip - k) * SW_SKEW_ROWS * s->match;
	gain = s->gain[k] < gain ? s->gain[k] : gain;
	return most >= need - gain;
}

/* Of all columns of blocks side by side. */
static struct sw_mask_low
low_of_blocks(const struct sw_mask *m, uint64_t from, uint64_t to)
{
	struct sw_mask_low x = { INT64_MAX, 0 };

	for (const struct sw_mask_low *b = m->block + from; from < to;
	     from++, b++) {
		x.value = b->value < x.value ? b->value : x.value;
		x.from = b->from > x.from ? b->from : x.from;
	}
	return x;
}

/* Blocks of a round that are not there score nothing. */
static void
find_quiet(struct sw_skew *s)
{
	struct sw_mask *m = s->mask;
	const uint64_t blocks = m->t->n / SW_BLOCK, from = s->first;
	const uint64_t to = blocks - from > s->ops->lanes ?
			    from + s->ops->lanes : blocks;
	const struct sw_mask_low cols = low_of_blocks(m, from, to);
	const int64_t more = gain_of(s);
	size_t quiet = 0;

	for (size_t x = 0; x < s->strips; x++) {
		struct sw_mask_span *p = &m->span[x];

		p->least = least_of(m, &p->low, &cols,
				    (int64_t)(x * SW_SKEW_ROWS) -
				    (int64_t)s->fill, from, to);
		quiet = p->least > more ? quiet + 1 : 0;
		p->quiet = quiet;
	}
}

/* Strips [from, to) that have pairs in the blocks of a round. */
static void
find_range(struct sw_skew *s)
{
	struct sw_mask *m = s->mask;

	m->from = s->strips;
	m->to = 0;
	for (size_t x = 0; x < s->strips; x++) {
		if (m->span[x].from >= s->first + s->ops->lanes ||
		    m->span[x].to <= s->first)
			continue;
		m->from = x < m->from ? x : m->from;
		m->to = x + 1;
	}
}

static void
begin_round(struct sw_skew *s)
{
	if (s->mask->round == s->first)
		return;
	s->mask->round = s->first;
	find_range(s);
	if (s->first < s->mask->t->n / SW_BLOCK)
		find_quiet(s);
}

bool
sw_mask_is_quiet(const struct sw_skew *s)
{
	const struct sw_mask_span *x = &s->mask->span[s->strip + 1];
	const int32_t *end = &s->end_most[s->strip];

	return x->quiet >= s->ops->lanes &&
	       (end[0] > end[1] ? end[0] : end[1]) < x->least - gain_of(s);
}

/* One lane that matters is enough: mostly it is that of the last step. */
void
sw_mask_gain(struct sw_skew *s, int32_t need)
{
	struct sw_mask *m = s->mask;

	begin_round(s);
	if (m->live < s->ops->lanes && find_gain(s, m->live, need))
		return;
	for (unsigned k = 0; k < s->ops->lanes; k++)
		if (find_gain(s, k, need))
			m->live = k;
}

static void
take_edge(struct sw_skew *s, struct sw_mask_strip *x)
{
	const struct sw_skew_edge *edge = &s->edge[s->at];
	const struct sw_skew_side *side = &s->side[s->at];
	const unsigned lane = x->lane;

	for (size_t j = 0; j < SW_BLOCK; j++) {
		size_t i = j * s->ops->lanes + lane;

		x->h[j] = sw_skew_value(s, edge->h, i, s->base[lane]);
		x->f[j] = sw_skew_value(s, edge->f, i, s->base[lane]);
	}
	for (size_t r = 0; r < SW_SKEW_ROWS; r++)
		x->left[r] = (struct sw_checkpoint){
		    sw_skew_value(s, side->h[r], lane, side->base[lane]),
		    sw_skew_value(s, side->e[r], lane, side->base[lane]),
		};
	x->corner = s->corner[lane];
}

/* Each strip's largest H is wanted by itself. */
static void
reset_tops(struct sw_skew *s)
{
	int64_t least = s->mask->least - 1;
	int32_t want = (int32_t)(least < INT32_MAX ? least : INT32_MAX - 1);

	for (unsigned k = 0; k < s->ops->lanes; k++) {
		s->top[k] = -1;
		if (s->want[k] != INT32_MAX)
			s->want[k] = want;
	}
}

void
sw_mask_before(struct sw_skew *s)
{
	struct sw_mask *m = s->mask;

	m->n = 0;
	begin_round(s);
	if (s->strip >= s->ops->lanes && (s->strip < m->from ||
	    s->strip >= m->to + s->ops->lanes))
		return;
	for (unsigned k = 0; k < s->ops->lanes; k++) {
		struct sw_mask_strip *x = &m->now[m->n];

		place_of(s, k, &x->strip, &x->block);
		if (!has_span(&m->span[x->strip], x->block))
			continue;
		x->lane = k;
		take_edge(s, x);
		m->n++;
	}
}

static int32_t
max_i32(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* A column: H and F above it become those below it, E is the next column's. */
static void
strip_column(const struct sw_skew *s, struct sw_mask_strip *x, size_t j,
	     int32_t diag)
{
	const struct sw_mask *m = s->mask;
	const uint64_t col = x->block * SW_BLOCK + j;
	const uint8_t letter = m->t->codes[col];
	int32_t f = x->f[j], h = x->h[j];

	for (size_t r = 0; r < SW_SKEW_ROWS; r++) {
		size_t i = x->strip * SW_SKEW_ROWS + r;
		struct sw_checkpoint *left = &x->left[r];
		int32_t score = s->mismatch, open;

		if (i >= s->fill && letter < m->q->s->letters)
			score = m->q->s->score[m->q->code[i - s->fill]][letter];
		if (i >= s->fill && m->col[i - s->fill] == col)
			score = -diag;	/* as good as none */
		h = max_i32(max_i32(diag + score, 0),
			      max_i32(left->e, f));
		x->top = max_i32(x->top, h);
		diag = left->h;
		open = h - s->open;
		left->h = h;
		left->e = max_i32(open, left->e) - s->extend;
		f = max_i32(open, f) - s->extend;
	}
	x->h[j] = h;
	x->f[j] = f;
}

static void
compute(const struct sw_skew *s, struct sw_mask_strip *x)
{
	int32_t diag = x->corner;

	x->top = 0;
	for (size_t j = 0; j < SW_BLOCK; j++) {
		int32_t above = x->h[j];

		strip_column(s, x, j, diag);
		diag = above;
	}
}

static void
put_row(struct sw_skew *s, const struct sw_mask_strip *x)
{
	struct sw_skew_row row;

	memcpy(row.h, x->h, sizeof row.h);
	memcpy(row.f, x->f, sizeof row.f);
	sw_skew_put_row(s, x->lane, &row);
}

/* The column behind it, which the next lane needs, or the first. */
static void
put_column(struct sw_skew *s, const struct sw_mask_strip *x)
{
	const int32_t first = s->open + s->extend;
	struct sw_checkpoint m[SW_SKEW_ROWS];
	int32_t low = INT32_MAX, most = 0;

	for (size_t r = 0; r < SW_SKEW_ROWS; r++) {
		m[r] = x->left[r];
		m[r].e = m[r].e > 0 ? m[r].e : 0;
		low = m[r].h < low ? m[r].h : low;
		most = m[r].h > most ? m[r].h : most;
	}
	if (x->lane + 1 == s->ops->lanes) {
		for (size_t r = 0; r < SW_SKEW_ROWS; r++)
			m[r].e = max_i32(m[r].e, m[r].h - first);
		memcpy(s->end + x->strip * SW_SKEW_ROWS, m, sizeof m);
		s->end_most[x->strip] = most;
		return;
	}
	low = low < first ? 0 : low - first;
	if (s->narrow && most - low > s->limit8)
		sw_skew_widen(s);
	sw_skew_put_column(s, x->lane + 1, m);
}

void
sw_mask_after(struct sw_skew *s)
{
	struct sw_mask *m = s->mask;

	for (unsigned i = 0; i < m->n; i++) {
		compute(s, &m->now[i]);
		s->top[m->now[i].lane] = m->now[i].top;
		put_row(s, &m->now[i]);
		put_column(s, &m->now[i]);
	}
	if (!s->looked && !m->n)
		return;
	for (unsigned k = 0; k < s->ops->lanes; k++) {
		size_t strip;
		uint64_t block;

		if (s->top[k] >= m->least && place_of(s, k, &strip, &block))
			m->least = m->report(m->ctx, (int64_t)(strip *
			    SW_SKEW_ROWS) - (int64_t)s->fill, block, s->top[k]);
	}
	reset_tops(s);
}
