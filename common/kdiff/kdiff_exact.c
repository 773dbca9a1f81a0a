/* SPDX-License-Identifier: MIT */
/*
 * kdiff_exact.c - patterns whose first or last letters must match
 *
 * The kernels search the whole pattern as any other: a rule only takes
 * alignments away, so every end with a distance <= k that keeps it is among
 * the plain ones.  Those are few, and each is looked at again: the tail must
 * stand before the end, and from there G(x), the distance of the letters
 * between head and tail (the core) to the x letters before the tail, is
 * computed backwards with bits along the core (Myers, J. ACM 46(3), 1999;
 * both ends are fixed, so every column begins one higher than the last).  The
 * distance is the least G(x) of all x before which the head stands.  Since
 * G(x) >= |x - core|, core + k letters are enough.
 */

#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

/* As a distance: no alignment keeps the rule. */
enum { EXACT_NONE = KDIFF_NO_CORE };

/* One pattern, and what surrounds one end. */
struct exact {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	const struct kdiff_pat *p;
	uint32_t core;
	size_t words;		/* of the core */
	uint64_t *pv, *mv;
	uint8_t *letter;	/* of the text before the end, n of them */
	uint64_t n;
	size_t seg;		/* of the last end */
};

/* Text letters from its segment's begin to the hit's end. */
static uint64_t
exact_before(struct exact *x, const struct kdiff_hit *h)
{
	const struct kdiff_seg *g = &x->text->seg[x->seg];

	if (h->end <= g->beg || h->end > g->end) {
		x->seg = kdiff_seg_find(x->text, h->end - 1);
		g = &x->text->seg[x->seg];
	}
	return h->end - g->beg;
}

/* Do pattern letters [i, i + n) stand at place `at` of the window? */
static bool
exact_stands(const struct exact *x, uint32_t i, uint32_t n, uint64_t at)
{
	for (uint32_t j = 0; j < n; j++)
		if (!exact_fits(x->set, x->p, i + j, x->letter[at + j]))
			return false;
	return true;
}

static bool
exact_head(const struct exact *x, uint64_t at)
{
	uint32_t head = x->p->head;

	return at >= head && exact_stands(x, 0, head, at - head);
}

static void
exact_choose(struct exact *x, uint32_t pattern)
{
	x->p = &x->set->pat[pattern];
	x->core = x->p->m - x->p->head - x->p->tail;
	x->words = (x->core + 63) / 64;
}

/* The patterns. */

static size_t
n_classes(const struct kdiff_set *set)
{
	return set->p.alphabet == KDIFF_DNA ? 16 : 256;
}

int
kdiff_set_exact(struct kdiff_set *set, size_t head, size_t tail,
		struct err *e)
{
	struct kdiff_pat *p = &set->pat[set->n - 1];
	size_t core, words, bytes;

	if (head > p->m || tail > p->m)
		return err_set(e, ERR_USAGE, "%zu letters are to match, but "
			       "the pattern has %u",
			       head > p->m ? head : tail, p->m);
	if (head + tail == 0)
		return 0;
	if (head + tail > p->m) {	/* no gap anywhere: one piece */
		tail = p->m;
		head = 0;
	}
	core = p->m - head - tail;
	words = (core + 63) / 64;
	bytes = n_classes(set) * words * sizeof *p->core;
	p->core = calloc(1, bytes ? bytes : 1);
	if (!p->core)
		return err_nomem(e, bytes);
	p->head = (uint32_t)head;
	p->tail = (uint32_t)tail;
	for (size_t c = 0; c < n_classes(set); c++)
		for (size_t r = 0; r < core; r++)
			if (exact_fits(set, p, (uint32_t)(head + core - 1 - r),
				 (uint8_t)c))
				p->core[c * words + r / 64] |= 1ull << r % 64;
	set->exact = true;
	kdiff_forget(set);
	return 0;
}

