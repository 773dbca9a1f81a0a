/* SPDX-License-Identifier: MIT */
/* kdiff_qgram_block.c - plain scans of a block of ends */
#include "algo/kdiff_qgram_scan.h"

struct merge {
	struct qgram_scan *s;
	uint64_t base;		/* to be added to ends */
	size_t next;		/* of s->q->hits */
};

static bool
before(const struct kdiff_hit *a, const struct kdiff_hit *b)
{
	return a->end != b->end ? a->end < b->end : a->pattern < b->pattern;
}

/* Hits of the plain scan, with those of the filter between them. */
static int
give(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	struct merge *m = ctx;
	const struct kdiff_hits *h = &m->s->q->hits;
	struct kdiff_hits *to = &m->s->q->batch;
	int r;

	to->n = 0;
	r = kdiff_hits_room(to, n + h->n - m->next, e);
	for (size_t i = 0; !r && i < n; i++) {
		struct kdiff_hit x = v[i];

		x.end += m->base;
		while (m->next < h->n && before(&h->v[m->next], &x))
			to->v[to->n++] = h->v[m->next++];
		to->v[to->n++] = x;
	}
	return r ? r : kdiff_job_give(m->s->j, to->v, to->n);
}

/* The text around the block, as a text of its own that begins at *base. */
static int
view(struct qgram_scan *s, struct kdiff_text *x, uint64_t letters,
     uint64_t *base)
{
	const struct kdiff_text *t = s->j->text;
	size_t i = kdiff_seg_find(t, s->beg), n;
	struct kdiff_seg *seg;
	int r;

	while (i < t->n_seg && t->seg[i].end <= s->beg)
		i++;
	for (n = i; n < t->n_seg && t->seg[n].beg < s->end; n++)
		;
	*x = (struct kdiff_text){ 0 };
	if (n == i)
		return 0;
	r = kdiff_room(&s->q->seg, &s->q->seg_cap, (n - i) * sizeof *seg,
		       s->j->e);
	if (r < 0)
		return r;
	*base = qgram_context(&t->seg[i], max_u64(s->beg, t->seg[i].beg),
			      letters);
	x->n = min_u64(t->n, s->end + 1) - *base;
	x->planes = t->planes + *base / 64 * 2;
	x->exc = t->exc ? t->exc + *base / 64 : NULL;
	x->seg = seg = (struct kdiff_seg *)s->q->seg;
	for (; i < n; i++, x->n_seg++) {
		const struct kdiff_seg *g = &t->seg[i];

		seg[x->n_seg] = (struct kdiff_seg){
			.beg = max_u64(g->beg, *base) - *base,
			.end = min_u64(g->end, s->end + 1) - *base,
			.from = max_u64(max_u64(g->from, s->beg + 1),
					   *base) - *base,
			.to = max_u64(min_u64(g->to, s->end), *base) -
			      *base,
		};
	}
	return 0;
}

int
qgram_scan_block(struct qgram_scan *s, bool all)
{
	const struct kdiff_hits *h = &s->q->hits;
	struct merge m = { .s = s };
	struct kdiff_job j = *s->j;
	struct kdiff_text x;
	int r = 0;

	j.text = &x;
	j.hits = NULL;
	j.take = give;
	j.ctx = &m;
	if (!all) {
		j.which = s->f->rest;
		j.n = s->f->n_rest;
	}
	if (j.n)
		r = view(s, &x, kdiff_context(j.set), &m.base);
	if (!r && j.n && x.n_seg)
		r = kdiff_text_scan(&j);
	if (r || m.next == h->n)
		return r;
	return kdiff_job_give(s->j, h->v + m.next, h->n - m.next);
}
