/* SPDX-License-Identifier: MIT */
/* frames.h - frames that were put into memory, one by one */
#ifndef SEQF_FRAMES_H
#define SEQF_FRAMES_H

#include "stream/rec.h"

typedef int frames_fn(void *ctx, struct rec_frame *f, struct err *e);

/*
 * fn(ctx) of each frame in b, in order, until one fails.  They were made here:
 * that one is damaged is an error, ERR_FORMAT.
 */
int frames_each(const struct buf *b, frames_fn *fn, void *ctx, struct err *e);

#endif
