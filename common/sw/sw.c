/* SPDX-License-Identifier: MIT */
/* sw.c - the search for the best K */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_beside.h"
#include "sw/sw_grid.h"
#include "sw/sw_priv.h"
#include "sw/sw_lanes.h"
#include "sw/sw_skew.h"
#include "sw/sw_trace.h"

struct sw_spot {
	int64_t top;
	uint64_t block;
};

/* Blocks [from, to) of a segment. */
struct sw_run {
	const struct sw_seg *seg;
	uint64_t from, to;
	int64_t top;
};

struct sw_best {
	struct sw_peak *peak;
	struct sw_spot *spot, *group;
	struct sw_run *run;
	bool *done;		/* blocks */
	size_t n_peak, cap_spot, cap_group, cap_run, cap_done;
	size_t n_spot, n_group, n_run;
	uint64_t n_done;	/* blocks */
	struct sw_raise raise;
	struct sw_topk topk;
	struct sw_estimate estimate;
	struct sw_absent absent;
	const int64_t *floor;	/* the caller's least; it may rise */
	int64_t least;		/* wanted: no cell below it */
	int64_t proved;		/* the K-th best has no less */
	int64_t sure;		/* struct sw_pass's */
	int64_t failed;		/* estimates from here on are too high */
	int64_t *score;		/* for lower() */
	size_t cap_score;
	struct sw_borders *borders;	/* likewise, while they are of use */
	struct err *e;
};

/*
 * The best K of what comes, one for each class, in O(K) memory
 *
 * Only the K best classes so far are held, each with its best cell so far; a
 * class that is dropped is forgotten.  That is exact.  Let r be the best cell
 * that a class C had when it was refused or dropped: K others were before it,
 * and since those only get better or make room for better ones, the last of
 * those held, L, is before r for good.  Now x of C comes.  If x is before L, it
 * is before r, so it is the best of C and takes L's place.  If not, neither r
 * nor x is before L, and C is not among the K best so far.
 *
 * That takes for granted that of two cells of a class the one that stands for
 * it is not the later one against any other class: both go by score, then by
 * end; where these are equal, all cells of C stand alike to other classes,
 * which differ in their begin: that is asked before rows where strands would
 * differ.  For plus: score, end, qend, beg, qbeg; the class wants the least
 * qend.  For minus: score, end, qbeg, beg, and qend only within C.
 */

#define NIL SIZE_MAX

void
sw_topk_free(struct sw_topk *s)
{
	free(s->node);
	free(s->heap);
	free(s->head);
	memset(s, 0, sizeof *s);
}

const struct sw_hit *
sw_topk_last(const struct sw_topk *s)
{
	return s->n && s->n == s->k ? &s->node[s->heap[0]].hit : NULL;
}

static size_t *
hit_chain(const struct sw_topk *s, const struct sw_hit *x)
{
	bool cells = s->kind == SW_CELLS;
	uint64_t h = (cells ? x->end : x->beg) * 0x9e3779b97f4a7c15ULL;

	h = (h ^ h >> 29) + (cells ? x->qend : x->qbeg);
	h *= 0xbf58476d1ce4e5b9ULL;
	return &s->head[(h ^ h >> 32) & (s->n_head - 1)];
}

/* As many chains as hits are touched: many queries may take turns. */
static void
forget(struct sw_topk *s)
{
	for (size_t i = 0; i < s->n; i++)
		*hit_chain(s, &s->node[i].hit) = NIL;
}

void
sw_topk_reset(struct sw_topk *s, const struct sw_query *q,
	      enum sw_kind kind, size_t k)
{
	forget(s);
	s->q = q;
	s->kind = kind;
	s->k = k;
	s->n = 0;
}

static bool
same_hit(const struct sw_topk *s, const struct sw_hit *a,
	 const struct sw_hit *b)
{
	if (s->kind == SW_CELLS)
		return a->end == b->end && a->qend == b->qend;
	return a->beg == b->beg && a->qbeg == b->qbeg;
}

static size_t
find_hit(const struct sw_topk *s, const struct sw_hit *x)
{
	size_t i = *hit_chain(s, x);

	while (i != NIL && !same_hit(s, &s->node[i].hit, x))
		i = s->node[i].next;
	return i;
}

static void
link_node(struct sw_topk *s, size_t i)
{
	size_t *head = hit_chain(s, &s->node[i].hit);

	s->node[i].next = *head;
	*head = i;
}

