/* SPDX-License-Identifier: MIT */
/*
 * picture.h - results to look at, as one SVG file
 *
 * Hits and primers: where they lie along the sequences, on which strand, and,
 * of few queries in few sequences, each query's by themselves; how many have
 * how many edits, what score, what length.  Of hits with scores of their own
 * (sw-scan) a dot plot; of products a gel.  Counts: a histogram.  Distances: a
 * heat map.
 * The picture does not depend on the order of rows; its size is bounded, and
 * what is not shown is said.  Memory: 2 KB for each of the first 16,384
 * sequences or targets.
 */
#ifndef SEQF_OUTPUT_PICTURE_H
#define SEQF_OUTPUT_PICTURE_H

#include "base/base.h"
#include "collect/collect.h"
#include "rec/rec.h"

/*
 * Pieces of a picture as SVG
 *
 * Colours are classes: p and m, the strands; n, numbers; c0 to c7, queries;
 * t and s, text and small text; g, lines behind.  p, m, n and most of c0 to c7
 * are of Okabe and Ito's set, which colour-blind eyes distinguish, too; all
 * change with the reader's choice of a light or a dark page.  Lengths are in
 * pixels, texts in any bytes.
 */

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

struct picture;
int picture_new(struct picture **p, struct err *e);
void picture_free(struct picture *p);

/* Errors are sticky: picture_draw() reports them. */
void picture_hit(struct picture *p, uint64_t run, const struct hit *h);
void picture_tally(struct picture *p, const struct tally_row *t);
void picture_primer(struct picture *p, const struct primer_row *r);
struct product_row;
void picture_product(struct picture *p, const struct product_row *r);
void picture_dists(struct picture *p, const struct dists *d);
/* Not everything came, and why; the first reason is shown. */
void picture_lacks(struct picture *p, const char *why);

/* The file, appended to b.  ERR_NOMEM. */
int picture_draw(struct picture *p, struct buf *b, struct err *e);

/* What the files of picture share (private). */

enum {
	/* columns of the page: names, the plot, numbers */
	PAGE = 960, PLOT_X = 200, PLOT_W = 640, MARGIN = 16,
	NAME_LETTERS = 18,	/* beside the plot, of the width above; it may
				   grow to MAX_LETTERS */
	MAX_LETTERS = 60, LETTER = 8,
	MAX_QUERIES = 12, COLOURS = 8,
	MAX_PAIRS = 48,	/* queries in sequences, each a lane */
	LANE_BINS = 240,	/* of a lane; PLOT_W shows them apart */
	MAX_LANES = 1 << 14,	/* kept */
	MAX_GROUPS = 256,	/* distinguished, in order of their names */
	SHOWN_LANES = 24,
	MAX_MARKS = 2000,	/* of the dot plot: the best */
	HISTO_BINS = 64,
	HEAT_NAMES = 100,	/* of a heat map */
	HEAT_MAPS = 8,
};

/* Sequences, queries or targets, in the order they came. */
struct lane {
	uint64_t key, ordinal;	/* whose it is, and which one */
	uint64_t len, n;	/* letters, hits */
	size_t name, n_name;	/* in names */
	uint32_t *bin;		/* LANE_BINS of +, as many of -; or NULL */
	unsigned group;
};
/* Lanes of one key, in the order of the name of their first one: keys, which
 * are run ids, depend on how the run was cut. */
struct lane_group {
	uint64_t key;
	size_t first;		/* the lane of the least ordinal */
};
struct lanes {
	struct lane *v;
	size_t n, cap;
	size_t *slot;		/* index + 1 into v, 0 free */
	size_t n_slots;
	struct buf names;
	uint64_t others;	/* hits of those beyond MAX_LANES */
	bool by_ordinal;	/* shown so; else by group first */
	struct lane_group group[MAX_GROUPS];
	unsigned n_groups;
	/* after lanes_choose(): indices into v, the most hits first */
	uint32_t shown[SHOWN_LANES];
	unsigned n_shown;
};

