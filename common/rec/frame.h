/* SPDX-License-Identifier: MIT */
/* frame.h - frames of a record stream, and the runs and scans that they name */
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

/*
 * What runs and scans are called, ordered by, and receipts
 *
 * Every CHUNK and result frame carries the keys of its run (and scan), so that
 * the order of results never depends on other frames, nor on arrival.
 */

/* One input cut with given parameters.  Strings point into the payload. */
struct run_key {
	uint64_t id;		/* in the frame's header */
	struct str base;	/* least base_name() of the inputs */
	struct str label;	/* --label */
	struct str first;	/* name of the first record */
	uint64_t hash;		/* hash64 of the first 64 KiB of letters */
};
/* The order: base, label, first, hash, id, bytewise.  Same run: same id. */
int run_key_cmp(const struct run_key *a, const struct run_key *b);
void run_key_put(struct buf *b, const struct run_key *k);	/* not the id */
void run_key_get(struct cur *c, uint64_t id, struct run_key *k);

/* How results of one scan merge. */
enum scan_rule {
	SCAN_UNION,	/* hits, distances: all of them, equal rows are one */
	SCAN_LEAST,	/* --report=best: per query only rows with the best
			   score */
	SCAN_SUM,	/* tallies add up */
	SCAN_MAX,	/* primers: elementwise maximum */
	SCAN_CLASS,	/* local alignments: of rows of a query that begin at
			   one place on one strand of a subject the best */
	SCAN_BEST,	/* as SCAN_UNION; like SCAN_CLASS, if BEGIN says how
			   many of each query were chosen, so many count */
	SCAN_RULES,
};

/* What a scanner computes. */
struct scan_key {
	uint64_t id;
	struct str base;	/* base_name() of the first query file; or -e */
	enum scan_rule rule;
};
int scan_key_cmp(const struct scan_key *a, const struct scan_key *b);

/* Serials [first, end), the letters they own and the sum of their digests. */
struct range {
	uint64_t first, end, letters, digest;
};
/*
 * Added to the digest of a range of which two things were said: no later stage
 * of merging finds the sum right then, by chance or by choice.
 */
#define RANGE_SPOIL 0x9e3779b97f4a7c15u

/* The same for the same ranges; 0 of none. */
uint64_t ranges_hash(const struct range *r, size_t n);

/*
 * What a result frame covers.  Results of the same ranges that outgrow a frame
 * use several, numbered 0, 1, ...; the last one is marked.
 */
enum { RECEIPT_NEEDS = 4 };
struct receipt {
	struct scan_key scan;
	uint32_t number;
	bool last;
	struct range *range;	/* ascending, disjoint; caller frees */
	size_t n_ranges;
	/* hash64 of BEGIN texts without which the rows would be misread:
	   those that say what a merge left out */
	uint64_t need[RECEIPT_NEEDS];
	size_t n_needs;
	bool unmerged;		/* as the scanner wrote it: a flag of the
				   frame (REC_UNMERGED), not of the payload */
};
void receipt_put(struct buf *b, const struct receipt *r);
/* Sets c->bad if anything is wrong; r->range is then NULL, and r->n_ranges 0
 * unless there was no memory. */
void receipt_get(struct cur *c, struct receipt *r);

/*
 * Digest of a chunk: the sum over its rows of what hash.h says of the owned
 * letters as in the input, so it does not depend on how letters are encoded,
 * and chunks can be added in any order.  END has the sum of all, which does not
 * depend on where the letters were cut.
 *	Until 0.2 it was, modulo 2^64, and END's, too,
 *	hash64(owned letters, seed = hash of name, seed = hash of ordinal,
 *	own_beg), in version 0.1 without the name.
 */
enum digest_kind { DIGEST_LETTERS, DIGEST_NAMES, DIGEST_ADDS };
enum digest_kind digest_kind(unsigned flags);	/* of a frame */
/* at: own_beg, in bytes. */
struct digest_row {
	enum digest_kind kind;
	uint64_t ordinal, own_beg, at;
	struct str name;
};
uint64_t digest_row(const struct digest_row *r, struct digest_order *o,
		    const void *letters, size_t n);
/* Of the kind: a sum of digests, one more. */
static inline uint64_t
digest_more(enum digest_kind kind, uint64_t a, uint64_t b)
{
	return kind == DIGEST_ADDS ? digest_add(a, b) : a + b;
}

#endif
