/* SPDX-License-Identifier: MIT */
/* sw_scan_rows.c - what is best in a chunk or a part of one, as rows */
#include <stdlib.h>

#include "base/array.h"
#include "base/cigar.h"
#include "scan/sw_scan_priv.h"

int
sw_thread_new(struct sw_thread **out, const struct sw_scan *s,
	      const struct sw_kept *k, struct err *e)
{
	struct sw_thread *t = calloc(1, sizeof *t);
	int rc;

	*out = NULL;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->s = s;
	t->kept = k;
	rc = sw_work_new(&t->work, e);
	if (rc) {
		sw_thread_free(t);
		return rc;
	}
	if (s->gpu)
		sw_work_device(t->work, &s->device);
	*out = t;
	return 0;
}

void
sw_thread_free(struct sw_thread *t)
{
	if (!t)
		return;
	sw_work_free(t->work);
	sw_hits_free(&t->hits);
	free(t->seg);
	sw_cut_free(&t->own);
	sw_disjoint_free(&t->d);
	buf_free(&t->ops);
	buf_free(&t->letters);
	buf_free(&t->row);
	buf_free(&t->query);
	free(t);
}

/* The segment of a column; the first one begins at 0. */
static size_t
seg_of(const struct sw_columns *l, uint64_t column)
{
	return array_first(l->seg, l->n_seg, sizeof *l->seg,
			   offsetof(struct sw_seg, beg), column + 1) - 1;
}

/* One query on one strand, one part of a chunk. */
struct found {
	struct sw_thread *t;
	const struct sw_cut *c;
	const struct sw_part *part;
	const struct sw_pattern *p;
	struct buf *out;
};

/* t->ops become the row's CIGAR. */
static void
tell_path(const struct sw_thread *t, struct hit *h)
{
	struct cigar_sum sum;

	h->cigar = (const uint32_t *)(const void *)t->ops.p;
	h->n_cigar = t->ops.n / sizeof *h->cigar;
	sum = cigar_sum(h->cigar, h->n_cigar);
	h->edits = sum.x + sum.ins + sum.del;
	h->flags |= HIT_CIGAR | HIT_EDITS;
}

/*
 * Does the alignment begin in what the part owns?  Each cell of its class ends
 * behind that, so no part and no chunk before has told of the class.
 */
static bool
fresh(const struct found *f, const struct sw_seg *g, const struct sw_hit *h)
{
	return f->t->s->o.best != SW_READ_ALIGNMENTS ||
	       (h->beg >= g->own && h->beg >= f->part->beg);
}

/* One row, whose path is t->ops. */
static int
put_row(const struct found *f, const struct sw_hit *g, struct err *e)
{
	struct sw_thread *t = f->t;
	const struct sw_columns *l = &f->c->l;
	const struct sw_options *o = &t->s->o;
	const struct query *q = &t->s->q->v[f->p->query];
	size_t i = seg_of(l, g->end - 1);
	const struct window_seg *s = l->place[i].from;
	uint64_t origin = l->place[i].origin - l->seg[i].beg;
	const struct chunk_row *r = s->row;
	struct hit h = {
		.query = { f->p->query, q->letters.n, q->name },
		.subject = { r->ordinal, r->flags & CHUNK_LAST ? r->length :
			     LEN_UNKNOWN, r->name },
		.qbeg = f->p->minus ? q->letters.n - g->qend : g->qbeg,
		.qend = f->p->minus ? q->letters.n - g->qbeg : g->qend,
		.sbeg = origin + g->beg, .send = origin + g->end,
		.score = g->score * t->s->unit,
		.flags = f->p->minus ? HIT_MINUS : 0,
	};
	int rc = 0;

	if (!o->no_cigar)
		tell_path(t, &h);
	if (o->with_seq)
		rc = scan_chunk_letters(&f->c->v, &f->c->w, s,
					s->beg + (h.sbeg - s->origin),
					s->beg + (h.send - s->origin),
					&t->letters, &h, e);
	if (rc)
		return rc;
	sw_kept_row(f->out, fresh(f, &l->seg[i], g), &h, &t->row);
	return f->out->bad ? err_nomem(e, f->out->n) : 0;
}

/* What is best in a text that begins at column base. */
struct best {
	const struct found *f;
	const struct sw_text *x;
	uint64_t base;
};

static int
put_best(void *ctx, size_t i, struct err *e)
{
	const struct best *b = ctx;
	struct sw_hit g = b->f->t->hits.v[i];

	g.beg += b->base;
	g.end += b->base;
	return put_row(b->f, &g, e);
}

/* Whoever compares the query with anything need not look for less. */
static int
find_bound(const struct found *f, const struct sw_text *x, struct err *e)
{
	const struct sw_thread *t = f->t;
	int64_t bound = 0;
	int rc;

	if (t->s->o.n > 1 || x->known.tops || !sw_bound_helps(f->p->q, x))
		return 0;
	rc = sw_bound(f->p->q, x, &bound, e);
	if (!rc)
		sw_kept_raise(t->kept, f->p->query, bound);
	return rc;
}

