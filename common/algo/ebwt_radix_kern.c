/* SPDX-License-Identifier: MIT */
/* ebwt_radix_kern.c - 64-bit integers sorted by their highest differing bits */
#include <string.h>

#include "algo/ebwt_kern.h"
#include "base/simd.h"

enum {
	DIGIT = 12,	/* bits */
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
static inline void
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
void
KERN(ebwt_radix)(uint64_t *item, uint64_t n, uint64_t *tmp, unsigned low)
{
	uint32_t at[1 << DIGIT], n_digits, sum = 0;
	uint64_t min, max;
	unsigned digit, wide, shift;

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
	digit = bits(n);
	digit = digit > DIGIT ? DIGIT : digit;
	shift = wide > digit ? wide - digit : 0;
	n_digits = (uint32_t)((max - min) >> shift) + 1;
	if (spread(item, n, tmp, min, shift, at, n_digits))
		for (uint32_t d = 0; d < n_digits; d++) {
			if (at[d] - sum > NEAR)
				KERN(ebwt_radix)(tmp + sum, at[d] - sum,
						 item + sum, low);
			sum = at[d];
		}
	finish(tmp, item, n);
}
