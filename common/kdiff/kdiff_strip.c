/* SPDX-License-Identifier: MIT */
/*
 * kdiff_strip.c - ranges of ends by strips of diagonals, some side by side
 * Source: Ukkonen, Inf. Control 64, 1985 (only diagonals that matter); Hyyro,
 * 2003 (bit vectors along them).
 *
 * Diagonal b leads from text letter b, before the first pattern letter, to
 * letter b + m, behind the last one.  A path of at most k differences that
 * passes diagonal d leaves it by at most k to either side.  So where pieces
 * equal on diagonals d1 <= d <= d2 are all that matches near these ends hold
 * (kdiff_qgram.c), a strip of d1 - k .. d2 + k has all of their paths: its
 * values <= k are D, and where D > k so are its own.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"
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
		uint64_t is[4];

		kdiff_four_at(t, at, inside(seg, at), is);
		for (unsigned s = 0; s < g->x.n_sym; s++)
			eq[(s * g->x.eq_words + i) * g->lanes] =
			    kdiff_of_set(is, sym[s]);
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

/* Are letters [at, at + n) of a segment, and do all of them match something? */
static bool
plain_letters(const struct kdiff_text *t, const struct kdiff_seg *g,
	      int64_t at, uint64_t n)
{
	if (at < (int64_t)g->beg || (uint64_t)at + n > g->end)
		return false;
	for (uint64_t i = 0; t->exc && i < n; i += 64)
		if (kdiff_bits(t, t->exc, 1, at + (int64_t)i))
			return false;
	return true;
}

