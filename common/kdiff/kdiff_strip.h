/* SPDX-License-Identifier: MIT */
/*
 * kdiff_strip.h - distances at ends that a strip of diagonals leads to
 * Source: Ukkonen, Inf. Control 64, 1985 (only diagonals that matter); Hyyro,
 * 2003 (bit vectors along them).
 *
 * Diagonal b leads from text letter b, before the first pattern letter, to
 * letter b + m, behind the last one.  A path of at most k differences that
 * passes diagonal d leaves it by at most k to either side.  So where pieces
 * equal on diagonals d1 <= d <= d2 are all that matches near these ends hold
 * (kdiff_qgram.h), a strip of d1 - k .. d2 + k has all of their paths: its
 * values <= k are D, and where D > k so are its own.
 */
#ifndef SEQF_KDIFF_KDIFF_STRIP_H
#define SEQF_KDIFF_KDIFF_STRIP_H

#include "kdiff/kdiff_priv.h"

enum {
	STRIP_WORDS = 16,	/* of a frame, at most */
	STRIP_ROWS = 16,	/* until the frame moves, at least */
	STRIP_WIDTH = 64 * STRIP_WORDS - STRIP_ROWS + 1,
};

/* Ends from <= e <= to of a pattern in a segment, to be looked at. */
struct kdiff_range {
	uint32_t pattern;
	bool plain;		/* not by a strip */
	bool deep;		/* rows below are left: kdiff_prefix.h */
	size_t seg;
	int64_t lo, hi;		/* those that the strip leads to */
	uint64_t from, to;	/* of these, or none */
	uint64_t vp, vm;	/* deep: rises and falls from lo on */
};

struct kdiff_strips {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	bool minima;
	uint32_t pad;		/* diagonals to look at beside each range */
	uint8_t **mem;		/* arena: kdiff_room() */
	size_t *mem_cap;
	struct kdiff_hits *hits;	/* appended */
	struct err *e;
};

/* Can the set's patterns be searched for so? */
static inline bool
kdiff_strip_fits(const struct kdiff_set *set)
{
	return !set->p.hamming && !set->exact;
}

/* Cycles of a range of a pattern. */
double kdiff_strip_cycles(const struct kdiff_set *set,
			  const struct kdiff_range *r, uint32_t pad);

/*
 * Hits of v[0..n), all of one pattern, in order, with the number that they
 * shall have; no D beside a range, up to its segment's ends, is <= k.  0 or
 * ERR_NOMEM.
 */
int kdiff_strip_scan(const struct kdiff_strips *s, const struct kdiff_range *v,
		     size_t n, uint32_t number);

#endif
