/* SPDX-License-Identifier: MIT */
/* asm_rows.c - what is found in one chunk, as the frames of its receipt */
#include <stdlib.h>

#include "scan/asm_priv.h"

/* Hits traced at once: bounds the memory of paths and CIGARs. */
enum { TRACE_AT_ONCE = 4096 };

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
	rc = kdiff_work_new(&t->work, e);
	t->paths = malloc(TRACE_AT_ONCE * sizeof *t->paths);
	if (!rc && !t->paths)
		rc = err_nomem(e, TRACE_AT_ONCE * sizeof *t->paths);
	if (!rc && asm_tallies(a)) {
		t->counts = calloc(a->n_counts, sizeof *t->counts);
		if (!t->counts)
			rc = err_nomem(e, a->n_counts * sizeof *t->counts);
	}
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
	window_free(&t->w);
	free(t->paths);
	free(t->seg);
	free(t->counts);
	buf_free(&t->ops);
	buf_free(&t->letters);
	buf_free(&t->row);
	free(t);
}

uint64_t
asm_thread_letters(const struct asm_thread *t)
{
	return t->n_letters;
}

/* The window as the algorithm takes it. */
static int
text_of(struct asm_thread *t, struct kdiff_text *x, struct err *e)
{
	const struct window *w = &t->w;

	if (t->seg_cap < w->n_seg) {
		struct kdiff_seg *s = realloc(t->seg, w->n_seg * sizeof *s);

		if (!s)
			return err_nomem(e, w->n_seg * sizeof *s);
		t->seg = s;
		t->seg_cap = w->n_seg;
	}
	for (size_t i = 0; i < w->n_seg; i++)
		t->seg[i] = (struct kdiff_seg){
			.beg = w->seg[i].beg, .end = w->seg[i].end,
			.from = w->seg[i].from, .to = w->seg[i].to,
			.first = w->seg[i].origin == 0,
			.last = w->seg[i].row->flags & CHUNK_LAST &&
				w->seg[i].row->own_end ==
				w->seg[i].row->length,
		};
	*x = (struct kdiff_text){
		.n = w->n, .planes = w->planes, .exc = w->exc,
		.sets = w->sets, .bytes = w->bytes, .seg = t->seg,
		.n_seg = w->n_seg,
	};
	return 0;
}

/* One row; path is NULL with --ends. */
static int
row_of(struct asm_thread *t, const struct scan_chunk *v,
       const struct window_seg *s, const struct kdiff_hit *x,
       const struct kdiff_path *path, struct hit *h, struct err *e)
{
	const struct asm_scan *a = t->a;
	const struct asm_pattern *p = &a->pattern[x->pattern];
	const struct query *q = &a->q->v[p->query];
	const struct chunk_row *r = s->row;

	memset(h, 0, sizeof *h);
	h->query = (struct query_ref){ p->query, q->letters.n, q->name };
	h->subject = (struct subject_ref){
		r->ordinal, r->flags & CHUNK_LAST ? r->length : LEN_UNKNOWN,
		r->name,
	};
	h->qend = q->letters.n;
	h->send = s->origin + (x->end - s->beg);
	h->edits = x->dist;
	h->score = -(int64_t)x->dist;
	h->flags = HIT_EDITS | (p->minus ? HIT_MINUS : 0);
	if (!path) {
		h->flags |= HIT_NO_SBEG;
		return 0;
	}
	h->sbeg = s->origin + (path->beg - s->beg);
	if (a->o.overhang) {
		h->qbeg = p->minus ? path->right : path->left;
		h->qend -= p->minus ? path->left : path->right;
	}
	if (!a->o.no_cigar) {
		h->flags |= HIT_CIGAR;
		h->cigar = (const uint32_t *)(const void *)t->ops.p +
			   path->ops;
		h->n_cigar = path->n_ops;
	}
	if (a->o.with_seq)
		return scan_chunk_letters(v, &t->w, s, path->beg, x->end,
					  &t->letters, h, e);
	return 0;
}

/* Where a row goes: into a frame, or to those that may be the best. */
static int
put_row(struct asm_thread *t, struct hits_writer *w, struct buf *out,
	const struct hit *h, struct err *e)
{
	if (w)
		return hits_add(w, h, e);
	t->row.n = 0;
	hit_put(&t->row, h);
	buf_str(out, t->row.p, t->row.n);
	return t->row.bad || out->bad ? err_nomem(e, out->n) : 0;
}

/* One chunk's hits on their way to rows. */
struct found {
	struct asm_thread *t;
	const struct scan_chunk *v;
	const struct kdiff_text *x;
	const struct window_seg *s;	/* of the last row */
	struct hits_writer *w;		/* NULL: rows that may be the best */
	struct buf *out;
};

