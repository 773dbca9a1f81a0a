/* SPDX-License-Identifier: MIT */
/*
 * kdiff_overhang.c - patterns that overhang the ends of a subject
 *
 * F(i, v) is the least cost of the pattern's first i letters at the v-th
 * letter: where the subject begins, F(i, 0) = c(i) = floor(i * cost), and where
 * it ends the distance is the least F(m - l, n) + c'(l).  (Before the begin,
 * letters that hang over are never worse than insertions, since c(l) + i - l >=
 * c(i).)  A path of cost <= k from the begin has at most m + k letters, so that
 * only ends within m + k of it, and the end of the subject, differ from those
 * of the plain search.
 *
 * A limit on the overlap: of o = m - l - l' letters that do not hang over, at
 * least min_overlap, with a cost of at most r(o), which never falls as o grows.
 * Where nothing hangs over the begin, o is known at each l', and the least
 * F(m - l', n) + c'(l') covers all.  Over the begin: let F_e be the columns
 * where at most l_e letters hang over, the most with r(m - l_e) >= e.  Then
 * some alignment counts if and only if F_e(m, v) <= e for some e: one of cost x
 * with overlap o is in F_e for e = r(o) >= x; and one of F_e with cost <= e has
 * r(o) >= e.  Their least cost is the distance.  Subjects that both ends of a
 * pattern hang over are short: there each l' and each l are tried.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

/*
 * Distances of the ends that overhangs may change
 *
 * Columns of F, see kdiff_overhang.c, as bits along the pattern (Myers, J. ACM
 * 46(3), 1999): F(0, v) = 0 at every letter, and the first column rises where
 * the cost of an overhang does, by at most 1 a letter, or everywhere if the
 * subject does not begin there.  The last letter is the top bit of the last
 * word.  Rows below the first letter match everything, so that they stay 0,
 * as F(0, v) is.  Neighbouring patterns of equally many words go side by side:
 * one alone waits for its own results most of the time.
 */

enum { SIDE = KDIFF_SIDE, SEGMENTS = 4096, BLOCK = 64 };

/* One segment and some patterns; those behind the last are copies of it. */
struct side {
	const struct kdiff_set *set;
	const struct kdiff_seg *seg;
	const struct kdiff_pat *p[SIDE];
	uint32_t number[SIDE], n;	/* of the patterns, and how many */
	uint32_t max_k;
	int64_t most_cost[SIDE];	/* e of F_e; -1: not of this pattern */
	uint64_t most;		/* the largest reach */
	kdiff_lanes *table;	/* their p->over side by side */
	/* What all columns begin with: F(m, 0), and how it rises. */
	kdiff_lanes first_d, *first;
	uint32_t *row;		/* of fit() */
	struct kdiff_hits *hits;
	struct kdiff_side f;
};

static bool
is_limited(const struct kdiff_set *set)
{
	return set->p.min_overlap || set->p.per_overlap.den;
}

/* The most that o letters of p may cost; -1: they are too few. */
static int64_t
allowed(const struct kdiff_set *set, const struct kdiff_pat *p, uint32_t o)
{
	const struct kdiff_ratio *r = &set->p.per_overlap;

	if (o < set->p.min_overlap && o < p->m)
		return -1;
	if (!r->den || o == p->m)
		return p->k;
	return (int64_t)((unsigned __int128)o * r->num / r->den);
}

/* How many letters of p may hang over if the others may cost e. */
static uint32_t
most_over(const struct kdiff_set *set, const struct kdiff_pat *p, int64_t e)
{
	uint32_t l = 0;

	if (!is_limited(set))
		return p->m;
	while (l < p->m && allowed(set, p, p->m - l - 1) >= e)
		l++;
	return l;
}

static size_t
n_classes(const struct kdiff_set *set)
{
	return set->p.alphabet == KDIFF_DNA ? 16 : 256;
}

static size_t
words_of(const struct kdiff_pat *p)
{
	return (p->m + 63) / 64;
}

int
kdiff_overhang_compile(const struct kdiff_set *set, struct kdiff_pat *p,
		       struct err *e)
{
	size_t words = words_of(p), n = n_classes(set), pad = words * 64 - p->m;
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
		if (set->p.over[0].den && kdiff_overhang_cost(set, 0, i + 1u) >
		    kdiff_overhang_cost(set, 0, i))
			hang[b / 64] |= bit;
	}
	return 0;
}

