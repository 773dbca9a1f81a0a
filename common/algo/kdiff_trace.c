/* SPDX-License-Identifier: MIT */
/*
 * kdiff_trace.c - start and CIGAR of a hit
 * Source: Myers, J. ACM 46(3), 1999; Hyyro, 2003: bits along the pattern.
 *
 * For each text letter of a window before the end, two words per 64 pattern
 * letters tell a cell's choices: d0 = D(i,j) is D(i-1,j-1), hp = D(i,j) is
 * D(i,j-1) + 1.  With equality, = fits; without d0, X does; with hp, D does;
 * else I.  The window is m + d letters, d the hit's distance, or what its
 * segment has.  That is exact: every cell the rule may choose lies on a path
 * of cost d, which begins within m + d of the end, so its value does not
 * change with the window; other values can only be larger, and they were not
 * chosen before.
 *
 * Where the words of all columns would take too much memory, only the states
 * between blocks of columns are kept and each block is computed again.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_priv.h"
#include "base/cigar.h"

enum { BLOCK_BYTES = 4 << 20, MIN_BLOCK = 128 };

struct trace {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	const struct kdiff_pat *p;
	size_t words;		/* of a pattern */
	uint64_t *eq;		/* [letter class][words] */
	uint64_t *pv, *mv;	/* the current column */
	uint64_t *keep;		/* pv, mv at each block's begin */
	uint64_t *cells;	/* d0, hp of a block's columns */
	uint16_t *letter;	/* class of each letter of the window */
	uint32_t *op, *op_end;	/* operations, filled from their end */
	uint64_t block;		/* columns; those of m <= 64 are one block */
};

/* Number of letter classes: IUPAC sets, or 0 = none and the symbols. */
static unsigned
classes(const struct kdiff_set *s)
{
	return s->p.alphabet == KDIFF_DNA ? 16 : s->n_sym + 1;
}

/* n <= 64 bits of a plane from letter at; its words are `step` apart. */
static uint64_t
bits_at(const uint64_t *plane, unsigned step, uint64_t at, unsigned n)
{
	const uint64_t *w = plane + at / 64 * step;
	unsigned b = at % 64;
	uint64_t x = *w >> b;

	return b && b + n > 64 ? x | w[step] << (64 - b) : x;
}

/* The classes of n <= 64 text letters from `at`, DNA. */
static void
classes_at(const struct kdiff_text *x, bool iupac, uint64_t at, unsigned n,
	   uint16_t *to)
{
	uint64_t p[4] = { 0 };

	if (iupac && x->exc) {
		for (int b = 0; b < 4; b++)
			p[b] = bits_at(x->sets + b, 4, at, n);
	} else {
		uint64_t lo = bits_at(x->planes, 2, at, n);
		uint64_t hi = bits_at(x->planes + 1, 2, at, n);
		uint64_t ok = x->exc ? ~bits_at(x->exc, 1, at, n) : ~0ull;

		p[0] = ~(lo | hi) & ok;
		p[1] = lo & ~hi & ok;
		p[2] = hi & ~lo & ok;
		p[3] = lo & hi & ok;
	}
	for (unsigned i = 0; i < n; i++)
		to[i] = (uint16_t)((p[0] >> i & 1) | (p[1] >> i & 1) << 1 |
				   (p[2] >> i & 1) << 2 |
				   (p[3] >> i & 1) << 3);
}

/* The classes of the window; letters of class c match those in eq[c]. */
static void
read_window(struct trace *t, uint64_t at, uint64_t n)
{
	const struct kdiff_params *p = &t->set->p;

	for (uint64_t i = 0; p->alphabet == KDIFF_DNA && i < n; i += 64)
		classes_at(t->text, p->iupac, at + i,
			   n - i < 64 ? (unsigned)(n - i) : 64, t->letter + i);
	for (uint64_t i = 0; p->alphabet != KDIFF_DNA && i < n; i++) {
		uint8_t c = t->text->bytes[at + i];

		if (p->alphabet == KDIFF_PROTEIN)
			c &= 0xdf;
		t->letter[i] = (uint16_t)(t->set->sym_of[c] + 1);
	}
}

static void
fill_eq(struct trace *t)
{
	const struct kdiff_set *s = t->set;
	bool dna = s->p.alphabet == KDIFF_DNA;

	memset(t->eq, 0, classes(s) * t->words * sizeof *t->eq);
	for (uint32_t i = 0; i < t->p->m; i++) {
		uint64_t bit = 1ull << i % 64, *e = t->eq + i / 64;
		unsigned code = t->p->code[i];

		if (!dna)
			e[(code + 1) * t->words] |= bit;
		for (unsigned c = 1; dna && c < 16; c++)
			if (s->sym[code] & c)
				e[c * t->words] |= bit;
	}
}

