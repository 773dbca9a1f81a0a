/* SPDX-License-Identifier: MIT */
/*
 * kdiff_kern.c - distances at ends: by edits and by mismatches along the text,
 * row by row; of ends whose first or last letters must match; over a subject's
 * ends, column by column
 *
 * Edit distance
 * Source: Myers, J. ACM 46(3), 1999, figure 3, with pattern and text swapped.
 *
 * A row is one pattern letter.  vp, vm: columns where D rises, falls from the
 * column before; the row above the first is all 0, so they start empty.  Down
 * the left edge of a word run vertical deltas, the top bits of the word to the
 * left: m where D falls by 1 going down, g where it does NOT rise by 1.
 */

#include "base/simd.h"
#include "base/vec.h"
#include "kdiff/kdiff_kern.h"

enum { SURE = 4 };	/* superblocks with ends: so has the next one */

struct rows {
	v64 vp[KDIFF_WORDS], vm[KDIFF_WORDS];	/* of the row done last */
	v64 g[KDIFF_WORDS], m[KDIFF_WORDS];	/* raw vertical deltas */
	const v64 *eq;
	const uint8_t *code;
	v64 *edge;				/* kdiff_state.rows */
};

/* Row r of word w, after row r - 1 of it and row r of the word before. */
INLINE void
cell(struct rows *x, const int w, uint32_t r)
{
	v64 e = x->eq[(size_t)x->code[r] * KDIFF_WORDS + w];
	v64 gl = w ? x->g[w ? w - 1 : 0] : x->edge[2 * (size_t)r];
	v64 ml = w ? x->m[w ? w - 1 : 0] : x->edge[2 * (size_t)r + 1];
	v64 vp = x->vp[w], vm = x->vm[w];
	v64 xh = e | (ml >> 63);
	v64 d = xor_or((xh & vp) + vp, vp, xh);
	v64 g = andn_or(vm, d, vp);
	v64 m = d & vp;
	v64 gs = shl1(g, gl), ms = shl1(m, ml);
	v64 d0 = e | vm;

	x->vp[w] = or_andn(ms, d0, gs);
	x->vm[w] = ~gs & d0;
	x->g[w] = g;
	x->m[w] = m;
	if (w == KDIFF_WORDS - 1) {
		x->edge[2 * (size_t)r] = g;
		x->edge[2 * (size_t)r + 1] = m;
	}
}

/* Row 0, below the row of 0: there are no falls down its edges, ever. */
INLINE void
first_row(struct rows *x)
{
	const v64 *eq = x->eq + (size_t)x->code[0] * KDIFF_WORDS;
	v64 left = x->edge[0];

#pragma GCC unroll 4
	for (int w = 0; w < KDIFF_WORDS; w++) {
		v64 e = eq[w], gs = shl1(e, left);

		x->vp[w] = gs & ~e;
		x->vm[w] = e & ~gs;
		left = e;
	}
	x->edge[0] = left;
}

/*
 * Rows from .. to-1 of a superblock.  Word w runs a row behind word w - 1, so
 * that the four cells of a step do not wait for each other.
 */
INLINE void
run_rows(struct rows *x, uint32_t from, uint32_t to)
{
	uint32_t r = from;

	if (to - from < 8) {	/* the skew's ends would cost more */
		for (; r < to; r++) {
			cell(x, 0, r);
			cell(x, 1, r);
			cell(x, 2, r);
			cell(x, 3, r);
		}
		return;
	}
	cell(x, 0, r);
	cell(x, 1, r);
	cell(x, 0, r + 1);
	cell(x, 2, r);
	cell(x, 1, r + 1);
	cell(x, 0, r + 2);
	for (r += 3; r < to; r++) {
		cell(x, 3, r - 3);
		cell(x, 2, r - 2);
		cell(x, 1, r - 1);
		cell(x, 0, r);
	}
	cell(x, 3, r - 3);
	cell(x, 2, r - 2);
	cell(x, 1, r - 1);
	cell(x, 3, r - 2);
	cell(x, 2, r - 1);
	cell(x, 3, r - 1);
}

struct look {
	v64 left[KDIFF_WORDS + 1];	/* D at the words' edges */
	uint64_t hit[KDIFF_WORDS];	/* bytes (8 columns) that may be <= k */
};

/*
 * Lower bounds for 4 columns each: the low four of a byte are at least the
 * value before it minus their falls, the high four at least the value at its
 * end minus their rises.  A value differs from its word's left edge by at most
 * 64, so bytes hold them, and clamping k - left to a byte changes nothing.  The
 * bounds hold for the value before each column, too: a rise from k is seen.
 */