/* Where the subject begins no more letters hang over than the limit has. */
static void
limit_first(struct side *s, uint32_t x)
{
	const struct kdiff_pat *p = s->p[x];
	uint32_t cost = UINT32_MAX, most;

	if (s->most_cost[x] >= 0) {
		most = most_over(s->set, p, s->most_cost[x]);
		cost = kdiff_overhang_cost(s->set, 0, most) + p->m - most;
		for (size_t b = s->f.words * 64 - p->m + most;
		     b < s->f.words * 64; b++)
			s->first[b / 64][x] |= 1ull << b % 64;
	}
	s->first_d[x] = cost;
	s->f.above[x] = (uint64_t)(s->most_cost[x] + 1);
}

/* The first columns of texts whose begin patterns may hang over, or not. */
static void
set_first(struct side *s, bool begins)
{
	const kdiff_lanes *from = s->table +
			    (n_classes(s->set) + begins) * s->f.words;

	memcpy(s->first, from, s->f.words * sizeof *from);
	for (uint32_t x = 0; x < SIDE; x++)
		if (begins)
			limit_first(s, x);
		else
			s->first_d[x] = s->p[x]->m;
}

static void
first_column(struct side *s)
{
	s->f.d = s->first_d;
	for (size_t w = 0; w < s->f.words; w++) {
		s->f.pv[w] = s->first[w];
		s->f.mv[w] = (kdiff_lanes){ 0 };
	}
}

/* F(m - l, n), for l = 0, 1, ... in turn. */
struct upward {
	const struct side *s;
	uint32_t x, l, f;
};

static uint32_t
next_up(struct upward *u)
{
	size_t row = u->s->f.words * 64 - 1 - u->l++;

	u->f -= u->s->f.pv[row / 64][u->x] >> row % 64 & 1;
	u->f += u->s->f.mv[row / 64][u->x] >> row % 64 & 1;
	return u->f;
}

/*
 * row[i], i = 0 .. end: d(pattern letters [i, end), the v before t), as far as
 * it is at most k; the result is the least row[0] of all shorter texts.  Cells
 * (i, u) with more than k between i's distance from the end and u are left out.
 * strict: the last letter is no insertion.
 */
static uint32_t
rows_back(const struct side *s, uint32_t x, const uint8_t *t, uint64_t v,
	  uint32_t end, bool strict)
{
	const struct kdiff_pat *p = s->p[x];
	uint32_t *row = s->row, k = p->k, least, far = UINT32_MAX / 2;

	for (uint32_t i = 0; i <= end; i++)
		row[i] = end - i <= (strict ? 0 : k) ? end - i : far;
	least = row[0];
	for (uint64_t u = 1; u <= v && u <= (uint64_t)end + k; u++) {
		uint32_t hi = u > k ? end - (uint32_t)(u - k) : end;
		uint32_t lo = end > u + k ? end - (uint32_t)(u + k) : 0;
		uint32_t diag = hi < end ? row[hi + 1] : far, up = far;
		const uint8_t *at = t - u;

		if (hi < end)
			row[hi + 1] = far;
		for (uint32_t i = hi + 1; i-- > lo;) {
			uint32_t was = row[i], d = was + 1;

			if (i < end)
				d = kdiff_min(d, diag +
					      !exact_fits(s->set, p, i, *at));
			row[i] = up = kdiff_min(d, up + 1);
			diag = was;
		}
		least = kdiff_min(least, row[0]);
	}
	for (uint32_t i = 0; v > (uint64_t)end + k && i <= end; i++)
		row[i] = far;
	return least;
}

/* Where a pattern is looked at: behind t[-1], v letters behind the begin of
 * the segment. */
struct spot {
	const uint8_t *t;
	uint64_t v;
	bool begins;	/* it may hang over there */
};

/*
 * The least cost with r letters over the end, each number of letters over the
 * begin tried, by definition; more than k: none counts.
 */
static uint32_t
fit(const struct side *s, uint32_t x, const struct spot *at, uint32_t r,
    bool strict)
{
	const struct kdiff_pat *p = s->p[x];
	uint32_t c = r ? kdiff_overhang_cost(s->set, 1, r) : 0, best = p->k + 1;
	uint32_t d = c + rows_back(s, x, at->t, at->v, p->m - r, strict && r);

	if (d <= allowed(s->set, p, p->m - r))
		best = kdiff_min(best, d);
	for (uint32_t l = 1; at->begins && l <= p->m - r; l++) {
		d = c + s->row[l] + kdiff_overhang_cost(s->set, 0, l);
		if (d <= allowed(s->set, p, p->m - r - l))
			best = kdiff_min(best, d);
	}
	return best;
}

