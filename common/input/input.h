/* SPDX-License-Identifier: MIT */
/* input.h - bytes to letters: sources, FASTA, matrices, queries, indices */
#ifndef SEQF_INPUT_ALL_H
#define SEQF_INPUT_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/*
 * Bytes of a file, a pipe or stdin, decompressed as they come
 *
 * Detected by content: plain, gzip (any number of members, also with empty ones
 * and trailing zeros), bgzf (blocks inflated in parallel; the empty block at
 * its end must be there), zstd, bzip2, xz (each with any number of streams),
 * UCSC's 2bit, which becomes FASTA.  BAM, packed by any of them, becomes FASTQ
 * as `samtools fastq` has it; source_kind() says so once bytes were shown.
 * CRAM, and what a build leaves out, is refused with the command that unpacks
 * it.  A decoder runs in its own thread(s), so that decoding overlaps the
 * reader's work; memory is bounded (a few MiB, and two records of BAM).
 * A truncated or damaged file, a directory, a failed read is an error that
 * names the file and the byte offset in it; nothing short passes as whole.
 */

struct source;

enum source_kind {
	SOURCE_PLAIN, SOURCE_GZIP, SOURCE_BGZF, SOURCE_TWOBIT, SOURCE_ZSTD,
	SOURCE_BZIP2, SOURCE_XZ, SOURCE_LZMA, SOURCE_CRAM, SOURCE_BAM,
	SOURCE_FAI,
};

/*
 * path "-" is stdin.  threads: decoders for bgzf.  0, ERR_IO, ERR_FORMAT or
 * ERR_NOMEM.  One thread uses a source at a time.
 */
int source_open(struct source **s, const char *path, unsigned threads,
		struct err *e);
/*
 * The same, but of a 2bit file that can be sought, and of FASTA with its
 * FILE.fai, plain or bgzf with FILE.gzi (then it is SOURCE_FAI), only letters
 * that wanted() names of a sequence are read, and the first SOURCE_SHOWN of
 * all; others are N, and sequences of which none are wanted may have no
 * letters.
 * wanted() is called by another thread, until the source is closed: 0 or
 * ERR_NOMEM.
 */
enum { SOURCE_SHOWN = 1 << 20 };
struct source_span {
	uint64_t beg, end;		/* [beg, end) */
};
struct source_spans {
	struct source_span *v;		/* ascending and disjoint */
	size_t n, cap;
};
typedef int source_wanted_fn(const void *ctx, struct str name,
			     struct source_spans *to, struct err *e);
int source_open_some(struct source **s, const char *path, unsigned threads,
		     source_wanted_fn *wanted, const void *ctx,
		     struct err *e);
/*
 * The same; of a bgzf file two uint64_t of each block are appended: its offset
 * in the file, and how many bytes are in it.  *blocks is whole (or bad) once
 * the source is closed.
 */
int source_open_blocks(struct source **s, const char *path, unsigned threads,
		       struct buf *blocks, struct err *e);
/*
 * The same over n bytes of memory, detected and decoded alike (tests, fuzzing).
 */
int source_memory(struct source **s, const char *name, const void *p,
		  size_t n, struct err *e);
void source_close(struct source *s);

/*
 * Show the bytes that come next without taking them: at least `want` of them
 * (at most 64 KiB) unless the input ends before; more if they are at hand.
 * *n is 0 only at the end of input.  Valid until the next call.
 */
int source_peek(struct source *s, size_t want, const uint8_t **p, size_t *n,
		struct err *e);
/* The same without waiting: as many as are at hand, or 0. */
size_t source_at_hand(const struct source *s, const uint8_t **p);
/* Take n bytes that source_peek() has shown. */
void source_skip(struct source *s, size_t n);
/* Pass over the byte order mark that text of Windows may begin with. */
int source_skip_mark(struct source *s, struct err *e);
/* Read n bytes, fewer only at the end of input: *got. */
int source_read(struct source *s, void *p, size_t n, size_t *got,
		struct err *e);
