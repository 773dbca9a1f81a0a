/* SPDX-License-Identifier: MIT */
/* flow.h - threads over a stream: records, feed, window, pump */
#ifndef SEQF_FLOW_FLOW_H
#define SEQF_FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "rec/rec.h"

/*
 * The bytes of whole records, kept until it is known which of them
 * are wanted
 *
 * A record reaches from its > or @ to the next one, or to the end of its file:
 * blank lines behind it belong to it, what stands before the first one to
 * none.  One thread reports what is read, another takes records in order.
 * The bytes that wait are bounded in memory; the rest lies in $TMPDIR.
 */

struct records;
/* memory: bytes that wait there, about. */
int records_new(struct records **r, size_t memory, struct err *e);
void records_free(struct records *r);

/*
 * The reader's side.  Bytes of a file in order (a tap of input.h), where in
 * the file a record begins, once the byte there was passed on, and the file's
 * end.  Failures are reported by records_next().
 */
void records_bytes(void *records, const uint8_t *p, size_t n);
void records_begin(struct records *r, uint64_t at);
void records_end_file(struct records *r);

/*
 * The next record, which is whole, is written or left out.  Where a file ends
 * without a newline, and another record follows, one is added.
 */
int records_next(struct records *r, bool wanted, struct out *o,
		 struct err *e);

/*
 * Frames of all operands in order
 *
 * A record stream gives its frames as they are.  FASTA, FASTQ and matrices are
 * cut on the fly exactly as fasta-chunk does it (which is a feed written out);
 * neighbouring operands of that kind are one run.
 */

struct feed_params {
	uint64_t own;		/* -L: owned letters a chunk; 1 to 2^30 */
	uint64_t context;	/* -W: part of the run id */
	uint64_t min_context;	/* scanners: cut with at least so much context;
				   not part of the run id */
	const char *label;	/* --label, or NULL */
	uint64_t part, parts;	/* --part; parts 0: everything */
	const char *only;	/* --only: "3,17,20-31" or "@FILE"; or NULL */
	const struct opt_list *regions;	/* letter 'r': name[:beg-end],
					   1-based; 0: a BED file; or NULL */
	const char *circular;	/* --circular: names with commas, "@FILE",
				   "auto", or "": all; NULL: none */
	bool mask;		/* lower case becomes N */
	bool digits;		/* are letters (input.h); no matrix may come */
	const char *matrix;	/* --matrix: auto, jaspar, ...; NULL: auto */
	bool text_only;		/* fasta-chunk: a record stream is an error */
	bool results;		/* wanted: an operand without a byte is a
				   stream that was never written, not
				   FASTA without a record; stdin and pipes
				   always are; with text_only, and beside text
				   without results, ERR_INCOMPLETE */
	unsigned threads;
	struct feed_look *look;		/* what feed_look() found; or NULL */
	struct records *records;	/* flow.h: it is given what is read
					   (then no matrix may come), or NULL */
};
extern const struct feed_params feed_defaults;	/* 1M, 1k, ... */

enum feed_kind {
	FEED_FRAME,	/* frame */
	FEED_RAW,	/* a cut chunk, to be encoded by feed_encode() */
	FEED_END,	/* END of a cut run; frame is made by feed_account() */
	FEED_DAMAGE,	/* text says what was skipped, or which stream beside
			   others holds not a byte */
};

struct feed_item {
	enum feed_kind kind;
	struct rec_frame *frame;	/* the item's reference */
	bool skip;			/* RAW not in --part or --only: only
					   its digest is wanted */
	uint64_t owned, digest;		/* of RAW, after feed_encode() */
	struct feed_cut *cut;		/* private: the raw chunk */
	char text[256];
	size_t dead_name;		/* DAMAGE: a stream holds not a byte; so
					   many bytes of text are its name */
};

/* What operands hold, before any of them is read. */
enum feed_holds {
	FEED_ANYTHING,	/* not looked at */
	FEED_TEXT,	/* also: not a byte */
	FEED_RECORDS,
};
struct feed_look {
	enum feed_holds holds;
	struct source *first;	/* stdin or a pipe that was looked into:
				   feed_open() takes it */
};
/*
 * Of the first operand, and of all that are files.  ERR_USAGE if some hold
 * text and some records: with feed_params.look so does a feed that comes to
 * such a pipe.
 */
int feed_look(struct feed_look *l, char **operands, size_t n, unsigned threads,
	      struct err *e);

/* After feed_look(): are the first frames of the first operand that holds a
 * byte results of a scan, not sequences?  If none does, that counts as results
 * that were never written; of a pipe behind an empty one nothing is known, and
 * it counts as sequences. */
int feed_look_results(const struct feed_look *l, char **operands, size_t n,
		      bool *results, struct err *e);