INLINE uint64_t
look_at(const struct rows *x, v64 left, v64 k, struct look *o)
{
	uint64_t any = 0;

#pragma GCC unroll 4
	for (int w = 0; w < KDIFF_WORDS; w++) {
		v64 rise, fall, rises = pops8(x->vp[w], &rise);
		v64 d = sub8(rises, pops8(x->vm[w], &fall)), lim;

		/* of both bounds, what is below the value at the byte's end */
		rise = max8(rise, sub8(rises, fall));
		d = add8(d, d << 8);
		d = add8(d, d << 16);
		d = add8(d, d << 32);
		lim = spread8(clamp(k - left));
		o->left[w] = left;
		any |= o->hit[w] = le8(sub8(d, rise), lim);
		left += top8(d);
	}
	o->left[KDIFF_WORDS] = left;
	return any;
}

/*
 * Columns where at least m flats end, out of those (bits of flat) of a word
 * that `before` more flats precede, moved to the next column.
 */
INLINE uint64_t
long_runs(uint64_t flat, uint64_t m, uint64_t before)
{
	uint64_t run = 0, first;
	unsigned low = ~flat ? (unsigned)__builtin_ctzll(~flat) : 64;

	if (m <= 64) {
		run = flat;
		for (unsigned have = 1, more; have < m; have += more) {
			more = have < m - have ? have : (unsigned)m - have;
			run &= run << more;
		}
	}
	/* bits first .. low - 1 */
	first = before >= m ? 0 : m - before - 1;
	if (first < low)
		run |= (low == 64 ? ~0ull : (1ull << low) - 1) &
		       (~0ull << first);
	return run << 1 | (before >= m);
}

/*
 * Columns j where D rises and the run of equal values before j began with a
 * fall, or is longer than m: its last end is before column j.  In vm - vp + z
 * (z = -1: not armed) a borrow or carry runs from the last change through
 * the flats to the next rise and says whether that change was a fall.
 */
INLINE v64
minima_of(const v64 *tail, uint32_t m, v64 vp, v64 vm)
{
	v64 nf = vp | vm, rep = vp & (vm - vp + tail[0]);
	uint64_t r[LANES], p[LANES], f[LANES], last[LANES], words[LANES];

	/*
	 * A run longer than m has m flats.  For m >= 16, if this word has no
	 * byte of 8 flats, it holds fewer than 8 of a run from the left, so 8
	 * more must end the last word.
	 */
	if (m >= 16 && !zero8(nf) && !zero8(tail[1] | ~(0xffull << 56)) &&
	    !any8(tail[2]))
		return rep;
	memcpy(r, &rep, VBYTES);
	memcpy(p, &vp, VBYTES);
	memcpy(f, &nf, VBYTES);
	memcpy(last, &tail[1], VBYTES);
	memcpy(words, &tail[2], VBYTES);
	for (int l = 0; l < LANES; l++)
		r[l] |= p[l] & long_runs(~f[l], m, words[l] * 64 +
					 (uint64_t)__builtin_clzll(last[l]));
	memcpy(&rep, r, VBYTES);
	return rep;
}

/* The tail after a word with these changes. */
INLINE void
remember_run(v64 *tail, v64 vp, v64 vm)
{
	v64 nf = vp | vm, same = (v64)(nf == 0);

	tail[0] = pick(same, tail[0], ~(v64)(vm > vp));
	tail[1] = pick(same, tail[1], nf);
	tail[2] = (tail[2] + 1) & same;
}

struct report {
	const struct kdiff_piece *pc;
	uint64_t *to[LANES];	/* where each lane's next word goes */
	uint64_t col;		/* of the superblock in its lane's piece */
	uint32_t m;
	bool minima;
};

/*
 * Word w of all lanes to theirs.  All are written, without a branch on what
 * they hold; those without a hit are written over.
 */
INLINE void
keep_word(struct report *a, const struct rows *x, const struct look *o,
	  const int w, v64 in)
{
	uint64_t some = any_byte(o->hit[w]) & not_zero(in);

	put_lanes(x->vp[w], x->vm[w], in,
		  (o->left[w] << 32) + (a->col + 64 * w), a->to);
#pragma GCC unroll 8
	for (int l = 0; l < LANES; l++)
		a->to[l] += KDIFF_EDIT_WORD * (some >> 8 * l & 1);
}

