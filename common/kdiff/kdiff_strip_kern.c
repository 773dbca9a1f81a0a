/* SPDX-License-Identifier: MIT */
/*
 * kdiff_strip_kern.c - edit distance along a strip of diagonals
 *
 * The rows of kdiff_kern.c, in a frame of some words that follows the strip:
 * after 64 words - width rows it moves as many columns to the right.  The
 * left edge rises by 1 a row, and so do the columns that come in: D(r, c + 1)
 * and D(r + 1, c) are at most D(r, c) + 1, so no value is below the true one.
 */

#include "base/vec.h"
#include "kdiff/kdiff_strip.h"

enum { UNROLLED = 3 };

/* Rows from .. to-1 of a frame of `words` words. */
INLINE void
strip_rows(const struct kdiff_strip *x, const unsigned words, v64 *vp, v64 *vm,
	   uint32_t from, uint32_t to)
{
	const v64 *frame = (const v64 *)x->frame;

	for (uint32_t r = from; r < to; r++) {
		const v64 *eq = frame + (size_t)x->code[r] * words;
		v64 gl = vset(0), ml = vset(0);

#pragma GCC unroll 4
		for (unsigned w = 0; w < words; w++) {
			v64 e = eq[w], p = vp[w], n = vm[w];
			v64 xh = e | (ml >> 63);
			v64 d = xor_or((xh & p) + p, p, xh);
			v64 g = andn_or(n, d, p), m = d & p;
			v64 gs = shl1(g, gl), ms = shl1(m, ml);
			v64 d0 = e | n;

			vp[w] = or_andn(ms, d0, gs);
			vm[w] = ~gs & d0;
			gl = g;
			ml = m;
		}
	}
}

/* to[s * step]: where letters with these low and high bits match symbol s. */
INLINE void
put_symbols(const uint8_t *sym, unsigned n_sym, v64 lo, v64 hi, v64 *to,
	    size_t step)
{
	const v64 one[4] = { ~(lo | hi), lo & ~hi, hi & ~lo, lo & hi };

	for (unsigned s = 0; s < n_sym; s++) {
		unsigned set = sym[s];
		v64 e = one[__builtin_ctz(set)];

		for (set &= set - 1; set; set &= set - 1)
			e |= one[__builtin_ctz(set)];
		to[s * step] = e;
	}
}

/* The frame's letters as the text has them. */
INLINE void
read_words(const struct kdiff_strip *x, const unsigned words)
{
	const uint64_t *p[LANES];
	v64 w[4] = { { 0 } }, next[4], at;

	for (int l = 0; l < LANES; l++)
		p[l] = x->planes + (x->first[l] + x->at) / 64 * 2;
	memcpy(&at, x->first, VBYTES);
	at = (at + x->at) & 63;
	transpose4(p, next);	/* lo, hi of two words */
	for (unsigned i = 0; i < words; i++) {
		v64 lo, hi;

		if (i % 2 == 0) {
			memcpy(w, next, sizeof w);
			for (int l = 0; l < LANES; l++)
				p[l] += 4;
			if (i + 1 < words)
				transpose4(p, next);
			lo = w[0] >> at | w[2] << 1 << (63 - at);
			hi = w[1] >> at | w[3] << 1 << (63 - at);
		} else {
			lo = w[2] >> at | next[0] << 1 << (63 - at);
			hi = w[3] >> at | next[1] << 1 << (63 - at);
		}
		put_symbols(x->sym, x->n_sym, lo, hi, (v64 *)x->frame + i,
			    words);
	}
}

/* Which letters from column x->at on match, of each symbol. */
INLINE void
set_frame(const struct kdiff_strip *x, const unsigned words)
{
	unsigned b = x->at % 64;

	if (!x->eq) {
		read_words(x, words);
		return;
	}
	for (unsigned s = 0; s < x->n_sym; s++) {
		const v64 *eq = (const v64 *)x->eq +
				(size_t)s * x->eq_words + x->at / 64;
		v64 *to = (v64 *)x->frame + (size_t)s * words;

		for (unsigned w = 0; w < words; w++)
			to[w] = eq[w] >> b | eq[w + 1] << 1 << (63 - b);
	}
}

/* D at the end of a word less D before it: -64 to 64. */
INLINE v64
rise_of(v64 vp, v64 vm)
{
	v64 d = sub8(pop8(vp), pop8(vm));

	d = add8(d, d << 8);
	d = add8(d, d << 16);
	d = add8(d, d << 32);
	return top8(d);
}