/* One column (figure 8 of the source, the words from low to high). */
static inline void
column(struct trace *t, const uint64_t *eq, uint64_t *cell)
{
	unsigned carry = 0, hin = 0, min = 0;

	for (size_t i = 0; i < t->words; i++) {
		uint64_t pv = t->pv[i], mv = t->mv[i], e = eq[i];
		uint64_t a = e & pv, s = a + pv, s2 = s + carry;
		uint64_t d0 = (s2 ^ pv) | e | mv;
		uint64_t hp = mv | ~(d0 | pv), hm = d0 & pv;
		uint64_t hs = hp << 1 | hin, ms = hm << 1 | min;

		carry = (s < a) | (s2 < s);
		hin = hp >> 63;
		min = hm >> 63;
		t->pv[i] = ms | ~(d0 | hs);
		t->mv[i] = hs & d0;
		cell[2 * i] = d0;
		cell[2 * i + 1] = hp;
	}
}

/* Columns [beg, end), from the state in pv, mv. */
static void
columns(struct trace *t, uint64_t beg, uint64_t end)
{
	for (uint64_t c = beg; c < end; c++)
		column(t, t->eq + t->letter[c] * t->words,
		       t->cells + (c - beg) * 2 * t->words);
}

static void
state(struct trace *t, uint64_t block, bool save)
{
	size_t n = t->words * sizeof *t->pv;
	uint64_t *k = t->keep + block * 2 * t->words;

	memcpy(save ? k : t->pv, save ? t->pv : k, n);
	memcpy(save ? k + t->words : t->mv, save ? t->mv : k + t->words, n);
}

/* All columns; the cells of the last block remain.  Returns its number. */
static uint64_t
forward(struct trace *t, uint64_t cols)
{
	uint64_t b = 0;

	memset(t->pv, 0xff, t->words * sizeof *t->pv);
	memset(t->mv, 0, t->words * sizeof *t->mv);
	for (;; b++) {
		uint64_t beg = b * t->block;

		state(t, b, true);
		if (cols - beg <= t->block) {
			columns(t, beg, cols);
			return b;
		}
		columns(t, beg, beg + t->block);
	}
}

static inline void
put(struct trace *t, unsigned op)
{
	if (t->op != t->op_end && (*t->op & 15) == op)
		*t->op += 1 << 4;
	else
		*--t->op = 1 << 4 | op;
}

/* walk() for m <= 64: one word, kept in registers. */
static uint64_t
walk_short(struct trace *t, uint64_t cols)
{
	uint64_t pv = ~0ull, mv = 0, *cell = t->cells, c;
	uint64_t bit = 1ull << (t->p->m - 1);

	for (c = 0; c < cols; c++, cell += 3) {
		uint64_t e = t->eq[t->letter[c]];
		uint64_t d0 = (((e & pv) + pv) ^ pv) | e | mv;
		uint64_t hp = mv | ~(d0 | pv), ms = (d0 & pv) << 1;

		cell[0] = e;
		cell[1] = e | ~d0;	/* a diagonal step fits */
		cell[2] = hp;
		pv = ms | ~(d0 | hp << 1);
		mv = hp << 1 & d0;
	}
	while (bit && c) {
		if (cell[-2] & bit) {
			put(t, cell[-3] & bit ? CIGAR_EQ : CIGAR_X);
			bit >>= 1;
		} else if (!(cell[-1] & bit)) {
			put(t, CIGAR_I);
			bit >>= 1;
			continue;
		} else {
			put(t, CIGAR_D);
		}
		cell -= 3;
		c--;
	}
	for (; bit; bit >>= 1)
		put(t, CIGAR_I);
	return cols - c;
}

/* The path of cost d to the window's last column; columns used. */
static uint64_t
walk(struct trace *t, uint64_t cols)
{
	uint64_t b = forward(t, cols), c = cols, beg = b * t->block;
	uint32_t i = t->p->m;

	while (i && c) {
		size_t w = (i - 1) / 64, s = (i - 1) % 64;
		const uint64_t *cell;
		uint64_t eq;

		if (c == beg) {
			beg -= t->block;
			state(t, --b, false);
			columns(t, beg, c);
		}
		cell = t->cells + (c - 1 - beg) * 2 * t->words + 2 * w;
		eq = t->eq[t->letter[c - 1] * t->words + w] >> s & 1;
		if (eq || !(cell[0] >> s & 1)) {
			put(t, eq ? CIGAR_EQ : CIGAR_X);
			i--;
			c--;
		} else if (cell[1] >> s & 1) {
			put(t, CIGAR_D);
			c--;
		} else {
			put(t, CIGAR_I);
			i--;
		}
	}
	for (; i; i--)
		put(t, CIGAR_I);
	return cols - c;
}

