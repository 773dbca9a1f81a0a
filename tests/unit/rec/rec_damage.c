/* SPDX-License-Identifier: MIT */
/* rec_damage.c - frames damaged, cut, foreign and hostile */
#include "tests/lib/read_frames.h"

#include <libdeflate.h>

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
rest_found(const struct took *h, const size_t *ends, size_t beg, size_t end,
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
	struct took h;
	unsigned more;

	stream(&b, ends);
	for (size_t i = 0; i < b.n; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			b.p[i] ^= (uint8_t)(1u << bit);
			read_frames(&h, b.p, b.n);
			refused += h.rc < 0;
			wrong += !h.n_damaged ||
				 !rest_found(&h, ends, i, i + 1, b.n,
					     &more) || more;
			forget(&h);
			b.p[i] ^= (uint8_t)(1u << bit);
		}
	ok(!wrong && !refused, "every flipped bit of %zu bytes is found, and "
	   "costs its frame only: %zu wrong", b.n, wrong);
	buf_free(&b);
}

static void
cuts(void)
{
	size_t ends[FRAMES], wrong = 0;
	struct buf b = { 0 };
	struct took h;
	unsigned more;

	stream(&b, ends);
	for (size_t n = 0; n < b.n; n++) {
		bool clean = n == 0;

		for (unsigned i = 0; i < FRAMES; i++)
			clean |= n == ends[i];
		read_frames(&h, b.p, n);
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
			read_frames(&h, t.p, t.n);
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
	struct took h;
	struct err e;

	rec_put(&b, REC_SEQ, 1, 0, 0, "abc", 3, &e);
	b.p[REC_AT_TYPE] = 77;
	b.p[REC_AT_FLAGS] = 0x42;
	seal(b.p);
	read_frames(&h, b.p, b.n);
	ok(h.n_frames == 1 && !h.n_damaged && h.f[0]->type == 77 &&
	   h.f[0]->flags == 0x42, "an unknown type and flag pass");
	if (h.n_frames) {
		struct buf t = { 0 };

		rec_encode(&t, h.f[0], &e);
		ok(t.n == b.n && memcmp(t.p, b.p, b.n) == 0, "unchanged");
		buf_free(&t);
	}
	forget(&h);
	b.p[REC_AT_FLAGS + 1] = 0x10;	/* the first unknown one */
	seal(b.p);
	read_frames(&h, b.p, b.n);
	ok(h.rc == ERR_FORMAT && !h.n_frames, "must-understand: %s", h.e.text);
	b.p[REC_AT_FLAGS + 1] = 0;
	b.p[REC_AT_VERSION] = 2;
	seal(b.p);
	read_frames(&h, b.p, b.n);
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
	struct took h;
	struct err e;

	for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
		for (unsigned m = 0; m < 2; m++) {
			b.n = 0;
			claim(&b, lengths[i], m ? REC_MASKED : 0);
			rec_put(&b, REC_SEQ, 1, 2, 3, "abc", 3, &e);
			read_frames(&h, b.p, b.n);
			ok(h.rc == REC_EOF && h.n_frames == 1 && h.n_damaged &&
			   is_frame(h.f[0], REC_SEQ, 1, 2, 3, "abc", 3),
			   "%llu bytes claimed: %s",
			   (unsigned long long)lengths[i], h.e.text);
			forget(&h);
		}
	buf_free(&b);
}

/* Frames in what another frame claimed. */
static void
nested(void)
{
	enum { CLAIMS = 200000 };	/* hopeless unless each is cheap */
	struct buf b = { 0 };
	struct took h;
	struct err e;

	for (unsigned i = 0; i < CLAIMS; i++)
		claim(&b, 1 << 30, 0);
	rec_put(&b, REC_SEQ, 1, 2, 3, "abc", 3, &e);
	read_frames(&h, b.p, b.n);
	ok(h.n_damaged == CLAIMS && h.n_frames == 1,
	   "200,000 frames that claim the whole stream each");
	forget(&h);
	b.n = 0;
	claim(&b, 1 << 30, 0);
	rec_put(&b, REC_SEQ, 1, 1, 3, "abc", 3, &e);
	b.n -= 13;	/* its padding, which the next frame now is */
	rec_put(&b, REC_SEQ, 1, 2, 3, "def", 3, &e);
	read_frames(&h, b.p, b.n);
	ok(h.n_damaged == 2 && h.n_frames == 1 &&
	   is_frame(h.f[0], REC_SEQ, 1, 2, 3, "def", 3),
	   "a frame in another one's padding, in a third one's payload");
	forget(&h);
	buf_free(&b);
}

static void
no_key(void)
{
	static const uint8_t zeros[16];
	struct buf b = { 0 };
	struct took h;

	claim(&b, 7, REC_MASKED);
	put_le(b.p + REC_AT_CRC, libdeflate_crc32(0, zeros, 7), 4);
	seal(b.p);
	buf_put(&b, zeros, sizeof zeros);
	read_frames(&h, b.p, b.n);
	ok(h.n_damaged == 1 && !h.n_frames, "masked without a key: %s",
	   h.e.text);
	forget(&h);
	buf_free(&b);
}

static void
garbage(void)
{
	uint64_t seed = 9;
	uint8_t p[3000];
	struct buf b = { 0 };
	struct took h;
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
		read_frames(&h, b.p, b.n);
		good &= h.rc == REC_EOF && h.n_frames == 2 &&
			h.n_damaged == 3;
		forget(&h);
	}
	ok(good, "frames between bytes that are none");
	buf_free(&b);
}

int
main(void)
{
	flips();
	cuts();
	foreign();
	hostile();
	nested();
	no_key();
	garbage();
	return done();
}
