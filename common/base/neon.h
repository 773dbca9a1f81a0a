/* SPDX-License-Identifier: MIT */
/*
 * neon.h - NEON by the names of AVX2's operations; for simd.h only
 *
 * neon_NAME() does what _mm256_NAME() does, in 128 bits and for the arguments
 * that kernels have: a table is looked up by bytes below 16, or from 128 on for
 * 0.  So one source serves both, where it says V(NAME).
 */
#ifndef SEQF_BASE_NEON_H
#define SEQF_BASE_NEON_H

#include <arm_neon.h>
#include <stdint.h>

typedef uint8x16_t neon;

#define NEON_S8(x) vreinterpretq_s8_u8(x)
#define NEON_S16(x) vreinterpretq_s16_u8(x)
#define NEON_S32(x) vreinterpretq_s32_u8(x)
#define NEON_U16(x) vreinterpretq_u16_u8(x)
#define NEON_U64(x) vreinterpretq_u64_u8(x)
#define NEON_FROM(type, x) vreinterpretq_u8_##type(x)

/* name(a, b) by an operation on vectors of a type */
#define NEON_2(name, op, type, as)					\
static inline neon							\
neon_##name(neon a, neon b)						\
{									\
	return NEON_FROM(type, op##_##type(as(a), as(b)));		\
}
#define NEON_U8(x) (x)
#define vreinterpretq_u8_u8(x) (x)
NEON_2(add_epi8, vaddq, u8, NEON_U8)
NEON_2(sub_epi8, vsubq, u8, NEON_U8)
NEON_2(subs_epu8, vqsubq, u8, NEON_U8)
NEON_2(max_epu8, vmaxq, u8, NEON_U8)
NEON_2(min_epu8, vminq, u8, NEON_U8)
NEON_2(cmpeq_epi8, vceqq, u8, NEON_U8)
NEON_2(unpacklo_epi8, vzip1q, u8, NEON_U8)
NEON_2(unpackhi_epi8, vzip2q, u8, NEON_U8)
NEON_2(shuffle_epi8, vqtbl1q, u8, NEON_U8)
NEON_2(and, vandq, u8, NEON_U8)
NEON_2(or, vorrq, u8, NEON_U8)
NEON_2(xor, veorq, u8, NEON_U8)
NEON_2(add_epi16, vaddq, u16, NEON_U16)
NEON_2(sub_epi16, vsubq, u16, NEON_U16)
NEON_2(subs_epu16, vqsubq, u16, NEON_U16)
NEON_2(max_epi16, vmaxq, s16, NEON_S16)
NEON_2(min_epi16, vminq, s16, NEON_S16)
NEON_2(cmpeq_epi16, vceqq, u16, NEON_U16)
NEON_2(max_epi32, vmaxq, s32, NEON_S32)
NEON_2(min_epi32, vminq, s32, NEON_S32)
#undef NEON_2
#undef NEON_U8
#undef vreinterpretq_u8_u8

static inline neon
neon_andnot(neon a, neon b)	/* ~a & b */
{
	return vbicq_u8(b, a);
}

static inline neon
neon_cmpgt_epi16(neon a, neon b)
{
	return NEON_FROM(u16, vcgtq_s16(NEON_S16(a), NEON_S16(b)));
}

static inline neon
neon_packus_epi16(neon a, neon b)
{
	return vqmovun_high_s16(vqmovun_s16(NEON_S16(a)), NEON_S16(b));
}

static inline neon
neon_abs_epi16(neon a)
{
	return NEON_FROM(s16, vabsq_s16(NEON_S16(a)));
}

/* n is a constant */
#define neon_slli_epi16(a, n) NEON_FROM(u16, vshlq_n_u16(NEON_U16(a), n))
#define neon_srai_epi16(a, n) NEON_FROM(s16, vshrq_n_s16(NEON_S16(a), n))

static inline neon
neon_set1_epi8(char x)
{
	return vdupq_n_u8((uint8_t)x);
}

static inline neon
neon_set1_epi16(short x)
{
	return NEON_FROM(s16, vdupq_n_s16(x));
}

static inline neon
neon_loadu(const void *p)
{
	return vld1q_u8(p);
}

static inline void
neon_storeu(void *p, neon x)
{
	vst1q_u8(p, x);
}

/* Four bytes at p, of 32 bits each. */
static inline uint32x4_t
neon_widen4(const void *p)
{
	uint32_t x;

	__builtin_memcpy(&x, p, sizeof x);
	return vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(x))));
}