/*
 * The next line of a list in place of what b held: b->n bytes without newline,
 * CR and byte order mark, and a 0 behind them.  1; 0 at the end of input;
 * ERR_LIMIT, too.
 */
enum { SOURCE_LINE = 1 << 24 };	/* bytes of a line */
int source_line(struct source *s, struct buf *b, struct err *e);
/* All bytes of a text behind its byte order mark, appended to b.  ERR_LIMIT:
 * more than `most`, so that it is no `what`. */
int source_text(const char *path, size_t most, const char *what,
		struct buf *b, struct err *e);

/* A read as it is in BAM; valid until the next call. */
struct bam_read {
	struct str name, mate;		/* mate: /1, /2 or nothing, behind it */
	unsigned flag;
	const uint8_t *letters;		/* two a byte, then its qualities */
	size_t n;			/* letters */
	const struct dna_ops *ops;
};
/* Letters [beg, beg + n) of the read as it was sequenced; 64 bytes more may be
 * overwritten.  Is a = among them? */
bool bam_letters(const struct bam_read *r, size_t beg, size_t n, uint8_t *to);
/*
 * Of BAM, once all text that was shown is taken, reads may be taken instead of
 * their text, from then on: 1; 0 at the end; else as source_peek().  false: it
 * is none, or a tap wants text.
 */
bool source_has_reads(const struct source *s);
int source_next_read(struct source *s, struct bam_read *r, struct err *e);

/* From now on tap() sees all bytes that are taken, in order. */
typedef void source_tap_fn(void *ctx, const uint8_t *p, size_t n);
void source_tap(struct source *s, source_tap_fn *tap, void *ctx);

const char *source_name(const struct source *s);	/* "stdin" for - */
enum source_kind source_kind(const struct source *s);
/* Decompressed bytes taken so far. */
uint64_t source_offset(const struct source *s);
/* Bytes of the file, as it is, that were read so far. */
uint64_t source_n_read(const struct source *s);

/* What messages say of an input without a byte. */
#define NO_BYTE "not a byte is in it: did the program that writes it fail?"

/*
 * What a file is called in keys: its name without folders and what a
 * compressor adds.  Pipes of the shell have no name worth keeping: they count
 * as "stdin", as - does.  Points into path, or to what lasts.
 */
struct str base_name(const char *path);

/* A diagnosis of input in a foreign format. */

/* For input that begins with these bytes: " (what it is, and what helps)",
 * or "".  More bytes may help; 512 are enough. */
const char *hint_of(const uint8_t *p, size_t n);

/* Every frame of a record stream begins with these (rec(5)). */
#define REC_SYNC "\x8fGREC\r\n\x1a"	/* 8 bytes */
enum { REC_SYNC_LEN = 8 };

/* Do these bytes (n >= 8, or the whole input) begin a record stream? */
bool rec_is(const uint8_t *p, size_t n);

/*
 * FASTA and FASTQ, letter by letter, detected by content
 *
 * Accepts multi-line FASTQ (a quality line may begin with @ or +: qualities
 * are counted, not guessed), CRLF, blank lines, no final newline, records
 * without letters, a blank after >, a byte order mark.  Letters are A-Z a-z
 * * - . and, if asked for, digits + / ; blanks and tabs between them are
 * dropped as newlines are; anything else is an error with file, line (from 1),
 * record and position (from 0).
 * Qualities are dropped.
 * 	The name of a record is the first word of its line; the description is
 * everything behind the name with the blank in front of it, byte for byte.
 * So > + name + desc is the line, but for one whose name does not follow
 * > at once: then desc ends with a newline (which no line holds) and the
 * blanks that stood before the name.  "> pig1 foo" has the name "pig1" and
 * the description " foo\n ".  fasta_header() gives every line back.
 */

struct fasta;
enum fasta_event { FASTA_EOF, FASTA_RECORD, FASTA_LETTERS };

