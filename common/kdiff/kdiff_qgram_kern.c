/* SPDX-License-Identifier: MIT */
/*
 * kdiff_qgram_kern.c - samples of a text whose q-gram is in a bitmap
 *
 * A word of 64 letters a lane; its samples, `step` letters apart from its
 * first one on, are looked up for all lanes at a time.
 */

#include "base/vec.h"
#include "kdiff/kdiff_kern.h"

#if !defined(ISA_neon)

/* Low and high bits of LANES words, and of the words after each of them. */
struct letters {
	v64 lo, hi, lo1, hi1;
};

static inline struct letters
load(const uint64_t *p)
{
	struct letters x;
#if defined(ISA_avx512)
	const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
	const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
	__m512i a = _mm512_loadu_si512(p), b = _mm512_loadu_si512(p + 8);
	__m512i lo = _mm512_permutex2var_epi64(a, even, b);
	__m512i hi = _mm512_permutex2var_epi64(a, odd, b);

	x.lo = (v64)lo;
	x.hi = (v64)hi;
	x.lo1 = (v64)_mm512_alignr_epi64(_mm512_set1_epi64((long long)p[16]),
					 lo, 1);
	x.hi1 = (v64)_mm512_alignr_epi64(_mm512_set1_epi64((long long)p[17]),
					 hi, 1);
#else
	for (int l = 0; l < LANES; l++) {
		x.lo[l] = p[2 * l];
		x.hi[l] = p[2 * l + 1];
		x.lo1[l] = p[2 * l + 2];
		x.hi1[l] = p[2 * l + 3];
	}
#endif
	return x;
}

/* The q-grams that begin with letter i of each word, as numbers. */
static inline v64
grams(const struct letters *x, const struct kdiff_sieve *v, unsigned i)
{
	uint64_t mask = (1ull << v->q) - 1;
	v64 lo = x->lo >> i | x->lo1 << 1 << (63 - i);
	v64 hi = x->hi >> i | x->hi1 << 1 << (63 - i);

	return (lo & mask) | (hi & mask) << v->q;
}

/*
 * Samples i and i + step of all words; without the second if `one`.  How many
 * were found.
 */
#if defined(ISA_avx512)
static inline size_t
look_up(const struct letters *x, const struct kdiff_sieve *v, unsigned i,
	bool one, uint32_t at, uint32_t *out, uint32_t *key)
{
	const __m512i lane = _mm512_setr_epi32(0, 0, 64, 64, 128, 128, 192,
	    192, 256, 256, 320, 320, 384, 384, 448, 448);
	v64 both = grams(x, v, i);
	__m512i g, b;
	__mmask16 in = one ? 0x5555 : 0xffff;

	if (!one)
		both |= grams(x, v, i + v->step) << 32;
	g = (__m512i)both;
	b = _mm512_i32gather_epi32(_mm512_srli_epi32(g, 5), v->bits, 4);
	in = _mm512_mask_test_epi32_mask(in, b,
	    _mm512_rolv_epi32(_mm512_set1_epi32(1), g));
	if (in) {
		__m512i to = _mm512_add_epi32(lane,
		    _mm512_set1_epi32((int)(at + i)));

		to = _mm512_mask_add_epi32(to, 0xaaaa, to,
					   _mm512_set1_epi32((int)v->step));
		_mm512_storeu_si512(out, _mm512_maskz_compress_epi32(in, to));
		_mm512_storeu_si512(key, _mm512_maskz_compress_epi32(in, g));
	}
	return (size_t)__builtin_popcount(in);
}
#elif defined(ISA_avx2)
static inline size_t
look_up(const struct letters *x, const struct kdiff_sieve *v, unsigned i,
	bool one, uint32_t at, uint32_t *out, uint32_t *key)
{
	v64 both = grams(x, v, i);
	uint32_t gram[8];
	__m256i g, b;
	size_t n = 0;
	unsigned in;

	if (!one)
		both |= grams(x, v, i + v->step) << 32;
	g = (__m256i)both;
	b = _mm256_i32gather_epi32((const int *)v->bits,
				   _mm256_srli_epi32(g, 5), 4);
	/* the gram's bit to the top, where movemask looks */
	b = _mm256_sllv_epi32(b, _mm256_andnot_si256(g,
	    _mm256_set1_epi32(31)));
	in = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(b));
	in &= one ? 0x55 : 0xff;
	if (in)
		_mm256_storeu_si256((void *)gram, g);
	for (; in; in &= in - 1, n++) {
		unsigned l = (unsigned)__builtin_ctz(in);

		out[n] = at + l / 2 * 64 + i + (l & 1) * v->step;
		key[n] = gram[l];
	}
	return n;
}
#else
static inline size_t
look_up(const struct letters *x, const struct kdiff_sieve *v, unsigned i,
	bool one, uint32_t at, uint32_t *out, uint32_t *key)
{
	size_t n = 0;

	for (unsigned j = one ? 1 : 2; j; j--, i += v->step) {
		v64 g = grams(x, v, i);

		for (int l = 0; l < LANES; l++) {
			out[n] = at + 64 * (uint32_t)l + i;
			key[n] = (uint32_t)g[l];
			n += v->bits[g[l] / 64] >> g[l] % 64 & 1;
		}
	}
	return n;
}
#endif

