/* SPDX-License-Identifier: MIT */
/*
 * sw_ways.h - paths that were followed to their starts, kept for their CIGARs
 *
 * While paths are followed, each leaves its operations, from its end back, in
 * pieces: it may rest at a tile's border and go on later.  Where it meets
 * another's, it goes on as that does.  When all are followed, those of hits
 * that may be wanted are put together.  Both take so much memory, at most; what
 * does not fit is not kept, and computed again when it is wanted.
 */
#ifndef SEQF_SW_WAYS_H
#define SEQF_SW_WAYS_H

#include "algo/sw_trace.h"

enum { SW_WAY_NONE = UINT32_MAX };

/* Where a path begins in the ways' words, and what is to say where it goes on:
 * word numbers or SW_WAY_NONE. */
struct sw_way {
	uint32_t first, open;
};
struct sw_ways {
	struct buf word;	/* operations, and what sw_ways.c says */
	size_t most;		/* bytes */
	bool full;		/* nothing is kept any more */
};
void sw_ways_reset(struct sw_ways *x, const struct sw_work *w);
/* The way goes on here: with p's operations. */
void sw_ways_open(struct sw_ways *x, struct sw_way *way, struct sw_path *p);
/* p's operations so far are in the words; the number of the next word. */
uint32_t sw_ways_here(struct sw_ways *x, struct sw_path *p);
/* After sw_ways_here(): it will be opened again; goes on at a word; is done. */
void sw_ways_rest(struct sw_ways *x, struct sw_way *way);
void sw_ways_meet(struct sw_ways *x, uint32_t word);
void sw_ways_end(struct sw_ways *x);

/* Paths of hits of one query and text: a part of struct sw_work. */
struct sw_paths;
/* None is known of the query and the text.  ERR_NOMEM. */
int sw_paths_reset(struct sw_work *w, const struct sw_query *q,
		   const struct sw_text *t, struct err *e);
/*
 * The path of a hit, if there is room for it and sw_paths_reset() was called:
 * for that, those of hits below `least` may go.  ERR_NOMEM.
 */
int sw_paths_keep(struct sw_work *w, const struct sw_hit *h,
		  const struct sw_ways *x, const struct sw_way *way,
		  int64_t least, struct err *e);
/* As sw_trace(), or 1: it is not known. */
int sw_paths_tell(const struct sw_work *w, const struct sw_query *q,
		  const struct sw_text *t, const struct sw_hit *h,
		  const uint8_t same[SW_LETTERS], struct buf *ops,
		  struct err *e);
void sw_paths_free(struct sw_paths *x);

#endif
