/* SPDX-License-Identifier: MIT */
/*
 * fasta.h - FASTA and FASTQ, letter by letter, detected by content
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
#ifndef SEQF_INPUT_FASTA_H
#define SEQF_INPUT_FASTA_H

#include "base/base.h"
#include "input/source.h"

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

#endif
