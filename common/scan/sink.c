/* SPDX-License-Identifier: MIT */
/*
 * sink.c - where a scanner's frames go: a record stream, or judged text; and
 * results that wait until the whole stream was searched
 */

#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"
#include "output/output.h"
#include "rec/rec.h"
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
		rc = printer_frame(s->printer, f, e);
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
					    c.row[i].ordinal, c.row[i].length,
					    e);
	chunk_free(&c);
	return rc;
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

	if (!rc && !b.scan.id && begin_value(&b, "circular").p && !s->topk &&
	    !s->hit)
		rc = sort_circles(s, e);
	return rc ? rc : printer_frame(s->printer, f, e);
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
	case REC_HITS: return take_hits(s, f, e);
	case REC_TALLY: return counts_frame(&s->counts, f, e);
	case REC_PRIMER:
	case REC_DIST: return tables_frame(&s->tables, f, e);
	case REC_END: return report_end(s, f, e);
	default: return printer_frame(s->printer, f, e);
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
		rc = printer_counts(s->printer, &s->counts, e);
	if (!rc)
		rc = finish_tables(s, e);
	if (!rc)
		rc = printer_verdict(s->printer, s->ledger, &s->rows, e);
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

/* Results of a whole stream: what was covered, and the rows. */

void
whole_free(struct whole *w)
{
	for (size_t i = 0; i < w->n_runs; i++) {
		buf_free(&w->run[i].names);
		free(w->run[i].range);
		free(w->run[i].seen);
	}
	free(w->run);
	index_free(&w->by_id);
	memset(w, 0, sizeof *w);
}

/* The run's index, or -1. */
static long
whole_find(const struct whole *w, uint64_t run)
{
	return (long)index_number(&w->by_id, run, 0) - 1;
}

int
whole_meet(struct whole *w, const struct run_key *k, uint32_t *index,
	   struct err *e)
{
	struct whole_run *r;
	long at = whole_find(w, k->id);
	struct cur c;

	if (at >= 0) {
		*index = (uint32_t)at;
		return 0;
	}
	if (array_room(&w->run, &w->cap_runs, w->n_runs + 1, sizeof *r, e))
		return e->code;
	r = w->run + w->n_runs;
	memset(r, 0, sizeof *r);
	run_key_put(&r->names, k);
	if (r->names.bad ||
	    !index_set_number(&w->by_id, k->id, 0, w->n_runs + 1)) {
		buf_free(&r->names);
		return err_nomem(e, 64);
	}
	c = cur_of(r->names.p, r->names.n);
	run_key_get(&c, k->id, &r->key);
	*index = (uint32_t)w->n_runs++;
	return 0;
}

/* Where a hash is, or should be. */
static uint64_t *
seen_slot(const struct whole_run *r, uint64_t key)
{
	size_t i = key & (r->n_slots - 1);

	while (r->seen[i] && r->seen[i] != key)
		i = (i + 1) & (r->n_slots - 1);
	return &r->seen[i];
}

