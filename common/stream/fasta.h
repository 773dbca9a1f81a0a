/* SPDX-License-Identifier: MIT */
/*
 * fasta.h - FASTA and FASTQ, letter by letter, told by content
 *
 * Accepts multi-line FASTQ (a quality line may begin with @ or +: qualities
 * are counted, not guessed), CRLF, blank lines, no final newline, records
 * without letters, a blank after >.  Letters are A-Z a-z * - . ; anything else
 * is an error with file, line, record and position.  Qualities are dropped.
 */
#ifndef SEQF_FASTA_H
#define SEQF_FASTA_H

#include "base/buf.h"
#include "base/err.h"
#include "stream/source.h"

struct fasta;
enum fasta_event { FASTA_EOF, FASTA_RECORD, FASTA_LETTERS };

struct fasta_piece {
	struct str name, desc;	/* FASTA_RECORD: up to the first blank; the
				   rest after the blank(s), byte for byte */
	const uint8_t *letters;	/* FASTA_LETTERS: newlines stripped; valid
				   until the next call */
	size_t n;
};

/* The source stays the caller's.  Empty input has no records. */
int fasta_new(struct fasta **f, struct source *s, struct err *e);
/* An enum fasta_event, or ERR_FORMAT, ERR_IO, ERR_NOMEM. */
int fasta_next(struct fasta *f, struct fasta_piece *p, struct err *e);
void fasta_free(struct fasta *f);

#endif