static void
read_sets(const struct kdiff_set *set, const struct kdiff_text *x, uint64_t at,
	  uint64_t n, uint8_t *to)
{
	for (uint64_t i = 0; i < n; i += 64) {
		uint64_t len = n - i < 64 ? n - i : 64, plane[4];
		uint16_t c[64];

		if (!set->p.iupac || !x->sets)
			kdiff_four_at(x, (int64_t)(at + i), ~0ull, plane);
		else
			for (unsigned p = 0; p < 4; p++)
				plane[p] = kdiff_bits(x, x->sets + p, 4,
						      (int64_t)(at + i));
		kdiff_spread_scalar(plane, 4, len, c);
		for (uint64_t j = 0; j < len; j++)
			to[i + j] = (uint8_t)c[j];
	}
}

void
kdiff_read_classes(const struct kdiff_set *set, const struct kdiff_text *t,
		   uint64_t at, uint64_t n, uint8_t *to)
{
	if (set->p.alphabet == KDIFF_DNA) {
		read_sets(set, t, at, n, to);
		return;
	}
	memcpy(to, t->bytes + at, n);
	for (uint64_t i = 0; set->p.alphabet == KDIFF_PROTEIN && i < n; i++)
		to[i] &= 0xdf;
}

/* One more letter to the left; returns the change of G. */
static inline int
step_left(struct exact *x, uint8_t class)
{
	const uint64_t *eq = x->p->core + class * x->words;
	uint64_t carry = 0, hin = 1, min = 0, hp = 0, hm = 0;

	for (size_t i = 0; i < x->words; i++) {
		uint64_t pv = x->pv[i], mv = x->mv[i], e = eq[i];
		uint64_t a = e & pv, s = a + pv, s2 = s + carry;
		uint64_t d0 = (s2 ^ pv) | e | mv, hs, ms;

		hp = mv | ~(d0 | pv);
		hm = d0 & pv;
		hs = hp << 1 | hin;
		ms = hm << 1 | min;
		carry = (s < a) | (s2 < s);
		hin = hp >> 63;
		min = hm >> 63;
		x->pv[i] = ms | ~(d0 | hs);
		x->mv[i] = hs & d0;
	}
	return (int)(hp >> (x->core - 1) % 64 & 1) -
	       (int)(hm >> (x->core - 1) % 64 & 1);
}

/*
 * The least G(i) <= k of all i >= from with the head before it, and the first
 * *at of these i; else EXACT_NONE.
 */
static uint32_t
least_core(struct exact *x, uint64_t from, uint64_t *at)
{
	uint64_t to = x->n - x->p->tail;
	uint32_t g = x->core, best = EXACT_NONE, k = x->p->k;

	for (size_t i = 0; i < x->words; i++) {
		x->pv[i] = ~0ull;
		x->mv[i] = 0;
	}
	for (uint64_t i = 0;; i++) {
		uint64_t bound = best <= k ? best : k + 1ull;

		if (i >= from && g < bound && exact_head(x, to - i)) {
			best = g;
			*at = i;
		}
		if (i == to || i + 1 >= x->core + bound)
			return best;
		g +=
		    x->core ? (uint32_t)step_left(x, x->letter[to - i - 1]) : 1;
	}
}

/* The distance that keeps the rule, if it is <= k: see least_core(). */
static uint32_t
exact_distance(struct exact *x, const struct kdiff_hit *h, uint64_t from,
	       uint64_t *at)
{
	uint64_t want = (uint64_t)x->p->m + x->p->k;
	uint64_t have = exact_before(x, h);
	uint32_t tail = x->p->tail;

	if (x->set->p.hamming)
		want = x->p->m;		/* no window leaves its segment */
	x->n = want < have ? want : have;
	if (x->n < tail)
		return EXACT_NONE;
	/* the tail first: mostly it does not stand there */
	kdiff_read_classes(x->set, x->text, h->end - tail, tail,
			   x->letter + x->n - tail);
	if (!exact_stands(x, x->p->m - tail, tail, x->n - tail))
		return EXACT_NONE;
	kdiff_read_classes(x->set, x->text, h->end - x->n, x->n - tail,
			   x->letter);
	if (x->set->p.hamming)
		return exact_stands(x, 0, x->p->head, 0) ? h->dist :
							   EXACT_NONE;
	return least_core(x, from, at);
}

