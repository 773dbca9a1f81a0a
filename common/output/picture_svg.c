/* SPDX-License-Identifier: MIT */
/* picture_svg.c - pieces of a picture as SVG */

#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"
#include "output/picture.h"
#include "output/print.h"

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
