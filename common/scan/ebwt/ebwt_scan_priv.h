/* SPDX-License-Identifier: MIT */
/* ebwt_scan_priv.h - what the files of ebwt_scan share (private) */
#ifndef SEQF_SCAN_EBWT_EBWT_SCAN_PRIV_H
#define SEQF_SCAN_EBWT_EBWT_SCAN_PRIV_H

#include "base/base.h"
#include "ebwt/ebwt.h"
#include "input/input.h"
#include "scan/ebwt/ebwt.h"

/*
 * Words that wait in a temporary file (private)
 *
 * Pieces of A C G T alone take two bits a letter, others eight; in memory each
 * has some bytes.  Not thread-safe.
 */

struct ebwt_piece {
	uint64_t word, beg;	/* where it is in the word's sequence */
	uint64_t at;		/* in the file */
	uint32_t n;		/* letters */
	bool packed;
};
struct ebwt_store {		/* zero it first */
	struct spool file;
	struct ebwt_piece *piece;
	size_t n, cap;
	uint64_t *planes;	/* of a piece */
	bool sorted;
};
void ebwt_store_free(struct ebwt_store *s);
/* Letters [beg, beg + n) of a word, upper case; in any order. */
int ebwt_store_put(struct ebwt_store *s, uint64_t word, uint64_t beg,
		   const uint8_t *letters, uint64_t n, struct err *e);
/* All pieces of a word, one behind the other. */
int ebwt_store_get(struct ebwt_store *s, uint64_t word, uint8_t *to,
		   struct err *e);
static inline uint64_t
ebwt_store_bytes(const struct ebwt_store *s)
{
	return s->n * sizeof *s->piece;
}

/*
 * Which sequences are one colour: a genome, say (private)
 */

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

struct ebwt_scan {
	struct ebwt_options o;
	struct queries *q;	/* n is 0 without */
	struct ebwt_seq *query;	/* q->n */
	struct buf names;	/* headers of these */
	struct ebwt_seqs *seqs;	/* while it runs, else NULL */
	struct scan_key key;
	struct buf text;	/* of BEGIN */
	struct solid_rule rule;
	unsigned threads;
	struct ebwt_by by;
	bool coloured;		/* distances are of colours */
	struct ebwt_colours colours;	/* of queries, then */
};

/* The sequences of one run, and of it what they cover. */
struct ebwt_run {
	const struct whole_run *run;
	const struct ebwt_seq *seq;
	size_t n;
	struct ebwt_colours colours;	/* of these, if they are wanted */
};

/* What may be taken: --memory, or what the machine has; and its name. */
uint64_t ebwt_memory(const struct ebwt_scan *s);
const char *ebwt_limit(const struct ebwt_scan *s, char *room, size_t n);

/*
 * Says beforehand what it takes: so many bytes, which `what` goes on about,
 * and, if known (above 0), the nanoseconds of one processor; if that is long,
 * `cure` says how it would be less.
 */
void ebwt_note(const struct ebwt_scan *s, const char *what, uint64_t n_bytes,
	       double ns, const char *cure);

/* The lines of a listing: M_L, M_chi, M_gamma. */

/*
 * A row a line: a letter (any byte but tab and newline), a tab, 0 or 1, and
 * perhaps a tab and what is not read.  A first line that begins with '#' and
 * is no row holds the names.  last and chi, which are empty, get a byte a row.
 * ERR_FORMAT names the line, also if there is no row at all.
 */
int ebwt_lines_read(struct source *s, struct buf *last, struct buf *chi,
		    struct err *e);

/* For transforms beside n_bytes of letters; ERR_LIMIT if none are left. */
int ebwt_params_of(const struct ebwt_scan *s, uint64_t n_bytes,
		   struct ebwt_params *p, struct err *e);

/* The distances of a run, whichever way they come (private). */

/* Rows of a frame of plain sequences at most. */
enum { EBWT_FRAME_ROWS = RESULT_SPLIT / 16 };