struct fasta_piece {
	struct str name, desc;	/* FASTA_RECORD; valid until the next call */
	uint64_t at;		/* FASTA_RECORD: the source's offset of its
				   > or @ */
	const uint8_t *letters;	/* FASTA_LETTERS: newlines stripped; valid
				   until the next call */
	size_t n;
};

/* The source stays the caller's.  Empty input has no records. */
int fasta_new(struct fasta **f, struct source *s, struct err *e);
/*
 * From now on digits, + and / are letters, too: with * - . alphabets of up to
 * 67 symbols, as codons need.  They are slower to read.
 */
void fasta_digits(struct fasta *f);
static inline bool
fasta_is_digit(uint8_t c)
{
	return (c >= '0' && c <= '9') || c == '+' || c == '/';
}
/* An enum fasta_event, or ERR_FORMAT, ERR_IO, ERR_NOMEM. */
int fasta_next(struct fasta *f, struct fasta_piece *p, struct err *e);
/* The line that the record at hand begins in, from 1. */
uint64_t fasta_line(const struct fasta *f);
/*
 * The same, but letters are put at `to`, `room` > 0 of them at most; there
 * must be 64 bytes more, which are overwritten too.
 */
int fasta_next_to(struct fasta *f, uint8_t *to, size_t room,
		  struct fasta_piece *p, struct err *e);
/* Is the record before over, and perhaps another one begins? */
bool fasta_between(const struct fasta *f);
/*
 * Then: the next record at once, with its name and its p->n letters, which are
 * at `to`, where 64 bytes more than `room` may be overwritten.  1; 0: it is not
 * at hand, has more letters, or something unusual in it: fasta_next() tells;
 * or an error.
 */
int fasta_whole(struct fasta *f, uint8_t *to, size_t room,
		struct fasta_piece *p, struct err *e);
void fasta_free(struct fasta *f);

enum { FASTA_MAX_HEADER = 1 << 24 };	/* bytes of a header line */
/*
 * A header line, without > and newline, to name and description, which point
 * into it; it has room for what it becomes, unless h->bad.  What is wrong with
 * it, or NULL.
 */
const char *fasta_split(struct buf *h, struct str *name, struct str *desc);
/*
 * Append the header line that name and desc came from, without > (or @) and
 * newline.  Never appends a newline, whatever desc holds.
 */
void fasta_header(struct buf *b, struct str name, struct str desc);
/*
 * Could they have come from a header line?  Whoever forged a stream may have
 * put newlines there, and with them records that are in no sequence.
 */
bool fasta_fits(struct str name, struct str desc);
/* The description as people read it: no blanks in front, no marker behind. */
struct str fasta_title(struct str desc);

/*
 * Count and probability matrices: JASPAR, PFM, MEME, TRANSFAC
 *
 * A matrix becomes a record whose letters are four floats a position, A C G
 * T, as given (counts are not normalised here).  A column that sums to 0, or
 * holds a negative or non-finite number, is an error.
 */

enum matrix_format {
	MATRIX_AUTO, MATRIX_JASPAR, MATRIX_MEME, MATRIX_TRANSFAC, MATRIX_PFM,
	MATRIX_NONE,	/* not the name of a format */
};
enum matrix_format matrix_format(const char *name);

/* The format that these bytes, the input's first (up to 64 KiB), begin; or
 * MATRIX_NONE: they begin no matrices. */
enum matrix_format matrix_describe(const uint8_t *p, size_t n);

struct matrix;
/* Reads the whole source (at most 256 MiB); it stays the caller's. */
int matrix_new(struct matrix **m, struct source *s, enum matrix_format format,
	       struct err *e);
/* As fasta_next(); n counts positions, letters are native floats. */
int matrix_next(struct matrix *m, struct fasta_piece *p, struct err *e);
void matrix_free(struct matrix *m);

/* The query side: patterns, queries, targets (-q, -e). */

struct query {
	struct str name;	/* of a -e or a line: its letters */
	struct str desc;
	struct str letters;	/* as given */
	bool prob;		/* a matrix: letters are 4 native floats a
				   position, not aligned */
	uint32_t line;		/* in the file, from 1; 0: not known */
	const char *where;	/* file it came from, or "-e" */
};

