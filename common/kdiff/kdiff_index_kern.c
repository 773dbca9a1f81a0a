/* SPDX-License-Identifier: MIT */
/*
 * kdiff_index_kern.c - kernels of the index: q-gram keys, their places,
 * verification
 */

#include "base/simd.h"
#include "base/vec.h"
#include "kdiff/kdiff_kern.h"
#include "kdiff/kdiff_vec.h"
#include "letters/letters.h"

/* Which q letters of a text are in an index. */

#if defined(ISA_avx512) || defined(ISA_avx2)
uint32_t
KERN(kdiff_gram_keys)(const uint64_t *bits, unsigned q, uint64_t lo,
		      uint64_t hi, uint32_t key[KDIFF_GRAM_KEYS])
{
	static const uint32_t iota[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
					   11, 12, 13, 14, 15 };
	const w32 at = w_load(iota), mask = w_set((1u << q) - 1);
	uint32_t found = 0;

	for (int i = 0; i < KDIFF_GRAM_KEYS; i += WIDTH) {
		/* WIDTH + q - 1 letters are enough */
		w32 l = w_shr(w_set((uint32_t)(lo >> i)), at) & mask;
		w32 h = w_shr(w_set((uint32_t)(hi >> i)), at) & mask, word;

		l |= h << q;
		w_store(key + i, l);
		word = w_gather((const uint32_t *)bits, l >> 5);
		/* the key's bit of the word to the top */
		found |= w_less(w_shl(word, ~l & 31), w_set(0)) << i;
	}
	return found;
}
#elif defined(ISA_neon)
uint32_t
KERN(kdiff_gram_keys)(const uint64_t *bits, unsigned q, uint64_t lo,
		      uint64_t hi, uint32_t key[KDIFF_GRAM_KEYS])
{
	const uint32x4_t low = vdupq_n_u32((1u << q) - 1);
	const uint32x4_t all = vdupq_n_u32((1u << 2 * q) - 1);
	int32x4_t right[2] = { { 0, -1, -2, -3 }, { -4, -5, -6, -7 } };
	int32x4_t up = vdupq_n_s32((int)q);
	uint32_t found = 0;

	for (int i = 0; i < KDIFF_GRAM_KEYS; i += 8) {
		uint32x4_t l = vdupq_n_u32((uint32_t)(lo >> i));
		uint32x4_t h = vdupq_n_u32((uint32_t)(hi >> i)), in[2], x;
		uint16x8_t both;

#pragma GCC unroll 2
		for (int j = 0; j < 2; j++) {
			x = vshlq_u32(h, vaddq_s32(right[j], up));
			x = vbslq_u32(low, vshlq_u32(l, right[j]), x) & all;
			vst1q_u32(key + i + 4 * j, x);
			in[j] = neon_gather32((const uint32_t *)bits,
					      vshrq_n_u32(x, 5));
			in[j] = neon_bit_to_top(in[j], x);
		}
		both = vuzp2q_u16((uint16x8_t)in[0], (uint16x8_t)in[1]);
		found |= neon_tops8(vshrn_n_u16(both, 8)) << i;
	}
	return found;
}
#else
uint32_t
KERN(kdiff_gram_keys)(const uint64_t *bits, unsigned q, uint64_t lo,
		      uint64_t hi, uint32_t key[KDIFF_GRAM_KEYS])
{
	const uint32_t mask = (1u << q) - 1;
	uint32_t found = 0;

	for (unsigned i = 0; i < KDIFF_GRAM_KEYS; i++) {
		uint32_t y = ((uint32_t)(lo >> i) & mask) |
			     ((uint32_t)(hi >> i) & mask) << q;

		key[i] = y;
		found |= (uint32_t)(bits[y / 64] >> y % 64 & 1) << i;
	}
	return found;
}
#endif

/* Text of all lanes to one plane a symbol. */

struct planes {
	v64 w[KDIFF_WORDS];
};

/* n words from index at of a[0..have); those beyond are 0. */
static inline const uint64_t *
words_at(const uint64_t *a, uint64_t have, uint64_t at, unsigned n,
	 uint64_t *tmp)
{
	if (at <= have && n <= have - at)
		return a + at;
	for (unsigned i = 0; i < n; i++)
		tmp[i] = at + i < have ? a[at + i] : 0;
	return tmp;
}

