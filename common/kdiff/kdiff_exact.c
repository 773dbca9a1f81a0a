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

#include "kdiff/kdiff_exact.h"
#include "kdiff/kdiff_qgram.h"
#include "kdiff/kdiff_trace.h"
#include "letters/letters.h"

/*
 * Start and CIGAR of a hit whose first or last letters
 * must match.
 */

/*
 * The traceback's matrix: row r of the core (0: the head's end), column v of
 * core + d letters before the tail, letter base + v - 1 of the window before
 * it.  A path of cost d to the last cell keeps within d of its diagonal: a row
 * holds v - r = 0 .. 2d.  Row 0 is 0 where the head stands, else one more than
 * on the left: a text letter may be skipped behind the head.
 */
enum { DIAGONAL = 1, SKIP = 2, STOP = 4 };

struct band {
	uint32_t *up, *row;	/* EXACT_NONE stands before and behind each */
	uint8_t *choice;	/* [row][width] */
	int64_t base;		/* negative: letters before the segment */
	uint64_t width;		/* 2d + 1 */
	uint32_t *op, *end;	/* operations, filled from their end */
};

static void
first_row(const struct exact *x, struct band *b)
{
	int64_t last = (int64_t)x->n - x->p->tail;

	for (int64_t v = 0; v < (int64_t)b->width; v++) {
		int64_t at = b->base + v;
		bool there = at >= 0 && at <= last;
		bool stop = there && exact_head(x, (uint64_t)at);

		b->row[v] = stop ? 0 : EXACT_NONE;
		if (there && !stop && b->row[v - 1] < EXACT_NONE)
			b->row[v] = b->row[v - 1] + 1;
		b->choice[v] = stop ? STOP : SKIP;
	}
}

/* Does the letter of row r match the one before place `at`? */
static inline bool
equal(const struct exact *x, uint32_t r, int64_t at)
{
	return exact_fits(x->set, x->p, x->p->head + r - 1,
			  x->letter[at - 1]);
}

static void
next_row(const struct exact *x, struct band *b, uint32_t r)
{
	int64_t last = (int64_t)x->n - x->p->tail, i;
	uint8_t *choice = b->choice + r * b->width;
	uint32_t *row = b->row;

	for (i = 0; i < (int64_t)b->width; i++) {
		int64_t at = b->base + r + i;
		uint32_t least = b->up[i + 1] + 1;
		uint32_t diag = EXACT_NONE, skip = EXACT_NONE;

		if (at > 0 && at <= last) {
			diag = b->up[i] + !equal(x, r, at);
			skip = row[i - 1] + 1;
		}
		least = skip < least ? skip : least;
		least = diag < least ? diag : least;
		row[i] = at >= 0 && least < EXACT_NONE ? least : EXACT_NONE;
		choice[i] = (diag == least ? DIAGONAL : 0) |
			    (skip == least ? SKIP : 0);
	}
}

/* n more operations before the first one. */
static void
put_ops(struct band *b, unsigned code, uint32_t n)
{
	if (n && b->op != b->end && (*b->op & 15) == code)
		*b->op += n << 4;
	else if (n)
		*--b->op = n << 4 | code;
}

/* From the last cell by the fixed rule; returns the letters used. */
static uint64_t
walk_band(const struct exact *x, struct band *b)
{
	uint64_t i = b->width / 2;
	uint32_t r = x->core;
	int64_t at;

	put_ops(b, CIGAR_EQ, x->p->tail);
	for (;;) {
		uint8_t c = b->choice[r * b->width + i];

		at = b->base + (int64_t)(r + i);
		if (c & STOP && r == 0)
			break;
		if (c & DIAGONAL) {
			put_ops(b, equal(x, r, at) ? CIGAR_EQ : CIGAR_X, 1);
			r--;
		} else if (c & SKIP) {
			put_ops(b, CIGAR_D, 1);
			i--;
		} else {
			put_ops(b, CIGAR_I, 1);
			r--;
			i++;
		}
	}
	put_ops(b, CIGAR_EQ, x->p->head);
	return x->n - (uint64_t)at + x->p->head;
}

