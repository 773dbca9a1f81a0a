/* SPDX-License-Identifier: MIT */
/*
 * picture_plots.c - pieces of SVG; lengths of products as a gel, distances as a
 * heat map
 */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"
#include "output/output.h"
#include "output/picture.h"

/* Pieces of a picture as SVG. */

/* Results as a picture: rows are kept until all are there. */

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	(void)b;
	picture_hit(env->picture, env->run, h);
}

static void
tally(struct buf *b, const struct print_env *env, const struct tally_row *t)
{
	(void)b;
	picture_tally(env->picture, t);
}

static void
primer(struct buf *b, const struct print_env *env, const struct primer_row *r)
{
	(void)b;
	picture_primer(env->picture, r);
}

static void
product(struct buf *b, const struct print_env *env,
	const struct product_row *r)
{
	(void)b;
	picture_product(env->picture, r);
}

const struct print_family print_svg = {
	.need = PRINT_LENGTH, .hit = hit, .tally = tally, .primer = primer,
	.product = product,
};

/* Pieces of a picture as SVG. */

static const char style[] =
	"<style>\n"
	"text { font-family: 'DejaVu Sans', Verdana, Arial, sans-serif; }\n"
	".b { fill: #ffffff; }\n"
	".t { fill: #1f2328; font-size: 13px; }\n"
	".h { fill: #1f2328; font-size: 16px; font-weight: bold; }\n"
	".s { fill: #57606a; font-size: 12px; }\n"
	".g { stroke: #afb8c1; stroke-width: 1; fill: none; }\n"
	".p { fill: #0072b2; stroke: none; }\n"
	".m { fill: #d55e00; stroke: none; }\n"
	".n { fill: #009e73; stroke: none; }\n"
	".pl { stroke: #0072b2; }\n"
	".ml { stroke: #d55e00; }\n"
	".pl, .ml { fill: none; stroke-width: 3; stroke-linecap: round; }\n"
	".e { fill: #d0d7de; stroke: none; }\n"
	".c0 { fill: #0072b2; }\n"
	".c1 { fill: #d55e00; }\n"
	".c2 { fill: #009e73; }\n"
	".c3 { fill: #cc79a7; }\n"
	".c4 { fill: #56b4e9; }\n"
	".c5 { fill: #e69f00; }\n"
	".c6 { fill: #7f8c1f; }\n"
	".c7 { fill: #57606a; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	".b { fill: #0d1117; }\n"
	".t, .h { fill: #e6edf3; }\n"
	".s { fill: #9da7b3; }\n"
	".g { stroke: #57606a; }\n"
	".p { fill: #56b4e9; }\n"
	".m { fill: #e69f00; }\n"
	".n { fill: #2bbf93; }\n"
	".pl { stroke: #56b4e9; }\n"
	".ml { stroke: #e69f00; }\n"
	".e { fill: #3d444d; }\n"
	".c0 { fill: #3d9be0; }\n"
	".c6 { fill: #f0e442; }\n"
	".c7 { fill: #c9d1d9; }\n"
	"}\n"
	"</style>\n";

void
svg_file(struct buf *b, unsigned width, unsigned height,
	 const struct buf *title, const struct buf *desc,
	 const struct buf *body)
{
	buf_printf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		   "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
		   "role=\"img\" aria-labelledby=\"title desc\">\n"
		   "<title id=\"title\">", width, height, width, height);
	buf_put(b, title->p, title->n);
	buf_printf(b, "</title>\n<desc id=\"desc\">");
	buf_put(b, desc->p, desc->n);
	buf_printf(b, "</desc>\n%s", style);
	svg_rect(b, "b", 0, 0, width, height);
	buf_put(b, body->p, body->n);
	buf_printf(b, "</svg>\n");
	b->bad |= title->bad | desc->bad | body->bad;
}

/* Letters that a page may hold: no control characters, and what XML allows. */
static bool
is_shown(const uint8_t *p, unsigned len)
{
	switch (len) {
	case 0: return false;
	case 1: return p[0] >= ' ' && p[0] <= '~';
	case 2: return p[0] != 0xc2 || p[1] >= 0xa0;
	case 3: return p[0] != 0xef || p[1] != 0xbf || p[2] < 0xbe;
	default: return true;
	}
}

/* Printable letters of UTF-8 as they are, but for markup; else bytes as %XX. */
static void
put_bytes(struct buf *b, struct str s)
{
	const uint8_t *p = (const uint8_t *)s.p;
	unsigned len;

	for (size_t i = 0; i < s.n; i += len) {
		len = utf8_letter(p + i, s.n - i);
		if (!is_shown(p + i, len)) {
			buf_printf(b, "%%%02X", p[i]);
			len = 1;
		} else if (p[i] == '&') {
			buf_printf(b, "&amp;");
		} else if (p[i] == '<') {
			buf_printf(b, "&lt;");
		} else if (p[i] == '>') {
			buf_printf(b, "&gt;");
		} else {
			buf_put(b, p + i, len);
		}
	}
}

