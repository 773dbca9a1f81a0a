/* SPDX-License-Identifier: MIT */
/* kdiff_over.h - inside of kdiff: patterns that hang over a subject's ends */
#ifndef SEQF_KDIFF_OVER_H
#define SEQF_KDIFF_OVER_H

#include "algo/kdiff_priv.h"

/* A whole search, of a set with params.over. */
int kdiff_over_scan(const struct kdiff_job *j);

/* Is the hit's distance one that an overhang may have made? */
bool kdiff_over_near(const struct kdiff_set *set,
		     const struct kdiff_text *text, const struct kdiff_hit *h);
/* Traceback of a hit that is near. */
int kdiff_over_trace(const struct kdiff_set *set,
		     const struct kdiff_text *text, struct kdiff_work *w,
		     const struct kdiff_hit *h, struct kdiff_path *path,
		     struct buf *ops, struct err *e);

#endif
