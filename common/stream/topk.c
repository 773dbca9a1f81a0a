/* SPDX-License-Identifier: MIT */
/*
 * topk.c - the best hits of each group by a total order, in bounded memory
 *
 * Rows pass up to five stages, each of which sorts them:
 *	join	(SCAN_CLASS, SCAN_BEST) class, best first: of SCAN_CLASS the
 *		first of each stays
 *	limit	(the same with topk_limit()) query, best first: so many stay
 *	apart	(--no-overlap) query, subject, best first: greedy by rank
 *	best	group, best first: the n best of each group stay
 *	final	the order of the output
 * and a stage is left out if it has nothing to do.  Equal rows are neighbours
 * in each order; all but the first are dropped.
 *
 * Parts may be cut to their n best classes before they are merged.  Let r, of
 * class C, be among the n best of all rows joined.  In each part that holds r
 * it is the best of C.  Were it cut there, n other classes of its group would
 * have rows that precede r; and so would the best rows of these classes in
 * all: the best of a class never stands behind another of its rows but where
 * both differ in no more than qbeg and CIGAR of a hit on the minus strand, and
 * between two such rows of one class stands none of another one.  So n classes
 * precede r in all, and r is not among the n best.  What is kept beside the n
 * best cannot rise: each is a row of the whole.
 */
#include "stream/topk.h"

#include <stdlib.h>

#include "stream/least.h"
#include "stream/overlap.h"
#include "stream/sorter.h"
#include "stream/topk_orders.h"
#include "stream/topk_row.h"

enum { MEMORY = 64 << 20, MAX_STAGES = 3 };

struct stage {
	enum { JOIN, LIMIT, APART, BEST, FINAL } does;
	const char *group;	/* a cut counts in each */
	struct topk *t;
	struct row_order order;
	struct sorter *sorter;
};

/* Runs over sorted rows and says which of them stay. */
struct keeper {
	const struct row *last;	/* the row before, taken or not */
	uint64_t count;		/* taken of the group */
	int64_t nth;		/* score of the one taken last */
};

struct topk {
	struct topk_params p;
	struct keys runs, scans;
	struct stage stage[MAX_STAGES];
	size_t n_stages;
	struct stage join, limit;	/* sorter NULL: not needed yet */
	bool limited;
	struct least least;
	struct overlap overlap;
	struct keeper keeper;		/* of topk_next() */
	struct buf row, last;
};

static bool
beaten(struct topk *t, const struct row *r)
{
	return t->scans.v[r->scan].scan.rule == SCAN_LEAST &&
	       least_beats(&t->least, r->scan, r->query, r->score);
}

/*
 * May all but the n best of a group be forgotten before all rows are there?
 * Not if a row among them can be dropped later for what another group holds:
 * a better score of its query (SCAN_LEAST), which frees its place.
 */
static bool
may_cut(const struct topk *t)
{
	return !t->least.n || t->p.per == PER_QUERY || t->p.per == PER_PAIR;
}

/* How many of a group stay after the stage; 0: all.  early: more may come. */
static uint64_t
cut_of(const struct stage *s, const struct row *r, bool early)
{
	if (s->does == LIMIT)
		return s->t->scans.v[r->scan].limit;
	return s->does == BEST && (!early || may_cut(s->t)) ? s->t->p.n : 0;
}

/* Does the row, next in the stage's order, stay? */
static bool
keep(const struct stage *s, struct keeper *k, bool early, const struct row *r)
{
	const struct row *last = k->last;
	bool first = !last || !row_same_group(&s->order, s->group, last, r);
	uint64_t n = cut_of(s, r, early);

	k->last = r;
	if (s->does == JOIN && s->t->scans.v[r->scan].scan.rule == SCAN_CLASS)
		return first;
	if (last && row_same(&s->order, last, r))
		return false;
	if (first)
		k->count = 0;
	if (beaten(s->t, r))
		return false;
	if (s->does == LIMIT && n && k->count + 1 >= n)
		s->t->scans.v[r->scan].full = true;
	if (n && k->count >= n)
		return s->does == BEST && s->t->p.keep_ties &&
		       r->score == k->nth;
	k->count++;
	k->nth = r->score;
	return true;
}

