/* SPDX-License-Identifier: MIT */
/*
 * kdiff_expand_kern.c - kept words to hits, without a loop over single bits
 *
 * A column and its distance are bytes.  Those of hits are packed by the mask
 * of hits; then a byte shuffle and an addition put several together.
 */
#include "algo/kdiff_kern.h"
#include "algo/kdiff_vec.h"

#define INLINE static inline __attribute__((always_inline))

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
 * put(): hits of the columns of mask, d[column] their distances' bytes; more
 * than these may be written, KDIFF_HITS_OVER at most.
 * heights(): d[column] = D less the left edge, + 64.
 * at_most(): columns with d <= lim.
 */
#if defined(ISA_avx512)
static inline size_t
put(struct kdiff_hit *to, uint64_t mask, const uint8_t d[64], struct base base)
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
/* Byte i of entry m: the i-th bit that is set in m. */
#define BIT(m, b) ((m) >> (b) & 1)
#define ADD(x, m, b) ((x) << 8 * BIT(m, b) | BIT(m, b) * (b))
#define ROW(m) ADD(ADD(ADD(ADD(ADD(ADD(ADD(ADD(0ull, m, 7ull), m, 6ull), \
	m, 5ull), m, 4ull), m, 3ull), m, 2ull), m, 1ull), m, 0ull)
#define ROWS4(m) ROW(m), ROW((m) + 1), ROW((m) + 2), ROW((m) + 3)
#define ROWS16(m) ROWS4(m), ROWS4((m) + 4), ROWS4((m) + 8), ROWS4((m) + 12)
#define ROWS64(m) ROWS16(m), ROWS16((m) + 16), ROWS16((m) + 32), \
	ROWS16((m) + 48)
static const uint64_t places[256] = {
	ROWS64(0), ROWS64(64), ROWS64(128), ROWS64(192)
};

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
	__m128i c = _mm_loadl_epi64((const void *)&places[mask]);
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
put(struct kdiff_hit *to, uint64_t mask, const uint8_t d[64], struct base base)
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

#else
static inline size_t
put(struct kdiff_hit *to, uint64_t mask, const uint8_t d[64], struct base base)
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
find(const struct kdiff_pat *p, const struct kdiff_run *r, const uint64_t *v,
     size_t n, bool minima, struct found *f)
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
KERN(kdiff_edit_expand)(const struct kdiff_pat *p, const struct kdiff_run *r,
			const uint64_t *v, bool minima, struct kdiff_hit *to)
{
	size_t words = r->n / KDIFF_EDIT_WORD, n;
	struct kdiff_hit *h = to;
	struct found f;

	for (; words; words -= n, v += n * KDIFF_EDIT_WORD) {
		size_t found;

		n = words < AT_ONCE ? words : AT_ONCE;
		found = find(p, r, v, n, minima, &f);
		for (size_t i = 0; i < found; i++)
			h += put(h, f.mask[i], f.d[i], f.base[i]);
	}
	return (size_t)(h - to);
}

/* As many planes of a counter as fit into a byte, from plane b on. */
static inline void
counter(const uint64_t *plane, unsigned n, uint8_t d[64])
{
	for (unsigned i = 0; i < 64; i++) {
		unsigned x = 0;

		for (unsigned b = 0; b < n; b++)
			x |= (unsigned)(plane[b] >> i & 1) << b;
		d[i] = (uint8_t)x;
	}
}

size_t
KERN(kdiff_ham_expand)(const struct kdiff_pat *p, const struct kdiff_run *r,
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

		counter(v, low, d);
		n = put(h, v[p->bits], d, base);
		for (size_t i = 0; i < n; i++, h++) {
			for (unsigned b = low; b < p->bits; b++)
				h->dist |= (v[b] >> (h->end - base.end) & 1)
					   << b;
			h->dist -= first;
		}
	}
	return (size_t)(h - to);
}
