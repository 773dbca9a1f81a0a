/* SPDX-License-Identifier: MIT */
/* bgzf.c - bytes as BGZF */

#include <libdeflate.h>
#include <stdlib.h>

#include "base/bgzf.h"

enum {
	LEVEL = 6,		/* bgzip's */
	BLOCK = 65280,		/* bytes of a block: bgzip's */
	HEAD = 18, TAIL = 8,	/* around its deflate stream */
	STORED = 5,		/* before bytes that are stored */
	MAX_BLOCK = 65536,	/* bytes of a block as it is written */
};

struct bgzf {
	struct libdeflate_compressor *c;
};

int
bgzf_new(struct bgzf **z, struct err *e)
{
	*z = calloc(1, sizeof **z);
	if (*z)
		(*z)->c = libdeflate_alloc_compressor(LEVEL);
	if (*z && (*z)->c)
		return 0;
	bgzf_free(*z);
	*z = NULL;
	return err_nomem(e, sizeof **z);
}

void
bgzf_free(struct bgzf *z)
{
	if (z && z->c)
		libdeflate_free_compressor(z->c);
	free(z);
}

static void
put_u16(uint8_t *to, size_t v)
{
	to[0] = (uint8_t)v;
	to[1] = (uint8_t)(v >> 8);
}

static void
put_u32(uint8_t *to, size_t v)
{
	put_u16(to, v);
	put_u16(to + 2, v >> 16);
}

/* What does not shrink is stored, in one piece: BLOCK is below 2^16. */
static size_t
store(uint8_t *to, const void *p, size_t n)
{
	*to = 1;
	put_u16(to + 1, n);
	put_u16(to + 3, ~n);
	memcpy(to + STORED, p, n);
	return STORED + n;
}

static void
put_block(struct bgzf *z, const void *p, size_t n, struct buf *b)
{
	static const uint8_t head[HEAD] = { 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0,
					    0xff, 6, 0, 'B', 'C', 2, 0 };
	size_t k;
	uint8_t *to;

	if (!buf_reserve(b, MAX_BLOCK))
		return;
	to = b->p + b->n;
	memcpy(to, head, HEAD);
	k = libdeflate_deflate_compress(z->c, p, n, to + HEAD,
					MAX_BLOCK - HEAD - TAIL);
	if (k == 0)
		k = store(to + HEAD, p, n);
	put_u16(to + HEAD - 2, HEAD + k + TAIL - 1);
	put_u32(to + HEAD + k, libdeflate_crc32(0, p, n));
	put_u32(to + HEAD + k + 4, n);
	b->n += HEAD + k + TAIL;
}

void
bgzf_put(struct bgzf *z, const void *p, size_t n, struct buf *b)
{
	const uint8_t *at = p;

	for (size_t k; n; at += k, n -= k) {
		k = n < BLOCK ? n : BLOCK;
		put_block(z, at, k, b);
	}
}

void
bgzf_end(struct buf *b)
{
	static const uint8_t end[] = { 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff,
				       6, 0, 'B', 'C', 2, 0, 27, 0, 3, 0, 0,
				       0, 0, 0, 0, 0, 0, 0 };

	buf_put(b, end, sizeof end);
}
