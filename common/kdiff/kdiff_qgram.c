/* SPDX-License-Identifier: MIT */
/*
 * kdiff_qgram.c - lossless filter for patterns of few differences
 * Source: Navarro and Baeza-Yates, J. Discrete Algorithms 1, 2000
 * (hierarchical verification); samples as in many q-gram filters.
 *
 * Cut k + 1 disjoint pieces of L letters out of a pattern.  k differences
 * spoil k pieces at most, so every match holds some piece unchanged, side by
 * side with its letters of the text (a difference between two letters of a
 * piece spoils it).  Look at the text's q-grams that begin with every step-th
 * letter, step + q - 1 <= L: of the piece's first `step` q-grams one is looked
 * at, since their beginnings are consecutive letters.  So these
 * (k + 1) * step q-grams of a pattern, found among samples of the text, lead
 * to all of its matches.
 *
 * The candidates of a sample are verified step by step: the whole piece, equal
 * letter by letter; then, with 2, 4, 8 ... neighbouring pieces (c of them, and
 * what is between) at most c - 1 differences around the equal piece.  If a
 * match has fewer than c differences within c pieces, it has fewer than c1 in
 * the first c1 of them or fewer than c2 in the c2 others, c1 + c2 = c; so from
 * all pieces (k + 1 of them, fewer than k + 1 differences) there is a path
 * down to one piece without any, on which every check is passed.
 *
 * The remaining candidates are ranges of ends: each end with D <= k is in one.
 * The values there come from the diagonals that lead to them (kdiff_strip.c),
 * which are exact where they are <= k; ranges that meet become one, so that all
 * values beside it are > k, as the minima's rule wants to know.  With Hamming
 * distances, exact letters, or too many diagonals ranges are scanned plainly
 * instead, with the context that kdiff_context() gives and the letter after,
 * and so exactly, too.
 *
 * The text is taken in blocks of ends: block (beg, end] reports beg < e <= end
 * for all patterns, from the samples of this and of earlier blocks; a match
 * ends after its equal piece, so samples of later blocks cannot matter.  Where
 * a block costs the filter about half of what a plain scan would, or leads to
 * about all of the block, it is scanned plainly; then so are the next 1, 2, 4
 * ... 64 blocks, before the filter is tried again.  So at worst 1 / 65 of a
 * long text costs half as much again as a plain scan.
 *
 * With first rows in place of samples (kdiff_strip.c) a block's ends (beg,
 * end] of these rows lead to ranges of ends behind them.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"

/* A scan by way of the filter, between its two files. */

struct qgram_ranges {
	struct kdiff_range *v;
	size_t n, cap;
};

struct qgram_work {
	uint8_t *found, *mem, *seg, *last;	/* mem: of strips */
	size_t found_cap, mem_cap, seg_cap, last_cap;
	struct kdiff_copy copy;		/* what is around ranges */
	struct qgram_ranges now, later;	/* of a block; beyond its end */
	struct qgram_ranges other;	/* one pattern's that are not deep */
	struct kdiff_hits hits;		/* of ranges */
	/* what was learnt of texts so far; filter is only compared */
	const struct kdiff_qgram *filter;
	uint64_t skip, more;	/* blocks to scan plainly; the next time */
};

struct qgram_scan {
	const struct kdiff_qgram *f;
	const struct kdiff_job *j;
	struct qgram_work *q;
	uint64_t beg, end;	/* this block's ends: beg < e <= end */
};

/* Where to begin in segment g, with so many letters before end `from`. */
static inline uint64_t
qgram_context(const struct kdiff_seg *g, uint64_t from, uint64_t letters)
{
	return max_u64(g->beg, from > letters ?
			  (from - letters) / 64 * 64 : 0);
}

/* Plain scans of a block of ends. */

/*
 * The text around the block, as a text of its own that begins at *base; whole:
 * with all of the block's ends, whatever is to be reported.
 */
