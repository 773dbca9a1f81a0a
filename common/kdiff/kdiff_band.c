/* SPDX-License-Identifier: MIT */
/*
 * kdiff_band.c - start and CIGAR of a hit with any number of differences
 * Source: Myers, J. ACM 46(3), 1999; Hyyro, 2003: bits along the pattern, of
 * a band of diagonals.
 *
 * For each text letter of a window before the end, two bits a pattern letter
 * encode a cell's choice: D(i,j) is D(i-1,j-1) with equal letters or 1 more (=
 * or X fits); else, D(i,j) is D(i,j-1) + 1 (D fits); else I.
 *
 * The window is m + d letters, d the hit's distance or more, and the band the
 * diagonals -d to d about the end's.  That is exact: every cell the rule may
 * choose lies on a path of cost <= d that ends at the hit, which therefore
 * begins within m + d letters and has at most d letters of indels, so the
 * cell's value is the true one.  Cells outside of the window and the band can
 * only make other values larger, and those were not chosen before.
 *
 * Rows before the first match every letter, so that D is 0 there.  Letters
 * before the segment match no row: there D(i,j) = i, as at its begin, and the
 * path goes by X, each of which stands for I.  A path needs no more of them
 * than the window has, because they cost.
 *
 * With exact letters (kdiff_exact.c) this is done with the core, from the
 * letter before the tail.  Without a head it may begin anywhere.  With one the
 * place is given where the head ends, and D is the distance of the letters from
 * there: those before it are a wall, which matches the rows before the first
 * and no other, and these match nothing else.  So in those rows D rises by 1 a
 * letter behind the wall, and in the wall by row, as if there were only
 * insertions.  Letters between the place and the path's first one are skipped
 * (D).
 *
 * Overhangs (kdiff_overhang.c): what lies behind the subject's end is left out
 * of the pattern.  If `left` letters may hang over its begin, D(i) is there the
 * cost of min(i, left) letters and 1 for each of the others; the letters before
 * are a wall, too, which matches the rows where this does not rise: so D stays
 * as it is there, the path goes by = and X, and each stands for S, but I from
 * row `left` on.
 *
 * Where the cells of all columns would take too much memory, only the states
 * between blocks of columns are kept and each block is computed again.
 *
 * D does not depend on where a hit ends, so long hits whose windows overlap
 * share one: all rows of the columns from the first letter of any window on.
 * For each of them that is what the text above says of its own, and wider.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

enum {
	BLOCK_BYTES = 512 << 10,	/* of cells: in the L2 cache */
	MANY_WORDS = 64,	/* of a frame: then one hit at a time */
	SHARED_BYTES = 64 << 20,	/* of cells, at most */
};

struct trace {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	const struct kdiff_pat *p;	/* part: what the lanes compute */
	struct kdiff_pat part;
	uint32_t number;		/* of the pattern */
	/*
	 * Letters before and behind the core, which match; with a head, the
	 * text letters between both that a path has to reach, of each hit.
	 */
	uint32_t head, tail;
	const uint64_t *reach;
	unsigned wall;			/* class of the letters before them */
	/* Letters beyond the subject's ends, of each hit (or NULL) and now. */
	const struct kdiff_hang *hangs;
	struct kdiff_hang over;
	/*
	 * Letter classes: 0..3 and none = 4 (planes), IUPAC sets and none = 0
	 * (planes = 4), or none = 0 and the symbols (planes = 0); and the wall.
	 */
	unsigned planes, classes;
	uint64_t *eq;		/* [word][class]: p's letters after `pad` */
	unsigned pad;		/* words of rows before the first */
	size_t seg;		/* of the last hit */
	size_t apart;		/* hits to come that do not share columns */

	/* A batch: hits of p, one a lane. */
	const struct kdiff_ops *ops;
	uint64_t cols;		/* letters of their windows: m + d */
	uint32_t d;		/* the largest distance */
	unsigned words;		/* of a frame */
	uint64_t block;		/* columns whose cells are kept */
	uint64_t have[KDIFF_MAX_LANES];	/* letters of the segment */
	size_t n_groups[KDIFF_MAX_LANES];	/* of choices, per lane */
	uint64_t *cells, *state, *keep, *groups, *planes_at, *row;
	uint16_t *letter;
};

/* Words of a frame for distances up to d: diagonals -d to d. */
static inline unsigned
frame_words(uint64_t d)
{
	return (unsigned)(2 * d / 64 + 1);
}

