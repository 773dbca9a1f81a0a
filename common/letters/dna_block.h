/* SPDX-License-Identifier: MIT */
/*
 * dna_block.h - whole blocks of letters; for dna_kern.c only
 *
 * Each variant has
 * 	classify(s)		the masks of 64 letters
 * 	strange(s)		which of 64 bytes dna_ops.valid refuses
 * 	letters(lo, hi, d)	64 letters of two planes
 * 	copy_block(s, d)	copies STRIP bytes; a mask of those that are no
 * 				letters, of * - . perhaps that they are
 * 				(AVX-512 compresses instead: see lines())
 * 	copy_letters(s, d, seen)	copies VBYTES; seen, at first 0, and
 * 	only_letters(seen)		what these were
 */
#ifndef SEQF_LETTERS_DNA_BLOCK_H
#define SEQF_LETTERS_DNA_BLOCK_H

#include <string.h>

#include "base/cpu.h"
#include "base/simd.h"
#include "letters/letters.h"

/* The four masks of a block; bit i belongs to letter i. */
struct block {
	uint64_t lo, hi;	/* the code, also where exc is set */
	uint64_t exc, lower;
};

/*
 * ASCII bits 1 and 2 distinguish A (00), C (01), T (10) and G (11): the high
 * plane is bit 2, the low plane bit 1 ^ bit 2.
 */

#if defined(ISA_avx512)

/* Which bytes are none of ACGT. */
static inline __mmask64
not_acgt(__m512i x)
{
	/* by low nibble, what it must be; 0 is from bytes from 0x80 on */
	const __m512i want = _mm512_broadcast_i32x4(_mm_setr_epi8(
	    -1, 'A', -1, 'C', 'T', -1, -1, 'G', -1, -1, -1, -1, -1, -1, -1,
	    -1));

	return _mm512_cmpneq_epi8_mask(_mm512_shuffle_epi8(want, x), x);
}

static inline __mmask64
is_alpha(__m512i x, uint8_t first)	/* of the 26 from it on */
{
	return _mm512_cmple_epu8_mask(
	    _mm512_sub_epi8(x, _mm512_set1_epi8((char)first)),
	    _mm512_set1_epi8(25));
}

INLINE struct block
classify(const uint8_t *s)
{
	__m512i x = _mm512_loadu_si512(s);
	struct block b = { .exc = not_acgt(x) };

	b.hi = _mm512_test_epi8_mask(x, _mm512_set1_epi8(4));
	b.lo = _mm512_test_epi8_mask(x, _mm512_set1_epi8(2)) ^ b.hi;
	if (b.exc) {
		b.exc = not_acgt(_mm512_and_si512(
		    x, _mm512_set1_epi8((char)0xdf)));
		b.lower = is_alpha(x, 'a');
	}
	return b;
}

static inline __mmask64
letter(__m512i x)
{
	return is_alpha(_mm512_or_si512(x, _mm512_set1_epi8(32)), 'a');
}

static inline __mmask64
newline(__m512i x)
{
	return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\n'));
}

/* What dna_ops.valid takes beside letters. */
static inline __mmask64
symbol(__m512i x)
{
	return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('*')) |
	       _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('-')) |
	       _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('.'));
}

static inline uint64_t
strange(const uint8_t *s)
{
	__m512i x = _mm512_loadu_si512(s);

	return ~(letter(x) | symbol(x));
}

static inline bool
only_letters(__m512i seen)
{
	return !_mm512_cmpgt_epu8_mask(seen, _mm512_set1_epi8(25));
}

static inline void
letters(uint64_t lo, uint64_t hi, uint8_t *d)
{
	__m512i ac = _mm512_mask_blend_epi8(lo, _mm512_set1_epi8('A'),
					    _mm512_set1_epi8('C'));
	__m512i gt = _mm512_mask_blend_epi8(lo, _mm512_set1_epi8('G'),
					    _mm512_set1_epi8('T'));

	_mm512_storeu_si512(d, _mm512_mask_blend_epi8(hi, ac, gt));
}

#elif defined(ISA_avx2)
enum { STRIP = 64 };

