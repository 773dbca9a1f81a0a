/* SPDX-License-Identifier: MIT */
/*
 * bgzf.c - blocked gzip, inflated in parallel
 * Source: SAM specification 4.1 (hts-specs, SAMv1).
 *
 * Whichever thread is free reads the next few blocks (one at a time, so in
 * order), then inflates them beside the others.
 */
#include <string.h>

#include "base/buf.h"
#include "base/crc.h"
#include "stream/source_in.h"

/*
 * The bytes of a bgzf block whose first n bytes are p (*head: of its header),
 * or 0 if it is none; n < 18 or < 12 + extra length may say 0 for lack of
 * bytes.
 */
static size_t
block_size(const uint8_t *p, size_t n, size_t *head)
{
	size_t extra, i;

	if (n < 18 || memcmp(p, "\x1f\x8b\x08\x04", 4) != 0)
		return 0;
	extra = (size_t)get_le(p + 10, 2);
	*head = 12 + extra;
	if (*head > n)
		return 0;
	for (i = 12; i + 4 <= *head; i += 4 + (size_t)get_le(p + i + 2, 2))
		if (p[i] == 'B' && p[i + 1] == 'C' && p[i + 2] == 2 &&
		    p[i + 3] == 0 && i + 6 <= *head) {
			size_t size = (size_t)get_le(p + i + 4, 2) + 1;

			return size >= *head + 8 ? size : 0;
		}
	return 0;
}

static int
bad(const struct decoder *d, uint64_t offset, struct err *e, const char *what)
{
	return err_set(e, ERR_FORMAT, "%s: %s at byte %llu", d->raw->name,
		       what, (unsigned long long)offset);
}

/* One block of the file behind those that the slot holds; *end: no more. */
static int
read_block(struct decoder *d, struct slot *s, bool *end, struct err *e)
{
	struct raw *r = d->raw;
	int rc = raw_fill(r, BGZF_MAX, e);
	size_t head = 0, size;

	*end = rc == 0 && r->n == 0;
	if (rc != 0)
		return rc;
	if (*end)
		return d->empty ? 0 : bad(d, r->offset, e, "truncated file: "
		    "the empty block that ends a bgzf file is missing");
	size = block_size(r->p, r->n, &head);
	if (!size && r->n >= 18)
		return bad(d, r->offset, e, "no bgzf block (damaged, or "
			   "gzip data behind bgzf data)");
	if (!size || size > r->n)
		return bad(d, r->offset, e, "truncated bgzf block");
	memcpy(s->in + s->n_in, r->p, size);
	s->n_in += size;
	d->empty = get_le(r->p + size - 4, 4) == 0;
	raw_take(r, size);
	return 0;
}

/* Up to BGZF_BATCH blocks into a slot; NULL: there is nothing to do. */
static struct slot *
read_batch(struct decoder *d)
{
	struct slot *s = NULL;
	int rc = 0;

	pthread_mutex_lock(&d->read_lock);
	if (!d->end)
		s = ring_claim(&d->ring);
	if (s) {
		s->offset = d->raw->offset;
		for (int i = 0; i < BGZF_BATCH && rc == 0 && !d->end; i++)
			rc = read_block(d, s, &d->end, &s->err);
		d->end = d->end || rc != 0;
		s->last = d->end;
		s->code = rc;
	}
	pthread_mutex_unlock(&d->read_lock);
	return s;
}

static int
inflate_block(const struct decoder *d, struct inflater *f, struct slot *s,
	      size_t at, size_t *size, struct err *e)
{
	const uint8_t *p = s->in + at;
	uint64_t offset = s->offset + at, n_out;
	size_t head;

	*size = block_size(p, s->n_in - at, &head);
	n_out = get_le(p + *size - 4, 4);
	if (n_out > BGZF_MAX)
		return bad(d, offset, e, "damaged bgzf block (length)");
	if (!inflater_whole(f, p + head, *size - head - 8, s->data + s->n,
			    (size_t)n_out))
		return bad(d, offset, e, "damaged bgzf block");
	if (crc32_more(0, s->data + s->n, (size_t)n_out) !=
	    get_le(p + *size - 8, 4))
		return bad(d, offset, e, "damaged bgzf block (wrong CRC)");
	s->n += (size_t)n_out;
	return 0;
}

/* What is wrong in the blocks comes before what was wrong behind them. */
static void
inflate_batch(const struct decoder *d, struct inflater *f, struct slot *s)
{
	struct err e;
	size_t size = 0;

	for (size_t at = 0; at < s->n_in; at += size) {
		int rc = f ? inflate_block(d, f, s, at, &size, &e) :
			     err_nomem(&e, sizeof f);

		if (rc == 0)
			continue;
		s->err = e;
		s->code = rc;
		return;
	}
}

void *
bgzf_thread(void *arg)
{
	struct decoder *d = arg;
	struct inflater *f = inflater_new(d->zlib);
	struct slot *s;

	while ((s = read_batch(d))) {
		inflate_batch(d, f, s);
		ring_ready(&d->ring, s);
	}
	inflater_free(f);
	return NULL;
}
