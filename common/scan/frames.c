/* SPDX-License-Identifier: MIT */
/* frames.c - frames that were put into memory, one by one */
#include "scan/frames.h"

int
frames_each(const struct buf *b, frames_fn *fn, void *ctx, struct err *e)
{
	struct rec_reader *r = NULL;
	struct source *src;
	struct rec_frame *f;
	int got, rc = source_memory(&src, "results", b->p, b->n, e);

	if (rc)
		return rc;
	rc = rec_reader_new(&r, src, e);
	while (!rc && (got = rec_read(r, &f, e)) != REC_EOF) {
		if (got != REC_FRAME) {
			rc = got < 0 ? got : ERR_FORMAT;
			break;
		}
		rc = fn(ctx, f, e);
		rec_frame_drop(f);
	}
	rec_reader_free(r);
	source_close(src);
	return rc;
}
