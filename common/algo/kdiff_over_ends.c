/* SPDX-License-Identifier: MIT */
/*
 * kdiff_over_ends.c - distances of the ends that overhangs may change
 *
 * Columns of F, see kdiff_over.c, as bits along the pattern (Myers, J. ACM
 * 46(3), 1999): F(0, v) = 0 at every letter, and the first column rises where
 * the cost of an overhang does, by at most 1 a letter, or everywhere if the
 * subject does not begin there.  The last letter is the top bit of the last
 * word.  Rows below the first letter match everything, so that they stay 0,
 * as F(0, v) is.  Neighbouring patterns of equally many words go side by side:
 * one alone waits for its own results most of the time.
 */
#include <stdlib.h>

#include "algo/kdiff_exact.h"
#include "algo/kdiff_over.h"

enum { SIDE = KDIFF_SIDE };

/* One segment and some patterns; those behind the last are copies of it. */
struct side {
	const struct kdiff_set *set;
	const struct kdiff_seg *seg;
	const struct kdiff_pat *p[SIDE];
	uint32_t number, n;	/* of the first pattern, and of patterns */
	uint64_t most;		/* the largest reach */
	kdiff_lanes *table;	/* their p->over side by side */
	struct kdiff_side f;
};

static size_t
classes(const struct kdiff_set *set)
{
	return set->p.alphabet == KDIFF_DNA ? 16 : 256;
}

static size_t
words_of(const struct kdiff_pat *p)
{
	return (p->m + 63) / 64;
}

int
kdiff_over_compile(const struct kdiff_set *set, struct kdiff_pat *p,
		   struct err *e)
{
	size_t words = words_of(p), n = classes(set), pad = words * 64 - p->m;
	uint64_t *plain, *hang;

	p->over = calloc((n + 2) * words, sizeof *p->over);
	if (!p->over)
		return err_nomem(e, (n + 2) * words * sizeof *p->over);
	plain = p->over + n * words;
	hang = plain + words;
	for (size_t b = 0; b < words * 64; b++) {
		uint32_t i = b < pad ? 0 : (uint32_t)(b - pad);
		uint64_t bit = 1ull << b % 64;

		for (size_t c = 0; c < n; c++)
			if (b < pad || exact_fits(set, p, i, (uint8_t)c))
				p->over[c * words + b / 64] |= bit;
		if (b < pad)
			continue;
		plain[b / 64] |= bit;
		if (kdiff_over_cost(set, i + 1u) > kdiff_over_cost(set, i))
			hang[b / 64] |= bit;
	}
	return 0;
}

static void
first_column(struct side *s, bool begins)
{
	const kdiff_lanes *from = s->table +
			    (classes(s->set) + begins) * s->f.words;

	for (size_t w = 0; w < s->f.words; w++) {
		s->f.pv[w] = from[w];
		s->f.mv[w] = (kdiff_lanes){ 0 };
	}
	for (uint32_t x = 0; x < SIDE; x++)
		s->f.d[x] = begins ? kdiff_over_cost(s->set, s->p[x]->m) :
				   s->p[x]->m;
}

/* The least cost where the subject ends, if it is <= k. */
static uint32_t
at_end(const struct side *s, uint32_t x)
{
	const struct kdiff_pat *p = s->p[x];
	const uint64_t *hang = p->over + (classes(s->set) + 1) * s->f.words;
	uint32_t f = (uint32_t)s->f.d[x], best = f, cost = 0;
	size_t top = s->f.words * 64 - 1, pad = s->f.words * 64 - p->m;

	for (size_t l = 1; l <= p->m; l++) {
		size_t row = top - (l - 1);
		size_t rise = pad + l - 1;

		cost += hang[rise / 64] >> rise % 64 & 1;
		if (cost > p->k)
			break;
		f -= s->f.pv[row / 64][x] >> row % 64 & 1;
		f += s->f.mv[row / 64][x] >> row % 64 & 1;
		best = f + cost < best ? f + cost : best;
	}
	return best;
}

/* The segment's first and last letters, n of each: all that count. */
struct letters {
	uint8_t *head, *tail;
	uint64_t n;
};

/*
 * A window of the pattern's letters but the last l, which hang over the end,
 * that ends behind t[v - 1]; what does not fit hangs over the begin.  The cost,
 * or more than k.
 */
static uint32_t
window(const struct side *s, uint32_t x, const uint8_t *t, uint64_t v,
       uint32_t l)
{
	const struct kdiff_pat *p = s->p[x];
	uint32_t i = p->m - l, left = v < i ? i - (uint32_t)v : 0;
	uint32_t d = kdiff_over_cost(s->set, l) +
		     kdiff_over_cost(s->set, left);

	if (left && !s->seg->first)	/* no such window */
		return p->k + 1;
	for (; i > left && d <= p->k; i--)
		d += !exact_fits(s->set, p, i - 1, t[--v]);
	return d;
}

