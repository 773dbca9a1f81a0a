/* SPDX-License-Identifier: MIT */
/*
 * kdiff_share.c - start and CIGAR of many hits of a long pattern, by one matrix
 *
 * With more than about m / 2 differences in m random letters, every few
 * letters are a hit's end, and each hit's band of diagonals (kdiff_trace.c) is
 * about all of a matrix of m + d columns.  Here hits that end near each other
 * have one matrix in common, of whole columns, and each is followed back
 * through it.
 *
 * The columns begin m + d letters before the first end, d the largest distance,
 * or where the segment does, with D(i) = i.  The proof in kdiff_trace.c for a
 * window holds for each hit in it: the cells that the rule may choose lie on a
 * path of at most m + d letters, and have their true values; others may be too
 * large, and were not chosen before.
 *
 * Memory holds the cells of one block of columns at a time, and the states
 * between blocks.
 */

#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_trace.h"

enum {
	MIN_WORDS = 4,			/* of a column */
	BLOCK_BYTES = 4 << 20,		/* of cells */
	PATH_BYTES = 64 << 20,		/* of all choices */
	STEPS = 64, SIDE = 4,
};

/* A hit on its way back. */
struct walker {
	uint64_t row, col;	/* letters of pattern and window left */
	uint64_t *group;	/* 3 words each, as kdiff_back_fn has them */
	size_t n;
};

struct share {
	struct trace t;		/* of one lane */
	uint64_t words, cols;
	uint64_t block;		/* columns */
	uint64_t *pv, *mv, *cells, *keep;
	struct walker *walker;
	size_t n;
};

static const struct kdiff_seg *
seg_of(const struct trace *t, const struct kdiff_hit *h)
{
	return &t->text->seg[kdiff_seg_find(t->text, h->end - 1)];
}

/* Columns of a block: no more than cols, and no fewer than there are blocks. */
static uint64_t
block_of(const struct trace *t, uint64_t words, uint64_t cols)
{
	uint64_t block = BLOCK_BYTES / (words * 16);

	if (t->set->force.block)
		block = t->set->force.block;
	while (block * block < cols)
		block = 2 * block + 1;
	return min_u64(block, cols);
}

/*
 * A path has at most m + k choices; those of a block do not share a group with
 * those of the next one, nor with the last insertions.
 */
static uint64_t
max_groups(const struct kdiff_pat *p, uint64_t cols, uint64_t block)
{
	return ((uint64_t)p->m + p->k) / 64 + (cols + block - 1) / block + 3;
}

/* Time of a word of a column, of both passes, is the unit. */
size_t
kdiff_share_count(const struct trace *t, const struct kdiff_hit *hits,
		  const size_t *order, size_t n)
{
	const struct kdiff_pat *p = t->p;
	const struct kdiff_hit *h = &hits[*order];
	const struct kdiff_seg *g = seg_of(t, h);
	uint64_t words = (p->m + 63) / 64, reach = (uint64_t)p->m + p->k;
	uint64_t cols = 2 * reach;
	size_t most, count = 1;
	double one;

	if (words < MIN_WORDS)
		return 0;
	most = PATH_BYTES / (24 * max_groups(p, cols, block_of(t, words,
								cols)));
	for (const struct kdiff_hit *x = h; count < n && count < most;
	     count++) {
		const struct kdiff_hit *next = &hits[order[count]];

		if (next->pattern != h->pattern || next->end > g->end ||
		    next->end < x->end || next->end - h->end > reach)
			break;
		x = next;
	}
	cols = hits[order[count - 1]].end - h->end + reach;
	one = (double)reach * kdiff_frame(p->k) / (double)t->ops->lanes;
	return (double)cols * (double)words < one * (double)count ? count : 0;
}