struct queries {
	struct query *v;	/* ordinal = index */
	size_t n;
	struct buf heap;	/* owns the letters and names */
	const char *base;	/* basename of the first file without .gz, .bgz;
				   "-e" if there is none */
	/* With skip_empty: so many were left out, of which this is the
	 * first one, number empty_at from 1 on in the order given. */
	size_t n_empty, empty_at;
	struct query empty;
};

/*
 * What is read at most, so that a small compressed file cannot take all memory
 * before it is refused.  0: QUERY_LETTERS, QUERY_BYTES, QUERY_NUMBER.
 */
struct query_limits {
	uint64_t letters;	/* of one query; or positions of a matrix */
	uint64_t bytes;		/* of letters, names and descriptions of all,
				   and QUERY_COST for each query */
	uint64_t n;		/* queries */
	bool skip_empty;	/* those without letters are left out if there
				   are others */
};
#define QUERY_LETTERS (UINT64_C(1) << 30)
#define QUERY_BYTES (UINT64_C(1) << 32)
#define QUERY_NUMBER UINT64_C(10000000)
enum { QUERY_COST = 64 };

/*
 * Items of -q (FASTA, FASTQ, or one query a line, detected by content, gz too;
 * "-" is stdin) and -e, in the order given.  No query at all, or one without
 * letters, is ERR_USAGE naming it.  with -q lines: CRLF and blank lines are
 * accepted, blanks inside a line are an error.  bytes: a plain line or -e
 * may hold any byte (--alphabet=bytes).
 */
int queries_load(struct queries *q, const struct opt_list *items, bool bytes,
		 struct err *e);
/*
 * With limits of one's own; too long a query is ERR_USAGE, too many or too
 * much in all is ERR_LIMIT.
 */
int queries_load_within(struct queries *q, const struct opt_list *items,
			bool bytes, const struct query_limits *most,
			struct err *e);
/*
 * As queries_load(), but files may also hold matrices, detected by content, and
 * whole genomes: of one query at most 2^32 letters, of all 2^34 bytes, or so
 * much memory; 0: no such limit.
 */
int queries_load_weighted(struct queries *q, const struct opt_list *items,
			  int64_t memory, struct err *e);
void queries_free(struct queries *q);
/* Put file, line and name of the query, which is called what, before the text
 * of e; returns e->code. */
int query_blame(const struct query *q, const char *what, struct err *e);
/* The first query whose name another one had before; NULL: there is none, or
 * no memory to find out. */
const struct query *queries_twice(const struct queries *q);
/* Whether all letters are A C G T U N, and they are enough to decide. */
bool queries_are_dna(const struct queries *q);
/* Appends a line with the letters of all, for BEGIN, unless they are many or
 * not all of them print: query-letters, and as many words. */
void queries_text(const struct queries *q, struct buf *b);
/* Hash of names and letters, to be part of a scan id. */
uint64_t queries_hash(const struct queries *q);

/*
 * FILE.sfi: where the records of a file lie, and digests of them
 *
 * With it pieces of plain FASTA, of bgzf (with its .gzi) and of 2bit are read
 * by themselves, and END is known without the rest: digests of letters and
 * names add up (base/base.h), whatever the chunks.  All letters that are
 * read are held against digests, as far as the next multiples of SFI_BLOCK; so
 * of a file that was changed behind its index either the letters are right, or
 * reading them is an error.
 *
 * What is in it is described in rec(5); numbers are little-endian.
 */

enum { SFI_BLOCK = 1024, SFI_HASHED = 64 << 10 };

struct sfi;
struct sfi_sums {
	uint64_t records, letters, digest;
	uint64_t hash;			/* of the first SFI_HASHED letters */
	struct str first, twice;	/* names; twice: if one came again */
};
/*
 * 1: the file of that path has one, and it is open; 0: there is none, or none
 * of use: then why[] says why one that is there is not, or is empty.  Or
 * ERR_NOMEM.
 */
