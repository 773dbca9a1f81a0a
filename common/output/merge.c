/* SPDX-License-Identifier: MIT */
/* merge.c - results of any number of streams merged into text or one stream */

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"
#include "output/output.h"

/* A frame that goes into a record stream as it is: SEQ, END, and what this
 * version does not know. */
struct kept {
	struct rec_frame *f;
	uint64_t ordinal;	/* of SEQ; else number of the frame, or 0 */
};

enum { SCAN_HITS = 1, SCAN_COUNTS = 2, SCAN_PRIMERS = 4, SCAN_DISTS = 8 };

struct merge {
	struct merge_params p;
	struct ledger *ledger;
	struct topk *topk;
	struct counts counts;
	struct primers *primers;
	struct dists *dists;
	struct kept *kept;
	size_t n_kept, cap_kept;
	struct index kinds;	/* SCAN_* by run and scan */
	struct merge_group **open;
	size_t n_open, cap_open;
	struct index groups;	/* of them, by their keys */
	struct index open_of;	/* how many, by run and scan */
	struct buf own;		/* BEGIN's text; empty: not made yet */
	bool tables;		/* PRIMER or DIST came */
};

static const char *const merge_per[] = {	/* enum topk_per */
	[PER_QUERY] = "query", [PER_SUBJECT] = "subject",
	[PER_PAIR] = "pair", [PER_ALL] = "all",
};

/* What came for a scan of a run; ERR_NOMEM, or the SCAN_* bits. */
static int
merge_kind(struct merge *m, uint64_t run, uint64_t scan, unsigned has,
	   struct err *e)
{
	uintptr_t old = index_number(&m->kinds, run, scan);

	if ((old | has) != old &&
	    !index_set_number(&m->kinds, run, scan, old | has))
		return err_nomem(e, sizeof old);
	return (int)(old | has);
}

/* What goes into a record stream. */

enum { KEPT_FIRST = 1 << 12 };

static int
place_of(const struct rec_frame *f)
{
	switch (f->type) {
	case REC_SEQ: return 0;
	case REC_END: return 2;
	default: return 1;
	}
}

/* Frames that are 0 apart are copies. */
static int
cmp_kept(const void *pa, const void *pb)
{
	const struct kept *a = pa, *b = pb;
	size_t n = a->f->n < b->f->n ? a->f->n : b->f->n;
	int c = place_of(a->f) - place_of(b->f);

	if (c == 0)
		c = a->f->type - b->f->type;
	if (c == 0)
		c = cmp_u64(a->f->run, b->f->run);
	if (c == 0)
		c = cmp_u64(a->ordinal, b->ordinal);
	if (c == 0)
		c = cmp_u64(a->f->serial, b->f->serial);
	if (c == 0 && n)
		c = memcmp(a->f->payload, b->f->payload, n);
	if (c == 0)
		c = cmp_u64(a->f->n, b->f->n);
	return c ? c : cmp_u64(a->f->records, b->f->records);
}

/* Drop copies and sort: SEQ, what is unknown, END. */
static void
sort_kept(struct merge *m)
{
	size_t n = 0;

	if (m->n_kept)
		qsort(m->kept, m->n_kept, sizeof *m->kept, cmp_kept);
	for (size_t i = 0; i < m->n_kept; i++) {
		if (n && cmp_kept(&m->kept[n - 1], &m->kept[i]) == 0)
			rec_frame_drop(m->kept[i].f);
		else
			m->kept[n++] = m->kept[i];
	}
	m->n_kept = n;
}

static int
merge_keep(struct merge *m, struct rec_frame *f, uint64_t ordinal,
	   struct err *e)
{
	bool full = m->n_kept == m->cap_kept;

