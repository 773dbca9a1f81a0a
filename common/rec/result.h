/* SPDX-License-Identifier: MIT */
/*
 * result.h - result frames: HITS, TALLY, PRIMER, DIST, DONE (rec(5))
 *
 * A result frame holds its run's key, its receipt, the names it speaks of, and
 * rows.  Coordinates are 0-based half-open; the subject's are forward, the
 * query's are those of the query as given.
 */
#ifndef SEQF_REC_RESULT_H
#define SEQF_REC_RESULT_H

#include "base/base.h"
#include "rec/frame.h"

#define LEN_UNKNOWN UINT64_MAX

struct query_ref {
	uint64_t ordinal, len;
	struct str name;
};
struct subject_ref {
	uint64_t ordinal, len;	/* LEN_UNKNOWN until the sequence's end */
	struct str name;
};

enum {
	HIT_MINUS = 1,		/* strand */
	HIT_EDITS = 2,		/* edits is known */
	HIT_CIGAR = 4,
	HIT_LETTERS = 8,	/* --with-seq */
	HIT_NO_SBEG = 16,	/* --ends: sbeg is not known (read as send);
				   neither CIGAR nor letters then */
	HIT_OFFTARGET = 32,	/* offtarget is known */
	HIT_CIRCULAR = 64,	/* its sequence is: where send is beyond the
				   length, the letters go on at 0 */
	HIT_PIECE = 128,	/* only in memory: of one over the origin the
				   letters on this side; qbeg, qend are the
				   whole hit's sbeg, send */
};

/* Of struct hit's offtarget: 1. */
enum { OFFTARGET_ONE = 1000000000 };

struct hit {
	struct query_ref query;
	struct subject_ref subject;
	uint64_t qbeg, qend, sbeg, send;
	int64_t score;
	uint64_t edits;
	uint64_t offtarget;	/* how likely it is cut: 0 to OFFTARGET_ONE */
	unsigned flags;
	const uint32_t *cigar;	/* letters.h */
	size_t n_cigar;
	struct str letters;	/* the matched letters, forward, as in the
				   input */
};
/* Is it over the origin of a circular sequence? */
static inline bool
hit_over_origin(const struct hit *h)
{
	return h->flags & HIT_CIRCULAR && h->send > h->subject.len;
}

/*
 * One hit by itself as bytes (names and all) and back: what sorters and spools
 * keep.  hit_get: strings point into the bytes, cigar into ops, which it
 * overwrites; c->bad is set on damage.
 */
void hit_put(struct buf *b, const struct hit *h);
void hit_get(struct cur *c, struct hit *h, struct buf *ops);

/*
 * Orders of stream.md.  hit_cmp_scan: subject ordinal, send, query ordinal,
 * strand (+ first), sbeg, then the rest.
 */
int hit_cmp_scan(const struct hit *a, const struct hit *b);

/*
 * Builds the HITS frames of one receipt.  A frame is closed when it holds more
 * than RESULT_SPLIT bytes.  With no row at all one frame without rows is made:
 * the receipt must not get lost.
 */
enum { RESULT_SPLIT = 16 << 20 };
struct hits_writer;
int hits_writer_new(struct hits_writer **w, const struct run_key *run,
		    const struct receipt *r, struct err *e);
/* ERR_FORMAT if the hit cannot be: coordinates out of order or bounds, CIGAR or
 * letters that do not fit them, of SCAN_CLASS no beginning (result.c has the
 * rules). */
int hits_add(struct hits_writer *w, const struct hit *h, struct err *e);
/* b, which is empty, takes the frames that closed so far; it may stay empty. */
void hits_take(struct hits_writer *w, struct buf *b);
/* Bytes of all frames not taken are appended to b; call once, at the end. */
int hits_finish(struct hits_writer *w, struct buf *b, struct err *e);
/*
 * Rows that were gathered apart, by another thread: a writer that only
 * hits_add() fills, and hits_append() empties, as hits_add() of each row in
 * order.
 */
int hits_rows_new(struct hits_writer **rows, enum scan_rule rule,
		  struct err *e);
int hits_append(struct hits_writer *w, struct hits_writer *rows,
		struct err *e);
void hits_writer_free(struct hits_writer *w);

/* Reading: the frame must outlive it. */
struct hits_view {
	struct run_key run;
	struct receipt receipt;
	struct query_ref *query;
	size_t n_queries;
	struct subject_ref *subject;
	size_t n_subjects;
	uint64_t left;		/* rows not yet read */
	struct cur rows;
	struct buf ops;
};
int hits_view(struct hits_view *v, const struct rec_frame *f, struct err *e);
/* 1 a hit, 0 no more, or ERR_FORMAT. Strings point into the frame. */
int hits_next(struct hits_view *v, struct hit *h, struct err *e);
void hits_view_free(struct hits_view *v);
/* All hits of a frame in turn, until fn (NULL: none) returns below 0. */
typedef int hits_fn(void *ctx, const struct hits_view *v, const struct hit *h,
		    struct err *e);
int hits_each(const struct rec_frame *f, hits_fn *fn, void *ctx,
	      struct err *e);