static int
cmp_stage(const void *a, const void *b, void *ctx)
{
	const struct stage *s = ctx;

	return row_cmp(&s->order, *(const struct row *const *)a,
		       *(const struct row *const *)b);
}

static size_t
trim(const void **v, size_t n, void *ctx)
{
	const struct stage *s = ctx;
	struct keeper k = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (keep(s, &k, true, v[i]))
			v[kept++] = v[i];
	return kept;
}

/* Places of runs and scans: once for all rows, however many keys they have. */
static int
rank(void *ctx, struct err *e)
{
	struct topk *t = ((const struct stage *)ctx)->t;
	int r = keys_rank(&t->runs, false, e);

	return r < 0 ? r : keys_rank(&t->scans, true, e);
}

static int
open_stage(struct topk *t, struct stage *s, int does, const char *group,
	   const char *by, struct err *e)
{
	struct sorter_ops ops = { .cmp = cmp_stage, .trim = trim, .ctx = s,
				  .prepare = rank };

	s->does = does;
	s->group = group;
	s->t = t;
	s->order = (struct row_order) { by, &t->runs, &t->scans };
	/* one is read and one written, while another one waits for more */
	return sorter_new(&s->sorter, &ops, t->p.memory / 3, e);
}

static int
add_stage(struct topk *t, int does, const char *by, struct err *e)
{
	return open_stage(t, &t->stage[t->n_stages++], does,
			  topk_group(t->p.per), by, e);
}

int
topk_new(struct topk **out, const struct topk_params *p, struct err *e)
{
	struct topk *t = calloc(1, sizeof *t);
	int r = 0;

	if (!t)
		return err_nomem(e, sizeof *t);
	t->p = *p;
	if (!p->memory)
		t->p.memory = MEMORY;
	if (p->no_overlap.unit)
		r = add_stage(t, APART, "qus", e);
	if (r == 0 && p->n)
		r = add_stage(t, BEST, topk_best_order(p->per), e);
	if (r == 0 && (!p->n ||
		       strcmp(topk_best_order(p->per), topk_final_order(p))))
		r = add_stage(t, FINAL, topk_final_order(p), e);
	if (r < 0)
		topk_free(t);
	else
		*out = t;
	return r;
}

void
topk_free(struct topk *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_stages; i++)
		sorter_free(t->stage[i].sorter);
	sorter_free(t->join.sorter);
	sorter_free(t->limit.sorter);
	keys_free(&t->runs);
	keys_free(&t->scans);
	overlap_free(&t->overlap);
	buf_free(&t->row);
	buf_free(&t->last);
	least_free(&t->least);
	free(t);
}

/*
 * A lesser name of a run or scan may move it in the order.  That is harmless
 * until rows were sorted by the old one; then ties between runs may have been
 * cut the wrong way, which cannot be mended here.
 */
static int
renamed(struct topk *t, struct err *e)
{
	bool many = t->runs.n > 1 || t->scans.n > 1;

	t->runs.renamed = t->scans.renamed = false;
	if (!many || (!sorter_sorted(t->stage[0].sorter) &&
		      !(t->join.sorter && sorter_sorted(t->join.sorter))))
		return 0;
	return err_set(e, ERR_LIMIT, "parts of one run or scan came under "
		       "several names and too many rows to be sorted again: "
		       "give all parts the same file name");
}

/* Where a row of the scan goes first. */
static int
first_sorter(struct topk *t, const struct scan_key *scan, struct sorter **s,
	     struct err *e)
{
	int r = 0;

	if (scan->rule < SCAN_CLASS) {
		*s = t->stage[0].sorter;
		return 0;
	}
	if (!t->join.sorter)
		r = open_stage(t, &t->join, JOIN, "quk", "quksw", e);
	*s = t->join.sorter;
	return r;
}

