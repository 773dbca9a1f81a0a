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

#include "algo/kdiff_exact.h"
#include "algo/kdiff_trace.h"
#include "base/cigar.h"

enum { BLOCK_BYTES = 4 << 20, MIN_BLOCK = 128 };

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

/* One more operation before op; returns the first one. */
static inline uint32_t *
put(uint32_t *op, const uint32_t *end, unsigned code)
{
	if (op != end && (*op & 15) == code)
		*op += 1 << 4;
	else
		*--op = 1 << 4 | code;
	return op;
}

/* walk() for m <= 64: one word, kept in registers. */
static uint64_t
walk_short(struct trace *t, uint64_t cols)
{
	uint32_t *op = t->op_end, *const end = op;
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
			op = put(op, end, cell[-3] & bit ? CIGAR_EQ : CIGAR_X);
			bit >>= 1;
		} else if (!(cell[-1] & bit)) {
			op = put(op, end, CIGAR_I);
			bit >>= 1;
			continue;
		} else {
			op = put(op, end, CIGAR_D);
		}
		cell -= 3;
		c--;
	}
	for (; bit; bit >>= 1)
		op = put(op, end, CIGAR_I);
	t->op = op;
	return cols - c;
}

/* The path of cost d to the window's last column; columns used. */
static uint64_t
walk(struct trace *t, uint64_t cols)
{
	uint32_t *op = t->op_end, *const end = op;
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
			op = put(op, end, eq ? CIGAR_EQ : CIGAR_X);
			i--;
			c--;
		} else if (cell[1] >> s & 1) {
			op = put(op, end, CIGAR_D);
			c--;
		} else {
			op = put(op, end, CIGAR_I);
			i--;
		}
	}
	for (; i; i--)
		op = put(op, end, CIGAR_I);
	t->op = op;
	return cols - c;
}

/* Windows of m letters: each stands against its own. */
static uint64_t
compare(struct trace *t)
{
	uint32_t *op = t->op_end, *const end = op;
	for (uint32_t i = t->p->m; i-- > 0; )
		op = put(op, end, t->eq[t->letter[i] * t->words + i / 64] >>
				  i % 64 & 1 ? CIGAR_EQ : CIGAR_X);
	t->op = op;
	return t->p->m;
}

/* Memory for patterns up to max_m letters, windows up to max_mk. */
static int
prepare(struct trace *t, struct kdiff_work *w, struct err *e)
{
	size_t words = (t->set->max_m + 63) / 64;
	size_t col = words * 2 * sizeof(uint64_t), cols = t->set->max_mk;
	size_t few = words < KDIFF_LANE_WORDS ? words : KDIFF_LANE_WORDS;
	size_t n[8], sum = 0, width = t->set->ops.lanes;
	uint8_t *p;
	int r;

	t->block = BLOCK_BYTES / col;
	if (t->block < MIN_BLOCK)
		t->block = MIN_BLOCK;
	if (t->block > cols)
		t->block = cols;
	n[0] = kdiff_classes(t->set) * words * sizeof *t->eq;
	n[1] = col;
	n[2] = (cols / t->block + 1) * col;
	n[3] = t->block * (col > 24 ? col : 24);
	n[4] = (cols * sizeof *t->letter + 7) / 8 * 8;
	n[5] = (t->set->max_m + cols) * sizeof *t->op;
	n[5] = (n[5] + 7) / 8 * 8;
	n[6] = width * KDIFF_LANE_COLS;
	/* m + d < 128 columns a word of the pattern */
	n[7] = 128 * few * few * KDIFF_LANE_CELL * width * sizeof *t->cells;
	for (int i = 0; i < 8; i++)
		sum += n[i];
	r = kdiff_room(&w->trace, &w->trace_cap, sum, e);
	if (r < 0)
		return r;
	p = w->trace;		/* vectors first: aligned */
	t->lane_cells = (uint64_t *)p;
	t->lane_letter = p += n[7];
	p += n[6];
	t->eq = (uint64_t *)p;
	t->pv = (uint64_t *)(p += n[0]);
	t->mv = t->pv + words;
	t->keep = (uint64_t *)(p += n[1]);
	t->cells = (uint64_t *)(p += n[2]);
	t->letter = (uint16_t *)(p += n[3]);
	t->op_end = (uint32_t *)(p + n[4] + n[5]);
	return 0;
}

/* Text letters from its segment's begin to the hit's end. */
static uint64_t
letters_before(const struct trace *t, const struct kdiff_hit *h)
{
	return h->end - t->text->seg[kdiff_seg_find(t->text, h->end - 1)].beg;
}

static int
finish(struct trace *t, const struct kdiff_hit *h, uint64_t used,
       struct kdiff_path *path, struct buf *ops, struct err *e)
{
	size_t n = (size_t)(t->op_end - t->op);

