/* SPDX-License-Identifier: MIT */
/* primer_mark.c - rows of lanes that are looked at, and what was found there */
#include <string.h>

#include "algo/primer_blocks.h"
#include "base/minmax.h"

/* Vectors of so many words as arrays: word w of lane l.  Rows that are not in
 * `level` are one more than the one above, those in m one less. */
struct lanes {
	uint64_t *level, *m, *mark;
	unsigned n;
};

static uint64_t
count(uint64_t x)
{
	return (uint64_t)__builtin_popcountll(x);
}

static struct lanes
lanes_of(const struct primer_reach *r)
{
	struct lanes x = { .level = r->state, .n = r->lanes };

	x.m = x.level + r->pat.words * r->lanes;
	x.mark = x.m + r->pat.words * r->lanes;
	return x;
}

/* D of a row (from 0) of lane l, from the bottom up. */
static uint64_t
value(const struct primer_reach *r, const struct lanes *x, unsigned l,
      uint64_t row)
{
	uint64_t d = r->bottom[l], below = ~1ull << (row & 63);

	for (uint64_t w = r->last + 1; w-- > row / 64;) {
		uint64_t rows = w == row / 64 ? below : ~0ull;

		d -= count(~x->level[w * x->n + l] & rows);
		d += count(x->m[w * x->n + l] & rows);
	}
	return d;
}

/* Down a column while D is within the limit; true: the next row is marked. */
static bool
walk(struct primer_reach *r, const struct lanes *x, unsigned l)
{
	uint64_t row = r->row[l] - 1, d;

	if (r->row[l] > r->most[l] || row / 64 < r->first ||
	    row / 64 > r->last)
		return false;
	d = value(r, x, l, row);
	while (d <= r->limit) {
		row = r->row[l]++;
		if (row >= r->most[l] || row / 64 > r->last)
			return false;
		d += ~x->level[row / 64 * x->n + l] >> (row & 63) & 1;
		d -= x->m[row / 64 * x->n + l] >> (row & 63) & 1;
	}
	r->above[l] = d - r->limit - 1;
	x->mark[row / 64 * x->n + l] = 1ull << (row & 63);
	r->mark_first = min_u64(r->mark_first, row / 64);
	r->mark_last = max_u64(r->mark_last, row / 64);
	return true;
}

bool
primer_mark(struct primer_reach *r)
{
	struct lanes x = lanes_of(r);
	bool some = false, later = false;

	for (uint64_t w = r->mark_first; w <= r->mark_last; w++)
		memset(x.mark + w * x.n, 0, x.n * sizeof *x.mark);
	r->mark_first = UINT64_MAX;
	r->mark_last = 0;
	for (unsigned l = 0; l < r->lanes; l++) {
		r->above[l] = 1ull << 62;
		if (walk(r, &x, l))
			some = true;
		else if (r->any && r->row[l] > r->most[l])
			return false;
		else if (r->row[l] <= r->most[l] &&
			 (r->row[l] - 1) / 64 > r->last)
			later = true;
	}
	if (!some) {
		r->mark_first = r->last + 1;
		r->mark_last = r->last;
	}
	return some || later;
}
