/* SPDX-License-Identifier: MIT */
/* rec.c - frames: memory, writing, masking */
#include "stream/rec.h"
#include "stream/rec_head.h"

#include <stdlib.h>

#include "base/crc.h"
#include "base/hash.h"

/* A hit of the search for a key has a chance of 1/128: see masked(). */
enum { MASK_TRIES = 100 };

enum { FRONT = 64 };	/* bytes before a payload, for its header */

/* "type 10" to "type 19" for t = 1 */
#define TEN(t)                                                              \
	"type " #t "0", "type " #t "1", "type " #t "2", "type " #t "3",     \
	    "type " #t "4", "type " #t "5", "type " #t "6", "type " #t "7", \
	    "type " #t "8", "type " #t "9"

const char *
rec_type_name(unsigned type)
{
	static const char *const names[256] = {
		"type 0", "BEGIN", "CHUNK", "SEQ", "HITS", "TALLY", "PRIMER",
		"DIST", "DONE", "END",
		TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6), TEN(7),
		TEN(8), TEN(9), TEN(10), TEN(11), TEN(12), TEN(13), TEN(14),
		TEN(15), TEN(16), TEN(17), TEN(18), TEN(19), TEN(20), TEN(21),
		TEN(22), TEN(23), TEN(24), "type 250", "type 251", "type 252",
		"type 253", "type 254", "type 255",
	};

	return type < 256 ? names[type] : "unknown type";
}

uint8_t *
rec_payload_new(size_t n)
{
	size_t room = rec_round(n ? n : 1, 64);
	uint8_t *p = room < n || room > SIZE_MAX - FRONT ? NULL :
	    aligned_alloc(64, FRONT + room);

	if (!p)
		return NULL;
	memset(p + FRONT + n, 0, room - n);
	return p + FRONT;
}

void
rec_payload_free(uint8_t *p)
{
	if (p)
		free(p - FRONT);
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
const uint8_t *
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

void
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

bool
rec_is(const uint8_t *p, size_t n)
{
	size_t len = n < REC_SYNC_LEN ? n : REC_SYNC_LEN;

	return n > 0 && memcmp(p, REC_SYNC, len) == 0;
}
