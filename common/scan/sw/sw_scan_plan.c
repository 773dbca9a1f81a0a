/* SPDX-License-Identifier: MIT */
/*
 * sw_scan_plan.c - parts of a chunk that keep all threads busy
 *
 * Queries side by side cost nothing; columns side by side are searched with a
 * context each, and what an engine does once for a text it does for each.  So
 * there are as few stretches of columns as leave no thread idle for long, by
 * how long it would take if each thread took the next part when it is done.
 *
 * A long query's rows may be shared instead, by all threads: then each column
 * is searched once, and so is most of what is found there; but where scores are
 * low, an engine that is not the fastest does it.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "scan/sw/sw.h"
#include "scan/sw/sw_scan_priv.h"

/* A window's letters as codes, what is owned at a block. */

static uint64_t
round_up(uint64_t n)
{
	return (n + SW_BLOCK - 1) / SW_BLOCK * SW_BLOCK;
}

static int
reserve(struct sw_columns *l, const struct window *w, struct err *e)
{
	uint64_t n = 128;	/* behind the text, and what ops spoil */

	for (size_t i = 0; i < w->n_seg; i++)
		n += round_up(w->seg[i].end - w->seg[i].beg) + SW_BLOCK;
	l->codes.n = 0;
	if (!buf_reserve(&l->codes, n))
		return err_nomem(e, n);
	if (l->cap < w->n_seg) {
		struct sw_seg *s = realloc(l->seg, w->n_seg * sizeof *s);
		struct sw_place *p;

		if (!s)
			return err_nomem(e, w->n_seg * sizeof *s);
		l->seg = s;
		p = realloc(l->place, w->n_seg * sizeof *p);
		if (!p)
			return err_nomem(e, w->n_seg * sizeof *p);
		l->place = p;
		l->cap = w->n_seg;
	}
	return 0;
}

void
sw_columns_free(struct sw_columns *l)
{
	buf_free(&l->codes);
	free(l->seg);
	free(l->place);
}

/* There is a letter that the scoring does not know: which? */
static int
unknown(const struct sw_scan *s, const struct window *w,
	const struct window_seg *g, struct err *e)
{
	const struct str name = g->row->name;
	uint64_t i = g->beg;

	while (i < g->end && s->by.code_of[w->bytes[i]] < SW_LETTERS)
		i++;
	return err_set(e, ERR_FORMAT, "%.*s: '%c' at %llu is no letter of the "
		       "matrix", (int)(name.n < 99 ? name.n : 99), name.p,
		       w->bytes[i], (unsigned long long)(g->origin +
							 (i - g->beg) + 1));
}

/*
 * Codes behind the segment's last letter are written twice: by the kernel,
 * which writes whole vectors, and then as SW_PAD, or by the next segment.
 */
static int
put_seg(struct sw_columns *l, const struct sw_scan *s, const struct window *w,
	const struct window_seg *g, struct err *e)
{
	uint64_t n = g->end - g->beg, before = g->from - g->beg;
	uint64_t lead = round_up(before) - before, end;
	uint8_t *d = l->codes.p + l->n;

	memset(d, SW_PAD, lead);
	if (w->planes)
		s->codes->planes(d + lead, w->planes, w->exc, g->beg, n);
	else if (s->codes->bytes(d + lead, w->bytes + g->beg, n, s->by.code_of))
		return unknown(s, w, g, e);
	end = round_up(lead + n);
	memset(d + lead + n, SW_PAD, end - lead - n);
	l->seg[l->n_seg] = (struct sw_seg){
		.beg = l->n, .end = l->n + end, .own = l->n + lead + before,
	};
	l->place[l->n_seg++] = (struct sw_place){ g, g->origin - lead };
	l->n += end;
	return 0;
}

int
sw_columns_of(struct sw_columns *l, const struct sw_scan *s,
	      const struct window *w, struct err *e)
{
	/* whole sequences count where they end, others where they own */
	bool whole = s->o.best == SW_READ_DISJOINT;
	int rc = reserve(l, w, e);

	l->n = l->n_seg = 0;
	for (size_t i = 0; i < w->n_seg && !rc; i++) {
		const struct window_seg *g = &w->seg[i];

		if ((whole ? g->beg : g->from) < g->end)
			rc = put_seg(l, s, w, g, e);
	}
	if (!rc)
		memset(l->codes.p + l->n, SW_PAD, SW_BLOCK);
	return rc;
}

