/* SPDX-License-Identifier: MIT */
/*
 * ebwt_colours.h - which sequences are one colour: a genome, say (private)
 */
#ifndef SEQF_SCAN_EBWT_EBWT_COLOURS_H
#define SEQF_SCAN_EBWT_EBWT_COLOURS_H

#include "base/base.h"
#include "ebwt/ebwt.h"
#include "scan/ebwt/ebwt_seqs.h"

enum ebwt_by_kind {
	EBWT_BY_RECORD, EBWT_BY_FILE, EBWT_BY_PREFIX, EBWT_BY_TABLE,
};
/* A line of a table: all its records are of the group. */
struct ebwt_by_row {
	struct str record, group;
	unsigned found;		/* ebwt_colours_of() that met the name last */
};
struct ebwt_by {		/* all zero: EBWT_BY_RECORD */
	enum ebwt_by_kind kind;
	struct str separator;	/* EBWT_BY_PREFIX */
	struct buf text;	/* EBWT_BY_TABLE */
	struct ebwt_by_row *row;
	size_t n, cap;
	struct index by_name;	/* numbers + 1 of rows, by hash */
	uint64_t hash;		/* of all this */
	unsigned calls;		/* of ebwt_colours_of() */
	const struct ebwt_by_row *twice;	/* one of these met it twice */
};
/*
 * "record", "file", "prefix:C", "@TABLE": the table is read.  ERR_USAGE for
 * what is none of these, ERR_FORMAT names the line.
 */
int ebwt_by_parse(struct ebwt_by *b, const char *arg, struct err *e);
void ebwt_by_free(struct ebwt_by *b);
/* At the end of all: ERR_FORMAT for a record that was not there.  remark, or
 * NULL, gets a line of one that was there twice. */
int ebwt_by_check(const struct ebwt_by *b, void (*remark)(const char *text),
		  struct err *e);

/* Sequences of a run, or queries, as colours. */
struct ebwt_colours {
	struct ebwt_seq *v;	/* like sequences, n letters in all */
	size_t n, cap;
	uint32_t *of;		/* by sequence: its colour */
	struct index by_name;
	bool several;		/* one has more than a sequence */
};
/*
 * Colours in the order of their first sequences.  Files have numbers, which
 * file[] names, from 1; NULL: they are not known, and none is asked for.
 * ERR_FORMAT for two files of one name, an empty prefix, and a sequence that
 * the table lacks; ERR_USAGE if a file is not known.
 */
int ebwt_colours_of(struct ebwt_colours *c, struct ebwt_by *b,
		    const struct ebwt_seq *seq, size_t n,
		    const struct str *file, size_t n_files, struct err *e);
void ebwt_colours_free(struct ebwt_colours *c);
/* ERR_FORMAT if one of these names is in `seen`, where they are put: one
 * colour's sequences in two runs are not one colour. */
int ebwt_colours_meet(const struct ebwt_colours *c, struct index *seen,
		      struct err *e);

/* The reverse complement, of as many letters, or positions of a matrix.
 * ERR_FORMAT for what is no nucleotide. */
int ebwt_reverse(uint8_t *to, const struct ebwt_seq *q, struct err *e);

/*
 * Words of queries and others, two sides, each with its colours, or both
 * without; with `both`, all their reverse complements, too.
 */
struct ebwt_side {
	const struct ebwt_seq *seq;
	size_t n;
	const struct ebwt_colours *colours;	/* or NULL */
};
struct ebwt_painted {
	struct ebwt_word *word;
	uint32_t *of;		/* NULL without colours */
	size_t n;
	uint8_t *reverse;	/* letters of reverse complements */
};
/* ERR_FORMAT for what is no nucleotide; ERR_LIMIT for a colour of too many
 * letters; ERR_NOMEM. */
int ebwt_paint(struct ebwt_painted *p, const struct ebwt_side side[2],
	       bool both, struct err *e);
void ebwt_painted_free(struct ebwt_painted *p);

#endif