struct feed;
/*
 * operands: file names; none means stdin ("-").  ERR_USAGE for parameters out
 * of range or a malformed --only or -r; I/O errors.
 */
int feed_open(struct feed **f, char **operands, size_t n,
	      const struct feed_params *p, struct err *e);
/* 1 an item, 0 the end, or an error.  One thread at a time. */
int feed_next(struct feed *f, struct feed_item *it, struct err *e);
/* RAW: make the CHUNK frame (none with skip).  Any thread. */
int feed_encode(struct feed_item *it, struct err *e);
/*
 * Call for every item in order, after feed_encode(): sums up RAW items, and
 * makes the frame of END.  May run beside feed_next() in another thread.
 */
int feed_account(struct feed *f, struct feed_item *it, struct err *e);
void feed_drop(struct feed_item *it);
/*
 * At the end: which serials of --only a run of so many chunks does not have,
 * as "99, 120-130"; false if it has them all.
 */
struct feed_absent {
	char text[512];
};
bool feed_absent(const struct feed *f, uint64_t chunks,
		 struct feed_absent *a);
/*
 * At the end: which operands of text hold no record, as a line for users;
 * false if there is none.  It is no error, but hardly what was meant.
 */
struct feed_blank {
	char text[2100];
};
bool feed_blank(const struct feed *f, struct feed_blank *b);
/*
 * At the end: two sequences of one run have one name, among its first 65,536,
 * so that rows may be of either.  A line for users; false if there are none.
 */
struct feed_twice {
	char text[300];
};
bool feed_twice(const struct feed *f, struct feed_twice *t);
/*
 * At the end: of --part or --only all is read, though there is FILE.sfi.  A
 * line for users; false if it is not so.
 */
struct feed_stale {
	char text[SFI_WHY];
};
bool feed_stale(const struct feed *f, struct feed_stale *s);
/* How far the reading has come; any thread may ask. */
struct feed_place {
	uint64_t n_bytes;	/* decompressed */
	uint64_t n_read;	/* of the files, as they are */
	uint64_t n_letters;	/* searched, if who reads counts them */
};
struct feed_place feed_place(struct feed *f);
void feed_close(struct feed *f);

/*
 * A chunk as text to be searched: letters side by side with their
 * left context, as planes, sets or bytes
 */

enum window_kind {
	WINDOW_PLANES,	/* DNA; letters beside A C G T are exceptions */
	WINDOW_SETS,	/* DNA; IUPAC codes as sets (only if there are any,
			   else planes) */
	WINDOW_UPPER,	/* bytes, upper case */
	WINDOW_BYTES,	/* bytes as they are */
};

struct window_seg {
	const struct chunk_row *row;
	uint64_t beg, end;	/* place in the text, a multiple of 64 */
	uint64_t from, to;	/* ends it owns: anchor = letter after the end;
				   the last piece also owns the end */
	uint64_t origin;	/* position in the sequence of letter beg */
};

/*
 * Places whose letters match nothing.  With it, N has no letter in sets, and
 * as bytes such a place holds N.
 */
struct window_hide {
	/* The first such place of the sequence's [*from, *to), which becomes
	 * it; false: there is none.  Any thread. */
	bool (*next)(const void *ctx, struct str name, uint64_t *from,
		     uint64_t *to);	/* NULL: N only */
	const void *ctx;
};

struct window {
	uint64_t n;
	const uint64_t *planes, *exc, *sets;	/* as struct kdiff_text */
	const uint8_t *bytes;
	struct window_seg *seg;
	size_t n_seg;
	bool empty;		/* set it before: sequences without letters
				   get a segment, too */
	const char *hint;	/* set it before: the option for other letters,
				   of messages; NULL: --alphabet=protein */
	const struct window_hide *hide;	/* set it before; or NULL */
	struct buf own[4];	/* private: memory, reused */
	size_t seg_cap;
};

/*
 * Lay out all rows of c.  context: letters needed before what is owned; taken
 * from c itself and, for row 0, from the chunks before (nearest first).
 * Whole circular rows were unrolled (chunk_unroll()).
 * gap: letters between segments, at least.  The window refers to c and to the
 * chunks before.  ERR_USAGE if the context is too short and the row is not a
 * sequence's first: the reason names the -W that cures it.  ERR_FORMAT for a
 * letter outside of the alphabet when kind is WINDOW_PLANES or WINDOW_SETS
 * (names subject and position, and the hint).  ERR_NOMEM.
 */
int window_build(struct window *w, enum window_kind kind, uint64_t context,
		 uint64_t gap, const struct chunk *c,
		 const struct chunk *before, size_t n_before, struct err *e);
void window_free(struct window *w);
/* Letters of seg, [beg, end) of the text, as in the input (end - beg + 64
 * bytes); they may reach into the chunks before. */
