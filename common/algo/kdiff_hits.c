/* SPDX-License-Identifier: MIT */
/* kdiff_hits.c - lists of hits: growing, ordering, the minima of windows */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_priv.h"

void
kdiff_hits_free(struct kdiff_hits *h)
{
	free(h->v);
	memset(h, 0, sizeof *h);
}

int
kdiff_hits_room(struct kdiff_hits *h, size_t more, struct err *e)
{
	size_t cap = h->cap ? h->cap : 64;
	struct kdiff_hit *v;

	if (more <= h->cap - h->n)
		return 0;
	if (more > SIZE_MAX / 4 / sizeof *v - h->n)
		return err_nomem(e, SIZE_MAX);
	while (cap < h->n + more)
		cap *= 2;
	v = realloc(h->v, cap * sizeof *v);
	if (!v)
		return err_nomem(e, cap * sizeof *v);
	h->v = v;
	h->cap = cap;
	return 0;
}

static bool
before(const struct kdiff_hit *a, const struct kdiff_hit *b)
{
	return a->end != b->end ? a->end < b->end : a->pattern < b->pattern;
}

/* Merge v[0..mid) and v[mid..n) by way of tmp, which holds mid hits. */
static void
merge(struct kdiff_hit *v, size_t mid, size_t n, struct kdiff_hit *tmp)
{
	size_t i = 0, j = mid, k = 0;

	memcpy(tmp, v, mid * sizeof *v);
	while (i < mid)
		v[k++] = j < n && before(&v[j], &tmp[i]) ? v[j++] : tmp[i++];
}

int
kdiff_hits_merge(struct kdiff_hits *h, size_t first, size_t mid,
		 struct kdiff_hits *tmp, struct err *e)
{
	int r;

	if (mid == first || mid == h->n || before(&h->v[mid - 1], &h->v[mid]))
		return 0;
	tmp->n = 0;
	r = kdiff_hits_room(tmp, mid - first, e);
	if (r < 0)
		return r;
	merge(h->v + first, mid - first, h->n - first, tmp->v);
	return 0;
}

/* Insertion sort, for a few hits. */
static void
insert(struct kdiff_hit *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct kdiff_hit x = v[i];
		size_t j = i;

		for (; j && before(&x, &v[j - 1]); j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

/*
 * Sort v[0..n) by end, ends in beg .. beg + RANGE - 1, by counting: of equal
 * ends the first stays first.
 */
enum { RANGE = KDIFF_MAX_PIECE * KDIFF_SB + 1 };

static void
count_sort(struct kdiff_hit *v, size_t n, uint64_t beg,
	   const struct kdiff_hit *from)
{
	uint32_t at[RANGE + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		at[from[i].end - beg + 1]++;
	for (size_t i = 1; i <= RANGE; i++)
		at[i] += at[i - 1];
	for (size_t i = 0; i < n; i++)
		v[at[from[i].end - beg]++] = from[i];
}

int
kdiff_hits_order(struct kdiff_hits *h, size_t from, uint64_t beg,
		 struct kdiff_hits *tmp, struct err *e)
{
	struct kdiff_hit *v = h->v + from;
	size_t n = h->n - from;
	int r;

	if (n < 2 || v[0].pattern == v[n - 1].pattern)
		return 0;
	if (n <= 32) {
		insert(v, n);
		return 0;
	}
	tmp->n = 0;
	r = kdiff_hits_room(tmp, n, e);
	if (r < 0)
		return r;
	memcpy(tmp->v, v, n * sizeof *v);
	count_sort(v, n, beg, tmp->v);
	return 0;
}

enum { KEEP = 1u << 31 };	/* in dist, which is below 2^17 */

struct run {
	size_t last;		/* its last hit so far, SIZE_MAX: none */
	uint64_t beg;		/* its first end */
	bool armed;		/* the value before is larger */
};

static void
close_run(struct run *r, uint32_t m, struct kdiff_hit *v)
{
	if (r->armed || v[r->last].end - r->beg + 1 > m)
		v[r->last].dist |= KEEP;
}

/* Add hit i to the run of its pattern. */
static void
extend(struct run *r, uint32_t m, struct kdiff_hit *v, size_t i)
{
	bool joined = r->last != SIZE_MAX && v[r->last].end + 1 == v[i].end;
	uint32_t was = joined ? v[r->last].dist : UINT32_MAX;

	if (r->last != SIZE_MAX && (!joined || v[i].dist > was))
		close_run(r, m, v);
	if (!joined || v[i].dist != was) {
		r->beg = v[i].end;
		r->armed = v[i].dist < was;
	}
	r->last = i;
}

/*
 * All ends <= k, in context too, are there; values elsewhere are larger, as
 * are those of windows that would leave a segment.
 */
int
kdiff_hits_minima(const struct kdiff_set *set, const struct kdiff_text *text,
		  struct kdiff_hits *h, size_t from, struct err *e)
{
	struct run *run = malloc(set->n * sizeof *run);
	size_t kept = from, s = 0;

	if (!run)
		return err_nomem(e, set->n * sizeof *run);
	for (size_t p = 0; p < set->n; p++)
		run[p].last = SIZE_MAX;
	for (size_t i = from; i < h->n; i++)
		extend(&run[h->v[i].pattern], set->pat[h->v[i].pattern].m,
		       h->v, i);
	for (size_t p = 0; p < set->n; p++)
		if (run[p].last != SIZE_MAX)
			close_run(&run[p], set->pat[p].m, h->v);
	free(run);
	for (size_t i = from; i < h->n; i++) {
		struct kdiff_hit x = h->v[i];

		while (s + 1 < text->n_seg && text->seg[s + 1].beg < x.end)
			s++;
		if (x.dist & KEEP && x.end >= text->seg[s].from &&
		    x.end <= text->seg[s].to) {
			x.dist &= ~(uint32_t)KEEP;
			h->v[kept++] = x;
		}
	}
	h->n = kept;
	return 0;
}
