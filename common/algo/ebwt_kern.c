/* SPDX-License-Identifier: MIT */
/* ebwt_kern.c - keys of rotations, and minimizers of windows, in vectors */
#include "algo/ebwt_kern.h"

#include <string.h>

#include "base/simd.h"

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
#else
	v32 less = (v32)(a < b);

	return (a & less) | (b & ~less);
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
	for (unsigned i = 0; i < n; i += LANES)
		store(v + i, widen(t + i));
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
	if (len == 6)
		for (unsigned i = 0; i < n; i += LANES)
			store(v + i, widen(four + i) << 4 | widen(two + i + 4));
	else
		for (unsigned i = 0; i < n; i += LANES)
			store(v + i, widen(four + i) << 16 |
				     widen(four + i + 4) << 8 |
				     widen(four + i + 8));
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
#endif
	for (; i <= n; i++) {
		out[m] = (i - 1) << 16 | ((v[i] & at) - 1);
		m += v[i] != v[i - 1];
	}
	return m;
}

unsigned
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
#else
	for (unsigned i = 0; i < n; i++)
		key[i] = v[i] * power + v[i + half];
#endif
}

void
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

unsigned
KERN(ebwt_items)(const struct ebwt_plan *p, const struct ebwt_pick *pick,
		 const uint8_t *t, unsigned n, const struct ebwt_run *run,
		 unsigned n_runs, uint64_t *item, uint32_t *bucket)
{
	uint64_t key[EBWT_BLOCK + 8], tail[EBWT_BLOCK + 64 + 8];
	uint64_t low = (1ull << pick->shift) - 1;
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
#endif
	for (; i < n; i++) {
		uint64_t b = (key[i] >> pick->shift) - pick->lo;

		item[m] = (key[i] & low) << pick->up | tail[i];
		bucket[m] = (uint32_t)b;
		m += b < pick->width;
	}
	return m;
}
