/* SPDX-License-Identifier: MIT */
/* merge_cut.c - what a merge says of the rows that it left out */
#include "base/hash.h"
#include "base/opt.h"
#include "stream/merge_priv.h"
#include "stream/print.h"

/* How many it kept; 0: all, or it does not say. */
static uint64_t
best_of(const struct begin *b)
{
	struct str best = begin_value(b, "best");
	uint64_t kept = 0;

	for (size_t i = 0; i < best.n; i++) {
		if (best.p[i] < '0' || best.p[i] > '9')
			return 0;
		kept = kept < UINT64_MAX / 16 ?
		    10 * kept + (uint64_t)(best.p[i] - '0') : kept;
	}
	return kept;
}

void
merge_set_limits(struct merge *m)
{
	for (size_t i = 0; i < ledger_begins(m->ledger); i++) {
		const struct begin *b = ledger_begin(m->ledger, i);

		if (b->scan.id && !begin_says(b, "program", "merge-topk"))
			topk_limit(m->topk, &b->scan, best_of(b));
	}
}

/* Is what a merge kept before enough for what is wanted now? */
static bool
enough_of_merge(const struct topk_params *p, const struct begin *b)
{
	return p->n && p->n <= best_of(b) && !p->no_overlap.unit &&
	       begin_says(b, "final", "no") &&
	       begin_says(b, "per", merge_per[p->per]) &&
	       (!p->keep_ties || begin_says(b, "ties", "keep"));
}

/*
 * A scanner keeps the best of each query, without more ties; so among n of all
 * queries none is missing either.
 */
static bool
enough_of_scan(const struct topk_params *p, const struct begin *b)
{
	return p->n <= best_of(b) && !p->keep_ties &&
	       (p->per == PER_QUERY || p->per == PER_ALL);
}

static struct str
short_value(const struct begin *b, const char *key)
{
	struct str v = begin_value(b, key);

	v.n = v.n < 20 ? v.n : 20;
	v.p = v.p ? v.p : "";
	return v;
}

/*
 * Without -n what comes is taken as it is: the best of the earlier stage, and
 * that is said.  With -n, --per or --no-overlap rows may be missing among
 * those asked for, which is refused.
 */
static int
check_merge(const struct topk_params *p, const struct begin *b, struct err *e)
{
	struct str per = short_value(b, "per");

	if (enough_of_merge(p, b))
		return 0;
	if (p->n || p->no_overlap.unit)
		return err_set(e, ERR_USAGE, "an earlier merge-topk "
			       "(-n %llu --per=%.*s) left out rows that this "
			       "may need: use --partial there, the same -n, "
			       "--per and --ties, and --no-overlap in one "
			       "stage only; or rec-view",
			       (unsigned long long)best_of(b), (int)per.n,
			       per.p);
	err_set(e, 0, "not all rows: those that an earlier merge-topk kept");
	return 1;
}

/*
 * May the scanner have left out rows?  Not where each query has fewer than it
 * was to choose: then no part had more.  In a partial merge others may have.
 */
static int
may_lack(struct merge *m, const struct begin *b, struct err *e)
{
	return b->scan.rule < SCAN_CLASS || m->p.topk.partial ? 1 :
	       topk_full(m->topk, &b->scan, e);
}

/*
 * The best that a scanner chose are all that it was asked for, if its rule
 * makes them one choice over all parts.
 */
static int
check_scan(struct merge *m, const struct begin *b, struct err *e)
{
	const struct topk_params *p = &m->p.topk;
	struct str prog = short_value(b, "program");
	int lacks;

	if (!best_of(b) || (!p->no_overlap.unit &&
			    (p->n ? enough_of_scan(p, b) :
				    b->scan.rule >= SCAN_CLASS)))
		return 0;
	lacks = may_lack(m, b, e);
	if (lacks <= 0)
		return lacks;
	if (p->n && !enough_of_scan(p, b))
		return err_set(e, ERR_USAGE, "%.*s -n %llu may have left out "
			       "rows that this needs: use a larger -n there, "
			       "or here no larger one, --per=query or all, "
			       "and --ties=cut", (int)prog.n, prog.p,
			       (unsigned long long)best_of(b));
	err_set(e, 0, "not all rows: those that %.*s kept", (int)prog.n,
		prog.p);
	return 1;
}