static inline uint64_t
join(__m256i lo, __m256i hi)	/* their top bits */
{
	return (uint32_t)_mm256_movemask_epi8(lo) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(hi) << 32;
}

static inline __m256i
load(const uint8_t *s)
{
	return _mm256_loadu_si256((const __m256i *)s);
}

/* 0xff where x <= max, unsigned. */
static inline __m256i
at_most(__m256i x, uint8_t max)
{
	return _mm256_cmpeq_epi8(
	    _mm256_min_epu8(x, _mm256_set1_epi8((char)max)), x);
}

/* 0xff in the bytes that are ACGT. */
static inline __m256i
acgt(__m256i x)
{
	/* by low nibble, what it must be; 0 is from bytes from 0x80 on */
	const __m256i want = _mm256_broadcastsi128_si256(_mm_setr_epi8(
	    -1, 'A', -1, 'C', 'T', -1, -1, 'G', -1, -1, -1, -1, -1, -1, -1,
	    -1));

	return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(want, x), x);
}

INLINE struct block
classify(const uint8_t *s)
{
	const __m256i la = _mm256_set1_epi8('a');
	const __m256i no_case = _mm256_set1_epi8((char)0xdf);
	__m256i a = load(s), b = load(s + 32);
	struct block r = { .exc = ~join(acgt(a), acgt(b)) };

	r.hi = join(_mm256_slli_epi16(a, 5), _mm256_slli_epi16(b, 5));
	r.lo = join(_mm256_slli_epi16(a, 6), _mm256_slli_epi16(b, 6)) ^ r.hi;
	if (r.exc) {
		r.exc = ~join(acgt(_mm256_and_si256(a, no_case)),
			      acgt(_mm256_and_si256(b, no_case)));
		r.lower = join(at_most(_mm256_sub_epi8(a, la), 25),
			       at_most(_mm256_sub_epi8(b, la), 25));
	}
	return r;
}

/*
 * A byte is of a sequence if the entries of its nibbles have a bit in common:
 * 1 for A-O and a-o, 2 for P-Z and p-z, 4 for * - and . ; pshufb gives 0 for
 * bytes from 0x80 on.
 */
#define BY_LOW_NIBBLE \
	_mm_setr_epi8(2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 1, 1, 5, 5, 1)
#define BY_HIGH_NIBBLE \
	_mm_setr_epi8(0, 0, 4, 0, 1, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0)

/* Not 0 in the bytes that dna_ops.valid takes. */
static inline __m256i
sequence(__m256i x)
{
	const __m256i low = _mm256_broadcastsi128_si256(BY_LOW_NIBBLE);
	const __m256i high = _mm256_broadcastsi128_si256(BY_HIGH_NIBBLE);
	__m256i h = _mm256_and_si256(_mm256_srli_epi16(x, 4),
				     _mm256_set1_epi8(15));

	return _mm256_and_si256(_mm256_shuffle_epi8(low, x),
				_mm256_shuffle_epi8(high, h));
}

static inline uint64_t
strange_of(__m256i a, __m256i b)
{
	const __m256i none = _mm256_setzero_si256();

	return join(_mm256_cmpeq_epi8(sequence(a), none),
		    _mm256_cmpeq_epi8(sequence(b), none));
}

static inline uint64_t
strange(const uint8_t *s)
{
	return strange_of(load(s), load(s + 32));
}

static inline bool
only_letters(__m256i seen)
{
	return _mm256_movemask_epi8(at_most(seen, 25)) == -1;
}

static inline uint64_t
copy_block(const uint8_t *s, uint8_t *d)
{
	__m256i a = load(s), b = load(s + 32);

	_mm256_storeu_si256((__m256i *)d, a);
	_mm256_storeu_si256((__m256i *)(d + 32), b);
	return strange_of(a, b);
}

/* 32 bits to 32 bytes of 0 or 0xff. */
static inline __m256i
spread(uint32_t bits)
{
	const __m256i which = _mm256_setr_epi64x(
	    0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
	const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
	__m256i x = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), which);

	return _mm256_cmpeq_epi8(_mm256_and_si256(x, bit), bit);
}

