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

int
sw_hit_cmp(const struct sw_query *q, const struct sw_hit *a,
	   const struct sw_hit *b)
{
	int c = a->score > b->score ? -1 : a->score < b->score;

	if (c == 0)
		c = cmp_u64(a->end, b->end);
	/* minus: row i of the aligned query is n - i of the given one */
	if (c == 0)
		c = q->minus ? cmp_u64(b->qbeg, a->qbeg) :
			       cmp_u64(a->qend, b->qend);
	if (c == 0)
		c = cmp_u64(a->beg, b->beg);
	if (c == 0)
		c = q->minus ? cmp_u64(b->qend, a->qend) :
			       cmp_u64(a->qbeg, b->qbeg);
	return c;
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

static void
sw_meter_tick(const struct sw_meter *m)
{
	if (m && m->tick)
		m->tick(m->ctx);
}

void
sw_meter_more(struct sw_meter *m, uint64_t cells)
{
	if (m)
		__atomic_fetch_add(&m->more, cells, __ATOMIC_RELAXED);
}

void
sw_meter_did(struct sw_meter *m, uint64_t cells)
{
	if (!m)
		return;
	__atomic_fetch_add(&m->done, cells, __ATOMIC_RELAXED);
	sw_meter_tick(m);
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
	sw_wave_free(w->wave);
	sw_turns_free(w->turns);
	sw_cuts_free(w->cuts);
	sw_skew_free(w->skew);
	free(w);
}

/*
 * What the K-th best score may be, from the tops of blocks
 *
 * Of long queries sw.c proves little: its bins are as wide as an
 * alignment can be.  Here bins are narrow, so that some of them share an
 * alignment.  What is estimated is a score: whoever uses it must see K hits
 * that are not below it.
 *
 * First the K-th of those tops that are likely to be ends of alignments: before
 * any higher top, on either side, scores fall to half of it, counted from the
 * lowest of all.  An alignment may lose some of its score and go on; one that
 * lost half of it is more likely to be two.  That leaves out where an alignment
 * rises and where its scores fall behind it, so that K relatives of the query
 * give the score of the last of them.
 *
 * If there are not as many, or not as many hits, then a bin counts that is not
 * exceeded by the next one: there the same alignment is likely to go on, as in
 * one that is much longer than all others, of whose bins each would seem a good
 * one.  Of those the top of the 2K-th best is taken; if there are not as many,
 * none.  Who may go on below an estimate, at little cost, begins with that of
 * the K-th and an eighth: of many alignments as long as the query (5/-3/8/1)
 * from half to all of K reach it.
 */

enum { WIDE = 8, ESTIMATE_MARGIN = 2, MORE = 8, SOME = 8 };

void
sw_estimate_free(struct sw_estimate *g)
{
	free(g->top);
	free(g->rise);
	*g = (struct sw_estimate){ 0 };
}

static int
falling(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a > *b ? -1 : *a < *b;
}

/* The top of a bin that begins with block *b, where it is exact; to its end. */
static int64_t
next_top(const struct sw_peak *peak, uint64_t *b, uint64_t end, uint64_t wide)
{
	uint64_t to = end - *b < wide ? end : *b + wide;
	int64_t top = 0;

	for (; *b < to; ++*b)
		if (peak[*b].exact && peak[*b].bound > top)
			top = peak[*b].bound;
	return top;
}

static bool
is_valley(const struct sw_estimate *g, int64_t low, int64_t top)
{
	return low - g->lowest < (top - g->lowest + 1) / 2;
}

/*
 * The tops of a segment's bins that are likely ends.  g->rise is a stack of
 * bins, none higher than the one below it; one that comes takes those off that
 * it exceeds.
 */
static void
add_ends(struct sw_estimate *g, const struct sw_seg *s,
	 const struct sw_peak *peak, uint64_t wide)
{
	uint64_t end = s->end / SW_BLOCK, b = s->own / SW_BLOCK;
	size_t n = 0;

	while (b < end) {
		int64_t top = next_top(peak, &b, end, wide), low = top;

		for (; n && g->rise[n - 1].top < top; n--) {
			const struct sw_rise *r = &g->rise[n - 1];

			if (r->counts && is_valley(g, low, r->top))
				g->top[g->n++] = r->top;
			low = r->low < low ? r->low : low;
		}
		g->rise[n] = (struct sw_rise){ top, low,
			top > 0 && (!n || is_valley(g, low, top)) };
		n++;
	}
	while (n--)
		if (g->rise[n].counts)
			g->top[g->n++] = g->rise[n].top;
}

/* The tops of bins of so many blocks that count, where they are exact. */
static void
add_tops(struct sw_estimate *g, const struct sw_seg *s,
	 const struct sw_peak *peak, uint64_t wide)
{
	uint64_t end = s->end / SW_BLOCK;
	int64_t last = 0;

	for (uint64_t b = s->own / SW_BLOCK; b < end;) {
		int64_t top = next_top(peak, &b, end, wide);

		if (last > top)
			g->top[g->n++] = last;
		last = top;
	}
	if (last > 0)
		g->top[g->n++] = last;
}

static int64_t
estimate_lowest(const struct sw_text *t, const struct sw_peak *peak,
		uint64_t wide)
{
	int64_t least = INT64_MAX;

	for (size_t s = 0; s < t->n_seg; s++) {
		uint64_t b = t->seg[s].own / SW_BLOCK;

		while (b < t->seg[s].end / SW_BLOCK) {
			int64_t top = next_top(peak, &b,
					       t->seg[s].end / SW_BLOCK, wide);

			least = top < least ? top : least;
		}
	}
	return least;
}

typedef void add_fn(struct sw_estimate *g, const struct sw_seg *s,
		    const struct sw_peak *peak, uint64_t wide);

static void
sort_tops(struct sw_estimate *g, const struct sw_text *t,
	  const struct sw_peak *peak, uint64_t wide, add_fn *add)
{
	g->n = 0;
	for (size_t s = 0; s < t->n_seg; s++)
		add(g, &t->seg[s], peak, wide);
	if (g->n)
		qsort(g->top, g->n, sizeof *g->top, falling);
}

int
sw_estimate_reset(struct sw_estimate *g, const struct sw_text *t,
		  const struct sw_peak *peak, size_t k, struct err *e)
{
	uint64_t blocks = t->n / SW_BLOCK, wide = WIDE;
	int rc = array_room(&g->top, &g->cap, blocks, sizeof *g->top, e);

	if (!rc)
		rc = array_room(&g->rise, &g->cap_rise, blocks, sizeof *g->rise,
				e);
	g->n = 0;
	g->first = g->some = 0;
	g->last = INT64_MAX;
	g->next =
	    k < SIZE_MAX / ESTIMATE_MARGIN ? ESTIMATE_MARGIN * k : SIZE_MAX;
	if (rc || k > blocks)
		return rc;
	while (wide > 1 && blocks / wide / ESTIMATE_MARGIN < g->next)
		wide /= 2;
	g->lowest = estimate_lowest(t, peak, wide);
	sort_tops(g, t, peak, wide, add_ends);
	if (k <= g->n)
		g->first = g->top[k - 1];
	sort_tops(g, t, peak, wide, add_tops);
	g->some = g->first;
	if (!g->some && k + k / SOME < g->n)
		g->some = g->top[k + k / SOME];
	return 0;
}

int64_t
sw_estimate_next(struct sw_estimate *g)
{
	int64_t estimate = g->first;

	g->first = 0;
	while (!estimate || estimate >= g->last) {
		if (g->next > g->n)
			return 0;
		estimate = g->top[g->next - 1];
		g->next = g->next < SIZE_MAX / MORE ? MORE * g->next : SIZE_MAX;
	}
	g->last = estimate;
	return estimate;
}

/*
 * The number of columns tried first before a region
 *
 * It has no effect on results: a stretch that is too short is tried again,
 * twice as long.  Cells of score top need at least top / best columns; most of
 * what is similar by chance, or well related, needs less than twice as many.
 * Where gaps are cheap it is far more: regions report how much, and the next
 * one of such a score begins with that.
 *
 * Where the query has a relative, scores rise from where that begins: they are
 * low before it, so the stretch ends there.  What comes from further left is
 * bounded by that low score, and has to be gone before the alignment begins:
 * that takes some columns more, and if it was not gone, the next time there are
 * twice as many of them.
 */

#define MAX_COLUMNS ((uint64_t)1 << 40)	/* columns */
#define UNIT 16

enum {
	LOW = 8,		/* times lower than the region's scores */
	STRETCH_MARGIN = 4, MAX_MARGIN = 1024,
	FARTHER = 4,		/* than what is tried where scores are high */
};

static unsigned
bits(int64_t top)
{
	return top > 0 ? 63 - (unsigned)__builtin_clzll((uint64_t)top) : 0;
}

void
sw_stretch_reset(const struct sw_query *q, struct sw_work *w)
{
	w->stretch = 0;
	w->crowded = false;
	w->margin = STRETCH_MARGIN;
	for (unsigned i = 0; i < 64; i++)
		w->slope[i] = q->best > 0 ? 2.0 / q->best : 0;
}

uint64_t
sw_stretch(const struct sw_query *q, const struct sw_work *w, int64_t top)
{
	uint64_t most = q->context < MAX_COLUMNS ? q->context : MAX_COLUMNS;
	double n = w->slope[bits(top)] * (double)top;

	if (n < 1)
		return UNIT;
	if (n < (double)most)
		most = (uint64_t)n;
	return (most + UNIT - 1) / UNIT * UNIT;
}

/* The least bound of n blocks before block `at`, or `most`. */
static int64_t
stretch_lowest(const struct sw_peak *peak, uint64_t at, uint64_t n,
	       int64_t most)
{
	for (uint64_t k = 1; k <= n; k++)
		if (peak[at - k].bound < most)
			most = peak[at - k].bound;
	return most > 0 ? most : 0;
}

uint64_t
sw_stretch_of(const struct sw_query *q, const struct sw_work *w,
	      const struct sw_seg *seg, uint64_t from,
	      const struct sw_peak *peak)
{
	uint64_t at = from / SW_BLOCK, before = at - seg->beg / SW_BLOCK, k = 1;
	uint64_t most = sw_stretch(q, w, peak[at].bound);
	uint64_t n = FARTHER * most / SW_BLOCK;
	const int64_t enough = peak[at].bound / LOW;
	int64_t low = stretch_lowest(peak, at, min_u64(n, before), enough);

	if (low >= enough || q->best <= 0)
		return most;
	low = 2 * low + LOW * q->best;
	while (peak[at - k].bound > low)
		k++;
	/* scores of 2^40 and more are of no use here, and would overflow */
	n = k * SW_BLOCK + w->margin * min_u64((uint64_t)low, MAX_COLUMNS);
	n = min_u64(n, q->context);
	return (n + UNIT - 1) / UNIT * UNIT;
}

void
sw_stretch_learn(const struct sw_query *q, struct sw_work *w, uint64_t first,
		 int64_t top)
{
	double *slope = &w->slope[bits(top)];
	if (first != sw_stretch(q, w, top)) {
		if (w->stretch > first && w->margin < MAX_MARGIN)
			w->margin *= 2;
		return;
	}
	if (top > 0 && w->stretch > first)
		*slope = (double)w->stretch / (double)top;
	else
		*slope *= 0.97;	/* a little less may do the next time */
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

/* sw_grid_kern.c says why.  Scores are doubled. */
static bool
grid_sizes_fit(const struct sw_query *q)
{
	int64_t a_step = (int64_t)q->best + q->s->extend;
	int64_t all = SW_GRID_RANGE * a_step + 4 * (int64_t)q->s->open;

	return 2 * (all - q->worst) <= INT16_MAX &&
	       q->n < (size_t)(INT32_MAX / 2 / q->best) - 4 * SW_GRID_ROWS;
}

bool
sw_grid_fits(const struct sw_query *q)
{
	struct sw_skew_match m;
	sw_grid_fn *kern = KERN_PICK_VECTOR(sw_grid);

	return kern && sw_skew_match(q, &m) && grid_sizes_fit(q);
}

bool
sw_front_pass_fits(const struct sw_query *q)
{
	const struct sw_front_ops *ops = KERN_PICK_VECTOR(&sw_front_ops);

	return ops && q->best > 0 &&
	       q->n < (size_t)(INT32_MAX / q->best) - 4 * SW_ROWS;
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
	size_t from[3];

	return (q->engine == SW_AUTO || q->engine == SW_SKEW) &&
	       sw_skew_is_best(q) && sw_skew_split(q, 2, from) == 2;
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
	sw_meter_tick(g->meter);
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

/* Is its first window worth a grid, and does one take it? */
static bool
grid_wanted(const struct sw_region *x, uint64_t stretch,
	    const struct sw_work *w)
{
	uint64_t cols = x->to - x->from + min_u64(x->from - x->seg->beg,
						  stretch);

	return w->classes && !w->crowded && cols >= w->grid_from / x->q->n &&
	       x->least <= INT32_MAX / 2 && sw_grid_fits(x->q);
}

int
sw_region(const struct sw_region *x, struct sw_work *w, struct err *e)
{
	int64_t top = x->peak[x->from / SW_BLOCK].bound;
	uint64_t first = sw_stretch_of(x->q, w, x->seg, x->from, x->peak);
	bool plain = x->q->engine == SW_PLAIN;
	int rc = 1;

	if (!plain && grid_wanted(x, first, w))
		rc = sw_grid_region(x, w, e);
	if (rc == 1 && !plain)
		rc = sw_front_region(x, w, e);
	if (rc == 1)
		rc = sw_plain_region(x, w, e);
	sw_stretch_learn(x->q, w, first, top);
	return rc;
}
