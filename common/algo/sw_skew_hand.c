/* SPDX-License-Identifier: MIT */
/* sw_skew_hand.c - columns that the last lane leaves to the first */
#include <string.h>

#include "algo/sw_skew_priv.h"

/*
 * H and E of the left column of a lane's strip; none is lower than what a gap
 * leads to from the corner: sw_skew_prune.c.
 */
void
sw_skew_put_marks(struct sw_skew *s, unsigned lane, const struct sw_mark *end)
{
	const int32_t first = s->open + s->extend;
	struct sw_skew_side *left = &s->side[s->at];
	int32_t least = s->corner[lane] - s->open, low = INT32_MAX, most = 0;
	struct sw_mark m[SW_SKEW_ROWS];

	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		least -= s->extend;
		m[r].h = end[r].h > least ? end[r].h : least;
		m[r].e = m[r].h - first;
		if (m[r].e < end[r].e)
			m[r].e = end[r].e;
		low = m[r].h < low ? m[r].h : low;
		most = m[r].h > most ? m[r].h : most;
	}
	low = low < first ? 0 : low - first;
	left->base[lane] = low;
	left->most[lane] = most;
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		int32_t h = m[r].h - low, x = m[r].e - low;

		if (s->narrow) {
			h += s->zero8;
			x += s->zero8;
			left->h[r][lane] = h > 255 ? 255 : (uint8_t)h;
			left->e[r][lane] = x > 255 ? 255 : (uint8_t)x;
		} else {
			((int16_t *)(void *)left->h[r])[lane] = (int16_t)h;
			((int16_t *)(void *)left->e[r])[lane] = (int16_t)x;
		}
	}
}

void
sw_skew_put_left(struct sw_skew *s)
{
	static const struct sw_mark none[SW_SKEW_ROWS];

	sw_skew_put_marks(s, 0, s->end + s->strip * SW_SKEW_ROWS);
	for (unsigned k = 0; s->n_fresh && k < s->ops->lanes; k++)
		if (s->fresh[k])
			sw_skew_put_marks(s, k, none);
}

uint64_t
sw_skew_mark(const struct sw_skew *s)
{
	const struct sw_marks *m = s->marks;
	const uint64_t lanes = s->ops->lanes;
	uint64_t block = s->first + (s->strip + 1 < lanes ? 0 : lanes), n;

	if (!m || block == 0 || block * SW_BLOCK % m->every)
		return 0;
	n = block * SW_BLOCK / m->every;
	return n <= m->n ? n : 0;
}

/* The last lane's strip, before the column behind its block. */
static void
put_mark(const struct sw_skew *s, size_t strip, uint64_t n)
{
	const struct sw_marks *m = s->marks;

	for (size_t r = 0; r < SW_SKEW_ROWS && n; r++) {
		size_t i = strip * SW_SKEW_ROWS + r;

		if (i >= s->fill)
			m->v[(n - 1) * m->q->n + s->part.from + i - s->fill] =
			    s->end[i];
	}
}

/* The strip of the last lane. */
static size_t
last_strip(const struct sw_skew *s)
{
	return (s->strip + s->strips - (s->ops->lanes - 1)) % s->strips;
}

void
sw_skew_drop_end(struct sw_skew *s, uint64_t mark)
{
	size_t strip = last_strip(s);

	if (s->end_most[strip]) {
		memset(s->end + strip * SW_SKEW_ROWS, 0,
		       SW_SKEW_ROWS * sizeof *s->end);
		s->end_most[strip] = 0;
	}
	put_mark(s, strip, mark);
}

/*
 * What the last lane left of its strip; before its first block the column
 * before all of them stays.
 */
void
sw_skew_take_end(struct sw_skew *s)
{
	const struct sw_skew_side *right = &s->side[s->at];
	unsigned k = s->ops->lanes;
	size_t strip = last_strip(s);
	int32_t first = s->open + s->extend, most = 0;

	if (s->first == 0 && s->strip + 1 < k)
		return;
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		struct sw_mark *end = &s->end[strip * SW_SKEW_ROWS + r];

		if (s->narrow) {
			end->h = right->h[r][k] - s->zero8;
			end->e = right->e[r][k] - s->zero8;
		} else {
			end->h = ((const int16_t *)(const void *)
				  right->h[r])[k];
			end->e = ((const int16_t *)(const void *)
				  right->e[r])[k];
		}
		end->h += right->base[k];
		end->e += right->base[k];
		if (end->e < end->h - first)
			end->e = end->h - first;
		if (end->e < 0)
			end->e = 0;
		most = end->h > most ? end->h : most;
	}
	s->end_most[strip] = most;
	put_mark(s, strip, sw_skew_mark(s));
}
