/* SPDX-License-Identifier: MIT */
/*
 * ebwt_bundle.c - rotations of near-identical words, sorted in bundles
 *
 * Two anchors that are neighbours in rank, and agree in the w - 1 letters
 * before them and the L letters of their keys, are of a bundle.  These letters
 * alone decide which rotations an anchor serves, and their keys: one that lies
 * d before it, d < w, has its anchor there or not by letters up to L - 2 behind
 * itself.  So both serve rotations that lie equally far before them, and these
 * have equal keys: as (key, rank) they are neighbours, too, since there is no
 * rank between.  One item stands for those of all the bundle's anchors, with
 * the least rank, and is sorted alone; then the others follow it.
 */

#include <stdatomic.h>
#include <string.h>

#include "ebwt/ebwt_anchor.h"

enum { AHEAD = 32 };

struct bundles {
	struct ebwt_anchors *a;
	uint32_t *class;	/* by anchor */
	_Atomic uint64_t leads;	/* rotations */
};

static void
find_classes(void *arg, uint64_t part, unsigned thread)
{
	const struct bundles *t = arg;
	const struct ebwt_anchors *a = t->a;
	const struct ebwt_part *p = &a->part[part];
	uint32_t c = p->first_class;

	(void)thread;
	for (uint32_t k = p->first_anchor; k < p->first_anchor + p->n_anchors;
	     k++) {
		while (k >= a->first[c + 1])
			c++;
		t->class[k] = c;
	}
}

/* The first letter that decides what an anchor serves. */
static inline const uint8_t *
letters_of(const struct bundles *t, uint32_t anchor)
{
	const struct ebwt_anchors *a = t->a;

	return ebwt_codes(a, t->class[anchor]) + a->pos[anchor] -
	       (a->plan.window - 1);
}

/* Anchors [k, k + n) of a part, and who is behind them in rank. */
struct neighbours {
	uint32_t k, n;
	uint32_t of[AHEAD];	/* or EBWT_NONE: of the last one */
};

static inline void
load_neighbours(const struct bundles *t, uint32_t k, uint32_t end,
		struct neighbours *m)
{
	const struct ebwt_anchors *a = t->a;

	m->k = k;
	m->n = end - k < AHEAD ? end - k : AHEAD;
	for (uint32_t i = 0; i < m->n; i++)
		__builtin_prefetch(&a->sorted[a->rank[k + i] + 1], 1);
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t next = a->rank[k + i] + 1;

		m->of[i] = next < a->n ? a->sorted[next] : EBWT_NONE;
		if (next == a->n)
			continue;
		__builtin_prefetch(&t->class[m->of[i]]);
		__builtin_prefetch(&a->pos[m->of[i]]);
	}
}

static inline void
compare_neighbours(const struct bundles *t, const struct neighbours *m)
{
	const struct ebwt_anchors *a = t->a;
	unsigned len = a->plan.window - 1 + a->plan.letters;

	for (uint32_t i = 0; i < m->n; i++)
		if (m->of[i] != EBWT_NONE)
			__builtin_prefetch(letters_of(t, m->of[i]));
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t b = m->of[i];
		bool same;

		if (b == EBWT_NONE)
			continue;
		same = !memcmp(letters_of(t, m->k + i), letters_of(t, b), len);
		/* this was who is behind, which nobody else asks */
		a->sorted[a->rank[m->k + i] + 1] = t->class[b] << 1 | same;
		a->led[b] = same;
	}
}

/*
 * In the order of the text: where one word is like another, so are the anchors
 * behind, and what is read of both lies side by side.  What does not is asked
 * for beforehand.
 */
static void
find_bundles(void *arg, uint64_t part, unsigned thread)
{
	const struct bundles *t = arg;
	const struct ebwt_part *p = &t->a->part[part];
	uint32_t end = p->first_anchor + p->n_anchors;
	struct neighbours m;

	(void)thread;
	for (uint32_t k = p->first_anchor; k < end; k += m.n) {
		load_neighbours(t, k, end, &m);
		compare_neighbours(t, &m);
	}
}

/* Rotations that the part's anchors serve that lead. */
static void
count_leads(void *arg, uint64_t part, unsigned thread)
{
	struct bundles *t = arg;
	const struct ebwt_anchors *a = t->a;
	const struct ebwt_part *p = &a->part[part];
	uint64_t n = 0;

	(void)thread;
	for (uint32_t k = p->first_anchor; k < p->first_anchor + p->n_anchors;
	     k++) {
		uint32_t c = t->class[k], next = k + 1;
		int64_t lap = 0;

		if (next == a->first[c + 1]) {
			next = a->first[c];
			lap = a->x->class[c].n;
		}
		if (!a->led[k])
			n += (uint64_t)(ebwt_begin(a, next) + lap -
					ebwt_begin(a, k));
	}
	atomic_fetch_add(&t->leads, n);
}

static void
bundle_anchors(struct ebwt_anchors *a)
{
	struct bundles t = { .a = a, .class = ebwt_slab(a, EBWT_SLAB_ITEM) };

	threads_each(a->threads, a->n_parts, find_classes, &t);
	a->led[a->sorted[0]] = 0;
	a->sorted[0] = t.class[a->sorted[0]] << 1;
	a->sorted[a->n] = 0;
	threads_each(a->threads, a->n_parts, find_bundles, &t);
	threads_each(a->threads, a->n_parts, count_leads, &t);
	a->n_leads = t.leads;
}

/* Bundles, and batches of what they stand for, in place of items. */
static bool
bundles_fit(const struct ebwt_anchors *a, uint64_t largest)
{
	return a->n_leads <= UINT32_MAX &&
	       a->n_leads + largest <= a->slab_bytes / 8;
}

/* A test wants bundles: room for them. */
static int
make_room(struct ebwt_anchors *a, uint64_t largest, struct err *e)
{
	ebwt_give(a->x, &a->slab);
	a->slab_bytes = (a->n_leads + largest) * 8;
	return ebwt_take(a->x, &a->slab, a->slab_bytes, 1, e);
}

/* Half as many items are worth it. */
static bool
is_worth_it(const struct ebwt_anchors *a, uint64_t largest)
{
	return a->x->par.bundles == EBWT_BUNDLES ||
	       (bundles_fit(a, largest) && a->n_leads <= a->x->n_roots / 2);
}

/* There is a bundle or more for each key, mostly two where there are many. */
static bool
may_be_worth_it(const struct ebwt_anchors *a)
{
	enum ebwt_bundling way = a->x->par.bundles;

	return a->x->n_classes < 1u << 31 && (way == EBWT_BUNDLES ||
	       (way == EBWT_BUNDLES_AUTO && a->n_keys <= a->n / 4));
}

int
ebwt_bundles(struct ebwt_anchors *a, uint64_t largest, struct err *e)
{
	int rc = 0;

	if (may_be_worth_it(a)) {
		rc = ebwt_take(a->x, &a->led, a->n, 1, e);
		if (!rc)
			bundle_anchors(a);
		if (!rc && !is_worth_it(a, largest))
			ebwt_give(a->x, &a->led);
		else if (!rc && !bundles_fit(a, largest))
			rc = make_room(a, largest, e);
	}
	if (a->led) {
		a->member = a->sorted;
		a->sorted = NULL;
	}
	ebwt_give(a->x, &a->sorted);
	return rc;
}
