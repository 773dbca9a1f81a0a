/* SPDX-License-Identifier: MIT */
/*
 * ebwt_plain.c - rotations sorted by comparing letters: the reference
 *
 * Two different rotations of roots differ within |u| + |v| - gcd letters: else
 * their omega-powers were equal (Fine and Wilf), and so their roots.
 */

#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt_priv.h"

struct plain {
	const struct ebwt *x;
	uint64_t *item, *other;
	uint32_t *pos, *class;
};

static bool
row_before(const struct plain *p, uint64_t a, uint64_t b)
{
	const struct ebwt_class *u = &p->x->class[p->class[a]];
	const struct ebwt_class *v = &p->x->class[p->class[b]];
	uint32_t i = p->pos[a], j = p->pos[b];

	while (u->root[i] == v->root[j]) {
		i = i + 1 == u->n ? 0 : i + 1;
		j = j + 1 == v->n ? 0 : j + 1;
	}
	return u->root[i] < v->root[j];
}

/* [beg, mid) and [mid, end) of item, each sorted, become one in other. */
static void
merge_rows(struct plain *p, uint64_t beg, uint64_t mid, uint64_t end)
{
	uint64_t i = beg, j = mid, *to = p->other + beg;

	while (i < mid && j < end)
		*to++ = row_before(p, p->item[j], p->item[i]) ? p->item[j++]
							      : p->item[i++];
	memcpy(to, p->item + i, (mid - i) * sizeof *to);
	to += mid - i;
	memcpy(to, p->item + j, (end - j) * sizeof *to);
}

static void
sort_rows(struct plain *p)
{
	uint64_t n = p->x->n_roots, *swap;

	for (uint64_t len = 1; len < n; len *= 2) {
		for (uint64_t beg = 0; beg < n; beg += 2 * len)
			merge_rows(p, beg, min_u64(beg + len, n),
				   min_u64(beg + 2 * len, n));
		swap = p->item;
		p->item = p->other;
		p->other = swap;
	}
}

static void
fill_rows(struct plain *p)
{
	uint64_t n = 0;

	for (size_t c = 0; c < p->x->n_classes; c++)
		for (uint32_t i = 0; i < p->x->class[c].n; i++) {
			p->pos[n] = i;
			p->class[n] = (uint32_t)c;
			p->item[n] = n;
			n++;
		}
}

int
ebwt_sort_plain(struct ebwt *x, bool wants_offsets, ebwt_batch_fn *fn,
		void *arg, struct err *e)
{
	struct plain p = { .x = x };
	uint64_t n = x->n_roots;
	int rc = ebwt_take(x, &p.item, n, sizeof *p.item, e);

	(void)wants_offsets;	/* they are there */
	if (!rc)
		rc = ebwt_take(x, &p.other, n, sizeof *p.other, e);
	if (!rc)
		rc = ebwt_take(x, &p.pos, n, sizeof *p.pos, e);
	if (!rc)
		rc = ebwt_take(x, &p.class, n, sizeof *p.class, e);
	if (!rc) {
		struct ebwt_batch b = {
			.n = n, .base = x->par.origin, .index_mask = ~0ull,
			.pos = p.pos, .class = p.class,
		};

		fill_rows(&p);
		sort_rows(&p);
		b.item = p.item;
		rc = fn(arg, &b, e);
	}
	ebwt_give(x, &p.item);
	ebwt_give(x, &p.other);
	ebwt_give(x, &p.pos);
	ebwt_give(x, &p.class);
	return rc;
}