static void
unlink_node(struct sw_topk *s, size_t i)
{
	size_t *at = hit_chain(s, &s->node[i].hit);

	while (*at != i)
		at = &s->node[*at].next;
	*at = s->node[i].next;
}

/* Nodes, the last hit first. */
static bool
is_later(const struct sw_topk *s, const size_t *a, const size_t *b)
{
	return sw_hit_cmp(s->q, &s->node[*a].hit, &s->node[*b].hit) > 0;
}

static void
set_node_place(const struct sw_topk *s, const size_t *i, size_t at)
{
	s->node[*i].place = at;
}

HEAP(topk_heap, size_t, struct sw_topk, is_later, set_node_place)

/* Room for one more; the chains are made anew when nodes outgrow them. */
static int
grow_keep(struct sw_topk *s, struct err *e)
{
	int rc = array_room(&s->node, &s->n_node, s->n + 1,
			 sizeof *s->node, e);

	if (!rc)
		rc = array_room(&s->heap, &s->n_heap, s->n + 1,
			     sizeof *s->heap, e);
	if (rc || s->n < s->n_head)
		return rc;
	rc = array_room(&s->head, &s->n_head, s->n + 1,
		     sizeof *s->head, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < s->n_head; i++)
		s->head[i] = NIL;
	for (size_t i = 0; i < s->n; i++)
		link_node(s, i);
	return 0;
}

static int
add_hit(struct sw_topk *s, const struct sw_hit *x, struct err *e)
{
	size_t i = s->n;
	int rc = grow_keep(s, e);

	if (rc)
		return rc;
	s->node[i].hit = *x;
	link_node(s, i);
	s->n++;
	topk_heap_up(s, s->heap, i, i);
	return 0;
}

static void
replace_last(struct sw_topk *s, const struct sw_hit *x)
{
	size_t i = s->heap[0];

	unlink_node(s, i);
	s->node[i].hit = *x;
	link_node(s, i);
	topk_heap_down(s, s->heap, s->n, 0, i);
}

/* Does a stand for the class of a and b? */
static bool
stands(const struct sw_hit *a, const struct sw_hit *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	return a->end != b->end ? a->end < b->end : a->qend < b->qend;
}

/*
 * Better in its class is not later in the heap, but that minus has the least
 * qend last: of two cells of a class that differ in nothing else, no other
 * class lies between them.
 */
static void
improve(struct sw_topk *s, size_t i, const struct sw_hit *x)
{
	if (s->kind == SW_CELLS || !stands(x, &s->node[i].hit))
		return;
	s->node[i].hit = *x;
	topk_heap_down(s, s->heap, s->n, s->node[i].place, i);
}

int
sw_topk_put(struct sw_topk *s, const struct sw_hit *x, struct err *e)
{
	const struct sw_hit *last = sw_topk_last(s);
	size_t i;

	/* later than the last by more than its class may change */
	if (last && (x->score < last->score ||
		     (x->score == last->score && x->end > last->end)))
		return 0;
	i = s->n_head ? find_hit(s, x) : NIL;
	if (i != NIL)
		improve(s, i, x);
	else if (!last && s->k)
		return add_hit(s, x, e);
	else if (last && sw_hit_cmp(s->q, x, last) < 0)
		replace_last(s, x);
	return 0;
}

int
sw_topk_take(struct sw_topk *s, struct sw_hits *hits, struct err *e)
{
	int rc = array_room(&hits->v, &hits->cap, s->n,
			 sizeof *hits->v, e);

	if (rc)
		return rc;
	forget(s);
	hits->n = s->n;
	while (s->n) {
		hits->v[s->n - 1] = s->node[s->heap[0]].hit;
		s->n--;
		if (s->n)
			topk_heap_down(s, s->heap, s->n, 0, s->heap[s->n]);
	}
	return 0;
}

/*
 * A lower bound of the K-th best score while scores are computed
 *
 * Let W >= sw_context() be a bin's width.  An alignment has at most
 * sw_context() columns, so of two cells of different segments, or with a whole
 * bin between them, the alignment of one ends before that of the other begins.
 * Hence tops of bins that are all even, or all odd, belong to different
 * alignments, and a top H gives a cell to be reported, with a score >= H, on
 * its path: the last one from which H did not rise.  Its columns are within
 * that alignment: the cells differ, too, as their starts do.
 *
 * That cell must count.  A path to column j that enters the columns that count
 * from the one before, own - 1, needs j - own + 2 <= sw_context() columns.  So
 * if own > beg, blocks before own + sw_context() are not counted.
 */