/* Letters of text and pattern, for the traceback. */

/* Choose the classes. */
static void
choose_classes(struct trace *t)
{
	bool dna = t->set->p.alphabet == KDIFF_DNA;
	bool sets = t->set->p.iupac && t->text->sets;

	t->planes = !dna ? 0 : sets ? 4 : 3;
	t->wall = !dna ? t->set->n_sym + 1 : sets ? 16 : 7;
	t->classes = t->wall + 1;
}

/* The planes of a hit's window, for kdiff_spread(). */
static void
read_planes(struct trace *t, const struct kdiff_hit *h, uint64_t have,
	    uint64_t *to)
{
	const struct kdiff_text *x = t->text;
	uint64_t gone = t->cols - have;
	int64_t at = (int64_t)(h->end - t->tail - t->cols);
	size_t lanes = t->ops->lanes;

	for (uint64_t c = 0; c < t->cols; c += 64, at += 64, to += 4 * lanes) {
		uint64_t no = gone <= c ? 0 : gone - c < 64 ?
			      ~0ull >> (64 - (gone - c)) : ~0ull;

		if (t->planes == 4) {
			for (unsigned p = 0; p < 4; p++)
				to[p * lanes] =
				    kdiff_bits(x, x->sets + p, 4, at) & ~no;
			continue;
		}
		if (x->exc)
			no |= kdiff_bits(x, x->exc, 1, at);
		to[0] = kdiff_bits(x, x->planes, 2, at) & ~no;
		to[lanes] = kdiff_bits(x, x->planes + 1, 2, at) & ~no;
		to[2 * lanes] = no;
	}
}

static void
read_bytes(struct trace *t, const struct kdiff_hit *h, uint64_t have,
	   uint16_t *to)
{
	const uint8_t *x = t->text->bytes + (h->end - t->tail - have);
	uint8_t fold = t->set->p.alphabet == KDIFF_PROTEIN ? 0xdf : 0xff;
	size_t lanes = t->ops->lanes;

	for (uint64_t c = 0; c < t->cols - have; c++, to += lanes)
		*to = 0;
	for (uint64_t c = 0; c < have; c++, to += lanes)
		*to = (uint16_t)(t->set->sym_of[x[c] & fold] + 1);
}

/*
 * The classes of the `cols` letters before each hit's end, to t->letter;
 * letters before the last t->have[lane] are none.  Lanes without a hit have no
 * letters: their paths are all X.
 */
static void
read_letters(struct trace *t, const struct kdiff_hit *hits,
	     const size_t *order, size_t n)
{
	for (size_t l = 0; l < t->ops->lanes; l++) {
		const struct kdiff_hit *h = &hits[order[l < n ? l : 0]];
		uint64_t have = l < n ? t->have[l] : 0;

		if (t->planes)
			read_planes(t, h, have, t->planes_at + l);
		else
			read_bytes(t, h, have, t->letter + l);
	}
	if (t->planes)
		t->ops->spread(t->planes_at, t->planes, t->cols, t->letter);
}

/*
 * Words of eq for patterns of m letters: rows before the first, the pattern,
 * and as many zeros as a frame may look beyond it: its bit 0 is at most at
 * pad + m - d - 1.
 */
static size_t
eq_words(const struct trace *t, uint64_t m)
{
	return t->pad + m / 64 + t->pad + 2;
}

/* eq of pattern t->p. */
static void
fill_eq(struct trace *t)
{
	size_t n = t->classes;
	uint64_t *eq = t->eq + t->pad * n;

	memset(t->eq, t->head ? 0 : 0xff, t->pad * n * sizeof *t->eq);
	for (size_t w = 0; w < t->pad; w++)
		t->eq[w * n + t->wall] = ~0ull;
	memset(eq, 0, (eq_words(t, t->p->m) - t->pad) * n * sizeof *eq);
	for (uint32_t i = 0; i < t->p->m; i++) {
		uint64_t bit = 1ull << i % 64, *e = eq + i / 64 * n;
		unsigned code = t->p->code[i], s = t->set->sym[code];

		if (i < t->over.left &&
		    kdiff_overhang_cost(t->set, 0, i) ==
			kdiff_overhang_cost(t->set, 0, i + 1))
			e[t->wall] |= bit;
		if (!t->planes)
			e[code + 1] |= bit;
		for (unsigned b = 0; t->planes == 3 && b < 4; b++)
			e[b] |= s >> b & 1 ? bit : 0;
		for (unsigned c = 1; t->planes == 4 && c < 16; c++)
			e[c] |= s & c ? bit : 0;
	}
}

