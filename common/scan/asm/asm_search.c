/* SPDX-License-Identifier: MIT */
/*
 * asm_search.c - chunks to hits: parts of a chunk, searched and joined
 *
 * A part owns the ends of a stretch of the window.  It is a text of its own,
 * which begins where the context of its first end does, as the text of a chunk
 * is: so its hits are those that the whole has there.
 */

#include <stdlib.h>

#include "base/base.h"
#include "flow/flow.h"
#include "scan/asm/asm_priv.h"

/*
 * The best hits of each query in a chunk, for --max-hits n
 *
 * The table has the n best of each query, by edits and then by place: so no
 * hit of a chunk is in it that n hits of the chunk precede, and only the
 * others are traced back.  Hits at one place, of two strands, are ordered by
 * what is known of them later, so they do not precede each other.
 *
 * A part keeps what no n hits of the part precede.  Of these, and in the same
 * way, the chunk keeps its own: the n that precede a hit in the chunk are
 * kept by their parts, or n others that precede them are.  So the parts do not
 * show in the outcome.
 */

/* Of one query.  First pass: */
struct asm_top_query {
	/*
	 * Of the hits so far fewer than n, `below`, have less than `limit`
	 * edits, and with those of `limit` edits they are n.  Unless limit is
	 * k + 1, none behind them with so many edits is wanted; at the place
	 * that came last, before_limit counts.
	 */
	uint32_t limit, before_limit;
	uint64_t below, place;
	/* Second pass: those with `limit` edits, and before the last place. */
	uint64_t ties, before_ties;
};

/* Chooses the best o.max_hits of each query; zero it first. */
struct asm_top {
	const struct asm_scan *a;
	uint64_t *counts;	/* n_counts; see asm_pattern */
	struct asm_top_query *query;
};

/* The query's first pattern. */
static size_t
first_of(const struct asm_scan *a, size_t query)
{
	return a->o.strands == ASM_BOTH ? 2 * query : query;
}

/* Numbers of the query's hits by edits. */
static uint64_t *
counts_of(struct asm_top *t, uint32_t query)
{
	return t->counts + t->a->pattern[first_of(t->a, query)].count;
}

static void
asm_top_free(struct asm_top *t)
{
	free(t->counts);
	free(t->query);
	t->counts = NULL;
	t->query = NULL;
}

/* No hits so far.  0 or ERR_NOMEM. */
static int
asm_top_begin(struct asm_top *t, const struct asm_scan *a, struct err *e)
{
	size_t n = a->n_counts * sizeof *t->counts;

	if (!t->counts) {
		t->a = a;
		t->counts = malloc(n);
		t->query = malloc(a->q->n * sizeof *t->query);
	}
	if (!t->counts || !t->query) {
		asm_top_free(t);
		return err_nomem(e, n + a->q->n * sizeof *t->query);
	}
	memset(t->counts, 0, n);
	for (size_t i = 0; i < a->q->n; i++) {
		uint32_t most = (uint32_t)a->pattern[first_of(a, i)].k + 1;

		t->query[i] = (struct asm_top_query){
			.limit = most, .before_limit = most,
			.place = UINT64_MAX,
		};
	}
	return 0;
}

/*
 * Two passes over all hits, both in the order of their places: false, the hit
 * is not among the best; in the second pass, of those that the first one
 * wanted, true: it is.
 */
static bool
asm_top_wants(struct asm_top *t, uint32_t query, uint32_t edits,
	      uint64_t place)
{
	struct asm_top_query *q = &t->query[query];
	uint64_t *count = counts_of(t, query);

	if (place != q->place) {
		q->place = place;
		q->before_limit = q->limit;
	}
	if (edits >= q->before_limit)
		return false;
	count[edits]++;
	q->below += edits < q->limit;
	while (q->below >= (uint64_t)t->a->o.max_hits)
		q->below -= count[--q->limit];
	return true;
}

static bool
asm_top_keeps(struct asm_top *t, uint32_t query, uint32_t edits,
	      uint64_t place)
{
	struct asm_top_query *q = &t->query[query];

	if (edits != q->limit)
		return edits < q->limit;
	/* the places of the first pass are no longer needed */
	if (place != q->place || !q->ties) {
		q->place = place;
		q->before_ties = q->ties;
	}
	q->ties++;
	return q->below + q->before_ties < (uint64_t)t->a->o.max_hits;
}