enum { NO_BIN = UINT32_MAX };

void
sw_raise_free(struct sw_raise *r)
{
	free(r->bin);
	free(r->place);
	free(r->mem);
	memset(r, 0, sizeof *r);
}

/* Bins of a segment from number n on, which is even; returns the next even. */
static uint32_t
number_bins(struct sw_raise *r, const struct sw_seg *g, uint64_t context,
	    uint32_t n)
{
	uint64_t beg = g->beg / SW_BLOCK, end = g->end / SW_BLOCK;
	uint64_t own = g->own / SW_BLOCK, from = own;
	uint64_t wide = context / SW_BLOCK + 1, bins;

	if (own > beg)
		from = wide < end - own ? own + wide : end;
	for (uint64_t b = beg; b < from; b++)
		r->bin[b] = NO_BIN;
	for (uint64_t b = from; b < end; b++)
		r->bin[b] = n + (uint32_t)((b - from) / wide);
	bins = (end - from + wide - 1) / wide;
	return n + (uint32_t)((bins + 1) / 2 * 2);
}

/* A bin for each block and one more for a segment at most. */
int
sw_raise_reset(struct sw_raise *r, const struct sw_query *q,
	       const struct sw_text *t, size_t k, int64_t least,
	       struct err *e)
{
	uint64_t blocks = t->n / SW_BLOCK, context = sw_context(q);
	uint32_t n = 0;
	size_t most;
	int rc;

	if (blocks > UINT32_MAX / 4)
		return err_set(e, ERR_LIMIT, "a text of %llu letters",
			       (unsigned long long)t->n);
	r->k = k;
	r->threshold = least;
	rc = array_room(&r->bin, &r->n_bin, blocks, sizeof *r->bin, e);
	if (rc)
		return rc;
	for (size_t s = 0; s < t->n_seg; s++)
		n = number_bins(r, &t->seg[s], context, n);
	most = k < n / 2 ? k : n / 2 + 1;
	rc = array_room(&r->place, &r->n_place, n, sizeof *r->place, e);
	if (!rc)
		rc = array_room(&r->mem, &r->n_mem, 2 * most,
			     sizeof *r->mem, e);
	if (rc)
		return rc;
	if (n)
		memset(r->place, 0, n * sizeof *r->place);
	r->tops[0] = (struct sw_tops) { r->mem, 0 };
	r->tops[1] = (struct sw_tops) { r->mem + most, 0 };
	return 0;
}

static bool
is_lower(const struct sw_raise *r, const struct sw_top *a,
	 const struct sw_top *b)
{
	(void)r;
	return a->top < b->top;
}

static void
set_bin_place(const struct sw_raise *r, const struct sw_top *x, size_t at)
{
	r->place[x->bin] = (uint32_t)at + 1;
}

HEAP(tops_heap, struct sw_top, struct sw_raise, is_lower, set_bin_place)

/* Is the bin's top among the K largest of its kind, and higher than it was? */
static bool
rises(struct sw_raise *r, struct sw_tops *t, struct sw_top x)
{
	uint32_t at = r->place[x.bin];

	if (at) {
		if (x.top <= t->v[at - 1].top)
			return false;
		tops_heap_down(r, t->v, t->n, at - 1, x);
	} else if (t->n < r->k) {
		tops_heap_up(r, t->v, t->n++, x);
	} else if (x.top > t->v[0].top) {
		r->place[t->v[0].bin] = 0;
		tops_heap_down(r, t->v, t->n, 0, x);
	} else {
		return false;
	}
	return true;
}

int64_t
sw_raise_take(void *ctx, uint64_t block, int64_t top)
{
	struct sw_raise *r = ctx;
	struct sw_top x = { top, r->bin[block] };
	struct sw_tops *t;

	if (x.bin == NO_BIN)
		return r->threshold;
	t = &r->tops[x.bin % 2];
	if (rises(r, t, x) && t->n == r->k && t->v[0].top > r->threshold)
		r->threshold = t->v[0].top;
	return r->threshold;
}

/* Blocks where the best may be, and which to search together. */

enum { NEAR = 128 };	/* columns */