INLINE void
load(const uint64_t *a, uint64_t have, const uint64_t at[LANES], unsigned n,
     v64 *to)
{
	uint64_t tmp[LANES][16];
	const uint64_t *p[LANES];

#pragma GCC unroll 8
	for (int l = 0; l < LANES; l++)
		p[l] = words_at(a, have, at[l], n, tmp[l]);
#pragma GCC unroll 4
	for (unsigned i = 0; i < n; i += 4) {
		transpose4(p, to + i);
#pragma GCC unroll 8
		for (int l = 0; l < LANES; l++)
			p[l] += 4;
	}
}

/* *one[b] = letters that are (or may be) A C G T, none where bad is set. */
INLINE void
four_planes(const struct kdiff_source *src, const uint64_t word[LANES],
	    const v64 *gap, struct planes *const one[4])
{
	uint64_t have = src->n / 64 + (src->n % 64 != 0), at[LANES];
	v64 t[8], bad[4] = { { 0 } };

#pragma GCC unroll 8
	for (int l = 0; l < LANES; l++)
		at[l] = word[l] * 2;
	load(src->planes, have * 2, at, 8, t);
	if (src->exc)
		load(src->exc, have, word, 4, bad);
#pragma GCC unroll 8
	for (int w = 0; w < KDIFF_WORDS; w++) {
		v64 lo = t[2 * w], hi = t[2 * w + 1], good;

		if (gap)
			bad[w] |= gap[w];
		good = ~bad[w];
		one[0]->w[w] = ~(lo | hi) & good;
		one[1]->w[w] = lo & ~hi & good;
		one[2]->w[w] = hi & ~lo & good;
		one[3]->w[w] = lo & hi & good;
	}
}

INLINE void
four_sets(const struct kdiff_source *src, const uint64_t word[LANES],
	  const v64 *gap, struct planes *const one[4])
{
	uint64_t have = (src->n / 64 + (src->n % 64 != 0)) * 4, at[LANES];
	v64 t[16];

#pragma GCC unroll 8
	for (int l = 0; l < LANES; l++)
		at[l] = word[l] * 4;
	load(src->sets, have, at, 16, t);
#pragma GCC unroll 8
	for (int w = 0; w < KDIFF_WORDS; w++)
		for (int b = 0; b < 4; b++)
			one[b]->w[w] = gap ? t[4 * w + b] & ~gap[w] :
					     t[4 * w + b];
}

/* Planes of letters that are symbols go where those are, others to room. */
INLINE void
dna(const struct kdiff_source *src, const uint64_t word[LANES],
    const v64 *gap, struct planes *eq, struct planes room[4])
{
	struct planes *one[4] = { room, room + 1, room + 2, room + 3 };

	for (unsigned s = 0; s < src->n_sym; s++)
		if (!(src->sym[s] & (src->sym[s] - 1)))
			one[__builtin_ctz(src->sym[s])] = eq + s;
	if (src->sets)
		four_sets(src, word, gap, one);
	else
		four_planes(src, word, gap, one);
	for (unsigned s = 0; s < src->n_sym; s++) {
		unsigned set = src->sym[s];

		if (!(set & (set - 1)))
			continue;
		eq[s] = *one[__builtin_ctz(set)];
		for (set &= set - 1; set; set &= set - 1)
#pragma GCC unroll 8
			for (int w = 0; w < KDIFF_WORDS; w++)
				eq[s].w[w] |= one[__builtin_ctz(set)]->w[w];
	}
}

/* Which of 64 bytes are a or b. */
static inline uint64_t
equal64(const uint8_t *p, uint8_t a, uint8_t b)
{
#if defined(ISA_avx512)
	__m512i x = _mm512_loadu_si512(p);

	return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)a)) |
	       _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)b));
#elif defined(ISA_neon)
	vec y[4];

	for (int i = 0; i < 4; i++) {
		vec x = vld1q_u8(p + 16 * i);

		y[i] = vceqq_u8(x, vdupq_n_u8(a)) | vceqq_u8(x, vdupq_n_u8(b));
	}
	return neon_mask64(y[0], y[1], y[2], y[3]);
#else
	uint64_t mask = 0;

	for (int i = 0; i < 64; i += VBYTES) {
		v8 x, y;

		memcpy(&x, p + i, VBYTES);
		y = (v8)(x == a) | (v8)(x == b);
		mask |= zero8(~(v64)y) << i % 64;
	}
	return mask;
#endif
}

