/* SPDX-License-Identifier: MIT */
/* kdiff_trace.h - inside of kdiff: what the ways to trace back share */
#ifndef SEQF_KDIFF_TRACE_H
#define SEQF_KDIFF_TRACE_H

#include "algo/kdiff_priv.h"

struct trace {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	const struct kdiff_pat *p;
	size_t words;		/* of a pattern */
	uint64_t *eq;		/* [letter class][words] */
	uint64_t *pv, *mv;	/* the current column */
	uint64_t *keep;		/* pv, mv at each block's begin */
	uint64_t *cells;	/* d0, hp of a block's columns */
	uint16_t *letter;	/* class of each letter of the window */
	/* Hits side by side: classes [column][lane], and the kernel's cells. */
	uint8_t *lane_letter;
	uint64_t *lane_cells;
	uint32_t *op, *op_end;	/* operations, filled from their end */
	uint64_t block;		/* columns; those of m <= 64 are one block */
};

/* Number of letter classes: IUPAC sets, or 0 = none and the symbols. */
unsigned kdiff_classes(const struct kdiff_set *s);

/* eq of pattern t->p: letters of class c match those in eq[c * words ...]. */
void kdiff_fill_eq(struct trace *t);

/* The classes of n text letters from `at` to t->letter. */
void kdiff_read_window(struct trace *t, uint64_t at, uint64_t n);

/* The same, DNA, to to[0], to[step], ... */
void kdiff_read_lane(const struct trace *t, uint64_t at, uint64_t n,
		     uint8_t *to, unsigned step);

/* Indices of hits in the order of their patterns; malloc'ed, or NULL. */
size_t *kdiff_by_pattern(const struct kdiff_set *set,
			 const struct kdiff_hit *hits, size_t n,
			 struct err *e);

#endif