static int
block_view(struct qgram_scan *s, struct kdiff_text *x, uint64_t letters,
	   bool whole, uint64_t *base)
{
	const struct kdiff_text *t = s->j->text;
	size_t i = kdiff_seg_find(t, s->beg), n;
	struct kdiff_seg *seg;
	int r;

	while (i < t->n_seg && t->seg[i].end <= s->beg)
		i++;
	for (n = i; n < t->n_seg && t->seg[n].beg < s->end; n++)
		;
	*x = (struct kdiff_text){ 0 };
	if (n == i)
		return 0;
	r = kdiff_room(&s->q->seg, &s->q->seg_cap, (n - i) * sizeof *seg,
		       s->j->e);
	if (r < 0)
		return r;
	*base = qgram_context(&t->seg[i], max_u64(s->beg, t->seg[i].beg),
			      letters);
	x->n = min_u64(t->n, s->end + 1) - *base;
	x->planes = t->planes + *base / 64 * 2;
	x->exc = t->exc ? t->exc + *base / 64 : NULL;
	x->seg = seg = (struct kdiff_seg *)s->q->seg;
	for (; i < n; i++, x->n_seg++) {
		const struct kdiff_seg *g = &t->seg[i];
		uint64_t from = whole ? 0 : g->from;
		uint64_t to = whole ? UINT64_MAX : g->to;

		seg[x->n_seg] = (struct kdiff_seg){
			.beg = max_u64(g->beg, *base) - *base,
			.end = min_u64(g->end, s->end + 1) - *base,
			.from = max_u64(max_u64(from, s->beg + 1), *base) -
				*base,
			.to = max_u64(min_u64(to, s->end), *base) - *base,
		};
	}
	return 0;
}

/*
 * Scan the block plainly for all patterns, or for those without a filter, and
 * give the hits, with those in s->q->hits, to the job.
 */
static int
qgram_scan_block(struct qgram_scan *s, bool all)
{
	size_t n = all ? s->j->n : s->f->n_rest;
	struct kdiff_text x = { 0 };
	uint64_t base = 0;
	int r = n ? block_view(s, &x, kdiff_context(s->j->set), false, &base)
		  : 0;

	return r ? r : kdiff_text_mix(s->j, &x, base, all ? s->j->which :
				      s->f->rest, n, &s->q->hits);
}

/* Plain scans of parts of a text. */

void
qgram_work_free(struct qgram_work *w)
{
	if (!w)
		return;
	free(w->found);
	free(w->mem);
	kdiff_copy_free(&w->copy);
	free(w->seg);
	free(w->last);
	kdiff_hits_free(&w->hits);
	free(w->now.v);
	free(w->later.v);
	free(w->other.v);
	free(w);
}

static int
qgram_range_add(struct qgram_ranges *r, const struct kdiff_range *x,
		struct err *e)
{
	int rc = r->n < r->cap ? 0 : array_room(&r->v, &r->cap, r->n + 1,
						sizeof *r->v, e);

	if (rc == 0)
		r->v[r->n++] = *x;
	return rc;
}

static uint64_t
context_of(const struct qgram_scan *s, const struct kdiff_pat *p)
{
	return p->m + p->k + (s->f->set.p.report == KDIFF_MINIMA ?
			      p->m : 0);
}

static int
by_start(const void *x, const void *y)
{
	const struct kdiff_range *a = x, *b = y;

	if (a->pattern != b->pattern)
		return a->pattern < b->pattern ? -1 : 1;
	if (a->seg != b->seg)
		return a->seg < b->seg ? -1 : 1;
	return a->lo < b->lo ? -1 : a->lo > b->lo;
}

/* x, of a's pattern and segment, becomes a part of a. */
static void
range_join(struct kdiff_range *a, const struct kdiff_range *x)
{
	a->lo = min_i64(a->lo, x->lo);
	a->hi = max_i64(a->hi, x->hi);
	a->from = min_u64(a->from, x->from);
	a->to = max_u64(a->to, x->to);
	a->plain |= x->plain;
	a->deep = false;
}

