/* SPDX-License-Identifier: MIT */
/* view.c - a record stream shown frame by frame, as FASTA, or in numbers */

#include <stdio.h>
#include <stdlib.h>

#include "collect/collect.h"
#include "input/input.h"
#include "output/output.h"

/* What the files of view share (private). */

enum { FASTA_COLUMNS = 60, N_TYPES = 16 };

/* Letters of chunks on their way to FASTA. */
struct fasta_out {
	struct turn *turn;	/* of chunks */
	bool in_record;
	uint64_t ordinal, pos;	/* the record's next letter */
	uint64_t name;		/* its hash */
	bool noted;
	unsigned column;
	struct buf text, letters;
};

struct stats {
	uint64_t frames[N_TYPES], others, hits, counts, letters, records;
	uint64_t sequences;	/* of ENDs, each run once */
	struct index ended;	/* runs whose END was counted */
};

struct view {
	struct view_params p;
	struct out *out;
	struct ledger *ledger;
	struct printer *printer;	/* of VIEW_TEXT */
	struct counts counts;
	struct tables tables;
	struct err late;	/* what the text lacked, unless the ledger
				   says why */
	struct fasta_out fasta;
	struct stats stats;
	bool chunk_head;	/* the header line of chunks was written */
	bool hit;		/* the printer was given one */
	bool damage, noted;
	struct buf bytes;
};

/* Letters of chunks as FASTA, in the order of the input. */

enum { TILE = 60 * 1024 };

/* n letters as lines of FASTA_COLUMNS. */
static int
put_letters(struct view *v, const uint8_t *s, size_t n, struct err *e)
{
	struct fasta_out *o = &v->fasta;

	o->text.n = 0;
	while (n) {
		size_t k = FASTA_COLUMNS - o->column;

		k = k < n ? k : n;
		buf_put(&o->text, s, k);
		o->column += (unsigned)k;
		s += k;
		n -= k;
		if (o->column == FASTA_COLUMNS) {
			buf_u8(&o->text, '\n');
			o->column = 0;
		}
	}
	if (o->text.bad)
		return err_nomem(e, n);
	return out_write(v->out, o->text.p, o->text.n, e);
}

/* A region behind another one of its sequence. */
static void
note_region(struct view *v, const struct chunk_row *r)
{
	struct fasta_out *o = &v->fasta;
	uint64_t name = hash64(r->name.p, r->name.n, 1);

	if (o->name == name && chunk_row_part(r).beg > o->pos && !o->noted &&
	    v->p.print.note) {
		o->noted = true;
		v->p.print.note(0, "several regions of one sequence have its "
				"name: -O tsv shows where they lie");
	}
	o->name = name;
}

static int
begin_record(struct view *v, const struct chunk_row *r, struct err *e)
{
	struct fasta_out *o = &v->fasta;

	if (!fasta_fits(r->name, r->desc))
		return err_set(e, ERR_FORMAT, "sequence %llu, %.*s: its name "
			       "or description cannot be a FASTA header",
			       (unsigned long long)r->ordinal,
			       str_shown(r->name, 200), r->name.p);
	note_region(v, r);
	o->text.n = 0;
	buf_u8(&o->text, '>');
	fasta_header(&o->text, r->name, r->desc);
	buf_u8(&o->text, '\n');
	o->in_record = true;
	o->ordinal = r->ordinal;
	o->pos = chunk_row_part(r).beg;
	o->column = 0;
	if (o->text.bad)
		return err_nomem(e, o->text.n);
	return out_write(v->out, o->text.p, o->text.n, e);
}

static int
put_row(struct view *v, const struct chunk *c, const struct chunk_row *r,
	struct err *e)
{
	const struct chunk_part p = chunk_row_part(r);
	struct fasta_out *o = &v->fasta;
	int rc = 0;

