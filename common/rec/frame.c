/* SPDX-License-Identifier: MIT */
/* frame.c - frames: memory, writing, masking, reading, resynchronising */

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "rec/rec.h"

/* Frames: memory, writing, masking. */

/* A hit of the search for a key has a chance of 1/128: see masked(). */
enum { MASK_TRIES = 100 };

/* Bytes before a payload, for its header, and a pointer. */
enum { FRONT = 64 };
_Static_assert(FRONT >= REC_HEADER + sizeof(void *), "both are there");

/*
 * 64-byte aligned room for n bytes, zeros behind them up to 64, room for a
 * header in front of them, and in front of that what free() wants.  Of
 * aligned_alloc()ed memory glibc gives the rest away: then freed memory does
 * not fit the next payload, and each page of that is a fault.
 */
static uint8_t *
rec_payload_new(size_t n)
{
	size_t room = rec_round(n ? n : 1, 64);
	uint8_t *base = room < n || room > SIZE_MAX - FRONT - 64 ? NULL :
	    malloc(FRONT + 64 + room), *p;

	if (!base)
		return NULL;
	p = base + FRONT + (-(uintptr_t)base & 63);
	memcpy(p - FRONT, &base, sizeof base);
	memset(p + n, 0, room - n);
	return p;
}

static void
rec_payload_free(uint8_t *p)
{
	void *base;

	if (!p)
		return;
	memcpy(&base, p - FRONT, sizeof base);
	free(base);
}

struct rec_frame *
rec_frame_new(size_t n)
{
	struct rec_frame *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	f->payload = rec_payload_new(n);
	if (!f->payload) {
		free(f);
		return NULL;
	}
	f->n = n;
	f->refs = 1;
	return f;
}

struct rec_frame *
rec_frame_keep(struct rec_frame *f)
{
	__atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
	return f;
}

void
rec_frame_drop(struct rec_frame *f)
{
	/* what other threads did with the frame is over before it is freed */
	if (!f || __atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL))
		return;
	rec_payload_free(f->payload);
	free(f);
}

/*
 * How many of n bytes no sync begins at, at least: its first two bytes are
 * looked for, since one alone stands in every 256 bytes of packed letters.
 */
static size_t
without_sync(const uint8_t *p, size_t n)
{
	typedef uint8_t v16 __attribute__((vector_size(16)));
	size_t i = 0;

	for (; n - i >= 65; i += 64) {
		v16 any = { 0 };
		uint64_t w[2];

#pragma GCC unroll 4
		for (size_t j = i; j < i + 64; j += 16) {
			v16 a, b;

			memcpy(&a, p + j, 16);
			memcpy(&b, p + j + 1, 16);
			any |= (v16)(a == (uint8_t)REC_SYNC[0]) &
			       (v16)(b == (uint8_t)REC_SYNC[1]);
		}
		memcpy(w, &any, 16);
		if (w[0] | w[1])
			break;
	}
	return i;
}

/* The sync's first byte occurs in it once: no two syncs overlap. */
static const uint8_t *
rec_find_sync(const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;

	for (;;) {
		p += without_sync(p, (size_t)(end - p));
		if (end - p < REC_SYNC_LEN)
			return NULL;
		p = memchr(p, REC_SYNC[0], (size_t)(end - p) - 7);
		if (!p)
			return NULL;
		if (memcmp(p, REC_SYNC, REC_SYNC_LEN) == 0)
			return p;
		p++;
	}
}

uint32_t
rec_head_crc(const uint8_t *h)
{
	uint8_t t[REC_HEADER];

	memcpy(t, h, sizeof t);
	memset(t + REC_AT_HEAD_CRC, 0, 4);
	return crc32_more(0, t, sizeof t);
}

/* XOR with the key, over and over: its own inverse. */
static void
rec_mask(uint8_t *p, size_t n, const uint8_t key[8])
{
	size_t i = 0;
	uint64_t k, x;

	memcpy(&k, key, 8);
	for (; n - i >= 8; i += 8) {
		memcpy(&x, p + i, 8);
		x ^= k;
		memcpy(p + i, &x, 8);
	}
	for (; i < n; i++)
		p[i] ^= key[i % 8];
}

/* The header at h of the n stored bytes that stand behind it. */
static void
put_head(uint8_t *h, const struct rec_frame *f, uint16_t flags, size_t n)
{
	memcpy(h, REC_SYNC, REC_SYNC_LEN);
	h[REC_AT_VERSION] = REC_VERSION;
	h[REC_AT_TYPE] = f->type;
	put_le(h + REC_AT_FLAGS, flags, 2);
	put_le(h + REC_AT_LENGTH, n, 8);
	put_le(h + REC_AT_RUN, f->run, 8);
	put_le(h + REC_AT_SERIAL, f->serial, 8);
	put_le(h + REC_AT_CRC, crc32_more(0, h + REC_HEADER, n), 4);
	put_le(h + REC_AT_RECORDS, f->records, 4);
	put_le(h + REC_AT_HEAD_CRC, rec_head_crc(h), 4);
}

