/* SPDX-License-Identifier: MIT */
/*
 * kdiff_exact_kern.c - patterns whose first or last letters must match:
 * distances that keep the rule
 */

#include "base/vec.h"
#include "kdiff/kdiff_kern.h"

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