/* The rows of all n parts, in order; pass 2 adds those that stay to w. */
static int
each_row(struct asm_top *t, const struct buf *rows, unsigned n, struct buf *ops,
	 struct hits_writer *w, struct err *e)
{
	uint64_t subject = UINT64_MAX, send = 0, place = 0;
	int rc = 0;

	for (unsigned i = 0; i < n; i++) {
		struct cur at = cur_of(rows[i].p, rows[i].n);
		struct scan_best_row r;

		while (!rc && cur_left(&at)) {
			rc = scan_best_get(&at, &r, ops, e);
			if (rc)
				return rc;
			place += r.h.subject.ordinal != subject ||
				 r.h.send != send;
			subject = r.h.subject.ordinal;
			send = r.h.send;
			if (!w)
				asm_top_wants(t, r.h.query.ordinal,
					      (uint32_t)r.h.edits, place);
			else if (asm_top_keeps(t, r.h.query.ordinal,
					       (uint32_t)r.h.edits, place))
				rc = hits_add(w, &r.h, e);
		}
	}
	return rc;
}

/* The best of the rows of all n parts to w. */
static int
asm_top_join(struct asm_top *t, const struct asm_scan *a,
	     const struct buf *rows, unsigned n, struct hits_writer *w,
	     struct buf *ops, struct err *e)
{
	int rc = asm_top_begin(t, a, e);

	if (!rc)
		rc = each_row(t, rows, n, ops, NULL, e);
	return rc ? rc : each_row(t, rows, n, ops, w, e);
}

/* Parts of a chunk. */

/* A part's text; its letter 0 is at `base` of the window. */
struct asm_part {
	struct kdiff_text x;
	uint64_t base;
	const struct window_seg *seg;	/* its first one */
};

struct asm_job {
	struct scan_job j;
	struct range range;
	struct receipt receipt;
	uint64_t step;		/* places of the window in each part */
	bool tops;		/* only the best are rows; of a circle all, as
				   the first that are found may be the last */
	bool text_rows;		/* asm_search.prints, of this chunk */
	struct asm_evens even;
	/* What becomes the result, and what later parts found meanwhile. */
	struct hits_writer *rows, *later[PUMP_MAX_PARTS];
	struct asm_top top;
	struct buf ops;		/* of a row of the best */
	uint64_t *counts;	/* n_counts; see asm_pattern; by atomics */
	/* All of it, in a batch for a GPU; from its letter batch_base on. */
	uint64_t batch_base;
	struct asm_gpu_text text;
	struct kdiff_seg *seg;
	size_t seg_cap;
};

/* Hits traced at once: bounds the memory of paths and CIGARs. */
enum { TRACED = 4096 };

struct asm_worker {
	struct scan_worker w;
	struct kdiff_work *work;
	struct buf hits;	/* struct kdiff_hit, that may be the best */
	struct kdiff_path *paths;
	struct kdiff_seg *seg;
	size_t seg_cap;
	uint64_t *counts;	/* of one part: n_counts, or NULL */
	struct asm_top top;
	struct asm_sites sites;
	struct rows_text rows;	/* of one part */
};

static struct asm_job *
job_of(struct scan_job *j)
{
	return (struct asm_job *)(void *)j;
}

static const struct asm_search *
search_of(const struct asm_job *c)
{
	return c->j.ctx;
}

static int
new_worker(struct scan_worker *w, struct err *e)
{
	struct asm_worker *t = (struct asm_worker *)(void *)w;
	int rc = kdiff_work_new(&t->work, e);

	t->paths = malloc(TRACED * sizeof *t->paths);
	return !rc && !t->paths ? err_nomem(e, TRACED * sizeof *t->paths) : rc;
}

static void
free_worker(struct scan_worker *w)
{
	struct asm_worker *t = (struct asm_worker *)(void *)w;

	kdiff_work_free(t->work);
	buf_free(&t->hits);
	free(t->paths);
	free(t->seg);
	free(t->counts);
	asm_top_free(&t->top);
	asm_sites_free(&t->sites);
	rows_text_free(&t->rows);
}

