/* SPDX-License-Identifier: MIT */
/*
 * pcr_circle.c - sites of a circular sequence as those of a linear one
 *
 * Places are counted from `from` on, so that there is room before them.  The
 * join gets sites over the origin twice, before the first letter, where they
 * may hide others, and at the end; and those that begin within `reach` letters
 * from the first one a second time, behind the last one.  A product begins in
 * the one turn, [from, from + n), and has at most n and at most `reach`
 * letters, so that its right site, its probe, and what hides them begin before
 * from + n + reach: all of them are there.
 *	Of nested products the inner ones are those of a second turn, for which
 * all sites come again.  What one of them lies in has at most n letters and
 * does not begin behind it, so it begins in the first turn or the second.
 */

#include <stdlib.h>

#include "scan/pcr/pcr.h"

void
pcr_circle_begin(struct pcr_circle *c, struct pcr_join *j, uint64_t from,
		 uint64_t n, unsigned turns)
{
	c->n = n;
	c->from = from;
	c->reach = min_u64(n, pcr_join_reach(j));
	c->turns = turns;
	c->site.n = c->ops.n = 0;
	memset(c->again, 0, sizeof c->again);
	pcr_join_circle(j, from, n);
}

/* The next site of turn t that is wanted; NULL: it is over, or not yet. */
static const struct pcr_site *
next_of(struct pcr_circle *c, unsigned t)
{
	struct pcr_again *a = &c->again[t - 1];

	for (; a->at < c->site.n / sizeof(struct pcr_site); a->at++) {
		const struct pcr_site *s = (const struct pcr_site *)
			(const void *)c->site.p + a->at;

		if (t < c->turns || s->beg - c->from < c->reach)
			return s;
		a->ops_at += s->n_ops;
	}
	return NULL;
}

/* Sites that were kept, up to those that end at `end`. */
static int
come_again(struct pcr_circle *c, struct pcr_join *j, uint64_t end,
	   struct err *e)
{
	int rc = 0;

	while (!rc) {
		struct pcr_site s = { .end = end };
		unsigned turn = 0;

		/* of equal ends the one that begins first */
		for (unsigned t = 1; t <= c->turns; t++) {
			const struct pcr_site *x = next_of(c, t);

			if (!x || x->end + t * c->n >= s.end)
				continue;
			s = *x;
			s.beg += t * c->n;
			s.end += t * c->n;
			turn = t;
		}
		if (!turn)
			break;
		rc = pcr_join_site(j, &s, (const uint32_t *)(const void *)
				   c->ops.p + c->again[turn - 1].ops_at, e);
		c->again[turn - 1].ops_at += s.n_ops;
		c->again[turn - 1].at++;
	}
	return rc;
}

static int
keep(struct pcr_circle *c, const struct pcr_site *s, const uint32_t *ops,
     struct err *e)
{
	buf_put(&c->site, s, sizeof *s);
	buf_put(&c->ops, ops, s->n_ops * sizeof *ops);
	return c->site.bad || c->ops.bad ? err_nomem(e, c->site.n) : 0;
}

int
pcr_circle_site(struct pcr_circle *c, struct pcr_join *j,
		const struct pcr_site *s, const uint32_t *ops, struct err *e)
{
	int rc = 0;

	if (c->n)
		rc = come_again(c, j, s->end, e);
	if (!rc && c->n && s->beg >= c->from &&
	    (c->turns > 1 || s->beg - c->from < c->reach))
		rc = keep(c, s, ops, e);
	return rc ? rc : pcr_join_site(j, s, ops, e);
}

int
pcr_circle_end(struct pcr_circle *c, struct pcr_join *j, struct err *e)
{
	int rc = c->n ? come_again(c, j, UINT64_MAX, e) : 0;

	if (!rc)
		rc = pcr_join_end(j, e);
	c->n = 0;
	return rc;
}

void
pcr_circle_free(struct pcr_circle *c)
{
	buf_free(&c->site);
	buf_free(&c->ops);
}

/* BED */

int
pcr_beds_add(struct pcr_beds *b, const struct pcr_product *x,
	     const struct pcr_circle *c, struct err *e)
{
	uint64_t beg = (x->left->beg - c->from) % c->n;
	uint64_t end = beg + (x->right->end - x->left->beg);
	struct pcr_bed row = {
		.beg = beg, .end = min_u64(end, c->n), .pair = x->pair,
		.edits = pcr_product_edits(x), .f = x->f, .r = x->r,
		.minus = x->minus,
	};

	if (array_room(&b->v, &b->cap, b->n + 2, sizeof *b->v, e))
		return e->code;
	b->v[b->n++] = row;
	if (end <= c->n)
		return 0;
	row.beg = 0;
	row.end = end - c->n;
	b->v[b->n++] = row;
	return 0;
}

static int
cmp_bed(const void *pa, const void *pb)
{
	const struct pcr_bed *a = pa, *b = pb;
	int c = cmp_u64(a->beg, b->beg);

	c = c ? c : cmp_u64(a->end, b->end);
	c = c ? c : cmp_u64(a->f, b->f);
	c = c ? c : cmp_u64(a->r, b->r);
	c = c ? c : a->minus - b->minus;
	return c ? c : cmp_u64(a->edits, b->edits);
}

void
pcr_beds_sort(struct pcr_beds *b)
{
	if (b->n)
		qsort(b->v, b->n, sizeof *b->v, cmp_bed);
}
