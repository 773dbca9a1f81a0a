/* SPDX-License-Identifier: MIT */
/*
 * kdiff_scan.c - lanes, pieces, segments: the driver of the kernels
 *
 * Words first .. first + n_words of the text go to L lanes of T words each.
 * Lane l begins l * (T - warm) words in, and owns all its words but the first
 * `warm`, which only bring it to the right values; lane 0 owns these, too.
 *
 * Segments stand apart because letters of a gap match nothing.  Take a path
 * of cost <= k that ends inside a segment.  It cannot cross the gap before,
 * since each of k + 1 letters would cost 1.  If it begins in the gap, leave
 * its gap letters out (a pattern letter that stood against one becomes an
 * insertion): it costs no more, so D <= k is the segment's own.  Likewise at a
 * gap's last letter D > k: there a run of values <= k begins by a fall, as
 * after D(0) = m > k, and is never counted longer than it is.  After the end
 * the kernel lets D rise, as the minima's rule says.  A lane that begins in a
 * gap, or before a segment's end, sees fewer paths, and exact values <= k
 * after m + k letters (2m + k for the runs).
 */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_exact.h"

enum { GROUP_BYTES = 64 << 20, EQ_BYTES = 16 << 10 };

struct scan {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	struct kdiff_work *w;
	struct err *e;
	struct kdiff_source src;
	struct kdiff_piece pc;
	bool minima;		/* the kernel's */
	bool all_ends;		/* from, to are not looked at */
	uint64_t *counts;	/* kdiff_count() */
	size_t stride;
	unsigned lanes, piece;
	uint64_t first, n_words, lane_words, lane_step, warm;
	size_t seg[KDIFF_MAX_LANES];	/* where each lane is */
	size_t mark[KDIFF_MAX_LANES];	/* its hits before this piece */
};

/*
 * The fewest words a lane that cover the text; one lane where the warm-ups
 * of more would be longer than the text.
 */
static void
plan(struct scan *s)
{
	uint64_t more = s->lanes - 1, t, one;

	s->warm = (s->minima ? s->set->max_2mk : s->set->max_mk) / 64 + 1;
	s->first = s->text->seg[0].beg / 64;
	/* with the column after the last end */
	s->n_words = s->text->seg[s->text->n_seg - 1].end / 64 + 1 - s->first;
	one = (s->n_words + KDIFF_WORDS - 1) / KDIFF_WORDS * KDIFF_WORDS;
	t = (s->n_words + more * s->warm + more) / s->lanes;
	if (t < s->warm + 1)
		t = s->warm + 1;
	t = (t + KDIFF_WORDS - 1) / KDIFF_WORDS * KDIFF_WORDS;
	if (t >= one) {
		s->lane_words = s->lane_step = one;
		return;
	}
	if ((t - s->warm) % 256 == 0)	/* lanes would share cache sets */
		t += KDIFF_WORDS;
	s->lane_words = t;
	s->lane_step = t - s->warm;
}

/* Columns lo <= c < hi of the word at letter `at`. */
static uint64_t
span(uint64_t at, uint64_t lo, uint64_t hi)
{
	lo = lo > at ? lo - at : 0;
	hi = hi > at ? hi - at : 0;
	if (hi > 64)
		hi = 64;
	return lo < hi ? ~0ull >> (64 - (hi - lo)) << lo : 0;
}

struct range {
	uint64_t lo, hi;	/* columns [lo, hi) */
};

/* Columns whose ends are to be reported: end = column + 1, or column. */
static struct range
reported(const struct scan *s, const struct kdiff_seg *g)
{
	uint64_t from = g->beg + 1, to = g->end;

	if (!s->all_ends && g->from > from)
		from = g->from;
	if (!s->all_ends && g->to < to)
		to = g->to;
	if (from > to)
		return (struct range){ 0, 0 };
	return (struct range){ from - !s->minima, to + s->minima };
}

/* First letter a lane owns. */
static uint64_t
owned(const struct scan *s, unsigned l)
{
	return (s->first + l * s->lane_step + (l ? s->warm : 0)) * 64;
}

/* Are n letters of lane l from `at` inside a segment, and all reported? */
static bool
plain(struct scan *s, unsigned l, uint64_t at, uint64_t n)
{
	const struct kdiff_text *t = s->text;
	const struct kdiff_seg *g;
	struct range r;

	while (s->seg[l] + 1 < t->n_seg && t->seg[s->seg[l] + 1].beg <= at)
		s->seg[l]++;
	g = &t->seg[s->seg[l]];
	r = reported(s, g);
	return at >= owned(s, l) && at + n <= g->end && r.lo <= at &&
	       at + n <= r.hi;
}

