/* SPDX-License-Identifier: MIT */
/* primer_near_kern.c - kernel that verifies the letters beside found pieces */

#include "primer/primer_short.h"
#include "primer/primer_vec.h"

enum { TESTS = VBYTES / 2 };

/* All ones where bit i of a lane is set. */
INLINE v64
spread(v64 x, unsigned i)
{
	return (v64)((s16)((v16)x << (15 - i)) >> 15);
}

/* D of the last row, from that of the row above the first, 0. */
INLINE v64
last_row(v64 p, v64 m)
{
#if defined(ISA_avx512)
	return (v64)_mm512_sub_epi16(_mm512_popcnt_epi16((__m512i)p),
				     _mm512_popcnt_epi16((__m512i)m));
#elif defined(ISA_neon)
	return (v64)vsubq_u16(vpaddlq_u8(vcntq_u8((vec)p)),
			      vpaddlq_u8(vcntq_u8((vec)m)));
#else
	v16 n[2] = { (v16)p, (v16)m };

	for (int i = 0; i < 2; i++) {
		n[i] -= n[i] >> 1 & 0x5555;
		n[i] = (n[i] & 0x3333) + (n[i] >> 2 & 0x3333);
		n[i] = (n[i] + (n[i] >> 4)) & 0x0f0f;
		n[i] = (n[i] + (n[i] >> 8)) & 0x1f;
	}
	return (v64)(n[0] - n[1]);
#endif
}

/* TESTS of side h, from the first on: all ones where one passes. */
INLINE v64
side(const struct primer_near *x, const int h, unsigned first)
{
	v64 a = vload(&x->bit[h][0][first]), b = vload(&x->bit[h][1][first]);
	v64 t = vload(&x->text[h][0][first]), u = vload(&x->text[h][1][first]);
	v64 w = vload(&x->wild[h][first]);
	v64 d = vset(0x7fff7fff7fff7fff);
	struct column c = { .p = ~w, .m = vset(0) };

#pragma GCC unroll 16
	for (unsigned i = 0; i < 16; i++) {
		unsigned at = h ? 15 - i : i;

		advance(16, &c, or_nor(w, a ^ spread(t, at),
				       b ^ spread(u, at)));
		if (i >= 13)
			d = vmin(16, d, last_row(c.p, c.m));
	}
	return (v64)((s16)d <= (s16)vload(&x->most[h][first]));
}

uint64_t
KERN(primer_near)(const struct primer_near *x)
{
	uint64_t pass = 0;

	for (unsigned first = 0; first < x->n; first += TESTS) {
		v64 some = side(x, 0, first) | side(x, 1, first);
		int16_t of[TESTS];

		if (!any8(some))
			continue;
		vstore(of, some);
		for (unsigned i = 0; i < TESTS; i++)
			pass |= (uint64_t)(of[i] & 1) << (first + i);
	}
	return pass;
}
