/* SPDX-License-Identifier: MIT */
/*
 * primer_cores_kern.c - where cores of letters occur, many at once
 *
 * A lane is a core, so that a letter of text is one row of a table for all of
 * them.  The test comes at every second column.  Let the path of an occurrence
 * with fewer than k differences enter row R - 1 at column p, with cost c < k.
 * If p is tested, D(R - 1, p) < k is seen.  Else p + 1 is.  The path goes on
 * 	to (R, p + 1): D(R, p + 1) < k is seen;
 * 	to (R - 1, p + 1): D(R - 1, p + 1) < k is seen;
 * 	to (R, p), one difference more: so c + 1 < k, and D(R - 1, p + 1), which
 * 	is at most c + 1, whatever the letter, is seen.
 * So the lesser of the last two rows will do, at every second column; behind
 * the last letter a symbol that matches nothing makes their number even.  With
 * three rows at every third column this fails: a letter deleted, then one that
 * matches, is out of the last row before the test.
 */

#include "primer/primer_short.h"
#include "primer/primer_vec.h"

#if defined(ISA_avx512)
/*
 * The lesser of the last two rows: D of row R - 1, rises minus falls, with the
 * last row's fall, if it is one, and without its rise.
 */
INLINE v64
pair(int bits, struct column *c, v64 *d, v64 eq0, v64 eq1)
{
	__m512i upper = bits == 16 ? _mm512_set1_epi16(0x7fff) :
				     _mm512_set1_epi32(0x7fffffff);
	__m512i up, down;

	(void)d;
	advance(bits, c, eq0);
	advance(bits, c, eq1);
	up = _mm512_and_si512((__m512i)c->p, upper);
	down = (__m512i)c->m;
	if (bits == 16)
		return (v64)_mm512_sub_epi16(_mm512_popcnt_epi16(up),
					     _mm512_popcnt_epi16(down));
	return (v64)_mm512_sub_epi32(_mm512_popcnt_epi32(up),
				     _mm512_popcnt_epi32(down));
}

INLINE uint64_t
below(int bits, v64 a, v64 k)
{
	return bits == 16 ? _mm512_cmplt_epi16_mask((__m512i)a, (__m512i)k) :
			    _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)k);
}

#else
/* D of the last row after a column, kept up from what changes it. */
INLINE v64
last_row(int bits, const struct column *c, v64 d)
{
	if (bits == 16)
		return (v64)((s16)d - ((s16)c->hp >> 15) +
			     ((s16)c->hm >> 15));
	return (v64)((s32)d - ((s32)c->hp >> 31) + ((s32)c->hm >> 31));
}

INLINE v64
pair(int bits, struct column *c, v64 *d, v64 eq0, v64 eq1)
{
	v64 was;

	advance(bits, c, eq0);
	was = last_row(bits, c, *d);
	advance(bits, c, eq1);
	*d = last_row(bits, c, was);
	return vmin(bits, was, *d);
}

INLINE uint64_t
below(int bits, v64 a, v64 k)
{
	v64 lt = bits == 16 ? (v64)((s16)a < (s16)k) : (v64)((s32)a < (s32)k);

#if defined(ISA_avx2)
	return _pext_u32((uint32_t)_mm256_movemask_epi8((__m256i)lt),
			 bits == 16 ? 0x55555555 : 0x11111111);
#elif defined(ISA_neon)
	if (bits == 32)
		return neon_mask32((uint32x4_t)lt);
	/* bit 8 l to bit 56 + l */
	lt[0] = vget_lane_u64((uint64x1_t)vmovn_u16((uint16x8_t)lt), 0);
	return (lt[0] & 0x0101010101010101) * 0x0102040810204080 >> 56;
#else
	lt[0] = le64(lt[0]);	/* the first lane's bits are the lowest */
	if (bits == 32)
		return (lt[0] & 1) | (lt[0] >> 32 & 1) << 1;
	/* bit 16 l to bit 48 + l; no two products meet */
	return (lt[0] & 0x0001000100010001) * 0x0001000200040008 >> 48 & 15;
#endif
}
#endif

INLINE void
scan(struct primer_cores *c, const int bits, const unsigned nv)
{
	const unsigned lanes = 8 * VBYTES / (unsigned)bits;
	const v64 k = bits == 16 ? (v64)((v16){ 0 } + (uint16_t)c->k) :
				   (v64)((v32){ 0 } + (uint32_t)c->k);
	struct column x[4];
	v64 d[4], now[4], min;
	uint64_t at = c->at;

#pragma GCC unroll 4
	for (unsigned v = 0; v < nv; v++) {
		x[v].p = vload(c->p + VBYTES * v);
		x[v].m = vload(c->m + VBYTES * v);
		d[v] = vload(c->d + VBYTES * v);
	}
	for (; at < c->n && c->n_hits < PRIMER_HITS; at += 2) {
		const uint8_t *eq0 = c->eq[c->text[at]];
		const uint8_t *eq1 = c->eq[at + 1 < c->n ? c->text[at + 1] : 0];

#pragma GCC unroll 4
		for (unsigned v = 0; v < nv; v++) {
			now[v] = pair(bits, &x[v], &d[v],
				      vload(eq0 + VBYTES * v),
				      vload(eq1 + VBYTES * v));
			min = v ? vmin(bits, min, now[v]) : now[v];
		}
		if (__builtin_expect(below(bits, min, k) != 0, 0)) {
			struct primer_core_hit *h = &c->hit[c->n_hits++];

			*h = (struct primer_core_hit){ .at = at + 2 };
#pragma GCC unroll 4
			for (unsigned v = 0; v < nv; v++)
				h->mask[lanes * v / 64] |=
					below(bits, now[v], k) <<
					lanes * v % 64;
		}
	}
	c->at = at;
#pragma GCC unroll 4
	for (unsigned v = 0; v < nv; v++) {
		vstore(c->p + VBYTES * v, x[v].p);
		vstore(c->m + VBYTES * v, x[v].m);
		vstore(c->d + VBYTES * v, d[v]);
	}
}

INLINE void
scan_vectors(struct primer_cores *c, const int bits)
{
	switch (c->n_vectors) {
	case 1: scan(c, bits, 1); break;
	case 2: scan(c, bits, 2); break;
	case 3: scan(c, bits, 3); break;
	default: scan(c, bits, 4);
	}
}

void
KERN(primer_cores)(struct primer_cores *c)
{
	if (c->bits == 16)
		scan_vectors(c, 16);
	else
		scan_vectors(c, 32);
}