/* Gap and own masks of a lane's words of superblock i. */
static void
masks(struct scan *s, unsigned l, unsigned i)
{
	const struct kdiff_text *t = s->text;
	uint64_t at = s->pc.at[l] + (uint64_t)i * KDIFF_SB, mine = owned(s, l);
	size_t seg = s->seg[l];

	for (unsigned w = 0; w < KDIFF_WORDS; w++, at += 64) {
		size_t slot = ((size_t)i * KDIFF_WORDS + w) * s->lanes + l;
		const struct kdiff_seg *g;
		struct range r;

		/* a segment begins with a word: at most one is in each */
		while (seg + 1 < t->n_seg && t->seg[seg + 1].beg <= at)
			seg++;
		g = &t->seg[seg];
		r = reported(s, g);
		s->pc.gap[slot] = ~span(at, g->beg, g->end);
		s->pc.own[slot] = at >= mine ? span(at, r.lo, r.hi) : 0;
	}
}

static void
prepare_piece(struct scan *s, uint64_t sb, unsigned n_sb)
{
	bool all = true;

	s->pc.n_sb = n_sb;
	for (unsigned l = 0; l < s->lanes; l++) {
		s->pc.at[l] = (s->first + l * s->lane_step +
			       sb * KDIFF_WORDS) * 64;
		all &= plain(s, l, s->pc.at[l], (uint64_t)n_sb * KDIFF_SB);
		s->mark[l] = s->w->lane[l].n;
	}
	for (unsigned i = 0; i < n_sb; i++) {
		s->pc.special[i] = false;
		for (unsigned l = 0; !all && l < s->lanes; l++)
			s->pc.special[i] |= !plain(s, l, s->pc.at[l] +
						   i * KDIFF_SB, KDIFF_SB);
		for (unsigned l = 0; s->pc.special[i] && l < s->lanes; l++)
			masks(s, l, i);
	}
	s->set->ops.gather(&s->src, &s->pc);
}

static size_t
row_bytes(const struct scan *s, const struct kdiff_pat *p)
{
	size_t v = s->lanes * sizeof(uint64_t);

	return v * (s->set->p.hamming ? p->bits + 1 : 2) * p->m;
}

/* Bytes of a pattern's state. */
static size_t
state_bytes(const struct scan *s, const struct kdiff_pat *p)
{
	return row_bytes(s, p) + s->lanes * sizeof(uint64_t) * (p->n_chk + 3);
}

/* The state before the first letter: D = row everywhere. */
static void
state_init(const struct scan *s, const struct kdiff_pat *p,
	   struct kdiff_state *st, uint8_t *mem)
{
	size_t v = s->lanes * sizeof(uint64_t);

	st->rows = (uint64_t *)mem;
	memset(mem, s->set->p.hamming ? 0xff : 0, row_bytes(s, p));
	mem += row_bytes(s, p);
	st->right = (uint64_t *)mem;
	st->tail = (uint64_t *)(mem + p->n_chk * v);
	st->deepest = st->need = 0;
	for (unsigned l = 0; l < s->lanes; l++) {
		st->right[l] = p->chk[0];
		st->tail[l] = st->tail[2 * s->lanes + l] = 0;
		st->tail[s->lanes + l] = 1ull << 63;
	}
	for (uint32_t c = 0; c + 1 < p->n_chk; c++)
		if (!s->set->p.hamming && p->chk[c] <= p->slack[c])
			st->need = c + 1;
}

/* Allocate and start patterns [beg, end); returns end, or an error. */
static int
group(struct scan *s, size_t beg, size_t *end)
{
	struct kdiff_work *w = s->w;
	size_t n = 0, v = s->lanes * sizeof(uint64_t), i = beg;
	size_t block = s->piece * KDIFF_WORDS * v;
	uint8_t *p;
	int r;

	do
		n += state_bytes(s, &s->set->pat[i++]);
	while (i < s->set->n && n < GROUP_BYTES);
	*end = i;
	r = kdiff_room(&w->mem, &w->mem_cap,
		       n + block * (s->set->n_sym + 2), s->e);
	if (r < 0)
		return r;
	r = kdiff_room((uint8_t **)&w->st, &w->st_cap,
		       (*end - beg) * sizeof *w->st, s->e);
	if (r < 0)
		return r;
	p = w->mem;
	s->pc.eq = (uint64_t *)p;
	s->pc.gap = (uint64_t *)(p += block * s->set->n_sym);
	s->pc.own = (uint64_t *)(p += block);
	p += block;
	for (i = beg; i < *end; i++) {
		state_init(s, &s->set->pat[i], &w->st[i - beg], p);
		p += state_bytes(s, &s->set->pat[i]);
	}
	return 0;
}

static int
room(struct scan *s, size_t more)
{
	int r = 0;

	for (unsigned l = 0; !r && l < s->lanes; l++)
		r = kdiff_hits_room(&s->w->lane[l], more, s->e);
	return r;
}

