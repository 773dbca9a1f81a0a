/* SPDX-License-Identifier: MIT */
/*
 * ebwt_order.c - anchors sorted: by keys, then by the anchors that follow
 *
 * next(a), the anchor of the rotation behind a, depends on letters of a's key
 * only, so anchors of equal keys compare as next() of theirs do, equally far on
 * (at least one letter).  A rank is where a group of anchors that tie begins.
 * Groups are sorted by the ranks of next^h, and h doubles.
 *
 * A group is left whole or its ranks become finer while a round runs; a finer
 * rank is as true, so what comes later in the round may use it (Larsson and
 * Sadakane).  Groups come by their places in words, from the end: then ranks
 * behind a group are mostly final, and a round resolves whole chains, also of
 * words that are nearly alike, where some groups lack the first word.
 *
 * Each thread does so in a share of the text.  Members of a group that lead to
 * one and the same group must see its ranks as they were at one time: these are
 * those of now if the group is in the thread's own share, else those of the
 * round's beginning.
 *
 * Two rotations of roots differ within |u| + |v| letters, so it ends once h is
 * as large: at most 33 rounds.
 */

#include <stdatomic.h>
#include <string.h>

#include "ebwt/ebwt_priv.h"

enum {
	SHARES = 64,	/* at most */
	AHEAD = 16,
	SMALL = 256,	/* members of a group that is sorted on the stack */
};

struct group {
	uint32_t beg, end;
};

/* Groups turn[beg] to turn[end - 1]: those that still tie go to other[out] on,
 * n of them. */
struct share {
	uint64_t beg, end, out, n;
};

struct order {
	struct ebwt_anchors *a;
	unsigned index_bits, bucket_bits;
	uint64_t *item, *tmp;		/* room for a->n each */
	uint32_t *at;			/* by bucket: its end */
	struct group *group, *other;	/* that tie, before and after a round */
	_Atomic uint64_t n_groups, n_keys;
	uint64_t *turn;			/* groups in the order of a round */
	unsigned n_shares;
	struct share share[SHARES];
	/* If there are threads: ranks when the round began, and, by rank, the
	 * share of the group that begins there, if one does. */
	uint32_t *old;
	uint8_t *owner, *begins;	/* by rank: does a group? */
	uint32_t *step, *step2;		/* next^h, next^2h */
};

static int
order_room(struct order *o, struct err *e)
{
	struct ebwt_anchors *a = o->a;
	struct ebwt *x = a->x;
	uint64_t n = a->n;
	int rc = ebwt_take(x, &o->at, (uint64_t)a->n_parts << o->bucket_bits,
			   sizeof *o->at, e);

	o->item = ebwt_slab(a, EBWT_SLAB_ITEM);
	o->tmp = ebwt_slab(a, EBWT_SLAB_KEY);	/* once keys are items */
	o->begins = ebwt_slab(a, EBWT_SLAB_TMP);
	if (!rc)
		rc = ebwt_take(x, &a->rank, n, sizeof *a->rank, e);
	if (!rc)
		rc = ebwt_take(x, &a->sorted, n + 1, sizeof *a->sorted, e);
	return rc;
}

/* The part's anchors to their buckets. */
static void
scatter(void *arg, uint64_t part, unsigned thread)
{
	const struct order *o = arg;
	const struct ebwt_part *p = &o->a->part[part];
	unsigned shift = o->a->plan.key_bits - o->bucket_bits;
	uint64_t low = (1ull << shift) - 1;
	uint32_t *at = o->at + (part << o->bucket_bits);

	(void)thread;
	for (uint32_t k = p->first_anchor; k < p->first_anchor + p->n_anchors;
	     k++) {
		uint64_t key = o->a->key[k];
		uint64_t *to = &o->item[at[key >> shift]++];

		__builtin_prefetch(to + 8, 1);
		*to = (key & low) << o->index_bits | k;
	}
}

