/* SPDX-License-Identifier: MIT */
/* kdiff_overhang_kern.c - columns of patterns side by side */

#include "base/simd.h"
#include "kdiff/kdiff_kern.h"

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

typedef int64_t signed_lanes __attribute__((vector_size(KDIFF_SIDE * 8)));

void
KERN(kdiff_overhang_end)(const struct kdiff_side *s, kdiff_lanes *least)
{
	signed_lanes f = (signed_lanes)s->d, best = f;
	size_t row = s->words * 64;

	for (uint64_t l = 1; l <= s->n_over; l++) {
		size_t w = --row / 64;
		signed_lanes sum, lower;

		f += (signed_lanes)((s->mv[w] >> row % 64 & 1) -
				    (s->pv[w] >> row % 64 & 1));
		sum = f + (int64_t)s->cost[l];
		lower = (f <= (signed_lanes)s->limit[l]) & (sum < best);
		best = (sum & lower) | (best & ~lower);
	}
	*least = (kdiff_lanes)best;
}
