/* SPDX-License-Identifier: MIT */
/*
 * bam.h - the reads of BAM, and as FASTQ text
 *
 * As `samtools fastq` has them: as they were sequenced (those on the reverse
 * strand are turned back), /1 and /2 behind the names of a pair's two, without
 * secondary and supplementary alignments (flags 0x900); where a read has no
 * qualities they are B.  Unlike there, reads without letters are kept.  What is
 * aligned where is dropped.
 */
#ifndef SEQF_INPUT_BAM_H
#define SEQF_INPUT_BAM_H

#include <stdbool.h>

#include "base/base.h"

struct bam;

bool bam_is(const uint8_t *p, size_t n);
/* name: of the file, in errors; it must last.  NULL: no memory. */
struct bam *bam_new(const char *name);
/* A read as it is in BAM; valid until the next call. */
struct bam_read {
	struct str name, mate;		/* mate: /1, /2 or nothing, behind it */
	unsigned flag;
	const uint8_t *letters;		/* two a byte, then its qualities */
	size_t n;			/* letters */
	const struct dna_ops *ops;
};
/*
 * Of the next *n bytes of the unpacked file, any number, as many are taken as
 * make a read whole: 1; 0: all are; ERR_FORMAT or ERR_NOMEM.  A record is kept
 * until it is whole; memory grows as its bytes come, whatever length it claims.
 */
int bam_next(struct bam *b, const uint8_t **p, size_t *n, struct bam_read *r,
	     struct err *e);
/* Letters [beg, beg + n) of the read as it was sequenced; 64 bytes more may be
 * overwritten.  Is a = among them? */
bool bam_letters(const struct bam_read *r, size_t beg, size_t n, uint8_t *to);
/* The same as text, appended, of n bytes. */
int bam_feed(struct bam *b, const uint8_t *p, size_t n, struct buf *text,
	     struct err *e);
/* The file ends here: was that between two records? */
int bam_end(const struct bam *b, struct err *e);
void bam_free(struct bam *b);

#endif
