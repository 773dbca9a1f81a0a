/* SPDX-License-Identifier: MIT */
/*
 * sw_engine.c - queries, and the choice of an engine for each step
 *
 * An engine returns 1 if it cannot do a step; then the next one is tried.
 * The plain one can do all, so it is the last.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_beside.h"
#include "sw/sw_front.h"
#include "sw/sw_grid.h"
#include "sw/sw_lanes.h"
#include "sw/sw_priv.h"
#include "sw/sw_skew.h"
#include "sw/sw_trace.h"

/* Compiled queries, the order of hits, working memory. */

static int
check_scoring(const struct sw_scoring *s, struct err *e)
{
	if (s->letters < 1 || s->letters > SW_LETTERS)
		return err_set(e, ERR_USAGE, "%u letters: must be 1 to %d",
			       s->letters, SW_LETTERS);
	if (s->open < 0 || s->open > SW_MAX_SCORE)
		return err_set(e, ERR_USAGE, "gap open %ld: must be 0 to %d",
			       (long)s->open, SW_MAX_SCORE);
	if (s->extend < 0 || s->extend > SW_MAX_SCORE)
		return err_set(e, ERR_USAGE, "gap extend %ld: must be 0 to %d",
			       (long)s->extend, SW_MAX_SCORE);
	for (unsigned i = 0; i < s->letters; i++)
		for (unsigned j = 0; j < s->letters; j++)
			if (s->score[i][j] > SW_MAX_SCORE ||
			    s->score[i][j] < -SW_MAX_SCORE)
				return err_set(e, ERR_USAGE, "score %ld: must "
					       "be %d to %d",
					       (long)s->score[i][j],
					       -SW_MAX_SCORE, SW_MAX_SCORE);
	return 0;
}

static int
check_codes(const struct sw_scoring *s, const uint8_t *codes, size_t n,
	    struct err *e)
{
	if (n < 1 || n > SW_MAX_QUERY)
		return err_set(e, ERR_USAGE, "a query of %zu letters: must "
			       "have 1 to %d", n, SW_MAX_QUERY);
	for (size_t i = 0; i < n; i++)
		if (codes[i] >= s->letters)
			return err_set(e, ERR_USAGE, "query letter %zu: code "
				       "%u of %u letters", i + 1, codes[i],
				       s->letters);
	return 0;
}

/* The query's letters; the largest and the least score that one can have. */
static void
find_range(struct sw_query *q)
{
	q->has = 0;
	q->best = INT32_MIN;
	q->worst = INT32_MAX;
	for (size_t i = 0; i < q->n; i++)
		q->has |= (uint64_t)1 << q->code[i];
	for (unsigned a = 0; a < q->s->letters; a++)
		for (unsigned b = 0; q->has >> a & 1 && b < q->s->letters;
		     b++) {
			int32_t s = q->s->score[a][b];

			q->best = s > q->best ? s : q->best;
			q->worst = s < q->worst ? s : q->worst;
		}
}

/* No H is above it. */
static int64_t
top_of(const struct sw_query *q)
{
	return q->best > 0 ? (int64_t)q->n * q->best : 0;
}

/*
 * An alignment has at most n columns with a diagonal step.  All its gaps cost
 * less than n * M, else its score is not above 0; one gap is the cheapest way
 * to have l columns in gaps: open + l * extend.
 */
static uint64_t
find_context(const struct sw_query *q)
{
	int64_t most = top_of(q);

	if (most <= q->s->open)
		return q->n;
	if (q->s->extend == 0)
		return UINT64_MAX;
	return q->n + (uint64_t)((most - q->s->open) / q->s->extend);
}

static int32_t
at_most(int32_t x, int64_t most)
{
	return x < most ? x : (int32_t)most;
}

/*
 * Costs that forbid something are lowered to what forbids it, too, so that
 * they do not spread the scores.  No H is above top = n * M.  A gap of
 * open + extend >= top leads to nothing above 0.  A mismatch of -top leads to
 * nothing above 0, either; and one of -(2 * (open + extend) + 1) is worse than
 * a gap in each sequence, one beside the other, which end in the same cell.
 * So no H changes, and no path takes another way.
 */
static int32_t
least_score(const struct sw_scoring *s, int64_t top)
{
	int64_t worst = 2 * ((int64_t)s->open + s->extend) + 1;

	return (int32_t)-min_i64(top, worst);
}

static void
limit_costs(struct sw_scoring *s, int64_t top)
{
	int32_t least;

	s->extend = at_most(s->extend, top);
	s->open = at_most(s->open, top - s->extend);
	least = least_score(s, top);
	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < s->letters; b++)
			if (s->score[a][b] < least)
				s->score[a][b] = least;
}

