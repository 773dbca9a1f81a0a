/* SPDX-License-Identifier: MIT */
/*
 * window.h - a chunk as text to be searched: letters side by side with their
 * left context, as planes, sets or bytes
 */
#ifndef SEQF_FLOW_WINDOW_H
#define SEQF_FLOW_WINDOW_H

#include "base/base.h"
#include "rec/rec.h"

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

#endif
