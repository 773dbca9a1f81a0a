/* SPDX-License-Identifier: MIT */
/* view_stats.c - what a stream holds: numbers, headers, chunks as rows */
#include <stdio.h>

#include "stream/view_priv.h"

#include "stream/print.h"

static int
count_end(struct stats *s, const struct rec_frame *f, struct err *e)
{
	struct run_end n;
	int r = end_view(&n, f, e);

	if (r < 0)
		return r;
	if (index_number(&s->ended, f->run, 0))
		return 0;
	s->sequences += n.sequences;
	return index_set_number(&s->ended, f->run, 0, 1) ? 0 :
	       err_nomem(e, sizeof f->run);
}

int
stats_frame(struct stats *s, const struct rec_frame *f, struct err *e)
{
	struct chunk c;
	int r = 0;

	if (f->type < N_TYPES)
		s->frames[f->type]++;
	else
		s->others++;
	switch (f->type) {
	case REC_CHUNK:
		r = chunk_view(&c, f, e);
		if (r == 0) {
			s->letters += c.owned;
			s->records += c.n_rows;
			chunk_free(&c);
		}
		break;
	case REC_HITS: s->hits += f->records; break;
	case REC_TALLY: s->counts += f->records; break;
	case REC_END: r = count_end(s, f, e); break;
	}
	return r;
}

static int
line(struct view *v, const char *what, uint64_t n, struct err *e)
{
	return out_printf(v->out, e, "%-22s %llu\n", what,
			  (unsigned long long)n);
}

int
stats_write(struct view *v, struct err *e)
{
	const struct stats *s = &v->stats;
	uint64_t scans = 0;
	char what[40];
	int r;

	for (size_t i = 0; i < ledger_runs(v->ledger); i++)
		scans += ledger_scans(v->ledger, i);
	r = line(v, "runs", ledger_runs(v->ledger), e);
	if (r == 0)
		r = line(v, "scans of runs", scans, e);
	if (r == 0)
		r = line(v, "sequences", s->sequences, e);
	if (r == 0)
		r = line(v, "pieces of sequences", s->records, e);
	if (r == 0)
		r = line(v, "letters in chunks", s->letters, e);
	if (r == 0)
		r = line(v, "hits", s->hits, e);
	if (r == 0)
		r = line(v, "rows of counts", s->counts, e);
	for (unsigned i = REC_BEGIN; i <= REC_END && r == 0; i++) {
		snprintf(what, sizeof what, "frames %s", rec_type_name(i));
		r = line(v, what, s->frames[i], e);
	}
	for (unsigned i = REC_END + 1; i < N_TYPES; i++)
		v->stats.others += s->frames[i];
	return r < 0 ? r : line(v, "frames of other types", s->others, e);
}

int
view_write_header(struct view *v, struct err *e)
{
	struct buf b = { 0 };
	int r;

	for (size_t i = 0; i < ledger_begins(v->ledger); i++) {
		const struct begin *g = ledger_begin(v->ledger, i);

		buf_printf(&b, "# run %016llx",
			   (unsigned long long)g->run.id);
		if (g->scan.id)
			buf_printf(&b, " scan %016llx",
				   (unsigned long long)g->scan.id);
		buf_u8(&b, '\n');
		for (size_t k = 0; k < g->text.n; k++) {
			uint8_t c = (uint8_t)g->text.p[k];

			buf_u8(&b, c == '\n' || print_no_control(c) ? c : '?');
		}
		if (g->text.n && g->text.p[g->text.n - 1] != '\n')
			buf_u8(&b, '\n');
	}
	r = b.bad ? err_nomem(e, b.n) : out_write(v->out, b.p, b.n, e);
	buf_free(&b);
	return r;
}

int
view_chunk_rows(struct view *v, const struct chunk *c, struct err *e)
{
	struct buf *b = &v->bytes;

	if (v->p.format != FORMAT_TSV)
		return err_set(e, ERR_USAGE, "sequences, not hits: write them "
			       "as fasta or tsv");
	b->n = 0;
	if (!v->chunk_head && v->p.header)
		print_text(b, "#subject\tordinal\tbeg\tend\tserial\tslen\n");
	v->chunk_head = true;
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];

		print_name(b, r->name, print_no_control);
		buf_printf(b, "\t%llu\t%llu\t%llu\t%llu\t",
			   (unsigned long long)r->ordinal,
			   (unsigned long long)r->own_beg,
			   (unsigned long long)r->own_end,
			   (unsigned long long)c->serial);
		if (r->flags & CHUNK_LAST)
			print_u64(b, r->length);
		else
			buf_u8(b, '*');
		buf_u8(b, '\n');
	}
	return b->bad ? err_nomem(e, b->n) : out_write(v->out, b->p, b->n, e);
}
