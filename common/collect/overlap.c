/* SPDX-License-Identifier: MIT */
/*
 * overlap.c - rows that others make superfluous: overlapping ones, and shadows
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collect/overlap.h"

/*
 * Intervals that do not overlap too much, taken greedily
 *
 * An interval lies in the bucket of the place where it begins; none is longer
 * than a bucket is wide.  So what overlaps [beg, end) begins after
 * beg - width and before end: in a bucket from beg / width - 1 to that of
 * end - 1, three at most.
 */

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

/* Intervals that none with fewer edits hides. */

enum { ROW_MEMORY = 1 << 20 };

/* Do they overlap by more than half of the shorter? */
static bool
mostly_overlap(const struct shadow_of *a, const struct shadow_of *b)
{
	uint64_t from = max_u64(a->beg, b->beg), to = min_u64(a->end, b->end);
	uint64_t shorter = min_u64(a->end - a->beg, b->end - b->beg);

	return from < to && to - from > shorter / 2;	/* of an odd one, too */
}

static void
compare(struct shadow_of *a, struct shadow_of *b)
{
	if (a->edits == b->edits || !mostly_overlap(a, b))
		return;
	if (a->edits < b->edits)
		b->hidden = true;
	else
		a->hidden = true;
}

/* What ends before beg and was handed out goes; the rest moves to the front
 * when that is cheap. */
static void
forget(struct shadow *s, uint64_t beg)
{
	while (s->first < s->next && s->v[s->first].end <= beg)
		s->first++;
	if (s->first <= s->n / 2)
		return;
	memmove(s->v, s->v + s->first, (s->n - s->first) * sizeof *s->v);
	s->n -= s->first;
	s->next -= s->first;
	s->first = 0;
}

int
shadow_add(struct shadow *s, const struct shadow_of *x, const void *row,
	   size_t n, struct err *e)
{
	struct shadow_of *new;
	int rc;

	forget(s, x->beg);
	rc = array_room(&s->v, &s->cap, s->n + 1, sizeof *s->v, e);
	if (rc)
		return rc;
	new = &s->v[s->n];
	*new = *x;
	new->hidden = false;
	for (size_t i = s->first; i < s->n; i++)
		compare(&s->v[i], new);
	s->n++;
	s->rows.memory = ROW_MEMORY;
	return queue_push(&s->rows, row, n, e);
}

int
shadow_next(struct shadow *s, uint64_t beg, const void **row, struct err *e)
{
	while (s->next < s->n && s->v[s->next].end <= beg) {
		const struct shadow_of *x = &s->v[s->next];
		const uint8_t *p;
		size_t n;
		int rc = queue_first(&s->rows, &p, &n, e);

		if (rc < 0)
			return rc;
		s->row.n = 0;
		buf_put(&s->row, p, n);
		queue_pop(&s->rows);
		s->next++;
		if (s->row.bad)
			return err_nomem(e, n);
		*row = s->row.p;
		if (!x->hidden)
			return 1;
	}
	return 0;
}

void
shadow_clear(struct shadow *s)
{
	s->first = s->next = s->n = 0;
}

void
shadow_free(struct shadow *s)
{
	free(s->v);
	queue_free(&s->rows);
	buf_free(&s->row);
	memset(s, 0, sizeof *s);
}