	if (r->flags & CHUNK_FIRST)
		rc = begin_record(v, r, e);
	else if (!o->in_record || r->ordinal != o->ordinal ||
		 p.beg != o->pos)
		return err_set(e, ERR_INCOMPLETE, "letters before %llu of "
			       "%.*s are missing",
			       (unsigned long long)p.beg,
			       str_shown(r->name, 200), r->name.p);
	for (uint64_t at = p.beg; at < p.end && rc == 0;) {
		uint64_t n = p.end - at < TILE ? p.end - at : TILE;

		chunk_letters(c, r, at - r->beg, n, o->letters.p);
		rc = put_letters(v, o->letters.p, (size_t)n, e);
		at += n;
	}
	o->pos = p.end;
	if (rc == 0 && r->flags & CHUNK_LAST) {
		o->in_record = false;
		if (o->column)
			rc = out_write(v->out, "\n", 1, e);
	}
	return rc;
}

static int
put_chunk(void *ctx, const struct rec_frame *f, struct err *e)
{
	struct view *v = ctx;
	struct fasta_out *o = &v->fasta;
	struct chunk c;
	int r;

	if (!buf_reserve(&o->letters, TILE + 64))
		return err_nomem(e, TILE + 64);
	r = chunk_view(&c, f, e);
	if (r < 0)
		return r;
	if (c.enc == CHUNK_PROB)
		r = err_set(e, ERR_USAGE, "matrices are no letters: not as "
			    "FASTA");
	for (size_t i = 0; i < c.n_rows && r == 0; i++)
		r = put_row(v, &c, &c.row[i], e);
	chunk_free(&c);
	return r;
}

static int
fasta_out_chunk(struct view *v, const struct rec_frame *f, struct err *e)
{
	struct turn_place at = { .first = f->serial, .end = f->serial + 1,
				 .last = true };
	struct chunk c;
	int r = chunk_view(&c, f, e);

	if (r < 0)
		return r;
	at.run = &c.run;
	r = turn_frame(v->fasta.turn, &at, f, e);
	chunk_free(&c);
	return r;
}

static int
fasta_out_end(struct view *v, const struct rec_frame *f, struct err *e)
{
	struct run_end n;
	int r = end_view(&n, f, e);

	return r < 0 ? r : turn_end(v->fasta.turn, &n.run, n.chunks, e);
}

static void
fasta_out_free(struct fasta_out *o)
{
	turn_free(o->turn);
	buf_free(&o->text);
	buf_free(&o->letters);
}

/* What a stream holds: numbers, headers, chunks as rows. */

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

static int
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
stats_write(struct view *v, struct err *e)
{
	const struct stats *s = &v->stats;
	uint64_t scans = 0;
	struct {
		const char *what;
		uint64_t n;
	} line[] = {
		{ "runs", ledger_runs(v->ledger) }, { "scans of runs", 0 },
		{ "sequences", s->sequences },
		{ "pieces of sequences", s->records },
		{ "letters in chunks", s->letters }, { "hits", s->hits },
		{ "rows of counts", s->counts },
	};
	int r = 0;

	for (size_t i = 0; i < ledger_runs(v->ledger); i++)
		scans += ledger_scans(v->ledger, i);
	line[1].n = scans;
	for (size_t i = 0; i < sizeof line / sizeof *line && r == 0; i++)
		r = out_printf(v->out, e, "%-22s %llu\n", line[i].what,
			       (unsigned long long)line[i].n);
	for (unsigned i = REC_BEGIN; i <= REC_END && r == 0; i++)
		r = out_printf(v->out, e, "frames %-15s %llu\n",
			       rec_type_name(i),
			       (unsigned long long)s->frames[i]);
	for (unsigned i = REC_END + 1; i < N_TYPES; i++)
		v->stats.others += s->frames[i];
	return r < 0 ? r : out_printf(v->out, e, "%-22s %llu\n",
				      "frames of other types",
				      (unsigned long long)s->others);
}