/* All that a range leads to, and as many words as the kernel reads. */
static bool
plain_range(const struct group *g, const struct kdiff_range *r)
{
	return plain_letters(g->s->text, &g->s->text->seg[r->seg],
			     r->lo - g->s->pad - g->p->m,
			     (g->x.eq_words + 3) * 64);
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
		g->direct = plain_range(g, &g->v[l]);
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

/*
 * Ends by way of a pattern's first rows
 *
 * D <= k holds at an end of the whole pattern only if the path to it passes
 * row r, the last one of a prefix, at a column with D <= k: a live one.  Random
 * text has few of them after the first r rows (check_rows() in kdiff.c), so the
 * rows below are done where columns are live, not in all lanes.
 *
 * Diagonals that matter.  Let columns c0 .. c1 be live, and c0 - 1 and c1 + 1
 * not.  From a column to the next one D changes by at most 1, so it is k at c0
 * and c1, and D(r, c) >= k - (c - c0) and >= k - (c1 - c): the k - D(r, c)
 * differences that are left lead from c by at most c - c0 diagonals to the left
 * and c1 - c to the right.  So ends with D <= k are on the diagonals of live
 * columns, c0 + m - r .. c1 + m - r, and D > k on those beside, in row r and,
 * as D does not fall along a diagonal, in all rows below.  r > k, so that the
 * column before a segment's first letter is not live.
 *
 * What is not live counts as any value > k: values <= k come from values <= k
 * alone.  So the frame of kdiff_deepen() begins with k + 1 before c0, and rises
 * after c1.
 *
 * A range that was joined with others, is wide, or is near a segment's border
 * or letters that match nothing is searched from row 0 by strips, k
 * diagonals wider to each side: a path to D(r, c) <= k leaves c's diagonal by
 * at most as many.
 */

enum {
	DEEP_WIDTH = 32,	/* diagonals of a frame of one word, at most */
	DEEP_READS = 192,	/* letters after its last diagonal */
	AT_ONCE = 64,		/* words with hits */
};

int
kdiff_prefix_make(struct kdiff_set *first, const struct kdiff_set *set,
		  uint32_t *room, struct err *e)
{
	struct kdiff_pat *v = malloc(set->n * sizeof *v);

	*first = *set;
	first->pat = v;
	if (!v)
		return err_nomem(e, set->n * sizeof *v);
	first->p.report = KDIFF_ALL;
	first->max_m = first->max_mk = first->max_2mk = 0;
	for (size_t i = 0; i < set->n; i++) {
		struct kdiff_pat *p = &v[i];

		*p = set->pat[i];
		p->m = kdiff_prefix_rows(set, p);
		p->n_chk = 1;
		p->chk = room++;
		p->slack = room++;
		*p->chk = p->m;
		*p->slack = p->k;
		first->max_m = max_u64(first->max_m, p->m);
		first->max_mk = max_u64(first->max_mk, p->m + p->k);
		first->max_2mk = max_u64(first->max_2mk, 2 * p->m + p->k);
	}
	return 0;
}

/*
 * Live columns become ranges.  The last one is open, as the next word may go on
 * with it: its columns are ends in the prefix's last row.
 */
struct finder {
	const struct kdiff_prefix *p;
	uint64_t base;
	size_t seg;
	uint32_t pattern;
	bool open;
	int64_t lo, hi;
	uint64_t vp, vm;	/* rises and falls from lo on */
};

/* The last range is complete. */
static int
close_range(struct finder *f, struct err *e)
{
	uint32_t m = f->p->set->pat[f->pattern].m;
	uint32_t below = m - f->p->first->pat[f->pattern].m;
	const struct kdiff_text *t = f->p->text;
	uint64_t width = (uint64_t)(f->hi - f->lo) + 1;
	uint64_t at = (uint64_t)f->lo - 1, lo = at + 1 + below;
	uint64_t beyond = width < 64 ? ~0ull << width : 0;
	const struct kdiff_seg *g;
	struct kdiff_range x;

	if (!f->open)
		return 0;
	f->open = false;
	while (f->seg + 1 < t->n_seg && t->seg[f->seg + 1].beg <= at)
		f->seg++;
	while (f->seg && t->seg[f->seg].beg > at)
		f->seg--;
	g = &t->seg[f->seg];
	/* D rises after the last live column */
	x = (struct kdiff_range){
		.pattern = f->pattern, .seg = f->seg,
		.deep = width <= DEEP_WIDTH && width <= m &&
			plain_letters(t, g, (int64_t)at, below + DEEP_READS),
		.lo = (int64_t)lo, .hi = (int64_t)(lo + width - 1),
		.from = max_u64(lo, max_u64(g->from, g->beg + 1)),
		.to = min_u64(lo + width - 1, min_u64(g->to, g->end)),
		.vp = f->vp | beyond, .vm = f->vm & ~beyond,
	};
	return f->p->add(f->p->ctx, &x, e);
}

/* A word at letter `at` with live columns. */
static int
live_word(struct finder *f, uint32_t pattern, const uint64_t *v, uint64_t at,
	  uint64_t live, struct err *e)
{
	unsigned low = (unsigned)__builtin_ctzll(live);
	int64_t lo = (int64_t)at + low + 1;
	int64_t hi = (int64_t)at + 64 - __builtin_clzll(live);
	uint64_t n = (uint64_t)(f->hi - f->lo) + 1;
	int r;

	if (f->open && f->pattern == pattern && f->hi + 1 == lo) {
		if (n < 64) {
			f->vp = (f->vp & ~(~0ull << n)) | v[0] << n;
			f->vm = (f->vm & ~(~0ull << n)) | v[1] << n;
		}
		f->hi = hi;
		return 0;
	}
	r = close_range(f, e);
	f->open = true;
	f->pattern = pattern;
	f->lo = lo;
	f->hi = hi;
	f->vp = v[0] >> low;
	f->vm = v[1] >> low;
	return r;
}

static int
take_words(void *ctx, const struct kdiff_run *run, const uint64_t *v,
	   struct err *e)
{
	uint64_t live[4 * KDIFF_MAX_PIECE];
	uint8_t which[4 * KDIFF_MAX_PIECE];
	struct finder *f = ctx;
	const struct kdiff_set *set = f->p->first;
	size_t n = 0;
	int r = 0;

	set->ops.columns_le(&set->pat[run->pattern], run, v, live);
	for (size_t i = 0; i < run->n / KDIFF_EDIT_WORD; i++) {
		which[n] = (uint8_t)i;
		n += live[i] != 0;
	}
	for (size_t i = 0; i < n && !r; i++) {
		const uint64_t *x = v + which[i] * KDIFF_EDIT_WORD;

		r = live_word(f, run->pattern, x, f->base + run->at +
			      (uint32_t)x[3], live[which[i]], e);
	}
	return r;
}

int
kdiff_prefix_find(const struct kdiff_prefix *p, const struct kdiff_job *j,
		  const struct kdiff_text *view, uint64_t base)
{
	struct finder f = { .p = p, .base = base };
	struct kdiff_job job = *j;
	int r;

	if (!view->n_seg)
		return 0;
	f.seg = kdiff_seg_find(p->text, base);
	job.set = p->first;
	job.text = view;
	job.which = NULL;
	job.n = p->first->n;
	job.all = true;
	job.hits = NULL;
	job.take = NULL;
	job.unordered = false;
	job.words = take_words;
	job.ctx = &f;
	r = kdiff_text_scan(&job);
	return r ? r : close_range(&f, j->e);
}

/* Rows below. */

/* Bits lo .. hi - 1, none below 0 or above 63. */
static uint64_t
bits_between(int64_t lo, int64_t hi)
{
	lo = max_i64(lo, 0);
	hi = min_i64(hi, 64);
	return lo < hi ? ~0ull >> (64 - (hi - lo)) << lo : 0;
}

struct words {
	const struct kdiff_strips *s;
	struct kdiff_run run;
	uint64_t v[AT_ONCE * KDIFF_EDIT_WORD];
};

/* The words so far become hits. */
static int
put_words(struct words *w, const struct kdiff_pat *p)
{
	struct kdiff_hits *h = w->s->hits;
	int r = kdiff_hits_room(h, w->run.n / KDIFF_EDIT_WORD * 64 +
				KDIFF_HITS_OVER, w->s->e);

	if (r < 0)
		return r;
	h->n += w->s->set->ops.edit_extract(p, &w->run, w->v, w->s->minima,
					    h->v + h->n);
	w->run.n = 0;
	return 0;
}

/*
 * Lane l's last row is of range r.  The columns of ends that are reported; of
 * minima those after them where D rises and did not since a fall: no run of
 * equal values <= k is as long as the pattern, or longer.
 */
static void
add_word(struct words *w, const struct kdiff_deep *x, size_t l,
	 const struct kdiff_range *r)
{
	uint64_t *to = w->v + w->run.n, at = x->at[l] + x->moved;
	bool minima = w->s->minima;
	int64_t first = (int64_t)at + !minima;
	uint64_t in = bits_between((int64_t)r->from - first,
				   (int64_t)r->to + 1 - first);

	if (minima)
		in &= x->vp[l] & (x->vm[l] - x->vp[l]);
	to[0] = x->vp[l];
	to[1] = x->vm[l];
	to[2] = in;
	to[3] = x->left[l] << 32 | (at - w->run.at);
	w->run.n += KDIFF_EDIT_WORD;
}

/* n ranges side by side. */
static void
deepen(struct words *w, struct kdiff_deep *x,
       const struct kdiff_range *const *v, size_t n)
{
	uint32_t below = x->p->m - x->row;

	x->width = 1;
	for (size_t l = 0; l < KDIFF_DEEP * w->s->set->ops.lanes; l++) {
		const struct kdiff_range *r = v[l < n ? l : 0];

		x->at[l] = (uint64_t)r->lo - 1 - below;
		x->vp[l] = r->vp;
		x->vm[l] = r->vm;
		x->width = (unsigned)max_u64(x->width,
					     (uint64_t)(r->hi - r->lo) + 1);
	}
	w->s->set->ops.deepen(x);
	if (!w->run.n)
		w->run.at = x->at[0];
	for (size_t l = 0; l < n; l++)
		add_word(w, x, l, v[l]);
}

int
kdiff_deep_scan(const struct kdiff_strips *s, const struct kdiff_range *v,
		size_t n, uint32_t rows, uint32_t number)
{
	const struct kdiff_range *lane[KDIFF_DEEP * KDIFF_MAX_LANES];
	struct kdiff_deep x = {
		.planes = s->text->planes, .p = &s->set->pat[v->pattern],
		.sym = s->set->sym, .n_sym = s->set->n_sym, .row = rows,
	};
	struct words w = { .s = s, .run = { .pattern = number } };
	size_t lanes = KDIFF_DEEP * s->set->ops.lanes, have = 0;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		lane[have] = &v[i];
		have += v[i].deep;
		if (have < lanes && i + 1 < n)
			continue;
		if (have)
			deepen(&w, &x, lane, have);
		have = 0;
		if (w.run.n + lanes * KDIFF_EDIT_WORD >
		    AT_ONCE * KDIFF_EDIT_WORD || i + 1 == n)
			r = put_words(&w, x.p);
	}
	return r;
}