/* Those of first rows are in order already, others are nearly so. */
static void
sort_ranges(struct qgram_ranges *r)
{
	size_t i = 1;

	while (i < r->n && by_start(&r->v[i - 1], &r->v[i]) <= 0)
		i++;
	if (i < r->n)
		qsort(r->v, r->n, sizeof *r->v, by_start);
}

/* Diagonals beside a range that its strip has to have. */
static uint32_t
pad_of(const struct qgram_scan *s, const struct kdiff_range *x)
{
	return s->f->first.n ? s->f->set.pat[x->pattern].k : 0;
}

/*
 * Ranges that meet become one, so that what is beside one is > k.  Those of a
 * pattern in different segments stay apart.
 */
static void
join_neighbours(struct qgram_scan *s)
{
	struct qgram_ranges *r = &s->q->now;
	size_t n = 0;

	sort_ranges(r);
	for (size_t i = 0; i < r->n; i++) {
		struct kdiff_range *a = &r->v[n ? n - 1 : 0], *x = &r->v[i];

		if (n && a->pattern == x->pattern && a->seg == x->seg &&
		    x->lo <= a->hi + 1)
			range_join(a, x);
		else if (n++ != i)
			r->v[n - 1] = *x;
	}
	r->n = n;
}

/*
 * Of those that are scanned plainly the ones whose contexts overlap become
 * one: that is no more to scan.
 */
static void
join_contexts(struct qgram_scan *s)
{
	struct qgram_ranges *r = &s->q->now;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct kdiff_range *a = &r->v[n ? n - 1 : 0], x = r->v[i];
		uint64_t more;

		if (!x.plain) {
			if (n++ != i)
				r->v[n - 1] = x;
			continue;
		}
		more = context_of(s, &s->f->set.pat[x.pattern]);
		if (n && a->pattern == x.pattern && a->plain &&
		    a->seg == x.seg && x.from <= a->to + more + 64)
			range_join(a, &x);
		else
			r->v[n++] = x;
	}
	r->n = n;
}

/*
 * Leave what is beyond the block for later, whole: the next one's may meet it.
 * A match that ends with the next block's first letter was found in this one,
 * so a range that ends with the block meets no other.
 */
static int
split_ranges(struct qgram_scan *s)
{
	struct qgram_ranges *r = &s->q->now;
	bool strips = kdiff_strip_fits(&s->f->set);
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc; i++) {
		struct kdiff_range *x = &r->v[i];

		x->plain |= !strips || x->hi - x->lo +
			    2 * (int64_t)pad_of(s, x) >= STRIP_WIDTH;
		if (x->hi > (int64_t)s->end) {
			struct kdiff_range y = *x;

			y.from = max_u64(x->from, s->end + 1);
			x->to = min_u64(x->to, s->end);
			rc = qgram_range_add(&s->q->later, &y, s->j->e);
		}
		if (x->from <= x->to && n++ != i)
			r->v[n - 1] = *x;
	}
	r->n = n;
	return rc;
}

/*
 * Cycles that a match takes a plain scan: half of the rows of m letters, in all
 * lanes, of which half may be as deep anyway.
 */
static double
deep_cycles(const struct qgram_scan *s, const struct kdiff_pat *p)
{
	const struct kdiff_ops *ops = &s->f->set.ops;

	return .25 * (ops->lanes > 1 ? ops->lanes : 2) * p->m * p->m *
	       ops->row;
}

enum { DEEP = 200 };	/* cycles of a range of that kind */