int
topk_add(struct topk *t, const struct run_key *run,
	 const struct scan_key *scan, const struct hit *h, struct err *e)
{
	long ri = keys_run(&t->runs, run, e), si;
	struct sorter *first = NULL;
	int r;

	if (t->p.no_overlap.unit && h->flags & HIT_NO_SBEG)
		return err_set(e, ERR_USAGE, "--no-overlap: there are "
			       "rows without a beginning (asm-scan --ends)");
	si = ri < 0 ? ri : keys_scan(&t->scans, scan, e);
	if (si < 0)
		return (int)si;
	if (t->runs.renamed || t->scans.renamed) {
		r = renamed(t, e);
		if (r < 0)
			return r;
	}
	if (scan->rule == SCAN_LEAST) {
		r = least_take(&t->least, (uint32_t)si, h->query.ordinal,
			       h->score, e);
		if (r <= 0)
			return r;
	}
	r = row_put(&t->row, (uint32_t)ri, (uint32_t)si, h, e);
	if (r == 0)
		r = first_sorter(t, scan, &first, e);
	return r < 0 ? r : sorter_add(first, t->row.p, e);
}

/* The keeper's last row must outlive the sorter's. */
static int
remember(struct topk *t, struct keeper *k, struct err *e)
{
	t->last.n = 0;
	buf_put(&t->last, k->last, k->last->size);
	k->last = (const struct row *)(const void *)t->last.p;
	return t->last.bad ? err_nomem(e, 0) : 0;
}

/* 1 if the row stays after the stage, 0 if not. */
static int
passes(struct stage *s, struct keeper *k, const struct row *r, struct err *e)
{
	struct topk *t = s->t;

	if (s->does == APART && k->last &&
	    !row_same_group(&s->order, "qu", k->last, r))
		overlap_clear(&t->overlap);
	if (!keep(s, k, t->p.partial, r))
		return 0;
	if (s->does == APART)
		return overlap_take(&t->overlap, r->sbeg, r->send,
				    t->p.no_overlap, e);
	return 1;
}

/* 1 and the next row that stays, 0 at the end. */
static int
next_row(struct stage *s, struct keeper *k, const struct row **row,
	 struct err *e)
{
	const void *p;
	int r;

	while (true) {
		if (k->last && k->last != (const void *)s->t->last.p &&
		    (r = remember(s->t, k, e)) < 0)
			return r;
		r = sorter_next(s->sorter, &p, e);
		if (r <= 0)
			return r;
		r = passes(s, k, p, e);
		if (r < 0)
			return r;
		if (r > 0) {
			*row = p;
			return 1;
		}
	}
}

/* What stays after a stage goes into the next one. */
static int
pour(struct stage *from, struct stage *to, struct err *e)
{
	struct keeper k = { 0 };
	const struct row *row;
	int r = sorter_finish(from->sorter, e);

	while (r >= 0 && (r = next_row(from, &k, &row, e)) > 0)
		r = sorter_add(to->sorter, row, e);
	sorter_free(from->sorter);
	from->sorter = NULL;
	return r;
}

void
topk_limit(struct topk *t, const struct scan_key *scan, uint64_t n)
{
	t->limited |= keys_limit(&t->scans, scan, n);
}

/* Rows of SCAN_CLASS and SCAN_BEST join the others. */
static int
pour_classes(struct topk *t, struct err *e)
{
	int r;

	if (!t->join.sorter)
		return 0;
	if (!t->limited)
		return pour(&t->join, &t->stage[0], e);
	r = open_stage(t, &t->limit, LIMIT, "q", "qs", e);
	if (r == 0)
		r = pour(&t->join, &t->limit, e);
	return r < 0 ? r : pour(&t->limit, &t->stage[0], e);
}

int
topk_full(struct topk *t, const struct scan_key *scan, struct err *e)
{
	int r = pour_classes(t, e);

	return r < 0 ? r : keys_full(&t->scans, scan);
}

int
topk_finish(struct topk *t, struct err *e)
{
	int r = pour_classes(t, e);
	size_t i = 0;

	for (; i + 1 < t->n_stages && r == 0; i++)
		r = pour(&t->stage[i], &t->stage[i + 1], e);
	return r < 0 ? r : sorter_finish(t->stage[i].sorter, e);
}

int
topk_next(struct topk *t, const struct run_key **run,
	  const struct scan_key **scan, struct hit *h, struct err *e)
{
	struct stage *s = &t->stage[t->n_stages - 1];
	const struct row *row;
	int r = next_row(s, &t->keeper, &row, e);

	if (r <= 0)
		return r;
	*run = &t->runs.v[row->run].run;
	*scan = &t->scans.v[row->scan].scan;
	row_hit(row, h);
	return 1;
}
