/* SPDX-License-Identifier: MIT */
/* scan_run.h - a scan over all operands, from the feed to the sink */
#ifndef SEQF_SCAN_SCAN_RUN_H
#define SEQF_SCAN_SCAN_RUN_H

#include "flow/flow.h"
#include "rec/rec.h"
#include "scan/scan_workers.h"
#include "scan/sink.h"
#include "scan/whole.h"

/* Frames that were put into memory, one by one. */

typedef int frames_fn(void *ctx, struct rec_frame *f, struct err *e);

/*
 * fn(ctx) of each frame in b, in order, until one fails.  They were made here:
 * that one is damaged is an error, ERR_FORMAT.
 */
int frames_each(const struct buf *b, frames_fn *fn, void *ctx, struct err *e);

/* A scan over all operands, from the feed to the sink. */

/* How far a scan is in the chunks that it has begun, in cells, or in starts of
 * primers. */
struct scan_cells {
	bool starts;
	uint64_t done, of;
	uint64_t left_out;	/* of those done: not computed */
};

/* What is done with chunks, and by what name. */
struct scan_ops {
	const struct scan_key *key;
	struct str text;		/* of BEGIN */
	uint64_t context;		/* letters before what a chunk owns */
	uint64_t cut;			/* context of those cut here, if more */
	uint64_t own;			/* letters of a chunk cut here; 0: as
					   ever */
	bool groups;			/* rows are not of sequences, which may
					   have equal names */
	uint64_t shortest;		/* letters of a sequence in which some
					   query can be; 0: of any */
	/*
	 * Any thread, in any order: out gets the frames of the chunk's
	 * receipt, or what keep() takes.
	 */
	int (*chunk)(void *ctx, unsigned thread, const struct rec_frame *f,
		     struct rec_frame *const *before, size_t n_before,
		     struct buf *out, struct err *e);
	/*
	 * Or, instead of chunk(), as pump.h says: for every frame, and chunks
	 * may be cut into parts.
	 */
	int (*work)(void *ctx, unsigned thread, struct pump_job *job,
		    struct err *e);
	int (*part)(void *ctx, unsigned thread, struct pump_job *job,
		    unsigned part, bool next, struct err *e);
	int (*join)(void *ctx, struct pump_job *job, unsigned part,
		    struct err *e);
	/* Or these; ctx is not for them. */
	struct scan_workers *workers;
	/* Of results of a whole stream: chunks in order, and all frames. */
	int (*keep)(void *ctx, const struct rec_frame *f,
		    const struct buf *out, struct err *e);
	/* Each END, if it is well-formed; may be NULL. */
	int (*end)(void *ctx, const struct run_end *end, struct err *e);
	int (*finish)(void *ctx, whole_put_fn *put, void *put_ctx,
		      struct err *e);
	/* Every frame in order, before keep(); NULL: something was damaged.
	 * May be NULL. */
	int (*see)(void *ctx, const struct rec_frame *f, struct err *e);
	/*
	 * cells() may be asked at any time from watch() on, which begins to
	 * call tick(tick_ctx), by any thread, now and then.  May be NULL.
	 */
	void (*watch)(void *ctx, void (*tick)(void *), void *tick_ctx);
	struct scan_cells (*cells)(void *ctx);
	void *ctx;
};

struct scan_run {
	struct sink *sink;
	char **operand;			/* files; none: stdin */
	size_t n_operands;
	struct feed_look *look;		/* what they hold; or NULL */
	const struct opt_list *regions;	/* of FASTA operands; or NULL */
	const char *circular;		/* of them (feed.h); or NULL */
	bool digits;			/* of them are letters (fasta.h) */
	bool protein;			/* is meant: DNA is noted */
	bool primers;			/* the queries are -p's, not -q's */
	bool joins;			/* results: they may come alone */
	unsigned threads;
	/* Each frame that comes in, in order; may refuse it.  Or NULL. */
	int (*see)(void *ctx, const struct rec_frame *f, struct err *e);
	void *see_ctx;
	/* What was damaged or is odd, and how far it is; by one thread. */
	void (*note)(const char *text);
	void (*progress)(struct feed_place at);	/* or NULL */
	/* The same of chunks that take long; by any thread, even beside the
	 * others.  Or NULL. */
	void (*cells)(struct feed_place at, const struct scan_cells *c);
};

/* Letters that the operands may hold, by the sizes of their files; 0: not
 * known. */
uint64_t scan_letters(const struct scan_run *r);

/* Say it where no query can be found in the longest sequence. */
void scan_note_short(uint64_t longest, uint64_t shortest, bool primers,
		     void (*say)(const char *text));

/*
 * Search everything and finish the sink; the verdict is the caller's to ask
 * for.  Errors of the feed, of the ops and of the sink.
 */
int scan_run(const struct scan_run *r, const struct scan_ops *ops,
	     struct err *e);

#endif