/* A chunk. */

/* Where the results go. */
static int
begin_results(struct asm_job *c, struct err *e)
{
	const struct asm_search *s = search_of(c);
	size_t n = s->a->n_counts * sizeof *c->counts;

	if (s->matched) {	/* of the rows of all parts */
		buf_zero(&c->j.rows[0], c->j.v.c.n_rows);
		return c->j.rows[0].bad ? err_nomem(e, c->j.v.c.n_rows) : 0;
	}
	if (!asm_tallies(s->a))
		return s->best ? 0 : hits_writer_new(&c->rows, &c->j.v.c.run,
						     &c->receipt, e);
	if (!c->counts)
		c->counts = malloc(n);
	if (!c->counts)
		return err_nomem(e, n);
	memset(c->counts, 0, n);
	return 0;
}

uint64_t
asm_context(const struct asm_scan *a)
{
	return a->context;
}

/* Circles that a match fits into, as pieces that own what they own. */
static int
unroll_circles(const struct asm_scan *a, struct chunk *c, struct err *e)
{
	int rc = asm_circles_check(a, c, e);

	return rc ? rc : chunk_unroll(c, a->context, e);
}

static int
open_job(struct scan_job *j, struct err *e)
{
	struct asm_job *c = job_of(j);
	const struct asm_search *s = search_of(c);
	const struct asm_scan *a = s->a;
	int rc;

	c->tops = asm_tops(a) && !scan_chunk_is_circular(&j->v);
	c->even.n = 0;
	j->keep_rows = s->matched || c->tops;
	j->w.empty = asm_hangs(&a->o);
	j->w.hide = a->o.hide;
	c->range = (struct range){ j->v.c.serial, j->v.c.serial + 1,
				   j->v.c.owned, j->v.c.digest };
	c->receipt = (struct receipt){ .scan = a->key, .last = true,
				       .unmerged = true,
				       .range = &c->range, .n_ranges = 1 };
	rc = j->v.c.circular ? unroll_circles(a, &j->v.c, e) : 0;
	if (!rc)
		rc = window_build(&j->w, a->kind, a->context, a->gap, &j->v.c,
				  j->v.before, j->v.n_before, e);
	if (!rc && j->v.c.circular)
		rc = asm_evens_find(a, &j->w, &c->even, e);
	return rc ? rc : begin_results(c, e);
}

static void
close_job(struct scan_job *j)
{
	struct asm_job *c = job_of(j);

	hits_writer_free(c->rows);
	c->rows = NULL;
	for (unsigned i = 0; i < j->n_parts; i++) {
		hits_writer_free(c->later[i]);
		c->later[i] = NULL;
	}
	kdiff_hits_free(&c->text.found);
	c->text.is_found = false;
}

static void
free_job(struct scan_job *j)
{
	struct asm_job *c = job_of(j);

	free(c->counts);
	free(c->seg);
	free(c->even.v);
	asm_top_free(&c->top);
	buf_free(&c->ops);
}

/* The chunk in parts. */

/*
 * A part has so many letters at least; and its context, which is searched
 * again before each of a kernel's 8 lanes, so many times: 1/16 more work, and
 * 1/4 where threads would else be idle.
 */
enum { LETTERS = 1 << 17, CONTEXTS = 128, FEW_LETTERS = 1 << 16,
       FEW_CONTEXTS = 32 };

static int
plan_parts(struct scan_job *j, const struct pump_job *pump, struct err *e)
{
	struct asm_job *c = job_of(j);
	const struct asm_scan *a = search_of(c)->a;
	unsigned threads = pump->threads;
	uint64_t least = a->context * (pump->few ? FEW_CONTEXTS : CONTEXTS);
	uint64_t n;

	(void)e;
	c->text_rows = search_of(c)->prints && pump->item.kind == FEED_RAW;
	least = max_u64(least, pump->few ? FEW_LETTERS : LETTERS);
	if (a->part)
		least = a->part;
	n = j->w.n_seg && threads > 1 ? j->w.n / least : 1;
	if (a->pam)	/* rows of parts would be out of order */
		n = 1;
	n = min_u64(n, PUMP_MAX_PARTS);
	if (n > threads && n < 4 * threads)	/* as many for each thread */
		n -= n % threads;
	if (n < 2)
		return 0;
	/* n * step >= w.n: no more than n parts */
	c->step = ((j->w.n + n - 1) / n + 63) / 64 * 64;
	j->n_parts = (unsigned)((j->w.n + c->step - 1) / c->step);
	return 0;
}