/* The least of all numbers of letters over the end. */
static uint32_t
fit_end(const struct side *s, uint32_t x, const struct spot *at)
{
	const struct kdiff_pat *p = s->p[x];
	uint32_t best = p->k + 1;

	for (uint32_t r = 0; r <= p->m; r++) {
		if (kdiff_overhang_cost(s->set, 1, r) > best)
			break;
		best = kdiff_min(best, fit(s, x, at, r, false));
	}
	return best;
}

/* Segments, and the first and last n letters of each: all that count. */
struct ends {
	const struct kdiff_seg *seg;
	uint8_t *head, *tail;
	uint64_t n;
};

/*
 * A window of the pattern's letters but the last r, which hang over the end,
 * that ends behind t[v - 1]; what does not fit hangs over the begin.  The cost,
 * or more than k.
 */
static uint32_t
window_cost(const struct side *s, uint32_t x, const uint8_t *t, uint64_t v,
	    uint32_t r)
{
	const struct kdiff_pat *p = s->p[x];
	uint32_t i = p->m - r, left = v < i ? i - (uint32_t)v : 0, d = 0;

	if (left && (!s->seg->first || !s->set->p.over[0].den))
		return p->k + 1;	/* no such window */
	if (r)
		d += kdiff_overhang_cost(s->set, 1, r);
	if (left)
		d += kdiff_overhang_cost(s->set, 0, left);
	for (; i > left && d <= p->k; i--)
		d += !exact_fits(s->set, p, i - 1, t[--v]);
	return d <= allowed(s->set, p, p->m - left - r) ? d : p->k + 1;
}

/* The least cost behind t[v - 1], which ends the subject or not, and how many
 * letters hang over there. */
static uint32_t
least_window(const struct side *s, uint32_t x, const uint8_t *t, uint64_t v,
	     bool ends, uint32_t *over)
{
	uint32_t best = window_cost(s, x, t, v, 0);

	*over = 0;
	for (uint32_t l = 1; ends && l <= s->p[x]->m &&
	     kdiff_overhang_cost(s->set, 1, l) <= s->p[x]->k; l++) {
		uint32_t d = window_cost(s, x, t, v, l);

		if (d < best) {
			best = d;
			*over = l;
		}
	}
	return best;
}

/* Letters from the begin whose ends may differ from the plain search's. */
static uint64_t
reach_of(const struct kdiff_pat *p)
{
	return (uint64_t)p->m + p->k;
}

/* May an overhang have made the distance of this end? */
static bool
may_hang_at(const struct kdiff_set *set, const struct kdiff_seg *g,
	    const struct kdiff_pat *p, uint64_t end)
{
	return (set->p.over[0].den && g->first &&
		end - g->beg <= reach_of(p)) ||
	       (set->p.over[1].den && g->last && end == g->end);
}

/* The subject ends behind letter `end`, and patterns may hang over there. */
static bool
ends_at(const struct side *s, uint64_t end)
{
	return s->set->p.over[1].den && s->seg->last && end == s->seg->end;
}

/*
 * The cost of pattern x behind t[v - 1], given the column; more than
 * k: none that counts.  begin: the columns are those of the subject's begin.
 */
static uint32_t
cost_at(const struct side *s, uint32_t x, const kdiff_lanes *column,
	const uint8_t *t, uint64_t v, bool ends, bool begin)
{
	uint32_t k = s->p[x]->k, d = (uint32_t)(*column)[x], widest, over;
	struct spot at = { t + v, v, true };

	if (s->set->p.hamming)
		return least_window(s, x, t, v, ends, &over);
	if (!begin || !is_limited(s->set))
		return d;
	if (!ends)
		return s->f.d[x] < s->f.above[x] ? d : (uint32_t)(k + 1);
	/* F_0 is the widest: what it has not, no alignment has */
	widest = s->set->p.per_overlap.den ? 0u : k;
	if (s->most_cost[x] != widest || d > k)
		return k + 1;
	return fit_end(s, x, &at);
}

