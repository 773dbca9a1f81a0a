/* SPDX-License-Identifier: MIT */
/*
 * kdiff_many.c - many patterns at once: places by an index, then a closer look
 *
 * Say a match of P[1..m] with D(j) = d <= k holds a piece that begins at
 * pattern letter a (from 0) and text letter i.  As no more than k differences
 * lie before the piece, and none but k behind, the match begins at i - a - k
 * at least, and E - k <= j <= E + k for E = i - a + m.  So D over the letters
 * from E - m - k to E + k alone has the true value at j, and nowhere one that
 * is too small: the least value over all places of an end is exact.
 *
 * Places that come too often (repeats) are given up: then the pattern is left
 * to the other engine, and this one has cost no more than that one does.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_many.h"

enum {
	BATCH = 256, MOST_HITS = 1 << 22,
	PASS_OVER = 16,		/* places in the time of a closer look */
};

struct place {
	uint64_t end;		/* E */
	uint32_t pattern, seg;
};

struct found {			/* a key of the text that has entries */
	uint64_t at;
	uint32_t slot, seg;
};

struct many {
	const struct kdiff_set *set;
	const struct kdiff_index *x;
	const struct kdiff_text *t;
	struct kdiff_hits *out;
	struct err *e;
	uint64_t n_words;	/* of the text */
	uint32_t *room;		/* places of each pattern still to be looked
				   at, and 1; 0: there were more */
	uint64_t left;		/* places of all, before giving up */
	size_t most;		/* hits, before giving up */
	struct found found[BATCH];
	struct place place[BATCH];
	unsigned n_found, n;
	struct kdiff_places lanes;
};

/* 64 bits of a plane from letter at > -64; 0 out of the text. */
static inline uint64_t
bits_at(const struct many *a, const uint64_t *plane, unsigned step, int64_t at)
{
	int64_t w = at >> 6;
	unsigned b = at & 63;
	uint64_t lo = w >= 0 && (uint64_t)w < a->n_words ?
		      plane[(uint64_t)w * step] : 0;
	uint64_t hi = b && (uint64_t)(w + 1) < a->n_words ?
		      plane[(uint64_t)(w + 1) * step] : 0;

	return b ? lo >> b | hi << (64 - b) : lo;
}

/*
 * Which of 64 letters from `at` match nothing: others, or before the segment.
 * What lies behind it comes too late to matter.
 */
static uint64_t
none_at(const struct many *a, const struct kdiff_seg *g, int64_t at)
{
	uint64_t none = a->t->exc ? bits_at(a, a->t->exc, 1, at) : 0;
	int64_t before = (int64_t)g->beg - at;

	if (before >= 64)
		return ~0ull;
	return before > 0 ? none | ~(~0ull << before) : none;
}

static int
put(struct many *a, uint64_t end, uint64_t dist, const struct place *p)
{
	const struct kdiff_seg *g = &a->t->seg[p->seg];
	int r;

	if (end <= g->beg || end > g->end)
		return 0;
	if (a->out->n >= a->most)
		a->left = 0;
	r = kdiff_hits_room(a->out, 1, a->e);
	if (!r)
		a->out->v[a->out->n++] = (struct kdiff_hit){
			end, (uint32_t)dist, p->pattern,
		};
	return r;
}

static void
set_lane(struct many *a, unsigned l, const struct place *p)
{
	const struct kdiff_pat *q = &a->set->pat[p->pattern];
	struct kdiff_places *x = &a->lanes;
	int64_t at = (int64_t)(p->end + q->k) - x->cols;
	uint64_t pad = q->m < 64 ? ~0ull >> q->m : 0;

	for (unsigned c = 0; c < 4; c++)
		x->eq[c][l] = a->x->eq[p->pattern][c];
	x->pad[l] = pad;
	x->k[l] = q->k;
	x->lo[l] = bits_at(a, a->t->planes, 2, at);
	x->hi[l] = bits_at(a, a->t->planes + 1, 2, at);
	x->none[l] = none_at(a, &a->t->seg[p->seg], at);
	x->any_none |= x->none[l] != 0;
}