static void
count_part(void *arg, uint64_t part, unsigned thread)
{
	const struct order *o = arg;
	const struct ebwt_part *p = &o->a->part[part];
	unsigned shift = o->a->plan.key_bits - o->bucket_bits;
	uint32_t *at = o->at + (part << o->bucket_bits);

	(void)thread;
	memset(at, 0, sizeof *at << o->bucket_bits);
	for (uint32_t k = 0; k < p->n_anchors; k++)
		at[o->a->key[p->first_anchor + k] >> shift]++;
}

static void
buckets(struct order *o)
{
	unsigned n = o->a->n_parts;
	size_t n_buckets = (size_t)1 << o->bucket_bits;
	uint32_t sum = 0;

	threads_each(o->a->threads, n, count_part, o);
	for (size_t b = 0; b < n_buckets; b++)
		for (unsigned i = 0; i < n; i++) {
			uint32_t *at = &o->at[i * n_buckets + b];
			uint32_t found = *at;

			*at = sum;
			sum += found;
		}
	threads_each(o->a->threads, n, scatter, o);
	/* what is left is the ends, in the last part's counts */
	o->at += (n - 1) * n_buckets;
}

/* Ranks of a bucket's anchors, sorted by keys. */
static void
rank_bucket(void *arg, uint64_t b, unsigned thread)
{
	struct order *o = arg;
	struct ebwt_anchors *a = o->a;
	uint32_t beg = b ? o->at[b - 1] : 0, end = o->at[b];
	uint64_t mask = (1ull << o->index_bits) - 1;
	uint64_t ties = 0, keys = 0;
	uint32_t i = beg;

	(void)thread;
	a->ops->radix(o->item + beg, end - beg, o->tmp + beg, 0);
	while (i < end) {
		uint64_t key = o->item[i] >> o->index_bits;
		uint32_t first = i;

		do {
			if (i + AHEAD < end)
				__builtin_prefetch(&a->rank[o->item[i + AHEAD] &
							    mask], 1);
			a->sorted[i] = (uint32_t)(o->item[i] & mask);
			a->rank[a->sorted[i]] = first;
			o->begins[i++] = 0;
		} while (i < end && o->item[i] >> o->index_bits == key);
		o->begins[first] = 1;
		ties += i - first > 1;
		keys++;
	}
	atomic_fetch_add(&o->n_groups, ties);
	atomic_fetch_add(&o->n_keys, keys);
}

static void
find_groups(struct order *o)
{
	const struct ebwt_anchors *a = o->a;
	uint64_t n = 0;

	for (uint32_t i = 0; i < a->n;) {
		uint32_t beg = i;

		while (++i < a->n && !o->begins[i])
			;
		if (i - beg > 1)
			o->group[n++] = (struct group){ beg, i };
	}
}

/* Groups from the last in its word to the first. */
static void
take_turns(struct order *o)
{
	const struct ebwt_anchors *a = o->a;

	for (uint64_t g = 0; g < o->n_groups; g++)
		o->turn[g] = (uint64_t)~a->pos[a->sorted[o->group[g].beg]]
			     << 32 | g;
	a->ops->radix(o->turn, o->n_groups, o->tmp, 0);
}

/* Shares of about as many members, as many as threads are worth. */
static void
share_out(struct order *o)
{
	uint64_t members = 0, done = 0, k = 0;

	for (uint64_t g = 0; g < o->n_groups; g++)
		members += o->group[g].end - o->group[g].beg;
	o->n_shares = ebwt_threads(o->a->x, members);
	o->n_shares = o->n_shares < SHARES ? o->n_shares : SHARES;
	for (unsigned i = 0; i < o->n_shares; i++) {
		uint64_t stop = members / o->n_shares * (i + 1);

		o->share[i] = (struct share){ .beg = k, .out = done / 2 };
		while (k < o->n_groups && (done < stop ||
		       i + 1 == o->n_shares)) {
			const struct group *g =
				&o->group[(uint32_t)o->turn[k++]];

			done += g->end - g->beg;
			if (o->owner)
				o->owner[g->beg] = (uint8_t)i;
		}
		o->share[i].end = k;
	}
}

static inline uint32_t
rank_of(const struct order *o, unsigned share, uint32_t anchor)
{
	uint32_t old;

	if (o->n_shares == 1)
		return o->a->rank[anchor];
	old = o->old[anchor];
	return o->owner[old] == share ? o->a->rank[anchor] : old;
}

