/* SPDX-License-Identifier: MIT */
/* asm_team.c - the threads of a scan, and the chunks that they share */

#include <stdlib.h>

#include "base/base.h"
#include "flow/flow.h"
#include "scan/asm/asm_priv.h"
#include "scan/asm/asm_team.h"

/* A thread, and one chunk searched by it alone. */

int
asm_thread_new(struct asm_thread **out, const struct asm_scan *a,
	       struct asm_best *best, struct err *e)
{
	struct asm_thread *t = calloc(1, sizeof *t);
	int rc;

	*out = NULL;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->a = a;
	t->best = best;
	rc = asm_cut_new(&t->own, a, e);
	if (rc) {
		free(t);
		return rc;
	}
	rc = kdiff_work_new(&t->work, e);
	t->paths = malloc(ASM_TRACE * sizeof *t->paths);
	if (!rc && !t->paths)
		rc = err_nomem(e, ASM_TRACE * sizeof *t->paths);
	if (rc) {
		asm_thread_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

void
asm_thread_free(struct asm_thread *t)
{
	if (!t)
		return;
	kdiff_work_free(t->work);
	buf_free(&t->hits);
	asm_cut_free(&t->own);
	free(t->paths);
	free(t->seg);
	free(t->counts);
	asm_top_free(&t->top);
	buf_free(&t->ops);
	buf_free(&t->letters);
	buf_free(&t->row);
	free(t);
}

static void asm_cut_close(struct asm_cut *c);

/* All of a chunk that is open, or failed to. */
static int
search_chunk(struct asm_thread *t, int rc, struct buf *out, struct err *e)
{
	struct asm_cut *c = &t->own;

	if (!rc)
		rc = asm_cut_part(c, t, 0, true, out, e);
	if (!rc)
		rc = asm_cut_join(c, 0, out, e);
	asm_cut_close(c);
	return rc;
}

int
asm_chunk(struct asm_thread *t, const struct rec_frame *f,
	  struct rec_frame *const *before, size_t n_before, struct buf *out,
	  struct err *e)
{
	t->own.matched = false;
	return search_chunk(
	    t, asm_cut_open(&t->own, t, f, before, n_before, out, e), out, e);
}

int
asm_chunk_matched(struct asm_thread *t, const struct rec_frame *f,
		  struct rec_frame *const *before, size_t n_before,
		  struct buf *out, struct err *e)
{
	t->own.matched = true;
	return search_chunk(
	    t, asm_cut_open(&t->own, t, f, before, n_before, out, e), out, e);
}

/*
 * A chunk cut into parts, and what they find joined again
 *
 * A part owns the ends of a stretch of the window.  It is a text of its own,
 * which begins where the context of its first end does, as the text of a chunk
 * is: so its hits are those that the whole has there.
 */

/*
 * A part has so many letters at least; and its context, which is searched
 * again before each of a kernel's 8 lanes, so many times: 1/16 more work, and
 * 1/4 where threads would else be idle.
 */
enum { LETTERS = 1 << 17, CONTEXTS = 128, FEW_LETTERS = 1 << 16,
       FEW_CONTEXTS = 32 };

int
asm_cut_new(struct asm_cut *c, const struct asm_scan *a, struct err *e)
{
	memset(c, 0, sizeof *c);
	c->a = a;
	if (pthread_mutex_init(&c->lock, NULL))
		return err_set(e, ERR_NOMEM, "no mutex");
	return 0;
}

void
asm_cut_free(struct asm_cut *c)
{
	asm_cut_close(c);
	window_free(&c->w);
	free(c->counts);
	free(c->seg);
	asm_top_free(&c->top);
	buf_free(&c->ops);
	pthread_mutex_destroy(&c->lock);
}

/* Where the results go. */
static int
begin_results(struct asm_cut *c, const struct asm_thread *t, struct buf *out,
	      struct err *e)
{
	size_t n = c->a->n_counts * sizeof *c->counts;

	if (c->matched) {
		buf_zero(out, c->v.c.n_rows);
		return out->bad ? err_nomem(e, c->v.c.n_rows) : 0;
	}
	if (!asm_tallies(c->a))
		return t->best ? 0 : hits_writer_new(&c->rows, &c->v.c.run,
						     &c->receipt, e);
	if (!c->counts)
		c->counts = malloc(n);
	if (!c->counts)
		return err_nomem(e, n);
	memset(c->counts, 0, n);
	return 0;
}

int
asm_cut_open(struct asm_cut *c, struct asm_thread *t,
	     const struct rec_frame *f, struct rec_frame *const *before,
	     size_t n_before, struct buf *out, struct err *e)
{
	const struct asm_scan *a = c->a;
	const struct chunk *k = &c->v.c;
	int rc = scan_chunk_view(&c->v, f, before, n_before, e);

	if (rc)
		return rc;
	t->n_letters += k->owned;
	c->n_parts = 1;
	c->w.empty = a->o.overhang != NULL;
	c->w.hide = a->o.hide;
	c->range = (struct range){ k->serial, k->serial + 1, k->owned,
				   k->digest };
	c->receipt = (struct receipt){ .scan = a->key, .last = true,
				       .unmerged = true,
				       .range = &c->range, .n_ranges = 1 };
	rc = window_build(&c->w, a->kind, asm_context(a), kdiff_gap(a->set), k,
			  c->v.before, c->v.n_before, e);
	return rc ? rc : begin_results(c, t, out, e);
}

static void
asm_cut_close(struct asm_cut *c)
{
	scan_chunk_free(&c->v);
	hits_writer_free(c->rows);
	c->rows = NULL;
	for (unsigned i = 0; i < c->n_parts; i++) {
		hits_writer_free(c->later[i]);
		c->later[i] = NULL;
		buf_free(&c->best[i]);
	}
	c->n_parts = 0;
	kdiff_hits_free(&c->text.found);
	c->text.is_found = c->off = false;
}

void
asm_cut_parts(struct asm_cut *c, unsigned team, bool few)
{
	uint64_t least = asm_context(c->a) * (few ? FEW_CONTEXTS : CONTEXTS);
	uint64_t letters = few ? FEW_LETTERS : LETTERS, n;

	if (least < letters)
		least = letters;
	if (c->a->part)
		least = c->a->part;
	n = c->w.n_seg ? c->w.n / least : 1;
	if (n > PUMP_MAX_PARTS)
		n = PUMP_MAX_PARTS;
	if (n > team && n < 4 * team)	/* as many for each thread */
		n -= n % team;
	if (n < 2)
		return;
	/* n * step >= w.n: no more than n parts */
	c->step = ((c->w.n + n - 1) / n + 63) / 64 * 64;
	c->n_parts = (unsigned)((c->w.n + c->step - 1) / c->step);
}

/* Of a segment what owns ends from `lo` on and below `hi`; false: nothing. */
static bool
clip_seg(const struct asm_cut *c, const struct window_seg *s, uint64_t lo,
	 uint64_t hi, struct kdiff_seg *g)
{
	const struct chunk_row *r = s->row;
	uint64_t context = asm_context(c->a), back;

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
	g->first = s->origin == 0 && g->beg == s->beg;
	g->last = r->flags & CHUNK_LAST && r->own_end == r->length &&
		  g->end == s->end;
	return true;
}

/* The part as a text, which has no segment if it owns no end; its segments are
 * *seg. */
static int
text_of(const struct asm_cut *c, unsigned part, struct kdiff_seg **seg,
	size_t *cap, struct asm_part *p, struct err *e)
{
	const struct window *w = &c->w;
	bool last = part + 1 == c->n_parts;
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
	p->x = (struct kdiff_text){
		.n = (*seg)[n - 1].end - p->base, .whole = w->n,
		.planes = w->planes ? w->planes + p->base / 32 : NULL,
		.exc = w->exc ? w->exc + p->base / 64 : NULL,
		.sets = w->sets ? w->sets + p->base / 16 : NULL,
		.bytes = w->bytes ? w->bytes + p->base : NULL,
		.seg = *seg, .n_seg = n,
	};
	for (size_t j = 0; j < n; j++) {
		struct kdiff_seg *g = *seg + j;

		g->beg -= p->base;
		g->end -= p->base;
		g->from -= p->base;
		g->to -= p->base;
	}
	return 0;
}

int
asm_cut_put_off(struct asm_cut *c, struct err *e)
{
	struct asm_part whole;
	int rc = text_of(c, 0, &c->seg, &c->seg_cap, &whole, e);

	c->off = !rc;
	c->off_base = whole.base;
	c->text.x = whole.x;
	return rc;
}

/* With what a GPU has found in all of it. */
static int
find_text(const struct asm_cut *c, struct asm_thread *t, unsigned part,
	  struct asm_part *p, struct err *e)
{
	int rc = text_of(c, part, &t->seg, &t->seg_cap, p, e);

	if (!rc && c->off && c->text.is_found) {
		p->x.found = &c->text.found;
		p->x.found_at = p->base - c->off_base;
	}
	return rc;
}

struct marks {
	const struct asm_cut *c;
	const struct asm_part *p;
	const struct window_seg *s;
	uint8_t *row;
};

/* Rows that have a hit; another part may have one in the same row. */
static int
mark_hits(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct marks *m = ctx;

	(void)e;
	for (size_t i = 0; i < n; i++) {
		while (m->p->base + hit[i].end > m->s->end)
			m->s++;
		__atomic_store_n(&m->row[m->s->row - m->c->v.c.row], 1,
				 __ATOMIC_RELAXED);
	}
	return 0;
}

static int
mark_rows(struct asm_cut *c, struct asm_thread *t, const struct asm_part *p,
	  struct buf *out, struct err *e)
{
	struct marks m = { c, p, p->seg, out->p };

	return kdiff_each(c->a->set, &p->x, t->work, mark_hits, &m, e);
}

static int asm_part_rows(struct asm_thread *t, const struct asm_cut *c, const
		struct asm_part *p, struct hits_writer *w, struct buf *out,
		struct err *e);

int
asm_cut_part(struct asm_cut *c, struct asm_thread *t, unsigned part, bool next,
	     struct buf *out, struct err *e)
{
	struct asm_part p;
	struct hits_writer *rows = c->rows;
	int rc = find_text(c, t, part, &p, e);

	if (rc || !p.x.n_seg)
		return rc;
	if (c->matched)
		return mark_rows(c, t, &p, out, e);
	if (asm_tallies(c->a))
		return asm_part_tally(t, c, &p, e);
	if (asm_tops(c->a))
		return asm_part_rows(t, c, &p, NULL, &c->best[part], e);
	if (next)
		return asm_part_rows(t, c, &p, rows, out, e);
	if (rows) {
		rc = hits_rows_new(&c->later[part], c->a->key.rule, e);
		rows = c->later[part];
	}
	return rc ? rc : asm_part_rows(t, c, &p, rows, &c->best[part], e);
}

/* All parts are joined. */
static int
finish_chunk(struct asm_cut *c, struct buf *out, struct err *e)
{
	int rc = 0;

	if (asm_tops(c->a) && !c->matched)
		rc = asm_top_join(c, e);
	if (c->rows && !rc)
		rc = hits_finish(c->rows, out, e);
	if (c->rows)
		return rc;
	return asm_tallies(c->a) && !c->matched ? asm_tally(c, out, e) : 0;
}

int
asm_cut_join(struct asm_cut *c, unsigned part, struct buf *out, struct err *e)
{
	struct buf *best = &c->best[part];
	int rc = 0;

	if (c->later[part])
		rc = hits_append(c->rows, c->later[part], e);
	hits_writer_free(c->later[part]);
	c->later[part] = NULL;
	if (!asm_tops(c->a)) {	/* they stay until all parts are there */
		if (best->n)
			buf_put(out, best->p, best->n);
		buf_free(best);
	}
	if (!rc && out->bad)
		rc = err_nomem(e, out->n);
	return rc || part + 1 < c->n_parts ? rc : finish_chunk(c, out, e);
}

/* Hits of a part of a chunk, traced back, as rows. */

/* One part's hits on their way to rows. */
struct found {
	struct asm_thread *t;
	const struct asm_cut *c;
	const struct asm_part *p;
	const struct window_seg *s;	/* of the last row */
	struct hits_writer *w;		/* NULL: rows that may be the best */
	struct buf *out;
};

/* One row; path is NULL with --ends. */
static int
row_of(const struct found *f, const struct kdiff_hit *x,
       const struct kdiff_path *path, struct hit *h, struct err *e)
{
	const struct asm_scan *a = f->t->a;
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
		return 0;
	}
	h->sbeg = s->origin + (base + path->beg - s->beg);
	if (a->o.overhang) {
		h->qbeg = p->minus ? path->right : path->left;
		h->qend -= p->minus ? path->left : path->right;
	}
	if (!a->o.no_cigar) {
		h->flags |= HIT_CIGAR;
		h->cigar = (const uint32_t *)(const void *)f->t->ops.p +
			   path->ops;
		h->n_cigar = path->n_ops;
	}
	if (a->o.with_seq)
		return scan_chunk_letters(&f->c->v, &f->c->w, s,
					  base + path->beg, base + x->end,
					  &f->t->letters, h, e);
	return 0;
}

/* Where a row goes: into a frame, or to those that may be the best. */
static int
put_row(const struct found *f, const struct hit *h, struct err *e)
{
	struct buf *row = &f->t->row;

	if (f->w)
		return hits_add(f->w, h, e);
	row->n = 0;
	hit_put(row, h);
	buf_str(f->out, row->p, row->n);
	return row->bad || f->out->bad ? err_nomem(e, f->out->n) : 0;
}

static int
trace_rows(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct found *f = ctx;
	struct asm_thread *t = f->t;
	bool trace = !t->a->o.ends;
	struct hit h;
	int rc = 0;

	for (size_t some; n && !rc; hit += some, n -= some) {
		some = n < ASM_TRACE ? n : ASM_TRACE;
		t->ops.n = 0;
		if (trace)
			rc = kdiff_trace(t->a->set, &f->p->x, t->work, hit,
					 some, t->paths, &t->ops, e);
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
 * seen (again)?
 */
static bool
is_best(struct asm_thread *t, const struct kdiff_hit *x, bool again)
{
	uint32_t query = t->a->pattern[x->pattern].query;

	if (!asm_tops(t->a))
		return asm_best_wants(t->best, query, x->dist);
	return (again ? asm_top_keeps : asm_top_wants)
	    (&t->top, query, x->dist, x->end);
}

static int
keep_best(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct asm_thread *t = ((struct found *)ctx)->t;

	for (size_t i = 0; i < n; i++)
		if (is_best(t, &hit[i], false))
			buf_put(&t->hits, &hit[i], sizeof *hit);
	return t->hits.bad ? err_nomem(e, t->hits.n) : 0;
}

static int
best_rows(struct found *f, struct err *e)
{
	struct asm_thread *t = f->t;
	struct kdiff_hit *v = (struct kdiff_hit *)(void *)t->hits.p;
	size_t n = 0;

	for (size_t i = 0; i < t->hits.n / sizeof *v; i++)
		if (is_best(t, &v[i], true))
			v[n++] = v[i];
	return trace_rows(f, v, n, e);
}

/*
 * Rows of a part's hits, to w, or (NULL) those that may be the best, as
 * asm_best_add() takes them or asm_top_join() chooses from.
 */
static int
asm_part_rows(struct asm_thread *t, const struct asm_cut *c,
	      const struct asm_part *p, struct hits_writer *w,
	      struct buf *out, struct err *e)
{
	struct found f = { t, c, p, p->seg, w, out };
	int rc = asm_tops(t->a) ? asm_top_begin(&t->top, t->a, e) : 0;

	t->hits.n = 0;
	if (!rc)
		rc = kdiff_each(t->a->set, &p->x, t->work, w ? trace_rows :
				keep_best, &f, e);
	return rc || w ? rc : best_rows(&f, e);
}

/* The threads of a scan, and the chunks that they share. */

struct asm_team {
	const struct asm_scan *a;
	struct pump_gather gather;
	unsigned n, n_cuts;
	struct asm_thread **thread;
	struct asm_cut *cut;	/* one for each job that is open */
	struct pump_pool spare;	/* of them */
};

unsigned
asm_team_threads(const struct asm_scan *a, unsigned threads)
{
	struct asm_gpu_sizes s = { .required = false };

	if (a->gpu)
		asm_gpu_sizes(a->gpu, &s);
	return threads + (s.required && s.streams);
}

/* Cuts for all that the pump has in flight. */
static int
get_memory(struct asm_team *m, unsigned threads, struct err *e)
{
	struct asm_gpu_sizes s;
	unsigned cuts = threads;
	int rc;

	if (m->a->gpu) {
		asm_gpu_sizes(m->a->gpu, &s);
		m->gather.calls = 2 * s.streams;	/* one prepares */
		m->gather.weight = s.letters;
	}
	if (m->gather.calls)
		cuts += PUMP_MOST_GATHERED * (m->gather.calls + 1);
	rc = pump_pool_new(&m->spare, cuts, e);
	m->thread = calloc(threads, sizeof(struct asm_thread *));
	m->cut = calloc(cuts, sizeof *m->cut);
	if (!rc && (!m->thread || !m->cut))
		rc = err_nomem(e, cuts * sizeof *m->cut);
	for (; m->n_cuts < cuts && !rc; m->n_cuts += !rc)
		rc = asm_cut_new(&m->cut[m->n_cuts], m->a, e);
	return rc;
}

int
asm_team_new(struct asm_team **out, const struct asm_scan *a,
	     struct asm_best *best, unsigned threads, struct err *e)
{
	struct asm_team *m = calloc(1, sizeof *m);
	int rc;

	*out = m;
	if (!m)
		return err_nomem(e, sizeof *m);
	m->a = a;
	rc = get_memory(m, threads, e);
	for (; m->n < threads && !rc; m->n += !rc)
		rc = asm_thread_new(&m->thread[m->n], a, best, e);
	return rc;
}

void
asm_team_free(struct asm_team *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++)
		asm_thread_free(m->thread[i]);
	for (unsigned i = 0; i < m->n_cuts; i++)
		asm_cut_free(&m->cut[i]);
	free(m->thread);
	free(m->cut);
	pump_pool_free(&m->spare);
	free(m);
}

uint64_t
asm_team_letters(const struct asm_team *m)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < m->n; i++)
		n += m->thread[i]->n_letters;
	return n;
}

