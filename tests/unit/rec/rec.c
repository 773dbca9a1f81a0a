/* SPDX-License-Identifier: MIT */
/* rec.c - frames there and back, and masked */
#include "base/base.h"
#include "tests/lib/read_frames.h"

/* In place there are the bytes of a copy, or nothing if it is masked. */
static bool
seals(struct rec_frame *f)
{
	struct buf b = { 0 };
	struct err e;
	bool good;

	f->flags |= REC_MASKED;		/* as it was stored does not count */
	good = rec_encode(&b, f, &e) == 0 && rec_seal(f, &e) == 0;
	good = good && (get_le(b.p + 10, 2) & REC_MASKED ? !f->stored :
			f->stored == b.n &&
			memcmp(f->payload - REC_HEADER, b.p, b.n) == 0);
	buf_free(&b);
	return good;
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
	struct took h;
	int good = 1;

	random_bytes(p, sizeof p, &seed);
	for (size_t i = 0; i < 200 + sizeof large / sizeof large[0]; i++) {
		size_t n = i < 200 ? i : large[i - 200];
		struct buf b = { 0 };
		struct err e;

		good &= rec_put(&b, REC_HITS, 5, i, 3, p, n, &e) == 0 &&
			rec_put(&b, REC_END, 6, 0, 1, p, 1, &e) == 0;
		read_frames(&h, b.p, b.n);
		good &= h.rc == REC_EOF && h.n_frames == 2 && !h.n_damaged &&
			is_frame(h.f[0], REC_HITS, 5, i, 3, p, n) &&
			is_frame(h.f[1], REC_END, 6, 0, 1, p, 1) &&
			seals(h.f[0]);
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
	   !rec_is((const uint8_t *)">x\nACGTACGT", 11), "detected by content");
	ok(strcmp(rec_type_name(2), "CHUNK") == 0 &&
	   strcmp(rec_type_name(10), "type 10") == 0 &&
	   strcmp(rec_type_name(77), "type 77") == 0 &&
	   strcmp(rec_type_name(249), "type 249") == 0 &&
	   strcmp(rec_type_name(255), "type 255") == 0, "names of types");
	buf_free(&b);
}

/* There and back with one sync at the start only; masked as requested. */
static bool
mask_one(const uint8_t *p, size_t n, bool want)
{
	struct buf b = { 0 }, again = { 0 };
	struct took h;
	struct err e;
	bool good;

	good = rec_put(&b, REC_CHUNK, 1, 2, 3, p, n, &e) == 0 &&
	       syncs(&b) == 1;
	read_frames(&h, b.p, b.n);
	good = good && h.n_frames == 1 && !h.n_damaged &&
	       is_frame(h.f[0], REC_CHUNK, 1, 2, 3, p, n) &&
	       !!(h.f[0]->flags & REC_MASKED) == want &&
	       rec_encode(&again, h.f[0], &e) == 0 && again.n == b.n &&
	       memcmp(again.p, b.p, b.n) == 0 && seals(h.f[0]);
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
	counts();
	return done();
}