/* One group of choices, of all lanes. */
static inline uint64_t *
group_at(const struct trace *t, size_t i)
{
	return t->groups + 3 * i * t->ops->lanes;
}

/* kdiff_back() for frames of more words, in one lane. */
static void
trace_lane(struct trace *t, size_t lane, uint64_t cols)
{
	size_t lanes = t->ops->lanes, step = 2 * lanes * t->words;
	const uint64_t *cell = t->cells + cols * step + lane;
	uint64_t bit = t->row[lane], hi = 0, lo = 0, len = 0;

	while (cols) {
		const uint64_t *x = cell - step + bit / 64 * 2 * lanes;
		uint64_t diag = x[0] >> bit % 64 & 1;
		uint64_t sel = x[lanes] >> bit % 64 & 1;

		hi = hi << 1 | diag;
		lo = lo << 1 | sel;
		if (!diag)
			bit += sel ? 1 : UINT64_MAX;
		if (diag | sel) {
			cell -= step;
			cols--;
		}
		if (++len == 64 || !cols) {
			uint64_t *g = group_at(t, t->n_groups[lane]++) + lane;

			g[0] = hi;
			g[lanes] = lo;
			g[2 * lanes] = len;
			len = 0;
		}
	}
	t->row[lane] = bit;
}

/* Back over the cells of `cols` columns, all lanes. */
static void
all_back(struct trace *t, uint64_t cols, size_t n)
{
	unsigned group = 64 - t->d;	/* with at most d letters of I */

	if (t->words > 1) {
		for (size_t l = 0; l < n; l++)
			trace_lane(t, l, cols);
		return;
	}
	t->ops->back(t->cells, cols, group, t->row,
		     group_at(t, t->n_groups[0]));
	for (size_t l = 0; l < n; l++)
		t->n_groups[l] += (cols + group - 1) / group;
}

/* State before the first column: D rises by row from the first row on. */
static void
start_columns(struct trace *t)
{
	size_t lanes = t->ops->lanes;

	for (size_t w = 0; w < t->words; w++)
		for (size_t l = 0; l < lanes; l++) {
			uint64_t low = 2ull * t->d / 64;

			t->state[w * lanes + l] = w < low ? 0 :
			    w > low ? ~0ull : ~0ull << 2ull * t->d % 64;
			t->state[(t->words + w) * lanes + l] = 0;
		}
	for (size_t l = 0; l < lanes; l++) {
		t->row[l] = t->words > 1 ? t->d : 63 - t->d;
		t->n_groups[l] = 0;
	}
}

/* Where the subject begins D rises as the cost of an overhang does. */
static void
hang_over(struct trace *t, size_t lane)
{
	for (uint32_t i = 0; i < t->over.left; i++) {
		uint64_t b = 2ull * t->d + i;

		if (b >= 64ull * t->words)
			break;
		if (kdiff_overhang_cost(t->set, 0, i) ==
		    kdiff_overhang_cost(t->set, 0, i + 1))
			t->state[b / 64 * t->ops->lanes + lane] &=
			    ~(1ull << b % 64);
	}
}

/* The choices of n hits, whose letters were read. */
static void
choose_ops(struct trace *t, size_t n)
{
	struct kdiff_band b = {
		.eq = t->eq, .at = t->pad * 64ull - 2ull * t->d,
		.classes = t->classes, .words = t->words, .letter = t->letter,
	};
	size_t size = 2 * t->words * t->ops->lanes * sizeof *t->state;
	uint64_t at = 0, end = t->cols;

	start_columns(t);
	for (size_t l = 0; l < n && t->over.left; l++)
		hang_over(t, l);
	for (; end - at > t->block; at += t->block) {
		memcpy((uint8_t *)t->keep + at / t->block * size, t->state,
		       size);
		t->ops->columns(&b, at, at + t->block, t->state, t->cells);
	}
	t->ops->columns(&b, at, end, t->state, t->cells);
	all_back(t, end - at, n);
	while (at) {
		end = at;
		at -= t->block;
		memcpy(t->state, (uint8_t *)t->keep + at / t->block * size,
		       size);
		t->ops->columns(&b, at, end, t->state, t->cells);
		all_back(t, end - at, n);
	}
}