static int
seen_grow(struct whole_run *r, struct err *e)
{
	uint64_t *old = r->seen;
	size_t n = r->n_slots;
	int rc;

	r->seen = NULL;
	rc = slots_double(&r->seen, &r->n_slots, sizeof *r->seen, e);
	if (rc) {
		r->seen = old;
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*seen_slot(r, old[i]) = old[i];
	free(old);
	return 0;
}

/* Take note of a chunk; *known: the same one was before. */
static int
see(struct whole_run *r, const struct chunk *c, bool *known, struct err *e)
{
	uint64_t v[] = { c->serial, c->owned, c->digest }, *slot;
	uint64_t key = hash64(v, sizeof v, 0);
	int rc = 0;

	key += key == 0;
	if (2 * r->n_seen >= r->n_slots)
		rc = seen_grow(r, e);
	if (rc)
		return rc;
	slot = seen_slot(r, key);
	*known = *slot == key;
	*slot = key;
	r->n_seen += !*known;
	return 0;
}

/* Add what a chunk covers; *again: it was covered already. */
static int
cover(struct whole_run *r, const struct chunk *c, bool *again, struct err *e)
{
	size_t i;
	struct range *x;
	bool known;
	int rc = array_room(&r->range, &r->cap, r->n + 1, sizeof *x, e);

	if (!rc)
		rc = see(r, c, &known, e);
	if (rc)
		return rc;
	i = array_first(r->range, r->n, sizeof *x,
			offsetof(struct range, first), c->serial);
	i += i < r->n && r->range[i].first == c->serial;
	x = r->range + i;	/* the first one behind the chunk */
	*again = i > 0 && x[-1].end > c->serial;
	if (*again) {
		x[-1].digest += known ? 0 : RANGE_SPOIL;
		return 0;
	}
	if (i > 0 && x[-1].end == c->serial) {
		x[-1].end++;
		x[-1].letters += c->owned;
		x[-1].digest += c->digest;
		if (i < r->n && x->first == x[-1].end) {
			x[-1].end = x->end;
			x[-1].letters += x->letters;
			x[-1].digest += x->digest;
			memmove(x, x + 1, (--r->n - i) * sizeof *x);
		}
		return 0;
	}
	if (i < r->n && x->first == c->serial + 1) {
		x->first--;
		x->letters += c->owned;
		x->digest += c->digest;
		return 0;
	}
	memmove(x + 1, x, (r->n++ - i) * sizeof *x);
	*x = (struct range){ c->serial, c->serial + 1, c->owned, c->digest };
	return 0;
}

int
whole_cover(struct whole *w, const struct rec_frame *f, uint32_t *run,
	    bool *again, struct err *e)
{
	struct chunk c;
	int rc = chunk_view(&c, f, e);

	if (rc)
		return rc;
	rc = whole_meet(w, &c.run, run, e);
	if (!rc)
		rc = cover(&w->run[*run], &c, again, e);
	chunk_free(&c);
	return rc;
}

int
whole_row(struct buf *b, uint32_t run, const struct hit *h, int64_t score,
	  struct str bytes, struct err *e)
{
	size_t size = (sizeof(struct whole_row) + bytes.n + 7) / 8 * 8;
	struct whole_row r = {
		.size = (uint32_t)size, .n = (uint32_t)bytes.n,
		.ordinal = h->subject.ordinal, .send = h->send,
		.sbeg = h->sbeg, .qbeg = h->qbeg, .qend = h->qend, .run = run,
		.query = (uint32_t)h->query.ordinal,
		.minus = (h->flags & HIT_MINUS) != 0, .score = score,
	};

	if (size > UINT32_MAX - 7)
		return err_set(e, ERR_LIMIT, "a row of %zu bytes", size);
	b->n = 0;
	buf_put(b, &r, sizeof r);
	buf_put(b, bytes.p, bytes.n);
	buf_zero(b, size - sizeof r - bytes.n);
	return b->bad ? err_nomem(e, size) : 0;
}

/* Rows of a scanner in order, run by run; for sorter_ops. */
static int
whole_cmp(const void *x, const void *y, void *ctx)
{
	const struct whole_row *a = *(const struct whole_row *const *)x;
	const struct whole_row *b = *(const struct whole_row *const *)y;

	(void)ctx;
#define BY(field)						\
	if (a->field != b->field)				\
		return a->field < b->field ? -1 : 1
	BY(run);
	BY(ordinal);
	BY(send);
	BY(query);
	BY(minus);
	BY(sbeg);
	BY(qbeg);
	BY(qend);
#undef BY
	return 0;
}

/* Frames that closed go on. */
static int
pass(struct hits_writer *w, const struct whole_ops *o, struct err *e)
{
	struct buf b = { 0 };
	int rc = 0;

	hits_take(w, &b);
	if (b.n)
		rc = o->put(o->put_ctx, &b, e);
	buf_free(&b);
	return rc;
}

static int
finish_run(const struct whole_run *u, uint32_t run,
	   const struct scan_key *scan, const struct whole_ops *o,
	   struct err *e)
{
	struct receipt r = { .scan = *scan, .last = true,
			     .unmerged = true,
			     .range = u->range, .n_ranges = u->n };
	struct hits_writer *w = NULL;
	struct buf last = { 0 };
	struct hit h;
	int got = 0, rc = hits_writer_new(&w, &u->key, &r, e);

	while (!rc && (got = o->next(o->next_ctx, run, &h, e)) > 0) {
		rc = hits_add(w, &h, e);
		if (!rc)
			rc = pass(w, o, e);
	}
	if (got < 0)
		rc = got;
	if (!rc)
		rc = hits_finish(w, &last, e);
	if (!rc)
		rc = o->put(o->put_ctx, &last, e);
	buf_free(&last);
	hits_writer_free(w);
	return rc;
}

static int
whole_finish(const struct whole *w, const struct scan_key *scan,
	     const struct whole_ops *ops, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->n_runs && !rc; i++)
		rc = finish_run(&w->run[i], i, scan, ops, e);
	return rc;
}