/* What of a segment owns ends from `lo` on and below `hi`; false: nothing. */
static bool
clip_seg(const struct asm_job *c, const struct window_seg *s, uint64_t lo,
	 uint64_t hi, struct kdiff_seg *g)
{
	const struct chunk_row *r = s->row;
	uint64_t context = search_of(c)->a->context, back;

	g->beg = s->beg;
	g->end = s->end;
	g->from = s->from > lo ? s->from : lo;
	g->to = s->to < hi ? s->to : hi - 1;
	if (g->from > g->to)
		return false;
	back = g->from - s->beg;
	if (back > context)
		g->beg += (back - context) / 64 * 64;
	if (g->to < s->end)	/* minima need the end after */
		g->end = g->to + 1;
	g->first = s->origin == 0 && g->beg == s->beg &&
		   !(r->flags & CHUNK_CIRCULAR);
	g->last = r->flags & CHUNK_LAST && r->own_end == r->length &&
		  g->end == s->end && !(r->flags & CHUNK_CIRCULAR);
	return true;
}

/* The part as a text, which has no segment if it owns no end; its segments are
 * *seg. */
static int
text_of(const struct asm_job *c, unsigned part, struct kdiff_seg **seg,
	size_t *cap, struct asm_part *p, struct err *e)
{
	const struct window *w = &c->j.w;
	bool last = part + 1 == c->j.n_parts;
	uint64_t lo = part ? part * c->step : 0;
	uint64_t hi = last ? UINT64_MAX : (part + 1) * c->step;
	size_t n = 0, i = array_first(w->seg, w->n_seg, sizeof *w->seg,
				      offsetof(struct window_seg, to), lo);
	size_t end = last ? w->n_seg : i;

	while (end < w->n_seg && w->seg[end].from < hi)
		end++;
	p->x = (struct kdiff_text){ .n_seg = 0 };
	p->seg = w->n_seg ? w->seg + i : NULL;
	if (array_room(seg, cap, end - i, sizeof **seg, e))
		return e->code;
	for (; i < end; i++)
		n += clip_seg(c, &w->seg[i], lo, hi, *seg + n);
	if (n == 0)
		return 0;
	p->base = (*seg)->beg;
	p->x = asm_text_from(w, p->base);
	p->x.n = (*seg)[n - 1].end - p->base;
	p->x.whole = w->n;
	p->x.seg = *seg;
	p->x.n_seg = n;
	for (size_t j = 0; j < n; j++) {
		struct kdiff_seg *g = *seg + j;

		g->beg -= p->base;
		g->end -= p->base;
		g->from -= p->base;
		g->to -= p->base;
	}
	return 0;
}

/* All of it, for a GPU. */
static int
postpone_job(struct scan_job *j, struct err *e)
{
	struct asm_job *c = job_of(j);
	struct asm_part all;
	int rc;

	if (!j->w.n_seg)
		return 0;
	rc = text_of(c, 0, &c->seg, &c->seg_cap, &all, e);
	if (rc)
		return rc;
	j->weight = j->w.n;
	c->batch_base = all.base;
	c->text.x = all.x;
	return 0;
}

static void
search_batch(struct scan_job **j, unsigned n)
{
	struct asm_gpu_text *text[PUMP_MAX_BATCH];

	for (unsigned i = 0; i < n; i++)
		text[i] = &job_of(j[i])->text;
	asm_gpu_batch(search_of(job_of(j[0]))->a->gpu, text, n);
}

/* With what a GPU has found in all of it. */
static int
find_text(const struct asm_job *c, struct asm_worker *t, unsigned part,
	  struct asm_part *p, struct err *e)
{
	int rc = text_of(c, part, &t->seg, &t->seg_cap, p, e);

	if (!rc && c->text.is_found) {
		p->x.found = &c->text.found;
		p->x.found_at = p->base - c->batch_base;
	}
	return rc;
}

/* Rows of a chunk that have a hit. */