/* Sort a group by the ranks of next^h, with room for it in item and tmp; those
 * that still tie, as many as returned, go to `to`. */
static uint64_t
refine(const struct order *o, struct group g, unsigned share, uint64_t *item,
       uint64_t *tmp, struct group *to)
{
	struct ebwt_anchors *a = o->a;
	uint32_t *sorted = a->sorted + g.beg, size = g.end - g.beg;
	uint64_t differ = 0, n = 0;
	uint32_t i;

	for (i = 0; i < size; i++) {
		uint32_t k = sorted[i];

		item[i] = (uint64_t)rank_of(o, share, o->step[k]) << 32 | k;
		differ |= (item[i] ^ item[0]) >> 32;
	}
	if (!differ) {
		*to = g;
		return 1;
	}
	a->ops->radix(item, size, tmp, 0);
	for (i = 0; i < size;) {
		uint64_t rank = item[i] >> 32;
		uint32_t beg = i;

		do {
			sorted[i] = (uint32_t)item[i];
			a->rank[sorted[i]] = g.beg + beg;
			i++;
		} while (i < size && item[i] >> 32 == rank);
		if (i - beg > 1)
			to[n++] = (struct group){ g.beg + beg, g.beg + i };
	}
	return n;
}

/* What is looked up of later groups is not at hand. */
static inline void
look_ahead(const struct order *o, uint64_t k, uint64_t end)
{
	const struct group *g = o->group;

	if (k + 16 >= end)
		return;
	__builtin_prefetch(&g[(uint32_t)o->turn[k + 16]]);
	g += (uint32_t)o->turn[k + 8];
	__builtin_prefetch(&o->a->sorted[g->beg]);
	__builtin_prefetch(&o->a->sorted[g->end - 1]);
}

static void
refine_share(void *arg, uint64_t i, unsigned thread)
{
	struct order *o = arg;
	struct share *s = &o->share[i];
	struct group *to = o->other + s->out;
	uint64_t item[SMALL], tmp[SMALL];

	(void)thread;
	for (uint64_t k = s->beg; k < s->end; k++) {
		struct group g = o->group[(uint32_t)o->turn[k]];
		bool small = g.end - g.beg <= SMALL;

		look_ahead(o, k, s->end);
		to += refine(o, g, (unsigned)i, small ? item : o->item + g.beg,
			     small ? tmp : o->tmp + g.beg, to);
	}
	s->n = (uint64_t)(to - (o->other + s->out));
}

static void
keep_ranks(void *arg, uint64_t part, unsigned thread)
{
	const struct order *o = arg;
	const struct ebwt_part *p = &o->a->part[part];

	(void)thread;
	memcpy(o->old + p->first_anchor, o->a->rank + p->first_anchor,
	       p->n_anchors * sizeof *o->old);
}

static void
round_of(struct order *o)
{
	struct group *swap = o->group;
	uint64_t n = 0;

	take_turns(o);
	share_out(o);
	if (o->n_shares > 1)
		threads_each(o->a->threads, o->a->n_parts, keep_ranks, o);
	threads_each(o->n_shares, o->n_shares, refine_share, o);
	for (unsigned i = 0; i < o->n_shares; i++) {
		memmove(o->other + n, o->other + o->share[i].out,
			o->share[i].n * sizeof *o->other);
		n += o->share[i].n;
	}
	o->group = o->other;
	o->other = swap;
	o->n_groups = n;
}

static void
double_part(void *arg, uint64_t part, unsigned thread)
{
	const struct order *o = arg;
	const struct ebwt_part *p = &o->a->part[part];

	(void)thread;
	for (uint32_t k = 0; k < p->n_anchors; k++) {
		uint32_t at = p->first_anchor + k;

		o->step2[at] = o->step[o->step[at]];
	}
}

static void
double_step(struct order *o)
{
	uint32_t *swap = o->step;
	unsigned n = o->a->n_parts;

	threads_each(o->a->threads, n, double_part, o);
	o->step = o->step2;
	o->step2 = swap;
}