/* One more column; its cells are as kdiff_columns_fn has them. */
static void
next_column(const struct share *s, const uint64_t *eq, uint64_t *cell)
{
	size_t classes = s->t.classes;
	uint64_t carry = 0, up = 0, down = 0;

	for (uint64_t w = 0; w < s->words; w++, eq += classes, cell += 2) {
		uint64_t e = *eq, p = s->pv[w], m = s->mv[w], a = e & p;
		uint64_t sum = a + p, sum2 = sum + carry;
		uint64_t d0 = (sum2 ^ p) | e | m;
		uint64_t hp = m | ~(d0 | p), hm = d0 & p, hs, ms;

		cell[0] = e | ~d0;
		cell[1] = e | (d0 & m);
		carry = (sum < a) | (sum2 < sum);
		hs = hp << 1 | up;
		ms = hm << 1 | down;
		up = hp >> 63;
		down = hm >> 63;
		s->pv[w] = ms | ~(d0 | hs);
		s->mv[w] = hs & d0;
	}
}

static void
columns(const struct share *s, uint64_t beg, uint64_t end)
{
	const uint64_t *eq = s->t.eq + s->t.pad * s->t.classes;
	uint64_t *cell = s->cells;

	for (; beg < end; beg++, cell += 2 * s->words)
		next_column(s, eq + s->t.letter[beg], cell);
}

/* One choice at a cell; columns from lo on are there. */
static inline void
step_walker(const struct share *s, uint64_t lo, struct walker *x, uint64_t *hi,
	    uint64_t *low)
{
	uint64_t i = x->row - 1;
	const uint64_t *c = s->cells + ((x->col - 1 - lo) * s->words +
					i / 64) * 2;
	uint64_t diag = c[0] >> i % 64 & 1, sel = c[1] >> i % 64 & 1;

	*hi = *hi << 1 | diag;
	*low = *low << 1 | sel;
	x->row -= diag | !sel;
	x->col -= diag | sel;
}

static void
push_steps(struct walker *x, uint64_t hi, uint64_t low, uint64_t len)
{
	uint64_t *g = x->group + 3 * x->n++;

	g[0] = hi;
	g[1] = low;
	g[2] = len;
}

/* Steps that no hit can leave the block or its pattern by. */
static uint64_t
steps_left(const struct walker *x, uint64_t lo)
{
	return x->col > lo ? min_u64(x->row, x->col - lo) : 0;
}

/* STEPS steps of SIDE hits: each of one alone waits for the one before. */
static void
side_by_side(const struct share *s, uint64_t lo, struct walker *x)
{
	struct walker y[SIDE];
	uint64_t hi[SIDE] = { 0 }, low[SIDE] = { 0 };

	memcpy(y, x, sizeof y);
	for (unsigned i = 0; i < STEPS; i++)
		for (unsigned j = 0; j < SIDE; j++)
			step_walker(s, lo, &y[j], &hi[j], &low[j]);
	memcpy(x, y, sizeof y);
	for (unsigned j = 0; j < SIDE; j++)
		push_steps(&x[j], hi[j], low[j], STEPS);
}

/* Back to column lo, or to the path's begin. */
static void
alone(const struct share *s, uint64_t lo, struct walker *x)
{
	while (x->row && x->col > lo) {
		uint64_t hi = 0, low = 0, len = 0;

		for (; len < STEPS && x->row && x->col > lo; len++)
			step_walker(s, lo, x, &hi, &low);
		push_steps(x, hi, low, len);
	}
}

/* All hits back over the block that begins with column lo. */
static void
all_back(struct share *s, uint64_t lo)
{
	struct walker *x = s->walker;
	size_t i = 0;

	for (; i + SIDE <= s->n; i += SIDE, x += SIDE)
		for (;;) {
			uint64_t left = UINT64_MAX;

			for (unsigned j = 0; j < SIDE; j++)
				left = min_u64(left, steps_left(&x[j], lo));
			if (left < STEPS)
				break;
			side_by_side(s, lo, x);
		}
	for (i = 0; i < s->n; i++)
		alone(s, lo, &s->walker[i]);
}

/* The choices of all hits. */
static void
choose_all(struct share *s)
{
	size_t size = 2 * s->words * sizeof *s->pv;
	uint64_t at = 0, end = s->cols;

	memset(s->pv, 0xff, size / 2);
	memset(s->mv, 0, size / 2);
	for (; end - at > s->block; at += s->block) {
		memcpy((uint8_t *)s->keep + at / s->block * size, s->pv, size);
		columns(s, at, at + s->block);
	}
	columns(s, at, end);
	all_back(s, at);
	while (at) {
		end = at;
		at -= s->block;
		memcpy(s->pv, (uint8_t *)s->keep + at / s->block * size, size);
		columns(s, at, end);
		all_back(s, at);
	}
}

