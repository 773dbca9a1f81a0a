/* SPDX-License-Identifier: MIT */
/* ebwt_anchor.c - rotations to integers, bucket by bucket, and these sorted */
#include <string.h>

#include "algo/ebwt_anchor.h"
#include "base/minmax.h"

enum { AHEAD = 16 };	/* bundles */

struct span {
	uint64_t beg, end;
};

/* Buckets [lo, hi), as many as there is room for. */
static void
choose(struct ebwt_items *t, uint64_t lo)
{
	uint64_t buckets = 1ull << t->a->layout.bucket_bits;

	t->lo = lo;
	t->base = lo ? t->end[lo - 1] : 0;
	t->hi = lo + 1;
	while (t->hi < buckets && t->end[t->hi] - t->base <= t->most)
		t->hi++;
}

/* Counts of the batch's buckets become where each part's share begins. */
static void
begin_parts(const struct ebwt_items *t)
{
	const struct ebwt_anchors *a = t->a;
	uint32_t sum = 0;

	for (uint64_t b = t->lo; b < t->hi; b++)
		for (unsigned i = 0; i < a->n_parts; i++) {
			uint32_t *at = &a->part[i].count[b], count = *at;

			*at = sum;
			sum += count;
		}
}

static void
sort_bucket(void *arg, uint64_t i, unsigned thread)
{
	const struct ebwt_items *t = arg;
	uint64_t b = t->lo + i, beg = b ? t->end[b - 1] : 0;

	t->a->ops->radix(t->item + (beg - t->base), t->end[b] - beg,
			 t->tmp + t->largest * thread,
			 t->a->layout.tail_bits);
}

/* Bucket b of the bundles. */
static struct span
bundles_of(const struct ebwt_items *t, uint64_t b)
{
	const uint32_t *end = t->a->part[t->a->n_parts - 1].count;

	return (struct span){ b ? end[b - 1] : 0, end[b] };
}

static void
sort_bundles(void *arg, uint64_t b, unsigned thread)
{
	const struct ebwt_items *t = arg;
	struct span s = bundles_of(t, b);

	t->a->ops->radix(t->bundle + s.beg, s.end - s.beg,
			 t->tmp + t->largest * thread,
			 t->a->layout.tail_bits);
}

/* All bundles, bucket by bucket. */
static void
make_bundles(struct ebwt_items *t)
{
	struct ebwt_anchors *a = t->a;
	uint64_t buckets = 1ull << a->layout.bucket_bits;

	memset(a->counts, 0, a->n_parts * buckets * sizeof *a->counts);
	t->lo = 0;
	t->hi = buckets;
	t->to = t->bundle;
	ebwt_each(a->threads, a->n_parts, ebwt_count_items, t);
	begin_parts(t);
	ebwt_each(a->threads, a->n_parts, ebwt_scatter, t);
	ebwt_each(a->threads, buckets, sort_bundles, t);
}

/* Whose ranks the bundle's are, from the first one on. */
static inline const uint32_t *
members(const struct ebwt_items *t, uint64_t bundle)
{
	const struct ebwt_layout *l = &t->a->layout;

	return t->a->member + (bundle >> l->tail_bits &
			       ((1ull << l->index_bits) - 1));
}

/* What a bucket's bundles stand for: the ranks from theirs on, or, where no
 * offset is asked for, the classes. */
static void
spread_bucket(void *arg, uint64_t i, unsigned thread)
{
	const struct ebwt_items *t = arg;
	struct span s = bundles_of(t, t->lo + i);
	uint64_t b = t->lo + i, step = 1ull << t->a->layout.tail_bits;
	uint64_t *to = t->item + ((b ? t->end[b - 1] : 0) - t->base);
	bool ranks = t->a->wants_offsets;

	(void)thread;
	for (; s.beg < s.end; s.beg++) {
		const uint32_t *m = members(t, t->bundle[s.beg]), *ahead;
		uint64_t x = t->bundle[s.beg];

		if (s.beg + AHEAD < s.end) {
			ahead = members(t, t->bundle[s.beg + AHEAD]);
			__builtin_prefetch(ahead);
			__builtin_prefetch(ahead + 16);
		}
		do {
			*to++ = ranks ? x : *m >> 1;
			x += step;
		} while (*++m & 1);
	}
}