struct marks {
	const struct asm_job *c;
	const struct asm_part *p;
	const struct window_seg *s;
};

/* Another part may have a hit in the same row. */
static int
mark_hits(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct marks *m = ctx;
	const struct scan_job *j = &m->c->j;

	(void)e;
	for (size_t i = 0; i < n; i++) {
		while (m->p->base + hit[i].end > m->s->end)
			m->s++;
		__atomic_store_n(&j->rows[0].p[m->s->row - j->v.c.row], 1,
				 __ATOMIC_RELAXED);
	}
	return 0;
}

static int
mark_rows(struct asm_job *c, struct asm_worker *t, const struct asm_part *p,
	  struct err *e)
{
	const struct asm_scan *a = search_of(c)->a;
	struct marks m = { c, p, p->seg };

	return a->pam ? asm_sites_each(a, &p->x, &t->sites, true, mark_hits,
				       &m, e) :
	       kdiff_each(a->set, &p->x, t->work, mark_hits, &m, e);
}

/* Numbers of ends by pattern, strand and distance, of a chunk. */

struct counter {
	const struct asm_pattern *pattern;
	uint64_t *counts;
};

static int
count_hits(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	const struct counter *c = ctx;
	const struct asm_pattern *p = c->pattern;

	(void)e;
	for (size_t i = 0; i < n; i++)
		c->counts[p[hit[i].pattern].count + hit[i].dist]++;
	return 0;
}

/* Beside other threads at the same chunk each counts by itself first. */
static uint64_t *
own_counts(struct asm_worker *t, size_t n, struct err *e)
{
	if (t->counts)
		memset(t->counts, 0, n * sizeof *t->counts);
	else
		t->counts = calloc(n, sizeof *t->counts);
	if (!t->counts)
		err_nomem(e, n * sizeof *t->counts);
	return t->counts;
}

static int
count_part(struct asm_job *c, struct asm_worker *t, const struct asm_part *p,
	   struct err *e)
{
	const struct asm_scan *a = search_of(c)->a;
	struct counter to = { a->pattern, c->counts };
	int rc;

	if (c->j.n_parts > 1)
		to.counts = own_counts(t, a->n_counts, e);
	if (!to.counts)
		return e->code;
	rc = a->pam ? asm_sites_each(a, &p->x, &t->sites, false, count_hits,
				     &to, e) :
	     kdiff_each_unordered(a->set, &p->x, t->work, count_hits, &to, e);
	if (!rc && c->even.n)
		rc = asm_evens_each(a, &c->even, &c->j.w, p->base, &p->x,
				    t->work, count_hits, &to, e);
	for (size_t i = 0; i < a->n_counts && c->j.n_parts > 1 && !rc; i++)
		if (to.counts[i])
			__atomic_fetch_add(&c->counts[i], to.counts[i],
					   __ATOMIC_RELAXED);
	return rc;
}

/* Rows of the counts that are not 0, by query, strand and edits. */
static size_t
tally_rows(const struct asm_job *c, struct tally_row *row)
{
	const struct asm_scan *a = search_of(c)->a;
	size_t n = 0;

	for (size_t i = 0; i < a->n_patterns; i++)
		for (uint64_t d = 0; d <= a->pattern[i].k; d++) {
			const struct asm_pattern *p = &a->pattern[i];
			const struct query *q = &a->q->v[p->query];
			uint64_t count = c->counts[p->count + d];

			if (count && row)
				row[n] = (struct tally_row){
					{ p->query, q->letters.n, q->name },
					p->minus, d, count,
				};
			n += count != 0;
		}
	return n;
}

/* The TALLY frame of a chunk is appended to out. */
static int
put_tally(const struct asm_job *c, struct buf *out, struct err *e)
{
	struct tally y = { .run = c->j.v.c.run, .receipt = c->receipt };
	struct rec_frame *f = NULL;
	int rc;

	y.n_rows = tally_rows(c, NULL);
	y.row = malloc((y.n_rows + 1) * sizeof *y.row);
	if (!y.row)
		return err_nomem(e, (y.n_rows + 1) * sizeof *y.row);
	tally_rows(c, y.row);
	rc = tally_encode(&f, &y, e);
	if (!rc)
		rc = rec_encode(out, f, e);
	rec_frame_drop(f);
	free(y.row);
	return rc;
}