/* Is there a sync in the frame but at its start? */
static bool
has_sync(const uint8_t *h, size_t n)
{
	return rec_find_sync(h + 1, REC_HEADER - 1 + n) != NULL;
}

/*
 * Make the masked frame at h: header, key, payload ^ key; room is there.
 * Which keys fail?  A window of 8 stored bytes that lies in key and payload
 * reads every byte of the key just once, so that one key of 2^64 makes it a
 * sync: at most n + 1 keys.  A window of 8 - j header bytes and j key bytes is
 * a sync for 2^(64-8j) keys at most: less than 2^57 in all.  Padding is 0 and
 * no sync byte is.  The windows in the header that hold a CRC need a chance
 * of 2^-8 or less each that changes with the key; those in run and serial
 * alone no key changes, and they were refused before.  So far fewer than half
 * of the keys fail, and MASK_TRIES in a row will not; if they do the frame is
 * refused, so that this ends for any payload.
 */
static bool
masked(uint8_t *h, const struct rec_frame *f, uint16_t flags)
{
	uint8_t *key = h + REC_HEADER, *p = key + REC_KEY, t[8];
	uint64_t i = 0, k;

	for (unsigned tries = 0; tries < MASK_TRIES; tries++) {
		do {
			put_le(t, i++, 8);
			k = hash64(t, 8, 0);
		} while (k == 0);
		put_le(key, k, 8);
		memcpy(p, f->payload, f->n);
		rec_mask(p, f->n, key);
		put_head(h, f, flags | REC_MASKED, REC_KEY + f->n);
		if (!has_sync(h, REC_KEY + f->n))
			return true;
	}
	return false;
}

static int
check(const struct rec_frame *f, struct err *e)
{
	uint8_t ids[16];

	if (f->n > REC_MAX_PAYLOAD)
		return err_set(e, ERR_LIMIT, "%s frame of %zu bytes: at most "
			       "%d fit", rec_type_name(f->type), f->n,
			       REC_MAX_PAYLOAD);
	put_le(ids, f->run, 8);
	put_le(ids + 8, f->serial, 8);
	if (rec_find_sync(ids, sizeof ids))
		return err_set(e, ERR_LIMIT, "a run id or serial holds the "
			       "sync bytes");
	return 0;
}

int
rec_encode(struct buf *b, const struct rec_frame *f, struct err *e)
{
	uint16_t flags = f->flags & (uint16_t)~REC_MASKED;
	size_t room = REC_HEADER + REC_KEY + f->n + REC_ALIGN, n = f->n;
	int rc = check(f, e);
	uint8_t *h;

	if (rc != 0)
		return rc;
	if (!buf_reserve(b, room))
		return err_nomem(e, room);
	h = b->p + b->n;
	if (n)
		memcpy(h + REC_HEADER, f->payload, n);
	put_head(h, f, flags, n);
	if (has_sync(h, n)) {
		if (!masked(h, f, flags))
			return err_set(e, ERR_LIMIT, "no mask fits a %s frame",
				       rec_type_name(f->type));
		n += REC_KEY;
	}
	memset(h + REC_HEADER + n, 0, rec_round(n, REC_ALIGN) - n);
	b->n += REC_HEADER + rec_round(n, REC_ALIGN);
	return 0;
}

int
rec_seal(struct rec_frame *f, struct err *e)
{
	size_t n = REC_HEADER + rec_round(f->n, REC_ALIGN);
	uint8_t *h = f->payload - REC_HEADER;
	int rc = check(f, e);

	f->stored = 0;
	if (rc != 0)
		return rc;
	/* zeros stand behind the payload: they are the padding */
	put_head(h, f, f->flags & (uint16_t)~REC_MASKED, f->n);
	if (!has_sync(h, f->n))
		f->stored = n;
	return 0;
}

int
rec_put(struct buf *b, enum rec_type type, uint64_t run, uint64_t serial,
	uint32_t records, const void *payload, size_t n, struct err *e)
{
	struct rec_frame f = {
		.type = (uint8_t)type, .records = records, .run = run,
		.serial = serial, .payload = (uint8_t *)(uintptr_t)payload,
		.n = n,
	};

	return rec_encode(b, &f, e);
}

uint64_t
rec_records(const uint8_t *p, size_t n, enum rec_type type)
{
	uint64_t sum = 0;

	for (size_t at = 0; n - at >= REC_HEADER && at < n;) {
		if (p[at + REC_AT_TYPE] == type)
			sum += get_le(p + at + REC_AT_RECORDS, 4);
		at += REC_HEADER + rec_round(get_le(p + at + REC_AT_LENGTH, 8),
					     REC_ALIGN);
	}
	return sum;
}

/*
 * Reading frames, and finding them again after damage
 *
 * Bytes that a damaged frame claimed as its payload are handed back and looked
 * through before the source's.  A frame holds no sync but at its start, so a
 * frame of which handed-back bytes hold one is known to be damaged without
 * reading it: every byte is then checked a few times at most, however many
 * headers claim to be frames.
 */

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
check_header(const struct head *h, const uint8_t *p, size_t got)
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
	bad = check_header(&h, p, got);
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