/* Of words, or colours, in the table's order. */
struct ebwt_span {
	size_t beg, end;
};
/* Pairs of one of each; b empty: all pairs of a. */
struct ebwt_region {
	struct ebwt_span a, b;
};

/* Queries, if any, stand before the run's sequences. */
struct ebwt_table {
	const struct ebwt_scan *s;
	const struct ebwt_run *r;
	/* The sequences, or the colours, that pairs are of. */
	const struct ebwt_seq *query, *seq;
	size_t n_a, n;		/* queries; all */
	bool weighted;
	uint64_t n_pairs;
	struct ebwt_pairs *pairs;	/* of words, or */
	struct ebwt_nearest *nearest;	/* with -n, or */
	double *value;		/* of each pair of plain ones, or */
	/* Of each, and of both strands then of each one's reverse complement;
	 * for each pair. */
	struct ebwt_words *words;
	size_t n_words;
	struct ebwt_seq *reverse;
	struct ebwt_stat *stat;
	/* Of a part: its pairs, and the frames that parts before it make. */
	struct ebwt_region *region;
	size_t n_regions;
	uint64_t before;
};

static inline const struct ebwt_seq *
ebwt_seq_of(const struct ebwt_table *t, size_t i)
{
	return i < t->n_a ? &t->query[i] : &t->seq[i - t->n_a];
}

/* Pairs row by row: the first of row i; a < b, or a query and a sequence. */
static inline uint64_t
ebwt_row_begins(const struct ebwt_table *t, uint64_t i)
{
	return t->n_a ? i * (t->n - t->n_a) :
			i * t->n - i * (i + 1) / 2;
}

static inline size_t
ebwt_row_first(const struct ebwt_table *t, size_t i)
{
	return t->n_a ? t->n_a : i + 1;
}

static inline size_t
ebwt_rows(const struct ebwt_table *t)
{
	return t->n_a ? t->n_a : t->n;
}

/* The n nearest of each row's sequence; of equal ones the first.  What could
 * not be made is to be deleted, too. */
struct ebwt_nearest;
int ebwt_nearest_new(struct ebwt_nearest **h, const struct ebwt_table *t,
		     struct err *e);
void ebwt_nearest_delete(struct ebwt_nearest *h);
void ebwt_nearest_offer(struct ebwt_nearest *h, size_t a, size_t b,
			double value);
/* Fills in t->nearest. */
int ebwt_nearest_of_bands(struct ebwt_table *t, struct ebwt *x,
			  const struct ebwt_pairs_job *job, struct err *e);
/* Pairs that are near to either, each once, by a and b.  The heaps are gone. */
struct ebwt_near_pair {
	double value;
	uint32_t a, b;
};
size_t ebwt_nearest_pairs(struct ebwt_nearest *h, const struct ebwt_table *t,
			  const struct ebwt_near_pair **pairs);

/*
 * Fills in value, or nearest, and of a part region and before: two blocks of
 * words, or colours, at a time, as memory allows; the letters of sequences may
 * go to a file.  n_bytes: taken already, but for letters of sequences.
 * coloured: distances are of multisets.  ERR_LIMIT, before any work, if two do
 * not fit; ERR_NOMEM, ERR_IO.
 */
int ebwt_by_blocks(struct ebwt_table *t, const struct ebwt_pairs_job *job,
		   bool coloured, uint64_t n_bytes, struct err *e);

/*
 * Fills in words and stat; n_bytes: taken already.  ERR_LIMIT if --memory does
 * not suffice, ERR_FORMAT if a number is wanted where there is none.
 */
int ebwt_by_words(struct ebwt_table *t, uint64_t n_bytes, struct err *e);
/*
 * Each plain sequence found in each query's transform, letter by letter
 * (ebwt_gap.h): is that less work than to sort them, and is there memory?
 */
bool ebwt_walks(const struct ebwt_table *t, uint64_t n_bytes);
/* Fills in value.  ERR_LIMIT, ERR_NOMEM. */
int ebwt_by_walks(struct ebwt_table *t, uint64_t n_bytes, struct err *e);

#endif
