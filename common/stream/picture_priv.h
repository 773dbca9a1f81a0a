/* SPDX-License-Identifier: MIT */
/* picture_priv.h - what the files of picture share (private) */
#ifndef SEQF_PICTURE_PRIV_H
#define SEQF_PICTURE_PRIV_H

#include "stream/picture.h"
#include "stream/svg.h"

enum {
	/* columns of the page: names, the plot, numbers */
	PAGE = 960, PLOT_X = 200, PLOT_W = 640, MARGIN = 16,
	NAME_LETTERS = 18,
	LANE_BINS = 240,	/* of a lane; PLOT_W shows them apart */
	MOST_LANES = 1 << 14,	/* kept */
	MOST_GROUPS = 256,	/* told apart, in order of their names */
	SHOWN_LANES = 24,
	MOST_MARKS = 2000,	/* of the dot plot: the best */
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
	uint64_t others;	/* hits of those beyond MOST_LANES */
	bool by_ordinal;	/* shown so; else by group first */
	struct lane_group group[MOST_GROUPS];
	unsigned n_groups;
	/* after lanes_choose(): indices into v, the most hits first */
	uint32_t shown[SHOWN_LANES];
	unsigned n_shown;
};
/* The lane of that key and ordinal, or NULL: there are too many, or e. */
struct lane *lanes_find(struct lanes *l, uint64_t key, uint64_t ordinal,
			struct str name, uint64_t len, struct err *e);
/* A hit with its middle there. */
int lane_hit(struct lane *l, uint64_t middle, bool minus, struct err *e);
void lanes_choose(struct lanes *l, unsigned most);
/* The place of v among the shown ones, or -1. */
int lanes_shown(const struct lanes *l, const struct lane *v);
struct str lane_name(const struct lanes *l, const struct lane *v);
void lanes_free(struct lanes *l);

/* Numbers from 0 on; bins widen as they must, so any order does. */
struct histo {
	uint64_t count[HISTO_BINS], total;
	unsigned shift;		/* a bin is 2^shift wide */
};
void histo_add(struct histo *h, uint64_t value, uint64_t times);

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
int marks_add(struct marks *m, const struct mark *k, struct err *e);

struct picture {
	struct lanes subjects, queries;
	struct histo edits, scores, lengths, ends;
	struct marks marks;
	uint64_t n[2];		/* hits or primers by strand */
	bool primers;
	struct buf heat;	/* heat maps, drawn */
	unsigned heat_height, heat_width, n_heats;
	struct err err;
	struct buf body, title, desc;
	struct buf lacks;	/* why it is incomplete; empty if it is not */
	unsigned width, height;	/* so far */
};

/* Each appends a panel to body at height, which grows. */
void picture_lanes(struct picture *p);
void picture_histo(struct picture *p, const struct histo *h,
		   const char *head, const char *axis);
void picture_dots(struct picture *p);
/* The panel's heading. */
void picture_head(struct picture *p, const char *text);

#endif
