/* SPDX-License-Identifier: MIT */
/* sink.c - where a scanner's frames go: a record stream, or judged text */

#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"
#include "output/output.h"
#include "scan/scan.h"

struct sink {
	struct out *out;
	struct ledger *ledger;	/* NULL: a record stream is written */
	struct printer *printer;
	struct turn *turn;	/* hits on their way to the printer */
	struct topk *topk;	/* some are chosen: they wait there; or NULL */
	struct hold *hold;	/* rows that may be out of order, or NULL */
	struct rows_order order;	/* the same of rows that are text */
	sink_hit_fn *hit;	/* or NULL */
	void *hit_ctx;
	uint64_t max_hits, full, n_hits;
	struct counts counts;
	struct tables tables;	/* of scans before this one */
	enum format format;
	struct index begun;	/* scans of runs */
	struct buf bytes;	/* of one frame */
	bool any, damage, noted, dists, primers;
	struct err rows;	/* why some could not be printed, unless the
				   ledger knows more */
};

static int
take_hit(void *ctx, const struct hits_view *v, const struct hit *h,
	 struct err *e)
{
	struct sink *s = ctx;
	const struct scan_key *scan = &v->receipt.scan;

	if (s->hit)
		return s->hit(s->hit_ctx, &v->run, scan, h, e);
	if (s->hold)
		return hold_hit(s->hold, v->run.id, scan->id, h, e);
	return s->topk ? topk_add(s->topk, &v->run, scan, h, e) :
			 printer_hit(s->printer, v->run.id, scan->id, h, e);
}

static int
print_held(void *ctx, uint64_t run, uint64_t scan, const struct hit *h,
	   struct err *e)
{
	return printer_hit(((struct sink *)ctx)->printer, run, scan, h, e);
}

static int
print_hits(void *ctx, const struct rec_frame *f, struct err *e)
{
	return hits_each(f, take_hit, ctx, e);
}

/* Windows of more letters may have more rows than shall be in memory. */
enum { HOLD_LETTERS = 1 << 14 };

/* By begins one more than a row can span: it begins behind. */
static uint64_t
order_slack(const struct sink_params *p)
{
	return p->slack + (p->format == FORMAT_BED ? p->longest + 1 : 0);
}

/* Where hits wait for their turn: all of them, some, or none. */
static int
new_order(struct sink *s, const struct sink_params *p, struct err *e)
{
	bool begin = p->format == FORMAT_BED;
	bool few = p->longest && p->longest <= HOLD_LETTERS;
	struct topk_params best = p->best;

	if (begin)
		best.sort = SORT_BEGIN;
	best.split = begin;
	if (topk_chooses(&best) || p->format == FORMAT_BLAST6 ||
	    (begin && !few))
		return topk_new(&s->topk, &best, e);
	return order_slack(p) ? hold_new(&s->hold, order_slack(p), begin,
					 print_held, s, e) : 0;
}

static int
new_text(struct sink *s, const struct sink_params *p, struct err *e)
{
	struct printer_params pp = { .format = p->format, .header = p->header,
				     .letters = p->letters, .prog = p->prog,
				     .queries = p->queries,
				     .colour = p->colour,
				     .columns = p->columns, .files = p->files,
				     .array = p->array, .note = p->note,
				     .sites = p->sites != NULL };
	int rc = printer_check(&pp, p->tables, e);

	if (rc || p->format == FORMAT_REC)
		return rc;
	rc = ledger_new(&s->ledger, e);
	if (!rc)
		rc = printer_new(&s->printer, &pp, s->out, e);
	if (!rc)
		rc = turn_new(&s->turn, print_hits, s, e);
	if (!rc)
		rc = tables_new(&s->tables, e);
	s->tables.nearest = p->nearest;
	s->tables.progress = p->progress;
	s->tables.sites = p->sites;
	s->tables.sites_ctx = p->sites_ctx;
	s->tables.take = p->take;
	s->tables.take_ctx = p->take_ctx;
	s->tables.rename = p->rename;
	s->tables.rename_ctx = p->rename_ctx;
	s->tables.ledger = s->ledger;
	return rc ? rc : new_order(s, p, e);
}

int
sink_new(struct sink **out, const struct sink_params *p, struct out *o,
	 struct err *e)
{
	struct sink *s = calloc(1, sizeof *s);
	int rc;

