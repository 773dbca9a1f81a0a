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
 * Sadakane).  Groups come in the order of the text, from its end: then ranks
 * behind a group are mostly final, and a round resolves whole chains.
 *
 * Two rotations of roots differ within |u| + |v| letters, so it ends once h is
 * as large: at most 33 rounds.
 */
#include <stdatomic.h>
#include <string.h>

#include "algo/ebwt_anchor.h"

struct group {
	uint32_t beg, end;
};

struct order {
	struct ebwt_anchors *a;
	unsigned index_bits, bucket_bits;
	uint64_t *item, *tmp;		/* a->n each */
	uint32_t *at;			/* by bucket: its end */
	struct group *group, *other;	/* that tie, before and after a round */
	_Atomic uint64_t n_groups;
	uint64_t *turn;			/* groups in the order of a round */
	uint32_t *step, *step2;		/* next^h, next^2h */
};

static int
room(struct order *o, struct err *e)
{
	struct ebwt_anchors *a = o->a;
	struct ebwt *x = a->x;
	uint64_t n = a->n;
	int rc = ebwt_take(x, &o->item, n, sizeof *o->item, e);

	if (!rc)
		rc = ebwt_take(x, &o->tmp, n, sizeof *o->tmp, e);
	if (!rc)
		rc = ebwt_take(x, &o->at, (uint64_t)a->n_parts <<
			       o->bucket_bits, sizeof *o->at, e);
	if (!rc)
		rc = ebwt_take(x, &a->rank, n, sizeof *a->rank, e);
	if (!rc)
		rc = ebwt_take(x, &a->sorted, n, sizeof *a->sorted, e);
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

		o->item[at[key >> shift]++] =
			(key & low) << o->index_bits | k;
	}
}

static void
count(void *arg, uint64_t part, unsigned thread)
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

	ebwt_each(n, n, count, o);
	for (size_t b = 0; b < n_buckets; b++)
		for (unsigned i = 0; i < n; i++) {
			uint32_t *at = &o->at[i * n_buckets + b];
			uint32_t found = *at;

			*at = sum;
			sum += found;
		}
	ebwt_each(n, n, scatter, o);
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
	uint64_t mask = (1ull << o->index_bits) - 1, ties = 0;
	uint32_t i = beg;

	(void)thread;
	ebwt_radix(o->item + beg, end - beg, o->tmp + beg);
	while (i < end) {
		uint64_t key = o->item[i] >> o->index_bits;
		uint32_t first = i;

		do {
			a->sorted[i] = (uint32_t)(o->item[i] & mask);
			a->rank[a->sorted[i]] = first;
			i++;
		} while (i < end && o->item[i] >> o->index_bits == key);
		ties += i - first > 1;
	}
	atomic_fetch_add(&o->n_groups, ties);
}

static void
find_groups(struct order *o)
{
	const struct ebwt_anchors *a = o->a;
	uint64_t n = 0;

	for (uint32_t i = 0; i < a->n;) {
		uint32_t beg = i;

		while (++i < a->n && a->rank[a->sorted[i]] == beg)
			;
		if (i - beg > 1)
			o->group[n++] = (struct group){ beg, i };
	}
}

/* Groups from the last in the text to the first. */
static void
take_turns(struct order *o)
{
	for (uint64_t g = 0; g < o->n_groups; g++)
		o->turn[g] = (uint64_t)~o->a->sorted[o->group[g].beg] << 32 | g;
	ebwt_radix(o->turn, o->n_groups, o->tmp);
}

/* Sort a group by the ranks of next^h; those that still tie, as many as
 * returned, go to `to`. */
static uint64_t
refine(struct order *o, struct group g, struct group *to)
{
	struct ebwt_anchors *a = o->a;
	uint64_t *item = o->item, differ = 0, n = 0;
	uint32_t i;

	for (i = g.beg; i < g.end; i++) {
		uint32_t k = a->sorted[i];

		item[i] = (uint64_t)a->rank[o->step[k]] << 32 | k;
		differ |= (item[i] ^ item[g.beg]) >> 32;
	}
	if (!differ) {
		*to = g;
		return 1;
	}
	ebwt_radix(item + g.beg, g.end - g.beg, o->tmp);
	for (i = g.beg; i < g.end;) {
		uint64_t rank = item[i] >> 32;
		uint32_t beg = i;

		do {
			a->sorted[i] = (uint32_t)item[i];
			a->rank[a->sorted[i]] = beg;
			i++;
		} while (i < g.end && item[i] >> 32 == rank);
		if (i - beg > 1)
			to[n++] = (struct group){ beg, i };
	}
	return n;
}

static void
round_of(struct order *o)
{
	struct group *swap = o->group;
	uint64_t n = 0;

	take_turns(o);
	for (uint64_t k = 0; k < o->n_groups; k++)
		n += refine(o, o->group[(uint32_t)o->turn[k]], o->other + n);
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

	ebwt_each(n, n, double_part, o);
	o->step = o->step2;
	o->step2 = swap;
}

static int
resolve(struct order *o, struct err *e)
{
	struct ebwt *x = o->a->x;
	uint64_t n = o->a->n, groups = n / 2;
	int rc = ebwt_take(x, &o->group, groups, sizeof *o->group, e);

	if (!rc)
		rc = ebwt_take(x, &o->other, groups, sizeof *o->other, e);
	if (!rc)
		rc = ebwt_take(x, &o->turn, groups, sizeof *o->turn, e);
	if (!rc)
		rc = ebwt_take(x, &o->step2, n, sizeof *o->step2, e);
	if (rc)
		return rc;
	find_groups(o);
	for (;;) {
		round_of(o);
		if (!o->n_groups)
			return 0;
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

	o.bucket_bits = ebwt_anchor_buckets(&a->plan, a->n);
	rc = room(&o, e);
	at = o.at;
	if (!rc) {
		buckets(&o);
		ebwt_give(x, &a->key);
		ebwt_each(a->n_parts, 1ull << o.bucket_bits, rank_bucket, &o);
	}
	o.step = a->next;
	a->next = NULL;
	if (!rc && o.n_groups)
		rc = resolve(&o, e);
	ebwt_give(x, &o.item);
	ebwt_give(x, &o.tmp);
	ebwt_give(x, &at);
	ebwt_give(x, &o.group);
	ebwt_give(x, &o.other);
	ebwt_give(x, &o.turn);
	ebwt_give(x, &o.step);
	ebwt_give(x, &o.step2);
	return rc;
}