/*
 * A chunk as columns, and the text of a part of it
 *
 * A part owns the cells of some columns, for some of the queries.  Its text
 * begins as far before them as the query needs, as that of a chunk does; so
 * what it finds is what the whole has there, and none is found twice.
 */

int
sw_job_open(struct scan_job *j, struct err *e)
{
	struct sw_job *c = sw_job_of(j);
	const struct sw_scan *s = ((const struct sw_search *)j->ctx)->s;
	int rc = scan_chunk_refuse_circular(&j->v, "sw-scan", e);

	c->s = s;
	j->w.hint = "--matrix=BLOSUM62";
	if (rc)
		return rc;
	rc = window_build(&j->w, s->by.dna ? WINDOW_PLANES : WINDOW_BYTES,
			  s->context, 0, &j->v.c, j->v.before, j->v.n_before,
			  e);
	if (!rc)
		rc = sw_columns_of(&c->l, s, &j->w, e);
	c->part[0] = sw_plan_whole(c);
	c->leaders = 0;
	return rc;
}

void
sw_job_close(struct scan_job *j)
{
	struct sw_job *c = sw_job_of(j);

	for (size_t i = 0; c->known && i < c->s->n_patterns; i++)
		free(c->known[i].tops);
	free(c->known);
	c->known = NULL;
}

void
sw_job_free(struct scan_job *j)
{
	struct sw_job *c = sw_job_of(j);

	sw_columns_free(&c->l);
	crew_free(c->crew);
	free(c->seg);
}

int
sw_job_text(const struct sw_job *c, const struct sw_part *p, uint64_t context,
	    struct sw_seg **seg, size_t *cap, struct sw_text *x,
	    uint64_t *base, struct err *e)
{
	const struct sw_columns *l = &c->l;
	struct sw_seg *to;
	size_t n = 0, i = array_first(l->seg, l->n_seg, sizeof *l->seg,
				      offsetof(struct sw_seg, end),
				      p->beg + 1);
	uint64_t before;

	*x = (struct sw_text){ .n_seg = 0 };
	*base = 0;
	if (array_room(seg, cap, l->n_seg - i, sizeof *to, e))
		return e->code;
	to = *seg;
	for (; i < l->n_seg && l->seg[i].own < p->end; i++) {
		struct sw_seg g = l->seg[i];

		g.own = g.own > p->beg ? g.own : p->beg;
		g.end = g.end < p->end ? g.end : p->end;
		to[n++] = g;
	}
	if (n == 0)
		return 0;
	/* segments lie side by side: only the first one may lose columns */
	before = to->own - to->beg;
	if (before > context)
		to->beg += (before - context) / SW_BLOCK * SW_BLOCK;
	*base = to->beg;
	for (i = 0; i < n; i++) {
		to[i].beg -= *base;
		to[i].own -= *base;
		to[i].end -= *base;
	}
	*x = (struct sw_text){ .codes = l->codes.p + *base, .seg = to,
			       .n = to[n - 1].end, .n_seg = n };
	return 0;
}

static size_t
rows_of(const struct sw_job *c, size_t pattern)
{
	return c->s->q->v[c->s->pattern[pattern].query].letters.n;
}

/* Cells of a part's patterns; what cannot be known counts as none. */
static uint64_t
cells_of(struct sw_job *c, const struct sw_part *p)
{
	uint64_t cells = 0;

	for (size_t i = p->from; i < p->to; i++) {
		const struct sw_pattern *x = &c->s->pattern[i];
		struct sw_text t;
		uint64_t base;
		struct err e;

		if (sw_job_text(c, p, sw_context(x->q), &c->seg, &c->seg_cap,
				&t, &base, &e) == 0)
			cells += rows_of(c, i) * t.n;
	}
	return cells;
}

/* Of sequences that end here. */
static uint64_t
whole_cells_of(const struct sw_job *c, const struct sw_part *p)
{
	uint64_t rows = 0, cells = 0;

	for (size_t i = p->from; i < p->to; i++)
		rows += rows_of(c, i);
	for (size_t i = 0; i < c->l.n_seg; i++) {
		const struct window_seg *g = c->l.place[i].from;

		if (g->row->flags & CHUNK_LAST)
			cells += rows * (g->end - g->beg);
	}
	return cells;
}