/* The last row is done: hits of superblock i. */
INLINE void
report_hits(struct report *a, v64 *tail, struct rows *x, const struct look *o,
	    unsigned i)
{
	bool special = a->pc->special[i];
	const v64 *gap = (const v64 *)a->pc->gap + KDIFF_WORDS * i;
	const v64 *own = (const v64 *)a->pc->own + KDIFF_WORDS * i;

#pragma GCC unroll 4
	for (int w = 0; w < KDIFF_WORDS; w++) {
		v64 in = vset(~0ull);

		if (a->minima) {
			/*
			 * D rises after a segment's end by definition; more
			 * rises in the gap keep its flats out of any run.
			 */
			if (special) {
				x->vp[w] |= gap[w];
				x->vm[w] &= ~gap[w];
			}
			if (o->hit[w])
				in = minima_of(tail, a->m, x->vp[w], x->vm[w]);
			remember_run(tail, x->vp[w], x->vm[w]);
		}
		if (special)
			in &= own[w];
		if (o->hit[w])
			keep_word(a, x, o, w, in);
	}
}

INLINE void
forget_run(struct kdiff_state *st)
{
	v64 *tail = (v64 *)st->tail;

	tail[0] = tail[2] = vset(0);
	tail[1] = vset(1ull << 63);
}

/* D at the left edge at check row c; old = right[deepest] before this one. */
INLINE v64
left_edge(const struct kdiff_pat *p, const struct kdiff_state *st, uint32_t c,
	  v64 old)
{
	if (c <= st->deepest)
		return ((const v64 *)st->right)[c];
	return old + (uint64_t)(p->chk[c] - p->chk[st->deepest]);
}

/*
 * D at the right edge at the check rows that a superblock passed by, from the
 * deltas down it.  Which row the next one needs, if `need` because of the last.
 */
static uint32_t
right_edge(const struct kdiff_pat *p, struct kdiff_state *st, uint32_t need)
{
	const v64 *edge = (const v64 *)st->rows;
	v64 *right = (v64 *)st->right, d = vset(0);
	uint32_t last = p->n_chk - 1, row = 0;

	for (uint32_t c = 0; c < last; c++) {
		for (; row < p->chk[c]; row++)
			d += (~edge[2 * (size_t)row] >> 63) -
			     (edge[2 * (size_t)row + 1] >> 63);
		right[c] = d;
		if (any_le(d, vset(p->slack[c])))
			need = need > c + 1 ? need : c + 1;
	}
	return need;
}

/*
 * A superblock stops at check row c if no column can be <= k there and no cell
 * of its left edge below is <= k: then nothing below is (costs only grow along
 * a path, and it would enter through one of the two).  The edge is known at
 * check rows; a cell <= k between rows chk[c] and chk[c + 1] makes one of
 * these two at most k + half their distance = slack.  Wherever right[c] is,
 * the next superblock needs check row c + 1.  Edge cells below the exit are
 * taken to rise by 1 a row: more than the truth, but the truth is > k, and
 * values <= k come from values <= k only.
 *
 * Where matches are dense the checks are in vain: after some superblocks with
 * ends the next ones go down to the last row at once, until one or two have
 * none; what checks would have told of those is then read from their edge.
 */
void
KERN(kdiff_edit)(const struct kdiff_pat *p, struct kdiff_state *st,
		 const struct kdiff_piece *pc, bool minima_only,
		 struct kdiff_lane *out)
{
	const uint32_t last = p->n_chk - 1;
	const v64 k = vset(p->k);
	v64 *right = (v64 *)st->right;
	struct report a = { .pc = pc, .m = p->m, .minima = minima_only };
	struct rows x;

