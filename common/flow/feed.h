/* SPDX-License-Identifier: MIT */
/*
 * feed.h - frames of all operands in order
 *
 * A record stream gives its frames as they are.  FASTA, FASTQ and matrices are
 * cut on the fly exactly as fasta-chunk does it (which is a feed written out);
 * neighbouring operands of that kind are one run.
 */
#ifndef SEQF_FLOW_FEED_H
#define SEQF_FLOW_FEED_H

#include "base/base.h"
#include "rec/rec.h"

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
	bool digits;		/* are letters (fasta.h); no matrix may come */
	const char *matrix;	/* --matrix: auto, jaspar, ...; NULL: auto */
	bool text_only;		/* fasta-chunk: a record stream is an error */
	bool results;		/* wanted: an operand without a byte is a
				   stream that was never written, not
				   FASTA without a record; stdin and pipes
				   always are; with text_only, and beside text
				   without results, ERR_INCOMPLETE */
	unsigned threads;
	struct feed_look *look;		/* what feed_look() found; or NULL */
	struct records *records;	/* records.h: it is given what is read
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

#endif