	path->beg = h->end - used;
	path->n_ops = n;
	path->ops = ops->n / sizeof *t->op;
	buf_put(ops, t->op, n * sizeof *t->op);
	return ops->bad ? err_nomem(e, n * sizeof *t->op) : 0;
}

static int
one(struct trace *t, const struct kdiff_hit *h, struct kdiff_path *path,
    struct buf *ops, struct err *e)
{
	uint64_t cols = t->p->m, used, before = letters_before(t, h);

	if (!t->set->p.hamming)
		cols += h->dist;
	if (cols > before)
		cols = before;
	kdiff_read_window(t, h->end - cols, cols);
	used = t->set->p.hamming ? compare(t) :
	       t->words == 1 ? walk_short(t, cols) : walk(t, cols);
	return finish(t, h, used, path, ops, e);
}

/* walk() in a lane, down to column `first`. */
static uint64_t
walk_lane(struct trace *t, unsigned lane, uint64_t cols, uint64_t first)
{
	uint32_t *op = t->op_end, *const end = op;
	size_t lanes = t->set->ops.lanes, step = KDIFF_LANE_CELL * lanes;
	uint64_t c = cols;
	uint32_t i = t->p->m;

	while (i && c > first) {
		uint64_t bit = 1ull << (i - 1) % 64;
		const uint64_t *cell = t->lane_cells + lane +
		    ((c - 1) * t->words + (i - 1) / 64) * step;

		if (cell[0] & bit) {
			op = put(op, end, cell[2 * lanes] & bit ? CIGAR_EQ :
								 CIGAR_X);
			i--;
			c--;
		} else if (cell[lanes] & bit) {
			op = put(op, end, CIGAR_D);
			c--;
		} else {
			op = put(op, end, CIGAR_I);
			i--;
		}
	}
	for (; i; i--)
		op = put(op, end, CIGAR_I);
	t->op = op;
	return cols - c;
}

/*
 * n hits of one pattern side by side.  Windows are as long as the longest; a
 * letter before a segment matches nothing, so that the column stays as it
 * begins: D(i) = i.
 */
static int
lanes(struct trace *t, const struct kdiff_hit *hits, const size_t *order,
      size_t n, struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	unsigned width = t->set->ops.lanes;
	uint64_t first[KDIFF_MAX_LANES], cols = 0;
	int r = 0;

	for (size_t l = 0; l < n; l++)
		if (t->p->m + hits[order[l]].dist > cols)
			cols = t->p->m + hits[order[l]].dist;
	memset(t->lane_letter, 0, cols * width);
	for (size_t l = 0; l < n; l++) {
		const struct kdiff_hit *h = &hits[order[l]];
		uint64_t have = letters_before(t, h);

		if (have > cols)
			have = cols;
		first[l] = cols - have;
		kdiff_read_lane(t, h->end - have, have,
				t->lane_letter + first[l] * width + l, width);
	}
	t->set->ops.columns(t->eq, (unsigned)t->words, t->lane_letter, cols,
			    t->lane_cells);
	for (size_t l = 0; !r && l < n; l++) {
		uint64_t used = walk_lane(t, (unsigned)l, cols, first[l]);

		r = finish(t, &hits[order[l]], used, &paths[order[l]], ops, e);
	}
	return r;
}

/* How many of the n hits next in order can be traced side by side. */
static size_t
together(const struct trace *t, const struct kdiff_hit *hits,
	 const size_t *order, size_t n)
{
	size_t k = 1;

	if (t->words > KDIFF_LANE_WORDS || t->set->p.hamming ||
	    t->set->p.alphabet != KDIFF_DNA)
		return 1;
	while (k < n && k < t->set->ops.lanes &&
	       hits[order[k]].pattern == hits[order[0]].pattern)
		k++;
	return k;
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
	if (set->exact && !set->p.hamming)
		return kdiff_exact_trace(set, text, w, hits, n, paths, ops, e);
	r = prepare(&t, w, e);
	if (r < 0)
		return r;
	order = kdiff_by_pattern(set, hits, n, e);
	if (!order)
		return ERR_NOMEM;
	for (size_t i = 0, k; !r && i < n; i += k) {
		const struct kdiff_hit *h = &hits[order[i]];

		if (t.p != &set->pat[h->pattern]) {
			t.p = &set->pat[h->pattern];
			t.words = (t.p->m + 63) / 64;
			kdiff_fill_eq(&t);
		}
		k = together(&t, hits, order + i, n - i);
		r = k > 1 ? lanes(&t, hits, order + i, k, paths, ops, e) :
			    one(&t, h, &paths[order[i]], ops, e);
	}
	free(order);
	return r;
}
