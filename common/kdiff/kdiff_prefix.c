/* SPDX-License-Identifier: MIT */
/* kdiff_prefix.c - first rows of patterns, and where others follow them */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_prefix.h"

enum {
	DEEP_WIDTH = 32,	/* diagonals of a frame of one word, at most */
	DEEP_READS = 192,	/* letters after its last diagonal */
	LEAST_BELOW = 40,	/* rows, or it gains too little */
	AT_ONCE = 64,		/* words with hits */
};

/*
 * Rows of the prefix, 0 if there is none.  More than k, so that D > k before a
 * segment's first letter; and as many are left, so that live columns up to an
 * end say all of it and of the next one: there blocks meet (split_ranges() in
 * kdiff_qgram.c).
 */
static uint32_t
rows_of(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	uint64_t rows = set->force.rows ? set->force.rows : p->chk[0];

	if (p->m < 2ull * p->k + 2)
		return 0;
	return (uint32_t)min_u64(max_u64(rows, p->k + 1), p->m - p->k - 1);
}

bool
kdiff_prefix_fits(const struct kdiff_set *set, bool force)
{
	if (!kdiff_strip_fits(set) || set->p.alphabet != KDIFF_DNA || !set->n)
		return false;
	for (size_t i = 0; i < set->n; i++) {
		const struct kdiff_pat *p = &set->pat[i];
		uint32_t rows = rows_of(set, p);

		if (!rows || (!force && (rows < p->chk[0] ||
					 p->m - rows < LEAST_BELOW)))
			return false;
	}
	return true;
}

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
		p->m = rows_of(set, p);
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

/* Are letters [at, at + n) of a segment, and do all of them match something? */
static bool
plain_letters(const struct kdiff_text *t, const struct kdiff_seg *g,
	      uint64_t at, uint64_t n)
{
	if (at < g->beg || at + n > g->end)
		return false;
	for (uint64_t i = 0; t->exc && i < n; i += 64)
		if (kdiff_bits(t, t->exc, 1, (int64_t)(at + i)))
			return false;
	return true;
}

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
	struct kdiff_range *x;
	int r;

	if (!f->open)
		return 0;
	f->open = false;
	r = f->p->add(f->p->ctx, &x, e);
	if (r)
		return r;
	while (f->seg + 1 < t->n_seg && t->seg[f->seg + 1].beg <= at)
		f->seg++;
	while (f->seg && t->seg[f->seg].beg > at)
		f->seg--;
	g = &t->seg[f->seg];
	/* D rises after the last live column */
	*x = (struct kdiff_range){
		.pattern = f->pattern, .seg = f->seg,
		.deep = width <= DEEP_WIDTH && width <= m &&
			plain_letters(t, g, at, below + DEEP_READS),
		.lo = (int64_t)lo, .hi = (int64_t)(lo + width - 1),
		.from = max_u64(lo, max_u64(g->from, g->beg + 1)),
		.to = min_u64(lo + width - 1, min_u64(g->to, g->end)),
		.vp = f->vp | beyond, .vm = f->vm & ~beyond,
	};
	return 0;
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
