/* SPDX-License-Identifier: MIT */
/*
 * ebwt.h - what other folders may use of scan/ebwt/: words, their sums, a scan
 */
#ifndef SEQF_SCAN_EBWT_EBWT_H
#define SEQF_SCAN_EBWT_EBWT_H

#include "ebwt/ebwt.h"
#include "ebwt/ebwt_gap.h"
#include "ebwt/weighted.h"
#include "input/input.h"
#include "scan/scan.h"

/*
 * Whole sequences, put together from the chunks of a stream
 *
 * Chunks may come in any order, and more than once.  Letters become upper
 * case, U becomes T.  Not thread-safe but for ebwt_seqs_decode().
 */

struct ebwt_seq {
	uint32_t run;		/* index in whole.run; of queries 0 */
	bool prob;		/* a matrix: 4 floats a position */
	uint32_t file;		/* number among those of the run, from 1; 0: not
				   known */
	uint64_t ordinal;
	struct str name;
	struct str full;	/* the whole header, if such are wanted; else
				   the name */
	uint64_t n;		/* letters, or positions; 1 at least */
	const uint8_t *letters;	/* or the floats; NULL: they are in a file */
	size_t part;		/* what it is called there */
};

/* What a sequence takes beside its letters, roughly: what is kept of it, in
 * arrays that grow and in tables, and memory that it does not fill. */
enum { EBWT_SEQ_BYTES = 300 };

struct ebwt_seqs;
/*
 * most: bytes in memory at most; 0: any number.  Letters beyond `resident`
 * bytes, if not 0, go to a temporary file, but for matrices.  full: headers are
 * wanted.
 */
int ebwt_seqs_new(struct ebwt_seqs **s, uint64_t most, uint64_t resident,
		  bool full, struct err *e);
void ebwt_seqs_free(struct ebwt_seqs *s);
/* The letters that a CHUNK frame owns, row by row; its digest is checked.
 * Any thread. */
int ebwt_seqs_decode(const struct rec_frame *f, struct buf *letters,
		     struct err *e);
/* A CHUNK frame with those.  ERR_LIMIT for more than `most`. */
int ebwt_seqs_add(struct ebwt_seqs *s, const struct rec_frame *f,
		  const struct buf *letters, struct err *e);
/* Any frame, NULL for damage: for ebwt_seqs_whole(). */
int ebwt_seqs_see(struct ebwt_seqs *s, const struct rec_frame *f,
		  struct err *e);
/*
 * No more chunks: *v becomes all sequences by run and ordinal, as long as s
 * lives.  ERR_INCOMPLETE if one lacks letters, ERR_FORMAT if one has none;
 * either names it.
 */
int ebwt_seqs_finish(struct ebwt_seqs *s, const struct ebwt_seq **v, size_t *n,
		     struct err *e);
/* From now on all letters are in the file; sequences that were handed out, too.
 * ERR_IO, ERR_NOMEM. */
int ebwt_seqs_spill(struct ebwt_seqs *s, struct err *e);
bool ebwt_seqs_spilled(const struct ebwt_seqs *s);
/* A sequence's letters from there, n of them.  Not thread-safe. */
int ebwt_seqs_load(struct ebwt_seqs *s, const struct ebwt_seq *q, uint8_t *to,
		   struct err *e);
/* ERR_INCOMPLETE unless all chunks of all runs came. */
int ebwt_seqs_whole(struct ebwt_seqs *s, struct err *e);
/* After ebwt_seqs_finish(): the sequence, or NULL. */
const struct ebwt_seq *ebwt_seqs_find(const struct ebwt_seqs *s, uint64_t run,
				      uint64_t ordinal);
/* The names of a run's files, by their numbers less 1: *file is free()d by the
 * caller, the names live as long as s.  ERR_FORMAT if two BEGINs differ. */
int ebwt_seqs_files(const struct ebwt_seqs *s, uint32_t run, struct str **file,
		    size_t *n, struct err *e);
/* ERR_FORMAT if a run has files, but no chunk; names the first of them. */
int ebwt_seqs_no_empty(const struct ebwt_seqs *s, struct err *e);
/* The runs, and what of them came. */
const struct whole *ebwt_seqs_runs(const struct ebwt_seqs *s);

/* Queries as such; *v is free()d by the caller, letters are the queries' own,
 * which are brought to upper case.  full: as above; names holds the headers. */
int ebwt_seqs_queries(struct queries *q, bool full, struct buf *names,
		      struct ebwt_seq **v, struct err *e);

/* Distances of all pairs of a word of one and one of another. */

/* The words of a sequence or matrix, listed or as a product. */