int
merge_check(struct merge *m, struct err *e)
{
	int told = 0;

	merge_set_limits(m);
	for (size_t i = 0; i < ledger_begins(m->ledger); i++) {
		const struct begin *b = ledger_begin(m->ledger, i);
		int r = begin_says(b, "program", "merge-topk") ?
			check_merge(&m->p.topk, b, e) : b->scan.id ?
			check_scan(m, b, e) : 0;

		if (r < 0)
			return r;
		told |= r;
	}
	return told;
}

static int
put_begin(struct out *o, const struct begin *b, struct err *e)
{
	struct rec_frame *f;
	int r = begin_encode(&f, b, e);

	return r < 0 ? r : merge_put(o, f, e);
}

/*
 * Would a cut differ if more came?  A better row from elsewhere drops those
 * of its query (SCAN_LEAST), and frees places of groups with other queries.
 */
static bool
is_final(const struct merge *m)
{
	const struct topk_params *p = &m->p.topk;
	bool least = false;

	for (size_t i = 0; i < ledger_begins(m->ledger); i++)
		least |= ledger_begin(m->ledger, i)->scan.rule == SCAN_LEAST;
	return p->no_overlap.unit || (least && !p->partial &&
	       (p->per == PER_SUBJECT || p->per == PER_ALL));
}

static bool
cuts(const struct merge *m, const struct scan_key *s)
{
	return (m->p.topk.n || m->p.topk.no_overlap.unit) && s->id &&
	       (s->rule <= SCAN_LEAST || s->rule >= SCAN_CLASS);
}

/* What was cut, so that no later stage takes it for everything. */
static struct str
own_text(struct merge *m)
{
	if (!m->own.n)
		buf_printf(&m->own, MERGE_BEGIN "version %s\nbest %llu\n"
			   "per %s\nties %s\nfinal %s\n", SEQF_VERSION,
			   (unsigned long long)m->p.topk.n,
			   merge_per[m->p.topk.per],
			   m->p.topk.keep_ties ? "keep" : "cut",
			   is_final(m) ? "yes" : "no");
	return (struct str){ (const char *)m->own.p, m->own.n };
}

static bool
is_merge(const struct begin *b)
{
	size_t n = strlen(MERGE_BEGIN);

	return b->text.n >= n && memcmp(b->text.p, MERGE_BEGIN, n) == 0;
}

static int
put_own_begin(struct merge *m, struct out *o, const struct begin *of,
	      struct err *e)
{
	struct begin b = { .run = of->run, .scan = of->scan,
			   .text = own_text(m) };

	return m->own.bad ? err_nomem(e, m->own.n) : put_begin(o, &b, e);
}

int
merge_put_begins(struct merge *m, struct out *o, struct err *e)
{
	const struct begin *last = NULL;
	int r = 0;

	for (size_t i = 0; i < ledger_begins(m->ledger) && r == 0; i++) {
		const struct begin *b = ledger_begin(m->ledger, i);

		r = put_begin(o, b, e);
		if (r < 0 || !cuts(m, &b->scan) || is_merge(b) ||
		    (last && last->run.id == b->run.id &&
		     last->scan.id == b->scan.id))
			continue;
		r = put_own_begin(m, o, b, e);
		last = b;
	}
	return r;
}

static void
need(struct receipt *t, uint64_t hash)
{
	for (size_t i = 0; i < t->n_needs; i++)
		if (t->need[i] == hash)
			return;
	if (t->n_needs < RECEIPT_NEEDS)
		t->need[t->n_needs++] = hash;
}

/* The BEGINs that say what these rows lack: ours, and earlier ones. */
int
merge_set_needs(struct merge *m, uint64_t run, struct receipt *t,
		struct err *e)
{
	const struct begin *b;
	uint64_t hash;
	int r = 0;

	if (cuts(m, &t->scan)) {
		struct str own = own_text(m);

		need(t, hash64(own.p, own.n, 0));
		r = m->own.bad ? err_nomem(e, own.n) : 0;
	}
	for (size_t i = 0; r == 0; i++) {
		r = ledger_begin_of(m->ledger, run, t->scan.id, i, &b, &hash,
				    e);
		if (r < 0 || !b)
			break;
		if (is_merge(b))
			need(t, hash);
	}
	return r;
}
