/* SPDX-License-Identifier: MIT */
/* ebwt_anchor.c - rotations as integers, sorted bucket by bucket */

#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt_priv.h"

/* Anchors, their keys, who follows whom, and sizes of buckets. */

/* A part's windows of one class, of which some begin before its first letter:
 * the anchor of rotation 0 may be that of rotations before it, too. */
struct stretch {
	uint32_t class;
	int64_t beg, end;
};

/* What the part does of class c: of rotations [max(beg, 0), end). */
static struct stretch
stretch(const struct ebwt_anchors *a, const struct ebwt_part *p, uint32_t c)
{
	int64_t base = (int64_t)a->base[c];
	struct stretch s = {
		.class = c, .beg = (int64_t)p->beg - base,
		.end = (int64_t)min_u64(p->end, a->base[c + 1]) - base,
	};

	if (s.beg <= 0)
		s.beg = 1 - (int64_t)a->plan.window;
	return s;
}

/* Each anchor by the first window that has it, as long as there is room.
 * Windows of anchors before the class's letters or behind belong to a round
 * before or after. */
static inline void
find_block(struct ebwt_anchors *a, struct ebwt_part *p,
	   const struct stretch *s, int64_t i, unsigned n)
{
	int64_t letters = a->x->class[s->class].n;
	uint32_t out[EBWT_BLOCK + 16];
	unsigned m = a->ops->anchors(&a->plan, ebwt_codes(a, s->class) + i, n,
				     out);

	for (unsigned k = 0; k < m; k++) {
		int64_t at = i + (out[k] & 0xffff);
		uint32_t to = p->first_anchor + p->n_anchors;

		if (at < 0 || at >= letters)
			continue;
		if (p->n_anchors++ >= p->room)
			continue;
		a->pos[to] = (uint32_t)at;
		a->reach[to] = (uint8_t)((unsigned)(at - i) - (out[k] >> 16));
	}
}

static void
find_part(void *arg, uint64_t part, unsigned thread)
{
	struct ebwt_anchors *a = arg;
	struct ebwt_part *p = &a->part[part];

	(void)thread;
	p->n_anchors = 0;
	for (uint32_t c = p->first_class; c < a->x->n_classes &&
	     a->base[c] < p->end; c++) {
		struct stretch s = stretch(a, p, c);

		if (p->beg <= a->base[c])
			a->first[c] = p->n_anchors;
		for (int64_t i = s.beg; i < s.end; i += EBWT_BLOCK)
			find_block(a, p, &s, i, (unsigned)min_u64(EBWT_BLOCK,
				(uint64_t)(s.end - i)));
	}
}

/* Rotations [i, i + n) of a class go to their buckets' counts; keys of anchors
 * [k, end), as far as these are theirs, are among n + window of them.  Returns
 * the first that is not. */
static uint32_t
keys(struct ebwt_anchors *a, struct ebwt_part *p, const struct stretch *s,
     int64_t i, unsigned n, uint32_t k, uint32_t end)
{
	unsigned shift = a->plan.key_bits - a->layout.bucket_bits;
	uint64_t key[EBWT_BLOCK + 64 + 8];

	a->ops->keys(&a->plan, ebwt_codes(a, s->class) + i,
		     n + a->plan.window, key);
	for (int64_t r = i < 0 ? -i : 0; r < n; r++)
		p->count[key[r] >> shift]++;
	for (; k < end && ebwt_begin(a, k) < i + n; k++)
		a->key[k] = key[a->pos[k] - i];
	return k;
}

static void
keys_part(void *arg, uint64_t part, unsigned thread)
{
	struct ebwt_anchors *a = arg;
	struct ebwt_part *p = &a->part[part];
	uint32_t k = p->first_anchor, last = k + p->n_anchors;

	(void)thread;
	for (uint32_t c = p->first_class; c < a->x->n_classes &&
	     a->base[c] < p->end; c++) {
		struct stretch s = stretch(a, p, c);
		uint32_t end = a->base[c + 1] < p->end ? a->first[c + 1] : last;

		for (int64_t i = s.beg; i < s.end; i += EBWT_BLOCK)
			k = keys(a, p, &s, i, (unsigned)min_u64(EBWT_BLOCK,
				(uint64_t)(s.end - i)), k, end);
	}
}

