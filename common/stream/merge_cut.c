/* SPDX-License-Identifier: MIT */
/* merge_cut.c - what a merge says of the rows that it left out */
#include "base/hash.h"
#include "base/opt.h"
#include "stream/merge_priv.h"

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
	return p->no_overlap >= 0 || (least && !p->partial &&
	       (p->per == PER_SUBJECT || p->per == PER_ALL));
}

static bool
cuts(const struct merge *m, const struct scan_key *s)
{
	return (m->p.topk.n || m->p.topk.no_overlap >= 0) && s->id &&
	       (s->rule <= SCAN_LEAST || s->rule == SCAN_CLASS);
}

/* What was cut, so that no later stage takes it for everything. */
static void
own_text(const struct merge *m, struct buf *t)
{
	buf_printf(t, MERGE_BEGIN "version %s\nbest %llu\nper %s\nties %s\n"
		   "final %s\n",
		   SEQF_VERSION, (unsigned long long)m->p.topk.n,
		   merge_per[m->p.topk.per],
		   m->p.topk.keep_ties ? "keep" : "cut",
		   is_final(m) ? "yes" : "no");
}

static bool
is_merge(const struct begin *b)
{
	size_t n = strlen(MERGE_BEGIN);

	return b->text.n >= n && memcmp(b->text.p, MERGE_BEGIN, n) == 0;
}

static int
put_own_begin(const struct merge *m, struct out *o, const struct begin *of,
	      struct err *e)
{
	struct begin b = { .run = of->run, .scan = of->scan };
	struct buf t = { 0 };
	int r;

	own_text(m, &t);
	b.text.p = (const char *)t.p;
	b.text.n = t.n;
	r = t.bad ? err_nomem(e, t.n) : put_begin(o, &b, e);
	buf_free(&t);
	return r;
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
need(struct receipt *t, const void *text, size_t n)
{
	uint64_t hash = hash64(text, n, 0);

	for (size_t i = 0; i < t->n_needs; i++)
		if (t->need[i] == hash)
			return;
	if (t->n_needs < RECEIPT_NEEDS)
		t->need[t->n_needs++] = hash;
}

/* The BEGINs that say what these rows lack: ours, and earlier ones. */
int
merge_set_needs(const struct merge *m, uint64_t run, struct receipt *t,
	  struct err *e)
{
	struct buf own = { 0 };
	int r = 0;

	if (cuts(m, &t->scan)) {
		own_text(m, &own);
		r = own.bad ? err_nomem(e, own.n) : 0;
		need(t, own.p, own.n);
		buf_free(&own);
	}
	for (size_t i = 0; i < ledger_begins(m->ledger); i++) {
		const struct begin *b = ledger_begin(m->ledger, i);

		if (b->run.id == run && b->scan.id == t->scan.id &&
		    is_merge(b))
			need(t, b->text.p, b->text.n);
	}
	return r;
}