/* Hits of a part of a chunk, traced back, as rows. */

/* One part's hits on their way to rows. */
struct found {
	struct asm_worker *t;
	const struct asm_job *c;
	const struct asm_part *p;
	const struct window_seg *s;	/* of the last row */
	struct hits_writer *w;		/* NULL: rows that may be the best */
	struct buf *out;
	struct hit site;	/* the last one's row: most of it stays 0 */
};

/* A hit, if of a circle's row, to where it is: sbeg below the length. */
static void
turn_circular(const struct chunk_row *r, struct hit *h)
{
	const unsigned last = CHUNK_CIRCULAR | CHUNK_LAST;
	uint64_t span = h->send - h->sbeg;

	if (!(r->flags & CHUNK_CIRCULAR))
		return;
	h->flags |= HIT_CIRCULAR;
	if ((r->flags & last) != last)
		return;
	if (h->flags & HIT_NO_SBEG) {	/* ends are 1 to length */
		h->send = (h->send - 1) % r->length + 1;
		return;
	}
	h->sbeg %= r->length;
	h->send = h->sbeg + span;
}

/* One row; path is NULL with --ends. */
static int
row_of(const struct found *f, const struct kdiff_hit *x,
       const struct kdiff_path *path, struct hit *h, struct err *e)
{
	const struct asm_scan *a = search_of(f->c)->a;
	const struct window_seg *s = f->s;
	const struct asm_pattern *p = &a->pattern[x->pattern];
	const struct query *q = &a->q->v[p->query];
	const struct chunk_row *r = s->row;
	uint64_t base = f->p->base;

	memset(h, 0, sizeof *h);
	h->query = (struct query_ref){ p->query, q->letters.n, q->name };
	h->subject = (struct subject_ref){
		r->ordinal, r->flags & CHUNK_LAST ? r->length : LEN_UNKNOWN,
		r->name,
	};
	h->qend = q->letters.n;
	h->send = s->origin + (base + x->end - s->beg);
	h->edits = x->dist;
	h->score = -(int64_t)x->dist;
	h->flags = HIT_EDITS | (p->minus ? HIT_MINUS : 0);
	if (!path) {
		h->flags |= HIT_NO_SBEG;
		turn_circular(r, h);
		return 0;
	}
	h->sbeg = s->origin + (base + path->beg - s->beg);
	turn_circular(r, h);
	if (asm_hangs(&a->o)) {
		h->qbeg = p->minus ? path->right : path->left;
		h->qend -= p->minus ? path->left : path->right;
	}
	if (!a->o.no_cigar) {
		h->flags |= HIT_CIGAR;
		h->cigar = (const uint32_t *)(const void *)f->t->w.ops.p +
			   path->ops;
		h->n_cigar = path->n_ops;
	}
	if (a->o.with_seq)
		return scan_job_letters(&f->c->j, &f->t->w, s,
					base + path->beg, base + x->end, h, e);
	return 0;
}

/* Where a row goes: into a frame, or to those that may be the best. */
static int
put_row(const struct found *f, const struct hit *h, struct err *e)
{
	if (f->c->text_rows)
		return rows_add(&f->t->rows, h, e);
	if (f->w)
		return hits_add(f->w, h, e);
	scan_best_put(f->out, true, h, &f->t->w.row);
	return f->out->bad ? err_nomem(e, f->out->n) : 0;
}

/* Letters of the site: of its row, or only for its score. */
static int
add_score(const struct found *f, const struct asm_site *x,
	  const struct window_seg *s, uint64_t beg, uint64_t end,
	  struct hit *h, struct err *e)
{
	const struct asm_scan *a = search_of(f->c)->a;
	const struct query *q = &a->q->v[x->site->guide];
	struct asm_score_site site = {
		.guide = { (const char *)q->letters.p, q->letters.n },
		.ops = x->ops, .n_ops = x->path->n_ops, .pam = x->pam,
		.minus = x->site->minus,
	};

