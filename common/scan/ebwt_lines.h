/* SPDX-License-Identifier: MIT */
/* ebwt_lines.h - the lines of a listing: M_L, M_chi, M_gamma */
#ifndef SEQF_EBWT_LINES_H
#define SEQF_EBWT_LINES_H

#include "base/buf.h"
#include "stream/source.h"

/*
 * A row a line: a letter (any byte but tab and newline), a tab, 0 or 1, and
 * perhaps a tab and what is not read.  A first line that begins with '#' and
 * is no row holds the names.  last and chi, which are empty, get a byte a row.
 * ERR_FORMAT names the line, also if there is no row at all.
 */
int ebwt_lines_read(struct source *s, struct buf *last, struct buf *chi,
		    struct err *e);

#endif
