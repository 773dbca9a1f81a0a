/* SPDX-License-Identifier: MIT */
/*
 * collect.h - what other folders may use of collect/: tables of results, added
 * up and in order
 */
#ifndef SEQF_COLLECT_COLLECT_H
#define SEQF_COLLECT_COLLECT_H

#include <stdbool.h>

#include "base/base.h"
#include "collect/ledger.h"
#include "collect/overlap.h"
#include "collect/topk.h"
#include "letters/letters.h"
#include "rec/rec.h"

/* Counts of TALLY frames, added up. */

struct count {
	uint32_t run, scan;	/* indices of keys */
	struct tally_row row;	/* .query.name.p is not set: at */
	size_t at;		/* of the name in names */
};

struct counts {	/* all zero: empty */
	struct keys runs, scans;
	struct count *v;
	size_t n, cap;
	size_t *slot;		/* index + 1 into v, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n */
	struct buf names;
};

/* ERR_NOMEM; ERR_LIMIT if a sum does not fit 64 bits. */
int counts_add(struct counts *c, const struct tally *t, struct err *e);
/* The same of a TALLY frame; ERR_FORMAT if it is malformed. */
int counts_frame(struct counts *c, const struct rec_frame *f, struct err *e);
/*
 * Sort: by run and scan if by_run, else by scan, the runs' rows added up; then
 * by query ordinal, strand, edits.  Nothing can be added afterwards.
 */
int counts_finish(struct counts *c, bool by_run, struct err *e);
/* The i-th row, i < n, its name set. */
struct tally_row counts_row(const struct counts *c, size_t i);
void counts_free(struct counts *c);

/* Names and lengths of subjects by (run, ordinal). */

struct subject_len {
	uint64_t run, ordinal;
	uint64_t length;	/* LEN_UNKNOWN (result.h) until given */
	size_t name_at, name_n;
	bool named;
	bool circular;		/* a row says so */
};

struct lengths {	/* all zero: empty */
	struct subject_len *v;	/* in the order they came */
	size_t n, cap;
	uint32_t *slot;		/* index + 1 into v, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n */
	struct buf names;
};

/*
 * Records a length and, if name.p is not NULL, a name; with length LEN_UNKNOWN
 * the name only.  ERR_FORMAT if another length was given before; ERR_NOMEM;
 * ERR_LIMIT.
 */
int lengths_put(struct lengths *l, uint64_t run, uint64_t ordinal,
		struct str name, uint64_t length, struct err *e);
/* NULL if nothing is known of it. */
const struct subject_len *lengths_get(const struct lengths *l, uint64_t run,
				      uint64_t ordinal);
/* It is known by now. */
void lengths_set_circular(struct lengths *l, uint64_t run, uint64_t ordinal);
struct str lengths_name(const struct lengths *l, const struct subject_len *s);
void lengths_free(struct lengths *l);

/*
 * What waits until its turn has come: frames, and rows in the order
 * of the input
 */

/*
 * Frames in the order of their input, whatever order they came in
 *
 * A frame whose turn it is goes on at once; others (parts one behind the
 * other, say) wait in a sorter, by run and serial, until the end of input.
 * A gap does not stop the frames behind it: the ledger reports what is missing.
 */

/* What a frame covers: serials [first, end) of a run; of the frames of one
 * scan's one receipt it is the number-th. */
struct turn_place {
	const struct run_key *run;
	uint64_t scan;		/* its id; 0 for chunks */
	uint64_t first, end;
	uint32_t number;
	bool last;
};

/* A frame's turn has come. */
typedef int turn_fn(void *ctx, const struct rec_frame *f, struct err *e);

struct turn;
int turn_new(struct turn **t, turn_fn *put, void *ctx, struct err *e);
void turn_free(struct turn *t);

/* What put() returned, or ERR_NOMEM, ERR_IO. */
int turn_frame(struct turn *t, const struct turn_place *at,
	       const struct rec_frame *f, struct err *e);
/* END of a run: behind its last chunk another run may begin. */
int turn_end(struct turn *t, const struct run_key *run, uint64_t chunks,
	     struct err *e);
/* No more frames: those that wait go on, run by run. */
int turn_finish(struct turn *t, struct err *e);

/*
 * Rows put in order that come out of it by a few letters
 *
 * For rows in the order of a scanner but that one may end, or, if they are
 * wanted by where they begin, begin up to `slack` letters before the end of one
 * that came earlier.  A row goes on as soon as none that is still to
 * come can precede it, so that few wait.
 */

typedef int hold_put_fn(void *ctx, uint64_t run, uint64_t scan,
			const struct hit *h, struct err *e);

struct hold;
/* by_begin: in the order of topk's SORT_BEGIN. */
int hold_new(struct hold **h, uint64_t slack, bool by_begin, hold_put_fn *put,
	     void *ctx, struct err *e);