static inline void
bytes(const struct kdiff_source *src, const uint64_t word[LANES],
      const v64 *gap, uint64_t *eq)
{
	for (int l = 0; l < LANES; l++)
		for (int w = 0; w < KDIFF_WORDS; w++) {
			uint64_t at = (word[l] + w) * 64, n, keep = ~0ull;
			const uint8_t *p;
			uint8_t tmp[64];

			n = at < src->n ? src->n - at : 0;
			p = n ? src->bytes + at : tmp;
			if (n < 64) {
				memset(tmp, 0, 64);
				memcpy(tmp, p, n);
				p = tmp;
				keep = (1ull << n) - 1;
			}
			if (gap)
				keep &= ~gap[w][l];
			for (unsigned s = 0; s < src->n_sym; s++) {
				uint8_t a = src->sym[s];
				uint8_t b = src->fold ? a ^ 0x20 : a;

				eq[(s * KDIFF_WORDS + w) * LANES + l] =
				    equal64(p, a, b) & keep;
			}
		}
}

void
KERN(kdiff_gather)(const struct kdiff_source *src, struct kdiff_piece *pc)
{
	uint64_t word[LANES], *eq = pc->eq;
	const v64 *gap = (const v64 *)pc->gap;
	struct planes room[4];

	for (int l = 0; l < LANES; l++)
		word[l] = pc->at[l] / 64;
	for (unsigned i = 0; i < pc->n_sb; i++) {
		const v64 *g = pc->special[i] ? gap + KDIFF_WORDS * i : NULL;

		if (src->bytes)
			bytes(src, word, g, eq);
		else
			dna(src, word, g, (struct planes *)eq, room);
		eq += src->n_sym * KDIFF_WORDS * LANES;
		for (int l = 0; l < LANES; l++)
			word[l] += KDIFF_WORDS;
	}
}

/*
 * Edit distance at a place of each lane
 * Source: Myers, J. ACM 46(3), 1999, figure 3: bits along the pattern.
 *
 * Rows below the pattern's first letter match always, which keeps D = 0 there,
 * as above the first row of a search; the score is followed at the top bit.
 */

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
score_at(const struct column *x)
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
run_columns(struct kdiff_verify *o, struct column *x, const bool none)
{
	v64 k, d, fall, le = vset(0);
	uint64_t out[LANES];
	unsigned c, any = 0;

	memcpy(&k, o->k, VBYTES);
	for (c = 0; c + o->tail < o->cols; c++)
		step(x, c, none, &fall);
	d = score_at(x);
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
KERN(kdiff_verify)(struct kdiff_verify *o)
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
	return o->any_none ? run_columns(o, &x, true)
			   : run_columns(o, &x, false);
}

/*
 * Kept words to hits, without a loop over single bits
 *
 * A column and its distance are bytes.  Those of hits are packed by the mask
 * of hits; then a byte shuffle and an addition put several together.
 */

/* The two halves of a hit, less column and distance's byte. */
struct base {
	uint64_t end;
	uint64_t rest;		/* dist | pattern << 32, as one sum */
};

INLINE struct base
base_of(const struct kdiff_run *r, uint64_t col, int64_t dist)
{
	return (struct base){
		r->at + col, ((uint64_t)r->pattern << 32) + (uint64_t)dist,
	};
}

/*
 * put_columns(): hits of the columns of mask, d[column] their distances' bytes;
 * more than these may be written, KDIFF_HITS_OVER at most.
 * heights(): d[column] = D less the left edge, + 64.
 * at_most(): columns with d <= lim.
 */
#if defined(ISA_avx512)
static inline size_t
put_columns(struct kdiff_hit *to, uint64_t mask, const uint8_t d[64],
	    struct base base)
{
	static const uint8_t iota[64] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
		32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
		48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	};
	const __mmask64 low = 0x0101010101010101;
	const __m512i step = _mm512_set1_epi64(4);
	const __m512i b = _mm512_broadcast_i32x4(_mm_set_epi64x(
	    (int64_t)base.rest, (int64_t)base.end));
	/* of hit i: byte i of c, byte i of x */
	__m512i at = _mm512_setr_epi64(0, 64, 1, 65, 2, 66, 3, 67);
	__m512i c = _mm512_maskz_compress_epi8(mask,
					       _mm512_loadu_si512(iota));
	__m512i x = _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(d));
	size_t n = (size_t)__builtin_popcountll(mask);

	size_t i = 0;

	do {
		_mm512_storeu_si512(to + i, _mm512_add_epi64(b,
		    _mm512_maskz_permutex2var_epi8(low, c, at, x)));
		at = _mm512_add_epi64(at, step);
		_mm512_storeu_si512(to + i + 4, _mm512_add_epi64(b,
		    _mm512_maskz_permutex2var_epi8(low, c, at, x)));
		at = _mm512_add_epi64(at, step);
		i += 8;
	} while (i < n);
	return n;
}