/* The highest first, then by place. */
static int
cmp_spot(const void *x, const void *y)
{
	const struct sw_spot *a = x, *b = y;

	if (a->top != b->top)
		return a->top > b->top ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static int
cmp_block(const void *x, const void *y)
{
	const struct sw_spot *a = x, *b = y;

	return a->block < b->block ? -1 : a->block > b->block;
}

static int
add_spots(struct sw_best *b, const struct sw_seg *g, struct err *e)
{
	int rc = 0;

	for (uint64_t i = g->own / SW_BLOCK; !rc && i < g->end / SW_BLOCK;
	     i++) {
		struct sw_peak p = b->peak[i];

		if (!p.exact || p.bound < b->least)
			continue;
		rc = array_room(&b->spot, &b->cap_spot, b->n_spot + 1,
			     sizeof *b->spot, e);
		if (!rc)
			b->spot[b->n_spot++] = (struct sw_spot) { p.bound, i };
	}
	return rc;
}

/* Blocks that are exact and not below b->least, none of them done. */
static int
sw_best_spots(struct sw_best *b, const struct sw_text *t, struct err *e)
{
	int rc = 0;

	b->n_spot = 0;
	for (size_t s = 0; !rc && s < t->n_seg; s++)
		rc = add_spots(b, &t->seg[s], e);
	if (!rc)
		rc = array_room(&b->done, &b->cap_done, t->n / SW_BLOCK,
			     sizeof *b->done, e);
	if (rc || !b->n_spot)
		return rc;
	memset(b->done, 0, t->n / SW_BLOCK);
	qsort(b->spot, b->n_spot, sizeof *b->spot, cmp_spot);
	return 0;
}

/* Can a cell of blocks with that top come before the last hit?  It ends after
 * block from. */
static bool
sw_best_wants(const struct sw_best *b, int64_t top, uint64_t from)
{
	const struct sw_hit *last = sw_topk_last(&b->topk);

	return !last || top > last->score ||
	       (top == last->score && from * SW_BLOCK < last->end);
}

/*
 * Up to n spots from *next on that matter and are not done.  If one does not
 * matter, none after it does, nor will.
 */
static int
next_group(struct sw_best *b, size_t *next, size_t n, struct err *e)
{
	b->n_group = 0;
	for (; *next < b->n_spot && b->n_group < n; ++*next) {
		struct sw_spot x = b->spot[*next];
		int rc;

		if (!sw_best_wants(b, x.top, x.block))
			break;
		if (b->done[x.block])
			continue;
		rc = array_room(&b->group, &b->cap_group,
			     b->n_group + 1, sizeof *b->group, e);
		if (rc)
			return rc;
		b->group[b->n_group++] = x;
	}
	return 0;
}

static bool
wanted(const struct sw_best *b, uint64_t block)
{
	return b->peak[block].exact && b->peak[block].bound >= b->least &&
	       !b->done[block];
}

/*
 * With a spot, what is wanted beside it: on its left the stretch is computed
 * anyway, and that of the blocks there is no longer; each one by itself would
 * need its own.  So no more than the stretch on each side.
 */
static struct sw_run
widen(const struct sw_best *b, const struct sw_seg *g, struct sw_spot x,
      uint64_t stretch)
{
	uint64_t from = x.block, to = x.block + 1, most = stretch / SW_BLOCK;

	while (from > g->own / SW_BLOCK && x.block - from < most &&
	       wanted(b, from - 1))
		from--;
	while (to < g->end / SW_BLOCK && to - x.block <= most && wanted(b, to))
		to++;
	return (struct sw_run) { g, from, to, x.top };
}

/* To the last run, if it is near, or as one of its own. */
static int
add_run(struct sw_best *b, struct sw_run r, uint64_t near, struct err *e)
{
	struct sw_run *last = b->n_run ? &b->run[b->n_run - 1] : NULL;
	int rc;

	if (last && last->seg == r.seg && r.from <= last->to + near) {
		last->to = r.to > last->to ? r.to : last->to;
		last->top = r.top > last->top ? r.top : last->top;
		return 0;
	}
	rc = array_room(&b->run, &b->cap_run, b->n_run + 1,
		     sizeof *b->run, e);
	if (!rc)
		b->run[b->n_run++] = r;
	return rc;
}

static int
join_best(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
	  const struct sw_work *w, struct err *e)
{
	uint64_t near = w->stretch > NEAR ? w->stretch : NEAR;
	const struct sw_seg *g = t->seg;
	int rc = 0;

	b->n_run = 0;
	if (b->n_group)
		qsort(b->group, b->n_group, sizeof *b->group, cmp_block);
	for (size_t i = 0; !rc && i < b->n_group; i++) {
		struct sw_spot x = b->group[i];

		while (g->end <= x.block * SW_BLOCK)
			g++;
		rc = add_run(b, widen(b, g, x, sw_stretch(q, w, x.top)),
			     near / SW_BLOCK, e);
	}
	return rc;
}

/* Columns to compute for the runs, with the stretches before them. */
static uint64_t
cost(const struct sw_best *b, const struct sw_query *q,
     const struct sw_work *w)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->n_run; i++)
		n += (b->run[i].to - b->run[i].from) * SW_BLOCK +
		     sw_stretch(q, w, b->run[i].top);
	return n;
}