/* Room for the runs of n paths: each difference makes at most 2. */
static int
runs_room(const struct trace *t, size_t n, struct buf *ops, struct err *e)
{
	size_t size = (n * (2ull * t->d + 5) + 64) * sizeof(uint32_t);

	return buf_reserve(ops, size) ? 0 : err_nomem(e, size);
}

/* One more run of n letters, if any. */
static size_t
add_run(uint32_t *op, size_t n_ops, enum cigar_op code, uint64_t n)
{
	op[n_ops] = (uint32_t)n << 4 | code;
	return kdiff_join_runs(op, n_ops, n != 0);
}

/* Of the I that a path begins with the first `left` hang over. */
static size_t
first_hang_over(uint32_t *op, size_t n, uint32_t left)
{
	if (!left)
		return n;
	if (op[0] >> 4 == left) {
		op[0] = left << 4 | CIGAR_S;
		return n;
	}
	memmove(op + 1, op, n * sizeof *op);
	op[1] -= left << 4;
	op[0] = left << 4 | CIGAR_S;
	return n + 1;
}

/*
 * The path of a lane, of `cols` columns, those before the segment's begin
 * included, which are I; with a head, those before its end.  What hangs over is
 * the first of them, as many as may.
 */
static void
put_path(const struct trace *t, size_t lane, const struct kdiff_hit *h,
	 uint64_t cols, struct kdiff_path *path, struct buf *ops)
{
	struct kdiff_choices c = {
		.group = t->groups + lane, .n = t->n_groups[lane],
		.lanes = t->ops->lanes, .beyond = t->cols - cols,
		.before = cols - min_u64(cols, t->have[lane]),
	};
	uint64_t skip = t->head ? t->have[lane] - (cols - c.before) : 0;
	uint32_t *op = (uint32_t *)(void *)(ops->p + ops->n);
	size_t n = add_run(op, 0, CIGAR_EQ, t->head);

	n = add_run(op, n, CIGAR_D, skip);
	n = kdiff_join_runs(op, n, t->set->ops.runs(&c, op + n));
	n = add_run(op, n, CIGAR_EQ, t->tail);
	path->left = (uint32_t)min_u64(c.before, t->over.left);
	path->right = t->over.right;
	n = first_hang_over(op, n, path->left);
	n = add_run(op, n, CIGAR_S, t->over.right);
	path->beg = h->end - t->tail - (cols - c.before) - skip - t->head;
	path->ops = ops->n / sizeof(uint32_t);
	path->n_ops = n;
	ops->n += n * sizeof(uint32_t);
}

/* Text letters from its segment's begin to the hit's end. */
static uint64_t
letters_before(struct trace *t, const struct kdiff_hit *h)
{
	const struct kdiff_seg *s = t->text->seg + t->seg;

	if (h->end < s->beg || h->end > s->end) {
		t->seg = kdiff_seg_find(t->text, h->end);
		s = t->text->seg + t->seg;
	}
	return h->end - s->beg - t->tail;
}

/* What the window of lane l has of the text. */
static void
measure_window(struct trace *t, size_t l, const struct kdiff_hit *h,
	       uint64_t reach)
{
	uint64_t n = letters_before(t, h);

	t->have[l] = min_u64(t->head ? reach : n, t->cols);
}

/* Memory of batches of pattern t->p, with distances up to k. */
static int
batch_room(struct trace *t, struct kdiff_work *w, struct err *e)
{
	size_t v = t->ops->lanes * sizeof(uint64_t);
	uint64_t k = t->set->p.hamming ? 0 : t->p->k, cols = t->p->m + k;
	size_t col = 2 * frame_words(k) * v, blocks, n[7], sum = 0;
	uint8_t *p;
	int r;

	t->block = BLOCK_BYTES / col;
	while (t->block * t->block < cols)	/* no more states than cells */
		t->block = 2 * t->block + 1;
	t->block = min_u64(t->block, cols);
	blocks = (cols + t->block - 1) / t->block;
	n[0] = t->block * col;
	n[1] = col;
	n[2] = blocks * col;
	n[3] = ((cols + k) / 33 + 2 * blocks) * 3 * v;
	n[4] = (cols + 63) / 64 * 4 * v;
	n[5] = v;
	n[6] = (cols + 63) / 64 * 64 * t->ops->lanes * sizeof *t->letter;
	for (int i = 0; i < 7; i++)
		sum += n[i];
	r = kdiff_room(&w->trace, &w->trace_cap, sum, e);
	if (r < 0)
		return r;
	p = w->trace;
	t->cells = (uint64_t *)p;
	t->state = (uint64_t *)(p += n[0]);
	t->keep = (uint64_t *)(p += n[1]);
	t->groups = (uint64_t *)(p += n[2]);
	t->planes_at = (uint64_t *)(p += n[3]);
	t->row = (uint64_t *)(p += n[4]);
	t->letter = (uint16_t *)(p + n[5]);
	return 0;
}

