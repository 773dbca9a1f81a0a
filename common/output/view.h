/* SPDX-License-Identifier: MIT */
/*
 * view.h - a record stream as text, as sequences, as numbers, or as a copy
 *
 * Frames are shown one by one in the order of the stream, and written as they
 * come; the verdict is asked for at the end.
 */
#ifndef SEQF_OUTPUT_VIEW_H
#define SEQF_OUTPUT_VIEW_H

#include "base/base.h"
#include "output/printer.h"
#include "rec/rec.h"

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

#endif
