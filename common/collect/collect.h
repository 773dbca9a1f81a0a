/* SPDX-License-Identifier: MIT */
/*
 * collect.h - what other folders may use of collect/: tables of results, added
 * up and in order
 */
#ifndef SEQF_COLLECT_COLLECT_H
#define SEQF_COLLECT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "letters/letters.h"
#include "rec/rec.h"

/*
 * Is the stream whole?
 *
 * The ledger is shown every frame that a program reads and every damage it
 * meets.  For every (run, scan) that appears, the receipts must cover serials
 * 0..N-1 of the run's END once, and their digests add up to END's.
 * 	Over a stream of chunks alone, CHUNK frames are the receipts.
 * 	A run has an id, a scan too.  Of several names of one run (a file, a
 * pipe, a copy compressed otherwise) the least is kept.  Inputs that begin
 * alike have one id unless --label differs: what of them does not agree is a
 * conflict.  Not thread-safe.
 */

struct ledger;

int ledger_new(struct ledger **l, struct err *e);
void ledger_free(struct ledger *l);

enum { LEDGER_COPY = 1 };
/*
 * Take note of a frame.  Returns 0; LEDGER_COPY if it repeats a result or
 * chunk that was seen (the caller drops it; counted for the note); ERR_FORMAT
 * if its payload is malformed (counted as damage here: warn and go on);
 * ERR_NOMEM, and ERR_IO where very many names are sorted on disk.  A frame
 * whose receipt lies wholly inside of ranges that other frames cover is a copy
 * as well only if it is the very same frame; overlaps are judged at the end.
 */
int ledger_frame(struct ledger *l, const struct rec_frame *f, struct err *e);
/* Something was damaged or cut (REC_DAMAGE): the verdict is incomplete. */
void ledger_damage(struct ledger *l);
/* CHUNK frames count as receipts (rec-view -O fasta, --check). */
void ledger_judge_chunks(struct ledger *l);
/* The output needs the subject's length: the verdict is incomplete without.
 * ERR_NOMEM, ERR_LIMIT. */
int ledger_wants_length(struct ledger *l, uint64_t run,
			const struct subject_ref *s, struct err *e);

/*
 * The verdict: 0 if everything is there; else ERR_INCOMPLETE with one line of
 * reason, and more lines, if any, by calling again (until 0; then it begins
 * anew).  The lines do not depend on the order of frames.
 * runs: number of runs that must appear, or 0.
 *	Incomplete is: no frame at all; a run without BEGIN, without END, with
 * disagreeing ENDs; a scan without BEGIN; missing serials (named as ranges,
 * the first ones of many); receipts of one chunk that disagree, or its
 * results as scanners wrote them; frames of one receipt missing (numbers,
 * last); digests that do not add up; ranges that overlap in part; two names
 * of one sequence; damage; too few or too many runs.
 *	Names are compared once: those that come after a verdict are not with
 * those before it.
 */
int ledger_verdict(struct ledger *l, uint64_t runs, struct err *e);
/* *whole: it has no line, of any runs.  0 or ERR_NOMEM. */
int ledger_whole(struct ledger *l, bool *whole, struct err *e);
/* Identical frames that were dropped. */
uint64_t ledger_copies(const struct ledger *l);
/* Name of the first input that came cut in two ways, both searched by one scan,
 * so that its rows are there twice; else of no letters. */
struct str ledger_cut_twice(struct ledger *l);

/*
 * Missing serials of every run as fasta-chunk --only @FILE reads them, appended
 * to b: one range "17" or "20-31" a line; with several runs or scans a comment
 * line "# run ... scan ..." before each.  ERR_INCOMPLETE if there is no END
 * that says how many there should be.
 */
int ledger_missing(struct ledger *l, struct buf *b, struct err *e);

/*
 * For merging in series: all ranges a scan of a run covers (adjacent ones
 * joined), to write receipts.  Results whose frames are not all there are left
 * out, and ranges that contradict each other get a digest that cannot add up,
 * so that the last stage sees both.  Runs and scans are in their order.
 */
size_t ledger_runs(const struct ledger *l);
const struct run_key *ledger_run(const struct ledger *l, size_t i);
size_t ledger_scans(const struct ledger *l, size_t run);
const struct scan_key *ledger_scan(const struct ledger *l, size_t run,
				   size_t i);
int ledger_ranges(struct ledger *l, size_t run, size_t scan,
		  const struct range **r, size_t *n, struct err *e);
/*
 * The length of a sequence longer than one chunk, from SEQ or its last CHUNK
 * (hits on shorter ones carry it themselves); LEN_UNKNOWN (rec.h) if none
 * did.
 */
uint64_t ledger_length(const struct ledger *l, uint64_t run,
		       uint64_t ordinal);
