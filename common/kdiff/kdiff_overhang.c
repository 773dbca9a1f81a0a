/* SPDX-License-Identifier: MIT */
/*
 * kdiff_overhang.c - patterns that overhang the ends of a subject
 *
 * F(i, v) is the least cost of the pattern's first i letters at the v-th
 * letter: where the subject begins, F(i, 0) = c(i) = floor(i * cost), and where
 * it ends the distance is the least F(m - l, n) + c(l).  (Before the begin,
 * letters that hang over are never worse than insertions, since c(l) + i - l >=
 * c(i).)  A path of cost <= k from the begin has at most m + k letters, so that
 * only ends within m + k of it, and the end of the subject, differ from those
 * of the plain search.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_exact.h"
#include "kdiff/kdiff_overhang.h"
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
		if (kdiff_overhang_cost(set, i + 1u) >
		    kdiff_overhang_cost(set, i))
			hang[b / 64] |= bit;
	}
	return 0;
}

static void
first_column(struct side *s, bool begins)
{
	const kdiff_lanes *from = s->table +
			    (n_classes(s->set) + begins) * s->f.words;

	for (size_t w = 0; w < s->f.words; w++) {
		s->f.pv[w] = from[w];
		s->f.mv[w] = (kdiff_lanes){ 0 };
	}
	for (uint32_t x = 0; x < SIDE; x++)
		s->f.d[x] = begins ? kdiff_overhang_cost(s->set, s->p[x]->m) :
				   s->p[x]->m;
}

/* The least cost where the subject ends, if it is <= k; *over letters do. */
static uint32_t
at_end(const struct side *s, uint32_t x, uint32_t *over)
{
	const struct kdiff_pat *p = s->p[x];
	uint32_t f = (uint32_t)s->f.d[x], best = f, besides = f;
	size_t top = s->f.words * 64 - 1;

	*over = 0;
	for (uint32_t l = 1; l <= p->m; l++) {
		uint32_t cost = kdiff_overhang_cost(s->set, l);
		size_t row = top - (l - 1);

		if (cost > p->k)
			break;
		f -= s->f.pv[row / 64][x] >> row % 64 & 1;
		f += s->f.mv[row / 64][x] >> row % 64 & 1;
		if (f + cost < best || (f + cost == best && f < besides)) {
			best = f + cost;
			besides = f;
			*over = l;
		}
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
window_cost(const struct side *s, uint32_t x, const uint8_t *t, uint64_t v,
	    uint32_t l)
{
	const struct kdiff_pat *p = s->p[x];
	uint32_t i = p->m - l, left = v < i ? i - (uint32_t)v : 0;
	uint32_t d = kdiff_overhang_cost(s->set, l) +
		     kdiff_overhang_cost(s->set, left);

	if (left && !s->seg->first)	/* no such window */
		return p->k + 1;
	for (; i > left && d <= p->k; i--)
		d += !exact_fits(s->set, p, i - 1, t[--v]);
	return d;
}

/* The least cost behind t[v - 1], which ends the subject or not; at_end(). */
static uint32_t
least_window(const struct side *s, uint32_t x, const uint8_t *t, uint64_t v,
	     bool ends, uint32_t *over)
{
	uint32_t k = s->p[x]->k, m = s->p[x]->m;
	uint32_t best = window_cost(s, x, t, v, 0), besides = best;

	*over = 0;
	for (uint32_t l = 1; ends && l <= m; l++) {
		uint32_t cost = kdiff_overhang_cost(s->set, l);
		uint32_t d = window_cost(s, x, t, v, l);

		if (cost > k)
			break;
		if (d < best || (d == best && d - cost < besides)) {
			best = d;
			besides = d - cost;
			*over = l;
		}
	}
	return best;
}

static bool kdiff_overhang_at(const struct kdiff_seg *g,
			      const struct kdiff_pat *p, uint64_t end);

/* The hits at letter v of the segment, behind t[at - 1], if it is near. */
static int
put_hits(const struct side *s, struct kdiff_hits *h, uint64_t v,
	 const uint8_t *t, uint64_t at, struct err *e)
{
	uint64_t end = s->seg->beg + v;
	bool ends = s->seg->last && end == s->seg->end;

	for (uint32_t x = 0; x < s->n; x++) {
		bool ham = s->set->p.hamming;
		uint32_t d, over;
		int rc;

		/* windows of which nothing hangs over are found plainly */
		if (!kdiff_overhang_at(s->seg, s->p[x], end) ||
		    (ham && !ends && v >= s->p[x]->m))
			continue;
		d = ham ? least_window(s, x, t, at, ends, &over) :
		    ends ? at_end(s, x, &over) : (uint32_t)s->f.d[x];
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
			rc = put_hits(s, h, v, t->head, v, e);
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
	return put_hits(s, h, n, t->tail, some, e);
}

/* What p->over of all of them holds, side by side. */
static void
make_table(struct side *s)
{
	size_t n = (n_classes(s->set) + 2) * s->f.words;

	for (uint32_t x = 0; x < SIDE; x++) {
		s->f.above[x] = s->p[x]->k + 1ull;
		for (size_t i = 0; !s->set->p.hamming && i < n; i++)
			s->table[i][x] = s->p[x]->over[i];
	}
}

static uint64_t kdiff_overhang_reach(const struct kdiff_pat *p);

/* The first of n patterns that go side by side; list: NULL, or their numbers */
static void
choose_lanes(struct side *s, const uint32_t *list, uint32_t from, size_t n)
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
		if (kdiff_overhang_reach(s->p[x]) > s->most)
			s->most = kdiff_overhang_reach(s->p[x]);
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
prepare_side(struct side *s, const struct kdiff_job *j, struct letters *t)
{
	size_t words = (j->set->max_m + 63) / 64;
	size_t table = (n_classes(j->set) + 2) * words;
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
search_segments(struct side *s, const struct kdiff_job *j, struct letters *t,
		const uint32_t *list, size_t n, size_t first, size_t end,
		unsigned how)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i += s->n) {
		choose_lanes(s, list ? list + i : NULL, (uint32_t)i, n - i);
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
		rc = search_segments(s, j, t, list, n, p[i].seg, p[i].seg + 1,
				     LONG | (p[i].end ? AT_END : AT_BEGIN));
	}
	return rc;
}

/* Segments [first, end), with what kdiff_overhang_parts.c knows. */
static int
look_by_parts(struct side *s, const struct kdiff_job *j, struct letters *t,
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
kdiff_overhang_ends(const struct kdiff_job *j, struct kdiff_hits *h)
{
	struct side s = { .set = j->set, .hits = h };
	const struct kdiff_overhang_parts *o;
	size_t n_seg = j->text->n_seg, end;
	struct letters t;
	int rc = kdiff_overhang_parts(j, &o);

	if (!rc)
		rc = prepare_side(&s, j, &t);
	if (rc || !o)
		return rc ? rc
			  : search_segments(&s, j, &t, NULL, j->set->n, 0,
					    n_seg,
					    AT_BEGIN | AT_END | SHORT | LONG);
	for (size_t first = 0; first < n_seg && !rc; first = end) {
		end = n_seg - first < SEGMENTS ? n_seg : first + SEGMENTS;
		rc = look_by_parts(&s, j, &t, o, first, end);
	}
	return rc;
}

/* Letters from the begin whose ends may differ from the plain search's. */
static uint64_t
kdiff_overhang_reach(const struct kdiff_pat *p)
{
	return (uint64_t)p->m + p->k;
}

/* May an overhang have made the distance of this end? */
static bool
kdiff_overhang_at(const struct kdiff_seg *g, const struct kdiff_pat *p,
		  uint64_t end)
{
	return (g->first && end - g->beg <= kdiff_overhang_reach(p)) ||
	       (g->last && end == g->end);
}

static const struct kdiff_seg *
seg_of(const struct kdiff_text *t, uint64_t end)
{
	return &t->seg[kdiff_seg_find(t, end)];
}

static bool
kdiff_overhang_near(const struct kdiff_set *set, const struct kdiff_text *text,
		    const struct kdiff_hit *h)
{
	return kdiff_overhang_at(seg_of(text, h->end), &set->pat[h->pattern],
				 h->end);
}

/*
 * Plain ends, all of them, to those with overhangs: which have all alignments
 * of the plain ones, and so no larger distances.
 */
static int
mend_ends(const struct kdiff_job *j, struct kdiff_hits *h)
{
	int rc = kdiff_overhang_ends(j, h);

	return rc ? rc : kdiff_hits_order(h, 0, &j->w->tmp, j->e);
}

int
kdiff_overhang_scan(const struct kdiff_job *j)
{
	size_t n_seg = j->text->n_seg;
	struct kdiff_seg *all = malloc((n_seg + 1) * sizeof *all);
	struct kdiff_hits *h = &j->w->over;
	struct kdiff_text text = *j->text;
	struct kdiff_job plain = *j;
	int rc;

	if (!all)
		return err_nomem(j->e, (n_seg + 1) * sizeof *all);
	for (size_t i = 0; i < n_seg; i++) {
		all[i] = j->text->seg[i];
		all[i].from = 0;
		all[i].to = UINT64_MAX;
	}
	text.seg = all;
	plain.text = &text;
	plain.all = true;
	plain.unordered = false;
	plain.hits = h;
	plain.take = NULL;
	h->n = 0;
	rc = kdiff_plain_scan(&plain);
	free(all);
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
		for (far = 0; i + far < n && !kdiff_overhang_near(
						 j->set, j->text, &v[i + far]);)
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

int
kdiff_overhang_right(const struct kdiff_set *set, const struct kdiff_text *text,
		     struct kdiff_work *w, const struct kdiff_hit *hits,
		     size_t n, uint32_t *right, struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w, .e = e };
	struct side s = { .set = set };
	struct letters t;
	int rc = prepare_side(&s, &j, &t);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct kdiff_seg *g = s.seg = seg_of(text, hits[i].end);

		if (!g->last || hits[i].end != g->end)
			continue;
		choose_lanes(&s, &hits[i].pattern, 0, 1);
		read_letters(&s, &j, &t);
		if (set->p.hamming) {
			least_window(&s, 0, t.tail, t.n, true, &right[i]);
			continue;
		}
		first_column(&s, g->first && t.n == g->end - g->beg);
		set->ops.over(&s.f, t.tail, t.n, false);
		at_end(&s, 0, &right[i]);
	}
	return rc;
}
