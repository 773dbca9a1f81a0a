/* SPDX-License-Identifier: MIT */
/* primer_blocks.h - the engine of blocks: its parts and kernels (private) */
#ifndef SEQF_PRIMER_PRIMER_BLOCKS_H
#define SEQF_PRIMER_PRIMER_BLOCKS_H

#include "base/base.h"
#include "primer/primer_priv.h"

enum {
	PRIMER_CHAINS = 2,		/* vectors that need not wait */
	PRIMER_MAX_LANES = 16,		/* of 64 bits in 2 vectors */
	PRIMER_MAX_PIECES = 32,		/* of 32 bits in 2 vectors */
	PRIMER_MIN_GAP = 32,		/* columns between two clusters */
	PRIMER_HELD = 1 << 30,		/* above all rows and differences */
};

/*
 * How a word of so many rows finds what it matches: eq[stride * word + symbol],
 * by permutation if `how` says of how many, else from memory.
 */
enum primer_eq { PRIMER_EQ_8, PRIMER_EQ_16, PRIMER_EQ_LOAD };

struct primer_shape {
	unsigned bits;		/* 64; scans may have 32 */
	enum primer_eq how;
	uint64_t stride;
};

struct primer_pattern {
	struct primer_shape as;
	void *eq;
	uint64_t words, rows;
	unsigned wild;		/* of the rows, the first that match all */
};

/*
 * Places where a core occurs, close to each other: positions in the text at
 * which its first letter may lie.
 */
struct primer_cluster {
	int64_t lo, hi;
	uint64_t rows;		/* of the pattern, that occur */
	/* No start of [where the block is, start) gets a better end here than
	 * it has or `end`, which is where the window of the last look ended. */
	uint64_t start, end;
	bool hot;		/* the last start that was looked at gained */
};

/* Vectors of a scan, with words of 32 or 64 bits. */
struct primer_lanes {
	uint8_t x[sizeof(uint32_t) * PRIMER_MAX_PIECES];
};

/*
 * One pass of a core over the text: first its last letter, then leftwards.
 * Lane l of `pieces` reads text[pieces * column + l]; columns before `own` lie
 * in another lane, too.  Where the core occurs, the lane is watched for how
 * many more rows do.
 *
 * `close`: a look at the surroundings of clusters, in half as many lanes, where
 * no path of interest has a column before its row.
 */
struct primer_scan {
	const uint8_t *text;
	uint64_t columns, own, pieces, n_text;
	struct primer_pattern pat;
	uint64_t core;		/* rows that must occur, into the last word */
	uint64_t limit, gap;
	bool close;
	void *state;		/* (level, m) x words x pieces */
	/* D - limit - 1 of the core, and of the row watched, marked in the last
	 * word; until which column. */
	struct primer_lanes above, next, mark, last_level, last_m;
	uint64_t until[PRIMER_MAX_PIECES];
	uint64_t held[PRIMER_MAX_PIECES];	/* `above` by PRIMER_HELD */
	uint64_t first_until;			/* of these and those */
	struct primer_cluster *list;
	size_t n;
	size_t open[PRIMER_MAX_PIECES];		/* each lane's last, + 1 */
	uint64_t steps;				/* of vectors */
};

/* After a column: the core, or a row watched, occurs in `lanes`; or first_until
 * is reached. */
void primer_found(struct primer_scan *s, uint64_t column, uint32_t lanes);

/*
 * A core over all of a text, bit-sliced: lanes of one bit.  A cell of the
 * matrix is stored as differences to its neighbours: four bits, computed from
 * four bits and whether the letters match, without a carry or a shift.  So a
 * vector holds one bit of as many cells as it has bits, each in a lane of its
 * own, and takes 5 operations where words of 64 rows take 12.  The text must be
 * so long that the overlap of lanes is a small part.
 */
enum {
	PRIMER_TILE = 32,		/* columns gone through at once */
	PRIMER_MAX_SLICES = 512,	/* lanes */
	PRIMER_MAX_PLANES = 8,		/* classes of letters */
	PRIMER_SLICES_BITS = 32,	/* of a lane's number of differences */
};