void hold_free(struct hold *h);
/* One row; what put() returned, or ERR_NOMEM. */
int hold_hit(struct hold *h, uint64_t run, uint64_t scan,
	     const struct hit *row, struct err *e);
/* No more rows. */
int hold_finish(struct hold *h, struct err *e);

/*
 * Primers of many PRIMER frames: merged, filtered, in order
 *
 * Ends of one target merge by elementwise maximum, so the outcome does not
 * depend on the order of frames, nor on how often one came.  Memory: 9 bytes
 * a letter of the targets and strand, 17 with --three-prime.
 */

struct primers;

/* by_run: for records, which keep the runs apart; else of all of a scan's
 * backgrounds one maximum. */
int primers_new(struct primers **p, bool by_run, struct err *e);
void primers_free(struct primers *p);

/* The arrays of ends may change hands (then they are NULL).  ERR_FORMAT if
 * frames of one target disagree in anything but ends. */
int primers_add(struct primers *p, struct primer_part *part,
		struct err *e);
/* Nothing can be added afterwards.  ERR_FORMAT as above. */
int primers_finish(struct primers *p, struct err *e);
/*
 * Held every receipt every start of every target?  Asked when the ledger is
 * whole: else that is no news.  A start that one of them lacks would seem to
 * be rare in the background.  ERR_FORMAT.
 */
int primers_check(const struct primers *p, struct err *e);
bool primers_any(const struct primers *p);

/*
 * What the last stage does with ends, from the canonical text of a frame,
 * lines "key value":
 *	k N		differences; always there
 *	min-len N	a shorter primer is lengthened
 *	max-len N	a longer one is dropped; ends may be cut at so many
 *			letters from their start
 *	three-prime LEN:K	there is a second array, end() of K
 *	alphabet dna|literal	which letters may stand in a primer: A C G T,
 *			or any
 * and what drops primers whose letters are not as wanted, bounds included:
 *	gc LO-HI	G and C in percent of all letters
 *	tm LO-HI	melting temperature, degrees Celsius (letters.h)
 *	tm-salts MONOVALENT DIVALENT DNTP PRIMER	for it; with tm only
 *	max-homopolymer N	of one letter in a row
 *	fit yes		such a primer is lengthened until they are, up to
 *			max-len, which must be there; three-prime holds still
 * Decimals have up to three places, and no needless zeros.
 */
struct primer_rule {
	uint64_t k, min_len, max_len, tail, tail_k;	/* 0: none */
	bool literal, gc, tm, fit;
	/* Thousandths. */
	uint64_t gc_lo, gc_hi, tm_lo, tm_hi;
	struct melting_salts salts;
	uint64_t homopolymer;	/* 0: any */
};
/* ERR_FORMAT for what is missing, malformed, or not known here. */
int primer_rule(struct primer_rule *r, struct str options, struct err *e);
/* The canonical text. */
void primer_rule_put(struct buf *b, const struct primer_rule *r);
/* A decimal number in thousandths, up to most; or two of them, LO-HI with
 * lo <= hi.  False for anything else. */
bool primer_decimal(struct str s, uint64_t most, uint64_t *v);
bool primer_range(struct str s, uint64_t most, uint64_t *lo, uint64_t *hi);

/* A target's letters and ends along one strand of it. */
struct primer_strand {
	uint64_t len;
	const uint8_t *letters;
	const uint64_t *end, *end3;	/* as in struct primer_part */
};
/*
 * to[j] becomes the end of the primer that starts at j, 0 without one
 * (definitions of primer-find, three-prime and all).  O(len), but with tm,
 * where a primer whose halves are each other's complement costs its length, and
 * with fit, where each start may cost max_len.
 */
void primer_ends(const struct primer_rule *r, const struct primer_strand *s,
		 uint64_t *to);

/* What of a background is the nearest to a primer. */
struct primer_site {
	struct str subject;
	bool minus;
	uint64_t sbeg, send, edits;	/* forward */
	struct str cigar;	/* empty: no letter of the primer is there */
};

struct primer_row {
	uint64_t run;		/* the least id of the runs */
	struct query_ref target;
	uint64_t beg, end, k;	/* forward */
	bool minus;
	struct str sequence;	/* 5' to 3' */
	const struct primer_site *site;	/* or NULL */
};
/* All primers by scan, target, beg, strand, to row(ctx, ...), until it fails.
 * After primers_finish(). */
int primers_rows(struct primers *p,
		 int (*row)(void *ctx, const struct primer_row *r,
			    struct err *e), void *ctx, struct err *e);
/* Sites of all rows, in their order: they outlive the rows. */
void primers_set_sites(struct primers *p, const struct primer_site *site);
/* The frames of a run and scan; t is their receipt but for number and last. */
int primers_frames(struct primers *p, const struct run_key *run,
		   const struct receipt *t,
		   int (*put)(void *ctx, struct rec_frame *f, struct err *e),
		   void *ctx, struct err *e);