/* One word of a plain sequence, the solid ones of a matrix. */
struct ebwt_turn {
	uint64_t word;		/* the first of them */
	double n, weight;	/* how many there are; of all */
};
struct ebwt_words {
	const struct ebwt_seq *seq;
	uint64_t n;		/* UINT64_MAX: so many or more */
	uint64_t len;		/* of each */
	bool is_product;
	struct product product;	/* then; of a matrix */
	const uint8_t *letters;	/* n * len; NULL: they are not listed */
	const struct prob *p;
	const double *weight;	/* p, but for a factor that all have: the
				   largest is in [1/2, 1) */
	struct ebwt_gap_words by_end;
	struct ebwt_turn *turn;	/* or NULL: words that are rotations of each */
	uint64_t n_turns;	/* other, as one (ebwt_words_turns()) */
	uint64_t steps;		/* letters that by_end does not share, and
				   some for each word */
	struct gap_list packed;	/* by_end, if ebwt_words_pack() was called */
	struct solid own;	/* private */
	double *own_weight;
};
enum { EBWT_MAX_WORDS = 1 << 20 };	/* that are listed, of a matrix */
/*
 * The sequence must outlive it.  Words that are a product are listed if they
 * are at most `list`; other ones always.  As solid_words(), naming the
 * sequence.
 */
int ebwt_words_of(struct ebwt_words *w, const struct ebwt_seq *s,
		  const struct solid_rule *r, uint64_t list, struct err *e);
void ebwt_words_free(struct ebwt_words *w);
/* Puts those together that are rotations of each other, of EBWT_MAX_WORDS
 * words of a matrix and 32 letters at most.  ERR_NOMEM. */
int ebwt_words_turns(struct ebwt_words *w, struct err *e);
/* The binary logarithm of their number, which is not 0. */
double ebwt_words_log2(const struct ebwt_words *w);
/* Word j and its weight; `room` holds it if it is not listed. */
const uint8_t *ebwt_words_nth(const struct ebwt_words *w, uint64_t j,
			      uint8_t *room, double *weight);
/* A matrix's listed words for a backend, too.  ERR_NOMEM. */
int ebwt_words_pack(struct ebwt_words *w, struct err *e);
/* What the list takes, and the product. */
uint64_t ebwt_words_bytes(const struct ebwt_words *w);
/* An upper bound of the words left with such a theta_pos; UINT64_MAX: as
 * many or more, or it is not known. */
uint64_t ebwt_words_left(const struct ebwt_words *w,
			 const struct solid_rule *r, double theta_pos);

/* Distances of all pairs of a word of one and one of another. */

struct ebwt_stat {
	uint64_t pairs;		/* 0: then all are 0; UINT64_MAX: as many or
				   more, and */
	double log2_pairs;	/* their binary logarithm, else 0 */
	double mean, weighted_mean;
	double min, max;	/* -1: not known */
};

/* How words are walked through; or plain sequences compared with queries. */
enum ebwt_way {
	EBWT_WAY_AUTO,
	EBWT_WAY_LISTS,		/* each with each */
	EBWT_WAY_PRODUCT,	/* all of one at a time (weighted.h) */
	EBWT_WAY_SORT,		/* all together */
	EBWT_WAY_WALKS,		/* each in each query's gaps (ebwt_gap.h) */
	EBWT_WAY_FEW,		/* sorted, as if few anchors were too many */
};
struct ebwt_how {
	enum ebwt_metric metric;
	bool extremes;		/* the least and the largest are wanted */
	bool paper;		/* rotations written out, */
	uint64_t memory;	/* so many bytes at most */
	enum ebwt_way way;
	const struct gap_backend *backend;	/* or NULL */
	const uint64_t *term;	/* for it, if it is the entropy */
	uint32_t most_runs;
};

/* Of two: v's words one by one, each with all of u's; where those are a
 * product, one of all words of v that are rotations of each other. */
struct ebwt_route {
	const struct ebwt_words *u, *v;
	bool product;		/* of u */
	bool sums;		/* alone: least and most are not wanted */
	uint64_t items;		/* of v: words, or turns of them */
	bool parts;		/* u's words count as parts (product_parts()) */
	double cost;		/* nanoseconds of each item, roughly */
};
/* False: neither can be listed, nor is one of them a product that fits.  The
 * plan depends on words and metric alone. */
bool ebwt_route(struct ebwt_route *p, const struct ebwt_words *a,
	       const struct ebwt_words *b, const struct ebwt_how *how);
/* What the plan takes, of one thread, at most. */
uint64_t ebwt_route_bytes(const struct ebwt_route *p);

struct ebwt_gather;
/* Working memory of one thread; zero it first. */
struct ebwt_sums_work {
	struct ebwt_gather *gather;	/* what a backend has not done yet */
	struct ebwt_gap_work gap;
	struct product_work *product;
	uint8_t *word;
	size_t n_word;
};
void ebwt_sums_work_free(struct ebwt_sums_work *w);

/* A sum that loses nothing that 16 digits show (Neumaier 1974). */
struct ebwt_sum {
	double s, rest;
};
struct ebwt_sums {
	struct ebwt_sum d, pd, p;
	double min, max;
	bool some, unknown;
};
/*
 * Adds items [from, to) of v, some perhaps not before ebwt_gather_all().  The
 * same for any thread, each with its own work.  ERR_NOMEM, ERR_LIMIT.
 */
