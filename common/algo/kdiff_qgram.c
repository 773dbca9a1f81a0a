/* SPDX-License-Identifier: MIT */
/*
 * kdiff_qgram.c - scan by way of the filter, and when not to
 *
 * The text is taken in blocks of ends: block (beg, end] reports beg < e <= end
 * for all patterns, from what the samples of this and of earlier blocks led
 * to; a match ends after its equal piece, so later ones cannot matter.  Where
 * a block costs the filter about half of what a plain scan would, or leads to
 * about all of the block, it is scanned plainly; then so are the next 1, 2, 4
 * ... 64 blocks, before the filter is tried again.  So at worst 1 / 65 of a
 * long text costs half as much again as a plain scan.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_qgram_scan.h"

enum {
	SHORT = 4096,		/* letters: a text that is not worth it */
	SUB = 256,		/* words sieved at once */
	BLOCK = 1 << 20,	/* letters */
	MAX_SKIP = 64,		/* blocks */
	STEP = 12, VISIT = 15,	/* cycles */
};

struct block {
	struct qgram_scan *s;
	struct qgram_text text;
	size_t seg;		/* the last one with a sample */
	uint64_t spent, budget;	/* cycles */
};

/* Ends to look at because pattern x->pattern has a piece equal at `at`. */
static bool
ends(const struct block *b, uint64_t first, struct qgram_range *x)
{
	const struct qgram_scan *s = b->s;
	const struct kdiff_pat *p = &s->f->set.pat[x->pattern];
	const struct kdiff_seg *g = &s->j->text->seg[x->seg];
	uint64_t k = s->f->set.p.hamming ? 0 : p->k;
	/* first = where the pattern's first letter stands, plus its m + k */
	uint64_t to = first - p->k + k, from = to > 2 * k ? to - 2 * k : 0;

	if (from < g->from)
		from = g->from;
	if (from <= g->beg)
		from = g->beg + 1;
	if (from <= s->beg)
		from = s->beg + 1;
	if (to > g->to)
		to = g->to;
	if (to > g->end)
		to = g->end;
	x->from = from;
	x->to = to;
	return from <= to;
}

/* A seed's piece is equal at letter `at` of the text. */
static int
visit(struct block *b, const struct qgram_seed *seed, uint64_t at)
{
	struct qgram_scan *s = b->s;
	const struct kdiff_seg *g = &s->j->text->seg[b->seg];
	const struct kdiff_pat *p = &s->f->set.pat[seed->pattern];
	uint32_t piece = s->f->pat[seed->pattern].piece[seed->piece];
	size_t *last = (size_t *)s->q->last + seed->pattern;
	struct qgram_range x = { seed->pattern, b->seg, 0, 0 }, *old;
	uint64_t steps = 0;
	bool good;
	int r;

	b->spent += STEP;
	if (at < g->beg || at + p->piece > g->end ||
	    !ends(b, at + p->m + p->k - piece, &x))
		return 0;
	old = *last ? &s->q->now.v[*last - 1] : &x;
	if (*last && old->seg == x.seg && old->from <= x.from &&
	    x.to <= old->to)
		return 0;
	good = kdiff_qgram_check(s->f, &b->text, seed, (int64_t)at, &steps);
	b->spent += steps * STEP;
	if (!good)
		return 0;
	if (*last && old->seg == x.seg && x.from <= old->to + 1 &&
	    old->from <= x.to + 1) {
		old->from = old->from < x.from ? old->from : x.from;
		old->to = old->to > x.to ? old->to : x.to;
		return 0;
	}
	r = qgram_range_add(&s->q->now, &x, s->j->e);
	*last = s->q->now.n;
	return r;
}

/* The sample at letter `at` may be in the bitmap. */
static int
found(struct block *b, uint64_t at)
{
	const struct kdiff_qgram *f = b->s->f;
	const struct kdiff_seg *seg = b->s->j->text->seg;
	const struct qgram_text *t = &b->text;
	uint64_t mask = (1ull << f->sieve.q) - 1, g;
	const uint32_t *start;
	int r = 0;

	while (b->seg + 1 < b->s->j->text->n_seg && seg[b->seg + 1].beg <= at)
		b->seg++;
	while (b->seg && seg[b->seg].beg > at)	/* nearly in order */
		b->seg--;
	g = kdiff_text_bits(t->planes, t->n_words, 2, (int64_t)at) & mask;
	g |= (kdiff_text_bits(t->planes + 1, t->n_words, 2, (int64_t)at) &
	      mask) << f->sieve.q;
	if (!(f->bits[g / 64] >> g % 64 & 1))
		return 0;
	start = kdiff_qgram_slot(f, g);
	for (uint32_t i = start[0]; !r && i < start[1] &&
	     b->spent <= b->budget; i++) {
		const struct qgram_seed *s = &f->seed[i];

		b->spent += VISIT;
		if (kdiff_qgram_equal(t, s, (int64_t)(at - s->skip)))
			r = visit(b, s, at - s->skip);
	}
	return r;
}

/* Samples of n words from word w on. */
static int
sieve(struct block *b, uint64_t w, size_t n)
{
	const struct kdiff_text *t = b->s->j->text;
	const struct kdiff_qgram *f = b->s->f;
	uint64_t have = (uint64_t)b->text.n_words - w;
	uint64_t tail[2 * (SUB + KDIFF_SIEVE_PAD)];
	const uint64_t *p = t->planes + 2 * w;
	uint32_t *at = (uint32_t *)b->s->q->found;
	size_t n_at;
	int r = 0;

	if (n + KDIFF_SIEVE_PAD > have) {
		memset(tail, 0, sizeof tail);
		memcpy(tail, p, have * 16);
		p = tail;
	}
	n_at = f->set.ops.sieve(&f->sieve, p, n, at);
	for (size_t i = 0; !r && i < n_at && b->spent <= b->budget; i++)
		r = found(b, w * 64 + at[i]);
	return r;
}

