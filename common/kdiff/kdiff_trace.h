/* SPDX-License-Identifier: MIT */
/* kdiff_trace.h - declarations shared by the traceback's files (private) */
#ifndef SEQF_KDIFF_KDIFF_TRACE_H
#define SEQF_KDIFF_KDIFF_TRACE_H

#include "kdiff/kdiff_priv.h"

struct trace {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	const struct kdiff_pat *p;	/* part: what the lanes compute */
	struct kdiff_pat part;
	uint32_t number;		/* of the pattern */
	/*
	 * Letters before and behind the core, which match; with a head, the
	 * text letters between both that a path has to reach, of each hit.
	 */
	uint32_t head, tail;
	const uint64_t *reach;
	unsigned wall;			/* class of the letters before them */
	/* Letters beyond the subject's ends, of each hit (or NULL) and now. */
	const struct kdiff_hang *hangs;
	struct kdiff_hang over;
	/*
	 * Letter classes: 0..3 and none = 4 (planes), IUPAC sets and none = 0
	 * (planes = 4), or none = 0 and the symbols (planes = 0); and the wall.
	 */
	unsigned planes, classes;
	uint64_t *eq;		/* [word][class]: p's letters after `pad` */
	unsigned pad;		/* words of rows before the first */
	size_t seg;		/* of the last hit */
	size_t apart;		/* hits to come that do not share columns */

	/* A batch: hits of p, one a lane. */
	const struct kdiff_ops *ops;
	uint64_t cols;		/* letters of their windows: m + d */
	uint32_t d;		/* the largest distance */
	unsigned words;		/* of a frame */
	uint64_t block;		/* columns whose cells are kept */
	uint64_t have[KDIFF_MAX_LANES];	/* letters of the segment */
	size_t n_groups[KDIFF_MAX_LANES];	/* of choices, per lane */
	uint64_t *cells, *state, *keep, *groups, *planes_at, *row;
	uint16_t *letter;
};

/* Words of a frame for distances up to d: diagonals -d to d. */
static inline unsigned
kdiff_frame(uint64_t d)
{
	return (unsigned)(2 * d / 64 + 1);
}

/* Choose the classes. */
void kdiff_classes(struct trace *t);

/* Words of eq for patterns of m letters. */
size_t kdiff_eq_words(const struct trace *t, uint64_t m);

/* eq of pattern t->p. */
void kdiff_fill_eq(struct trace *t);

/*
 * The classes of the `cols` letters before each hit's end, to t->letter;
 * letters before the last t->have[lane] are none.
 */
void kdiff_read_letters(struct trace *t, const struct kdiff_hit *hits,
			const size_t *order, size_t n);

/*
 * Traceback of hits order[0..n), their patterns in order.  With exact letters
 * of the core; reach, hangs (or NULL): see struct trace.  0 or ERR_NOMEM.
 */
int kdiff_trace_plain(const struct kdiff_set *set,
		      const struct kdiff_text *text, struct kdiff_work *w,
		      const struct kdiff_hit *hits, const size_t *order,
		      size_t n, const uint64_t *reach,
		      const struct kdiff_hang *hangs,
		      struct kdiff_path *paths, struct buf *ops, struct err *e);

/* DNA: the IUPAC sets of n text letters from `at`; 0 matches nothing. */
void kdiff_read_sets(const struct kdiff_set *set, const struct kdiff_text *x,
		     uint64_t at, uint64_t n, uint8_t *to);

/* Indices of hits in the order of their patterns; malloc'ed, or NULL. */
size_t *kdiff_by_pattern(const struct kdiff_set *set,
			 const struct kdiff_hit *hits, size_t n,
			 struct err *e);

#endif