/* n hits of pattern t->p side by side. */
static int
trace_batch(struct trace *t, const struct kdiff_hit *hits, const size_t *order,
	    size_t n, struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	int r;

	t->d = 0;
	for (size_t l = 0; l < n; l++)
		t->d = (uint32_t)max_u64(t->d, hits[order[l]].dist);
	t->words = frame_words(t->d);
	t->cols = t->p->m + t->d;
	for (size_t l = 0; l < n; l++)
		measure_window(t, l, &hits[order[l]],
			       t->head ? t->reach[order[l]] : 0);
	r = runs_room(t, n, ops, e);
	if (r < 0)
		return r;
	read_letters(t, hits, order, n);
	for (size_t l = 0; l < n; l++)
		for (uint64_t c = 0; (t->head || t->over.left) &&
		     c < t->cols - t->have[l]; c++)
			t->letter[c * t->ops->lanes + l] = (uint16_t)t->wall;
	choose_ops(t, n);
	for (size_t l = 0; l < n; l++) {
		/* rows + D - I; the bit in the frame rose by D - I */
		uint64_t cols = t->p->m + (t->words > 1 ? t->row[l] - t->d :
					   63 - t->d - t->row[l]);

		put_path(t, l, &hits[order[l]], cols, &paths[order[l]], ops);
	}
	return 0;
}

/* Columns that hits share, each of all rows. */
struct shared {
	uint64_t beg, cols;	/* of the text */
	size_t words;		/* of a column's rows */
	uint64_t *cell, *state;
};

/* As columns() in kdiff_trace_kern.c, but in a frame that does not move: D is 0
 * above the first row. */
static void
shared_columns(const struct trace *t, const struct shared *x)
{
	uint64_t *pv = x->state, *mv = pv + x->words, *cell = x->cell;

	memset(pv, 0xff, x->words * sizeof *pv);
	memset(mv, 0, x->words * sizeof *mv);
	for (uint64_t j = 0; j < x->cols; j++) {
		const uint64_t *eq = t->eq + t->pad * t->classes +
				     t->letter[j];
		uint64_t carry = 0, up = 0, down = 0;

		for (size_t w = 0; w < x->words; w++, cell += 2) {
			uint64_t e = eq[w * t->classes], p = pv[w], m = mv[w];
			uint64_t a = e & p, s = a + p, sum = s + carry;
			uint64_t d0 = (sum ^ p) | e | m;
			uint64_t hp = m | ~(d0 | p), hm = d0 & p;
			uint64_t hps = hp << 1 | up, hms = hm << 1 | down;

			cell[0] = e | ~d0;
			cell[1] = e | (d0 & m);
			pv[w] = hms | ~(d0 | hps);
			mv[w] = d0 & hps;
			carry = (s < a) | (sum < s);
			up = hp >> 63;
			down = hm >> 63;
		}
	}
}

/* The path of a hit, from its end; at the segment's begin only I are left. */
static int
shared_path(const struct trace *t, const struct shared *x,
	    const struct kdiff_hit *h, struct kdiff_path *path,
	    struct buf *ops, struct err *e)
{
	uint64_t col = h->end - x->beg, row = t->p->m;
	int r = runs_room(t, 1, ops, e);
	uint32_t *op = (uint32_t *)(void *)(ops->p + ops->n);
	size_t n = 0;

	if (r < 0)
		return r;
	while (row) {
		size_t at = 2 * ((col - 1) * x->words + (row - 1) / 64);
		unsigned b = (row - 1) % 64;
		bool diag = col && x->cell[at] >> b & 1;
		bool sel = col && x->cell[at + 1] >> b & 1;
		uint32_t code = diag ? sel ? CIGAR_EQ : CIGAR_X :
				sel ? CIGAR_D : CIGAR_I;

		if (n && (op[n - 1] & 15) == code)
			op[n - 1] += 16;
		else
			op[n++] = 16 | code;
		row -= code != CIGAR_D;
		col -= code != CIGAR_I;
	}
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t first = op[i];