static void
give_back(struct asm_team *m, struct asm_cut *c)
{
	asm_cut_close(c);
	pump_pool_give_back(&m->spare, (unsigned)(c - m->cut));
}

static int
search_alone(struct asm_thread *t, struct pump_job *job, bool matched,
	     struct err *e)
{
	return (matched ? asm_chunk_matched : asm_chunk)
	    (t, job->item.frame, job->before, job->n_before, &job->out, e);
}

/* In parts, or by this thread. */
static int
search_together(struct asm_team *m, struct asm_thread *t, struct asm_cut *c,
       struct pump_job *job, struct err *e)
{
	int rc;

	asm_cut_parts(c, job->team, job->few);
	if (c->n_parts > 1) {
		job->parts = c;
		job->n_parts = c->n_parts;
		return 0;
	}
	rc = asm_cut_part(c, t, 0, true, &job->out, e);
	if (!rc)
		rc = asm_cut_join(c, 0, &job->out, e);
	give_back(m, c);
	return rc;
}

/* Does a GPU search several chunks as one? */
static bool
gathers(const struct asm_team *m)
{
	return m->a->gpu && asm_gpu_gathers(m->a->gpu);
}

static int
put_off(struct asm_cut *c, struct pump_job *job, struct err *e)
{
	job->later = true;
	job->parts = c;
	job->weight = c->w.n;
	return asm_cut_put_off(c, e);
}