/* n places, at most one a lane. */
static int
look(struct many *a, const struct place *p, unsigned n)
{
	struct kdiff_places *x = &a->lanes;
	unsigned found;
	int r = 0;

	x->cols = x->tail = 0;
	x->any_none = false;
	for (unsigned l = 0; l < n; l++) {
		const struct kdiff_pat *q = &a->set->pat[p[l].pattern];
		unsigned cols = q->m + 2 * q->k, tail = 2 * q->k + 1;

		x->cols = cols > x->cols ? cols : x->cols;
		x->tail = tail > x->tail ? tail : x->tail;
	}
	for (unsigned l = 0; l < n; l++)
		set_lane(a, l, &p[l]);
	found = a->set->ops.places(x) & ((1u << n) - 1);
	for (; found && !r; found &= found - 1) {
		unsigned l = (unsigned)__builtin_ctz(found);
		uint64_t last = p[l].end + x->k[l], end;

		for (unsigned i = 0; i < x->tail && !r; i++) {
			end = last - x->tail + i + 1;
			if (x->dist[i][l] <= x->k[l])
				r = put(a, end, x->dist[i][l], &p[l]);
		}
	}
	return r;
}

/* Mismatches at a place: no indels, so it ends at E. */
static int
look_hamming(struct many *a, const struct place *p)
{
	const struct kdiff_pat *q = &a->set->pat[p->pattern];
	const struct kdiff_seg *g = &a->t->seg[p->seg];
	const uint64_t *eq = a->x->eq[p->pattern];
	int64_t at = (int64_t)p->end - 64;
	uint64_t lo, hi, fits;
	unsigned d;

	if (p->end < g->beg + q->m || p->end > g->end)
		return 0;
	lo = bits_at(a, a->t->planes, 2, at);
	hi = bits_at(a, a->t->planes + 1, 2, at);
	fits = (eq[0] & ~(lo | hi)) | (eq[1] & lo & ~hi) |
	       (eq[2] & hi & ~lo) | (eq[3] & lo & hi);
	fits &= ~none_at(a, g, at);
	d = q->m - (unsigned)__builtin_popcountll(fits);
	return d <= q->k ? put(a, p->end, d, p) : 0;
}

static int
flush(struct many *a)
{
	unsigned lanes = a->set->ops.lanes, i, n;
	int r = 0;

	for (i = 0; a->set->p.hamming && i < a->n && !r; i++)
		r = look_hamming(a, &a->place[i]);
	for (; i < a->n && !r; i += n) {
		n = a->n - i < lanes ? a->n - i : lanes;
		r = look(a, &a->place[i], n);
	}
	a->n = 0;
	return r;
}

/* What was found, as places; caches are told what comes next. */
static int
expand(struct many *a)
{
	const struct kdiff_index *x = a->x;
	int r = 0;

	for (unsigned i = 0; i < a->n_found; i++)
		__builtin_prefetch(x->entry + x->start[a->found[i].slot]);
	for (unsigned i = 0; i < a->n_found && !r; i++) {
		const struct found *f = &a->found[i];
		uint32_t beg = x->start[f->slot], end = x->start[f->slot + 1];

		if (a->left < end - beg) {
			a->left = 0;
			break;
		}
		a->left -= end - beg;
		for (uint32_t j = beg; j < end && !r; j++) {
			uint32_t p = kdiff_entry_pattern(x->entry[j]);

			if (!a->room[p] || !--a->room[p])
				continue;
			__builtin_prefetch(x->eq[p]);
			a->place[a->n++] = (struct place){
				f->at + kdiff_entry_rest(x->entry[j]), p,
				f->seg,
			};
			if (a->n == BATCH)
				r = flush(a);
		}
	}
	a->n_found = 0;
	return r;
}

/*
 * A piece that one letter was left out of may lack its last one at the end.
 * What stands behind the text reads as 0, and counts as any letter.
 */
static int
scan_seg(struct many *a, uint32_t seg)
{
	const struct kdiff_seg *g = &a->t->seg[seg];
	const uint64_t *planes = a->t->planes;
	uint64_t stop = g->end + 2 > a->x->q ? g->end + 2 - a->x->q : 0;
	uint32_t key[KDIFF_KEYS];
	uint64_t at = g->beg;
	int r = 0;

	for (; at < stop && a->left && !r; at += KDIFF_KEYS) {
		uint64_t lo = bits_at(a, planes, 2, (int64_t)at);
		uint64_t hi = bits_at(a, planes + 1, 2, (int64_t)at);
		uint32_t found;

		/* a long run of other letters holds no match */
		if (a->t->exc && !~bits_at(a, a->t->exc, 1, (int64_t)at))
			continue;
		found = a->set->ops.keys(a->x->present, a->x->q, lo, hi, key);
		if (stop - at < KDIFF_KEYS)
			found &= (1u << (stop - at)) - 1;
		for (; found && !r; found &= found - 1) {
			unsigned i = (unsigned)__builtin_ctz(found);
			uint32_t slot = kdiff_index_slot(a->x, key[i]);

			a->found[a->n_found++] = (struct found){
				at + i, slot, seg,
			};
			__builtin_prefetch(a->x->start + slot);
			if (a->n_found == BATCH)
				r = expand(a);
		}
	}
	return r;
}

