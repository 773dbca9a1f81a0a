/* SPDX-License-Identifier: MIT */
/* merge_rec.c - merged results as a record stream, one receipt a scan */
#include <stdlib.h>

#include "base/minmax.h"
#include "stream/merge_priv.h"

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

int
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

int
merge_put(struct out *o, struct rec_frame *f, struct err *e)
{
	int r = put_frame(o, f, e);

	rec_frame_drop(f);
	return r;
}

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
 * are written as they came (merge_open.c). */
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
	if (r == 0)
		r = counts_finish(&m->counts, true, e);
	if (r == 0)
		r = merge_finish_tables(m, e);
	if (r == 0)
		r = a.have = topk_next(m->topk, &a.run, &a.scan, &a.h, e);
	for (size_t i = 0; i < ledger_runs(m->ledger) && r >= 0; i++)
		for (size_t j = 0; j < ledger_scans(m->ledger, i) && r >= 0;
		     j++)
			r = put_scan(m, o, i, j, &a, e);
	return r < 0 ? r : 0;
}

int
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
