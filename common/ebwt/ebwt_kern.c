/* SPDX-License-Identifier: MIT */
/*
 * ebwt_kern.c - kernels: common prefixes, words of 8 letters, radix passes,
 * counts of runs
 */

#include <string.h>

#include "base/simd.h"
#include "ebwt/ebwt_priv.h"

/* Keys of rotations, and minimizers of windows, in vectors. */

enum { LANES = VBYTES / 4, ROOM = EBWT_BLOCK + 64 + 64 + EBWT_PAD };
typedef uint32_t v32 __attribute__((vector_size(VBYTES)));
typedef uint32_t u32v __attribute__((vector_size(VBYTES), aligned(4)));
typedef uint64_t u64v __attribute__((vector_size(VBYTES), aligned(8)));
typedef uint8_t u8v __attribute__((vector_size(VBYTES), aligned(1)));
typedef uint8_t bytes __attribute__((vector_size(LANES)));

static inline v32
load(const uint32_t *p)
{
	return *(const u32v *)p;
}

static inline void
store(uint32_t *p, v32 v)
{
	*(u32v *)p = v;
}

static inline v32
all(uint32_t x)
{
	return (v32){ 0 } + x;
}

/* gcc 12 makes single letters of __builtin_convertvector(). */
static inline v32
widen(const uint8_t *t)
{
#if defined(ISA_avx512)
	return (v32)_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)t));
#elif defined(ISA_avx2)
	return (v32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)t));
#elif defined(ISA_neon)
	return neon_widen4(t);
#else
	bytes b;

	memcpy(&b, t, sizeof b);
	return __builtin_convertvector(b, v32);
#endif
}

static inline v32
least(v32 a, v32 b)
{
#if defined(ISA_avx512)
	return (v32)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif defined(ISA_avx2)
	return (v32)_mm256_min_epu32((__m256i)a, (__m256i)b);
#elif defined(ISA_neon)
	return vminq_u32(a, b);
#else
	v32 less = (v32)(a < b);

	return (a & less) | (b & ~less);
#endif
}

#if defined(ISA_neon)
/* 16 numbers: their lower halves, and their upper ones. */
static inline void
store16(uint32_t *v, const uint16x8_t low[2], const uint16x8_t high[2])
{
	vst1q_u32(v, (v32)vzip1q_u16(low[0], high[0]));
	vst1q_u32(v + 4, (v32)vzip2q_u16(low[0], high[0]));
	vst1q_u32(v + 8, (v32)vzip1q_u16(low[1], high[1]));
	vst1q_u32(v + 12, (v32)vzip2q_u16(low[1], high[1]));
}

/* a | b << 8 of 16 letters. */
struct halves {
	uint16x8_t of[2];
};

static inline struct halves
halves(neon a, neon b)
{
	return (struct halves){ {
		(uint16x8_t)vzip1q_u8(a, b), (uint16x8_t)vzip2q_u8(a, b),
	} };
}

static const uint16x8_t none[2];
#endif

static inline void
widen_all(uint32_t *v, const uint8_t *t, unsigned n)
{
#if defined(ISA_neon)
	for (unsigned i = 0; i < n; i += 16) {
		struct halves x = halves(vld1q_u8(t + i), vdupq_n_u8(0));

		store16(v + i, x.of, none);
	}
#else
	for (unsigned i = 0; i < n; i += LANES)
		store(v + i, widen(t + i));
#endif
}

/*
 * v[i], i < n: `len` letters from t[i] on as a number below 2^32: twice as many
 * from step to step, and one more where len's next bit is 1.  What is done in
 * place only reads numbers ahead.
 */
static inline void
codes(uint32_t *v, const uint8_t *t, unsigned n, unsigned len, unsigned sigma)
{
	unsigned have = 1, bit = 31 - (unsigned)__builtin_clz(len);
	uint32_t power = sigma;		/* sigma^have */

	n += len;
	widen_all(v, t, n);
	while (bit--) {
		for (unsigned i = 0; i + have < n; i += LANES)
			store(v + i, load(v + i) * all(power) +
					     load(v + i + have));
		n -= have;
		have *= 2;
		power *= power;
		if (!(len >> bit & 1))
			continue;
		for (unsigned i = 0; i < n; i += LANES)
			store(v + i, load(v + i) * all(sigma) +
					     widen(t + i + have));
		have++;
		power *= sigma;
	}
}