static int
best_rows(const struct found *f, struct err *e)
{
	struct sw_thread *t = f->t;
	const struct sw_options *o = &t->s->o;
	const struct sw_query *q = f->p->q;
	enum sw_kind kind = o->best == SW_READ_CELLS ? SW_CELLS :
						       SW_ALIGNMENTS;
	const int64_t *least = sw_kept_least(t->kept, f->p->query);
	struct sw_text x;
	struct best b = { .f = f, .x = &x };
	size_t n = 0;
	int rc = sw_cut_text(f->c, f->part, sw_context(q), &t->seg,
			     &t->seg_cap, &x, &b.base, e);

	if (rc || !x.n_seg)
		return rc;
	if (f->c->off)
		x.known = f->c->known[f->p - t->s->pattern];
	rc = find_bound(f, &x, e);
	if (rc)
		return rc;
	rc = sw_best(q, &x, kind, (size_t)o->n, least, t->work, &t->hits, e);
	/* chunks before this one were added meanwhile */
	while (!rc && n < t->hits.n && t->hits.v[n].score >=
	       __atomic_load_n(least, __ATOMIC_RELAXED))
		n++;
	t->ops.n = 0;
	if (!o->no_cigar && !rc)
		return sw_trace_each(q, &x, t->hits.v, n, t->s->by.same,
				     t->work, &t->ops, put_best, &b, e);
	for (size_t i = 0; i < n && !rc; i++)
		rc = put_best(&b, i, e);
	return rc;
}

/*
 * The columns of a whole sequence; the query's letters are t->query.
 *	Of cells that score alike the first column comes first, and there the
 * first row: the order of rows, too, but on the minus strand, where rows of one
 * column go by their starts.  So there all of the last column are taken; which
 * of them stay is the keeper's to say.
 */
static int
disjoint_of(const struct found *f, size_t seg, struct err *e)
{
	struct sw_thread *t = f->t;
	const struct sw_columns *l = &f->c->l;
	const struct sw_place *p = &l->place[seg];
	uint64_t beg = l->seg[seg].beg + (p->from->origin - p->origin);
	const int64_t *least = sw_kept_least(t->kept, f->p->query);
	struct sw_hit g, last = { .score = 0 };
	int got = 1, rc;

	t->d.text = l->codes.p + beg;
	t->d.n = p->from->end - p->from->beg;
	if (t->d.n > SW_DISJOINT_CELLS / t->d.m)
		return err_set(e, ERR_LIMIT, "--best=waterman-eggert: %zu "
			       "letters of query %zu, %zu of the subject: "
			       "their product must be at most %d", t->d.m,
			       (size_t)f->p->query + 1, t->d.n,
			       SW_DISJOINT_CELLS);
	rc = sw_disjoint_begin(&t->d, e);
	for (int64_t k = t->s->o.n; (k > 0 || f->p->minus) && !rc && got > 0;
	     k--) {
		got = sw_disjoint_next(&t->d,
				       __atomic_load_n(least, __ATOMIC_RELAXED),
				       &g, &t->ops, e);
		if (got > 0 && k <= 0 &&
		    (g.score != last.score || g.end != last.end))
			break;
		last = g;
		g.beg += beg;
		g.end += beg;
		rc = got > 0 ? put_row(f, &g, e) : got;
	}
	return rc;
}

static int
disjoint_rows(const struct found *f, struct err *e)
{
	struct sw_thread *t = f->t;
	int rc = 0;

	t->query.n = 0;
	t->d.m = t->s->q->v[f->p->query].letters.n;
	if (!buf_reserve(&t->query, t->d.m))
		return err_nomem(e, t->d.m);
	sw_pattern_codes(t->s, f->p, t->query.p);
	t->d.query = t->query.p;
	t->d.s = &t->s->scoring;
	t->d.same = t->s->by.same;
	for (size_t i = 0; i < f->c->l.n_seg && !rc; i++)
		if (f->c->l.place[i].from->row->flags & CHUNK_LAST)
			rc = disjoint_of(f, i, e);
	return rc;
}

int
sw_thread_part(struct sw_thread *t, const struct sw_cut *c,
	       const struct sw_part *p, struct crew *crew, struct buf *out,
	       struct err *e)
{
	const struct sw_scan *s = t->s;
	int rc = 0;

	for (size_t i = p->from; i < p->to && !rc; i++) {
		struct found f = { t, c, p, &s->pattern[i], out };

		sw_work_crew(t->work, sw_query_shared(f.p->q) ? crew : NULL,
			     c->leaders);
		rc = s->o.best == SW_READ_DISJOINT ? disjoint_rows(&f, e) :
		     best_rows(&f, e);
	}
	sw_work_crew(t->work, NULL, 0);
	return rc;
}

int
sw_thread_chunk(struct sw_thread *t, const struct rec_frame *f,
		struct rec_frame *const *before, size_t n_before,
		struct buf *out, struct err *e)
{
	struct sw_cut *c = &t->own;
	int rc = sw_cut_open(c, t, f, before, n_before, e);

	if (!rc) {
		sw_cut_begin(c, t->progress);
		rc = sw_thread_part(t, c, &c->part[0], NULL, out, e);
	}
	sw_cut_close(c);
	return rc;
}
