/* SPDX-License-Identifier: MIT */
/* kdiff_hits.c - lists of hits: order, minima, those of two engines as one */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"

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

/* Merge v[0..mid) and v[mid..n) by way of tmp, which holds mid hits. */
static void
merge_hits(struct kdiff_hit *v, size_t mid, size_t n, struct kdiff_hit *tmp)
{
	size_t i = 0, j = mid, k = 0;

	memcpy(tmp, v, mid * sizeof *v);
	while (i < mid)
		v[k++] = j < n && kdiff_hit_before(&v[j], &tmp[i]) ? v[j++] :
			 tmp[i++];
}

/* Of hits in order and their copies the one of the least distance stays. */
static void
drop_copies(struct kdiff_hits *h, size_t from)
{
	size_t n = from;

	for (size_t i = from; i < h->n; i++) {
		struct kdiff_hit x = h->v[i];

		if (n > from && !kdiff_hit_before(&h->v[n - 1], &x)) {
			if (x.dist < h->v[n - 1].dist)
				h->v[n - 1].dist = x.dist;
			continue;
		}
		h->v[n++] = x;
	}
	h->n = n;
}

int
kdiff_hits_order(struct kdiff_hits *h, size_t from, struct kdiff_hits *tmp,
		 struct err *e)
{
	struct kdiff_hit *v;
	size_t n = h->n - from;
	int r;

	if (n < 2)
		return 0;
	v = h->v + from;
	tmp->n = 0;
	r = kdiff_hits_room(tmp, n, e);
	for (size_t w = 1; w < n && !r; w *= 2)
		for (size_t i = 0; i + w < n; i += 2 * w)
			if (kdiff_hit_before(&v[i + w], &v[i + w - 1]))
				merge_hits(v + i, w,
					   n - i < 2 * w ? n - i : 2 * w,
					   tmp->v);
	drop_copies(h, from);
	return r;
}

void
kdiff_hits_reported(const struct kdiff_text *t, struct kdiff_hits *h)
{
	const struct kdiff_seg *g = t->seg;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		struct kdiff_hit x = h->v[i];

		while (g->end < x.end)
			g++;
		if (x.end >= g->from && x.end <= g->to)
			h->v[n++] = x;
	}
	h->n = n;
}

enum { KEEP = 1u << 31 };	/* in dist, which is below 2^17 */

struct hits_run {
	size_t last;		/* its last hit so far, SIZE_MAX: none */
	uint64_t beg;		/* its first end */
	bool armed;		/* the value before is larger */
};

static void
close_run(struct hits_run *r, uint32_t m, struct kdiff_hit *v)
{
	if (r->armed || v[r->last].end - r->beg + 1 > m)
		v[r->last].dist |= KEEP;
}

/* Add hit i to the run of its pattern. */
static void
extend_run(struct hits_run *r, uint32_t m, struct kdiff_hit *v, size_t i)
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

size_t
kdiff_hits_minima_of(struct kdiff_hit *v, size_t n, uint32_t m)
{
	struct hits_run r = { .last = SIZE_MAX };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		extend_run(&r, m, v, i);
	if (n)
		close_run(&r, m, v);
	for (size_t i = 0; i < n; i++)
		if (v[i].dist & KEEP) {
			v[kept] = v[i];
			v[kept++].dist &= ~(uint32_t)KEEP;
		}
	return kept;
}

/*
 * All ends <= k, in context too, are there; values elsewhere are larger, as
 * are those of windows that would leave a segment.
 */
int
kdiff_hits_minima(const struct kdiff_set *set, const struct kdiff_text *text,
		  struct kdiff_hits *h, size_t from, struct err *e)
{
	struct hits_run *hits_run = malloc(set->n * sizeof *hits_run);
	size_t kept = from, s = 0;

	if (!hits_run)
		return err_nomem(e, set->n * sizeof *hits_run);
	for (size_t p = 0; p < set->n; p++)
		hits_run[p].last = SIZE_MAX;
	for (size_t i = from; i < h->n; i++)
		extend_run(&hits_run[h->v[i].pattern],
			   set->pat[h->v[i].pattern].m, h->v, i);
	for (size_t p = 0; p < set->n; p++)
		if (hits_run[p].last != SIZE_MAX)
			close_run(&hits_run[p], set->pat[p].m, h->v);
	free(hits_run);
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

int
kdiff_job_give(const struct kdiff_job *j, const struct kdiff_hit *v, size_t n)
{
	int r;

	if (j->take)
		return j->take(j->ctx, v, n, j->e);
	r = kdiff_hits_room(j->hits, n, j->e);
	if (r)
		return r;
	memcpy(j->hits->v + j->hits->n, v, n * sizeof *v);
	j->hits->n += n;
	return 0;
}

struct mix {
	const struct kdiff_job *j;
	const struct kdiff_hits *h;
	size_t next;		/* of h */
	uint64_t base;		/* added to the text engine's ends */
};

/* Hits of the text engine, with those of the list that come before them. */
static int
mix_hits(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	struct mix *m = ctx;
	const struct kdiff_hits *h = m->h;
	struct kdiff_hits *to = &m->j->w->mixed;
	int r;

	to->n = 0;
	r = kdiff_hits_room(to, n + (h->n - m->next), e);
	for (size_t i = 0; i < n && !r; i++) {
		struct kdiff_hit x = v[i];

		x.end += m->base;
		while (m->next < h->n && kdiff_hit_before(&h->v[m->next], &x))
			to->v[to->n++] = h->v[m->next++];
		to->v[to->n++] = x;
	}
	return r ? r : kdiff_job_give(m->j, to->v, to->n);
}

int
kdiff_text_mix(const struct kdiff_job *j, const struct kdiff_text *text,
	       uint64_t base, const uint32_t *which, size_t n,
	       const struct kdiff_hits *h)
{
	struct mix m = { j, h, 0, base };
	struct kdiff_job other = *j;
	int r = 0;

	other.text = text;
	other.which = which;
	other.n = n;
	other.hits = NULL;
	other.take = mix_hits;
	other.ctx = &m;
	if (n && text->n_seg)
		r = kdiff_text_scan(&other);
	if (r || m.next == h->n)
		return r;
	return kdiff_job_give(j, h->v + m.next, h->n - m.next);
}
