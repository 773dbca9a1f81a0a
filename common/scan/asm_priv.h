/* SPDX-License-Identifier: MIT */
/* asm_priv.h - shared by the files of asm, private to them */
#ifndef SEQF_ASM_PRIV_H
#define SEQF_ASM_PRIV_H

#include "scan/asm.h"
#include "scan/scan_chunk.h"

struct asm_pattern {
	uint32_t query;		/* ordinal */
	bool minus;
	uint64_t k;
	size_t count;	/* its numbers, of 0 to k, in asm_thread.counts */
};

struct asm_scan {
	struct asm_options o;	/* nothing left to default */
	const struct queries *q;
	struct kdiff_set *set;
	struct asm_pattern *pattern;	/* by query, then + before - */
	size_t n_patterns;
	size_t n_counts;
	uint64_t over_num, over_den;	/* o.overhang */
	struct scan_key key;
	struct buf text;
	enum window_kind kind;
};

struct asm_thread {
	const struct asm_scan *a;
	struct asm_best *best;
	struct kdiff_work *work;
	struct buf hits;	/* struct kdiff_hit, that may be the best */
	struct kdiff_path *paths;
	struct kdiff_seg *seg;
	size_t seg_cap;
	struct window w;
	struct buf ops, letters, row;
	uint64_t n_letters;	/* owned by all chunks so far */
	uint64_t *counts;	/* n_counts; see asm_pattern */
};

/* Are there numbers instead of hits? */
static inline bool
asm_tallies(const struct asm_scan *a)
{
	return a->o.report == ASM_COUNT || a->o.histogram;
}

/* The TALLY frame of a chunk is appended to out. */
int asm_tally(struct asm_thread *t, const struct scan_chunk *v,
	      const struct kdiff_text *x, const struct receipt *r,
	      struct buf *out, struct err *e);

/* Does a row with so many edits still count?  Lowers the least if it does. */
bool asm_best_wants(struct asm_best *b, uint32_t query, uint32_t edits);

#endif