/* Room for the letters of all patterns, and for their cores. */
static int
prepare_exact(struct exact *x, struct kdiff_work *w, struct err *e)
{
	size_t words = (x->set->max_m + 63) / 64;
	int rc = kdiff_room(&w->exact, &w->exact_cap,
			    words * 16 + x->set->max_mk, e);

	x->pv = (uint64_t *)w->exact;
	x->mv = x->pv + words;
	x->letter = (uint8_t *)(x->mv + words);
	return rc;
}

/* Hits that are looked at side by side: one a lane. */
struct side {
	struct kdiff_cores c;
	struct kdiff_hit *hit[KDIFF_MAX_LANES];
	uint64_t *of[KDIFF_MAX_LANES];	/* or NULL */
	unsigned n;
};

/* Can the ends of its pattern be lanes? */
static bool
exact_fits_lane(const struct exact *x)
{
	return x->text->planes && !(x->set->p.iupac && x->text->sets) &&
	       x->p->m + x->p->k <= 64;
}

/* Which of 64 text letters from `at` match pattern letter i? */
static inline uint64_t
fits_at(const struct exact *x, uint32_t i, int64_t at)
{
	const struct kdiff_text *t = x->text;	/* of ends that are many */
	unsigned s = x->set->sym[x->p->code[i]];
	uint64_t lo = kdiff_bits(t, t->planes, 2, at);
	uint64_t hi = kdiff_bits(t, t->planes + 1, 2, at), in = 0;

	in |= s & 1 ? ~(lo | hi) : 0;
	in |= s & 2 ? lo & ~hi : 0;
	in |= s & 4 ? hi & ~lo : 0;
	in |= s & 8 ? lo & hi : 0;
	return t->exc ? in & ~kdiff_bits(t, t->exc, 1, at) : in;
}

static bool
tail_stands(const struct exact *x, uint64_t end)
{
	uint32_t m = x->p->m;

	for (uint32_t i = 0; i < x->p->tail; i++)
		if (!(fits_at(x, m - 1 - i, (int64_t)(end - 1 - i)) & 1))
			return false;
	return true;
}

/*
 * Bit 63 - i: before i more letters than the tail, of `have` before the end,
 * the head stands.  An i further than k from the core's letters costs more
 * than k.
 */
static uint64_t
exact_heads(const struct exact *x, uint64_t end, uint64_t have, uint32_t k)
{
	uint32_t core = x->core, head = x->p->head;
	uint64_t first = core > k ? core - k : 0, last = core + k, in;

	if (have < (uint64_t)head + x->p->tail)
		return 0;
	if (last > have - head - x->p->tail)
		last = have - head - x->p->tail;
	if (first > last)
		return 0;
	in = ~0ull >> first & ~0ull << (63 - last);
	/* bit b: the head ends behind letter end - tail - 64 + b */
	for (uint32_t i = 0; i < head && in; i++)
		in &= fits_at(x, i, (int64_t)(end - x->p->tail) - 63 -
			      head + i);
	return in;
}

static void
run_cores(struct exact *x, struct side *s)
{
	x->set->ops.cores(&s->c);
	for (unsigned l = 0; l < s->n; l++) {
		s->hit[l]->dist = (uint32_t)s->c.best[l];
		if (s->of[l])
			*s->of[l] = s->c.of[l];
	}
	s->n = s->c.cols = 0;
}