	if ((a->o.with_seq || a->score) &&
	    scan_job_letters(&f->c->j, &f->t->w, s, beg, end, h, e))
		return e->code;
	site.letters = h->letters;
	if (a->score && asm_score_site(a->score, &site, &h->offtarget))
		h->flags |= HIT_OFFTARGET;
	if (!a->o.with_seq)
		h->flags &= ~(unsigned)HIT_LETTERS;
	return 0;
}

/* The row of a site. */
static int
put_site(void *ctx, const struct asm_site *x, struct err *e)
{
	struct found *f = ctx;
	struct hit *h = &f->site;
	const struct asm_scan *a = search_of(f->c)->a;
	const struct query *q = &a->q->v[x->site->guide];
	uint64_t beg = f->p->base + x->path->beg;
	uint64_t end = f->p->base + x->path->end;
	const struct window_seg *s;

	while (end > f->s->end)
		f->s++;
	s = f->s;
	h->edits = x->site->dist;
	h->score = -(int64_t)x->site->dist;
	h->qend = q->letters.n + x->pam;
	h->query = (struct query_ref){ x->site->guide, h->qend, q->name };
	h->subject = (struct subject_ref){
		s->row->ordinal, s->row->flags & CHUNK_LAST ? s->row->length :
		LEN_UNKNOWN, s->row->name,
	};
	h->sbeg = s->origin + (beg - s->beg);
	h->send = s->origin + (end - s->beg);
	h->flags = HIT_EDITS | (x->site->minus ? HIT_MINUS : 0);
	if (!a->o.no_cigar) {
		h->flags |= HIT_CIGAR;
		h->cigar = x->ops;
		h->n_cigar = x->path->n_ops;
	}
	turn_circular(s->row, h);
	if (add_score(f, x, s, beg, end, h, e))
		return e->code;
	return put_row(f, h, e);
}

static int
trace_rows(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct found *f = ctx;
	struct asm_worker *t = f->t;
	const struct asm_scan *a = search_of(f->c)->a;
	bool trace = !a->o.ends;
	struct hit h;
	int rc = 0;

	for (size_t some; n && !rc; hit += some, n -= some) {
		some = n < TRACED ? n : TRACED;
		t->w.ops.n = 0;
		if (trace)
			rc = kdiff_trace(a->set, &f->p->x, t->work, hit,
					 some, t->paths, &t->w.ops, e);
		for (size_t j = 0; j < some && !rc; j++) {
			while (f->p->base + hit[j].end > f->s->end)
				f->s++;
			rc = row_of(f, &hit[j], trace ? &t->paths[j] : NULL,
				    &h, e);
			if (!rc)
				rc = put_row(f, &h, e);
		}
	}
	return rc;
}

/*
 * May a hit be among the best, as far as is known; is it, now that all were
 * seen (again)?  Of the whole stream it is one with the bound's distance.
 */
static bool
is_best(const struct found *f, const struct kdiff_hit *x, bool again)
{
	const struct asm_search *s = search_of(f->c);
	uint32_t query = s->a->pattern[x->pattern].query;
	int64_t score = -(int64_t)x->dist;

	if (asm_tops(s->a))
		return (again ? asm_top_keeps : asm_top_wants)
		    (&f->t->top, query, x->dist, x->end);
	scan_best_raise(s->best, query, score);
	return score == __atomic_load_n(scan_best_bound(s->best, query),
					__ATOMIC_RELAXED);
}

static int
keep_best(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	const struct found *f = ctx;
	struct buf *hits = &f->t->hits;

	for (size_t i = 0; i < n; i++)
		if (is_best(f, &hit[i], false))
			buf_put(hits, &hit[i], sizeof *hit);
	return hits->bad ? err_nomem(e, hits->n) : 0;
}

static int
best_rows(struct found *f, struct err *e)
{
	struct asm_worker *t = f->t;
	struct kdiff_hit *v = (struct kdiff_hit *)(void *)t->hits.p;
	size_t n = 0;

	for (size_t i = 0; i < t->hits.n / sizeof *v; i++)
		if (is_best(f, &v[i], true))
			v[n++] = v[i];
	return trace_rows(f, v, n, e);
}

/*
 * Rows of a part's hits, to w, or (NULL) to out those that may be the best, as
 * scan_best_add() takes them or asm_top_join() chooses from.
 */
