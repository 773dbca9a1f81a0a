/* SPDX-License-Identifier: MIT */
/*
 * dists.h - distances of many DIST frames: as one table, or as matrices
 *
 * Equal rows are one, and the outcome depends neither on the order of frames
 * nor on how often one came.  Memory: 24 bytes a pair, weighted 64.
 */
#ifndef SEQF_COLLECT_DISTS_H
#define SEQF_COLLECT_DISTS_H

#include "collect/topk.h"
#include "rec/rec.h"

struct dists;
int dists_new(struct dists **d, struct err *e);
void dists_free(struct dists *d);
/* ERR_FORMAT if frames disagree about a name or the kind of distance. */
int dists_add(struct dists *d, const struct dist *f, struct err *e);
bool dists_any(const struct dists *d);	/* a frame came, with rows or not */
bool dists_weighted(const struct dists *d);	/* all of them */

struct dists_params {
	/*
	 * -n: 0 all; else of each a the n least values, ties by b.  Of a
	 * triangle each pair counts for both.
	 */
	uint64_t n;
	bool all;	/* the n least of all pairs, as they are */
	bool ties;	/* and those that are as near as the last one */
	bool position;	/* not the nearest first, but by b */
	bool by_run;	/* for records: runs apart, pairs once */
	/* Rows that are out, now and then; or NULL. */
	void (*progress)(uint64_t done, uint64_t of);
};
/*
 * Cut and sort: by scan, a, b; with n by scan, a, value, b.  Nothing can be
 * added afterwards.  ERR_FORMAT if a pair has two distances.
 */
int dists_finish(struct dists *d, const struct dists_params *p, struct err *e);

/* What a row of text shows. */
struct dist_text {
	uint64_t run;
	struct str a, b, metric;
	uint64_t alen, blen;	/* or LEN_UNKNOWN */
	bool weighted;
	struct dist_row row;	/* a and b mean nothing */
};
int dists_rows(const struct dists *d,
	       int (*row)(void *ctx, const struct dist_text *r,
			  struct err *e), void *ctx, struct err *e);
/* The frames of a run and scan; t is their receipt but for number and last. */
int dists_frames(const struct dists *d, const struct run_key *run,
		 const struct receipt *t,
		 int (*put)(void *ctx, struct rec_frame *f, struct err *e),
		 void *ctx, struct err *e);

/*
 * PHYLIP matrices, one for each scan of a run: square, or without the upper
 * triangle and the diagonal (lower).  Names are relaxed: blanks and what has a
 * meaning in trees become _, and a name that is there already gets _2, _3 and
 * so on; short ones are padded to ten letters.  Strict ones are cut to ten
 * bytes of ASCII, so that _2 takes the place of their last two if need be.
 * Lines go to line(ctx, ...).
 * Or, with the same names, trees by neighbour joining: each a line of Newick's
 * format, or all as one SVG file, of at most 2,000 leaves each (ERR_LIMIT).
 * ERR_USAGE for distances to queries; ERR_FORMAT where a number is missing, or
 * strict names are too many.  After dists_finish() without n and by_run.
 */
enum dists_matrix {
	DISTS_NONE, DISTS_SQUARE, DISTS_LOWER, DISTS_STRICT, DISTS_NEWICK,
	DISTS_SVG_TREE,
};
int dists_phylip(const struct dists *d, enum dists_matrix kind,
		 int (*line)(void *ctx, const struct buf *b, struct err *e),
		 void *ctx, struct err *e);

/* What the files of dists share (private). */

/* A subject of a run, or a query of a scan. */
struct dist_name {
	bool query;
	uint32_t of;		/* index of the run, or of the scan */
	uint32_t rank;		/* place among all names */
	uint64_t ordinal, len;
	size_t at, n;		/* of the name in text */
};
/* Distances of a scan of a run. */
struct dist_set {
	uint32_t run, scan;
	bool weighted, rect;
	size_t at, n;		/* of the metric in text */
};
struct dist_pair {
	double value;
	uint32_t set, a, b;	/* indices */
	uint32_t more;		/* index, of weighted ones */
};
struct dist_more {
	double weighted_mean, min, max, log2_pairs;
	uint64_t pairs;
};

struct dists {
	struct dists_params p;
	struct keys runs, scans;
	struct buf text;	/* names and metrics */
	struct dist_name *name;
	size_t n_names, cap_names;
	size_t *slot;		/* index + 1 of a name, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n_names */
	struct dist_set *set;
	size_t n_sets, cap_sets;
	struct index sets;	/* numbers + 1, by those of run and scan */
	struct buf pairs, more;	/* struct dist_pair, struct dist_more */
	uint32_t *by_rank;	/* names */
};

static inline struct dist_pair *
dists_pairs(const struct dists *d, size_t *n)
{
	*n = d->pairs.n / sizeof(struct dist_pair);
	return (struct dist_pair *)(void *)d->pairs.p;
}

static inline struct str
dists_str(const struct dists *d, size_t at, size_t n)
{
	return (struct str) { n ? (const char *)d->text.p + at : "", n };
}

/* What a pair's row holds beside a and b. */
struct dist_row dists_values(const struct dists *d, const struct dist_pair *p);

#endif
