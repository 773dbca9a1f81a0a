/* SPDX-License-Identifier: MIT */
/*
 * fai.h - FILE.fai of FASTA, and FILE.gzi of bgzf, as samtools faidx has them
 *
 * Byte for byte, also where samtools leaves a sequence out: one of no letters,
 * and all but the first of a name.  What it makes no index of is ERR_FORMAT:
 * lines of different lengths within a sequence, FASTQ, no letters at the end
 * (samtools passes over a > that ends the file; here it is an error).
 */
#ifndef SEQF_INPUT_FAI_H
#define SEQF_INPUT_FAI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* Sequences that are not in it. */
struct fai_left {
	uint64_t n_empty, n_twice;
	char empty[100], twice[100];	/* the first of them, cut */
	bool odd;			/* there is no FILE.sfi: blanks are in
					   lines, or what is no letter */
};

/* All are written beside a plain or bgzf file, and FILE.sfi (sfi.h), which is
 * the only one of 2bit. */
int fai_build(const char *path, unsigned threads, struct fai_left *left,
	      struct err *e);

#endif
