/* SPDX-License-Identifier: MIT */
/* kdiff_trace_kern.c - columns of several hits, bits along the pattern */
#include "algo/kdiff_kern.h"
#include "algo/kdiff_vec.h"

#define INLINE static inline __attribute__((always_inline))

/* table[class] for the class of every lane */
INLINE v64
look_up(const uint64_t table[16], const uint8_t *class)
{
#if defined(ISA_avx512)
	__m512i c = _mm512_cvtepu8_epi64(
	    _mm_loadl_epi64((const void *)class));

	return (v64)_mm512_permutex2var_epi64(_mm512_loadu_si512(table), c,
					      _mm512_loadu_si512(table + 8));
#else
	uint64_t e[LANES];
	v64 r;

	for (int l = 0; l < LANES; l++)
		e[l] = table[class[l]];
	memcpy(&r, e, VBYTES);
	return r;
#endif
}

/* As column() of kdiff_trace.c, a hit a lane. */
INLINE void
columns(const uint64_t *eq, const unsigned words, const uint8_t *letters,
	uint64_t cols, v64 *cell)
{
	uint64_t table[KDIFF_LANE_WORDS][16];
	v64 pv[KDIFF_LANE_WORDS], mv[KDIFF_LANE_WORDS];

	for (unsigned w = 0; w < words; w++) {
		for (unsigned c = 0; c < 16; c++)
			table[w][c] = eq[c * words + w];
		pv[w] = vset(~0ull);
		mv[w] = vset(0);
	}
	for (; cols; cols--, letters += LANES) {
		v64 carry = vset(0), hin = carry, min = carry;

#pragma GCC unroll 4
		for (unsigned w = 0; w < words; w++, cell += KDIFF_LANE_CELL) {
			v64 e = look_up(table[w], letters);
			v64 a = e & pv[w], s = a + pv[w], s2 = s + carry;
			v64 d0 = xor_or(s2, pv[w], e) | mv[w];
			v64 hp = mv[w] | ~(d0 | pv[w]), hm = d0 & pv[w];
			v64 hs = shl1(hp, hin), ms = shl1(hm, min);

			carry = ((v64)(s < a) | (v64)(s2 < s)) & 1;
			hin = hp;
			min = hm;
			cell[0] = e | ~d0;
			cell[1] = hp;
			cell[2] = e;
			pv[w] = ms | ~(d0 | hs);
			mv[w] = hs & d0;
		}
	}
}

void
KERN(kdiff_columns)(const uint64_t *eq, unsigned words, const uint8_t *letters,
		    uint64_t cols, uint64_t *cells)
{
	v64 *cell = (v64 *)cells;

	switch (words) {
	case 1: columns(eq, 1, letters, cols, cell); break;
	case 2: columns(eq, 2, letters, cols, cell); break;
	case 3: columns(eq, 3, letters, cols, cell); break;
	default: columns(eq, 4, letters, cols, cell);
	}
}
