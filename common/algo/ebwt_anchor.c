/* SPDX-License-Identifier: MIT */
/* ebwt_anchor.c - rotations to integers, bucket by bucket, and these sorted */
#include "algo/ebwt_anchor.h"
#include "base/minmax.h"

struct items {
	struct ebwt_anchors *a;
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

/* The runs of rotations [i, end), of equal anchors; the cursor is at the anchor
 * of i, then at that of `end`. */
static unsigned
runs(const struct items *t, struct cursor *u, int64_t i, int64_t end,
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
		if (k > end)
			*u = old;
		if (k >= end)
			return n;
	}
}

/* Rotations [i, i + n) of a class become items, those of the batch's
 * buckets. */
static void
scatter_block(const struct items *t, struct cursor *u, int64_t i, unsigned n,
	      uint32_t *count)
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
	unsigned m = runs(t, u, i, i + n, run);

	m = a->ops->items(&a->plan, &pick, ebwt_codes(a, u->class) + i, n, run,
			  m, item, bucket);
	for (unsigned k = 0; k < m; k++) {
		uint64_t *to = &t->item[count[bucket[k]]++];

		__builtin_prefetch(to + 8, 1);
		*to = item[k];
	}
}

static void
scatter_part(void *arg, uint64_t part, unsigned thread)
{
	const struct items *t = arg;
	const struct ebwt_anchors *a = t->a;
	const struct ebwt_part *p = &a->part[part];
	(void)thread;
	for (uint32_t c = p->first_class; c < a->x->n_classes &&
	     a->base[c] < p->end; c++) {
		uint64_t base = a->base[c];
		int64_t i = p->beg > base ? (int64_t)(p->beg - base) : 0;
		int64_t end = (int64_t)(min_u64(p->end, a->base[c + 1]) - base);
		struct cursor u = { .class = c, .anchor = serving(a, c, i) };

		settle(a, &u, i);	/* may be the first anchor again */
		for (; i < end; i += EBWT_BLOCK)
			scatter_block(t, &u, i, (unsigned)min_u64(EBWT_BLOCK,
				(uint64_t)(end - i)), p->count + t->lo);
	}
}

/* Buckets [lo, hi), as many as there is room for. */
static void
choose(struct items *t, uint64_t lo)
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
begin_parts(const struct items *t)
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
	const struct items *t = arg;
	uint64_t b = t->lo + i, beg = b ? t->end[b - 1] : 0;

	t->a->ops->radix(t->item + (beg - t->base), t->end[b] - beg,
			 t->tmp + t->largest * thread,
			 t->a->layout.tail_bits);
}

static int
batch(struct items *t, ebwt_batch_fn *fn, void *arg, struct err *e)
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
	begin_parts(t);
	ebwt_each(a->threads, a->n_parts, scatter_part, t);
	ebwt_each(a->threads, t->hi - t->lo, sort_bucket, t);
	return fn(arg, &b, e);
}

static void
sum_counts(struct items *t)
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
	const struct items *t = arg;
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
item_room(struct items *t, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	struct ebwt *x = a->x;
	uint64_t n = x->n_roots, threads = a->threads, max = x->par.memory;
	int rc = ebwt_take(x, &t->end, 1ull << a->layout.bucket_bits,
			   sizeof *t->end, e);

	if (rc)
		return rc;
	sum_counts(t);
	if (t->largest > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "%llu rotations begin alike: "
			"too many (at most %u)",
			(unsigned long long)t->largest, UINT32_MAX);
	rc = ebwt_take(x, &t->tmp, threads * t->largest, sizeof *t->tmp, e);
	if (rc)
		return rc;
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

/* What an item's rank leads to, if anything is looked up by it. */
static int
rank_room(struct items *t, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	int rc = 0;

	if (a->layout.has_class)
		return 0;
	if (a->wants_offsets)
		rc = ebwt_take(a->x, &t->pos, a->n, sizeof *t->pos, e);
	if (!rc)
		rc = ebwt_take(a->x, &t->class, a->n, sizeof *t->class, e);
	if (!rc)
		ebwt_each(a->threads, a->n_parts, by_rank, t);
	return rc;
}

static int
items(struct items *t, ebwt_batch_fn *fn, void *arg, struct err *e)
{
	struct ebwt_anchors *a = t->a;
	int rc = rank_room(t, e);

	if (!rc)
		rc = item_room(t, e);
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
	struct items t = { .a = &a };
	int rc = ebwt_text(&a, e);

	if (!rc)
		rc = ebwt_find(&a, e);
	if (!rc)
		rc = ebwt_order(&a, e);
	if (!rc)
		rc = items(&t, fn, arg, e);
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
	ebwt_give(x, &a.slab);
	ebwt_give(x, &a.next);
	ebwt_give(x, &a.sorted);
	ebwt_give(x, &a.rank);
	return rc;
}