/*
 * Scorings with limited costs
 *
 * They are the same for all tops from 2 * (open + extend) + 1 on, which is few
 * letters; so one of each top below it serves all queries.
 */
struct sw_scheme {
	struct sw_scoring s;
	struct sw_limited {
		uint64_t top;
		struct sw_scoring *s;
	} *v;			/* tops rise */
	size_t n, cap;
};

int
sw_scheme_new(struct sw_scheme **out, const struct sw_scoring *s,
	      struct err *e)
{
	struct sw_scheme *c;
	int rc = check_scoring(s, e);

	*out = NULL;
	if (rc)
		return rc;
	c = calloc(1, sizeof *c);
	if (!c)
		return err_nomem(e, sizeof *c);
	c->s = *s;
	*out = c;
	return 0;
}

void
sw_scheme_free(struct sw_scheme *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].s);
	free(c->v);
	free(c);
}

/* That of queries with no H above top; NULL: no memory. */
static const struct sw_scoring *
limited_scoring(struct sw_scheme *c, int64_t top, struct err *e)
{
	int64_t all = 2 * ((int64_t)c->s.open + c->s.extend) + 1;
	struct sw_limited x = { (uint64_t)(top < all ? top : all), NULL };
	size_t i = array_first(c->v, c->n, sizeof *c->v,
			       offsetof(struct sw_limited, top), x.top);

	if (i < c->n && c->v[i].top == x.top)
		return c->v[i].s;
	if (array_room(&c->v, &c->cap, c->n + 1, sizeof *c->v, e))
		return NULL;
	x.s = malloc(sizeof *x.s);
	if (!x.s) {
		err_nomem(e, sizeof *x.s);
		return NULL;
	}
	*x.s = c->s;
	limit_costs(x.s, top);
	memmove(c->v + i + 1, c->v + i, (c->n - i) * sizeof *c->v);
	c->v[i] = x;
	c->n++;
	return x.s;
}

int
sw_query_share(struct sw_query **out, struct sw_scheme *scheme,
	       const uint8_t *codes, size_t n, bool minus,
	       enum sw_engine engine, struct err *e)
{
	struct sw_query *q;
	int rc = check_codes(&scheme->s, codes, n, e);

	*out = NULL;
	if (rc)
		return rc;
	q = malloc(sizeof *q + n + SW_ROWS - 1);
	if (!q)
		return err_nomem(e, sizeof *q + n + SW_ROWS - 1);
	*q = (struct sw_query){ .s = &scheme->s, .n = n, .minus = minus,
				.engine = engine };
	memcpy(q->code, codes, n);
	memset(q->code + n, SW_PAD, SW_ROWS - 1);
	find_range(q);
	q->context = find_context(q);
	q->s = limited_scoring(scheme, top_of(q), e);
	if (!q->s) {
		free(q);
		return e->code;
	}
	q->worst = (int32_t)max_i64(q->worst, least_score(q->s, top_of(q)));
	*out = q;
	return 0;
}

int
sw_query_new(struct sw_query **q, const struct sw_scoring *scoring,
	     const uint8_t *codes, size_t n, bool minus,
	     enum sw_engine engine, struct err *e)
{
	struct sw_scheme *own;
	int rc = sw_scheme_new(&own, scoring, e);

	*q = NULL;
	if (!rc)
		rc = sw_query_share(q, own, codes, n, minus, engine, e);
	if (rc)
		sw_scheme_free(own);
	else
		(*q)->own = own;
	return rc;
}

void
sw_query_free(struct sw_query *q)
{
	if (!q)
		return;
	sw_scheme_free(q->own);
	free(q);
}

uint64_t
sw_context(const struct sw_query *q)
{
	return q->context;
}

void
sw_hits_free(struct sw_hits *h)
{
	free(h->v);
	memset(h, 0, sizeof *h);
}

int
sw_work_new(struct sw_work **w, struct err *e)
{
	*w = calloc(1, sizeof **w);
	if (!*w)
		return err_nomem(e, sizeof **w);
	(*w)->grid_from = SW_GRID_MIN_CELLS;
	return 0;
}

void
sw_work_team(struct sw_work *w, unsigned threads)
{
	w->lanes_bytes = SW_LANES_BYTES / threads;
}

void
sw_work_crew(struct sw_work *w, struct crew *c, unsigned leaders)
{
	if (w->crew && !c) {
		sw_grid_free(w->grid);
		sw_borders_free(w->borders);
		w->grid = NULL;
		w->borders = NULL;
	}
	w->crew = c;
	w->leaders = leaders;
}