/* Cycles that the ranges take, less those of plain scans where they are. */
static double
range_cycles(const struct qgram_scan *s)
{
	const struct qgram_ranges *r = &s->q->now;
	double cycles = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct kdiff_range *x = &r->v[i];
		const struct kdiff_pat *p = &s->f->set.pat[x->pattern];

		if (x->plain)
			cycles += (double)(x->to - x->from + 64 +
					   context_of(s, p)) *
				  kdiff_plain_cycles(&s->f->set, p);
		else if (s->f->first.n)
			cycles += x->deep ? DEEP :
				  kdiff_strip_cycles(&s->f->set, x,
						     pad_of(s, x));
		else
			cycles += kdiff_strip_cycles(&s->f->set, x, 0) -
				  deep_cycles(s, p);
	}
	return cycles;
}

/* Copy the letters for ranges v[0..n), all of one pattern. */
static int
lay_out(struct qgram_scan *s, const struct kdiff_range *v, size_t n,
	uint64_t letters, uint64_t gap)
{
	const struct kdiff_text *t = s->j->text;
	struct kdiff_copy *c = &s->q->copy;
	uint64_t words = 0, at = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		words += (v[i].to - v[i].from + letters + gap) / 64 + 4;
	r = kdiff_copy_room(c, t, words * 64, n, s->j->e);
	for (size_t i = 0; !r && i < n; i++) {
		const struct kdiff_seg *g = &t->seg[v[i].seg];
		uint64_t beg = qgram_context(g, v[i].from, letters);
		struct kdiff_turn turn = {
			.t = t, .beg = beg, .end = min_u64(g->end, v[i].to + 1),
		};

		kdiff_copy_put(&turn, c, at);
		c->seg[i] = (struct kdiff_seg){
			.beg = at, .end = at + turn.end - beg,
			.from = at + v[i].from - beg, .to = at + v[i].to - beg,
		};
		at = (c->seg[i].end + gap + 63) / 64 * 64;
	}
	c->text.n = at;
	c->text.n_seg = n;
	return r;
}

/* Scan ranges v[0..n), all of one pattern. */
static int
scan_one(struct qgram_scan *s, const struct kdiff_range *v, size_t n)
{
	struct kdiff_set one = s->f->set;
	struct kdiff_hits *h = &s->q->hits;
	size_t first = h->n, g = 0;
	const struct kdiff_seg *seg;
	struct kdiff_job j = *s->j;
	int r;

	one.pat += v->pattern;
	one.n = 1;
	one.max_m = one.pat->m;
	one.max_k = one.pat->k;
	one.max_mk = one.max_m + one.max_k;
	one.max_2mk = one.max_mk + one.max_m;
	r = lay_out(s, v, n, context_of(s, one.pat), one.max_k + 1);
	j.set = &one;
	j.text = &s->q->copy.text;
	j.which = NULL;
	j.n = 1;
	j.hits = h;
	j.take = NULL;
	if (!r)
		r = kdiff_text_scan(&j);
	seg = s->q->copy.seg;
	for (size_t i = first; !r && i < h->n; i++) {
		while (h->v[i].end > seg[g].end)
			g++;
		h->v[i].end += v[g].from - seg[g].from;
		h->v[i].pattern = s->f->number[v->pattern];
	}
	return r;
}

/* Those of v[0..n), all of one pattern, that are not deep. */
static int
scan_other(struct qgram_scan *s, const struct kdiff_range *v, size_t n,
	   const struct kdiff_strips *strips)
{
	struct qgram_ranges *to = &s->q->other;
	size_t plain;
	int r = 0;

	to->n = 0;
	for (size_t i = 0; i < n && !r; i++)
		if (!v[i].deep && !v[i].plain)
			r = qgram_range_add(to, &v[i], s->j->e);
	plain = to->n;
	for (size_t i = 0; i < n && !r; i++)
		if (v[i].plain)
			r = qgram_range_add(to, &v[i], s->j->e);
	if (!r && plain)
		r = kdiff_strip_scan(strips, to->v, plain,
				     s->f->number[v->pattern]);
	if (!r && to->n > plain)
		r = scan_one(s, to->v + plain, to->n - plain);
	return r;
}

