/* SPDX-License-Identifier: MIT */
/* chunk_frame.h - what fuzz targets of scanners take their chunks from */
#ifndef SEQF_CHUNK_FRAME_H
#define SEQF_CHUNK_FRAME_H

#include <stdlib.h>
#include <string.h>

#include "rec/rec.h"

static inline void
must(bool good)
{
	if (!good)
		abort();
}

static inline struct rec_frame *
frame_of(const uint8_t *p, size_t n, uint64_t serial)
{
	struct rec_frame *f = rec_frame_new(n);

	must(f != NULL);
	f->type = REC_CHUNK;
	f->run = 7;
	f->serial = serial;
	f->records = 1;
	f->flags = REC_CIRCULAR;	/* rows may be */
	if (n)
		memcpy(f->payload, p, n);
	return f;
}

#endif