void
sw_work_meter(struct sw_work *w, struct sw_meter *m)
{
	w->meter = m;
}

void
sw_work_backend(struct sw_work *w, const struct sw_backend *d)
{
	w->backend = d;
}

void
sw_work_free(struct sw_work *w)
{
	if (!w)
		return;
	sw_plain_free(w->plain);
	sw_best_free(w->best);
	sw_tracer_free(w->tracer);
	sw_grid_free(w->grid);
	sw_grid_ends_free(w->ends);
	sw_beside_free(w->beside);
	sw_borders_free(w->borders);
	sw_paths_free(w->paths);
	free(w->box);
	free(w->top);
	sw_lanes_free(w->lanes);
	sw_front_free(w->front);
	sw_round_free(w->round);
	sw_turns_free(w->turns);
	sw_cuts_free(w->cuts);
	sw_skew_free(w->skew);
	free(w);
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

/*
 * Which engines take a query
 */

enum {
	/* at least: looking up costs 1 % */
	SEED_ROWS = 8192, SEED_CELLS = 1 << 28,
	BESIDE_MAX_K = 1000,
};

/* Are all scores of letter a the match or the mismatch, as they should? */
static bool
row_fits(const struct sw_query *q, unsigned a, struct sw_skew_match *m)
{
	bool self = q->s->score[a][a] == m->match;

	for (unsigned b = 0; b < q->s->letters; b++)
		if (!(a == b && self) && q->s->score[a][b] != m->mismatch)
			return false;
	if (self)
		m->code[a] = (uint8_t)m->n++;
	return m->n <= 4;
}

/* sw_skew_kern.c says why; what is not in a vector has 32 bits. */
static bool
skewed_sizes_fit(const struct sw_query *q)
{
	int64_t open = q->s->open, extend = q->s->extend;
	int64_t low_at = 2 * open + (1 + SW_SKEW_ROWS) * extend;

	return (int64_t)q->n * q->best < INT32_MAX - SW_SKEW_ABOVE &&
	       (SW_SKEW_ROWS + SW_BLOCK) * (q->best + extend) + 2 * open +
	       low_at - q->worst <= INT16_MAX;
}

bool
sw_skew_match(const struct sw_query *q, struct sw_skew_match *m)
{
	memset(m->code, 255, sizeof m->code);
	m->n = 0;
	m->match = q->best;
	m->mismatch = q->worst;
	if (m->match <= 0 || m->mismatch > 0)
		return false;
	for (unsigned a = 0; a < q->s->letters; a++)
		if (q->has >> a & 1 && !row_fits(q, a, m))
			return false;
	return skewed_sizes_fit(q);
}

bool
sw_skew_is_best(const struct sw_query *q)
{
	const struct sw_skew_ops *ops = KERN_PICK_VECTOR(&sw_skew_ops);
	struct sw_skew_match m;

	return ops && q->n >= (size_t)ops->lanes * SW_SKEW_ROWS / 4 * 3 &&
	       sw_skew_match(q, &m);
}

bool
sw_bound_helps(const struct sw_query *q, const struct sw_text *t)
{
	bool skewed = q->engine == SW_AUTO || q->engine == SW_SKEW;

	return skewed && sw_skew_is_best(q) && q->n >= SEED_ROWS &&
	       (double)q->n * (double)t->n >= SEED_CELLS;
}

bool
sw_beside_fits(const struct sw_query *q, const struct sw_text *t, size_t k,
	       const struct sw_work *w)
{
	struct sw_skew_match m;

	if (w->no_beside || k < 2 || k > BESIDE_MAX_K || t->known.tops)
		return false;
	for (size_t i = 0; i < t->n_seg; i++)
		if (t->seg[i].own != t->seg[i].beg)
			return false;
	return sw_skew_match(q, &m) && !(t->n >> SW_BESIDE_PLACE);
}

static bool
lanes_wanted(const struct sw_query *q)
{
	return q->engine == SW_AUTO || q->engine == SW_LANES8 ||
	       q->engine == SW_LANES16;
}

bool
sw_query_shared(const struct sw_query *q)
{
	return (q->engine == SW_AUTO || q->engine == SW_SKEW) &&
	       sw_skew_is_best(q) && sw_turns_most(q) > 1;
}

struct sw_view
sw_query_view(const struct sw_query *q)
{
	return (struct sw_view){ q->s, q->code, q->n, q->best, q->context, 0 };
}

/* *top: of all blocks of p's text; 1: nobody has computed it. */
static int
tops_of(const struct sw_pass *p, struct sw_work *w, const int32_t **top,
	int64_t *least, struct err *e)
{
	const struct sw_known *known = &p->t->known;
	struct sw_view v = sw_query_view(p->q);
	int rc;

	*top = known->tops;
	if (*top) {
		if (p->cells && p->cells <= known->cells)
			*least = known->least;
		return 0;
	}
	v.cells = p->cells;
	rc = array_room(&w->top, &w->n_top, p->t->n / SW_BLOCK, sizeof *w->top,
			e);
	*top = w->top;
	return rc ? rc : w->backend->tops(w->backend->ctx, &v, p->t, w->top,
					  least, e);
}

int
sw_backend_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_query *q = p->q;
	const int32_t *top;
	int64_t least = 0;
	int rc;

	if (!w->backend || q->engine != SW_AUTO || q->best <= 0)
		return 1;
	rc = tops_of(p, w, &top, &least, e);
	for (uint64_t b = 0; b < p->t->n / SW_BLOCK && !rc; b++) {
		p->peak[b] = (struct sw_peak){ top[b], true };
		if (top[b] >= p->threshold)
			p->threshold = p->raise(p->ctx, b, top[b]);
	}
	if (!rc && least > p->threshold)
		p->threshold = least;
	return rc;
}

