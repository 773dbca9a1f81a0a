/* SPDX-License-Identifier: MIT */
/* scan_chunk.h - a chunk to be scanned, with those before it, viewed */
#ifndef SEQF_SCAN_CHUNK_H
#define SEQF_SCAN_CHUNK_H

#include "stream/result.h"
#include "stream/window.h"

struct scan_chunk {
	struct chunk c, *before;	/* before: the nearest first */
	size_t n_before;
};

/* The frames must outlive it.  ERR_FORMAT, ERR_NOMEM. */
int scan_chunk_view(struct scan_chunk *v, const struct rec_frame *f,
		    struct rec_frame *const *before, size_t n, struct err *e);
/* Once more does no harm. */
void scan_chunk_free(struct scan_chunk *v);

/* Letters [beg, end) of the window, as in the input, for --with-seq: they
 * stand in b, and h tells them. */
int scan_chunk_letters(const struct scan_chunk *v, const struct window *w,
		       const struct window_seg *s, uint64_t beg, uint64_t end,
		       struct buf *b, struct hit *h, struct err *e);

#endif
