/* SPDX-License-Identifier: MIT */
/* primers_priv.h - what the files of primers share (private) */
#ifndef SEQF_PRIMERS_PRIV_H
#define SEQF_PRIMERS_PRIV_H

#include "stream/primers.h"
#include "stream/topk_row.h"

/* What the frames of one stretch of one strand of a target add up to. */
struct stretch {
	uint32_t run, scan;	/* indices of keys; run 0 unless by_run */
	uint64_t run_id;	/* the least of those merged */
	struct primer_part part;	/* everything is owned; no receipt */
	uint64_t frames;	/* how many were merged */
};
struct primers {
	bool by_run;
	struct keys runs, scans;
	struct stretch *v;
	size_t n, cap;
	size_t *slot;		/* index + 1 into v, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n */
	struct index receipts;	/* how many came of a run and scan */
	const struct primer_site *site;	/* of rows; NULL: not known */
};

/* How many receipts there are of its run and scan. */
uint64_t primers_receipts(const struct primers *p, const struct stretch *s);
/* Stretches of one target, both strands, stand together: [i, the outcome). */
size_t primers_target_end(const struct primers *p, size_t i);

/* to[j] = 0 for primers whose letters are not as wanted; the others' ends do
 * not decrease. */
void primers_drop(const struct primer_rule *r, const struct primer_strand *s,
		  uint64_t *to);

#endif