/* Memory of a traceback, and the letters before the end. */
static int
layout(struct exact *x, struct band *b, struct kdiff_work *w,
       const struct kdiff_hit *h, struct err *e)
{
	uint64_t want = (uint64_t)x->p->m + h->dist;
	uint64_t have = exact_before(x, h);
	size_t n_ops = want + 2, values, choices;
	uint8_t *p;
	int rc;

	b->width = 2ull * h->dist + 1;
	values = (b->width + 2) * sizeof *b->row;
	choices = (x->core + 1) * b->width;
	rc = kdiff_room(&w->exact, &w->exact_cap, 2 * values + n_ops *
			sizeof *b->op + choices + want, e);
	if (rc)
		return rc;
	p = w->exact;
	memset(p, 0x3f, 2 * values);	/* EXACT_NONE */
	b->row = (uint32_t *)p + 1;
	b->up = (uint32_t *)(p + values) + 1;
	b->end = b->op = (uint32_t *)(p + 2 * values) + n_ops;
	b->choice = (uint8_t *)b->end;
	x->letter = b->choice + choices;
	x->n = want < have ? want : have;
	kdiff_exact_read(x, h->end - x->n, x->n, x->letter);
	b->base = (int64_t)x->n - x->p->tail - x->core - h->dist;
	return 0;
}

static int
trace_one(struct exact *x, struct kdiff_work *w, const struct kdiff_hit *h,
	  struct kdiff_path *path, struct buf *ops, struct err *e)
{
	struct band b;
	int rc = layout(x, &b, w, h, e);

	if (rc)
		return rc;
	first_row(x, &b);
	for (uint32_t r = 1; r <= x->core; r++) {
		uint32_t *row = b.up;

		b.up = b.row;
		b.row = row;
		next_row(x, &b, r);
	}
	path->beg = h->end - walk_band(x, &b);
	path->ops = ops->n / sizeof *b.op;
	path->n_ops = (size_t)(b.end - b.op);
	buf_put(ops, b.op, path->n_ops * sizeof *b.op);
	return ops->bad ? err_nomem(e, ops->n) : 0;
}

int
kdiff_exact_trace(const struct kdiff_set *set, const struct kdiff_text *text,
		  struct kdiff_work *w, const struct kdiff_hit *hits, size_t n,
		  struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	struct exact x = { .set = set, .text = text };
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		exact_choose(&x, hits[i].pattern);
		rc = trace_one(&x, w, &hits[i], &paths[i], ops, e);
	}
	return rc;
}

/* Patterns whose first or last letters must match. */

static size_t
classes(const struct kdiff_set *set)
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
	bytes = classes(set) * words * sizeof *p->core;
	p->core = calloc(1, bytes ? bytes : 1);
	if (!p->core)
		return err_nomem(e, bytes);
	p->head = (uint32_t)head;
	p->tail = (uint32_t)tail;
	for (size_t c = 0; c < classes(set); c++)
		for (size_t r = 0; r < core; r++)
			if (exact_fits(set, p, (uint32_t)(head + core - 1 - r),
				 (uint8_t)c))
				p->core[c * words + r / 64] |= 1ull << r % 64;
	set->exact = true;
	kdiff_forget(set);
	return 0;
}

void
kdiff_exact_read(const struct exact *x, uint64_t at, uint64_t n, uint8_t *to)
{
	if (x->set->p.alphabet == KDIFF_DNA) {
		kdiff_read_sets(x->set, x->text, at, n, to);
		return;
	}
	memcpy(to, x->text->bytes + at, n);
	for (uint64_t i = 0; x->set->p.alphabet == KDIFF_PROTEIN && i < n; i++)
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

/* The least G(i) <= k with the head before it; else EXACT_NONE. */
static uint32_t
least(struct exact *x)
{
	uint64_t to = x->n - x->p->tail;
	uint32_t g = x->core, best = EXACT_NONE, k = x->p->k;

	for (size_t i = 0; i < x->words; i++) {
		x->pv[i] = ~0ull;
		x->mv[i] = 0;
	}
	for (uint64_t i = 0;; i++) {
		uint64_t bound = best <= k ? best : k + 1ull;

		if (g < bound && exact_head(x, to - i))
			best = g;
		if (i == to || i + 1 >= x->core + bound)
			return best;
		g +=
		    x->core ? (uint32_t)step_left(x, x->letter[to - i - 1]) : 1;
	}
}

/* The distance that keeps the rule, if it is <= k. */
static uint32_t
distance(struct exact *x, const struct kdiff_hit *h)
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
	kdiff_exact_read(x, h->end - tail, tail, x->letter + x->n - tail);
	if (!exact_stands(x, x->p->m - tail, tail, x->n - tail))
		return EXACT_NONE;
	kdiff_exact_read(x, h->end - x->n, x->n - tail, x->letter);
	if (x->set->p.hamming)
		return exact_stands(x, 0, x->p->head, 0) ? h->dist :
							   EXACT_NONE;
	return least(x);
}