/* Numbers of 6 or 12 letters, of those of 2 and 4. */
static inline void
join(uint32_t *v, const uint8_t *two, const uint8_t *four, unsigned n,
     unsigned len)
{
#if defined(ISA_neon)
	for (unsigned i = 0; i < n; i += 16) {
		const uint8_t *f = four + i;
		neon x = vld1q_u8(f), o = vdupq_n_u8(0);
		struct halves low, high;

		if (len == 6) {
			low = halves(vld1q_u8(two + i + 4) | x << 4, x >> 4);
			store16(v + i, low.of, none);
			continue;
		}
		low = halves(vld1q_u8(f + 8), vld1q_u8(f + 4));
		high = halves(x, o);
		store16(v + i, low.of, high.of);
	}
#else
	if (len == 6)
		for (unsigned i = 0; i < n; i += LANES)
			store(v + i, widen(four + i) << 4 | widen(two + i + 4));
	else
		for (unsigned i = 0; i < n; i += LANES)
			store(v + i, widen(four + i) << 16 |
				     widen(four + i + 4) << 8 |
				     widen(four + i + 8));
#endif
}

/*
 * The same for the four letters of DNA: by twos and fours in bytes, which hold
 * them, and then of 6 or 12 letters.
 */
static inline void
codes_dna(uint32_t *v, const uint8_t *t, unsigned n, unsigned len)
{
	uint8_t two[ROOM] __attribute__((aligned(64)));
	uint8_t four[ROOM] __attribute__((aligned(64)));

	for (unsigned i = 0; i < n + 10; i += VBYTES)
		*(u8v *)(two + i) = *(const u8v *)(t + i) << 2 |
				    *(const u8v *)(t + i + 1);
	for (unsigned i = 0; i < n + 8; i += VBYTES)
		*(u8v *)(four + i) = *(u8v *)(two + i) << 4 |
				     *(u8v *)(two + i + 2);
	join(v, two, four, n, len);
}

static inline void
numbers(uint32_t *v, const uint8_t *t, unsigned n, unsigned len,
	unsigned sigma)
{
	if (sigma == 4 && (len == 6 || len == 12))
		codes_dna(v, t, n, len);
	else
		codes(v, t, n, len, sigma);
}

/* v[i], i < n: the least of v[i] to v[i + window - 1]. */
static inline void
minima(uint32_t *v, unsigned n, unsigned window)
{
	unsigned p = 1;

	n += window;
	for (; 2 * p <= window; p *= 2) {
		for (unsigned i = 0; i + p < n; i += LANES)
			store(v + i, least(load(v + i), load(v + i + p)));
		n -= p;
	}
	if (p < window)
		for (unsigned i = 0; i + window - p < n; i += LANES)
			store(v + i, least(load(v + i),
					   load(v + i + window - p)));
}

#if defined(ISA_neon)
/* Which of these are as the one before. */
static inline v32
alike(const uint32_t *v)
{
	return (v32)(load(v) == load(v - 1));
}
#endif

/* Windows i of 1 to n whose least is not that of i - 1, as the header says. */
static inline unsigned
changes(const uint32_t *v, unsigned n, uint32_t *out)
{
	const uint32_t at = (1u << EBWT_AT_BITS) - 1;
	unsigned m = 0, i = 1;

#if defined(ISA_avx512)
	const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
					       10, 11, 12, 13, 14, 15);
	for (; i + LANES <= n + 1; i += LANES) {
		__m512i x = (__m512i)load(v + i);
		__mmask16 new = _mm512_cmpneq_epi32_mask(
			x, (__m512i)load(v + i - 1));
		__m512i begin = _mm512_add_epi32(iota,
			_mm512_set1_epi32((int)i - 1));

		/* less 1, as windows are from t[-1] on */
		x = _mm512_and_si512(x, _mm512_set1_epi32((int)at));
		x = _mm512_sub_epi32(x, _mm512_set1_epi32(1));
		x = _mm512_or_si512(x, _mm512_slli_epi32(begin, 16));
		_mm512_mask_compressstoreu_epi32(out + m, new, x);
		m += (unsigned)__builtin_popcount(new);
	}