/* The job's parts are begun: their cells count for the progress. */
static void
count_cells(struct sw_job *c)
{
	struct sw_progress *p = ((struct sw_search *)c->j.ctx)->progress;
	bool whole = c->s->o.best == SW_READ_DISJOINT;
	uint64_t cells = 0;

	if (!p->meter.tick)
		return;
	for (unsigned i = 0; i < c->j.n_parts; i++)
		cells += whole ? whole_cells_of(c, &c->part[i]) :
				 cells_of(c, &c->part[i]);
	__atomic_fetch_add(&p->of, cells, __ATOMIC_RELAXED);
}

/* Parts of a chunk that keep all threads busy. */

/*
 * What a text costs beside its columns, in columns: for each row of the query
 * what lanes do again until they agree, and the starts and the CIGAR of the
 * best, which is as long as the query in the linear phase; and for each more
 * of the best, what is around it, or in the linear phase nearly everything.
 * Measured.
 */
enum { ONCE = 15, ONCE_LINEAR = 60, EACH = 5000, EACH_LINEAR = 40 };
/*
 * Rows that are shared, in percent: the engine's cost, where scores are low; of
 * what a text costs beside its columns, what one thread does alone, and as much
 * more as makes stretches the choice where they were measured to be faster.
 * EDGE: what a row between two threads costs, in rows.
 */
enum { SKEWED = 125, ALONE = 60, EDGE = 100 };
/*
 * Of so many rows, where scores are high, one thread's share of the memory may
 * be too small for windows (sw_grid.h): those who share rows have more.
 */
enum { LONG_ROWS = 16384 };
/* A chunk of fewer cells is not worth waking anyone. */
enum { CELLS = 1 << 23 };
/* Of the work, in parts, in percent of what it is in one. */
enum { MAX_WORK = 103, MAX_WORK_FEW = 125 };

struct plan {
	unsigned stretches;
	double span, work;
};

struct sw_part
sw_plan_whole(const struct sw_job *c)
{
	return (struct sw_part){ 0, c->s->n_patterns, 0, UINT64_MAX };
}

/* Columns from the first one on that is owned. */
static uint64_t
owned(const struct sw_job *c)
{
	return c->l.n - c->l.seg[0].own;
}

/* Columns before a stretch: of the first one as many as there are. */
static double
before(const struct sw_job *c, size_t pattern, bool first)
{
	const struct sw_seg *g = &c->l.seg[0];
	uint64_t n = sw_context(c->s->pattern[pattern].q);

	if (first && g->own - g->beg < n)
		n = g->own - g->beg;
	return (double)n;
}

/* Of each stretch, with those before it: all take as long. */
static double
stretch_columns(const struct sw_job *c, size_t pattern, unsigned stretches)
{
	double all = (double)owned(c) + before(c, pattern, true);

	all += (stretches - 1) * before(c, pattern, false);
	return all / stretches;
}