/* Letters of the run, if one END gives them; else LEN_UNKNOWN. */
uint64_t ledger_letters(const struct ledger *l, size_t run);
/* Distinct BEGIN texts in run order; *scan 0 for a run's own. */
size_t ledger_begins(const struct ledger *l);
const struct begin *ledger_begin(const struct ledger *l, size_t i);
/* The i-th one of a scan of a run in the order of the hashes of their texts;
 * *b becomes NULL if there are no more.  ERR_NOMEM. */
int ledger_begin_of(struct ledger *l, uint64_t run, uint64_t scan, size_t i,
		    const struct begin **b, uint64_t *hash, struct err *e);

/* Names and lengths of subjects by (run, ordinal). */

struct subject_len {
	uint64_t run, ordinal;
	uint64_t length;	/* LEN_UNKNOWN until given */
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
/* These are of one that is known by now. */
void lengths_shorten(struct lengths *l, uint64_t run, uint64_t ordinal,
		     uint64_t length);
void lengths_set_circular(struct lengths *l, uint64_t run, uint64_t ordinal);
static inline struct str
lengths_name(const struct lengths *l, const struct subject_len *s)
{
	return (struct str){ s->name_n ? (const char *)l->names.p + s->name_at :
			     "", s->name_n };
}
void lengths_free(struct lengths *l);

/*
 * Rows that others make superfluous: overlapping ones, and shadows
 */

struct overlap {	/* all zero: empty */
	struct interval {
		uint64_t beg, end;
		size_t next;	/* of the same bucket, index + 1 */
	} *v;
	size_t n, cap;
	size_t *bucket;
	size_t n_buckets;	/* a power of two */
	uint64_t width;		/* of the places of a bucket, a power of two,
				   at least the longest interval's length */
};

/*
 * Take [beg, end) unless it overlaps one taken before by more than share
 * (0 to 1) of the shorter of both.  1 taken, 0 not,
 * ERR_NOMEM.  O(1) for intervals of similar lengths.
 */
int overlap_take(struct overlap *o, uint64_t beg, uint64_t end,
		 struct decimal share, struct err *e);
void overlap_clear(struct overlap *o);	/* keeps its memory */
void overlap_free(struct overlap *o);

/*
 * Intervals that none with fewer edits hides
 *
 * An interval is a shadow if one with strictly fewer edits overlaps more than
 * half of the shorter of both, whether that one is a shadow itself or not.  So
 * the rule asks for no order; only the memory does: intervals come by where
 * they begin, and one is decided when the next begins at its end or behind it.
 */

struct shadow_of {
	uint64_t beg, end, edits;
	bool hidden;
};

struct shadow {		/* all zero: empty */
	struct shadow_of *v;	/* [first, n) may overlap what comes */
	size_t first, next, n, cap;	/* next: the first not handed out */
	struct queue rows;	/* of [next, n) */
	struct buf row;		/* the one handed out */
};

/* The next interval and its row, n bytes, which are copied.  None before it
 * begins behind it.  ERR_NOMEM, ERR_IO. */
int shadow_add(struct shadow *s, const struct shadow_of *x, const void *row,
	       size_t n, struct err *e);
/*
 * 1 and the first row not handed out yet that is no shadow, if nothing that
 * begins at beg or behind it can hide it (UINT64_MAX: nothing comes); 0 if
 * there is none; or an error.  The row, 8-byte aligned, lives until the next
 * call.
 */
int shadow_next(struct shadow *s, uint64_t beg, const void **row,
		struct err *e);
/* Everything was handed out; the next interval is of another group. */
void shadow_clear(struct shadow *s);
void shadow_free(struct shadow *s);

/*
 * The best hits of each group by a total order, in bounded memory
 *
 * Rows are kept in memory up to a budget; then they are sorted, cut to what
 * can still be among the best of their group, and if that is not enough
 * spilled to $TMPDIR.  The outcome does not depend on the order of arrival,
 * nor on the budget: merging is associative, commutative and idempotent.
 */

enum topk_per { PER_QUERY, PER_SUBJECT, PER_PAIR, PER_ALL };
enum topk_sort {
	SORT_SCORE, SORT_POSITION, SORT_BEGIN,
	SORT_OFFTARGET,		/* its score, then as SORT_SCORE */
	SORT_SUBJECT,		/* all queries together: run, subject, send */
	SORT_SCAN,		/* as a scanner writes them: run, subject,
				   send, query, strand, sbeg */
};

struct topk_params {
	uint64_t n;		/* best n of each group; 0: all */
	enum topk_per per;
	bool keep_ties;		/* rows whose score equals the n-th one's */
	enum topk_sort sort;
	struct decimal no_overlap;	/* if it is one: of rows of one query
				   that overlap on a subject by more than this
				   share of the shorter, only the best; before
				   n; ERR_USAGE for hits without sbeg */
	bool drop_shadows;	/* of rows of one query, subject and strand
				   (collect.h); before no_overlap; ERR_USAGE
				   also for local alignments */
	size_t memory;		/* bytes; 0: 64 MiB */
	bool partial;		/* more will be merged: n cuts only where that
				   cannot change the final outcome */
	bool by_run;		/* rows in order of run and scan first */
	bool split;		/* those over the origin of a circle become
				   two, HIT_PIECE: to its end, and from its
				   begin on */
};

/* Does it take all rows to know which ones stay? */
static inline bool
topk_needs_all(const struct topk_params *p)
{
	return p->no_overlap.unit || p->drop_shadows;
}
/* Are rows left out? */
static inline bool
topk_chooses(const struct topk_params *p)
{
	return p->n || topk_needs_all(p);
}

/* The words of --per, --ties and --sort. */
void topk_words(struct topk_params *p, const char *per, const char *ties,
		const char *sort);

struct topk;
int topk_new(struct topk **t, const struct topk_params *p, struct err *e);
void topk_free(struct topk *t);
/*
 * Copies what it keeps.  SCAN_LEAST scans keep their best score a query.  Of
 * SCAN_CLASS rows of one query, run, subject, strand and start (sbeg and, along
 * the strand, the query's: qbeg on +, qend on -) the best stays: higher score,
 * then less send, then the less end on the query along the strand.
 */
int topk_add(struct topk *t, const struct run_key *run,
	     const struct scan_key *scan, const struct hit *h, struct err *e);
/*
 * Of what was added of the scan, if its rule is SCAN_CLASS or SCAN_BEST, no
 * more than the n best of each query count: its scanner chose so many.  Call
 * it when all rows were added; of several n the largest counts.
 *	Rows that a limit drops free places of other groups: so partial merges
 * may cut only with PER_QUERY, or PER_ALL, ties cut and p.n <= n.
 */
void topk_limit(struct topk *t, const struct scan_key *scan, uint64_t n);
/*
 * Has a query of the scan as many rows as topk_limit() says, so that its
 * scanner, or the limit, may have left out others?  1, 0, or an error.  Call it
 * when all rows were added and all limits set.
 */
int topk_full(struct topk *t, const struct scan_key *scan, struct err *e);
/* No more rows: sort. */
int topk_finish(struct topk *t, struct err *e);
/* 1 the next row, 0 no more, or an error.  Pointers live until the next
 * call. */
int topk_next(struct topk *t, const struct run_key **run,
	      const struct scan_key **scan, struct hit *h, struct err *e);

/* A hit as a row that sorts, and the orders of rows (private). */

/* Behind it: CIGAR, query's name, subject's name, letters, zeros. */
struct row {
	uint32_t size;		/* of all, a multiple of 8 */
	uint32_t run, scan;	/* indices of keys */
	uint32_t flags;
	uint64_t query, subject;	/* ordinals */
	uint64_t qlen, slen, qbeg, qend, sbeg, send, edits;
	uint64_t offtarget;	/* and 1, or 0 */
	int64_t score;
	uint32_t n_cigar, n_qname, n_sname, n_letters;
};

/* A run or scan, the strings copied. */
struct key {
	struct run_key run;
	struct scan_key scan;
	struct buf text;
	uint32_t rank;		/* place in the order of its kind */
	uint64_t limit;		/* of topk_limit(), or 0 */
	bool full;		/* a query has so many rows, or had more */
};
struct keys {
	struct key *v;
	size_t n, cap, last;	/* last: found most recently */
	struct index by_id;	/* numbers + 1; of scans by id and rule */
	bool ranked;
	bool renamed;		/* a key got a lesser name: ranks may differ */
	bool fixed;		/* by the caller: no key gets another name */
};
/*
 * Index of the key, added if it is new; ERR_NOMEM.  Keys are identified by
 * the id; of several names (a file, a pipe, a copy) the least is kept, unless
 * names are fixed.
 */
long keys_run(struct keys *k, const struct run_key *run, struct err *e);
long keys_scan(struct keys *k, const struct scan_key *scan, struct err *e);
int keys_rank(struct keys *k, struct err *e);
void keys_free(struct keys *k);

/*
 * An order is a string: q query (scan order, then ordinal), s score, best
 * first, o off-target score, highest first, none last, u subject (run order,
 * then ordinal), r run, c scan, k strand and where the hit begins on subject
 * and query, w send and then where it ends on the query, both along the strand
 * that was searched, e send, b sbeg and then send.  Then come, in every order,
 * the subject, send, qend, sbeg, strand, qbeg, CIGAR, and what else
 * distinguishes rows; so equal rows are neighbours in all of them.
 */
struct row_order {
	const char *by;
	const struct keys *runs, *scans;
};
int row_cmp(const struct row_order *o, const struct row *a,
	    const struct row *b);

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

#endif
