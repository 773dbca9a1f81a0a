/* SPDX-License-Identifier: MIT */
/* kdiff_many.h - the engine that looks for all patterns of an index at once */
#ifndef SEQF_KDIFF_MANY_H
#define SEQF_KDIFF_MANY_H

#include "algo/kdiff_index.h"
#include "algo/kdiff_priv.h"

/*
 * Append all ends with D <= k of the patterns in an index, those that are not
 * to be reported too, in the order (end, pattern).  The patterns left to the
 * other engine are w->rest[0 .. w->n_rest).  The text has planes.  0 or
 * ERR_NOMEM.
 */
int kdiff_many(const struct kdiff_set *set, const struct kdiff_index *x,
	       const struct kdiff_text *text, struct kdiff_work *w,
	       struct kdiff_hits *out, struct err *e);

#endif