	/* every part repeats SEQ and END: copies go before memory is taken */
	if (full)
		sort_kept(m);
	if (full && m->n_kept >= m->cap_kept / 2) {
		size_t cap = m->cap_kept ? 2 * m->cap_kept : KEPT_FIRST;
		struct kept *v = realloc(m->kept, cap * sizeof *v);

		if (!v)
			return err_nomem(e, cap * sizeof *v);
		m->kept = v;
		m->cap_kept = cap;
	}
	m->kept[m->n_kept++] = (struct kept) { rec_frame_keep(f), ordinal };
	return 0;
}

static int
put_frame(struct out *o, const struct rec_frame *f, struct err *e)
{
	struct buf b = { 0 };
	int r = rec_encode(&b, f, e);

	if (r == 0)
		r = out_write(o, b.p, b.n, e);
	buf_free(&b);
	return r;
}

/* The frame's bytes, and the reference is given up. */
static int
merge_put(struct out *o, struct rec_frame *f, struct err *e)
{
	int r = put_frame(o, f, e);

	rec_frame_drop(f);
	return r;
}

/*
 * Frames of receipts that are not all there yet
 *
 * What covers the same ranges in several frames counts when all have come.  If
 * some came to this merge and some to another, none of them must get lost: a
 * merge that writes records passes on, as they are, the frames of which it has
 * not all.  Their rows may be among those merged here, too: rows of all rules
 * but SCAN_SUM are the same however often they come, and sums have one frame.
 */

/* By the run, the scan and their ranges; what a merge wrote apart from what a
 * scanner did, as each has numbers of its own. */
struct merge_group {
	uint64_t run, scan;
	uint64_t key[2];
	struct kept *v;			/* by when they came */
	size_t n, cap;
	size_t n_all;			/* 0: the last one has not come */
	size_t at;			/* in merge.open */
};

static void
forget(struct merge *m, struct merge_group *g)
{
	struct merge_group *last = m->open[--m->n_open];
	uintptr_t n = index_number(&m->open_of, g->run, g->scan);

	for (size_t i = 0; i < g->n; i++)
		rec_frame_drop(g->v[i].f);
	free(g->v);
	/* both are there: no memory is taken */
	*index_at(&m->groups, g->key[0], g->key[1]) = NULL;
	index_set_number(&m->open_of, g->run, g->scan, n - 1);
	m->open[g->at] = last;
	last->at = g->at;
	free(g);
}

static void
merge_open_free(struct merge *m)
{
	while (m->n_open)
		forget(m, m->open[m->n_open - 1]);
	free(m->open);
	index_free(&m->groups);
	index_free(&m->open_of);
}

/* The group of a receipt, perhaps a new one; NULL: no memory. */
static struct merge_group *
group_of(struct merge *m, uint64_t run, const struct receipt *r,
	 struct err *e)
{
	uint64_t id[4] = { run, r->scan.id,
			   ranges_hash(r->range, r->n_ranges), r->unmerged };
	uintptr_t n = index_number(&m->open_of, run, r->scan.id);
	struct merge_group *g;
	uint64_t key[2];
	void **at;

	hash64_two(id, sizeof id, 0, key);
	at = index_at(&m->groups, key[0], key[1]);
	if (!at || *at)
		return at ? *at : NULL;
	if (array_room(&m->open, &m->cap_open, m->n_open + 1,
		       sizeof *m->open, e))
		return NULL;
	g = calloc(1, sizeof *g);
	if (!g || !index_set_number(&m->open_of, run, r->scan.id, n + 1)) {
		free(g);
		return NULL;
	}
	*g = (struct merge_group){ .run = run, .scan = r->scan.id,
				   .key = { key[0], key[1] },
				   .at = m->n_open };
	m->open[m->n_open++] = g;
	*at = g;
	return g;
}

static int
add(struct merge *m, struct rec_frame *f, uint64_t run,
    const struct receipt *r, struct err *e)
{
	struct merge_group *g = group_of(m, run, r, e);

	if (!g)
		return err_nomem(e, sizeof *g);
	if (array_room(&g->v, &g->cap, g->n + 1, sizeof *g->v, e))
		return e->code;
	g->v[g->n++] = (struct kept){ rec_frame_keep(f), r->number };
	if (r->last)
		g->n_all = (size_t)r->number + 1;
	if (g->n == g->n_all)
		forget(m, g);
	return 0;
}

