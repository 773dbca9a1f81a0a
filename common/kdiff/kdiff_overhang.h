/* SPDX-License-Identifier: MIT */
/* kdiff_overhang.h - patterns that overhang the ends of a subject (private) */
#ifndef SEQF_KDIFF_KDIFF_OVERHANG_H
#define SEQF_KDIFF_KDIFF_OVERHANG_H

#include "kdiff/kdiff_priv.h"

/* A whole search, of a set with params.over. */
int kdiff_overhang_scan(const struct kdiff_job *j);
/* All ends, taken in any order. */
int kdiff_overhang_each(const struct kdiff_job *j);

/* p->over of a set with edit distance.  0 or ERR_NOMEM. */
int kdiff_overhang_compile(const struct kdiff_set *set, struct kdiff_pat *p,
			   struct err *e);

/*
 * An index of places where patterns may overhang, made once; NULL if
 * that takes longer than to check all places.  0 or ERR_NOMEM.
 */
struct kdiff_overhang_parts;
int kdiff_overhang_parts(const struct kdiff_job *j,
			 const struct kdiff_overhang_parts **o);
void kdiff_overhang_parts_free(struct kdiff_overhang_parts *o);
/* Patterns of which nothing is known, at the begin or the end of subjects. */
const uint32_t *kdiff_overhang_always(const struct kdiff_overhang_parts *o,
				      bool end, size_t *n);
/*
 * Where others may hang over segments [first, end) of max_mk letters or more,
 * in order: j->w->pair[0 .. n_pair); *dense: of too many.  0 or ERR_NOMEM.
 */
int kdiff_overhang_pairs(const struct kdiff_overhang_parts *o,
			 const struct kdiff_job *j, size_t first, size_t end,
			 bool *dense);

/* The cost of l letters that hang over the subject's begin, or its end. */
static inline uint32_t
kdiff_overhang_cost(const struct kdiff_set *set, bool end, uint64_t l)
{
	const struct kdiff_ratio *c = &set->p.over[end];

	return (uint32_t)(l * c->num / c->den);
}

/*
 * at[i]: letters of hits[i] that hang over the subject's end, of alignments of
 * its distance the fewest, if possible without an insertion next to them; and
 * how many at most may hang over its begin.  0 or ERR_NOMEM.
 */
int kdiff_overhang_places(const struct kdiff_set *set,
			  const struct kdiff_text *text, struct kdiff_work *w,
			  const struct kdiff_hit *hits, size_t n,
			  struct kdiff_hang *at, struct err *e);

#endif