/* Leave the first n columns: what D rises along them. */
INLINE v64
move_frame(const unsigned words, v64 *vp, v64 *vm, unsigned n)
{
	unsigned by = n / 64, b = n % 64;
	uint64_t low = (1ull << b) - 1;
	v64 rise = vset(0);

	if (b)
		rise = rise_of(vp[by] & low, vm[by] & low);
	for (unsigned w = 0; w < by; w++)
		rise += rise_of(vp[w], vm[w]);
	for (unsigned w = 0; w < words; w++) {
		unsigned i = w + by;
		v64 p0 = i < words ? vp[i] : vset(~0ull);
		v64 p1 = i + 1 < words ? vp[i + 1] : vset(~0ull);
		v64 m0 = i < words ? vm[i] : vset(0);
		v64 m1 = i + 1 < words ? vm[i + 1] : vset(0);

		vp[w] = p0 >> b | p1 << 1 << (63 - b);
		vm[w] = m0 >> b | m1 << 1 << (63 - b);
	}
	return rise;
}

INLINE void
strip(struct kdiff_strip *x, const unsigned words, v64 *vp, v64 *vm)
{
	v64 left = vset(0), *to = (v64 *)x->left;
	uint32_t rows = 0;

	for (unsigned w = 0; w < words; w++)
		vp[w] = vm[w] = vset(0);
	for (x->at = 0; x->at < x->m; x->at += rows) {
		if (x->at)
			left += move_frame(words, vp, vm, rows);
		rows = 64 * words - x->width;	/* does D rise behind? */
		if (rows > x->m - x->at)
			rows = x->m - x->at;
		set_frame(x, words);
		strip_rows(x, words, vp, vm, x->at, x->at + rows);
		left += rows;
	}
	x->at -= rows;
	for (unsigned w = 0; w < words; w++) {
		to[w] = left;
		left += rise_of(vp[w], vm[w]);
		((v64 *)x->vp)[w] = vp[w];
		((v64 *)x->vm)[w] = vm[w];
	}
}

/* Which of 64 letters from x->moved on match in vector g, of each symbol. */
INLINE void
read_frame(const struct kdiff_deep *x, int g, v64 *frame)
{
	const uint64_t *p[LANES], *first = x->at + g * LANES;
	v64 w[4], at, lo, hi;

	memcpy(&at, first, VBYTES);
	at = (at + x->moved) & 63;
	for (int l = 0; l < LANES; l++)
		p[l] = x->planes + (first[l] + x->moved) / 64 * 2;
	transpose4(p, w);
	lo = w[0] >> at | w[2] << 1 << (63 - at);
	hi = w[1] >> at | w[3] << 1 << (63 - at);
	put_symbols(x->sym, x->n_sym, lo, hi, frame, KDIFF_DEEP);
}

/* Rows from .. to-1: one word, before which D rises down all rows. */
INLINE void
deep_rows(const uint8_t *code, const v64 *frame, v64 *vp, v64 *vm,
	  uint32_t from, uint32_t to)
{
	for (uint32_t r = from; r < to; r++) {
		const v64 *eq = frame + (size_t)code[r] * KDIFF_DEEP;

#pragma GCC unroll 2
		for (int g = 0; g < KDIFF_DEEP; g++) {
			v64 e = eq[g], p = vp[g], n = vm[g];
			v64 d = xor_or((e & p) + p, p, e), up = d & p;
			v64 d0 = e | n, rise = andn_or(n, d, p);

			rise += rise;
			vp[g] = or_andn(up + up, d0, rise);
			vm[g] = ~rise & d0;
		}
	}
}

void
KERN(kdiff_deepen)(struct kdiff_deep *x)
{
	v64 frame[16 * KDIFF_DEEP], vp[KDIFF_DEEP], vm[KDIFF_DEEP];
	v64 left[KDIFF_DEEP];
	uint32_t rows = 0;

	memcpy(vp, x->vp, sizeof vp);
	memcpy(vm, x->vm, sizeof vm);
	left[0] = left[1] = vset(x->p->k + 1);
	x->moved = 0;
	for (uint32_t row = x->row; row < x->p->m; row += rows) {
		x->moved += rows;
		for (int g = 0; g < KDIFF_DEEP; g++) {
			if (rows)
				left[g] += move_frame(1, &vp[g], &vm[g], rows);
			read_frame(x, g, frame + g);
		}
		rows = 63 - x->width;	/* one more column: does D rise? */
		if (rows > x->p->m - row)
			rows = x->p->m - row;
		deep_rows(x->p->code, frame, vp, vm, row, row + rows);
		left[0] += rows;
		left[1] += rows;
	}
	memcpy(x->vp, vp, sizeof vp);
	memcpy(x->vm, vm, sizeof vm);
	memcpy(x->left, left, sizeof left);
}

void
KERN(kdiff_strip)(struct kdiff_strip *x)
{
	v64 vp[UNROLLED], vm[UNROLLED];

	switch (x->words) {
	case 1:
		strip(x, 1, vp, vm);
		break;
	case 2:
		strip(x, 2, vp, vm);
		break;
	case 3:
		strip(x, 3, vp, vm);
		break;
	default:
		strip(x, x->words, (v64 *)x->vp, (v64 *)x->vm);
	}
}
