/* SPDX-License-Identifier: MIT */
/*
 * sw_scan_cut.c - a chunk as columns, and the text of a part of it
 *
 * A part owns the cells of some columns, for some of the queries.  Its text
 * begins as far before them as the query needs, as that of a chunk does; so
 * what it finds is what the whole has there, and none is found twice.
 */
#include <stdlib.h>

#include "base/array.h"
#include "scan/sw_scan_priv.h"

int
sw_cut_open(struct sw_cut *c, struct sw_thread *t, const struct rec_frame *f,
	    struct rec_frame *const *before, size_t n_before, struct err *e)
{
	const struct sw_scan *s = t->s;
	int rc = scan_chunk_view(&c->v, f, before, n_before, e);

	if (rc)
		return rc;
	c->s = s;
	t->n_letters += c->v.c.owned;
	c->w.hint = "--matrix=BLOSUM62";
	rc = window_build(&c->w, s->by.dna ? WINDOW_PLANES : WINDOW_BYTES,
			  s->context, 0, &c->v.c, c->v.before, c->v.n_before,
			  e);
	if (!rc)
		rc = sw_columns_of(&c->l, s, &c->w, e);
	c->part[0] = sw_plan_whole(c);
	c->n_parts = 1;
	c->leaders = 0;
	return rc;
}

void
sw_cut_close(struct sw_cut *c)
{
	scan_chunk_free(&c->v);
	for (unsigned i = 0; i < c->n_parts; i++)
		buf_free(&c->rows[i]);
	c->n_parts = 0;
	for (size_t i = 0; c->off && i < c->s->n_patterns; i++)
		free(c->known[i].tops);
	free(c->known);
	c->known = NULL;
	c->off = false;
}

void
sw_cut_free(struct sw_cut *c)
{
	sw_cut_close(c);
	window_free(&c->w);
	sw_columns_free(&c->l);
	free(c->seg);
}

int
sw_cut_text(const struct sw_cut *c, const struct sw_part *p, uint64_t context,
	    struct sw_seg **seg, size_t *cap, struct sw_text *x,
	    uint64_t *base, struct err *e)
{
	const struct sw_columns *l = &c->l;
	struct sw_seg *to;
	size_t n = 0, i = array_first(l->seg, l->n_seg, sizeof *l->seg,
				      offsetof(struct sw_seg, end),
				      p->beg + 1);
	uint64_t before;

	*x = (struct sw_text){ .n_seg = 0 };
	*base = 0;
	if (array_room(seg, cap, l->n_seg - i, sizeof *to, e))
		return e->code;
	to = *seg;
	for (; i < l->n_seg && l->seg[i].own < p->end; i++) {
		struct sw_seg g = l->seg[i];

		g.own = g.own > p->beg ? g.own : p->beg;
		g.end = g.end < p->end ? g.end : p->end;
		to[n++] = g;
	}
	if (n == 0)
		return 0;
	/* segments lie side by side: only the first one may lose columns */
	before = to->own - to->beg;
	if (before > context)
		to->beg += (before - context) / SW_BLOCK * SW_BLOCK;
	*base = to->beg;
	for (i = 0; i < n; i++) {
		to[i].beg -= *base;
		to[i].own -= *base;
		to[i].end -= *base;
	}
	*x = (struct sw_text){ .codes = l->codes.p + *base, .seg = to,
			       .n = to[n - 1].end, .n_seg = n };
	return 0;
}

/* Cells of a part's patterns; what cannot be known counts as none. */
static uint64_t
cells_of(struct sw_cut *c, const struct sw_part *p)
{
	uint64_t cells = 0;

	for (size_t i = p->from; i < p->to; i++) {
		const struct sw_pattern *x = &c->s->pattern[i];
		struct sw_text t;
		uint64_t base;
		struct err e;

		if (sw_cut_text(c, p, sw_context(x->q), &c->seg, &c->seg_cap,
				&t, &base, &e) == 0)
			cells += c->s->q->v[x->query].letters.n * t.n;
	}
	return cells;
}

void
sw_cut_begin(struct sw_cut *c, struct sw_progress *p)
{
	uint64_t cells = 0;

	if (!p || !p->meter.tick || c->s->o.best == SW_READ_DISJOINT)
		return;
	for (unsigned i = 0; i < c->n_parts; i++)
		cells += cells_of(c, &c->part[i]);
	__atomic_fetch_add(&p->of, cells, __ATOMIC_RELAXED);
}