/* The hits behind t[at - 1], letter v of the segment, if it is near. */
static int
put_hits(const struct side *s, struct kdiff_hits *h, uint64_t v,
	 const uint8_t *t, uint64_t at, bool begin, struct err *e)
{
	uint64_t end = s->seg->beg + v;
	bool ends = ends_at(s, end);
	kdiff_lanes column = s->f.d;

	if (ends && !s->set->p.hamming)
		s->set->ops.over_end(&s->f, &column);
	for (uint32_t x = 0; x < s->n; x++) {
		uint32_t d;
		int rc;

		/* windows of which nothing hangs over are found plainly */
		if (!may_hang_at(s->set, s->seg, s->p[x], end) ||
		    (s->set->p.hamming && !ends && v >= s->p[x]->m))
			continue;
		d = cost_at(s, x, &column, t, at, ends, begin);
		if (d > s->p[x]->k)
			continue;
		rc = kdiff_hits_room(h, 1, e);
		if (rc)
			return rc;
		h->v[h->n++] = (struct kdiff_hit){ end, d, s->number[x] };
	}
	return 0;
}

/* The columns of the subject's begin. */
static int
from_begin(struct side *s, const struct ends *t, struct err *e)
{
	bool edit = !s->set->p.hamming;
	uint64_t n = min_u64(t->n, s->most);
	int rc = 0;

	if (edit)
		first_column(s);
	for (uint64_t v = 0; v <= n && !rc; v++) {
		rc = put_hits(s, s->hits, v, t->head, v, true, e);
		if (edit && v < n)
			v += s->set->ops.over(&s->f, t->head + v, n - v, true) -
			     1;
	}
	return rc;
}

/* The last column of the subject. */
static int
to_end(struct side *s, const struct ends *t, struct err *e)
{
	uint64_t n = min_u64(t->n, s->most);

	if (!s->set->p.hamming) {
		first_column(s);
		s->set->ops.over(&s->f, t->tail + (t->n - n), n, false);
	}
	return put_hits(s, s->hits, s->seg->end - s->seg->beg,
			t->tail + (t->n - n), n, false, e);
}

/* e of F_e: the same for all patterns, or each one's k. */
static void
set_costs(struct side *s, bool per, uint32_t cost)
{
	for (uint32_t x = 0; x < SIDE; x++)
		if (per && cost > s->p[x]->k)
			s->most_cost[x] = -1;
		else
			s->most_cost[x] = per ? cost : s->p[x]->k;
}

/* Which ends are looked at, of which segments. */
enum { AT_BEGIN = 1, AT_END = 2, SHORT = 4, LONG = 8 };

/* Both ends of n segments, for the patterns that go side by side. */
static int
at_both(struct side *s, const struct ends *t, size_t n, unsigned how,
	struct err *e)
{
	bool edit = !s->set->p.hamming;
	bool per = s->set->p.per_overlap.den && edit;
	uint32_t last = per ? s->max_k : 0;
	int rc = 0;

	for (uint32_t c = 0; how & AT_BEGIN && c <= last && !rc; c++) {
		set_costs(s, per, c);
		if (edit)
			set_first(s, true);
		for (size_t i = 0; i < n && !rc; i++) {
			s->seg = t[i].seg;
			if (s->seg->first)
				rc = from_begin(s, &t[i], e);
		}
	}
	if (edit)
		set_first(s, false);
	for (size_t i = 0; how & AT_END && i < n && !rc; i++) {
		const struct kdiff_seg *g = s->seg = t[i].seg;

		/* the columns from the begin came to the end */
		if (g->last && !(how & AT_BEGIN && g->first &&
				 g->end - g->beg <= s->most))
			rc = to_end(s, &t[i], e);
	}
	return rc;
}

/* What letters over the end cost, and what the others may. */
static void
make_limits(struct side *s)
{
	const struct kdiff_set *set = s->set;
	uint32_t most = 0;

	for (uint32_t x = 0; x < SIDE; x++)
		most = s->p[x]->m > most ? s->p[x]->m : most;
	s->f.n_over = 0;
	for (uint32_t l = 1; l <= most && set->p.over[1].den; l++) {
		s->f.cost[l] = kdiff_overhang_cost(set, 1, l);
		for (uint32_t x = 0; x < SIDE; x++) {
			int64_t a = l > s->p[x]->m ? -1 :
				    allowed(set, s->p[x], s->p[x]->m - l);
			int64_t rest = a - (int64_t)s->f.cost[l];

			s->f.limit[l][x] = (uint64_t)(rest < 0 ? -1 : rest);
			if (rest >= 0)
				s->f.n_over = l;
		}
	}
}

