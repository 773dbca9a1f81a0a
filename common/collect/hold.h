/* SPDX-License-Identifier: MIT */
/*
 * hold.h - rows put in order that come out of it by a few letters
 *
 * For rows in the order of a scanner but that one may end, or, if they are
 * wanted by where they begin, begin up to `slack` letters before the end of one
 * that came earlier.  A row goes on as soon as none that is still to
 * come can precede it, so that few wait.
 */
#ifndef SEQF_COLLECT_HOLD_H
#define SEQF_COLLECT_HOLD_H

#include "rec/rec.h"

typedef int hold_put_fn(void *ctx, uint64_t run, uint64_t scan,
			const struct hit *h, struct err *e);

struct hold;
/* by_begin: in the order of topk's SORT_BEGIN. */
int hold_new(struct hold **h, uint64_t slack, bool by_begin, hold_put_fn *put,
	     void *ctx, struct err *e);
void hold_free(struct hold *h);
/* One row; what put() returned, or ERR_NOMEM. */
int hold_hit(struct hold *h, uint64_t run, uint64_t scan,
	     const struct hit *row, struct err *e);
/* No more rows. */
int hold_finish(struct hold *h, struct err *e);

#endif