static void
open_text(struct buf *b, const char *cls, const char *anchor, double x,
	  double y)
{
	buf_printf(b, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" "
		   "y=\"%.1f\">", cls, anchor, x, y);
}

void
svg_text(struct buf *b, const char *cls, const char *anchor, double x,
	 double y, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	open_text(b, cls, anchor, x, y);
	put_bytes(b, (struct str){ text, strlen(text) });
	buf_printf(b, "</text>\n");
}

/* How many letters s has, `most` at most, and where the last of these ends; a
 * byte that is part of none counts as one. */
static size_t
letters(struct str s, size_t most, size_t *end)
{
	const uint8_t *p = (const uint8_t *)s.p;
	size_t n = 0;

	for (*end = 0; *end < s.n && n < most; n++) {
		unsigned len = utf8_letter(p + *end, s.n - *end);

		*end += len ? len : 1;
	}
	return n;
}

unsigned
svg_letters(struct str name)
{
	size_t end, n = letters(name, UINT32_MAX, &end);

	return (unsigned)n;
}

void
svg_name(struct buf *b, const char *anchor, double x, double y,
	 struct str name, unsigned most)
{
	size_t end, head, tail, n = letters(name, SIZE_MAX, &end);

	if (!name.n)
		name = (struct str){ "*", 1 };
	open_text(b, "t", anchor, x, y);
	if (n > most) {
		letters(name, most / 2, &head);
		letters(name, n - (most - 1 - most / 2), &tail);
		buf_printf(b, "<title>");
		put_bytes(b, name);
		buf_printf(b, "</title>");
		put_bytes(b, (struct str){ name.p, head });
		buf_printf(b, "&#8230;");
		put_bytes(b, (struct str){ name.p + tail, name.n - tail });
	} else {
		put_bytes(b, name);
	}
	buf_printf(b, "</text>\n");
}

void
svg_rect(struct buf *b, const char *cls, double x, double y, double w,
	 double h)
{
	buf_printf(b, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
		   "width=\"%.1f\" height=\"%.1f\"/>\n", cls, x, y, w, h);
}

void
svg_line(struct buf *b, const char *cls, double x1, double y1, double x2,
	 double y2)
{
	buf_printf(b, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
		   cls, x1, y1, x2, y2);
}

struct svg_number
svg_number(uint64_t v)
{
	struct svg_number to;
	char digits[24];
	size_t n = (size_t)snprintf(digits, sizeof digits, "%llu",
				    (unsigned long long)v), k = 0;

	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			to.text[k++] = ',';
		to.text[k++] = digits[i];
	}
	to.text[k] = '\0';
	return to;
}

struct svg_number
svg_short(uint64_t v)
{
	static const struct {
		uint64_t unit;
		const char *name;
	} units[] = { { 1000000000, " G" }, { 1000000, " M" },
		      { 1000, " k" } };
	struct svg_number to;

	for (unsigned i = 0; i < 3; i++)
		if (v >= units[i].unit) {
			snprintf(to.text, sizeof to.text, "%.4g%s",
				 (double)v / (double)units[i].unit,
				 units[i].name);
			return to;
		}
	snprintf(to.text, sizeof to.text, "%llu", (unsigned long long)v);
	return to;
}

struct svg_number
svg_count(uint64_t v)
{
	return v < 10000000 ? svg_number(v) : svg_short(v);
}

uint64_t
svg_step(uint64_t v, unsigned most)
{
	static const unsigned times[] = { 1, 2, 5 };

	for (uint64_t ten = 1; ten <= UINT64_MAX / 10; ten *= 10)
		for (unsigned i = 0; i < 3; i++)
			if (v / (times[i] * ten) <= most)
				return times[i] * ten;
	return v ? v : 1;
}

/*
 * Lengths of products of PCR as the bands of a gel
 *
 * A lane for each pair, long products at the top; places are logarithms of
 * lengths, as distances in a gel are, nearly.  The first pairs are shown.
 */

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

/* Distances as a heat map, one for each scan of a run. */

enum { LEVELS = 32, SCALE_W = 240 };

/* Rows and columns are names, by rank; what has no value is NAN. */
struct heat {
	const struct dists *d;
	const struct dist_set *set;
	uint32_t row[HEAT_NAMES], col[HEAT_NAMES];	/* names */
	size_t n_rows, n_cols, all_rows, all_cols;
	double v[HEAT_NAMES][HEAT_NAMES];
	double lo, hi;
	double cell, x, y;
};

