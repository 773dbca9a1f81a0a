/* SPDX-License-Identifier: MIT */
/* align.h - lines of tsv in columns, for terminals */
#ifndef SEQF_OUTPUT_ALIGN_H
#define SEQF_OUTPUT_ALIGN_H

#include "base/base.h"

enum { ALIGN_COLUMNS = 64 };

struct align {	/* all zero: no lines yet */
	size_t width[ALIGN_COLUMNS];	/* of the columns so far */
	struct buf text;		/* the lines of the last call */
};

/* text becomes the lines, whole ones, with blanks instead of tabs; columns are
 * as wide as those before, or wider. */
void align_lines(struct align *a, struct str lines);
void align_free(struct align *a);

#endif
