/* SPDX-License-Identifier: MIT */
/* asm_rows.c - hits of a part of a chunk, traced back, as rows */
#include "scan/asm_priv.h"

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
rows(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
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

/* Keep only ends that, as far as is known, are among the best. */
static int
top_hits(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct asm_thread *t = ((struct found *)ctx)->t;
	const struct asm_pattern *p = t->a->pattern;

	for (size_t i = 0; i < n; i++)
		if (asm_top_wants(&t->top, p[hit[i].pattern].query,
				  hit[i].dist, hit[i].end))
			buf_put(&t->hits, &hit[i], sizeof *hit);
	return t->hits.bad ? err_nomem(e, t->hits.n) : 0;
}

static int
top_rows(struct found *f, struct err *e)
{
	struct asm_thread *t = f->t;
	const struct asm_pattern *p = t->a->pattern;
	struct kdiff_hit *v = (struct kdiff_hit *)(void *)t->hits.p;
	size_t n = 0;

	for (size_t i = 0; i < t->hits.n / sizeof *v; i++)
		if (asm_top_keeps(&t->top, p[v[i].pattern].query, v[i].dist,
				  v[i].end))
			v[n++] = v[i];
	return rows(f, v, n, e);
}

/* The part's best of each query, as rows that asm_top_join() chooses from. */
static int
top_part(struct found *f, struct err *e)
{
	struct asm_thread *t = f->t;
	int rc = asm_top_begin(&t->top, t->a, e);

	if (!rc)
		rc = kdiff_each(t->a->set, &f->p->x, t->work, top_hits, f, e);
	return rc ? rc : top_rows(f, e);
}

int
asm_part_rows(struct asm_thread *t, const struct asm_cut *c,
	      const struct asm_part *p, struct hits_writer *w,
	      struct buf *out, struct err *e)
{
	struct found f = { t, c, p, p->seg, w, out };
	int rc;

	t->hits.n = 0;
	if (asm_tops(t->a))
		return top_part(&f, e);
	rc = kdiff_each(t->a->set, &p->x, t->work, w ? rows : best_hits, &f,
			e);
	return rc || w ? rc : best_rows(&f, e);
}
