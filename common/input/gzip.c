/* SPDX-License-Identifier: MIT */
/* gzip.c - decoding gzip and bgzf */

#include <fcntl.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/base.h"
#include "base/port.h"
#include "input/source_in.h"

/*
 * Deflate streams (RFC 1951) and gzip members (RFC 1952)
 *
 * ISA-L decodes 2 to 3 times as fast as zlib; zlib is always there, and the
 * oracle of the tests.  Headers and trailers are read here for both.
 */

#ifdef HAVE_ISAL
#include <isa-l.h>
#endif

struct inflater {
	bool zlib, z_live;
	z_stream z;
	struct libdeflate_decompressor *whole;	/* zlib: for bgzf */
#ifdef HAVE_ISAL
	struct inflate_state isal;
#endif
};

static void
inflater_free(struct inflater *f)
{
	if (!f)
		return;
	if (f->whole)
		libdeflate_free_decompressor(f->whole);
	if (f->z_live)
		inflateEnd(&f->z);
	free(f);
}

static struct inflater *
inflater_new(bool zlib)
{
	struct inflater *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
#ifndef HAVE_ISAL
	zlib = true;
#endif
	f->zlib = zlib;
	if (!zlib)
		return f;
	f->whole = libdeflate_alloc_decompressor();
	f->z_live = inflateInit2(&f->z, -15) == Z_OK;
	if (f->whole && f->z_live)
		return f;
	inflater_free(f);
	return NULL;
}

#ifdef HAVE_ISAL
static int
run_isal(struct inflater *f, struct raw *r, uint8_t *out, size_t *n_out)
{
	struct inflate_state *s = &f->isal;
	size_t back = 0;
	int rc;

	s->next_in = (uint8_t *)r->p;
	s->avail_in = r->n > INT32_MAX ? INT32_MAX : (uint32_t)r->n;
	s->next_out = out;
	s->avail_out = (uint32_t)*n_out;
	rc = isal_inflate(s);
	raw_take(r, (size_t)(s->next_in - r->p));
	*n_out -= s->avail_out;
	if (rc != ISAL_DECOMP_OK)
		return INFLATE_BAD;
	if (s->block_state != ISAL_BLOCK_FINISH)
		return INFLATE_MORE;
	/* whole bytes that it took into its 64-bit buffer too early */
	back = s->read_in_length > 0 ? (size_t)s->read_in_length / 8 : 0;
	raw_unread(r, back);
	return INFLATE_END;
}
#endif

static int
run_zlib(struct inflater *f, struct raw *r, uint8_t *out, size_t *n_out)
{
	int rc;

	f->z.next_in = (Bytef *)r->p;
	f->z.avail_in = r->n > INT32_MAX ? INT32_MAX : (uInt)r->n;
	f->z.next_out = out;
	f->z.avail_out = (uInt)*n_out;
	rc = inflate(&f->z, Z_NO_FLUSH);
	raw_take(r, (size_t)(f->z.next_in - r->p));
	*n_out -= f->z.avail_out;
	if (rc == Z_STREAM_END)
		return INFLATE_END;
	return rc == Z_OK || rc == Z_BUF_ERROR ? INFLATE_MORE : INFLATE_BAD;
}

static void
inflater_reset(struct inflater *f)
{
	if (f->zlib)
		inflateReset(&f->z);
#ifdef HAVE_ISAL
	else
		isal_inflate_init(&f->isal);
#endif
}

/*
 * Take bytes at hand from r, append to out[*n .. cap).  MORE: it needs input
 * or room.  At END r stands right behind the stream.
 */
static int
inflater_run(struct inflater *f, struct raw *r, uint8_t *out, size_t cap,
	     size_t *n)
{
	size_t more = cap - *n;
	int rc;

#ifdef HAVE_ISAL
	if (!f->zlib)
		rc = run_isal(f, r, out + *n, &more);
	else
#endif
		rc = run_zlib(f, r, out + *n, &more);
	*n += more;
	return rc;
}