/* The last anchor that is that of a rotation up to pos + 1. */
static uint32_t
next_of(const struct ebwt_anchors *a, uint32_t c, uint32_t k)
{
	int64_t want = (int64_t)a->pos[k] + 1, lap = 0;

	for (uint32_t next;; k = next) {
		next = k + 1 == a->first[c + 1] ? a->first[c] : k + 1;
		if (next <= k)
			lap += a->x->class[c].n;
		if (ebwt_begin(a, next) + lap > want)
			return k;
	}
}

static void
link_part(void *arg, uint64_t part, unsigned thread)
{
	const struct order *o = arg;
	const struct ebwt_anchors *a = o->a;
	const struct ebwt_part *p = &a->part[part];
	uint32_t c = p->first_class;

	(void)thread;
	for (uint32_t k = p->first_anchor; k < p->first_anchor + p->n_anchors;
	     k++) {
		while (k >= a->first[c + 1])
			c++;
		o->step[k] = next_of(a, c, k);
	}
}

/* Links of the anchors that tie, all that the first round asks for. */
static void
link_groups(struct order *o)
{
	const struct ebwt_anchors *a = o->a;

	for (uint64_t g = 0; g < o->n_groups; g++)
		for (uint32_t i = o->group[g].beg; i < o->group[g].end; i++) {
			uint32_t k = a->sorted[i], lo = 0;
			uint32_t hi = (uint32_t)a->x->n_classes;

			while (hi - lo > 1) {
				uint32_t mid = lo + (hi - lo) / 2;

				if (a->first[mid] <= k)
					lo = mid;
				else
					hi = mid;
			}
			o->step[k] = next_of(a, lo, k);
		}
}

static void
resolve(struct order *o)
{
	struct ebwt_anchors *a = o->a;
	bool few = o->n_groups + (a->n - o->n_keys) <= a->n / 64;

	o->group = ebwt_slab(a, EBWT_SLAB_GROUP);
	o->other = ebwt_slab(a, EBWT_SLAB_OTHER);
	o->turn = ebwt_slab(a, EBWT_SLAB_TURN);
	o->tmp = ebwt_slab(a, EBWT_SLAB_TMP);
	o->step = ebwt_slab(a, EBWT_SLAB_NEXT);
	o->step2 = ebwt_slab(a, EBWT_SLAB_STEP);
	find_groups(o);
	if (few)
		link_groups(o);
	else
		threads_each(a->threads, a->n_parts, link_part, o);
	if (a->threads > 1) {
		o->old = ebwt_slab(a, EBWT_SLAB_OLD);
		o->owner = ebwt_slab(a, EBWT_SLAB_OWNER);
		memset(o->owner, 0, a->n);
	}
	for (;; few = false) {
		round_of(o);
		if (!o->n_groups)
			return;
		if (few)
			threads_each(a->threads, a->n_parts, link_part, o);
		double_step(o);
	}
}

int
ebwt_order(struct ebwt_anchors *a, struct err *e)
{
	struct order o = { .a = a, .index_bits = ebwt_bits(a->n) };
	struct ebwt *x = a->x;
	uint32_t *at;
	int rc;

	o.bucket_bits = ebwt_bucket_bits(&a->plan, a->n, o.index_bits);
	rc = order_room(&o, e);
	at = o.at;
	if (!rc) {
		buckets(&o);
		threads_each(a->threads, 1ull << o.bucket_bits, rank_bucket,
			     &o);
		a->n_keys = o.n_keys;
		if (o.n_groups)
			resolve(&o);
	}
	ebwt_give(x, &at);
	return rc;
}

/*
 * Rotations of near-identical words, sorted in bundles
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

enum { AT_ONCE = 32 };

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
	uint32_t of[AT_ONCE];	/* or EBWT_NONE: of the last one */
};

static inline void
load_neighbours(const struct bundles *t, uint32_t k, uint32_t end,
		struct neighbours *m)
{
	const struct ebwt_anchors *a = t->a;

	m->k = k;
	m->n = end - k < AT_ONCE ? end - k : AT_ONCE;
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