int window_letters(const struct window *w, const struct window_seg *seg,
		   const struct chunk *c, const struct chunk *before,
		   size_t n_before, uint64_t beg, uint64_t end, uint8_t *s);

/*
 * Threads over a feed, results in order
 *
 * Frames are read in order by whichever thread is free, one for each thread
 * ahead, worked on in parallel, and emitted in order.  At most 2 * threads + 2
 * jobs are in flight, beside those that are postponed, and few that are done if
 * their results are large: a slow consumer or one slow chunk stops the reading.
 *
 * Where there are fewer jobs than threads, a job in parts keeps them busy: who
 * began it takes one part after the other, and whoever finds nothing to read
 * takes some, too.
 */

struct pump_job {
	struct feed_item item;	/* encoded already: item.frame is set, but for
				   skipped RAW, FEED_END and FEED_DAMAGE */
	uint64_t number;	/* of the item in the feed */
	/*
	 * For a CHUNK of a record stream whose row 0 is the continuation of
	 * the chunk before: the frames before it, the nearest first, as many
	 * as reach back pump_ops.context letters, if the stream held them.
	 */
	struct rec_frame **before;
	size_t n_before;
	struct buf out;		/* work() fills it; emit() uses it */
	void *result;		/* the same, free()d by the pump */
	/*
	 * work() may cut the job if `threads`, those that may take parts, are
	 * more than 1: n_parts = 2 to PUMP_MAX_PARTS, and `parts` for its
	 * own use.  few: there may be no other jobs for some of them;
	 * plenty: there are, for all.
	 */
	unsigned threads, n_parts;
	bool few, plenty;
	void *parts;
	/*
	 * Or postpone it, with its weight, if there are batches.  It is worked
	 * on again, batched, when its batch is done, and may be cut then.
	 */
	bool postponed, batched;
	uint64_t weight;
};
enum { PUMP_MAX_PARTS = 64, PUMP_MAX_BATCH = 128 };

/*
 * Jobs that are postponed until many are done at once, e.g. by a GPU.  call()
 * gets those that wait, in order, PUMP_MAX_BATCH at most and no more than
 * `weight` together unless it is one.  Nobody waits for more to come: there is
 * a smaller batch as soon as a thread has nothing else to do, unless `calls`
 * are running.  While those that are postponed weigh `weight` for each call and
 * once more, nothing is read.
 */
typedef void pump_batch_fn(void *ctx, unsigned thread, struct pump_job **job,
			   unsigned n);
struct pump_batch {
	pump_batch_fn *call;	/* NULL: none */
	unsigned calls;		/* at a time, by any threads: 1 or more */
	uint64_t weight;	/* 1 or more */
};

struct pump_ops {
	uint64_t context;	/* letters wanted before an owned interval */
	/* Of items with a frame.  Any thread, in any order; thread is below
	 * `threads`.  May be NULL. */
	int (*work)(void *ctx, unsigned thread, struct pump_job *job,
		    struct err *e);
	/*
	 * Of a job that work() has cut: its parts, each once, by any threads
	 * at the same time.  next: the parts before it are joined, so that
	 * nobody else writes to the job's results before it returns.
	 */
	int (*part)(void *ctx, unsigned thread, struct pump_job *job,
		    unsigned part, bool next, struct err *e);
	/* Each part after it is done, in order, one at a time, by any thread,
	 * beside other parts' work.  May be NULL. */
	int (*join)(void *ctx, struct pump_job *job, unsigned part,
		    struct err *e);
	struct pump_batch batch;
	/* One at a time, in order; END's frame is made by now. */
	int (*emit)(void *ctx, struct pump_job *job, struct err *e);
};

/* Jobs that are in flight at most: between work() and emit(). */
unsigned pump_jobs(unsigned threads, const struct pump_batch *b);

/*
 * Until the feed ends or anything fails; the failure of the first item in order
 * (of its first part) is the one reported, and no item after it is emitted.  At
 * most `threads` jobs are between work() and their last part, beside those that
 * failed or are postponed.
 */
int pump_run(struct feed *f, const struct pump_ops *ops, void *ctx,
	     unsigned threads, struct err *e);

/*
 * What jobs in parts borrow from work() to their last join()
 *
 * As many things as threads are enough for all but jobs that failed, as those
 * keep what they had: then there may be none.
 */

struct pump_pool {	/* of things 0 to n - 1 */
	unsigned n;
	bool *lent;
};

int pump_pool_new(struct pump_pool *p, unsigned n, struct err *e);
void pump_pool_free(struct pump_pool *p);	/* zeroed will do */

/* Any thread.  The number of one that nobody has; n: there is none. */
unsigned pump_pool_borrow(struct pump_pool *p);
void pump_pool_give_back(struct pump_pool *p, unsigned i);

/* All that other folders may use of flow/. */


#endif
