/* SPDX-License-Identifier: MIT */
/*
 * sw_guess.c - what the K-th best score may be, from the tops of blocks
 *
 * Of long queries sw_raise.c proves little: its bins are as wide as an
 * alignment can be.  Here bins are narrow, so that some of them share an
 * alignment.  A bin that is exceeded by the next one does not count: there the
 * same alignment is likely to go on, as in one that is much longer than all
 * others, of whose bins each would seem a good one.  Of the others the top of
 * the 2K-th best is taken; if there are not as many, none.  That is a guess:
 * whoever uses it must see K hits that are not below it.
 */
#include <stdlib.h>

#include "algo/sw_keep.h"

enum { WIDE = 8, MARGIN = 2, MORE = 8 };

void
sw_guess_free(struct sw_guess *g)
{
	free(g->top);
	*g = (struct sw_guess){ 0 };
}

static int
falling(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a > *b ? -1 : *a < *b;
}

/* The tops of bins of so many blocks that count, where they are exact. */
static void
add_tops(struct sw_guess *g, const struct sw_seg *s,
	 const struct sw_peak *peak, uint64_t wide)
{
	uint64_t end = s->end / SW_BLOCK;
	int64_t last = 0;

	for (uint64_t b = s->own / SW_BLOCK; b < end;) {
		uint64_t to = end - b < wide ? end : b + wide;
		int64_t top = 0;

		for (; b < to; b++)
			if (peak[b].exact && peak[b].bound > top)
				top = peak[b].bound;
		if (last > top)
			g->top[g->n++] = last;
		last = top;
	}
	if (last > 0)
		g->top[g->n++] = last;
}

int
sw_guess_reset(struct sw_guess *g, const struct sw_text *t,
	       const struct sw_peak *peak, size_t k, struct err *e)
{
	uint64_t blocks = t->n / SW_BLOCK, wide = WIDE;
	int rc = array_room(&g->top, &g->cap, blocks, sizeof *g->top, e);

	g->n = 0;
	g->next = k < SIZE_MAX / MARGIN ? MARGIN * k : SIZE_MAX;
	if (rc || blocks == 0 || g->next > blocks)
		return rc;
	while (wide > 1 && blocks / wide < MARGIN * g->next)
		wide /= 2;
	for (size_t s = 0; s < t->n_seg; s++)
		add_tops(g, &t->seg[s], peak, wide);
	if (g->n)
		qsort(g->top, g->n, sizeof *g->top, falling);
	return 0;
}

int64_t
sw_guess_next(struct sw_guess *g)
{
	size_t at = g->next;

	if (at > g->n)
		return 0;
	g->next = at < SIZE_MAX / MORE ? MORE * at : SIZE_MAX;
	return g->top[at - 1];
}