/* Ranges v[0..n), all of one pattern; `deep` of them are. */
static int
scan_ranges(struct qgram_scan *s, const struct kdiff_range *v, size_t n,
	    size_t deep)
{
	const struct kdiff_strips strips = {
		.set = &s->f->set, .text = s->j->text,
		.minima = s->f->set.p.report == KDIFF_MINIMA && !s->j->all,
		.mem = &s->q->mem, .mem_cap = &s->q->mem_cap,
		.hits = &s->q->hits, .e = s->j->e, .pad = pad_of(s, v),
	};
	int r = 0;

	if (deep)
		r = kdiff_deep_scan(&strips, v, n,
				    s->f->first.pat[v->pattern].m,
				    s->f->number[v->pattern]);
	return r || deep == n ? r : scan_other(s, v, n, &strips);
}

/*
 * Join s->q->now and scan its ranges as far as they are in the block; what
 * is beyond is left in ->later; the hits are in s->q->hits.  *dense and
 * nothing done: it would take more than so many cycles.
 */
static int
qgram_scan_ranges(struct qgram_scan *s, double most_cycles, bool *dense)
{
	struct qgram_ranges *r = &s->q->now;
	struct kdiff_hits *h = &s->q->hits;
	size_t n, deep;
	int rc;

	s->q->later.n = 0;
	join_neighbours(s);
	rc = split_ranges(s);
	if (rc)
		return rc;
	join_contexts(s);
	*dense = range_cycles(s) > most_cycles && !s->f->set.force.patient;
	if (*dense)
		return 0;
	for (size_t i = 0; i < r->n && !rc; i += n) {
		deep = r->v[i].deep;
		for (n = 1; i + n < r->n && r->v[i + n].pattern ==
		     r->v[i].pattern; n++)
			deep += r->v[i + n].deep;
		rc = scan_ranges(s, r->v + i, n, deep);
	}
	return rc ? rc : kdiff_hits_order(h, 0, &s->j->w->tmp, s->j->e);
}

/* Blocks with and without the filter. */

enum {
	SUB = 256,		/* words sieved at once */
	FOUND = (SUB + 2 * KDIFF_SIEVE_PAD) * 64,	/* samples of these */
	BLOCK = 1 << 20,	/* letters */
	MAX_SKIP = 64,		/* blocks */
	STEP = 12, VISIT = 15,	/* cycles */
	/*
	 * Letters of an equal piece and its neighbours to check before a strip:
	 * few places pass by chance, and a strip costs less than more checks.
	 */
	ENOUGH = 20,
};

struct block {
	struct qgram_scan *s;
	struct qgram_text text;
	size_t seg;		/* the last one with a sample */
	/*
	 * Cycles: of the filter so far, and at most; of the ranges that it has
	 * found, and at most of both.
	 */
	double spent, budget, ranges, most;
};

static bool
is_dear(const struct block *b)
{
	return b->spent > b->budget || b->ranges + b->spent > b->most;
}

/*
 * Ends to look at because pattern x->pattern has a piece equal at `at`.  Those
 * that are not to be reported say what the others are beside.
 */
static bool
ends_near(const struct block *b, uint64_t first, struct kdiff_range *x)
{
	const struct qgram_scan *s = b->s;
	const struct kdiff_pat *p = &s->f->set.pat[x->pattern];
	const struct kdiff_seg *g = &s->j->text->seg[x->seg];
	int64_t k = s->f->set.p.hamming ? 0 : p->k;

	/* first = where the pattern's first letter stands, plus its m + k */
	x->hi = (int64_t)first - p->k + k;
	x->lo = x->hi - 2 * k;
	x->from = max_u64((uint64_t)max_i64(x->lo, 0), g->from);
	x->from = max_u64(x->from, max_u64(g->beg, s->beg) + 1);
	x->to = min_u64((uint64_t)max_i64(x->hi, 0), min_u64(g->to, g->end));
	return x->hi > (int64_t)g->beg && x->lo <= (int64_t)g->end &&
	       (x->from <= x->to || kdiff_strip_fits(&s->f->set));
}

