/* SPDX-License-Identifier: MIT */
/* packed_case.h - zstd, bzip2 and xz made by their libraries, for tests */
#ifndef SEQF_PACKED_CASE_H
#define SEQF_PACKED_CASE_H

#include <stdlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_BZ2
#include <bzlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#include "base/base.h"

/* A stream of n bytes at p is appended to b. */
typedef void packed_fn(struct buf *b, const void *p, size_t n);

#ifdef HAVE_ZSTD
static inline void
zstd_stream(struct buf *b, const void *p, size_t n)
{
	size_t room = ZSTD_compressBound(n), got;
	ZSTD_CCtx *z = ZSTD_createCCtx();

	buf_reserve(b, room);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	got = ZSTD_compress2(z, b->p + b->n, room, p, n);
	if (ZSTD_isError(got))
		abort();
	b->n += got;
	ZSTD_freeCCtx(z);
}

static inline void
zstd_skipped(struct buf *b, const void *p, size_t n)
{
	buf_u32(b, 0x184d2a53);
	buf_u32(b, (uint32_t)n);
	buf_put(b, p, n);
}
#endif
#ifdef HAVE_BZ2
static inline void
bzip2_stream(struct buf *b, const void *p, size_t n)
{
	unsigned room = (unsigned)(n + n / 50 + 700);
	char none;

	buf_reserve(b, room);
	if (BZ2_bzBuffToBuffCompress((char *)b->p + b->n, &room,
				     n ? (char *)p : &none, (unsigned)n, 1, 0,
				     0) != BZ_OK)
		abort();
	b->n += room;
}
#endif
#ifdef HAVE_LZMA
static inline void
xz_stream(struct buf *b, const void *p, size_t n)
{
	size_t room = lzma_stream_buffer_bound(n);

	buf_reserve(b, room);
	if (lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, p, n, b->p,
				    &b->n, b->n + room) != LZMA_OK)
		abort();
}
#endif

#endif
