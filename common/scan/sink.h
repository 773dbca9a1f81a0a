/* SPDX-License-Identifier: MIT */
/*
 * sink.h - where a scanner's frames go: a record stream, or text that is judged
 *
 * FORMAT_REC: BEGIN, SEQ, END, result frames and unknown optional frames pass
 * in order; CHUNK frames end here.  Any other format: the ledger sees every
 * frame and the printer every row, in the order of the input, not of arrival;
 * tallies are added up.
 */
#ifndef SEQF_SCAN_SINK_H
#define SEQF_SCAN_SINK_H

#include "base/base.h"
#include "collect/collect.h"
#include "output/output.h"
#include "rec/rec.h"

typedef int sink_hit_fn(void *ctx, const struct run_key *run,
			const struct scan_key *scan, const struct hit *h,
			struct err *e);

struct sink_params {
	enum format format;
	bool header, letters;	/* as in struct printer_params */
	const char *prog;
	const struct queries *queries;	/* for text that shows them */
	/* As in struct printer_params; tables: TABLE_*, what may come. */
	const char *columns;
	const struct queries *files;
	unsigned tables;
	bool colour;
	struct topk_params best;	/* of text: if it chooses rows, and of
				   FORMAT_BED and FORMAT_BLAST6, they come as
				   merge-topk writes them, else in order of the
				   input */
	uint64_t slack;		/* of text: how far rows may be out of order;
				   0: they are not (reorder.h) */
	uint64_t longest;	/* letters that a row spans at most; 0: it is
				   not known */
	bool array;		/* these as in struct printer_params */
	void (*note)(int level, const char *fmt, ...);
	uint64_t nearest;	/* of text: distances of each; 0: all */
	void (*progress)(uint64_t done, uint64_t of);	/* of their rows */
	/*
	 * Finds sites of primers, which are final (primers_set_sites()), if the
	 * stream was whole; if part of it is not there, sink_finish() is
	 * ERR_USAGE.  Or NULL.
	 */
	int (*sites)(void *ctx, struct primers *p, struct err *e);
	void *sites_ctx;
	/* Instead of printing them: takes the hits, in order of the input;
	   the format is text, and without header.  Or NULL. */
	sink_hit_fn *hit;
	void *hit_ctx;
	/* Instead of printing them: takes the primers, if the stream was whole;
	   the format is text, without header.  Or NULL. */
	int (*take)(void *ctx, struct primers *p, struct err *e);
	void *take_ctx;
	bool primers;	/* no table of primers unless the stream is whole */
	/* Gives distances other names; or NULL. */
	void (*rename)(void *ctx, struct dist *d);
	void *rename_ctx;
	bool dists;		/* a table without rows is one of distances */
};

struct sink;
int sink_new(struct sink **s, const struct sink_params *p, struct out *o,
	     struct err *e);
void sink_free(struct sink *s);

/* What sink_frame() may return beside 0 and errors. */
enum { SINK_WARN = 1 };	/* the frame is malformed: e says how; go on */
/* A frame that came in. */
int sink_frame(struct sink *s, const struct rec_frame *f, struct err *e);
/* BEGIN of a scan, for every run before its first result; again is harmless. */
int sink_begin(struct sink *s, const struct run_key *run,
	       const struct scan_key *scan, struct str text, struct err *e);
/* A stream of which nothing came: in records, a run that is never ended. */
int sink_dead(struct sink *s, const struct run_key *run,
	      const struct scan_key *scan, struct str text, struct err *e);
/* Frames that were made, as bytes; the same as sink_frame() for each. */
int sink_bytes(struct sink *s, const struct buf *frames, struct err *e);
/* False: rows can be no text yet (rows.h). */
bool sink_prints(const struct sink *s, struct rows_print *how);
/* Rows of a chunk, behind its frames. */
int sink_rows(struct sink *s, uint64_t run, const struct buf *rows,
	      struct err *e);
/* Something was damaged: REC_DAMAGE. */
void sink_damage(struct sink *s);

/* No more frames: everything goes out. */
int sink_finish(struct sink *s, struct err *e);
/*
 * Are the results complete?  0, or ERR_INCOMPLETE with one line of reason;
 * call again for more until 0.  In a record stream only damage counts.
 */
int sink_verdict(struct sink *s, struct err *e);
/* Queries that have best.n rows; they may have had more. */
uint64_t sink_full(const struct sink *s);
/* Rows that were made; 0 with best.n, of which some are never made. */
uint64_t sink_hits(const struct sink *s);
uint64_t sink_copies(const struct sink *s);	/* frames that came twice */
/* As ledger_length(), of text. */
uint64_t sink_length(const struct sink *s, uint64_t run, uint64_t ordinal);
bool sink_any(const struct sink *s);		/* some frame came */

#endif