static inline void
heights(uint64_t vp, uint64_t vm, uint8_t d[64])
{
	const __m512i one = _mm512_set1_epi8(1), z = _mm512_setzero_si512();
	__m512i x, t;

	x = _mm512_mask_sub_epi8(_mm512_maskz_mov_epi8(vp, one), vm, z, one);
	x = _mm512_add_epi8(x, _mm512_slli_epi64(x, 8));
	x = _mm512_add_epi8(x, _mm512_slli_epi64(x, 16));
	x = _mm512_add_epi8(x, _mm512_slli_epi64(x, 32));
	/* the sums of the 8-byte parts before: byte 7, spread, summed */
	t = _mm512_shuffle_epi8(x, _mm512_set4_epi32(0x0f0f0f0f, 0x0f0f0f0f,
						     0x07070707, 0x07070707));
	t = _mm512_alignr_epi64(t, z, 7);
	t = _mm512_add_epi8(t, _mm512_alignr_epi64(t, z, 7));
	t = _mm512_add_epi8(t, _mm512_alignr_epi64(t, z, 6));
	t = _mm512_add_epi8(t, _mm512_alignr_epi64(t, z, 4));
	x = _mm512_add_epi8(x, _mm512_set1_epi8(64));
	_mm512_storeu_si512(d, _mm512_add_epi8(x, t));
}

static inline uint64_t
at_most(const uint8_t d[64], uint8_t lim)
{
	return _mm512_cmple_epu8_mask(_mm512_loadu_si512(d),
				      _mm512_set1_epi8((char)lim));
}

#elif defined(ISA_avx2)
/* Eight columns, of a mask that is not 0. */
static inline void
put8(struct kdiff_hit *to, unsigned mask, const uint8_t d[8], __m256i b)
{
	/* of hit i: byte i of the low half, byte i of the high half */
	const __m256i step = _mm256_set1_epi64x(2);
	__m256i at = _mm256_setr_epi64x((int64_t)0x8080808080808000,
					(int64_t)0x8080808080808008,
					(int64_t)0x8080808080808001,
					(int64_t)0x8080808080808009);
	__m128i c = _mm_cvtsi64_si128((long long)bits_of(mask));
	__m128i x = _mm_shuffle_epi8(_mm_loadl_epi64((const void *)d), c);
	__m256i cx = _mm256_broadcastsi128_si256(_mm_unpacklo_epi64(c, x));

#pragma GCC unroll 4
	for (int i = 0; i < 8; i += 2) {
		_mm256_storeu_si256((void *)(to + i),
		    _mm256_add_epi64(b, _mm256_shuffle_epi8(cx, at)));
		at = _mm256_add_epi64(at, step);
	}
}

static inline size_t
put_columns(struct kdiff_hit *to, uint64_t mask, const uint8_t d[64],
	    struct base base)
{
	__m256i b = _mm256_broadcastsi128_si256(_mm_set_epi64x(
	    (int64_t)base.rest, (int64_t)base.end));
	struct kdiff_hit *h = to;

	for (; mask; mask >>= 8, d += 8) {
		put8(h, mask & 0xff, d, b);
		h += __builtin_popcountll(mask & 0xff);
		b = _mm256_add_epi64(b, _mm256_setr_epi64x(8, 0, 8, 0));
	}
	return (size_t)(h - to);
}

/* Bit i of x as byte i: 0 or -1. */
static inline __m256i
spread_bits(uint32_t x)
{
	const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201);
	__m256i v = _mm256_shuffle_epi8(_mm256_set1_epi32((int)x),
	    _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202,
			       0x0303030303030303));

	return _mm256_cmpeq_epi8(_mm256_and_si256(v, bit), bit);
}

