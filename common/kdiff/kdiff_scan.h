/* SPDX-License-Identifier: MIT */
/* kdiff_scan.h - inside of kdiff: a scan, its lanes and pieces */
#ifndef SEQF_KDIFF_KDIFF_SCAN_H
#define SEQF_KDIFF_KDIFF_SCAN_H

#include "kdiff/kdiff_priv.h"

struct scan {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	struct kdiff_work *w;
	struct err *e;
	const uint32_t *which;	/* patterns; NULL: the first n */
	size_t n;
	struct kdiff_source src;
	struct kdiff_piece pc;
	bool minima;		/* the kernel's */
	bool all_ends;		/* from, to are not looked at */
	struct kdiff_hits *hits;	/* where hits go */
	kdiff_take_fn *take;	/* who takes them from there, or NULL */
	kdiff_words_fn *words;	/* or who takes words instead */
	void *ctx;
	bool at_once;		/* after each piece, in any order */
	unsigned lanes, piece;
	uint64_t first, lane_words, lane_step, warm;
	uint64_t next, end;	/* words to be owned by blocks to come */
	uint64_t own;		/* first word that the block owns */
	size_t seg[KDIFF_MAX_LANES];	/* where each lane is */
};

/* Which words there are. */
void kdiff_plan(struct scan *s);
/* Lanes of the next block, if s->next < s->end. */
void kdiff_plan_block(struct scan *s);
/* The lanes are at the block's beginning. */
void kdiff_begin_block(struct scan *s);
/* Superblocks [sb, sb + n_sb) of the lanes are the piece. */
void kdiff_prepare_piece(struct scan *s, uint64_t sb, unsigned n_sb);

#endif
