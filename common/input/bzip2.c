/* SPDX-License-Identifier: MIT */
/* bzip2.c - decoding bzip2, any number of streams */

#include <stdlib.h>

#include "base/base.h"
#include "input/source_in.h"

#ifdef HAVE_BZ2
#include <bzlib.h>

struct bzip2 {
	struct raw *raw;
	bz_stream z;
	bool inside;		/* of a stream: z is live */
	uint64_t n_streams;
};

static void *
bzip2_open(struct decoder *d)
{
	struct bzip2 *b = calloc(1, sizeof *b);

	if (b)
		b->raw = d->raw;
	return b;
}

static void
bzip2_close(void *state)
{
	struct bzip2 *b = state;

	if (b->inside)
		BZ2_bzDecompressEnd(&b->z);
	free(b);
}

static int
bzip2_bad(const struct bzip2 *b, int code, struct err *e)
{
	if (code == BZ_MEM_ERROR)
		return err_nomem(e, 4 << 20);
	return stream_bad(b->raw, "bzip2", code == BZ_DATA_ERROR_MAGIC &&
			  b->n_streams > 1 ? "trailing garbage" :
					     "damaged data", e);
}

/* The next stream; *end: there is none. */
static int
bzip2_begin(struct bzip2 *b, bool *end, struct err *e)
{
	int rc;

	*end = b->raw->n == 0;
	if (*end)
		return 0;
	memset(&b->z, 0, sizeof b->z);
	rc = BZ2_bzDecompressInit(&b->z, 0, 0);
	if (rc != BZ_OK)
		return bzip2_bad(b, rc, e);
	b->inside = true;
	b->n_streams++;
	return 0;
}

static int
bzip2_inside(struct bzip2 *b, struct slot *s, struct err *e)
{
	struct raw *r = b->raw;
	unsigned n_in = r->n > INT32_MAX ? INT32_MAX : (unsigned)r->n, used;
	size_t had = s->n;
	int rc;

	b->z.next_in = (char *)r->p;
	b->z.avail_in = n_in;
	b->z.next_out = (char *)s->data + s->n;
	b->z.avail_out = (unsigned)(STREAM_SLOT - s->n);
	rc = BZ2_bzDecompress(&b->z);
	used = n_in - b->z.avail_in;
	s->n = STREAM_SLOT - b->z.avail_out;
	raw_take(r, used);
	if (rc == BZ_STREAM_END) {
		BZ2_bzDecompressEnd(&b->z);
		b->inside = false;
	} else if (rc != BZ_OK) {
		return bzip2_bad(b, rc, e);
	} else if (!used && s->n == had) {
		return stream_bad(r, "bzip2", n_in ? "damaged data" :
				  "truncated or damaged file", e);
	}
	return 0;
}

static int
bzip2_read(void *state, struct slot *s, bool *end, struct err *e)
{
	struct bzip2 *b = state;
	int rc = raw_fill(b->raw, 1, e);

	if (rc)
		return rc;
	return b->inside ? bzip2_inside(b, s, e) : bzip2_begin(b, end, e);
}

static const struct stream_ops bzip2_ops = {
	bzip2_open, bzip2_read, bzip2_close,
};
#endif

/* A level and a block, or the end, follow; letters such as BZhA do not. */
static int
bzip2_begins(const uint8_t *p, size_t n)
{
	int rc = magic_begins(p, n, "BZh", 3);

	if (rc <= 0 || n < 5)
		return rc <= 0 ? rc : -1;
	return p[3] >= '1' && p[3] <= '9' && (p[4] == 0x31 || p[4] == 0x17);
}

const struct codec bzip2_codec = {
	.kind = SOURCE_BZIP2,
	.name = "bzip2",
	.begins = bzip2_begins,
#ifdef HAVE_BZ2
	.thread = stream_thread,
	.n_slot = STREAM_SLOT,
	.stream = &bzip2_ops,
#endif
	.refused = "compressed by bzip2, which this build cannot unpack",
	.unpack = "bzip2 -dc",
};
