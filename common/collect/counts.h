/* SPDX-License-Identifier: MIT */
/* counts.h - tallies of many frames added up */
#ifndef SEQF_COLLECT_COUNTS_H
#define SEQF_COLLECT_COUNTS_H

#include "collect/topk.h"
#include "rec/rec.h"

struct count {
	uint32_t run, scan;	/* indices of keys */
	struct tally_row row;	/* .query.name.p is not set: at */
	size_t at;		/* of the name in names */
};

struct counts {	/* all zero: empty */
	struct keys runs, scans;
	struct count *v;
	size_t n, cap;
	size_t *slot;		/* index + 1 into v, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n */
	struct buf names;
};

/* ERR_NOMEM; ERR_LIMIT if a sum does not fit 64 bits. */
int counts_add(struct counts *c, const struct tally *t, struct err *e);
/* The same of a TALLY frame; ERR_FORMAT if it is malformed. */
int counts_frame(struct counts *c, const struct rec_frame *f, struct err *e);
/*
 * Sort: by run and scan if by_run, else by scan, the runs' rows added up; then
 * by query ordinal, strand, edits.  Nothing can be added afterwards.
 */
int counts_finish(struct counts *c, bool by_run, struct err *e);
/* The i-th row, i < n, its name set. */
struct tally_row counts_row(const struct counts *c, size_t i);
void counts_free(struct counts *c);

#endif