static int
rows(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct found *f = ctx;
	struct asm_thread *t = f->t;
	bool trace = !t->a->o.ends;
	struct hit h;
	int rc = 0;

	for (size_t some; n && !rc; hit += some, n -= some) {
		some = n < TRACE_AT_ONCE ? n : TRACE_AT_ONCE;
		t->ops.n = 0;
		if (trace)
			rc = kdiff_trace(t->a->set, f->x, t->work, hit, some,
					 t->paths, &t->ops, e);
		for (size_t j = 0; j < some && !rc; j++) {
			while (hit[j].end > f->s->end)
				f->s++;
			rc = row_of(t, f->v, f->s, &hit[j],
				    trace ? &t->paths[j] : NULL, &h, e);
			if (!rc)
				rc = put_row(t, f->w, f->out, &h, e);
		}
	}
	return rc;
}

/* Keep only ends that, as far as is known, may be the best. */
static int
best_hits(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct asm_thread *t = ((struct found *)ctx)->t;
	const struct asm_pattern *p = t->a->pattern;

	for (size_t i = 0; i < n; i++)
		if (asm_best_wants(t->best, p[hit[i].pattern].query,
				   hit[i].dist))
			buf_put(&t->hits, &hit[i], sizeof *hit);
	return t->hits.bad ? err_nomem(e, t->hits.n) : 0;
}

/* Now that the least of all are known: those alone. */
static int
best_rows(struct found *f, struct err *e)
{
	struct asm_thread *t = f->t;
	const struct asm_pattern *p = t->a->pattern;
	struct kdiff_hit *v = (struct kdiff_hit *)(void *)t->hits.p;
	size_t n = 0;

	for (size_t i = 0; i < t->hits.n / sizeof *v; i++)
		if (asm_best_wants(t->best, p[v[i].pattern].query, v[i].dist))
			v[n++] = v[i];
	return rows(f, v, n, e);
}

static int
put_hits(struct asm_thread *t, const struct scan_chunk *v,
	 const struct kdiff_text *x, const struct receipt *r, struct buf *out,
	 struct err *e)
{
	struct found f = { .t = t, .v = v, .x = x, .s = t->w.seg, .out = out };
	int rc = 0;

	t->hits.n = 0;
	if (!t->best)
		rc = hits_writer_new(&f.w, &v->c.run, r, e);
	if (!rc && x->n_seg)
		rc = kdiff_each(t->a->set, x, t->work,
				t->best ? best_hits : rows, &f, e);
	if (!rc)
		rc = t->best ? best_rows(&f, e) : hits_finish(f.w, out, e);
	hits_writer_free(f.w);
	return rc;
}

/* The chunk's text, ready to be searched. */
static int
open_chunk(struct asm_thread *t, struct scan_chunk *v, struct kdiff_text *x,
	   const struct rec_frame *f, struct rec_frame *const *before,
	   size_t n_before, struct err *e)
{
	const struct asm_scan *a = t->a;
	int rc = scan_chunk_view(v, f, before, n_before, e);

	if (rc)
		return rc;
	t->n_letters += v->c.owned;
	t->w.empty = a->o.overhang != NULL;
	rc = window_build(&t->w, a->kind, asm_context(a), kdiff_gap(a->set),
			  &v->c, v->before, v->n_before, e);
	if (!rc)
		rc = text_of(t, x, e);
	if (rc)
		scan_chunk_free(v);
	return rc;
}

/* The rows that have a hit, in out. */
static int
mark(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct found *f = ctx;

	(void)e;
	for (size_t i = 0; i < n; i++) {
		while (hit[i].end > f->s->end)
			f->s++;
		f->out->p[f->s->row - f->v->c.row] = 1;
	}
	return 0;
}

int
asm_chunk_matched(struct asm_thread *t, const struct rec_frame *f,
		  struct rec_frame *const *before, size_t n_before,
		  struct buf *out, struct err *e)
{
	struct kdiff_text x;
	struct scan_chunk v;
	struct found found = { .t = t, .v = &v, .x = &x, .out = out };
	int rc = open_chunk(t, &v, &x, f, before, n_before, e);

	if (rc)
		return rc;
	found.s = t->w.seg;
	buf_zero(out, v.c.n_rows);
	if (out->bad)
		rc = err_nomem(e, v.c.n_rows);
	if (!rc && x.n_seg)
		rc = kdiff_each(t->a->set, &x, t->work, mark, &found, e);
	scan_chunk_free(&v);
	return rc;
}

int
asm_chunk(struct asm_thread *t, const struct rec_frame *f,
	  struct rec_frame *const *before, size_t n_before, struct buf *out,
	  struct err *e)
{
	const struct asm_scan *a = t->a;
	struct kdiff_text x;
	struct scan_chunk v;
	struct range range;
	struct receipt r = { .scan = a->key, .last = true, .range = &range,
			     .n_ranges = 1 };
	int rc = open_chunk(t, &v, &x, f, before, n_before, e);

	if (rc)
		return rc;
	range = (struct range){ v.c.serial, v.c.serial + 1, v.c.owned,
				v.c.digest };
	if (asm_tallies(a))
		rc = asm_tally(t, &v, &x, &r, out, e);
	else
		rc = put_hits(t, &v, &x, &r, out, e);
	scan_chunk_free(&v);
	return rc;
}
