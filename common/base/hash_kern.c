/* SPDX-License-Identifier: MIT */
/*
 * hash_kern.c - the stripes of XXH64
 *
 * Four chains of add, rotate, multiply: bound by the one 64-bit multiplier,
 * two products a lane, or in vectors by the chain's latency.  Measured on
 * Zen 4: 9.7 and 19 GB/s.
 */

#include <string.h>

#include "base/hash_kern.h"
#include "base/port.h"
#include "base/simd.h"

#if defined(ISA_avx512)
void
KERN(hash_stripes)(const uint8_t *p, size_t n, uint64_t acc[4])
{
	const __m256i p1 = _mm256_set1_epi64x((long long)HASH_P1);
	const __m256i p2 = _mm256_set1_epi64x((long long)HASH_P2);
	__m256i a = _mm256_loadu_si256((const __m256i *)acc);

	for (; n; n--, p += 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)p);

		a = _mm256_add_epi64(a, _mm256_mullo_epi64(x, p2));
		a = _mm256_mullo_epi64(_mm256_rol_epi64(a, 31), p1);
	}
	_mm256_storeu_si256((__m256i *)acc, a);
}
#else
static inline uint64_t
step(uint64_t acc, const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, 8);
	return hash_round(acc, le64(x));
}

void
KERN(hash_stripes)(const uint8_t *p, size_t n, uint64_t acc[4])
{
	/* four names, not an array: they stay in registers */
	uint64_t a = acc[0], b = acc[1], c = acc[2], d = acc[3];

	for (; n; n--, p += 32) {
		a = step(a, p);
		b = step(b, p + 8);
		c = step(c, p + 16);
		d = step(d, p + 24);
	}
	acc[0] = a;
	acc[1] = b;
	acc[2] = c;
	acc[3] = d;
}
#endif

/*
 * Sums of words times powers of R, modulo 2^61 - 1
 *
 * From the last block to the first one: what is behind is times R^8.  Bound by
 * the multiplier, two products a word.
 *	In vectors each lane is a sum of its own, of powers of R^LANES, and of a
 * tile nothing is reduced before its end: halves of words times limbs of 21
 * bits, 2 (TILE + 1) products below 2^53.
 */

/* s is below 2^64, and R^8 below 2^61 */
static inline uint64_t
blocks(const uint8_t *p, size_t n, uint64_t s)
{
	while (n--)
		s = digest_fold((unsigned __int128)s * DIGEST_R8) +
		    digest_fold(digest_block(p + 64 * n));
	return s;
}

#if defined(ISA_avx512) || defined(ISA_avx2)
enum { TILE = 16, LANES = VBYTES / 8 };

/* What a word's low half counts at 1, 2^21, 2^42, its high half there, and its
 * top four bits at 1 and 2^32 more than in the high half. */
typedef v64 weights[8];

static inline void
set_weights(v64 *w, uint64_t power)
{
	uint64_t high = digest_mul(power, UINT64_C(1) << 32);
	uint64_t top = digest_mul(power, DIGEST_P - DIGEST_LESS);

	for (int i = 0; i < 3; i++) {
		w[i] = (v64){ 0 } + (power >> 21 * i & 0x1fffff);
		w[3 + i] = (v64){ 0 } + (high >> 21 * i & 0x1fffff);
	}
	w[6] = (v64){ 0 } + (top & UINT32_MAX);
	w[7] = (v64){ 0 } + (top >> 32);
}

/* Low halves. */
static inline v64
times(v64 a, v64 b)
{
	return (v64)V(mul_epu32)((vec)a, (vec)b);
}

/* x 2^shift of x below 2^61, as far as 2^61 is 1. */
static inline v64
shifted(v64 x, int shift)
{
	return (x >> (61 - shift)) +
	       ((x & ((UINT64_C(1) << (61 - shift)) - 1)) << shift);
}

/* TILE vectors, and s behind them; below 2^62. */
static inline v64
tile(const uint8_t *p, const weights *w, v64 s)
{
	v64 high = s >> 32, d = { 0 };
	v64 a = times(s, w[TILE][0]) + times(high, w[TILE][3]);
	v64 b = times(s, w[TILE][1]) + times(high, w[TILE][4]);
	v64 c = times(s, w[TILE][2]) + times(high, w[TILE][5]);

	for (int i = 0; i < TILE; i++) {
		v64 x, top;

		memcpy(&x, p + i * VBYTES, VBYTES);
		high = x >> 32;
		top = x >> 60;
		a += times(x, w[i][0]) + times(high, w[i][3]);
		b += times(x, w[i][1]) + times(high, w[i][4]);
		c += times(x, w[i][2]) + times(high, w[i][5]);
		a += times(top, w[i][6]);
		d += times(top, w[i][7]);
	}
	/* below 2^59, and three below 2^61 + 2^40 */
	s = a + shifted(b, 21) + shifted(c, 42) + shifted(d, 32);
	return (s & DIGEST_P) + (s >> 61);
}

uint64_t
KERN(digest_blocks)(const uint8_t *p, size_t n, uint64_t before)
{
	size_t tiles = n / (TILE * VBYTES / 64);
	size_t whole = tiles * (TILE * VBYTES / 64);
	uint64_t power = 1, sum = 0;
	weights w[TILE + 1];
	v64 s = { blocks(p + 64 * whole, n - whole, before) };

	for (int i = 0; i <= TILE; i++) {
		set_weights(w[i], power);
		power = digest_mul(power, LANES == 8 ? DIGEST_R8 :
						       digest_r[LANES % 8]);
	}
	while (tiles--)
		s = tile(p + tiles * TILE * VBYTES, w, s);
	for (int i = 0; i < LANES; i++)
		sum = digest_add(sum, digest_mul(s[i], digest_r[i]));
	return sum;
}
#else
uint64_t
KERN(digest_blocks)(const uint8_t *p, size_t n, uint64_t before)
{
	return blocks(p, n, before);
}
#endif