/* If memory is bounded, items are given what is left of it later on. */
static int
slab(struct ebwt_anchors *a, struct err *e)
{
	uint64_t bytes = ebwt_slab_bytes(a->threads, a->n);
	int rc;

	if (!a->x->par.memory)
		bytes = max_u64(bytes, ebwt_batch_size(a->x) * 8);
	rc = ebwt_take(a->x, &a->slab, bytes, 1, e);
	if (rc)
		return rc;
	a->slab_bytes = bytes;
	a->key = ebwt_slab(a, EBWT_SLAB_KEY);
	return 0;
}

/* What else there is of anchors, once they are counted. */
static int
anchor_room(struct ebwt_anchors *a, struct err *e)
{
	struct ebwt *x = a->x;
	uint64_t buckets;
	int rc = slab(a, e);

	a->layout = ebwt_layout(x, &a->plan, a->n, a->wants_offsets);
	buckets = 1ull << a->layout.bucket_bits;
	if (!rc)
		rc = ebwt_take(x, &a->counts, a->n_parts * buckets,
			       sizeof *a->counts, e);
	if (rc)
		return rc;
	memset(a->counts, 0, a->n_parts * buckets * sizeof *a->counts);
	for (unsigned i = 0; i < a->n_parts; i++)
		a->part[i].count = a->counts + i * buckets;
	return 0;
}

/* Anchors, as many of each part as there is room for; all are counted. */
static int
find_all(struct ebwt_anchors *a, struct err *e)
{
	uint64_t room = 0;
	int rc;

	for (unsigned i = 0; i < a->n_parts; i++) {
		a->part[i].first_anchor = (uint32_t)room;
		room += a->part[i].room;
	}
	rc = ebwt_take(a->x, &a->pos, room, sizeof *a->pos, e);
	if (!rc)
		rc = ebwt_take(a->x, &a->reach, room, sizeof *a->reach, e);
	if (!rc)
		threads_each(a->threads, a->n_parts, find_part, a);
	return rc;
}

/* All that were counted, if these are not too many; *fit: there was room. */
static int
check_rooms(struct ebwt_anchors *a, bool *fit, struct err *e)
{
	uint64_t n = 0;

	*fit = true;
	for (unsigned i = 0; i < a->n_parts; i++) {
		struct ebwt_part *p = &a->part[i];

		n += p->n_anchors;
		*fit = *fit && p->n_anchors <= p->room;
	}
	return n < ebwt_most(a->x) ? 0 :
	       err_set(e, ERR_LIMIT, "too many letters in all words: "
		       "%llu anchors (at most %u)", (unsigned long long)n,
		       ebwt_most(a->x) - 1);
}

/* Parts one behind the other. */
static void
join_parts(struct ebwt_anchors *a)
{
	a->n = 0;
	for (unsigned i = 0; i < a->n_parts; i++) {
		struct ebwt_part *p = &a->part[i];
		uint32_t from = p->first_anchor, n = p->n_anchors;

		memmove(a->pos + a->n, a->pos + from, n * sizeof *a->pos);
		memmove(a->reach + a->n, a->reach + from, n);
		for (uint32_t c = p->first_class; c < a->x->n_classes &&
		     a->base[c] < p->end; c++)
			a->first[c] += p->beg <= a->base[c] ? a->n : 0;
		p->first_anchor = a->n;
		a->n += n;
	}
	a->first[a->x->n_classes] = a->n;
}

/*
 * Mostly there is room for those that there are, as far as a sample says; else
 * they are found again.
 */