/* Viridis (van der Walt, Smith): its lightness grows all the way. */
static struct svg_number
colour(unsigned k)
{
	static const unsigned char stop[][3] = {
		{ 68, 1, 84 }, { 59, 82, 139 }, { 33, 145, 140 },
		{ 94, 201, 98 }, { 253, 231, 37 },
	};
	unsigned at = 4 * k, i = k == LEVELS - 1 ? 3 : at / (LEVELS - 1);
	unsigned rgb[3], f = at - i * (LEVELS - 1);
	struct svg_number to;

	for (unsigned c = 0; c < 3; c++)
		rgb[c] = (stop[i][c] * (LEVELS - 1 - f) + stop[i + 1][c] * f) /
			 (LEVELS - 1);
	snprintf(to.text, sizeof to.text, "#%02x%02x%02x", rgb[0], rgb[1],
		 rgb[2]);
	return to;
}

/* Names of a run, or of a scan's queries: they stand together by rank. */
static size_t
names_of(const struct dists *d, bool query, uint32_t of, uint32_t *to,
	 size_t *all)
{
	size_t n = 0;

	*all = 0;
	for (size_t i = 0; i < d->n_names; i++) {
		const struct dist_name *k = &d->name[d->by_rank[i]];

		if (k->query != query || k->of != of)
			continue;
		if (n < HEAT_NAMES)
			to[n++] = d->by_rank[i];
		++*all;
	}
	return n;
}

/* The place of a name in a list that is in order of rank; n: it has none. */
static size_t
index_of(const struct heat *h, const uint32_t *list, size_t n, uint32_t name)
{
	uint32_t rank = h->d->name[name].rank;
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (h->d->name[list[mid]].rank < rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && list[lo] == name ? lo : n;
}

static void
put(struct heat *h, uint32_t a, uint32_t b, double v)
{
	size_t i = index_of(h, h->row, h->n_rows, a);
	size_t j = index_of(h, h->col, h->n_cols, b);

	if (i < h->n_rows && j < h->n_cols)
		h->v[i][j] = v;
}

static void
fill(struct heat *h)
{
	size_t n;
	const struct dist_pair *p = dists_pairs(h->d, &n);

	for (size_t i = 0; i < h->n_rows; i++)
		for (size_t j = 0; j < h->n_cols; j++)
			h->v[i][j] = NAN;
	h->lo = INFINITY;
	h->hi = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		double v = p[i].value;

		if (&h->d->set[p[i].set] != h->set || !isfinite(v) ||
		    (h->set->weighted && !dists_values(h->d, &p[i]).pairs))
			continue;
		put(h, p[i].a, p[i].b, v);
		if (!h->set->rect)
			put(h, p[i].b, p[i].a, v);
		h->lo = v < h->lo ? v : h->lo;
		h->hi = v > h->hi ? v : h->hi;
	}
}

static double
level(const struct heat *h, double v)
{
	return h->hi > h->lo ? (v - h->lo) / (h->hi - h->lo) : 0;
}

/* All cells of a level are one path. */
static void
cells(struct buf *b, const struct heat *h)
{
	double side = h->cell > 20 ? h->cell - 1 : h->cell;

	for (unsigned k = 0; k < LEVELS; k++) {
		unsigned n = 0;

		for (size_t at = 0; at < h->n_rows * h->n_cols; at++) {
			size_t i = at / h->n_cols, j = at % h->n_cols;
			double v = h->v[i][j];

			if (isnan(v) ||
			    (unsigned)(level(h, v) * (LEVELS - 1) + .5) != k)
				continue;
			if (n++ == 0)
				buf_printf(b, "<path fill=\"%s\" d=\"",
					   colour(k).text);
			buf_printf(b, "M%g %gh%gv%gh-%gz",
				   h->x + h->cell * (double)j,
				   h->y + h->cell * (double)i, side, side,
				   side);
		}
		if (n)
			buf_printf(b, "\"/>\n");
	}
}

/* Dark cells bear light letters. */
static void
number(struct buf *b, const struct heat *h, size_t i, size_t j)
{
	static const char unit[] = "kMGT";
	double v = h->v[i][j];
	unsigned n = 0;

	if (isnan(v))
		return;
	buf_printf(b, "<text fill=\"%s\" font-size=\"13\" "
		   "text-anchor=\"middle\" x=\"%g\" y=\"%g\">",
		   level(h, v) < .55 ? "#ffffff" : "#000000",
		   h->x + h->cell * ((double)j + .5),
		   h->y + h->cell * ((double)i + .5) + 4);
	for (; fabs(v) >= 999.5 && n < 4; n++)
		v /= 1000;
	buf_printf(b, "%.3g%.*s</text>\n", v, n > 0, unit + (n ? n - 1 : 0));
}