static int
share_room(struct share *s, struct kdiff_work *w, struct err *e)
{
	size_t column = 2 * s->words * sizeof *s->pv, blocks, n[6], sum = 0;
	size_t groups, words = (s->cols + 63) / 64;
	uint8_t *p;
	int r;

	s->block = block_of(&s->t, s->words, s->cols);
	blocks = (s->cols + s->block - 1) / s->block;
	groups = max_groups(s->t.p, s->cols, s->block);
	n[0] = column;
	n[1] = s->block * column;
	n[2] = blocks * column;
	n[3] = s->n * groups * 3 * sizeof *s->walker->group;
	n[4] = words * 4 * sizeof *s->t.planes_at;
	n[5] = s->n * sizeof *s->walker;
	for (int i = 0; i < 6; i++)
		sum += n[i];
	r = kdiff_room(&w->share, &w->share_cap, sum + words * 64 *
		       sizeof *s->t.letter, e);
	if (r < 0)
		return r;
	p = w->share;
	s->pv = (uint64_t *)p;
	s->mv = s->pv + s->words;
	s->cells = (uint64_t *)(p += n[0]);
	s->keep = (uint64_t *)(p += n[1]);
	p += n[2];
	s->walker = (struct walker *)(p + n[3] + n[4]);
	for (size_t i = 0; i < s->n; i++)
		s->walker[i].group = (uint64_t *)p + i * groups * 3;
	s->t.planes_at = (uint64_t *)(p + n[3]);
	s->t.letter = (uint16_t *)(p + n[3] + n[4] + n[5]);
	return 0;
}

/* Before the segment's first letter there are insertions only. */
static void
insertions(struct walker *x)
{
	for (; x->row; x->row -= min_u64(x->row, 64))
		push_steps(x, 0, 0, min_u64(x->row, 64));
}

static int
put_path(const struct share *s, struct walker *x, uint64_t beg,
	 struct kdiff_path *path, struct buf *ops, struct err *e)
{
	size_t size = (2ull * s->t.p->k + 2 + 64) * sizeof(uint32_t);
	struct kdiff_choices c = { .group = x->group, .lanes = 1 };

	insertions(x);
	c.n = x->n;
	if (!buf_reserve(ops, size))
		return err_nomem(e, size);
	path->beg = beg + x->col;
	path->ops = ops->n / sizeof(uint32_t);
	path->n_ops = s->t.set->ops.runs(&c, (uint32_t *)(void *)
					     (ops->p + ops->n));
	ops->n += path->n_ops * sizeof(uint32_t);
	return 0;
}

int
kdiff_share(const struct trace *t, struct kdiff_work *w,
	    const struct kdiff_hit *hits, const size_t *order, size_t n,
	    struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	const struct kdiff_hit *first = &hits[*order];
	const struct kdiff_hit *last = &hits[order[n - 1]];
	struct share s = { .t = *t, .words = (t->p->m + 63) / 64, .n = n };
	uint64_t reach = (uint64_t)t->p->m + t->p->k;
	uint64_t beg = seg_of(t, first)->beg;
	int r;

	if (first->end - beg > reach)
		beg = first->end - reach;
	s.cols = s.t.cols = s.t.have[0] = last->end - beg;
	s.t.ops = &kdiff_ops_scalar;
	r = share_room(&s, w, e);
	if (r < 0)
		return r;
	kdiff_read_letters(&s.t, hits, order + n - 1, 1);
	for (size_t i = 0; i < n; i++) {
		s.walker[i].row = t->p->m;
		s.walker[i].col = hits[order[i]].end - beg;
		s.walker[i].n = 0;
	}
	choose_all(&s);
	for (size_t i = 0; i < n && !r; i++)
		r = put_path(&s, &s.walker[i], beg, &paths[order[i]], ops, e);
	return r;
}
