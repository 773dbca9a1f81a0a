/* SPDX-License-Identifier: MIT */
/*
 * bam.h - the reads of BAM as FASTQ text
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
/*
 * The next n bytes of the unpacked file, any number; text is appended.  0,
 * ERR_FORMAT or ERR_NOMEM.  A record is kept until it is whole; memory grows
 * as its bytes come, whatever length it claims.
 */
int bam_feed(struct bam *b, const uint8_t *p, size_t n, struct buf *text,
	     struct err *e);
/* The file ends here: was that between two records? */
int bam_end(const struct bam *b, struct err *e);
void bam_free(struct bam *b);

#endif
