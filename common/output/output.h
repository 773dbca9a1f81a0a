/* SPDX-License-Identifier: MIT */
/* output.h - what other folders may use of output/: printers, merging, views */
#ifndef SEQF_OUTPUT_OUTPUT_H
#define SEQF_OUTPUT_OUTPUT_H

#include "base/base.h"
#include "collect/collect.h"
#include "output/print.h"
#include "output/printer.h"
#include "rec/rec.h"

/*
 * Results of any number of streams as one table, or as one stream
 *
 * First every frame is shown to merge_frame(); then the verdict is asked for;
 * then all of it is written as text or as records.  The outcome does not depend
 * on the order of frames, nor on how often one of them came.
 */

struct merge_params {
	struct topk_params topk;
	enum format format;	/* FORMAT_REC, or of the text */
	bool header, letters;	/* as in struct printer_params */
	uint64_t runs;		/* how many must be there; 0: any */
	const char *prog;
	bool colour;		/* these as in struct printer_params */
	const struct queries *queries;
	const char *columns;
	bool array;
	void (*note)(int level, const char *fmt, ...);
	bool chunks;		/* CHUNK frames count as receipts; they are
				   only for merge_missing() */
};

struct merge;
int merge_new(struct merge **m, const struct merge_params *p, struct err *e);
void merge_free(struct merge *m);

enum { MERGE_BAD = 1 };	/* the frame is malformed: e says how; go on */
/*
 * Take what the frame holds.  0, MERGE_BAD, or an error; without chunks,
 * CHUNK frames are ERR_FORMAT: they are no results.
 */
int merge_frame(struct merge *m, struct rec_frame *f, struct err *e);
/* Something was damaged or cut (REC_DAMAGE). */
void merge_damage(struct merge *m);

/*
 * ERR_USAGE if an earlier -n, --no-overlap or --drop-shadows left out rows that
 * may be among those wanted now; 1 with a note if it did, but whatever came is
 * wanted.  All frames were shown.
 */
int merge_check(struct merge *m, struct err *e);
/* As ledger_verdict(), which also knows whether all lengths are there that
 * the text needs.  All frames were shown. */
int merge_verdict(struct merge *m, struct err *e);
/* As ledger_missing(), appended to b. */
int merge_missing(struct merge *m, struct buf *b, struct err *e);
uint64_t merge_copies(const struct merge *m);

/* Everything as text, or, with FORMAT_REC, as frames: one receipt a run and
 * scan.  Call once. */
int merge_write(struct merge *m, struct out *o, struct err *e);

/*
 * A record stream as text, as sequences, as numbers, or as a copy
 *
 * Frames are shown one by one in the order of the stream, and written as they
 * come; the verdict is asked for at the end.
 */

enum view_mode {
	VIEW_TEXT,	/* in a format */
	VIEW_FASTA,	/* letters of chunks put together */
	VIEW_COPY,	/* frames, but damaged ones and copies */
	VIEW_CHECK,	/* nothing: only the verdict, digests included */
	VIEW_HEADER,	/* BEGIN texts */
	VIEW_STATS,	/* how many of what */
};

struct view_params {
	enum view_mode mode;
	enum format format;	/* of VIEW_TEXT */
	bool header, letters;	/* as in struct printer_params */
	const char *prog;
	bool colour;		/* these as in struct printer_params */
	const struct queries *queries;
	const char *columns;
	bool array;
	void (*note)(int level, const char *fmt, ...);
};

struct view;
int view_new(struct view **v, const struct view_params *p, struct out *o,
	     struct err *e);
void view_free(struct view *v);

enum { VIEW_BAD = 1 };	/* the frame is malformed: e says how; go on */
int view_frame(struct view *v, const struct rec_frame *f, struct err *e);
/* Something was damaged or cut (REC_DAMAGE). */
void view_damage(struct view *v);
/* No more frames: everything goes out. */
int view_finish(struct view *v, struct err *e);
/* As ledger_verdict(); of a copy, header or stats only damage counts. */
int view_verdict(struct view *v, struct err *e);
uint64_t view_copies(const struct view *v);

/* All that other folders may use of output/. */


#endif