/* A whole stream at once into exactly n_out bytes. */
static bool
inflater_whole(struct inflater *f, const uint8_t *in, size_t n_in,
	       uint8_t *out, size_t n_out)
{
	size_t used;

#ifdef HAVE_ISAL
	if (!f->zlib) {
		isal_inflate_init(&f->isal);
		f->isal.next_in = (uint8_t *)in;
		f->isal.avail_in = (uint32_t)n_in;
		f->isal.next_out = out;
		f->isal.avail_out = (uint32_t)n_out;
		return isal_inflate_stateless(&f->isal) == ISAL_DECOMP_OK &&
		       f->isal.avail_out == 0 && f->isal.avail_in == 0 &&
		       f->isal.read_in_length < 8;
	}
#endif
	return libdeflate_deflate_decompress_ex(f->whole, in, n_in, out, n_out,
						&used, NULL) ==
	       LIBDEFLATE_SUCCESS && used == n_in;
}

struct gzip {
	struct raw *raw;
	struct inflater *inflate;
	bool inside;		/* of a member */
	uint64_t n_members, start;	/* start: the member's offset */
	uint32_t crc, size;	/* of the member so far, modulo 2^32 */
};

static int
inflate_bad(const struct gzip *g, struct err *e, const char *what)
{
	return err_set(e, ERR_FORMAT, "%s: %s at byte %llu (the gzip member "
		       "that begins at byte %llu)", g->raw->name, what,
		       (unsigned long long)g->raw->offset,
		       (unsigned long long)g->start);
}

/* n bytes into p; they count in *crc. 0, RAW_STOPPED or an error. */
static int
take(struct gzip *g, uint8_t *p, size_t n, uint32_t *crc, struct err *e)
{
	int rc = raw_fill(g->raw, n, e);

	if (rc != 0)
		return rc;
	if (g->raw->n < n)
		return inflate_bad(g, e, "truncated file");
	memcpy(p, g->raw->p, n);
	*crc = crc32_more(*crc, p, n);
	raw_take(g->raw, n);
	return 0;
}

static int
skip_text(struct gzip *g, uint32_t *crc, struct err *e)
{
	uint8_t c;
	int rc;

	do
		rc = take(g, &c, 1, crc, e);
	while (rc == 0 && c);
	return rc;
}

static int
skip_extra(struct gzip *g, uint32_t *crc, struct err *e)
{
	uint8_t b[2];
	int rc = take(g, b, 2, crc, e);

	for (uint64_t n = get_le(b, 2); rc == 0 && n > 0; n--)
		rc = take(g, b, 1, crc, e);
	return rc;
}

static int
header(struct gzip *g, struct err *e)
{
	enum { FHCRC = 2, FEXTRA = 4, FNAME = 8, FCOMMENT = 16, FREE = 0xe0 };
	uint32_t crc = 0, check;
	uint8_t h[10], b[2];
	int rc = take(g, h, 10, &crc, e);

	if (rc != 0)
		return rc;
	if (h[2] != 8 || h[3] & FREE)
		return inflate_bad(g, e, "unknown gzip method or flags");
	if (h[3] & FEXTRA)
		rc = skip_extra(g, &crc, e);
	if (rc == 0 && h[3] & FNAME)
		rc = skip_text(g, &crc, e);
	if (rc == 0 && h[3] & FCOMMENT)
		rc = skip_text(g, &crc, e);
	check = crc & 0xffff;
	if (rc == 0 && h[3] & FHCRC) {
		rc = take(g, b, 2, &crc, e);
		if (rc == 0 && get_le(b, 2) != check)
			return inflate_bad(g, e, "wrong header CRC");
	}
	return rc;
}

/* Only zeros up to the end, as tape blocks leave them. */
static int
padding(struct gzip *g, struct err *e)
{
	int rc = 0;

	while (rc == 0 && g->raw->n > 0) {
		if (*g->raw->p != 0)
			return inflate_bad(g, e, "trailing garbage");
		raw_take(g->raw, 1);
		if (g->raw->n == 0)
			rc = raw_fill(g->raw, 1, e);
	}
	return rc;
}

/* The next member's header; *end if there is no member any more. */
static int
begin(struct gzip *g, bool *end, struct err *e)
{
	int rc = raw_fill(g->raw, 2, e);

	if (rc != 0)
		return rc;
	*end = g->n_members && (g->raw->n == 0 || *g->raw->p == 0);
	if (*end)
		return padding(g, e);
	if (g->raw->n < 2 || g->raw->p[0] != 0x1f || g->raw->p[1] != 0x8b)
		return inflate_bad(g, e, "trailing garbage");
	g->start = g->raw->offset;
	rc = header(g, e);
	if (rc != 0)
		return rc;
	inflater_reset(g->inflate);
	g->inside = true;
	g->n_members++;
	g->crc = g->size = 0;
	return 0;
}