static inline __m256i
letters32(uint32_t lo, uint32_t hi)
{
	__m256i l = spread(lo);
	__m256i ac = _mm256_blendv_epi8(_mm256_set1_epi8('A'),
					_mm256_set1_epi8('C'), l);
	__m256i gt = _mm256_blendv_epi8(_mm256_set1_epi8('G'),
					_mm256_set1_epi8('T'), l);

	return _mm256_blendv_epi8(ac, gt, spread(hi));
}

static inline void
letters(uint64_t lo, uint64_t hi, uint8_t *d)
{
	__m256i a = letters32((uint32_t)lo, (uint32_t)hi);
	__m256i b = letters32((uint32_t)(lo >> 32), (uint32_t)(hi >> 32));

	_mm256_storeu_si256((__m256i *)d, a);
	_mm256_storeu_si256((__m256i *)(d + 32), b);
}

#elif defined(ISA_neon)
enum { STRIP = 64 };

struct text {
	vec v[4];
};

static inline struct text
load(const uint8_t *s)
{
	return (struct text){ {
		vld1q_u8(s), vld1q_u8(s + 16), vld1q_u8(s + 32),
		vld1q_u8(s + 48),
	} };
}

/* A bit of each byte, by what f makes of 16: all ones or 0. */
#define BITS(f, x) neon_mask64(f((x).v[0]), f((x).v[1]), f((x).v[2]), \
			       f((x).v[3]))

/* By low nibble, what it must be: none has index 0. */
static inline vec
not_acgt(vec x)
{
	const vec want = { 1, 'A', 0, 'C', 'T', 0, 0, 'G' };

	return vmvnq_u8(vceqq_u8(
	    vqtbl1q_u8(want, vandq_u8(x, vdupq_n_u8(15))), x));
}

static inline vec
not_acgt_in_any_case(vec x)
{
	return not_acgt(vandq_u8(x, vdupq_n_u8(0xdf)));
}

static inline vec
is_lower(vec x)
{
	return vcltq_u8(vsubq_u8(x, vdupq_n_u8('a')), vdupq_n_u8(26));
}

static inline vec
bit_1(vec x)
{
	return vtstq_u8(x, vdupq_n_u8(2));
}

static inline vec
bit_2(vec x)
{
	return vtstq_u8(x, vdupq_n_u8(4));
}

INLINE struct block
classify(const uint8_t *s)
{
	struct text x = load(s);
	struct block r = { .hi = BITS(bit_2, x), .exc = BITS(not_acgt, x) };

	r.lo = BITS(bit_1, x) ^ r.hi;
	if (r.exc) {
		r.exc = BITS(not_acgt_in_any_case, x);
		r.lower = BITS(is_lower, x);
	}
	return r;
}

/* By nibbles, as AVX2. */
static inline vec
no_sequence(vec x)
{
	const vec low = { 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 1, 1, 5, 5, 1 };
	const vec high = { 0, 0, 4, 0, 1, 2, 1, 2 };
	vec l = vqtbl1q_u8(low, vandq_u8(x, vdupq_n_u8(15)));

	return vceqzq_u8(vandq_u8(l, vqtbl1q_u8(high, vshrq_n_u8(x, 4))));
}

static inline uint64_t
strange(const uint8_t *s)
{
	struct text x = load(s);

	return BITS(no_sequence, x);
}

static inline bool
only_letters(vec seen)
{
	return vmaxvq_u8(seen) < 26;
}

static inline uint64_t
copy_block(const uint8_t *s, uint8_t *d)
{
	struct text x = load(s);

	for (int i = 0; i < 4; i++)
		vst1q_u8(d + 16 * i, x.v[i]);
	return BITS(no_sequence, x);
}

static inline void
letters(uint64_t lo, uint64_t hi, uint8_t *d)
{
	for (unsigned i = 0; i < 4; i++) {
		vec l = neon_spread(lo, i);
		vec ac = vbslq_u8(l, vdupq_n_u8('C'), vdupq_n_u8('A'));
		vec gt = vbslq_u8(l, vdupq_n_u8('T'), vdupq_n_u8('G'));

		vst1q_u8(d + 16 * i, vbslq_u8(neon_spread(hi, i), gt, ac));
	}
}

#else /* eight letters in a word */
enum { STRIP = 8 };