/* Room for n letters, and for a core of so many words. */
static int
prepare_exact(struct exact *x, struct kdiff_work *w, uint64_t n, size_t words,
	      struct err *e)
{
	int rc = kdiff_room(&w->exact, &w->exact_cap, words * 16 + n, e);

	x->pv = (uint64_t *)w->exact;
	x->mv = x->pv + words;
	x->letter = (uint8_t *)(x->mv + words);
	return rc;
}

/* Hits that are looked at side by side: one a lane. */
struct side {
	struct kdiff_cores c;
	struct kdiff_hit *hit[KDIFF_MAX_LANES];
	unsigned n;
};

/* 64 letters of a plane from `at`, 0 out of the text. */
static inline uint64_t
bits_at(const struct kdiff_text *t, const uint64_t *plane, int step,
	int64_t at)
{
	return kdiff_text_bits(plane, (int64_t)((t->n + 63) / 64), step, at);
}

/* Which of 64 text letters from `at` match pattern letter i? */
static inline uint64_t
fits_at(const struct exact *x, uint32_t i, int64_t at)
{
	const struct kdiff_text *t = x->text;
	unsigned s = x->set->sym[x->p->code[i]];
	uint64_t lo = bits_at(t, t->planes, 2, at);
	uint64_t hi = bits_at(t, t->planes + 1, 2, at), in = 0;

	in |= s & 1 ? ~(lo | hi) : 0;
	in |= s & 2 ? lo & ~hi : 0;
	in |= s & 4 ? hi & ~lo : 0;
	in |= s & 8 ? lo & hi : 0;
	return t->exc ? in & ~bits_at(t, t->exc, 1, at) : in;
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
heads(const struct exact *x, uint64_t end, uint64_t have)
{
	uint32_t core = x->core, k = x->p->k, head = x->p->head;
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
	for (unsigned l = 0; l < s->n; l++)
		s->hit[l]->dist = (uint32_t)s->c.best[l];
	s->n = s->c.cols = 0;
}

/* The hit becomes a lane. */
static void
exact_put(struct exact *x, struct side *s, struct kdiff_hit *h, uint64_t head)
{
	const struct kdiff_text *t = x->text;
	unsigned l = s->n++, cols = x->core + x->p->k;
	int64_t at = (int64_t)(h->end - x->p->tail) - 64;

	for (unsigned c = 0; c < 4; c++)
		s->c.eq[c][l] = x->core ? x->p->core[1u << c] <<
					  (64 - x->core) : 0;
	s->c.rows[l] = x->core ? ~0ull << (64 - x->core) : 0;
	s->c.core[l] = x->core;
	s->c.lo[l] = bits_at(t, t->planes, 2, at);
	s->c.hi[l] = bits_at(t, t->planes + 1, 2, at);
	s->c.none[l] = t->exc ? bits_at(t, t->exc, 1, at) : 0;
	s->c.head[l] = head;
	s->c.cols = cols > s->c.cols ? cols : s->c.cols;
	s->hit[l] = h;
	if (s->n == x->set->ops.lanes)
		run_cores(x, s);
}

/* The same as distance(), for patterns of which all fits into a word. */
static void
side_by_side(struct exact *x, struct side *s, struct kdiff_hit *h)
{
	uint64_t have = exact_before(x, h), head;
	bool ham = x->set->p.hamming;

	if (!tail_stands(x, h->end)) {
		h->dist = EXACT_NONE;
		return;
	}
	head = heads(x, h->end, have);
	if (ham)	/* of the pattern's own length */
		head &= 1ull << (63 - x->core);
	if (!head)
		h->dist = EXACT_NONE;
	else if (!ham)
		exact_put(x, s, h, head);
}

int
kdiff_exact_keep(const struct kdiff_set *set, const struct kdiff_text *text,
		 struct kdiff_work *w, struct kdiff_hits *h, size_t from,
		 struct err *e)
{
	struct exact x = { .set = set, .text = text };
	bool planes = text->planes && !(set->p.iupac && text->exc);
	struct side s = { .n = 0 };
	size_t n = from;
	int rc = 0;

	if (h->n > from)
		rc = prepare_exact(&x, w, set->max_mk, (set->max_m + 63) / 64,
				   e);
	for (size_t i = from; i < h->n && !rc; i++) {
		struct kdiff_hit *hit = &h->v[i];

		exact_choose(&x, hit->pattern);
		if (x.p->core && planes && x.p->m + x.p->k <= 64)
			side_by_side(&x, &s, hit);
		else if (x.p->core)
			hit->dist = distance(&x, hit);
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
