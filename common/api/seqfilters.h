/* SPDX-License-Identifier: MIT */
/*
 * seqfilters.h - read record streams, and write scanners of your own
 *
 * 	cc prog.c $(pkg-config --cflags --libs --static seqfilters)
 *
 * seqf_open() and seqf_next() show the hits, counts and pieces of sequences of
 * streams; the end is only reached if nothing is missing.  seqf_scan_open(),
 * seqf_scan_next() and seqf_scan_hit() make a filter between fasta-chunk and
 * merge-topk: receipts, BEGIN and all else that the ledger needs are written
 * for it.  examples/library/ has both in full; rec(5) has the bytes.
 *
 * Positions are 0-based, ends not included; a subject's are forward, a query's
 * those of the query as it was given.  Texts and arrays belong to the object
 * that showed them, until the next call with it.  Nothing here prints or
 * exits.  Different objects may be used by different threads at a time.
 *
 * Stable: within SEQF_API 1 nothing is taken away or changes its meaning or
 * layout; kinds of records may be added, so skip those that you do not know.
 */
#ifndef SEQF_API_SEQFILTERS_H
#define SEQF_API_SEQFILTERS_H

#ifndef SEQFILTERS_H
#define SEQFILTERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SEQF_API 1
#define SEQF_UNKNOWN UINT64_MAX	/* a length or number that is not known */

enum seqf_code {
	SEQF_ENOMEM = -1,
	SEQF_EIO = -2,		/* open, read, write, close */
	SEQF_EFORMAT = -3,	/* malformed or damaged input */
	SEQF_ELIMIT = -4,	/* a stated limit is exceeded */
	SEQF_EUSAGE = -5,	/* what was asked for does not fit */
	SEQF_EINCOMPLETE = -6,	/* the stream is not whole */
};
/* What went wrong, in one line: file, record, position. */
struct seqf_error {
	int code;
	char text[1000];
};
/* The exit status that the programs would give: 1, 2 or 3. */
int seqf_exit(int code);
const char *seqf_version(void);

struct seqf_text {
	const char *p;		/* not terminated */
	size_t n;
};

/* A row of a scanner, as merge-topk takes it. */
struct seqf_hit {
	uint64_t run, scan;	/* ids of the input and of the search */
	struct seqf_text query, subject;
	uint64_t query_number, subject_number;	/* from 0, as in the input */
	uint64_t query_length, subject_length;	/* the latter may be unknown */
	/* Of a circular sequence subject_end may be beyond the length: the
	 * letters go on at 0.  Its pieces are refused: SEQF_EUSAGE. */
	uint64_t query_beg, query_end, subject_beg, subject_end;
	int64_t score;
	uint64_t edits;		/* or SEQF_UNKNOWN */
	int minus;		/* the strand */
	int ends_only;		/* subject_beg is not known */
	const char *cigar;	/* along the forward subject, terminated; NULL:
				   none */
	struct seqf_text letters;	/* of the subject; n 0: none */
};

/* Letters [beg, end) of a sequence, of which it owns [own_beg, own_end). */
struct seqf_piece {
	uint64_t run, chunk;	/* chunk: its number in the run */
	struct seqf_text name, description;	/* the latter with the first */
	uint64_t number;	/* the sequence's, from 0 */
	uint64_t beg, end, own_beg, own_end;
	uint64_t length;	/* of the sequence, with the last; or unknown */
	int first, last;
	const char *letters;	/* as in the input, terminated */
};

/* Ends with so many edits, of asm-scan --histogram and --report=count. */
struct seqf_count {
	uint64_t run, scan;
	struct seqf_text query;
	int minus;
	uint64_t edits, count;
};

enum seqf_kind {
	SEQF_HIT = 1,
	SEQF_PIECE,	/* of letters; matrices are not shown */
	SEQF_COUNT,
	SEQF_OTHER,	/* a frame without any of these: see u.type */
};
struct seqf_record {
	enum seqf_kind kind;
	union {
		struct seqf_hit hit;
		struct seqf_piece piece;
		struct seqf_count count;
		int type;
	} u;
};

struct seqf_reader;
/*
 * The streams of n files ("-" or none: stdin), one behind the other; FASTA and
 * FASTQ are cut as fasta-chunk does it; all may be gzip.
 */
int seqf_open(struct seqf_reader **r, const char *const *paths, size_t n,
	      struct seqf_error *e);
void seqf_close(struct seqf_reader *r);
/*
 * 1 and a record; 0 at the end, if all that belongs to the streams was there
 * once; else below 0.  SEQF_EINCOMPLETE comes at the end, too: what was read
 * before is not all, and a table made of it would be wrong.  A copy of a frame
 * is shown once.
 */
int seqf_next(struct seqf_reader *r, struct seqf_record *x,
	      struct seqf_error *e);

/* What a scanner looks for. */
struct seqf_query {
	const char *name, *letters;	/* terminated */
};
struct seqf_search {
	const char *program, *version;
	const char *options;	/* all that rows depend on but version and
				   queries: lines "key value\n"; or NULL */
	const struct seqf_query *query;
	size_t n_queries;
	uint64_t context;	/* letters needed before own_beg */
};

struct seqf_scanner;
/* Read operands as seqf_open() does, write a stream to `to` (NULL: stdout; a
 * file appears when seqf_scan_close() has it whole). */
int seqf_scan_open(struct seqf_scanner **s, const struct seqf_search *what,
		   const char *const *paths, size_t n, const char *to,
		   struct seqf_error *e);
/*
 * 1 and the next piece, or 0: no more.  Frames that are not chunks pass as
 * they are.  A damaged frame is SEQF_EFORMAT: the scan cannot go on.
 */
int seqf_scan_next(struct seqf_scanner *s, struct seqf_piece *p,
		   struct seqf_error *e);
/*
 * A hit in the piece shown last: its last letter must be one that the piece
 * owns, so that of overlapping pieces just one reports it.  Of the hit are
 * read query_number, the positions, score, edits, minus, ends_only, cigar and
 * letters; names and lengths are known.
 */
int seqf_scan_hit(struct seqf_scanner *s, const struct seqf_hit *h,
		  struct seqf_error *e);
/* Write what is left, if all went well; s is gone, whatever is returned. */
int seqf_scan_close(struct seqf_scanner *s, struct seqf_error *e);
/* Give up: a file `to` does not appear. */
void seqf_scan_abort(struct seqf_scanner *s);

#ifdef __cplusplus
}
#endif

#endif

#endif
