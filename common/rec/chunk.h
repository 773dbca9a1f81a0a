/* SPDX-License-Identifier: MIT */
/* chunk.h - CHUNK, SEQ, BEGIN and END payloads (byte tables: rec(5)) */
#ifndef SEQF_REC_CHUNK_H
#define SEQF_REC_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "rec/frame.h"

enum chunk_enc {
	CHUNK_ASCII,	/* a byte a letter, rows one behind the other */
	CHUNK_2BIT,	/* bit planes (letters.h); every row begins at a
			   multiple of 64 letters; exception and case runs */
	CHUNK_4BIT,	/* "=ACMGRSVTWYHKDBN", low nibble first, every row at a
			   multiple of 64 letters; exception and case runs */
	CHUNK_PROB,	/* four IEEE 754 floats a position, A C G T */
};

enum { CHUNK_FIRST = 1, CHUNK_LAST = 2, CHUNK_ALL = 4, CHUNK_CIRCULAR = 8 };

/*
 * A piece of a sequence.  Its letters are those of [beg, beg + n) of the
 * sequence; it owns [own_beg, own_end), beg <= own_beg <= own_end <= beg + n.
 *	CHUNK_CIRCULAR: behind the sequence's last letter comes its first one.
 * A whole row (FIRST and LAST) stands as it is in the input.  Of pieces the
 * first has letters before what it owns, and the last one, CHUNK_LAST, owns
 * those, as [length, own_end).
 */
struct chunk_row {
	uint64_t ordinal;
	uint64_t beg, n, own_beg, own_end;
	uint64_t length;	/* of the sequence if CHUNK_LAST, LEN_UNKNOWN
				   if others of its regions follow; else 0 */
	uint64_t at;		/* its first letter's place in the letters */
	unsigned flags;		/* CHUNK_FIRST: no text before own_beg belongs
				   to what is searched; CHUNK_LAST: none after
				   own_end, the sequence's end is owned;
				   CHUNK_ALL: none before beg */
	uint32_t file;		/* number of BEGIN's line "input" that it came
				   from, from 1; of all rows or none (0) */
	struct str name, desc;	/* desc only with CHUNK_FIRST */
	uint64_t digest;	/* chunk_raw.digests */
};

struct chunk_run {	/* letters [beg, end) counted as `at` is */
	uint32_t beg, end;
	uint8_t letter;	/* exceptions: upper case, never A C G T U; case
			   runs: 0 */
};

/*
 * A CHUNK frame's payload, checked.  Pointers go into the payload but rows,
 * exc and lower, which are the view's own.
 */
struct chunk {
	struct run_key run;
	uint64_t serial;
	enum chunk_enc enc;
	uint64_t n;		/* letters' places: max of at + n; gaps count */
	uint64_t owned, digest;
	bool rna;		/* 2-bit, 4-bit: T stands for U */
	enum digest_kind kind;	/* of the digest */
	bool filed;		/* rows say of which file they are */
	bool circular;		/* it may hold rows that are (REC_CIRCULAR) */
	struct chunk_row *row;
	size_t n_rows;
	const uint8_t *letters;	/* little-endian words for CHUNK_2BIT */
	size_t n_bytes;
	struct chunk_run *exc, *lower;	/* ascending, disjoint */
	size_t n_exc, n_lower;
	uint8_t *unrolled;	/* letters of chunk_unroll(); or NULL */
	const struct dna_ops *ops;
};

struct rec_frame;
/*
 * Check a CHUNK frame and show it; the frame must outlive the view.  Every
 * length, order and offset is checked, so that no use of the view can go out
 * of the payload.  ERR_FORMAT, ERR_NOMEM.
 */
int chunk_view(struct chunk *c, const struct rec_frame *f, struct err *e);
void chunk_free(struct chunk *c);
/* Letters that a CHUNK frame says it owns, unchecked; of others 0. */
uint64_t chunk_owned(const struct rec_frame *f);

/*
 * Whole circular rows as pieces that own what they own, further on: with so
 * many letters as context before it, as often around as it takes.  Other rows
 * stay as they are.  ERR_NOMEM, ERR_LIMIT.
 */
int chunk_unroll(struct chunk *c, uint64_t context, struct err *e);
/* A place of a circle: [0, length). */
static inline uint64_t
chunk_turn(const struct chunk_row *r, uint64_t place)
{
	return r->flags & CHUNK_CIRCULAR && r->flags & CHUNK_LAST &&
	       r->length ? place % r->length : place;
}
/*
 * What of a row's letters follows those of the rows before it, as the sequence
 * was in the input: mostly what it owns.
 */
struct chunk_part {
	uint64_t beg, end;
};
static inline struct chunk_part
chunk_row_part(const struct chunk_row *r)
{
	struct chunk_part p = { r->own_beg, r->own_end };

	if (r->flags & CHUNK_CIRCULAR && r->flags & CHUNK_FIRST)
		p.beg = r->beg;
	if (r->flags & CHUNK_CIRCULAR && r->flags & CHUNK_LAST &&
	    r->own_beg >= r->length && r->own_beg > r->beg)
		p.beg = p.end = r->length;
	return p;
}