/* The hit becomes a lane. */
static void
exact_put(struct exact *x, struct side *s, struct kdiff_hit *h, uint64_t head,
	  uint64_t *of)
{
	const struct kdiff_text *t = x->text;
	unsigned l = s->n++, cols = x->core + x->p->k;
	int64_t at = (int64_t)(h->end - x->p->tail) - 64;

	for (unsigned c = 0; c < 4; c++)
		s->c.eq[c][l] = x->core ? x->p->core[1u << c] <<
					  (64 - x->core) : 0;
	s->c.rows[l] = x->core ? ~0ull << (64 - x->core) : 0;
	s->c.core[l] = x->core;
	s->c.lo[l] = kdiff_bits(t, t->planes, 2, at);
	s->c.hi[l] = kdiff_bits(t, t->planes + 1, 2, at);
	s->c.none[l] = t->exc ? kdiff_bits(t, t->exc, 1, at) : 0;
	s->c.head[l] = head;
	s->c.cols = cols > s->c.cols ? cols : s->c.cols;
	s->hit[l] = h;
	s->of[l] = of;
	if (s->n == x->set->ops.lanes)
		run_cores(x, s);
}

/*
 * The same as exact_distance(), for patterns of which all fits into a word.
 * *of, if the distance is known: the bits 63 - i of all i that have it.
 */
static void
side_by_side(struct exact *x, struct side *s, struct kdiff_hit *h,
	     uint64_t *of)
{
	uint64_t have = exact_before(x, h), head;
	bool ham = x->set->p.hamming;

	if (!of && !tail_stands(x, h->end)) {
		h->dist = EXACT_NONE;
		return;
	}
	head = exact_heads(x, h->end, have, of ? h->dist : x->p->k);
	if (of && !(head & (head - 1))) {
		*of = head;
		return;
	}
	if (ham)	/* of the pattern's own length */
		head &= 1ull << (63 - x->core);
	if (!head)
		h->dist = EXACT_NONE;
	else if (!ham)
		exact_put(x, s, h, head, of);
}

int
kdiff_exact_keep(const struct kdiff_set *set, const struct kdiff_text *text,
		 struct kdiff_work *w, struct kdiff_hits *h, size_t from,
		 struct err *e)
{
	struct exact x = { .set = set, .text = text };
	struct side s = { .n = 0 };
	size_t n = from;
	uint64_t at;
	int rc = h->n > from ? prepare_exact(&x, w, e) : 0;

	for (size_t i = from; i < h->n && !rc; i++) {
		struct kdiff_hit *hit = &h->v[i];

		exact_choose(&x, hit->pattern);
		if (x.p->core && exact_fits_lane(&x))
			side_by_side(&x, &s, hit, NULL);
		else if (x.p->core)
			hit->dist = exact_distance(&x, hit, 0, &at);
	}
	if (rc)
		return rc;
	if (s.n)
		run_cores(&x, &s);
	for (size_t i = from; i < h->n; i++)
		if (h->v[i].dist <= set->pat[h->v[i].pattern].k)
			h->v[n++] = h->v[i];
	h->n = n;
	return 0;
}

/*
 * Start and CIGAR: kdiff_trace.c's, of the core, from the letter before the
 * tail to where the head ends.  Where the head stands at several places at the
 * same distance, all of these are tried: of paths from the end the one comes
 * first that has the rule's first choice at the letters where they part.
 */

struct reaches {
	struct exact x;
	size_t *order, n;	/* hits by pattern; of these n with a place */
	uint64_t *reach;	/* of each hit, letters from tail to head */
	uint64_t *more;		/* lanes: bits 63 - i of other places */
	struct kdiff_path *was;
};

static unsigned
rank_of(uint32_t op)
{
	return (op & 15) == CIGAR_I ? 2 : (op & 15) == CIGAR_D;
}