/* Runs of the next n spots from *next on. */
static int
runs_of(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
	size_t *next, size_t n, const struct sw_work *w, struct err *e)
{
	int rc = next_group(b, next, n, e);

	return rc ? rc : join_best(b, q, t, w, e);
}

/*
 * Of the next n spots; or of all that are left, if the stretches make that at
 * most twice as much: groups of them would each need their own.
 */
static int
sw_best_runs(struct sw_best *b, const struct sw_query *q,
	  const struct sw_text *t, size_t *next, size_t n,
	  const struct sw_work *w, struct err *e)
{
	size_t first = *next, all = first;
	uint64_t most;
	int rc = runs_of(b, q, t, next, n, w, e);

	if (rc || n == 1 || b->n_group < n)
		return rc;
	most = 2 * cost(b, q, w);
	rc = runs_of(b, q, t, &all, SIZE_MAX, w, e);
	if (rc)
		return rc;
	if (cost(b, q, w) <= most) {
		*next = all;
		return 0;
	}
	*next = first;
	return runs_of(b, q, t, next, n, w, e);
}

/*
 * The best K: scores, then starts where they may be
 *
 * After the pass, the score of the K-th best is at least the threshold; so the
 * hits lie in spots, blocks whose largest H reaches it.  They are searched the
 * highest first, in groups, until K hits are held and none that is left can
 * come before the last.  A search reports all cells that may still be wanted,
 * and no cell is wanted later that was not then; so a block is searched once.
 *
 * Spots of a group that are near each other are joined to runs: each costs the
 * stretch before it, which may be long where gaps are cheap.  The first group
 * is one spot, after which it is known how long; where the last score is
 * estimated, the second group are all others, few of which will not be wanted.
 * Long runs are searched in
 * pieces, as an engine may need memory for all columns; each piece is a region
 * with a stretch of its own, so that nothing is lost between them.
 */

enum {
	FEW = 16,
	PIECE = 32768,		/* columns */
	WORTH = 6,		/* stretches in a piece */
	ROUNDED = 8,		/* an eighth */
	MANY = 4,		/* blocks a hit; a part of all */
	FULL = 8,		/* of so many tiles one */
	MIN_HITS = 4,		/* to go by */
	SLOW = 3,		/* a third of those sought, at most; rounds */
};
#define OVER 1.06		/* what is expected for what is sought */

/* Rounds of try_tiles(): hits before the last one, and how many did little. */
struct rounds {
	size_t had;
	unsigned slow;
};

void
sw_best_free(struct sw_best *b)
{
	if (!b)
		return;
	free(b->peak);
	free(b->spot);
	free(b->group);
	free(b->run);
	free(b->done);
	free(b->score);
	sw_raise_free(&b->raise);
	sw_topk_free(&b->topk);
	sw_estimate_free(&b->estimate);
	sw_absent_free(&b->absent);
	free(b);
}

static int
best_of(struct sw_work *w, struct sw_best **b, struct err *e)
{
	if (!w->best)
		w->best = calloc(1, sizeof *w->best);
	*b = w->best;
	return *b ? 0 : err_nomem(e, sizeof **b);
}

static int64_t
floor_of(const struct sw_best *b)
{
	return __atomic_load_n(b->floor, __ATOMIC_RELAXED);
}

/* Where much less than the query's own score is sought, they are of no use. */
static int
find_absent(struct sw_best *b, struct sw_pass *p, struct err *e)
{
	const struct sw_query *q = p->q;
	uint64_t most = min_u64(q->n, p->t->n);
	int rc;

	if (p->threshold < q->best * (int64_t)(most / 4) ||
	    !sw_bound_helps(q, p->t))
		return 0;
	rc = sw_absent_find(&b->absent, q, p->t, e);
	p->absent = rc ? NULL : &b->absent;
	return rc < 0 ? rc : 0;
}

/* For the one best by a crew; NULL: without them. */
static struct sw_cuts *
cuts_of(struct sw_work *w, size_t k)
{
	if (k != 1 || !w->crew || !w->classes)
		return NULL;
	if (!w->cuts)
		w->cuts = calloc(1, sizeof *w->cuts);
	if (w->cuts)
		w->cuts->always = w->grid_tile;
	return w->cuts;
}