/* What p->over of all of them holds, side by side. */
static void
make_table(struct side *s)
{
	size_t n = (n_classes(s->set) + 2) * s->f.words;

	for (uint32_t x = 0; x < SIDE && !s->set->p.hamming; x++)
		for (size_t i = 0; i < n; i++)
			s->table[i][x] = s->p[x]->over[i];
	if (!s->set->p.hamming)
		make_limits(s);
}

/* The first of n patterns that go side by side; list: NULL, or their numbers */
static void
choose_lanes(struct side *s, const uint32_t *list, uint32_t from, size_t n)
{
	const struct kdiff_set *set = s->set;

	s->n = 0;
	s->most = 0;
	s->max_k = 0;
	for (uint32_t x = 0; x < SIDE; x++) {
		bool more = s->n == x && x < n;
		uint32_t i = more ? x : 0;

		i = list ? list[i] : from + i;
		if (x == 0)
			s->f.words = words_of(&set->pat[i]);
		more &= words_of(&set->pat[i]) == s->f.words;
		if (!more)
			i = s->number[0];
		s->number[x] = i;
		s->p[x] = &set->pat[i];
		s->n += more;
		if (reach_of(s->p[x]) > s->most)
			s->most = reach_of(s->p[x]);
		if (s->p[x]->k > s->max_k)
			s->max_k = s->p[x]->k;
	}
	make_table(s);
}

static void
read_letters(const struct kdiff_job *j, struct ends *t)
{
	const struct kdiff_seg *g = t->seg;

	t->n = min_u64(g->end - g->beg, j->set->max_mk);
	if (t->n && g->first)
		kdiff_read_classes(j->set, j->text, g->beg, t->n, t->head);
	if (t->n && g->last)
		kdiff_read_classes(j->set, j->text, g->end - t->n, t->n,
				   t->tail);
}

/* Memory for the longest patterns, and letters at both ends of a block. */
static int
prepare_side(struct side *s, const struct kdiff_job *j, struct ends *t)
{
	size_t words = (j->set->max_m + 63) / 64, rows = j->set->max_m + 1;
	size_t table = (n_classes(j->set) + 2) * words;
	uint64_t most = j->set->max_mk;
	int rc = kdiff_room(&j->w->exact, &j->w->exact_cap, (table + 3 * words +
			    rows) * sizeof *s->table + rows *
			    (sizeof *s->f.cost + sizeof *s->row) +
			    2 * BLOCK * most, j->e);

	s->table = (kdiff_lanes *)(void *)j->w->exact;
	s->f.eq = s->table;
	s->first = s->table + table;
	s->f.pv = s->first + words;
	s->f.mv = s->f.pv + words;
	s->f.limit = s->f.mv + words;
	s->f.cost = (uint64_t *)(s->f.limit + rows);
	s->row = (uint32_t *)(s->f.cost + rows);
	for (size_t i = 0; i < BLOCK; i++) {
		t[i].head = (uint8_t *)(s->row + rows) + 2 * i * most;
		t[i].tail = t[i].head + most;
	}
	return rc;
}

/* The next segments in [*g, end) that may have hits; how many. */
static size_t
read_block(const struct kdiff_job *j, struct ends *t, size_t *g, size_t end,
	   unsigned how)
{
	size_t n = 0;

	for (; *g < end && n < BLOCK; ++*g) {
		const struct kdiff_seg *x = &j->text->seg[*g];
		bool is_long = x->end - x->beg >= j->set->max_mk;

		if (!(how & (is_long ? LONG : SHORT)) ||
		    !((how & AT_BEGIN && x->first) ||
		      (how & AT_END && x->last)))
			continue;
		t[n].seg = x;
		read_letters(j, &t[n++]);
	}
	return n;
}

/* The ends of segments [first, end) are looked at for n patterns. */
static int
search_segments(struct side *s, const struct kdiff_job *j, struct ends *t,
		const uint32_t *list, size_t n, size_t first, size_t end,
		unsigned how)
{
	int rc = 0;

	if (!s->set->p.over[0].den)
		how &= ~(unsigned)AT_BEGIN;
	if (!s->set->p.over[1].den)
		how &= ~(unsigned)AT_END;
	while (first < end && !rc) {
		size_t got = read_block(j, t, &first, end, how);

		for (size_t i = 0; got && i < n && !rc; i += s->n) {
			choose_lanes(s, list ? list + i : NULL, (uint32_t)i,
				     n - i);
			rc = at_both(s, t, got, how, j->e);
		}
	}
	return rc;
}

