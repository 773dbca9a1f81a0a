/* SPDX-License-Identifier: MIT */
/* rec.h - the record stream: frames, chunks and results, runs and scans */
#ifndef SEQF_REC_ALL_H
#define SEQF_REC_ALL_H

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
	REC_ADDS = 0x0800,	/* CHUNK, END: the digest is that of base.h;
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
 * Digest of a chunk: the sum over its rows of what base.h says of the owned
 * letters as in the input, so it does not depend on how letters are encoded,
 * and chunks can be added in any order.  END has the sum of all, which does not
 * depend on where the letters were cut.
 *	Until 0.2 it was, modulo 2^64, and END's, too,
 *	hash64(owned letters, seed = hash of name, seed = hash of ordinal,
 *	own_beg), in version 0.1 without the name.
 */
enum digest_kind { DIGEST_LETTERS, DIGEST_NAMES, DIGEST_ADDS };
static inline enum digest_kind	/* of a frame */
digest_kind(unsigned flags)
{
	return flags & REC_ADDS ? DIGEST_ADDS :
	       flags & REC_NAMED ? DIGEST_NAMES : DIGEST_LETTERS;
}
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

/* CHUNK, SEQ, BEGIN and END payloads (byte tables: rec(5)). */

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

/*
 * The strings of the keys and of *more, each of which may be NULL, become
 * copies in text, which is empty.  False: no memory.
 */
bool rec_own(struct buf *text, struct run_key *run, struct scan_key *scan,
	     struct str *more);

