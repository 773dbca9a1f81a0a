/* SPDX-License-Identifier: MIT */
/* kdiff_hits.c - lists of hits: growing, ordering, the minima of windows */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_exact.h"
#include "algo/kdiff_scan.h"
#include "base/array.h"

enum { ENOUGH = 4096 };		/* hits to be taken at once: 64 KB */

void
kdiff_hits_free(struct kdiff_hits *h)
{
	free(h->v);
	memset(h, 0, sizeof *h);
}

int
kdiff_hits_room(struct kdiff_hits *h, size_t more, struct err *e)
{
	return array_room(&h->v, &h->cap, h->n + more, sizeof *h->v, e);
}

static bool
before(const struct kdiff_hit *a, const struct kdiff_hit *b)
{
	return a->end != b->end ? a->end < b->end : a->pattern < b->pattern;
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

/* Order v[0..n), a piece that begins at letter beg, by way of tmp. */
static int
order(struct kdiff_hit *v, size_t n, uint64_t beg, struct kdiff_hits *tmp,
      struct err *e)
{
	int r;

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

int
kdiff_lane_room(struct kdiff_lane *lane, size_t n, struct err *e)
{
	int r = array_room(&lane->v, &lane->cap, lane->n + n, sizeof *lane->v,
			   e);

	return r ? r : array_room(&lane->run, &lane->run_cap, lane->n_run + 1,
				  sizeof *lane->run, e);
}

void
kdiff_lane_free(struct kdiff_lane *lane)
{
	free(lane->v);
	free(lane->run);
	memset(lane, 0, sizeof *lane);
}

void
kdiff_lane_run(struct kdiff_lane *lane, size_t from, uint64_t at,
	       uint32_t pattern)
{
	if (lane->n > from)
		lane->run[lane->n_run++] = (struct kdiff_run){
			at, from, (uint32_t)(lane->n - from), pattern,
		};
}

/* The hits of a lane's run, appended. */
static int
expand(struct scan *s, const struct kdiff_lane *lane,
       const struct kdiff_run *run)
{
	const struct kdiff_set *set = s->set;
	const struct kdiff_pat *p = &set->pat[run->pattern];
	struct kdiff_hits *h = s->hits;
	bool ham = set->p.hamming;
	size_t words = run->n / (ham ? p->bits + 2 : KDIFF_EDIT_WORD);
	size_t first = h->n;
	int r = kdiff_hits_room(h, words * 64 + KDIFF_HITS_OVER, s->e);

	if (r < 0)
		return r;
	h->n += (ham ? set->ops.ham_expand : set->ops.edit_expand)
	    (p, run, lane->v + run->from, s->minima, h->v + first);
	return set->exact ? kdiff_exact_keep(set, s->text, s->w, h, first,
					     s->e) : 0;
}

int
kdiff_lane_hits(struct scan *s, const struct kdiff_lane *lane)
{
	struct kdiff_hits *h = s->hits;
	int r = 0;

	for (size_t i = 0, runs; i < lane->n_run && !r; i += runs) {
		const struct kdiff_run *run = lane->run + i;
		size_t first = h->n;

		for (runs = 0; !r && i + runs < lane->n_run &&
		     run[runs].at == run->at; runs++)
			r = expand(s, lane, run + runs);
		if (!r && runs > 1)
			r = order(h->v + first, h->n - first, run->at,
				  &s->w->tmp, s->e);
		if (!r && s->take && h->n >= ENOUGH) {
			r = s->take(s->ctx, h->v, h->n, s->e);
			h->n = 0;
		}
	}
	return r;
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

		while (s + 1 < text->n_seg && text->seg[s + 1].beg <= x.end)
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