/*
 * Distances of many DIST frames: as one table, or as matrices
 *
 * Equal rows are one, and the outcome depends neither on the order of frames
 * nor on how often one came.  Memory: 24 bytes a pair, weighted 64.
 */

struct dists;
int dists_new(struct dists **d, struct err *e);
void dists_free(struct dists *d);
/* ERR_FORMAT if frames disagree about a name or the kind of distance. */
int dists_add(struct dists *d, const struct dist *f, struct err *e);
bool dists_any(const struct dists *d);	/* a frame came, with rows or not */
bool dists_weighted(const struct dists *d);	/* all of them */

struct dists_params {
	/*
	 * -n: 0 all; else of each a the n least values, ties by b.  Of a
	 * triangle each pair counts for both.
	 */
	uint64_t n;
	bool all;	/* the n least of all pairs, as they are */
	bool ties;	/* and those that are as near as the last one */
	bool position;	/* not the nearest first, but by b */
	bool by_run;	/* for records: runs apart, pairs once */
	/* Rows that are out, now and then; or NULL. */
	void (*progress)(uint64_t done, uint64_t of);
};
/*
 * Cut and sort: by scan, a, b; with n by scan, a, value, b.  Nothing can be
 * added afterwards.  ERR_FORMAT if a pair has two distances.
 */
int dists_finish(struct dists *d, const struct dists_params *p, struct err *e);

/* What a row of text shows. */
struct dist_text {
	uint64_t run;
	struct str a, b, metric;
	uint64_t alen, blen;	/* or LEN_UNKNOWN */
	bool weighted;
	struct dist_row row;	/* a and b mean nothing */
};
int dists_rows(const struct dists *d,
	       int (*row)(void *ctx, const struct dist_text *r,
			  struct err *e), void *ctx, struct err *e);
/* The frames of a run and scan; t is their receipt but for number and last. */
int dists_frames(const struct dists *d, const struct run_key *run,
		 const struct receipt *t,
		 int (*put)(void *ctx, struct rec_frame *f, struct err *e),
		 void *ctx, struct err *e);

/*
 * PHYLIP matrices, one for each scan of a run: square, or without the upper
 * triangle and the diagonal (lower).  Names are relaxed: blanks and what has a
 * meaning in trees become _, and a name that is there already gets _2, _3 and
 * so on; short ones are padded to ten letters.  Strict ones are cut to ten
 * bytes of ASCII, so that _2 takes the place of their last two if need be.
 * Lines go to line(ctx, ...).
 * Or, with the same names, trees by neighbour joining: each a line of Newick's
 * format, or all as one SVG file, of at most 2,000 leaves each (ERR_LIMIT).
 * ERR_USAGE for distances to queries; ERR_FORMAT where a number is missing, or
 * strict names are too many.  After dists_finish() without n and by_run.
 */
enum dists_matrix {
	DISTS_NONE, DISTS_SQUARE, DISTS_LOWER, DISTS_STRICT, DISTS_NEWICK,
	DISTS_SVG_TREE,
};
int dists_phylip(const struct dists *d, enum dists_matrix kind,
		 int (*line)(void *ctx, const struct buf *b, struct err *e),
		 void *ctx, struct err *e);

/* What the files of dists share (private). */

/* A subject of a run, or a query of a scan. */
struct dist_name {
	bool query;
	uint32_t of;		/* index of the run, or of the scan */
	uint32_t rank;		/* place among all names */
	uint64_t ordinal, len;
	size_t at, n;		/* of the name in text */
};
/* Distances of a scan of a run. */
struct dist_set {
	uint32_t run, scan;
	bool weighted, rect;
	size_t at, n;		/* of the metric in text */
};
struct dist_pair {
	double value;
	uint32_t set, a, b;	/* indices */
	uint32_t more;		/* index, of weighted ones */
};
struct dist_more {
	double weighted_mean, min, max, log2_pairs;
	uint64_t pairs;
};

struct dists {
	struct dists_params p;
	struct keys runs, scans;
	struct buf text;	/* names and metrics */
	struct dist_name *name;
	size_t n_names, cap_names;
	size_t *slot;		/* index + 1 of a name, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n_names */
	struct dist_set *set;
	size_t n_sets, cap_sets;
	struct index sets;	/* numbers + 1, by those of run and scan */
	struct buf pairs, more;	/* struct dist_pair, struct dist_more */
	uint32_t *by_rank;	/* names */
};

static inline struct dist_pair *
dists_pairs(const struct dists *d, size_t *n)
{
	*n = d->pairs.n / sizeof(struct dist_pair);
	return (struct dist_pair *)(void *)d->pairs.p;
}

static inline struct str
dists_str(const struct dists *d, size_t at, size_t n)
{
	return (struct str) { n ? (const char *)d->text.p + at : "", n };
}

/* What a pair's row holds beside a and b. */
struct dist_row dists_values(const struct dists *d, const struct dist_pair *p);

/* All that other folders may use of collect/. */


#endif