static int
trailer(struct gzip *g, struct err *e)
{
	uint32_t unused = 0;
	uint8_t t[8];
	int rc = take(g, t, 8, &unused, e);

	if (rc != 0)
		return rc;
	if (get_le(t, 4) != g->crc)
		return inflate_bad(g, e, "damaged data (wrong CRC)");
	if (get_le(t + 4, 4) != g->size)
		return inflate_bad(g, e, "damaged data (wrong length)");
	g->inside = false;
	return 0;
}

/* Some more of a member's data. */
static int
inside(struct gzip *g, struct slot *s, struct err *e)
{
	size_t before = s->n;
	uint64_t offset = g->raw->offset;
	int rc = raw_fill(g->raw, 1, e), done;

	if (rc != 0)
		return rc;
	done = inflater_run(g->inflate, g->raw, s->data, STREAM_SLOT, &s->n);
	g->crc = crc32_more(g->crc, s->data + before, s->n - before);
	g->size += (uint32_t)(s->n - before);
	if (done == INFLATE_BAD)
		return inflate_bad(g, e, "damaged data");
	if (done == INFLATE_END)
		return trailer(g, e);
	/* It had room, and did nothing: for lack of input, if there is none. */
	if (s->n == before && g->raw->offset == offset)
		return inflate_bad(
		    g, e, g->raw->n ? "damaged data" : "truncated file");
	return 0;
}

static void *
gzip_open(struct decoder *d)
{
	struct gzip *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->raw = d->raw;
	g->inflate = inflater_new(d->zlib);
	if (g->inflate)
		return g;
	free(g);
	return NULL;
}

static int
gzip_read(void *state, struct slot *s, bool *end, struct err *e)
{
	struct gzip *g = state;

	return g->inside ? inside(g, s, e) : begin(g, end, e);
}

static void
gzip_close(void *state)
{
	struct gzip *g = state;

	inflater_free(g->inflate);
	free(g);
}

static int
gzip_begins(const uint8_t *p, size_t n)
{
	return magic_begins(p, n, "\x1f\x8b", 2);
}

static const struct stream_ops gzip_ops = {
	gzip_open, gzip_read, gzip_close,
};
const struct codec gzip_codec = {
	.kind = SOURCE_GZIP,
	.name = "gzip",
	.begins = gzip_begins,
	.thread = stream_thread,
	.n_slot = STREAM_SLOT,
	.stream = &gzip_ops,
};

/*
 * Blocked gzip, inflated in parallel
 * Source: SAM specification 4.1 (hts-specs, SAMv1).
 *
 * Whichever thread is free reads the next few blocks (one at a time, so in
 * order), then inflates them beside the others.
 */

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
bgzf_bad(const struct decoder *d, uint64_t offset, struct err *e,
	 const char *what)
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
		return d->empty ? 0
				: bgzf_bad(d, r->offset, e,
					   "truncated file: "
					   "the empty block that ends a bgzf "
					   "file is missing");
	size = block_size(r->p, r->n, &head);
	if (!size && r->n >= 18)
		return bgzf_bad(d, r->offset, e, "no bgzf block (damaged, or "
			   "gzip data behind bgzf data, which zcat reads)");
	if (!size || size > r->n)
		return bgzf_bad(d, r->offset, e, "truncated bgzf block");
	memcpy(s->in + s->n_in, r->p, size);
	s->n_in += size;
	d->empty = get_le(r->p + size - 4, 4) == 0;
	if (d->blocks) {
		buf_u64(d->blocks, r->offset);
		buf_u64(d->blocks, get_le(r->p + size - 4, 4));
	}
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
		return bgzf_bad(d, offset, e, "damaged bgzf block (length)");
	if (!inflater_whole(f, p + head, *size - head - 8, s->data + s->n,
			    (size_t)n_out))
		return bgzf_bad(d, offset, e, "damaged bgzf block");
	if (crc32_more(0, s->data + s->n, (size_t)n_out) !=
	    get_le(p + *size - 8, 4))
		return bgzf_bad(d, offset, e, "damaged bgzf block (wrong CRC)");
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