/*
 * After a plain scan nothing is known of the samples before beg, and each
 * pattern's first ends are looked at as they are.
 */
static int
unknown(struct qgram_scan *s)
{
	const struct kdiff_set *set = &s->f->set;
	size_t g = kdiff_seg_find(s->j->text, s->beg);
	const struct kdiff_seg *seg = &s->j->text->seg[g];
	int r = 0;

	if (seg->beg >= s->beg || seg->end <= s->beg)
		return 0;
	for (uint32_t i = 0; i < set->n && !r; i++) {
		struct qgram_range x = { i, g, s->beg + 1, s->beg };

		x.to += (uint64_t)set->pat[i].m + set->pat[i].k;
		x.to = x.to < seg->end ? x.to : seg->end;
		x.to = x.to < seg->to ? x.to : seg->to;
		if (x.from < seg->from)
			x.from = seg->from;
		if (x.from <= x.to)
			r = qgram_range_add(&s->q->now, &x, s->j->e);
	}
	return r;
}

/* One block by way of the filter; *dense: it was scanned plainly instead. */
static int
block(struct qgram_scan *s, bool *dense)
{
	const struct kdiff_text *t = s->j->text;
	uint64_t words = t->n / 64 + (t->n % 64 != 0), to = s->end / 64;
	struct block b = {
		.s = s, .text = { t->planes, t->exc, (int64_t)words },
		.seg = kdiff_seg_find(t, s->beg),
	};
	double plain = (double)(s->end - s->beg) * s->f->cycles;
	struct qgram_ranges swap;
	int r = 0;

	b.budget = 1000 + (uint64_t)(plain / 20);
	if (s->f->set.force.patient)
		b.budget = UINT64_MAX / 2;
	memset(s->q->last, 0, s->f->set.n * sizeof(size_t));
	for (uint64_t w = s->beg / 64; !r && w < to; w += SUB) {
		r = sieve(&b, w, to - w < SUB ? to - w : SUB);
		if (b.spent > b.budget)
			break;
		b.budget += (uint64_t)(SUB * 64 * 0.4 * s->f->cycles);
	}
	*dense = b.spent > b.budget;
	s->q->hits.n = 0;
	if (!r && !*dense)
		r = qgram_scan_ranges(s, plain - (double)b.spent, dense);
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
blocks(struct qgram_scan *s)
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
		r = dense ? unknown(s) : 0;
		if (!r)
			r = block(s, &dense);
		q->skip = dense ? q->more : 0;
		q->more = !dense ? 1 : q->more < MAX_SKIP ? 2 * q->more :
			  MAX_SKIP;
	}
	return r;
}

static int
prepare(struct qgram_scan *s)
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
	r = kdiff_room(&q->found, &q->found_cap, (SUB + 2 * KDIFF_SIEVE_PAD) *
		       64 * sizeof(uint32_t), s->j->e);
	if (!r)
		r = kdiff_room(&q->last, &q->last_cap, s->f->set.n *
			       sizeof(size_t), s->j->e);
	return r;
}

int
kdiff_qgram_each(const struct kdiff_qgram *f, const struct kdiff_job *j)
{
	struct qgram_scan s = { .f = f, .j = j };
	int r = prepare(&s);

	return r ? r : blocks(&s);
}

/* Letters of a text from which on a filter of this plan pays. */
static uint64_t
pays_at(const struct qgram_plan *p, bool force)
{
	double n = p->build / 4 / (p->plain - p->cycles);

	if (!p->q || (!force && !(n >= 0 && n < 1e18)))
		return UINT64_MAX;
	return force ? 1 : (uint64_t)n + 1;
}

int
kdiff_qgram_find(const struct kdiff_job *j, const struct kdiff_qgram **f)
{
	/* a set is const for those who scan, but never of const storage */
	struct kdiff_set *set = (struct kdiff_set *)(uintptr_t)j->set;
	struct kdiff_qgram *now, *new;
	bool force = set->engine == KDIFF_FILTER;
	uint64_t n = max_u64(j->text->n, j->text->whole);
	struct qgram_plan p;
	int r;

	*f = NULL;
	if ((set->engine != KDIFF_AUTO && !force) ||
	    set->p.alphabet != KDIFF_DNA || (set->p.iupac && j->text->exc) ||
	    (n < SHORT && !force))
		return 0;
	*f = now = __atomic_load_n(&set->filter, __ATOMIC_ACQUIRE);
	if (now || n < __atomic_load_n(&set->filter_at, __ATOMIC_RELAXED))
		return 0;
	kdiff_qgram_plan(set, &p);
	/* whoever plans finds the same */
	__atomic_store_n(&set->filter_at, pays_at(&p, force),
			 __ATOMIC_RELAXED);
	if (n < pays_at(&p, force))
		return 0;
	r = kdiff_qgram_new(&new, set, &p, j->e);
	if (r < 0)
		return r;
	if (!__atomic_compare_exchange_n(&set->filter, &now, new, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		kdiff_qgram_free(new);
		new = now;
	}
	*f = new;
	return 0;
}
