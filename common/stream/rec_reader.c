/* SPDX-License-Identifier: MIT */
/*
 * rec_reader.c - reading frames, and finding them again after damage
 *
 * Bytes that a damaged frame claimed as its payload are handed back and looked
 * through before the source's.  A frame holds no sync but at its start, so a
 * frame of which handed-back bytes hold one is known to be damaged without
 * reading it: every byte is then checked a few times at most, however many
 * headers claim to be frames.
 */
#include "stream/rec.h"
#include "stream/rec_head.h"

#include <stdlib.h>

#include "base/crc.h"

enum { FIRST_ROOM = 4 << 20 };

struct rec_reader {
	struct source *s;
	uint8_t *back;		/* bytes to be read before the source's */
	size_t n, at;
};

struct head {
	uint64_t at;		/* offset of the frame in the stream */
	uint64_t n;		/* stored bytes */
	uint32_t crc;
	struct rec_frame f;	/* without payload */
};

int
rec_reader_new(struct rec_reader **r, struct source *s, struct err *e)
{
	*r = calloc(1, sizeof **r);
	if (!*r)
		return err_nomem(e, sizeof **r);
	(*r)->s = s;
	return 0;
}

void
rec_reader_free(struct rec_reader *r)
{
	if (r)
		rec_payload_free(r->back);
	free(r);
}

static size_t
back_left(const struct rec_reader *r)
{
	return r->n - r->at;
}

static uint64_t
offset(const struct rec_reader *r)
{
	return source_offset(r->s) - back_left(r);
}

/* Make `want` bytes of what was handed back and of the source one piece. */
static int
join(struct rec_reader *r, size_t want, struct err *e)
{
	size_t left = back_left(r), n;
	const uint8_t *p;
	uint8_t *t;
	int rc = source_peek(r->s, want - left, &p, &n, e);

	if (rc < 0)
		return rc;
	if (n > want - left)
		n = want - left;
	t = rec_payload_new(want);
	if (!t)
		return err_nomem(e, want);
	memcpy(t, r->back + r->at, left);
	if (n)
		memcpy(t + left, p, n);
	rec_payload_free(r->back);
	r->back = t;
	r->n = left + n;
	r->at = 0;
	source_skip(r->s, n);
	return 0;
}

/* source_peek() over both; want is at most REC_HEADER. */
static int
peek(struct rec_reader *r, size_t want, const uint8_t **p, size_t *n,
     struct err *e)
{
	int rc;

	if (!back_left(r))
		return source_peek(r->s, want, p, n, e);
	if (back_left(r) < want && (rc = join(r, want, e)) < 0)
		return rc;
	*p = r->back + r->at;
	*n = back_left(r);
	return 0;
}

/* n bytes that peek() has shown. */
static void
skip(struct rec_reader *r, size_t n)
{
	if (!back_left(r)) {
		source_skip(r->s, n);
		return;
	}
	r->at += n;
	if (!back_left(r)) {
		rec_payload_free(r->back);
		r->back = NULL;
		r->n = r->at = 0;
	}
}

static int
read_bytes(struct rec_reader *r, uint8_t *p, size_t n, size_t *got,
	   struct err *e)
{
	size_t left = back_left(r) < n ? back_left(r) : n;
	int rc = 0;

	*got = 0;
	if (left) {
		memcpy(p, r->back + r->at, left);
		skip(r, left);
	}
	if (n > left)
		rc = source_read(r->s, p + left, n - left, got, e);
	*got += left;
	return rc;
}

/* Past what stands here to the next sync, or the end. */
static int
resync(struct rec_reader *r, struct err *e)
{
	const uint8_t *p, *sync;
	size_t n;
	int rc;

	while ((rc = peek(r, REC_SYNC_LEN, &p, &n, e)) == 0 && n) {
		sync = rec_find_sync(p, n);
		if (sync) {
			skip(r, (size_t)(sync - p));
			return 0;
		}
		/* the last 7 bytes may begin one, unless the input ends */
		skip(r, n < REC_SYNC_LEN ? n : n - (REC_SYNC_LEN - 1));
	}
	return rc;
}

/* Say that something is wrong with the frame at `at`, and go past it. */
static int
damage(struct rec_reader *r, uint64_t at, const char *what, struct err *e)
{
	int rc = resync(r, e);

	if (rc < 0)
		return rc;
	err_set(e, ERR_FORMAT, "%s: byte %llu: %s; %s skipped",
		source_name(r->s), (unsigned long long)at, what,
		err_count(offset(r) - at, "byte").text);
	return REC_DAMAGE;
}

static int
refuse(const struct rec_reader *r, uint64_t at, const char *what,
       unsigned value, struct err *e)
{
	return err_set(e, ERR_FORMAT, "%s: byte %llu: %s 0x%02x of the record "
		       "stream is not known to this program",
		       source_name(r->s), (unsigned long long)at, what, value);
}

static void
parse(const uint8_t *p, struct head *h)
{
	h->f.type = p[REC_AT_TYPE];
	h->f.flags = (uint16_t)get_le(p + REC_AT_FLAGS, 2);
	h->n = get_le(p + REC_AT_LENGTH, 8);
	h->f.run = get_le(p + REC_AT_RUN, 8);
	h->f.serial = get_le(p + REC_AT_SERIAL, 8);
	h->crc = (uint32_t)get_le(p + REC_AT_CRC, 4);
	h->f.records = (uint32_t)get_le(p + REC_AT_RECORDS, 4);
}

