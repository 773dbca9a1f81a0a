/* SPDX-License-Identifier: MIT */
/* primer_vec.h - a column of many bit vectors side by side */
#ifndef SEQF_PRIMER_PRIMER_VEC_H
#define SEQF_PRIMER_PRIMER_VEC_H

#include "base/vec.h"

typedef uint16_t v16 __attribute__((vector_size(VBYTES)));
typedef uint32_t v32 __attribute__((vector_size(VBYTES)));
typedef int16_t s16 __attribute__((vector_size(VBYTES)));
typedef int32_t s32 __attribute__((vector_size(VBYTES)));

/* By lanes of so many bits, a constant. */
INLINE v64
vadd(int bits, v64 a, v64 b)
{
	return bits == 16 ? (v64)((v16)a + (v16)b) :
	       bits == 32 ? (v64)((v32)a + (v32)b) : a + b;
}

INLINE v64
vsub(int bits, v64 a, v64 b)
{
	return bits == 32 ? (v64)((v32)a - (v32)b) : a - b;
}

/* Of 16 or 32 bits, signed. */
INLINE v64
vmin(int bits, v64 a, v64 b)
{
#if defined(ISA_avx512)
	return bits == 16 ? (v64)_mm512_min_epi16((__m512i)a, (__m512i)b) :
			    (v64)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(ISA_avx2)
	return bits == 16 ? (v64)_mm256_min_epi16((__m256i)a, (__m256i)b) :
			    (v64)_mm256_min_epi32((__m256i)a, (__m256i)b);
#elif defined(ISA_neon)
	return bits == 16 ?
		(v64)vminq_s16((int16x8_t)a, (int16x8_t)b) :
		(v64)vminq_s32((int32x4_t)a, (int32x4_t)b);
#else
	return bits == 16 ? pick((v64)((s16)a < (s16)b), a, b) :
			    pick((v64)((s32)a < (s32)b), a, b);
#endif
}

INLINE v64
vload(const void *p)
{
	v64 x;

	memcpy(&x, p, VBYTES);
	return x;
}

INLINE void
vstore(void *p, v64 x)
{
	memcpy(p, &x, VBYTES);
}

INLINE v64
or3(v64 a, v64 b, v64 c)
{
#if defined(ISA_avx512)
	return (v64)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b,
					      (__m512i)c, 0xfe);
#else
	return a | b | c;
#endif
}

/* Bit i: letter i of 64 is c. */
INLINE uint64_t
equal64(const uint8_t *s, uint8_t c)
{
	uint64_t x = 0;

#if defined(ISA_neon)
	vec v[4];

	for (int i = 0; i < 4; i++)
		v[i] = vceqq_u8(vld1q_u8(s + 16 * i), vdupq_n_u8(c));
	return neon_mask64(v[0], v[1], v[2], v[3]);
#endif
	for (int i = 0; i < 64 / VBYTES; i++)
		x |= (zero8(vload(s + VBYTES * i) ^
			    vset(0x0101010101010101u * c)) &
		      (~0ull >> (64 - VBYTES))) << (VBYTES * i % 64);
	return x;
}

struct column {
	v64 p, m;	/* rows where D rises, falls from the one above */
	v64 hp, hm;	/* where it rose, fell from the column before */
};

/*
 * Myers' figure 3, with D = 0 above the first row, which is why nothing is
 * shifted in.  Where D falls it does not rise: m and p have no bit in common,
 * so that eq | m serves wherever eq does.
 */
INLINE void
advance(int bits, struct column *c, v64 eq)
{
	v64 e = eq | c->m;
	v64 d0 = xor_or(vadd(bits, e & c->p, c->p), c->p, e);
	v64 hp = or_nor(c->m, d0, c->p);
	v64 hm = d0 & c->p;
	v64 x = vadd(bits, hp, hp);

	c->p = or_nor(vadd(bits, hm, hm), d0, x);
	c->m = x & d0;
	c->hp = hp;
	c->hm = hm;
}

#endif