/* Which may leave it to which; each is asked once more at most. */
static void
set_choice(struct sw_pass *p, const struct sw_work *w)
{
	bool any = p->q->engine == SW_AUTO;

	p->may_skew = any && sw_skew_is_best(p->q);
	p->may_calm = p->may_skew && !w->crew;
	p->may_leave = p->may_skew || (any && sw_front_pass_fits(p->q));
}

/* Adds to what is done, up to all; returns how much that is. */
static uint64_t
add_up(uint64_t *done, uint64_t all, uint64_t n)
{
	uint64_t was = __atomic_fetch_add(done, n, __ATOMIC_RELAXED);

	return was >= all ? 0 : min_u64(n, all - was);
}

void
sw_pass_flush(struct sw_pass *p)
{
	struct sw_gauge *g = p->gauge;
	uint64_t did = p->did, leave = p->did_leave;

	p->did = p->did_leave = 0;
	if (!g)
		return;
	did = add_up(&g->done, g->all, did);
	leave = add_up(&g->left_out, g->all, leave);
	__atomic_fetch_add(&g->meter->done, did, __ATOMIC_RELAXED);
	__atomic_fetch_add(&g->meter->left_out, leave, __ATOMIC_RELAXED);
	if (g->meter->tick)
		g->meter->tick(g->meter->ctx);
}

void
sw_pass_open(struct sw_pass *p, struct sw_gauge *g, struct sw_work *w)
{
	*g = (struct sw_gauge){ w->meter, p->q->n * p->t->n, 0, 0 };
	p->gauge = w->meter ? g : NULL;
	if (w->counted)
		sw_meter_more(w->meter, g->all);
	w->counted = true;
}

void
sw_pass_close(struct sw_pass *p)
{
	p->did = p->gauge ? p->gauge->all : 0;
	sw_pass_flush(p);
	p->gauge = NULL;
}

/* An engine that leaves a pass to another did its cells for nothing. */
static int
came(struct sw_pass *p, int rc)
{
	struct sw_gauge *g = p->gauge;

	sw_pass_flush(p);
	if (rc != 1 || !g)
		return rc;
	sw_meter_more(g->meter, min_u64(g->done, g->all));
	g->done = g->left_out = 0;
	return rc;
}

int
sw_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct sw_gauge gauge;
	int rc;

	sw_pass_open(p, &gauge, w);
	rc = came(p, sw_backend_pass(p, w, e));
	set_choice(p, w);
	if (rc == 1 && p->may_skew)
		rc = came(p, sw_borders_pass(p, w, e));
	p->may_calm = false;
	if (rc == 1 && p->k)
		rc = came(p, sw_round_pass(p, w, e));
	if (rc == 1 && lanes_wanted(p->q))
		rc = came(p, sw_lanes_pass(p, w, e));
	if (rc == 1 && p->q->engine != SW_PLAIN)
		rc = came(p, sw_borders_pass(p, w, e));
	if (rc == 1 && p->q->engine != SW_PLAIN)
		rc = came(p, sw_front_pass(p, w, e));
	if (rc == 1)
		rc = came(p, sw_plain_pass(p, w, e));
	sw_pass_close(p);
	return rc;
}
