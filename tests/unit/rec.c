/* SPDX-License-Identifier: MIT */
/* rec.c - frames there and back, masked, damaged, cut */
#include "stream/rec.h"
#include "stream/rec_head.h"
#include "tap.h"

#include <libdeflate.h>

#include "base/hash.h"

enum { MANY = 64 };

/* What a reader made of some bytes. */
struct heard {
	struct rec_frame *f[MANY];
	unsigned n_frames, n_damaged;
	int rc;		/* REC_EOF or an error */
	struct err e;
};

static void
hear(struct heard *h, const void *p, size_t n)
{
	struct source *s;
	struct rec_reader *r;
	struct rec_frame *f;

	memset(h, 0, sizeof *h);
	if (source_memory(&s, "memory", p, n, &h->e) < 0 ||
	    rec_reader_new(&r, s, &h->e) < 0)
		abort();
	while ((h->rc = rec_read(r, &f, &h->e)) > 0) {
		if (h->rc == REC_DAMAGE)
			h->n_damaged++;
		else if (h->n_frames < MANY)
			h->f[h->n_frames++] = f;
		else
			rec_frame_drop(f);
	}
	rec_reader_free(r);
	source_close(s);
}

static void
forget(struct heard *h)
{
	for (unsigned i = 0; i < h->n_frames; i++)
		rec_frame_drop(h->f[i]);
}

static bool
zeros_behind(const struct rec_frame *f)
{
	for (size_t i = f->n; i < rec_round(f->n, 64); i++)
		if (f->payload[i])
			return false;
	return (uintptr_t)f->payload % 64 == 0;
}

static bool
is_frame(const struct rec_frame *f, unsigned type, uint64_t run,
	 uint64_t serial, uint32_t records, const void *p, size_t n)
{
	return f->type == type && f->run == run && f->serial == serial &&
	       f->records == records && f->n == n &&
	       (!n || memcmp(f->payload, p, n) == 0) && zeros_behind(f);
}

static unsigned
syncs(const struct buf *b)
{
	unsigned n = 0;

	for (size_t i = 0; i + 8 <= b->n; i++)
		n += memcmp(b->p + i, REC_SYNC, 8) == 0;
	return n;
}

static void
random_bytes(uint8_t *p, size_t n, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(rnd(seed) >> 56);
}

static void
sizes(void)
{
	static uint8_t p[3 << 20];
	static const size_t large[] = {
		1000, 65535, 65536, 65537, (1 << 20) - 1, 1 << 20,
		(1 << 20) + 1, (2 << 20) + 17, 3 << 20,
	};
	uint64_t seed = 1;
	struct heard h;
	int good = 1;

	random_bytes(p, sizeof p, &seed);
	for (size_t i = 0; i < 200 + sizeof large / sizeof large[0]; i++) {
		size_t n = i < 200 ? i : large[i - 200];
		struct buf b = { 0 };
		struct err e;

		good &= rec_put(&b, REC_HITS, 5, i, 3, p, n, &e) == 0 &&
			rec_put(&b, REC_END, 6, 0, 1, p, 1, &e) == 0;
		hear(&h, b.p, b.n);
		good &= h.rc == REC_EOF && h.n_frames == 2 && !h.n_damaged &&
			is_frame(h.f[0], REC_HITS, 5, i, 3, p, n) &&
			is_frame(h.f[1], REC_END, 6, 0, 1, p, 1);
		forget(&h);
		buf_free(&b);
		if (!good)
			break;
	}
	ok(good, "frames of all sizes there and back");
}

