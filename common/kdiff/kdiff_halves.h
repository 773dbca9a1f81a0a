/* SPDX-License-Identifier: MIT */
/* kdiff_halves.h - many short patterns, looked up by words of their halves */
#ifndef SEQF_KDIFF_KDIFF_HALVES_H
#define SEQF_KDIFF_KDIFF_HALVES_H

#include "kdiff/kdiff_priv.h"

struct kdiff_halves;

/* *h is NULL where it would not pay, or cannot be; `must`: only if it cannot.
 * 0 or ERR_NOMEM. */
int kdiff_halves_new(struct kdiff_halves **h, const struct kdiff_set *set,
		     bool must, struct err *e);
void kdiff_halves_free(struct kdiff_halves *h);

/* As kdiff_index_scan(); no pattern is left to others. */
int kdiff_halves_scan(struct kdiff_halves *h, const struct kdiff_text *text,
		      struct kdiff_work *w, struct kdiff_hits *out,
		      struct err *e);

#endif