#elif defined(ISA_avx2)
	for (; i + 32 <= n + 1; i += 32) {
		uint32_t new = 0;

		for (unsigned k = 0; k < 32; k += LANES)
			new |= (uint32_t)_mm256_movemask_ps((__m256)
				(load(v + i + k) != load(v + i + k - 1))) << k;
		for (; new; new &= new - 1) {
			unsigned k = i + (unsigned)__builtin_ctz(new);

			out[m++] = (k - 1) << 16 | ((v[k] & at) - 1);
		}
	}
#elif defined(ISA_neon)
	for (; i + 16 <= n + 1; i += 16) {
		uint16x8_t same[2];
		uint64_t new;

		for (unsigned k = 0; k < 2; k++)
			same[k] = vuzp1q_u16((uint16x8_t)alike(v + i + 8 * k),
			    (uint16x8_t)alike(v + i + 8 * k + LANES));
		new = ~neon_nibbles(vuzp1q_u8((neon)same[0], (neon)same[1]));
		for (new &= 0x1111111111111111; new; new &= new - 1) {
			unsigned k = i + (unsigned)__builtin_ctzll(new) / 4;

			out[m++] = (k - 1) << 16 | ((v[k] & at) - 1);
		}
	}
#endif
	for (; i <= n; i++) {
		out[m] = (i - 1) << 16 | ((v[i] & at) - 1);
		m += v[i] != v[i - 1];
	}
	return m;
}

static unsigned
KERN(ebwt_anchors)(const struct ebwt_plan *p, const uint8_t *t, unsigned n,
		   uint32_t *out)
{
	const uint32_t golden = 0x9e3779b1, at = (1u << EBWT_AT_BITS) - 1;
	unsigned len = n + p->window;
	uint32_t v[ROOM] __attribute__((aligned(64)));
	v32 iota;

	for (unsigned i = 0; i < LANES; i++)
		iota[i] = i;
	numbers(v, t - 1, len, p->kmer, p->sigma);
	for (unsigned i = 0; i < len; i += LANES) {
		v32 hash = (load(v + i) + 1) * all(golden);

		store(v + i, (hash & all(~at)) | iota);
		iota += LANES;
	}
	minima(v, n + 1, p->window);
	return changes(v, n, out);
}

static inline void
keys(const struct ebwt_plan *p, const uint8_t *t, unsigned n, uint64_t *key)
{
	unsigned half = p->letters / 2;
	uint32_t v[ROOM] __attribute__((aligned(64)));
	uint64_t power = 1;

	for (unsigned i = 0; i < half; i++)
		power *= p->sigma;
	numbers(v, t, n + half, half, p->sigma);
#if defined(ISA_avx512)
	for (unsigned i = 0; i < n; i += 8) {
		__m512i high = _mm512_cvtepu32_epi64(
			_mm256_loadu_si256((void *)(v + i)));
		__m512i low = _mm512_cvtepu32_epi64(
			_mm256_loadu_si256((void *)(v + i + half)));

		high = _mm512_mul_epu32(high, _mm512_set1_epi64(
			(long long)power));
		_mm512_storeu_si512(key + i, _mm512_add_epi64(high, low));
	}
#elif defined(ISA_avx2)
	for (unsigned i = 0; i < n; i += 4) {
		__m256i high = _mm256_cvtepu32_epi64(
			_mm_loadu_si128((void *)(v + i)));
		__m256i low = _mm256_cvtepu32_epi64(
			_mm_loadu_si128((void *)(v + i + half)));

		high = _mm256_mul_epu32(high, _mm256_set1_epi64x(
			(long long)power));
		_mm256_storeu_si256((void *)(key + i),
				    _mm256_add_epi64(high, low));
	}
#elif defined(ISA_neon)
	for (unsigned i = 0; i < n; i += 2)
		vst1q_u64(key + i, vmlal_n_u32(
		    vmovl_u32(vld1_u32(v + i + half)), vld1_u32(v + i),
		    (uint32_t)power));
#else
	for (unsigned i = 0; i < n; i++)
		key[i] = v[i] * power + v[i + half];
#endif
}

static void
KERN(ebwt_keys)(const struct ebwt_plan *p, const uint8_t *t, unsigned n,
		uint64_t *key)
{
	keys(p, t, n, key);
}

/* Of each position the tail of its run; a run's next overwrites what is more
 * than it has. */