/* Joined, the two make a strip at most twice as wide as the first. */
static bool
near_enough(const struct kdiff_range *a, const struct kdiff_range *b)
{
	int64_t width = max_i64(a->hi, b->hi) - min_i64(a->lo, b->lo) + 1;

	return width <= 2 * (a->hi - a->lo + 1) && width <= STRIP_WIDTH;
}

/*
 * A seed's piece is equal at letter `at` of the text.  Beside a range that is
 * known its neighbours need no check.
 */
static int
visit_piece(struct block *b, const struct qgram_seed *seed, uint64_t at)
{
	struct qgram_scan *s = b->s;
	const struct kdiff_seg *g = &s->j->text->seg[b->seg];
	const struct kdiff_pat *p = &s->f->set.pat[seed->pattern];
	uint32_t piece = s->f->pat[seed->pattern].piece[seed->piece];
	size_t *last = (size_t *)s->q->last + seed->pattern;
	struct kdiff_range x = { seed->pattern, .seg = b->seg }, *old = NULL;
	bool strips = kdiff_strip_fits(&s->f->set);
	uint64_t steps = 0;
	int r;

	b->spent += STEP;
	if (at < g->beg || at + p->piece > g->end ||
	    !ends_near(b, at + p->m + p->k - piece, &x))
		return 0;
	if (*last && s->q->now.v[*last - 1].seg == x.seg)
		old = &s->q->now.v[*last - 1];
	if (old && old->lo <= x.lo && x.hi <= old->hi)
		return 0;
	if (old && (x.lo > old->hi + 1 || old->lo > x.hi + 1))
		old = NULL;
	if (!old || !strips || !near_enough(old, &x)) {
		bool good = kdiff_qgram_check(s->f, &b->text, seed, (int64_t)at,
					      strips ? ENOUGH : p->m, &steps);

		b->spent += (double)steps * STEP;
		if (!good)
			return 0;
	}
	if (old) {
		range_join(old, &x);
		return 0;
	}
	r = qgram_range_add(&s->q->now, &x, s->j->e);
	*last = s->q->now.n;
	b->budget += deep_cycles(s, p) / 2;
	b->most += deep_cycles(s, p);
	b->ranges += kdiff_strip_cycles(&s->f->set, &x, 0);
	return r;
}

/* Is what the seed at letter `at` leads to in a range that is known? */
static bool
is_known(const struct block *b, const struct qgram_seed *seed, uint64_t at)
{
	const struct qgram_scan *s = b->s;
	size_t last = ((size_t *)s->q->last)[seed->pattern];
	const struct kdiff_pat *p = &s->f->set.pat[seed->pattern];
	const struct kdiff_range *old;
	int64_t hi;

	if (!last)
		return false;
	old = &s->q->now.v[last - 1];
	hi = (int64_t)at + p->m + p->k -
	     s->f->pat[seed->pattern].piece[seed->piece];
	return old->seg == b->seg && hi <= old->hi &&
	       hi - 2 * (int64_t)p->k >= old->lo;
}

/* The sample at letter `at` is the slot-th key of the table. */
static int
sample_found(struct block *b, uint64_t at, uint32_t slot)
{
	const struct kdiff_qgram *f = b->s->f;
	const struct kdiff_seg *seg = b->s->j->text->seg;
	const struct qgram_text *t = &b->text;
	const struct kdiff_grams *grams = &f->grams;
	const uint32_t *start = grams->start + slot;
	int r = 0;

	while (b->seg + 1 < b->s->j->text->n_seg && seg[b->seg + 1].beg <= at)
		b->seg++;
	while (b->seg && seg[b->seg].beg > at)	/* nearly in order */
		b->seg--;
	for (uint32_t i = start[0]; !r && i < start[1] &&
	     !is_dear(b); i++) {
		const struct qgram_seed *s = &f->seed[grams->entry[i]];

		b->spent += VISIT;
		if (!is_known(b, s, at - s->skip) &&
		    kdiff_qgram_equal(t, s, (int64_t)(at - s->skip)))
			r = visit_piece(b, s, at - s->skip);
	}
	return r;
}