static int
find_peaks(struct sw_best *b, const struct sw_query *q,
	   const struct sw_text *t, bool exactly, struct sw_work *w,
	   struct err *e)
{
	int64_t least = floor_of(b);
	size_t k = b->topk.k;
	struct sw_pass p = {
		.q = q, .t = t, .threshold = least,
		.raise = sw_raise_take, .ctx = &b->raise, .floor = b->floor,
		.cells = w->classes ? 0 : k, .k = exactly ? 0 : k,
		.wanted = w->classes && k > 1 ? k : 0,
		.cuts = cuts_of(w, k),
	};
	int rc = sw_raise_reset(&b->raise, q, t, k, least, e);

	if (!rc)
		rc = array_room(&b->peak, &b->n_peak, t->n / SW_BLOCK,
			     sizeof *b->peak, e);
	p.peak = b->peak;
	if (!rc)
		rc = find_absent(b, &p, e);
	if (!rc)
		rc = sw_pass(&p, w, e);
	b->sure = p.sure;
	b->failed = INT64_MAX;
	w->crowded = false;
	b->borders = p.borders;
	b->n_done = 0;
	b->proved = max_i64(p.threshold, floor_of(b));
	return rc ? rc : sw_estimate_reset(&b->estimate, t, b->peak, k, e);
}

static int64_t
put_cell(void *ctx, const struct sw_hit *cell)
{
	struct sw_best *b = ctx;
	int rc = sw_topk_put(&b->topk, cell, b->e);
	const struct sw_hit *last;

	if (rc)
		return rc;
	last = sw_topk_last(&b->topk);
	if (last)
		b->least = max_i64(b->least, last->score);
	return b->least;
}

/* Blocks [from, to) of a run, if they still matter. */
static int
search_piece(struct sw_best *b, const struct sw_query *q,
	     const struct sw_text *t, const struct sw_run *r, struct sw_work *w,
	     struct err *e)
{
	struct sw_region x;
	int64_t top = 0;

	for (uint64_t i = r->from; i < r->to; i++)
		if (b->peak[i].exact && b->peak[i].bound > top)
			top = b->peak[i].bound;
	memset(b->done + r->from, true, r->to - r->from);
	b->n_done += r->to - r->from;
	b->least = max_i64(b->least, floor_of(b));
	if (!sw_best_wants(b, top, r->from))
		return 0;
	x = (struct sw_region){
		q, t, r->seg, r->from * SW_BLOCK, r->to * SW_BLOCK, b->least,
		b->peak, put_cell, b,
	};
	return sw_region(&x, w, e);
}

static uint64_t
piece_of(const struct sw_work *w)
{
	if (w->piece)
		return w->piece;
	return w->stretch > PIECE / WORTH ? w->stretch * WORTH : PIECE;
}

static int
search_run(struct sw_best *b, const struct sw_query *q,
	   const struct sw_text *t, const struct sw_run *r, struct sw_work *w,
	   struct err *e)
{
	struct sw_run piece = *r;
	int rc = 0;

	while (!rc && piece.from < r->to) {
		uint64_t n = piece_of(w) / SW_BLOCK;

		piece.to = r->to - piece.from > n ? piece.from + n : r->to;
		rc = search_piece(b, q, t, &piece, w, e);
		piece.from = piece.to;
	}
	return rc;
}

