/* SPDX-License-Identifier: MIT */
/*
 * kdiff_limits.h - alignments with limits on each kind of difference
 *
 * A pattern of m letters and the n text letters that may stand beside its
 * first one, both read from there.  An alignment uses all pattern letters and
 * begins with the text's first letter or with text letters that it skips; it
 * ends when the pattern is used up.  Mismatches, skipped text letters ("dna")
 * and skipped pattern letters ("rna") each have a limit, the last two together
 * ("bulges") too.
 */
#ifndef SEQF_KDIFF_KDIFF_LIMITS_H
#define SEQF_KDIFF_KDIFF_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct kdiff_limits {	/* UINT32_MAX: none */
	uint32_t mismatches, bulges, dna, rna;
};
#define KDIFF_NO_LIMITS \
	((struct kdiff_limits){ UINT32_MAX, UINT32_MAX, UINT32_MAX, \
				UINT32_MAX })

static inline bool
kdiff_limited(const struct kdiff_limits *l)
{
	return (l->mismatches & l->bulges & l->dna & l->rna) != UINT32_MAX;
}

/* Letters in reading order, as sets (letters.h; 0 matches nothing) or bytes. */
struct kdiff_limits_job {
	struct kdiff_limits max;
	const uint8_t *pattern, *text;
	uint32_t m, n;
	uint32_t least, k;	/* differences: from, to */
	bool sets;		/* else letters match that are equal */
	/* So many first and last pattern letters must match, text letters
	 * side by side; before the last ones others may be skipped. */
	uint32_t fixed_first, fixed_last;
};
/* Working memory of one thread; zero it first. */
struct kdiff_limits_work {
	uint8_t *op;	/* CIGAR_*, one a step, in reading order */
	size_t n, op_cap;
	uint64_t *dead;
	size_t dead_cap;
};
void kdiff_limits_free(struct kdiff_limits_work *w);

/*
 * The least number of differences, `least` to k, with which the limits hold,
 * in *dist; k + 1 if there is none.  w->op[0 .. w->n) is the first alignment
 * with that many, where = or X comes before D, and D before I.
 * Time and bits of memory O(m times the ways to share k among the three
 * kinds).  ERR_NOMEM; ERR_LIMIT if these are above 2^33.
 */
int kdiff_limits_align(const struct kdiff_limits_job *j,
		       struct kdiff_limits_work *w, uint32_t *dist,
		       struct err *e);

#endif
