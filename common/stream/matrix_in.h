/* SPDX-License-Identifier: MIT */
/* matrix_in.h - inside of the matrix readers: lines, rows, a block of rows */
#ifndef SEQF_MATRIX_IN_H
#define SEQF_MATRIX_IN_H

#include "stream/matrix.h"

struct motif {
	size_t name, n_name, n_desc;	/* in heap; desc follows the name */
	size_t cell;			/* first float in cells */
	size_t n;			/* positions */
};

struct matrix {
	const char *file;
	struct buf text;		/* the whole input */
	const char *p, *end;		/* of text: what is not yet parsed */
	uint64_t line;			/* of the line last taken */
	struct buf heap, cells, motifs;	/* struct motif */
	size_t next;			/* event: motif, */
	bool due;			/* its letters */
	/* the matrix being read */
	struct str name, desc;
	struct buf num;			/* double: all rows, one by one */
	struct buf rows;		/* struct row */
	char order[4];			/* letters of the columns, if [0] */
	bool numbered;			/* each row begins with its number */
	uint64_t named;			/* line that named it; 0: none */
};

struct row {
	char label;		/* A C G T, or 0 */
	size_t beg, n;		/* numbers */
};

/* The next line without its end; false: no more. */
bool matrix_line(struct matrix *m, struct str *s);
/* The next word of s, which it leaves; false: none is left. */
bool matrix_word(struct str *s, struct str *w);
bool matrix_begins(struct str s, const char *with);
/*
 * A row: an optional letter A C G T (U), then numbers; [ ] | : , among them
 * are blanks.  The numbers are appended to num.  False if it is none (then
 * num is as before).
 */
bool matrix_row(struct str s, struct row *r, struct buf *num);
/* "A C G T" in any order, with a word before it or not. */
bool matrix_columns(struct str s, char order[4], bool *numbered);
int matrix_bad(const struct matrix *m, const char *what, struct err *e);
/* Name and description from a line; nothing is changed if it is empty. */
void matrix_name(struct matrix *m, struct str s);
int matrix_add_row(struct matrix *m, struct str s, struct err *e);
/* The rows so far become a motif; none: nothing, or an error if it is named. */
int matrix_finish(struct matrix *m, struct err *e);

int matrix_parse_free(struct matrix *m, struct err *e);
int matrix_parse_meme(struct matrix *m, struct err *e);
int matrix_parse_transfac(struct matrix *m, struct err *e);

#endif