/* The least cost behind t[v - 1], which ends the subject or not. */
static uint32_t
windows(const struct side *s, uint32_t x, const uint8_t *t, uint64_t v,
	bool ends)
{
	uint32_t k = s->p[x]->k, m = s->p[x]->m, best = window(s, x, t, v, 0);

	for (uint32_t l = 1; ends && l <= m; l++) {
		uint32_t d = window(s, x, t, v, l);

		if (kdiff_over_cost(s->set, l) > k)
			break;
		best = d < best ? d : best;
	}
	return best;
}

/* The hits at letter v of the segment, behind t[at - 1], if it is near. */
static int
put(const struct side *s, struct kdiff_hits *h, uint64_t v, const uint8_t *t,
    uint64_t at, struct err *e)
{
	uint64_t end = s->seg->beg + v;
	bool ends = s->seg->last && end == s->seg->end;

	for (uint32_t x = 0; x < s->n; x++) {
		uint32_t d = s->set->p.hamming ? windows(s, x, t, at, ends) :
			     ends ? at_end(s, x) : (uint32_t)s->f.d[x];
		int rc;

		if (d > s->p[x]->k || !kdiff_over_at(s->seg, s->p[x], end))
			continue;
		rc = kdiff_hits_room(h, 1, e);
		if (rc)
			return rc;
		h->v[h->n++] = (struct kdiff_hit){ end, d, s->number + x };
	}
	return 0;
}

static int
both_ends(struct side *s, const struct letters *t, struct kdiff_hits *h,
	  struct err *e)
{
	uint64_t n = s->seg->end - s->seg->beg;
	uint64_t some = t->n;
	bool edit = !s->set->p.hamming;
	int rc = 0;

	if (s->seg->first) {
		if (edit)
			first_column(s, true);
		for (uint64_t v = 0; v <= some && !rc; v++) {
			rc = put(s, h, v, t->head, v, e);
			if (edit && v < some)
				v += s->set->ops.over(&s->f, t->head + v,
						      some - v, true) - 1;
		}
	}
	if (rc || !s->seg->last || (s->seg->first && n == some))
		return rc;
	if (edit)
		first_column(s, false);
	if (edit)
		s->set->ops.over(&s->f, t->tail, some, false);
	return put(s, h, n, t->tail, some, e);
}

/* What p->over of all of them holds, side by side. */
static void
make_table(struct side *s)
{
	size_t n = (classes(s->set) + 2) * s->f.words;

	for (uint32_t x = 0; x < SIDE; x++) {
		s->f.above[x] = s->p[x]->k + 1ull;
		for (size_t i = 0; !s->set->p.hamming && i < n; i++)
			s->table[i][x] = s->p[x]->over[i];
	}
}

/* The patterns from `number` on that go side by side. */
static void
choose(struct side *s, uint32_t number)
{
	const struct kdiff_set *set = s->set;

	s->number = number;
	s->n = 0;
	s->most = 0;
	s->f.words = words_of(&set->pat[number]);
	for (uint32_t x = 0; x < SIDE; x++) {
		size_t i = number + x;
		bool more = s->n == x && i < set->n &&
			    words_of(&set->pat[i]) == s->f.words;

		s->p[x] = &set->pat[more ? i : number];
		s->n += more;
		if (kdiff_over_reach(s->p[x]) > s->most)
			s->most = kdiff_over_reach(s->p[x]);
	}
	make_table(s);
}

static void
read_letters(const struct side *s, const struct kdiff_job *j,
	     struct letters *t)
{
	struct exact x = { .set = j->set, .text = j->text };
	const struct kdiff_seg *g = s->seg;
	uint64_t n = g->end - g->beg;

	t->n = n < s->most ? n : s->most;
	if (t->n && g->first)
		kdiff_exact_read(&x, g->beg, t->n, t->head);
	if (t->n && g->last)
		kdiff_exact_read(&x, g->end - t->n, t->n, t->tail);
}

/* Memory for the longest patterns, and letters at both ends. */
static int
prepare(struct side *s, const struct kdiff_job *j, struct letters *t)
{
	size_t words = (j->set->max_m + 63) / 64;
	size_t table = (classes(j->set) + 2) * words;
	uint64_t most = j->set->max_mk;
	int rc = kdiff_room(&j->w->exact, &j->w->exact_cap, (table + 2 *
			    words) * sizeof *s->table + 2 * most, j->e);

	s->table = (kdiff_lanes *)(void *)j->w->exact;
	s->f.eq = s->table;
	s->f.pv = s->table + table;
	s->f.mv = s->f.pv + words;
	t->head = (uint8_t *)(s->f.mv + words);
	t->tail = t->head + most;
	return rc;
}

int
kdiff_over_ends(const struct kdiff_job *j, struct kdiff_hits *h)
{
	struct side s = { .set = j->set };
	struct letters t;
	int rc = prepare(&s, j, &t);

	for (size_t i = 0; i < j->set->n && !rc; i += s.n) {
		choose(&s, (uint32_t)i);
		for (size_t g = 0; g < j->text->n_seg && !rc; g++) {
			s.seg = &j->text->seg[g];
			read_letters(&s, j, &t);
			if (s.seg->first || s.seg->last)
				rc = both_ends(&s, &t, h, j->e);
		}
	}
	return rc;
}
