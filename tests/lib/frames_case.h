/* SPDX-License-Identifier: MIT */
/* frames_case.h - frames out of written bytes */
#ifndef SEQF_FRAMES_CASE_H
#define SEQF_FRAMES_CASE_H

#include <stdlib.h>

#include "rec/rec.h"

/* The frames of encoded bytes, one by one, as a reader would give them. */
static inline struct rec_frame *
next_frame(const struct buf *b, size_t *at)
{
	const uint8_t *h = b->p + *at;
	struct rec_frame *f;
	size_t n;

	if (*at >= b->n)
		return NULL;
	n = get_le(h + 16, 8);
	f = rec_frame_new(n);
	if (!f || get_le(h + 10, 2) & REC_MASKED)
		abort();
	memcpy(f->payload, h + REC_HEADER, n);
	f->n = n;
	f->type = h[9];
	f->flags = (uint16_t)get_le(h + 10, 2);
	f->run = get_le(h + 24, 8);
	f->serial = get_le(h + 32, 8);
	f->records = (uint32_t)get_le(h + 44, 4);
	*at += (REC_HEADER + n + REC_ALIGN - 1) / REC_ALIGN * REC_ALIGN;
	return f;
}

#endif