static inline void
tails(uint64_t *tail, const struct ebwt_run *run, unsigned n, unsigned window,
      bool counts_down)
{
	v64 iota;

	for (unsigned i = 0; i < VBYTES / 8; i++)
		iota[i] = counts_down ? i : 0;
	for (unsigned k = 0; k < n; k++) {
		v64 x = run[k].tail - iota;
		v64 step = (v64){ 0 } + (counts_down ? VBYTES / 8 : 0);

		for (unsigned i = 0; i < window; i += VBYTES / 8) {
			*(u64v *)(tail + run[k].at + i) = x;
			x -= step;
		}
	}
}

#if defined(ISA_avx2)
/* Permutations that move the numbers of a mask, of four, to the front: for each
 * its two halves, a byte an index. */
static const uint64_t these[16] = {
	0, 0x0100, 0x0302, 0x03020100, 0x0504, 0x05040100, 0x05040302,
	0x050403020100, 0x0706, 0x07060100, 0x07060302, 0x070603020100,
	0x07060504, 0x070605040100, 0x070605040302, 0x0706050403020100,
};
#endif

static unsigned
KERN(ebwt_items)(const struct ebwt_plan *p, const struct ebwt_pick *pick,
		 const uint8_t *t, unsigned n, const struct ebwt_run *run,
		 unsigned n_runs, uint64_t *item, uint32_t *bucket)
{
	uint64_t key[EBWT_BLOCK + 8], tail[EBWT_BLOCK + 64 + 8];
	uint64_t low = (1ull << pick->shift) - 1;
	const struct ebwt_pick of = *pick;	/* no store changes it */
	unsigned m = 0, i = 0;

	keys(p, t, n, key);
	tails(tail, run, n_runs, p->window, pick->counts_down);
#if defined(ISA_avx512)
	__m512i lo = _mm512_set1_epi64((long long)pick->lo);
	__m512i width = _mm512_set1_epi64((long long)pick->width);
	__m512i mask = _mm512_set1_epi64((long long)low);

	for (; i < n; i += 8) {
		__m512i k = _mm512_loadu_si512(key + i);
		__m512i b = _mm512_sub_epi64(
			_mm512_srli_epi64(k, pick->shift), lo);
		__mmask8 in = _mm512_mask_cmplt_epu64_mask(
			(__mmask8)(n - i < 8 ? (1u << (n - i)) - 1 : 0xff), b,
			width);
		__m512i x = _mm512_or_si512(
			_mm512_slli_epi64(_mm512_and_si512(k, mask), pick->up),
			_mm512_loadu_si512(tail + i));

		_mm512_storeu_si512(item + m, _mm512_maskz_compress_epi64(in,
			x));
		_mm256_storeu_si256((void *)(bucket + m),
			_mm512_cvtepi64_epi32(_mm512_maskz_compress_epi64(in,
				b)));
		m += (unsigned)__builtin_popcount(in);
	}
#elif defined(ISA_avx2)
	const __m256i lo = _mm256_set1_epi64x((long long)pick->lo);
	const __m256i width = _mm256_set1_epi64x((long long)pick->width);
	const __m256i mask = _mm256_set1_epi64x((long long)low);
	const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
	const __m128i shift = _mm_cvtsi32_si128((int)pick->shift);
	const __m128i up = _mm_cvtsi32_si128((int)pick->up);

	for (; i + 4 <= n; i += 4) {
		__m256i k = _mm256_loadu_si256((void *)(key + i));
		__m256i b = _mm256_sub_epi64(_mm256_srl_epi64(k, shift), lo);
		int in = _mm256_movemask_pd((__m256d)_mm256_andnot_si256(b,
			_mm256_cmpgt_epi64(width, b)));
		__m256i x = _mm256_or_si256(
			_mm256_sll_epi64(_mm256_and_si256(k, mask), up),
			_mm256_loadu_si256((void *)(tail + i)));
		__m256i to = _mm256_cvtepu8_epi32(
			_mm_loadl_epi64((const void *)&these[in]));

		_mm256_storeu_si256((void *)(item + m),
				    _mm256_permutevar8x32_epi32(x, to));
		b = _mm256_permutevar8x32_epi32(b, to);
		_mm_storeu_si128((void *)(bucket + m), _mm256_castsi256_si128(
			_mm256_permutevar8x32_epi32(b, even)));
		m += (unsigned)__builtin_popcount((unsigned)in);
	}
#elif defined(ISA_neon)
	const int64x2_t down = vdupq_n_s64(-(int64_t)of.shift);
	const int64x2_t up = vdupq_n_s64((int64_t)of.up);

	for (; i + 2 <= n; i += 2) {
		v64 k = vld1q_u64(key + i), b = vshlq_u64(k, down) - of.lo;
		v64 x = vshlq_u64(k & low, up) | vld1q_u64(tail + i);
		v64 in = (v64)(b < of.width);

		item[m] = x[0];
		bucket[m] = (uint32_t)b[0];
		m -= (unsigned)in[0];
		item[m] = x[1];
		bucket[m] = (uint32_t)b[1];
		m -= (unsigned)in[1];
	}
#endif
	for (; i < n; i++) {
		uint64_t b = (key[i] >> of.shift) - of.lo;

		item[m] = (key[i] & low) << of.up | tail[i];
		bucket[m] = (uint32_t)b;
		m += b < of.width;
	}
	return m;
}

