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

/* The cost of l letters that hang over. */
static inline uint32_t
kdiff_overhang_cost(const struct kdiff_set *set, uint64_t l)
{
	return (uint32_t)(l * set->p.over_num / set->p.over_den);
}

/*
 * right[i]: letters of hits[i] that hang over the subject's end.  Of equal
 * costs that with the fewest differences besides, then the least.  0 or
 * ERR_NOMEM.
 */
int kdiff_overhang_right(const struct kdiff_set *set,
			 const struct kdiff_text *text, struct kdiff_work *w,
			 const struct kdiff_hit *hits, size_t n,
			 uint32_t *right, struct err *e);

#endif
