/* SPDX-License-Identifier: MIT */
/* merge.c - results of any number of streams: taking frames, and text */
#include <stdio.h>
#include <stdlib.h>

#include "stream/merge_priv.h"
#include "stream/print.h"
#include "stream/tables.h"

const char *const merge_per[] = {
	[PER_QUERY] = "query", [PER_SUBJECT] = "subject",
	[PER_PAIR] = "pair", [PER_ALL] = "all",
};

int
merge_new(struct merge **out, const struct merge_params *p, struct err *e)
{
	struct merge *m = calloc(1, sizeof *m);
	int r;

	if (!m)
		return err_nomem(e, sizeof *m);
	m->p = *p;
	m->p.topk.by_run = p->format == FORMAT_REC;
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
	lengths_free(&m->unknown);
	free(m);
}

int
merge_kind(struct merge *m, uint64_t run, uint64_t scan, unsigned has,
	   struct err *e)
{
	uintptr_t old = index_number(&m->kinds, run, scan);

	if ((old | has) != old &&
	    !index_set_number(&m->kinds, run, scan, old | has))
		return err_nomem(e, sizeof old);
	return (int)(old | has);
}

static bool
needs_lengths(enum format f)
{
	return f == FORMAT_TSV || f == FORMAT_PAF || f == FORMAT_SAM ||
	       f == FORMAT_SVG;
}

static int
take_hits(struct merge *m, const struct rec_frame *f, struct err *e)
{
	struct hits_view v;
	struct hit h;
	int r = hits_view(&v, f, e), got;

	if (r < 0)
		return r;
	r = merge_kind(m, v.run.id, v.receipt.scan.id, SCAN_HITS, e);
	while (r >= 0 && (got = hits_next(&v, &h, e)) != 0) {
		r = got < 0 ? got : topk_add(m->topk, &v.run, &v.receipt.scan,
					     &h, e);
		if (r == 0 && h.subject.len == LEN_UNKNOWN &&
		    needs_lengths(m->p.format))
			r = lengths_put(&m->unknown, v.run.id,
					h.subject.ordinal, h.subject.name,
					LEN_UNKNOWN, e);
	}
	hits_view_free(&v);
	return r < 0 ? r : 0;
}

static int
take_tally(struct merge *m, const struct rec_frame *f, struct err *e)
{
	struct tally t;
	int r = tally_view(&t, f, e);

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
	char name[200];

	for (size_t i = 0; i < m->unknown.n && !m->lengths_asked; i++) {
		const struct subject_len *s = &m->unknown.v[i];
		struct str t = lengths_name(&m->unknown, s);

		if (ledger_length(m->ledger, s->run, s->ordinal) !=
		    LEN_UNKNOWN)
			continue;
		snprintf(name, sizeof name, "%.*s",
			 (int)(t.n < 150 ? t.n : 150), t.p);
		ledger_no_length(m->ledger, name);
	}
	m->lengths_asked = true;
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
print_counts(struct merge *m, struct printer *p, struct err *e)
{
	int r = counts_finish(&m->counts, false, e);

	for (size_t i = 0; i < m->counts.n && r == 0; i++) {
		struct tally_row t = counts_row(&m->counts, i);

		r = printer_tally(p, &t, e);
	}
	return r;
}

static int
write_text(struct merge *m, struct out *o, struct err *e)
{
	struct printer_params pp = { m->p.format, m->p.header, m->p.letters,
				     m->p.prog, m->p.colour, m->p.queries,
				     false };
	struct printer *p;
	int r = printer_new(&p, &pp, o, e);

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
		r = print_counts(m, p, e);
	if (r == 0)
		r = merge_finish_tables(m, e);
	if (r == 0)
		r = tables_print(m->primers, m->dists, p, m->p.format, e);
	if (r == 0)
		r = printer_finish(p, e);
	printer_free(p);
	return r;
}

int
merge_write(struct merge *m, struct out *o, struct err *e)
{
	return m->p.format == FORMAT_REC ? merge_write_rec(m, o, e) :
					   write_text(m, o, e);
}