static void *
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

/* Inflates the block that n bytes begin with. */
static int
cut_block(const struct decoder *d, struct inflater *f, struct slot *s,
	  const uint8_t *p, size_t n, size_t *size, struct err *e)
{
	size_t head;

	*size = block_size(p, n, &head);
	if (!*size || *size > n)
		return bgzf_bad(d, s->offset, e, "no bgzf block, where "
				"the .gzi has one");
	s->in = (uint8_t *)p;
	s->n_in = *size;
	s->n = 0;
	return inflate_block(d, f, s, 0, size, e);
}

int
bgzf_cut(const char *name, uint64_t offset, const uint8_t *p, size_t n,
	 uint64_t at, uint64_t end, struct buf *to, struct err *e)
{
	const char *hook = getenv("SEQF_INFLATE");
	struct inflater *f = inflater_new(hook && strcmp(hook, "zlib") == 0);
	struct raw raw = { .name = name };
	struct decoder d = { .raw = &raw };
	uint64_t done = 0;
	int rc = f ? 0 : err_nomem(e, sizeof *f);

	for (size_t i = 0, size = 0; i < n && done < end && !rc; i += size) {
		struct slot s = { .offset = offset + i };
		uint64_t from, upto;

		if (!buf_reserve(to, BGZF_MAX)) {
			rc = err_nomem(e, BGZF_MAX);
			break;
		}
		s.data = to->p + to->n;
		rc = cut_block(&d, f, &s, p + i, n - i, &size, e);
		from = at > done ? at - done : 0;
		upto = end - done < s.n ? end - done : s.n;
		if (!rc && from < upto) {
			if (from)
				memmove(s.data, s.data + from,
					(size_t)(upto - from));
			to->n += (size_t)(upto - from);
		}
		done += s.n;
	}
	inflater_free(f);
	return rc;
}

/* Blocks one after the other, or not, by FILE.gzi. */

struct unpack {
	struct raw *in;
	struct inflater *f;
	struct buf gzi;			/* places of blocks but the first one,
					   in the file and in the text */
	size_t row;			/* of the next block */
	uint64_t text;			/* its begin */
	uint64_t skip;			/* bytes that are not wanted */
	bool empty;			/* the block before was */
};

static uint64_t
row_at(const struct unpack *u, size_t row, unsigned which)
{
	return get_le(u->gzi.p + 16 * row + 8 * which, 8);
}