/* Samples of n words from word w on. */
static int
sieve_words(struct block *b, uint64_t w, size_t n)
{
	const struct kdiff_text *t = b->s->j->text;
	const struct kdiff_qgram *f = b->s->f;
	uint64_t have = (uint64_t)b->text.n_words - w;
	uint64_t tail[2 * (SUB + KDIFF_SIEVE_PAD)];
	const uint64_t *p = t->planes + 2 * w;
	uint32_t *at = (uint32_t *)b->s->q->found, *key = at + FOUND;
	size_t n_at;
	int r = 0;

	if (n + KDIFF_SIEVE_PAD > have) {
		memset(tail, 0, sizeof tail);
		memcpy(tail, p, have * 16);
		p = tail;
	}
	n_at = f->set.ops.sieve(&f->sieve, p, n, at, key);
	/* all slots first: they do not wait for each other */
	for (size_t i = 0; i < n_at; i++)
		key[i] = kdiff_grams_slot(&f->grams, key[i]);
	for (size_t i = 0; !r && i < n_at && !is_dear(b); i++)
		r = sample_found(b, w * 64 + at[i], key[i]);
	return r;
}

/* Ranges of first rows in a block. */
struct live {
	struct qgram_scan *s;
	size_t n;
	double most;		/* cycles */
};
enum { MAX_LIVE = 1 << 16 };	/* 5 MB */

/* KDIFF_NOT_NOW: they are so many that a plain scan takes less. */
static int
add_live(void *ctx, const struct kdiff_range *x, struct err *e)
{
	struct live *v = ctx;

	v->n++;
	if ((v->n > MAX_LIVE || (double)v->n * DEEP > v->most) &&
	    !v->s->f->set.force.patient)
		return KDIFF_NOT_NOW;
	return qgram_range_add(&v->s->q->now, x, e);
}

/*
 * The block's ends of first rows.  *most: cycles of ranges that are fewer than
 * those of all rows below.  KDIFF_NOT_NOW: they take more.
 */
static int
live_ends(struct qgram_scan *s, double *most)
{
	const struct kdiff_set *first = &s->f->first;
	struct live live = { .s = s };
	const struct kdiff_prefix p = {
		&s->f->set, first, s->j->text, add_live, &live,
	};
	struct kdiff_text view;
	uint64_t base = 0;
	double rows = 0;
	int r = block_view(s, &view, first->max_mk, true, &base);

	for (size_t i = 0; i < first->n; i++)
		rows += s->f->set.pat[i].m - first->pat[i].m;
	*most = rows * first->ops.row * (double)(s->end - s->beg) * .8;
	live.most = *most;
	return r ? r : kdiff_prefix_find(&p, s->j, &view, base);
}

/*
 * After a plain scan nothing is known of the samples before beg, and each
 * pattern's first ends are looked at as they are.
 */
static int
add_unknown(struct qgram_scan *s)
{
	const struct kdiff_set *set = &s->f->set;
	size_t g = kdiff_seg_find(s->j->text, s->beg);
	const struct kdiff_seg *seg = &s->j->text->seg[g];
	int r = 0;

	if (seg->beg >= s->beg || seg->end <= s->beg)
		return 0;
	for (uint32_t i = 0; i < set->n && !r; i++) {
		struct kdiff_range x = { i, .plain = true, .seg = g };

		x.lo = (int64_t)s->beg + 1;
		x.hi = (int64_t)s->beg + set->pat[i].m + set->pat[i].k;
		x.from = max_u64(s->beg + 1, seg->from);
		x.to = min_u64((uint64_t)x.hi, min_u64(seg->end, seg->to));
		r = qgram_range_add(&s->q->now, &x, s->j->e);
	}
	return r;
}