static void
layout(void)
{
	struct buf b = { 0 };
	struct err e;

	rec_put(&b, REC_SEQ, 0x1122334455667788, 0x99aabbccddeeff00, 0x12345678,
		"abc", 3, &e);
	ok(b.n == 64 && memcmp(b.p, REC_SYNC, 8) == 0 && b.p[8] == 1 &&
	   b.p[9] == REC_SEQ && get_le(b.p + 10, 2) == 0 &&
	   get_le(b.p + 16, 8) == 3 &&
	   get_le(b.p + 24, 8) == 0x1122334455667788 &&
	   get_le(b.p + 32, 8) == 0x99aabbccddeeff00 &&
	   get_le(b.p + 40, 4) == 0x352441c2 &&
	   get_le(b.p + 44, 4) == 0x12345678 &&
	   memcmp(b.p + 48, "abc\0\0\0\0\0\0\0\0\0\0\0\0", 16) == 0,
	   "bytes of a frame stand where rec(5) says");
	ok(rec_is(b.p, b.n) && rec_is(b.p, 3) && !rec_is(b.p, 0) &&
	   !rec_is((const uint8_t *)">x\nACGTACGT", 11), "told by content");
	ok(strcmp(rec_type_name(2), "CHUNK") == 0 &&
	   strcmp(rec_type_name(10), "type 10") == 0 &&
	   strcmp(rec_type_name(77), "type 77") == 0 &&
	   strcmp(rec_type_name(249), "type 249") == 0 &&
	   strcmp(rec_type_name(255), "type 255") == 0, "names of types");
	buf_free(&b);
}

/* There and back with one sync at the start only; masked as told. */
static bool
mask_one(const uint8_t *p, size_t n, bool want)
{
	struct buf b = { 0 }, again = { 0 };
	struct heard h;
	struct err e;
	bool good;

	good = rec_put(&b, REC_CHUNK, 1, 2, 3, p, n, &e) == 0 &&
	       syncs(&b) == 1;
	hear(&h, b.p, b.n);
	good = good && h.n_frames == 1 && !h.n_damaged &&
	       is_frame(h.f[0], REC_CHUNK, 1, 2, 3, p, n) &&
	       !!(h.f[0]->flags & REC_MASKED) == want &&
	       rec_encode(&again, h.f[0], &e) == 0 && again.n == b.n &&
	       memcmp(again.p, b.p, b.n) == 0;
	forget(&h);
	buf_free(&b);
	buf_free(&again);
	return good;
}

/* The first keys, as rec.c draws them. */
static uint64_t
key(uint64_t i)
{
	uint8_t t[8];

	put_le(t, i, 8);
	return hash64(t, 8, 0);
}

static void
masking(void)
{
	uint8_t p[400], k[8];
	uint64_t seed = 2;
	int good = 1;

	for (size_t n = 8; n < 100; n++)
		for (size_t at = 0; at + 8 <= n; at++) {
			random_bytes(p, n, &seed);
			memcpy(p + at, REC_SYNC, 8);
			good &= mask_one(p, n, true);
		}
	ok(good, "a payload with the sync anywhere is masked");
	for (size_t at = 0; good && at < 8; at++) {
		/* behind the key, or across its end, the next sync appears */
		memset(p, 0, sizeof p);
		memcpy(p + 300, REC_SYNC, 8);
		for (unsigned i = 0; i < 30; i++) {
			uint8_t *q = p + 8 * i + at;

			put_le(k, key(i), 8);
			for (unsigned j = 0; j < 8; j++)
				q[j] = (uint8_t)REC_SYNC[j] ^ k[(at + j) % 8];
		}
		good &= mask_one(p, sizeof p, true);
	}
	ok(good, "a payload against the first 30 keys");
	for (size_t i = 0; i + 8 <= sizeof p; i += 8)
		memcpy(p + i, REC_SYNC, 8);
	ok(mask_one(p, sizeof p, true), "nothing but syncs");
	memcpy(p, REC_SYNC, 7);
	ok(mask_one(p, 7, false), "all but the last byte of the sync");
}

static void
sync_elsewhere(void)
{
	struct buf b = { 0 };
	struct err e;
	uint64_t id = get_le((const uint8_t *)REC_SYNC, 8);

	ok(rec_put(&b, REC_SEQ, id, 0, 0, "", 0, &e) == ERR_LIMIT && !b.n,
	   "a run id that is the sync: %s", e.text);
	/* records are the sync's begin, the payload its end */
	ok(rec_put(&b, REC_SEQ, 1, 0, (uint32_t)id, &REC_SYNC[4], 4, &e) == 0 &&
	   syncs(&b) == 1 && b.p[11] == REC_MASKED >> 8,
	   "a sync half in the header is masked");
	buf_free(&b);
	ok(rec_put(&b, REC_SEQ, 1, 0, 0, "", (size_t)REC_MAX_PAYLOAD + 1, &e)
	   == ERR_LIMIT, "too large: %s", e.text);
	buf_free(&b);
}