static inline void
heights32(uint32_t vp, uint32_t vm, int before, uint8_t d[32])
{
	__m256i x = _mm256_sub_epi8(spread_bits(vm), spread_bits(vp)), t;

	x = _mm256_add_epi8(x, _mm256_slli_epi64(x, 8));
	x = _mm256_add_epi8(x, _mm256_slli_epi64(x, 16));
	x = _mm256_add_epi8(x, _mm256_slli_epi64(x, 32));
	/* the sums of the 8-byte parts before: byte 7, spread, summed */
	t = _mm256_shuffle_epi8(x, _mm256_setr_epi64x(
	    0x0707070707070707, 0x0f0f0f0f0f0f0f0f,
	    0x0707070707070707, 0x0f0f0f0f0f0f0f0f));
	x = _mm256_add_epi8(x, _mm256_set1_epi8((char)before));
	for (int i = 0; i < 3; i++) {
		t = _mm256_permute4x64_epi64(t, 0x90);
		t = _mm256_blend_epi32(t, _mm256_setzero_si256(), 3);
		x = _mm256_add_epi8(x, t);
	}
	_mm256_storeu_si256((void *)d, x);
}

static inline void
heights(uint64_t vp, uint64_t vm, uint8_t d[64])
{
	int half = __builtin_popcount((uint32_t)vp) -
		   __builtin_popcount((uint32_t)vm);

	heights32((uint32_t)vp, (uint32_t)vm, 64, d);
	heights32((uint32_t)(vp >> 32), (uint32_t)(vm >> 32), 64 + half,
		  d + 32);
}

static inline uint64_t
at_most(const uint8_t d[64], uint8_t lim)
{
	const __m256i l = _mm256_set1_epi8((char)lim);
	uint64_t mask = 0;

	for (int i = 0; i < 64; i += 32) {
		__m256i x = _mm256_loadu_si256((const void *)(d + i));
		__m256i le = _mm256_cmpeq_epi8(_mm256_min_epu8(x, l), x);

		mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(le) << i;
	}
	return mask;
}

#elif defined(ISA_neon)
/* Eight columns, of a mask that is not 0. */
static inline void
put8(struct kdiff_hit *to, unsigned mask, const uint8_t d[8], v64 b)
{
	/* of hit i: byte i of the low half, byte i of the high half */
	const v64 step = vset(1);
	v64 at = { 0x8080808080808000, 0x8080808080808008 };
	uint8x8_t c = vcreate_u8(bits_of(mask));
	vec cx = vcombine_u8(c, vtbl1_u8(vld1_u8(d), c));

#pragma GCC unroll 8
	for (int i = 0; i < 8; i++) {
		v64 x = b + (v64)vqtbl1q_u8(cx, (vec)at);

		memcpy(to + i, &x, sizeof x);
		at += step;
	}
}

static inline size_t
put_columns(struct kdiff_hit *to, uint64_t mask, const uint8_t d[64],
	    struct base base)
{
	v64 b = { base.end, base.rest };
	struct kdiff_hit *h = to;

	for (; mask; mask >>= 8, d += 8) {
		put8(h, mask & 0xff, d, b);
		h += __builtin_popcountll(mask & 0xff);
		b += (v64){ 8, 0 };
	}
	return (size_t)(h - to);
}

static inline void
heights(uint64_t vp, uint64_t vm, uint8_t d[64])
{
	/* byte 7 to the upper half */
	const v64 low = { ~0ull, 0x0707070707070707 };
	vec before = vdupq_n_u8(64);

#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++) {
		v64 x = sub8((v64)neon_spread(vm, i), (v64)neon_spread(vp, i));

		x = add8(x, x << 8);
		x = add8(x, x << 16);
		x = add8(x, x << 32);
		x = add8(x, (v64)vqtbl1q_u8((vec)x, (vec)low));
		x = add8(x, (v64)before);
		before = vdupq_laneq_u8((vec)x, 15);
		vst1q_u8(d + 16 * i, (vec)x);
	}
}

static inline uint64_t
at_most(const uint8_t d[64], uint8_t lim)
{
	vec l = vdupq_n_u8(lim);

	return neon_mask64(vcleq_u8(vld1q_u8(d), l),
			   vcleq_u8(vld1q_u8(d + 16), l),
			   vcleq_u8(vld1q_u8(d + 32), l),
			   vcleq_u8(vld1q_u8(d + 48), l));
}

#else
static inline size_t
put_columns(struct kdiff_hit *to, uint64_t mask, const uint8_t d[64],
	    struct base base)
{
	size_t n = 0;

	for (; mask; mask &= mask - 1, n++) {
		unsigned i = (unsigned)__builtin_ctzll(mask);
		uint64_t rest = base.rest + d[i];

		to[n].end = base.end + i;
		to[n].dist = (uint32_t)rest;
		to[n].pattern = (uint32_t)(rest >> 32);
	}
	return n;
}