static struct asm_team *
team_of(void *ctx)
{
	return ((struct asm_runner *)ctx)->team;
}

int
asm_team_work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	bool matched = ((struct asm_runner *)ctx)->matched;
	struct asm_team *m = team_of(ctx);
	struct asm_thread *t = m->thread[thread];
	struct asm_cut *c;
	unsigned i;
	int rc;

	if (job->item.frame->type != REC_CHUNK)
		return 0;
	if (job->gathered)
		return search_together(m, t, job->parts, job, e);
	i = job->team > 1 || gathers(m) ? pump_pool_borrow(&m->spare) :
					  m->spare.n;
	if (i == m->spare.n)
		return search_alone(t, job, matched, e);
	c = &m->cut[i];
	c->matched = matched;
	rc = asm_cut_open(c, t, job->item.frame, job->before, job->n_before,
			  &job->out, e);
	if (!rc && c->w.n_seg && gathers(m))
		return put_off(c, job, e);
	if (!rc)
		return search_together(m, t, c, job, e);
	give_back(m, c);
	return rc;
}

static void
gather_texts(void *ctx, unsigned thread, struct pump_job **job, unsigned n)
{
	struct asm_gpu_text *text[PUMP_MOST_GATHERED];

	(void)thread;
	for (unsigned i = 0; i < n; i++)
		text[i] = &((struct asm_cut *)job[i]->parts)->text;
	asm_gpu_gather(team_of(ctx)->a->gpu, text, n);
}

struct pump_gather
asm_team_gathers(const struct asm_team *m)
{
	struct pump_gather g = { .call = NULL };

	if (!m || !m->gather.calls)
		return g;
	g = m->gather;
	g.call = gather_texts;
	return g;
}

int
asm_team_part(void *ctx, unsigned thread, struct pump_job *job, unsigned part,
	      bool next, struct err *e)
{
	return asm_cut_part(job->parts, team_of(ctx)->thread[thread], part,
			    next, &job->out, e);
}

int
asm_team_join(void *ctx, struct pump_job *job, unsigned part, struct err *e)
{
	struct asm_cut *c = job->parts;
	int rc = asm_cut_join(c, part, &job->out, e);

	if (!rc && part + 1 == job->n_parts)
		give_back(team_of(ctx), c);
	return rc;
}