size_t
KERN(kdiff_sieve)(const struct kdiff_sieve *v, const uint64_t *planes,
		  size_t n_words, uint32_t *out, uint32_t *key)
{
	size_t n = 0;

	for (size_t w = 0; w < n_words; w += LANES) {
		struct letters x = load(planes + 2 * w);

		for (unsigned i = 0; i < 64; i += 2 * v->step)
			n += look_up(&x, v, i, i + v->step >= 64,
				     (uint32_t)(64 * w), out + n, key + n);
	}
	return n;
}

#else /* NEON: four samples of the same two words, by bytes looked up */

struct samples {
	uint8x16_t byte;	/* of planes: where each begins, 3 more */
	int32x4_t right, up;	/* its bit there, negative; that and q */
	uint32_t place[4];	/* its letter */
};
enum { SAMPLES = 2 * 64 / 4 };

/* Those of two words, four by four; returns how many times. */
static unsigned
list_samples(const struct kdiff_sieve *v, struct samples *to)
{
	unsigned n = 0;

	memset(to, 0, SAMPLES * sizeof *to);
	for (unsigned word = 0; word < 128; word += 64)
		for (unsigned i = word; i < word + 64; i += v->step, n++) {
			struct samples *x = to + n / 4;
			unsigned bit = i % 8, b = i / 8 * 0x01010101;

			x->place[n % 4] = i;
			((uint32_t *)&x->byte)[n % 4] = b + 0x03020100;
			((int32_t *)&x->right)[n % 4] = -(int)bit;
			((int32_t *)&x->up)[n % 4] = (int)v->q - (int)bit;
		}
	return n;
}

/* Letters of a pair of words, and of the next one. */
struct pair {
	uint8x16x2_t lo, hi;
};

static inline struct pair
pair(uint64x2x2_t now, uint64x2x2_t next)
{
	return (struct pair){
		{ { (neon)now.val[0], (neon)next.val[0] } },
		{ { (neon)now.val[1], (neon)next.val[1] } },
	};
}

/* The q-grams of four samples, as numbers. */
static inline uint32x4_t
four(const struct pair *p, const struct samples *s, unsigned q)
{
	uint32x4_t l = (uint32x4_t)vqtbl2q_u8(p->lo, s->byte);
	uint32x4_t h = (uint32x4_t)vqtbl2q_u8(p->hi, s->byte);

	l = vshlq_u32(l, s->right);
	h = vshlq_u32(h, s->up);
	return vbslq_u32(vdupq_n_u32((1u << q) - 1), l, h) &
	       vdupq_n_u32((1u << 2 * q) - 1);
}

size_t
KERN(kdiff_sieve)(const struct kdiff_sieve *v, const uint64_t *planes,
		  size_t n_words, uint32_t *out, uint32_t *key)
{
	const uint32_t *bits = (const uint32_t *)v->bits;
	struct samples s[SAMPLES];
	unsigned n = list_samples(v, s), q = v->q;
	uint64x2x2_t now = vld2q_u64(planes), next;
	size_t found = 0;

	for (size_t w = 0; w < n_words; w += 2, now = next) {
		struct pair p = pair(now, next = vld2q_u64(planes + 2 * w + 4));

		for (unsigned i = 0; i < n; i += 4) {
			uint32x4_t g = four(&p, &s[i / 4], q), b;
			uint32_t gram[4];
			uint64_t in;

			b = neon_gather32(bits, vshrq_n_u32(g, 5));
			b = neon_bit_to_top(b, g);
			in = (uint64_t)vshrn_n_u32(b, 16) & 0x8000800080008000;
			if (in)
				vst1q_u32(gram, g);
			for (; in; in &= in - 1) {
				unsigned j = (unsigned)__builtin_ctzll(in) / 16;

				out[found] = (uint32_t)(64 * w) +
					     s[i / 4].place[j];
				key[found] = gram[j];
				found += i + j < n;
			}
		}
	}
	return found;
}
#endif
