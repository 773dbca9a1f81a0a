/* SPDX-License-Identifier: MIT */
/* sw_disjoint.c - local alignments without a pair of letters in common */
#include "scan/sw_disjoint.h"

#include <stdlib.h>

#include "base/cigar.h"

enum {	/* of a cell; none of the first three: H = 0 */
	FROM_DIAGONAL = 1, FROM_E = 2, FROM_F = 4,
	START = 8,		/* the diagonal step is from H = 0 */
	E_OPENS = 16, F_OPENS = 32,
	FORBIDDEN = 64,
};

void
sw_disjoint_free(struct sw_disjoint *d)
{
	buf_free(&d->cells);
	free(d->h);
	free(d->e);
}

int
sw_disjoint_begin(struct sw_disjoint *d, struct err *e)
{
	size_t bytes = (d->m + 1) * sizeof *d->h;

	if (d->cap <= d->m) {
		free(d->h);
		free(d->e);
		d->cap = 0;
		d->h = malloc(bytes);
		d->e = malloc(bytes);
		if (!d->h || !d->e)
			return err_nomem(e, 2 * bytes);
		d->cap = d->m + 1;
	}
	d->cells.n = 0;
	buf_zero(&d->cells, d->m * d->n);
	return d->cells.bad ? err_nomem(e, d->m * d->n) : 0;
}

/* A column: h and e are the one before, row by row; cell is its bytes. */
static void
column(struct sw_disjoint *d, uint8_t letter, uint8_t *cell)
{
	const int64_t none = INT64_MIN / 2;	/* below any sum of costs */
	const int64_t open = d->s->open, extend = d->s->extend;
	int64_t diagonal = 0, above = 0, f = none;

	for (size_t i = 0; i < d->m; i++) {
		int64_t left = d->h[i + 1], gap = left - open, from_f, h = 0;
		int64_t s = diagonal + d->s->score[d->query[i]][letter];
		unsigned is = cell[i] & FORBIDDEN;

		is |= gap >= d->e[i + 1] ? E_OPENS : 0;
		d->e[i + 1] = (gap > d->e[i + 1] ? gap : d->e[i + 1]) - extend;
		from_f = above - open;
		is |= from_f >= f ? F_OPENS : 0;
		f = (from_f > f ? from_f : f) - extend;
		if (is & FORBIDDEN)
			s = none;
		h = s > h ? s : h;
		h = d->e[i + 1] > h ? d->e[i + 1] : h;
		h = f > h ? f : h;
		if (h > 0)
			is |= h == s ? FROM_DIAGONAL :
			      h == d->e[i + 1] ? FROM_E : FROM_F;
		is |= diagonal == 0 ? START : 0;
		cell[i] = (uint8_t)is;
		diagonal = left;
		d->h[i + 1] = above = h;
	}
}

/* The best cell; its score is returned. */
static int64_t
fill(struct sw_disjoint *d, size_t *row, size_t *at)
{
	int64_t best = 0;

	memset(d->h, 0, (d->m + 1) * sizeof *d->h);
	for (size_t i = 0; i <= d->m; i++)
		d->e[i] = INT64_MIN / 2;
	for (size_t j = 0; j < d->n; j++) {
		column(d, d->text[j], d->cells.p + j * d->m);
		for (size_t i = 1; i <= d->m; i++)
			if (d->h[i] > best) {
				best = d->h[i];
				*row = i - 1;
				*at = j;
			}
	}
	return best;
}

static void
turn_round(struct buf *ops)
{
	uint32_t *v = (uint32_t *)(void *)ops->p;
	size_t n = ops->n / sizeof *v;

	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = v[i];

		v[i] = v[n - 1 - i];
		v[n - 1 - i] = x;
	}
}

static void
put(struct buf *ops, unsigned op)
{
	uint32_t *v = (uint32_t *)(void *)ops->p, one = 1 << 4 | op;
	size_t n = ops->n / sizeof *v;

	if (n && (v[n - 1] & 15) == op && v[n - 1] >> 4 < CIGAR_MAX_LEN)
		v[n - 1] += 1 << 4;
	else
		buf_put(ops, &one, sizeof one);
}

/* From the cell of hit's ends to its start, whose place it gets. */
static void
trace(struct sw_disjoint *d, struct sw_hit *hit, struct buf *ops)
{
	size_t i = hit->qend - 1, j = hit->end - 1;
	unsigned in = 0;	/* or FROM_E, FROM_F: in a gap */

	for (;;) {
		uint8_t *c = &d->cells.p[j * d->m + i];

		if (!in && *c & FROM_DIAGONAL) {
			uint8_t q = d->query[i], t = d->text[j];

			put(ops, d->same[q] == t ? CIGAR_EQ : CIGAR_X);
			*c |= FORBIDDEN;
			if (*c & START)
				break;
			i--;
			j--;
			continue;
		}
		in = in ? in : *c & (FROM_E | FROM_F);
		put(ops, in == FROM_E ? CIGAR_D : CIGAR_I);
		j -= in == FROM_E;
		i -= in == FROM_F;
		if (*c & (in == FROM_E ? E_OPENS : F_OPENS))
			in = 0;
	}
	hit->qbeg = i;
	hit->beg = j;
	turn_round(ops);
}

int
sw_disjoint_next(struct sw_disjoint *d, int64_t least, struct sw_hit *hit,
		 struct buf *ops, struct err *e)
{
	size_t row = 0, at = 0;

	ops->n = 0;
	hit->score = fill(d, &row, &at);
	if (hit->score < least)
		return 0;
	hit->qend = row + 1;
	hit->end = at + 1;
	trace(d, hit, ops);
	return ops->bad ? err_nomem(e, ops->n) : 1;
}
