/* SPDX-License-Identifier: MIT */
/* kdiff_qgram_scan.h - a scan by way of the filter, between its two files */
#ifndef SEQF_KDIFF_QGRAM_SCAN_H
#define SEQF_KDIFF_QGRAM_SCAN_H

#include "algo/kdiff_qgram.h"
#include "base/minmax.h"

/* Ends from <= e <= to of a pattern in a segment, to be looked at. */
struct qgram_range {
	uint32_t pattern;
	size_t seg;
	uint64_t from, to;
};

struct qgram_ranges {
	struct qgram_range *v;
	size_t n, cap;
};

struct qgram_work {
	uint8_t *found, *planes, *exc, *seg, *last;
	size_t found_cap, planes_cap, exc_cap, seg_cap, last_cap;
	struct qgram_ranges now, later;	/* of a block; beyond its end */
	struct kdiff_hits hits, batch;	/* of ranges; with those of the rest */
	/* what was learnt of texts so far; filter is only compared */
	const struct kdiff_qgram *filter;
	uint64_t skip, more;	/* blocks to scan plainly; the next time */
};

struct qgram_scan {
	const struct kdiff_qgram *f;
	const struct kdiff_job *j;
	struct qgram_work *q;
	uint64_t beg, end;	/* this block's ends: beg < e <= end */
};

/* Where to begin in segment g, with so many letters before end `from`. */
static inline uint64_t
qgram_context(const struct kdiff_seg *g, uint64_t from, uint64_t letters)
{
	return max_u64(g->beg, from > letters ?
			  (from - letters) / 64 * 64 : 0);
}

int qgram_range_add(struct qgram_ranges *r, const struct qgram_range *x,
		    struct err *e);

/*
 * Scan the block plainly for all patterns, or for those without a filter, and
 * give the hits, with those in s->q->hits, to the job.
 */
int qgram_scan_block(struct qgram_scan *s, bool all);

/*
 * Merge s->q->now and scan its ranges as far as they are in the block; what
 * is beyond is left in ->later; the hits are in s->q->hits.  *dense and
 * nothing done: it would take more than so many cycles.
 */
int qgram_scan_ranges(struct qgram_scan *s, double most_cycles, bool *dense);

#endif
