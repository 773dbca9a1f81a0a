/* SPDX-License-Identifier: MIT */
/* ebwt_scatter.c - rotations to integers, and these to buckets */
#include "algo/ebwt_anchor.h"
#include "base/minmax.h"

/* The last anchor that begins at rotation i of class c, or before. */
static uint32_t
serving(const struct ebwt_anchors *a, uint32_t c, int64_t i)
{
	uint32_t lo = a->first[c], hi = a->first[c + 1];

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ebwt_begin(a, mid) <= i)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Where a class is read: the anchor of a rotation. */
struct cursor {
	uint32_t class, anchor;
	int64_t round;		/* letters of the rounds before */
};

static inline int64_t
anchor_pos(const struct ebwt_anchors *a, const struct cursor *u)
{
	return (int64_t)a->pos[u->anchor] + u->round;
}

static inline void
advance(const struct ebwt_anchors *a, struct cursor *u)
{
	if (++u->anchor == a->first[u->class + 1]) {
		u->anchor = a->first[u->class];
		u->round += a->x->class[u->class].n;
	}
}

static inline int64_t
anchor_begin(const struct ebwt_anchors *a, const struct cursor *u)
{
	return ebwt_begin(a, u->anchor) + u->round;
}

/* To the anchor of rotation i, which is not before that of the cursor. */
static void
settle(const struct ebwt_anchors *a, struct cursor *u, int64_t i)
{
	struct cursor old;

	do {
		old = *u;
		advance(a, u);
	} while (anchor_begin(a, u) <= i);
	*u = old;
}

static inline bool
is_led(const struct ebwt_anchors *a, const struct cursor *u)
{
	return a->led && a->led[u->anchor];
}

/* The runs of rotations [i, *end), of equal anchors, or, of those that lead
 * bundles, up to the first that does not, which *end becomes; the cursor is at
 * the anchor of i, then at that of *end. */
static unsigned
runs(const struct ebwt_items *t, struct cursor *u, int64_t i, int64_t *end,
     struct ebwt_run *run)
{
	const struct ebwt_anchors *a = t->a;
	const struct ebwt_layout *l = &a->layout;
	unsigned n = 0;
	int64_t k = i;

	for (;;) {
		struct cursor old = *u;
		uint64_t tail = l->has_class ? u->class : a->wants_offsets ?
			(uint64_t)(anchor_pos(a, u) - k) : 0;

		run[n++] = (struct ebwt_run){
			(uint64_t)a->rank[u->anchor] << l->tail_bits | tail,
			(uint32_t)(k - i),
		};
		advance(a, u);
		k = anchor_begin(a, u);
		if (k > *end)
			*u = old;
		if (k >= *end)
			return n;
		if (is_led(a, u)) {
			*end = k;
			return n;
		}
	}
}

/* Rotations of a class from i on, before `end`, become items, those of the
 * batch's buckets, or are counted; returns where the next ones begin. */
static int64_t
scatter_block(const struct ebwt_items *t, struct cursor *u, int64_t i,
	      int64_t end, uint32_t *count, bool counts)
{
	const struct ebwt_anchors *a = t->a;
	const struct ebwt_layout *l = &a->layout;
	struct ebwt_pick pick = {
		.shift = a->plan.key_bits - l->bucket_bits,
		.up = l->index_bits + l->tail_bits,
		.lo = t->lo, .width = t->hi - t->lo,
		.counts_down = a->wants_offsets,
	};
	struct ebwt_run run[EBWT_BLOCK];
	uint64_t item[EBWT_BLOCK + 8];
	uint32_t bucket[EBWT_BLOCK + 8];
	unsigned m;

	end = end - i < EBWT_BLOCK ? end : i + EBWT_BLOCK;
	m = runs(t, u, i, &end, run);
	m = a->ops->items(&a->plan, &pick, ebwt_codes(a, u->class) + i,
			  (unsigned)(end - i), run, m, item, bucket);
	for (unsigned k = 0; counts && k < m; k++)
		count[bucket[k]]++;
	for (unsigned k = 0; !counts && k < m; k++) {
		uint64_t *to = &t->to[count[bucket[k]]++];

		__builtin_prefetch(to + 8, 1);
		*to = item[k];
	}
	return end;
}

/* From rotation i on, the first one whose anchor leads a bundle, or one from
 * `end` on; the cursor goes along. */
static inline int64_t
next_lead(const struct ebwt_anchors *a, struct cursor *u, int64_t i,
	  int64_t end)
{
	while (i < end && is_led(a, u)) {
		advance(a, u);
		i = anchor_begin(a, u);
	}
	return i;
}

static void
scatter_part(const struct ebwt_items *t, const struct ebwt_part *p, bool counts)
{
	const struct ebwt_anchors *a = t->a;

	for (uint32_t c = p->first_class; c < a->x->n_classes &&
	     a->base[c] < p->end; c++) {
		uint64_t base = a->base[c];
		int64_t i = p->beg > base ? (int64_t)(p->beg - base) : 0;
		int64_t end = (int64_t)(min_u64(p->end, a->base[c + 1]) - base);
		struct cursor u = { .class = c, .anchor = serving(a, c, i) };

		settle(a, &u, i);	/* may be the first anchor again */
		while ((i = next_lead(a, &u, i, end)) < end)
			i = scatter_block(t, &u, i, end, p->count + t->lo,
					  counts);
	}
}

void
ebwt_scatter(void *arg, uint64_t part, unsigned thread)
{
	const struct ebwt_items *t = arg;

	(void)thread;
	scatter_part(t, &t->a->part[part], false);
}

void
ebwt_count_items(void *arg, uint64_t part, unsigned thread)
{
	const struct ebwt_items *t = arg;

	(void)thread;
	scatter_part(t, &t->a->part[part], true);
}
