/* SPDX-License-Identifier: MIT */
/*
 * dists.h - distances of many DIST frames: as one table, or as matrices
 *
 * Equal rows are one, and the outcome depends neither on the order of frames
 * nor on how often one came.  Memory: 24 bytes a pair, weighted 64.
 */
#ifndef SEQF_DISTS_H
#define SEQF_DISTS_H

#include "stream/result.h"

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
 * ERR_USAGE for distances to queries; ERR_FORMAT where a number is missing, or
 * strict names are too many.  After dists_finish() without n and by_run.
 */
enum dists_matrix { DISTS_NONE, DISTS_SQUARE, DISTS_LOWER, DISTS_STRICT };
int dists_phylip(const struct dists *d, enum dists_matrix kind,
		 int (*line)(void *ctx, const struct buf *b, struct err *e),
		 void *ctx, struct err *e);

#endif
