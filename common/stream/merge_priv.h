/* SPDX-License-Identifier: MIT */
/* merge_priv.h - what the files of merge share (private) */
#ifndef SEQF_MERGE_PRIV_H
#define SEQF_MERGE_PRIV_H

#include "stream/counts.h"
#include "stream/lengths.h"
#include "stream/merge.h"

/* A frame that goes into a record stream as it is: SEQ, END, and what this
 * version does not know. */
struct kept {
	struct rec_frame *f;
	uint64_t ordinal;	/* of SEQ; else number of the frame, or 0 */
};

enum { SCAN_HITS = 1, SCAN_COUNTS = 2, SCAN_PRIMERS = 4, SCAN_DISTS = 8 };

struct merge {
	struct merge_params p;
	struct ledger *ledger;
	struct topk *topk;
	struct counts counts;
	struct primers *primers;
	struct dists *dists;
	struct kept *kept;
	size_t n_kept, cap_kept;
	struct index kinds;	/* SCAN_* by run and scan */
	struct merge_group **open;	/* merge_open.c */
	size_t n_open, cap_open;
	struct open_scan **open_scan;
	size_t n_open_scans, cap_open_scans;
	struct index open_scans;	/* of them, by run and scan */
	struct buf own;		/* BEGIN's text; empty: not made yet */
	struct lengths unknown;	/* subjects whose length rows lack */
	bool lengths_asked;
};

/*
 * -n and --no-overlap write a BEGIN of their own for each scan, of which the
 * text begins so.  Texts for people leave it out: they must not depend on how
 * the merging was done.
 */
#define MERGE_BEGIN "program merge-topk\n"
extern const char *const merge_per[];	/* enum topk_per as words */

/* What came for a scan of a run; ERR_NOMEM, or the SCAN_* bits. */
int merge_kind(struct merge *m, uint64_t run, uint64_t scan, unsigned has,
	       struct err *e);
int merge_keep(struct merge *m, struct rec_frame *f, uint64_t ordinal,
	       struct err *e);
int merge_write_rec(struct merge *m, struct out *o, struct err *e);

/*
 * Frames of a receipt of several: add what came; is some of a scan not all
 * there?  Keep those as they are, in a stream only.
 */
int merge_open_add(struct merge *m, struct rec_frame *f, struct err *e);
bool merge_is_open(const struct merge *m, uint64_t run, uint64_t scan);
int merge_open_keep(struct merge *m, struct err *e);
void merge_open_free(struct merge *m);

/* PRIMER and DIST: what the frame holds, all of it sorted, and as frames. */
int merge_take_table(struct merge *m, const struct rec_frame *f,
		     struct err *e);
int merge_finish_tables(struct merge *m, struct err *e);
int merge_put_table(struct merge *m, struct out *o, unsigned kind,
		    const struct run_key *run, const struct receipt *t,
		    struct err *e);

/* The frame's bytes, and the reference is given up. */
int merge_put(struct out *o, struct rec_frame *f, struct err *e);
/* Scanners that choose the best of each query say how many: so many stay. */
void merge_set_limits(struct merge *m);
/* All BEGINs, and with them ours where this merge leaves out rows. */
int merge_put_begins(struct merge *m, struct out *o, struct err *e);
/* The BEGINs without which rows of a run would be taken for all there are. */
int merge_set_needs(struct merge *m, uint64_t run, struct receipt *t,
		    struct err *e);

#endif
