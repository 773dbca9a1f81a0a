/* SPDX-License-Identifier: MIT */
/* primer_reach_kern.c - how far patterns reach, each lane in its own text */
#include "algo/primer_rows_vec.h"
#include "base/minmax.h"

static inline v64 *
pv(struct primer_reach *r)
{
	return r->state;
}

static inline v64 *
mv(struct primer_reach *r)
{
	return pv(r) + r->pat.words;
}

static inline v64 *
mark(struct primer_reach *r)
{
	return mv(r) + r->pat.words;
}

static v64
lanes_of(const uint64_t *x)
{
	v64 v;

	memcpy(&v, x, sizeof v);
	return v;
}

/* A word more below, of rows not yet looked at: each is one more than the one
 * above, which is what deleting its letter costs. */
static void
deepen(struct primer_reach *r, uint64_t w)
{
	v64 fresh = vset(~0ull);

	if (r->wild && w == 0)
		for (int l = 0; l < LANES; l++)
			fresh[l] <<= l;
	pv(r)[w] = fresh;
	mv(r)[w] = vset(0);
	mark(r)[w] = vset(0);
	for (unsigned l = 0; l < LANES; l++)
		r->bottom[l] += (uint64_t)__builtin_popcountll(fresh[l]);
	r->last = w;
}

struct column {
	v64 bottom, above, wild, up, down;
	struct primer_letter c;
	struct primer_hand h;
};

static inline __attribute__((always_inline)) void
words(struct primer_reach *r, struct column *x, uint64_t from, uint64_t to,
      enum primer_eq how, bool marks)
{
	const uint64_t stride = r->pat.stride, *eq = r->pat.eq + from * stride;
	v64 *p = pv(r), *m = mv(r), *at = mark(r);

	for (uint64_t w = from; w < to; w++, eq += stride) {
		v64 e = primer_matches_of(eq, x->c, how);

		if (w == 0)
			e |= x->wild;
		primer_word(e, p + w, m + w, &x->h);
		if (marks) {
			x->up |= x->h.up & at[w];
			x->down |= x->h.down & at[w];
		}
	}
}

/* Columns [t, end), until a marked row is within the limit. */
static inline __attribute__((always_inline)) uint64_t
columns(struct primer_reach *r, uint64_t t, uint64_t end, enum primer_eq how)
{
	uint64_t last = r->last + 1;
	uint64_t a = min_u64(r->mark_first, last);
	uint64_t b = min_u64(r->mark_last + 1, last);
	struct column x = {
		.bottom = lanes_of(r->bottom), .above = lanes_of(r->above),
	};
	v64 edge = vset(r->first ? ~0ull : 0);

	if (r->wild && r->first == 0)
		for (int l = 0; l < LANES; l++)
			x.wild[l] = (1ull << l) - 1;
	while (t < end) {
		x.c = primer_letter(r->text + t++ * LANES, how);
		x.h = (struct primer_hand){ edge, { 0 } };
		x.up = x.down = vset(0);
		words(r, &x, r->first, a, how, false);
		words(r, &x, a, b, how, true);
		words(r, &x, b, last, how, false);
		x.above -= (v64)(x.up != 0);
		x.above += (v64)(x.down != 0);
		x.bottom += (x.h.up >> 63) - (x.h.down >> 63);
		if (primer_negative(x.above))
			break;
	}
	memcpy(r->bottom, &x.bottom, sizeof x.bottom);
	memcpy(r->above, &x.above, sizeof x.above);
	return t;
}

static uint64_t
some_columns(struct primer_reach *r, uint64_t t, uint64_t end)
{
	if (r->pat.how == PRIMER_EQ_8)
		return columns(r, t, end, PRIMER_EQ_8);
	if (r->pat.how == PRIMER_EQ_16)
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

	r->lanes = LANES;
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
		r->steps += (t - from) * (r->last + 1 - r->first);
	}
	primer_mark(r);
}