int ebwt_sums_add(struct ebwt_sums *y, const struct ebwt_route *p,
		  const struct ebwt_how *how, uint64_t from, uint64_t to,
		  struct ebwt_sums_work *work, struct err *e);
/* The same, at once and by this thread. */
int ebwt_sums_walk(struct ebwt_sums *y, const struct ebwt_route *p,
		   const struct ebwt_how *how, uint64_t from, uint64_t to,
		   struct ebwt_sums_work *work, struct err *e);
void ebwt_sums_join(struct ebwt_sums *to, const struct ebwt_sums *from);
/* All of v has been added. */
struct ebwt_stat ebwt_sums_stat(const struct ebwt_sums *y,
				const struct ebwt_route *p,
				const struct ebwt_how *how);

/*
 * Words of matrices put together for a backend, of several pairs
 * if need be: it takes a millisecond for whatever it is asked (private)
 *
 * Where words are a product (weighted.h), no backend is quicker: a word
 * takes half a nanosecond of a million, and 17 of 4096, and to add up what a
 * backend says of one takes 6.5.  So it has the words that are listed, which
 * take the CPU 330 each, and 840 for entropies (of 260 letters, one of 16 of
 * which varies).  Sums of products and of lists may differ in their last
 * digits: which it is, the CPU's plan says, with a backend or without.
 */

/* Has it the words for it, and has it room for them? */
bool ebwt_gather_can(const struct ebwt_route *p, const struct ebwt_how *how);
/* What has not been added yet. */
int ebwt_gather_all(const struct ebwt_how *how, struct ebwt_sums_work *work,
		    struct err *e);

/*
 * Distances of whole sequences by their extended
 * Burrows-Wheeler transform: options to a compiled scan, a stream to DIST
 * frames or text
 */

enum ebwt_what {
	EBWT_DISTANCES,
	EBWT_LISTING,	/* M_L, M_chi, M_gamma of each run's words */
	EBWT_WORDS,	/* the words, with their probabilities */
};

enum { EBWT_MAX_PARTS = 1 << 20 };

struct ebwt_options {
	enum ebwt_what what;
	enum ebwt_metric metric;
	double theta_pos, theta_word;
	bool extremes;		/* the least and the largest, too, of words */
	bool paper;		/* written-out rotations, and its thresholds */
	bool numbers;		/* a pair without a distance is an error */
	uint64_t most;		/* a run has no more sequences, or sets; 0: any
				   number */
	bool keeps;		/* the sink keeps rows until all came: text */
	bool header;		/* of listings and words */
	bool full_names;	/* names are whole headers */
	const char *by;		/* which sequences are one colour: record (also
				   NULL), file, prefix:C or @TABLE */
	bool both;		/* reverse complements are of the colour, too */
	int64_t n;		/* the nearest of each; 0: all pairs */
	uint64_t part, parts;	/* of so many parts of the pairs, which; 0: all
				   pairs */
	int64_t memory;		/* bytes; 0: no bound */
	enum ebwt_way way;	/* for tests */
	const struct ebwt_backend *backend;	/* or NULL */
	const struct gap_backend *gap_backend;	/* the same */
	/* Called by one thread; either may be NULL. */
	void (*note)(const char *text);	/* what memory it takes */
	void (*remark)(const char *text);	/* that it takes long, or
					   what has no distances */
	void (*progress)(uint64_t done, uint64_t of);
	void (*share)(double of_time);	/* that progress counts; of text the
					   rest is for rows; or NULL */
};

struct ebwt_scan;
/*
 * Without queries: distances of all pairs of a run's sequences.  With them: of
 * each to each sequence.  They must outlive the scan, and become upper case.
 * ERR_USAGE for thresholds out of [0, 1], and for what does not go together.
 */
int ebwt_scan_new(struct ebwt_scan **s, const struct ebwt_options *o,
		  struct queries *q, struct err *e);

/*
 * Read everything; then DIST frames go to the sink, which is finished
 * (scan.h), other text to `text`.  ERR_INCOMPLETE, before any result, if a
 * sequence, or (of all pairs, listings and words) a chunk is missing.
 */
int ebwt_scan_run(const struct scan_run *r, struct ebwt_scan *s,
		  struct out *text, uint64_t *n_letters, struct err *e);

/* Names of the scan's sequences become whole headers, with full_names; for the
 * sink, while the scan runs. */
void ebwt_full_names(void *scan, struct dist *d);

/*
 * Words from the lines of a listing, as FASTA.  ERR_FORMAT, naming the line or
 * saying that no words have such a transform; ERR_LIMIT.
 */
int ebwt_restore_text(char *const *operand, size_t n, unsigned threads,
		      struct out *to, struct err *e);

/* All that other folders may use of scan/ebwt/. */


#endif