		op[i] = op[n - 1 - i];
		op[n - 1 - i] = first;
	}
	*path = (struct kdiff_path){ .beg = x->beg + col, .n_ops = n,
				     .ops = ops->n / sizeof *op };
	ops->n += n * sizeof *op;
	return 0;
}

/* What its columns take, beside a lane of a band; scalar. */
static double
shared_cost(const struct trace *t, const struct shared *x, uint64_t cols)
{
	return 2 * (double)cols * (double)x->words * (double)t->ops->lanes;
}

/*
 * How many of the n hits next in order share columns, and which: each adds
 * fewer of them than its band would take.  0, and as many in t->apart, if all
 * take longer than their bands.  t->d: their largest distance.
 */
static size_t
count_shared(struct trace *t, const struct kdiff_hit *hits,
	     const size_t *order, size_t n, struct shared *x)
{
	const uint64_t m = t->p->m;
	uint64_t end = hits[*order].end;
	double bands = 0;
	size_t k = 0;

	*x = (struct shared){ .beg = end, .words = (m + 63) / 64 };
	t->d = 0;
	for (; k < n && hits[order[k]].pattern == t->number; k++) {
		const struct kdiff_hit *h = &hits[order[k]];
		uint64_t seg = h->end - letters_before(t, h);
		uint64_t beg = h->end - min_u64(h->end - seg, m + h->dist);
		uint64_t cols = h->end - min_u64(beg, x->beg);
		double band = (double)(m + h->dist) * frame_words(h->dist);

		if ((k && seg > x->beg) || h->end < end ||
		    cols > SHARED_BYTES / (16 * x->words) ||
		    (k && shared_cost(t, x, cols - x->cols) > band))
			break;
		bands += band;
		end = h->end;
		x->beg = end - cols;
		x->cols = cols;
		t->d = (uint32_t)max_u64(t->d, h->dist);
	}
	t->apart = k + !k;
	return frame_words(t->d) > 1 && bands > shared_cost(t, x, x->cols) ?
	       k : 0;
}

/* Hits order[0..n), which share columns. */
static int
trace_shared(struct trace *t, struct kdiff_work *w, struct shared *x,
	     const struct kdiff_hit *hits, const size_t *order, size_t n,
	     struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	const struct kdiff_ops *lanes = t->ops;
	size_t planes = (x->cols + 63) / 64 * 4, letters = planes * 4;
	int r = kdiff_room(&w->shared, &w->shared_cap, 16 * x->words *
			   (x->cols + 1) + 8 * (planes + letters), e);

	if (r < 0)
		return r;
	x->cell = (uint64_t *)(void *)w->shared;
	x->state = x->cell + 2 * x->words * x->cols;
	t->planes_at = x->state + 2 * x->words;
	t->letter = (uint16_t *)(t->planes_at + planes);
	t->ops = &kdiff_ops_scalar;
	t->cols = t->have[0] = x->cols;
	read_letters(t, hits, &order[n - 1], 1);
	t->ops = lanes;
	shared_columns(t, x);
	for (size_t i = 0; i < n && !r; i++)
		r = shared_path(t, x, &hits[order[i]], &paths[order[i]], ops,
				e);
	t->apart = 0;
	return r ? r : batch_room(t, w, e);
}

/* Windows of m letters: each stands against its own. */
static int
compare_windows(struct trace *t, const struct kdiff_hit *hits,
		const size_t *order, struct kdiff_path *paths, struct buf *ops,
		struct err *e)
{
	size_t n = (t->p->m + 63) / 64;
	int r;

	t->d = hits[*order].dist;
	t->cols = t->p->m;
	measure_window(t, 0, &hits[*order], 0);
	t->n_groups[0] = n;
	r = runs_room(t, 1, ops, e);
	if (r < 0)
		return r;
	read_letters(t, hits, order, 1);
	for (size_t w = 0; w < n; w++) {
		uint64_t *g = t->groups + 3 * (n - 1 - w), same = 0;
		uint64_t len = min_u64(t->cols - w * 64, 64);

		for (uint64_t i = 0; i < len; i++)
			same |= (t->eq[w * t->classes +
				       t->letter[w * 64 + i]] >> i & 1) << i;
		g[0] = ~0ull;
		g[1] = same;
		g[2] = len;
	}
	put_path(t, 0, &hits[*order], t->cols, &paths[*order], ops);
	return 0;
}

