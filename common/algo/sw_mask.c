/* SPDX-License-Identifier: MIT */
/* sw_mask.c - strips of the skewed lanes that have pairs which are forbidden */
#include "algo/sw_mask.h"

#include <string.h>

static bool
has_span(const struct sw_mask *m, size_t strip, uint64_t block)
{
	return block >= m->span[strip].from && block < m->span[strip].to;
}

/* The path rises with the rows. */
void
sw_mask_open(struct sw_skew *s)
{
	struct sw_mask *m = s->mask;

	m->n = 0;
	for (size_t x = 0; x < s->strips; x++) {
		struct sw_mask_span *to = &m->span[x];

		*to = (struct sw_mask_span){ 0, 0 };
		for (size_t r = 0; r < SW_SKEW_ROWS; r++) {
			size_t i = x * SW_SKEW_ROWS + r;
			uint64_t j = SW_MASK_NONE;

			if (i >= s->fill && i - s->fill < m->q->n)
				j = m->col[i - s->fill];
			if (j == SW_MASK_NONE)
				continue;
			if (to->to == 0)
				to->from = j / SW_BLOCK;
			to->to = j / SW_BLOCK + 1;
		}
	}
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

static int32_t
value(const struct sw_skew *s, const uint8_t *x, size_t i, int32_t base)
{
	return base + (s->narrow ? x[i] - s->zero8 :
				   ((const int16_t *)(const void *)x)[i]);
}

static void
take(struct sw_skew *s, struct sw_mask_strip *x)
{
	const struct sw_skew_edge *edge = &s->edge[s->at];
	const struct sw_skew_side *side = &s->side[s->at];
	const unsigned lane = x->lane;

	for (size_t j = 0; j < SW_BLOCK; j++) {
		size_t i = j * s->ops->lanes + lane;

		x->h[j] = value(s, edge->h, i, s->base[lane]);
		x->f[j] = value(s, edge->f, i, s->base[lane]);
	}
	for (size_t r = 0; r < SW_SKEW_ROWS; r++)
		x->left[r] = (struct sw_mark){
			value(s, side->h[r], lane, side->base[lane]),
			value(s, side->e[r], lane, side->base[lane]),
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
	for (unsigned k = 0; k < s->ops->lanes; k++) {
		struct sw_mask_strip *x = &m->now[m->n];

		if (!place_of(s, k, &x->strip, &x->block) ||
		    !has_span(m, x->strip, x->block))
			continue;
		x->lane = k;
		take(s, x);
		m->n++;
	}
	reset_tops(s);
}

static int32_t
larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* A column: H and F above it become those below it, E is the next column's. */
static void
column(const struct sw_skew *s, struct sw_mask_strip *x, size_t j, int32_t diag)
{
	const struct sw_mask *m = s->mask;
	const uint64_t col = x->block * SW_BLOCK + j;
	const uint8_t letter = m->t->codes[col];
	int32_t f = x->f[j], h = x->h[j];

	for (size_t r = 0; r < SW_SKEW_ROWS; r++) {
		size_t i = x->strip * SW_SKEW_ROWS + r;
		struct sw_mark *left = &x->left[r];
		int32_t score = s->mismatch, open;

		if (i >= s->fill && letter < m->q->s.letters)
			score = m->q->s.score[m->q->code[i - s->fill]][letter];
		if (i >= s->fill && m->col[i - s->fill] == col)
			score = -diag;	/* as good as none */
		h = larger(larger(diag + score, 0), larger(left->e, f));
		x->top = larger(x->top, h);
		diag = left->h;
		open = h - s->open;
		left->h = h;
		left->e = larger(open, left->e) - s->extend;
		f = larger(open, f) - s->extend;
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

		column(s, x, j, diag);
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
	struct sw_mark m[SW_SKEW_ROWS];
	int32_t low = INT32_MAX, most = 0;

	for (size_t r = 0; r < SW_SKEW_ROWS; r++) {
		m[r] = x->left[r];
		m[r].e = m[r].e > 0 ? m[r].e : 0;
		low = m[r].h < low ? m[r].h : low;
		most = m[r].h > most ? m[r].h : most;
	}
	if (x->lane + 1 == s->ops->lanes) {
		for (size_t r = 0; r < SW_SKEW_ROWS; r++)
			m[r].e = larger(m[r].e, m[r].h - first);
		memcpy(s->end + x->strip * SW_SKEW_ROWS, m, sizeof m);
		s->end_most[x->strip] = most;
		return;
	}
	low = low < first ? 0 : low - first;
	if (s->narrow && most - low > s->limit8)
		sw_skew_widen(s);
	sw_skew_put_marks(s, x->lane + 1, m);
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
	for (unsigned k = 0; k < s->ops->lanes; k++) {
		size_t strip;
		uint64_t block;

		if (s->top[k] >= m->least && place_of(s, k, &strip, &block))
			m->least = m->report(m->ctx, (int64_t)(strip *
			    SW_SKEW_ROWS) - (int64_t)s->fill, block, s->top[k]);
	}
}
