/* SPDX-License-Identifier: MIT */
/*
 * fai_rows.h - what FILE.fai says where the sequences of FILE lie
 *
 * Any rows will do: what no row covers is read as it is.  Those that do not
 * fit what is in the file are noticed when it is read.
 */
#ifndef SEQF_INPUT_FAI_ROWS_H
#define SEQF_INPUT_FAI_ROWS_H

#include <stdint.h>

#include "base/base.h"

struct fai_row {
	size_t name_at, name_n;		/* in names */
	uint64_t n;			/* letters, > 0 */
	uint64_t at, end;		/* of their bytes in the file */
	uint64_t letters, bytes;	/* of a line */
};
struct fai_rows {
	struct fai_row *v;		/* in the order of the file */
	size_t n, cap;
	struct buf names;
	bool crlf;			/* set before: lines end in both */
};

/*
 * 1: of the file of that name and so many bytes; 0: there is no index, or none
 * that is of use: older than the file, of FASTQ, malformed; or ERR_NOMEM.
 */
int fai_rows_load(struct fai_rows *r, const char *path, uint64_t size,
		  struct err *e);
void fai_rows_free(struct fai_rows *r);

#endif
