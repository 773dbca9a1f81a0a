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
	bool direct;		/* the kernel may read the text */
	struct kdiff_strip x;
};

static unsigned
words_of(uint64_t width)
{
	return (unsigned)((width + STRIP_ROWS + 63) / 64);
}

static uint64_t
width_of(const struct kdiff_range *r, uint32_t pad)
{
	return (uint64_t)(r->hi - r->lo) + 1 + 2ull * pad;
}

double
kdiff_strip_cycles(const struct kdiff_set *set, const struct kdiff_range *r,
		   uint32_t pad)
{
	enum { LETTERS = 40, HITS = 100, EACH = 900 };	/* a word; besides */
	double m = set->pat[r->pattern].m, words = words_of(width_of(r, pad));

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

/*
 * Of a word those columns after an end where D rises and the run of equal
 * values began with a fall; *armed: it did so before, and does now.  Behind the
 * segment D rises.
 */
static uint64_t
rises_of_minima(const struct kdiff_seg *seg, int64_t at, uint64_t *to,
		bool *armed)
{
	int64_t end = (int64_t)seg->end - at;
	uint64_t gone = end >= 64 ? 0 : end <= 0 ? ~0ull : ~0ull << end, rep;

	to[0] |= gone;
	to[1] &= ~gone;
	rep = to[0] & (to[1] - to[0] - !*armed);
	if (to[0] | to[1])
		*armed = to[1] > to[0];
	return rep;
}

/*
 * Words of lane l with columns of ends, of minima of the letters after these;
 * `at` letters are before its first diagonal's.  Returns their numbers.
 */
static size_t
lane_words(struct group *g, size_t l, int64_t at, bool minima)
{
	const struct kdiff_range *r = &g->v[l];
	const struct kdiff_seg *seg = &g->s->text->seg[r->seg];
	/* ends that letters of its own lead to */
	struct kdiff_seg ends = {
		.beg = max_u64(seg->beg, (uint64_t)max_i64(r->lo, 1) - 1) +
		       minima,
		.end = min_u64(seg->end, (uint64_t)r->hi) + minima,
	};
	bool armed = false;
	size_t n = 0;

	for (unsigned w = 0; w < g->x.words; w++) {
		int64_t from = at + g->x.at + 64 * (int64_t)w;
		size_t i = w * g->lanes + l;
		uint64_t *to = g->word + n;

		to[0] = g->x.vp[i];
		to[1] = g->x.vm[i];
		to[2] = inside(&ends, from);
		to[3] = g->x.left[i] << 32 | 64 * w;
		if (minima)
			to[2] &= rises_of_minima(seg, from, to, &armed);
		n += to[2] ? KDIFF_EDIT_WORD : 0;
	}
	return n;
}

/*
 * Ends of lane l with D <= k, appended.  Bits tell minima where no run of equal
 * ends is longer than the pattern: D falls before the range's first one.
 */
static int
lane_hits(struct group *g, size_t l, int64_t at, uint32_t number)
{
	const struct kdiff_range *r = &g->v[l];
	bool bits = g->s->minima && width_of(r, 0) <= g->p->m;
	struct kdiff_hits *h = g->s->hits;
	size_t first = h->n, n = lane_words(g, l, at, bits), kept = first;
	const struct kdiff_run run = {
		.at = (uint64_t)(at + g->x.at), .n = (uint32_t)n,
		.pattern = number,
	};
	int rc = kdiff_hits_room(h, n / KDIFF_EDIT_WORD * 64 +
				 KDIFF_HITS_OVER, g->s->e);

	if (rc || !n)
		return rc;
	n = g->s->set->ops.edit_extract(g->p, &run, g->word, bits,
					h->v + first);
	if (g->s->minima && !bits)
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
	size_t eq = g->direct ? 0 : g->x.n_sym * g->x.eq_words * v;
	size_t frame = g->x.n_sym * words * v;
	size_t word = (words + 1) * KDIFF_EDIT_WORD * sizeof(uint64_t);
	int r = kdiff_room(g->s->mem, g->s->mem_cap, eq + frame +
			   3 * words * v + word, g->s->e);
	uint8_t *p = *g->s->mem;

	if (r < 0)
		return r;
	memset(p, 0, eq);
	g->x.eq = g->direct ? NULL : (uint64_t *)p;
	g->x.frame = (uint64_t *)(p += eq);
	g->x.vp = (uint64_t *)(p += frame);
	g->x.vm = (uint64_t *)(p += words * v);
	g->x.left = (uint64_t *)(p += words * v);
	g->word = (uint64_t *)(p + words * v);
	return 0;
}

/*
 * Are all letters that a range leads to, and as many words as the kernel reads,
 * in its segment, and do they match something?
 */
static bool
plain_letters(const struct group *g, const struct kdiff_range *r)
{
	const struct kdiff_text *t = g->s->text;
	const struct kdiff_seg *seg = &t->seg[r->seg];
	int64_t at = r->lo - g->s->pad - g->p->m;
	uint64_t n = (g->x.eq_words + 3) * 64;

	if (at < (int64_t)seg->beg || (uint64_t)at + n > seg->end)
		return false;
	for (uint64_t i = 0; t->exc && i < n; i += 64)
		if (kdiff_bits(t, t->exc, 1, at + (int64_t)i))
			return false;
	return true;
}

/* The letters of all lanes; those without a range have the first one's. */
static void
read_lanes(struct group *g)
{
	for (size_t l = 0; l < g->lanes; l++) {
		int64_t at = g->v[l < g->n ? l : 0].lo - g->s->pad - g->p->m;

		if (g->direct)
			g->x.first[l] = (uint64_t)at;
		else if (l < g->n)
			read_lane(g, l, at);
	}
}

static int
scan_group(struct group *g, uint32_t number)
{
	uint32_t pad = g->s->pad;
	int r;

	g->x.code = g->p->code;
	g->x.m = g->p->m;
	g->x.n_sym = g->s->set->n_sym;
	g->x.width = 0;
	for (size_t l = 0; l < g->n; l++)
		g->x.width = (unsigned)max_u64(g->x.width,
					       width_of(&g->v[l], pad));
	g->x.words = words_of(g->x.width);
	g->x.eq_words = g->p->m / 64 + g->x.words + 2;
	g->x.planes = g->s->text->planes;
	g->x.sym = g->s->set->sym;
	g->direct = true;
	for (size_t l = 0; l < g->n && g->direct; l++)
		g->direct = plain_letters(g, &g->v[l]);
	r = group_room(g);
	if (r < 0)
		return r;
	read_lanes(g);
	g->s->set->ops.strip(&g->x);
	for (size_t l = 0; l < g->n && !r; l++)
		r = lane_hits(g, l, g->v[l].lo - pad - g->p->m, number);
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
