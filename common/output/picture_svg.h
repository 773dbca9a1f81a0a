/* SPDX-License-Identifier: MIT */
/*
 * picture_svg.h - pieces of a picture as SVG
 *
 * Colours are classes: p and m, the strands; n, numbers; c0 to c7, queries;
 * t and s, text and small text; g, lines behind.  p, m, n and most of c0 to c7
 * are of Okabe and Ito's set, which colour-blind eyes distinguish, too; all
 * change with the reader's choice of a light or a dark page.  Lengths are in
 * pixels, texts in any bytes.
 */
#ifndef SEQF_OUTPUT_PICTURE_SVG_H
#define SEQF_OUTPUT_PICTURE_SVG_H

#include "base/base.h"
#include "rec/rec.h"

/* The whole file; title and desc are for screen readers. */
void svg_file(struct buf *b, unsigned width, unsigned height,
	      const struct buf *title, const struct buf *desc,
	      const struct buf *body);

/* A text at x, y (its base line); anchor: start, middle or end. */
void svg_text(struct buf *b, const char *cls, const char *anchor, double x,
	      double y, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* A name: its begin and end if it has more letters than `most`, 2 or more, and
 * all of it to be hovered at. */
void svg_name(struct buf *b, const char *anchor, double x, double y,
	      struct str name, unsigned most);
/* Of a name; a byte that is part of no letter counts as one. */
unsigned svg_letters(struct str name);
void svg_rect(struct buf *b, const char *cls, double x, double y, double w,
	      double h);
void svg_line(struct buf *b, const char *cls, double x1, double y1, double x2,
	      double y2);

/* 1,234,567 */
struct svg_number {
	char text[32];
};
struct svg_number svg_number(uint64_t v);
/* 12.5 M: for ticks, which have few digits. */
struct svg_number svg_short(uint64_t v);
struct svg_number svg_count(uint64_t v);	/* whichever fits */
/* 1, 2 or 5 times a power of ten, so that up to `most` steps reach v. */
uint64_t svg_step(uint64_t v, unsigned most);

/* The place of v in [beg, end), as pixels from x on, w of them. */
static inline double
svg_place(uint64_t v, uint64_t beg, uint64_t end, double x, double w)
{
	return end <= beg ? x :
	       x + w * (double)(v - beg) / (double)(end - beg);
}

#endif
