/* SPDX-License-Identifier: MIT */
/*
 * zstd.c - decoding zstd (RFC 8878)
 *
 * Frames of data and frames to be skipped, any number of them, in any order.
 * A frame's window may have 128 MiB, as zstd -d has it.
 */

#include <stdlib.h>

#include "base/base.h"
#include "input/source_in.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

/* A slot has room for a block: what was just decoded is copied to it out of the
 * window, and four of them stay in L2. */
enum { WINDOW_LOG = 27, ZSTD_SLOT = 128 << 10 };

struct zstd {
	struct raw *raw;
	ZSTD_DCtx *z;
	bool inside;		/* of a frame */
};

static void
zstd_close(void *state)
{
	struct zstd *z = state;

	ZSTD_freeDCtx(z->z);
	free(z);
}

static void *
zstd_open(struct decoder *d)
{
	struct zstd *z = calloc(1, sizeof *z);

	if (!z)
		return NULL;
	z->raw = d->raw;
	z->z = ZSTD_createDCtx();
	if (z->z && !ZSTD_isError(ZSTD_DCtx_setParameter(
			z->z, ZSTD_d_windowLogMax, WINDOW_LOG)))
		return z;
	zstd_close(z);
	return NULL;
}

static int
zstd_bad(const struct zstd *z, size_t code, struct err *e)
{
	const struct raw *r = z->raw;

	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		return err_nomem(e, (size_t)1 << WINDOW_LOG);
	case ZSTD_error_frameParameter_windowTooLarge:
		return err_set(e, ERR_LIMIT, "%s: it wants a zstd window of "
			       "more than 128 MiB: unpack it with \"zstd -dc "
			       "--long=31\"", r->name);
	case ZSTD_error_prefix_unknown:
		return stream_bad(r, "zstd", "trailing garbage", e);
	default:
		return stream_bad(r, ZSTD_getErrorName(code),
				  "damaged zstd data", e);
	}
}

static int
zstd_read(void *state, struct slot *s, bool *end, struct err *e)
{
	struct zstd *z = state;
	ZSTD_outBuffer out = { s->data, ZSTD_SLOT, s->n };
	ZSTD_inBuffer in = { NULL, 0, 0 };
	size_t left;
	int rc = raw_fill(z->raw, 1, e);

	if (rc)
		return rc;
	*end = z->raw->n == 0 && !z->inside;
	if (*end)
		return 0;
	in.src = z->raw->p;
	in.size = z->raw->n;
	left = ZSTD_decompressStream(z->z, &out, &in);
	raw_take(z->raw, in.pos);
	if (ZSTD_isError(left))
		return zstd_bad(z, left, e);
	/* It had room, and did nothing: for lack of input. */
	if (out.pos == s->n && in.pos == 0)
		return stream_bad(z->raw, "zstd", in.size ? "damaged data" :
				  "truncated file", e);
	s->n = out.pos;
	z->inside = left != 0;
	return 0;
}

static const struct stream_ops zstd_ops = {
	zstd_open, zstd_read, zstd_close,
};
#endif

/* A frame of data, or one to be skipped: 184D2A50 to 184D2A5F. */
static int
zstd_begins(const uint8_t *p, size_t n)
{
	if (n && p[0] >> 4 == 5)
		return n == 1 ? -1 : magic_begins(p + 1, n - 1,
						  "\x2a\x4d\x18", 3);
	return magic_begins(p, n, "\x28\xb5\x2f\xfd", 4);
}

const struct codec zstd_codec = {
	.kind = SOURCE_ZSTD,
	.name = "zstd",
	.begins = zstd_begins,
#ifdef HAVE_ZSTD
	.thread = stream_thread,
	.n_slot = ZSTD_SLOT,
	.stream = &zstd_ops,
#endif
	.refused = "compressed by zstd, which this build cannot unpack",
	.unpack = "zstd -dc",
};
