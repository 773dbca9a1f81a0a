/* SPDX-License-Identifier: MIT */
/*
 * columns.h - the columns of tsv: which are wanted, and how they stand on a
 * terminal
 */
#ifndef SEQF_OUTPUT_COLUMNS_H
#define SEQF_OUTPUT_COLUMNS_H

#include "base/base.h"

enum { COLUMNS_MAX = 64 };

struct columns {
	struct str name[COLUMNS_MAX];	/* point into the text */
	size_t n;
	size_t at[COLUMNS_MAX];		/* in the rows of the table */
	size_t n_all;			/* columns of these */
};

/* NAME,NAME,...; ERR_USAGE. */
int columns_read(struct columns *c, const char *text, struct err *e);
/*
 * A table's line of names, #NAME\tNAME...\n: rows that come are of it.
 * ERR_USAGE, naming one that is not there, and all that are.
 */
int columns_of(struct columns *c, struct str head, struct err *e);
/* b[at..n) is a row of the table, or its line of names: what is wanted of it
 * takes its place. */
void columns_pick(const struct columns *c, struct buf *b, size_t at,
		  bool names);

/* Lines of tsv in columns, for terminals. */

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