/*
 * Lane l reads a stretch of text of its own: column t has for each class of
 * letters a vector, whose bit l says that the letter there matches it.  Columns
 * before `own` lie in another lane, too: rows + limit at least.
 */
struct primer_slices {
	const uint8_t *text;
	unsigned n_classes, lanes;
	uint64_t columns, own;		/* multiples of PRIMER_TILE */
	const uint8_t *code;		/* of rows, 1 to n_classes */
	uint64_t rows, limit;		/* below 2^30 */
	void *state;			/* primer_slices_state() bytes */
	uint64_t steps;			/* of as many operations as a word's */
	/* Some lanes have D of the last row at most the limit in some of the
	 * `step` own columns, a divisor of PRIMER_TILE, from `column` on. */
	unsigned step;
	void (*found)(void *ctx, uint64_t column,
		      const uint64_t low[PRIMER_MAX_SLICES / 64]);
	void *ctx;
};

typedef void primer_slices_fn(struct primer_slices *s);
KERN_DECLARE(primer_slices_fn, primer_slices);

/* Aligned to 64. */
static inline uint64_t
primer_slices_state(uint64_t lanes, uint64_t rows)
{
	return lanes / 8 * (2 * rows + 2 * PRIMER_TILE + PRIMER_SLICES_BITS);
}

/*
 * How many letters of a pattern occur, lane by lane, in columns of text of its
 * own.  Rows row[l], counted from 1, and on are looked for; then row[l] is the
 * first that was not found, if not more than most[l].  At column t (from 0)
 * only rows (from 0) t - far to t - near are looked at.  What it finds does
 * occur; what occurs along such rows is found.
 */
struct primer_reach {
	const uint8_t *text;	/* lanes x column */
	uint64_t columns;
	struct primer_pattern pat;
	int64_t near, far;
	uint64_t limit;
	bool wild;		/* the first l rows of lane l match all */
	bool any;		/* done as soon as a lane is beyond its most */
	uint64_t until_one;	/* steps until then; UINT64_MAX at first */
	uint64_t row[PRIMER_MAX_LANES], most[PRIMER_MAX_LANES];
	/* Its own. */
	void *state;		/* (level, m, mark) x words x lanes */
	unsigned lanes;
	uint64_t first, last;	/* words */
	uint64_t mark_first, mark_last;	/* words with marked rows */
	uint64_t bottom[PRIMER_MAX_LANES];	/* D of the last word's end */
	uint64_t above[PRIMER_MAX_LANES];	/* D - limit - 1, marked row */
	uint64_t steps;
};

typedef void primer_scan_fn(struct primer_scan *s);
typedef void primer_reach_fn(struct primer_reach *r);
/* Codes: 64 for each word. */
typedef void primer_eq_fn(const uint8_t *code, struct primer_pattern *pat,
			  const struct primer *p, unsigned n_symbols);
/* Columns, a multiple of 8, of 8 of so many lanes; texts are read backwards. */
typedef void primer_transpose_fn(uint8_t *to, unsigned lanes,
				 const uint8_t *const from[8],
				 uint64_t columns);
KERN_DECLARE(primer_scan_fn, primer_scan);
KERN_DECLARE(primer_reach_fn, primer_reach);
KERN_DECLARE(primer_eq_fn, primer_eq);
KERN_DECLARE(primer_transpose_fn, primer_transpose);

struct primer_blocks_ops {
	unsigned lanes;			/* of looks */
	unsigned pieces;		/* of a scan */
	unsigned bits;			/* rows of a scan's word */
	unsigned slices;		/* lanes of a scan by slices */
	primer_slices_fn *slice;
	primer_scan_fn *scan;
	primer_reach_fn *reach;
	primer_eq_fn *eq;
	primer_transpose_fn *transpose;
};

/* A text in pieces side by side, each with so many letters before it. */
struct primer_pieces {
	struct primer_room *room;
	uint64_t n, length, over;
	bool back;		/* from its end to its begin */
};