/* Where there is room. */
static void
numbers(struct buf *b, const struct heat *h)
{
	for (size_t i = 0; i < h->n_rows && h->cell >= 50; i++)
		for (size_t j = 0; j < h->n_cols; j++)
			number(b, h, i, j);
}

/* Returns the letters of the longest name of a column. */
static size_t
labels(struct buf *b, const struct heat *h)
{
	size_t longest = 0;

	for (size_t i = 0; i < h->n_rows; i++) {
		const struct dist_name *k = &h->d->name[h->row[i]];

		svg_name(b, "end", h->x - 8,
			 h->y + h->cell * ((double)i + .5) + 4,
			 dists_str(h->d, k->at, k->n), NAME_LETTERS);
	}
	for (size_t j = 0; j < h->n_cols; j++) {
		const struct dist_name *k = &h->d->name[h->col[j]];

		buf_printf(b, "<g transform=\"translate(%g,%g) "
			   "rotate(-90)\">\n",
			   h->x + h->cell * ((double)j + .5) + 4,
			   h->y + h->cell * (double)h->n_rows + 8);
		svg_name(b, "end", 0, 0, dists_str(h->d, k->at, k->n),
			 NAME_LETTERS);
		buf_printf(b, "</g>\n");
		longest = k->n > longest ? k->n : longest;
	}
	return longest < NAME_LETTERS ? longest : NAME_LETTERS;
}

/* From the nearest to the farthest. */
static void
heat_scale(struct buf *b, const struct heat *h, double y)
{
	struct str m = dists_str(h->d, h->set->at, h->set->n);
	double w = (double)SCALE_W / LEVELS;

	if (!(h->hi >= h->lo)) {
		svg_text(b, "s", "start", PLOT_X, y, "no distances");
		return;
	}
	/* each a bit wider, so that no seams are seen */
	for (unsigned k = 0; k < LEVELS; k++)
		buf_printf(b, "<rect fill=\"%s\" x=\"%g\" y=\"%g\" "
			   "width=\"%g\" height=\"12\"/>\n", colour(k).text,
			   PLOT_X + 60 + w * k, y - 10,
			   k < LEVELS - 1 ? w + 1 : w);
	svg_text(b, "s", "end", PLOT_X + 54, y, "%.4g", h->lo);
	svg_text(b, "s", "start", PLOT_X + 60 + SCALE_W + 6, y, "%.4g   %.*s",
		 h->hi, str_shown(m, 40), m.p);
}

static void
heat_draw(struct picture *p, struct heat *h)
{
	size_t most = h->n_rows > h->n_cols ? h->n_rows : h->n_cols;
	double y = p->heat_height + 20, wide;
	struct buf *b = &p->heat;

	h->cell = most <= 10 ? 56 : most <= 24 ? 26 : 16;
	h->x = PLOT_X;
	h->y = y + 40;
	svg_text(b, "h", "start", MARGIN, y, "Distances");
	heat_scale(b, h, y + 24);
	svg_rect(b, "e", h->x, h->y, h->cell * (double)h->n_cols,
		 h->cell * (double)h->n_rows);
	cells(b, h);
	numbers(b, h);
	y = h->y + h->cell * (double)h->n_rows + 28 + 8 * (double)labels(b, h);
	if (h->n_rows < h->all_rows || h->n_cols < h->all_cols) {
		svg_text(b, "s", "start", PLOT_X, y, "the first %zu by %zu of "
			 "%zu by %zu sequences: -O tsv has all of them",
			 h->n_rows, h->n_cols, h->all_rows, h->all_cols);
		y += 16;
	}
	wide = h->x + h->cell * (double)h->n_cols + MARGIN;
	p->heat_width = wide > p->heat_width ? (unsigned)wide : p->heat_width;
	p->heat_height = (unsigned)y;
}

void
picture_dists(struct picture *p, const struct dists *d)
{
	struct heat *h = calloc(1, sizeof *h);

	if (!h) {
		err_nomem(&p->err, sizeof *h);
		return;
	}
	h->d = d;
	for (size_t i = 0; i < d->n_sets && p->n_heats < HEAT_MAPS; i++) {
		h->set = &d->set[i];
		h->n_cols = names_of(d, false, h->set->run, h->col,
				     &h->all_cols);
		h->n_rows = names_of(d, h->set->rect, h->set->rect ?
				     h->set->scan : h->set->run, h->row,
				     &h->all_rows);
		fill(h);
		heat_draw(p, h);
		p->n_heats++;
	}
	free(h);
}