static int
batch(struct ebwt_items *t, ebwt_batch_fn *fn, void *arg, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	struct ebwt_batch b = {
		.item = t->item, .n = t->end[t->hi - 1] - t->base,
		.base = t->base + a->x->par.origin,
		.tail_bits = a->layout.tail_bits,
		.index_mask = (1ull << a->layout.index_bits) - 1,
		.pos = t->pos, .class = t->class,
	};

	if (!b.n)
		return 0;
	if (a->led) {
		if (!a->wants_offsets)	/* it is the class */
			b.tail_bits = 32;
		ebwt_each(a->threads, t->hi - t->lo, spread_bucket, t);
		return fn(arg, &b, e);
	}
	begin_parts(t);
	t->to = t->item;
	ebwt_each(a->threads, a->n_parts, ebwt_scatter, t);
	ebwt_each(a->threads, t->hi - t->lo, sort_bucket, t);
	return fn(arg, &b, e);
}

static void
sum_counts(struct ebwt_items *t)
{
	struct ebwt_anchors *a = t->a;
	uint64_t sum = 0;

	for (uint64_t b = 0; b < 1ull << a->layout.bucket_bits; b++) {
		uint64_t beg = sum;

		for (unsigned i = 0; i < a->n_parts; i++)
			sum += a->part[i].count[b];
		t->end[b] = sum;
		t->largest = max_u64(t->largest, sum - beg);
	}
}

/* The part's anchors, by rank. */
static void
by_rank(void *arg, uint64_t part, unsigned thread)
{
	const struct ebwt_items *t = arg;
	const struct ebwt_anchors *a = t->a;
	const struct ebwt_part *p = &a->part[part];
	uint32_t c = p->first_class;

	(void)thread;
	for (uint32_t k = p->first_anchor; k < p->first_anchor + p->n_anchors;
	     k++) {
		while (k >= a->first[c + 1])
			c++;
		if (a->wants_offsets)
			t->pos[a->rank[k]] = a->pos[k];
		t->class[a->rank[k]] = c;
	}
}

/*
 * More than a few at a time do not sort faster, and take memory that is new to
 * the process.  Of many, all are read as often as there are batches.
 */
uint64_t
ebwt_batch_size(const struct ebwt *x)
{
	enum { FEW = 12 << 20 };

	return min_u64(x->n_roots, max_u64(FEW, x->n_roots / 4));
}

/* Room for as many items as memory allows, of whole buckets. */
static int
item_room(struct ebwt_items *t, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	struct ebwt *x = a->x;
	uint64_t n = x->n_roots, max = x->par.memory;

	t->most = n;
	if (max)	/* the head of an allocation is small */
		t->most = min_u64(n, (max + a->slab_bytes - min_u64(max +
			a->slab_bytes, x->used + 4096)) / 8);
	else
		t->most = max_u64(ebwt_batch_size(x), a->slab_bytes / 8);
	if (x->par.batch)
		t->most = min_u64(t->most, x->par.batch);
	t->most = max_u64(min_u64(t->most, UINT32_MAX), t->largest);
	if (t->most * 8 <= a->slab_bytes) {
		t->item = (uint64_t *)a->slab;
		a->slab = NULL;
		return 0;
	}
	ebwt_give(x, &a->slab);
	return ebwt_take(x, &t->item, t->most, sizeof *t->item, e);
}

/* The slab is bundles, then what they stand for, little at a time: it is read
 * soon. */