/* One search. */
struct primer_blocks {
	struct primer *p;
	const struct primer_text *x;
	struct primer_work *w;
	struct err *e;
	struct primer_blocks_ops ops;
	struct primer_shape scans, reaches;
	uint64_t limit;			/* k - 1 */
	struct primer_pieces scanned, plain, back, sliced;
	uint64_t before;		/* the end of the start before */
	uint64_t segment;		/* where the one searched ends */
	uint64_t core;			/* rows that suit; 0: not known yet */
	/* Vector steps to search plainly for, that are left and in all; those
	 * of a start, in the last of such times. */
	uint64_t pause, pauses, each;
	uint64_t paused, done;		/* steps and starts of it so far */
	bool grew;			/* the last plain start did */
	/* The block: starts [beg, last], core [first, end]. */
	uint64_t beg, last, first, end;
	uint64_t end_now;		/* of the start being looked at */
	struct primer_cluster *list;
	size_t n;
	uint64_t spent, idle;		/* vector steps; of them in vain */
	uint64_t looks;			/* backwards, at some clusters */
	uint64_t search;		/* the backend's number of it */
};

/* The larger of what is known of a start's end and of the one before it. */
static inline uint64_t
primer_known(const struct primer_blocks *b, uint64_t start)
{
	uint64_t end = primer_end(b->p, start);

	return end > b->before ? end : b->before;
}

/* A core's rows and more, of so many in all, to know of most places which start
 * is their first: as far as its last word goes, or where a word more is cheap,
 * as far as a word does. */
static inline uint64_t
primer_watched(const struct primer_blocks *b, uint64_t core, uint64_t rows)
{
	uint64_t bits = b->ops.bits, words = (core + bits - 1) / bits;

	return min_u64(core < 512 ? words * bits : core + bits - 1, rows);
}

/* Letters [beg, end) of the target. */
int primer_pattern(struct primer_blocks *b, struct primer_pattern *pat,
		   uint64_t beg, uint64_t end);
/* From the last letter to the first, for a scan for a core of the last so many;
 * so many rows in front of it match all, to have its end in the last word. */
int primer_pattern_back(struct primer_blocks *b, struct primer_pattern *pat,
			const struct primer_shape *as, uint64_t beg,
			uint64_t end, uint64_t core);
/* The text in pieces with at least so much overlap. */
int primer_cut(struct primer_blocks *b, struct primer_pieces *c, uint64_t over);
int primer_room_to_scan(struct primer_blocks *b, struct primer_scan *s);
/* The same, its lanes by slices. */
int primer_block_slices(struct primer_blocks *b);
/* The classes that each of so many symbols matches, class c as bit c - 1. */
void primer_classes(const struct primer *p, unsigned n_symbols, uint16_t *set);
/* A text in planes of c->n lanes, with at least so much overlap. */
int primer_cut_slices(const struct primer *p, const struct primer_text *x,
		      struct primer_pieces *c, uint64_t over, struct err *e);
/* So cut, for a core of s->rows and s->limit, to which its overlap suits. */
void primer_slices_of(const struct primer *p, const struct primer_pieces *c,
		      struct primer_slices *s);
/* Vector steps of a scan by slices; UINT64_MAX: it will not do. */
uint64_t primer_slices_steps(const struct primer_blocks *b);
/* What the vector steps of a plain search of a start of so many rows are. */
uint64_t primer_plain_steps(const struct primer_blocks *b, uint64_t rows);
/* The end of a start, by all of the text. */
int primer_block_plain(struct primer_blocks *b, uint64_t start);
/*
 * By all of the text: letters [j, end] of no start j in [start, *next) occur.
 * *next may be the first of which they do, or not.
 */
int primer_block_back(struct primer_blocks *b, uint64_t start, uint64_t end,
		      uint64_t *next);
/* No lane of a scan is being watched. */
void primer_watch_none(struct primer_scan *s);
/* Cores of so many rows at least are looked for in many clusters at once. */
static inline bool
primer_extends_at_once(const struct primer_blocks *b, uint64_t rows)
{
	return rows <= 512 || rows < 4 * b->limit;
}
/* The first start in [start, last] of which [start, end] occurs, of n clusters,
 * at most one a lane. */
int primer_extend_left(struct primer_blocks *b, struct primer_cluster **c,
		       unsigned n, uint64_t start, uint64_t end);
/* The ends of n starts in a cluster, at most one a lane. */
int primer_extend_right(struct primer_blocks *b, struct primer_cluster *c,
			uint64_t start, unsigned n);

#endif