/* Frames of unlike sizes, one of them masked; their ends in end[]. */
enum { FRAMES = 6 };
static void
stream(struct buf *b, size_t *end)
{
	uint64_t seed = 4;
	uint8_t p[200];
	struct err e;

	random_bytes(p, sizeof p, &seed);
	for (unsigned i = 0; i < FRAMES; i++) {
		size_t n = i == 2 ? 0 : 16 + 19 * i;

		if (i == 3)
			memcpy(p + 9, REC_SYNC, 8);
		if (rec_put(b, i + 1, 7, i, i, p, n, &e) < 0)
			abort();
		end[i] = b->n;
	}
}

/*
 * Every frame that does not touch [beg, end) is there, in order; how many
 * others are is *more.
 */
static bool
rest_found(const struct heard *h, const size_t *ends, size_t beg, size_t end,
	   size_t total, unsigned *more)
{
	unsigned k = 0, found = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		size_t a = i ? ends[i - 1] : 0, z = ends[i];

		if (z > total || (a < end && beg < z))
			continue;
		while (k < h->n_frames && h->f[k]->serial != i)
			k++;
		if (k++ >= h->n_frames)
			return false;
		found++;
	}
	*more = h->n_frames - found;
	return true;
}

static void
flips(void)
{
	size_t ends[FRAMES], refused = 0, wrong = 0;
	struct buf b = { 0 };
	struct heard h;
	unsigned more;

	stream(&b, ends);
	for (size_t i = 0; i < b.n; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			b.p[i] ^= (uint8_t)(1u << bit);
			hear(&h, b.p, b.n);
			refused += h.rc < 0;
			wrong += !h.n_damaged ||
				 !rest_found(&h, ends, i, i + 1, b.n,
					     &more) || more;
			forget(&h);
			b.p[i] ^= (uint8_t)(1u << bit);
		}
	ok(!wrong && !refused, "every flipped bit of %zu bytes is told, and "
	   "costs its frame only: %zu wrong", b.n, wrong);
	buf_free(&b);
}

static void
cuts(void)
{
	size_t ends[FRAMES], wrong = 0;
	struct buf b = { 0 };
	struct heard h;
	unsigned more;

	stream(&b, ends);
	for (size_t n = 0; n < b.n; n++) {
		bool clean = n == 0;

		for (unsigned i = 0; i < FRAMES; i++)
			clean |= n == ends[i];
		hear(&h, b.p, n);
		wrong += h.rc != REC_EOF || clean == !!h.n_damaged ||
			 !rest_found(&h, ends, 0, 0, n, &more) || more;
		forget(&h);
	}
	ok(!wrong, "a stream cut anywhere: %zu wrong", wrong);
	wrong = 0;
	for (size_t beg = 0; beg < b.n; beg += 3)
		for (size_t n = 1; beg + n <= b.n; n += 7) {
			struct buf t = { 0 };

			buf_put(&t, b.p, beg);
			buf_put(&t, b.p + beg + n, b.n - beg - n);
			hear(&h, t.p, t.n);
			/* from a sync into the next: one frame is whole */
			wrong += h.rc != REC_EOF ||
				 !rest_found(&h, ends, beg, beg + n, b.n,
					     &more) || more > 1;
			forget(&h);
			buf_free(&t);
		}
	ok(!wrong, "bytes missing in the middle: %zu wrong", wrong);
	buf_free(&b);
}

/* Make a changed header valid again. */
static void
seal(uint8_t *p)
{
	put_le(p + REC_AT_HEAD_CRC, rec_head_crc(p), 4);
}