	for (int l = 0; l < LANES; l++)
		a.to[l] = out[l].v + out[l].n;
	x.code = p->code;
	x.edge = (v64 *)st->rows;
	x.eq = (const v64 *)pc->eq;
	for (unsigned i = 0; i < pc->n_sb; i++) {
		v64 old = right[st->deepest];
		uint32_t row = 1, need = 0, c = 0;
		bool sure = st->deep >= SURE && st->deepest == last;
		struct look o;
		uint64_t any;

		first_row(&x);
		for (c = sure ? last : 0;; c++) {
			run_rows(&x, row, p->chk[c]);
			row = p->chk[c];
			any = look_at(&x, left_edge(p, st, c, old), k, &o);
			right[c] = o.left[KDIFF_WORDS];
			if (any_le(right[c], vset(p->slack[c])))
				need = c + 1;
			if (c == last || (c >= st->need && !any))
				break;
		}
		if (any) {
			st->deep += st->deep < 2 * SURE;
		} else {
			st->deep -= st->deep < SURE ? st->deep : SURE;
			if (sure)
				need = right_edge(p, st, need);
		}
		if (c == last)
			report_hits(&a, (v64 *)st->tail, &x, &o, i);
		else
			forget_run(st);
		if (row < p->chk[st->deepest])
			memset(x.edge + 2 * (size_t)row, 0, 2 * VBYTES *
			       (size_t)(p->chk[st->deepest] - row));
		st->deepest = c;
		st->need = need > last ? last : need;
		x.eq += pc->n_sym * KDIFF_WORDS;
		a.col += KDIFF_SB;
	}
	for (int l = 0; l < LANES; l++)
		out[l].n = (size_t)(a.to[l] - out[l].v);
}

/*
 * Mismatches over windows of m letters, counters in planes
 *
 * Row r, column c: the mismatches of the first r + 1 pattern letters with the
 * text letters that end at c, from row r - 1, column c - 1.  A counter has
 * `bits` planes and starts at 2^bits - 1 - k, so that its carry out, kept in
 * one more plane, means more than k.  A gap letter sets that plane: no window
 * leaves its segment.  Before the text every column is over.
 */

enum { MAX_BITS = 17, CHECK = 8 };	/* k < 100000 < 2^17 */

struct count {
	v64 c[KDIFF_WORDS][MAX_BITS + 1];	/* [bits]: over */
	v64 edge[MAX_BITS + 1];		/* row above, word to the left */
};

/* The row above, moved one column right. */
static inline void
ham_shift(struct count *x, unsigned bits)
{
	for (int w = KDIFF_WORDS - 1; w >= 0; w--) {
		const v64 *from = w ? x->c[w - 1] : x->edge;

		for (unsigned b = 0; b <= bits; b++)
			x->c[w][b] = shl1(x->c[w][b], from[b]);
	}
}

static inline void
ham_start(struct count *x, unsigned bits, uint32_t k)
{
	uint32_t v = (1u << bits) - 1 - k;

	for (int w = 0; w < KDIFF_WORDS; w++)
		for (unsigned b = 0; b <= bits; b++)
			x->c[w][b] = vset(b < bits && (v >> b & 1) ? ~0ull : 0);
}

static inline void
add_row(struct count *x, unsigned bits, const v64 *eq, const v64 *gap)
{
	for (int w = 0; w < KDIFF_WORDS; w++) {
		v64 carry = ~eq[w];

		for (unsigned b = 0; b < bits; b++) {
			v64 t = x->c[w][b] & carry;

			x->c[w][b] ^= carry;
			carry = t;
		}
		x->c[w][bits] |= gap ? carry | gap[w] : carry;
	}
}

static void
ham_report(const struct kdiff_pat *p, const struct count *x,
	   const struct kdiff_piece *pc, unsigned i, struct kdiff_lane *out)
{
	const v64 *own = (const v64 *)pc->own + KDIFF_WORDS * i;

	for (int w = 0; w < KDIFF_WORDS; w++) {
		v64 in = ~x->c[w][p->bits];

		if (pc->special[i])
			in &= own[w];
		for (int l = 0; l < LANES; l++) {
			uint64_t *to = out[l].v + out[l].n;

			if (!in[l])
				continue;
			for (unsigned b = 0; b < p->bits; b++)
				to[b] = x->c[w][b][l];
			to[p->bits] = in[l];
			to[p->bits + 1] = KDIFF_SB * i + 64 * (unsigned)w;
			out[l].n += p->bits + 2;
		}
	}
}

/* Rows of superblock i; returns how many were done. */
static inline uint32_t
ham_rows(const struct kdiff_pat *p, struct kdiff_state *st,
	 const struct kdiff_piece *pc, unsigned i, struct count *x,
	 unsigned bits)
{
	const v64 *eq = (const v64 *)pc->eq +
			(size_t)i * pc->n_sym * KDIFF_WORDS;
	const v64 *gap = pc->special[i] ?
			 (const v64 *)pc->gap + KDIFF_WORDS * i : NULL;
	v64 *edge = (v64 *)st->rows;
	uint32_t r, need = 0;

	ham_start(x, bits, p->k);
	for (r = 0; r < p->m; r++) {
		v64 all;

		if (r)
			ham_shift(x, bits);
		add_row(x, bits, eq + (size_t)p->code[r] * KDIFF_WORDS, gap);
		memcpy(x->edge, edge, (bits + 1) * sizeof *edge);
		memcpy(edge, x->c[KDIFF_WORDS - 1], (bits + 1) * sizeof *edge);
		edge += bits + 1;
		/* this row's edge leads to row r + 1 of the next one */
		if (any8(~edge[-1] >> 63))
			need = r + 2;
		if (r % CHECK != CHECK - 1 || r + 1 < st->need)
			continue;
		all = x->c[0][bits] & x->c[1][bits] & x->c[2][bits] &
		      x->c[3][bits];
		if (!any8(~all)) {
			r++;
			break;
		}
	}
	st->need = need;
	return r;
}