static int
merge_open_add(struct merge *m, struct rec_frame *f, struct err *e)
{
	struct run_key run;
	struct receipt r;
	int rc;

	if (m->p.print.format != FORMAT_REC)
		return 0;
	rc = result_head(f, &run, &r, e);
	if (rc < 0)
		return rc;
	if (r.scan.rule != SCAN_SUM && (r.number || !r.last))
		rc = add(m, f, run.id, &r, e);
	free(r.range);
	return rc;
}

/* In a stream, groups that are not all there are kept as they are. */
static int
merge_open_keep(struct merge *m, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < m->n_open; i++) {
		const struct merge_group *g = m->open[i];

		for (size_t k = 0; k < g->n && r == 0; k++)
			r = merge_keep(m, g->v[k].f, g->v[k].ordinal, e);
	}
	return r;
}

/* Primers and distances on their way through a merge. */

static int
take_primer(struct merge *m, const struct rec_frame *f, struct err *e)
{
	const struct topk_params *p = &m->p.topk;
	struct primer_part part;
	int r;

	if (topk_chooses(p))
		return err_set(e, ERR_USAGE, "PRIMER frames: not with -n, "
			       "--no-overlap or --drop-shadows, each start "
			       "has one primer");
	r = primer_view(&part, f, e);
	if (r < 0)
		return r;
	r = merge_kind(m, part.run.id, part.receipt.scan.id, SCAN_PRIMERS, e);
	if (r >= 0)
		r = primers_add(m->primers, &part, e);
	primer_free(&part);
	return r;
}

static int
take_dist(struct merge *m, const struct rec_frame *f, struct err *e)
{
	const struct topk_params *p = &m->p.topk;
	struct dist d;
	int r;

	if (topk_needs_all(p) ||
	    (p->n && p->per != PER_QUERY && p->per != PER_ALL))
		return err_set(e, ERR_USAGE, "DIST frames: only with "
			       "--per=query or --per=all, and not with "
			       "--no-overlap and --drop-shadows");
	r = dist_view(&d, f, e);
	if (r < 0)
		return r;
	r = merge_kind(m, d.run.id, d.receipt.scan.id, SCAN_DISTS, e);
	if (r >= 0)
		r = dists_add(m->dists, &d, e);
	dist_free(&d);
	return r;
}

static int
merge_take_table(struct merge *m, const struct rec_frame *f, struct err *e)
{
	m->tables = true;
	return f->type == REC_PRIMER ? take_primer(m, f, e) :
				       take_dist(m, f, e);
}

static int
merge_finish_tables(struct merge *m, struct err *e)
{
	const struct topk_params *t = &m->p.topk;
	struct dists_params p = {
		.n = t->n, .all = t->per == PER_ALL, .ties = t->keep_ties,
		.position = t->sort == SORT_POSITION, .by_run = t->by_run,
	};
	int r = primers_finish(m->primers, e);

	if (r == 0 && !t->partial)
		r = primers_check(m->primers, e);
	return r == 0 ? dists_finish(m->dists, &p, e) : r;
}

static int
put_table_frame(void *out, struct rec_frame *f, struct err *e)
{
	return merge_put(out, f, e);
}

/* PRIMER and DIST: what the frame holds, all of it sorted, and as frames. */
static int
merge_put_table(struct merge *m, struct out *o, unsigned kind,
		const struct run_key *run, const struct receipt *t,
		struct err *e)
{
	/* all of it is in frames that go on as they are */
	if (!t->n_ranges && index_number(&m->open_of, run->id, t->scan.id))
		return 0;
	if (kind == SCAN_PRIMERS)
		return primers_frames(m->primers, run, t, put_table_frame, o,
				      e);
	/* without serials there is no sequence, and no distance */
	return t->n_ranges ?
	    dists_frames(m->dists, run, t, put_table_frame, o, e) : 0;
}