#define EACH(byte) ((byte) * (uint64_t)0x0101010101010101)

/* Byte 0 is the lowest, on any machine. */
static inline uint64_t
load(const uint8_t *s)
{
	uint64_t x;

	memcpy(&x, s, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

static inline void
store(uint8_t *d, uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(d, &x, 8);
}

/*
 * Top bit of each byte: the byte >= min, 1 <= min <= 128.  No carry leaves a
 * byte: 127 + 127 < 256.
 */
static inline uint64_t
at_least(uint64_t x, uint8_t min)
{
	return ((x & EACH(0x7f)) + EACH((uint64_t)(128 - min))) | x;
}

static inline uint64_t
equal(uint64_t x, uint8_t c)
{
	return ~at_least(x ^ EACH((uint64_t)c), 1);
}

/* Top bit of each byte: 'a' <= byte <= 'z'. */
static inline uint64_t
is_lower(uint64_t x)
{
	return at_least(x, 'a') & ~at_least(x, 'z' + 1);
}

/*
 * The 8 top bits side by side.  Byte i's goes to bit 56 + i by the factor
 * 2^(56-7i); all 64 partial products lie at different bits, so none carries.
 */
static inline uint64_t
tops(uint64_t x)
{
	return (x >> 7 & EACH(1)) * 0x0102040810204080 >> 56;
}

static inline uint64_t
copy_block(const uint8_t *s, uint8_t *d)
{
	uint64_t x = load(s);

	store(d, x);
	x = ~is_lower(x | EACH(32)) & EACH(0x80);
	return x ? tops(x) : 0;
}

typedef uint64_t vec;

static inline vec
copy_letters(const uint8_t *s, uint8_t *d, vec seen)
{
	uint64_t x = load(s);

	store(d, x);
	return seen | ~is_lower(x | EACH(32));
}

static inline bool
only_letters(vec seen)
{
	return !(seen & EACH(0x80));
}

INLINE struct block
classify(const uint8_t *s)
{
	struct block b = { 0 };

	for (unsigned i = 0; i < 64; i += 8) {
		uint64_t x = load(s + i), u = x & EACH(0xdf), good;

		good = equal(u, 'A') | equal(u, 'C') | equal(u, 'G') |
		       equal(u, 'T');
		b.hi |= tops(x << 5) << i;
		b.lo |= tops(x << 6 ^ x << 5) << i;
		if (~good & EACH(0x80))
			b.exc |= tops(~good) << i;
		if (x & EACH(0x20))
			b.lower |= tops(is_lower(x)) << i;
	}
	return b;
}

static inline uint64_t
strange(const uint8_t *s)
{
	uint64_t m = 0;

	for (unsigned i = 0; i < 64; i += 8) {
		uint64_t x = load(s + i), good = is_lower(x | EACH(32));

		good |= equal(x, '*') | equal(x, '-') | equal(x, '.');
		m |= tops(~good) << i;
	}
	return m;
}

/* Eight bits to eight bytes of 0 or 1. */
static inline uint64_t
spread(uint64_t bits)
{
	uint64_t x = EACH(bits & 0xff) & 0x8040201008040201;

	return at_least(x, 1) >> 7 & EACH(1);
}

static inline void
letters(uint64_t lo, uint64_t hi, uint8_t *d)
{
	for (unsigned i = 0; i < 64; i += 8) {
		uint64_t l = spread(lo >> i), h = spread(hi >> i);

		store(d + i, EACH('A') + l * ('C' - 'A') + h * ('G' - 'A') +
			     (l & h) * ('T' - 'G' - 'C' + 'A'));
	}
}
#endif

#if VBYTES > 8
/* The larger of `seen` and how far each byte is behind a, in either case. */
static inline vec
copy_letters(const uint8_t *s, uint8_t *d, vec seen)
{
	vec x = VSI(loadu)((const void *)s);

	VSI(storeu)((void *)d, x);
	x = V(sub_epi8)(VSI(or)(x, V(set1_epi8)(32)), V(set1_epi8)('a'));
	return V(max_epu8)(seen, x);
}
#endif

/* The variants of the kernels of letters.h; for letters.c only. */

KERN_DECLARE(const struct dna_ops, dna_ops);

#endif