/*
 * Letters [from, from + n) of the row's piece (from counts from the piece's
 * first letter) exactly as in the input; s has room for n + 64 bytes.
 * Not for CHUNK_PROB.
 */
void chunk_letters(const struct chunk *c, const struct chunk_row *r,
		   uint64_t from, uint64_t n, uint8_t *s);
/* Of n bytes of letters that a row owns. */
uint64_t chunk_row_digest(const struct chunk_row *r, enum digest_kind kind,
			  struct digest_order *o, const void *letters,
			  size_t n, bool prob);
/* Does the digest belong to the letters and names? */
bool chunk_digest_ok(const struct chunk *c, struct err *e);

/* What the encoder takes: ASCII letters, or floats, row after row. */
struct chunk_raw {
	struct run_key run;
	uint64_t serial;
	bool prob;		/* letters are 4 native floats a position */
	bool digests;		/* rows have digest_letters() of what they
				   own: no letter is read for that again */
	struct chunk_row *row;	/* .at: place in letters; others as above */
	size_t n_rows;
	const uint8_t *letters;
};
/*
 * Choose the encoding (the smallest that gives every letter back; U without T
 * is stored as a flag, not as exceptions), compute the digest, and make a CHUNK
 * frame.  Deterministic in the letters.  Thread-safe.  *digest and *owned are
 * what END sums.  ERR_NOMEM, ERR_LIMIT.
 */
int chunk_encode(struct rec_frame **f, const struct chunk_raw *c,
		 uint64_t *owned, uint64_t *digest, struct err *e);

/* BEGIN: text lines "key value\n"; scan is 0 for the run's own. */
struct begin {
	struct run_key run;
	struct scan_key scan;	/* id 0: of the run itself */
	struct str text;
};
/* SEQ: the length of a sequence longer than one chunk. */
struct seq {
	uint64_t ordinal, length;
	struct str name;
};
struct run_end {
	struct run_key run;
	uint64_t chunks, sequences, letters, digest;
	enum digest_kind kind;
};
int begin_encode(struct rec_frame **f, const struct begin *b, struct err *e);
int begin_view(struct begin *b, const struct rec_frame *f, struct err *e);
/* May the run have circular sequences? */
bool begin_is_circular(const struct begin *b);
int seq_encode(struct rec_frame **f, uint64_t run, const struct seq *s,
	       struct err *e);
int seq_view(struct seq *s, const struct rec_frame *f, struct err *e);
int end_encode(struct rec_frame **f, const struct run_end *n, struct err *e);
int end_view(struct run_end *n, const struct rec_frame *f, struct err *e);
/* What is no error, but hardly what was meant, in a line for users; or "". */
struct end_odd {
	char text[300];
};
struct end_odd end_odd(const struct run_end *n);

/* Layout of a CHUNK payload; private to chunk*.c. */

/* Offsets in the head and in a row: rec(5). */
enum {
	CHUNK_HEAD = 64,
	CHUNK_AT_ENC = 0, CHUNK_AT_ROWS = 4, CHUNK_AT_N = 8,
	CHUNK_AT_OWNED = 16, CHUNK_AT_DIGEST = 24, CHUNK_AT_BYTES = 32,
	CHUNK_AT_EXC = 40, CHUNK_AT_LOWER = 44, CHUNK_AT_HEAP = 48,
	CHUNK_AT_FLAGS = 56, CHUNK_AT_ZERO = 60,

	CHUNK_ROW = 64,
	ROW_AT_ORDINAL = 0, ROW_AT_BEG = 8, ROW_AT_N = 16,
	ROW_AT_OWN_BEG = 24, ROW_AT_OWN_END = 32, ROW_AT_LENGTH = 40,
	ROW_AT_NAME = 48, ROW_AT_DESC = 52, ROW_AT_FLAGS = 56,
	ROW_AT_FILE = 60,

	CHUNK_RUN = 8,
	CHUNK_RUN_MAX = (1 << 24) - 1,	/* letters of an exception run */
	CHUNK_RNA = 1,			/* flag: T stands for U */
	CHUNK_FILES = 2,		/* flag: rows say of which file */
	CHUNK_UNIT = 64,		/* packed rows begin at multiples */
};

#define CHUNK_4BIT_LETTERS "=ACMGRSVTWYHKDBN"

/* Bytes of the letters section; n is at most 2^32 for all but ASCII. */
static inline uint64_t
chunk_bytes(enum chunk_enc enc, uint64_t n)
{
	switch (enc) {
	case CHUNK_2BIT: return (n + 63) / 64 * 16;
	case CHUNK_4BIT: return (n + 63) / 64 * 32;
	case CHUNK_PROB: return n * 16;
	default: return n;
	}
}

/* Where the row behind one that ends at `end` begins. */
static inline uint64_t
chunk_next_at(enum chunk_enc enc, uint64_t end)
{
	if (enc == CHUNK_2BIT || enc == CHUNK_4BIT)
		return (end + CHUNK_UNIT - 1) / CHUNK_UNIT * CHUNK_UNIT;
	return end;
}

#endif
