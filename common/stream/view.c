/* SPDX-License-Identifier: MIT */
/* view.c - a record stream shown frame by frame */
#include <stdlib.h>

#include "stream/view_priv.h"

int
view_new(struct view **out, const struct view_params *p, struct out *o,
	 struct err *e)
{
	struct printer_params pp = { p->format, p->header, p->letters,
				     p->prog, p->colour, p->queries, false };
	struct view *v = calloc(1, sizeof *v);
	int r;

	if (!v)
		return err_nomem(e, sizeof *v);
	v->p = *p;
	v->out = o;
	r = ledger_new(&v->ledger, e);
	if (p->mode == VIEW_FASTA)
		pp.format = FORMAT_FASTA;
	if (r == 0 && (p->mode == VIEW_TEXT || p->mode == VIEW_FASTA))
		r = printer_new(&v->printer, &pp, o, e);
	if (r == 0 && p->mode == VIEW_FASTA)
		r = fasta_out_new(v, e);
	if (r == 0)
		r = tables_new(&v->tables, e);
	if (r < 0) {
		view_free(v);
		return r;
	}
	if (p->mode != VIEW_COPY)
		ledger_judge_chunks(v->ledger);
	*out = v;
	return 0;
}

void
view_free(struct view *v)
{
	if (!v)
		return;
	ledger_free(v->ledger);
	printer_free(v->printer);
	counts_free(&v->counts);
	tables_free(&v->tables);
	fasta_out_free(&v->fasta);
	index_free(&v->stats.ended);
	buf_free(&v->bytes);
	free(v);
}

void
view_damage(struct view *v)
{
	v->damage = true;
	ledger_damage(v->ledger);
}

uint64_t
view_copies(const struct view *v)
{
	return ledger_copies(v->ledger);
}

/* What the ledger leaves unread: rows of hits, letters of chunks. */
static int
check_rows(const struct rec_frame *f, struct err *e)
{
	struct chunk c;
	int r = 0;

	if (f->type == REC_HITS) {
		r = hits_each(f, NULL, NULL, e);
	} else if (f->type == REC_CHUNK) {
		r = chunk_view(&c, f, e);
		if (r < 0)
			return r;
		if (!chunk_digest_ok(&c, e))
			r = e->code;
		chunk_free(&c);
	}
	return r;
}

static int
print_hit(void *ctx, const struct hits_view *of, const struct hit *h,
	  struct err *e)
{
	struct view *v = ctx;

	v->hit = true;
	return printer_hit(v->printer, of->run.id, of->receipt.scan.id, h, e);
}

static int
print_chunk(struct view *v, const struct rec_frame *f, struct err *e)
{
	struct chunk c;
	int r = chunk_view(&c, f, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < c.n_rows && r == 0; i++)
		if (c.row[i].flags & CHUNK_LAST)
			r = printer_length(v->printer, f->run,
					   c.row[i].ordinal, c.row[i].name,
					   c.row[i].length, e);
	if (r == 0)
		r = view_chunk_rows(v, &c, e);
	chunk_free(&c);
	return r;
}

static int
print_frame(struct view *v, const struct rec_frame *f, struct err *e)
{
	struct run_end end;
	struct begin b;
	struct seq s;
	int r;

	switch (f->type) {
	case REC_BEGIN:
		r = begin_view(&b, f, e);
		return r < 0 ? r : printer_begin(v->printer, &b, e);
	case REC_SEQ:
		r = seq_view(&s, f, e);
		return r < 0 ? r : printer_length(v->printer, f->run,
						  s.ordinal, s.name, s.length,
						  e);
	case REC_END:
		r = end_view(&end, f, e);
		return r < 0 ? r : printer_letters(v->printer, end.run.id,
						   end.letters, e);
	case REC_CHUNK: return print_chunk(v, f, e);
	case REC_HITS: return hits_each(f, print_hit, v, e);
	case REC_TALLY: return counts_frame(&v->counts, f, e);
	case REC_PRIMER:
	case REC_DIST: return tables_frame(&v->tables, f, e);
	default: return 0;
	}
}

static int
copy_frame(struct view *v, const struct rec_frame *f, struct err *e)
{
	int r;

	v->bytes.n = 0;
	r = rec_encode(&v->bytes, f, e);
	return r < 0 ? r : out_write(v->out, v->bytes.p, v->bytes.n, e);
}