static int
cmp_run(const void *x, const void *y)
{
	const struct sw_run *a = x, *b = y;

	if (a->top != b->top)
		return a->top > b->top ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int
search_runs(struct sw_best *b, const struct sw_query *q,
	    const struct sw_text *t, struct sw_work *w, struct err *e)
{
	int rc = 0;

	if (b->n_run)
		qsort(b->run, b->n_run, sizeof *b->run, cmp_run);
	for (size_t i = 0; !rc && i < b->n_run; i++) {
		if (!sw_best_wants(b, b->run[i].top, b->run[i].from))
			break;
		rc = search_run(b, q, t, &b->run[i], w, e);
	}
	return rc;
}

/* Do rounded peaks leave too much to search? */
static bool
too_many(const struct sw_best *b, const struct sw_text *t)
{
	return b->sure && b->n_done / MANY > b->topk.k + t->n / SW_BLOCK /
						  (MANY * MANY);
}

static int
search_best(struct sw_best *b, const struct sw_query *q,
	    const struct sw_text *t, bool crowded, struct sw_work *w,
	    struct err *e)
{
	const bool estimated = b->least > b->proved && !b->sure;
	size_t next = 0, n = 1;

	sw_stretch_reset(q, w);
	w->crowded = crowded;
	for (;;) {
		int rc = sw_best_runs(b, q, t, &next, n, w, e);

		if (rc || !b->n_group)
			return rc;
		rc = search_runs(b, q, t, w, e);
		if (rc || too_many(b, t))
			return rc ? rc : 1;
		n = estimated ? SIZE_MAX : n == 1 ? b->topk.k : n;
		n = n < FEW ? FEW : n < SIZE_MAX / 2 ? 2 * n : n;
	}
}

/*
 * The next estimate.  Of rounded peaks it is lowered, as scores may be lower
 * than they say; and is no lower than where they end to be sure.
 */
static int64_t
next_estimate(struct sw_best *b)
{
	int64_t estimate = sw_estimate_next(&b->estimate);

	return b->sure ? max_i64(estimate - estimate / ROUNDED, b->sure)
		       : estimate;
}

/*
 * All cells from b->least on, by the borders that the pass left: a tile without
 * as large an H has none, and tiles on no path of those found are not computed.
 * Not those from `until` on, if it is not 0: the last call was for them.  1:
 * there are too many.
 */
static int
search_tiles(struct sw_best *b, const struct sw_query *q,
	     const struct sw_text *t, int64_t until, struct sw_work *w,
	     struct err *e)
{
	const struct sw_borders *y = b->borders;
	const struct sw_grid_window x = {
		.row = q->code, .rows = q->n, .col = t->codes, .cols = t->n,
		.from = t->seg->own, .until = until,
	};

	if (sw_borders_report(y, b->least) > y->high * y->wide / FULL &&
	    !w->border_tile)
		return 1;
	return sw_grid_some(w, q, &x, 0, b->least, NULL, put_cell, b, e);
}

static int
falling(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a > *b ? -1 : *a < *b;
}

/*
 * Below `least`, which n hits reach, fewer than K: where K may be found.  If
 * half of them are d better, twice as many are expected d below; a round that
 * found few goes twice as far the next time.  1: few are left.
 */
static int
lower(struct sw_best *b, struct rounds *r, int64_t *least, struct err *e)
{
	const struct sw_topk *s = &b->topk;
	double more = (double)s->k * OVER / (double)s->n;
	int64_t d, by = 1;
	int rc = array_room(&b->score, &b->cap_score, s->n, sizeof *b->score,
			    e);

	if (rc)
		return rc;
	if (s->n - r->had <= (s->k - r->had) / SLOW &&
	    (s->k - s->n > s->k / MANY + 1 || ++r->slow > SLOW))
		return 1;
	r->had = s->n;
	for (size_t i = 0; i < s->n; i++)
		b->score[i] = s->node[i].hit.score;
	qsort(b->score, s->n, sizeof *b->score, falling);
	d = max_i64(b->score[s->n / 2] - *least, 0);
	for (; more > 2; more /= 2)
		by += d;
	by += (int64_t)((more - 1) * (double)d * 3 / 2);
	*least -= by << r->slow;
	return 0;
}

/*
 * The K best in tiles, in rounds of lower and lower scores: each costs as much
 * as there are paths to new starts, so that it is no loss to begin with a score
 * that fewer than K reach.  They are final as soon as there are K, the last of
 * which is not below the round's score.  1: of no use here, scores from
 * b->failed on being too high: few are left at lower scores, or too many cells.
 */
static int
try_tiles(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
	  struct sw_work *w, struct err *e)
{
	int64_t least = b->estimate.some, until = 0;
	struct rounds rounds = { 0, 0 };

	for (;;) {
		const int64_t sure = max_i64(b->proved, floor_of(b));
		const struct sw_hit *last;
		int rc;

		b->least = max_i64(least, sure);
		rc = search_tiles(b, q, t, until, w, e);
		if (rc || least <= sure)
			return rc;
		last = sw_topk_last(&b->topk);
		if (last && last->score >= least)
			return 0;
		if (last && last->score > b->proved)
			b->proved = last->score;
		b->failed = until = least;
		if (b->topk.n >= MIN_HITS)
			rc = lower(b, &rounds, &least, e);
		while (b->topk.n < MIN_HITS && least && least >= until)
			least = next_estimate(b);
		if (rc)
			return rc;
	}
}

/*
 * Cells below an estimate are not reported.  The hits are final only if there
 * are K, the last of which is not below it; else all is done again with a lower
 * estimate, which costs little, as it is far lower.  1: rounded peaks do not
 * do.
 */
static int
try(struct sw_best *b, const struct sw_query *q, const struct sw_text *t,
    struct sw_work *w, struct err *e)
{
	int rc = b->borders && !b->sure ? try_tiles(b, q, t, w, e) : 1;
	const bool crowded = b->borders && w->crowded;

	b->borders = NULL;
	if (rc != 1)
		return rc;
	for (;;) {
		int64_t estimate = next_estimate(b);
		const struct sw_hit *last;

		if (estimate && estimate >= b->failed)
			continue;
		b->least = max_i64(estimate, b->proved);
		rc = sw_best_spots(b, t, e);
		if (!rc)
			rc = search_best(b, q, t, crowded, w, e);
		if (rc || estimate <= max_i64(b->proved, floor_of(b)))
			return rc;
		last = sw_topk_last(&b->topk);
		if (last && last->score >= estimate)
			return 0;
		if (last && last->score > b->proved)
			b->proved = last->score;
		if (estimate == b->sure)
			return 1;
	}
}

static int64_t
highest_top(const struct sw_best *b, const struct sw_text *t)
{
	int64_t top = 0;

	for (size_t s = 0; s < t->n_seg; s++)
		for (uint64_t i = t->seg[s].own / SW_BLOCK;
		     i < t->seg[s].end / SW_BLOCK; i++)
			if (b->peak[i].exact)
				top = max_i64(top, b->peak[i].bound);
	return top;
}

/* The scores are known: is there one alignment beside which to search?  1:
 * there is none, or that takes too much. */
static int
try_beside(struct sw_best *b, const struct sw_query *q,
	   const struct sw_text *t, struct sw_work *w, struct err *e)
{
	const int64_t top = highest_top(b, t);
	const size_t k = b->topk.k;
	struct sw_hit main;
	int rc;

	if (b->sure || !top || !sw_beside_pays(q, t, top, w))
		return 1;
	b->borders = NULL;	/* others are made */
	sw_topk_reset(&b->topk, q, SW_ALIGNMENTS, 1);
	b->least = top;
	rc = sw_best_spots(b, t, e);
	if (!rc)
		rc = search_best(b, q, t, false, w, e);
	if (!rc && sw_topk_last(&b->topk)) {
		main = *sw_topk_last(&b->topk);
		rc = sw_beside_hit(q, t, k, &main, b->floor, w, &b->topk, e);
	} else if (!rc) {
		rc = 1;
	}
	if (rc == 1)
		sw_topk_reset(&b->topk, q, SW_ALIGNMENTS, k);
	return rc;
}

static int
search_all(struct sw_best *b, const struct sw_query *q,
	   const struct sw_text *t, bool beside, struct sw_work *w,
	   struct err *e)
{
	int rc = find_peaks(b, q, t, false, w, e);

	if (rc)
		return rc;
	rc = beside ? try_beside(b, q, t, w, e) : 1;
	if (rc == 1)
		rc = try(b, q, t, w, e);
	if (rc != 1)
		return rc;
	w->rounded.again++;
	rc = find_peaks(b, q, t, true, w, e);
	return rc ? rc : try(b, q, t, w, e);
}

int
sw_best(const struct sw_query *q, const struct sw_text *t, enum sw_kind kind,
	size_t k, const int64_t *least, struct sw_work *w,
	struct sw_hits *hits, struct err *e)
{
	bool beside = kind == SW_ALIGNMENTS && sw_beside_fits(q, t, k, w);
	struct sw_best *b;
	int rc = best_of(w, &b, e);

	hits->n = 0;
	w->counted = false;
	if (rc || k == 0 || q->best <= 0)
		return rc;
	if (beside)
		rc = sw_beside(q, t, k, least, w, &b->topk, e);
	if (rc < 0 || (beside && !rc))
		return rc ? rc : sw_topk_take(&b->topk, hits, e);
	beside = rc == SW_BESIDE_LATER;
	sw_topk_reset(&b->topk, q, kind, k);
	w->classes = kind == SW_ALIGNMENTS;
	b->e = e;
	b->floor = least;
	rc = sw_paths_reset(w, q, t, e);
	if (!rc)
		rc = search_all(b, q, t, beside, w, e);
	if (w->cuts)
		sw_cuts_drop(w->cuts);
	return rc ? rc : sw_topk_take(&b->topk, hits, e);
}
