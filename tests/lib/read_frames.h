/* SPDX-License-Identifier: MIT */
/* read_frames.h - what a reader of frames makes of some bytes */
#ifndef SEQF_READ_FRAMES_H
#define SEQF_READ_FRAMES_H

#include "rec/rec.h"
#include "tests/lib/tap.h"

enum { MANY = 64 };

/* What a reader made of some bytes. */
struct took {
	struct rec_frame *f[MANY];
	unsigned n_frames, n_damaged;
	int rc;		/* REC_EOF or an error */
	struct err e;
};

static inline void
read_frames(struct took *h, const void *p, size_t n)
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

static inline void
forget(struct took *h)
{
	for (unsigned i = 0; i < h->n_frames; i++)
		rec_frame_drop(h->f[i]);
}

static inline bool
zeros_behind(const struct rec_frame *f)
{
	for (size_t i = f->n; i < rec_round(f->n, 64); i++)
		if (f->payload[i])
			return false;
	return (uintptr_t)f->payload % 64 == 0;
}

static inline bool
is_frame(const struct rec_frame *f, unsigned type, uint64_t run,
	 uint64_t serial, uint32_t records, const void *p, size_t n)
{
	return f->type == type && f->run == run && f->serial == serial &&
	       f->records == records && f->n == n &&
	       (!n || memcmp(f->payload, p, n) == 0) && zeros_behind(f);
}

static inline unsigned
syncs(const struct buf *b)
{
	unsigned n = 0;

	for (size_t i = 0; i + 8 <= b->n; i++)
		n += memcmp(b->p + i, REC_SYNC, 8) == 0;
	return n;
}

static inline void
random_bytes(uint8_t *p, size_t n, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(rnd(seed) >> 56);
}

#endif