/* Numbers from 0 on; bins widen as they must, so any order does. */
struct histo {
	uint64_t count[HISTO_BINS], total;
	unsigned shift;		/* a bin is 2^shift wide */
};

/* Of the dot plot; lanes by key and ordinal, they may move. */
struct mark {
	int64_t score;
	uint64_t run, subject, sbeg, send;
	uint64_t key, query, qbeg, qend;
	bool minus;
};
struct marks {
	struct mark *v;
	size_t n, cap;
	uint64_t total;
};

/* Products of pairs by their lengths. */
enum { GEL_BINS = 640, MAX_GEL_LANES = 1 << 10 };
struct gel {	/* all zero: empty */
	struct gel_lane *v;
	size_t n, cap;
	struct index by_ordinal;	/* numbers + 1 */
	struct buf names;
	uint64_t total, least, most;	/* products; letters */
	uint64_t others;	/* products of pairs beyond MAX_GEL_LANES */
};
void gel_free(struct gel *g);
void gel_add(struct gel *g, uint64_t ordinal, struct str name,
	     uint64_t length, struct err *e);
/* At y; the height is returned.  Nothing can be added afterwards. */
unsigned gel_draw(struct gel *g, struct buf *b, double y);

struct picture {
	struct lanes subjects, queries;
	struct lanes pairs;	/* key: sequence, ordinal: query (hashes) */
	bool no_pairs;		/* they would be too many */
	unsigned name_letters, shift;	/* pixels by which names are wider */
	struct histo edits, scores, lengths, ends;
	struct marks marks;
	uint64_t n[2];		/* hits or primers by strand */
	bool primers, products;
	struct gel gel;
	struct buf heat;	/* heat maps, drawn */
	unsigned heat_height, heat_width, n_heats;
	struct err err;
	struct buf body, title, desc;
	struct buf lacks;	/* why it is incomplete; empty if it is not */
	unsigned width, height;	/* so far */
};

/*
 * Trees by neighbour joining
 * Sources: Saitou and Nei, 1987 (the method); Studier and Keppler, 1988 (in
 * cubic time); Howe, Bateman and Durbin, QuickTree, 2002 (its rule for negative
 * lengths, by Bruno).
 */

#define TREE_NONE UINT32_MAX

/* Leaves are nodes 0 to n_leaves - 1, the root is the last node. */
struct tree_node {
	uint32_t parent, first, next;	/* child, sibling; or TREE_NONE */
	uint32_t least;			/* leaf below it: children ascend */
	double length;			/* of the branch to the parent, >= 0 */
};
struct tree {
	struct tree_node *v;
	size_t n, n_leaves;
};

/*
 * The tree of n >= 1 leaves with these distances: of i > j in d[i * (i - 1) / 2
 * + j], which is written over.  Two at a time are joined, those with the least
 * (m - 2) d(i, j) - r(i) - r(j), where m are left and r is the sum of a row; of
 * equal ones, the first by the larger and then the smaller place; a new node
 * takes the larger one.  The last three have the root for a parent; of two
 * leaves each has half of the distance.  A length below 0 becomes 0, and the
 * other branch gets all of the distance.  The same for the same numbers.
 * ERR_NOMEM.
 */
int tree_join(struct tree *t, double *d, size_t n, struct err *e);
void tree_free(struct tree *t);
/* As Newick's format: a line.  Names are as they are to stand there. */
void tree_newick(struct buf *b, const struct tree *t, const struct str *name);
/*
 * A picture of it, of TREE_DRAWN leaves at most, to the right of x, from y on
 * down; what: the distance.
 * Returns the height; *width becomes the page's if it is less.
 */
double tree_draw(struct buf *b, const struct tree *t, const struct str *name,
		 struct str what, double y, double *width, struct err *e);

#endif