int
ebwt_find(struct ebwt_anchors *a, struct err *e)
{
	uint64_t guess = ebwt_guess_anchors(a->x, &a->plan);
	uint64_t room = ebwt_anchor_room(guess, a->n_parts);
	bool fit = true;
	int rc = ebwt_take(a->x, &a->first, a->x->n_classes + 1,
			   sizeof *a->first, e);

	if (room * a->n_parts >= ebwt_most(a->x))
		room = 0;
	for (unsigned i = 0; i < a->n_parts; i++)
		a->part[i].room = (uint32_t)room;
	if (!rc)
		rc = find_all(a, e);
	if (!rc)
		rc = check_rooms(a, &fit, e);
	if (!fit && !rc) {
		ebwt_give(a->x, &a->pos);
		ebwt_give(a->x, &a->reach);
		for (unsigned i = 0; i < a->n_parts; i++)
			a->part[i].room = a->part[i].n_anchors;
		rc = find_all(a, e);
	}
	if (rc)
		return rc;
	join_parts(a);
	rc = anchor_room(a, e);
	if (!rc)
		threads_each(a->threads, a->n_parts, keys_part, a);
	return rc;
}

/* Rotations to integers, and these to buckets. */

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
next_anchor(const struct ebwt_anchors *a, struct cursor *u)
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
seek_anchor(const struct ebwt_anchors *a, struct cursor *u, int64_t i)
{
	struct cursor old;

	do {
		old = *u;
		next_anchor(a, u);
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
		next_anchor(a, u);
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
		next_anchor(a, u);
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

		seek_anchor(a, &u, i);	/* may be the first anchor again */
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

/* Rotations to integers, bucket by bucket, and these sorted. */

enum { AHEAD = 16 };	/* bundles */

struct span {
	uint64_t beg, end;
};

/* Buckets [lo, hi), as many as there is room for. */
static void
choose_buckets(struct ebwt_items *t, uint64_t lo)
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
	threads_each(a->threads, a->n_parts, ebwt_count_items, t);
	begin_parts(t);
	threads_each(a->threads, a->n_parts, ebwt_scatter, t);
	threads_each(a->threads, buckets, sort_bundles, t);
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
 * offset is asked for, the classes, in half the room. */
static void
spread_bucket(void *arg, uint64_t i, unsigned thread)
{
	const struct ebwt_items *t = arg;
	struct span s = bundles_of(t, t->lo + i);
	uint64_t b = t->lo + i, step = 1ull << t->a->layout.tail_bits;
	uint64_t at = (b ? t->end[b - 1] : 0) - t->base;
	uint64_t *to = t->a->wants_offsets ? t->item + at : NULL;
	uint32_t *plain = (uint32_t *)t->item + at;

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
			if (to)
				*to++ = x;
			else
				*plain++ = *m >> 1;
			x += step;
		} while (*++m & 1);
	}
}

static int
emit_batch(struct ebwt_items *t, ebwt_batch_fn *fn, void *arg, struct err *e)
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
		if (!a->wants_offsets)
			b.plain = (uint32_t *)t->item;
		threads_each(a->threads, t->hi - t->lo, spread_bucket, t);
		return fn(arg, &b, e);
	}
	begin_parts(t);
	t->to = t->item;
	threads_each(a->threads, a->n_parts, ebwt_scatter, t);
	threads_each(a->threads, t->hi - t->lo, sort_bucket, t);
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

/*
 * The slab is bundles, then what they stand for, little at a time: it is read
 * soon.  Of many classes more, as what counts pairs begins anew each time.
 */
static void
bundle_room(struct ebwt_items *t)
{
	enum { LEAST = 1 << 17, MOST = 1 << 20, OF_CLASS = 1 << 12 };
	struct ebwt_anchors *a = t->a;
	uint64_t some = min_u64(MOST, max_u64(LEAST, OF_CLASS *
					      (uint64_t)a->x->n_classes));

	some = a->x->par.batch ? a->x->par.batch : some;
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
		threads_each(a->threads, a->n_parts, by_rank, t);
	return rc;
}

/* Sizes of buckets; bundles or not; and room. */
static int
size_buckets(struct ebwt_items *t, struct err *e)
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
	int rc = size_buckets(t, e);

	if (!rc && a->led)
		make_bundles(t);
	for (uint64_t b = 0; !rc && b < 1ull << a->layout.bucket_bits;
	     b = t->hi) {
		choose_buckets(t, b);
		rc = emit_batch(t, fn, arg, e);
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
	ebwt_give(x, &a.sorted);
	ebwt_give(x, &a.rank);
	ebwt_give(x, &a.member);
	ebwt_give(x, &a.led);
	return rc;
}