/* Patterns whose parts were found. */
static int
look_at_pairs(struct side *s, const struct kdiff_job *j, struct ends *t)
{
	const struct kdiff_pair *p = j->w->pair;
	uint32_t list[SIDE];
	int rc = 0;

	for (size_t i = 0, n; i < j->w->n_pair && !rc; i += n) {
		for (n = 0; n < SIDE && i + n < j->w->n_pair &&
		     p[i + n].seg == p[i].seg && p[i + n].end == p[i].end; n++)
			list[n] = p[i + n].pattern;
		rc = search_segments(s, j, t, list, n, p[i].seg, p[i].seg + 1,
				     LONG | (p[i].end ? AT_END : AT_BEGIN));
	}
	return rc;
}

/* Segments [first, end), with what kdiff_overhang_parts.c knows. */
static int
look_by_parts(struct side *s, const struct kdiff_job *j, struct ends *t,
	      const struct kdiff_overhang_parts *o, size_t first, size_t end)
{
	size_t n = j->set->n;
	bool dense;
	int rc = kdiff_overhang_pairs(o, j, first, end, &dense);

	if (!rc)	/* its table is where another scan may have been */
		rc = prepare_side(s, j, t);
	if (rc || dense)
		return rc ? rc
			  : search_segments(s, j, t, NULL, n, first, end,
					    AT_BEGIN | AT_END | SHORT | LONG);
	rc = search_segments(s, j, t, NULL, n, first, end,
			     AT_BEGIN | AT_END | SHORT);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		const uint32_t *always = kdiff_overhang_always(o, i, &n);

		rc = search_segments(s, j, t, always, n, first, end,
				     LONG | (i ? AT_END : AT_BEGIN));
	}
	return rc ? rc : look_at_pairs(s, j, t);
}

/*
 * Ends of which something may hang over, with distances <= k, appended in no
 * order: all whose distance differs from that of a plain search, and maybe
 * others.  0 or ERR_NOMEM.
 */
static int
find_ends(const struct kdiff_job *j, struct kdiff_hits *h)
{
	struct side s = { .set = j->set, .hits = h };
	const struct kdiff_overhang_parts *o;
	size_t n_seg = j->text->n_seg, end;
	struct ends t[BLOCK];
	int rc = 0;

	o = NULL;
	if (!is_limited(j->set))
		rc = kdiff_overhang_parts(j, &o);
	if (!rc)
		rc = prepare_side(&s, j, t);
	if (rc || !o)
		return rc ? rc
			  : search_segments(&s, j, t, NULL, j->set->n, 0,
					    n_seg,
					    AT_BEGIN | AT_END | SHORT | LONG);
	for (size_t first = 0; first < n_seg && !rc; first = end) {
		end = n_seg - first < SEGMENTS ? n_seg : first + SEGMENTS;
		rc = look_by_parts(&s, j, t, o, first, end);
	}
	return rc;
}

static const struct kdiff_seg *
seg_of(const struct kdiff_text *t, uint64_t end)
{
	return &t->seg[kdiff_seg_find(t, end)];
}

static bool
may_hang(const struct kdiff_set *set, const struct kdiff_text *text,
	 const struct kdiff_hit *h)
{
	return may_hang_at(set, seg_of(text, h->end), &set->pat[h->pattern],
			   h->end);
}

/*
 * Plain ends, all of them, to those with overhangs: which have all alignments
 * of the plain ones, and so no larger distances.
 */
static int
mend_ends(const struct kdiff_job *j, struct kdiff_hits *h)
{
	int rc = find_ends(j, h);

	return rc ? rc : kdiff_hits_order(h, 0, &j->w->tmp, j->e);
}

int
kdiff_overhang_scan(const struct kdiff_job *j)
{
	struct kdiff_hits *h = &j->w->over;
	struct kdiff_text text;
	struct kdiff_job plain = *j;
	int rc = kdiff_all_ends(j->text, j->w, &text, j->e);

	if (rc)
		return rc;
	plain.text = &text;
	plain.all = true;
	plain.unordered = false;
	plain.hits = h;
	plain.take = NULL;
	h->n = 0;
	rc = kdiff_plain_scan(&plain);
	if (!rc)
		rc = mend_ends(j, h);
	if (!rc && j->set->p.report == KDIFF_MINIMA && !j->all)
		rc = kdiff_hits_minima(j->set, j->text, h, 0, j->e);
	else if (!rc)
		kdiff_hits_reported(j->text, h);
	return rc;
}