/* The letters of a word: which, their codes, and a sum. */

enum { PRINT = 8 };	/* letters in a 64-bit word */
typedef uint64_t v64_at __attribute__((vector_size(VBYTES), aligned(1),
				       may_alias));

#if defined(ISA_avx2)
/* Of '@' to '_', which letters mostly are, what a table of bytes says. */
struct upper {
	__m256i at, p;		/* from '@' and from 'P' on */
};

static inline struct upper
upper(const uint8_t table[256])
{
	return (struct upper){
		_mm256_broadcastsi128_si256(
			_mm_loadu_si128((const void *)&table['@'])),
		_mm256_broadcastsi128_si256(
			_mm_loadu_si128((const void *)&table['P'])),
	};
}

/* False: there are others. */
static inline bool
look_up(const struct upper *u, const uint8_t *s, __m256i *to)
{
	__m256i x = _mm256_loadu_si256((const void *)s);
	__m256i row = _mm256_and_si256(x, _mm256_set1_epi8((char)0xe0));

	*to = _mm256_blendv_epi8(_mm256_shuffle_epi8(u->at, x),
				 _mm256_shuffle_epi8(u->p, x),
				 _mm256_slli_epi16(x, 3));
	return _mm256_movemask_epi8(_mm256_cmpeq_epi8(row,
		_mm256_set1_epi8('@'))) == -1;
}
#elif defined(ISA_neon)
/* Of '@' to '_', which letters mostly are, what a table of bytes says. */
static inline uint8x16x2_t
upper(const uint8_t table[256])
{
	return (uint8x16x2_t){ {
		vld1q_u8(&table['@']), vld1q_u8(&table['P']),
	} };
}

static inline neon
above(const uint8_t *s)	/* from '@' on */
{
	return vsubq_u8(vld1q_u8(s), vdupq_n_u8('@'));
}
#endif

static void
KERN(ebwt_encode)(uint8_t *to, const uint8_t *from, uint64_t n,
		  const uint8_t code[256])
{
	uint64_t i = 0;

#if defined(ISA_avx512)
	__m512i low = _mm512_loadu_si512(code);
	__m512i high = _mm512_loadu_si512(code + 64);

	for (; i + 64 <= n; i += 64) {
		__m512i x = _mm512_loadu_si512(from + i);

		if (_mm512_movepi8_mask(x))
			break;		/* the scalar way from here on */
		_mm512_storeu_si512(to + i,
			_mm512_permutex2var_epi8(low, x, high));
	}
#elif defined(ISA_avx2)
	struct upper u = upper(code);
	__m256i x;

	for (; i + 32 <= n && look_up(&u, from + i, &x); i += 32)
		_mm256_storeu_si256((void *)(to + i), x);
#elif defined(ISA_neon)
	uint8x16x2_t u = upper(code);

	for (; i + 32 <= n; i += 32) {
		neon x = above(from + i), y = above(from + i + 16);

		if (vmaxvq_u8(vmaxq_u8(x, y)) >= 32)
			break;
		vst1q_u8(to + i, vqtbl2q_u8(u, x));
		vst1q_u8(to + i + 16, vqtbl2q_u8(u, y));
	}
#endif
	for (; i < n; i++)
		to[i] = code[from[i]];
}

