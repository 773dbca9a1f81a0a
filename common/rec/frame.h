/* SPDX-License-Identifier: MIT */
/* frame.h - what writer and reader of frames share; private to them */
#ifndef SEQF_REC_FRAME_H
#define SEQF_REC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "input/input.h"

/*
 * Frames of the record stream (byte tables: rec(5))
 *
 * A frame is a 48-byte header, a payload and padding to 16 bytes, and stands
 * by itself: it can be read without any frame before it.
 */

enum {
	REC_HEADER = 48,
	REC_ALIGN = 16,
	REC_VERSION = 1,
	REC_MAX_PAYLOAD = 1 << 30,
};

enum rec_type {
	REC_BEGIN = 1, REC_CHUNK, REC_SEQ, REC_HITS, REC_TALLY, REC_PRIMER,
	REC_DIST, REC_DONE, REC_END,
};
const char *rec_type_name(unsigned type);	/* "CHUNK", or "type 77" */

/* Flags: the high byte must be understood, the low byte may be ignored. */
enum {
	REC_UNMERGED = 0x0001,	/* a result as its scanner wrote it */
	REC_MASKED = 0x0100,
	REC_NAMED = 0x0200,	/* CHUNK, END: the digest covers names, too;
				   it did not in version 0.1 */
	REC_CIRCULAR = 0x0400,	/* CHUNK, HITS: of circular sequences */
	REC_ADDS = 0x0800,	/* CHUNK, END: the digest is that of hash.h;
				   with REC_NAMED */
	REC_KNOWN_FLAGS = REC_MASKED | REC_NAMED | REC_CIRCULAR | REC_ADDS,
};

/*
 * A frame in memory; payload unmasked, 64-byte aligned, zeros behind it up to
 * the next multiple of 64.  Shared by reference counts: any thread may drop.
 */
struct rec_frame {
	uint8_t type;
	uint16_t flags;		/* as stored */
	uint32_t records;
	uint64_t run, serial;
	uint8_t *payload;
	size_t n;
	unsigned refs;		/* atomic */
	size_t stored;		/* rec_seal(): bytes of the whole frame, which
				   begins REC_HEADER bytes before payload */
};

/* A frame with one reference and room for n payload bytes; NULL: no memory. */
struct rec_frame *rec_frame_new(size_t n);
struct rec_frame *rec_frame_keep(struct rec_frame *f);
void rec_frame_drop(struct rec_frame *f);	/* NULL is fine */

/*
 * Append the frame's bytes to b.  flags: only REC_MASKED's setting is decided
 * here: a payload that holds the sync bytes is stored masked.  Deterministic.
 * ERR_LIMIT if the payload is larger than REC_MAX_PAYLOAD; ERR_NOMEM.
 */
int rec_encode(struct buf *b, const struct rec_frame *f, struct err *e);
/*
 * The same in place, if the payload need not be masked: then f->stored is not
 * 0 and the frame's bytes are there until it is dropped.
 */
int rec_seal(struct rec_frame *f, struct err *e);
/* The same from parts, without a struct rec_frame. */
int rec_put(struct buf *b, enum rec_type type, uint64_t run, uint64_t serial,
	    uint32_t records, const void *payload, size_t n, struct err *e);

enum { REC_EOF = 0, REC_FRAME = 1, REC_DAMAGE = 2 };

struct rec_reader;
/* The source stays the caller's. */
int rec_reader_new(struct rec_reader **r, struct source *s, struct err *e);
void rec_reader_free(struct rec_reader *r);
/*
 * The next frame (the caller drops it).  Returns REC_FRAME, REC_EOF,
 * REC_DAMAGE (something was skipped: bytes that are no frame, a bad header or
 * payload CRC, a cut frame; e says what and where, go on reading), or a
 * negative code that ends the reading: another version, or an unknown
 * must-understand flag (ERR_FORMAT); ERR_IO; ERR_NOMEM.
 * Lengths are not trusted: memory grows as bytes arrive.  After damage reading
 * goes on at the next valid header, also inside of what a damaged frame
 * claimed as its payload.
 */
int rec_read(struct rec_reader *r, struct rec_frame **f, struct err *e);

/* Records of the frames of that type; whole frames stand in the n bytes. */
uint64_t rec_records(const uint8_t *p, size_t n, enum rec_type type);

/* What writer and reader of frames share; private to them. */

/* Offsets in the header: rec(5). */
enum {
	REC_AT_VERSION = 8, REC_AT_TYPE = 9, REC_AT_FLAGS = 10,
	REC_AT_HEAD_CRC = 12, REC_AT_LENGTH = 16, REC_AT_RUN = 24,
	REC_AT_SERIAL = 32, REC_AT_CRC = 40, REC_AT_RECORDS = 44,
	REC_KEY = 8,	/* bytes of key before a masked payload */
};

/* Up to a multiple of a power of two; may wrap. */
static inline size_t
rec_round(size_t n, size_t to)
{
	return (n + to - 1) & ~(to - 1);
}

/* CRC of a header as if its own field were 0. */
uint32_t rec_head_crc(const uint8_t *h);

#endif
