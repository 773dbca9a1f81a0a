/* SPDX-License-Identifier: MIT */
/*
 * overlap.c - intervals that do not overlap too much, taken greedily
 *
 * An interval lies in the bucket of the place where it begins; none is longer
 * than a bucket is wide.  So what overlaps [beg, end) begins after
 * beg - width and before end: in a bucket from beg / width - 1 to that of
 * end - 1, three at most.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collect/overlap.h"

static size_t *
bucket_of(struct overlap *o, uint64_t number)
{
	return &o->bucket[hash64(&number, sizeof number, 0) &
			  (o->n_buckets - 1)];
}

static void
rehash(struct overlap *o)
{
	memset(o->bucket, 0, o->n_buckets * sizeof *o->bucket);
	for (size_t i = 0; i < o->n; i++) {
		size_t *b = bucket_of(o, o->v[i].beg / o->width);

		o->v[i].next = *b;
		*b = i + 1;
	}
}

static int
grow(struct overlap *o, struct err *e)
{
	size_t cap = o->cap ? 2 * o->cap : 64;
	struct interval *v = realloc(o->v, cap * sizeof *v);
	size_t *bucket;

	if (!v)
		return err_nomem(e, cap * sizeof *v);
	o->v = v;
	bucket = realloc(o->bucket, cap * sizeof *bucket);
	if (!bucket)
		return err_nomem(e, cap * sizeof *bucket);
	o->bucket = bucket;
	o->cap = o->n_buckets = cap;
	rehash(o);
	return 0;
}

/* Exact: 29 of 100 letters are not more than 0.29 of them, though 0.29 * 100 is
 * less than 29 as a double. */
static bool
clash(const struct interval *a, uint64_t beg, uint64_t end,
      struct decimal share)
{
	uint64_t from = a->beg > beg ? a->beg : beg;
	uint64_t to = a->end < end ? a->end : end;
	uint64_t x = a->end - a->beg, y = end - beg, shorter = x < y ? x : y;

	return from < to && (unsigned __int128)(to - from) * share.unit >
			    (unsigned __int128)shorter * share.value;
}

static bool
free_place(struct overlap *o, uint64_t beg, uint64_t end, struct decimal share)
{
	uint64_t first = beg / o->width, last = end / o->width;

	for (uint64_t k = first ? first - 1 : 0; k <= last; k++)
		for (size_t i = *bucket_of(o, k); i; i = o->v[i - 1].next)
			if (clash(&o->v[i - 1], beg, end, share))
				return false;
	return true;
}

int
overlap_take(struct overlap *o, uint64_t beg, uint64_t end,
	     struct decimal share, struct err *e)
{
	size_t *b;

	if (!o->width)
		o->width = 64;
	if (o->n == o->cap) {
		int r = grow(o, e);

		if (r < 0)
			return r;
	}
	if (end - beg > o->width) {
		while (o->width < end - beg && o->width < 1ull << 63)
			o->width *= 2;
		rehash(o);
	}
	if (!free_place(o, beg, end, share))
		return 0;
	o->v[o->n] = (struct interval) { beg, end, 0 };
	b = bucket_of(o, beg / o->width);
	o->v[o->n++].next = *b;
	*b = o->n;
	return 1;
}

void
overlap_clear(struct overlap *o)
{
	if (o->n_buckets)
		memset(o->bucket, 0, o->n_buckets * sizeof *o->bucket);
	o->n = 0;
	o->width = 64;
}

void
overlap_free(struct overlap *o)
{
	free(o->v);
	free(o->bucket);
	memset(o, 0, sizeof *o);
}