static bool
after(const struct kdiff_hit *a, const struct kdiff_hit *b)
{
	return a->end != b->end ? a->end > b->end : a->pattern > b->pattern;
}

/* Merge v[0..mid) and v[mid..n) by way of tmp, which holds mid hits. */
static void
merge(struct kdiff_hit *v, size_t mid, size_t n, struct kdiff_hit *tmp)
{
	size_t i = 0, j = mid, k = 0;

	memcpy(tmp, v, mid * sizeof *v);
	while (i < mid)
		v[k++] = j < n && after(&tmp[i], &v[j]) ? v[j++] : tmp[i++];
}

/* By (end, pattern); they are in order almost. */
static int
sort(struct kdiff_hit *v, size_t n, struct kdiff_hits *tmp, struct err *e)
{
	int r;

	tmp->n = 0;
	r = kdiff_hits_room(tmp, n, e);
	for (size_t w = 1; w < n && !r; w *= 2)
		for (size_t i = 0; i + w < n; i += 2 * w)
			if (after(&v[i + w - 1], &v[i + w]))
				merge(v + i, w, n - i < 2 * w ? n - i : 2 * w,
				      tmp->v);
	return r;
}

/* Drop copies, and what belongs to patterns with too many places. */
static void
sweep(const struct many *a, size_t from)
{
	struct kdiff_hits *h = a->out;
	size_t n = from;

	for (size_t i = from; i < h->n; i++) {
		struct kdiff_hit *to = &h->v[n], x = h->v[i];

		if (!a->room[x.pattern])
			continue;
		if (n > from && to[-1].end == x.end &&
		    to[-1].pattern == x.pattern) {
			if (x.dist < to[-1].dist)
				to[-1].dist = x.dist;
			continue;
		}
		*to = x;
		n++;
	}
	h->n = n;
}

/* What the other engine has to search for, in order. */
static void
list_rest(const struct many *a, struct kdiff_work *w)
{
	size_t next = 0;

	w->n_rest = 0;
	for (uint32_t i = 0; i < a->set->n; i++) {
		bool other = next < a->x->n_rest && a->x->rest[next] == i;

		next += other;
		if (other || !a->left || !a->room[i])
			((uint32_t *)(void *)w->rest)[w->n_rest++] = i;
	}
}

/* Places so many that another engine is faster are not looked at. */
static void
limit(struct many *a)
{
	a->most = a->out->n + MOST_HITS;
	a->left = 0;
	for (size_t i = 0; i < a->set->n; i++) {
		double n = (double)a->t->n * a->x->most_places[i] + 16;

		a->room[i] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
		a->left += (uint64_t)a->room[i] * PASS_OVER;
	}
}

int
kdiff_many(const struct kdiff_set *set, const struct kdiff_index *x,
	   const struct kdiff_text *text, struct kdiff_work *w,
	   struct kdiff_hits *out, struct err *e)
{
	struct many a = {
		.set = set, .x = x, .t = text, .out = out, .e = e,
		.n_words = text->n / 64 + (text->n % 64 != 0),
		.left = UINT64_MAX, .most = SIZE_MAX,
	};
	size_t from = out->n;
	int r = kdiff_room(&w->room, &w->room_cap, set->n * 4, e);

	if (!r)
		r = kdiff_room(&w->rest, &w->rest_cap, set->n * 4, e);
	if (r)
		return r;
	a.room = (uint32_t *)(void *)w->room;
	if (set->engine == KDIFF_AUTO)
		limit(&a);
	else
		memset(a.room, 0xff, set->n * 4);
	for (size_t s = 0; s < text->n_seg && a.left && !r; s++)
		r = scan_seg(&a, (uint32_t)s);
	if (!r)
		r = expand(&a);
	if (!r)
		r = flush(&a);
	if (!a.left)
		out->n = from;
	if (!r && out->n > from)
		r = sort(out->v + from, out->n - from, &w->tmp, e);
	if (r)
		return r;
	sweep(&a, from);
	list_rest(&a, w);
	return 0;
}
