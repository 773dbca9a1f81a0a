/* SPDX-License-Identifier: MIT */
/*
 * sw_guess.c - what the K-th best score may be, from the tops of blocks
 *
 * Of long queries sw_raise.c proves little: its bins are as wide as an
 * alignment can be.  Here bins are narrow, so that some of them share an
 * alignment.  What is guessed is a score: whoever uses it must see K hits that
 * are not below it.
 *
 * First the K-th of those tops that are likely to be ends of alignments: before
 * any higher top, on either side, scores fall to half of it, counted from the
 * lowest of all.  An alignment may lose some of its score and go on; one that
 * lost half of it is more likely to be two.  That leaves out where an alignment
 * rises and where its scores fall behind it, so that K relatives of the query
 * give the score of the last of them.
 *
 * If there are not as many, or not as many hits, then a bin counts that is not
 * exceeded by the next one: there the same alignment is likely to go on, as in
 * one that is much longer than all others, of whose bins each would seem a good
 * one.  Of those the top of the 2K-th best is taken; if there are not as many,
 * none.
 */
#include <stdlib.h>

#include "algo/sw_keep.h"

enum { WIDE = 8, MARGIN = 2, MORE = 8 };

void
sw_guess_free(struct sw_guess *g)
{
	free(g->top);
	free(g->rise);
	*g = (struct sw_guess){ 0 };
}

static int
falling(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a > *b ? -1 : *a < *b;
}

/* The top of a bin that begins with block *b, where it is exact; to its end. */
static int64_t
next_top(const struct sw_peak *peak, uint64_t *b, uint64_t end, uint64_t wide)
{
	uint64_t to = end - *b < wide ? end : *b + wide;
	int64_t top = 0;

	for (; *b < to; ++*b)
		if (peak[*b].exact && peak[*b].bound > top)
			top = peak[*b].bound;
	return top;
}

static bool
is_valley(const struct sw_guess *g, int64_t low, int64_t top)
{
	return low - g->lowest < (top - g->lowest + 1) / 2;
}

/*
 * The tops of a segment's bins that are likely ends.  g->rise is a stack of
 * bins, none higher than the one below it; one that comes takes those off that
 * it exceeds.
 */
static void
add_ends(struct sw_guess *g, const struct sw_seg *s,
	 const struct sw_peak *peak, uint64_t wide)
{
	uint64_t end = s->end / SW_BLOCK, b = s->own / SW_BLOCK;
	size_t n = 0;

	while (b < end) {
		int64_t top = next_top(peak, &b, end, wide), low = top;

		for (; n && g->rise[n - 1].top < top; n--) {
			const struct sw_rise *r = &g->rise[n - 1];

			if (r->counts && is_valley(g, low, r->top))
				g->top[g->n++] = r->top;
			low = r->low < low ? r->low : low;
		}
		g->rise[n] = (struct sw_rise){ top, low,
			top > 0 && (!n || is_valley(g, low, top)) };
		n++;
	}
	while (n--)
		if (g->rise[n].counts)
			g->top[g->n++] = g->rise[n].top;
}

/* The tops of bins of so many blocks that count, where they are exact. */
static void
add_tops(struct sw_guess *g, const struct sw_seg *s,
	 const struct sw_peak *peak, uint64_t wide)
{
	uint64_t end = s->end / SW_BLOCK;
	int64_t last = 0;

	for (uint64_t b = s->own / SW_BLOCK; b < end;) {
		int64_t top = next_top(peak, &b, end, wide);

		if (last > top)
			g->top[g->n++] = last;
		last = top;
	}
	if (last > 0)
		g->top[g->n++] = last;
}

static int64_t
lowest(const struct sw_text *t, const struct sw_peak *peak, uint64_t wide)
{
	int64_t least = INT64_MAX;

	for (size_t s = 0; s < t->n_seg; s++) {
		uint64_t b = t->seg[s].own / SW_BLOCK;

		while (b < t->seg[s].end / SW_BLOCK) {
			int64_t top = next_top(peak, &b,
					       t->seg[s].end / SW_BLOCK, wide);

			least = top < least ? top : least;
		}
	}
	return least;
}

typedef void add_fn(struct sw_guess *g, const struct sw_seg *s,
		    const struct sw_peak *peak, uint64_t wide);

static void
sort_tops(struct sw_guess *g, const struct sw_text *t,
	  const struct sw_peak *peak, uint64_t wide, add_fn *add)
{
	g->n = 0;
	for (size_t s = 0; s < t->n_seg; s++)
		add(g, &t->seg[s], peak, wide);
	if (g->n)
		qsort(g->top, g->n, sizeof *g->top, falling);
}

int
sw_guess_reset(struct sw_guess *g, const struct sw_text *t,
	       const struct sw_peak *peak, size_t k, struct err *e)
{
	uint64_t blocks = t->n / SW_BLOCK, wide = WIDE;
	int rc = array_room(&g->top, &g->cap, blocks, sizeof *g->top, e);

	if (!rc)
		rc = array_room(&g->rise, &g->cap_rise, blocks, sizeof *g->rise,
				e);
	g->n = 0;
	g->first = 0;
	g->last = INT64_MAX;
	g->next = k < SIZE_MAX / MARGIN ? MARGIN * k : SIZE_MAX;
	if (rc || k > blocks)
		return rc;
	while (wide > 1 && blocks / wide / MARGIN < g->next)
		wide /= 2;
	g->lowest = lowest(t, peak, wide);
	sort_tops(g, t, peak, wide, add_ends);
	if (k <= g->n)
		g->first = g->top[k - 1];
	sort_tops(g, t, peak, wide, add_tops);
	return 0;
}

int64_t
sw_guess_next(struct sw_guess *g)
{
	int64_t guess = g->first;

	g->first = 0;
	while (!guess || guess >= g->last) {
		if (g->next > g->n)
			return 0;
		guess = g->top[g->next - 1];
		g->next = g->next < SIZE_MAX / MORE ? MORE * g->next : SIZE_MAX;
	}
	g->last = guess;
	return guess;
}