/* Windows of m letters: each stands against its own. */
static uint64_t
compare(struct trace *t)
{
	for (uint32_t i = t->p->m; i-- > 0; )
		put(t, t->eq[t->letter[i] * t->words + i / 64] >> i % 64 & 1 ?
		       CIGAR_EQ : CIGAR_X);
	return t->p->m;
}

/* Memory for patterns up to max_m letters, windows up to max_mk. */
static int
prepare(struct trace *t, struct kdiff_work *w, struct err *e)
{
	size_t words = (t->set->max_m + 63) / 64;
	size_t col = words * 2 * sizeof(uint64_t), cols = t->set->max_mk;
	size_t n[6], sum = 0;
	uint8_t *p;
	int r;

	t->block = BLOCK_BYTES / col;
	if (t->block < MIN_BLOCK)
		t->block = MIN_BLOCK;
	if (t->block > cols)
		t->block = cols;
	n[0] = classes(t->set) * words * sizeof *t->eq;
	n[1] = col;
	n[2] = (cols / t->block + 1) * col;
	n[3] = t->block * (col > 24 ? col : 24);
	n[4] = (cols * sizeof *t->letter + 7) / 8 * 8;
	n[5] = (t->set->max_m + cols) * sizeof *t->op;
	for (int i = 0; i < 6; i++)
		sum += n[i];
	r = kdiff_room(&w->trace, &w->trace_cap, sum, e);
	if (r < 0)
		return r;
	p = w->trace;
	t->eq = (uint64_t *)p;
	t->pv = (uint64_t *)(p += n[0]);
	t->mv = t->pv + words;
	t->keep = (uint64_t *)(p += n[1]);
	t->cells = (uint64_t *)(p += n[2]);
	t->letter = (uint16_t *)(p += n[3]);
	t->op_end = (uint32_t *)(p + n[4] + n[5]);
	return 0;
}

static int
one(struct trace *t, const struct kdiff_hit *h, struct kdiff_path *path,
    struct buf *ops, struct err *e)
{
	const struct kdiff_seg *g;
	uint64_t cols = t->p->m, used;
	size_t n;

	g = &t->text->seg[kdiff_seg_find(t->text, h->end - 1)];
	if (!t->set->p.hamming) {
		cols += h->dist;
		if (cols > h->end - g->beg)
			cols = h->end - g->beg;
	}
	read_window(t, h->end - cols, cols);
	t->op = t->op_end;
	used = t->set->p.hamming ? compare(t) :
	       t->words == 1 ? walk_short(t, cols) : walk(t, cols);
	n = (size_t)(t->op_end - t->op);
	path->beg = h->end - used;
	path->n_ops = n;
	path->ops = ops->n / sizeof *t->op;
	buf_put(ops, t->op, n * sizeof *t->op);
	return ops->bad ? err_nomem(e, n * sizeof *t->op) : 0;
}

/* Hits in the order of their patterns, so that each is prepared once. */
static size_t *
by_pattern(const struct kdiff_set *set, const struct kdiff_hit *hits, size_t n,
	   struct err *e)
{
	size_t *at = calloc(set->n + 1, sizeof *at);
	size_t *order = malloc((n ? n : 1) * sizeof *order);

	if (!at || !order) {
		err_nomem(e, (set->n + 1 + n) * sizeof *at);
		free(order);
		free(at);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		at[hits[i].pattern + 1]++;
	for (size_t p = 1; p < set->n; p++)
		at[p] += at[p - 1];
	for (size_t i = 0; i < n; i++)
		order[at[hits[i].pattern]++] = i;
	free(at);
	return order;
}

int
kdiff_trace(const struct kdiff_set *set, const struct kdiff_text *text,
	    struct kdiff_work *w, const struct kdiff_hit *hits, size_t n,
	    struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	struct trace t = { .set = set, .text = text };
	size_t *order;
	int r;

	if (!n)
		return 0;
	r = prepare(&t, w, e);
	if (r < 0)
		return r;
	order = by_pattern(set, hits, n, e);
	if (!order)
		return ERR_NOMEM;
	for (size_t i = 0; !r && i < n; i++) {
		const struct kdiff_hit *h = &hits[order[i]];

		if (t.p != &set->pat[h->pattern]) {
			t.p = &set->pat[h->pattern];
			t.words = (t.p->m + 63) / 64;
			fill_eq(&t);
		}
		r = one(&t, h, &paths[order[i]], ops, e);
	}
	free(order);
	return r;
}