static void
KERN(ebwt_letters)(uint8_t seen[256], const uint8_t *s, uint64_t n)
{
	uint64_t i = 0;

#if defined(ISA_avx512)
	__m512i low = _mm512_loadu_si512(seen);
	__m512i high = _mm512_loadu_si512(seen + 64);

	for (; i + 64 <= n; i += 64) {
		__m512i x = _mm512_loadu_si512(s + i);
		__m512i known = _mm512_permutex2var_epi8(low, x, high);

		if (!_mm512_movepi8_mask(x) &&
		    !_mm512_testn_epi8_mask(known, known))
			continue;
		for (unsigned k = 0; k < 64; k++)
			seen[s[i + k]] = 1;
		low = _mm512_loadu_si512(seen);
		high = _mm512_loadu_si512(seen + 64);
	}
#elif defined(ISA_avx2)
	struct upper u = upper(seen);

	for (; i + 32 <= n; i += 32) {
		__m256i known;

		if (look_up(&u, s + i, &known) && !_mm256_movemask_epi8(
				_mm256_cmpeq_epi8(known, (__m256i){ 0 })))
			continue;
		for (unsigned k = 0; k < 32; k++)
			seen[s[i + k]] = 1;
		u = upper(seen);
	}
#elif defined(ISA_neon)
	uint8x16x2_t u = upper(seen);

	for (; i + 32 <= n; i += 32) {
		neon x = vqtbl2q_u8(u, above(s + i));	/* others are 0 */
		neon y = vqtbl2q_u8(u, above(s + i + 16));

		if (vminvq_u8(vminq_u8(x, y)))
			continue;
		for (unsigned k = 0; k < 32; k++)
			seen[s[i + k]] = 1;
		u = upper(seen);
	}
#endif
	for (; i < n; i++)
		seen[s[i]] = 1;
}