/*
 * The rows with the best scores of each query, over a whole stream
 *
 * The best n go to a topk, whose order and classes are those of merge-topk: so
 * what is kept here is what it would keep.  The n best scores of each query
 * stand in a heap, whose least is the bound.  Only rows that are reported once
 * count there: of a class, the one from the chunk that owns its start.  So the
 * bound is never above the score of the last of the n best, of which there are
 * n different ones as good.
 *
 * If all with the best score are wanted, the bound is the best score met so
 * far.  Rows below it are dropped when memory is full; if most are ties, they
 * go to $TMPDIR.
 */

enum { ROW_MEMORY = 16 << 20 };

struct scores {		/* the largest ones, the least of them first */
	int64_t *v;
	size_t n, cap;
};

struct scan_best {
	struct scan_best_params p;
	struct whole whole;
	struct topk *topk;	/* of the best n; else NULL */
	struct scores *scores;	/* of each query; the same */
	int64_t *bound;		/* of each query; shared by threads */
	struct sorter *sorter;
	const struct whole_row *next;	/* of scan_best_finish(); or NULL */
	bool taken;			/* it was handed out */
	struct buf bytes, row, ops;
};

/* Has no better one beaten it since?  topk has chosen of the best n. */
static bool
still_best(const struct scan_best *b, const struct whole_row *r)
{
	return b->topk || r->score == __atomic_load_n(&b->bound[r->query],
						      __ATOMIC_RELAXED);
}

static size_t
trim_rows(const void **v, size_t n, void *ctx)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (still_best(ctx, v[i]))
			v[kept++] = v[i];
	return kept;
}

int
scan_best_new(struct scan_best **out, const struct scan_best_params *p,
	      struct err *e)
{
	struct scan_best *b = calloc(1, sizeof *b);
	struct topk_params best = { .n = p->n };
	struct sorter_ops ops = { .cmp = whole_cmp, .trim = trim_rows,
				  .ctx = b };
	size_t n = p->n_queries;
	int rc;

