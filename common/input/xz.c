/* SPDX-License-Identifier: MIT */
/*
 * xz.c - decoding xz, any number of streams, with padding between them
 *
 * Integrity checks that liblzma does not know are refused: nobody would look
 * whether the data are what they were.
 */

#include <stdlib.h>

#include "base/base.h"
#include "input/source_in.h"

#ifdef HAVE_LZMA
#include <lzma.h>

enum { MEMORY = 1 << 30 };	/* xz -9 takes 65 MiB */

struct xz {
	struct raw *raw;
	lzma_stream z;
};

static void
xz_close(void *state)
{
	struct xz *x = state;

	lzma_end(&x->z);
	free(x);
}

static void *
xz_open(struct decoder *d)
{
	struct xz *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	x->raw = d->raw;
	x->z = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&x->z, MEMORY, LZMA_CONCATENATED |
				LZMA_TELL_UNSUPPORTED_CHECK) == LZMA_OK)
		return x;
	xz_close(x);
	return NULL;
}

static int
xz_bad(const struct xz *x, lzma_ret code, struct err *e)
{
	const struct raw *r = x->raw;

	switch (code) {
	case LZMA_MEM_ERROR:
		return err_nomem(e, (size_t)lzma_memusage(&x->z));
	case LZMA_MEMLIMIT_ERROR:
		return err_set(e, ERR_LIMIT, "%s: unpacking it takes more than "
			       "1 GiB: unpack it with \"xz -dc\"", r->name);
	case LZMA_BUF_ERROR:
		return stream_bad(r, "xz", "truncated file", e);
	case LZMA_OPTIONS_ERROR:
		return stream_bad(r, "xz", "unknown options", e);
	case LZMA_UNSUPPORTED_CHECK:
		return stream_bad(r, "xz", "unknown integrity check", e);
	default:
		return stream_bad(r, "xz", "damaged data or trailing garbage",
				  e);
	}
}

static int
xz_read(void *state, struct slot *s, bool *end, struct err *e)
{
	struct xz *x = state;
	lzma_ret code;
	int rc = raw_fill(x->raw, 1, e);

	if (rc)
		return rc;
	x->z.next_in = x->raw->p;
	x->z.avail_in = x->raw->n;
	x->z.next_out = s->data + s->n;
	x->z.avail_out = STREAM_SLOT - s->n;
	code = lzma_code(&x->z, x->raw->n ? LZMA_RUN : LZMA_FINISH);
	raw_take(x->raw, x->raw->n - x->z.avail_in);
	if (code != LZMA_OK && code != LZMA_STREAM_END)
		return xz_bad(x, code, e);
	s->n = STREAM_SLOT - x->z.avail_out;
	*end = code == LZMA_STREAM_END;
	return 0;
}

static const struct stream_ops xz_ops = { xz_open, xz_read, xz_close };
#endif

static int
xz_begins(const uint8_t *p, size_t n)
{
	return magic_begins(p, n, "\xfd" "7zXZ\0", 6);
}

const struct codec xz_codec = {
	.kind = SOURCE_XZ,
	.name = "xz",
	.begins = xz_begins,
#ifdef HAVE_LZMA
	.thread = stream_thread,
	.n_slot = STREAM_SLOT,
	.stream = &xz_ops,
#endif
	.refused = "compressed by xz, which this build cannot unpack",
	.unpack = "xz -dc",
};

/*
 * What xz made before it, without a magic number: parameters 93, a dictionary
 * whose size is a power of two, 2^12 or more, and no length.
 */
static int
lzma_begins(const uint8_t *p, size_t n)
{
	size_t k = n < 5 ? n : 5;
	uint64_t dictionary = get_le(p, (unsigned)k) >> 8;

	if (n < 13)
		return p[0] == 0x5d && !(n > 1 && p[1]) ? -1 : 0;
	return p[0] == 0x5d && dictionary >= 1 << 12 &&
	       !(dictionary & (dictionary - 1)) &&
	       get_le(p + 5, 8) == UINT64_MAX;
}

const struct codec lzma_codec = {
	.kind = SOURCE_LZMA,
	.name = "lzma",
	.begins = lzma_begins,
	.refused = "LZMA as it was before xz, which is not read here",
	.unpack = "xz -dc",
};