static void
foreign(void)
{
	struct buf b = { 0 };
	struct heard h;
	struct err e;

	rec_put(&b, REC_SEQ, 1, 0, 0, "abc", 3, &e);
	b.p[REC_AT_TYPE] = 77;
	b.p[REC_AT_FLAGS] = 0x42;
	seal(b.p);
	hear(&h, b.p, b.n);
	ok(h.n_frames == 1 && !h.n_damaged && h.f[0]->type == 77 &&
	   h.f[0]->flags == 0x42, "an unknown type and flag pass");
	if (h.n_frames) {
		struct buf t = { 0 };

		rec_encode(&t, h.f[0], &e);
		ok(t.n == b.n && memcmp(t.p, b.p, b.n) == 0, "unchanged");
		buf_free(&t);
	}
	forget(&h);
	b.p[REC_AT_FLAGS + 1] = 2;
	seal(b.p);
	hear(&h, b.p, b.n);
	ok(h.rc == ERR_FORMAT && !h.n_frames, "must-understand: %s", h.e.text);
	b.p[REC_AT_FLAGS + 1] = 0;
	b.p[REC_AT_VERSION] = 2;
	seal(b.p);
	hear(&h, b.p, b.n);
	ok(h.rc == ERR_FORMAT && !h.n_frames, "version 2: %s", h.e.text);
	buf_free(&b);
}

/* A header that claims n bytes, with the CRC of none. */
static void
claim(struct buf *b, uint64_t n, unsigned flags)
{
	uint8_t *p;
	struct err e;

	if (rec_put(b, REC_CHUNK, 1, 0, 0, "", 0, &e) < 0)
		abort();
	p = b->p + b->n - REC_HEADER;
	put_le(p + REC_AT_LENGTH, n, 8);
	put_le(p + REC_AT_FLAGS, flags, 2);
	seal(p);
}

static void
hostile(void)
{
	static const uint64_t lengths[] = {
		1, 100, 1 << 20, 1 << 30, (1 << 30) + 1, 1ull << 32,
		1ull << 63, UINT64_MAX, UINT64_MAX - 15,
	};
	struct buf b = { 0 };
	struct heard h;
	struct err e;

	for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
		for (unsigned m = 0; m < 2; m++) {
			b.n = 0;
			claim(&b, lengths[i], m ? REC_MASKED : 0);
			rec_put(&b, REC_SEQ, 1, 2, 3, "abc", 3, &e);
			hear(&h, b.p, b.n);
			ok(h.rc == REC_EOF && h.n_frames == 1 && h.n_damaged &&
			   is_frame(h.f[0], REC_SEQ, 1, 2, 3, "abc", 3),
			   "%llu bytes claimed: %s",
			   (unsigned long long)lengths[i], h.e.text);
			forget(&h);
		}
	b.n = 0;
	claim(&b, 7, REC_MASKED);
	buf_zero(&b, 16);
	hear(&h, b.p, b.n);
	ok(h.n_damaged == 1 && !h.n_frames, "masked without a key");
	b.n = 0;
	for (unsigned i = 0; i < 50000; i++)
		claim(&b, 1 << 30, 0);
	rec_put(&b, REC_SEQ, 1, 2, 3, "abc", 3, &e);
	hear(&h, b.p, b.n);
	ok(h.n_damaged == 50000 && h.n_frames == 1,
	   "50,000 frames that claim the whole stream each");
	forget(&h);
	buf_free(&b);
}

static void
garbage(void)
{
	uint64_t seed = 9;
	uint8_t p[3000];
	struct buf b = { 0 };
	struct heard h;
	struct err e;
	int good = 1;

	for (size_t n = 1; n < sizeof p; n += 1 + n / 20) {
		random_bytes(p, n, &seed);
		b.n = 0;
		buf_put(&b, p, n);
		rec_put(&b, REC_SEQ, 1, 2, 3, "abc", 3, &e);
		buf_put(&b, p, n);
		rec_put(&b, REC_SEQ, 1, 3, 3, "abc", 3, &e);
		buf_put(&b, REC_SYNC, 8);
		hear(&h, b.p, b.n);
		good &= h.rc == REC_EOF && h.n_frames == 2 &&
			h.n_damaged == 3;
		forget(&h);
	}
	ok(good, "frames between bytes that are none");
	buf_free(&b);
}

static void
counts(void)
{
	struct rec_frame *f = rec_frame_new(0);

	if (!f)
		abort();
	ok(rec_frame_keep(f) == f && f->refs == 2 && zeros_behind(f),
	   "a frame is kept");
	rec_frame_drop(f);
	ok(f->refs == 1, "and dropped");
	rec_frame_drop(f);
	rec_frame_drop(NULL);
}

int
main(void)
{
	layout();
	sizes();
	masking();
	sync_elsewhere();
	flips();
	cuts();
	foreign();
	hostile();
	garbage();
	counts();
	return done();
}
