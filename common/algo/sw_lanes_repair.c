/* SPDX-License-Identifier: MIT */
/* sw_lanes_repair.c - ends handed over, and columns met again */
#include <string.h>

#include "algo/sw_lanes_priv.h"

bool
sw_lanes_met(struct sw_lanes *s, uint64_t blocks, bool first)
{
	unsigned number = (unsigned)__builtin_ctzll(blocks);
	struct sw_column *check = &s->check[number];

	if (blocks >= s->step || (blocks & (blocks - 1)) != 0 ||
	    number >= s->n_checks)
		return false;
	if (s->narrow)
		s->ops->widen(s);
	if (!first && s->ops->same(s, &s->now, check))
		return true;
	memcpy(check->h, s->now.h, s->column_bytes);
	return false;
}

/* Where a lane stands in a row of all halves. */
static unsigned
column_of(const struct sw_lanes *s, unsigned l)
{
	unsigned place = s->place[l], half = place / 8 % 2;

	return half * (s->ops->bytes / 2) + place / 16 * 8 + place % 8;
}

static void
shift(const struct sw_lanes *s, const int16_t *from, int16_t *to,
      const unsigned *column)
{
	to[column[0]] = 0;
	for (unsigned l = 1; l < s->lanes; l++)
		to[column[l]] = s->begins[l] ? 0 : from[column[l - 1]];
}

/* Is H too high for 8 bits somewhere? */
static bool
is_high(const struct sw_lanes *s, const struct sw_column *c)
{
	size_t n = s->lanes;

	for (size_t i = 0; i < s->strips * n; i++)
		if (c->base[i])
			return true;
	for (size_t i = 0; i < s->rows * n; i++)
		if (c->h[i] > sw_lanes_low(s))
			return true;
	return false;
}

bool
sw_lanes_hand_over(struct sw_lanes *s)
{
	unsigned column[SW_LANE_MOST];
	struct sw_column was = s->start;
	size_t n = s->lanes;

	for (unsigned l = 0; l < s->lanes; l++)
		column[l] = column_of(s, l);
	for (size_t i = 0; i < s->rows; i++) {
		shift(s, s->end.h + i * n, s->next.h + i * n, column);
		shift(s, s->end.e + i * n, s->next.e + i * n, column);
	}
	for (size_t i = 0; i < s->strips; i++)
		shift(s, s->end.base + i * n, s->next.base + i * n, column);
	if (s->ops->same(s, &s->next, &s->start))
		return false;
	s->start = s->next;
	s->next = was;
	s->high = is_high(s, &s->start);
	return true;
}
