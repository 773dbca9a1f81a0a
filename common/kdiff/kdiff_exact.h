/* SPDX-License-Identifier: MIT */
/*
 * kdiff_exact.h - inside of kdiff: patterns whose first or last letters must
 * match, see kdiff_set_exact()
 */
#ifndef SEQF_KDIFF_KDIFF_EXACT_H
#define SEQF_KDIFF_KDIFF_EXACT_H

#include "kdiff/kdiff_priv.h"

/* As a distance: no alignment keeps the rule. */
enum { EXACT_NONE = KDIFF_NO_CORE };

/* One pattern, and what surrounds one end. */
struct exact {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	const struct kdiff_pat *p;
	uint32_t core;
	size_t words;		/* of the core */
	uint64_t *pv, *mv;
	uint8_t *letter;	/* of the text before the end, n of them */
	uint64_t n;
	size_t seg;		/* of the last end */
};

/* Does pattern letter i match a text letter of this class? */
static inline bool
exact_fits(const struct kdiff_set *set, const struct kdiff_pat *p, uint32_t i,
	   uint8_t class)
{
	uint8_t sym = set->sym[p->code[i]];

	return set->p.alphabet == KDIFF_DNA ? sym & class : sym == class;
}

/* Text letters from its segment's begin to the hit's end. */
static inline uint64_t
exact_before(struct exact *x, const struct kdiff_hit *h)
{
	const struct kdiff_seg *g = &x->text->seg[x->seg];

	if (h->end <= g->beg || h->end > g->end) {
		x->seg = kdiff_seg_find(x->text, h->end - 1);
		g = &x->text->seg[x->seg];
	}
	return h->end - g->beg;
}

/* Do pattern letters [i, i + n) stand at place `at` of the window? */
static inline bool
exact_stands(const struct exact *x, uint32_t i, uint32_t n, uint64_t at)
{
	for (uint32_t j = 0; j < n; j++)
		if (!exact_fits(x->set, x->p, i + j, x->letter[at + j]))
			return false;
	return true;
}

static inline bool
exact_head(const struct exact *x, uint64_t at)
{
	uint32_t head = x->p->head;

	return at >= head && exact_stands(x, 0, head, at - head);
}

static inline void
exact_choose(struct exact *x, uint32_t pattern)
{
	x->p = &x->set->pat[pattern];
	x->core = x->p->m - x->p->head - x->p->tail;
	x->words = (x->core + 63) / 64;
}

/* Classes of n letters from `at`. */
void kdiff_exact_read(const struct exact *x, uint64_t at, uint64_t n,
		      uint8_t *to);

/*
 * h[from..n) are ends with plain distances <= k: the distance that keeps the
 * rule takes their place, and those above k are left out.  0 or ERR_NOMEM.
 */
int kdiff_exact_keep(const struct kdiff_set *set,
		     const struct kdiff_text *text, struct kdiff_work *w,
		     struct kdiff_hits *h, size_t from, struct err *e);

/* kdiff_trace() of such a set; not for Hamming distance. */
int kdiff_exact_trace(const struct kdiff_set *set,
		      const struct kdiff_text *text, struct kdiff_work *w,
		      const struct kdiff_hit *hits, size_t n,
		      struct kdiff_path *paths, struct buf *ops,
		      struct err *e);

#endif
