/* SPDX-License-Identifier: MIT */
/* line.h - a file of lines, such as a list of numbers or of places */
#ifndef SEQF_LINE_H
#define SEQF_LINE_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

enum { LINE_LONGEST = 1 << 24 };	/* bytes of a line */

/*
 * The next line into b, in place of what it held: b->n bytes without newline
 * and CR, and a 0 behind them.  1; 0 at the end of the file; ERR_IO, ERR_LIMIT
 * or ERR_NOMEM, which name the file.
 */
int line_next(struct buf *b, FILE *f, const char *path, struct err *e);

#endif