/* Read a header: REC_FRAME, REC_EOF, REC_DAMAGE or an error. */
static int
read_head(struct rec_reader *r, struct head *h, struct err *e)
{
	const uint8_t *p;
	size_t n;
	int rc = peek(r, REC_HEADER, &p, &n, e);

	if (rc < 0 || n == 0)
		return rc;
	h->at = offset(r);
	if (n < REC_SYNC_LEN || memcmp(p, REC_SYNC, REC_SYNC_LEN) != 0)
		return damage(r, h->at, "no frame begins here", e);
	if (n < REC_HEADER) {
		skip(r, 1);
		return damage(r, h->at, "the header is cut off", e);
	}
	if (rec_head_crc(p) != get_le(p + REC_AT_HEAD_CRC, 4)) {
		skip(r, 1);
		return damage(r, h->at, "the header is damaged", e);
	}
	parse(p, h);
	if (p[REC_AT_VERSION] != REC_VERSION)
		return refuse(r, h->at, "version", p[REC_AT_VERSION], e);
	if (h->f.flags & 0xff00 & ~REC_KNOWN_FLAGS)
		return refuse(r, h->at, "a flag of", h->f.flags, e);
	skip(r, REC_HEADER);
	return REC_FRAME;
}

/*
 * total bytes into a buffer that doubles from FIRST_ROOM as they arrive: a
 * claimed length alone takes no memory.  got < total at the end of the input.
 */
static int
swallow(struct rec_reader *r, size_t total, uint8_t **buf, size_t *got,
	struct err *e)
{
	size_t room = total < FIRST_ROOM ? total : FIRST_ROOM, n = 0;
	uint8_t *p = rec_payload_new(room), *t;
	int rc = 0;

	*got = 0;
	while (p) {
		rc = read_bytes(r, p + *got, room - *got, &n, e);
		*got += n;
		if (rc < 0 || *got < room || room == total)
			break;
		room = total / 2 < room ? total : 2 * room;
		t = rec_payload_new(room);
		if (t)
			memcpy(t, p, *got);
		rec_payload_free(p);
		p = t;
	}
	*buf = p;
	if (!p)
		return err_nomem(e, room);
	if (rc < 0) {
		rec_payload_free(p);
		*buf = NULL;
	}
	return rc;
}

/* NULL, or what is wrong with the stored bytes p[0..got). */
static const char *
check(const struct head *h, const uint8_t *p, size_t got)
{
	size_t total = rec_round((size_t)h->n, REC_ALIGN);

	if (got < total)
		return "the frame is cut off";
	if (crc32_more(0, p, (size_t)h->n) != h->crc)
		return "the frame is damaged";
	for (size_t i = (size_t)h->n; i < total; i++)
		if (p[i])
			return "the frame's padding is damaged";
	return NULL;
}

/* The frame of checked stored bytes p, which it takes over. */
static int
finish(const struct head *h, uint8_t *p, struct rec_frame **f, struct err *e)
{
	size_t n = (size_t)h->n;
	uint8_t key[REC_KEY];

	*f = malloc(sizeof **f);
	if (!*f) {
		rec_payload_free(p);
		return err_nomem(e, sizeof **f);
	}
	**f = h->f;
	if (h->f.flags & REC_MASKED) {
		n -= REC_KEY;
		memcpy(key, p, REC_KEY);
		memmove(p, p + REC_KEY, n);
		memset(p + n, 0, REC_KEY);
		rec_mask(p, n, key);
	}
	(*f)->payload = p;
	(*f)->n = n;
	(*f)->refs = 1;
	(*f)->stored = 0;
	return REC_FRAME;
}

/* Why the header's frame need not be read at all; NULL: read it. */
static const char *
hopeless(const struct rec_reader *r, const struct head *h)
{
	bool is_masked = h->f.flags & REC_MASKED;
	size_t left = back_left(r);

	if (h->n > REC_MAX_PAYLOAD + (is_masked ? REC_KEY : 0u))
		return "the frame claims more than the limit";
	if (is_masked && h->n < REC_KEY)
		return "the frame has no room for its key";
	if (left > h->n)
		left = (size_t)h->n;
	return left && rec_find_sync(r->back + r->at, left) ?
	    "the frame is damaged" : NULL;
}

int
rec_read(struct rec_reader *r, struct rec_frame **f, struct err *e)
{
	struct head h = { 0 };
	size_t got, from, total;
	const char *bad;
	uint8_t *p;
	int rc = read_head(r, &h, e);

	*f = NULL;
	if (rc != REC_FRAME)
		return rc;
	bad = hopeless(r, &h);
	if (bad)
		return damage(r, h.at, bad, e);
	total = rec_round((size_t)h.n, REC_ALIGN);
	from = r->at;
	rc = swallow(r, total, &p, &got, e);
	if (rc < 0)
		return rc;
	bad = check(&h, p, got);
	if (!bad)
		return finish(&h, p, f, e);
	if (back_left(r)) {	/* all of it was handed back before */
		r->at = from;
		rec_payload_free(p);
	} else {
		rec_payload_free(r->back);
		r->back = p;
		r->n = got;
		r->at = 0;
	}
	return damage(r, h.at, bad, e);
}