enum { SFI_WHY = 300 };
int sfi_open(struct sfi **s, const char *path, char why[SFI_WHY],
	     struct err *e);
void sfi_close(struct sfi *s);
const struct sfi_sums *sfi_sums(const struct sfi *s);
uint64_t sfi_n_read(const struct sfi *s);	/* bytes of the file */

/* The place of a record in the table; zeros are those of the first one. */
struct sfi_place {
	size_t at;			/* in the table */
	uint64_t end;			/* of the letters before, in the text */
	uint64_t number, prefix;
	uint64_t letters, bytes;	/* of a line before */
};
struct sfi_record {
	uint64_t number, prefix;	/* its number; of its first prefix */
	uint64_t head, head_n;		/* its > in the text; its line */
	uint64_t name_n;		/* bytes of name and description */
	uint64_t n;			/* letters */
	uint64_t at, letters, bytes;	/* the first one; those of a line */
	struct str name;		/* if n > SFI_BLOCK, or of 2bit */
};
/* The record there; p moves to the next one.  false: there is none. */
bool sfi_next(const struct sfi *s, struct sfi_place *p, struct sfi_record *r);

/*
 * Letters of n records from p on, whole ones; or of one of more than SFI_BLOCK
 * letters, [beg, end), which owns those from `own` on; they are appended, and
 * names and descriptions, and row[] says what is of which.  Of a piece behind a
 * record's begin there is no description.  Any threads.  ERR_FORMAT if the file
 * is another one.
 */
struct sfi_row {
	size_t name, desc;	/* bytes */
	size_t before;		/* letters in front that are not wanted */
	uint64_t digest;	/* digest_letters() of what it owns */
};
int sfi_read(struct sfi *s, struct sfi_place p, size_t n, uint64_t beg,
	     uint64_t own, uint64_t end, struct buf *letters,
	     struct buf *names, struct sfi_row *row, struct err *e);

/* Making one. */
struct sfi_build;
enum sfi_kind { SFI_PLAIN, SFI_BGZF, SFI_TWOBIT, SFI_SWAPPED = 4 };
/* Before the file is read. */
int sfi_new(struct sfi_build **b, const char *path, struct err *e);
/* ERR_IO: the file has changed since. */
int sfi_unchanged(const struct sfi_build *b, const char *path, struct err *e);
void sfi_free(struct sfi_build *b);
/* A record begins: the place of its >, and the line behind that. */
void sfi_head(struct sfi_build *b, uint64_t at, const void *line, size_t n);
/* Bytes of a line of letters, and its end. */
void sfi_bytes(struct sfi_build *b, const uint8_t *p, size_t n);
void sfi_line_end(struct sfi_build *b);
/* It ends; its first letter in the text, and those of a line. */
void sfi_record_end(struct sfi_build *b, uint64_t at, uint64_t letters,
		    uint64_t bytes);
/* Beside the file, unless lines hold what is no letter: *odd. */
int sfi_write(struct sfi_build *b, const char *path, enum sfi_kind kind,
	      uint64_t text, bool *odd, struct err *e);
/* Of a 2bit file. */
int sfi_twobit(const char *path, bool *odd, struct err *e);

/*
 * FILE.fai of FASTA, and FILE.gzi of bgzf, as samtools faidx has them
 *
 * Byte for byte, also where samtools leaves a sequence out: one of no letters,
 * and all but the first of a name.  What it makes no index of is ERR_FORMAT:
 * lines of different lengths within a sequence, FASTQ, no letters at the end
 * (samtools passes over a > that ends the file; here it is an error).
 */

/* Sequences that are not in it. */
struct fai_left {
	uint64_t n_empty, n_twice;
	char empty[100], twice[100];	/* the first of them, cut */
	bool odd;			/* there is no FILE.sfi: blanks are in
					   lines, or what is no letter */
};

/* All are written beside a plain or bgzf file, and FILE.sfi (input.h), which is
 * the only one of 2bit. */
int fai_build(const char *path, unsigned threads, struct fai_left *left,
	      struct err *e);

#endif
