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

enum { SIDE = KDIFF_SIDE, SEGMENTS = 4096 };

/* One segment and some patterns; those behind the last are copies of it. */
struct side {
	const struct kdiff_set *set;
	const struct kdiff_seg *seg;
	const struct kdiff_pat *p[SIDE];
	uint32_t number[SIDE], n;	/* of the patterns, and how many */
	uint64_t most;		/* the largest reach */
	kdiff_lanes *table;	/* their p->over side by side */
	struct kdiff_hits *hits;
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
		bool ham = s->set->p.hamming;
		uint32_t d;
		int rc;

		/* windows of which nothing hangs over are found plainly */
		if (!kdiff_over_at(s->seg, s->p[x], end) ||
		    (ham && !ends && v >= s->p[x]->m))
			continue;
		d = ham ? windows(s, x, t, at, ends) :
		    ends ? at_end(s, x) : (uint32_t)s->f.d[x];
		if (d > s->p[x]->k)
			continue;
		rc = kdiff_hits_room(h, 1, e);
		if (rc)
			return rc;
		h->v[h->n++] = (struct kdiff_hit){ end, d, s->number[x] };
	}
	return 0;
}

/* Which ends are looked at, of which segments. */
enum { AT_BEGIN = 1, AT_END = 2, SHORT = 4, LONG = 8 };

static int
at_both(struct side *s, const struct letters *t, unsigned how,
	struct kdiff_hits *h, struct err *e)
{
	uint64_t n = s->seg->end - s->seg->beg;
	uint64_t some = t->n;
	bool edit = !s->set->p.hamming;
	bool begin = how & AT_BEGIN && s->seg->first;
	int rc = 0;

	if (begin) {
		if (edit)
			first_column(s, true);
		for (uint64_t v = 0; v <= some && !rc; v++) {
			rc = put(s, h, v, t->head, v, e);
			if (edit && v < some)
				v += s->set->ops.over(&s->f, t->head + v,
						      some - v, true) - 1;
		}
	}
	if (rc || !(how & AT_END) || !s->seg->last || (begin && n == some))
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

/* The first of n patterns that go side by side; list: NULL, or their numbers */
static void
choose(struct side *s, const uint32_t *list, uint32_t from, size_t n)
{
	const struct kdiff_set *set = s->set;

	s->n = 0;
	s->most = 0;
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

/* The ends of segments [first, end) are looked at for n patterns. */
static int
look(struct side *s, const struct kdiff_job *j, struct letters *t,
     const uint32_t *list, size_t n, size_t first, size_t end, unsigned how)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i += s->n) {
		choose(s, list ? list + i : NULL, (uint32_t)i, n - i);
		for (size_t g = first; g < end && !rc; g++) {
			const struct kdiff_seg *x = s->seg = &j->text->seg[g];
			bool is_long = x->end - x->beg >= j->set->max_mk;

			if (!(how & (is_long ? LONG : SHORT)) ||
			    !((how & AT_BEGIN && x->first) ||
			      (how & AT_END && x->last)))
				continue;
			read_letters(s, j, t);
			rc = at_both(s, t, how, s->hits, j->e);
		}
	}
	return rc;
}

/* Patterns whose parts were found. */
static int
look_at_pairs(struct side *s, const struct kdiff_job *j, struct letters *t)
{
	const struct kdiff_pair *p = j->w->pair;
	uint32_t list[SIDE];
	int rc = 0;

	for (size_t i = 0, n; i < j->w->n_pair && !rc; i += n) {
		for (n = 0; n < SIDE && i + n < j->w->n_pair &&
		     p[i + n].seg == p[i].seg && p[i + n].end == p[i].end; n++)
			list[n] = p[i + n].pattern;
		rc = look(s, j, t, list, n, p[i].seg, p[i].seg + 1,
			  LONG | (p[i].end ? AT_END : AT_BEGIN));
	}
	return rc;
}

/* Segments [first, end), with what kdiff_over_parts.c knows. */
static int
look_by_parts(struct side *s, const struct kdiff_job *j, struct letters *t,
	      const struct kdiff_over_parts *o, size_t first, size_t end)
{
	size_t n = j->set->n;
	bool dense;
	int rc = kdiff_over_pairs(o, j, first, end, &dense);

	if (!rc)	/* its table is where another scan may have been */
		rc = prepare(s, j, t);
	if (rc || dense)
		return rc ? rc : look(s, j, t, NULL, n, first, end, AT_BEGIN |
				      AT_END | SHORT | LONG);
	rc = look(s, j, t, NULL, n, first, end, AT_BEGIN | AT_END | SHORT);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		const uint32_t *always = kdiff_over_always(o, i, &n);

		rc = look(s, j, t, always, n, first, end,
			  LONG | (i ? AT_END : AT_BEGIN));
	}
	return rc ? rc : look_at_pairs(s, j, t);
}

int
kdiff_over_ends(const struct kdiff_job *j, struct kdiff_hits *h)
{
	struct side s = { .set = j->set, .hits = h };
	const struct kdiff_over_parts *o;
	size_t n_seg = j->text->n_seg, end;
	struct letters t;
	int rc = kdiff_over_parts(j, &o);

	if (!rc)
		rc = prepare(&s, j, &t);
	if (rc || !o)
		return rc ? rc : look(&s, j, &t, NULL, j->set->n, 0, n_seg,
				      AT_BEGIN | AT_END | SHORT | LONG);
	for (size_t first = 0; first < n_seg && !rc; first = end) {
		end = n_seg - first < SEGMENTS ? n_seg : first + SEGMENTS;
		rc = look_by_parts(&s, j, &t, o, first, end);
	}
	return rc;
}