/* Patterns, those of more rows first: n of them, at most PUMP_MAX_PARTS. */
static void
longest_first(const struct sw_job *c, size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t j = i;

		for (; j && rows_of(c, order[j - 1]) < rows_of(c, i); j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
}

static double
once_of(const struct sw_scan *s, double rows)
{
	double more = (double)(s->o.n - 1);

	return s->by.lambda > 0 ? ONCE * rows + EACH * more :
	       (ONCE_LINEAR + EACH_LINEAR * more) * rows;
}

/* Each thread takes the next part when it is done with the last. */
static struct plan
try(const struct sw_job *c, const size_t *order, unsigned stretches,
    unsigned threads)
{
	unsigned n = threads < PUMP_MAX_PARTS ? threads : PUMP_MAX_PARTS;
	double at[PUMP_MAX_PARTS] = { 0 };
	struct plan p = { .stretches = stretches };

	for (size_t i = 0; i < c->s->n_patterns * stretches; i++) {
		size_t k = order[i / stretches];
		double rows = (double)rows_of(c, k), cost;
		unsigned first = 0;

		cost = rows * (stretch_columns(c, k, stretches) +
			       once_of(c->s, rows));
		for (unsigned t = 1; t < n; t++)
			if (at[t] < at[first])
				first = t;
		at[first] += cost;
		p.work += cost;
		p.span = at[first] > p.span ? at[first] : p.span;
	}
	return p;
}

static struct plan
in_stretches(const struct sw_job *c, const size_t *order, unsigned threads,
	     bool few)
{
	unsigned most = PUMP_MAX_PARTS / (unsigned)c->s->n_patterns;
	struct plan best = try(c, order, 1, threads);
	double work = best.work * (few ? MAX_WORK_FEW : MAX_WORK) / 100;

	if (c->s->context == UINT64_MAX || c->known)
		return best;
	if (c->s->part) {
		uint64_t n = owned(c) / c->s->part;

		best.stretches = n == 0 ? 1 : n < most ? (unsigned)n : most;
		return best;
	}
	for (unsigned i = 2; i <= most; i++) {
		struct plan p = try(c, order, i, threads);

		/* one more must be worth its while */
		if (p.work <= work && p.span < .95 * best.span)
			best = p;
	}
	return best;
}

/* How long it takes if rows are shared. */
static double
rows_span(const struct sw_job *c, unsigned threads)
{
	double all = 0, alone = 0, longest = 0, n = (double)c->s->n_patterns;

	for (size_t i = 0; i < c->s->n_patterns; i++) {
		double rows = (double)rows_of(c, i);
		double pass = (rows + EDGE * threads) * (double)c->l.n;
		double cost = rows * once_of(c->s, rows);

		if (c->s->by.lambda > 0)
			pass = pass * SKEWED / 100;
		if (sw_query_shared(c->s->pattern[i].q)) {
			all += pass + cost * (100 - ALONE) / 100;
			cost = cost * ALONE / 100;
		} else {
			cost += rows * (double)c->l.n;
		}
		alone += cost;
		longest = cost > longest ? cost : longest;
	}
	alone /= n < threads ? n : threads;
	return all / threads + (alone > longest ? alone : longest);
}

static bool
share_rows(const struct sw_job *c, unsigned threads, bool few,
	   const struct plan *p)
{
	size_t i = 0, n = c->s->n_patterns;

	if (c->s->o.best == SW_READ_DISJOINT || n == PUMP_MAX_PARTS ||
	    c->s->part)
		return false;
	while (i < n && !sw_query_shared(c->s->pattern[i].q))
		i++;
	return i < n && (few || c->s->by.lambda <= 0) &&
	       rows_span(c, threads) < .95 * p->span;
}

/* A leader for each pattern, and as many as may help. */
static void
add_followers(struct sw_job *c, unsigned threads)
{
	c->leaders = c->j.n_parts;
	for (unsigned i = 1; i < threads && c->j.n_parts < PUMP_MAX_PARTS; i++)
		c->part[c->j.n_parts++] = (struct sw_part){ 0, 0, 0, 0 };
}

/* Columns that each stretch owns, but for the first one, which has the rest. */
static uint64_t
step_of(const struct sw_job *c, size_t pattern, unsigned stretches)
{
	double even = (double)owned(c) / stretches;
	double step = stretch_columns(c, pattern, stretches) -
		      before(c, pattern, false);

	if (c->s->part)
		step = even;
	else if (step < even / 2)
		step = even / 2;
	return ((uint64_t)step + SW_BLOCK) / SW_BLOCK * SW_BLOCK;
}

/* The pattern's stretches; the first one owns what is before, too: nothing. */
static void
add_stretches(struct sw_job *c, size_t pattern, unsigned stretches)
{
	uint64_t step = step_of(c, pattern, stretches), rest = owned(c);
	struct sw_part p = { pattern, pattern + 1, 0, 0 };

	rest = rest > stretches * step ? rest - (stretches - 1) * step : step;
	for (unsigned i = 0; i < stretches; i++) {
		p.end = c->l.seg[0].own + rest + i * step;
		if (p.end >= c->l.n || i + 1 == stretches) {
			p.end = UINT64_MAX;
			i = stretches;
		}
		c->part[c->j.n_parts++] = p;
		p.beg = p.end;
	}
}

/* Patterns in groups of about as many rows. */
static void
group(struct sw_job *c)
{
	size_t n = c->s->n_patterns, from = 0;
	double sum = 0, all = 0;

	for (size_t i = 0; i < n; i++)
		all += (double)rows_of(c, i);
	c->j.n_parts = 0;
	for (size_t i = 0; i < n; i++) {
		sum += (double)rows_of(c, i);
		if (i + 1 < n &&
		    sum * PUMP_MAX_PARTS < all * (c->j.n_parts + 1))
			continue;
		c->part[c->j.n_parts++] = (struct sw_part){ from, i + 1, 0,
							  UINT64_MAX };
		from = i + 1;
	}
}

static bool
worth(const struct sw_job *c)
{
	double rows = 0;

	if (!c->l.n_seg)
		return false;
	for (size_t i = 0; i < c->s->n_patterns; i++)
		rows += (double)rows_of(c, i);
	return c->s->part || rows * (double)owned(c) >= CELLS;
}

/* Is the chunk as well searched by one thread, if others have their own? */
static bool
whole_will_do(const struct sw_job *c)
{
	if (c->s->part)
		return false;
	for (size_t i = 0; i < c->s->n_patterns && c->s->by.lambda <= 0; i++)
		if (rows_of(c, i) > LONG_ROWS)
			return false;
	return true;
}

void
sw_plan(struct sw_job *c, unsigned threads, bool few, bool plenty)
{
	size_t order[PUMP_MAX_PARTS], n = c->s->n_patterns;
	struct plan p;

	if (threads < 2 || !worth(c) || (plenty && whole_will_do(c)))
		return;
	if (n > PUMP_MAX_PARTS) {
		group(c);
		return;
	}
	longest_first(c, order, n);
	p = in_stretches(c, order, threads, few);
	if (share_rows(c, threads, few, &p))
		p.stretches = 0;
	c->j.n_parts = 0;
	for (size_t i = 0; i < n; i++)
		add_stretches(c, order[i], p.stretches ? p.stretches : 1);
	if (p.stretches == 0)
		add_followers(c, threads);
}

int
sw_job_plan(struct scan_job *j, const struct pump_job *pump, struct err *e)
{
	struct sw_job *c = sw_job_of(j);
	const struct sw_search *s = j->ctx;
	int rc = 0;

	sw_plan(c, pump->threads, pump->few, pump->plenty);
	count_cells(c);
	if (c->leaders && !c->crew)
		rc = crew_new(&c->crew, s->threads, e);
	if (c->leaders && !rc)
		crew_begin(c->crew, c->leaders);
	return rc;
}

/* Chunks in a batch for a GPU. */

/* Patterns of which the scores of a block take as much as its letters. */
enum { PATTERNS = 16 };

int
sw_job_postpone(struct scan_job *j, struct err *e)
{
	struct sw_job *c = sw_job_of(j);
	uint64_t n = c->s->n_patterns;

	if (!c->l.n_seg)
		return 0;
	c->known = calloc(n, sizeof *c->known);
	if (!c->known)
		return err_nomem(e, n * sizeof *c->known);
	j->weight = c->l.n * (n > PATTERNS ? n : PATTERNS) / PATTERNS;
	return 0;
}

/* All chunks' texts for one pattern; without memory, none is searched. */
static void
batch_pattern(struct scan_job **j, size_t n, size_t pattern,
	      struct sw_gpu_text *text)
{
	const struct sw_scan *s = sw_job_of(j[0])->s;
	const struct sw_query *q = s->pattern[pattern].q;
	size_t cells = s->o.best == SW_READ_CELLS ? (size_t)s->o.n : 0;
	uint64_t base;
	struct err e;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct sw_job *c = sw_job_of(j[i]);
		struct sw_part all = sw_plan_whole(c);

		text[i].known = (struct sw_known){ .tops = NULL };
		rc = sw_job_text(c, &all, sw_context(q), &c->seg, &c->seg_cap,
				 &text[i].x, &base, &e);
	}
	if (rc)
		return;
	sw_gpu_batch(s->gpu, q, cells, text, n);
	for (size_t i = 0; i < n; i++)
		sw_job_of(j[i])->known[pattern] = text[i].known;
}

void
sw_batch(struct scan_job **j, unsigned n)
{
	const struct sw_scan *s = sw_job_of(j[0])->s;
	struct sw_gpu_text *text = calloc(n, sizeof *text);

	for (size_t i = 0; text && i < s->n_patterns; i++)
		batch_pattern(j, n, i, text);
	free(text);
}