/* Of the low halves. */
static inline v64
product(v64 a, v64 b)
{
#if defined(ISA_avx512)
	return (v64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(ISA_avx2)
	return (v64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(ISA_neon)
	return vmull_u32(vmovn_u64(a), vmovn_u64(b));
#else
	return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

/* 0 of 0, and far from linear. */
static inline v64
mix(v64 x)
{
	const v64 zero = { 0 };

	x = product(x, zero + 0x9e3779b1) + product(x >> 32, zero + 0xd6e8feb9);
	x ^= x >> 31;
	return x + product(x, x >> 32);
}

static uint64_t
KERN(ebwt_print)(const uint8_t *s, uint32_t n)
{
	v64 sum = { 0 };
	uint64_t i = 0, all = 0;

	for (; i + VBYTES + PRINT <= n; i += VBYTES)
		for (unsigned k = 0; k < PRINT; k++)
			sum += mix(*(const v64_at *)(s + i + k));
	for (; i < n; i++) {
		uint8_t c[PRINT];
		uint64_t word;

		for (unsigned k = 0; i + PRINT > n && k < PRINT; k++)
			c[k] = s[(i + k) % n];
		memcpy(&word, i + PRINT > n ? c : s + i, PRINT);
		sum += mix((v64){ word });
	}
	for (unsigned k = 0; k < VBYTES / 8; k++)
		all += sum[k];
	return all;
}

/* 64-bit integers sorted by their highest differing bits. */

enum {
	DIGIT = 14,	/* bits */
	DIGIT2 = 9,	/* of those of a value: musl's stacks are of 128 KB */
	NARROW = 1024,	/* a range, of which every value has a place */
};
#define NONE UINT64_MAX

static inline unsigned
bits(uint64_t x)
{
	return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

#if defined(ISA_avx512)
/*
 * FEW are sorted by counting: an item comes behind as many as are less, of all
 * that there are or of its neighbours.
 */
enum { FEW = 32, NEAR = 9 };

static inline __mmask8
first(uint64_t n)
{
	return n < 8 ? (__mmask8)((1u << n) - 1) : 0xff;
}

static inline void
sort_few(uint64_t *item, uint64_t n)
{
	__m512i v[FEW / 8];
	uint64_t from[FEW];

	for (unsigned k = 0; k < FEW / 8; k++) {
		uint64_t left = n > 8 * k ? n - 8 * k : 0;

		v[k] = _mm512_maskz_loadu_epi64(first(left), item + 8 * k);
		_mm512_storeu_si512(from + 8 * k, v[k]);
		v[k] = _mm512_mask_set1_epi64(v[k], (__mmask8)~first(left), -1);
	}
	for (uint64_t i = 0; i < n; i++) {
		__m512i x = _mm512_set1_epi64((long long)from[i]);
		unsigned less = 0;

		for (unsigned k = 0; 8 * k < n; k++)
			less += (unsigned)__builtin_popcount(
				_mm512_cmplt_epu64_mask(v[k], x));
		item[less] = from[i];
	}
}

/* The place of item i: how many of the 8 before it are greater, and of the 8
 * behind it less. */
static inline void
move_near(const uint64_t *from, uint64_t *to, uint64_t i, __mmask8 before,
	  __mmask8 behind)
{
	__m512i x = _mm512_set1_epi64((long long)from[i]);
	unsigned greater = _mm512_mask_cmpgt_epu64_mask(before,
		_mm512_maskz_loadu_epi64(before, from + i - 8), x);
	unsigned less = _mm512_mask_cmplt_epu64_mask(behind,
		_mm512_maskz_loadu_epi64(behind, from + i + 1), x);

	to[i - (unsigned)__builtin_popcount(greater) +
	   (unsigned)__builtin_popcount(less)] = from[i];
}

/* Of items in order but for runs of NEAR. */
static inline void
finish(const uint64_t *from, uint64_t *to, uint64_t n)
{
	uint64_t i = 0;

	for (; i < 8; i++)
		move_near(from, to, i, (__mmask8)~first(8 - i), 0xff);
	for (; i + 8 < n; i++)
		move_near(from, to, i, 0xff, 0xff);
	for (; i < n; i++)
		move_near(from, to, i, 0xff, first(n - 1 - i));
}

#else
/* FEW are sorted by insertion, which moves none further than among its own. */
enum { FEW = 12, NEAR = FEW };

static inline void
finish(const uint64_t *from, uint64_t *to, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t x = from[i], j = i;

		for (; j && to[j - 1] > x; j--)
			to[j] = to[j - 1];
		to[j] = x;
	}
}

static inline void
sort_few(uint64_t *item, uint64_t n)
{
	finish(item, item, n);
}
#endif

/* The least and the greatest. */
static inline void
bounds(const uint64_t *item, uint64_t n, uint64_t *min, uint64_t *max)
{
	uint64_t lo = item[0], hi = item[0], i = 1;

#if defined(ISA_avx512)
	__m512i a = _mm512_set1_epi64((long long)lo), b = a;

	for (i = 0; i + 8 <= n; i += 8) {
		__m512i x = _mm512_loadu_si512(item + i);

		a = _mm512_min_epu64(a, x);
		b = _mm512_max_epu64(b, x);
	}
	lo = _mm512_reduce_min_epu64(a);
	hi = _mm512_reduce_max_epu64(b);
#endif
	for (; i < n; i++) {
		lo = item[i] < lo ? item[i] : lo;
		hi = item[i] > hi ? item[i] : hi;
	}
	*min = lo;
	*max = hi;
}

/*
 * Values of a narrow range, each to its own place.  The last place is taken,
 * so what is written is never behind the last item.
 */
static __attribute__((noinline)) void
place(uint64_t *item, uint64_t n, uint64_t min, uint64_t width, unsigned low)
{
	uint64_t at[NARROW], *to = item;

	memset(at, 0xff, width * sizeof *at);
	for (uint64_t i = 0; i < n; i++)
		at[(item[i] >> low) - min] = item[i];
	for (uint64_t i = 0; i < width; i++) {
		*to = at[i];
		to += at[i] != NONE;
	}
}

/* Items to tmp by a digit; at[d] becomes where d's end.  Has any more than
 * NEAR? */
static inline bool
spread(const uint64_t *item, uint64_t n, uint64_t *tmp, uint64_t min,
       unsigned shift, uint32_t *at, uint32_t n_digits)
{
	uint32_t sum = 0, most = 0;

	memset(at, 0, n_digits * sizeof *at);
	for (uint64_t i = 0; i < n; i++)
		at[(item[i] - min) >> shift]++;
	for (uint32_t d = 0; d < n_digits; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
		most |= NEAR - count;	/* negative */
	}
	for (uint64_t i = 0; i < n; i++)
		tmp[at[(item[i] - min) >> shift]++] = item[i];
	return most >> 31;
}

/*
 * By digits of about as many values as there are items.  Many of a value are
 * sorted in the same way; few by insertion, all at once, which moves no item
 * further than among its value's.  A digit has at least 4 bits of how far items
 * lie above the least, so it is 16 deep at most.
 */
static void
sort(uint64_t *item, uint64_t n, uint64_t *tmp, unsigned low, uint32_t *at,
     unsigned digit)
{
	uint32_t at2[1 << DIGIT2], n_digits, sum = 0;
	unsigned wide, shift;
	uint64_t min, max;

	if (n <= FEW) {
		sort_few(item, n);
		return;
	}
	bounds(item, n, &min, &max);
	if ((max >> low) - (min >> low) < NARROW &&
	    (max >> low) - (min >> low) < 4 * n) {
		place(item, n, min >> low, (max >> low) - (min >> low) + 1,
		      low);
		return;
	}
	wide = bits(max - min);
	digit = bits(n) < digit ? bits(n) : digit;
	shift = wide > digit ? wide - digit : 0;
	n_digits = (uint32_t)((max - min) >> shift) + 1;
	if (spread(item, n, tmp, min, shift, at, n_digits))
		for (uint32_t d = 0; d < n_digits; d++) {
			if (at[d] - sum > NEAR)
				sort(tmp + sum, at[d] - sum, item + sum, low,
				     at2, DIGIT2);
			sum = at[d];
		}
	finish(tmp, item, n);
}

static void
KERN(ebwt_radix)(uint64_t *item, uint64_t n, uint64_t *tmp, unsigned low)
{
	uint32_t at[1 << DIGIT];

	sort(item, n, tmp, low, at, DIGIT);
}

/* Which columns had a row since a word's last one. */

enum { TALLY_LANES = VBYTES / 2 };
typedef int16_t times __attribute__((vector_size(VBYTES)));
typedef uint16_t sums __attribute__((vector_size(VBYTES), aligned(2)));
typedef uint32_t classes __attribute__((vector_size(VBYTES)));
typedef uint32_t classes_at __attribute__((vector_size(VBYTES), aligned(4)));
typedef int16_t times_at __attribute__((vector_size(VBYTES), aligned(2)));

/*
 * A column of vectors at a time: its last times stay in a register, as what
 * was stored by lanes could not be loaded whole for a dozen cycles.
 */
static void
KERN(ebwt_tally)(uint16_t *count, unsigned columns, int16_t *last,
		 const struct ebwt_event *event, unsigned n, int16_t clock)
{
	times lane;

	for (int i = 0; i < TALLY_LANES; i++)
		lane[i] = (int16_t)i;
	for (unsigned c = 0; c < columns; c += TALLY_LANES) {
		times when = *(times_at *)(last + c);

		for (unsigned i = 0; i < n; i++) {
			const struct ebwt_event *v = &event[i];
			sums *sum = (sums *)(count + v->cell + c);
			times here = (times)(lane == v->column);
			int16_t now = (int16_t)(clock + (int)i);

			/* what is true is -1 */
			*sum -= (sums)(when > v->before);
			when = (when & ~here) | (((times){ 0 } + now) & here);
		}
		*(times_at *)(last + c) = when;
		lane += TALLY_LANES;
	}
}

static uint64_t
KERN(ebwt_begins)(const uint32_t *colour, uint64_t n, uint32_t c)
{
	enum { STEP = VBYTES / 4 };
	const uint32_t *at = colour + 1, *end = colour + n;
	uint64_t sum = 0;

	while (end - at >= STEP) {
		/* so many that no lane overflows */
		ptrdiff_t left = end - at > 1 << 30 ? 1 << 30 : end - at;
		const uint32_t *stop = at + left / STEP * STEP;
		classes in = { 0 };

		for (; at != stop; at += STEP)
			in -= (classes)(*(classes_at *)at == c) &
			      (classes)(*(classes_at *)(at - 1) != c);
		for (int k = 0; k < STEP; k++)
			sum += in[k];
	}
	for (; at < end; at++)
		sum += (at[0] == c) & (at[-1] != c);
	return sum;
}

const struct ebwt_ops KERN(ebwt_ops) = {
	KERN(ebwt_anchors), KERN(ebwt_keys), KERN(ebwt_items),
	KERN(ebwt_radix), KERN(ebwt_encode), KERN(ebwt_letters),
	KERN(ebwt_print), KERN(ebwt_tally), KERN(ebwt_begins),
};