/* Letters, and primers, which are letters, too. */
static int
fasta_frame(struct view *v, const struct rec_frame *f, struct err *e)
{
	switch (f->type) {
	case REC_CHUNK: return fasta_out_chunk(v, f, e);
	case REC_END: return fasta_out_end(v, f, e);
	case REC_PRIMER: return tables_frame(&v->tables, f, e);
	/* what has rows of other kinds is refused as it is put together */
	case REC_HITS: return hits_each(f, print_hit, v, e);
	case REC_TALLY: return counts_frame(&v->counts, f, e);
	case REC_DIST: return tables_frame(&v->tables, f, e);
	default: return 0;
	}
}

static int
show_frame(struct view *v, const struct rec_frame *f, struct err *e)
{
	switch (v->p.mode) {
	case VIEW_TEXT: return print_frame(v, f, e);
	case VIEW_COPY: return copy_frame(v, f, e);
	case VIEW_STATS: return stats_frame(&v->stats, f, e);
	case VIEW_FASTA: return fasta_frame(v, f, e);
	default: return 0;
	}
}

int
view_frame(struct view *v, const struct rec_frame *f, struct err *e)
{
	int r = check_rows(f, e);

	if (r == ERR_FORMAT)
		ledger_damage(v->ledger);
	if (r == 0)
		r = ledger_frame(v->ledger, f, e);
	if (r == ERR_FORMAT) {
		v->damage = true;
		return VIEW_BAD;
	}
	if (r != 0)
		return r < 0 ? r : 0;	/* LEDGER_COPY */
	r = show_frame(v, f, e);
	if (r != ERR_FORMAT || (f->type != REC_PRIMER && f->type != REC_DIST))
		return r;
	/* sound by itself, but not beside others of its scan */
	view_damage(v);
	return VIEW_BAD;
}

/* Primers and distances; frames that are missing leave gaps in them. */
static int
print_tables(struct view *v, struct err *e)
{
	int r = tables_finish(&v->tables, v->printer, v->p.format, e);

	if (r == ERR_FORMAT) {
		v->late = *e;
		r = 0;
	}
	return r;
}

static int
print_rows(struct view *v, struct err *e)
{
	int r = counts_finish(&v->counts, false, e);

	for (size_t i = 0; i < v->counts.n && r == 0; i++) {
		struct tally_row t = counts_row(&v->counts, i);

		r = printer_tally(v->printer, &t, e);
	}
	return r == 0 ? print_tables(v, e) : r;
}

/* What the verdict will be, for what shows it beside the rows. */
static int
tell_lacks(struct view *v, struct err *e)
{
	int r;

	while ((r = ledger_verdict(v->ledger, 0, e)) == ERR_INCOMPLETE)
		printer_lacks(v->printer, e->text);
	if (v->late.code)
		printer_lacks(v->printer, v->late.text);
	return r;
}

static int
finish_text(struct view *v, struct err *e)
{
	bool tables = tables_any(&v->tables);
	int r = print_rows(v, e);

	if (r == 0)
		r = tell_lacks(v, e);
	/* below rows of chunks, no header of hits that there are none of */
	if (r == 0 && (!v->chunk_head || v->hit || v->counts.n || tables))
		r = printer_finish(v->printer, e);
	if (r != ERR_INCOMPLETE)
		return r;
	v->late = *e;
	return 0;
}

static int
finish_fasta(struct view *v, struct err *e)
{
	int r = fasta_out_finish(v, e);

	if (r == 0)
		r = print_rows(v, e);
	return r == 0 ? printer_finish(v->printer, e) : r;
}

int
view_finish(struct view *v, struct err *e)
{
	switch (v->p.mode) {
	case VIEW_TEXT: return finish_text(v, e);
	case VIEW_FASTA: return finish_fasta(v, e);
	case VIEW_HEADER: return view_write_header(v, e);
	case VIEW_STATS: return stats_write(v, e);
	default: return 0;
	}
}

int
view_verdict(struct view *v, struct err *e)
{
	int r;

	if (v->p.mode == VIEW_TEXT || v->p.mode == VIEW_FASTA ||
	    v->p.mode == VIEW_CHECK) {
		r = ledger_verdict(v->ledger, 0, e);
		if (r == 0 && v->late.code && !v->told) {
			*e = v->late;
			r = e->code;
		}
		v->told = true;
		return r;
	}
	if (!v->damage || v->told)
		return 0;
	v->told = true;
	return err_set(e, ERR_INCOMPLETE, "the stream was damaged");
}