void
KERN(kdiff_ham)(const struct kdiff_pat *p, struct kdiff_state *st,
		const struct kdiff_piece *pc, bool minima,
		struct kdiff_lane *out)
{
	size_t row = (p->bits + 1) * (size_t)VBYTES;
	struct count x;

	(void)minima;	/* the driver's work */
	for (unsigned i = 0; i < pc->n_sb; i++) {
		uint32_t r;

		switch (p->bits) {
		case 0: r = ham_rows(p, st, pc, i, &x, 0); break;
		case 1: r = ham_rows(p, st, pc, i, &x, 1); break;
		case 2: r = ham_rows(p, st, pc, i, &x, 2); break;
		case 3: r = ham_rows(p, st, pc, i, &x, 3); break;
		default: r = ham_rows(p, st, pc, i, &x, p->bits);
		}
		if (r == p->m)
			ham_report(p, &x, pc, i, out);
		/* edges below the exit: all over */
		if (r < st->deepest)
			memset((uint8_t *)st->rows + r * row, 0xff,
			       (st->deepest - r) * row);
		st->deepest = r;
	}
}

/*
 * Patterns whose first or last letters must match:
 * distances that keep the rule
 */

/* All ones where the bit c from the top is set. */
INLINE v64
bit(v64 x, unsigned c)
{
	return (v64)((s64)(x << c) >> 63);
}

struct column {
	v64 a, ac, g, gt;	/* eq of A, of A and C's difference, ... */
	v64 lo, hi, none, vp, vm, d;
};

/* As kdiff_index_kern.c, but D of the row above rises by 1 a letter. */
INLINE void
step(struct column *x, unsigned c)
{
	v64 l = bit(x->lo, c), h = bit(x->hi, c);
	v64 eq = pick(h, x->g ^ (l & x->gt), x->a ^ (l & x->ac)), d0, hp, hm;

	eq &= ~bit(x->none, c);
	d0 = xor_or((eq & x->vp) + x->vp, x->vp, eq) | x->vm;
	hp = x->vm | ~(d0 | x->vp);
	hm = d0 & x->vp;
	x->d += (hp >> 63) - (hm >> 63);
	hp = (hp + hp) | 1;
	x->vp = (hm + hm) | ~(d0 | hp);
	x->vm = hp & d0;
}

void
KERN(kdiff_cores)(struct kdiff_cores *o)
{
	v64 best = vset(KDIFF_NO_CORE), of = vset(0), head, c, t;
	struct column x;

	memcpy(&x.a, o->eq[0], VBYTES);
	memcpy(&c, o->eq[1], VBYTES);
	memcpy(&x.g, o->eq[2], VBYTES);
	memcpy(&t, o->eq[3], VBYTES);
	memcpy(&x.lo, o->lo, VBYTES);
	memcpy(&x.hi, o->hi, VBYTES);
	memcpy(&x.none, o->none, VBYTES);
	memcpy(&x.vp, o->rows, VBYTES);
	memcpy(&x.d, o->core, VBYTES);
	memcpy(&head, o->head, VBYTES);
	x.ac = x.a ^ c;
	x.gt = x.g ^ t;
	x.vm = vset(0);
	for (unsigned i = 0;; i++) {
		v64 d = x.d | ~bit(head, i), less = (v64)(d < best);

		best = pick(less, d, best);
		of = (of & ~less) | ((v64)(d == best) & vset(1ull << (63 - i)));
		if (i == o->cols)
			break;
		step(&x, i);
	}
	memcpy(o->best, &best, VBYTES);
	memcpy(o->of, &of, VBYTES);
}

/* Columns of patterns side by side. */

/* What a column's words hand on. */
struct hand {
	kdiff_lanes carry, up, down;
};

