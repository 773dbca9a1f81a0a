/* SPDX-License-Identifier: MIT */
/*
 * sw_scan_plan.c - parts of a chunk that keep a team of threads busy
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
#include "scan/sw_scan_priv.h"

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
enum { MOST = 103, FEW_MOST = 125 };

struct plan {
	unsigned stretches;
	double span, work;
};

struct sw_part
sw_plan_whole(const struct sw_cut *c)
{
	return (struct sw_part){ 0, c->s->n_patterns, 0, UINT64_MAX };
}

static size_t
rows_of(const struct sw_cut *c, size_t pattern)
{
	return c->s->q->v[c->s->pattern[pattern].query].letters.n;
}

/* Columns from the first one on that is owned. */
static uint64_t
owned(const struct sw_cut *c)
{
	return c->l.n - c->l.seg[0].own;
}

/* Columns before a stretch: of the first one as many as there are. */
static double
before(const struct sw_cut *c, size_t pattern, bool first)
{
	const struct sw_seg *g = &c->l.seg[0];
	uint64_t n = sw_context(c->s->pattern[pattern].q);

	if (first && g->own - g->beg < n)
		n = g->own - g->beg;
	return (double)n;
}

/* Of each stretch, with those before it: all take as long. */
static double
columns_of(const struct sw_cut *c, size_t pattern, unsigned stretches)
{
	double all = (double)owned(c) + before(c, pattern, true);

	all += (stretches - 1) * before(c, pattern, false);
	return all / stretches;
}

/* Patterns, those of more rows first: n of them, at most PUMP_MAX_PARTS. */
static void
longest_first(const struct sw_cut *c, size_t *order, size_t n)
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
try(const struct sw_cut *c, const size_t *order, unsigned stretches,
    unsigned team)
{
	unsigned n = team < PUMP_MAX_PARTS ? team : PUMP_MAX_PARTS;
	double at[PUMP_MAX_PARTS] = { 0 };
	struct plan p = { .stretches = stretches };

	for (size_t i = 0; i < c->s->n_patterns * stretches; i++) {
		size_t k = order[i / stretches];
		double rows = (double)rows_of(c, k), cost;
		unsigned first = 0;

		cost = rows * (columns_of(c, k, stretches) +
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
in_stretches(const struct sw_cut *c, const size_t *order, unsigned team,
	     bool few)
{
	unsigned most = PUMP_MAX_PARTS / (unsigned)c->s->n_patterns;
	struct plan best = try(c, order, 1, team);
	double work = best.work * (few ? FEW_MOST : MOST) / 100;

	if (c->s->context == UINT64_MAX || c->off)
		return best;
	if (c->s->part) {
		uint64_t n = owned(c) / c->s->part;

		best.stretches = n == 0 ? 1 : n < most ? (unsigned)n : most;
		return best;
	}
	for (unsigned i = 2; i <= most; i++) {
		struct plan p = try(c, order, i, team);

		/* one more must be worth its while */
		if (p.work <= work && p.span < .95 * best.span)
			best = p;
	}
	return best;
}

/* How long it takes if rows are shared. */
static double
rows_span(const struct sw_cut *c, unsigned team)
{
	double all = 0, alone = 0, longest = 0, n = (double)c->s->n_patterns;

	for (size_t i = 0; i < c->s->n_patterns; i++) {
		double rows = (double)rows_of(c, i);
		double pass = (rows + EDGE * team) * (double)c->l.n;
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
	alone /= n < team ? n : team;
	return all / team + (alone > longest ? alone : longest);
}

static bool
share_rows(const struct sw_cut *c, unsigned team, bool few,
	   const struct plan *p)
{
	size_t i = 0, n = c->s->n_patterns;

	if (c->s->o.best == SW_READ_DISJOINT || n == PUMP_MAX_PARTS ||
	    c->s->part)
		return false;
	while (i < n && !sw_query_shared(c->s->pattern[i].q))
		i++;
	return i < n && (few || c->s->by.lambda <= 0) &&
	       rows_span(c, team) < .95 * p->span;
}

/* A leader for each pattern, and as many as may help. */
static void
add_helpers(struct sw_cut *c, unsigned team)
{
	c->leaders = c->n_parts;
	for (unsigned i = 1; i < team && c->n_parts < PUMP_MAX_PARTS; i++)
		c->part[c->n_parts++] = (struct sw_part){ 0, 0, 0, 0 };
}

/* Columns that each stretch owns, but for the first one, which has the rest. */
static uint64_t
step_of(const struct sw_cut *c, size_t pattern, unsigned stretches)
{
	double even = (double)owned(c) / stretches;
	double step = columns_of(c, pattern, stretches) -
		      before(c, pattern, false);

	if (c->s->part)
		step = even;
	else if (step < even / 2)
		step = even / 2;
	return ((uint64_t)step + SW_BLOCK) / SW_BLOCK * SW_BLOCK;
}

/* The pattern's stretches; the first one owns what is before, too: nothing. */
static void
add_stretches(struct sw_cut *c, size_t pattern, unsigned stretches)
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
		c->part[c->n_parts++] = p;
		p.beg = p.end;
	}
}

/* Patterns in groups of about as many rows. */
static void
group(struct sw_cut *c)
{
	size_t n = c->s->n_patterns, from = 0;
	double sum = 0, all = 0;

	for (size_t i = 0; i < n; i++)
		all += (double)rows_of(c, i);
	c->n_parts = 0;
	for (size_t i = 0; i < n; i++) {
		sum += (double)rows_of(c, i);
		if (i + 1 < n && sum * PUMP_MAX_PARTS < all * (c->n_parts + 1))
			continue;
		c->part[c->n_parts++] = (struct sw_part){ from, i + 1, 0,
							  UINT64_MAX };
		from = i + 1;
	}
}

static bool
worth(const struct sw_cut *c)
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
whole_will_do(const struct sw_cut *c)
{
	if (c->s->part)
		return false;
	for (size_t i = 0; i < c->s->n_patterns && c->s->by.lambda <= 0; i++)
		if (rows_of(c, i) > LONG_ROWS)
			return false;
	return true;
}

void
sw_plan(struct sw_cut *c, unsigned team, bool few, bool plenty)
{
	size_t order[PUMP_MAX_PARTS], n = c->s->n_patterns;
	struct plan p;

	if (team < 2 || !worth(c) || (plenty && whole_will_do(c)))
		return;
	if (n > PUMP_MAX_PARTS) {
		group(c);
		return;
	}
	longest_first(c, order, n);
	p = in_stretches(c, order, team, few);
	if (share_rows(c, team, few, &p))
		p.stretches = 0;
	c->n_parts = 0;
	for (size_t i = 0; i < n; i++)
		add_stretches(c, order[i], p.stretches ? p.stretches : 1);
	if (p.stretches == 0)
		add_helpers(c, team);
}
