/* SPDX-License-Identifier: MIT */
/* ebwt_anchor.c - rotations to integers, bucket by bucket, and these sorted */
#include "algo/ebwt_anchor.h"
#include "base/minmax.h"

struct items {
	struct ebwt_anchors *a;
	unsigned index_bits, offset_bits;
	uint64_t *end;			/* by bucket, of all rotations */
	uint64_t most;			/* in a batch: room of item */
	uint64_t *item;
	uint64_t *tmp, largest;		/* for the largest bucket, by thread */
	uint32_t *pos, *class;		/* by rank */
	uint64_t lo, hi;		/* buckets of a batch */
	uint64_t base;			/* rotations before it */
};

/* The last anchor that begins at rotation i of class c, or before. */
static uint32_t
serving(const struct ebwt_anchors *a, uint32_t c, int64_t i)
{
	uint32_t lo = a->first[c], hi = a->first[c + 1];

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ebwt_begin(a, mid, c) <= i)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Where a class is read: the anchor of a rotation, and where it ends. */
struct cursor {
	uint32_t class, anchor;
	int64_t round;		/* letters of the rounds before */
	int64_t pos, stop;	/* the anchor, the first rotation of the next */
};

static inline void
look(const struct ebwt_anchors *a, struct cursor *u)
{
	uint32_t next = u->anchor + 1, c = u->class;
	int64_t round = u->round;

	if (next == a->first[c + 1]) {
		next = a->first[c];
		round += a->x->class[c].n;
	}
	u->pos = (int64_t)a->pos[u->anchor] - a->base[c] + u->round;
	u->stop = ebwt_begin(a, next, c) + round;
}

static inline void
advance(const struct ebwt_anchors *a, struct cursor *u)
{
	if (++u->anchor == a->first[u->class + 1]) {
		u->anchor = a->first[u->class];
		u->round += a->x->class[u->class].n;
	}
	look(a, u);
}

/* Rotations [i, i + n) of a class become items, those of the batch's buckets;
 * others go to `spare`. */
static void
scatter_block(const struct items *t, struct cursor *u, int64_t i, unsigned n,
	      uint64_t *count, uint64_t *spare)
{
	const struct ebwt_anchors *a = t->a;
	unsigned shift = a->plan.key_bits - a->bucket_bits;
	unsigned up = t->index_bits + t->offset_bits;
	uint64_t low = (1ull << shift) - 1, width = t->hi - t->lo;
	uint64_t key[EBWT_BLOCK + 8];
	int64_t end = i + n, k = i;

	a->ops->keys(&a->plan, ebwt_codes(a, u->class) + i, n, key);
	while (k < end) {
		int64_t stop = u->stop < end ? u->stop : end;
		uint64_t rank = (uint64_t)a->rank[u->anchor] << t->offset_bits;

		for (; k < stop; k++) {
			uint64_t x = key[k - i], b = (x >> shift) - t->lo;
			uint64_t *to = b < width ? &t->item[count[b]++] : spare;

			*to = (x & low) << up | rank | (uint64_t)(u->pos - k);
		}
		if (k == u->stop)
			advance(a, u);
	}
}

static void
scatter_part(void *arg, uint64_t part, unsigned thread)
{
	const struct items *t = arg;
	const struct ebwt_anchors *a = t->a;
	const struct ebwt_part *p = &a->part[part];
	uint64_t spare;

	(void)thread;
	for (uint64_t b = t->lo; b < t->hi; b++)
		p->count[b] -= t->base;
	for (uint32_t c = p->first_class; c < a->x->n_classes &&
	     a->base[c] < p->end; c++) {
		int64_t base = a->base[c];
		int64_t i = p->beg > base ? p->beg - base : 0;
		int64_t end = (int64_t)min_u64(p->end, a->base[c + 1]) - base;
		struct cursor u = { .class = c, .anchor = serving(a, c, i) };

		look(a, &u);
		while (u.stop <= i)	/* the class's first anchor again */
			advance(a, &u);
		for (; i < end; i += EBWT_BLOCK)
			scatter_block(t, &u, i, (unsigned)min_u64(EBWT_BLOCK,
				(uint64_t)(end - i)), p->count + t->lo,
				&spare);
	}
}

/* Buckets [lo, hi), as many as there is room for. */
static void
choose(struct items *t, uint64_t lo)
{
	uint64_t buckets = 1ull << t->a->bucket_bits;

	t->lo = lo;
	t->base = lo ? t->end[lo - 1] : 0;
	t->hi = lo + 1;
	while (t->hi < buckets && t->end[t->hi] - t->base <= t->most)
		t->hi++;
}

static void
sort_bucket(void *arg, uint64_t i, unsigned thread)
{
	const struct items *t = arg;
	uint64_t b = t->lo + i, beg = b ? t->end[b - 1] : 0;

	ebwt_radix(t->item + (beg - t->base), t->end[b] - beg,
		   t->tmp + t->largest * thread);
}

