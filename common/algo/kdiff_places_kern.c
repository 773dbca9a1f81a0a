/* SPDX-License-Identifier: MIT */
/*
 * kdiff_places_kern.c - edit distance at a place of each lane
 * Source: Myers, J. ACM 46(3), 1999, figure 3: bits along the pattern.
 *
 * Rows below the pattern's first letter match always, which keeps D = 0 there,
 * as above the first row of a search; the score is followed at the top bit.
 */
#include "algo/kdiff_kern.h"
#include "algo/kdiff_vec.h"

#define INLINE static inline __attribute__((always_inline))

struct column {
	v64 a, ac, g, gt;	/* eq of A, of A and C's difference, ... */
	v64 pad, lo, hi, none, vp, vm;
};

/* All ones where the lowest bit of x >> c is set. */
INLINE v64
bit(v64 x, unsigned c)
{
	return (v64)((s64)(x << (63 - c)) >> 63);
}

/* Returns the top bits of rises and falls: the score's. */
INLINE v64
step(struct column *x, unsigned c, const bool none, v64 *falls)
{
	v64 l = bit(x->lo, c), h = bit(x->hi, c);
	v64 eq = pick(h, x->g ^ (l & x->gt), x->a ^ (l & x->ac)), d0, hp, hm;

	if (none)
		eq &= ~bit(x->none, c);
	eq |= x->pad;
	d0 = xor_or((eq & x->vp) + x->vp, x->vp, eq) | x->vm;
	hp = x->vm | ~(d0 | x->vp);
	hm = d0 & x->vp;
	*falls = hm;
	x->vp = (hm + hm) | ~(d0 | (hp + hp));
	x->vm = (hp + hp) & d0;
	return hp;
}

INLINE v64
score(const struct column *x)
{
	uint64_t p[LANES], m[LANES], d[LANES];
	v64 r;

	memcpy(p, &x->vp, VBYTES);
	memcpy(m, &x->vm, VBYTES);
	for (int l = 0; l < LANES; l++)
		d[l] = (uint64_t)__builtin_popcountll(p[l]) -
		       (uint64_t)__builtin_popcountll(m[l]);
	memcpy(&r, d, VBYTES);
	return r;
}

INLINE unsigned
run(struct kdiff_places *o, struct column *x, const bool none)
{
	v64 k, d, fall, le = vset(0);
	uint64_t out[LANES];
	unsigned c, any = 0;

	memcpy(&k, o->k, VBYTES);
	for (c = 0; c + o->tail < o->cols; c++)
		step(x, c, none, &fall);
	d = score(x);
	for (unsigned i = 0; c < o->cols; c++, i++) {
		v64 rise = step(x, c, none, &fall);

		d += (rise >> 63) - (fall >> 63);
		memcpy(o->dist[i], &d, VBYTES);
		le |= (v64)(d <= k);
	}
	memcpy(out, &le, VBYTES);
	for (int l = 0; l < LANES; l++)
		any |= (unsigned)(out[l] & 1) << l;
	return any;
}

unsigned
KERN(kdiff_places)(struct kdiff_places *o)
{
	struct column x;
	v64 c, t;

	memcpy(&x.a, o->eq[0], VBYTES);
	memcpy(&c, o->eq[1], VBYTES);
	memcpy(&x.g, o->eq[2], VBYTES);
	memcpy(&t, o->eq[3], VBYTES);
	memcpy(&x.pad, o->pad, VBYTES);
	memcpy(&x.lo, o->lo, VBYTES);
	memcpy(&x.hi, o->hi, VBYTES);
	memcpy(&x.none, o->none, VBYTES);
	x.ac = x.a ^ c;
	x.gt = x.g ^ t;
	x.vp = ~x.pad;
	x.vm = vset(0);
	return o->any_none ? run(o, &x, true) : run(o, &x, false);
}