/* Nothing is left: head and tail are next to each other, or all hangs over. */
static int
put_coreless(struct trace *t, const struct kdiff_hit *h,
	     struct kdiff_path *path, struct buf *ops, struct err *e)
{
	uint32_t *op;
	size_t n;
	int r = runs_room(t, 1, ops, e);

	if (r < 0)
		return r;
	op = (uint32_t *)(void *)(ops->p + ops->n);
	n = add_run(op, 0, CIGAR_EQ, t->head);
	n = add_run(op, n, CIGAR_D, t->over.right ? 0 : h->dist);
	n = add_run(op, n, CIGAR_EQ, t->tail);
	n = add_run(op, n, CIGAR_S, t->over.right);
	path->left = 0;
	path->right = t->over.right;
	path->beg = h->end - (t->over.right ? 0 :
			      t->tail + h->dist + t->head);
	path->ops = ops->n / sizeof(uint32_t);
	path->n_ops = n;
	ops->n += n * sizeof(uint32_t);
	return 0;
}

static bool
same_hang(struct kdiff_hang a, struct kdiff_hang b)
{
	return a.left == b.left && a.right == b.right;
}

/* How many of the n hits next in order can be traced side by side. */
static size_t
count_together(const struct trace *t, const struct kdiff_hit *hits,
	       const size_t *order, size_t n)
{
	size_t k = 1;

	while (k < n && k < t->ops->lanes &&
	       hits[order[k]].pattern == t->number &&
	       (!t->hangs || same_hang(t->hangs[order[k]], t->over)))
		k++;
	return k;
}

static int
next_pattern(struct trace *t, struct kdiff_work *w, uint32_t number,
	     struct kdiff_hang over, struct err *e)
{
	const struct kdiff_pat *p = &t->set->pat[number];
	bool ham = t->set->p.hamming;
	int r;

	t->number = number;
	t->over = over;
	t->part = *p;
	t->part.m -= over.right;
	t->p = &t->part;
	if (!ham) {
		t->head = p->head;
		t->tail = p->tail;
		t->part.m -= p->head + p->tail;
		t->part.code += p->head;
	}
	if (!t->part.m)
		return 0;
	t->pad = ham ? 0 : frame_words(p->k);
	t->ops = ham || t->pad > MANY_WORDS ? &kdiff_ops_scalar :
		 &t->set->ops;
	r = kdiff_room(&w->eq, &w->eq_cap, eq_words(t, t->p->m) *
		       t->classes * sizeof *t->eq, e);
	if (!r)
		r = batch_room(t, w, e);
	if (r < 0)
		return r;
	t->eq = (uint64_t *)(void *)w->eq;
	fill_eq(t);
	return 0;
}

int
kdiff_trace_plain(const struct kdiff_set *set, const struct kdiff_text *text,
		  struct kdiff_work *w, const struct kdiff_hit *hits,
		  const size_t *order, size_t n, const uint64_t *reach,
		  const struct kdiff_hang *hangs, struct kdiff_path *paths,
		  struct buf *ops, struct err *e)
{
	struct trace t = { .set = set, .text = text, .number = UINT32_MAX,
			   .reach = reach, .hangs = hangs };
	int r = 0;

	choose_classes(&t);
	for (size_t k; n && !r; order += k, n -= k) {
		const struct kdiff_hit *h = &hits[*order];
		struct shared x;
		struct kdiff_hang none = { 0, 0 };
		struct kdiff_hang over = hangs ? hangs[*order] : none;

		k = 1;
		if (t.number != h->pattern || !same_hang(t.over, over))
			r = next_pattern(&t, w, h->pattern, over, e);
		if (r)
			break;
		if (!t.p->m) {
			r = put_coreless(&t, h, &paths[*order], ops, e);
		} else if (set->p.hamming) {
			r = compare_windows(&t, hits, order, paths, ops, e);
		} else if (!set->exact && !hangs && !t.apart &&
			   (k = count_shared(&t, hits, order, n, &x)) > 0) {
			r = trace_shared(&t, w, &x, hits, order, k, paths, ops,
					 e);
		} else {
			k = count_together(&t, hits, order, n);
			r = trace_batch(&t, hits, order, k, paths, ops, e);
			t.apart -= min_u64(t.apart, k);
		}
	}
	return r;
}