/* Does path a come before b, of the same end? */
static bool
comes_first(const struct kdiff_path *a, const struct kdiff_path *b,
	    const uint32_t *ops)
{
	const uint32_t *x = ops + a->ops + a->n_ops - 1;
	const uint32_t *y = ops + b->ops + b->n_ops - 1;
	size_t i = 0, n = a->n_ops < b->n_ops ? a->n_ops : b->n_ops;

	while (i + 1 < n && x[0] == y[0]) {
		x--;
		y--;
		i++;
	}
	if ((*x & 15) != (*y & 15))
		return rank_of(*x) < rank_of(*y);
	/* the longer run goes on where the other one parts */
	if (*x >> 4 > *y >> 4)
		return y == ops + b->ops || rank_of(*x) < rank_of(y[-1]);
	return x != ops + a->ops && rank_of(x[-1]) < rank_of(*y);
}

/* The first or next place where a hit's head ends, to v->reach; or false. */
static bool
next_reach(struct reaches *v, const struct kdiff_hit *h, size_t i, bool first)
{
	uint64_t *more = &v->more[i], *at = &v->reach[i];

	exact_choose(&v->x, h->pattern);
	if (!v->x.p->head)
		return first;
	if (!exact_fits_lane(&v->x))
		return exact_distance(&v->x, h, first ? 0 : *at + 1, at) ==
		       h->dist;
	if (!*more)
		return false;
	*at = (uint64_t)__builtin_clzll(*more);
	*more &= ~(1ull << (63 - *at));
	return true;
}

/* Of hits that can be lanes all places. */
static void
lane_reaches(struct reaches *v, const struct kdiff_hit *hits, size_t n)
{
	struct side s = { .n = 0 };
	struct kdiff_hit h[KDIFF_MAX_LANES];

	for (size_t i = 0; i < n; i++) {
		h[s.n] = hits[i];
		exact_choose(&v->x, h[s.n].pattern);
		if (v->x.p->head && exact_fits_lane(&v->x))
			side_by_side(&v->x, &s, &h[s.n], &v->more[i]);
	}
	if (s.n)
		run_cores(&v->x, &s);
}

/* Paths to the first places, and to others as long as there are any. */
static int
trace_reaches(struct reaches *v, struct kdiff_work *w,
	      const struct kdiff_hit *hits, struct kdiff_path *paths,
	      struct buf *ops, struct err *e)
{
	int rc = 0;

	for (bool first = true; v->n && !rc; first = false) {
		size_t n = 0;

		for (size_t i = 0; i < v->n; i++)
			if (next_reach(v, &hits[v->order[i]], v->order[i],
				       first))
				v->order[n++] = v->order[i];
		v->n = n;
		for (size_t i = 0; !first && i < n; i++)
			v->was[i] = paths[v->order[i]];
		rc = kdiff_trace_plain(v->x.set, v->x.text, w, hits, v->order,
				       n, v->reach, NULL, paths, ops, e);
		for (size_t i = 0; !first && !rc && i < n; i++)
			if (comes_first(&v->was[i], &paths[v->order[i]],
					(const uint32_t *)(void *)ops->p))
				paths[v->order[i]] = v->was[i];
	}
	return rc;
}

int
kdiff_exact_trace(const struct kdiff_set *set, const struct kdiff_text *text,
		  struct kdiff_work *w, const struct kdiff_hit *hits, size_t n,
		  struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	struct reaches v = { .x = { .set = set, .text = text }, .n = n };
	int rc;

	if (!n)
		return 0;
	v.order = kdiff_by_pattern(set, hits, n, e);
	v.reach = calloc(n, sizeof *v.reach);
	v.more = calloc(n, sizeof *v.more);
	v.was = malloc(n * sizeof *v.was);
	rc = v.order && v.reach && v.more && v.was ? 0 :
	     err_nomem(e, n * sizeof *v.was);
	if (!rc)
		rc = prepare_exact(&v.x, w, e);
	if (!rc) {
		lane_reaches(&v, hits, n);
		rc = trace_reaches(&v, w, hits, paths, ops, e);
	}
	free(v.order);
	free(v.reach);
	free(v.more);
	free(v.was);
	return rc;
}