	*out = NULL;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->out = o;
	s->hit = p->hit;
	s->hit_ctx = p->hit_ctx;
	s->max_hits = p->best.n;
	s->dists = p->dists;
	s->primers = p->primers;
	s->order.by_begin = p->format == FORMAT_BED;
	s->order.slack = order_slack(p);
	s->format = p->format;
	rc = new_text(s, p, e);
	if (rc) {
		sink_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void
sink_free(struct sink *s)
{
	if (!s)
		return;
	if (s->printer)
		printer_free(s->printer);
	if (s->ledger)
		ledger_free(s->ledger);
	turn_free(s->turn);
	if (s->topk)
		topk_free(s->topk);
	hold_free(s->hold);
	rows_free(&s->order);
	counts_free(&s->counts);
	tables_free(&s->tables);
	index_free(&s->begun);
	buf_free(&s->bytes);
	free(s);
}

static int
write_frame(struct sink *s, const struct rec_frame *f, struct err *e)
{
	int rc;

	s->bytes.n = 0;
	rc = rec_encode(&s->bytes, f, e);
	return rc ? rc : out_write(s->out, s->bytes.p, s->bytes.n, e);
}

/* Rows come out in the order of the input. */
static int
take_hits(struct sink *s, const struct rec_frame *f, struct err *e)
{
	struct run_key run;
	struct receipt r;
	struct turn_place at = { .run = &run };
	int rc = result_head(f, &run, &r, e);

	if (rc)
		return rc;
	at.scan = r.scan.id;
	at.number = r.number;
	at.last = r.last;
	if (r.n_ranges) {
		at.first = r.range[0].first;
		at.end = r.range[r.n_ranges - 1].end;
	}
	free(r.range);
	return turn_frame(s->turn, &at, f, e);
}

static int
report_end(struct sink *s, const struct rec_frame *f, struct err *e)
{
	struct run_end end;
	int rc = end_view(&end, f, e);

	if (!rc)
		rc = printer_letters(s->printer, end.run.id, end.letters, e);
	return rc ? rc : turn_end(s->turn, &end.run, end.chunks, e);
}

/*
 * Lengths of the sequences that end here and began in another chunk: hits in
 * the others know them, and millions of reads shall take no memory.
 */
static int
report_lengths(struct sink *s, const struct rec_frame *f, struct err *e)
{
	struct chunk c;
	int rc = chunk_view(&c, f, e);

	if (rc)
		return rc;
	for (size_t i = 0; i < c.n_rows && !rc; i++)
		if ((c.row[i].flags & (CHUNK_FIRST | CHUNK_LAST)) ==
		    CHUNK_LAST && c.row[i].length != LEN_UNKNOWN)
			rc = printer_length(s->printer, f->run,
					    c.row[i].ordinal, c.row[i].name,
					    c.row[i].length, e);
	chunk_free(&c);
	return rc;
}

static int
report_length(struct sink *s, const struct rec_frame *f, struct err *e)
{
	struct seq q;
	int rc = seq_view(&q, f, e);

	return rc ? rc : printer_length(s->printer, f->run, q.ordinal, q.name,
					q.length, e);
}

/* Hits of circles do not come in order: some of the last ones are the first,
 * and the other way round. */
static int
sort_circles(struct sink *s, struct err *e)
{
	struct topk_params p = { .sort = s->format == FORMAT_BED ?
				 SORT_BEGIN : SORT_SCAN,
				 .split = s->format == FORMAT_BED };
	int rc = s->hold ? hold_finish(s->hold, e) : 0;

	hold_free(s->hold);
	s->hold = NULL;
	return rc ? rc : topk_new(&s->topk, &p, e);
}

static int
report_begin(struct sink *s, const struct rec_frame *f, struct err *e)
{
	struct begin b;
	int rc = begin_view(&b, f, e);

	if (!rc && !b.scan.id && begin_is_circular(&b) && !s->topk && !s->hit)
		rc = sort_circles(s, e);
	return rc ? rc : printer_begin(s->printer, &b, e);
}

static int
print_frame(struct sink *s, const struct rec_frame *f, struct err *e)
{
	int rc = ledger_frame(s->ledger, f, e);

	if (rc == LEDGER_COPY)
		return 0;
	if (rc == ERR_FORMAT) {
		ledger_damage(s->ledger);
		return SINK_WARN;
	}
	if (rc)
		return rc;
	switch (f->type) {
	case REC_BEGIN: return report_begin(s, f, e);
	case REC_CHUNK: return report_lengths(s, f, e);
	case REC_SEQ: return report_length(s, f, e);
	case REC_HITS: return take_hits(s, f, e);
	case REC_TALLY: return counts_frame(&s->counts, f, e);
	case REC_PRIMER:
	case REC_DIST: return tables_frame(&s->tables, f, e);
	case REC_END: return report_end(s, f, e);
	default: return 0;
	}
}

int
sink_frame(struct sink *s, const struct rec_frame *f, struct err *e)
{
	s->any = true;
	if (s->ledger)
		return print_frame(s, f, e);
	return f->type == REC_CHUNK ? 0 : write_frame(s, f, e);
}

int
sink_begin(struct sink *s, const struct run_key *run,
	   const struct scan_key *scan, struct str text, struct err *e)
{
	struct begin b = { .run = *run, .scan = *scan, .text = text };
	struct rec_frame *f;
	int rc;

	if (index_number(&s->begun, run->id, scan->id))
		return 0;
	if (!index_set_number(&s->begun, run->id, scan->id, 1))
		return err_nomem(e, sizeof b);
	rc = begin_encode(&f, &b, e);
	if (rc)
		return rc;
	rc = sink_frame(s, f, e);
	rec_frame_drop(f);
	return rc;
}

int
sink_dead(struct sink *s, const struct run_key *run,
	  const struct scan_key *scan, struct str text, struct err *e)
{
	return s->ledger ? 0 : sink_begin(s, run, scan, text, e);
}

static int
take_frame(void *ctx, struct rec_frame *f, struct err *e)
{
	return sink_frame(ctx, f, e);
}

int
sink_bytes(struct sink *s, const struct buf *b, struct err *e)
{
	s->n_hits += rec_records(b->p, b->n, REC_HITS);
	return s->ledger ? frames_each(b, take_frame, s, e) :
			   out_write(s->out, b->p, b->n, e);
}

bool
sink_prints(const struct sink *s, struct rows_print *how)
{
	if (!s->printer || s->topk || s->hit || !printer_rows(s->printer, how))
		return false;
	how->by_begin = s->order.by_begin;
	return true;
}

int
sink_rows(struct sink *s, uint64_t run, const struct buf *rows, struct err *e)
{
	return rows_take(&s->order, run, rows, s->printer, e);
}

void
sink_damage(struct sink *s)
{
	s->damage = true;
	if (s->ledger)
		ledger_damage(s->ledger);
}

/* Those that were chosen, query by query. */
static int
print_best(struct sink *s, struct err *e)
{
	const struct run_key *run;
	const struct scan_key *scan;
	uint64_t query = UINT64_MAX, of = 0, n = 0;
	struct hit h;
	int rc = topk_finish(s->topk, e);

	while (!rc && (rc = topk_next(s->topk, &run, &scan, &h, e)) > 0) {
		n = h.query.ordinal == query && scan->id == of ? n + 1 : 1;
		query = h.query.ordinal;
		of = scan->id;
		s->full += n == s->max_hits;
		rc = printer_hit(s->printer, run->id, scan->id, &h, e);
	}
	return rc;
}

static int
finish_tables(struct sink *s, struct err *e)
{
	bool whole = true;
	int rc = 0;

	if (s->primers && !s->tables.sites)
		rc = ledger_whole(s->ledger, &whole, e);
	/* With less background, more would seem to be primers. */
	if (!rc && (!whole || s->tables.take))
		printer_no_table(s->printer);
	if (rc || !whole)
		return rc;
	rc = tables_finish(&s->tables, s->printer, s->format, e);
	if (!rc && s->dists)
		printer_dist_head(s->printer, false);
	if (rc == ERR_INCOMPLETE && !s->damage)
		return e->code = ERR_USAGE;	/* it was not given */
	if (rc != ERR_FORMAT)
		return rc;
	s->rows = *e;
	s->rows.code = ERR_INCOMPLETE;
	return 0;
}

/* What the verdict will be, for what shows it beside the rows. */
static int
report_lacks(struct sink *s, struct err *e)
{
	int rc;

	while ((rc = ledger_verdict(s->ledger, 0, e)) == ERR_INCOMPLETE)
		printer_lacks(s->printer, e->text);
	if (s->rows.code)
		printer_lacks(s->printer, s->rows.text);
	return rc;
}

int
sink_finish(struct sink *s, struct err *e)
{
	int rc;

	if (!s->ledger)
		return 0;
	if (!s->any)
		printer_no_table(s->printer);
	rc = turn_finish(s->turn, e);
	if (!rc && s->hold)
		rc = hold_finish(s->hold, e);
	if (!rc)
		rc = rows_finish(&s->order, s->printer, e);
	if (!rc && s->topk)
		rc = print_best(s, e);
	if (!rc)
		rc = counts_finish(&s->counts, false, e);
	for (size_t i = 0; i < s->counts.n && !rc; i++) {
		struct tally_row row = counts_row(&s->counts, i);

		rc = printer_tally(s->printer, &row, e);
	}
	if (!rc)
		rc = finish_tables(s, e);
	if (!rc)
		rc = report_lacks(s, e);
	if (!rc)
		rc = printer_finish(s->printer, e);
	if (rc != ERR_INCOMPLETE)
		return rc;
	s->rows = *e;	/* a part of the verdict */
	return 0;
}

int
sink_verdict(struct sink *s, struct err *e)
{
	int rc = 0;

	if (s->noted)
		return 0;
	if (s->ledger)
		rc = ledger_verdict(s->ledger, 0, e);
	if (rc)
		return rc;
	s->noted = true;
	if (s->rows.code) {
		*e = s->rows;
		return e->code;
	}
	return s->ledger || !s->damage ? 0 :
	       err_set(e, ERR_INCOMPLETE,
		       "the stream was damaged: results are missing");
}

uint64_t
sink_full(const struct sink *s)
{
	return s->full;
}

uint64_t
sink_hits(const struct sink *s)
{
	return s->max_hits ? 0 : s->n_hits + s->order.n;
}

uint64_t
sink_copies(const struct sink *s)
{
	return s->ledger ? ledger_copies(s->ledger) : 0;
}

uint64_t
sink_length(const struct sink *s, uint64_t run, uint64_t ordinal)
{
	return ledger_length(s->ledger, run, ordinal);
}

bool
sink_any(const struct sink *s)
{
	return s->any;
}