static int
end_piece(struct scan *s)
{
	int r = 0;

	for (unsigned l = 0; !r && l < s->lanes; l++) {
		struct kdiff_hits *h = &s->w->lane[l];

		if (s->set->exact)
			r = kdiff_exact_keep(s->set, s->text, s->w, h,
					     s->mark[l], s->e);
		if (!r && !s->counts) {
			r = kdiff_hits_order(h, s->mark[l], s->pc.at[l],
					     &s->w->tmp, s->e);
			continue;
		}
		for (size_t i = 0; !r && i < h->n; i++)
			s->counts[h->v[i].pattern * s->stride + h->v[i].dist]
			    += 1;
		h->n = 0;
	}
	return r;
}

/* Patterns [beg, end) over the whole text. */
static int
scan_group(struct scan *s, size_t beg, size_t end)
{
	kdiff_scan_fn *kern = s->set->p.hamming ? s->set->ops.ham :
						  s->set->ops.edit;
	uint64_t n_sb = s->lane_words / KDIFF_WORDS;
	int r = 0;

	for (unsigned l = 0; l < s->lanes; l++) {
		s->w->lane[l].n = 0;
		s->seg[l] = kdiff_seg_find(s->text, (s->first +
						     l * s->lane_step) * 64);
	}
	for (uint64_t sb = 0; !r && sb < n_sb; sb += s->pc.n_sb) {
		prepare_piece(s, sb, n_sb - sb < s->piece ?
			      (unsigned)(n_sb - sb) : s->piece);
		for (size_t i = beg; !r && i < end; i++) {
			r = room(s, s->pc.n_sb * KDIFF_SB + 16);
			if (!r)
				kern(&s->set->pat[i], &s->w->st[i - beg],
				     &s->pc, s->minima, (uint32_t)i,
				     s->w->lane);
		}
		if (!r)
			r = end_piece(s);
	}
	return r;
}

static int
collect(struct scan *s, struct kdiff_hits *hits, size_t first)
{
	size_t mid = hits->n;
	int r;

	for (unsigned l = 0; l < s->lanes; l++) {
		const struct kdiff_hits *h = &s->w->lane[l];

		r = kdiff_hits_room(hits, h->n, s->e);
		if (r < 0)
			return r;
		if (h->n)
			memcpy(hits->v + hits->n, h->v, h->n * sizeof *h->v);
		hits->n += h->n;
	}
	return kdiff_hits_merge(hits, first, mid, &s->w->tmp, s->e);
}

static void
source(struct scan *s)
{
	const struct kdiff_text *t = s->text;
	const struct kdiff_params *p = &s->set->p;

	s->src.n = t->n;
	s->src.sym = s->set->sym;
	s->src.n_sym = s->pc.n_sym = s->set->n_sym;
	s->src.fold = p->alphabet == KDIFF_PROTEIN;
	if (p->alphabet != KDIFF_DNA) {
		s->src.bytes = t->bytes;
	} else if (p->iupac && t->exc) {
		s->src.sets = t->sets;
	} else {
		s->src.planes = t->planes;
		s->src.exc = t->exc;
	}
}

static int
run(struct scan *s, struct kdiff_hits *hits)
{
	size_t first = hits ? hits->n : 0, beg = 0, end, n_eq;
	int r = 0;

	if (!s->set->n || !s->text->n_seg)
		return 0;
	s->lanes = s->set->ops.lanes;
	source(s);
	plan(s);
	n_eq = s->set->n_sym * KDIFF_WORDS * s->lanes * sizeof(uint64_t);
	s->piece = (unsigned)(EQ_BYTES / n_eq);
	if (s->piece > KDIFF_MAX_PIECE)
		s->piece = KDIFF_MAX_PIECE;
	if (!s->piece)
		s->piece = 1;
	for (; !r && beg < s->set->n; beg = end) {
		r = group(s, beg, &end);
		if (!r)
			r = scan_group(s, beg, end);
		if (!r && hits)
			r = collect(s, hits, first);
	}
	if (!r && hits && s->all_ends)
		r = kdiff_hits_minima(s->set, s->text, hits, first, s->e);
	return r;
}

int
kdiff_scan(const struct kdiff_set *set, const struct kdiff_text *text,
	   struct kdiff_work *w, struct kdiff_hits *hits, struct err *e)
{
	struct scan s = { .set = set, .text = text, .w = w, .e = e };
	bool minima = set->p.report == KDIFF_MINIMA;
	bool after = set->p.hamming || set->exact;

	/* by the kernel, or out of all ends */
	s.minima = minima && !after;
	s.all_ends = minima && after;
	return run(&s, hits);
}

int
kdiff_count(const struct kdiff_set *set, const struct kdiff_text *text,
	    struct kdiff_work *w, uint64_t *counts, size_t stride,
	    struct err *e)
{
	struct scan s = {
		.set = set, .text = text, .w = w, .e = e,
		.counts = counts, .stride = stride,
	};

	return run(&s, NULL);
}