/* BEGIN: text lines "key value\n"; scan is 0 for the run's own. */
struct begin {
	struct run_key run;
	struct scan_key scan;	/* id 0: of the run itself */
	struct str text;
};
struct begin_own {
	struct begin b;		/* strings point into text */
	struct buf text;
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
/* The value of a "key value" line of the text; p is NULL without one. */
struct str begin_value(const struct begin *b, const char *key);
bool begin_says(const struct begin *b, const char *key, const char *value);
/* With strings of its own, to be freed with its text; false: no memory. */
bool begin_copy(struct begin_own *to, const struct begin *b);
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

/*
 * Result frames: HITS, TALLY, PRIMER, DIST, DONE (rec(5))
 *
 * A result frame holds its run's key, its receipt, the names it speaks of, and
 * rows.  Coordinates are 0-based half-open; the subject's are forward, the
 * query's are those of the query as given.
 */

#define LEN_UNKNOWN UINT64_MAX

struct query_ref {
	uint64_t ordinal, len;
	struct str name;
};
struct subject_ref {
	uint64_t ordinal, len;	/* LEN_UNKNOWN until the sequence's end */
	struct str name;
};

enum {
	HIT_MINUS = 1,		/* strand */
	HIT_EDITS = 2,		/* edits is known */
	HIT_CIGAR = 4,
	HIT_LETTERS = 8,	/* --with-seq */
	HIT_NO_SBEG = 16,	/* --ends: sbeg is not known (read as send);
				   neither CIGAR nor letters then */
	HIT_OFFTARGET = 32,	/* offtarget is known */
	HIT_CIRCULAR = 64,	/* its sequence is: where send is beyond the
				   length, the letters go on at 0 */
	HIT_PIECE = 128,	/* only in memory: of one over the origin the
				   letters on this side; qbeg, qend are the
				   whole hit's sbeg, send */
};

/* Of struct hit's offtarget: 1. */
enum { OFFTARGET_ONE = 1000000000 };

struct hit {
	struct query_ref query;
	struct subject_ref subject;
	uint64_t qbeg, qend, sbeg, send;
	int64_t score;
	uint64_t edits;
	uint64_t offtarget;	/* how likely it is cut: 0 to OFFTARGET_ONE */
	unsigned flags;
	const uint32_t *cigar;	/* letters.h */
	size_t n_cigar;
	struct str letters;	/* the matched letters, forward, as in the
				   input */
};
/* Is it over the origin of a circular sequence? */
static inline bool
hit_over_origin(const struct hit *h)
{
	return h->flags & HIT_CIRCULAR && h->send > h->subject.len;
}

/*
 * One hit by itself as bytes (names and all) and back: what sorters and spools
 * keep.  hit_get: strings point into the bytes, cigar into ops, which it
 * overwrites; c->bad is set on damage.
 */
void hit_put(struct buf *b, const struct hit *h);
void hit_get(struct cur *c, struct hit *h, struct buf *ops);

/*
 * Orders of stream.md.  hit_cmp_scan: subject ordinal, send, query ordinal,
 * strand (+ first), sbeg, then the rest.
 */
int hit_cmp_scan(const struct hit *a, const struct hit *b);

/*
 * Builds the HITS frames of one receipt.  A frame is closed when it holds more
 * than RESULT_SPLIT bytes.  With no row at all one frame without rows is made:
 * the receipt must not get lost.
 */
enum { RESULT_SPLIT = 16 << 20 };
struct hits_writer;
int hits_writer_new(struct hits_writer **w, const struct run_key *run,
		    const struct receipt *r, struct err *e);
/* ERR_FORMAT if the hit cannot be: coordinates out of order or bounds, CIGAR or
 * letters that do not fit them, of SCAN_CLASS no beginning (result.c has the
 * rules). */
int hits_add(struct hits_writer *w, const struct hit *h, struct err *e);
/* b, which is empty, takes the frames that closed so far; it may stay empty. */
void hits_take(struct hits_writer *w, struct buf *b);
/* Bytes of all frames not taken are appended to b; call once, at the end. */
int hits_finish(struct hits_writer *w, struct buf *b, struct err *e);
/*
 * Rows that were gathered apart, by another thread: a writer that only
 * hits_add() fills, and hits_append() empties, as hits_add() of each row in
 * order.
 */
int hits_rows_new(struct hits_writer **rows, enum scan_rule rule,
		  struct err *e);
int hits_append(struct hits_writer *w, struct hits_writer *rows,
		struct err *e);
void hits_writer_free(struct hits_writer *w);

/* Reading: the frame must outlive it. */
struct hits_view {
	struct run_key run;
	struct receipt receipt;
	struct query_ref *query;
	size_t n_queries;
	struct subject_ref *subject;
	size_t n_subjects;
	uint64_t left;		/* rows not yet read */
	struct cur rows;
	struct buf ops;
};
int hits_view(struct hits_view *v, const struct rec_frame *f, struct err *e);
/* 1 a hit, 0 no more, or ERR_FORMAT. Strings point into the frame. */
int hits_next(struct hits_view *v, struct hit *h, struct err *e);
void hits_view_free(struct hits_view *v);
/* All hits of a frame in turn, until fn (NULL: none) returns below 0. */
typedef int hits_fn(void *ctx, const struct hits_view *v, const struct hit *h,
		    struct err *e);
int hits_each(const struct rec_frame *f, hits_fn *fn, void *ctx,
	      struct err *e);

/* Ends of a query on a strand with so many edits. */
struct tally_row {
	struct query_ref query;
	bool minus;
	uint64_t edits, count;
};
struct tally {
	struct run_key run;
	struct receipt receipt;
	struct tally_row *row;	/* by query ordinal, strand, edits; no two
				   alike (ERR_FORMAT) */
	size_t n_rows;
};
int tally_encode(struct rec_frame **f, const struct tally *t, struct err *e);
int tally_view(struct tally *t, const struct rec_frame *f, struct err *e);
void tally_free(struct tally *t);

/*
 * DONE, and the head of every result frame: run key and receipt.  The scan's
 * rule must fit the type (ERR_FORMAT): HITS union, least, class or best, TALLY
 * sum, PRIMER max, DIST union, DONE any.
 */
int done_encode(struct rec_frame **f, const struct run_key *run,
		const struct receipt *r, struct err *e);
/* Works on HITS, TALLY, PRIMER, DIST and DONE frames; free r->range. */
int result_head(const struct rec_frame *f, struct run_key *run,
		struct receipt *r, struct err *e);
/* The same, and the bytes behind the receipt: what the frame says, without
 * the names of the run and scan. */
int result_body(const struct rec_frame *f, struct run_key *run,
		struct receipt *r, struct str *body, struct err *e);

/*
 * PRIMER: end() of a stretch of one target on one strand of it, for a
 * background as far as the receipt covers it.  Merge: elementwise maximum.
 *	Stretches are cut where everybody cuts them, so that those of several
 * frames fit onto each other.  Positions of a reverse complement count along
 * it.
 */
enum { PRIMER_SPLIT = 1 << 22 };
struct primer_part {
	struct run_key run;
	struct receipt receipt;
	struct query_ref target;
	struct str options;	/* canonical text; parts merge if it is equal */
	bool minus;		/* of the target's reverse complement */
	uint64_t beg;		/* a multiple of PRIMER_SPLIT below len */
	size_t n;		/* starts: primer_starts() */
	const uint8_t *letters;	/* n: of the starts */
	uint64_t *end;		/* n: letters [start, end) of the target occur
				   with fewer than k differences, and no more;
				   start <= end <= len, never decreasing */
	uint64_t *end3;		/* n, or NULL: the same for --three-prime */
};
/* Starts of the part that begins at beg of a target of so many letters. */
static inline uint64_t
primer_starts(uint64_t n_letters, uint64_t beg)
{
	return n_letters - beg < PRIMER_SPLIT ? n_letters - beg : PRIMER_SPLIT;
}
int primer_encode(struct rec_frame **f, const struct primer_part *p,
		  struct err *e);
int primer_view(struct primer_part *p, const struct rec_frame *f,
		struct err *e);
void primer_free(struct primer_part *p);

/*
 * DIST: pairs of sequences.  Without queries both are subjects of the run, a's
 * ordinal below b's; with queries a is one of those.
 */
struct dist_row {
	uint64_t a, b;		/* indices of query or name, and of name */
	double value;		/* weighted: mean */
	/* weighted only; without pairs (no solid word) all values are 0 */
	double weighted_mean;
	double min, max;	/* -1: not known */
	uint64_t pairs;		/* UINT64_MAX: so many or more; then */
	double log2_pairs;	/* their binary logarithm, or 0: not known */
};
/* A row that is not weighted, in a quarter of the room. */
struct dist_few {
	uint32_t a, b;
	double value;
};
struct dist {
	struct run_key run;
	struct receipt receipt;
	struct str metric;
	bool weighted;
	bool rect;		/* with queries, if there be none */
	struct query_ref *query;
	size_t n_queries;
	struct subject_ref *name;
	size_t n_names;
	struct dist_row *row;
	size_t n_rows;
	struct dist_few *pair;	/* or NULL: for dist_encode(), instead of row */
};
int dist_encode(struct rec_frame **f, const struct dist *d, struct err *e);
int dist_view(struct dist *d, const struct rec_frame *f, struct err *e);
void dist_free(struct dist *d);

/* What the codecs of result frames share; not for programs. */

/* ERR_FORMAT naming the frame and what is wrong with it. */
int codec_bad(const struct rec_frame *f, const char *what, struct err *e);

/* Run key and receipt; where get fails, r->range is NULL. */
int codec_head_put(struct buf *b, unsigned type, const struct run_key *run,
		   const struct receipt *r, struct err *e);
int codec_head_get(struct cur *c, const struct rec_frame *f,
		   struct run_key *run, struct receipt *r, struct err *e);
/* The same of a frame that must be of the type; c becomes its payload. */
int codec_open(struct cur *c, const struct rec_frame *f, enum rec_type type,
	       struct run_key *run, struct receipt *r, struct err *e);
/* The header's serial: the first one of the receipt, or 0. */
uint64_t codec_serial(const struct receipt *r);
/* A frame of this payload, which is freed in any case; or, if rc is one, only
 * that error, and *f is NULL. */
int codec_frame(struct rec_frame **f, unsigned type, const struct run_key *run,
		const struct receipt *r, size_t records, struct buf *payload,
		int rc, struct err *e);

void query_put(struct buf *b, const struct query_ref *q);
void query_get(struct cur *c, struct query_ref *q);
void subject_put(struct buf *b, const struct subject_ref *s);
void subject_get(struct cur *c, struct subject_ref *s);
/* Tables: a count, then entries.  *n = 0 and NULL if there is none. */
int queries_get(struct cur *c, struct query_ref **q, size_t *n, struct err *e);
int subjects_get(struct cur *c, struct subject_ref **s, size_t *n,
		 struct err *e);
/*
 * A count of things of at least min_bytes each, of which there cannot be more
 * than the bytes left hold: so no claimed count makes us allocate more than
 * a small multiple of what was read.  Else c->bad, and 0.
 */
size_t codec_count(struct cur *c, size_t min_bytes);
/* The same for a count given by the header. */
bool codec_fits(struct cur *c, uint64_t n, size_t min_bytes);

static inline uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t
get_zigzag(struct cur *c)
{
	uint64_t v = cur_var(c);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

#endif