static inline void
heights(uint64_t vp, uint64_t vm, uint8_t d[64])
{
	int h = 64;

	for (int i = 0; i < 64; i++) {
		h += (int)(vp >> i & 1) - (int)(vm >> i & 1);
		d[i] = (uint8_t)h;
	}
}

static inline uint64_t
at_most(const uint8_t d[64], uint8_t lim)
{
	uint64_t mask = 0;

	for (int i = 0; i < 64; i++)
		mask |= (uint64_t)(d[i] <= lim) << i;
	return mask;
}
#endif

/* Words with hits. */
enum { AT_ONCE = 32 };
struct found {
	uint8_t d[AT_ONCE][64];
	uint64_t mask[AT_ONCE];
	struct base base[AT_ONCE];
};

/*
 * Which of n <= AT_ONCE words hold hits.  Without a branch on it: how many
 * hits a word has is hard to guess, and known only after a long chain of
 * operations.  So they are counted first, of many words side by side.
 */
INLINE size_t
find_words(const struct kdiff_pat *p, const struct kdiff_run *r,
	   const uint64_t *v, size_t n, bool minima, struct found *f)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++, v += KDIFF_EDIT_WORD) {
		/* minima stand one column, and one difference, before */
		int64_t left = (int64_t)(v[3] >> 32) - minima;
		int64_t lim = (int64_t)p->k - left + 64;
		uint64_t some = lim < 0 ? 0 : v[2];

		heights(v[0], v[1], f->d[at]);
		some &= at_most(f->d[at], lim < 128 ? (uint8_t)lim : 128);
		f->mask[at] = some;
		f->base[at] = base_of(r, (uint32_t)v[3] + !minima, left - 64);
		at += some != 0;
	}
	return at;
}

size_t
KERN(kdiff_edit_extract)(const struct kdiff_pat *p, const struct kdiff_run *r,
			 const uint64_t *v, bool minima, struct kdiff_hit *to)
{
	size_t words = r->n / KDIFF_EDIT_WORD, n;
	struct kdiff_hit *h = to;
	struct found f;

	for (; words; words -= n, v += n * KDIFF_EDIT_WORD) {
		size_t found;

		n = words < AT_ONCE ? words : AT_ONCE;
		found = find_words(p, r, v, n, minima, &f);
		for (size_t i = 0; i < found; i++)
			h += put_columns(h, f.mask[i], f.d[i], f.base[i]);
	}
	return (size_t)(h - to);
}

void
KERN(kdiff_columns_le)(const struct kdiff_pat *p, const struct kdiff_run *r,
		       const uint64_t *v, uint64_t *live)
{
	for (size_t i = 0; i < r->n / KDIFF_EDIT_WORD; i++) {
		int64_t lim = (int64_t)p->k - (int64_t)(v[3] >> 32) + 64;
		uint8_t d[64];

		heights(v[0], v[1], d);
		live[i] = lim < 0 ? 0 :
			  v[2] & at_most(d, lim < 128 ? (uint8_t)lim : 128);
		v += KDIFF_EDIT_WORD;
	}
}

/* As many planes of a counter as fit into a byte, from plane b on. */
static inline void
ham_counter(const uint64_t *plane, unsigned n, uint8_t d[64])
{
	for (unsigned i = 0; i < 64; i++) {
		unsigned x = 0;

		for (unsigned b = 0; b < n; b++)
			x |= (unsigned)(plane[b] >> i & 1) << b;
		d[i] = (uint8_t)x;
	}
}

size_t
KERN(kdiff_ham_extract)(const struct kdiff_pat *p, const struct kdiff_run *r,
			const uint64_t *v, bool minima, struct kdiff_hit *to)
{
	const uint64_t *end = v + r->n;
	const uint32_t first = (1u << p->bits) - 1 - p->k;
	const unsigned low = p->bits < 8 ? p->bits : 8;
	struct kdiff_hit *h = to;

	(void)minima;	/* made of all ends, later */
	for (; v < end; v += p->bits + 2) {
		struct base base = base_of(r, (uint32_t)v[p->bits + 1] + 1, 0);
		uint8_t d[64];
		size_t n;

		ham_counter(v, low, d);
		n = put_columns(h, v[p->bits], d, base);
		for (size_t i = 0; i < n; i++, h++) {
			for (unsigned b = low; b < p->bits; b++)
				h->dist |= (v[b] >> (h->end - base.end) & 1)
					   << b;
			h->dist -= first;
		}
	}
	return (size_t)(h - to);
}