static int
find_rows(struct asm_job *c, struct asm_worker *t, const struct asm_part *p,
	  struct hits_writer *w, struct buf *out, struct err *e)
{
	const struct asm_scan *a = search_of(c)->a;
	struct found f = { t, c, p, p->seg, w, out, { .flags = 0 } };
	int rc = c->tops ? asm_top_begin(&t->top, a, e) : 0;

	t->hits.n = 0;
	if (a->pam)
		return asm_sites_rows(a, &p->x, &t->sites, put_site, &f, e);
	if (!rc)
		rc = kdiff_each(a->set, &p->x, t->work, w ? trace_rows :
				keep_best, &f, e);
	f.s = p->seg;
	if (!rc && c->even.n)
		rc = asm_evens_each(a, &c->even, &c->j.w, p->base, &p->x,
				    t->work, trace_rows, &f, e);
	return rc || w ? rc : best_rows(&f, e);
}

static int
search_part(struct scan_job *j, struct scan_worker *w, unsigned part,
	    bool next, struct buf *out, struct err *e)
{
	struct asm_job *c = job_of(j);
	struct asm_worker *t = (struct asm_worker *)(void *)w;
	const struct asm_search *s = search_of(c);
	struct hits_writer *rows = c->rows;
	struct asm_part p;
	int rc = find_text(c, t, part, &p, e);

	if (rc || !p.x.n_seg)
		return rc;
	if (s->matched)
		return mark_rows(c, t, &p, e);
	if (asm_tallies(s->a))
		return count_part(c, t, &p, e);
	if (c->tops)
		return find_rows(c, t, &p, NULL, out, e);
	t->sites.by_begin = c->text_rows && s->how.by_begin;
	if (c->text_rows) {
		rows_begin(&t->rows, &s->how, out);
	} else if (rows && !next) {
		rc = hits_rows_new(&c->later[part], s->a->key.rule, e);
		rows = c->later[part];
	}
	if (!rc)
		rc = find_rows(c, t, &p, rows, out, e);
	return !rc && c->text_rows ? rows_end(&t->rows, e) : rc;
}

/* All parts are joined. */
static int
finish_job(struct asm_job *c, struct buf *out, struct err *e)
{
	const struct asm_search *s = search_of(c);
	const struct buf *rows = c->j.rows;
	uint64_t n = out->n;	/* text */
	int rc = 0;

	if (s->matched) {
		buf_put(out, rows->p, rows->n);
		return out->bad ? err_nomem(e, out->n) : 0;
	}
	if (asm_tallies(s->a))
		return put_tally(c, out, e);
	if (c->tops)
		rc = asm_top_join(&c->top, s->a, rows, c->j.n_parts, c->rows,
				  &c->ops, e);
	if (!rc && c->rows)
		rc = hits_finish(c->rows, out, e);
	if (!rc && s->prints) {
		buf_u64(out, n);
		rc = out->bad ? err_nomem(e, out->n) : 0;
	}
	return rc;
}

static int
join_part(struct scan_job *j, unsigned part, struct buf *out, struct err *e)
{
	struct asm_job *c = job_of(j);
	int rc = 0;

	if (c->later[part]) {
		rc = hits_append(c->rows, c->later[part], e);
		hits_writer_free(c->later[part]);
		c->later[part] = NULL;
	}
	return rc || part + 1 < j->n_parts ? rc : finish_job(c, out, e);
}

const struct scan_search asm_search = {
	.job_size = sizeof(struct asm_job),
	.worker_size = sizeof(struct asm_worker),
	.worker_new = new_worker, .worker_free = free_worker,
	.open = open_job, .close = close_job, .job_free = free_job,
	.plan = plan_parts, .part = search_part, .join = join_part,
	.postpone = postpone_job, .batch = search_batch,
};

int
asm_workers_new(struct scan_workers **m, struct asm_search *s,
		unsigned threads, struct err *e)
{
	return scan_workers_new(m, &asm_search, s, asm_gpu_pool(s->a->gpu),
				threads, e);
}

int
asm_best_new(struct scan_best **b, const struct asm_scan *a, struct err *e)
{
	struct scan_best_params p = {
		.key = &a->key, .n_queries = a->q->n, .unit = 1,
		.floor = INT64_MIN,
	};

	return scan_best_new(b, &p, e);
}