/* The four words p[i]: one by one, as NEON gathers none. */
static inline uint32x4_t
neon_gather32(const uint32_t *p, uint32x4_t i)
{
	uint64x2_t at = vreinterpretq_u64_u32(i);	/* two by two */
	uint64_t a = vgetq_lane_u64(at, 0), b = vgetq_lane_u64(at, 1);

	return vcombine_u32(vzip1_u32(vcreate_u32(p[(uint32_t)a]),
				      vcreate_u32(p[a >> 32])),
			    vzip1_u32(vcreate_u32(p[(uint32_t)b]),
				      vcreate_u32(p[b >> 32])));
}

/* Of each 32 bits of a word the one that x says modulo 32 to the top. */
static inline uint32x4_t
neon_bit_to_top(uint32x4_t word, uint32x4_t x)
{
	x = vbicq_u32(vdupq_n_u32(31), x);
	return vshlq_u32(word, vreinterpretq_s32_u32(x));
}

static inline bool
neon_any(neon x)	/* is any bit set? */
{
	return vmaxvq_u32(vreinterpretq_u32_u8(x)) != 0;
}

/* Bit i of each half as byte i of it: all ones, or 0. */
static inline neon
neon_spread_halves(neon x)
{
	return vtstq_u8(x, NEON_FROM(u64, vdupq_n_u64(0x8040201008040201)));
}

/* Bits 16 part to 16 part + 15 of x as bytes: all ones, or 0. */
static inline neon
neon_spread(uint64_t x, unsigned part)
{
	const neon at = NEON_FROM(u64, vcombine_u64(
	    vcreate_u64(0), vcreate_u64(0x0101010101010101)));

	return neon_spread_halves(vqtbl1q_u8(
	    NEON_FROM(u64, vdupq_n_u64(x)),
	    vaddq_u8(at, vdupq_n_u8((uint8_t)(2 * part)))));
}

/* Of bytes that are all ones or 0, a bit each. */
static inline neon
neon_own_bits(neon x)
{
	return vandq_u8(x, NEON_FROM(u64, vdupq_n_u64(0x8040201008040201)));
}

static inline unsigned
neon_mask8(neon x)
{
	x = neon_own_bits(x);
	x = vpaddq_u8(x, x);
	x = vpaddq_u8(x, x);
	x = vpaddq_u8(x, x);
	return vgetq_lane_u16(NEON_U16(x), 0);
}

static inline uint64_t
neon_mask64(neon a, neon b, neon c, neon d)
{
	a = vpaddq_u8(neon_own_bits(a), neon_own_bits(b));
	c = vpaddq_u8(neon_own_bits(c), neon_own_bits(d));
	a = vpaddq_u8(a, c);
	return vgetq_lane_u64(NEON_U64(vpaddq_u8(a, a)), 0);
}

/* Likewise, four bits each. */
static inline uint64_t
neon_nibbles(neon x)
{
	return (uint64_t)vshrn_n_u16(NEON_U16(x), 4);
}

/* The top bit of each of eight bytes. */
static inline unsigned
neon_tops8(uint8x8_t x)
{
	x = vcltz_s8(vreinterpret_s8_u8(x));
	return vaddv_u8(vand_u8(x, vcreate_u8(0x8040201008040201)));
}

/* Of 32 bits that are all ones or 0, a bit each. */
static inline unsigned
neon_mask32(uint32x4_t x)
{
	const uint32x4_t bit = { 1, 2, 4, 8 };

	return vaddvq_u32(vandq_u32(x, bit));
}

#endif