/* Plain ends that no overhang may have changed; the others wait. */
static int
give_far(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	const struct kdiff_job *j = ctx;
	struct kdiff_hits *h = &j->w->over;
	int rc = kdiff_hits_room(h, n, e);

	for (size_t i = 0, far; i < n && !rc; i += far + 1) {
		for (far = 0; i + far < n &&
		     !may_hang(j->set, j->text, &v[i + far]);)
			far++;
		if (far)
			rc = kdiff_job_give(j, v + i, far);
		if (i + far < n)
			h->v[h->n++] = v[i + far];
	}
	return rc;
}

int
kdiff_overhang_each(const struct kdiff_job *j)
{
	struct kdiff_hits *h = &j->w->over;
	struct kdiff_job plain = *j;
	int rc;

	plain.take = give_far;
	plain.ctx = (void *)(uintptr_t)j;
	h->n = 0;
	rc = kdiff_plain_scan(&plain);
	if (!rc)
		rc = mend_ends(j, h);
	if (!rc)
		kdiff_hits_reported(j->text, h);
	return rc || !h->n ? rc : kdiff_job_give(j, h->v, h->n);
}

/* Letters over the end in some alignment of this cost: the fewest.  strict: no
 * insertion is next to them. */
static bool
find_right(const struct side *s, const struct spot *at, uint32_t cost,
	   bool strict, uint32_t *right)
{
	const struct kdiff_pat *p = s->p[0];
	struct upward u = { s, 0, 0, (uint32_t)s->f.d[0] };

	for (uint32_t r = 0; r <= p->m; r++) {
		uint32_t c = r ? kdiff_overhang_cost(s->set, 1, r) : 0;
		uint32_t least = r ? next_up(&u) : u.f;

		if (c > cost)
			break;
		/* where it may begin anywhere the column is enough */
		if (!at->begins && c + least > cost)
			continue;
		if (fit(s, 0, at, r, strict) == cost) {
			*right = r;
			return true;
		}
	}
	return false;
}

/* Of a hit that may hang over. */
static struct kdiff_hang
place_of(struct side *s, const struct kdiff_job *j, struct ends *t,
	 const struct kdiff_hit *h)
{
	const struct kdiff_pat *p = s->p[0];
	uint64_t v = h->end - s->seg->beg, reach = reach_of(p);
	struct kdiff_hang at = { 0, 0 };
	struct spot spot;

	t->n = min_u64(v, reach);
	if (t->n)
		kdiff_read_classes(j->set, j->text, h->end - t->n, t->n,
				   t->tail);
	spot = (struct spot){ t->tail + t->n, t->n, s->set->p.over[0].den &&
			      s->seg->first && v <= reach };
	if (s->set->p.hamming) {
		least_window(s, 0, t->tail, t->n, ends_at(s, h->end),
			     &at.right);
	} else if (ends_at(s, h->end)) {
		set_first(s, false);
		first_column(s);
		s->set->ops.over(&s->f, t->tail, t->n, false);
		if (!find_right(s, &spot, h->dist, true, &at.right))
			find_right(s, &spot, h->dist, false, &at.right);
	}
	while (spot.begins && at.left < p->m - at.right &&
	       allowed(s->set, p, p->m - at.right - at.left - 1) >= h->dist)
		at.left++;
	return at;
}

int
kdiff_overhang_places(const struct kdiff_set *set,
		      const struct kdiff_text *text, struct kdiff_work *w,
		      const struct kdiff_hit *hits, size_t n,
		      struct kdiff_hang *at, struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w, .e = e };
	struct side s = { .set = set };
	struct ends t[BLOCK];
	int rc = prepare_side(&s, &j, t);

	for (size_t i = 0; i < n && !rc; i++) {
		if (!may_hang(set, text, &hits[i]))
			continue;
		s.seg = seg_of(text, hits[i].end);
		choose_lanes(&s, &hits[i].pattern, 0, 1);
		at[i] = place_of(&s, &j, t, &hits[i]);
	}
	return rc;
}
