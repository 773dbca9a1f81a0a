/* SPDX-License-Identifier: MIT */
/* primer_reach_kern.c - how far patterns reach, each lane in its own text */

#include "base/base.h"
#include "primer/primer_rows_vec.h"

static inline v64 *
level(struct primer_reach *r)
{
	return r->state;
}

/* Each word is of two vectors: side by side, they need not wait for what they
 * hand on. */
static inline v64 *
mv(struct primer_reach *r)
{
	return level(r) + PRIMER_CHAINS * r->pat.words;
}

static inline v64 *
mark(struct primer_reach *r)
{
	return mv(r) + PRIMER_CHAINS * r->pat.words;
}

static inline void
load(v64 to[PRIMER_CHAINS], const uint64_t *x)
{
	memcpy(to, x, PRIMER_CHAINS * sizeof *to);
}

/* A word more below, of rows not yet looked at: each is one more than the one
 * above, which is what deleting its letter costs. */
static void
deepen(struct primer_reach *r, uint64_t w)
{
	for (unsigned l = 0; l < r->lanes; l++) {
		uint64_t wild = r->wild && w == 0 ? l : 0;
		uint64_t at = w * r->lanes + l;

		((uint64_t *)level(r))[at] = (1ull << wild) - 1;
		((uint64_t *)mv(r))[at] = 0;
		((uint64_t *)mark(r))[at] = 0;
		r->bottom[l] += 64 - wild;
	}
	r->last = w;
}

struct column {
	v64 bottom[PRIMER_CHAINS], above[PRIMER_CHAINS], wild[PRIMER_CHAINS];
	v64 up[PRIMER_CHAINS], down[PRIMER_CHAINS];
	struct primer_letter c[PRIMER_CHAINS];
	struct primer_carry h[PRIMER_CHAINS];
};

static inline __attribute__((always_inline)) void
words(struct primer_reach *r, struct column *x, uint64_t from, uint64_t to,
      enum primer_eq how, bool marks)
{
	const uint64_t stride = r->pat.as.stride;
	const uint64_t *eq = (const uint64_t *)r->pat.eq + from * stride;
	v64 *lv = level(r) + PRIMER_CHAINS * from;
	v64 *m = mv(r) + PRIMER_CHAINS * from;
	v64 *at = mark(r) + PRIMER_CHAINS * from;

	for (uint64_t w = from; w < to; w++, eq += stride)
#pragma GCC unroll 2
		for (int i = 0; i < PRIMER_CHAINS; i++, lv++, m++, at++) {
			v64 e = primer_matches_of(64, eq, x->c[i], how);

			if (w == 0)
				e |= x->wild[i];
			primer_word(64, e, lv, m, &x->h[i]);
			if (marks) {
				x->up[i] |= x->h[i].up & *at;
				x->down[i] |= x->h[i].down & *at;
			}
		}
}

/* Scores of a column; true: a marked row is within the limit. */
static inline __attribute__((always_inline)) bool
scores(struct column *x)
{
	uint32_t low = 0;

#pragma GCC unroll 2
	for (int i = 0; i < PRIMER_CHAINS; i++) {
		x->above[i] -= (v64)(x->up[i] != 0);
		x->above[i] += (v64)(x->down[i] != 0);
		x->bottom[i] += (x->h[i].up >> 63) - (x->h[i].down >> 63);
		low |= primer_negative(64, x->above[i]);
	}
	return low;
}

static inline __attribute__((always_inline)) void
wildcards(const struct primer_reach *r, struct column *x)
{
	for (int i = 0; i < PRIMER_CHAINS; i++) {
		x->wild[i] = vset(0);
		for (int l = 0; r->wild && r->first == 0 && l < LANES; l++)
			x->wild[i][l] = (1ull << (i * LANES + l)) - 1;
	}
}

/* Columns [t, end), until a marked row is within the limit. */
static inline __attribute__((always_inline)) uint64_t
columns(struct primer_reach *r, uint64_t t, uint64_t end, enum primer_eq how)
{
	const uint64_t last = r->last + 1, first = r->first;
	const uint64_t a = min_u64(r->mark_first, last);
	const uint64_t b = min_u64(r->mark_last + 1, last);
	const uint8_t *c = r->text + t * PRIMER_CHAINS * LANES;
	v64 edge = vset(first ? ~0ull : 0);
	bool low = false;
	struct column x;

	load(x.bottom, r->bottom);
	load(x.above, r->above);
	wildcards(r, &x);
	for (; t < end && !low; t++) {
#pragma GCC unroll 2
		for (int i = 0; i < PRIMER_CHAINS; i++, c += LANES) {
			x.c[i] = primer_letter(64, c, how);
			x.h[i] = (struct primer_carry){ edge, { 0 } };
			x.up[i] = x.down[i] = vset(0);
		}
		words(r, &x, first, a, how, false);
		words(r, &x, a, b, how, true);
		words(r, &x, b, last, how, false);
		low = scores(&x);
	}
	memcpy(r->bottom, x.bottom, sizeof x.bottom);
	memcpy(r->above, x.above, sizeof x.above);
	return t;
}

static uint64_t
some_columns(struct primer_reach *r, uint64_t t, uint64_t end)
{
	if (r->pat.as.how == PRIMER_EQ_8)
		return columns(r, t, end, PRIMER_EQ_8);
	if (r->pat.as.how == PRIMER_EQ_16)
		return columns(r, t, end, PRIMER_EQ_16);
	return columns(r, t, end, PRIMER_EQ_LOAD);
}

/* The word of row t + x; before the first row: the first. */
static uint64_t
word_at(uint64_t t, int64_t x)
{
	int64_t row = (int64_t)t + x;

	return row < 0 ? 0 : (uint64_t)row / 64;
}

/* From column t on, where the first or the last word is the next one. */
static uint64_t
next_change(const struct primer_reach *r, uint64_t t)
{
	int64_t first = 64 * ((int64_t)r->first + 1) + r->far;
	int64_t last = 64 * ((int64_t)r->last + 1) + r->near;
	uint64_t next = r->columns;

	if (first > (int64_t)t)
		next = min_u64(next, (uint64_t)first);
	if (r->last + 1 < r->pat.words && last > (int64_t)t)
		next = min_u64(next, (uint64_t)last);
	return next;
}

void
KERN(primer_reach)(struct primer_reach *r)
{
	uint64_t t = 0;

	r->lanes = PRIMER_CHAINS * LANES;
	r->first = 0;
	r->mark_first = 1;
	r->mark_last = 0;
	memset(r->bottom, 0, sizeof r->bottom);
	deepen(r, 0);
	while (t < r->columns) {
		uint64_t from = t, first = word_at(t, -r->far);

		while (r->last + 1 < r->pat.words &&
		       r->last < word_at(t, -r->near))
			deepen(r, r->last + 1);
		if (!primer_mark(r) || first >= r->pat.words)
			return;
		if (first > r->first) {
			r->first = first;
			if (!primer_mark(r))	/* rows above are done with */
				return;
		}
		t = some_columns(r, t, next_change(r, t));
		r->steps += (t - from) * PRIMER_CHAINS *
			(r->last + 1 - r->first);
	}
	primer_mark(r);
}
