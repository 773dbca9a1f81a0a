/* SPDX-License-Identifier: MIT */
/*
 * kdiff_ham_kern.c - mismatches over windows of m letters, counters in planes
 *
 * Row r, column c: the mismatches of the first r + 1 pattern letters with the
 * text letters that end at c, from row r - 1, column c - 1.  A counter has
 * `bits` planes and starts at 2^bits - 1 - k, so that its carry out, kept in
 * one more plane, means more than k.  A gap letter sets that plane: no window
 * leaves its segment.  Before the text every column is over.
 */

#include "base/vec.h"
#include "kdiff/kdiff_kern.h"

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