/* What a merge says of the rows that it left out. */

/*
 * -n, --no-overlap and --drop-shadows write a BEGIN of their own for each scan.
 * Texts for people leave it out: they must not depend on how the merging was
 * done.
 */
static bool
is_merge(const struct begin *b)
{
	return begin_says(b, "program", "merge-topk");
}

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

/* Scanners that choose the best of each query say how many: so many stay. */
static void
merge_set_limits(struct merge *m)
{
	for (size_t i = 0; i < ledger_begins(m->ledger); i++) {
		const struct begin *b = ledger_begin(m->ledger, i);

		if (b->scan.id && !is_merge(b))
			topk_limit(m->topk, &b->scan, best_of(b));
	}
}

/* Did it choose by the same score? */
static bool
same_sort(const struct topk_params *p, const struct begin *b)
{
	return (p->sort == SORT_OFFTARGET) ==
	       begin_says(b, "by", "offtarget-score");
}

/* Is what a merge kept before enough for what is wanted now? */
static bool
enough_of_merge(const struct topk_params *p, const struct begin *b)
{
	return p->n && p->n <= best_of(b) && !topk_needs_all(p) &&
	       begin_says(b, "final", "no") &&
	       begin_says(b, "per", merge_per[p->per]) &&
	       same_sort(p, b) &&
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
 * that is said.  With -n, --per, --no-overlap or --drop-shadows rows may be
 * missing among those asked for, which is refused.
 */
static int
check_merge(const struct topk_params *p, const struct begin *b, struct err *e)
{
	struct str per = short_value(b, "per");

	if (enough_of_merge(p, b))
		return 0;
	if (topk_chooses(p))
		return err_set(e, ERR_USAGE, "an earlier merge-topk "
			       "(-n %llu --per=%.*s) left out rows that this "
			       "may need: use --partial there, the same -n, "
			       "--per, --sort and --ties, and --no-overlap and "
			       "--drop-shadows in one stage only; or rec-view",
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

	if (!best_of(b) || (!topk_needs_all(p) &&
			    (p->n ? enough_of_scan(p, b) :
				    b->scan.rule >= SCAN_CLASS)))
		return 0;
	lacks = may_lack(m, b, e);
	if (lacks <= 0)
		return lacks;
	if (p->n && !enough_of_scan(p, b))
		return err_set(e, ERR_USAGE, "%.*s -n %llu may have left out "
			       "rows that this needs: use a larger -n there, "
			       "or here at most that, with --per=query or all "
			       "and --ties=cut", (int)prog.n, prog.p,
			       (unsigned long long)best_of(b));
	err_set(e, 0, "not all rows: those that %.*s kept", (int)prog.n,
		prog.p);
	return 1;
}

/* Rows of an input that was cut in two ways are all there twice. */
static int
check_cuts(struct merge *m, struct err *e)
{
	struct str s = ledger_cut_twice(m->ledger);
	char before[500] = "";

	if (!s.n)
		return 0;
	if (*e->text)
		snprintf(before, sizeof before, "; %.400s", e->text);
	err_set(e, 0, "%.*s was cut in two ways: if it is one input, its rows "
		"come twice%s", s.n < 100 ? (int)s.n : 100, s.p, before);
	return 1;
}

int
merge_check(struct merge *m, struct err *e)
{
	int noted = 0;

	merge_set_limits(m);
	for (size_t i = 0; i < ledger_begins(m->ledger); i++) {
		const struct begin *b = ledger_begin(m->ledger, i);
		int r = is_merge(b) ? check_merge(&m->p.topk, b, e) :
			b->scan.id ? check_scan(m, b, e) : 0;

		if (r < 0)
			return r;
		noted |= r;
	}
	if (!noted)
		*e->text = '\0';
	return noted | check_cuts(m, e);
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
	return topk_needs_all(p) || (least && !p->partial &&
	       (p->per == PER_SUBJECT || p->per == PER_ALL));
}

static bool
cuts(const struct merge *m, const struct scan_key *s)
{
	return topk_chooses(&m->p.topk) && s->id &&
	       (s->rule <= SCAN_LEAST || s->rule >= SCAN_CLASS);
}

/* What was cut, so that no later stage takes it for everything. */
static struct str
own_text(struct merge *m)
{
	if (!m->own.n)
		buf_printf(&m->own, "program merge-topk\nversion %s\n"
			   "best %llu\nper %s\nties %s\nfinal %s\n%s",
			   SEQF_VERSION,
			   (unsigned long long)m->p.topk.n,
			   merge_per[m->p.topk.per],
			   m->p.topk.keep_ties ? "keep" : "cut",
			   is_final(m) ? "yes" : "no",
			   m->p.topk.sort == SORT_OFFTARGET ?
			   "by offtarget-score\n" : "");
	return (struct str){ (const char *)m->own.p, m->own.n };
}

static int
put_own_begin(struct merge *m, struct out *o, const struct begin *of,
	      struct err *e)
{
	struct begin b = { .run = of->run, .scan = of->scan,
			   .text = own_text(m) };

	return m->own.bad ? err_nomem(e, m->own.n) : put_begin(o, &b, e);
}

/* All BEGINs, and with them ours where this merge leaves out rows. */
static int
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
static int
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

/* Merged results as a record stream, one receipt a scan. */

static int
put_kept(struct merge *m, struct out *o, int first, int last, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < m->n_kept && r == 0; i++) {
		int at = place_of(m->kept[i].f);

		if (at >= first && at <= last)
			r = put_frame(o, m->kept[i].f, e);
	}
	return r;
}

/* The row that is next, and the place in counts. */
struct ahead {
	const struct run_key *run;
	const struct scan_key *scan;
	struct hit h;
	int have;
	size_t count;
};

static bool
is_of(const struct ahead *a, const struct run_key *run,
      const struct scan_key *scan)
{
	return a->have > 0 && a->run->id == run->id &&
	       a->scan->id == scan->id && a->scan->rule == scan->rule;
}

static bool
count_is_of(const struct counts *c, const struct ahead *a,
	    const struct run_key *run, const struct scan_key *scan)
{
	const struct count *k;

	if (a->count >= c->n)
		return false;
	k = &c->v[a->count];
	return c->runs.v[k->run].run.id == run->id &&
	       c->scans.v[k->scan].scan.id == scan->id &&
	       c->scans.v[k->scan].scan.rule == scan->rule;
}

/* All rows of one run and scan. */
static int
put_hits(struct merge *m, struct out *o, const struct run_key *run,
	 const struct receipt *t, struct ahead *a, struct err *e)
{
	struct hits_writer *w;
	struct buf b = { 0 };
	int r = hits_writer_new(&w, run, t, e);

	while (r == 0 && is_of(a, run, &t->scan)) {
		r = hits_add(w, &a->h, e);
		/* all rows may be of one scan: finished frames do not wait */
		hits_take(w, &b);
		if (r == 0 && b.n)
			r = out_write(o, b.p, b.n, e);
		b.n = 0;
		if (r == 0)
			a->have = topk_next(m->topk, &a->run, &a->scan, &a->h,
					    e);
		if (a->have < 0)
			r = a->have;
	}
	if (r == 0)
		r = hits_finish(w, &b, e);
	if (r == 0)
		r = out_write(o, b.p, b.n, e);
	hits_writer_free(w);
	buf_free(&b);
	return r;
}

static int
put_counts(struct merge *m, struct out *o, const struct run_key *run,
	   const struct receipt *t, struct ahead *a, struct err *e)
{
	struct counts *c = &m->counts;
	struct tally y = { .run = *run, .receipt = *t };
	struct rec_frame *f;
	int r;

	y.row = malloc((c->n - a->count + 1) * sizeof *y.row);
	if (!y.row)
		return err_nomem(e, (c->n + 1) * sizeof *y.row);
	for (; count_is_of(c, a, run, &t->scan); a->count++)
		y.row[y.n_rows++] = counts_row(c, a->count);
	r = tally_encode(&f, &y, e);
	free(y.row);
	return r < 0 ? r : merge_put(o, f, e);
}

static int
put_done(struct out *o, const struct run_key *run, const struct receipt *t,
	 struct err *e)
{
	struct rec_frame *f;
	int r = done_encode(&f, run, t, e);

	return r < 0 ? r : merge_put(o, f, e);
}

/* Rows without a receipt: their frames lacked others of the same receipt, and
 * are written as they came (merge.c). */
static int
skip_rows(struct merge *m, const struct run_key *run,
	  const struct scan_key *scan, struct ahead *a, struct err *e)
{
	while (count_is_of(&m->counts, a, run, scan))
		a->count++;
	while (is_of(a, run, scan))
		a->have = topk_next(m->topk, &a->run, &a->scan, &a->h, e);
	return a->have < 0 ? a->have : 0;
}

static int
put_scan(struct merge *m, struct out *o, size_t run, size_t scan,
	 struct ahead *a, struct err *e)
{
	const struct run_key *rk = ledger_run(m->ledger, run);
	const struct scan_key *sk = ledger_scan(m->ledger, run, scan);
	struct receipt t = { .scan = *sk, .number = 0, .last = true };
	int has = merge_kind(m, rk->id, sk->id, 0, e);
	const struct range *range;

	if (has < 0)
		return has;
	if (has & (has - 1))
		return err_set(e, ERR_FORMAT, "one scan has results of "
			       "two kinds");
	if (merge_set_needs(m, rk->id, &t, e) != 0)
		return e->code;
	if (ledger_ranges(m->ledger, run, scan, &range, &t.n_ranges, e))
		return e->code;
	t.range = (struct range *)(uintptr_t)range;
	if (has == SCAN_PRIMERS || has == SCAN_DISTS)
		return merge_put_table(m, o, (unsigned)has, rk, &t, e);
	if (t.n_ranges == 0)
		return skip_rows(m, rk, sk, a, e);
	if (has == SCAN_HITS)
		return put_hits(m, o, rk, &t, a, e);
	return has == SCAN_COUNTS ? put_counts(m, o, rk, &t, a, e) :
				    put_done(o, rk, &t, e);
}

static int
put_results(struct merge *m, struct out *o, struct err *e)
{
	struct ahead a = { 0 };
	int r;

	merge_set_limits(m);
	r = topk_finish(m->topk, e);
	if (r == 0 && m->counts.n)
		r = counts_finish(&m->counts, true, e);
	if (r == 0 && m->tables)
		r = merge_finish_tables(m, e);
	if (r == 0)
		r = a.have = topk_next(m->topk, &a.run, &a.scan, &a.h, e);
	for (size_t i = 0; i < ledger_runs(m->ledger) && r >= 0; i++)
		for (size_t j = 0; j < ledger_scans(m->ledger, i) && r >= 0;
		     j++)
			r = put_scan(m, o, i, j, &a, e);
	return r < 0 ? r : 0;
}

static int
merge_write_rec(struct merge *m, struct out *o, struct err *e)
{
	int r;

	r = merge_open_keep(m, e);
	sort_kept(m);
	if (r == 0)
		r = merge_put_begins(m, o, e);
	if (r == 0)
		r = put_kept(m, o, 0, 0, e);
	if (r == 0)
		r = put_results(m, o, e);
	return r < 0 ? r : put_kept(m, o, 1, 2, e);
}

/* Results of any number of streams: taking frames, and text. */

int
merge_new(struct merge **out, const struct merge_params *p, struct err *e)
{
	struct merge *m = calloc(1, sizeof *m);
	enum format f = p->print.format;
	int r;

	*out = NULL;
	if (!m)
		return err_nomem(e, sizeof *m);
	m->p = *p;
	if (topk_chooses(&p->topk) &&
	    (f == FORMAT_GUIDES || format_is_of_pairs(f))) {
		free(m);
		return err_set(e, ERR_USAGE, "-O %s %s: not with -n and other "
			       "options that choose", format_word(f),
			       f == FORMAT_GUIDES ? "adds up all sites" :
						    "is of all pairs");
	}
	m->p.topk.by_run = f == FORMAT_REC;
	m->p.topk.split = f == FORMAT_BED;
	r = ledger_new(&m->ledger, e);
	if (r == 0)
		r = topk_new(&m->topk, &m->p.topk, e);
	if (r == 0)
		r = primers_new(&m->primers, m->p.topk.by_run, e);
	if (r == 0)
		r = dists_new(&m->dists, e);
	if (r < 0)
		merge_free(m);
	else
		*out = m;
	return r;
}

void
merge_free(struct merge *m)
{
	if (!m)
		return;
	ledger_free(m->ledger);
	topk_free(m->topk);
	counts_free(&m->counts);
	primers_free(m->primers);
	dists_free(m->dists);
	for (size_t i = 0; i < m->n_kept; i++)
		rec_frame_drop(m->kept[i].f);
	free(m->kept);
	merge_open_free(m);
	index_free(&m->kinds);
	buf_free(&m->own);
	free(m);
}

static bool
needs_lengths(enum format f)
{
	return f == FORMAT_TSV || f == FORMAT_PAF || f == FORMAT_SAM ||
	       f == FORMAT_SVG || f == FORMAT_JSON || f == FORMAT_GFF3;
}

static int
take_hits(struct merge *m, const struct rec_frame *f, struct err *e)
{
	bool lengths = needs_lengths(m->p.print.format);
	struct hits_view v;
	struct hit h;
	int r = hits_view(&v, f, e), got;

	if (r < 0)
		return r;
	r = merge_kind(m, v.run.id, v.receipt.scan.id, SCAN_HITS, e);
	while (r >= 0 && (got = hits_next(&v, &h, e)) != 0) {
		r = got < 0 ? got : topk_add(m->topk, &v.run, &v.receipt.scan,
					     &h, e);
		if (r == 0 && lengths && h.subject.len == LEN_UNKNOWN)
			r = ledger_wants_length(m->ledger, v.run.id,
						&h.subject, e);
	}
	hits_view_free(&v);
	return r < 0 ? r : 0;
}

static int
take_tally(struct merge *m, const struct rec_frame *f, struct err *e)
{
	struct tally t;
	int r;

	if (topk_chooses(&m->p.topk))
		return err_set(e, ERR_USAGE, "TALLY frames: not with -n, "
			       "--no-overlap or --drop-shadows, which choose "
			       "among rows, not counts");
	r = tally_view(&t, f, e);
	if (r < 0)
		return r;
	r = merge_kind(m, t.run.id, t.receipt.scan.id, SCAN_COUNTS, e);
	if (r >= 0)
		r = counts_add(&m->counts, &t, e);
	tally_free(&t);
	return r;
}

static int
keep_seq(struct merge *m, struct rec_frame *f, struct err *e)
{
	struct seq s;
	int r = seq_view(&s, f, e);

	return r < 0 ? r : merge_keep(m, f, s.ordinal, e);
}

static int
take_result(struct merge *m, struct rec_frame *f, struct err *e)
{
	int r = merge_open_add(m, f, e);

	if (r < 0)
		return r;
	switch (f->type) {
	case REC_HITS: return take_hits(m, f, e);
	case REC_TALLY: return take_tally(m, f, e);
	case REC_DONE: return 0;
	default: return merge_take_table(m, f, e);
	}
}

static int
take(struct merge *m, struct rec_frame *f, struct err *e)
{
	switch (f->type) {
	case REC_HITS:
	case REC_TALLY:
	case REC_PRIMER:
	case REC_DIST:
	case REC_DONE: return take_result(m, f, e);
	case REC_SEQ: return keep_seq(m, f, e);
	case REC_BEGIN:
	case REC_CHUNK: return 0;
	default: return merge_keep(m, f, 0, e);
	}
}

int
merge_frame(struct merge *m, struct rec_frame *f, struct err *e)
{
	/* nothing is taken of a frame whose rows are not all sound */
	int r = f->type == REC_HITS ? hits_each(f, NULL, NULL, e) : 0;

	if (f->type == REC_CHUNK && !m->p.chunks)
		return err_set(e, ERR_FORMAT, "holds sequences, not results: "
			       "pipe it through a scanner");
	if (r == ERR_FORMAT)
		ledger_damage(m->ledger);
	if (r == 0)
		r = ledger_frame(m->ledger, f, e);
	if (r == ERR_FORMAT)
		return MERGE_BAD;
	if (r != 0)
		return r < 0 ? r : 0;	/* LEDGER_COPY */
	r = take(m, f, e);
	if (r != ERR_FORMAT || (f->type != REC_PRIMER && f->type != REC_DIST))
		return r;
	/* sound by itself, but not beside others of its scan */
	ledger_damage(m->ledger);
	return MERGE_BAD;
}

void
merge_damage(struct merge *m)
{
	ledger_damage(m->ledger);
}

uint64_t
merge_copies(const struct merge *m)
{
	return ledger_copies(m->ledger);
}

int
merge_verdict(struct merge *m, struct err *e)
{
	return ledger_verdict(m->ledger, m->p.runs, e);
}

int
merge_missing(struct merge *m, struct buf *b, struct err *e)
{
	return ledger_missing(m->ledger, b, e);
}

static int
print_hits(struct merge *m, struct printer *p, struct err *e)
{
	const struct run_key *run;
	const struct scan_key *scan;
	struct hit h;
	int r, got;

	merge_set_limits(m);
	r = topk_finish(m->topk, e);
	while (r == 0 && (got = topk_next(m->topk, &run, &scan, &h, e)) != 0) {
		if (got < 0)
			return got;
		if (h.subject.len == LEN_UNKNOWN)
			h.subject.len = ledger_length(m->ledger, run->id,
						      h.subject.ordinal);
		r = printer_hit(p, run->id, scan->id, &h, e);
	}
	return r;
}

static int
print_tables(struct merge *m, struct printer *p, struct err *e)
{
	int r = merge_finish_tables(m, e);

	return r ? r : tables_print(m->primers, m->dists, p,
				    m->p.print.format, e);
}

static int
write_text(struct merge *m, struct out *o, struct err *e)
{
	struct printer *p;
	int r = printer_new(&p, &m->p.print, o, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ledger_begins(m->ledger) && r == 0; i++)
		r = printer_begin(p, ledger_begin(m->ledger, i), e);
	for (size_t i = 0; i < ledger_runs(m->ledger) && r == 0; i++)
		r = printer_letters(p, ledger_run(m->ledger, i)->id,
				    ledger_letters(m->ledger, i), e);
	if (r == 0)
		r = print_hits(m, p, e);
	if (r == 0)
		r = printer_counts(p, &m->counts, e);
	if (r == 0 && (m->tables || format_is_of_pairs(m->p.print.format)))
		r = print_tables(m, p, e);
	if (r == 0)
		r = printer_finish(p, e);
	printer_free(p);
	return r;
}

int
merge_write(struct merge *m, struct out *o, struct err *e)
{
	return m->p.print.format == FORMAT_REC ? merge_write_rec(m, o, e) :
					   write_text(m, o, e);
}
