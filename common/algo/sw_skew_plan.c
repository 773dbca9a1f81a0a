/* SPDX-License-Identifier: MIT */
/* sw_skew_plan.c - scores, letters and memory of a pass in skewed lanes */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_skew_priv.h"

/* Less of a spread than that above the least H: 8 bits are of no use. */
enum { LEAST_8 = 64 };

/* Are all scores of letter a the match or the mismatch, as they should? */
static bool
row_fits(const struct sw_query *q, unsigned a, struct sw_skew_match *m)
{
	bool self = q->s.score[a][a] == m->match;

	for (unsigned b = 0; b < q->s.letters; b++)
		if (!(a == b && self) && q->s.score[a][b] != m->mismatch)
			return false;
	if (self)
		m->code[a] = (uint8_t)m->n++;
	return m->n <= 4;
}

/* sw_skew_kern.c says why; what is not in a vector has 32 bits. */
static bool
sizes_fit(const struct sw_query *q)
{
	int64_t open = q->s.open, extend = q->s.extend;
	int64_t low_at = 2 * open + (1 + SW_SKEW_ROWS) * extend;

	return (int64_t)q->n * q->best < INT32_MAX - SW_SKEW_ABOVE &&
	       (SW_SKEW_ROWS + SW_BLOCK) * (q->best + extend) + 2 * open +
	       low_at - q->worst <= INT16_MAX;
}

bool
sw_skew_match(const struct sw_query *q, struct sw_skew_match *m)
{
	bool seen[SW_LETTERS] = { false };

	memset(m->code, 255, sizeof m->code);
	m->n = 0;
	m->match = q->best;
	m->mismatch = q->worst;
	if (m->match <= 0 || m->mismatch > 0)
		return false;
	for (size_t i = 0; i < q->n; i++)
		seen[q->code[i]] = true;
	for (unsigned a = 0; a < q->s.letters; a++)
		if (seen[a] && !row_fits(q, a, m))
			return false;
	return sizes_fit(q);
}

static void
set_tables(struct sw_skew *s, const struct sw_skew_match *m)
{
	for (unsigned i = 0; i < 16; i++) {
		int score = i % 8 ? s->mismatch : s->match;

		s->table8[i] = (uint8_t)(i ? s->mismatch : s->match);
		s->table16[i] = (uint8_t)(i > 7 ? score >> 8 : score);
	}
	memset(s->code, 4, sizeof s->code);
	for (unsigned a = 0; a < SW_LETTERS; a++)
		if (m->code[a] < 4)
			s->code[a] = m->code[a];
}

void
sw_skew_scores(struct sw_skew *s, const struct sw_query *q,
	       const struct sw_skew_match *m)
{
	int first = q->s.open + q->s.extend, best8;

	s->open = q->s.open;
	s->extend = q->s.extend;
	s->match = q->best;
	s->mismatch = q->worst;
	s->reach = s->open + SW_SKEW_ROWS * s->extend;
	s->low_at = first + s->reach;
	s->zero8 = first + s->extend;
	if (s->zero8 < s->extend - s->mismatch)
		s->zero8 = s->extend - s->mismatch;
	s->zero8 = s->zero8 ? s->zero8 : 1;
	best8 = UINT8_MAX - s->match;
	s->limit8 = best8 - s->zero8;
	s->bytes_fit = s->limit8 - s->low_at >= LEAST_8;
	set_tables(s, m);
}

/*
 * Strips, as many as lanes at least.  What fills the first one matches nothing,
 * so that H = 0 there, as above the query's first row.
 */
int
sw_skew_room(struct sw_skew *s, struct err *e)
{
	const size_t rows = SW_SKEW_ROWS, n = s->part.to - s->part.from;
	size_t letters, ends;

	s->strips = (n + rows - 1) / rows;
	if (s->strips < s->ops->lanes)
		s->strips = s->ops->lanes;
	s->fill = s->strips * rows - n;
	s->letters = s->strips + s->ops->lanes;
	letters = s->letters * rows;
	ends = s->strips * (rows * sizeof *s->end + sizeof *s->end_most);
	if (letters + ends > s->cap) {
		free(s->mem);
		s->cap = 0;
		s->mem = malloc(letters + ends);
		if (!s->mem)
			return err_nomem(e, letters + ends);
		s->cap = letters + ends;
	}
	s->end = (void *)s->mem;
	s->end_most = (void *)(s->end + s->strips * rows);
	s->letter = s->mem + ends;
	memset(s->end, 0, ends);
	return 0;
}

/* Entry x of a row is that of strip strips - 1 - x, modulo strips. */
void
sw_skew_letters(struct sw_skew *s, const struct sw_query *q,
		const struct sw_skew_match *m)
{
	const uint8_t *code = q->code + s->part.from;

	for (size_t x = 0; x < s->letters; x++) {
		size_t strip = (2 * s->strips - 1 - x) % s->strips;

		for (size_t r = 0; r < SW_SKEW_ROWS; r++) {
			size_t i = strip * SW_SKEW_ROWS + r;
			uint8_t c = i < s->fill ? 255 :
				    m->code[code[i - s->fill]];

			s->letter[r * s->letters + x] =
			    c == 255 ? SW_SKEW_NO_LETTER : c;
		}
	}
}
