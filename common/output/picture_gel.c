/* SPDX-License-Identifier: MIT */
/*
 * picture_gel.c - lengths of products of PCR as the bands of a gel
 *
 * A lane for each pair, long products at the top; places are logarithms of
 * lengths, as distances in a gel are, nearly.  The first pairs are shown.
 */

#include <math.h>
#include <stdlib.h>

#include "output/picture.h"

enum { GEL_HEIGHT = 260, SHOWN_PAIRS = 32, WIDEST_LANE = 60 };

struct gel_lane {
	uint64_t ordinal;
	size_t name, n_name;	/* in names */
	uint64_t n;
	uint32_t bin[GEL_BINS];
};

void
gel_free(struct gel *g)
{
	index_free(&g->by_ordinal);
	buf_free(&g->names);
	free(g->v);
}

static unsigned
bin_of(uint64_t length)
{
	double at = log2((double)(length ? length : 1)) * GEL_BINS / 40;

	return at < GEL_BINS ? (unsigned)at : GEL_BINS - 1;
}

/* The lane of a pair; NULL: there are too many, or e. */
static struct gel_lane *
lane_of(struct gel *g, uint64_t ordinal, struct str name, struct err *e)
{
	size_t i = index_number(&g->by_ordinal, ordinal, 0);
	struct gel_lane *l;

	if (i)
		return &g->v[i - 1];
	if (g->n == MAX_GEL_LANES) {
		g->others++;
		return NULL;
	}
	if (array_room(&g->v, &g->cap, g->n + 1, sizeof *g->v, e))
		return NULL;
	l = &g->v[g->n];
	*l = (struct gel_lane){ .ordinal = ordinal, .name = g->names.n,
				.n_name = name.n };
	buf_put(&g->names, name.p, name.n);
	if (g->names.bad ||
	    !index_set_number(&g->by_ordinal, ordinal, 0, ++g->n)) {
		err_nomem(e, name.n);
		return NULL;
	}
	return l;
}

void
gel_add(struct gel *g, uint64_t ordinal, struct str name, uint64_t length,
	struct err *e)
{
	struct gel_lane *l = e->code ? NULL : lane_of(g, ordinal, name, e);

	g->least = g->total++ ? min_u64(g->least, length) : length;
	g->most = max_u64(g->most, length);
	if (!l)
		return;
	l->n++;
	l->bin[bin_of(length)] += l->bin[bin_of(length)] < UINT32_MAX;
}

static int
cmp_lanes(const void *a, const void *b)
{
	return cmp_u64(((const struct gel_lane *)a)->ordinal,
		       ((const struct gel_lane *)b)->ordinal);
}

/* From the top of the gel: twice the longest to half of the shortest. */
static double
place(const struct gel *g, double length)
{
	double top = log2(2. * (double)g->most);
	double bottom = log2(.5 * (double)(g->least ? g->least : 1));

	return GEL_HEIGHT * (top - log2(length)) / (top - bottom);
}

/* Lengths beside the gel. */
static void
ladder(const struct gel *g, struct buf *b, double y, double width)
{
	static const unsigned of[] = { 1, 2, 5 };

	for (double ten = 1; ten < 1e12; ten *= 10)
		for (unsigned i = 0; i < 3; i++) {
			double at = place(g, ten * of[i]);

			if (at < 0 || at > GEL_HEIGHT)
				continue;
			svg_line(b, "g", PLOT_X, y + at, PLOT_X + width,
				 y + at);
			svg_text(b, "s", "end", PLOT_X - 6, y + at + 4, "%s",
				 svg_count((uint64_t)(ten * of[i])).text);
		}
}

static void
bands(const struct gel *g, const struct gel_lane *l, struct buf *b, double x,
      double y, double width)
{
	for (unsigned i = 0; i < GEL_BINS; i++) {
		double length = exp2((i + .5) * 40 / GEL_BINS);

		if (l->bin[i])
			svg_rect(b, "n", x + .1 * width,
				 y + place(g, length) - 1.5, .8 * width, 3);
	}
}

unsigned
gel_draw(struct gel *g, struct buf *b, double y)
{
	size_t n = g->n < SHOWN_PAIRS ? g->n : SHOWN_PAIRS;
	double width = (double)PLOT_W / (double)n;
	uint64_t more = g->others;

	width = width > WIDEST_LANE ? WIDEST_LANE : width;
	qsort(g->v, g->n, sizeof *g->v, cmp_lanes);
	ladder(g, b, y + 20, width * (double)n);
	for (size_t i = 0; i < g->n; i++) {
		const struct gel_lane *l = &g->v[i];
		double x = PLOT_X + (double)i * width;

		if (i >= n) {
			more += l->n;
			continue;
		}
		if (width < WIDEST_LANE / 2)
			svg_text(b, "s", "middle", x + width / 2, y + 12,
				 "%zu", i + 1);
		else
			svg_name(b, "start", x + .1 * width, y + 12,
				 (struct str){ (const char *)g->names.p +
					       l->name, l->n_name },
				 (unsigned)(width / 9));
		bands(g, l, b, x, y + 20, width);
	}
	if (more)
		svg_text(b, "s", "start", PLOT_X, y + GEL_HEIGHT + 40,
			 "not shown: %s more of other pairs",
			 svg_number(more).text);
	return GEL_HEIGHT + 40 + (more ? 16 : 0);
}
