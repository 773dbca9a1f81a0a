/* SPDX-License-Identifier: MIT */
/* weighted_priv.h - declarations shared by the weighted_*.c files (private) */
#ifndef SEQF_EBWT_WEIGHTED_PRIV_H
#define SEQF_EBWT_WEIGHTED_PRIV_H

#include "ebwt/ebwt_gap.h"
#include "ebwt/weighted.h"

/* A gap, some letters read.  Words that are still one of those whose roots are
 * conjugate to v's have nodes of their own. */
struct wnode {
	uint32_t gap;
	uint32_t tie;		/* 0, or 1 + the first such word */
	uint32_t to[4];		/* by the position's letters */
};

/*
 * The gaps that x's words walk through: layer i holds where they are when i
 * letters have been read.  Layer 0 holds the gaps that are possible ends.
 */
struct wgraph {
	const struct product *x;
	uint32_t m;
	struct ebwt_gap gap;
	struct wnode *node;
	uint32_t *first;	/* n + 2: of each layer */
	uint32_t n_nodes;
	uint32_t *bit;		/* of each gap that is met */
	uint32_t n_bits;
	uint64_t inner;		/* bits of gaps between rotations of v; of
				   the first 64 */
	/* words of x whose roots are conjugate to v's: they begin at these
	   letters of v, which go round at `root` */
	uint32_t *turn;
	uint32_t n_tied, root;
	/* private: as they are while it is made */
	size_t room, m_room, n_room;
	uint32_t *seen, *reach[2], *same;
};
/* Made anew, in the room of an old one.  ERR_NOMEM, ERR_LIMIT. */
int wgraph_make(struct wgraph *g, const struct product *x, const uint8_t *v,
		size_t m, struct err *e);
void wgraph_free(struct wgraph *g);
/* The root of v: its least period that divides m. */
uint32_t wgraph_root(const uint8_t *v, uint32_t m);

static inline uint32_t
wgraph_size(const struct wgraph *g, size_t layer)
{
	return g->first[layer + 1] - g->first[layer];
}

/* What one word is of x: 1 or a part, and its share. */
struct wsum {
	double c, w;
};

/* Sets of gaps (bits) that words of one kind met, and what those words are. */
struct wset {
	uint64_t mask;
	uint32_t node;		/* where they are */
	struct wsum is;
};
struct wsets {
	struct wset *v;
	size_t n, room;
};
/* As columns, for the kernel. */
struct wcolumns {
	uint64_t *mask;
	double *c, *w;
	size_t n, room;
};

struct product_work {
	struct wgraph graph;
	struct wsets now, next, s;	/* s: of first halves, by start, end */
	struct wcolumns p;		/* of second halves, the same */
	uint32_t *table;		/* to find sets by */
	size_t table_room;
	size_t *s_at, *p_at;		/* where they begin */
	size_t at_room;
	double *value;			/* of a distance, by runs - 1 */
	size_t value_room;
	double *vec;			/* weighted_dist.c */
	struct wsum *path;
	size_t vec_room, path_room;
	double *trace;		/* weighted_trace.c */
	size_t trace_room;
};

/*
 * Either adds the words that are not tied.  wsets_sum() fills in least and
 * most, too, or says that the sets are too many: *many.
 */
int wsets_sum(struct product_work *k, const struct product_how *how,
	      struct product_sum *out, bool *many, struct err *e);
/*
 * Short words v, and longer ones of x: the sums of all words, tied ones, too,
 * in any metric that is linear in delta.
 */
bool wtrace_can(const struct product *x, size_t m);
int wtrace_sum(struct product_work *k, const struct product *x,
	       const uint8_t *v, size_t m, const struct product_how *how,
	       struct product_sum *out, struct err *e);
uint64_t wtrace_bytes(size_t m);
/* Nanoseconds, roughly. */
double wtrace_cost(const struct product *x, size_t m, enum isa isa);

/* At least n of so many bytes; what is in it stays. */
int wroom(void *at, size_t *have, size_t n, size_t size, struct err *e);

/* Every set of a with every one of b: what both together are of distances. */
struct wjoin {
	const struct wset *a;
	size_t n_a;
	const uint64_t *mask;	/* b: a multiple of 8; what fills it up has */
	const double *c, *w;	/* the mask of another, and is nothing */
	size_t n_b;
	uint64_t inner;
	const double *value;	/* by runs - 1 */
	struct wsum sum;	/* grows */
	uint64_t least, most;	/* runs - 1; the same */
};
typedef void weighted_join_fn(struct wjoin *j);
KERN_DECLARE(weighted_join_fn, weighted_join);
/* to[i]: the sum of from[k][i] * (f[k].c for the first n, f[k].w for the n
 * behind), k = 0 to `rows` - 1, of 1 to 4; 8 divides n. */
typedef void weighted_add_fn(double *to, const double *const from[4],
			     const struct wsum f[4], unsigned rows, size_t n);
KERN_DECLARE(weighted_add_fn, weighted_add);

/*
 * Words read backwards: of each gap (state), `width` numbers, a multiple of 8,
 * of which those below `states` count.  Gap g's number g becomes 0.
 */
struct wback {
	const struct product *x;
	const double (*share)[5];	/* of each position, by WCODE; [4]: 0 */
	uint32_t states, width;
	/* times width: of each letter (WCODE), the gap that gap 0 leads to */
	uint32_t first[4];
	/* to gap g from the one before: the letter that leads elsewhere, or 4,
	   none of these, and where it leads from that */
	uint8_t code[PRODUCT_GAPS];
	uint32_t step[PRODUCT_GAPS];
	size_t from, to;		/* letters of x */
	double *other;			/* WBACK_COLS * states * width */
};
enum { WBACK_COLS = 3 };
/* n columns, states * width each, WBACK_COLS at most: behind letter `from` of
 * x, become what they are behind letter `to`. */
typedef void weighted_back_fn(const struct wback *b, double *v, size_t n);
KERN_DECLARE(weighted_back_fn, weighted_back);
/* v as all times the ratio that is written, a number for each lane: the most
 * that is off.  A lane that is below `least` throughout has no ratio: 0. */
typedef double weighted_alike_fn(const struct wback *b, const double *v,
				 const double *all, double least,
				 double *ratio);
KERN_DECLARE(weighted_alike_fn, weighted_alike);

#endif