	*out = NULL;
	if (!b)
		return err_nomem(e, sizeof *b);
	b->p = *p;
	b->bound = malloc(n * sizeof *b->bound);
	b->scores = p->n ? calloc(n, sizeof *b->scores) : NULL;
	rc = b->bound && (b->scores || !p->n) ? 0 :
	     err_nomem(e, n * (sizeof *b->scores + sizeof *b->bound));
	if (!rc && p->n)
		rc = topk_new(&b->topk, &best, e);
	if (!rc)
		rc = sorter_new(&b->sorter, &ops, ROW_MEMORY, e);
	if (rc) {
		scan_best_free(b);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		b->bound[i] = p->floor;
	*out = b;
	return 0;
}

void
scan_best_free(struct scan_best *b)
{
	if (!b)
		return;
	whole_free(&b->whole);
	if (b->topk)
		topk_free(b->topk);
	for (size_t i = 0; b->scores && i < b->p.n_queries; i++)
		free(b->scores[i].v);
	free(b->scores);
	free(b->bound);
	sorter_free(b->sorter);
	buf_free(&b->bytes);
	buf_free(&b->row);
	buf_free(&b->ops);
	free(b);
}

const int64_t *
scan_best_bound(const struct scan_best *b, uint32_t query)
{
	return &b->bound[query];
}

void
scan_best_raise(const struct scan_best *b, uint32_t query, int64_t score)
{
	int64_t was = __atomic_load_n(&b->bound[query], __ATOMIC_RELAXED);

	while (was < score &&
	       !__atomic_compare_exchange_n(&b->bound[query], &was, score,
					    false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		continue;
}

/* Rows of a chunk. */

void
scan_best_put(struct buf *rows, bool fresh, const struct hit *h,
	      struct buf *scratch)
{
	scratch->n = 0;
	hit_put(scratch, h);
	rows->bad |= scratch->bad;
	buf_u8(rows, fresh);
	buf_str(rows, scratch->p, scratch->n);
}

int
scan_best_get(struct cur *rows, struct scan_best_row *r, struct buf *ops,
	      struct err *e)
{
	struct cur c;

	r->fresh = cur_le(rows, 1);
	r->bytes = cur_str(rows);
	c = cur_of(r->bytes.p, r->bytes.n);
	hit_get(&c, &r->h, ops);
	return c.bad || ops->bad ? err_nomem(e, r->bytes.n) : 0;
}

static bool
is_less(const void *none, const int64_t *a, const int64_t *b)
{
	(void)none;
	return *a < *b;
}

HEAP(scores, int64_t, const void, is_less, HEAP_ANYWHERE)

/* Room for one score more, of max at most. */
static int
grow_scores(struct scores *s, size_t max, struct err *e)
{
	size_t cap = s->cap * 2 + 4;
	int64_t *v;

	if (s->n < s->cap)
		return 0;
	cap = cap < max ? cap : max;
	v = realloc(s->v, cap * sizeof *v);
	if (!v)
		return err_nomem(e, cap * sizeof *v);
	s->v = v;
	s->cap = cap;
	return 0;
}

/* One more row that counts: is there a bound, or a higher one? */
static int
count_score(struct scan_best *b, uint32_t query, int64_t score, struct err *e)
{
	struct scores *s = &b->scores[query];
	size_t max = (size_t)b->p.n;

	if (s->n < max) {
		if (grow_scores(s, max, e))
			return e->code;
		scores_up(NULL, s->v, s->n++, score);
	} else if (score > s->v[0]) {
		scores_down(NULL, s->v, s->n, 0, score);
	}
	if (s->n == max)
		scan_best_raise(b, query, s->v[0]);
	return 0;
}

static int
sort_row(struct scan_best *b, uint32_t run, const struct hit *h,
	 int64_t score, struct str bytes, struct err *e)
{
	int rc = whole_row(&b->row, run, h, score, bytes, e);

	return rc ? rc : sorter_add(b->sorter, b->row.p, e);
}

static int
add_row(struct scan_best *b, uint32_t run, const struct scan_best_row *r,
	struct err *e)
{
	const struct run_key *key = &b->whole.run[run].key;
	uint32_t query = (uint32_t)r->h.query.ordinal;
	int64_t score = r->h.score / b->p.unit;
	int rc;

	if (score < __atomic_load_n(&b->bound[query], __ATOMIC_RELAXED))
		return 0;
	if (!b->topk)
		return sort_row(b, run, &r->h, score, r->bytes, e);
	rc = topk_add(b->topk, key, b->p.key, &r->h, e);
	return rc || !r->fresh ? rc : count_score(b, query, score, e);
}

int
scan_best_add(struct scan_best *b, const struct rec_frame *f,
	      const struct buf *rows, struct err *e)
{
	struct cur c = cur_of(rows->p, rows->n);
	struct scan_best_row r;
	uint32_t run = 0;
	bool again = false;
	int rc = whole_cover(&b->whole, f, &run, &again, e);

	while (!rc && !again && cur_left(&c)) {
		rc = scan_best_get(&c, &r, &b->ops, e);
		if (!rc)
			rc = add_row(b, run, &r, e);
	}
	return rc;
}

/* All of them at the end. */

/* The best n, in the order of a scanner. */
static int
sort_topk(struct scan_best *b, struct err *e)
{
	const struct run_key *run;
	const struct scan_key *scan;
	struct hit h;
	int got = 0, rc = topk_finish(b->topk, e);

	while (!rc && (got = topk_next(b->topk, &run, &scan, &h, e)) > 0) {
		struct str bytes;

		b->bytes.n = 0;
		hit_put(&b->bytes, &h);
		if (b->bytes.bad)
			return err_nomem(e, b->bytes.n);
		bytes = (struct str){ (char *)b->bytes.p, b->bytes.n };
		rc = sort_row(b, (uint32_t)whole_find(&b->whole, run->id), &h,
			      0, bytes, e);
	}
	return got < 0 ? got : rc;
}

/* b->next becomes the next row that is among the best, or NULL. */
static int
next_row(struct scan_best *b, struct err *e)
{
	const void *row;
	int rc;

	do {
		rc = sorter_next(b->sorter, &row, e);
		b->next = rc > 0 ? row : NULL;
	} while (b->next && !still_best(b, b->next));
	return rc < 0 ? rc : 0;
}

/* The row that next_row() found, if it is of this run. */
static int
next_hit(void *ctx, uint32_t run, struct hit *h, struct err *e)
{
	struct scan_best *b = ctx;
	struct cur c;
	int rc = b->taken ? next_row(b, e) : 0;

	b->taken = false;
	if (rc || !b->next || b->next->run != run)
		return rc;
	c = cur_of(b->next + 1, b->next->n);
	hit_get(&c, h, &b->ops);
	if (c.bad || b->ops.bad)
		return err_nomem(e, b->next->n);
	b->taken = true;
	return 1;
}

int
scan_best_finish(struct scan_best *b, whole_put_fn *put, void *ctx,
		 struct err *e)
{
	struct whole_ops ops = { next_hit, b, put, ctx };
	int rc = b->topk ? sort_topk(b, e) : 0;

	if (!rc)
		rc = sorter_finish(b->sorter, e);
	b->taken = true;
	return rc ? rc : whole_finish(&b->whole, b->p.key, &ops, e);
}
