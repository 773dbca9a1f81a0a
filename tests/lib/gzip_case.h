/* SPDX-License-Identifier: MIT */
/* gzip_case.h - gzip and bgzf members made by zlib, for tests of reading */
#ifndef SEQF_GZIP_CASE_H
#define SEQF_GZIP_CASE_H

#include <stdlib.h>
#include <zlib.h>

#include "base/base.h"

/* One member is appended to b; h may be NULL. */
static inline void
gz_member(struct buf *b, const void *p, size_t n, int level, gz_header *h)
{
	z_stream z = { 0 };
	size_t room = n + n / 100 + 300;

	deflateInit2(&z, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
	if (h)
		deflateSetHeader(&z, h);
	buf_reserve(b, room);
	z.next_in = (Bytef *)p;
	z.avail_in = (uInt)n;
	z.next_out = b->p + b->n;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	b->n += z.total_out;
	deflateEnd(&z);
}

/* A block of bgzf: a member that has its own size. */
static inline void
bgzf_member(struct buf *b, const void *p, size_t n, int level)
{
	uint8_t extra[6] = { 'B', 'C', 2, 0, 0, 0 };
	gz_header h = { .extra = extra, .extra_len = 6, .os = 255 };
	size_t at = b->n;

	gz_member(b, p, n, level, &h);
	put_le(b->p + at + 16, b->n - at - 1, 2);
}

#endif
