/* SPDX-License-Identifier: MIT */
/*
 * kdiff_exact_kern.c - patterns whose first or last letters must match: where
 * the last ones stand, and distances that keep the rule
 */

#include "base/vec.h"
#include "kdiff/kdiff_kern.h"

#define INLINE static inline __attribute__((always_inline))

/*
 * Bit j of a plane moved to bit j + t, 0 < t < 64, with what comes in from the
 * word before.
 */
INLINE v64
up(v64 x, v64 before, unsigned t)
{
	return x << t | before >> (64 - t);
}

void
KERN(kdiff_tails)(const struct kdiff_piece *pc, const uint8_t *code,
		  unsigned n, uint64_t *own)
{
	const v64 *eq = (const v64 *)pc->eq, *had = (const v64 *)pc->own;
	v64 *to = (v64 *)own, before[KDIFF_TAIL];

	/* what stands before the piece may be anything */
	for (unsigned t = 0; t < n; t++)
		before[t] = vset(~0ull);
	for (unsigned i = 0; i < pc->n_sb; i++)
		for (unsigned w = 0; w < KDIFF_WORDS; w++, to++) {
			v64 in = had[i * KDIFF_WORDS + w];

			for (unsigned t = 0; t < n; t++) {
				v64 x = eq[((size_t)i * pc->n_sym + code[-(
				    ptrdiff_t)t]) * KDIFF_WORDS + w];

				in &= t ? up(x, before[t], t) : x;
				before[t] = x;
			}
			*to = in;
		}
}

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
