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