static inline void
word(const kdiff_lanes *eq, kdiff_lanes *p, kdiff_lanes *m, struct hand *h)
{
	kdiff_lanes e = *eq, pv = *p, mv = *m;
	kdiff_lanes a = e & pv, sum = a + pv + h->carry;
	kdiff_lanes d0 = (sum ^ pv) | e | mv;
	kdiff_lanes hp = mv | ~(d0 | pv), hm = d0 & pv;
	kdiff_lanes hs = hp << 1 | h->up, ms = hm << 1 | h->down;

	h->carry = (a | (pv & ~sum)) >> 63;	/* a is within pv */
	h->up = hp >> 63;
	h->down = hm >> 63;
	*p = ms | ~(d0 | hs);
	*m = hs & d0;
}

static inline bool
some_low(const kdiff_lanes *d, const kdiff_lanes *above)
{
	kdiff_lanes x = *d - *above;

	return (x[0] | x[1] | x[2] | x[3]) >> 63;
}

/* All in registers. */
static inline uint64_t
one_word(struct kdiff_side *s, const uint8_t *class, uint64_t n, bool stop)
{
	kdiff_lanes pv = *s->pv, mv = *s->mv, d = s->d, above = s->above;
	uint64_t v = 0;

	while (v < n) {
		struct hand h = { { 0 }, { 0 }, { 0 } };

		word(s->eq + class[v++], &pv, &mv, &h);
		d += h.up - h.down;
		if (stop && some_low(&d, &above))
			break;
	}
	*s->pv = pv;
	*s->mv = mv;
	s->d = d;
	return v;
}

uint64_t
KERN(kdiff_overhang)(struct kdiff_side *s, const uint8_t *class, uint64_t n,
		     bool stop)
{
	uint64_t v = 0;

	if (s->words == 1)
		return one_word(s, class, n, stop);
	while (v < n) {
		const kdiff_lanes *eq = s->eq + class[v++] * s->words;
		struct hand h = { { 0 }, { 0 }, { 0 } };

		for (size_t w = 0; w < s->words; w++)
			word(eq + w, s->pv + w, s->mv + w, &h);
		s->d += h.up - h.down;
		if (stop && some_low(&s->d, &s->above))
			break;
	}
	return v;
}

/*
 * Bytes of patterns' numbers that go into one register: wider vectors gcc
 * compares a number at a time.  (And two of 8 bytes gcc 12 compares wrongly for
 * aarch64: of "a < b & c < d" it leaves a 1, not all ones.)
 */
enum {
	PART = VBYTES < 16 ? 16 : VBYTES > 32 ? 32 : VBYTES,
	PARTS = KDIFF_SIDE * 8 / PART,
};
typedef int64_t signed_part __attribute__((vector_size(PART)));
typedef uint64_t part __attribute__((vector_size(PART)));

struct over {
	signed_part f, best;	/* F(m - l, n), and the least sum so far */
	part m, p;		/* the falls and rises below, from the top */
};

/* One more letter beyond the end. */
static inline void
one_over(struct over *x, int64_t cost, signed_part limit)
{
	signed_part sum, lower;

	x->f += (signed_part)(x->m >> 63);
	x->f += (signed_part)x->p >> 63;	/* 0 or -1 */
	x->m += x->m;
	x->p += x->p;
	sum = x->f + cost;
	lower = (x->f <= limit) & (sum < x->best);
	x->best = (sum & lower) | (x->best & ~lower);
}

void
KERN(kdiff_overhang_end)(const struct kdiff_side *s, kdiff_lanes *least)
{
	const part *m = (const part *)(s->mv + s->words);
	const part *p = (const part *)(s->pv + s->words);
	const part *d = (const part *)&s->d;
	const signed_part *limit = (const signed_part *)(s->limit + 1);
	struct over x[PARTS];

	for (int i = 0; i < PARTS; i++)
		x[i].f = x[i].best = (signed_part)d[i];
	for (uint64_t l = 1, end; l <= s->n_over;) {
		m -= PARTS;
		p -= PARTS;
		for (int i = 0; i < PARTS; i++) {
			x[i].m = m[i];
			x[i].p = p[i];
		}
		end = s->n_over - l < 64 ? s->n_over + 1 : l + 64;
		for (; l < end; l++, limit += PARTS)
#pragma GCC unroll 4
			for (int i = 0; i < PARTS; i++)
				one_over(&x[i], (int64_t)s->cost[l], limit[i]);
	}
	for (int i = 0; i < PARTS; i++)
		((part *)least)[i] = (part)x[i].best;
}