/* Ends of a query on a strand with so many edits. */
struct tally_row {
	struct query_ref query;
	bool minus;
	uint64_t edits, count;
};
struct tally {
	struct run_key run;
	struct receipt receipt;
	struct tally_row *row;	/* by query ordinal, strand, edits; no two
				   alike (ERR_FORMAT) */
	size_t n_rows;
};
int tally_encode(struct rec_frame **f, const struct tally *t, struct err *e);
int tally_view(struct tally *t, const struct rec_frame *f, struct err *e);
void tally_free(struct tally *t);

/*
 * DONE, and the head of every result frame: run key and receipt.  The scan's
 * rule must fit the type (ERR_FORMAT): HITS union, least, class or best, TALLY
 * sum, PRIMER max, DIST union, DONE any.
 */
int done_encode(struct rec_frame **f, const struct run_key *run,
		const struct receipt *r, struct err *e);
/* Works on HITS, TALLY, PRIMER, DIST and DONE frames; free r->range. */
int result_head(const struct rec_frame *f, struct run_key *run,
		struct receipt *r, struct err *e);
/* The same, and the bytes behind the receipt: what the frame says, without
 * the names of the run and scan. */
int result_body(const struct rec_frame *f, struct run_key *run,
		struct receipt *r, struct str *body, struct err *e);

/*
 * PRIMER: end() of a stretch of one target on one strand of it, for a
 * background as far as the receipt covers it.  Merge: elementwise maximum.
 *	Stretches are cut where everybody cuts them, so that those of several
 * frames fit onto each other.  Positions of a reverse complement count along
 * it.
 */
enum { PRIMER_SPLIT = 1 << 22 };
struct primer_part {
	struct run_key run;
	struct receipt receipt;
	struct query_ref target;
	struct str options;	/* canonical text; parts merge if it is equal */
	bool minus;		/* of the target's reverse complement */
	uint64_t beg;		/* a multiple of PRIMER_SPLIT below len */
	size_t n;		/* starts: primer_starts() */
	const uint8_t *letters;	/* n: of the starts */
	uint64_t *end;		/* n: letters [start, end) of the target occur
				   with fewer than k differences, and no more;
				   start <= end <= len, never decreasing */
	uint64_t *end3;		/* n, or NULL: the same for --three-prime */
};
/* Starts of the part that begins at beg of a target of so many letters. */
static inline uint64_t
primer_starts(uint64_t n_letters, uint64_t beg)
{
	return n_letters - beg < PRIMER_SPLIT ? n_letters - beg : PRIMER_SPLIT;
}
int primer_encode(struct rec_frame **f, const struct primer_part *p,
		  struct err *e);
int primer_view(struct primer_part *p, const struct rec_frame *f,
		struct err *e);
void primer_free(struct primer_part *p);

/*
 * DIST: pairs of sequences.  Without queries both are subjects of the run, a's
 * ordinal below b's; with queries a is one of those.
 */
struct dist_row {
	uint64_t a, b;		/* indices of query or name, and of name */
	double value;		/* weighted: mean */
	/* weighted only; without pairs (no solid word) all values are 0 */
	double weighted_mean;
	double min, max;	/* -1: not known */
	uint64_t pairs;		/* UINT64_MAX: so many or more; then */
	double log2_pairs;	/* their binary logarithm, or 0: not known */
};
/* A row that is not weighted, in a quarter of the room. */
struct dist_few {
	uint32_t a, b;
	double value;
};
struct dist {
	struct run_key run;
	struct receipt receipt;
	struct str metric;
	bool weighted;
	bool rect;		/* with queries, if there be none */
	struct query_ref *query;
	size_t n_queries;
	struct subject_ref *name;
	size_t n_names;
	struct dist_row *row;
	size_t n_rows;
	struct dist_few *pair;	/* or NULL: for dist_encode(), instead of row */
};
int dist_encode(struct rec_frame **f, const struct dist *d, struct err *e);
int dist_view(struct dist *d, const struct rec_frame *f, struct err *e);
void dist_free(struct dist *d);

/* What the codecs of result frames share; not for programs. */

/* ERR_FORMAT naming the frame and what is wrong with it. */
int codec_bad(const struct rec_frame *f, const char *what, struct err *e);

/* Run key and receipt; where get fails, r->range is NULL. */
int codec_head_put(struct buf *b, unsigned type, const struct run_key *run,
		   const struct receipt *r, struct err *e);
int codec_head_get(struct cur *c, const struct rec_frame *f,
		   struct run_key *run, struct receipt *r, struct err *e);
/* The header's serial: the first one of the receipt, or 0. */
uint64_t codec_serial(const struct receipt *r);

void query_put(struct buf *b, const struct query_ref *q);
void query_get(struct cur *c, struct query_ref *q);
void subject_put(struct buf *b, const struct subject_ref *s);
void subject_get(struct cur *c, struct subject_ref *s);
/* Tables: a count, then entries.  *n = 0 and NULL if there is none. */
int queries_get(struct cur *c, struct query_ref **q, size_t *n, struct err *e);
int subjects_get(struct cur *c, struct subject_ref **s, size_t *n,
		 struct err *e);
/*
 * A count of things of at least min_bytes each, of which there cannot be more
 * than the bytes left hold: so no claimed count makes us allocate more than
 * a small multiple of what was read.  Else c->bad, and 0.
 */
size_t codec_count(struct cur *c, size_t min_bytes);
/* The same for a count given by the header. */
bool codec_fits(struct cur *c, uint64_t n, size_t min_bytes);

static inline uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t
get_zigzag(struct cur *c)
{
	uint64_t v = cur_var(c);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

#endif
