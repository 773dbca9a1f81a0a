/* SPDX-License-Identifier: MIT */
/* query.h - the query side: patterns, queries, targets (-q, -e) */
#ifndef SEQF_INPUT_QUERY_H
#define SEQF_INPUT_QUERY_H

#include "base/base.h"

struct query {
	struct str name;	/* of a -e or a line: its letters */
	struct str desc;
	struct str letters;	/* as given */
	bool prob;		/* a matrix: letters are 4 native floats a
				   position, not aligned */
	uint32_t line;		/* in the file, from 1; 0: not known */
	const char *where;	/* file it came from, or "-e" */
};

struct queries {
	struct query *v;	/* ordinal = index */
	size_t n;
	struct buf heap;	/* owns the letters and names */
	const char *base;	/* basename of the first file without .gz, .bgz;
				   "-e" if there is none */
	/* With skip_empty: so many were left out, of which this is the
	 * first one, number empty_at from 1 on in the order given. */
	size_t n_empty, empty_at;
	struct query empty;
};

/*
 * What is read at most, so that a small compressed file cannot take all memory
 * before it is refused.  0: QUERY_LETTERS, QUERY_BYTES, QUERY_NUMBER.
 */
struct query_limits {
	uint64_t letters;	/* of one query; or positions of a matrix */
	uint64_t bytes;		/* of letters, names and descriptions of all,
				   and QUERY_COST for each query */
	uint64_t n;		/* queries */
	bool skip_empty;	/* those without letters are left out if there
				   are others */
};
#define QUERY_LETTERS (UINT64_C(1) << 30)
#define QUERY_BYTES (UINT64_C(1) << 32)
#define QUERY_NUMBER UINT64_C(10000000)
enum { QUERY_COST = 64 };

/*
 * Items of -q (FASTA, FASTQ, or one query a line, detected by content, gz too;
 * "-" is stdin) and -e, in the order given.  No query at all, or one without
 * letters, is ERR_USAGE naming it.  with -q lines: CRLF and blank lines are
 * accepted, blanks inside a line are an error.  bytes: a plain line or -e
 * may hold any byte (--alphabet=bytes).
 */
int queries_load(struct queries *q, const struct opt_list *items, bool bytes,
		 struct err *e);
/*
 * With limits of one's own; too long a query is ERR_USAGE, too many or too
 * much in all is ERR_LIMIT.
 */
int queries_load_within(struct queries *q, const struct opt_list *items,
			bool bytes, const struct query_limits *most,
			struct err *e);
/*
 * As queries_load(), but files may also hold matrices, detected by content, and
 * whole genomes: of one query at most 2^32 letters, of all 2^34 bytes, or so
 * much memory; 0: no such limit.
 */
int queries_load_weighted(struct queries *q, const struct opt_list *items,
			  int64_t memory, struct err *e);
void queries_free(struct queries *q);
/* Put file, line and name of the query, which is called what, before the text
 * of e; returns e->code. */
int query_blame(const struct query *q, const char *what, struct err *e);
/* The first query whose name another one had before; NULL: there is none, or
 * no memory to find out. */
const struct query *queries_twice(const struct queries *q);
/* Whether all letters are A C G T U N, and they are enough to decide. */
bool queries_are_dna(const struct queries *q);
/* Appends a line with the letters of all, for BEGIN, unless they are many or
 * not all of them print: query-letters, and as many words. */
void queries_text(const struct queries *q, struct buf *b);
/* Hash of names and letters, to be part of a scan id. */
uint64_t queries_hash(const struct queries *q);

#endif