static int
batch(struct items *t, ebwt_batch_fn *fn, void *arg, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	struct ebwt_batch b = {
		.item = t->item, .n = t->end[t->hi - 1] - t->base,
		.base = t->base, .offset_bits = t->offset_bits,
		.index_mask = (1ull << t->index_bits) - 1, .pos = t->pos,
		.class = t->class,
	};
	unsigned n = a->n_parts;

	if (!b.n)
		return 0;
	ebwt_each(n, n, scatter_part, t);
	ebwt_each(n, t->hi - t->lo, sort_bucket, t);
	return fn(arg, &b, e);
}

/* Where each bucket ends, and each part's share of it begins. */
static void
sum_counts(struct items *t)
{
	struct ebwt_anchors *a = t->a;
	uint64_t buckets = 1ull << a->bucket_bits, sum = 0;

	for (uint64_t b = 0; b < buckets; b++) {
		uint64_t beg = sum;

		for (unsigned i = 0; i < a->n_parts; i++) {
			uint64_t count = a->part[i].count[b];

			a->part[i].count[b] = sum;
			sum += count;
		}
		t->end[b] = sum;
		t->largest = max_u64(t->largest, sum - beg);
	}
}

/* The part's anchors, by rank. */
static void
by_rank(void *arg, uint64_t part, unsigned thread)
{
	const struct items *t = arg;
	const struct ebwt_anchors *a = t->a;
	const struct ebwt_part *p = &a->part[part];
	uint32_t c = p->first_class;

	(void)thread;
	for (uint32_t k = p->first_anchor; k < p->first_anchor + p->n_anchors;
	     k++) {
		while (a->pos[k] >= a->base[c + 1])
			c++;
		t->pos[a->rank[k]] = a->pos[k] - a->base[c];
		t->class[a->rank[k]] = c;
	}
}

/* Room for as many items as memory allows, of whole buckets. */
static int
item_room(struct items *t, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	struct ebwt *x = a->x;
	uint64_t n = x->n_roots, threads = a->n_parts, max = x->par.memory;
	int rc = ebwt_take(x, &t->end, 1ull << a->bucket_bits,
			   sizeof *t->end, e);

	if (rc)
		return rc;
	sum_counts(t);
	rc = ebwt_take(x, &t->tmp, threads * t->largest, sizeof *t->tmp, e);
	if (rc)
		return rc;
	t->most = n;
	if (max)	/* the head of an allocation is small */
		t->most = min_u64(n, (max - min_u64(max, x->used + 4096)) / 8);
	if (x->par.batch)
		t->most = min_u64(t->most, x->par.batch);
	t->most = max_u64(t->most, t->largest);
	return ebwt_take(x, &t->item, t->most, sizeof *t->item, e);
}

static int
items(struct items *t, ebwt_batch_fn *fn, void *arg, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	struct ebwt *x = a->x;
	int rc = ebwt_take(x, &t->pos, a->n, sizeof *t->pos, e);

	if (!rc)
		rc = ebwt_take(x, &t->class, a->n, sizeof *t->class, e);
	if (rc)
		return rc;
	ebwt_each(a->n_parts, a->n_parts, by_rank, t);
	rc = item_room(t, e);
	for (uint64_t b = 0; !rc && b < 1ull << a->bucket_bits; b = t->hi) {
		choose(t, b);
		rc = batch(t, fn, arg, e);
	}
	return rc;
}

int
ebwt_sort_anchors(struct ebwt *x, ebwt_batch_fn *fn, void *arg, struct err *e)
{
	struct ebwt_anchors a = { .x = x, .ops = ebwt_ops() };
	struct items t = { .a = &a };
	int rc = ebwt_text(&a, e);

	if (!rc)
		rc = ebwt_find(&a, e);
	if (!rc)
		rc = ebwt_order(&a, e);
	ebwt_give(x, &a.sorted);
	if (!rc) {
		t.index_bits = ebwt_bits(a.n);
		t.offset_bits = ebwt_bits(a.plan.window - 1);
		rc = items(&t, fn, arg, e);
	}
	ebwt_give(x, &t.end);
	ebwt_give(x, &t.tmp);
	ebwt_give(x, &t.item);
	ebwt_give(x, &t.pos);
	ebwt_give(x, &t.class);
	ebwt_give(x, &a.part);
	ebwt_give(x, &a.counts);
	ebwt_give(x, &a.text);
	ebwt_give(x, &a.base);
	ebwt_give(x, &a.first);
	ebwt_give(x, &a.pos);
	ebwt_give(x, &a.reach);
	ebwt_give(x, &a.key);
	ebwt_give(x, &a.next);
	ebwt_give(x, &a.rank);
	return rc;
}
