/* SPDX-License-Identifier: MIT */
/*
 * sw_scan_cut.c - a chunk as columns, and the text of a part of it
 *
 * A part owns the cells of some columns, for some of the queries.  Its text
 * begins as far before them as the query needs, as that of a chunk does; so
 * what it finds is what the whole has there, and none is found twice.
 */
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
}

void
sw_cut_free(struct sw_cut *c)
{
	sw_cut_close(c);
	window_free(&c->w);
	sw_columns_free(&c->l);
}

int
sw_cut_text(const struct sw_cut *c, struct sw_thread *t,
	    const struct sw_part *p, uint64_t context, struct sw_text *x,
	    uint64_t *base, struct err *e)
{
	const struct sw_columns *l = &c->l;
	size_t n = 0, i = array_first(l->seg, l->n_seg, sizeof *l->seg,
				      offsetof(struct sw_seg, end),
				      p->beg + 1);
	uint64_t before;

	*x = (struct sw_text){ .n_seg = 0 };
	*base = 0;
	if (array_room(&t->seg, &t->seg_cap, l->n_seg - i, sizeof *t->seg, e))
		return e->code;
	for (; i < l->n_seg && l->seg[i].own < p->end; i++) {
		struct sw_seg g = l->seg[i];

		g.own = g.own > p->beg ? g.own : p->beg;
		g.end = g.end < p->end ? g.end : p->end;
		t->seg[n++] = g;
	}
	if (n == 0)
		return 0;
	/* segments lie side by side: only the first one may lose columns */
	before = t->seg[0].own - t->seg[0].beg;
	if (before > context)
		t->seg[0].beg += (before - context) / SW_BLOCK * SW_BLOCK;
	*base = t->seg[0].beg;
	for (i = 0; i < n; i++) {
		t->seg[i].beg -= *base;
		t->seg[i].own -= *base;
		t->seg[i].end -= *base;
	}
	*x = (struct sw_text){ l->codes.p + *base, t->seg[n - 1].end, t->seg,
			       n };
	return 0;
}