static void
bundle_room(struct ebwt_items *t)
{
	enum { SOME = 1 << 20 };
	struct ebwt_anchors *a = t->a;
	uint64_t some = a->x->par.batch ? a->x->par.batch : SOME;

	t->bundle = (uint64_t *)a->slab;
	a->slab = NULL;
	t->item = t->bundle + a->n_leads;
	t->most = max_u64(t->largest, min_u64(some, a->slab_bytes / 8 -
					      a->n_leads));
}

/* What an item's rank leads to, if anything is looked up by it. */
static int
rank_room(struct ebwt_items *t, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	int rc = 0;

	if (a->layout.has_class || (a->led && !a->wants_offsets))
		return 0;
	if (a->wants_offsets)
		rc = ebwt_take(a->x, &t->pos, a->n, sizeof *t->pos, e);
	if (!rc)
		rc = ebwt_take(a->x, &t->class, a->n, sizeof *t->class, e);
	if (!rc)
		ebwt_each(a->threads, a->n_parts, by_rank, t);
	return rc;
}

/* Sizes of buckets; bundles or not; and room. */
static int
prepare(struct ebwt_items *t, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	struct ebwt_layout *l = &a->layout;
	int rc = ebwt_take(a->x, &t->end, 1ull << l->bucket_bits,
			   sizeof *t->end, e);

	if (rc)
		return rc;
	sum_counts(t);
	if (t->largest > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "%llu rotations begin alike: "
			"too many (at most %u)",
			(unsigned long long)t->largest, UINT32_MAX);
	rc = ebwt_bundles(a, t->largest, e);
	if (a->led && l->has_class) {	/* each rotation has its own */
		l->has_class = false;
		l->tail_bits = 0;
	}
	if (!rc)
		rc = rank_room(t, e);
	if (!rc)
		rc = ebwt_take(a->x, &t->tmp, a->threads * t->largest,
			       sizeof *t->tmp, e);
	if (!rc && a->led)
		bundle_room(t);
	else if (!rc)
		rc = item_room(t, e);
	return rc;
}

static int
items(struct ebwt_items *t, ebwt_batch_fn *fn, void *arg, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	int rc = prepare(t, e);

	if (!rc && a->led)
		make_bundles(t);
	for (uint64_t b = 0; !rc && b < 1ull << a->layout.bucket_bits;
	     b = t->hi) {
		choose(t, b);
		rc = batch(t, fn, arg, e);
	}
	return rc;
}

int
ebwt_sort_anchors(struct ebwt *x, bool wants_offsets, ebwt_batch_fn *fn,
		  void *arg, struct err *e)
{
	struct ebwt_anchors a = {
		.x = x, .ops = ebwt_ops(), .wants_offsets = wants_offsets,
	};
	struct ebwt_items t = { .a = &a };
	int rc = ebwt_text(&a, e);

	if (!rc)
		rc = ebwt_find(&a, e);
	if (!rc)
		rc = ebwt_order(&a, e);
	if (!rc)
		rc = items(&t, fn, arg, e);
	ebwt_give(x, &t.end);
	ebwt_give(x, &t.tmp);
	if (!t.bundle)		/* else it is in what is the bundles' */
		ebwt_give(x, &t.item);
	ebwt_give(x, &t.bundle);
	ebwt_give(x, &t.pos);
	ebwt_give(x, &t.class);
	ebwt_give(x, &a.part);
	ebwt_give(x, &a.counts);
	ebwt_give(x, &a.text);
	ebwt_give(x, &a.base);
	ebwt_give(x, &a.first);
	ebwt_give(x, &a.pos);
	ebwt_give(x, &a.reach);
	ebwt_give(x, &a.slab);
	ebwt_give(x, &a.next);
	ebwt_give(x, &a.sorted);
	ebwt_give(x, &a.rank);
	ebwt_give(x, &a.member);
	ebwt_give(x, &a.led);
	return rc;
}