static bool
read_gzi(struct buf *b, const char *path)
{
	struct buf name = { 0 };
	struct stat file, index;
	struct err e;
	uint8_t n[8];
	int fd = sfi_beside(&name, path, ".gzi", &e) ? -1 :
		 open((char *)name.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool ok = fd >= 0 && stat(path, &file) == 0 &&
		  fstat(fd, &index) == 0 && S_ISREG(index.st_mode) &&
		  !file_is_newer(&file, &index) && index.st_size % 16 == 8 &&
		  pread_all(fd, n, 8, 0) &&
		  get_le(n, 8) == (uint64_t)index.st_size / 16 &&
		  buf_reserve(b, (size_t)index.st_size) &&
		  pread_all(fd, b->p, (size_t)index.st_size - 8, 8);

	if (ok)
		b->n = (size_t)index.st_size - 8;
	for (size_t i = 16; i < b->n && ok; i += 8)
		ok = get_le(b->p + i, 8) > get_le(b->p + i - 16, 8);
	if (fd >= 0)
		close(fd);
	buf_free(&name);
	return ok;
}

int
unpack_open(struct raw *text, struct raw *in, bool zlib, struct err *e)
{
	struct unpack *u = calloc(1, sizeof *u);

	if (!u)
		return err_nomem(e, sizeof *u);
	*text = (struct raw){ .name = in->name, .fd = -1, .regular = true,
			      .wake = -1, .unpack = u };
	u->in = in;
	if (!read_gzi(&u->gzi, in->name)) {
		bool bad = u->gzi.bad;

		unpack_close(text);
		return bad ? err_nomem(e, RAW_ROOM) : 0;
	}
	u->f = inflater_new(zlib);
	text->buf = malloc(RAW_ROOM);
	if (!u->f || !text->buf)
		return err_nomem(e, RAW_ROOM);
	text->p = text->buf + RAW_FRONT;
	return 1;
}

void
unpack_close(struct raw *text)
{
	if (!text->unpack)
		return;
	inflater_free(text->unpack->f);
	buf_free(&text->unpack->gzi);
	free(text->unpack);
	free(text->buf);
	text->unpack = NULL;
}

uint64_t
unpack_most(const struct raw *text)
{
	const struct unpack *u = text->unpack;

	return BGZF_MAX + (u->gzi.n ? row_at(u, u->gzi.n / 16 - 1, 1) : 0);
}

/* The block of n bytes at `offset`: is it where FILE.gzi has it? */
static int
check_row(struct unpack *u, uint64_t offset, size_t size, size_t n,
	  struct err *e)
{
	size_t rows = u->gzi.n / 16;
	bool fits = true;

	if (n && u->text) {
		fits = u->row < rows && row_at(u, u->row, 0) == offset &&
		       row_at(u, u->row, 1) == u->text;
		u->row++;
	}
	u->text += n;
	if (n && u->row < rows)
		fits = fits && row_at(u, u->row, 1) == u->text &&
		       row_at(u, u->row, 0) >= offset + size;
	return fits ? 0 :
	       err_set(e, ERR_FORMAT, "%s: %s.gzi is not of this file: make it "
		       "again (fasta-chunk --index), or remove it",
		       u->in->name, u->in->name);
}

/* The next block behind what is at hand. */
static int
next_block(struct raw *text, struct err *e)
{
	struct unpack *u = text->unpack;
	struct decoder d = { .raw = u->in, .empty = u->empty };
	uint8_t in[BGZF_MAX];
	struct slot s = { .in = in, .data = (uint8_t *)text->p + text->n,
			  .offset = u->in->offset };
	size_t size = 0, skip;
	int rc = read_block(&d, &s, &text->eof, e);

	u->empty = d.empty;
	if (!rc && !text->eof)
		rc = inflate_block(&d, u->f, &s, 0, &size, e);
	if (!rc && !text->eof)
		rc = check_row(u, s.offset, size, s.n, e);
	if (rc)
		return rc;
	skip = u->skip < s.n ? (size_t)u->skip : s.n;
	u->skip -= skip;
	if (skip)
		memmove(s.data, s.data + skip, s.n - skip);
	text->n += s.n - skip;
	return 0;
}

int
unpack_fill(struct raw *text, size_t want, struct err *e)
{
	uint8_t *data = text->buf + RAW_FRONT;
	int rc = 0;

	memmove(data - text->n, text->p, text->n);
	text->p = data - text->n;
	while (text->n < want && !text->eof && !rc)
		rc = next_block(text, e);
	return rc;
}

/*
 * The block before the one that is wanted, too: that says where it begins.
 * false: it is near enough.
 */
bool
unpack_seek(struct raw *text, uint64_t n)
{
	struct unpack *u = text->unpack;
	uint64_t to = text->offset + n, in;
	size_t lo = u->row, hi = u->gzi.n / 16;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (row_at(u, mid, 1) <= to)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (n < text->n || lo < u->row + 4)
		return false;
	lo -= 2;
	in = row_at(u, lo, 0);
	if (in < u->in->offset)
		return false;
	if (in - u->in->offset <= u->in->n)
		raw_take(u->in, (size_t)(in - u->in->offset));
	else if (!raw_seek(u->in, in - u->in->offset))
		return false;
	u->row = lo;
	u->text = row_at(u, lo, 1);
	u->skip = to - u->text;
	text->offset = to;
	text->n = 0;
	return true;
}

/* It says that it is bgzf: what is none in it is damage, not gzip. */
static int
bgzf_begins(const uint8_t *p, size_t n)
{
	int rc = magic_begins(p, n, "\x1f\x8b", 2);

	if (rc <= 0 || n < 4)
		return rc <= 0 ? rc : -1;
	if (p[3] != 4)
		return 0;
	return n < 18 ? -1 : memcmp(p + 12, "BC\2", 4) == 0;
}

const struct codec bgzf_codec = {
	.kind = SOURCE_BGZF,
	.name = "bgzf",
	.begins = bgzf_begins,
	.thread = bgzf_thread,
	.n_slot = SOURCE_BLOCK,
	.n_in = SOURCE_BLOCK,
	.parallel = true,
};