/* One block by way of the filter; *dense: it was scanned plainly instead. */
static int
filter_block(struct qgram_scan *s, bool *dense)
{
	const struct kdiff_text *t = s->j->text;
	uint64_t words = t->n / 64 + (t->n % 64 != 0), to = s->end / 64;
	struct block b = {
		.s = s, .text = { t->planes, t->exc, (int64_t)words },
		.seg = kdiff_seg_find(t, s->beg),
	};
	double plain = (double)(s->end - s->beg) * s->f->cycles;
	struct qgram_ranges swap;
	double most = 0;
	int r = s->f->first.n ? live_ends(s, &most) : 0;

	b.budget = b.most = 1000 + plain / 20;
	if (s->f->set.force.patient)
		b.budget = b.most = 1e300;
	memset(s->q->last, 0, s->f->set.n * sizeof(size_t));
	for (uint64_t w = s->beg / 64; !s->f->first.n && !r && w < to;
	     w += SUB) {
		r = sieve_words(&b, w, to - w < SUB ? to - w : SUB);
		if (is_dear(&b))
			break;
		b.budget += SUB * 64 * 0.4 * s->f->cycles;
		b.most += SUB * 64 * s->f->cycles;
	}
	*dense = is_dear(&b) || r == KDIFF_NOT_NOW;
	r = r == KDIFF_NOT_NOW ? 0 : r;
	s->q->hits.n = 0;
	if (!r && !*dense)
		r = qgram_scan_ranges(s, s->f->first.n ? most :
				      plain - b.spent, dense);
	if (!r)
		r = qgram_scan_block(s, *dense);
	swap = s->q->now;
	s->q->now = s->q->later;
	s->q->later = swap;
	if (*dense)
		s->q->now.n = 0;
	return r;
}

static int
filter_blocks(struct qgram_scan *s)
{
	const struct kdiff_text *t = s->j->text;
	uint64_t beg = t->seg[0].beg, end = t->seg[t->n_seg - 1].end;
	uint64_t size = s->f->set.force.block, n;
	struct qgram_work *q = s->q;
	bool dense = false;
	int r = 0;

	size = size ? size : BLOCK;
	q->now.n = 0;
	for (s->beg = beg; !r && s->beg < end; s->beg = s->end) {
		n = (q->skip ? q->skip : 1) * size;
		/* a short last block would cost as much as a long one */
		s->end = end - s->beg <= n + size / 2 ?
			 (end + 63) / 64 * 64 : s->beg + n;
		if (q->skip) {
			n = (s->end - s->beg + size - 1) / size;
			q->skip -= q->skip < n ? q->skip : n;
			dense = true;
			q->hits.n = 0;
			r = qgram_scan_block(s, true);
			continue;
		}
		r = dense ? add_unknown(s) : 0;
		if (!r)
			r = filter_block(s, &dense);
		q->skip = dense ? q->more : 0;
		q->more = !dense ? 1 : q->more < MAX_SKIP ? 2 * q->more :
			  MAX_SKIP;
	}
	return r;
}

static int
prepare_scan(struct qgram_scan *s)
{
	struct qgram_work *q = s->j->w->qgram;
	int r;

	if (!q)
		q = s->j->w->qgram = calloc(1, sizeof *q);
	if (!q)
		return err_nomem(s->j->e, sizeof *q);
	s->q = q;
	if (q->filter != s->f) {
		q->filter = s->f;
		q->skip = 0;
		q->more = 1;
	}
	r = kdiff_room(&q->found, &q->found_cap, 2 * FOUND * sizeof(uint32_t),
		       s->j->e);
	if (!r)
		r = kdiff_room(&q->last, &q->last_cap, s->f->set.n *
			       sizeof(size_t), s->j->e);
	return r;
}

int
kdiff_qgram_each(const struct kdiff_qgram *f, const struct kdiff_job *j)
{
	struct qgram_scan s = { .f = f, .j = j };
	int r = prepare_scan(&s);

	return r ? r : filter_blocks(&s);
}
