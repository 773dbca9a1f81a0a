/* SPDX-License-Identifier: MIT */
/* kdiff_strip.c - ranges of ends by strips of diagonals, some side by side */

#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_strip.h"
#include "letters/letters.h"

/* Ranges side by side, one a lane. */
struct group {
	const struct kdiff_strips *s;
	const struct kdiff_pat *p;
	const struct kdiff_range *v;
	size_t n, lanes;
	uint64_t *word;		/* for kdiff_extract_fn */
	struct kdiff_strip x;
};

static unsigned
words_of(uint64_t width)
{
	return (unsigned)((width + STRIP_ROWS + 62) / 64);
}

static uint64_t
width_of(const struct kdiff_range *r)
{
	return (uint64_t)(r->hi - r->lo) + 1;
}

double
kdiff_strip_cycles(const struct kdiff_set *set, const struct kdiff_range *r)
{
	enum { LETTERS = 40, HITS = 100, EACH = 900 };	/* a word; besides */
	double m = set->pat[r->pattern].m, words = words_of(width_of(r));

	return m * words * 64 * set->ops.row + (m / 64 + words) * LETTERS +
	       words * HITS + EACH;
}

/* Which of 64 letters from `at` on are in the segment. */
static uint64_t
inside(const struct kdiff_seg *g, int64_t at)
{
	int64_t beg = (int64_t)g->beg - at, end = (int64_t)g->end - at;
	uint64_t in = ~0ull;

	if (beg >= 64 || end <= 0)
		return 0;
	if (beg > 0)
		in <<= beg;
	return end < 64 ? in & ((1ull << end) - 1) : in;
}

/* The letters that lane l's diagonals pass, `at` being the first. */
static void
read_lane(struct group *g, size_t l, int64_t at)
{
	const struct kdiff_text *t = g->s->text;
	const struct kdiff_seg *seg = &t->seg[g->v[l].seg];
	const uint8_t *sym = g->s->set->sym;
	uint64_t *eq = (uint64_t *)(uintptr_t)g->x.eq + l;

	for (size_t i = 0; i < g->x.eq_words; i++, at += 64) {
		uint64_t in = inside(seg, at), lo, hi, is[4];

		lo = in ? kdiff_bits(t, t->planes, 2, at) : 0;
		hi = in ? kdiff_bits(t, t->planes + 1, 2, at) : 0;
		if (in && t->exc)
			in &= ~kdiff_bits(t, t->exc, 1, at);
		is[0] = ~(lo | hi) & in;
		is[1] = lo & ~hi & in;
		is[2] = hi & ~lo & in;
		is[3] = lo & hi & in;
		for (unsigned s = 0; s < g->x.n_sym; s++) {
			uint64_t e = 0;

			for (unsigned b = 0; b < 4; b++)
				e |= sym[s] >> b & 1 ? is[b] : 0;
			eq[(s * g->x.eq_words + i) * g->lanes] = e;
		}
	}
}

/* Ends of lane l with D <= k, appended: `at` letters are before its first. */
static int
lane_hits(struct group *g, size_t l, int64_t at, uint32_t number)
{
	const struct kdiff_range *r = &g->v[l];
	const struct kdiff_seg *seg = &g->s->text->seg[r->seg];
	struct kdiff_hits *h = g->s->hits;
	/* ends that letters of its own lead to */
	struct kdiff_seg ends = {
		.beg = max_u64(seg->beg, (uint64_t)max_i64(r->lo, 1) - 1),
		.end = min_u64(seg->end, (uint64_t)r->hi),
	};
	size_t first = h->n, n = 0, kept;
	struct kdiff_run run = { .at = (uint64_t)(at + g->x.at),
				 .pattern = number };
	int rc;

	for (unsigned w = 0; w < g->x.words; w++) {
		size_t i = w * g->lanes + l;
		uint64_t *to = g->word + n;

		to[0] = g->x.vp[i];
		to[1] = g->x.vm[i];
		to[2] = inside(&ends, at + g->x.at + 64 * (int64_t)w);
		to[3] = g->x.left[i] << 32 | 64 * w;
		n += to[2] ? KDIFF_EDIT_WORD : 0;
	}
	run.n = (uint32_t)n;
	rc = kdiff_hits_room(h, n / KDIFF_EDIT_WORD * 64 + KDIFF_HITS_OVER,
			     g->s->e);
	if (rc || !n)
		return rc;
	n = g->s->set->ops.edit_extract(g->p, &run, g->word, false,
					h->v + first);
	kept = first;
	if (g->s->minima)
		n = kdiff_hits_minima_of(h->v + first, n, g->p->m);
	for (size_t i = first; i < first + n; i++)
		if (h->v[i].end >= r->from && h->v[i].end <= r->to)
			h->v[kept++] = h->v[i];
	h->n = kept;
	return 0;
}

/* Room for what a group of n_sym symbols needs. */
static int
group_room(struct group *g)
{
	size_t v = g->lanes * sizeof(uint64_t), words = g->x.words;
	size_t eq = g->x.n_sym * g->x.eq_words * v;
	size_t frame = g->x.n_sym * words * v;
	size_t word = (words + 1) * KDIFF_EDIT_WORD * sizeof(uint64_t);
	int r = kdiff_room(g->s->mem, g->s->mem_cap, eq + frame +
			   3 * words * v + word, g->s->e);
	uint8_t *p = *g->s->mem;

	if (r < 0)
		return r;
	memset(p, 0, eq);
	g->x.eq = (uint64_t *)p;
	g->x.frame = (uint64_t *)(p += eq);
	g->x.vp = (uint64_t *)(p += frame);
	g->x.vm = (uint64_t *)(p += words * v);
	g->x.left = (uint64_t *)(p += words * v);
	g->word = (uint64_t *)(p + words * v);
	return 0;
}

static int
scan_group(struct group *g, uint32_t number)
{
	int r;

	g->x.code = g->p->code;
	g->x.m = g->p->m;
	g->x.n_sym = g->s->set->n_sym;
	g->x.width = 0;
	for (size_t l = 0; l < g->n; l++)
		g->x.width = (unsigned)max_u64(g->x.width,
					       width_of(&g->v[l]));
	g->x.words = words_of(g->x.width);
	g->x.eq_words = g->p->m / 64 + g->x.words + 2;
	r = group_room(g);
	if (r < 0)
		return r;
	for (size_t l = 0; l < g->n; l++)
		read_lane(g, l, g->v[l].lo - g->p->m);
	g->s->set->ops.strip(&g->x);
	for (size_t l = 0; l < g->n && !r; l++)
		r = lane_hits(g, l, g->v[l].lo - g->p->m, number);
	return r;
}

int
kdiff_strip_scan(const struct kdiff_strips *s, const struct kdiff_range *v,
		 size_t n, uint32_t number)
{
	struct group g = {
		.s = s, .p = &s->set->pat[v->pattern],
		.lanes = s->set->ops.lanes,
	};
	int r = 0;

	for (size_t i = 0; i < n && !r; i += g.n) {
		g.v = v + i;
		g.n = min_u64(n - i, g.lanes);
		r = scan_group(&g, number);
	}
	return r;
}