/* BEGIN texts, by run. */
static int
view_write_header(struct view *v, struct err *e)
{
	struct buf b = { 0 };
	int r;

	for (size_t i = 0; i < ledger_begins(v->ledger); i++) {
		const struct begin *g = ledger_begin(v->ledger, i);
		struct str last = begin_value(g, "query-letters");
		size_t n = last.p ? (size_t)(last.p - g->text.p) -
			   sizeof "query-letters" : g->text.n;

		buf_printf(&b, "# run %016llx",
			   (unsigned long long)g->run.id);
		if (g->scan.id)
			buf_printf(&b, " scan %016llx",
				   (unsigned long long)g->scan.id);
		buf_u8(&b, '\n');
		for (size_t k = 0; k < n; k++) {
			uint8_t c = (uint8_t)g->text.p[k];

			buf_u8(&b, c == '\n' || print_no_control(c) ? c : '?');
		}
		if (n && g->text.p[n - 1] != '\n')
			buf_u8(&b, '\n');
	}
	r = b.bad ? err_nomem(e, b.n) : out_write(v->out, b.p, b.n, e);
	buf_free(&b);
	return r;
}

/* Rows of a CHUNK frame: what it owns. */
static int
view_chunk_rows(struct view *v, const struct chunk *c, struct err *e)
{
	struct buf *b = &v->bytes;

	if (v->p.print.format != FORMAT_TSV)
		return err_set(e, ERR_USAGE, "sequences, not hits: write them "
			       "as fasta or tsv");
	if (v->p.print.columns)
		return err_set(e, ERR_USAGE, "--columns: of results, not of "
			       "sequences");
	b->n = 0;
	if (!v->chunk_head && v->p.print.header)
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
		if (r->flags & CHUNK_LAST && r->length != LEN_UNKNOWN)
			print_u64(b, r->length);
		else
			buf_u8(b, '*');
		buf_u8(b, '\n');
	}
	return b->bad ? err_nomem(e, b->n) : out_write(v->out, b->p, b->n, e);
}

/* A record stream shown frame by frame. */

int
view_new(struct view **out, const struct view_params *p, struct out *o,
	 struct err *e)
{
	struct printer_params pp = p->print;
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
		r = turn_new(&v->fasta.turn, put_chunk, v, e);
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
		if (c.row[i].flags & CHUNK_LAST &&
		    c.row[i].length != LEN_UNKNOWN)
			r = printer_length(v->printer, f->run,
					   c.row[i].ordinal, c.row[i].length,
					   e);
	if (r == 0)
		r = view_chunk_rows(v, &c, e);
	chunk_free(&c);
	return r;
}

static int
print_frame(struct view *v, const struct rec_frame *f, struct err *e)
{
	switch (f->type) {
	case REC_CHUNK: return print_chunk(v, f, e);
	case REC_HITS: return hits_each(f, print_hit, v, e);
	case REC_TALLY: return counts_frame(&v->counts, f, e);
	case REC_PRIMER:
	case REC_DIST: return tables_frame(&v->tables, f, e);
	default: return printer_frame(v->printer, f, e);
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
	int r = tables_finish(&v->tables, v->printer, v->p.print.format, e);

	if (r == ERR_FORMAT) {
		v->late = *e;
		r = 0;
	}
	return r;
}

static int
print_rows(struct view *v, struct err *e)
{
	int r = printer_counts(v->printer, &v->counts, e);

	return r == 0 ? print_tables(v, e) : r;
}

static int
finish_text(struct view *v, struct err *e)
{
	bool tables = tables_any(&v->tables);
	int r = print_rows(v, e);

	if (r == 0)
		r = printer_verdict(v->printer, v->ledger, &v->late, e);
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
	int r = turn_finish(v->fasta.turn, e);

	/* a gap ends the writing: the verdict names what is missing, or, where
	 * the ledger has all chunks, what does not fit in them */
	if (r == ERR_INCOMPLETE) {
		v->late = *e;
		r = 0;
	}
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
		if (r == 0 && v->late.code && !v->noted) {
			*e = v->late;
			r = e->code;
		}
		v->noted = true;
		return r;
	}
	if (!v->damage || v->noted)
		return 0;
	v->noted = true;
	return err_set(e, ERR_INCOMPLETE, "the stream was damaged");
}
